/* One allocation on machines beyond a million nodes.
 *
 * The machine is idle, or half busy: every other node at random, or boxes of
 * random sides and places until half of the nodes are. Processor time of one
 * call, and the memory that it took. */
#include <tori/alloc.h>

#include "bench.h"
#include "marks.h"
#include "random.h"

static const struct machine {
    const char *name;
    uint32_t count;
    uint32_t side; /* no box is longer */
} machines[] = {
    {"mesh:1048576", 1000, 3000},
    {"torus:1048576", 1000, 3000},
    {"mesh:1200x1200", 1000, 300},
    {"torus:1500x1500", 1000, 300},
    {"mesh:128x128x128", 4096, 40},
    {"torus:128x128x128", 4096, 40},
};

static const char *const allocators[] = {"mm", "gen-alg", "mm+inc"};

static void hold_none (tori_state *state, const struct machine *m,
                       struct rng *rng)
{
}

static void hold_nodes (tori_state *state, const struct machine *m,
                        struct rng *rng)
{
    for (uint32_t i = 0; i < state->machine->nodes; i++)
        if (rng_next (rng) >> 63)
            state_hold_node (state, i);
}

static void hold_boxes (tori_state *state, const struct machine *m,
                        struct rng *rng)
{
    const tori_shape *shape = &state->machine->shape;
    while (state->free_count > state->machine->nodes / 2) {
        tori_box box = {.shape = {.ndims = shape->ndims}};
        struct runs runs;
        uint64_t first, count;
        for (int d = 0; d < shape->ndims; d++) {
            box.shape.size[d] = 4 + (uint32_t)rng_below (rng, m->side - 3);
            box.origin[d] = (uint32_t)rng_below (
                rng, shape->size[d] - box.shape.size[d] + 1);
        }
        runs = runs_of_box (state->machine, &box);
        while (runs_next (&runs, &first, &count))
            for (uint64_t i = first; i < first + count; i++)
                if (tori_state_is_free (state, (uint32_t)i))
                    state_hold_node (state, (uint32_t)i);
    }
}

static const struct load {
    const char *name;
    void (*hold) (tori_state *state, const struct machine *m,
                  struct rng *rng);
} loads[] = {{"idle", hold_none}, {"nodes", hold_nodes},
             {"boxes", hold_boxes}};

struct cell {
    const struct machine *machine;
    const char *allocator;
    const struct load *load;
};

static void measure (const void *arg)
{
    const struct cell *cell = arg;
    tori_request request = {.count = cell->machine->count};
    tori_machine *machine;
    tori_state *state;
    tori_alloc *alloc;
    tori_placement place = {0};
    struct rng rng;
    double memory, start, time;
    rng_seed (&rng, 1, 0);
    BENCH_MUST (tori_machine_parse (cell->machine->name, &machine, &err));
    BENCH_MUST (tori_state_create (machine, &state, &err));
    cell->load->hold (state, cell->machine, &rng);
    BENCH_MUST (tori_alloc_create (machine, TORI_ALLOC (cell->allocator),
                                   &alloc, &err));
    memory = bench_memory ();
    start = bench_cpu ();
    if (tori_alloc_place (alloc, state, &request, &place, NULL)
        != TORI_PLACED)
        exit (1);
    time = bench_cpu () - start;
    printf ("%-18s %6u %-6s %-8s %8.3f %6.0f\n", cell->machine->name,
            request.count, cell->load->name, cell->allocator, time,
            bench_peak () - memory);
    tori_placement_clear (&place);
    tori_alloc_destroy (alloc);
    tori_state_destroy (state);
    tori_machine_destroy (machine);
}

int main (int argc, char *argv[])
{
    bench_machine ();
    printf ("%-18s %6s %-6s %-8s %8s %6s\n", "machine", "count", "busy",
            "alloc", "seconds", "MiB");
    for (size_t m = 0; m < sizeof machines / sizeof machines[0]; m++)
        for (size_t l = 0; l < sizeof loads / sizeof loads[0]; l++)
            for (size_t a = 0; a < sizeof allocators / sizeof allocators[0];
                 a++) {
                struct cell cell = {&machines[m], allocators[a], &loads[l]};
                if (argc < 2 || strstr (machines[m].name, argv[1]))
                    bench_apart (measure, &cell);
            }
    return 0;
}

/* The time of one first-fit search, and how it grows with the machine.
 *
 * Machines are half full of boxes at random places, of sides at random up to a
 * quarter of the machine's as long as such boxes go in. Before every search
 * one of them is taken away, and put back afterwards, so that an allocator
 * that keeps something between calls has to keep it up to date, as it has to
 * in a scheduler. Requests have sides from the same range and may be rotated;
 * those that find a place and those that do not are timed apart, for the
 * former stop early. */
#include <tori/alloc.h>

#include "bench.h"
#include "random.h"

enum { MAX_BOXES = 1 << 21, NREQUESTS = 512 };

static const struct row {
    const char *machine;
    tori_wiring wiring;
} rows[] = {
    {"mesh:8^3", TORI_WIRE_NONE},
    {"mesh:16^3", TORI_WIRE_NONE},
    {"mesh:32^3", TORI_WIRE_NONE},
    {"mesh:64^3", TORI_WIRE_NONE},
    {"mesh:128^3", TORI_WIRE_NONE},
    {"mesh:256^3", TORI_WIRE_NONE},
    {"mesh:32^2", TORI_WIRE_NONE},
    {"mesh:128^2", TORI_WIRE_NONE},
    {"mesh:512^2", TORI_WIRE_NONE},
    {"mesh:2048^2", TORI_WIRE_NONE},
    {"mesh:4096^2", TORI_WIRE_NONE},
    {"torus:8^3", TORI_WIRE_TORUS},
    {"torus:64^3", TORI_WIRE_TORUS},
    {"multitorus:8^3", TORI_WIRE_TORUS},
    {"multitorus:64^3", TORI_WIRE_TORUS},
    {"multitorus:256^3", TORI_WIRE_TORUS},
};

struct scene {
    tori_machine *machine;
    tori_state *state;
    tori_alloc *alloc;
    struct rng rng;
    tori_wiring wiring;
    tori_placement *held; /* boxes only, so they own nothing */
    size_t nheld;
};

static tori_shape random_shape (struct scene *scene, uint32_t part)
{
    tori_shape shape = *tori_machine_shape (scene->machine);
    for (int d = 0; d < shape.ndims; d++) {
        uint32_t longest = shape.size[d] / part;
        shape.size[d] = 1 + (uint32_t)rng_below (&scene->rng,
                                                 longest ? longest : 1);
    }
    return shape;
}

static bool hold_somewhere (struct scene *scene, uint32_t part)
{
    tori_placement *place = &scene->held[scene->nheld];
    tori_box box = {.shape = random_shape (scene, part)};
    for (int d = 0; d < box.shape.ndims; d++)
        box.origin[d] = (uint32_t)rng_below (
            &scene->rng, tori_machine_size (scene->machine, d)
                             - box.shape.size[d] + 1);
    *place = (tori_placement){
        .nboxes = 1,
        .wiring = scene->wiring,
        .box = box,
        .count = (uint32_t)tori_shape_volume (&box.shape)};
    if (tori_placement_hold (place, scene->state, NULL) < 0)
        return false;
    scene->nheld++;
    return true;
}

/* Half full, of boxes as large as will go: after many misses smaller ones. */
static void fill (struct scene *scene)
{
    uint32_t nodes = tori_machine_nodes (scene->machine);
    uint32_t part = 4;
    int misses = 0;
    while (tori_state_free_count (scene->state) > nodes / 2
           && scene->nheld < MAX_BOXES) {
        if (hold_somewhere (scene, part))
            misses = 0;
        else if (++misses == 200) {
            part *= 2;
            misses = 0;
        }
    }
}

struct timing {
    double sum;
    unsigned long n;
};

static double mean_ns (struct timing timing)
{
    return timing.n ? 1e9 * timing.sum / (double)timing.n : 0;
}

static void search_once (struct scene *scene, const tori_request *request,
                         struct timing *hit, struct timing *miss)
{
    const tori_placement *moved
        = &scene->held[rng_below (&scene->rng, scene->nheld)];
    tori_placement place = {0};
    tori_outcome outcome;
    struct timing *timing;
    double start, time;
    tori_placement_release (moved, scene->state);
    start = bench_cpu ();
    outcome = tori_alloc_place (scene->alloc, scene->state, request, &place,
                                NULL);
    time = bench_cpu () - start;
    timing = outcome == TORI_PLACED ? hit : miss;
    timing->sum += time;
    timing->n++;
    tori_placement_clear (&place);
    BENCH_MUST (tori_placement_hold (moved, scene->state, &err));
}

static void search_many (struct scene *scene, struct timing *hit,
                         struct timing *miss)
{
    static tori_request requests[NREQUESTS];
    for (int i = 0; i < NREQUESTS; i++) {
        requests[i] = (tori_request){.shape = random_shape (scene, 4),
                                     .wiring = scene->wiring};
        requests[i].count = (uint32_t)tori_shape_volume (&requests[i].shape);
    }
    search_once (scene, &requests[0], hit, miss); /* warms up */
    *hit = *miss = (struct timing){0};
    for (int i = 0; hit->n + miss->n < 200 || hit->sum + miss->sum < 0.2; i++)
        search_once (scene, &requests[i % NREQUESTS], hit, miss);
}

static void measure (const void *arg)
{
    const struct row *row = arg;
    tori_placement *held = calloc (MAX_BOXES, sizeof *held);
    struct scene scene = {.wiring = row->wiring, .held = held};
    struct timing hit = {0}, miss = {0}, all;
    double memory, used;
    uint32_t nodes;
    if (!held)
        exit (1);
    memory = bench_memory ();
    rng_seed (&scene.rng, 1, 0);
    BENCH_MUST (tori_machine_parse (row->machine, &scene.machine, &err));
    BENCH_MUST (tori_state_create (scene.machine, &scene.state, &err));
    BENCH_MUST (tori_alloc_create (scene.machine, TORI_ALLOC ("first-fit"),
                                   &scene.alloc, &err));
    nodes = tori_machine_nodes (scene.machine);
    fill (&scene);
    /* The boxes are the scheduler's jobs, not the machine's. */
    memory += (double)(scene.nheld * sizeof *held) / (1 << 20);
    search_many (&scene, &hit, &miss);
    all = (struct timing){hit.sum + miss.sum, hit.n + miss.n};
    used = bench_memory () - memory;
    printf ("%-17s %-6s %9u %6.2f %7zu %6.2f %12.0f %12.0f %12.0f %9.1f\n",
            row->machine, tori_wiring_name (row->wiring), nodes,
            1 - (double)tori_state_free_count (scene.state) / nodes,
            scene.nheld, (double)hit.n / (double)all.n, mean_ns (hit),
            mean_ns (miss), mean_ns (all), used);
    free (held);
    tori_alloc_destroy (scene.alloc);
    tori_state_destroy (scene.state);
    tori_machine_destroy (scene.machine);
}

int main (void)
{
    bench_machine ();
    printf ("# one first-fit search, mean; goal at 64^3: under 50000 ns; "
            "memory at 2^24 nodes: under 64 MiB\n");
    printf ("%-17s %-6s %9s %6s %7s %6s %12s %12s %12s %9s\n", "machine",
            "wiring", "nodes", "full", "boxes", "found", "found ns",
            "refused ns", "all ns", "MiB");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        bench_apart (measure, &rows[i]);
    return 0;
}

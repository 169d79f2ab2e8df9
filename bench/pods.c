/* cube-first and cube-best: what a decision costs on pods of 64 and 1,024
 * cubes of 4x4x4.
 *
 * A pod is kept full: slices come at random, half of them of whole cubes and
 * wired as tori, the others of any sides up to 6, and when one is refused a
 * random one that is there goes. So refusals, which try every offset and
 * rotation, are part of the mean. */
#include <tori/alloc.h>

#include "bench.h"
#include "random.h"

enum { SLICES = 4096, DECISIONS = 2000 };

struct scene {
    tori_machine *machine;
    tori_state *state;
    tori_alloc *alloc;
    struct rng rng;
    tori_placement slice[SLICES];
    size_t n;
    double seconds, longest;
    unsigned placed;
};

static uint32_t below (struct scene *scene, uint32_t n)
{
    return (uint32_t)rng_below (&scene->rng, n);
}

static tori_request random_slice (struct scene *scene)
{
    tori_request request = {.shape.ndims = 3};
    bool whole = below (scene, 2);
    request.wiring = whole ? TORI_WIRE_TORUS : TORI_WIRE_MESH;
    for (int d = 0; d < 3; d++)
        request.shape.size[d] =
            whole ? 4 * (1 + below (scene, 2)) : 1 + below (scene, 6);
    return request;
}

static void decide (struct scene *scene)
{
    tori_request request = random_slice (scene);
    tori_placement place = {0};
    double begin = bench_cpu (), took;
    tori_outcome outcome =
        tori_alloc_place (scene->alloc, scene->state, &request, &place, NULL);
    took = bench_cpu () - begin;
    scene->seconds += took;
    if (took > scene->longest)
        scene->longest = took;
    if (outcome == TORI_PLACED && scene->n < SLICES) {
        BENCH_MUST (tori_placement_hold (&place, scene->state, &err));
        scene->slice[scene->n++] = place;
        scene->placed++;
    } else if (scene->n > 0) {
        size_t gone = below (scene, (uint32_t)scene->n);
        tori_placement_clear (&place);
        tori_placement_release (&scene->slice[gone], scene->state);
        tori_placement_clear (&scene->slice[gone]);
        scene->slice[gone] = scene->slice[--scene->n];
    }
}

static void run (struct scene *scene, const char *machine, const char *alloc)
{
    *scene = (struct scene){0};
    rng_seed (&scene->rng, 1, 0);
    BENCH_MUST (tori_machine_parse (machine, &scene->machine, &err));
    BENCH_MUST (tori_state_create (scene->machine, &scene->state, &err));
    BENCH_MUST (tori_alloc_create (scene->machine, TORI_ALLOC (alloc),
                                   &scene->alloc, &err));
    for (int i = 0; i < DECISIONS; i++)
        decide (scene);
    printf ("%-16s %-11s %8.1f %% %9.1f %9.1f\n", machine, alloc,
            100.0 * scene->placed / DECISIONS,
            1e6 * scene->seconds / DECISIONS, 1e6 * scene->longest);
    while (scene->n > 0)
        tori_placement_clear (&scene->slice[--scene->n]);
    tori_alloc_destroy (scene->alloc);
    tori_state_destroy (scene->state);
    tori_machine_destroy (scene->machine);
}

int main (void)
{
    static const char *const machines[] = {"pod:64/4x4x4", "pod:1024/4x4x4"};
    static const char *const allocs[] = {"cube-first", "cube-best"};
    static struct scene scene;
    bench_machine ();
    printf ("# us a decision, of the processor: mean and most\n"
            "%-16s %-11s %10s %9s %9s\n",
            "machine", "allocator", "placed", "mean", "most");
    for (size_t m = 0; m < 2; m++)
        for (size_t a = 0; a < 2; a++)
            run (&scene, machines[m], allocs[a]);
    return 0;
}

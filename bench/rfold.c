/* The cost of a decision on 4,096 nodes with jobs of the model of RFold: boxes
 * anywhere, at anchors, and slices of cubes.
 *
 * Jobs come in the model's order, without those that could never be placed.
 * When one is refused, the oldest one goes, and the next job is asked for. So
 * the machine is full, and refusals are part of the mean. */
#include <tori/alloc.h>
#include <tori/workload.h>

#include "bench.h"

enum { JOBS = 40000, DECISIONS = 2000 };

static const struct scene {
    const char *machine, *alloc;
    uint64_t spacing;
} scenes[] = {{"torus:16^3", "first-fit", 0},  {"torus:16^3", "best-fit", 0},
              {"torus:16^3", "anchors", 0},    {"torus:16^3", "anchors", 4},
              {"torus:16^3", "anchors", 1},    {"pod:64/4x4x4", "cube-first", 0},
              {"pod:64/4x4x4", "cube-best", 0}};

struct crowd {
    tori_state *state;
    tori_placement place[DECISIONS];
    size_t first, n;
};

static void leave (struct crowd *crowd)
{
    if (crowd->first == crowd->n)
        return;
    tori_placement_release (&crowd->place[crowd->first], crowd->state);
    tori_placement_clear (&crowd->place[crowd->first++]);
}

static void run (const struct scene *scene, struct crowd *crowd)
{
    tori_machine *machine;
    tori_alloc *alloc;
    tori_workload work;
    double seconds = 0, longest = 0;
    size_t asked = 0;
    *crowd = (struct crowd){0};
    BENCH_MUST (tori_machine_parse (scene->machine, &machine, &err));
    BENCH_MUST (tori_state_create (machine, &crowd->state, &err));
    BENCH_MUST (tori_alloc_create (machine,
                                   TORI_ALLOC (scene->alloc,
                                               .spacing = scene->spacing),
                                   &alloc, &err));
    BENCH_MUST (tori_workload_model (
        "rfold", machine,
        TORI_WORKLOAD (.shaping = TORI_SHAPE_COMPACT, .wrap = true, .seed = 1,
                       .wiring = TORI_WIRE_NONE, .jobs = JOBS),
        &work, &err));
    for (size_t i = 0; i < work.n && asked < DECISIONS; i++) {
        const tori_request *request = &work.jobs[i].request;
        tori_placement *place = &crowd->place[crowd->n];
        double begin, took;
        tori_outcome outcome;
        if (tori_alloc_impossible (alloc, request))
            continue;
        asked++;
        begin = bench_cpu ();
        outcome
            = tori_alloc_place (alloc, crowd->state, request, place, NULL);
        took = bench_cpu () - begin;
        seconds += took;
        longest = took > longest ? took : longest;
        if (outcome != TORI_PLACED) {
            leave (crowd);
            continue;
        }
        BENCH_MUST (tori_placement_hold (place, crowd->state, &err));
        crowd->n++;
    }
    printf ("%-13s %-11s %8lu %7.1f %% %9.1f %9.1f\n", scene->machine,
            scene->alloc, (unsigned long)scene->spacing,
            100.0 * (double)crowd->n / (double)asked,
            1e6 * seconds / (double)asked,
            1e6 * longest);
    while (crowd->first < crowd->n)
        leave (crowd);
    tori_workload_clear (&work);
    tori_alloc_destroy (alloc);
    tori_state_destroy (crowd->state);
    tori_machine_destroy (machine);
}

int main (void)
{
    static struct crowd crowd;
    bench_machine ();
    printf ("# us a decision, of the processor: mean and most\n"
            "%-13s %-11s %8s %9s %9s %9s\n",
            "machine", "allocator", "spacing", "placed", "mean", "most");
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        run (&scenes[i], &crowd);
    return 0;
}

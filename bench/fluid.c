/* The cost of the fluid model: changes a second, as machines grow and as jobs
 * are kept together or scattered.
 *
 * A change is a message that begins or ends being sent. Jobs of 16 nodes, as
 * many as there is room for, send all to all, over and over; each has boxes of
 * 4x4 to itself, so that no two have a link in common, or nodes anywhere, so
 * that all of them are connected with each other. The first costs the same
 * whatever the machine; the second grows with what one change may concern.
 *
 * Then the time of a replay: 3,000 jobs of the Lublin-Feitelson model, all to
 * all, many of them as large as the machine. */
#include <tori/fluid.h>
#include <tori/sim.h>

#include "bench.h"
#include "random.h"

enum { JOB = 16, EDGE = 4, MESSAGE = 1000000 };

static uint32_t *boxes (uint32_t side)
{
    uint32_t *nodes = malloc (side * side * sizeof *nodes), at = 0;
    for (uint32_t job = 0; nodes && job < side * side / JOB; job++) {
        uint32_t row = job / (side / EDGE) * EDGE;
        uint32_t column = job % (side / EDGE) * EDGE;
        for (uint32_t i = 0; i < JOB; i++)
            nodes[at++] = (row + i / EDGE) * side + column + i % EDGE;
    }
    return nodes;
}

static uint32_t *anywhere (uint32_t side)
{
    uint32_t *nodes = malloc (side * side * sizeof *nodes);
    struct rng rng;
    rng_seed (&rng, 1, 0);
    for (uint32_t i = 0; nodes && i < side * side; i++) {
        uint32_t j = (uint32_t)rng_below (&rng, i + 1);
        nodes[i] = nodes[j];
        nodes[j] = i;
    }
    return nodes;
}

/* The processor time of one round of all jobs, and its changes. */
static double run (uint32_t side, const uint32_t *nodes, uint64_t *ret_events)
{
    char text[32];
    tori_machine *machine;
    tori_fluid *fluid;
    uint64_t tag;
    double begin;
    snprintf (text, sizeof text, "mesh:%ux%u", side, side);
    BENCH_MUST (tori_machine_parse (text, &machine, &err));
    BENCH_MUST (tori_fluid_create (machine, NULL, &fluid, &err));
    begin = bench_cpu ();
    for (uint32_t job = 0; job < side * side / JOB; job++) {
        tori_fluid_job all = {.nodes = nodes + job * JOB,
                              .n = JOB,
                              .pattern = tori_pattern_find ("all-to-all"),
                              .message = MESSAGE};
        BENCH_MUST (tori_fluid_start (fluid, &all, job, &err));
    }
    while (tori_fluid_run (fluid, INT64_MAX, &tag, NULL) > 0)
        ;
    begin = bench_cpu () - begin;
    *ret_events = tori_fluid_events (fluid);
    tori_fluid_destroy (fluid);
    tori_machine_destroy (machine);
    return begin;
}

static void replay (const char *text)
{
    tori_workload_options options = {.size = sizeof options,
                                     .shaping = TORI_SHAPE_NONE,
                                     .load = 0.8,
                                     .seed = 1,
                                     .jobs = 3000};
    tori_sim_network network = {.size = sizeof network, .seed = 1};
    tori_sim_config config = {.size = sizeof config,
                              .sched = TORI_SCHED ("easy", TORI_ALLOC ("mm")),
                              .network = &network};
    tori_machine *machine;
    tori_workload workload;
    tori_sim_result result;
    double begin;
    BENCH_MUST (tori_machine_parse (text, &machine, &err));
    BENCH_MUST (
        tori_workload_model ("lublin", machine, &options, &workload, &err));
    config.machine = machine;
    begin = bench_cpu ();
    BENCH_MUST (tori_sim_run (&config, &workload, &result, &err));
    begin = bench_cpu () - begin;
    printf ("%-11s  %6zu  %10llu  %7.1f\n", text, workload.n,
            (unsigned long long)result.messages, begin);
    tori_workload_clear (&workload);
    tori_machine_destroy (machine);
}

int main (void)
{
    bench_machine ();
    printf ("machine      jobs  placed     changes  thousand a second\n");
    for (uint32_t side = 8; side <= 64; side *= 2)
        for (int way = 0; way < 2; way++) {
            uint32_t *nodes = way ? anywhere (side) : boxes (side);
            uint64_t events;
            double seconds;
            if (!nodes || (way && side > 32)) {
                free (nodes);
                continue;
            }
            seconds = run (side, nodes, &events);
            printf ("mesh:%2ux%-2u  %6u  %-9s  %8llu  %17.1f\n", side, side,
                    side * side / JOB, way ? "scattered" : "boxes",
                    (unsigned long long)events,
                    (double)events / seconds / 1000);
            free (nodes);
        }
    printf ("\nreplay         jobs    messages  seconds\n");
    replay ("torus:8x8x8");
    replay ("mesh:8x8x8");
    return 0;
}

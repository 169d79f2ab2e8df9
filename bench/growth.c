/* How the cost of a replay grows with the machine, from 2^9 to 2^24 nodes.
 *
 * Jobs of the Lublin-Feitelson model, whose sizes grow with the machine, at an
 * offered load of 0.8. The memory is the most that the process took beyond its
 * start, the workload included. */
#include <tori/sim.h>

#include "bench.h"

static const struct row {
    const char *machine;
    size_t jobs;
} rows[] = {
    {"multitorus:8^3", 2000},  {"multitorus:16^3", 2000},
    {"multitorus:32^3", 2000}, {"multitorus:64^3", 2000},
    {"multitorus:128^3", 200}, {"multitorus:256^3", 200},
};

static const char *const policies[] = {"fcfs", "easy"};

struct cell {
    const struct row *row;
    const char *policy;
};

static void measure (const void *arg)
{
    const struct cell *cell = arg;
    const struct row *row = cell->row;
    tori_workload_options options = {.size = sizeof options,
                                     .shaping = TORI_SHAPE_COMPACT,
                                     .wiring = TORI_WIRE_TORUS,
                                     .torus_fraction = 1,
                                     .load = 0.8,
                                     .seed = 1,
                                     .jobs = row->jobs};
    tori_sim_config config = {
        .size = sizeof config,
        .sched = TORI_SCHED (cell->policy, TORI_ALLOC ("first-fit")),
    };
    double memory = bench_memory (), start, time;
    tori_machine *machine;
    tori_workload workload;
    tori_sim_result result;
    BENCH_MUST (tori_machine_parse (row->machine, &machine, &err));
    BENCH_MUST (
        tori_workload_model ("lublin", machine, &options, &workload, &err));
    config.machine = machine;
    start = bench_cpu ();
    BENCH_MUST (tori_sim_run (&config, &workload, &result, &err));
    time = bench_cpu () - start;
    printf ("%-6s %-17s %9u %6zu %6.2f %9.0f %11.1f %8.1f\n", cell->policy,
            row->machine, tori_machine_nodes (machine), row->jobs,
            result.utilization, (double)row->jobs / time,
            1e6 * time / (double)result.events, bench_peak () - memory);
    tori_workload_clear (&workload);
    tori_machine_destroy (machine);
}

int main (void)
{
    bench_machine ();
    printf ("# first-fit, wired as tori; goal at 2^24 nodes: under 64 MiB "
            "plus jobs\n");
    printf ("%-6s %-17s %9s %6s %6s %9s %11s %8s\n", "policy", "machine",
            "nodes", "jobs", "util", "jobs/s", "us an event", "MiB");
    for (size_t p = 0; p < sizeof policies / sizeof policies[0]; p++)
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            struct cell cell = {&rows[i], policies[p]};
            bench_apart (measure, &cell);
        }
    return 0;
}

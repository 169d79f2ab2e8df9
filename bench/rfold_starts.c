/* When FirstFit as RFold has it starts each job of a table, first come, first
 * served, on a torus with boxes that wrap: a line each, in microseconds, or -1
 * for a job that is given up. For rfold_starts.py. */
#include <inttypes.h>

#include <tori/sim.h>

#include "bench.h"
#include "paper.h"

static int keep_start (void *arg, const tori_sim_job *job, tori_error *err)
{
    tori_time *start = arg;
    start[job->work->id - 1] = job->start;
    return 0;
}

int main (int argc, char **argv)
{
    tori_alloc_config alloc = {.size = sizeof alloc, .ops = &rfold_first_fit};
    tori_sched_config sched
        = {.size = sizeof sched, .policy = "fcfs", .alloc = &alloc};
    tori_sim_config config = {.size = sizeof config,
                              .sched = &sched,
                              .no_pairwise = true,
                              .on_start = keep_start};
    tori_machine *machine;
    tori_sim_result result;
    tori_workload work;
    tori_time *start;
    if (argc != 3) {
        fprintf (stderr, "usage: %s MACHINE JOBS.csv\n", argv[0]);
        return 2;
    }
    BENCH_MUST (tori_machine_parse (argv[1], &machine, &err));
    BENCH_MUST (tori_workload_read (
        argv[2], machine,
        TORI_WORKLOAD (.shaping = TORI_SHAPE_COMPACT, .wrap = true), &work,
        &err));
    start = malloc ((work.n + 1) * sizeof *start);
    for (size_t i = 0; i < work.n; i++)
        start[i] = -1;
    config.machine = machine;
    config.arg = start;
    BENCH_MUST (tori_sim_run (&config, &work, &result, &err));
    for (size_t i = 0; i < work.n; i++)
        printf ("%" PRId64 "\n", start[i]);
    free (start);
    tori_workload_clear (&work);
    tori_machine_destroy (machine);
    return 0;
}

/* Preemptive plans: how the time grows with the number of jobs.
 *
 * Dimensions are powers of two up to the whole machine. "uniform": all equally
 * likely, times up to 1000 in hundredths; there the area decides, and the
 * least time is found in one round. "skewed": the
 * larger a job, the shorter, but a few small ones are long, and how these fit
 * beside the large ones decides. "mixed": any dimension, which takes a linear
 * program. "least" is the least finish time alone,
 * "plan" a plan with it as its deadline, both in seconds of processor time. A
 * row of the table is a process. */
#include <tori/plan.h>

#include "batch.h"
#include "bench.h"
#include "random.h"

static const struct row {
    const char *machine;
    size_t n;
    enum { UNIFORM, SKEWED, MIXED } times;
} rows[] = {
    {"torus:64x64", 10000, UNIFORM},        {"torus:64x64", 100000, UNIFORM},
    {"torus:64x64", 1000000, UNIFORM},      {"torus:1024x1024", 10000, UNIFORM},
    {"torus:1024x1024", 100000, UNIFORM},   {"torus:1024x1024", 1000000, UNIFORM},
    {"torus:32768x32768", 10000, SKEWED},   {"torus:32768x32768", 100000, SKEWED},
    {"torus:32768x32768", 1000000, SKEWED},
    {"torus:16x16", 1000, MIXED},         {"torus:32x32", 1000, MIXED},
    {"torus:64x64", 1000, MIXED},         {"torus:64x64", 100000, MIXED},
    {"torus:128x128", 1000, MIXED},       {"torus:128x128", 100000, MIXED},
};

static uint32_t log2_of (uint32_t side)
{
    uint32_t log = 0;
    while (side >>= 1)
        log++;
    return log;
}

static tori_preemptive_job random_job (struct rng *rng, uint32_t logs,
                                       bool skewed)
{
    uint32_t log = (uint32_t)rng_below (rng, logs);
    tori_wide num = (tori_wide)rng_below (rng, 100000) + 1;
    if (skewed)
        num = log < 3 && rng_below (rng, 32) == 0 ? num * 20 : num >> log;
    return (tori_preemptive_job){1u << log, tori_exact_make (num + 1, 100)};
}

static tori_preemptive_job random_mixed_job (struct rng *rng, uint32_t side)
{
    uint32_t dimension = (uint32_t)rng_below (rng, side) + 1;
    tori_wide num = (tori_wide)rng_below (rng, 100000) + 1;
    return (tori_preemptive_job){dimension, tori_exact_make (num, 100)};
}

static void fill (const struct row *row, uint32_t side,
                  tori_preemptive_job job[])
{
    struct rng rng;
    rng_seed (&rng, 1, row->n);
    for (size_t i = 0; i < row->n; i++)
        job[i] = row->times == MIXED
                     ? random_mixed_job (&rng, side)
                     : random_job (&rng, log2_of (side) + 1,
                                   row->times == SKEWED);
}

static unsigned rounds_of (const tori_machine *machine,
                           const tori_preemptive_job job[], size_t n)
{
    struct batch batch;
    tori_exact ticks;
    unsigned rounds;
    BENCH_MUST (
        batch_create (machine, job, n, (tori_exact){0, 1}, &batch, &err));
    BENCH_MUST (batch_least (&batch, &ticks, &rounds, &err));
    batch_clear (&batch);
    return rounds;
}

static void measure (const void *arg)
{
    static const char *const names[] = {"uniform", "skewed", "mixed"};
    const struct row *row = arg;
    tori_preemptive_job *job = calloc (row->n, sizeof *job);
    tori_preemptive plan;
    tori_machine *machine;
    tori_exact least;
    uint32_t side;
    double begin, middle, end;
    if (!job)
        exit (1);
    BENCH_MUST (tori_machine_parse (row->machine, &machine, &err));
    BENCH_MUST (tori_preemptive_side (machine, &side, &err));
    fill (row, side, job);
    begin = bench_cpu ();
    BENCH_MUST (tori_preemptive_least (machine, job, row->n, &least, &err));
    middle = bench_cpu ();
    BENCH_MUST (
        tori_preemptive_plan (machine, job, row->n, least, &plan, &err));
    end = bench_cpu ();
    printf ("%-18s %8zu %-8s %8.3f %8.3f %7u %11zu %9.1f\n", row->machine,
            row->n, names[row->times], middle - begin,
            end - middle, rounds_of (machine, job, row->n), plan.preemptions,
            bench_peak ());
    if (!plan.feasible)
        exit (1);
    tori_preemptive_clear (&plan);
    tori_machine_destroy (machine);
    free (job);
}

int main (void)
{
    bench_machine ();
    printf ("%-18s %8s %-8s %8s %8s %7s %11s %9s\n", "machine", "jobs",
            "times", "least s", "plan s", "rounds", "preemptions", "peak MiB");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        bench_apart (measure, &rows[i]);
    return 0;
}

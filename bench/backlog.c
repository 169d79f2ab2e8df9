/* How the cost of reserving for everyone who waits grows with the queue:
 * `conservative` on torus:16x16x16, in seconds of processor time. The first
 * run plans every job; then a node under no job is drained, which voids what
 * was planned on it; then a running job ends long before its estimate. */
#include <tori/sched.h>

#include "bench.h"
#include "random.h"

struct row {
    const char *alloc;
    size_t queued;
};

static const struct row rows[] = {
    {"first-fit", 200},  {"first-fit", 800}, {"first-fit", 3000},
    {"hilbert-bf", 200}, {"hilbert-bf", 800}, {"hilbert-bf", 3000},
    {"hilbert-bf", 10000},
};

static void submit (tori_sched *sched, struct rng *rng, bool count)
{
    tori_job_spec spec = {.size = sizeof spec};
    tori_shape shape = {.ndims = 3};
    tori_job job;
    for (int d = 0; d < 3; d++)
        shape.size[d] = 1 + (uint32_t)rng_below (rng, 12);
    if (count)
        spec.request.count = (uint32_t)tori_shape_volume (&shape);
    else
        spec.request.shape = shape;
    if (!count && rng_below (rng, 2))
        spec.request.wiring = TORI_WIRE_TORUS;
    spec.estimate = 60 * (1 + (tori_time)rng_below (rng, 1440));
    BENCH_MUST (tori_sched_submit (sched, 0, &spec, &job, &err));
}

/* A run, and the time it took. */
static double run (tori_sched *sched, tori_time now)
{
    double begin = bench_cpu ();
    BENCH_MUST (tori_sched_run (sched, now, &err));
    return bench_cpu () - begin;
}

static double drain (tori_sched *sched)
{
    uint32_t node = 0;
    while (!tori_state_is_free (tori_sched_state (sched), node))
        node++;
    BENCH_MUST (tori_sched_set_drained (sched, 1, node, true, &err));
    return run (sched, 1);
}

static double end (tori_sched *sched)
{
    tori_job *jobs = malloc (tori_sched_running (sched) * sizeof *jobs);
    size_t n = jobs ? tori_sched_running_jobs (sched, jobs) : 0;
    if (n == 0)
        exit (1);
    BENCH_MUST (tori_sched_finish (sched, 2, jobs[n - 1], &err));
    free (jobs);
    return run (sched, 2);
}

static void measure (const void *arg)
{
    const struct row *row = arg;
    bool count = !(tori_alloc_find (row->alloc)->takes & TORI_BY_SHAPE);
    tori_machine *machine;
    tori_sched *sched;
    struct rng rng;
    double first, drained;
    rng_seed (&rng, 1, 1);
    BENCH_MUST (tori_machine_parse ("torus:16x16x16", &machine, &err));
    BENCH_MUST (tori_sched_create (
        machine, TORI_SCHED ("conservative", TORI_ALLOC (row->alloc)), &sched,
        &err));
    for (size_t i = 0; i < row->queued; i++)
        submit (sched, &rng, count);
    first = run (sched, 0);
    drained = drain (sched);
    printf ("%-10s %7zu %9.3f %9.3f %9.3f %12.1f\n", row->alloc, row->queued,
            first, drained, end (sched), 1e6 * first / (double)row->queued);
    tori_sched_destroy (sched);
    tori_machine_destroy (machine);
}

int main (void)
{
    bench_machine ();
    printf ("%-10s %7s %9s %9s %9s %12s\n", "allocator", "queued", "first",
            "drain", "end", "us a job");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        bench_apart (measure, &rows[i]);
    return 0;
}

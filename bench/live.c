/* How long it takes to answer questions about a queue: a forecast of every
 * start, in seconds of processor time. The machine is 8x8x8, half of it busy,
 * and the jobs are those of a log: few different requests, many jobs of
 * each. Goals: 10,000 queued jobs forecast in a second. */
#include <tori/forecast.h>

#include "bench.h"
#include "random.h"

struct row {
    const char *policy;
    const char *alloc;
    size_t queued;
};

static const struct row rows[] = {
    {"fcfs", "first-fit", 10000},        {"backfill", "first-fit", 10000},
    {"easy", "first-fit", 10000},        {"easy", "hilbert-bf", 10000},
    {"easy", "mm", 10000},               {"conservative", "hilbert-bf", 10000},
    {"conservative", "first-fit", 500},  {"conservative", "first-fit", 1000},
    {"conservative", "first-fit", 2000},
};

static const tori_shape shapes[] = {
    {3, {1, 1, 1}}, {3, {2, 2, 1}}, {3, {2, 2, 2}}, {3, {4, 2, 2}},
    {3, {4, 4, 2}}, {3, {4, 4, 4}}, {3, {8, 4, 4}}, {3, {8, 8, 2}},
};

/* Fill the machine, then the queue. */
static tori_sched *make_sched (const struct row *row,
                               const tori_machine *machine)
{
    bool count = !(tori_alloc_find (row->alloc)->takes & TORI_BY_SHAPE);
    tori_sched *sched;
    struct rng rng;
    rng_seed (&rng, 1, 1);
    if (tori_sched_create (machine,
                           TORI_SCHED (row->policy, TORI_ALLOC (row->alloc)),
                           &sched, NULL)
        < 0)
        exit (1);
    for (size_t i = 0; i < row->queued; i++) {
        tori_job_spec spec = {.size = sizeof spec, .tag = i};
        tori_job job;
        const tori_shape *shape = &shapes[rng_below (&rng, 8)];
        if (count)
            spec.request.count = (uint32_t)tori_shape_volume (shape);
        else
            spec.request.shape = *shape;
        spec.estimate = 60 * (1 + (tori_time)rng_below (&rng, 1440));
        if (tori_sched_submit (sched, 0, &spec, &job, NULL) < 0)
            exit (1);
    }
    return sched;
}

static void count_start (void *arg, const tori_forecast *it)
{
    ++*(size_t *)arg;
}

static void measure (const void *arg)
{
    const struct row *row = arg;
    tori_machine *machine;
    tori_sched *sched;
    size_t starts = 0;
    double begin;
    if (tori_machine_parse ("torus:8x8x8", &machine, NULL) < 0)
        exit (1);
    sched = make_sched (row, machine);
    begin = bench_cpu ();
    if (tori_forecast_each (sched, count_start, &starts, NULL) < 0)
        exit (1);
    printf ("forecast %-12s  %-10s  %6zu queued  %7zu starts  %8.3f s\n",
            row->policy, row->alloc, row->queued, starts,
            bench_cpu () - begin);
    tori_sched_destroy (sched);
    tori_machine_destroy (machine);
}

int main (void)
{
    bench_machine ();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        bench_apart (measure, &rows[i]);
    return 0;
}

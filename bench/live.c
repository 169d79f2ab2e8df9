/* How long it takes to answer questions about a queue, in seconds of processor
 * time: a forecast of every start, and why everyone waits. The machine is
 * torus:8x8x8 or larger; the jobs have few different requests, as those of a
 * log, or hardly two are alike. Goals:
 * 10,000 queued jobs forecast in half a second, 1,000 explained in 0.05, in 0.5
 * on 64x64x64. */
#include <inttypes.h>
#include <stdio.h>

#include <tori/forecast.h>
#include <tori/why.h>

#include "bench.h"
#include "random.h"

struct row {
    const char *policy;
    const char *alloc;
    size_t queued;
    uint32_t side; /* of the machine, a multiple of 8; 0: 8 */
};

static const struct row rows[] = {
    {"fcfs", "first-fit", 10000},        {"backfill", "first-fit", 10000},
    {"easy", "first-fit", 10000},        {"easy", "hilbert-bf", 10000},
    {"easy", "mm", 1000},                {"conservative", "hilbert-bf", 1000},
    {"conservative", "hilbert-bf", 10000},
    {"conservative", "first-fit", 200},  {"conservative", "first-fit", 400},
};

static const struct row why_rows[] = {
    {"fcfs", "first-fit", 1000},     {"backfill", "first-fit", 1000},
    {"easy", "first-fit", 1000},     {"easy", "hilbert-bf", 1000},
    {"conservative", "first-fit", 200}, {"conservative", "first-fit", 1000},
    {"backfill", "first-fit", 1000, 32}, {"easy", "first-fit", 1000, 32},
    {"backfill", "first-fit", 1000, 64}, {"easy", "first-fit", 1000, 64},
};

static const tori_shape shapes[] = {
    {3, {1, 1, 1}}, {3, {2, 2, 1}}, {3, {2, 2, 2}}, {3, {4, 2, 2}},
    {3, {4, 4, 2}}, {3, {4, 4, 4}}, {3, {8, 4, 4}}, {3, {8, 8, 2}},
};

static uint32_t scale_of (const struct row *row)
{
    return row->side ? row->side / 8 : 1;
}

static tori_shape scale_shape (const tori_shape *shape, uint32_t scale)
{
    tori_shape scaled = *shape;
    for (int d = 0; d < scaled.ndims; d++)
        scaled.size[d] *= scale;
    return scaled;
}

static tori_machine *make_machine (const struct row *row)
{
    tori_machine *machine;
    uint32_t side = 8 * scale_of (row);
    char name[64];
    snprintf (name, sizeof name, "torus:%" PRIu32 "x%" PRIu32 "x%" PRIu32,
              side, side, side);
    if (tori_machine_parse (name, &machine, NULL) < 0)
        exit (1);
    return machine;
}

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
        const tori_shape *shape
            = &shapes[rng_below (&rng, row->queued < 200 ? 4 : 8)];
        if (count)
            spec.request.count = (uint32_t)tori_shape_volume (shape);
        else
            spec.request.shape = scale_shape (shape, scale_of (row));
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

/* A machine in pieces: small jobs all over it, of which every second has
 * ended, and a queue of large ones, hardly two alike. */
static void crowd (tori_sched *sched, const struct row *row)
{
    bool count = !(tori_alloc_find (row->alloc)->takes & TORI_BY_SHAPE);
    tori_job jobs[512], job;
    struct rng rng;
    size_t n;
    rng_seed (&rng, 1, 2);
    if (tori_sched_run (sched, 0, NULL) < 0)
        exit (1);
    n = tori_sched_running_jobs (sched, jobs);
    for (size_t i = 0; i < n; i += 2)
        if (tori_sched_finish (sched, 0, jobs[i], NULL) < 0)
            exit (1);
    for (size_t i = 0; i < row->queued; i++) {
        tori_job_spec spec = {.size = sizeof spec, .tag = 1000 + i};
        tori_shape shape = {.ndims = 3};
        for (int d = 0; d < 3; d++)
            shape.size[d] = 2 * scale_of (row)
                            + (uint32_t)rng_below (&rng, 6 * scale_of (row));
        if (count)
            spec.request.count = (uint32_t)tori_shape_volume (&shape);
        else
            spec.request.shape = shape;
        spec.request.wiring = count || i % 2 ? TORI_WIRE_NONE
                                             : TORI_WIRE_TORUS;
        spec.estimate = 60 * (1 + (tori_time)rng_below (&rng, 1440));
        if (tori_sched_submit (sched, 0, &spec, &job, NULL) < 0)
            exit (1);
    }
}

static int count_helps (void *arg, const tori_why *why)
{
    *(size_t *)arg += why->nhelps;
    return 0;
}

static void measure_why (const void *arg)
{
    const struct row *row = arg;
    tori_machine *machine = make_machine (row);
    tori_sched *sched = make_sched (
        &(struct row){row->policy, row->alloc, 128, row->side}, machine);
    size_t helps = 0;
    double begin;
    crowd (sched, row);
    begin = bench_cpu ();
    if (tori_why_each (sched, count_helps, &helps, NULL) < 0)
        exit (1);
    printf ("why      %-12s  %-10s  %6zu queued  %7zu helps   %8.3f s"
            "  side %" PRIu32 "\n",
            row->policy, row->alloc, row->queued, helps,
            bench_cpu () - begin, 8 * scale_of (row));
    tori_sched_destroy (sched);
    tori_machine_destroy (machine);
}

static void measure (const void *arg)
{
    const struct row *row = arg;
    tori_machine *machine = make_machine (row);
    tori_sched *sched = make_sched (row, machine);
    size_t starts = 0;
    double begin;
    begin = bench_cpu ();
    if (tori_forecast_each (sched, count_start, &starts, NULL) < 0)
        exit (1);
    printf ("forecast %-12s  %-10s  %6zu queued  %7zu starts  %8.3f s\n",
            row->policy, row->alloc, row->queued, starts,
            bench_cpu () - begin);
    tori_sched_destroy (sched);
    tori_machine_destroy (machine);
}

/* With a name, only the questions, policies and sides of that name. */
static bool is_wanted (const struct row *row, const char *question, int argc,
                       char *argv[])
{
    char name[128];
    snprintf (name, sizeof name, "%s %s %s %zu %" PRIu32, question,
              row->policy, row->alloc, row->queued, 8 * scale_of (row));
    return argc < 2 || strstr (name, argv[1]);
}

int main (int argc, char *argv[])
{
    bench_machine ();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (is_wanted (&rows[i], "forecast", argc, argv))
            bench_apart (measure, &rows[i]);
    for (size_t i = 0; i < sizeof why_rows / sizeof *why_rows; i++)
        if (is_wanted (&why_rows[i], "why", argc, argv))
            bench_apart (measure_why, &why_rows[i]);
    return 0;
}

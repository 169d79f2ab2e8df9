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
    uint32_t side;   /* of the machine, a multiple of 8; 0: 8 */
    bool unlike;     /* of a forecast: hardly two jobs are alike, nor two ends */
    const char *pod; /* a pod of 1,024 cubes instead; NULL: the torus */
};

/* Jobs of a machine in pieces, before some of them end. */
enum { TORUS_JOBS = 128, POD_JOBS = 1024 };

enum { NAME = 64 }; /* of a machine */

static const struct row rows[] = {
    {"fcfs", "first-fit", 10000},        {"backfill", "first-fit", 10000},
    {"easy", "first-fit", 10000},        {"easy", "hilbert-bf", 10000},
    {"easy", "mm", 1000},                {"conservative", "hilbert-bf", 1000},
    {"conservative", "hilbert-bf", 10000},
    {"conservative", "first-fit", 200},  {"conservative", "first-fit", 400},
    {"conservative", "hilbert-bf", 10000, .unlike = true},
    {"conservative", "first-fit", 10000, .unlike = true},
    {"conservative", "hilbert-bf", 5000, 32, .unlike = true},
    {"conservative", "first-fit", 400, 64, .unlike = true},
    {"easy", "cube-best", 100, 8, .unlike = true, .pod = "pod:1024/4x4x4"},
};

static const struct row why_rows[] = {
    {"fcfs", "first-fit", 1000},     {"backfill", "first-fit", 1000},
    {"easy", "first-fit", 1000},     {"easy", "hilbert-bf", 1000},
    {"conservative", "first-fit", 200}, {"conservative", "first-fit", 1000},
    {"backfill", "first-fit", 1000, 32}, {"easy", "first-fit", 1000, 32},
    {"backfill", "first-fit", 1000, 64}, {"easy", "first-fit", 1000, 64},
    {"conservative", "first-fit", 1000, 32},
    {"easy", "cube-best", 100, 8, .pod = "pod:1024/4x4x4"},
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

static const char *name_machine (const struct row *row, char name[NAME])
{
    uint32_t side = 8 * scale_of (row);
    if (row->pod)
        return row->pod;
    snprintf (name, NAME, "torus:%" PRIu32 "x%" PRIu32 "x%" PRIu32, side, side,
              side);
    return name;
}

static tori_machine *make_machine (const struct row *row)
{
    tori_machine *machine;
    char name[NAME];
    if (tori_machine_parse (name_machine (row, name), &machine, NULL) < 0)
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
        else if (row->pod)
            spec.request.shape = (tori_shape){3, {4, 4, 3}};
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

/* A side of a job, hardly two of which are alike. */
static uint32_t make_side (const struct row *row, struct rng *rng)
{
    return row->pod ? 2 + (uint32_t)rng_below (rng, 23)
                    : 2 * scale_of (row)
                          + (uint32_t)rng_below (rng, 6 * scale_of (row));
}

/* A number of nodes, up to an eighth of the torus. */
static uint32_t make_count (const struct row *row, struct rng *rng)
{
    uint32_t side = 8 * scale_of (row);
    return 1 + (uint32_t)rng_below (rng, side * side * side / 8);
}

/* A machine in pieces: small jobs all over it, of which every second has ended
 * (on a pod, where each has most of a cube, every sixth), and a queue of large
 * ones, hardly two alike. */
static void crowd (tori_sched *sched, const struct row *row)
{
    bool count = !(tori_alloc_find (row->alloc)->takes & TORI_BY_SHAPE);
    tori_job jobs[POD_JOBS], job;
    struct rng rng;
    size_t n;
    rng_seed (&rng, 1, 2);
    if (tori_sched_run (sched, 0, NULL) < 0)
        exit (1);
    n = tori_sched_running_jobs (sched, jobs);
    for (size_t i = 0; i < n; i += row->pod ? 6 : 2)
        if (tori_sched_finish (sched, 0, jobs[i], NULL) < 0)
            exit (1);
    for (size_t i = 0; i < row->queued; i++) {
        tori_job_spec spec = {.size = sizeof spec, .tag = 1000 + i};
        tori_shape shape = {.ndims = 3};
        for (int d = 0; d < 3; d++)
            shape.size[d] = make_side (row, &rng);
        if (count && row->unlike)
            spec.request.count = make_count (row, &rng);
        else if (count)
            spec.request.count = (uint32_t)tori_shape_volume (&shape);
        else
            spec.request.shape = shape;
        if (!count && !row->pod && i % 2 == 0)
            spec.request.wiring = TORI_WIRE_TORUS;
        spec.estimate = row->unlike
                            ? 600 + (tori_time)rng_below (&rng, 85801)
                            : 60 * (1 + (tori_time)rng_below (&rng, 1440));
        if (tori_sched_submit (sched, 0, &spec, &job, NULL) < 0)
            exit (1);
    }
}

/* The machine in pieces and its queue. */
static tori_sched *make_crowd (const struct row *row,
                               const tori_machine *machine)
{
    struct row fill = *row;
    tori_sched *sched;
    fill.queued = row->pod ? POD_JOBS : TORUS_JOBS;
    sched = make_sched (&fill, machine);
    crowd (sched, row);
    return sched;
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
    tori_sched *sched = make_crowd (row, machine);
    size_t helps = 0;
    char name[NAME];
    double begin;
    begin = bench_cpu ();
    if (tori_why_each (sched, count_helps, &helps, NULL) < 0)
        exit (1);
    printf ("why      %-12s  %-10s  %6zu queued  %7zu helps   %8.3f s"
            "  %s\n",
            row->policy, row->alloc, row->queued, helps,
            bench_cpu () - begin, name_machine (row, name));
    tori_sched_destroy (sched);
    tori_machine_destroy (machine);
}

static void measure (const void *arg)
{
    const struct row *row = arg;
    tori_machine *machine = make_machine (row);
    tori_sched *sched = row->unlike ? make_crowd (row, machine)
                                    : make_sched (row, machine);
    size_t starts = 0;
    char name[NAME];
    double begin;
    begin = bench_cpu ();
    if (tori_forecast_each (sched, count_start, &starts, NULL) < 0)
        exit (1);
    printf ("forecast %-12s  %-10s  %6zu queued  %7zu starts  %8.3f s"
            "  %s%s\n",
            row->policy, row->alloc, row->queued, starts,
            bench_cpu () - begin, name_machine (row, name),
            row->unlike ? ", hardly two alike" : "");
    tori_sched_destroy (sched);
    tori_machine_destroy (machine);
}

/* With a name, only the questions, policies, sides and pods of that name. */
static bool is_wanted (const struct row *row, const char *question, int argc,
                       char *argv[])
{
    char name[128];
    snprintf (name, sizeof name, "%s %s %s %zu %" PRIu32 "%s %s", question,
              row->policy, row->alloc, row->queued, 8 * scale_of (row),
              row->unlike ? " unlike" : "", row->pod ? row->pod : "");
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

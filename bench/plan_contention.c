/* Plans with contention: how the time grows with the jobs and the machine.
 *
 * Times are up to 100 in tenths. "ones": all jobs ask for one node, so the
 * matrix is as large as the machine. "sizes": dimensions are powers of two,
 * all equally likely. "rects": the same for every side by itself. "equal": one
 * node for one unit of time, so there are as many ties as can be. "us/job" is
 * processor time; "matrix us" is what it takes to look once at every entry of
 * a matrix as large as the machine with the same arithmetic on 128 bits (a
 * difference, the lesser of two, a sum), which is what the paper's O(n m^2)
 * comes to. "bits" is the length of the values that the plan took. A row of
 * the table is a process. */
#include <tori/plan.h>

#include "bench.h"
#include "greedy.h"
#include "random.h"

enum kind { ONES, SIZES, RECTS, EQUAL };

static const char *const kinds[] = {"ones", "sizes", "rects", "equal"};

static const struct row {
    const char *machine;
    size_t n;
    enum kind kind;
} rows[] = {
    {"torus:64x64", 1000, ONES},      {"torus:64x64", 10000, ONES},
    {"torus:64x64", 100000, ONES},    {"torus:64x64", 100000, SIZES},
    {"torus:64x64", 100000, EQUAL},   {"torus:8x8", 100000, ONES},
    {"torus:16x16", 100000, ONES},    {"torus:32x32", 100000, ONES},
    {"torus:128x128", 100000, ONES},  {"torus:256x256", 100000, ONES},
    {"torus:16x16x16", 100000, ONES}, {"torus:8x8", 100000, SIZES},
    {"torus:64x32", 100000, RECTS},
};

static tori_contention_job random_job (struct rng *rng,
                                       const tori_machine *machine,
                                       enum kind kind)
{
    tori_contention_job job = {
        .shape.ndims = tori_machine_ndims (machine),
        .time = {1, 1},
    };
    uint32_t side = 1;
    for (int d = 0; d < job.shape.ndims; d++) {
        uint32_t most = tori_machine_size (machine, d);
        if (kind == RECTS || (kind == SIZES && d == 0))
            side = UINT32_C (1)
                   << rng_below (rng, (uint64_t)__builtin_ctz (most) + 1);
        job.shape.size[d] = side;
    }
    if (kind != EQUAL)
        job.time = tori_exact_make ((tori_wide)rng_below (rng, 1000) + 1, 10);
    return job;
}

/* Processor time of one look at a matrix of values, in microseconds. */
static double look_once (uint32_t entries)
{
    enum { ROUNDS = 20 };
    struct scale scale = {.words = 2};
    uint64_t *matrix = calloc (entries, 3 * sizeof *matrix);
    uint64_t now[3] = {1, 0, 1}, time[3] = {1000, 0, 1000}, left[3];
    uint64_t sum[3] = {0};
    double begin;
    if (!matrix)
        exit (1);
    scale_unit (&scale, 0);
    for (uint32_t i = 0; i < entries; i++)
        matrix[3 * i] = matrix[3 * i + 2] = 1 + (i * 7919) % 2000;
    begin = bench_cpu ();
    for (int round = 0; round < ROUNDS; round++)
        for (uint32_t i = 0; i < entries; i++) {
            value_sub (&scale, left, &matrix[3 * i], now);
            if (value_compare (&scale, time, left, 0) < 0)
                value_copy (&scale, left, time);
            value_add (&scale, sum, sum, left);
        }
    begin = bench_cpu () - begin;
    if (sum[0] == 0)
        exit (1);
    free (matrix);
    return begin * 1e6 / ROUNDS;
}

/* How many words the plan's values have: found by making it again. */
static int bits_of (const tori_machine *machine,
                    const tori_contention_job job[], size_t n,
                    const tori_contention *plan)
{
    struct problem problem;
    uint32_t *order = calloc (n, sizeof *order);
    int words = VALUE_LEAST_WORDS;
    bool sure = false;
    if (!order)
        exit (1);
    BENCH_MUST (problem_init (&problem, machine, job, n, &err));
    for (size_t i = 0; i < n; i++)
        order[tori_contention_at (plan, i).order] = (uint32_t)i;
    for (; !sure && words < VALUE_MOST_WORDS; words *= sure ? 1 : 2) {
        struct greedy *greedy;
        BENCH_MUST (greedy_create (&problem, words, &greedy, &err));
        BENCH_MUST (greedy_run (greedy, &(struct turns){.job = order}, true,
                                &err));
        sure = !greedy_scale (greedy)->unclear;
        greedy_destroy (greedy);
    }
    problem_clear (&problem);
    free (order);
    return 64 * words;
}

static void measure (const void *arg)
{
    const struct row *row = arg;
    tori_contention_job *job = calloc (row->n, sizeof *job);
    tori_contention_bound bound;
    tori_contention *plan;
    tori_machine *machine;
    struct rng rng;
    double seconds, peak;
    if (!job)
        exit (1);
    BENCH_MUST (tori_machine_parse (row->machine, &machine, &err));
    rng_seed (&rng, 1, row->n);
    for (size_t i = 0; i < row->n; i++)
        job[i] = random_job (&rng, machine, row->kind);
    seconds = bench_cpu ();
    BENCH_MUST (
        tori_contention_create (machine, job, row->n, NULL, &plan, &err));
    seconds = bench_cpu () - seconds;
    peak = bench_peak ();
    bound = tori_contention_bounds (plan);
    printf ("%-15s %7zu %-6s %8.3f %8.1f %9.1f %5d %8.1f %8.0f\n",
            row->machine, row->n, kinds[row->kind], seconds,
            seconds * 1e6 / (double)row->n,
            look_once (tori_machine_nodes (machine)),
            bits_of (machine, job, row->n, plan),
            100 * (tori_contention_makespan (plan) / bound.contention_free)
                - 100,
            peak);
    tori_contention_destroy (plan);
    tori_machine_destroy (machine);
    free (job);
}

int main (void)
{
    bench_machine ();
    printf ("%-15s %7s %-6s %8s %8s %9s %5s %8s %8s\n", "machine", "jobs",
            "times", "plan s", "us/job", "matrix us", "bits", "gap %",
            "peak MiB");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        bench_apart (measure, &rows[i]);
    return 0;
}

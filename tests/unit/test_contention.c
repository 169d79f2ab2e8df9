/* Plans with contention against CNP_Alloc and against the rule for two jobs,
 * both slow and exact. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <tori/plan.h>

#include "naive_contention.h"
#include "support.h"

/* ---- plans ---- */

static tori_contention *plan_of (const tori_machine *machine,
                                 const struct naive_job job[], size_t n,
                                 uint32_t den)
{
    tori_contention_job *jobs = make_array (n, sizeof *jobs);
    tori_contention *plan = NULL;
    tori_error err = {0};
    for (size_t i = 0; i < n; i++)
        jobs[i] = (tori_contention_job){
            job[i].shape, tori_exact_make (job[i].time, den)};
    if (tori_contention_create (machine, jobs, n, NULL, &plan, &err) < 0)
        fail_msg ("%s", err.text);
    free (jobs);
    return plan;
}

static struct naive_job square (int ndims, uint32_t side, uint32_t time)
{
    struct naive_job job = {.shape.ndims = ndims, .time = time};
    for (int d = 0; d < ndims; d++)
        job.shape.size[d] = side;
    return job;
}

static void assert_near (double a, double b)
{
    assert_true (a <= b * (1 + 1e-15) && a >= b * (1 - 1e-15));
}

/* Same places, and times equal to the last digits of a double. */
static void assert_same (const tori_contention *plan,
                         const struct naive_place place[], size_t n,
                         uint32_t den)
{
    for (size_t i = 0; i < n; i++) {
        tori_contention_place at = tori_contention_at (plan, i);
        for (int d = 0; d < at.subtorus.shape.ndims; d++)
            assert_int_equal (at.subtorus.offset[d], place[i].offset[d]);
        assert_near (at.start, big_value (place[i].start, den));
        assert_near (at.finish, big_value (place[i].finish, den));
    }
}

static void assert_text (const tori_contention *plan,
                         tori_contention_number which, size_t i,
                         const char *expected)
{
    char text[TORI_CONTENTION_TEXT];
    tori_contention_text (plan, which, i, text);
    assert_string_equal (text, expected);
}

/* ---- the paper's example ---- */

/* Section 2.4.4. The paper's table prints 8.5 for the finish of the third job;
 * its own last matrix has 5.5 left for it at time 4, which makes 9.5. */
TEST (example)
{
    static const struct {
        uint32_t side, time;
        const char *start, *finish;
        uint32_t row, col;
    } rows[] = {{8, 2, "0", "2", 0, 0},     {4, 2, "2", "5.875", 0, 0},
                {4, 4, "2", "9.5", 1, 1},   {4, 4, "2", "9", 0, 1},
                {4, 1, "2", "4", 1, 0},     {2, 4, "4", "10.75", 1, 0}};
    AUTO_MACHINE *machine = make_machine ("torus:8x8");
    struct naive_job job[LENGTH (rows)];
    struct naive_place place[LENGTH (rows)];
    tori_contention *plan;
    for (size_t i = 0; i < LENGTH (rows); i++)
        job[i] = square (2, rows[i].side, rows[i].time);
    plan = plan_of (machine, job, LENGTH (rows), 1);
    for (size_t i = 0; i < LENGTH (rows); i++) {
        tori_contention_place at = tori_contention_at (plan, i);
        assert_text (plan, TORI_CONTENTION_START, i, rows[i].start);
        assert_text (plan, TORI_CONTENTION_FINISH, i, rows[i].finish);
        assert_int_equal (at.subtorus.offset[0], rows[i].row);
        assert_int_equal (at.subtorus.offset[1], rows[i].col);
        assert_int_equal (at.order, i);
    }
    assert_text (plan, TORI_CONTENTION_MAKESPAN, 0, "10.75");
    naive_cnp_alloc (8, job, LENGTH (rows), place);
    assert_same (plan, place, LENGTH (rows), 1);
    tori_contention_destroy (plan);
}

/* ---- against CNP_Alloc ---- */

static int by_volume (const void *a, const void *b)
{
    const struct naive_job *x = a, *y = b;
    uint64_t v = tori_shape_volume (&x->shape);
    uint64_t w = tori_shape_volume (&y->shape);
    return (v < w) - (v > w);
}

static void sort_jobs (struct naive_job job[], size_t n)
{
    for (size_t i = 1; i < n; i++)
        for (size_t j = i; j && by_volume (&job[j - 1], &job[j]) > 0; j--) {
            struct naive_job swap = job[j];
            job[j] = job[j - 1];
            job[j - 1] = swap;
        }
}

/* Few different times, so that there are ties of all kinds, or many; some
 * levels or all. */
static void random_squares (struct rng *rng, uint32_t side,
                            struct naive_job job[], size_t n)
{
    uint32_t longest = chance (rng, 50) ? between (rng, 1, 4) : 1000;
    uint32_t levels = between (rng, 1, (2 * side) - 1);
    for (size_t i = 0; i < n; i++) {
        uint32_t s;
        do
            s = UINT32_C (1) << between (rng, 0, 4);
        while (s > side || !(levels & s));
        job[i] = square (2, s, between (rng, 1, longest));
    }
    sort_jobs (job, n);
}

static void check_squares (struct rng *rng, uint32_t side, size_t most)
{
    struct naive_job job[160];
    struct naive_place place[160];
    size_t n = between (rng, 1, (uint32_t)most);
    uint32_t den = between (rng, 1, 3);
    char text[32];
    tori_machine *machine;
    tori_contention *plan;
    snprintf (text, sizeof text, "torus:%ux%u", side, side);
    machine = make_machine (text);
    random_squares (rng, side, job, n);
    plan = plan_of (machine, job, n, den);
    naive_cnp_alloc (side, job, n, place);
    assert_same (plan, place, n, den);
    tori_contention_destroy (plan);
    tori_machine_destroy (machine);
}

TEST (cnp_alloc)
{
    struct rng rng;
    rng_seed (&rng, 1, 1);
    for (int round = 0; round < 4000; round++)
        check_squares (&rng, UINT32_C (1) << between (&rng, 0, 3), 20);
}

/* Long enough for numbers of hundreds of bits. */
TEST (cnp_alloc_long)
{
    struct rng rng;
    rng_seed (&rng, 2, 1);
    for (int round = 0; round < 60; round++)
        check_squares (&rng, UINT32_C (2) << between (&rng, 0, 3), 150);
}

/* Rows and columns full of jobs, where loads are found from sums. */
TEST (cnp_alloc_crowded)
{
    enum { JOBS = 300 };
    AUTO_MACHINE *machine = make_machine ("torus:16x16");
    struct naive_job *job = make_array (JOBS, sizeof *job);
    struct naive_place *place = make_array (JOBS, sizeof *place);
    struct rng rng;
    rng_seed (&rng, 7, 1);
    for (int round = 0; round < 2; round++) {
        tori_contention *plan;
        for (size_t i = 0; i < JOBS; i++)
            job[i] = square (2, 1, between (&rng, 1, round ? 1000 : 3));
        plan = plan_of (machine, job, JOBS, 3);
        naive_cnp_alloc (16, job, JOBS, place);
        assert_same (plan, place, JOBS, 3);
        tori_contention_destroy (plan);
    }
    free (place);
    free (job);
}

/* Jobs are taken by size whatever their order in the input, equal sizes in
 * that order; sizes that are missing need no help. */
TEST (order)
{
    AUTO_MACHINE *machine = make_machine ("torus:8x8");
    struct naive_job job[] = {square (2, 2, 4), square (2, 8, 2),
                              square (2, 2, 1)};
    struct naive_job sorted[] = {job[1], job[0], job[2]};
    struct naive_place place[3], back[3];
    tori_contention *plan = plan_of (machine, job, 3, 1);
    naive_cnp_alloc (8, sorted, 3, place);
    back[0] = place[1];
    back[1] = place[0];
    back[2] = place[2];
    assert_same (plan, back, 3, 1);
    assert_int_equal (tori_contention_at (plan, 0).order, 1);
    assert_int_equal (tori_contention_at (plan, 1).order, 0);
    assert_int_equal (tori_contention_at (plan, 2).order, 2);
    tori_contention_destroy (plan);
}

/* ---- against the rule for two jobs ---- */

static void check_shapes (struct rng *rng, const char *text, size_t n)
{
    AUTO_MACHINE *machine = make_machine (text);
    struct naive_job job[40];
    struct naive_place place[40];
    uint32_t longest = chance (rng, 50) ? between (rng, 1, 4) : 1000;
    bool equal = chance (rng, 20);
    tori_contention *plan;
    for (size_t i = 0; i < n; i++) {
        job[i] = square (tori_machine_ndims (machine), 1,
                         between (rng, 1, longest));
        for (int d = 0; d < job[i].shape.ndims; d++) {
            uint32_t side = tori_machine_size (machine, d);
            uint32_t bits = (uint32_t)__builtin_ctz (side);
            job[i].shape.size[d] = UINT32_C (1) << between (rng, 0, bits);
        }
        if (equal)
            job[i].shape = job[0].shape;
    }
    sort_jobs (job, n);
    plan = plan_of (machine, job, n, 7);
    naive_contention (machine, job, n, place);
    assert_same (plan, place, n, 7);
    tori_contention_destroy (plan);
}

TEST (shapes)
{
    static const char *const machines[] = {
        "torus:8x8", "torus:4x4", "torus:8x2", "torus:16",     "torus:4x4x4",
        "torus:2^5", "torus:1x8", "torus:2x2", "torus:4x2x1x2"};
    struct rng rng;
    rng_seed (&rng, 3, 1);
    for (int round = 0; round < 600; round++)
        check_shapes (&rng, machines[between (&rng, 0, LENGTH (machines) - 1)],
                      between (&rng, 1, 24));
}

/* The two references agree where both apply. */
TEST (references)
{
    AUTO_MACHINE *machine = make_machine ("torus:8x8");
    struct rng rng;
    rng_seed (&rng, 4, 1);
    for (int round = 0; round < 100; round++) {
        struct naive_job job[20];
        struct naive_place a[20], b[20];
        random_squares (&rng, 8, job, LENGTH (job));
        naive_cnp_alloc (8, job, LENGTH (job), a);
        naive_contention (machine, job, LENGTH (job), b);
        for (size_t i = 0; i < LENGTH (job); i++) {
            assert_memory_equal (&a[i].start, &b[i].start, sizeof a[i].start);
            assert_memory_equal (&a[i].finish, &b[i].finish,
                                 sizeof a[i].finish);
            assert_int_equal (a[i].offset[0], b[i].offset[0]);
            assert_int_equal (a[i].offset[1], b[i].offset[1]);
        }
    }
}

/* ---- lower bounds ---- */

/* No plan is shorter than the bounds, and the last is the longest of them. */
TEST (bounds)
{
    AUTO_MACHINE *machine = make_machine ("torus:8x8");
    struct rng rng;
    rng_seed (&rng, 5, 1);
    for (int round = 0; round < 500; round++) {
        struct naive_job job[20];
        size_t n = between (&rng, 1, LENGTH (job));
        double longest = 0, area = 0;
        tori_contention_bound bound;
        tori_contention *plan;
        random_squares (&rng, 8, job, n);
        plan = plan_of (machine, job, n, 3);
        bound = tori_contention_bounds (plan);
        for (size_t i = 0; i < n; i++) {
            double time = job[i].time / 3.0;
            longest = time > longest ? time : longest;
            area += time * (double)tori_shape_volume (&job[i].shape) / 64;
        }
        assert_near (bound.longest, longest);
        assert_true (bound.area <= area * 1.000001
                     && bound.area >= area * 0.999999);
        assert_true (bound.contention_free >= bound.longest);
        assert_true (bound.contention_free >= bound.area * 0.999999);
        assert_true (tori_contention_makespan (plan)
                     >= bound.contention_free * 0.999999);
        tori_contention_destroy (plan);
    }
}

/* A job on the whole machine shuts out the others, whatever their area. Where
 * the common denominator is too large, the two simple bounds remain. */
TEST (contention_free)
{
    static const struct {
        const char *time[2], *free;
    } rows[] = {{{"1", "3"}, "4"},
                {{"1/170141183460469231731687303715884105727",
                  "1/170141183460469231731687303715884105726"},
                 NULL}};
    AUTO_MACHINE *machine = make_machine ("torus:4x4");
    for (size_t i = 0; i < LENGTH (rows); i++) {
        tori_contention_job job[2] = {{.shape = make_shape ("4x4")},
                                      {.shape = make_shape ("1x1")}};
        tori_contention *plan;
        tori_contention_bound bound;
        for (int j = 0; j < 2; j++)
            assert_int_equal (tori_exact_parse (rows[i].time[j], "time",
                                                &job[j].time, NULL),
                              0);
        assert_int_equal (
            tori_contention_create (machine, job, 2, NULL, &plan, NULL), 0);
        bound = tori_contention_bounds (plan);
        if (rows[i].free)
            assert_text (plan, TORI_CONTENTION_FREE, 0, rows[i].free);
        else
            assert_true (bound.contention_free == bound.area);
        tori_contention_destroy (plan);
    }
}

/* ---- a better order ---- */

static bool stop_at (void *arg)
{
    uint64_t *left = arg;
    return (*left)-- == 0;
}

/* The plan that a search ends with is the greedy one for its order, in which
 * larger jobs still come first, and no longer than without; the same again,
 * and also if the search is not over but stopped after as many steps. */
static void check_search (struct rng *rng, const tori_machine *machine,
                          uint32_t *ret_shorter)
{
    struct naive_job job[24], ordered[24];
    struct naive_place place[24], back[24];
    tori_contention_job jobs[24];
    uint64_t left = between (rng, 1, 60);
    tori_contention_search search = {.steps = left, .seed = 7};
    tori_contention *plain, *better, *again, *stopped;
    size_t n = between (rng, TORI_CONTENTION_BRANCH + 1, LENGTH (job));
    random_squares (rng, 8, job, n);
    for (size_t i = 0; i < n; i++)
        jobs[i] = (tori_contention_job){job[i].shape,
                                        tori_exact_make (job[i].time, 3)};
    plain = plan_of (machine, job, n, 3);
    assert_int_equal (
        tori_contention_create (machine, jobs, n, &search, &better, NULL), 0);
    assert_int_equal (
        tori_contention_create (machine, jobs, n, &search, &again, NULL), 0);
    search = (tori_contention_search){UINT64_MAX, 7, stop_at, &left};
    assert_int_equal (
        tori_contention_create (machine, jobs, n, &search, &stopped, NULL), 0);
    assert_true (tori_contention_makespan (better)
                 <= tori_contention_makespan (plain));
    *ret_shorter += tori_contention_makespan (better)
                    < tori_contention_makespan (plain);
    for (size_t i = 0; i < n; i++) {
        tori_contention_place a = tori_contention_at (better, i);
        tori_contention_place b = tori_contention_at (again, i);
        tori_contention_place c = tori_contention_at (stopped, i);
        ordered[a.order] = job[i];
        assert_int_equal (a.order, b.order);
        assert_int_equal (a.order, c.order);
        assert_true (a.finish == b.finish && a.finish == c.finish);
    }
    for (size_t i = 1; i < n; i++)
        assert_true (by_volume (&ordered[i - 1], &ordered[i]) <= 0);
    naive_contention (machine, ordered, n, place);
    for (size_t i = 0; i < n; i++)
        back[i] = place[tori_contention_at (better, i).order];
    assert_same (better, back, n, 3);
    tori_contention_destroy (plain);
    tori_contention_destroy (better);
    tori_contention_destroy (again);
    tori_contention_destroy (stopped);
}

TEST (search)
{
    AUTO_MACHINE *machine = make_machine ("torus:8x8");
    uint32_t shorter = 0;
    struct rng rng;
    rng_seed (&rng, 6, 1);
    for (int round = 0; round < 40; round++)
        check_search (&rng, machine, &shorter);
    assert_true (shorter > 10);
}

/* ---- the least at events ---- */

/* Whether a job starts at time 0 or when another ends. */
static bool at_event (const tori_contention *plan, size_t n, size_t i)
{
    double start = tori_contention_at (plan, i).start;
    bool found = start <= 0;
    for (size_t j = 0; j < n; j++)
        found = found || tori_contention_at (plan, j).finish == start;
    return found;
}

/* Few steps, more steps, all steps: never longer, and the bounds never above
 * the least. The same steps give the same plan, also if stopped. */
static void check_steps (struct rng *rng, const tori_machine *machine,
                         bool own_delay)
{
    struct naive_job job[5];
    tori_contention_job jobs[LENGTH (job)];
    size_t n = between (rng, 1, LENGTH (job));
    double last = INFINITY, bound = 0;
    random_squares (rng, 8, job, n);
    for (size_t i = 0; i < n; i++)
        jobs[i] = (tori_contention_job){job[i].shape,
                                        tori_exact_make (job[i].time, 3)};
    for (uint64_t steps = 1; steps; steps *= steps < 1 << 21 ? 8 : 0) {
        uint64_t left = steps;
        tori_contention_search search = {.steps = steps,
                                         .own_delay = own_delay};
        tori_contention *plan, *stopped;
        assert_int_equal (
            tori_contention_create (machine, jobs, n, &search, &plan, NULL),
            0);
        search = (tori_contention_search){UINT64_MAX, 0, stop_at, &left,
                                          own_delay};
        assert_int_equal (
            tori_contention_create (machine, jobs, n, &search, &stopped, NULL),
            0);
        assert_true (tori_contention_makespan (plan) <= last);
        last = tori_contention_makespan (plan);
        bound = fmax (bound, tori_contention_bounds (plan).events);
        for (size_t i = 0; i < n; i++) {
            assert_true (at_event (plan, n, i));
            assert_true (tori_contention_at (plan, i).finish
                         == tori_contention_at (stopped, i).finish);
        }
        if (steps > 1 << 21)
            assert_true (tori_contention_is_least (plan));
        if (tori_contention_is_least (plan))
            steps = 1 << 22;
        tori_contention_destroy (plan);
        tori_contention_destroy (stopped);
    }
    assert_true (bound <= last * (1 + 1e-12));
}

TEST (steps)
{
    AUTO_MACHINE *machine = make_machine ("torus:8x8");
    struct rng rng;
    rng_seed (&rng, 8, 1);
    for (int round = 0; round < 30; round++)
        check_steps (&rng, machine, round % 2);
}

/* The least of the paper's example and of others. The last two have times at
 * the ends of what fits: one is too long to be searched. */
TEST (least)
{
    static const struct {
        const char *machine, *shape[8], *time[8], *least;
        bool own_delay;
    } rows[] = {
        {"torus:8x8",
         {"8x8", "4x4", "4x4", "4x4", "4x4", "2x2"},
         {"2", "2", "4", "4", "1", "4"},
         "9.25", false},
        {"torus:8x8",
         {"8x8", "4x4", "4x4", "4x4", "4x4", "2x2"},
         {"2", "2", "4", "4", "1", "4"},
         "9.328125", true},
        {"torus:4", {"1", "2"}, {"2", "1"}, "2.5", false},
        {"torus:4x4",
         {"2x2", "2x2", "2x2", "2x2", "2x2", "1x1", "1x1", "1x1"},
         {"1", "1", "1", "1", "5", "3", "2", "4"},
         "6.6875", false},
        {"torus:2x2",
         {"1x1", "1x1", "1x1", "1x1", "1x1", "1x1"},
         {"1/3", "1/3", "1/3", "1/3", "1/3", "1/3"},
         "1", false},
        {"torus:2x2",
         {"1x1", "1x1"},
         {"1/170141183460469231731687303715884105727", "1"},
         "1", false},
        {"torus:2x2",
         {"1x1", "2x2"},
         {"1", "99999999999999999999999999999999999999"},
         NULL, false}};
    for (size_t i = 0; i < LENGTH (rows); i++) {
        AUTO_MACHINE *machine = make_machine (rows[i].machine);
        const tori_contention_search search
            = {.steps = UINT64_MAX, .own_delay = rows[i].own_delay};
        tori_contention_job job[8];
        tori_contention *plan;
        size_t n = 0;
        for (; n < 8 && rows[i].shape[n]; n++) {
            job[n].shape = make_shape (rows[i].shape[n]);
            assert_int_equal (tori_exact_parse (rows[i].time[n], "time",
                                                &job[n].time, NULL),
                              0);
        }
        assert_int_equal (
            tori_contention_create (machine, job, n, &search, &plan, NULL),
            0);
        assert_int_equal (tori_contention_is_least (plan),
                          rows[i].least != NULL);
        if (rows[i].least)
            assert_text (plan, TORI_CONTENTION_MAKESPAN, 0, rows[i].least);
        tori_contention_destroy (plan);
    }
}

/* ---- starts between events ---- */

/* The least makespan of plans that start up to four jobs at multiples of a
 * step, and at any place, by trying them all. Times are in steps. */
enum { GRID_JOBS = 3, GRID_STEPS = 4 };

struct grid_job {
    tori_subtorus at;
    double time, start, finish;
    bool placed;
};

struct grid {
    const tori_machine *machine;
    struct grid_job job[GRID_JOBS];
    size_t n;
    double best, last; /* no start is after the last */
};

static bool grid_agrees (const struct grid *g, const struct grid_job *a,
                         const struct grid_job *b, int dim)
{
    uint32_t p = tori_subtorus_stride (g->machine, &a->at.shape, dim);
    uint32_t q = tori_subtorus_stride (g->machine, &b->at.shape, dim);
    uint32_t least = p < q ? p : q;
    return a->at.offset[dim] % least == b->at.offset[dim] % least;
}

/* Place a job. False if a node is taken; otherwise all delays are counted. */
static bool grid_place (struct grid *g, struct grid_job *me)
{
    int ndims = tori_machine_ndims (g->machine);
    me->finish = me->start + me->time;
    for (size_t i = 0; i < g->n; i++) {
        struct grid_job *other = &g->job[i];
        double overlap = fmin (me->time, other->finish - me->start);
        int differing = 0, dim = 0;
        if (!other->placed || other->finish <= me->start)
            continue;
        for (int d = 0; d < ndims; d++)
            if (!grid_agrees (g, me, other, d)) {
                differing++;
                dim = d;
            }
        if (differing == 0)
            return false;
        if (differing > 1)
            continue;
        me->finish += overlap
                      / tori_subtorus_stride (g->machine, &other->at.shape,
                                              dim);
        other->finish += overlap
                         / tori_subtorus_stride (g->machine, &me->at.shape,
                                                 dim);
    }
    return true;
}

static void grid_try (const struct grid *g, double *best)
{
    double end = 0;
    size_t waiting = 0;
    for (size_t i = 0; i < g->n; i++) {
        end = fmax (end, g->job[i].placed ? g->job[i].finish : 0);
        waiting += !g->job[i].placed;
    }
    if (waiting == 0)
        *best = fmin (*best, end);
    if (waiting == 0 || end >= *best)
        return;
    for (size_t i = 0; i < g->n; i++)
        for (double start = g->last;
             !g->job[i].placed && start + g->job[i].time < *best; start++) {
            uint32_t places
                = tori_subtorus_count (g->machine, &g->job[i].at.shape);
            for (uint32_t place = 0; place < places; place++) {
                struct grid next = *g;
                tori_subtorus_at (g->machine, &g->job[i].at.shape, place,
                                  &next.job[i].at);
                next.job[i].start = next.last = start;
                if (!grid_place (&next, &next.job[i]))
                    continue;
                next.job[i].placed = true;
                grid_try (&next, best);
            }
        }
}

/* The limit of doc/experiments/contention.md. */
static double event_limit (const struct grid *g)
{
    double sum = 0, least = 1;
    for (size_t i = 0; i < g->n; i++) {
        double a = 0;
        for (int d = 0; d < tori_machine_ndims (g->machine); d++) {
            uint32_t stride = tori_subtorus_stride (g->machine,
                                                    &g->job[i].at.shape, d);
            a = stride > 1 ? fmax (a, 1.0 / stride) : a;
        }
        sum += a;
        least = fmin (least, a);
    }
    return 1 + 2 * (sum - least);
}

/* Starts at events beside starts on a grid, which includes the example of the
 * doc: it ends at 2.4, and at events at 2.5. */
static double compare_with_grid (const tori_machine *machine,
                                 const tori_contention_job job[], size_t n)
{
    const tori_contention_search search = {.steps = UINT64_MAX};
    struct grid g = {.machine = machine, .n = n};
    tori_contention *plan;
    double events, best;
    assert_int_equal (
        tori_contention_create (machine, job, n, &search, &plan, NULL), 0);
    assert_true (tori_contention_is_least (plan));
    events = best = tori_contention_makespan (plan) * GRID_STEPS;
    tori_contention_destroy (plan);
    for (size_t i = 0; i < n; i++)
        g.job[i] = (struct grid_job){
            .at.shape = job[i].shape,
            .time = (double)job[i].time.num * GRID_STEPS
                    / (double)job[i].time.den};
    grid_try (&g, &best);
    assert_true (events <= event_limit (&g) * best);
    return events / best;
}

TEST (between_events)
{
    static const char *const machines[] = {"torus:4", "torus:4x4"};
    tori_machine *ring = make_machine ("torus:4");
    const tori_contention_job example[]
        = {{make_shape ("1"), {5, 2}}, {make_shape ("2"), {5, 4}}};
    double worst = compare_with_grid (ring, example, 2);
    struct rng rng = seeded (11);
    assert_true (worst > 1.04);
    tori_machine_destroy (ring);
    for (int round = 0; round < 200; round++) {
        AUTO_MACHINE *machine = make_machine (machines[round % 2]);
        tori_contention_job job[GRID_JOBS];
        size_t n = between (&rng, 2, round % 2 ? 2 : GRID_JOBS);
        double ratio;
        for (size_t i = 0; i < n; i++) {
            job[i] = (tori_contention_job){
                .shape.ndims = tori_machine_ndims (machine),
                .time = {between (&rng, 1, 6), 2}};
            for (int d = 0; d < job[i].shape.ndims; d++)
                job[i].shape.size[d] = 1U << rng_below (&rng, 3);
        }
        ratio = compare_with_grid (machine, job, n);
        worst = fmax (worst, ratio);
    }
    assert_true (worst <= 1.125 + 1e-12);
}

/* ---- numbers ---- */

/* Numbers of 18 digits or fewer are exact, the others are rounded. */
TEST (text)
{
    static const struct {
        const char *time, *text;
    } rows[] = {
        {"2.5", "2.5"},
        {"1/3", "0.333333333333333333"},
        {"0.1", "0.1"},
        {"123456789.125", "123456789.125"},
        {"1/1000000000000", "0.000000000001"},
        {"2/3000000000000", "0.000000000000666666666666666667"},
        {"1000000000000000000000001", "1000000000000000000000001"},
        {"99999999999999999999.999", "100000000000000000000"},
        {"170141183460469231731687303715884105727",
         "170141183460469231731687303715884105727"}};
    AUTO_MACHINE *machine = make_machine ("torus:4x4");
    for (size_t i = 0; i < LENGTH (rows); i++) {
        tori_contention_job job = {.shape = make_shape ("4x4")};
        tori_contention *plan;
        tori_error err = {0};
        assert_int_equal (
            tori_exact_parse (rows[i].time, "time", &job.time, &err), 0);
        assert_int_equal (
            tori_contention_create (machine, &job, 1, NULL, &plan, &err), 0);
        assert_text (plan, TORI_CONTENTION_FINISH, 0, rows[i].text);
        assert_text (plan, TORI_CONTENTION_START, 0, "0");
        tori_contention_destroy (plan);
    }
}

/* ---- jobs that take no time ---- */

/* The example, with jobs of time 0 at the ends and in between: all others have
 * the same places and times as without them, and as many can be searched. */
TEST (no_time)
{
    static const struct {
        const char *shape;
        int64_t time;
    } rows[] = {{"8x8", 0}, {"8x8", 2}, {"4x4", 2}, {"4x4", 4}, {"1x1", 0},
                {"4x4", 4}, {"4x4", 1}, {"2x2", 4}, {"2x8", 0}};
    AUTO_MACHINE *machine = make_machine ("torus:8x8");
    tori_contention_job all[LENGTH (rows)], some[LENGTH (rows)];
    size_t n = 0;
    for (size_t i = 0; i < LENGTH (rows); i++) {
        all[i] = (tori_contention_job){make_shape (rows[i].shape),
                                       {rows[i].time, 1}};
        if (rows[i].time)
            some[n++] = all[i];
    }
    for (uint64_t steps = 0; steps <= 1000; steps += 1000) {
        tori_contention_search search = {.steps = steps};
        tori_contention *plan, *without;
        size_t next = 0, none = 0, zeros = LENGTH (rows) - n;
        assert_int_equal (tori_contention_create (machine, all, LENGTH (rows),
                                                  &search, &plan, NULL),
                          0);
        assert_int_equal (tori_contention_create (machine, some, n, &search,
                                                  &without, NULL),
                          0);
        for (size_t i = 0; i < LENGTH (rows); i++) {
            tori_contention_place is = tori_contention_at (plan, i), was;
            if (!rows[i].time) {
                assert_true (is.time == 0 && is.start == 0 && is.finish == 0);
                assert_int_equal (is.order, none++);
                assert_true (tori_shape_volume (&is.subtorus.shape)
                             == tori_shape_volume (&all[i].shape));
                continue;
            }
            was = tori_contention_at (without, next++);
            assert_int_equal (is.order, was.order + zeros);
            was.order = is.order;
            assert_memory_equal (&is.subtorus, &was.subtorus,
                                 sizeof is.subtorus);
            assert_true (is.time == was.time && is.start == was.start
                         && is.finish == was.finish);
        }
        assert_true (tori_contention_is_exact (plan));
        assert_true (tori_contention_is_least (plan) == (steps > 0));
        assert_true (tori_contention_makespan (plan)
                     == tori_contention_makespan (without));
        assert_true (tori_contention_bounds (plan).area
                     == tori_contention_bounds (without).area);
        tori_contention_destroy (plan);
        tori_contention_destroy (without);
    }
}

TEST (nothing_to_do)
{
    AUTO_MACHINE *machine = make_machine ("torus:8x8");
    tori_contention_job job[] = {{make_shape ("4x4"), {0, 1}},
                                 {make_shape ("8x8"), {0, 3}}};
    tori_contention *plan;
    char text[TORI_CONTENTION_TEXT];
    for (uint64_t steps = 0; steps <= 10; steps += 10) {
        tori_contention_search search = {.steps = steps};
        assert_int_equal (tori_contention_create (machine, job, LENGTH (job),
                                                  &search, &plan, NULL),
                          0);
        for (size_t i = 0; i < LENGTH (job); i++)
            assert_true (tori_contention_at (plan, i).finish == 0);
        assert_true (tori_contention_makespan (plan) == 0);
        assert_true (tori_contention_bounds (plan).events == 0);
        assert_true (tori_contention_is_exact (plan));
        tori_contention_text (plan, TORI_CONTENTION_FINISH, 1, text);
        assert_string_equal (text, "0");
        tori_contention_destroy (plan);
    }
}

/* ---- what cannot be planned ---- */

TEST (bad)
{
    static const struct {
        const char *machine, *shape;
        int64_t time;
        int status;
        const char *text;
    } rows[] = {
        {"torus:8x8", "3x3", 1, 2, "3 nodes in dimension 0: jobs take 8, 4, 2 "
                                   "or 1 there, so that delays end in binary "
                                   "and are exact"},
        {"torus:8x8", "16x16", 1, 4, "16 nodes in dimension 0 of the machine, "
                                     "which has 8"},
        {"torus:8x8", "9x9", 1, 4, "9 nodes in dimension 0 of the machine, "
                                   "which has 8"},
        {"torus:8x8", "4x4", -1, 2, "the time is negative"},
        {"torus:8x8", "4", 1, 2, "a shape of 1 dimensions on a machine of 2"},
        {"torus:12x12", "4x4", 1, 2, "4 nodes in dimension 0: jobs take 12, 6 "
                                     "or 3 there, so that delays end in "
                                     "binary and are exact"},
        {"mesh:8x8", "4x4", 1, 4, "dimension 0 of the machine is not a torus, so "
                                  "it has no subtori"}};
    for (size_t i = 0; i < LENGTH (rows); i++) {
        AUTO_MACHINE *machine = make_machine (rows[i].machine);
        tori_contention_job job = {make_shape (rows[i].shape),
                                   {rows[i].time, 1}};
        tori_contention *plan = NULL;
        tori_error err = {0};
        assert_int_equal (
            tori_contention_create (machine, &job, 1, NULL, &plan, &err), -1);
        assert_null (plan);
        assert_int_equal (err.status, rows[i].status);
        assert_string_equal (err.text, rows[i].text);
        assert_int_equal (
            tori_contention_create (machine, &job, 0, NULL, &plan, &err), -1);
        assert_string_equal (err.text, "no job");
    }
}

/* ---- more work ---- */

/* Jobs of up to half of a torus of 16x16, of which few fit beside each other:
 * branch and bound does not end. */
static void random_large (struct rng *rng, tori_contention_job job[], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t a = UINT32_C (4) << rng_below (rng, 2);
        uint32_t b = UINT32_C (4) << rng_below (rng, 3);
        job[i] = (tori_contention_job){
            .shape = {.ndims = 2, .size = {a, b}},
            .time = tori_exact_make (1 + rng_below (rng, 20), 1)};
    }
}

static double searched (const tori_machine *machine,
                        const tori_contention_job job[], size_t n,
                        uint64_t steps, bool *ret_least)
{
    const tori_contention_search search = {.steps = steps, .seed = 1};
    tori_contention *plan;
    tori_error err = {0};
    double makespan;
    if (tori_contention_create (machine, job, n, &search, &plan, &err) < 0)
        fail_msg ("%s", err.text);
    makespan = tori_contention_makespan (plan);
    assert_true (makespan <= tori_contention_first (plan));
    *ret_least = tori_contention_is_least (plan);
    tori_contention_destroy (plan);
    return makespan;
}

/* More steps never give a longer plan. */
TEST (more_steps)
{
    static const uint64_t steps[]
        = {1, 900, 1001, 1500, 3000, 5001, 9000, 30000};
    AUTO_MACHINE *machine = make_machine ("torus:16x16");
    tori_contention_job job[16];
    struct rng rng = seeded (31);
    for (int round = 0; round < (int)random_cases (3); round++) {
        size_t n = 12 + rng_below (&rng, 5);
        double before = INFINITY;
        bool least = false;
        random_large (&rng, job, n);
        for (size_t i = 0; i < LENGTH (steps) && !least; i++) {
            double makespan = searched (machine, job, n, steps[i], &least);
            assert_true (makespan <= before);
            before = makespan;
        }
    }
}

/* Jobs do not get a longer plan if one of them is left out, so that there are
 * few enough for branch and bound, and there are ten times as many steps. */
TEST (one_job_more)
{
    AUTO_MACHINE *machine = make_machine ("torus:16x16");
    tori_contention_job job[17];
    struct rng rng = seeded (32);
    bool least;
    for (int round = 0; round < 3; round++) {
        random_large (&rng, job, 16);
        job[16] = (tori_contention_job){.shape = {.ndims = 2, .size = {2, 2}},
                                        .time = tori_exact_make (1, 1)};
        assert_true (searched (machine, job, 16, 40000, &least)
                     <= searched (machine, job, 17, 4000, &least));
    }
}

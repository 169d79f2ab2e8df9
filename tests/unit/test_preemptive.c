/* Preemptive plans: the published example, what every plan must keep to, and
 * the least finish time against bisection and against a linear program over
 * all sets of jobs. Dimensions divide each other, or not. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tori/plan.h>

#include "batch.h"
#include "stages.h"

/* ---- jobs ---- */

static tori_exact number (const char *text)
{
    tori_exact n;
    tori_error err;
    if (tori_exact_parse (text, "x", &n, &err) < 0)
        fail_msg ("%s", err.text);
    return n;
}

/* The shorter of two sides counts. */
static tori_machine *square (uint32_t side)
{
    char text[64];
    snprintf (text, sizeof text, "torus:%ux%u", side, side);
    return make_machine (text);
}

struct set {
    tori_machine *machine;
    uint32_t side;
    size_t n;
    tori_preemptive_job *job;
};

static void set_free (struct set *set)
{
    tori_machine_destroy (set->machine);
    free (set->job);
}

/* Dimensions that divide each other: products of the first few factors. */
static uint32_t random_dimension (struct rng *rng, const uint32_t chain[],
                                  int links)
{
    return chain[rng_below (rng, (uint64_t)links)];
}

static tori_exact random_time (struct rng *rng, uint32_t most)
{
    static const uint32_t den[] = {1, 1, 2, 3, 4, 5, 10, 12};
    return tori_exact_make (between (rng, 1, most),
                            den[rng_below (rng, LENGTH (den))]);
}

static struct set random_set (struct rng *rng, uint32_t max_side,
                              size_t max_jobs)
{
    struct set set = {.side = between (rng, 1, max_side)};
    uint32_t chain[6] = {between (rng, 1, 3)}, most;
    int links = 1;
    set.machine = square (set.side);
    set.n = between (rng, 1, (uint32_t)max_jobs);
    set.job = make_array (set.n, sizeof *set.job);
    if (chain[0] > set.side)
        chain[0] = 1;
    while (links < 6 && chain[links - 1] * 2 <= set.side) {
        chain[links] = chain[links - 1] * between (rng, 2, 3);
        if (chain[links] > set.side)
            break;
        links++;
    }
    most = chance (rng, 50) ? 5 : 60;
    for (size_t i = 0; i < set.n; i++)
        set.job[i] = (tori_preemptive_job){
            random_dimension (rng, chain, links), random_time (rng, most)};
    return set;
}

/* Any dimensions, and some jobs that take no time. */
static struct set random_mixed_set (struct rng *rng, uint32_t max_side,
                                    size_t max_jobs)
{
    struct set set = random_set (rng, max_side, max_jobs);
    uint32_t large = between (rng, 1, set.side);
    for (size_t i = 0; i < set.n; i++) {
        set.job[i].dimension = between (rng, 1, large);
        if (chance (rng, 5))
            set.job[i].time = (tori_exact){0, 1};
    }
    return set;
}

static tori_exact least_of (const struct set *set)
{
    tori_exact least;
    tori_error err;
    if (tori_preemptive_least (set->machine, set->job, set->n, &least, &err)
        < 0)
        fail_msg ("%s", err.text);
    return least;
}

static tori_preemptive plan_of (const struct set *set, tori_exact deadline)
{
    tori_preemptive plan;
    tori_error err;
    if (tori_preemptive_plan (set->machine, set->job, set->n, deadline, &plan,
                              &err)
        < 0)
        fail_msg ("%s", err.text);
    return plan;
}

static bool feasible (const struct set *set, tori_exact deadline)
{
    tori_preemptive plan = plan_of (set, deadline);
    bool answer = plan.feasible;
    tori_preemptive_clear (&plan);
    return answer;
}

/* ---- what every plan keeps to ---- */

static bool meet (const tori_segment *a, const tori_segment *b)
{
    return a->start < b->finish && b->start < a->finish;
}

static bool share (const tori_segment *a, const tori_segment *b)
{
    return a->first < b->first + b->size && b->first < a->first + a->size;
}

static void check_pairs (const tori_preemptive *plan)
{
    for (size_t i = 0; i < plan->segments; i++)
        for (size_t j = 0; j < i; j++) {
            const tori_segment *a = &plan->segment[i], *b = &plan->segment[j];
            if (meet (a, b))
                assert_true (a->job != b->job && !share (a, b));
        }
}

static void check_totals (const struct set *set, const tori_preemptive *plan)
{
    tori_wide *total = make_array (set->n, sizeof *total);
    for (size_t i = 0; i < plan->segments; i++) {
        const tori_segment *s = &plan->segment[i];
        assert_true (s->job < set->n && s->start < s->finish);
        assert_int_equal (s->size, set->job[s->job].dimension);
        total[s->job] += s->finish - s->start;
    }
    for (size_t i = 0; i < set->n; i++)
        assert_int_equal (
            tori_exact_compare (tori_exact_make (total[i], plan->unit),
                                set->job[i].time),
            0);
    free (total);
}

/* Gupta and Srimani's Theorem 2. Else each stage may cut a job at each place,
 * beside the one preemption of each job. */
static void check_preemptions (const struct set *set,
                               const tori_preemptive *plan)
{
    size_t run = 0;
    uint32_t least = set->side;
    for (size_t i = 0; i < set->n; i++)
        if (set->job[i].time.num) {
            least = set->job[i].dimension < least ? set->job[i].dimension
                                                  : least;
            run++;
        }
    assert_int_equal (plan->segments, run + plan->preemptions);
    if (!plan->stages)
        assert_true (plan->preemptions < run || !run);
    assert_true (plan->stages <= run);
    assert_true (plan->preemptions
                 <= run + plan->stages * (set->side / least));
}

static void check_plan (const struct set *set, tori_exact deadline,
                        const tori_preemptive *plan)
{
    tori_wide last = 0;
    check_preemptions (set, plan);
    for (size_t i = 0; i < plan->segments; i++) {
        const tori_segment *s = &plan->segment[i];
        assert_true (s->start >= 0 && s->first + s->size <= set->side);
        assert_true (i == 0 || s[-1].job < s->job
                     || (s[-1].job == s->job && s[-1].finish <= s->start));
        last = s->finish > last ? s->finish : last;
    }
    assert_int_equal (
        tori_exact_compare (tori_exact_make (last, plan->unit), plan->finish),
        0);
    assert_true (tori_exact_compare (plan->finish, deadline) <= 0);
    check_pairs (plan);
    check_totals (set, plan);
}

/* ---- the example of Gupta and Srimani, section 3 ---- */

static const struct {
    uint32_t dimension;
    const char *time;
} example[] = {{8, "2"}, {4, "4"}, {4, "3"}, {2, "2"}, {2, "2.5"}};

static struct set example_set (size_t n)
{
    struct set set = {.machine = square (16), .side = 16, .n = n};
    set.job = make_array (n, sizeof *set.job);
    for (size_t i = 0; i < n; i++)
        set.job[i] = (tori_preemptive_job){example[i].dimension,
                                           number (example[i].time)};
    return set;
}

/* The profile as the paper writes it, from the plan of the first jobs: a
 * position is busy until its last segment ends, and one that is busy to the
 * deadline is left out. */
static void profile_of (const tori_preemptive *plan, uint32_t side,
                        tori_exact deadline, char *text, size_t size)
{
    tori_exact until[64], none = {-1, 1};
    size_t used = 0;
    for (uint32_t p = 0; p < side; p++)
        until[p] = (tori_exact){0, 1};
    for (size_t i = 0; i < plan->segments; i++)
        for (uint32_t p = 0; p < plan->segment[i].size; p++) {
            tori_exact *u = &until[plan->segment[i].first + p];
            tori_exact f =
                tori_exact_make (plan->segment[i].finish, plan->unit);
            if (tori_exact_compare (f, *u) > 0)
                *u = f;
        }
    for (uint32_t p = 0; p < side; p++)
        if (tori_exact_compare (until[p], deadline) == 0)
            until[p] = none;
    text[0] = '\0';
    for (uint32_t a = 0, b; a < side; a = b) {
        char f[TORI_EXACT_TEXT];
        for (b = a; b < side && !tori_exact_compare (until[a], until[b]);)
            b++;
        tori_exact_format (until[a], f);
        if (until[a].num >= 0)
            used += (size_t)snprintf (text + used, size - used, "([%u,%u],%s)",
                                      a, b - 1, f);
    }
}

TEST (example_profiles)
{
    /* The paper prints up to J2 legibly; the rest is its algorithm's. */
    static const char *const profile[] = {
        "([0,7],2)([8,15],0)", "([0,7],2)([12,15],0)", "([4,7],2)([12,15],1)",
        "([6,7],2)([12,15],1)", "([12,13],3/2)([14,15],1)"};
    for (size_t n = 1; n <= LENGTH (example); n++) {
        struct set set = example_set (n);
        tori_preemptive plan = plan_of (&set, number ("4"));
        char text[256];
        assert_true (plan.feasible);
        profile_of (&plan, 16, number ("4"), text, sizeof text);
        assert_string_equal (text, profile[n - 1]);
        tori_preemptive_clear (&plan);
        set_free (&set);
    }
}

TEST (example_segments)
{
    /* Half units of time. */
    static const tori_segment expected[] = {
        {0, 0, 8, 0, 4}, {1, 8, 4, 0, 8},  {2, 12, 4, 0, 2}, {2, 0, 4, 4, 8},
        {3, 4, 2, 4, 8}, {4, 12, 2, 2, 3}, {4, 6, 2, 4, 8}};
    struct set set = example_set (5);
    tori_preemptive plan = plan_of (&set, number ("4"));
    assert_true (plan.unit == 2);
    assert_int_equal (plan.preemptions, 2);
    assert_int_equal (plan.segments, LENGTH (expected));
    for (size_t i = 0; i < plan.segments; i++) {
        const tori_segment *a = &plan.segment[i], *b = &expected[i];
        assert_true (a->job == b->job && a->first == b->first
                     && a->size == b->size && a->start == b->start
                     && a->finish == b->finish);
    }
    check_plan (&set, number ("4"), &plan);
    assert_int_equal (tori_exact_compare (least_of (&set), number ("4")), 0);
    tori_preemptive_clear (&plan);
    set_free (&set);
}

/* ---- bad input ---- */

static void assert_refused (const char *machine, const uint32_t dimension[],
                            size_t n, tori_status status, size_t bad)
{
    struct set set = {.machine = make_machine (machine), .n = n};
    tori_preemptive plan;
    tori_error err;
    tori_exact least;
    size_t job = 99;
    set.job = make_array (n, sizeof *set.job);
    for (size_t i = 0; i < n; i++)
        set.job[i] = (tori_preemptive_job){dimension[i], {1, 1}};
    assert_int_equal (
        tori_preemptive_check (set.machine, set.job, n, &job, &err), -1);
    assert_int_equal (err.status, status);
    assert_int_equal (job, bad);
    assert_int_equal (tori_preemptive_plan (set.machine, set.job, n,
                                            least = number ("9"), &plan, &err),
                      -1);
    assert_int_equal (err.status, status);
    assert_int_equal (
        tori_preemptive_least (set.machine, set.job, n, &least, &err), -1);
    assert_int_equal (err.status, status);
    set_free (&set);
}

TEST (refused)
{
    static const uint32_t large[] = {2, 9}, zero[] = {2, 0}, one[] = {1};
    assert_refused ("torus:16x16", zero, 2, TORI_INVALID, 1);
    assert_refused ("torus:8x16", large, 2, TORI_NEVER, 1);
    assert_refused ("mesh:8x8", one, 1, TORI_NEVER, 1);
    assert_refused ("torus:8x8m", one, 1, TORI_NEVER, 1);
    assert_refused ("torus:8", one, 1, TORI_NEVER, 1);
}

TEST (negative_time)
{
    static const char *const times[] = {"-1", "-1/2"};
    for (size_t i = 0; i < LENGTH (times); i++) {
        struct set set = example_set (3);
        tori_error err;
        size_t bad;
        set.job[1].time = number (times[i]);
        assert_int_equal (
            tori_preemptive_check (set.machine, set.job, set.n, &bad, &err),
            -1);
        assert_int_equal (err.status, TORI_INVALID);
        assert_int_equal (bad, 1);
        set_free (&set);
    }
}

/* A job that takes no time is done, wherever it would be. */
TEST (no_time)
{
    struct set set = example_set (5);
    tori_preemptive plan;
    set.job[0].time = set.job[3].time = number ("0");
    plan = plan_of (&set, number ("4"));
    assert_true (plan.feasible);
    check_plan (&set, number ("4"), &plan);
    tori_preemptive_clear (&plan);
    for (size_t i = 0; i < set.n; i++)
        set.job[i].time = number ("0");
    assert_true (least_of (&set).num == 0);
    plan = plan_of (&set, number ("0"));
    assert_true (plan.feasible && !plan.segments && !plan.preemptions);
    assert_true (plan.finish.num == 0 && plan.finish.den == 1);
    tori_preemptive_clear (&plan);
    assert_false (feasible (&set, number ("-1")));
    set_free (&set);
}

/* Denominators without a common multiple of 128 bits are refused, not
 * rounded. */
TEST (too_fine)
{
    static const char *const times[] = {
        "1/1000000000000000003", "1/1000000000000000009",
        "1/1000000000000000031", "1/1000000000000000079"};
    struct set set = {.machine = square (4), .n = LENGTH (times)};
    tori_exact least;
    tori_error err;
    set.job = make_array (set.n, sizeof *set.job);
    for (size_t i = 0; i < set.n; i++)
        set.job[i] = (tori_preemptive_job){1, number (times[i])};
    assert_int_equal (
        tori_preemptive_least (set.machine, set.job, set.n, &least, &err), -1);
    assert_int_equal (err.status, TORI_INVALID);
    assert_non_null (strstr (err.text, "128 bits"));
    set_free (&set);
}

/* A deadline has room for 30 decimals, on a large machine too. */
TEST (long_deadline)
{
    struct set set = {.machine = square (4096), .n = 2};
    tori_exact close = number ("0.999999999999999999999999999999");
    set.job = make_array (set.n, sizeof *set.job);
    for (size_t i = 0; i < set.n; i++)
        set.job[i] = (tori_preemptive_job){2048, {1, 1}};
    assert_false (feasible (&set, close));
    close.num += 2;
    assert_true (feasible (&set, close));
    set_free (&set);
}

/* ---- the machine ---- */

/* The shortest side counts, whatever the other ones and however many. */
TEST (shortest_side)
{
    static const char *const machines[] = {"torus:6x6", "torus:9x6",
                                           "torus:6x7x8", "torus:6^4"};
    struct rng rng = seeded (1);
    for (int i = 0; i < 200; i++) {
        struct set set = random_set (&rng, 6, 8);
        tori_exact least[LENGTH (machines)];
        for (size_t k = 0; k < LENGTH (machines); k++) {
            tori_machine_destroy (set.machine);
            set.machine = make_machine (machines[k]);
            least[k] = least_of (&set);
            assert_int_equal (tori_exact_compare (least[k], least[0]), 0);
        }
        set_free (&set);
    }
}

/* ---- plans ---- */

static tori_exact plus (tori_exact a, tori_exact b)
{
    tori_exact sum;
    assert_int_equal (tori_exact_add (a, b, &sum, NULL), 0);
    return sum;
}

static void check_deadline (const struct set *set, tori_exact deadline)
{
    tori_preemptive plan = plan_of (set, deadline);
    assert_true (plan.feasible);
    check_plan (set, deadline, &plan);
    tori_preemptive_clear (&plan);
}

static const tori_exact hair = {1, (tori_wide)1000000000 * 1000000000};
static const tori_exact minus_hair = {-1, (tori_wide)1000000000 * 1000000000};

/* At the least time and above there is a valid plan, a hair below there is
 * none; and the plan for the least time ends exactly then. */
static void check_plans (const struct set *set, struct rng *rng)
{
    tori_exact least = least_of (set);
    tori_preemptive plan = plan_of (set, least);
    assert_true (plan.feasible);
    assert_int_equal (tori_exact_compare (plan.finish, least), 0);
    tori_preemptive_clear (&plan);
    check_deadline (set, least);
    check_deadline (set, plus (least, hair));
    check_deadline (set, plus (least, random_time (rng, 30)));
    assert_false (feasible (set, plus (least, minus_hair)));
}

TEST (plans)
{
    struct rng rng = seeded (2);
    for (int i = 0; i < 4000; i++) {
        struct set set = random_set (&rng, 40, i % 10 ? 12 : 60);
        check_plans (&set, &rng);
        set_free (&set);
    }
}

TEST (mixed_plans)
{
    struct rng rng = seeded (8);
    for (int i = 0; i < 1500; i++) {
        struct set set = random_mixed_set (&rng, i % 10 ? 16 : 40,
                                           i % 10 ? 12 : 60);
        check_plans (&set, &rng);
        set_free (&set);
    }
}

/* The job that fails is the first that does: without it and those after it
 * there is a plan, with it there is none. */
TEST (failed)
{
    struct rng rng = seeded (3);
    for (int i = 0; i < 1000; i++) {
        struct set set = i % 2 ? random_set (&rng, 20, 12)
                               : random_mixed_set (&rng, 20, 12);
        tori_exact deadline =
            tori_exact_make (between (&rng, 1, 100), between (&rng, 1, 5));
        tori_preemptive plan = plan_of (&set, deadline);
        if (!plan.feasible) {
            struct set part = set;
            part.job = make_array (set.n, sizeof *part.job);
            part.n = 0;
            for (size_t j = 0; j < set.n; j++)
                if (set.job[j].dimension > set.job[plan.failed].dimension
                    || (set.job[j].dimension == set.job[plan.failed].dimension
                        && j < plan.failed))
                    part.job[part.n++] = set.job[j];
            assert_true (part.n == 0 || feasible (&part, deadline));
            part.job[part.n++] = set.job[plan.failed];
            assert_false (feasible (&part, deadline));
            free (part.job);
        }
        tori_preemptive_clear (&plan);
        set_free (&set);
    }
}

/* ---- the least time, by bisection ---- */

/* The least multiple of 1/parts that is feasible. */
static tori_wide bisect (const struct set *set, tori_wide parts)
{
    tori_wide low = 0, high = parts;
    while (!feasible (set, tori_exact_make (high, parts)))
        low = high, high *= 2;
    while (high - low > 1) {
        tori_wide middle = low + (high - low) / 2;
        if (feasible (set, tori_exact_make (middle, parts)))
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* Times are multiples of 1/60, and the least time is one of 1/(60 s) for some
 * s up to the side. Two of those differ by 1/(60 s)^2 or more, so what
 * bisection to half of that leaves is one of them only. */
TEST (bisection)
{
    struct rng rng = seeded (4);
    for (int i = 0; i < 4000; i++) {
        struct set set = random_set (&rng, i % 4 ? 12 : 50, i % 5 ? 10 : 40);
        tori_exact least = least_of (&set);
        tori_wide parts = (tori_wide)2 * 60 * set.side * 60 * set.side;
        tori_wide found = bisect (&set, parts);
        assert_true ((tori_wide)60 * set.side >= least.den);
        assert_true (tori_exact_compare (tori_exact_make (found, parts), least)
                     >= 0);
        assert_true (
            tori_exact_compare (tori_exact_make (found - 1, parts), least)
            < 0);
        set_free (&set);
    }
}

/* ---- the least time, by linear programming ---- */

/* The time in which jobs can be done, if any set of them whose dimensions add
 * up to the side or less may run together and jobs may be stopped: the least
 * sum of times of such sets that gives each job its own. Its dual: weights of
 * jobs, no set weighing more than 1, of the largest weighted sum of times. The
 * tableau has a row a set (its slack is in the basis) and a column a job; the
 * weights 0 are where it starts. Smallest indexes are chosen (Bland), so it
 * ends. */
enum { MAX_JOBS = 6, MAX_SETS = 1 << MAX_JOBS };

struct tableau {
    size_t rows, columns;
    tori_exact a[MAX_SETS + 1][MAX_JOBS + 1]; /* last row: gains; last
                                                 column: right-hand sides */
    size_t basis[MAX_SETS], other[MAX_JOBS];
};

static tori_exact minus_product (tori_exact a, tori_exact b, tori_exact c)
{
    tori_exact product, answer;
    assert_int_equal (tori_exact_mul (b, c, &product, NULL), 0);
    assert_int_equal (tori_exact_sub (a, product, &answer, NULL), 0);
    return answer;
}

static tori_exact quotient (tori_exact a, tori_exact b)
{
    tori_exact inverse = {b.den, b.num}, answer;
    if (inverse.den < 0)
        inverse = (tori_exact){-b.den, -b.num};
    assert_int_equal (tori_exact_mul (a, inverse, &answer, NULL), 0);
    return answer;
}

static void pivot (struct tableau *t, size_t row, size_t column)
{
    tori_exact by = t->a[row][column];
    size_t name = t->basis[row];
    for (size_t j = 0; j <= t->columns; j++)
        t->a[row][j] = j == column ? quotient ((tori_exact){1, 1}, by)
                                   : quotient (t->a[row][j], by);
    for (size_t i = 0; i <= t->rows; i++) {
        tori_exact factor = t->a[i][column];
        if (i == row || factor.num == 0)
            continue;
        for (size_t j = 0; j <= t->columns; j++)
            t->a[i][j] =
                j == column
                    ? minus_product ((tori_exact){0, 1}, factor, t->a[row][j])
                    : minus_product (t->a[i][j], factor, t->a[row][j]);
    }
    t->basis[row] = t->other[column];
    t->other[column] = name;
}

/* A column whose gain is positive, by the smallest name; or none. */
static size_t entering (const struct tableau *t)
{
    size_t best = t->columns;
    for (size_t j = 0; j < t->columns; j++)
        if (t->a[t->rows][j].num > 0
            && (best == t->columns || t->other[j] < t->other[best]))
            best = j;
    return best;
}

static size_t leaving (const struct tableau *t, size_t column)
{
    size_t best = t->rows;
    tori_exact least = {0, 1};
    for (size_t i = 0; i < t->rows; i++) {
        tori_exact ratio;
        int order;
        if (t->a[i][column].num <= 0)
            continue;
        ratio = quotient (t->a[i][t->columns], t->a[i][column]);
        order = best == t->rows ? -1 : tori_exact_compare (ratio, least);
        if (order < 0 || (order == 0 && t->basis[i] < t->basis[best])) {
            best = i;
            least = ratio;
        }
    }
    assert_true (best < t->rows);
    return best;
}

static tori_exact naive_least (const struct set *set)
{
    struct tableau *t = make_array (1, sizeof *t);
    tori_exact answer;
    size_t column;
    t->columns = set->n;
    for (unsigned jobs = 1; jobs < 1u << set->n; jobs++) {
        uint32_t sum = 0;
        for (size_t j = 0; j < set->n; j++)
            sum += jobs >> j & 1 ? set->job[j].dimension : 0;
        if (sum > set->side)
            continue;
        for (size_t j = 0; j < set->n; j++)
            t->a[t->rows][j] = (tori_exact){jobs >> j & 1, 1};
        t->a[t->rows][set->n] = (tori_exact){1, 1};
        t->basis[t->rows] = set->n + t->rows;
        t->rows++;
    }
    for (size_t j = 0; j < set->n; j++) {
        t->a[t->rows][j] = set->job[j].time;
        t->other[j] = j;
    }
    t->a[t->rows][set->n] = (tori_exact){0, 1};
    while ((column = entering (t)) < t->columns)
        pivot (t, leaving (t, column), column);
    answer = t->a[t->rows][t->columns];
    answer.num = -answer.num;
    free (t);
    return answer;
}

TEST (linear_program)
{
    struct rng rng = seeded (5);
    for (int i = 0; i < 5000; i++) {
        struct set set = i % 5 < 3 ? random_mixed_set (&rng, 14, MAX_JOBS)
                                   : random_set (&rng, 14, MAX_JOBS);
        assert_int_equal (
            tori_exact_compare (naive_least (&set), least_of (&set)), 0);
        set_free (&set);
    }
}

/* Stages are as short as the paper's plans, for jobs that these are made
 * for. */
TEST (stages_of_chain)
{
    struct rng rng = seeded (9);
    for (int i = 0; i < 1000; i++) {
        struct set set = random_set (&rng, 40, i % 10 ? 20 : 200);
        struct batch batch;
        struct stages stages;
        tori_exact ticks;
        assert_int_equal (batch_create (set.machine, set.job, set.n,
                                        (tori_exact){0, 1}, &batch, NULL),
                          0);
        assert_true (batch.chained);
        assert_int_equal (batch_least (&batch, &ticks, NULL, NULL), 0);
        assert_int_equal (stages_create (&batch, &stages, NULL), 0);
        assert_int_equal (
            tori_exact_compare ((tori_exact){stages.total, stages.den},
                                ticks),
            0);
        assert_uint_in_range (stages.n, 1, stages.rows);
        assert_uint_in_range (stages.rows, 1, batch.n);
        stages_clear (&stages);
        batch_clear (&batch);
        set_free (&set);
    }
}

/* Three jobs of dimension 2 run together for 2/3, then each of them for 1/3
 * beside the one of dimension 3. If that is to divide the machine and be
 * divided by 2, it is 6, and that takes 2. */
TEST (two_and_three)
{
    struct set set = {.machine = square (6), .side = 6, .n = 4};
    set.job = make_array (set.n, sizeof *set.job);
    for (size_t i = 0; i < set.n; i++)
        set.job[i] = (tori_preemptive_job){i ? 2 : 3, {1, 1}};
    assert_int_equal (tori_exact_compare (least_of (&set), number ("5/3")),
                      0);
    set.job[0].dimension = 6;
    assert_int_equal (tori_exact_compare (least_of (&set), number ("2")), 0);
    set_free (&set);
}

/* Many dimensions, and rows that are missing at first: few long jobs among
 * many short ones. */
TEST (many_dimensions)
{
    struct rng rng = seeded (10);
    for (int i = 0; i < 4; i++) {
        struct set set = random_mixed_set (&rng, 1, 150);
        tori_machine_destroy (set.machine);
        set.machine = square (set.side = 48);
        for (size_t j = 0; j < set.n; j++)
            set.job[j] = (tori_preemptive_job){
                between (&rng, 1, 48),
                tori_exact_make (between (&rng, 1, chance (&rng, 10) ? 3000
                                                                     : 30),
                                 100)};
        check_deadline (&set, least_of (&set));
        set_free (&set);
    }
}

/* Lengths of 80 bits fit; where a number does not, the jobs are refused. */
TEST (long_numbers)
{
    static const uint32_t dimension[] = {7, 5, 5, 3, 3, 3, 2, 2, 2, 2, 4, 6};
    struct set set = {.machine = square (13), .side = 13,
                      .n = LENGTH (dimension)};
    tori_exact least, long_least;
    tori_error err;
    set.job = make_array (set.n, sizeof *set.job);
    for (size_t i = 0; i < set.n; i++)
        set.job[i] = (tori_preemptive_job){dimension[i],
                                           {(tori_wide)(i * i % 7 + 1), 1}};
    least = least_of (&set);
    for (size_t i = 0; i < set.n; i++)
        set.job[i].time.num <<= 90;
    long_least = least_of (&set);
    assert_int_equal (
        tori_exact_compare (
            tori_exact_make (least.num << 90, least.den), long_least),
        0);
    check_deadline (&set, long_least);
    for (size_t i = 0; i < set.n; i++)
        set.job[i].time.num <<= 20;
    assert_int_equal (
        tori_preemptive_least (set.machine, set.job, set.n, &least, &err),
        -1);
    assert_int_equal (err.status, TORI_INVALID);
    assert_non_null (strstr (err.text, "128 bits"));
    set_free (&set);
}

/* ---- bounds ---- */

/* Neither bound is above the least time; with one dimension only one of them
 * is it (McNaughton's rule); with more, both may be too low. */
TEST (bounds)
{
    struct rng rng = seeded (6);
    int beyond = 0;
    for (int i = 0; i < 2000; i++) {
        struct set set = random_set (&rng, 16, 10);
        tori_preemptive_bound bound;
        tori_exact least, most;
        if (chance (&rng, 30))
            for (size_t j = 0; j < set.n; j++)
                set.job[j].dimension = set.job[0].dimension;
        least = least_of (&set);
        assert_int_equal (
            tori_preemptive_bounds (set.machine, set.job, set.n, &bound, NULL),
            0);
        most = tori_exact_compare (bound.area, bound.longest) > 0
                   ? bound.area
                   : bound.longest;
        assert_true (tori_exact_compare (most, least) <= 0);
        if (tori_exact_compare (most, least) != 0) {
            bool differ = false;
            for (size_t j = 1; j < set.n; j++)
                differ |= set.job[j].dimension != set.job[0].dimension;
            assert_true (differ);
            beyond++;
        }
        set_free (&set);
    }
    assert_true (beyond > 100);
}

/* A job on the whole machine shuts out all others: the longest and the area
 * say 3, but 1 + 3 are needed. */
TEST (shut_out)
{
    struct set set = {.machine = square (4), .side = 4, .n = 2};
    set.job = make_array (2, sizeof *set.job);
    set.job[0] = (tori_preemptive_job){1, {3, 1}};
    set.job[1] = (tori_preemptive_job){4, {1, 1}};
    assert_int_equal (tori_exact_compare (least_of (&set), number ("4")), 0);
    set_free (&set);
}

/* ---- many jobs ---- */

/* Rounds are few, also where many jobs and dimensions meet. */
TEST (rounds)
{
    struct rng rng = seeded (7);
    for (int i = 0; i < 300; i++) {
        struct set set = random_set (&rng, 3000, 2000);
        struct batch batch;
        tori_exact ticks;
        unsigned rounds;
        assert_int_equal (batch_create (set.machine, set.job, set.n,
                                        (tori_exact){0, 1}, &batch, NULL),
                          0);
        assert_int_equal (batch_least (&batch, &ticks, &rounds, NULL), 0);
        assert_uint_in_range (rounds, 1, 12);
        assert_true (feasible (&set, least_of (&set)));
        assert_false (feasible (&set, plus (least_of (&set), minus_hair)));
        batch_clear (&batch);
        set_free (&set);
    }
}

/* For doc/experiments/preemptive.md: how many of n random sets take 1, 2, ... rounds. */
static int count_rounds (long n)
{
    enum { MOST = 16 };
    long count[MOST + 1] = {0};
    struct rng rng = seeded (1);
    for (long i = 0; i < n; i++) {
        struct set set = random_set (&rng, 3000, 300);
        struct batch batch;
        tori_exact ticks;
        unsigned rounds;
        if (batch_create (set.machine, set.job, set.n, (tori_exact){0, 1},
                          &batch, NULL)
                < 0
            || batch_least (&batch, &ticks, &rounds, NULL) < 0)
            return 1;
        count[rounds < MOST ? rounds : MOST]++;
        batch_clear (&batch);
        set_free (&set);
    }
    for (int i = 1; i <= MOST; i++)
        if (count[i])
            printf ("%d rounds: %ld sets\n", i, count[i]);
    return 0;
}

int main (int argc, char **argv)
{
    if (argc == 3 && strcmp (argv[1], "--rounds") == 0)
        return count_rounds (strtol (argv[2], NULL, 10));
    return run_cases (NULL, NULL);
}

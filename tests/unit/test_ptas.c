/* Answers within 1 + epsilon beside the best. */
#include "naive_alloc.h"

#include <stdlib.h>
#include <string.h>

#include <tori/points.h>

#include "policy.h"
#include "ptas.h"

enum { MOST = 64 };

static const double epsilons[] = {50, 3, 1, 0.5, 0.25, 0.1};

/* ---- answers ---- */

struct instance {
    struct cloud cloud;
    int64_t coords[MOST * 5];
    size_t k;
};

static void fill (struct rng *rng, struct instance *it, int ndims, size_t n,
                  size_t k)
{
    uint32_t side = between (rng, 2, chance (rng, 50) ? 6 : 40);
    it->cloud = (struct cloud){.ndims = ndims, .n = n, .coords = it->coords};
    it->k = k;
    for (size_t i = 0; i < n * (size_t)ndims; i++)
        it->coords[i] = (int64_t)rng_below (rng, side) - 3;
}

static wide solve (const struct alloc_ops *ops, const struct instance *it,
                   double epsilon, bool *ret_refused)
{
    tori_alloc_config options = {.size = sizeof options, .epsilon = epsilon};
    tori_error err = {.status = TORI_OK};
    size_t chosen[MOST];
    wide sum = 0;
    *ret_refused
        = ops->choose (&it->cloud, it->k, &options, chosen, &err) < 0;
    if (*ret_refused) {
        assert_int_equal (err.status, TORI_GAVE_UP);
        assert_true (strlen (err.text) > 20);
        return 0;
    }
    for (size_t i = 0; i < it->k; i++)
        assert_true (chosen[i] < it->cloud.n
                     && (i == 0 || chosen[i - 1] < chosen[i]));
    cloud_pairwise (&it->cloud, chosen, it->k, &sum, NULL);
    return sum;
}

/* Centres alone, from the first points there are. */
static int centre_alone (const struct cloud *cloud, size_t k,
                         const tori_alloc_config *options, size_t *ret_chosen,
                         tori_error *err)
{
    uint64_t additions;
    int status;
    for (size_t i = 0; i < k; i++)
        ret_chosen[i] = i;
    status = ptas_centres (cloud, k, options, UINT64_C (1) << 33, ret_chosen,
                           &additions, err);
    assert_true (status >= 0);
    if (status == 0)
        return tori_error_set (err, TORI_GAVE_UP,
                               "centres are not all settled");
    return 0;
}

static const struct alloc_ops centre_ops = {.choose = centre_alone};

/* Whether it was answered. */
static bool check (const struct alloc_ops *ops, const struct instance *it,
                   double epsilon)
{
    bool refused, hopeless;
    wide sum = solve (ops, it, epsilon, &refused);
    wide best = solve (&exact_ops, it, 0, &hopeless);
    assert_false (hopeless);
    if (refused)
        return false;
    assert_true (sum >= best);
    assert_true ((double)sum <= (1 + epsilon) * (double)best + 1e-9);
    return true;
}

static void test_bound (void **state)
{
    static const struct {
        int ndims;
        uint32_t most_n, most_k;
        int rounds;
    } cases[] = {
        {1, 24, 12, 400}, {1, 40, 20, 50}, {2, 12, 8, 300}, {2, 16, 10, 60},
        {2, 14, 12, 100}, {3, 8, 6, 60},
    };
    struct rng rng;
    rng_seed (&rng, 2, 0);
    for (size_t c = 0; c < LENGTH (cases); c++)
        for (int i = 0; i < cases[c].rounds; i++) {
            struct instance it;
            size_t n = between (&rng, 1, cases[c].most_n);
            uint32_t k = between (&rng, 1, cases[c].most_k);
            double epsilon = epsilons[rng_below (&rng, LENGTH (epsilons))];
            fill (&rng, &it, cases[c].ndims, n, k < n ? k : n);
            assert_true (check (&ptas_ops, &it, epsilon));
            assert_true (it.k == 1 || check (&centre_ops, &it, epsilon));
        }
}

/* ---- rings ---- */

/* The least sum of all sets of k, by trying all. */
static wide brute_force (const struct cloud *cloud, size_t k)
{
    size_t chosen[MOST], i = 0;
    wide best = ~(wide)0, sum;
    for (size_t j = 0; j < k; j++)
        chosen[j] = j;
    do {
        sum = naive_cloud_pairs (cloud, chosen, k);
        best = sum < best ? sum : best;
        for (i = k; i > 0 && chosen[i - 1] == cloud->n - k + i - 1; i--)
            ;
        if (i > 0)
            chosen[i - 1]++;
        for (size_t j = i; i > 0 && j < k; j++)
            chosen[j] = chosen[j - 1] + 1;
    } while (i > 0);
    return best;
}

/* The free nodes of a torus, so many of them busy: points of a grid round
 * rings of these sides, 0 for a line of 4. */
static void fill_torus (struct rng *rng, struct instance *it, int ndims,
                        const uint32_t sides[], size_t most, uint32_t busy)
{
    uint32_t at[5] = {0};
    size_t n = 0;
    int d = 0;
    it->cloud = (struct cloud){.ndims = ndims, .coords = it->coords};
    for (int i = 0; i < ndims; i++)
        it->cloud.ring[i] = sides[i];
    while (d >= 0) {
        if (n < most && !chance (rng, busy)) {
            for (int i = 0; i < ndims; i++)
                it->coords[n * (size_t)ndims + (size_t)i] = at[i];
            n++;
        }
        for (d = ndims - 1;
             d >= 0 && ++at[d] == (sides[d] > 0 ? sides[d] : 4); d--)
            at[d] = 0;
    }
    it->cloud.n = n;
}

/* Idle and busy tori, sides from 1 on, odd and even, some of them lines, in up
 * to five dimensions. */
static void test_tori (void **state)
{
    static const struct {
        int ndims;
        uint32_t most_side, most_k;
        int rounds;
    } cases[] = {
        {1, 30, 9, 300}, {2, 5, 7, 300}, {2, 8, 5, 100},
        {3, 4, 6, 150},  {4, 3, 5, 60},  {5, 2, 5, 40},
    };
    struct rng rng;
    rng_seed (&rng, 7, 0);
    for (size_t c = 0; c < LENGTH (cases); c++)
        for (int i = 0; i < cases[c].rounds; i++) {
            struct instance it;
            uint32_t sides[5];
            uint32_t busy = chance (&rng, 30) ? 0 : between (&rng, 1, 80);
            for (int d = 0; d < cases[c].ndims; d++)
                sides[d] = chance (&rng, 10)
                               ? 0
                               : between (&rng, 1, cases[c].most_side);
            fill_torus (&rng, &it, cases[c].ndims, sides, MOST, busy);
            it.k = between (&rng, 1, cases[c].most_k);
            if (it.cloud.n < it.k)
                continue;
            for (size_t e = 2; e < LENGTH (epsilons); e++) {
                assert_true (check (&ptas_ops, &it, epsilons[e]));
                assert_true (it.k == 1
                             || check (&centre_ops, &it, epsilons[e]));
            }
        }
}

/* Points anywhere on rings and lines, repeats among them, beside all sets. */
static void test_brute (void **state)
{
    struct rng rng;
    rng_seed (&rng, 3, 0);
    for (int i = 0; i < 1000; i++) {
        struct instance it;
        int ndims = (int)between (&rng, 1, 3);
        size_t n = between (&rng, 1, 12), k = between (&rng, 1, (uint32_t)n);
        double epsilon = epsilons[rng_below (&rng, LENGTH (epsilons))];
        bool refused;
        wide sum, best;
        fill (&rng, &it, ndims, n, k);
        for (int d = 0; d < ndims; d++) {
            uint32_t side = between (&rng, 1, chance (&rng, 50) ? 6 : 40);
            it.cloud.ring[d] = chance (&rng, 80) ? side : 0;
            for (size_t j = 0; j < n; j++)
                it.coords[j * (size_t)ndims + (size_t)d]
                    = (int64_t)rng_below (&rng, side);
        }
        best = brute_force (&it.cloud, k);
        sum = solve (&ptas_ops, &it, epsilon, &refused);
        assert_false (refused);
        assert_true ((double)sum <= (1 + epsilon) * (double)best + 1e-9);
        if (k == 1)
            continue;
        sum = solve (&centre_ops, &it, epsilon, &refused);
        assert_false (refused);
        assert_true ((double)sum <= (1 + epsilon) * (double)best + 1e-9);
    }
}

/* Sets that go all the way round: a few points, evenly spread. */
static void test_all_round (void **state)
{
    for (int64_t ring = 3; ring <= 12; ring++)
        for (size_t n = 3; n <= 9; n++)
            for (size_t k = 2; k <= n; k++) {
                struct instance it = {.k = k};
                it.cloud = (struct cloud){.ndims = 1, .n = n,
                                          .coords = it.coords,
                                          .ring = {(uint64_t)ring}};
                for (size_t i = 0; i < n; i++)
                    it.coords[i] = (int64_t)i * ring / (int64_t)n;
                for (size_t e = 0; e < LENGTH (epsilons); e++)
                    assert_true (check (&centre_ops, &it, epsilons[e]));
            }
}

/* ---- small print ---- */

static void test_rings (void **state)
{
    static const int64_t within[] = {9, 0, 1, 2, 9, 0};
    struct cloud cloud = {.ndims = 1, .n = 6, .coords = within,
                          .ring = {10}};
    tori_alloc_config options = {0};
    size_t chosen[4], expected[] = {0, 1, 4, 5};
    assert_int_equal (ptas_ops.choose (&cloud, 4, &options, chosen, NULL), 0);
    assert_memory_equal (chosen, expected, sizeof chosen);
}

static void test_refusals (void **state)
{
    enum { N = 2500 };
    int64_t *coords = make_array (2 * N, sizeof *coords);
    tori_points points = {.ndims = 2, .n = N, .coords = coords};
    tori_alloc_config negative = {
        .size = sizeof negative, .name = "ptas", .epsilon = -1};
    tori_search known = {0};
    tori_alloc_config fine = {.size = sizeof fine,
                              .name = "ptas",
                              .epsilon = 0.01,
                              .steps = 1000,
                              .search = &known};
    tori_error err = {.status = TORI_OK};
    size_t chosen[50];
    uint64_t sum = 77;
    for (int64_t i = 0; i < 2 * N; i++)
        coords[i] = i % 2 ? i / 2 % 50 : i / 100;
    assert_int_equal (
        tori_points_choose (&fine, &points, 50, chosen, &sum, &err), -1);
    assert_int_equal (err.status, TORI_GAVE_UP);
    assert_non_null (strstr (err.text, "50 of 2500 points"));
    assert_int_equal (known.limit, 1000);
    assert_true (known.found && known.steps > 0);
    assert_true (known.at_least > 0 && known.at_least <= known.best);
    points.n = 5;
    assert_int_equal (
        tori_points_choose (&negative, &points, 2, chosen, &sum, &err), -1);
    assert_int_equal (err.status, TORI_INVALID);
    assert_int_equal (sum, 77);
    free (coords);
}

/* Sums of differences of coordinates at both ends of the range. */
static void test_extremes (void **state)
{
    static const int64_t coords[] = {INT64_MIN, INT64_MAX, INT64_MAX,
                                     INT64_MIN, INT64_MAX, INT64_MIN + 5,
                                     0,         0,         INT64_MIN,
                                     INT64_MIN + 1};
    struct cloud cloud = {.ndims = 2, .n = 5, .coords = coords};
    tori_alloc_config options = {0};
    size_t chosen[2];
    assert_int_equal (ptas_ops.choose (&cloud, 2, &options, chosen, NULL), 0);
    assert_int_equal (chosen[0], 1);
    assert_int_equal (chosen[1], 2);
}

/* Those that search tell how far they are: steps that do not fall, within the
 * limit, and the answer is the same. */
struct told {
    unsigned times;
    uint64_t steps, limit;
};

static void on_progress (void *arg, uint64_t steps, uint64_t limit)
{
    struct told *told = arg;
    assert_true (steps >= told->steps && steps <= limit);
    assert_int_equal (limit, told->limit);
    told->times++;
    told->steps = steps;
}

static void test_progress (void **state)
{
    static const struct {
        const struct alloc_ops *ops;
        uint64_t steps;
    } cases[] = {
        {&exact_ops, 0}, {&exact_ops, 100000}, {&ptas_ops, 0},
        {&ptas_ops, 10000},
    };
    static const uint32_t sides[] = {6, 6};
    struct instance it;
    struct rng rng;
    rng_seed (&rng, 8, 0);
    fill_torus (&rng, &it, 2, sides, MOST, 0);
    for (size_t c = 0; c < LENGTH (cases); c++) {
        bool exact = cases[c].ops == &exact_ops;
        uint64_t most = exact ? UINT64_C (1) << 34 : PTAS_STEPS;
        struct told told = {
            .limit = cases[c].steps ? cases[c].steps : most};
        tori_alloc_config quiet = {
            .size = sizeof quiet, .epsilon = 0.01, .steps = cases[c].steps};
        tori_alloc_config options = quiet;
        size_t chosen[10] = {0}, expected[10] = {0};
        options.on_progress = on_progress;
        options.arg = &told;
        assert_int_equal (
            cases[c].ops->choose (&it.cloud, 10, &options, chosen, NULL),
            cases[c].ops->choose (&it.cloud, 10, &quiet, expected, NULL));
        assert_memory_equal (chosen, expected, sizeof chosen);
        assert_true (told.times > 0);
    }
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_bound),
        cmocka_unit_test (test_tori),
        cmocka_unit_test (test_brute),
        cmocka_unit_test (test_all_round),
        cmocka_unit_test (test_rings),
        cmocka_unit_test (test_refusals),
        cmocka_unit_test (test_extremes),
        cmocka_unit_test (test_progress),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}

/* The approximation scheme: its strips, and its answers beside the best. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include <tori/points.h>

#include "policy.h"
#include "ptas.h"

enum { MOST = 64 };

static const double epsilons[] = {50, 3, 1, 0.5, 0.25, 0.1};

/* ---- strips ---- */

/* The part of a sum that distances within strips can be, by ptas.c. */
static double loss (const size_t *sizes, size_t m, size_t k)
{
    double inner = 0, outer = 0;
    for (size_t s = 0, before = 0; s < m; before += sizes[s++]) {
        size_t behind = k - before - sizes[s];
        double part;
        if (before == 0 || behind == 0) {
            outer += k > 1 ? ((double)sizes[s] - 1) / (double)(k - sizes[s])
                           : 0;
            continue;
        }
        part = (double)(sizes[s] * sizes[s] / 4) / (double)(before * behind);
        inner = part > inner ? part : inner;
    }
    return inner + outer;
}

/* What part they are on one coordinate, for widths and places at random. */
static double random_part (struct rng *rng, const size_t *sizes, size_t m,
                           size_t k)
{
    int64_t at[MOST];
    size_t strip[MOST], n = 0;
    double within = 0, all = 0;
    int64_t edge = 0;
    for (size_t s = 0; s < m; s++) {
        int64_t width = chance (rng, 50) ? 0 : between (rng, 0, 100);
        for (size_t i = 0; i < sizes[s]; i++, n++) {
            at[n] = edge + (chance (rng, 50) ? width * chance (rng, 50)
                                             : between (rng, 0, width));
            strip[n] = s;
        }
        edge += width;
    }
    assert_int_equal (n, k);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            double apart = (double)llabs (at[i] - at[j]);
            all += apart;
            within += strip[i] == strip[j] ? apart : 0;
        }
    return all > 0 ? within / all : 0;
}

static void test_strips (void **state)
{
    struct rng rng;
    rng_seed (&rng, 1, 0);
    for (size_t k = 1; k <= 40; k++)
        for (size_t e = 0; e < LENGTH (epsilons); e++) {
            size_t sizes[MOST], sum = 0;
            size_t m = ptas_strips (k, epsilons[e], sizes);
            for (size_t s = 0; s < m; s++) {
                assert_true (sizes[s] > 0);
                sum += sizes[s];
            }
            assert_int_equal (sum, k);
            assert_true (loss (sizes, m, k)
                         <= epsilons[e] / (1 + epsilons[e]) + 1e-12);
            for (int i = 0; i < 100; i++)
                assert_true (random_part (&rng, sizes, m, k)
                             <= loss (sizes, m, k) + 1e-12);
        }
}

/* More precision takes more strips; enough of it, one a point. */
static void test_more_strips (void **state)
{
    size_t sizes[MOST];
    for (size_t k = 2; k <= 40; k++) {
        size_t m = 0;
        for (size_t e = 0; e < LENGTH (epsilons); e++) {
            size_t next = ptas_strips (k, epsilons[e], sizes);
            assert_true (next >= m);
            m = next;
        }
        assert_int_equal (ptas_strips (k, 1e-9, sizes), k);
    }
}

/* No more strips than the paper's m, 1 / (m - 2) + 2 / (m - 1) small enough,
 * whatever k is. */
static void test_paper_strips (void **state)
{
    for (size_t e = 0; e < LENGTH (epsilons); e++) {
        double whole = epsilons[e] / (1 + epsilons[e]);
        size_t m = 3;
        while (1 / ((double)m - 2) + 2 / ((double)m - 1) > whole)
            m++;
        for (size_t k = 2; k <= 1000; k += 1 + k / 10) {
            size_t *sizes = make_array (k + 2, sizeof *sizes);
            assert_true (ptas_strips (k, epsilons[e], sizes) <= m);
            free (sizes);
        }
    }
}

/* ---- answers ---- */

struct instance {
    struct cloud cloud;
    int64_t coords[MOST * 3];
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
    tori_alloc_options options = {.epsilon = epsilon};
    tori_error err = {.status = TORI_OK};
    size_t chosen[MOST];
    wide sum = 0;
    *ret_refused
        = ops->choose (&it->cloud, it->k, &options, chosen, &err) < 0;
    if (*ret_refused) {
        assert_int_equal (err.status, TORI_INVALID);
        assert_true (strlen (err.text) > 20);
        return 0;
    }
    for (size_t i = 0; i < it->k; i++)
        assert_true (chosen[i] < it->cloud.n
                     && (i == 0 || chosen[i - 1] < chosen[i]));
    cloud_pairwise (&it->cloud, chosen, it->k, &sum, NULL);
    return sum;
}

/* Cuttings alone, without a good set to begin with. */
static int cut_alone (const struct cloud *cloud, size_t k,
                      const tori_alloc_options *options, size_t *ret_chosen,
                      tori_error *err)
{
    return ptas_cut (cloud, k, options->epsilon, NULL, ret_chosen, err);
}

static const struct alloc_ops cut_ops = {.choose = cut_alone};

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
    unsigned answered = 0, asked = 0;
    struct rng rng;
    rng_seed (&rng, 2, 0);
    for (size_t c = 0; c < LENGTH (cases); c++)
        for (int i = 0; i < cases[c].rounds; i++) {
            struct instance it;
            size_t n = between (&rng, 1, cases[c].most_n);
            uint32_t k = between (&rng, 1, cases[c].most_k);
            double epsilon = epsilons[rng_below (&rng, LENGTH (epsilons))];
            fill (&rng, &it, cases[c].ndims, n, k < n ? k : n);
            asked += 2;
            answered += check (&ptas_ops, &it, epsilon);
            answered += check (&cut_ops, &it, epsilon);
        }
    assert_true (answered * 10 > asked * 9);
}

/* ---- small print ---- */

static void test_rings (void **state)
{
    static const int64_t within[] = {9, 0, 1, 2, 9, 0};
    static const int64_t round[] = {0, 3, 6, 9, 1, 4};
    struct cloud cloud = {.ndims = 1, .n = 6, .coords = within,
                          .ring = {10}};
    tori_alloc_options options = {0};
    tori_error err = {.status = TORI_OK};
    size_t chosen[4], expected[] = {0, 1, 4, 5};
    assert_int_equal (ptas_ops.choose (&cloud, 4, &options, chosen, NULL), 0);
    assert_memory_equal (chosen, expected, sizeof chosen);
    cloud.coords = round;
    options.epsilon = 0.01;
    assert_int_equal (ptas_ops.choose (&cloud, 4, &options, chosen, &err),
                      -1);
    assert_int_equal (err.status, TORI_INVALID);
}

/* Round rings it answers what it knows to be good enough: always from an
 * epsilon of 1 - 2/k on, and all of the points. */
static void test_round (void **state)
{
    unsigned answered = 0;
    struct rng rng;
    rng_seed (&rng, 3, 0);
    for (int i = 0; i < 400; i++) {
        struct instance it;
        int ndims = (int)between (&rng, 1, 2);
        size_t n = between (&rng, 1, 12), k = between (&rng, 1, (uint32_t)n);
        double epsilon = epsilons[rng_below (&rng, LENGTH (epsilons))];
        uint32_t side = between (&rng, 1, 12);
        bool done;
        fill (&rng, &it, ndims, n, k);
        for (size_t j = 0; j < n * (size_t)ndims; j++)
            it.coords[j] = (int64_t)rng_below (&rng, side);
        it.cloud.ring[0] = side;
        done = check (&ptas_ops, &it, epsilon);
        assert_true (done || (k < n && epsilon < 1 - 2 / (double)k));
        answered += done;
    }
    assert_true (answered > 300);
}

static void test_refusals (void **state)
{
    enum { N = 2500 };
    int64_t *coords = make_array (2 * N, sizeof *coords);
    tori_points points = {.ndims = 2, .n = N, .coords = coords};
    tori_alloc_options negative = {.epsilon = -1}, fine = {.epsilon = 0.1};
    tori_error err = {.status = TORI_OK};
    size_t chosen[50];
    uint64_t sum = 77;
    for (int64_t i = 0; i < 2 * N; i++)
        coords[i] = i % 2 ? i / 2 % 50 : i / 100;
    assert_int_equal (tori_points_choose ("ptas", &points, 50, &fine,
                                          chosen, &sum, &err),
                      -1);
    assert_int_equal (err.status, TORI_INVALID);
    assert_non_null (strstr (err.text, "ways to cut 2500 points"));
    points.n = 5;
    assert_int_equal (tori_points_choose ("ptas", &points, 2, &negative,
                                          chosen, &sum, &err),
                      -1);
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
    tori_alloc_options options = {0};
    size_t chosen[2];
    assert_int_equal (ptas_ops.choose (&cloud, 2, &options, chosen, NULL), 0);
    assert_int_equal (chosen[0], 1);
    assert_int_equal (chosen[1], 2);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_strips),
        cmocka_unit_test (test_more_strips),
        cmocka_unit_test (test_paper_strips),
        cmocka_unit_test (test_bound),
        cmocka_unit_test (test_rings),
        cmocka_unit_test (test_round),
        cmocka_unit_test (test_refusals),
        cmocka_unit_test (test_extremes),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}

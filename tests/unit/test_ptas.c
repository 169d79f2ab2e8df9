/* Answers within 1 + epsilon beside the best. */
#include "naive_alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <tori/points.h>

#include "exact.h"
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

/* The scheme alone, from the first points there are. */
static int centre_alone (const struct cloud *cloud, size_t k,
                         const tori_alloc_config *options, size_t *ret_chosen,
                         tori_error *err)
{
    double ways;
    for (size_t i = 0; i < k; i++)
        ret_chosen[i] = i;
    assert_int_equal (ptas_centres (cloud, k, options, INT64_MAX, false,
                                    ret_chosen, &ways, err),
                      1);
    return 0;
}

/* Only the searches that have no limit: the others may try next to nothing. */
static int endless_alone (const struct cloud *cloud, size_t k,
                          const tori_alloc_config *options, size_t *ret_chosen,
                          tori_error *err)
{
    double ways;
    for (size_t i = 0; i < k; i++)
        ret_chosen[i] = i;
    assert_int_equal (
        ptas_centres (cloud, k, options, 1, true, ret_chosen, &ways, err), 1);
    return 0;
}

static void count_node (void *arg, uint64_t steps)
{
    (void)steps;
    ++*(double *)arg;
}

/* A search by strips, without centres, from the first points there are. */
static void strips_open (const struct cloud *cloud, size_t k, double epsilon,
                         const struct strips *strips, struct search *search,
                         uint8_t *marks)
{
    assert_int_equal (search_create (cloud, (uint32_t)k, search, NULL), 0);
    memset (search->found, CHOSEN, k);
    search->found_sum = search_sum (search, search->found);
    search->epsilon = epsilon;
    search->strips = strips;
    search->improving = true;
    search->limit = search_goal (search, search->found_sum);
    search->budget = UINT64_MAX;
    search_open (search, marks);
}

/* Strips alone. There are no more nodes than twice the ways to cut. */
static int strips_alone (const struct cloud *cloud, size_t k,
                         const tori_alloc_config *options, size_t *ret_chosen,
                         tori_error *err)
{
    struct strips strips;
    struct search search;
    uint8_t marks[MOST];
    double ways, nodes = 0;
    (void)err;
    assert_int_equal (
        strips_create ((uint32_t)k, options->epsilon, &strips, NULL), 0);
    strips_open (cloud, k, options->epsilon, &strips, &search, marks);
    assert_int_equal (search_count_ways (&search, marks, &ways, NULL), 0);
    search_clear (&search);
    strips_open (cloud, k, options->epsilon, &strips, &search, marks);
    search.on_node = count_node;
    search.arg = &nodes;
    assert_int_equal (search_explore (&search, marks, NULL), 0);
    assert_true (nodes <= 2 * ways + 1);
    for (size_t i = 0, at = 0; i < cloud->n; i++)
        if (search.found[i] == CHOSEN)
            ret_chosen[at++] = i;
    search_clear (&search);
    strips_clear (&strips);
    return 0;
}

static const struct alloc_ops centre_ops = {.choose = centre_alone};
static const struct alloc_ops endless_ops = {.choose = endless_alone};
static const struct alloc_ops strips_ops = {.choose = strips_alone};

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

TEST (bound)
{
    static const struct {
        int ndims;
        uint32_t most_n, most_k;
        int rounds;
    } cases[] = {
        {1, 24, 12, 140}, {1, 40, 20, 20}, {2, 12, 8, 100}, {2, 16, 10, 20},
        {2, 14, 12, 40}, {3, 8, 6, 20},
    };
    struct rng rng = seeded (2);
    for (size_t c = 0; c < LENGTH (cases); c++)
        for (int i = 0; i < (int)random_cases ((size_t)cases[c].rounds); i++) {
            struct instance it;
            size_t n = between (&rng, 1, cases[c].most_n);
            uint32_t k = between (&rng, 1, cases[c].most_k);
            double epsilon = epsilons[rng_below (&rng, LENGTH (epsilons))];
            fill (&rng, &it, cases[c].ndims, n, k < n ? k : n);
            assert_true (check (&ptas_ops, &it, epsilon));
            assert_true (it.k == 1
                         || (check (&centre_ops, &it, epsilon)
                             && check (&endless_ops, &it, epsilon)));
            assert_true (check (&strips_ops, &it, epsilon));
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
TEST (tori)
{
    static const struct {
        int ndims;
        uint32_t most_side, most_k;
        int rounds;
    } cases[] = {
        {1, 30, 9, 100}, {2, 5, 7, 100}, {2, 8, 5, 40},
        {3, 4, 6, 50},   {4, 3, 5, 20},  {5, 2, 5, 20},
    };
    struct rng rng = seeded (7);
    for (size_t c = 0; c < LENGTH (cases); c++)
        for (int i = 0; i < (int)random_cases ((size_t)cases[c].rounds); i++) {
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
                             || (check (&centre_ops, &it, epsilons[e])
                                 && check (&endless_ops, &it, epsilons[e])));
                assert_true (check (&strips_ops, &it, epsilons[e]));
            }
        }
}

/* Points anywhere on rings and lines, repeats among them, beside all sets. */
TEST (brute)
{
    struct rng rng = seeded (3);
    for (int i = 0; i < (int)random_cases (334); i++) {
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
        sum = solve (&strips_ops, &it, epsilon, &refused);
        assert_true ((double)sum <= (1 + epsilon) * (double)best + 1e-9);
        if (k == 1)
            continue;
        sum = solve (&centre_ops, &it, epsilon, &refused);
        assert_false (refused);
        assert_true ((double)sum <= (1 + epsilon) * (double)best + 1e-9);
    }
}

/* Sets that go all the way round: a few points, evenly spread. */
TEST (all_round)
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
                    assert_true (check (&centre_ops, &it, epsilons[e])
                                 && check (&endless_ops, &it, epsilons[e]));
            }
}

/* ---- strips ---- */

/* n (k - n) is within 1 + epsilon of its chords, and no strip can be longer.
 * There are never twice as many as with ends at fractions. */
static void check_strips (uint32_t k, double epsilon)
{
    double most = 2 * ceil (acos (-1) / 2 / atan (sqrt (epsilon)));
    struct strips strips;
    assert_int_equal (strips_create (k, epsilon, &strips, NULL), 0);
    assert_int_equal (strips.ends[0], 0);
    assert_int_equal (strips.ends[strips.count], k);
    assert_true (strips.count <= k && strips.count <= most);
    for (uint32_t j = 0; j < strips.count; j++) {
        double a = strips.ends[j], b = strips.ends[j + 1], c = b + 1;
        bool longer = c <= k;
        assert_true (a < b);
        for (double n = a; n <= b; n++)
            assert_true (n * (k - n)
                         <= (1 + epsilon) * (n * (k - a - b) + a * b) + 1e-9);
        for (double n = a; n <= c; n++)
            longer = longer
                     && n * (k - n)
                            < (1 + epsilon) * (n * (k - a - c) + a * c) - 1e-6;
        assert_false (longer && c > a + 1);
    }
    strips_clear (&strips);
}

TEST (strips)
{
    struct strips strips;
    for (uint32_t k = 1; k <= 300; k++)
        for (size_t e = 0; e < LENGTH (epsilons); e++)
            check_strips (k, epsilons[e]);
    check_strips (16384, 0.001);
    /* Large k: the numbers that strips.h gives. */
    static const struct {
        double epsilon;
        uint32_t count;
    } cases[] = {{1.01, 2}, {0.34, 3}, {0.18, 4}, {0.11, 5}, {0.073, 6}};
    for (size_t i = 0; i < LENGTH (cases); i++) {
        assert_int_equal (
            strips_create (10000, cases[i].epsilon, &strips, NULL), 0);
        assert_int_equal (strips.count, cases[i].count);
        strips_clear (&strips);
    }
}

/* Lines of c cuts have (c + m - 1 over m - 1) ways, and rings more. */
TEST (ways)
{
    enum { K = 60, CUTS = 12 };
    uint32_t low[CUTS] = {0}, high[CUTS], fall[CUTS], none[CUTS] = {0};
    struct strips strips;
    double ways, expected = 1, all = 1;
    for (uint32_t c = 0; c < CUTS; c++)
        high[c] = fall[c] = K;
    assert_int_equal (strips_create (K, 0.1, &strips, NULL), 0);
    for (uint32_t i = 1; i < strips.count; i++)
        expected = expected * (CUTS + i) / i;
    for (uint32_t c = 0; c < CUTS; c++)
        all *= strips.count;
    assert_int_equal (
        strips_ways (&strips, CUTS, low, high, fall, none, &ways, NULL), 0);
    assert_true (ways == expected);
    assert_int_equal (
        strips_ways (&strips, CUTS, low, high, fall, fall, &ways, NULL), 0);
    assert_true (ways == all);
    assert_int_equal (
        strips_ways (&strips, CUTS, low, high, none, none, &ways, NULL), 0);
    assert_true (ways == strips.count);
    strips_clear (&strips);
}

/* ---- the scheme without short cuts ---- */

/* All ways to give the cuts of lines one of the lines of g each: what the k
 * cheapest points cost, and their sum. */
struct plain {
    const struct cloud *cloud;
    size_t k;
    const struct strips *strips;
    int64_t sides[2];  /* coordinates are below these */
    uint32_t line[16]; /* of a cut, both dimensions in a row */
    double least;      /* cost */
    wide sum;          /* of the set that has it */
};

static double plain_price (const struct plain *p, const int64_t *point)
{
    double price = 0;
    const uint32_t *line = p->line;
    for (int d = 0; d < 2; line += p->sides[d] - 1, d++)
        for (int64_t c = 0; c < point[d]; c++)
            price += (double)p->k - p->strips->ends[line[c]]
                     - p->strips->ends[line[c] + 1];
    return price;
}

static void plain_evaluate (struct plain *p)
{
    size_t chosen[MOST];
    double cost = 0, price[MOST];
    for (int64_t c = 0; c < p->sides[0] + p->sides[1] - 2; c++)
        cost += (double)p->strips->ends[p->line[c]]
                * p->strips->ends[p->line[c] + 1];
    for (size_t i = 0; i < p->cloud->n; i++)
        price[i] = plain_price (p, cloud_point (p->cloud, i));
    for (size_t j = 0; j < p->k; j++) {
        size_t least = 0;
        for (size_t i = 1; i < p->cloud->n; i++)
            if (price[i] < price[least])
                least = i;
        chosen[j] = least;
        cost += price[least];
        price[least] = INFINITY;
    }
    if (cost < p->least) {
        p->least = cost;
        p->sum = naive_cloud_pairs (p->cloud, chosen, p->k);
    }
}

/* The numbers inside fall along a line, and so do the lines of g. */
static void plain_assign (struct plain *p, int64_t cut)
{
    uint32_t from = p->strips->count - 1;
    if (cut == p->sides[0] + p->sides[1] - 2) {
        plain_evaluate (p);
        return;
    }
    if (cut > 0 && cut != p->sides[0] - 1)
        from = p->line[cut - 1];
    for (uint32_t j = from + 1; j-- > 0;) {
        p->line[cut] = j;
        plain_assign (p, cut + 1);
    }
}

/* The least cost is no more than the least sum, and its set is within 1 +
 * epsilon: what strips.h proves. */
TEST (plain)
{
    struct rng rng = seeded (11);
    for (int i = 0; i < (int)random_cases (500); i++) {
        struct instance it;
        struct strips strips;
        size_t n = between (&rng, 2, 11), k = between (&rng, 2, (uint32_t)n);
        double epsilon = epsilons[between (&rng, 1, LENGTH (epsilons) - 1)];
        struct plain plain = {.cloud = &it.cloud, .k = k, .strips = &strips,
                              .least = INFINITY};
        wide best;
        it.cloud = (struct cloud){.ndims = 2, .n = n, .coords = it.coords};
        for (int d = 0; d < 2; d++)
            plain.sides[d] = between (&rng, 2, 5);
        for (size_t j = 0; j < 2 * n; j++)
            it.coords[j] = rng_below (&rng, (uint32_t)plain.sides[j % 2]);
        best = brute_force (&it.cloud, k);
        assert_int_equal (strips_create ((uint32_t)k, epsilon, &strips, NULL),
                          0);
        plain_assign (&plain, 0);
        assert_true (plain.least <= (double)best + 1e-9);
        assert_true ((double)plain.sum <= (1 + epsilon) * (double)best + 1e-9);
        strips_clear (&strips);
    }
}

/* ---- all free sets of small meshes ---- */

enum { SMALL = 12 };

/* The least sum of every number of nodes of every free set. */
static void find_least (const struct cloud *cloud, uint16_t least[][SMALL + 1])
{
    for (uint32_t set = 0; set < 1U << SMALL; set++) {
        size_t chosen[SMALL], k = 0;
        memset (least[set], 255, sizeof least[set]);
        for (size_t i = 0; i < SMALL; i++)
            if (set >> i & 1)
                chosen[k++] = i;
        least[set][k] = (uint16_t)naive_cloud_pairs (cloud, chosen, k);
        for (size_t i = 0; i < SMALL; i++)
            for (size_t j = 0; j < k && set >> i & 1; j++)
                if (least[set & ~(1U << i)][j] < least[set][j])
                    least[set][j] = least[set & ~(1U << i)][j];
    }
}

static void check_free_set (const struct cloud *all, uint32_t set,
                            const uint16_t least[], double epsilon)
{
    struct instance it = {.cloud = *all};
    it.cloud.coords = it.coords;
    it.cloud.n = 0;
    for (size_t i = 0; i < all->n; i++)
        if (set >> i & 1)
            memcpy (it.coords + 2 * it.cloud.n++, cloud_point (all, i),
                    2 * sizeof *it.coords);
    for (it.k = 2 + set / 3 % 2; it.k < it.cloud.n; it.k += 2) {
        bool refused;
        wide sum = solve (&ptas_ops, &it, epsilon, &refused);
        assert_true (!refused && sum >= least[it.k]);
        assert_true ((double)sum
                     <= (1 + epsilon) * (double)least[it.k] + 1e-9);
        sum = solve (&strips_ops, &it, epsilon, &refused);
        assert_true ((double)sum
                     <= (1 + epsilon) * (double)least[it.k] + 1e-9);
    }
}

TEST (free_sets)
{
    static const double fine[] = {0.5, 0.2, 0.05};
    static uint16_t least[1 << SMALL][SMALL + 1];
    int64_t coords[2 * SMALL];
    struct cloud all = {.ndims = 2, .n = SMALL, .coords = coords};
    for (int64_t i = 0; i < SMALL; i++) {
        coords[2 * i] = i / 4;
        coords[2 * i + 1] = i % 4;
    }
    find_least (&all, least);
    for (uint32_t set = 0; set < 1U << SMALL; set++)
        check_free_set (&all, set, least[set], fine[set % LENGTH (fine)]);
}

/* Free sets of 5x5, and half of them with links around. */
TEST (random_sets)
{
    struct rng rng = seeded (12);
    for (int i = 0; i < (int)random_cases (100); i++) {
        uint32_t side = chance (&rng, 50) ? 5 : 0, sides[2] = {side, 5};
        struct instance it;
        fill_torus (&rng, &it, 2, sides, MOST, between (&rng, 0, 60));
        if (it.cloud.n < 3)
            continue;
        it.cloud.ring[1] = side;
        it.k = between (&rng, 2, (uint32_t)it.cloud.n - 1);
        for (size_t e = 3; e < LENGTH (epsilons); e++)
            assert_true (check (&ptas_ops, &it, epsilons[e])
                         && check (&strips_ops, &it, epsilons[e]));
    }
}

/* ---- small print ---- */

TEST (rings)
{
    static const int64_t within[] = {9, 0, 1, 2, 9, 0};
    struct cloud cloud = {.ndims = 1, .n = 6, .coords = within,
                          .ring = {10}};
    tori_alloc_config options = {0};
    size_t chosen[4], expected[] = {0, 1, 4, 5};
    assert_int_equal (ptas_ops.choose (&cloud, 4, &options, chosen, NULL), 0);
    assert_memory_equal (chosen, expected, sizeof chosen);
}

TEST (refusals)
{
    enum { N = 1000 };
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
    assert_non_null (strstr (err.text, "ways to cut 1000 points into strips "
                                       "for the best 50 within 1 + 0.01"));
    assert_int_equal (known.limit, 1000);
    assert_true (known.found && known.steps == 0);
    assert_true (known.at_least > 0 && known.at_least <= known.best);
    points.n = 5;
    assert_int_equal (
        tori_points_choose (&negative, &points, 2, chosen, &sum, &err), -1);
    assert_int_equal (err.status, TORI_INVALID);
    assert_int_equal (sum, 77);
    free (coords);
}

/* Scattered points with 10^30 ways to cut them around centres. No set is better
 * than the answer by more than epsilon, so none that a search for a smaller
 * epsilon finds. */
TEST (scattered)
{
    enum { N = 400, K = 150 };
    int64_t coords[2 * N];
    tori_points points = {.ndims = 2, .n = N, .coords = coords};
    static const double chosen_epsilons[] = {0.05, 0.02};
    uint64_t sum[2];
    size_t chosen[K];
    struct rng rng = seeded (3);
    for (size_t i = 0; i < 2 * N; i++)
        coords[i] = (int64_t)rng_below (&rng, 1000);
    for (int e = 0; e < 2; e++) {
        tori_alloc_config config = {.size = sizeof config,
                                    .name = "ptas",
                                    .epsilon = chosen_epsilons[e],
                                    .steps = UINT64_MAX};
        assert_int_equal (tori_points_choose (&config, &points, K, chosen,
                                              &sum[e], NULL),
                          0);
    }
    assert_true ((double)sum[0] <= 1.05 * (double)sum[1]);
}

/* Sums of differences of coordinates at both ends of the range. */
TEST (extremes)
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

/* Those that search tell how far they are: steps that do not fall, within a
 * limit that stays, and the answer is the same. The limit of ptas is not known
 * before. */
struct told {
    unsigned times;
    uint64_t steps, limit;
};

static void on_progress (void *arg, uint64_t steps, uint64_t limit)
{
    struct told *told = arg;
    assert_true (steps >= told->steps && steps <= limit && limit > 0);
    if (told->limit)
        assert_int_equal (limit, told->limit);
    told->limit = limit;
    told->times++;
    told->steps = steps;
}

TEST (progress)
{
    static const struct {
        const struct alloc_ops *ops;
        uint64_t steps;
    } cases[] = {
        {&exact_ops, 0}, {&exact_ops, 100000}, {&ptas_ops, 0},
        {&ptas_ops, UINT64_C (1) << 50},
    };
    static const uint32_t sides[] = {6, 6};
    struct instance it;
    struct rng rng = seeded (8);
    fill_torus (&rng, &it, 2, sides, MOST - 1, 0);
    memcpy (it.coords + 2 * it.cloud.n++, it.coords, 2 * sizeof *it.coords);
    for (size_t c = 0; c < LENGTH (cases); c++) {
        bool exact = cases[c].ops == &exact_ops;
        uint64_t most = exact ? UINT64_C (1) << 34 : 0;
        struct told told = {
            .limit = exact && cases[c].steps ? cases[c].steps : most};
        tori_alloc_config quiet = {
            .size = sizeof quiet, .epsilon = 0.1, .steps = cases[c].steps};
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

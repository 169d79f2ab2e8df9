/* The approximation scheme: its strips, and its answers beside the best. */
#include "naive_alloc.h"

#include <stdlib.h>
#include <string.h>

#include <tori/points.h>

#include "policy.h"
#include "ptas.h"
#include "strips.h"

enum { MOST = 64 };

static const double epsilons[] = {50, 3, 1, 0.5, 0.25, 0.1};

/* ---- strips of a line ---- */

static double whole (double epsilon)
{
    return epsilon / (1 + epsilon);
}

/* What part of the distances is within strips, for widths and places at
 * random. */
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
            size_t m = strips_line (k, epsilons[e], sizes);
            for (size_t s = 0; s < m; s++) {
                assert_true (sizes[s] > 0);
                sum += sizes[s];
            }
            assert_int_equal (sum, k);
            for (int i = 0; i < 200; i++)
                assert_true (random_part (&rng, sizes, m, k)
                             <= whole (epsilons[e]) + 1e-12);
        }
}

/* The first strip is as long as can be: with all but the first of its points
 * at one place, and one more, it would lose too much. */
static void test_longest_strips (void **state)
{
    for (size_t k = 2; k <= 40; k++)
        for (size_t e = 0; e < LENGTH (epsilons); e++) {
            size_t sizes[MOST];
            strips_line (k, epsilons[e], sizes);
            if (sizes[0] < k)
                assert_true ((double)sizes[0] / (double)(k - 1)
                             > whole (epsilons[e]) - 1e-12);
            assert_true ((double)(sizes[0] - 1) / (double)(k - 1)
                         <= whole (epsilons[e]) + 1e-12);
        }
}

/* More precision takes more strips; enough of it, one a point. */
static void test_more_strips (void **state)
{
    size_t sizes[MOST];
    for (size_t k = 2; k <= 40; k++) {
        size_t line = 0, ring = 0;
        for (size_t e = 0; e < LENGTH (epsilons); e++) {
            size_t next = strips_line (k, epsilons[e], sizes);
            assert_true (next >= line);
            line = next;
            next = strips_ring (k, epsilons[e], sizes);
            assert_true (next >= ring && next >= line);
            ring = next;
        }
        assert_int_equal (strips_line (k, 1e-9, sizes), k);
        assert_int_equal (strips_ring (k, 1e-9, sizes), k);
    }
}

/* No more strips than the paper's m, 1 / (m - 2) + 2 / (m - 1) small enough,
 * whatever k is; round a ring no more than 2 / a + 2. */
static void test_paper_strips (void **state)
{
    for (size_t e = 0; e < LENGTH (epsilons); e++) {
        double a = whole (epsilons[e]);
        size_t m = 3;
        while (1 / ((double)m - 2) + 2 / ((double)m - 1) > a)
            m++;
        for (size_t k = 2; k <= 1000; k += 1 + k / 10) {
            size_t *sizes = make_array (k, sizeof *sizes);
            assert_true (strips_line (k, epsilons[e], sizes) <= m);
            assert_true ((double)strips_ring (k, epsilons[e], sizes)
                         <= 2 / a + 2);
            free (sizes);
        }
    }
}

/* ---- strips of a ring ---- */

/* A set round a ring as a half turn comes over it: `enters` says which of its
 * points enter, and `at` where. */
struct half_turn {
    size_t k, least;
    int64_t half; /* of the ring, doubled */
    int64_t at[MOST];
    bool enters[MOST];
};

static size_t ahead_at_first (const struct half_turn *h)
{
    size_t ahead = 0;
    for (size_t i = 0; i < h->k; i++)
        ahead += !h->enters[i];
    return ahead;
}

/* Begin one point later: it comes last then, and changes sides. */
static void turn_one (struct half_turn *h)
{
    int64_t step = h->at[0];
    bool enters = !h->enters[0];
    for (size_t i = 1; i < h->k; i++) {
        h->at[i - 1] = h->at[i] - step;
        h->enters[i - 1] = h->enters[i];
    }
    h->at[h->k - 1] = h->half;
    h->enters[h->k - 1] = enters;
}

/* Points at random, in a few places or in a part of the ring, and the turn
 * where the fewest are ahead. */
static void random_turn (struct rng *rng, struct half_turn *h, size_t k)
{
    uint32_t some = between (rng, 1, 1000);
    h->k = k;
    h->half = 1000;
    for (size_t i = 0; i < k; i++) {
        int64_t at = between (rng, 0, chance (rng, 50) ? some : 1000);
        size_t j = i;
        for (; j > 0 && h->at[j - 1] > at; j--) {
            h->at[j] = h->at[j - 1];
            h->enters[j] = h->enters[j - 1];
        }
        h->at[j] = at;
        h->enters[j] = chance (rng, some % 100);
    }
    h->least = k;
    for (size_t i = 0; i < 2 * k; i++, turn_one (h))
        if (ahead_at_first (h) < h->least)
            h->least = ahead_at_first (h);
    while (ahead_at_first (h) != h->least)
        turn_one (h);
}

/* Cut into strips as ptas does, each the longest that it tries: the strip of
 * every point, and what a step forward costs it. */
static size_t cut_turn (const struct half_turn *h, double epsilon,
                        size_t strip[], ptrdiff_t pull[])
{
    struct turn turn = {h->k, h->least, epsilon};
    struct passed before = {0, 0};
    size_t m = 0, i = 0;
    while (i < h->k) {
        struct passed points = {0, 0}, widest = {0, 0};
        for (size_t j = i; j < h->k; j++) {
            points.left += !h->enters[j];
            points.entered += h->enters[j];
            if (strip_widest (&turn, before, points))
                widest = points;
        }
        assert_true (widest.left + widest.entered > 0);
        for (size_t j = 0; j < widest.left + widest.entered; j++, i++) {
            pull[i] = strip_pull (&turn, before, widest, h->enters[i]);
            strip[i] = m;
        }
        m++;
        before.left += widest.left;
        before.entered += widest.entered;
    }
    return m;
}

/* Cut for cut, the pairs that it parts, and those of its own strip: a cut
 * before a point belongs to the strip of the point. */
static void sum_cuts (const struct half_turn *h, const size_t strip[],
                      double *ret_all, double *ret_own)
{
    *ret_all = *ret_own = 0;
    for (size_t i = 0; i < h->k; i++) {
        double width = (double)(h->at[i] - (i > 0 ? h->at[i - 1] : 0));
        size_t sides[2] = {0, 0}, own[2] = {0, 0};
        for (size_t j = 0; j < h->k; j++) {
            bool ahead = j < i ? h->enters[j] : !h->enters[j];
            sides[ahead]++;
            own[ahead] += strip[j] == strip[i];
        }
        *ret_all += width * (double)(sides[0] * sides[1]);
        *ret_own += width * (double)(own[0] * own[1]);
    }
}

/* As far apart as the turn goes on while they are on different sides. */
static double turned_sum (const struct half_turn *h)
{
    int64_t sum = 0;
    for (size_t i = 0; i < h->k; i++)
        for (size_t j = 0; j < i; j++) {
            int64_t apart = llabs (h->at[i] - h->at[j]);
            sum += h->enters[i] == h->enters[j] ? apart : h->half - apart;
        }
    return (double)sum;
}

static void test_ring_strips (void **state)
{
    struct rng rng;
    rng_seed (&rng, 5, 0);
    for (int round = 0; round < 4000; round++) {
        struct half_turn h;
        double epsilon = epsilons[rng_below (&rng, LENGTH (epsilons))];
        double own, all;
        size_t strip[MOST], sizes[MOST], k = between (&rng, 1, 40);
        ptrdiff_t pull[MOST];
        random_turn (&rng, &h, k);
        assert_true (h.enters[0] && h.enters[k - 1]);
        assert_true (cut_turn (&h, epsilon, strip, pull)
                     <= strips_ring (k, epsilon, sizes));
        sum_cuts (&h, strip, &all, &own);
        assert_true (all == turned_sum (&h));
        assert_true (own <= whole (epsilon) * all + 1e-9);
    }
}

/* What is counted changes by the pull with every step of a point that stays
 * within its strip. */
static void test_pull (void **state)
{
    struct rng rng;
    unsigned moved = 0;
    rng_seed (&rng, 6, 0);
    for (int round = 0; round < 4000; round++) {
        struct half_turn h;
        double own, all, next_own, next_all;
        size_t strip[MOST], k = between (&rng, 1, 20);
        size_t i = rng_below (&rng, (uint32_t)k);
        ptrdiff_t pull[MOST];
        random_turn (&rng, &h, k);
        cut_turn (&h, 0.5, strip, pull);
        if (i + 1 == k || strip[i] != strip[i + 1] || h.at[i] == h.at[i + 1])
            continue;
        sum_cuts (&h, strip, &all, &own);
        h.at[i]++;
        sum_cuts (&h, strip, &next_all, &next_own);
        assert_true (next_all - next_own == all - own + (double)pull[i]);
        moved += h.least > 0;
    }
    assert_true (moved > 100);
}

/* Within half a ring strips are those of a line. */
static void test_half_ring (void **state)
{
    for (size_t k = 1; k <= 40; k++)
        for (size_t e = 0; e < LENGTH (epsilons); e++) {
            struct half_turn h = {.k = k};
            size_t strip[MOST], sizes[MOST];
            ptrdiff_t pull[MOST];
            for (size_t i = 0; i < k; i++)
                h.enters[i] = true;
            assert_int_equal (cut_turn (&h, epsilons[e], strip, pull),
                              strips_line (k, epsilons[e], sizes));
            for (size_t i = 0, s = 0, at = 0; i < k; i++) {
                if (i == at + sizes[s])
                    at += sizes[s++];
                assert_int_equal (strip[i], s);
            }
        }
}

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

/* Cuttings alone, without a good set to begin with. */
static int cut_alone (const struct cloud *cloud, size_t k,
                      const tori_alloc_config *options, size_t *ret_chosen,
                      tori_error *err)
{
    return ptas_cut (cloud, k, options, 0, NULL, ret_chosen, err);
}

static const struct alloc_ops cut_ops = {.choose = cut_alone};

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
            assert_true (it.k == 1 || check (&centre_ops, &it, epsilon));
        }
    assert_true (answered * 10 > asked * 9);
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
    unsigned answered = 0, asked = 0;
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
                asked += 2;
                answered += check (&ptas_ops, &it, epsilons[e]);
                answered += check (&cut_ops, &it, epsilons[e]);
                assert_true (it.k == 1
                             || check (&centre_ops, &it, epsilons[e]));
            }
        }
    assert_true (answered * 100 > asked * 99);
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
        sum = solve (&cut_ops, &it, epsilon, &refused);
        assert_false (refused);
        assert_true ((double)sum <= (1 + epsilon) * (double)best + 1e-9);
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
                    assert_true (check (&cut_ops, &it, epsilons[e]));
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
    assert_non_null (strstr (err.text, "here 2500 points"));
    assert_int_equal (known.limit, 1000);
    assert_true (known.found && known.steps > 0 && known.estimate > 1e18);
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
        {&ptas_ops, 10000}, {&cut_ops, 1000000},
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
        cmocka_unit_test (test_strips),
        cmocka_unit_test (test_longest_strips),
        cmocka_unit_test (test_more_strips),
        cmocka_unit_test (test_paper_strips),
        cmocka_unit_test (test_ring_strips),
        cmocka_unit_test (test_pull),
        cmocka_unit_test (test_half_ring),
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

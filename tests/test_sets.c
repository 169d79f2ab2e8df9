/* Sets of points: all up to a sum are found, and the first of the best. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "exact_pairs.h"
#include "pairs.h"

enum { MOST_POINTS = 12, MOST_DIMS = 6 };

struct instance {
    int64_t coords[MOST_POINTS * MOST_DIMS];
    struct cloud cloud;
    size_t k;
};

/* Points with repeats and ties, or anywhere, some dimensions round rings, with
 * no more centres than can be tried. */
static void random_instance (struct rng *rng, struct instance *ret)
{
    static const uint32_t most[] = {0, MOST_POINTS, MOST_POINTS, 10, 7, 5, 4};
    int ndims = (int)between (rng, 1, MOST_DIMS);
    uint32_t side = between (rng, 1, chance (rng, 50) ? 5 : 1000);
    ret->cloud = (struct cloud){.ndims = ndims, .coords = ret->coords};
    ret->cloud.n = between (rng, 1, side <= 2 ? MOST_POINTS : most[ndims]);
    for (size_t i = 0; i < ret->cloud.n * (size_t)ndims; i++)
        ret->coords[i] = (int64_t)between (rng, 0, side - 1);
    for (int d = 0; d < ndims; d++)
        if (chance (rng, 30))
            ret->cloud.ring[d] = between (rng, side, side + 2);
    ret->k = between (rng, 1, (uint32_t)ret->cloud.n);
}

static wide sum_of (const struct cloud *cloud, uint32_t set)
{
    size_t chosen[MOST_POINTS], k = 0;
    wide sum;
    for (size_t i = 0; i < cloud->n; i++)
        if (set >> i & 1)
            chosen[k++] = i;
    assert_int_equal (cloud_pairwise (cloud, chosen, k, &sum, NULL), 0);
    return sum;
}

/* ---- all sets up to a sum ---- */

struct log {
    bool seen[1 << MOST_POINTS];
    size_t count;
};

static int note (void *arg, struct pairs *pairs, const uint8_t marks[],
                 wide sum, tori_error *err)
{
    struct log *log = arg;
    uint32_t set = 0;
    for (uint32_t i = 0; i < pairs->n; i++)
        set |= (uint32_t)(marks[i] == CHOSEN) << i;
    assert_int_equal (__builtin_popcount (set), pairs->k);
    assert_true (sum <= pairs->limit);
    assert_false (log->seen[set]);
    log->seen[set] = true;
    log->count++;
    return 0;
}

/* Whether of points at one place it has the first. */
static bool first_of_place (const struct cloud *cloud, uint32_t set)
{
    for (size_t i = 0; i < cloud->n; i++)
        for (size_t j = i + 1; j < cloud->n; j++)
            if (!(set >> i & 1) && set >> j & 1
                && cloud_distance (cloud, cloud_point (cloud, i),
                                   cloud_point (cloud, j)) == 0)
                return false;
    return true;
}

static void check_all_sets (const struct instance *instance, wide limit)
{
    const struct cloud *cloud = &instance->cloud;
    struct log log = {0};
    struct pairs pairs;
    size_t count = 0;
    assert_int_equal (pairs_create (cloud, instance->k, &pairs, NULL), 0);
    pairs.limit = limit;
    pairs.budget = UINT64_MAX;
    pairs.on_set = note;
    pairs.arg = &log;
    assert_int_equal (pairs_search (&pairs, NULL), 0);
    for (uint32_t set = 0; set < UINT32_C (1) << cloud->n; set++)
        if ((size_t)__builtin_popcount (set) == instance->k
            && first_of_place (cloud, set)) {
            wide sum = sum_of (cloud, set);
            assert_int_equal (log.seen[set], sum <= limit);
            count += sum <= limit;
        }
    assert_int_equal (log.count, count);
    pairs_clear (&pairs);
}

static void test_all_sets (void **state)
{
    struct rng rng;
    rng_seed (&rng, 1, 0);
    for (int i = 0; i < 600; i++) {
        struct instance instance;
        random_instance (&rng, &instance);
        check_all_sets (&instance,
                        sum_of (&instance.cloud,
                                (UINT32_C (1) << instance.k) - 1));
    }
}

/* ---- the first of the best ---- */

static const tori_alloc_options no_options;

/* Lists of indexes in order: the set whose lowest point is lower, or has the
 * next lower one, and so on. */
static bool comes_first (uint32_t a, uint32_t b)
{
    uint32_t differ = a ^ b;
    return a & (differ & -differ);
}

static uint32_t first_best (const struct instance *instance)
{
    uint32_t best = 0;
    wide least = 0;
    for (uint32_t set = 0; set < UINT32_C (1) << instance->cloud.n; set++) {
        wide sum;
        if ((size_t)__builtin_popcount (set) != instance->k)
            continue;
        sum = sum_of (&instance->cloud, set);
        if (best
            && (sum > least || (sum == least && !comes_first (set, best))))
            continue;
        best = set;
        least = sum;
    }
    return best;
}

static void expect_best (const struct instance *instance, const size_t *set)
{
    uint32_t found = 0;
    for (size_t i = 0; i < instance->k; i++)
        found |= UINT32_C (1) << set[i];
    assert_int_equal (found, first_best (instance));
}

static void test_first_best (void **state)
{
    struct rng rng;
    size_t answered = 0;
    rng_seed (&rng, 6, 0);
    for (int i = 0; i < 600; i++) {
        struct instance instance;
        struct exact_share any = {&no_options, UINT64_MAX, UINT64_MAX, 0};
        struct exact_share some = {&no_options, 1 << 20, 1 << 20, 0};
        size_t set[MOST_POINTS];
        int status;
        random_instance (&rng, &instance);
        for (size_t j = 0; j < instance.k; j++)
            set[j] = j;
        assert_int_equal (exact_by_pairs (&instance.cloud, instance.k, false,
                                          &any, set, NULL),
                          1);
        expect_best (&instance, set);
        if (instance.k > 3)
            instance.k = 2;
        for (size_t j = 0; j < instance.k; j++)
            set[j] = instance.cloud.n - instance.k + j;
        status = exact_by_places (&instance.cloud, instance.k, &some, set,
                                  NULL);
        assert_in_range (status, 0, 1);
        if (status > 0)
            expect_best (&instance, set);
        answered += status > 0;
    }
    assert_in_range (answered, 50, 600);
}

/* On an idle torus the first of the best has the first node. */
static void test_idle_torus (void **state)
{
    struct instance instance = {.cloud = {.ndims = 2, .n = 12,
                                          .ring = {3, 4}}};
    instance.cloud.coords = instance.coords;
    for (int64_t i = 0; i < 12; i++) {
        instance.coords[2 * i] = i / 4;
        instance.coords[2 * i + 1] = i % 4;
    }
    for (instance.k = 1; instance.k <= 12; instance.k++) {
        struct exact_share any = {&no_options, UINT64_MAX, UINT64_MAX, 0};
        size_t set[MOST_POINTS];
        for (size_t j = 0; j < instance.k; j++)
            set[j] = 12 - instance.k + j;
        assert_int_equal (exact_by_pairs (&instance.cloud, instance.k, true,
                                          &any, set, NULL),
                          1);
        expect_best (&instance, set);
    }
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_all_sets), cmocka_unit_test (test_first_best),
        cmocka_unit_test (test_idle_torus),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}

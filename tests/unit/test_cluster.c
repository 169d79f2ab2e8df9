/* The best clusters of an unbounded grid. */
#include <stdlib.h>

#include <tori/points.h>

#include "support.h"

enum { MOST = 40, SIDE = 4 };

/* Bender et al., "Communication-Aware Processor Allocation for
 * Supercomputers", 2005, Figure 2, for 2 to 21 points. */
static const unsigned figure2[] = {1,   4,   8,   16,  25,  38,  54,
                                   72,  96,  124, 152, 188, 227, 272,
                                   318, 374, 433, 496, 563, 632};

static uint64_t find_sum (size_t k)
{
    int64_t coords[2 * TORI_CLUSTER_MAX];
    uint64_t sum = 0;
    assert_int_equal (tori_points_cluster (k, coords, &sum, NULL), 0);
    return sum;
}

static uint64_t sum_points (const int64_t coords[], size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            sum += (uint64_t)llabs (coords[2 * i] - coords[2 * j])
                   + (uint64_t)llabs (coords[2 * i + 1] - coords[2 * j + 1]);
    return sum;
}

static bool ascends (const int64_t a[2], const int64_t b[2])
{
    return a[0] < b[0] || (a[0] == b[0] && a[1] < b[1]);
}

/* A cluster has as many points as asked for, none of them twice, and the sum
 * that it says. */
TEST (sums)
{
    for (size_t k = 1; k <= MOST; k++) {
        int64_t coords[2 * MOST];
        uint64_t sum = 0;
        assert_int_equal (tori_points_cluster (k, coords, &sum, NULL), 0);
        assert_int_equal (sum_points (coords, k), sum);
        for (size_t i = 1; i < k; i++)
            assert_true (ascends (coords + 2 * i - 2, coords + 2 * i));
    }
}

TEST (figure2)
{
    for (size_t k = 2; k <= 21; k++)
        assert_int_equal (find_sum (k), figure2[k - 2]);
}

static uint64_t least_in_square (uint32_t side, size_t k)
{
    size_t n = (size_t)side * side, chosen[MOST];
    int64_t *coords = make_array (2 * n, sizeof *coords);
    tori_points points = {.ndims = 2, .n = n, .coords = coords};
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        coords[2 * i] = (int64_t)(i / side);
        coords[2 * i + 1] = (int64_t)(i % side);
    }
    assert_int_equal (tori_points_choose (TORI_ALLOC ("exact"), &points, k,
                                          chosen, &sum, NULL),
                      0);
    free (coords);
    return sum;
}

/* Branch and bound agrees, in a square with room to spare. */
TEST (squares)
{
    for (size_t k = 2; k <= 25; k++)
        assert_int_equal (least_in_square (k < 12 ? 6 : 8, k), find_sum (k));
}

/* Every set of points of a square is at least so bad. */
TEST (every_set)
{
    uint64_t clusters[SIDE * SIDE + 1];
    for (size_t k = 1; k <= SIDE * SIDE; k++)
        clusters[k] = find_sum (k);
    for (uint32_t set = 1; set < 1U << (SIDE * SIDE); set++) {
        int64_t coords[2 * SIDE * SIDE];
        size_t n = 0;
        for (int i = 0; i < SIDE * SIDE; i++)
            if (set >> i & 1) {
                coords[2 * n] = i / SIDE;
                coords[2 * n++ + 1] = i % SIDE;
            }
        assert_true (sum_points (coords, n) >= clusters[n]);
    }
}

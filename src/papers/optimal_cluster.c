#include "optimal_cluster.h"

#include <string.h>

/* Pairs across a line with n of k points on one side. */
static uint64_t across (uint32_t k, uint32_t n)
{
    return (uint64_t)n * (k - n);
}

/* A partition of k: the heights, largest first. */
struct heights {
    uint32_t k, n;
    uint32_t part[CLUSTER_MOST];
};

/* ---- rows ---- */

/* The j-th row from the middle, taken in turns above and below, has a point
 * of every column higher than j. */
static uint64_t sum_rows (const struct heights *heights)
{
    uint32_t beyond[2] = {0, 0};
    uint64_t sum = 0;
    for (uint32_t j = heights->part[0]; j-- > 1;) {
        for (uint32_t i = 0; i < heights->n; i++)
            beyond[j % 2] += heights->part[i] > j;
        sum += across (heights->k, beyond[j % 2]);
    }
    return sum;
}

/* ---- columns ---- */

/* From the outermost in, smallest first, each column goes to the left or to
 * the right: the least sum for every number of points on the left, and the
 * side of the last column. The other columns placed so far are on the
 * right. */
struct sides {
    uint64_t sum[CLUSTER_MOST + 1];
    bool left[CLUSTER_MOST][CLUSTER_MOST + 1];
};

static const uint64_t NONE = UINT64_MAX / 2;

static void place_column (struct sides *sides, uint32_t k, uint32_t height,
                          uint32_t placed, bool *left)
{
    uint64_t next[CLUSTER_MOST + 1];
    for (uint32_t l = 0; l <= k; l++) {
        uint64_t on_left = NONE, on_right = NONE;
        if (l >= height)
            on_left = sides->sum[l - height] + across (k, l);
        if (l <= placed)
            on_right = sides->sum[l] + across (k, placed + height - l);
        left[l] = on_left <= on_right;
        next[l] = left[l] ? on_left : on_right;
    }
    memcpy (sides->sum, next, (k + 1) * sizeof *next);
}

/* The least sum of x-distances, the points on the left of the highest column,
 * and the sides of all others. */
static uint64_t sum_columns (const struct heights *heights,
                             struct sides *sides, uint32_t *ret_left)
{
    uint32_t k = heights->k, placed = 0, best = 0;
    for (uint32_t l = 0; l <= k; l++)
        sides->sum[l] = l ? NONE : 0;
    for (uint32_t i = heights->n; i-- > 1;) {
        place_column (sides, k, heights->part[i], placed, sides->left[i]);
        placed += heights->part[i];
    }
    for (uint32_t l = 0; l <= placed; l++)
        if (sides->sum[l] < sides->sum[best])
            best = l;
    *ret_left = best;
    return sides->sum[best];
}

/* Put the columns into their places: undo the choices, innermost first. */
static void lay_out (const struct heights *heights, const struct sides *sides,
                     uint32_t left, struct optimal_cluster *best)
{
    uint32_t first = heights->n, last = heights->n; /* of twice as many */
    uint32_t height[2 * CLUSTER_MOST];
    height[first] = heights->part[0];
    for (uint32_t i = 1; i < heights->n; i++) {
        if (sides->left[i][left]) {
            height[--first] = heights->part[i];
            left -= heights->part[i];
        } else {
            height[++last] = heights->part[i];
        }
    }
    best->columns = heights->n;
    memcpy (best->height, height + first, heights->n * sizeof *best->height);
}

/* ---- all partitions ---- */

static void try_heights (const struct heights *heights,
                         struct optimal_cluster *best)
{
    struct sides sides;
    uint32_t left;
    uint64_t sum = sum_rows (heights);
    if (sum >= best->sum)
        return;
    sum += sum_columns (heights, &sides, &left);
    if (sum >= best->sum)
        return;
    best->sum = sum;
    lay_out (heights, &sides, left, best);
}

/* Split the rest into parts no larger than `most`. */
static void split_rest (struct heights *heights, uint32_t rest, uint32_t most,
                        struct optimal_cluster *best)
{
    if (rest == 0) {
        try_heights (heights, best);
        return;
    }
    for (uint32_t part = most < rest ? most : rest; part > 0; part--) {
        heights->part[heights->n++] = part;
        split_rest (heights, rest - part, part, best);
        heights->n--;
    }
}

struct optimal_cluster optimal_cluster_find (uint32_t k)
{
    struct optimal_cluster best = {.k = k, .sum = NONE};
    struct heights heights = {.k = k};
    split_rest (&heights, k, k, &best);
    return best;
}

bool optimal_cluster_has (const struct optimal_cluster *best, uint32_t column,
                          int32_t row)
{
    int32_t height = (int32_t)best->height[column];
    return row >= -((height - 1) / 2) && row <= height / 2;
}

/* ---- how far a best set reaches ---- */

/* With n columns in use, t lines in there are t points or more on either side
 * of a line. */
static uint64_t least_columns (uint32_t k, uint32_t n)
{
    uint64_t sum = 0;
    for (uint32_t t = 1; t < n; t++)
        sum += across (k, t < n - t ? t : n - t);
    return sum;
}

/* Rows of at most n points: the least sum of y-distances, over all numbers of
 * points in row after row. */
static uint64_t least_rows (uint32_t k, uint32_t n)
{
    uint64_t sum[CLUSTER_MOST + 1] = {0};
    for (uint32_t below = 1; below <= k; below++) {
        uint64_t least = NONE;
        for (uint32_t row = 1; row <= n && row <= below; row++)
            if (sum[below - row] < least)
                least = sum[below - row];
        sum[below] = least + across (k, below);
    }
    return sum[k];
}

uint32_t optimal_cluster_side (uint32_t k, uint64_t sum)
{
    uint32_t side = k;
    while (side > 1 && least_columns (k, side) + least_rows (k, side) > sum)
        side--;
    return side;
}

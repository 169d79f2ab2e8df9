/* cluster.c - k points of an unbounded grid with the least sum of distances,
 * found by trying every partition of k into heights of columns. Proof that
 * these are enough:
 *
 * - Columns in use are neighbours, or moving a side closer would gain. In a
 *   best set no point can be replaced by one between it and the set's median,
 *   so heights fall from the median's column to both sides.
 * - Whatever the heights are, rows cost least if every column is a run of
 *   points about row 0, from -(h - 1) / 2 to h / 2 rounded down: for each pair
 *   of columns, then, the one is centred in the other as far as parity
 *   allows. With p and q points, u and v of them at or below a line less p/2
 *   and q/2, the pairs across the line are p q / 2 - 2 u v; u takes each of
 *   its values on some line, so by the rearrangement inequality the sum is
 *   least if |u| and |v| grow together, which is when both are centred.
 * - So the sum of y-distances depends on the heights alone, and that of
 *   x-distances on their order, of which all are tried that fall to both
 *   sides.
 */
#include <tori/points.h>

#include <string.h>

enum { MOST = TORI_CLUSTER_MAX };

/* A cluster: columns from left to right. */
struct cluster {
    uint64_t sum;
    uint32_t columns;
    uint32_t height[MOST];
};

/* Pairs across a line with n of k points on one side. */
static uint64_t across (uint32_t k, uint32_t n)
{
    return (uint64_t)n * (k - n);
}

/* A partition of k: the heights, largest first. */
struct heights {
    uint32_t k, n;
    uint32_t part[MOST];
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
struct splits {
    uint64_t sum[MOST + 1];
    bool left[MOST][MOST + 1];
};

static const uint64_t NONE = UINT64_MAX / 2;

static void place_column (struct splits *sides, uint32_t k, uint32_t height,
                          uint32_t placed, bool *left)
{
    uint64_t next[MOST + 1];
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
                             struct splits *sides, uint32_t *ret_left)
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
static void lay_out (const struct heights *heights, const struct splits *sides,
                     uint32_t left, struct cluster *best)
{
    uint32_t first = heights->n, last = heights->n; /* of twice as many */
    uint32_t height[2 * MOST];
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
                         struct cluster *best)
{
    struct splits sides;
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
                        struct cluster *best)
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

/* Each column is a run of points about row 0. */
static void write_points (const struct cluster *best, int64_t *coords)
{
    for (uint32_t x = 0; x < best->columns; x++) {
        int64_t height = best->height[x];
        for (int64_t y = -((height - 1) / 2); y <= height / 2; y++) {
            *coords++ = x;
            *coords++ = y;
        }
    }
}

int tori_points_cluster (size_t count, int64_t ret_coords[],
                         uint64_t *ret_pairwise, tori_error *err)
{
    struct heights heights = {.k = (uint32_t)count};
    struct cluster best = {.sum = NONE};
    if (count < 1 || count > MOST)
        return tori_error_set (err, TORI_INVALID,
                               "a cluster has 1 to %d points", MOST);
    split_rest (&heights, heights.k, heights.k, &best);
    write_points (&best, ret_coords);
    if (ret_pairwise)
        *ret_pairwise = best.sum;
    return 0;
}

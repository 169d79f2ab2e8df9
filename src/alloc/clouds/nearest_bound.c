/* nearest_bound.c - what no centre of a box has less than; see nearest.h. */
#include "nearest.h"
#include "pools.h"
#include "sorted.h"

/* The least that the open ones are away from the sure ones. Those without a
 * direction may be taken in any order. */
static wide least_stars (struct nearest *near, const struct nearest_box *box)
{
    size_t n = 0, none = near->ndirections;
    for (size_t g = 0; g < none; g++) {
        size_t first = n;
        for (size_t i = box->start[g]; i < box->start[g + 1]; i++)
            n = pools_add (near->pools, first, n, box->open[i].star);
    }
    for (size_t i = box->start[none]; i < box->start[none + 1]; i++)
        n = pools_add (near->pools, n, n, box->open[i].star);
    return pools_least (near->pools, n, box->rest);
}

/* The least sum over pairs of k neighbours among n sorted coordinates: the
 * next from the one before. */
static wide least_window (const uint64_t *sorted, size_t n, size_t k)
{
    wide sum = 0, within = 0, least; /* but for the first */
    for (size_t i = 1; i < k; i++) {
        sum += (wide)(sorted[i] - sorted[i - 1]) * i * (k - i);
        within += sorted[i];
    }
    least = sum;
    for (size_t i = 1; i + k <= n; i++) {
        wide ends = (wide)sorted[i - 1] + sorted[i + k - 1];
        sum += (k - 1) * ends - 2 * within;
        within += sorted[i + k - 1] - sorted[i];
        least = sum < least ? sum : least;
    }
    return least;
}

/* The coordinates of the open points in order. Of a ring, it is unrolled from
 * a quarter before the box on; false if they do not lie within half of it. */
static bool sort_coords (struct nearest *near, const struct nearest_box *box,
                         size_t dim)
{
    uint64_t *sorted = near->numbers, ring = near->cloud->ring[dim];
    uint64_t from = box->low[dim] + ring - ring / 4;
    size_t n = nearest_nopen (near, box);
    for (size_t i = 0; i < n; i++) {
        uint64_t at = nearest_coords (near, box->open[i].point)[dim];
        sorted[i] = ring ? (at + 2 * ring - from) % ring : at;
    }
    sort_numbers (sorted, n, near->lows);
    return !ring || sorted[n - 1] - sorted[0] <= ring / 2;
}

/* The least sum over pairs of open ones that are taken. */
static wide least_pairs (struct nearest *near, const struct nearest_box *box)
{
    size_t n = nearest_nopen (near, box);
    wide sum = 0;
    for (size_t d = 0; box->rest > 1 && d < near->ndims; d++)
        if (sort_coords (near, box, d))
            sum += least_window (near->numbers, n, box->rest);
    return sum;
}

wide nearest_bound (struct nearest *near, const struct nearest_box *box,
                    wide enough)
{
    wide bound = box->sum + least_stars (near, box);
    return bound > enough ? bound : bound + least_pairs (near, box);
}

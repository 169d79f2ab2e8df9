#include "nearest.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "sorted.h"

/* ---- setting up ---- */

bool nearest_serves (const struct cloud *cloud)
{
    wide total = 0;
    int64_t low;
    for (int d = 0; d < cloud->ndims; d++)
        total += cloud->ring[d] ? cloud->ring[d]
                                : cloud_span (cloud, d, &low);
    return 8 * total * (cloud->n + 1) < (wide)1 << 63
           && cloud->n < UINT32_MAX;
}

static void count_from_least (struct nearest *near)
{
    for (size_t d = 0; d < near->ndims; d++) {
        int64_t low;
        cloud_span (near->cloud, (int)d, &low);
        for (size_t i = 0; i < near->n; i++)
            near->coords[i * near->ndims + d]
                = (uint64_t)cloud_point (near->cloud, i)[d] - (uint64_t)low;
    }
}

int nearest_init (struct nearest *near, const struct cloud *cloud, size_t k,
                  tori_error *err)
{
    size_t n = cloud->n, ndims = (size_t)cloud->ndims;
    *near = (struct nearest){.cloud = cloud, .n = n, .k = k, .ndims = ndims};
    near->coords = malloc (n * ndims * sizeof *near->coords);
    near->room = malloc (n * sizeof *near->room);
    near->numbers = malloc (n * sizeof *near->numbers);
    near->upto = malloc ((n + 1) * sizeof *near->upto);
    near->moved = malloc (n * sizeof *near->moved);
    if (!near->coords || !near->room || !near->numbers || !near->upto
        || !near->moved) {
        nearest_clear (near);
        return tori_error_nomem (err);
    }
    count_from_least (near);
    return 0;
}

void nearest_clear (struct nearest *near)
{
    free (near->coords);
    free (near->room);
    free (near->numbers);
    free (near->upto);
    free (near->moved);
}

void nearest_box_clear (struct nearest_box *box)
{
    free (box->open);
}

/* ---- sure, open, out ---- */

/* Add the least and the greatest distance from one side of a box. */
static void add_reach (const struct nearest *near,
                       const struct nearest_box *box, size_t dim,
                       struct open_point *open)
{
    uint64_t at = nearest_coords (near, open->point)[dim];
    uint64_t low = box->low[dim], high = box->high[dim];
    uint64_t ring = near->cloud->ring[dim], half = ring / 2;
    uint64_t opposite = at + half >= ring ? at + half - ring : at + half;
    uint64_t a = nearest_apart (near, dim, low, at);
    uint64_t b = nearest_apart (near, dim, high, at);
    if (at < low || at > high)
        open->low += a < b ? a : b;
    if (ring && opposite >= low && opposite <= high)
        open->high += half;
    else
        open->high += a > b ? a : b;
}

/* The open points of a box as they are seen from a part of it. */
static void inherit_open (const struct nearest *near,
                          const struct nearest_box *of,
                          struct nearest_box *part)
{
    for (size_t i = 0; i < of->nopen; i++) {
        struct open_point *open = &part->open[i];
        *open = of->open[i];
        open->low = open->high = 0;
        for (size_t d = 0; d < near->ndims; d++)
            add_reach (near, part, d, open);
        open->low = open->low * near->n + open->point;
        open->high = open->high * near->n + open->point;
    }
    part->nopen = of->nopen;
    part->rest = of->rest;
    part->sum = of->sum;
}

/* The value of this rank among the low or the high ends. */
static uint64_t find_ranked (struct nearest *near,
                             const struct nearest_box *box, size_t rank,
                             bool high)
{
    for (size_t i = 0; i < box->nopen; i++)
        near->numbers[i] = high ? box->open[i].high : box->open[i].low;
    sort_numbers (near->numbers, box->nopen, near->room);
    return near->numbers[rank];
}

/* A point is sure if no more than `rest` may come before it, itself among
 * them; and out if so many do at all centres. */
static void settle_points (struct nearest *near, struct nearest_box *box)
{
    size_t left = 0, rest = box->rest;
    uint64_t sure = UINT64_MAX, out = UINT64_MAX;
    if (rest < box->nopen)
        sure = find_ranked (near, box, rest, false);
    if (rest > 0)
        out = find_ranked (near, box, rest - 1, true);
    near->nmoved = 0;
    for (size_t i = 0; i < box->nopen; i++)
        if (rest == 0 || box->open[i].low > out)
            continue;
        else if (box->open[i].high < sure)
            near->moved[near->nmoved++] = box->open[i];
        else
            box->open[left++] = box->open[i];
    box->nopen = left;
    box->rest -= near->nmoved;
}

/* ---- sums ---- */

/* The sum of distances from `at` to n sorted coordinates, whose running sums
 * are in near->upto. Round a ring, distances are as on a line up to half of it
 * before and after, and the rest of the ring beyond. */
static uint64_t sum_from (const struct nearest *near, const uint64_t *sorted,
                          size_t n, uint64_t at, uint64_t ring)
{
    const uint64_t *upto = near->upto;
    size_t here = count_below (sorted, n, at), low = 0, high = n;
    if (ring) {
        uint64_t half = ring / 2;
        low = at > half ? count_below (sorted, n, at - half) : 0;
        high = count_below (sorted, n, at + half + 1);
    }
    return (ring - at) * low + upto[low] + at * (here - low)
           - (upto[here] - upto[low]) + (upto[high] - upto[here])
           - at * (high - here) + (ring + at) * (n - high)
           - (upto[n] - upto[high]);
}

/* Add the share of one dimension of the moved points. */
static void add_dimension (struct nearest *near, struct nearest_box *box,
                           size_t dim)
{
    uint64_t *sorted = near->numbers, ring = near->cloud->ring[dim];
    size_t n = near->nmoved, nopen = box->nopen;
    wide twice = 0;
    for (size_t i = 0; i < n; i++)
        sorted[i] = nearest_coords (near, near->moved[i].point)[dim];
    sort_numbers (sorted, n, near->room);
    near->upto[0] = 0;
    for (size_t i = 0; i < n; i++)
        near->upto[i + 1] = near->upto[i] + sorted[i];
    for (size_t i = 0; i < nopen; i++) {
        uint64_t at = nearest_coords (near, box->open[i].point)[dim];
        box->open[i].star += sum_from (near, sorted, n, at, ring);
    }
    for (size_t i = 0; i < n; i++)
        twice += sum_from (near, sorted, n, sorted[i], ring);
    box->sum += twice / 2;
}

/* Add few points one by one. */
static void add_point (struct nearest *near, struct nearest_box *box,
                       size_t moved)
{
    const uint64_t *at = nearest_coords (near, near->moved[moved].point);
    size_t nopen = box->nopen;
    for (size_t i = 0; i < nopen; i++)
        box->open[i].star += nearest_distance (
            near, at, nearest_coords (near, box->open[i].point));
    for (size_t i = 0; i < moved; i++)
        box->sum += nearest_distance (
            near, at, nearest_coords (near, near->moved[i].point));
}

static void add_moved (struct nearest *near, struct nearest_box *box)
{
    enum { FEW = 16 };
    for (size_t i = 0; i < near->nmoved; i++)
        box->sum += near->moved[i].star;
    if (near->nmoved <= FEW)
        for (size_t i = 0; i < near->nmoved; i++)
            add_point (near, box, i);
    else
        for (size_t d = 0; d < near->ndims; d++)
            add_dimension (near, box, d);
}

/* ---- boxes ---- */

/* Room for n open points; one more, so that there is some. */
static int make_room (struct nearest_box *box, size_t n, tori_error *err)
{
    struct open_point *open = array_room (box->open, &box->room, n + 1,
                                          sizeof *open);
    if (!open)
        return tori_error_nomem (err);
    box->open = open;
    return 0;
}

int nearest_start (struct nearest *near, struct nearest_box *box,
                   tori_error *err)
{
    if (make_room (box, near->n, err) < 0)
        return -1;
    for (size_t i = 0; i < near->n; i++)
        box->open[i] = (struct open_point){.point = (uint32_t)i};
    box->nopen = near->n;
    box->rest = near->k;
    box->sum = 0;
    return 0;
}

int nearest_enter (struct nearest *near, const struct nearest_box *of,
                   struct nearest_box *part, tori_error *err)
{
    if (make_room (part, of->nopen, err) < 0)
        return -1;
    inherit_open (near, of, part);
    settle_points (near, part);
    add_moved (near, part);
    return 0;
}

/* ---- bounds ---- */

/* The least sum of distances from the taken open points to the sure ones, in
 * any order. */
static wide least_stars (struct nearest *near, const struct nearest_box *box)
{
    size_t n = box->nopen;
    wide sum = 0;
    for (size_t i = 0; i < n; i++)
        near->numbers[i] = box->open[i].star;
    sort_numbers (near->numbers, n, near->room);
    for (size_t i = 0; i < box->rest; i++)
        sum += near->numbers[i];
    return sum;
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

/* The coordinates of the open points in order. A ring is unrolled from a
 * quarter before the box on; false if they do not lie within half of it. */
static bool sort_coords (struct nearest *near, const struct nearest_box *box,
                         size_t dim)
{
    uint64_t *sorted = near->numbers, ring = near->cloud->ring[dim];
    uint64_t from = box->low[dim] + ring - ring / 4;
    size_t n = box->nopen;
    for (size_t i = 0; i < n; i++) {
        uint64_t at = nearest_coords (near, box->open[i].point)[dim];
        sorted[i] = ring ? (at + 2 * ring - from) % ring : at;
    }
    sort_numbers (sorted, n, near->room);
    return !ring || sorted[n - 1] - sorted[0] <= ring / 2;
}

/* The least sum over pairs of taken open points. */
static wide least_pairs (struct nearest *near, const struct nearest_box *box)
{
    size_t n = box->nopen;
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

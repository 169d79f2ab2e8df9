/* cloud.h - points to choose from, on lines or rings.
 *
 * The free nodes of a machine in the order of ids, or any points with integer
 * coordinates in the order given. Algorithms written for clouds serve both.
 * They are plain rather than fast, and the fast ones for machines are compared
 * with them.
 *
 * Coordinates may be anywhere in 64 bits, so distances take up to 69 bits and
 * sums take more: sums are 128 bits wide.
 */
#ifndef TORI_ALLOC_CLOUD_H
#define TORI_ALLOC_CLOUD_H

#include <tori/alloc.h>

__extension__ typedef unsigned __int128 wide;

struct cloud {
    int ndims;
    size_t n;
    const int64_t *coords;        /* of point i: coords + i * ndims */
    uint64_t ring[TORI_MAX_DIMS]; /* length if the dimension wraps, or 0;
                                   * coordinates are below it then */
};

static inline const int64_t *cloud_point (const struct cloud *cloud, size_t i)
{
    return cloud->coords + i * (size_t)cloud->ndims;
}

/* Distance in one dimension. */
static inline uint64_t cloud_apart (const struct cloud *cloud, int dim,
                                    int64_t a, int64_t b)
{
    uint64_t apart = a < b ? (uint64_t)b - (uint64_t)a
                           : (uint64_t)a - (uint64_t)b;
    return cloud->ring[dim] && cloud->ring[dim] - apart < apart
               ? cloud->ring[dim] - apart
               : apart;
}

/* The least coordinate in a dimension, and how far the greatest is from it. */
uint64_t cloud_span (const struct cloud *cloud, int dim, int64_t *ret_low);

/* Manhattan distance of two points anywhere in the space of the cloud. */
wide cloud_distance (const struct cloud *cloud, const int64_t *a,
                     const int64_t *b);

/* The sum over unordered pairs of the chosen points, in O(k log k) a
 * dimension. -1 without memory. */
int cloud_pairwise (const struct cloud *cloud, const size_t *chosen, size_t k,
                    wide *ret_sum, tori_error *err);

/* An algorithm on clouds: write the indexes of k of the cloud's points, 1 <= k
 * <= n, in ascending order. 0, or -1 without memory or (TORI_GAVE_UP) if a
 * search is too long. */
typedef int cloud_fn (const struct cloud *cloud, size_t k,
                      const tori_alloc_config *options, size_t *ret_chosen,
                      tori_error *err);

/* For an algorithm that gives up: report to options->search, if there is one,
 * a set that was found, in any order, and its sum; and that no sum is below
 * `at_least`. */
void cloud_keep (const tori_alloc_config *options, const size_t *chosen,
                 size_t k, double best, double at_least);

/* The same: the number of steps taken, and the limit. */
void cloud_spend (const tori_alloc_config *options, uint64_t steps,
                  uint64_t limit);

/* The same while it searches: call options->on_progress. */
void cloud_progress (const tori_alloc_config *options, uint64_t steps,
                     uint64_t limit);

/* Serve a request on a machine by such an algorithm: the ops' `place`. Options
 * may be NULL. */
int cloud_place (cloud_fn *choose, const tori_alloc_config *options,
                 const tori_state *state, const tori_request *request,
                 tori_placement *ret_place, tori_error *err);

/* The k points of the lowest shells around a box of this shape, or one of its
 * rotations unless it is fixed, around a point. -1 without memory. */
int mc_choose_box (const struct cloud *cloud, size_t k,
                   const tori_shape *shape, bool fixed, size_t *ret_chosen,
                   tori_error *err);

#endif

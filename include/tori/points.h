/* tori/points.h - choose k of n points that are close together.
 *
 * This is the problem behind the allocators by count, without a machine:
 * points with integer coordinates, Manhattan distance, repeats allowed (Bender
 * et al., "Communication-Aware Processor Allocation for Supercomputers:
 * Finding Point Sets of Small Average Distance", 2005). The same allocators
 * serve both.
 */
#ifndef TORI_POINTS_H
#define TORI_POINTS_H

#include <tori/alloc.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tori_points {
    int ndims;
    size_t n;
    const int64_t *coords; /* ndims per point, stored consecutively */

    /* The length of the ring in each of the ndims dimensions, up to 2^62, or 0
     * for a line; NULL if all are lines. Coordinates on a ring are taken
     * modulo its length. */
    const uint64_t *around;
} tori_points;

/* Choose `count` points with an allocator. Writes their indexes in ascending
 * order and, unless ret_pairwise is NULL, the sum of distances over unordered
 * pairs. Ties go to the point that comes first; doc/experiments/clusters.md describes the
 * ties of exact and ptas.
 *
 * TORI_INVALID for an unknown allocator or one that does not take points, a
 * count of 0, more than 32 dimensions, a ring longer than 2^62, or a sum that
 * does not fit 64 bits. TORI_GAVE_UP if exact or ptas took or would take too
 * long, and from mm and mm+inc for many points in many dimensions, where
 * gen-alg and mc1x1 answer. TORI_NOT_NOW for a count above n, since the n
 * points are what is free. TORI_FAILED if memory runs out. */
int tori_points_choose (const tori_alloc_config *config,
                        const tori_points *points, size_t count,
                        size_t ret_chosen[], uint64_t *ret_pairwise,
                        tori_error *err);

/* The same with mc and a shape: the lowest shells around a box of this shape,
 * or of one of its rotations unless it is fixed, around one of the points.
 * Also TORI_INVALID if the shape does not have the dimensions of the points.
 */
int tori_points_choose_box (const tori_points *points, size_t count,
                            const tori_shape *shape, bool fixed,
                            size_t ret_chosen[], uint64_t *ret_pairwise,
                            tori_error *err);

/* The sum of distances over unordered pairs of the points with these
 * indexes. TORI_INVALID if it does not fit 64 bits, and for an index of n or
 * more. */
int tori_points_pairwise (const tori_points *points, const size_t chosen[],
                          size_t count, uint64_t *ret_sum, tori_error *err);

/* The most points of a cluster. */
#define TORI_CLUSTER_MAX 64

/* The best cluster: `count` points of an unbounded grid in two dimensions that
 * have the least sum of distances. Writes their coordinates, column by column,
 * to `ret_coords`, which has room for 2 * count, and the sum to ret_pairwise
 * unless it is NULL. The columns are 0 and up; each is a run of rows about row
 * 0. Every partition of `count` is tried, so 60 points take seconds.
 * TORI_INVALID for 0 points or more than TORI_CLUSTER_MAX. */
int tori_points_cluster (size_t count, int64_t ret_coords[],
                         uint64_t *ret_pairwise, tori_error *err);

#ifdef __cplusplus
}
#endif

#endif

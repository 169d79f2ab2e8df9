/* nearest.h - the k nearest points of all centres in a box.
 *
 * Seen from a box of centres, a point has a least and a greatest distance. If
 * fewer than k others may be nearer than its greatest distance, it is among
 * the k nearest of all centres: it is sure. If k others are always nearer than
 * its least distance, it is out. The remaining points are open.
 *
 * The sum over pairs of the k nearest of any centre is
 *
 *     the sum over pairs of sure points
 *   + the distances of the open points that are taken from the sure ones
 *   + the sum over pairs of open points that are taken.
 *
 * The second is no less than the least sum of that many open points; the third
 * is no less than that of that many neighbours along each dimension. This
 * bounds all sums of a box from below, and tightly once few points are open.
 *
 * A part of a box has the sure points of the whole, and more; its open points
 * are among those of the whole. So a part costs no more than the number of
 * points that are open in the whole, and the smaller the box, the fewer these
 * are.
 */
#ifndef TORI_ALLOC_NEAREST_H
#define TORI_ALLOC_NEAREST_H

#include "cloud.h"

/* An open point. */
struct open_point {
    uint64_t low, high; /* distances from the box, times n, plus the index: of
                           equal distances the lower index is nearer */
    uint64_t star;      /* the distances to all sure points */
    uint32_t point;
};

struct nearest_box {
    uint64_t low[TORI_MAX_DIMS], high[TORI_MAX_DIMS]; /* its corners */
    struct open_point *open;
    size_t nopen, room;
    size_t rest; /* how many of the open ones are taken */
    wide sum;    /* over pairs of sure points */
};

struct nearest {
    const struct cloud *cloud;
    size_t n, k, ndims;
    uint64_t *coords; /* ndims a point, counted from the least */
    uint64_t *numbers, *room, *upto; /* for n, the last for one more */
    struct open_point *moved;        /* for n: points that have become sure */
    size_t nmoved;
};

/* Whether distances and sums of n of them fit in 63 bits. */
bool nearest_serves (const struct cloud *cloud);

/* -1 without memory. */
int nearest_init (struct nearest *nearest, const struct cloud *cloud, size_t k,
                  tori_error *err);
void nearest_clear (struct nearest *nearest);

/* All points are open to a box that holds all centres; begin with this. -1
 * without memory. */
int nearest_start (struct nearest *nearest, struct nearest_box *box,
                   tori_error *err);

/* Set the points of a part of a box, whose corners are set; the memory may
 * have been another part's. -1 without memory. */
int nearest_enter (struct nearest *nearest, const struct nearest_box *of,
                   struct nearest_box *part, tori_error *err);

/* A lower bound of the sums of all centres of the box; a bound above `enough`
 * need not be tight. If no open point is taken it is the exact sum. */
wide nearest_bound (struct nearest *nearest, const struct nearest_box *box,
                    wide enough);

void nearest_box_clear (struct nearest_box *box);

static inline uint64_t nearest_apart (const struct nearest *nearest,
                                      size_t dim, uint64_t a, uint64_t b)
{
    uint64_t apart = a < b ? b - a : a - b;
    uint64_t ring = nearest->cloud->ring[dim];
    return ring && ring - apart < apart ? ring - apart : apart;
}

static inline const uint64_t *nearest_coords (const struct nearest *nearest,
                                              size_t point)
{
    return nearest->coords + point * nearest->ndims;
}

static inline uint64_t nearest_distance (const struct nearest *nearest,
                                         const uint64_t *a, const uint64_t *b)
{
    uint64_t sum = 0;
    for (size_t d = 0; d < nearest->ndims; d++)
        sum += nearest_apart (nearest, d, a[d], b[d]);
    return sum;
}

#endif

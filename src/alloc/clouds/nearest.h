/* nearest.h - the k nearest points of all centres in a box.
 *
 * Seen from a box of centres, some points are among the k nearest of all its
 * centres, and sure; some of none, and out; the others are open. Which are
 * which is told from directions:
 *
 *   - A point lies below or above the box in every dimension, and that is its
 *     direction; unless it is beside the box, or round a ring nearer now one
 *     way, now the other. As the centre moves, all points of a direction come
 *     nearer or go away by the same, so that their order does not change.
 *   - Two points of two directions change by twice the sides of the box, in
 *     those dimensions in which the directions differ; so a point is sure if
 *     fewer than k may come before it, and out if k always do.
 *
 * The sum over pairs of the k nearest of any centre is
 *
 *     the sum over pairs of sure points
 *   + what the open ones that are taken are away from the sure ones
 *   + the sum over pairs of open ones that are taken.
 *
 * Of the second, no less than this: of every direction some first ones are
 * taken, so many in all, and the least that may sum up to. Of the third, what
 * so many neighbours along each dimension sum up to at the least. This bounds
 * all sums of a box from below, and tightly once few points are open.
 *
 * A part of a box has the sure points of the whole, and more; what is open is
 * found among what was. So a part costs no more than the points open in the
 * whole, which are the fewer the smaller it is.
 */
#ifndef TORI_ALLOC_NEAREST_H
#define TORI_ALLOC_NEAREST_H

#include "cloud.h"

/* Directions are told in so many dimensions. Where a box is wide in another,
 * no point has a direction. */
enum { NEAREST_SIGNS = 4, NEAREST_DIRECTIONS = 1 << NEAREST_SIGNS };

/* An open point. */
struct open_point {
    uint64_t low;  /* with a direction: away from the low corner of the box;
                      without: from the nearest place in it */
    uint64_t high; /* without: from the farthest */
    uint64_t star; /* the distances to all sure points */
    uint32_t point;
    uint32_t direction; /* as bits: below; the number of them for none */
};

struct nearest_box {
    uint64_t low[TORI_MAX_DIMS], high[TORI_MAX_DIMS]; /* its corners */
    uint64_t width[NEAREST_DIRECTIONS]; /* the sides in a set of dimensions */
    struct open_point *open; /* direction after direction, in order of
                                distance; then those of none */
    uint64_t *lows;          /* of those with a direction */
    size_t room, lows_room;
    size_t start[NEAREST_DIRECTIONS + 2]; /* of directions; the end */
    size_t rest; /* how many of the open ones are taken */
    wide sum;    /* over pairs of sure points */
};

struct nearest {
    const struct cloud *cloud;
    size_t n, k, ndims, nsigns, ndirections;
    uint64_t *coords; /* ndims a point, counted from the least */

    /* Room. */
    uint64_t *lows, *highs, *numbers, *upto; /* for n, and one more */
    size_t nnone;                /* points of no direction: lows and highs */
    struct open_point *moved;    /* for n */
    size_t nmoved;
    struct pool *pools;          /* for 2 n */
};

/* Whether distances and sums of k of them fit in 63 bits. */
bool nearest_serves (const struct cloud *cloud, size_t k);

/* -1 without memory. */
int nearest_init (struct nearest *nearest, const struct cloud *cloud, size_t k,
                  tori_error *err);
void nearest_clear (struct nearest *nearest);

/* All points are open to a box that holds all centres; begin with this. -1
 * without memory. */
int nearest_start (struct nearest *nearest, struct nearest_box *box,
                   tori_error *err);

/* The points of a part of a box, whose corners are set; it may have been
 * another's before. -1 without memory. */
int nearest_enter (struct nearest *nearest, const struct nearest_box *of,
                   struct nearest_box *part, tori_error *err);

/* What no centre of the box has less than, given that what is more than
 * `enough` need not be known to be even more. With none to take of the open
 * ones it is the sum of them all. */
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

static inline size_t nearest_nopen (const struct nearest *nearest,
                                    const struct nearest_box *box)
{
    return box->start[nearest->ndirections + 1];
}

#endif

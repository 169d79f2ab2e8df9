/* ballface.h - pairs of neighbours, one of which is among the k nearest.
 *
 * The distances of two neighbours from a centre differ by one, or not at all
 * at the far side of a ring of odd length. So of the k nearest free nodes,
 * only those at the radius have free neighbours outside, apart from neighbours
 * at the radius that are not taken. It is enough to walk the surface.
 */
#ifndef TORI_ALLOC_BALLFACE_H
#define TORI_ALLOC_BALLFACE_H

#include "ballspace.h"

/* The bits of a free node: this one, and one for each free neighbour. Both
 * neighbours in a ring of two are the same one, and count once. */
#define BALL_FREE (UINT64_C (1) << 63)

static inline uint64_t ball_below (int axis)
{
    return UINT64_C (1) << 2 * axis;
}

static inline uint64_t ball_above (int axis)
{
    return UINT64_C (2) << 2 * axis;
}

/* How many pairs of free neighbours there are of which one is nearer than the
 * radius, or among the `rest` of the lowest ids at it, and the other is
 * not. */
uint64_t ball_face_edges (const struct ball_space *space,
                          const uint64_t *beside, uint32_t centre,
                          uint32_t radius, uint32_t rest);

#endif

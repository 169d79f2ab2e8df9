/* exact_places.h - a set of least sum, point by point.
 *
 * For a few of many points. Two points of a set of sum s cannot be far apart:
 * say D. Any other of the k points has D or more to both together, so both
 * have k D together, and the k - 2 others a star each at least, which is the
 * sum of distances to the k nearest. All of this is within 2 s. So all sets
 * that have a point, and none before it, are among the points after it that
 * are near it; point by point these are few, and each time exact.h looks at
 * them alone.
 */
#ifndef TORI_ALLOC_EXACT_PLACES_H
#define TORI_ALLOC_EXACT_PLACES_H

#include "cloud.h"

/* Of the steps up to a limit, so many are for this. `spent` is how many were,
 * whatever comes of it. */
struct exact_share {
    const tori_alloc_config *options; /* who is told how far it is */
    uint64_t limit, steps, spent;
};

/* The first set of the least sum, in ascending order, from a good one; if
 * `with_first`, some best set is known to have the first point. 1; 0 if half
 * of the points are near some point, or the steps are not enough, and `set` is
 * the best found; -1 without memory. */
int exact_by_places (const struct cloud *cloud, size_t k, bool with_first,
                     struct exact_share *share, size_t *set, tori_error *err);

#endif

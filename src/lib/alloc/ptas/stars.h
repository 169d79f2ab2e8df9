/* stars.h - bounds for sets of k from the distances of single points.
 *
 * Twice the sum over the pairs of a set is the sum, over its points, of their
 * distances to the set. For each point that is no less than the sum of its
 * distances to the k points nearest to it, itself among them: its star. So
 * twice the sum is no less than the k least stars: on lines, on rings, in any
 * metric. */
#ifndef TORI_ALLOC_STARS_H
#define TORI_ALLOC_STARS_H

#include "cloud.h"

/* The sum of the k least of n values, k <= n, which are left in the heap, for
 * which there is room for k. */
wide stars_least (const wide *values, size_t n, size_t k, wide *heap);

/* A lower bound of twice the sum of any k points. -1 without memory. */
int stars_bound (const struct cloud *cloud, size_t k, wide *ret_bound,
                 tori_error *err);

#endif

/* neighbours.h - the best k points of a line.
 *
 * They are k neighbours in sorted order, so a window that slides over the
 * sorted points finds them: linear time after sorting (Leung et al.,
 * "Algorithmic support for commodity-based parallel computing systems", 2003,
 * have a dynamic program for the same). On a ring, neighbours are not always
 * best.
 */
#ifndef TORI_ALLOC_NEIGHBOURS_H
#define TORI_ALLOC_NEIGHBOURS_H

#include "cloud.h"

/* The first best set, in lexicographic order of indexes, of points that differ
 * in this dimension only, which is not a ring. -1 without memory. */
int neighbours_choose (const struct cloud *cloud, int dim, size_t k,
                       size_t *ret_chosen, tori_error *err);

#endif

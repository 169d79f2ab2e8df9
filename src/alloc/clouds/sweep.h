/* sweep.h - MM on points, row by row of the grid of centres.
 *
 * Let a centre move up along one dimension, the others fixed. The points that
 * it has not reached come nearer all alike, those that it has passed go away
 * all alike. So before it is reached, a point of the k nearest stays one; once
 * it is passed it may be replaced, by the nearest point ahead that is not one
 * of them, and then it never comes back. A whole row of centres takes two
 * pointers, a heap, and at most n swaps of one point for another; ties go by
 * index, which changes nothing in this. The points ahead in the order of
 * distance are two lists merged, those on either side of the row in a second
 * dimension, sorted once for all rows of a plane.
 *
 * Where there are many more centres than points, mm_boxes.h is faster: it
 * leaves out most of them.
 */
#ifndef TORI_ALLOC_SWEEP_H
#define TORI_ALLOC_SWEEP_H

#include "cloud.h"

/* Whether this cloud can be swept: some dimension is a line, and k distances
 * add up to 63 bits or less. */
bool sweep_serves (const struct cloud *cloud, size_t k);

/* The answer of MM: of the centres in lexicographic order the first whose k
 * nearest have the least sum. Less than 2^64 centres. -1 without memory. */
int sweep_choose (const struct cloud *cloud, size_t k, size_t *ret_chosen,
                  tori_error *err);

#endif

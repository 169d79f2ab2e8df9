/* mm_boxes.h - MM and Gen-Alg on points, box by box of centres.
 *
 * MM has as many centres as the grid that the coordinates span: n^2 in the
 * plane, n^3 in space. Boxes of centres are halved again and again. A half is
 * left out as a whole if, by nearest.h, none of its centres can be the best.
 * If no point is open for a box, all its centres have the same k nearest.
 */
#ifndef TORI_ALLOC_MM_BOXES_H
#define TORI_ALLOC_MM_BOXES_H

#include "cloud.h"

/* The answer of MM, or of Gen-Alg if not `grid`, for a cloud that
 * nearest_serves. The grid has less than 2^64 centres. 1, or 0 if so many
 * steps are not enough (points seen from a box, and more); -1 without
 * memory. */
int mm_choose_boxes (const struct cloud *cloud, size_t k, bool grid,
                     uint64_t steps, size_t *ret_chosen, tori_error *err);

#endif

/* mc.h - shells around a box among points; see mc_points.c. */
#ifndef TORI_ALLOC_MC_H
#define TORI_ALLOC_MC_H

#include "cloud.h"

/* The k points of the lowest shells around a box of this shape, or one of its
 * rotations unless it is fixed, around a point. -1 without memory. */
int mc_choose_box (const struct cloud *cloud, size_t k,
                   const tori_shape *shape, bool fixed, size_t *ret_chosen,
                   tori_error *err);

#endif

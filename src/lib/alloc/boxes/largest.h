/* largest.h - the largest free box of a machine. */
#ifndef TORI_ALLOC_LARGEST_H
#define TORI_ALLOC_LARGEST_H

#include <tori/state.h>

/* Find the largest free box, the first by shape, then by origin; in a pod,
 * within a cube. With `wrap` it may go round the dimensions that do. Links are not
 * regarded. Returns 1; or 0 if no node is free, or if the machine has so
 * many boxes that the search was given up, after a number of steps that is
 * always the same; or -1 without memory. */
int largest_box (const tori_state *state, bool wrap, tori_box *ret_box,
                 tori_error *err);

#endif

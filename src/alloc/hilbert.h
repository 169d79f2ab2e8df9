/* hilbert.h - where a place is along the Hilbert curve of a box; see hilbert.c
 *
 * The same curve as order_hilbert's, but nothing is written down: a place
 * costs as many steps as its box can be halved, the first ones some planning.
 * The sides may be any, the box at most 2^128 places.
 */
#ifndef TORI_ALLOC_HILBERT_H
#define TORI_ALLOC_HILBERT_H

#include "cloud.h"

struct hilbert;

/* NULL without memory. */
struct hilbert *hilbert_create (const tori_shape *shape, tori_error *err);
void hilbert_destroy (struct hilbert *hilbert);

/* -1 without memory. */
int hilbert_position (struct hilbert *hilbert, const uint32_t at[],
                      wide *ret_position, tori_error *err);

#endif

/* hilbert.h - the position of a place on the Hilbert curve of a box.
 *
 * This is the curve of order_hilbert, but nothing is stored: a place costs as
 * many steps as its box can be halved, and the first ones cost some planning.
 * Sides may be up to 2^64. See hilbert.c. */
#ifndef TORI_ALLOC_HILBERT_H
#define TORI_ALLOC_HILBERT_H

#include "cloud.h"

struct hilbert;

/* For a box whose sides are one more than these each, and whose places can be
 * counted in 128 bits. NULL without memory. */
struct hilbert *hilbert_create (const uint64_t last[], int ndims,
                                tori_error *err);
void hilbert_destroy (struct hilbert *hilbert);

/* -1 without memory. */
int hilbert_position (struct hilbert *hilbert, const uint64_t at[],
                      wide *ret_position, tori_error *err);

#endif

/* largest_box.h - the largest free box of a machine of three dimensions, with
 * sides of at most 64, which may wrap or not. */
#ifndef TORI_PAPERS_LARGEST_BOX_H
#define TORI_PAPERS_LARGEST_BOX_H

#include <tori/state.h>

/* How many nodes it has. `wrap` lets boxes wrap in every dimension. */
uint32_t largest_box (const tori_state *state, bool wrap);

#endif

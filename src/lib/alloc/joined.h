/* joined.h - the boxes of a placement, and the joints of a slice. */
#ifndef TORI_ALLOC_JOINED_H
#define TORI_ALLOC_JOINED_H

#include <tori/alloc.h>

#include "taking.h"

/* The boxes after the first, and the links of dimensions that are not wired by
 * the rule, by dimension, layer and slot: those of all boxes there. For a
 * slice, how many boxes there are along each dimension (no dimensions: they
 * are not joined). */
struct tori_pieces {
    size_t n;
    tori_link *link;
    size_t nlinks;
    tori_shape across;
    tori_box box[];
};

static inline const tori_box *box_at (const tori_placement *place, uint32_t i)
{
    return i == 0 ? &place->box : &place->pieces->box[i - 1];
}

/* The wiring of the i-th box. */
struct wires joined_wires (const tori_placement *place,
                           const tori_machine *machine, uint32_t i);

/* The node at these coordinates of a box, or of the box that the pieces of a
 * slice are joined to. */
uint32_t joined_node (const tori_placement *place, const tori_machine *machine,
                      const uint32_t at[]);

/* K, if a slice of this shape can be twisted: a wrap that leads K further in
 * the long sides leads from cube to cube. 0 if it cannot. */
uint32_t joined_twist (const tori_machine *machine, const tori_shape *shape);

/* Whether the pieces of a slice, which are boxes of the machine, can be
 * joined: TORI_INVALID if not. Other placements always pass. */
int joined_check (const tori_placement *place, const tori_machine *machine,
                  tori_error *err);

#endif

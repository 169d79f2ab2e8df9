/* bands.h - the best centre of a machine too large for centres.h, in bands.
 *
 * The tables of centres.h grow with the machine and with the radius. Where
 * they would take too much memory, the longest dimension that is a line is cut
 * into bands. A band goes as far beyond its own centres as their k nearest may
 * lie. So it is a machine by itself, with its nodes in the same order, and the
 * best of its centres is what centres.h finds there. How far that is is told
 * by cubes: if there are k free nodes in the cube around every centre, no
 * radius is longer than from the centre to a corner.
 */
#ifndef TORI_ALLOC_BANDS_H
#define TORI_ALLOC_BANDS_H

#include "balls.h"

/* The nodes times radii that centres.h has room for, with some to spare. */
static const uint64_t BANDS_ROOM = UINT64_C (6) << 23;

/* Whether k of so many free nodes seem to need more room. */
bool bands_needed (const tori_state *state, uint32_t k, uint64_t room);

/* As centres_find, for MM: `occurs` is not NULL. Sums of centres are asked of
 * `balls`, which are set. 0 if the machine or the request does not suit: no
 * dimension to cut, free nodes too far apart. */
int bands_find (const tori_state *state, uint32_t k, const bool *occurs,
                uint64_t room, struct balls *balls, uint32_t *ret_centre,
                tori_error *err);

#endif

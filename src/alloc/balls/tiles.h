/* tiles.h - the best centre of a machine too large for levels, box by box.
 *
 * The tables of levels.h grow with the machine and with the radius. Where they
 * would take too much memory, the machine is cut into boxes of centres, and
 * each is searched by diamonds.h, whose tables have what is around the box as
 * well, as far as the radii of its centres go. The best sum so far goes from
 * box to box. Centres whose radius is more than half a ring are tried one by
 * one.
 */
#ifndef TORI_ALLOC_TILES_H
#define TORI_ALLOC_TILES_H

#include "balls.h"
#include "blocks.h"

/* How many slots a table should have: as many as stay in a cache. */
static const uint64_t TILE_SLOTS = UINT64_C (1) << 20;

/* Whether levels seem too large for k nodes of a state. */
bool tiles_needed (const tori_state *state, uint32_t k);

/* Search all centres, after centres_start, with tables of about so many slots.
 * `balls` are set. 1, 0 if that does not suit, or -1 without memory. */
int tiles_find (struct centres *centres, const tori_state *state, uint32_t k,
                const bool *occurs, uint64_t slots, struct balls *balls,
                tori_error *err);

#endif

/* blockers.h - how many nodes of every box of a shape are held by jobs that
 * may go: a lower bound for its price.
 *
 * Finding the owners of a place takes a look at each of its nodes. Counting
 * held nodes for all origins at once takes a sum over a sliding window in each
 * dimension. So most places of a large machine are never examined.
 */
#ifndef TORI_ROOM_BLOCKERS_H
#define TORI_ROOM_BLOCKERS_H

#include "occupancy.h"

struct blockers {
    tori_shape shape; /* the last that was counted; no dimensions: none */
    uint32_t *held;   /* by origin */
    uint32_t *line;   /* room for the longest side */
};

/* Count for a shape, unless it is the last one. Boxes are taken round every
 * dimension; those that may not wrap are not to be asked for. Returns 1 if it
 * counted, 0 if not, -1 without memory. */
int blockers_count (struct blockers *crowd, const struct occupancy *ground,
                    const tori_shape *shape, tori_error *err);
void blockers_clear (struct blockers *crowd);

#endif

/* steps.h - the direction of a message in a dimension: the one definition of
 * routes in dimension order (tori/net.h). */
#ifndef TORI_NET_STEPS_H
#define TORI_NET_STEPS_H

#include "grid.h"

/* The shorter way from c to t in a dimension; half way round the caller
 * decides. */
enum sense { DOWN, UP, EITHER };

static inline enum sense sense_of (const tori_machine *machine, int dim,
                                   uint32_t c, uint32_t t)
{
    uint32_t size = machine->shape.size[dim];
    uint32_t up = t > c ? t - c : size - (c - t);
    if (machine->kind[dim] != TORI_TORUS)
        return t > c ? UP : DOWN;
    return 2 * up == size ? EITHER : 2 * up < size ? UP : DOWN;
}

/* The same for a message: `odd` if the coordinates of its source and its
 * destination together make an odd sum. */
static inline bool goes_up (const tori_machine *machine, int dim, uint32_t c,
                            uint32_t t, bool odd)
{
    enum sense sense = sense_of (machine, dim, c, t);
    return sense == UP || (sense == EITHER && odd == t % 2);
}

/* The coordinate next to c on a ring, upwards or downwards. */
static inline uint32_t ring_next (uint32_t size, uint32_t c, bool up)
{
    return up ? (c + 1 < size ? c + 1 : 0) : (c ? c : size) - 1;
}

#endif

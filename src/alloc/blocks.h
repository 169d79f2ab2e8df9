/* blocks.h - eight centres side by side; the inside of centres.h. */
#ifndef TORI_ALLOC_BLOCKS_H
#define TORI_ALLOC_BLOCKS_H

#include "levels.h"

struct centres {
    struct levels levels;
    uint64_t *bound; /* a centre */

    lanes *room[AXES + 1];   /* of the following */
    lanes *taken[AXES];      /* of the surface, by offset from the centre */
    lanes *caps[2];          /* nodes behind a step to the left, the right */
    lanes *ahead;            /* the most nodes ahead of a step anywhere */
    struct signeds *farther; /* what so many steps away cost at least */
    size_t reach;            /* room of these */

    uint32_t flush;   /* squares of k whose sum fits 32 bits */
    uint32_t spacing; /* of the nodes of a surface */
    uint64_t best;
    uint32_t best_node;
};

struct block {
    size_t row;
    uint32_t coords[AXES]; /* of the first; the last one goes up by lanes */
    size_t dense;          /* where the first is in dense rows */
};

static inline struct block block_at (const struct centres *centres, size_t row,
                              uint32_t z)
{
    uint32_t y_size = centres->levels.axes[1].size;
    return (struct block){
        .row = row,
        .coords = {(uint32_t)(row / y_size), (uint32_t)(row % y_size), z},
        .dense = row * centres->levels.width + z,
    };
}

/* How far to go to one side within a radius: for the last axis, until the
 * lanes are all beyond the edge. */
static inline uint32_t limit (const struct centres *centres,
                       const struct block *block, int axis, int side,
                       uint32_t radius)
{
    const struct axis *a = &centres->levels.axes[axis];
    uint32_t c = block->coords[axis];
    uint32_t edge = side ? a->size - 1 - c
                         : c + (axis == AXES - 1 ? LANES - 1 : 0);
    return least (radius, a->wraps ? a->half[side] : edge);
}

/* Take what is missing to k nodes from the surface of the balls of this
 * radius, in the order of ids, for the lanes that are marked, into `taken`. */
void take_surface (struct centres *centres, const struct block *block,
                   uint32_t radius, lanes marked);

#endif

/* blocks.h - the Reconfig policy of RFold (arXiv 2510.03891), as its public
 * code has it: cubes of 4x4x4 nodes, each a word of 64 bits, and boxes that are
 * cut into pieces without regard to where in their cubes these lie.
 *
 * A box is cut into whole cubes and rests: at most eight kinds of pieces. All
 * pieces of a kind get the same offset, which is a corner of the cube, or, if
 * the box has no whole cube, anything. But different kinds may get different
 * offsets. A switch joins equal positions of opposite faces, so such a box
 * looks free and cannot be joined.
 *
 * RFold tries corners in the order of a hash table; here that is by coordinates.
 */
#ifndef TORI_PAPERS_BLOCKS_H
#define TORI_PAPERS_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BLOCKS = 64, BLOCK_SIDE = 4 };

struct blocks {
    uint64_t busy[BLOCKS]; /* node x,y,z is bit 16 x + 4 y + z */
};

/* What a job holds of each cube, and whether switches could join it. */
struct blocks_place {
    uint64_t held[BLOCKS];
    bool joined;
};

/* The rotations of a box in RFold's order: which side comes first, second,
 * third. */
extern const int blocks_order[6][3];

/* Find a place for a box, in any of its rotations, and hold it. */
bool blocks_place (struct blocks *blocks, const uint32_t side[3],
                   struct blocks_place *ret_place);
void blocks_release (struct blocks *blocks, const struct blocks_place *place);

#endif

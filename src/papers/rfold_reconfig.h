/* rfold_reconfig.h - the Reconfig policy of RFold (arXiv 2510.03891), as in
 * its public code: cubes of 4x4x4 nodes, each a word of 64 bits, and boxes
 * that are cut into pieces regardless of the positions of these in their
 * cubes.
 *
 * A box is cut into whole cubes and remainders: at most eight kinds of pieces.
 * All pieces of a kind get the same offset, which is a corner of the cube, or,
 * if the box has no whole cube, anything. But different kinds may get
 * different offsets. A switch joins equal positions of opposite faces, so such
 * a box looks free and cannot be joined.
 *
 * RFold tries corners in the order of a hash table; here that is by
 * coordinates.
 */
#ifndef TORI_PAPERS_RFOLD_RECONFIG_H
#define TORI_PAPERS_RFOLD_RECONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RFOLD_CUBES = 64, RFOLD_CUBE_SIDE = 4 };

struct rfold_cubes {
    uint64_t busy[RFOLD_CUBES]; /* node x,y,z is bit 16 x + 4 y + z */
};

/* The nodes that a job holds in each cube, and whether switches could join
 * them. */
struct rfold_place {
    uint64_t held[RFOLD_CUBES];
    bool joined;
};

/* The rotations of a box in RFold's order: which side comes first, second,
 * third. */
extern const int rfold_order[6][3];

/* Find a place for a box, in any of its rotations, and hold it. */
bool rfold_cubes_place (struct rfold_cubes *cubes, const uint32_t side[3],
                        struct rfold_place *ret_place);
void rfold_cubes_release (struct rfold_cubes *cubes,
                          const struct rfold_place *place);

#endif

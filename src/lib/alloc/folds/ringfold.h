/* ringfold.h - tori and meshes in boxes of other sides, one hop stays one hop.
 *
 * A job is a torus: every side longer than 1 is a ring. (A ring of two is a
 * single link.) A box is a mesh in which some dimensions can be closed, so
 * that they are rings themselves. Which boxes carry a job so that its
 * neighbours are neighbours there, and by which map? The place of the box does
 * not matter: the caller says which dimensions may be closed.
 *
 * Every side of the job gets dimensions of the box whose lengths multiply to
 * it, and a closed path through them:
 *
 *   a side of 2          one dimension of 2.
 *   one dimension        closed: the ring itself.
 *   several, one even    a comb: along the first line, back through the
 *                        teeth and home along the spine; nothing is closed.
 *   several, all odd     the same, and the last tooth ends at the spine
 *                        through a dimension that is closed.
 *
 * A closed dimension of 4 is a square, so it may serve two sides of the job,
 * each with one of its two halves. There are no other maps: in such a box
 * opposite edges of every square are parallel. So all edges that a step of the
 * job makes have one direction, two sides of a job cannot use the same one,
 * and each has a closed path of its own.
 */
#ifndef TORI_ALLOC_RINGFOLD_H
#define TORI_ALLOC_RINGFOLD_H

#include <tori/machine.h>

/* One dimension of the box that a side of the job goes through. */
struct ringfold_part {
    uint8_t dim;
    bool high;     /* the second half of a closed 4 */
    uint32_t size; /* 2 for such a half */
};

struct ringfold {
    tori_shape job, box;
    bool lines; /* the job is a mesh */
    uint32_t closed; /* dimensions of the box that are closed: bits */

    /* The parts of a side of the job: from part[first[i]] on, up to
     * part[first[i + 1]]. The first is the one that the comb is made of. */
    struct ringfold_part part[2 * TORI_MAX_DIMS];
    uint8_t first[TORI_MAX_DIMS + 1];
};

/* Whether a box carries a job: false if it does not, or has another volume.
 * Bits of `closable` are the dimensions of the box that can be closed. The
 * answer is the first of the maps that close the fewest; it closes the same
 * dimensions whatever the order of the job's sides. */
bool ringfold_find (const tori_shape *job, const tori_shape *box,
                    uint32_t closable, struct ringfold *ret_fold);

/* The same for a job that is a mesh. Each of its sides is a line, to and fro
 * through its dimensions; nothing is closed but a 4 that serves two sides. */
bool ringfold_find_lines (const tori_shape *job, const tori_shape *box,
                          uint32_t closable, struct ringfold *ret_fold);

/* The coordinates in the box of a node of the job. */
void ringfold_coords (const struct ringfold *fold, const uint32_t coords[],
                      uint32_t ret_coords[]);

#endif

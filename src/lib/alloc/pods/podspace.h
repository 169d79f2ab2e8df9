/* podspace.h - the cubes of a pod, and their free nodes.
 *
 * Cubes have the same shape, and a piece of a slice is at the same position in
 * each of its cubes, so a set of nodes of a cube serves all of them: whether a
 * piece finds room in a cube is a word and a mask, for 4x4x4 nodes. */
#ifndef TORI_ALLOC_PODS_PODSPACE_H
#define TORI_ALLOC_PODS_PODSPACE_H

#include <tori/state.h>

enum { MOST_IN_CUBE = 4096 }; /* nodes */

struct podspace {
    const tori_machine *machine;
    int ndims;            /* of a cube */
    const uint32_t *side; /* of a cube */
    uint32_t volume;      /* of a cube */
    uint32_t cubes, pods; /* cubes of a pod */
    size_t words;         /* of a set of nodes of a cube */
    bool aligned; /* slices smaller than a cube lie as if cubes were cut into
                     them: see podcut_pieces */

    /* For each dimension, for k from 0 to its side: the nodes with a
     * coordinate below k. */
    uint64_t *slabs;
    size_t first_slab[TORI_MAX_DIMS];

    /* The present pod: its free nodes, cube by cube, and their number; and
     * how often a look found others. */
    uint32_t pod;
    uint64_t *free;
    uint32_t *count;
    uint64_t changes;
};

/* TORI_INVALID if the machine is not a pod, or its cubes are too large.
 * podspace_clear is needed in any case. */
int podspace_create (const tori_machine *machine, struct podspace *ret_space,
                     tori_error *err);
void podspace_clear (struct podspace *space);

void podspace_look (struct podspace *space, const tori_state *state,
                    uint32_t pod);

/* The nodes of a cube from span[2 d] up to span[2 d + 1] - 1 in every
 * dimension d: as a set, and as a box in a cube of the present pod. */
void podspace_mask (const struct podspace *space, const uint32_t span[],
                    uint64_t mask[]);
tori_box podspace_box (const struct podspace *space, uint32_t cube,
                       const uint32_t span[]);

#endif

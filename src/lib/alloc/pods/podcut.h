/* podcut.h - the pieces of a shape that lie in cubes.
 *
 * A shape that begins at an offset in its first cubes is cut where cubes end,
 * in each dimension by itself. So along a dimension there are up to three
 * parts: the first piece, which ends at the upper face of its cubes, whole
 * ones in the middle, and the last, which begins at the lower face. Pieces
 * with the same parts in all dimensions are of a type: they need the same
 * nodes, each of another cube. */
#ifndef TORI_ALLOC_PODS_PODCUT_H
#define TORI_ALLOC_PODS_PODCUT_H

#include <tori/alloc.h>

#include "podspace.h"

/* Pieces that lie alike in one dimension: nodes from first up to end - 1. */
struct podpart {
    uint32_t first, end;
    uint32_t count;
    bool below, above; /* joined there */
};

/* A cut. */
struct podpattern {
    tori_shape across; /* pieces along each dimension */
    struct podpart part[TORI_MAX_DIMS][3];
    int parts[TORI_MAX_DIMS];
};

/* The pieces that a shape is cut into from an offset on, a node of a cube; 0
 * if it can never be wired so, UINT64_MAX for more than can be counted. Also 0
 * in an aligned space, for a shape smaller than a cube that does not begin at
 * a multiple of each of its sides, or leaves its first cube further on. */
uint64_t podcut_pieces (const struct podspace *space, const tori_shape *shape,
                        uint32_t offset, tori_wiring wiring);

/* Cut it. Joints are distinguished only if `linked`: if all links are up it
 * does not matter how a piece is joined. */
void podpattern_make (struct podpattern *pattern, const struct podspace *space,
                      const tori_shape *shape, uint32_t offset,
                      tori_wiring wiring, bool linked);

/* How many types there are; the parts of a type in each dimension. */
uint32_t podpattern_types (const struct podpattern *pattern);
void podpattern_parts (const struct podpattern *pattern, uint32_t type,
                       const struct podpart *ret_parts[]);

/* The type of the i-th piece, in row-major order. */
uint32_t podpattern_type (const struct podpattern *pattern, uint32_t i);

#endif

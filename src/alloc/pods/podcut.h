/* podcut.h - how a shape is cut into pieces that lie in cubes.
 *
 * A shape that begins at an offset in its first cubes is cut where cubes end,
 * in each dimension by itself. So along a dimension there are up to three
 * parts: the first piece, which ends at the upper face of its cubes, whole
 * ones in the middle, and the last, which begins at the lower face. Pieces
 * with the same parts in all dimensions are of a type: they need the same
 * nodes, each of another cube.
 */
#ifndef TORI_ALLOC_PODS_PODCUT_H
#define TORI_ALLOC_PODS_PODCUT_H

#include <tori/alloc.h>

#include "podspace.h"
#include "taking.h"

/* Where a slice may begin, and in which rotation. */
struct podcut {
    uint32_t offset;   /* a node of a cube */
    uint32_t rotation; /* its number */
    uint32_t pieces;
};

/* All cuts of a request into no more pieces than a pod has cubes, by offset,
 * then by rotation in lexicographic order. */
struct podcuts {
    tori_shape *rotation;
    size_t nrotations, rotation_room;
    struct podcut *list;
    size_t n, room;
};

int podcuts_make (struct podcuts *cuts, const struct podspace *space,
                  const tori_request *request, tori_error *err);
void podcuts_clear (struct podcuts *cuts);

/* The fewest pieces that the request, in this rotation, can be cut into; 0 if
 * it can never be wired so. */
uint64_t podcut_fewest (const struct podspace *space, const tori_shape *shape,
                        tori_wiring wiring);

/* Pieces that lie alike in one dimension: nodes from first up to end - 1. */
struct podpart {
    uint32_t first, end;
    uint32_t count;
    bool below, above; /* joined there */
};

/* Pieces that lie alike. */
struct piece_type {
    uint32_t first[TORI_MAX_DIMS], end[TORI_MAX_DIMS];
    struct wires wires;
    uint32_t need; /* how many */
    uint32_t size; /* nodes of one */
};

/* A cut, opened. */
struct podpattern {
    tori_shape across; /* pieces along each dimension */
    struct podpart part[TORI_MAX_DIMS][3];
    int parts[TORI_MAX_DIMS];
    uint32_t largest;  /* nodes of the largest pieces */
    uint64_t nlargest; /* how many there are */
    struct piece_type *type;
    uint64_t *mask; /* of each type, space->words each */
    size_t ntypes, type_room, mask_room;
};

/* Begin with a cut: its parts, from which the largest pieces follow. Joints
 * are told apart only if `linked`: where all links are up it does not matter
 * how a piece is joined. Then open it: its types. */
void podpattern_begin (struct podpattern *pattern,
                       const struct podspace *space, const tori_shape *shape,
                       uint32_t offset, tori_wiring wiring, bool linked);
int podpattern_open (struct podpattern *pattern, const struct podspace *space,
                     tori_wiring wiring, tori_error *err);
void podpattern_clear (struct podpattern *pattern);

/* The type of the i-th piece, in row-major order. */
size_t podpattern_type (const struct podpattern *pattern, uint32_t i);

#endif

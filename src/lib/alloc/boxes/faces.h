/* faces.h - free nodes at the faces of a box, for many boxes in a row.
 *
 * If a free box grows by one on both sides of a dimension, the free nodes that
 * it gains are those that touch it there. The free nodes of a box are
 * differences in a table of sums from the first corner on, eight numbers for
 * each box. For boxes side by side along the last dimension these numbers are
 * also side by side in the table, so this is a loop over vectors. Round a ring
 * the table continues after the end; beyond the edge of a mesh nothing is
 * free. */
#ifndef TORI_ALLOC_FACES_H
#define TORI_ALLOC_FACES_H

#include <tori/alloc.h>

enum { FACES_AXES = 3, FACES_ROW = 64 };

/* A dimension longer than 1, the last one last; the others have a side of 1,
 * and no dimension. */
struct faces_axis {
    int dim;
    uint32_t size;
    bool wraps;
    uint32_t before; /* places before coordinate 0 */
    uint32_t cells;
    size_t step;
};

/* One number to add, or to subtract. */
struct faces_term {
    size_t at; /* from that of the origin on */
    bool less;
};

struct faces {
    const tori_machine *machine;
    bool suits; /* up to three dimensions are longer than 1 */
    struct faces_axis axes[FACES_AXES];
    uint32_t *sums;
    size_t room;
    tori_shape shape; /* of the boxes */
    struct faces_term terms[8 * FACES_AXES];
    int nterms;
    uint32_t own; /* nodes of the box, once for every dimension it can grow */
};

/* Nothing is allocated yet. */
void faces_init (struct faces *faces, const tori_machine *machine);
void faces_clear (struct faces *faces);

/* Make the table for the boxes of a request. 1, 0 if it would be too large, or
 * -1 without memory. */
int faces_load (struct faces *faces, const tori_state *state,
                const tori_request *request, tori_error *err);

/* The shape of the boxes to come. */
void faces_set (struct faces *faces, const tori_shape *shape);

/* The sums over all faces of the free boxes of this shape at n origins in a
 * row of the last dimension longer than 1, at most FACES_ROW. The numbers of
 * boxes that are not free are meaningless. */
void faces_count (const struct faces *faces, const uint32_t origin[],
                  unsigned n, uint32_t ret_touching[FACES_ROW]);

#endif

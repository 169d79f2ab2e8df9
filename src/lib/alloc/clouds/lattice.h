/* lattice.h - the grid that points lie on, as if all its nodes were free.
 *
 * Points with whole coordinates lie on a grid of lines and rings. If no two of
 * them coincide they are nodes of it, so a bound for every k of its nodes holds
 * for them. Every set of nodes of a ring can be turned, and of a line without
 * ends moved, until any of its coordinates is 0. So it is enough to look around
 * node 0, if in every dimension it is where the distances to the set have the
 * least sum. A line is as good as one without ends if it goes as far from node
 * 0, both ways, as the points are apart. On the line itself, that place may be
 * any, and each is looked at by itself. */
#ifndef TORI_ALLOC_LATTICE_H
#define TORI_ALLOC_LATTICE_H

#include "cloud.h"

struct lattice {
    struct cloud cloud; /* nodes around node 0, which is the first */
    int64_t *coords;    /* theirs */
    uint64_t reach;     /* all within this distance of node 0 are there */
    uint64_t down[TORI_MAX_DIMS], up[TORI_MAX_DIMS]; /* and no farther */
};

/* As many of the nodes nearest to node 0 as are no more than `most`, by whole
 * distances. Node 0 is `middle` steps from the least coordinate of every line;
 * NULL: lines have no ends. 1 if there are at least `least`, 0 if not, -1
 * without memory. */
int lattice_create (const struct cloud *cloud, const uint32_t *middle,
                    size_t least, size_t most, struct lattice *ret_lattice,
                    tori_error *err);
void lattice_clear (struct lattice *lattice);

/* All nodes of the grid, as far as the points reach on lines, if they are no
 * more than `most` and no two points coincide, and which of the points is at
 * each: SIZE_MAX for none. 1, or 0 if not; -1 without memory. */
struct lattice_grid {
    struct cloud cloud;
    int64_t *coords;
    size_t *point;
};
int lattice_fill (const struct cloud *cloud, size_t most,
                  struct lattice_grid *ret_grid, tori_error *err);
void lattice_grid_clear (struct lattice_grid *grid);

#endif

/* lattice.h - the torus that points lie on, as if all its nodes were free.
 *
 * A line of points that span s steps is part of a ring of 2 s nodes, on which
 * they are as far apart as on the line. So all points with whole coordinates
 * lie on a torus, and if no two of them coincide they are k of its nodes. A
 * bound for every k nodes of a torus holds for them. And every set of nodes of
 * a torus can be moved until it contains node 0, so it is enough to look
 * around that node. */
#ifndef TORI_ALLOC_LATTICE_H
#define TORI_ALLOC_LATTICE_H

#include "cloud.h"

struct lattice {
    struct cloud cloud; /* nodes around node 0, which is the first */
    int64_t *coords;    /* theirs */
    uint64_t reach;     /* all within this distance of node 0 are there */
};

/* As many of the nodes nearest to node 0 as are no more than `most`, by whole
 * distances. 1 if there are at least `least`, 0 if not, -1 without memory. */
int lattice_create (const struct cloud *cloud, size_t least, size_t most,
                    struct lattice *ret_lattice, tori_error *err);
void lattice_clear (struct lattice *lattice);

#endif

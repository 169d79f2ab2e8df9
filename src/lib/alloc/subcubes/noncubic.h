/* noncubic.h - requests with sides that are not powers of two, and requests
 * for which a machine whose own sides are not powers of two has no subcube.
 *
 * First a wholly free subcube is searched as for a cubic request, and only the
 * needed part of it is taken (fold.h). If there is none:
 *
 *   round-up   subcubes that stick out of the machine will do if all that is
 *              there of them is free and the shape, not folded, is in that
 *              part at the low corner. The missing nodes belong to the rest
 *              that is given back at once.
 *   decompose  subcubes of which some nodes are taken or missing will do: if
 *              the shape, not folded, is free at the low corner, or else if so
 *              many free nodes hang together in there. These are taken from
 *              the first by address, each next the first that hangs on those
 *              before it. They are a set of subcubes, down to single nodes.
 *
 * Subcubes are tried in the order of ids, those of the size rounded up first
 * and, if the machine has none that could hold the shape even if it were idle,
 * larger ones, up to all of it. Only aligned ones are, whatever the option
 * `hypercube`. Nodes that hang together are not sought in subcubes of more
 * than 2^16 nodes. */
#ifndef TORI_ALLOC_NONCUBIC_H
#define TORI_ALLOC_NONCUBIC_H

#include "isocube.h"

/* The place of such a shape: 1 and `ret_place`, 0 if there is none now, -1
 * without memory. */
int noncubic_find (struct isocube *iso, const tori_shape *shape,
                   tori_noncubic how, tori_placement *ret_place,
                   tori_error *err);

/* Whether a shape, cubic or not, would have a place if all nodes were free. */
bool noncubic_possible (const struct isocube *iso, const tori_shape *shape,
                        tori_noncubic how);

#endif

/* twins.h - centres that need not be tried, as one before does as well.
 *
 * Let c be a centre and c' its neighbour before it in some dimension. If no
 * node is busy within the radius of c, nor within that of c', and neither ball
 * is cut off or goes round the ring in this dimension, then both balls have
 * the same shape, in the other dimensions with the same edges; so they have
 * the same radius, and the k nearest of c are those of c', moved by one: the
 * order of ids is the same in both. c' has the same sum and the lower id, and
 * c can be left out. c' is free, like c, and so a centre itself; it may be
 * left out for one before it in turn, but the first of them is not.
 *
 * In a large free part of a machine that leaves few centres to try.
 */
#ifndef TORI_ALLOC_TWINS_H
#define TORI_ALLOC_TWINS_H

#include "field.h"

struct twins {
    uint16_t *busy;   /* how far the nearest busy node is */
    uint16_t *row[2]; /* of these, padded on both sides */
    bool ready;
};

void twins_clear (struct twins *twins);

/* Take the centres that need not be tried from those that are allowed, once
 * radii are known; all nodes are centres. -1 without memory. */
int twins_drop (struct twins *twins, struct field *field, tori_error *err);

/* The same where it is known which centres see free nodes only, and are far
 * from all edges: `clear` is all ones there. Some nodes are centres. */
void twins_drop_clear (struct field *field, const uint16_t *clear);

#endif

/* balltable.h - how many free nodes are in the balls across a dimension.
 *
 * See balls.h for what they are for. A row of a table belongs to a node and
 * holds counts for radius -1 (none), 0, 1, 2 ...: the count for radius r is in
 * slot r + 1. Rows follow each other in the order of ids.
 */
#ifndef TORI_ALLOC_BALLTABLE_H
#define TORI_ALLOC_BALLTABLE_H

#include <tori/alloc.h>

#include "grid.h"

/* A dimension, and how far it goes from a node on either side: to the edge
 * (UINT32_MAX here), or round half way. */
struct ball_axis {
    uint32_t size, stride;
    bool wraps;
    uint32_t left, right;
};

struct ball_tables {
    const tori_machine *machine;
    int ndims;
    struct ball_axis axes[TORI_MAX_DIMS];
    size_t row; /* slots, a multiple of 8 */

    /* A table a dimension. In the balls across dimension d, `across` counts
     * all, `before` what has the node's or a lower coordinate of the first
     * dimension, `beyond` the node's or a higher one, round the ring if need
     * be. The latter two are for the dimensions but the first. */
    uint16_t *across[TORI_MAX_DIMS];
    uint16_t *before[TORI_MAX_DIMS];
    uint16_t *beyond[TORI_MAX_DIMS];

    /* A node: the least radius with k free nodes, and how many are nearer. */
    uint32_t *radius, *nearer;
    uint32_t promising; /* node whose k nearest are least far from it */

    uint16_t *slots, *lines;
    size_t slots_room, lines_room;
};

void ball_tables_init (struct ball_tables *tables,
                       const tori_machine *machine);
void ball_tables_clear (struct ball_tables *tables);

/* Whether radii up to this one can be served: counts must fit 16 bits and the
 * tables half a GiB. */
bool ball_tables_fit (const struct ball_tables *tables, uint32_t radius);

/* Count. 1, or 0 if some node needs a radius beyond `radius` (the rows have
 * room for a few more, which are used), or -1 without memory. */
int ball_tables_count (struct ball_tables *tables, const uint64_t *free_nodes,
                       uint32_t k, uint32_t radius, tori_error *err);

#endif

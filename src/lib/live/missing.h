/* missing.h - the place for a shape that misses the fewest nodes. */
#ifndef TORI_LIVE_MISSING_H
#define TORI_LIVE_MISSING_H

#include <tori/alloc.h>

/* Memory for a search, three numbers a node or a little more. */
struct missing {
    const tori_machine *machine;
    int outer;      /* dimensions before the last three */
    uint32_t *held; /* 1 if the node is not free */
    uint32_t *sums;
    uint32_t *line; /* one line of a dimension */

    /* For each combination of the outer coordinates, the sums of all boxes of
     * the last three dimensions that begin at 0. */
    uint32_t *table;
    uint32_t size[3], step[3]; /* of these dimensions in the machine ... */
    uint32_t row[3];           /* ... and in the table */
    uint32_t nodes, slab;      /* of one combination: nodes, and numbers */
    bool tabled;               /* the table is of the nodes themselves */
};

int missing_create (const tori_state *state, struct missing *ret_missing,
                    tori_error *err);
void missing_clear (struct missing *missing);

/* The place for a box of this request with the fewest nodes that are not free,
 * the first by origin, then by rotation, and how many. False if the machine
 * has none. */
bool missing_least (struct missing *missing, const tori_request *request,
                    tori_box *ret_box, uint32_t *ret_n);

#endif

/* missing.h - the place for a shape that misses the fewest nodes. */
#ifndef TORI_LIVE_MISSING_H
#define TORI_LIVE_MISSING_H

#include <tori/alloc.h>

/* Memory for a search, two numbers a node. */
struct missing {
    const tori_machine *machine;
    uint32_t *held; /* 1 if the node is not free */
    uint32_t *sums;
    uint32_t *line; /* one line of a dimension */
};

int missing_create (const tori_state *state, struct missing *ret_missing,
                    tori_error *err);
void missing_clear (struct missing *missing);

/* The place for a box of this request with the fewest nodes that are not free,
 * the first by origin, then by rotation, and how many. False if the machine
 * has none. */
bool missing_least (const struct missing *missing, const tori_request *request,
                    tori_box *ret_box, uint32_t *ret_n);

#endif

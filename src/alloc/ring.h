/* ring.h - the best k of n points round a ring; see onedim.h. */
#ifndef TORI_ALLOC_RING_H
#define TORI_ALLOC_RING_H

#include <stddef.h>
#include <stdint.h>

#include <tori/error.h>

/* Where a point is, counted from the least coordinate, and which it is. */
struct place {
    uint64_t at;
    size_t index;
};

/* Write the indexes of a best set, in any order. The places are sorted, and
 * within a ring of this length. */
int ring_choose (const struct place *places, size_t n, uint64_t length,
                 size_t k, size_t *ret_chosen, tori_error *err);

#endif

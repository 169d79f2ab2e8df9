/* erosion.h - from a set of free nodes to the set of origins of free boxes.
 *
 * Nodes are bits in the order of ids, so "the box at origin o is free" is the
 * AND of the free bits at o plus fixed distances. That is separable, and
 * along a dimension it takes about log2 n steps of `set &= set >> distance`
 * to go from an extent of 1 to n, each on 64 origins at once.
 *
 * The steps may go in any order. Those with the farthest reach go first: the
 * nodes they look at are the least related, so on a busy machine few origins
 * survive more than four or five steps. Once few are left, the remaining steps
 * are done for these alone.
 */
#ifndef TORI_ALLOC_EROSION_H
#define TORI_ALLOC_EROSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_SHIFTS = 64 }; /* 2 * log2 of TORI_MAX_NODES is less */

struct shift {
    uint64_t bits;
    uint32_t reach; /* in nodes of its dimension */
};

struct erosion {
    struct shift *shifts; /* room for them is the caller's */
    int n;
    uint64_t reach; /* how far it looks ahead, in bits */
};

/* How many steps erosion_extend adds. */
int erosion_steps (uint32_t from, uint32_t to);

/* Add the steps that take one dimension from one extent to a larger one. */
void erosion_extend (struct erosion *erosion, uint64_t stride, uint32_t from,
                     uint32_t to);

/* How far an erosion has come. */
struct eroded {
    const uint64_t *words;
    int done; /* steps */
};

/* The number of further words that must follow the wanted ones. */
static inline size_t erosion_lead (const struct erosion *erosion)
{
    return (size_t)((erosion->reach + 63) / 64);
}

/* Erode `length` words; the last erosion_lead() of them come to nothing. Stops
 * when the rest is cheaper one by one, unless `whole`. `set` has a further
 * word, which is read but does not matter, and `work` is two buffers with room
 * for as many. False if nothing is left. */
bool erode (const struct erosion *erosion, const uint64_t *set, size_t length,
            bool whole, uint64_t *const work[2], struct eroded *ret_eroded);

/* Do the remaining steps for these origins of one word. */
uint64_t erode_word (const struct erosion *erosion, struct eroded eroded,
                     size_t word, uint64_t origins);

#endif

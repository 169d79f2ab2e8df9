/* tally.h - the sum of the cheapest so many of a changing set.
 *
 * Of n prices in ascending order some are in the set. To put one in, to take
 * one out, and to add up the m cheapest takes O(log n).
 */
#ifndef TORI_ALLOC_TALLY_H
#define TORI_ALLOC_TALLY_H

#include "cuts.h"

struct tally {
    uint32_t size;   /* how many prices there can be */
    uint32_t in;     /* how many of them are in */
    uint32_t *count; /* sums over ranges that end at i, as long as the lowest
                        bit of i; from 1 on */
    amount *sum;
};

/* Empty, for up to this many. */
int tally_create (uint32_t most, struct tally *ret_tally, tori_error *err);
void tally_clear (struct tally *tally);

/* Empty it, for so many. */
void tally_reset (struct tally *tally, uint32_t size);

/* The price at this place, 0 for the least, comes in or goes. */
void tally_put (struct tally *tally, uint32_t place, amount price);
void tally_take (struct tally *tally, uint32_t place, amount price);

/* The sum of the cheapest so many of those that are in. */
amount tally_cheapest (const struct tally *tally, uint32_t many);

#endif

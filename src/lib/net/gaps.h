/* gaps.h - how many trials fail before one succeeds.
 *
 * In every cycle a message begins with some chance. Instead of drawing every
 * cycle, we draw the gaps between messages. A table holds the chances of short
 * gaps; the search in it starts near the right place. For a longer gap we draw
 * again from where the table ends, since past failures have no bearing on what
 * follows. */
#ifndef TORI_NET_GAPS_H
#define TORI_NET_GAPS_H

#include "random.h"

enum { GAPS = 256 };

struct gaps {
    uint64_t below[GAPS]; /* of 2^64 numbers, those of gaps up to this one */
    uint8_t first[GAPS];  /* by the highest bits: the first gap there */
};

/* Each trial succeeds with chance q, above 0 and up to 1. */
void gaps_prepare (struct gaps *gaps, double q);

static inline uint64_t gaps_draw (const struct gaps *gaps, struct rng *rng)
{
    uint64_t gap = 0, number = rng_next (rng);
    unsigned i;
    while (number >= gaps->below[GAPS - 1]) {
        gap += GAPS;
        number = rng_next (rng);
    }
    for (i = gaps->first[number >> 56]; number >= gaps->below[i]; i++)
        ;
    return gap + i;
}

#endif

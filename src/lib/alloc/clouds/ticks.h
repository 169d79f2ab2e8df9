/* ticks.h - the grid that the coordinates of points span.
 *
 * The distinct coordinates of every dimension. All of them combined in every
 * way are the centres of MM.
 */
#ifndef TORI_ALLOC_TICKS_H
#define TORI_ALLOC_TICKS_H

#include "cloud.h"

struct ticks {
    int64_t least[TORI_MAX_DIMS]; /* coordinate of a dimension */
    uint64_t *at[TORI_MAX_DIMS];  /* all of them, counted from it, sorted */
    size_t count[TORI_MAX_DIMS];
};

/* -1 without memory. */
int ticks_init (struct ticks *ticks, const struct cloud *cloud,
                tori_error *err);
void ticks_clear (struct ticks *ticks);

/* How many centres there are, or more than 2^64. */
wide ticks_centres (const struct ticks *ticks, int ndims);

#endif

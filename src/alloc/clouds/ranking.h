/* ranking.h - the grid that the coordinates of points span.
 *
 * The distinct coordinates of every dimension, and which of them each point
 * has. All of them combined in every way are the centres of MM.
 */
#ifndef TORI_ALLOC_RANKING_H
#define TORI_ALLOC_RANKING_H

#include "cloud.h"

struct ranking {
    const struct cloud *cloud;
    int64_t *values; /* the distinct coordinates of all dimensions, sorted */
    size_t first[TORI_MAX_DIMS]; /* of a dimension in `values` */
    size_t count[TORI_MAX_DIMS];
    size_t total;  /* of `values` */
    size_t *ranks; /* indexes in `values`: ndims of them a point */
};

/* -1 without memory. */
int ranking_init (struct ranking *ranking, const struct cloud *cloud,
                  tori_error *err);
void ranking_clear (struct ranking *ranking);

/* How many centres there are, or more than 2^64. */
wide ranking_centres (const struct ranking *ranking);

#endif

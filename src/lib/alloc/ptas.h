/* ptas.h - a set within 1 + epsilon of the best; see ptas_centres.c. */
#ifndef TORI_ALLOC_PTAS_H
#define TORI_ALLOC_PTAS_H

#include "cloud.h"

/* Steps, if options->steps is 0, and additions in a step. */
#define PTAS_STEPS (UINT64_C (1) << 29)
enum { PTAS_ADDITIONS = 16 };

/* Whether a set, in ascending order, is proved to be within 1 + epsilon of the
 * best, centre by centre; a better set found on the way replaces it. 1 if it
 * is, 0 if `limit` additions are not enough to tell, -1 without memory. The
 * bound proved so far is kept (cloud_keep). */
int ptas_centres (const struct cloud *cloud, size_t k,
                  const tori_alloc_config *options, uint64_t limit,
                  size_t *set, uint64_t *ret_additions, tori_error *err);

#endif

/* ptas.h - a set within 1 + epsilon of the best; see ptas_centres.c. */
#ifndef TORI_ALLOC_PTAS_H
#define TORI_ALLOC_PTAS_H

#include "cloud.h"

/* The most ways to cut, if options->steps is 0. */
#define PTAS_WAYS (UINT64_C (1) << 32)

/* Prove of a set, in ascending order, that it is within 1 + epsilon of the
 * best; a better set found on the way replaces it. 1, or 0 if that was not
 * settled soon and there are more ways to cut than `most_ways`, which is below
 * 2^63; -1 without memory. The answer so far is kept (cloud_keep). If it is
 * `endless`, it goes on then, and is never 0. */
int ptas_centres (const struct cloud *cloud, size_t k,
                  const tori_alloc_config *options, uint64_t most_ways,
                  bool endless, size_t *set, double *ret_ways,
                  tori_error *err);

#endif

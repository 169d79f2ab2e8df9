/* ptas.h - the approximation scheme; see ptas.c and ptas_scheme.h. */
#ifndef TORI_ALLOC_PTAS_H
#define TORI_ALLOC_PTAS_H

#include "cloud.h"

/* Steps, if options->steps is 0; and so many additions take about as long as a
 * step of cuttings. */
#define PTAS_STEPS (UINT64_C (1) << 29)
enum { PTAS_ADDITIONS = 16 };

/* Whether there are few enough ways to cut to try them: 1 or 0. */
int ptas_cut_few (const struct cloud *cloud, size_t k, double epsilon,
                  tori_error *err);

/* A set within 1 + options->epsilon of the best, by cuttings alone. They have
 * to beat `start`, unless it is NULL. Of the steps so many are `spent` before.
 * TORI_GAVE_UP if there are too many of them. */
int ptas_cut (const struct cloud *cloud, size_t k,
              const tori_alloc_config *options, uint64_t spent,
              const size_t *start, size_t *ret_chosen, tori_error *err);

/* Whether a set, in ascending order, is proved to be within 1 + epsilon of the
 * best, centre by centre; where a better one is found on the way, it takes its
 * place. 1 if it is, 0 if `limit` additions are not enough to tell, -1 without
 * memory. What is proved then is kept (cloud_keep). */
int ptas_centres (const struct cloud *cloud, size_t k,
                  const tori_alloc_config *options, uint64_t limit,
                  size_t *set, uint64_t *ret_additions, tori_error *err);

#endif

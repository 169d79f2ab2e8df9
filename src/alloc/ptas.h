/* ptas.h - the approximation scheme; see ptas.c and ptas_scheme.h. */
#ifndef TORI_ALLOC_PTAS_H
#define TORI_ALLOC_PTAS_H

#include "cloud.h"

/* A set within 1 + options->epsilon of the best, by cuttings alone. They have
 * to beat `start`, unless it is NULL. TORI_GAVE_UP if there are too many of
 * them. */
int ptas_cut (const struct cloud *cloud, size_t k,
              const tori_alloc_options *options, const size_t *start,
              size_t *ret_chosen, tori_error *err);

#endif

/* ptas.h - the approximation scheme; see ptas.c. */
#ifndef TORI_ALLOC_PTAS_H
#define TORI_ALLOC_PTAS_H

#include "cloud.h"

/* The sizes of the fewest strips of k points that keep the answer within
 * 1 + epsilon of the best. `ret_sizes` has room for k + 2. Returns how many.
 */
size_t ptas_strips (size_t k, double epsilon, size_t *ret_sizes);

/* A set within 1 + epsilon of the best, by cuttings alone. They have to beat
 * `start`, unless it is NULL. TORI_INVALID if there are too many of them, or
 * on a ring that the points do not leave half of. */
int ptas_cut (const struct cloud *cloud, size_t k, double epsilon,
              const size_t *start, size_t *ret_chosen, tori_error *err);

#endif

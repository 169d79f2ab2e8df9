/* ptas.h - the strips of the approximation scheme; see ptas.c. */
#ifndef TORI_ALLOC_PTAS_H
#define TORI_ALLOC_PTAS_H

#include <stddef.h>

/* The sizes of the fewest strips of k points that keep the answer within
 * 1 + epsilon of the best. `ret_sizes` has room for k + 2. Returns how many.
 */
size_t ptas_strips (size_t k, double epsilon, size_t *ret_sizes);

#endif

/* misspelt.h - which known name a misspelt name was meant to be. */
#ifndef TORI_BASE_MISSPELT_H
#define TORI_BASE_MISSPELT_H

#include <stddef.h>

/* The known name that is fewest slips away (a letter more, less, changed, or
 * two swapped), the first of several; NULL if even that would change more
 * than a third of the name, for then it is no help. `known` gives the i-th
 * name, NULL past the end. */
const char *nearest_name (const char *name,
                          const char *(*known) (const void *arg, size_t i),
                          const void *arg);

#endif

/* roll.h - numbers for names, in the order in which the names appear. */
#ifndef TORI_WORKLOAD_ROLL_H
#define TORI_WORKLOAD_ROLL_H

#include <stddef.h>
#include <stdint.h>

#include <tori/error.h>

struct roll {
    char **name;
    size_t n, room;
    uint32_t *slot; /* by hash, indexes + 1; 0: free */
    size_t slots;   /* a power of two */
};

/* The index of a name, which is added if it is new. All zeros is an empty
 * roll. */
int roll_find (struct roll *roll, const char *name, size_t *ret_place,
               tori_error *err);
void roll_clear (struct roll *roll);

#endif

/* pools.h - the least that some first ones of several lists sum up to. */
#ifndef TORI_ALLOC_POOLS_H
#define TORI_ALLOC_POOLS_H

#include "cloud.h"

/* Neighbours in a list, pooled so that from pool to pool their mean does not
 * fall: what is gained by the lower ones behind is shared by those before. */
struct pool {
    wide sum;
    uint64_t count;
    uint64_t mean; /* rounded down */
};

/* Add a number to the pools of a list, which are those from `first` on; how
 * many there are then. */
size_t pools_add (struct pool *pools, size_t first, size_t n,
                  uint64_t number);

/* No more than what `rest` numbers sum up to at the least, if from every list
 * some first ones are taken. There is room for n more pools behind them. */
wide pools_least (struct pool *pools, size_t n, size_t rest);

#endif

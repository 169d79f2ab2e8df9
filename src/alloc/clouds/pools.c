#include "pools.h"

#include <string.h>

static uint64_t mean_of (wide sum, uint64_t count)
{
    return sum <= UINT64_MAX ? (uint64_t)sum / count : (uint64_t)(sum / count);
}

size_t pools_add (struct pool *pools, size_t first, size_t n, uint64_t number)
{
    struct pool pool = {number, 1, number};
    while (n > first && pools[n - 1].mean >= pool.mean) {
        n--;
        pool.sum += pools[n].sum;
        pool.count += pools[n].count;
        pool.mean = mean_of (pool.sum, pool.count);
    }
    pools[n++] = pool;
    return n;
}

/* Keep the pools below a mean, or above it. */
static size_t keep (struct pool *pools, size_t n, uint64_t mean, bool below)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (below ? pools[i].mean < mean : pools[i].mean > mean)
            pools[kept++] = pools[i];
    return kept;
}

/* The mean at which so many numbers are reached; fewer are below it. */
static uint64_t find_mean (struct pool *pools, size_t n, uint64_t rest)
{
    for (;;) {
        uint64_t mean = pools[n / 2].mean, below = 0, equal = 0;
        bool lower;
        for (size_t i = 0; i < n; i++)
            if (pools[i].mean < mean)
                below += pools[i].count;
            else if (pools[i].mean == mean)
                equal += pools[i].count;
        if (below < rest && rest <= below + equal)
            return mean;
        lower = rest <= below;
        n = keep (pools, n, mean, lower);
        if (!lower)
            rest -= below + equal;
    }
}

/* Whatever `mean` is: numbers cost that much, less what the pools below it
 * save, and no first ones of a list save more than its pools. */
wide pools_least (struct pool *pools, size_t n, size_t rest)
{
    struct pool *copy = pools + n;
    uint64_t mean;
    wide least;
    if (rest == 0)
        return 0;
    memcpy (copy, pools, n * sizeof *copy);
    mean = find_mean (copy, n, rest);
    least = (wide)mean * rest;
    for (size_t i = 0; i < n; i++)
        if (pools[i].mean < mean)
            least -= (wide)mean * pools[i].count - pools[i].sum;
    return least;
}

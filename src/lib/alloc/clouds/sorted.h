/* sorted.h - numbers in order. */
#ifndef TORI_ALLOC_SORTED_H
#define TORI_ALLOC_SORTED_H

#include <stddef.h>
#include <stdint.h>

/* Sort n numbers; `room` is for as many. */
void sort_numbers (uint64_t *numbers, size_t n, uint64_t *room);

/* How many of n sorted numbers are below a limit. Halving without a branch to
 * be mispredicted: most lists are short. */
static inline size_t count_below (const uint64_t *sorted, size_t n,
                                  uint64_t limit)
{
    const uint64_t *from = sorted;
    while (n > 1) {
        size_t half = n / 2;
        from += from[half - 1] < limit ? half : 0;
        n -= half;
    }
    return (size_t)(from - sorted) + (n == 1 && *from < limit);
}

#endif

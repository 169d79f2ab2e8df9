/* compare.h - numbers in ascending order, for qsort and bsearch. */
#ifndef TORI_BASE_COMPARE_H
#define TORI_BASE_COMPARE_H

#include <stddef.h>
#include <stdint.h>

static inline int compare_ids (const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static inline int compare_sizes (const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

static inline int compare_coords (const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

#endif

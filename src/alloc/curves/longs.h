/* longs.h - whole numbers of many words, modulo what these hold.
 *
 * For places along the curve through a box whose 32 sides may be 2^64 long
 * each. The least word comes first.
 */
#ifndef TORI_ALLOC_LONGS_H
#define TORI_ALLOC_LONGS_H

#include "cloud.h"

/* The most words: a bit a halving of a side. */
enum { LONGS_MOST = TORI_MAX_DIMS };

static inline void longs_add (uint64_t *to, const uint64_t *number,
                              size_t words)
{
    wide carry = 0;
    for (size_t i = 0; i < words; i++) {
        carry += (wide)to[i] + number[i];
        to[i] = (uint64_t)carry;
        carry >>= 64;
    }
}

/* a - b, where a is no less. */
static inline void longs_subtract (const uint64_t *a, const uint64_t *b,
                                   size_t words, uint64_t *ret)
{
    uint64_t borrow = 0;
    for (size_t i = 0; i < words; i++) {
        wide rest = (wide)a[i] - b[i] - borrow;
        ret[i] = (uint64_t)rest;
        borrow = (uint64_t)(rest >> 64) & 1;
    }
}

/* (last + 1) times, and some more. */
static inline void longs_scale (uint64_t *number, uint64_t last, uint64_t more,
                                size_t words)
{
    wide carry = more;
    for (size_t i = 0; i < words; i++) {
        wide low = (wide)number[i] * last + (uint64_t)carry;
        wide sum = (wide)(uint64_t)low + number[i];
        carry = (carry >> 64) + (low >> 64) + (sum >> 64);
        number[i] = (uint64_t)sum;
    }
}

static inline int longs_compare (const uint64_t *a, const uint64_t *b,
                                 size_t words)
{
    while (words-- > 0)
        if (a[words] != b[words])
            return a[words] < b[words] ? -1 : 1;
    return 0;
}

#endif

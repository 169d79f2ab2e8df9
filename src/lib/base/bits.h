/* bits.h - words of 64 bits as sets.
 *
 * A set is a plain array of words; bit i is bit i % 64 of word i / 64. The
 * functions on ranges touch whole words, so that a row of a box costs a word
 * or two whatever its length.
 */
#ifndef TORI_BASE_BITS_H
#define TORI_BASE_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline size_t bits_words (uint64_t nbits)
{
    return (size_t)((nbits + 63) / 64);
}

static inline bool bits_test (const uint64_t *set, uint64_t i)
{
    return set[i / 64] >> (i % 64) & 1;
}

static inline void bits_set (uint64_t *set, uint64_t i)
{
    set[i / 64] |= UINT64_C (1) << (i % 64);
}

static inline void bits_clear (uint64_t *set, uint64_t i)
{
    set[i / 64] &= ~(UINT64_C (1) << (i % 64));
}

/* The n lowest bits, n from 0 to 64. */
static inline uint64_t bits_low (unsigned n)
{
    return n >= 64 ? ~UINT64_C (0) : (UINT64_C (1) << n) - 1;
}

/* n bits from bit i on, n from 1 to 64, in the low bits of the answer. */
static inline uint64_t bits_get (const uint64_t *set, uint64_t i, unsigned n)
{
    uint64_t word = set[i / 64] >> (i % 64);
    if (i % 64 + n > 64)
        word |= set[i / 64 + 1] << (64 - i % 64);
    return word & bits_low (n);
}

/* Put the n low bits of `value` at bit i. */
static inline void bits_put (uint64_t *set, uint64_t i, unsigned n,
                             uint64_t value)
{
    uint64_t mask = bits_low (n);
    unsigned shift = i % 64;
    set[i / 64] = (set[i / 64] & ~(mask << shift)) | (value & mask) << shift;
    if (shift + n > 64)
        set[i / 64 + 1] = (set[i / 64 + 1] & ~(mask >> (64 - shift)))
                          | (value & mask) >> (64 - shift);
}

/* Ranges of n bits from bit i on; n may be 0. */
void bits_set_range (uint64_t *set, uint64_t i, uint64_t n);
void bits_clear_range (uint64_t *set, uint64_t i, uint64_t n);
bool bits_any_range (const uint64_t *set, uint64_t i, uint64_t n);
uint64_t bits_count_range (const uint64_t *set, uint64_t i, uint64_t n);

/* The first of n bits in a row that are set, n at least 1, in a set of so many;
 * `nbits` if there are none. Bits past the end are 0. */
uint64_t bits_find_run (const uint64_t *set, uint64_t nbits, uint64_t n);

#endif

/* value.h - long numbers that can always be compared.
 *
 * A plan with contention halves and sums: a finish time is a sum of other
 * finish times, each divided by a power of two, and these are sums in turn.
 * Written out, it grows by some bits with every job that depends on one before
 * it, to tens of thousands of bits in the end. But all that a plan asks is
 * which of two times is less and, above all, whether two are equal, since ties
 * have a rule.
 *
 * So a value is kept as
 *
 *   - a fixed-point number of some words, rounded down where it must be;
 *   - a bound on its error;
 *   - the exact number modulo the prime 2^61 - 1, where halving is a rotation.
 *
 * Values further apart than their bounds compare as they look. Closer ones are
 * equal if they are the same modulo the prime. This is wrong with a chance of
 * one in 2^61, for numbers that agree in all digits that count. If two are
 * close and not equal, the order is unclear, and the whole plan is made anew
 * with more words. So every comparison that a finished plan rests on is exact.
 *
 * A value is an array of words + 1: the digits, the lowest first, as two's
 * complement, and the remainder. The caller keeps the bounds separately, as
 * doubles in units that the scale knows. They are rounded themselves, hence
 * some slack. Nothing that is printed depends on them.
 */
#ifndef TORI_PLAN_VALUE_H
#define TORI_PLAN_VALUE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include <tori/exact.h>

#define VALUE_PRIME ((UINT64_C (1) << 61) - 1)
enum { VALUE_LEAST_WORDS = 2, VALUE_MOST_WORDS = 16 };

/* How values are kept. */
struct scale {
    int words;
    int point;    /* bits after the point */
    int unit;     /* bounds count in units of 2^unit of the last bit */
    double ulp;   /* the last bit in that unit, or a little more */
    double high;  /* half of the last bit of the highest word */
    bool unclear; /* a comparison could not be made: more words are needed */
};

/* Bounds count in units of 2^unit. */
static inline void scale_unit (struct scale *scale, int unit)
{
    scale->unit = unit;
    scale->ulp = fmax (ldexp (1, -unit), 0x1p-900);
    scale->high = ldexp (1, 64 * (scale->words - 1) - 1 - unit);
}

/* Make a bound fit a unit 2^bits times as large. */
static inline void bound_widen (double *bound, int bits)
{
    if (*bound > 0)
        *bound = fmax (ldexp (*bound, -bits), 0x1p-900);
}

__extension__ typedef unsigned __int128 value_pair;

/* ---- modulo the prime ---- */

static inline uint64_t residue_add (uint64_t a, uint64_t b)
{
    uint64_t sum = a + b;
    return sum >= VALUE_PRIME ? sum - VALUE_PRIME : sum;
}

static inline uint64_t residue_sub (uint64_t a, uint64_t b)
{
    return a >= b ? a - b : a + VALUE_PRIME - b;
}

/* a / 2^bits, bits below 61. */
static inline uint64_t residue_halve (uint64_t a, int bits)
{
    return (a >> bits | a << (61 - bits)) & VALUE_PRIME;
}

/* ---- values ---- */

static inline value_pair value_load (const uint64_t *a)
{
    return (value_pair)a[1] << 64 | a[0];
}

static inline void value_store (uint64_t *to, value_pair value)
{
    to[0] = (uint64_t)value;
    to[1] = (uint64_t)(value >> 64);
}

void value_add_long (int words, uint64_t *to, const uint64_t *a,
                     const uint64_t *b);
void value_sub_long (int words, uint64_t *to, const uint64_t *a,
                     const uint64_t *b);

static inline void value_copy (const struct scale *scale, uint64_t *to,
                               const uint64_t *from)
{
    for (int i = 0; i <= scale->words; i++)
        to[i] = from[i];
}

static inline void value_zero (const struct scale *scale, uint64_t *to)
{
    for (int i = 0; i <= scale->words; i++)
        to[i] = 0;
}

/* to = a + b and to = a - b; `to` may be either. */
static inline void value_add (const struct scale *scale, uint64_t *to,
                              const uint64_t *a, const uint64_t *b)
{
    uint64_t residue = residue_add (a[scale->words], b[scale->words]);
    if (scale->words == 2)
        value_store (to, value_load (a) + value_load (b));
    else
        value_add_long (scale->words, to, a, b);
    to[scale->words] = residue;
}

static inline void value_sub (const struct scale *scale, uint64_t *to,
                              const uint64_t *a, const uint64_t *b)
{
    uint64_t residue = residue_sub (a[scale->words], b[scale->words]);
    if (scale->words == 2)
        value_store (to, value_load (a) - value_load (b));
    else
        value_sub_long (scale->words, to, a, b);
    to[scale->words] = residue;
}

/* Divide a value that is not negative by 2^bits, at most 2^60. Returns the
 * error that rounding adds to its bound. */
double value_halve (const struct scale *scale, uint64_t *value, int bits);

/* Multiply a value that is not negative by 2^bits / divisor; bits is below 60,
 * and the product with 2^bits fits. Returns the bound of the result. */
double value_expand (const struct scale *scale, uint64_t *value, int bits,
                     uint64_t divisor, double bound);

/* The number itself, rounded or not, which then adds an ulp to the bound.
 * False if it has no remainder modulo the prime, because its denominator is a
 * multiple of it. */
bool value_of_exact (const struct scale *scale, tori_exact number,
                     uint64_t *to, bool *ret_rounded);

/* The approximate size of a value that is not negative; the same
 * everywhere. */
double value_approximate (const struct scale *scale, const uint64_t *value);

/* The slow part of value_compare, for values that are close. */
int value_compare_close (struct scale *scale, const uint64_t *a,
                         const uint64_t *b, double bounds);

/* Negative, zero or positive as a is less than, equal to or more than b;
 * `bounds` is the sum of their errors. If that is not clear, the scale
 * remembers it. Most values differ in their highest words by so much that the
 * others do not count. */
static inline int value_compare (struct scale *scale, const uint64_t *a,
                                 const uint64_t *b, double bounds)
{
    int high = scale->words - 1;
    int64_t apart = (int64_t)(a[high] - b[high]);
    if (bounds < scale->high && (apart > 1 || apart < -1))
        return apart > 0 ? 1 : -1;
    return value_compare_close (scale, a, b, bounds);
}

/* A value that is not negative and not rounded, as a fraction; false if it does
 * not fit. */
bool value_exact (const struct scale *scale, const uint64_t *value,
                  tori_exact *ret_number);

/* A decimal for people and JSON, rounded to `places` after the point (0 to
 * 60), without zeros at the end; exact if it has no more places than that. */
enum { VALUE_TEXT = 128 };
void value_format (const struct scale *scale, const uint64_t *value,
                   int places, char text[VALUE_TEXT]);

#endif

/* lanes.h - eight counts of 16 bits at once.
 *
 * In vectors as compilers have them for every processor; no more than what
 * plain x86-64 and aarch64 do in a few instructions.
 */
#ifndef TORI_ALLOC_LANES_H
#define TORI_ALLOC_LANES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { LANES = 8 };

typedef uint16_t lanes __attribute__ ((vector_size (2 * LANES)));
typedef uint32_t quad __attribute__ ((vector_size (2 * LANES)));
typedef int32_t squad __attribute__ ((vector_size (2 * LANES)));

/* Eight numbers of 32 bits: those of every other lane, from the low and the
 * high halves of pairs of lanes. */
struct wides {
    quad low, high;
};

static inline lanes load (const uint16_t *from)
{
    lanes v;
    memcpy (&v, from, sizeof v);
    return v;
}

static inline void store (uint16_t *to, lanes v)
{
    memcpy (to, &v, sizeof v);
}

static inline quad widen_low (lanes v)
{
    return (quad)v & UINT16_MAX;
}

static inline quad widen_high (lanes v)
{
    return (quad)v >> 16;
}

/* Where a lane is when the low ones come first. */
static inline int place_of (int lane)
{
    bool high = (lane % 2 == 1) == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
    return lane / 2 + (high ? LANES / 2 : 0);
}

/* a + b, or all ones if that is too large. */
static inline lanes add_capped (lanes a, lanes b)
{
    lanes sum = a + b;
    return sum | (lanes)(sum < a);
}

/* a where the mask is all ones, b where it is 0. */
static inline lanes pick (lanes mask, lanes a, lanes b)
{
    return (a & mask) | (b & ~mask);
}

/* `sum` with v put where the mask is all ones; it has 0 there so far. One
 * instruction where there is one to select by bits, else two. */
static inline lanes put (lanes sum, lanes mask, lanes v)
{
#ifdef __ARM_NEON
    return pick (mask, v, sum);
#else
    return sum | (v & mask);
#endif
}

static inline lanes lower (lanes a, lanes b)
{
    return pick ((lanes)(a < b), a, b);
}

static inline lanes higher (lanes a, lanes b)
{
    return pick ((lanes)(a > b), a, b);
}

static inline uint32_t least (uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static inline bool all_zero (lanes v)
{
    uint64_t words[2];
    memcpy (words, &v, sizeof words);
    return (words[0] | words[1]) == 0;
}

#endif

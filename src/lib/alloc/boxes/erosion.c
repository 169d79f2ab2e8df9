#include "erosion.h"

#include "bits.h"

/* When so small a part of the words has origins left, they are followed up
 * one by one, each with up to 2^steps looks. */
enum { FEW = 8, MAX_LATE_SHIFTS = 12 };

/* Keep the steps sorted, the farthest reach first. */
static void add_shift (struct erosion *erosion, struct shift shift)
{
    int at = erosion->n++;
    for (; at > 0 && erosion->shifts[at - 1].reach < shift.reach; at--)
        erosion->shifts[at] = erosion->shifts[at - 1];
    erosion->shifts[at] = shift;
    erosion->reach += shift.bits;
}

static uint32_t next_reach (uint32_t from, uint32_t to)
{
    return from < to - from ? from : to - from;
}

int erosion_steps (uint32_t from, uint32_t to)
{
    int n = 0;
    for (; from < to; from += next_reach (from, to))
        n++;
    return n;
}

void erosion_extend (struct erosion *erosion, uint64_t stride, uint32_t from,
                     uint32_t to)
{
    while (from < to) {
        uint32_t reach = next_reach (from, to);
        add_shift (erosion, (struct shift){reach * stride, reach});
        from += reach;
    }
}

/* 1 if a word is not zero: written so that compilers do several at once. */
static uint64_t is_any (uint64_t word)
{
    return (word | -word) >> 63;
}

/* to = from & from >> shift, n words. Returns how many are not zero. */
static size_t shift_and (uint64_t *restrict to, const uint64_t *restrict from,
                         size_t n, uint64_t shift)
{
    const uint64_t *restrict ahead = from + shift / 64;
    unsigned low = shift % 64;
    uint64_t left = 0;
    if (low == 0) {
        for (size_t i = 0; i < n; i++) {
            to[i] = from[i] & ahead[i];
            left += is_any (to[i]);
        }
    } else {
        for (size_t i = 0; i < n; i++) {
            to[i] = from[i] & (ahead[i] >> low | ahead[i + 1] << (64 - low));
            left += is_any (to[i]);
        }
    }
    return (size_t)left;
}

bool erode (const struct erosion *erosion, const uint64_t *set, size_t length,
            bool whole, uint64_t *const work[2], struct eroded *ret_eroded)
{
    uint64_t valid = (uint64_t)length * 64; /* bits */
    int i = 0;
    while (i < erosion->n) {
        const struct shift *shift = &erosion->shifts[i];
        uint64_t *to = work[i++ % 2];
        size_t left;
        valid -= shift->bits;
        length = bits_words (valid);
        left = shift_and (to, set, length, shift->bits);
        to[length] = 0;
        set = to;
        if (left == 0)
            return false;
        if (!whole && left * FEW < length && erosion->n - i <= MAX_LATE_SHIFTS)
            break;
    }
    *ret_eroded = (struct eroded){set, i};
    return true;
}

/* Every sum of a subset of the steps left is a node to look at. The subsets
 * come in the order of a Gray code: one step is added or taken away at a
 * time. */
uint64_t erode_word (const struct erosion *erosion, struct eroded eroded,
                     size_t word, uint64_t origins)
{
    const struct shift *shifts = erosion->shifts + eroded.done;
    uint32_t subsets = UINT32_C (1) << (erosion->n - eroded.done), in = 0;
    uint64_t at = (uint64_t)word * 64;
    for (uint32_t i = 1; i < subsets && origins; i++) {
        int which = __builtin_ctz (i);
        in ^= UINT32_C (1) << which;
        at += in >> which & 1 ? shifts[which].bits : -shifts[which].bits;
        origins &= bits_get (eroded.words, at, 64);
    }
    return origins;
}

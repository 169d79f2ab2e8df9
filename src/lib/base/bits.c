#include "bits.h"

/* One piece of a range: the word it lies in and the bits of it in there. */
struct bits_piece {
    size_t word;
    uint64_t mask;
};

/* Cut the next piece off the front of a range. */
static inline struct bits_piece cut_piece (uint64_t *i, uint64_t *n)
{
    unsigned shift = *i % 64;
    unsigned take = *n < 64 - shift ? (unsigned)*n : 64 - shift;
    struct bits_piece piece = {(size_t)(*i / 64), bits_low (take) << shift};
    *i += take;
    *n -= take;
    return piece;
}

void bits_set_range (uint64_t *set, uint64_t i, uint64_t n)
{
    while (n > 0) {
        struct bits_piece piece = cut_piece (&i, &n);
        set[piece.word] |= piece.mask;
    }
}

void bits_clear_range (uint64_t *set, uint64_t i, uint64_t n)
{
    while (n > 0) {
        struct bits_piece piece = cut_piece (&i, &n);
        set[piece.word] &= ~piece.mask;
    }
}

bool bits_any_range (const uint64_t *set, uint64_t i, uint64_t n)
{
    while (n > 0) {
        struct bits_piece piece = cut_piece (&i, &n);
        if (set[piece.word] & piece.mask)
            return true;
    }
    return false;
}

uint64_t bits_count_range (const uint64_t *set, uint64_t i, uint64_t n)
{
    uint64_t count = 0;
    while (n > 0) {
        struct bits_piece piece = cut_piece (&i, &n);
        count += (uint64_t)__builtin_popcountll (set[piece.word] & piece.mask);
    }
    return count;
}

uint64_t bits_find_run (const uint64_t *set, uint64_t nbits, uint64_t n)
{
    uint64_t from = 0, at = 0;
    while (at < nbits) {
        uint64_t word = set[at / 64] >> (at % 64);
        bool ones = word & 1;
        word = ones ? ~word : word;
        at += word ? (unsigned)__builtin_ctzll (word) : 64 - at % 64;
        if (!ones)
            from = at;
        else if (at - from >= n)
            return from;
    }
    return nbits;
}

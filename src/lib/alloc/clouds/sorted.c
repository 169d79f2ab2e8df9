#include "sorted.h"

#include <string.h>

enum { FEW = 48, BYTE = 256 };

static void sort_few (uint64_t *numbers, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        uint64_t number = numbers[i];
        size_t at = i;
        for (; at > 0 && numbers[at - 1] > number; at--)
            numbers[at] = numbers[at - 1];
        numbers[at] = number;
    }
}

/* One byte of all numbers, in a stable order. */
static void sort_byte (const uint64_t *from, size_t n, unsigned shift,
                       uint64_t *to)
{
    size_t place[BYTE + 1] = {0};
    for (size_t i = 0; i < n; i++)
        place[(from[i] >> shift & (BYTE - 1)) + 1]++;
    for (size_t i = 1; i < BYTE; i++)
        place[i] += place[i - 1];
    for (size_t i = 0; i < n; i++)
        to[place[from[i] >> shift & (BYTE - 1)]++] = from[i];
}

/* Byte after byte; bytes that are the same in all numbers are skipped. */
void sort_numbers (uint64_t *numbers, size_t n, uint64_t *room)
{
    uint64_t all = UINT64_MAX, any = 0;
    uint64_t *from = numbers, *to = room;
    if (n <= FEW) {
        sort_few (numbers, n);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        all &= numbers[i];
        any |= numbers[i];
    }
    for (unsigned shift = 0; shift < 64; shift += 8) {
        uint64_t *swap = from;
        if (((all ^ any) >> shift & (BYTE - 1)) == 0)
            continue;
        sort_byte (from, n, shift, to);
        from = to;
        to = swap;
    }
    if (from != numbers)
        memcpy (numbers, from, n * sizeof *numbers);
}

#include "tally.h"

#include <string.h>

void scale_begin (struct scale *scale, uint32_t n)
{
    scale->n = n;
    scale->classes = n < TALLY_CLASSES ? n : TALLY_CLASSES;
}

/* Where a class begins, rounded up. */
static uint32_t class_start (const struct scale *scale, uint32_t class)
{
    return (uint32_t)(((uint64_t)class * scale->n + scale->classes - 1)
                      / scale->classes);
}

uint16_t scale_add (struct scale *scale, uint32_t place, amount price)
{
    uint32_t class
        = (uint32_t)((uint64_t)place * scale->classes / scale->n);
    if (place == class_start (scale, class))
        scale->least[class] = price;
    if (place == scale->n - 1)
        scale->least[scale->classes] = price;
    return (uint16_t)class;
}

void tally_reset (struct tally *tally)
{
    memset (tally, 0, sizeof *tally);
}

void tally_put (struct tally *tally, uint16_t class, amount price)
{
    tally->in++;
    tally->count[class]++;
    tally->sum[class] += price;
}

void tally_take (struct tally *tally, uint16_t class, amount price)
{
    tally->in--;
    tally->count[class]--;
    tally->sum[class] -= price;
}

void tally_add_up (struct tally *tally, const struct scale *scale)
{
    for (uint32_t c = 0; c < scale->classes; c++) {
        tally->count_before[c + 1] = tally->count_before[c] + tally->count[c];
        tally->sum_before[c + 1] = tally->sum_before[c] + tally->sum[c];
    }
}

/* The class in which the so many end. */
static uint32_t find_class (const struct tally *tally,
                            const struct scale *scale, uint32_t many)
{
    uint32_t low = 0, high = scale->classes - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (tally->count_before[middle + 1] >= many)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

amount tally_cheapest (const struct tally *tally, const struct scale *scale,
                       uint32_t many)
{
    uint32_t class;
    amount more, less, from, to;
    if (many == 0)
        return 0;
    class = find_class (tally, scale, many);
    more = many - tally->count_before[class];
    less = tally->count_before[class + 1] - many;
    from = tally->sum_before[class] + more * scale->least[class];
    to = tally->sum_before[class + 1] - less * scale->least[class + 1];
    return from > to ? from : to;
}

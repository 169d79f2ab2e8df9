#include "tally.h"

#include <stdlib.h>
#include <string.h>

int tally_create (uint32_t most, struct tally *ret_tally, tori_error *err)
{
    struct tally tally = {
        .count = calloc ((size_t)most + 1, sizeof *tally.count),
        .sum = calloc ((size_t)most + 1, sizeof *tally.sum),
    };
    if (!tally.count || !tally.sum) {
        tally_clear (&tally);
        return tori_error_nomem (err);
    }
    *ret_tally = tally;
    return 0;
}

void tally_clear (struct tally *tally)
{
    free (tally->count);
    free (tally->sum);
}

void tally_reset (struct tally *tally, uint32_t size)
{
    tally->size = size;
    tally->in = 0;
    memset (tally->count, 0, ((size_t)size + 1) * sizeof *tally->count);
    memset (tally->sum, 0, ((size_t)size + 1) * sizeof *tally->sum);
}

void tally_put (struct tally *tally, uint32_t place, amount price)
{
    tally->in++;
    for (uint32_t i = place + 1; i <= tally->size; i += i & -i) {
        tally->count[i]++;
        tally->sum[i] += price;
    }
}

void tally_take (struct tally *tally, uint32_t place, amount price)
{
    tally->in--;
    for (uint32_t i = place + 1; i <= tally->size; i += i & -i) {
        tally->count[i]--;
        tally->sum[i] -= price;
    }
}

amount tally_cheapest (const struct tally *tally, uint32_t many)
{
    uint32_t at = 0, step = 1;
    amount sum = 0;
    while (step <= tally->size / 2)
        step *= 2;
    for (; step > 0 && many > 0; step /= 2) {
        if (at + step > tally->size || tally->count[at + step] > many)
            continue;
        at += step;
        many -= tally->count[at];
        sum += tally->sum[at];
    }
    return sum;
}

#include "sample.h"

#include <stdlib.h>

int sample_reserve (struct sample *sample, size_t n, tori_error *err)
{
    size_t room = n + n / 2 + 64;
    uint64_t *value;
    if (n <= sample->room)
        return 0;
    value = reallocarray (sample->value, room, sizeof *value);
    if (!value)
        return tori_error_nomem (err);
    sample->value = value;
    sample->room = room;
    return 0;
}

static int compare_values (const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The n-th value, from 1, once those that are kept are sorted. */
static uint64_t find_nth (const struct sample *sample, size_t n)
{
    for (uint64_t value = 0; value < SAMPLE_COUNTED; value++) {
        if (n <= sample->count[value])
            return value;
        n -= sample->count[value];
    }
    return sample->value[n - 1];
}

/* The least value that `percent` of the values do not exceed. */
static uint64_t find_percentile (const struct sample *sample, size_t percent)
{
    return find_nth (sample, (sample->n / 100) * percent
                                 + (sample->n % 100 * percent + 99) / 100);
}

void sample_sum_up (struct sample *sample, tori_traffic_sample *ret_sums)
{
    *ret_sums = (tori_traffic_sample){0};
    if (sample->n == 0)
        return;
    if (sample->kept > 0)
        qsort (sample->value, sample->kept, sizeof *sample->value,
               compare_values);
    ret_sums->mean = (double)sample->sum / (double)sample->n;
    ret_sums->p50 = find_percentile (sample, 50);
    ret_sums->p90 = find_percentile (sample, 90);
    ret_sums->p99 = find_percentile (sample, 99);
    ret_sums->max = find_nth (sample, sample->n);
}

void sample_clear (struct sample *sample)
{
    free (sample->value);
}

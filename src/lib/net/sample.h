/* sample.h - latencies as they come, and their statistics. */
#ifndef TORI_NET_SAMPLE_H
#define TORI_NET_SAMPLE_H

#include <tori/traffic.h>

/* Most are short: these are counted, and only the others are kept. */
enum { SAMPLE_COUNTED = 4096 };

struct sample {
    uint64_t count[SAMPLE_COUNTED]; /* by value */
    uint64_t *value;                /* from there on */
    size_t kept, room;
    size_t n; /* of both */
    uint64_t sum;
};

/* See that there is room for n values in all: putting them in cannot fail. */
int sample_reserve (struct sample *sample, size_t n, tori_error *err);

static inline void sample_put (struct sample *sample, uint64_t value)
{
    if (value < SAMPLE_COUNTED)
        sample->count[value]++;
    else
        sample->value[sample->kept++] = value;
    sample->n++;
    sample->sum += value;
}

/* Sorts the values. */
void sample_sum_up (struct sample *sample, tori_traffic_sample *ret_sums);
void sample_clear (struct sample *sample);

#endif

/* growth.h - whether the latency of a job grows while it is measured. */
#ifndef TORI_NET_GROWTH_H
#define TORI_NET_GROWTH_H

#include <stdbool.h>
#include <stdint.h>

/* The messages of the first and of the second half of the time. Squares are
 * exact up to 2^53, far beyond the precision of a run. */
struct growth {
    struct growth_half {
        uint64_t n;
        double sum, squares;
    } half[2];
};

static inline void growth_put (struct growth *growth, bool second,
                               uint64_t latency)
{
    struct growth_half *half = &growth->half[second];
    double value = (double)latency;
    half->n++;
    half->sum += value;
    half->squares += value * value;
}

/* Whether messages of the second half took longer than those of the first: by
 * more than three standard errors, so that it is not chance; by more than the
 * cycles that a message takes to pass a link (`flits`), so that it is not the
 * network filling up; and by more than a quarter or, when the run has gone on
 * for so long that a quarter more would take longer, by more than 1 % of the
 * time between the halves, which is half of `cycles`. */
bool growth_is_real (const struct growth *growth, uint32_t flits,
                     uint64_t cycles);

#endif

/* rounding.h - what rounding dimensions up costs a preemptive plan.
 *
 * The algorithm of Gupta and Srimani needs dimensions that divide each other.
 * Other jobs can be rounded up to such dimensions. This measures how much
 * longer the best plan of random jobs gets, for the best choice of dimensions:
 * among divisors of the machine's side, and among all numbers. */
#ifndef TORI_PAPERS_ROUNDING_H
#define TORI_PAPERS_ROUNDING_H

#include <stdint.h>

#include <tori/error.h>

#include "sheet.h"

struct rounding_row {
    uint32_t side;
    uint32_t jobs;
    uint32_t sets;
    /* The longer time of the plan, as a part of the least: mean and most. */
    double divisors, divisors_most;
    double any, any_most;
    double stages, preemptions; /* of the least, in the mean */
};

extern const struct sheet rounding_sheet;

enum { ROUNDING_ROWS = 10 };

int rounding_measure (size_t i, uint64_t seed, struct rounding_row *ret_row,
                      tori_error *err);

#endif

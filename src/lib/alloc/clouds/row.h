/* row.h - points that differ in only one dimension, in order.
 *
 * A ring is a line on which the points recur, three times: the k neighbours
 * from any stop of the first two turns on are there, and so is half a ring on
 * both sides of any stop of the second.
 */
#ifndef TORI_ALLOC_ROW_H
#define TORI_ALLOC_ROW_H

#include "cloud.h"

struct stop {
    uint64_t at; /* counted from the least coordinate */
    size_t index;
};

struct row {
    uint64_t ring;      /* its length; 0: a line */
    size_t n;           /* points */
    struct stop *stops; /* by place, then by index */
    size_t nstops;
    wide *upto; /* the sum of the places before a stop; one more */
};

/* The one dimension in which the points differ (any, if in none); -1 if there
 * are several. */
int row_find (const struct cloud *cloud);

/* -1 without memory. */
int row_init (struct row *row, const struct cloud *cloud, int dim,
              tori_error *err);
void row_clear (struct row *row);

/* The sums over pairs of the k neighbours from every stop on: on a ring, of
 * its first turn; on a line there are n - k + 1. */
void row_sums (const struct row *row, size_t k, wide ret_sums[]);

#endif

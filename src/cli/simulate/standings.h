/* standings.h - the comparison of the policies of a grid, for `tori sweep` and
 * `tori compare`. */
#ifndef TORI_CLI_STANDINGS_H
#define TORI_CLI_STANDINGS_H

#include "cells.h"
#include "group_standings.h"
#include "paired_comparison.h"
#include "emit.h"
#include "comparison_row.h"

struct standings {
    const struct design *design;
    const bool *absent; /* of the cells */
    struct comparison_row *row; /* by scene, then by policy */
    size_t n;
    double *value[COMPARISON_MEASURES]; /* as in paired_comparison.h */
};

/* If some cells have no outcome, call cells_find_absent before. Call standings_clear afterwards, also on
 * failure. */
int standings_make (const struct cells *cells, struct standings *ret_standings,
                    tori_error *err);
void standings_clear (struct standings *standings);

/* Whether jobs were rejected or killed. */
bool standings_lost (const struct standings *standings);

/* Print a table and, if there are several policies, which is best at what. */
int standings_print (const struct standings *standings, FILE *out, bool bold,
                     tori_error *err);

/* Print which policy is best at what, one line for each measure. */
void standings_verdict (const struct standings *standings, FILE *out);

/* The answer of `tori compare` and `tori sweep`: the number of cells, the
 * combinations left out and, except for a part of a sweep, the standings. */
struct standings_answer {
    size_t cells, left_out;
    const struct standings *standings;    /* or NULL */
    const struct group_standings *groups; /* or NULL */
    const struct cells *all; /* the simulations */
};
extern const struct sheet answer_compare;

/* Print which jobs were rejected, which combinations were left out, and which
 * simulations gave up. */
void standings_note (const struct cells *cells,
                     const struct standings *standings, FILE *out);

#endif

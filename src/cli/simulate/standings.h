/* standings.h - how the policies of a grid did: for sweep and compare. */
#ifndef TORI_CLI_STANDINGS_H
#define TORI_CLI_STANDINGS_H

#include "cells.h"
#include "paired_comparison.h"
#include "emit.h"
#include "comparison_row.h"

struct standings {
    const struct design *design;
    struct comparison_row *row; /* by scene, then by policy */
    size_t n;
    double *value[COMPARISON_MEASURES]; /* as in paired_comparison.h */
};

/* Of cells that are all there. In any case standings_clear releases it. */
int standings_make (const struct cells *cells, struct standings *ret_standings,
                    tori_error *err);
void standings_clear (struct standings *standings);

/* A table; and, where there is more than one policy, which is best at what. */
int standings_print (const struct standings *standings, FILE *out, bool bold,
                     tori_error *err);

/* Which policy is best at what, one line each. */
void standings_verdict (const struct standings *standings, FILE *out);

/* What `tori compare` and `tori sweep` answer: how many cells there are, and how
 * many combinations were left out; without standings for a part of a sweep. */
struct standings_answer {
    size_t cells, left_out;
    const struct standings *standings; /* or NULL */
};
extern const struct sheet answer_compare;

/* What was left out, and which simulations gave up. */
void standings_note (const struct cells *cells, FILE *out);

#endif

/* verdicts.h - published values beside ours.
 *
 * Every entry of tori paper says for each value that its paper prints whether
 * it is reproduced. An entry does so in its `judge`, by one call for each
 * value; paper.c shows the rows before all tables, and in JSON and CSV as the
 * list `verdicts`. There is one rule for each kind of value, and no entry has
 * a tolerance of its own:
 *
 * - a fact (verdict_compare): reproduced if ours is the same;
 * - a number (verdict_number): reproduced if ours is within a tenth of it;
 * - an order (verdict_order), such as "A is ahead of B": reproduced if every
 *   case of ours has it beyond the 95 % interval of the difference. It differs
 *   if a case surely has another. Else nothing is decided, and it cannot be
 *   compared.
 *
 *     verdict_compare (run, &(struct published){"Table 1", "cells", "48"},
 *                      same == 48, "%d", same);
 *     verdict_refuse (run, &(struct published){"Table 1", "sums", "5256",
 *                     "its log is not public"}, "%.0f", sum);
 *
 * The verdict of a short run (--quick) must be that of the full run:
 * tests/system/verdicts.py compares them.
 */
#ifndef TORI_PAPERS_VERDICTS_H
#define TORI_PAPERS_VERDICTS_H

#include <stdbool.h>
#include <stddef.h>

#include "estimate.h"
#include "sheet.h"

struct paper_run;

/* A value of a paper. */
struct published {
    const char *where;   /* "Figure 12a", "Section 4" */
    const char *value;   /* what it is, in a few words */
    const char *printed; /* as the paper has it */
    const char *why;     /* why ours differs, or cannot be compared; not
                            shown if it is reproduced */
};

enum { VERDICT_TEXT = 160 };

struct verdict_row {
    char where[48], value[VERDICT_TEXT];
    char printed[VERDICT_TEXT], ours[VERDICT_TEXT];
    const char *verdict; /* "reproduced", "differs", "cannot be compared",
                            "a drawing" */
    char why[VERDICT_TEXT];
    char shown[2 * VERDICT_TEXT]; /* both in one */
};

struct verdicts {
    struct verdict_row *row;
    size_t n, room;
};

extern const struct sheet verdicts_sheet;
extern const struct sheet verdicts_answer; /* the list as it is in JSON */

/* A fact: reproduced if it is the same. `ours` is a format. Without memory, the
 * run fails. */
void verdict_compare (struct paper_run *run, const struct published *of,
                      bool same, const char *ours, ...)
    __attribute__ ((format (printf, 4, 5)));

/* A number: reproduced if `value`, which is ours, is within a tenth of it. */
void verdict_number (struct paper_run *run, const struct published *of,
                     double printed, double value, const char *ours, ...)
    __attribute__ ((format (printf, 5, 6)));

/* The cases in which an order can show, those that surely have it, and those
 * that surely do not. */
struct verdict_cases {
    size_t n, sure, otherwise;
};

/* Add a case by how far the printed order is ahead; half of its interval is 0
 * if the lead is known exactly. */
void verdict_add_case (struct verdict_cases *cases, struct estimate lead);

/* The lead of b over a, by n pairs of values. One pair has no interval. */
struct estimate verdict_lead (const double a[], const double b[], size_t n);

/* An order: by its cases. */
void verdict_order (struct paper_run *run, const struct published *of,
                    const struct verdict_cases *cases, const char *ours, ...)
    __attribute__ ((format (printf, 4, 5)));

/* A picture without values; `ours` is the command that draws ours. */
void verdict_draw (struct paper_run *run, const struct published *of,
                   const char *ours, ...)
    __attribute__ ((format (printf, 3, 4)));

/* A value that cannot be compared, with the reason in `why`. */
void verdict_refuse (struct paper_run *run, const struct published *of,
                     const char *ours, ...)
    __attribute__ ((format (printf, 3, 4)));

#endif

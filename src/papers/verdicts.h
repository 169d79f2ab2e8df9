/* verdicts.h - published values beside ours.
 *
 * Every entry of tori paper says for each value that its paper prints whether
 * it is reproduced. An entry does so in its `judge`, by one call for each
 * value; paper.c shows the rows before all tables, and in JSON and CSV as the
 * list `verdicts`:
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
    const char *verdict; /* "reproduced", "differs", "cannot be compared" */
    char why[VERDICT_TEXT];
    char shown[2 * VERDICT_TEXT]; /* both in one */
};

struct verdicts {
    struct verdict_row *row;
    size_t n, room;
};

extern const struct sheet verdicts_sheet;
extern const struct sheet verdicts_answer; /* the list as it is in JSON */

/* A value that can be compared: reproduced if it is the same by the rule of
 * the entry. `ours` is a format. Without memory, the run fails. */
void verdict_compare (struct paper_run *run, const struct published *of,
                      bool same, const char *ours, ...)
    __attribute__ ((format (printf, 4, 5)));

/* Whether a measured number is near enough to a printed one: within a
 * quarter of it. Papers read graphs, and have other logs and seeds. */
bool verdict_near (double printed, double ours);

/* A value that cannot be compared, with the reason in `why`. */
void verdict_refuse (struct paper_run *run, const struct published *of,
                     const char *ours, ...)
    __attribute__ ((format (printf, 3, 4)));

#endif

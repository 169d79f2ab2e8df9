/* gantt.h - a plan as a picture: lanes from top to bottom, time from left to
 * right, a bar for each stay of a job.
 *
 * Lanes are whatever a plan divides: positions along a diagonal, subtori,
 * jobs. A bar covers neighbouring lanes; a job that covers others has several
 * bars. The same plan is drawn as SVG, which a browser shows with a hint for
 * each bar, and as text for a terminal, where lanes in which the same happens
 * share a line.
 */
#ifndef TORI_REPORT_GANTT_H
#define TORI_REPORT_GANTT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <tori/error.h>

enum { GANTT_LABEL = 32 };

/* Lanes low to high - 1, low < high, from start to finish. */
struct gantt_bar {
    size_t job; /* its number, which is written on the bar */
    uint32_t low, high;
    double start, finish;
};

struct gantt {
    const char *title;
    const char *lane_title; /* the kind of lanes */
    uint32_t lanes;         /* at least 1 */
    double end;             /* of the time axis; 0 is drawn as 1 */
    double deadline;        /* a line is drawn there; 0: none */
    const struct gantt_bar *bar;
    size_t bars;

    /* The label of lanes low to high - 1. NULL: their numbers. */
    void (*label) (const void *arg, uint32_t low, uint32_t high,
                   char text[GANTT_LABEL]);
    const void *arg;
};

/* More bars in an SVG, or lines in a text, would not be visible. The picture
 * says how many are left out. */
enum { GANTT_MOST_BARS = 20000, GANTT_MOST_LINES = 200 };

/* As SVG into a file that appears whole or not at all; "-" is standard output.
 * TORI_FAILED if it cannot be written or there is no memory. */
int gantt_svg (const struct gantt *gantt, const char *path, tori_error *err);

/* As text, lines of at most `columns` characters if that leaves any room for
 * the bars. A bar starts with the number of its job; too short for that, it is
 * "#", which a last line then explains; idle is ".". */
int gantt_text (const struct gantt *gantt, unsigned columns, FILE *out,
                tori_error *err);

#endif

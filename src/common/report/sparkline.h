/* sparkline.h - how much of a machine was busy over time, as a line of text.
 *
 * The length of a simulation is not known in advance, and its jobs may be
 * millions. So time is cut into a fixed number of cells, which become twice as
 * wide whenever it exceeds them.
 */
#ifndef TORI_REPORT_SPARKLINE_H
#define TORI_REPORT_SPARKLINE_H

#include <stdbool.h>
#include <stdio.h>

#include <tori/sched.h>

enum { SPARKLINE_COLUMNS = 60, SPARKLINE_CELLS = 64 * SPARKLINE_COLUMNS };

struct sparkline {
    tori_time begin, end;
    tori_time width; /* of a cell; 0: 1 */
    double busy[SPARKLINE_CELLS]; /* node-ticks */
};

/* This many nodes were busy for this time, which is not before the
 * beginning. */
void sparkline_add (struct sparkline *line, tori_time from, tori_time until,
                    double nodes);

/* The part of a machine of so many nodes that was busy, on average, in a
 * column of the line: from 0 to 1. */
double sparkline_part (const struct sparkline *line, size_t column,
                       double nodes);

/* A line that explains the drawing, and the line itself: blocks of eight
 * heights or, without UTF-8, digits. Nothing if no time has passed. */
void sparkline_print (const struct sparkline *line, double nodes, bool utf8,
                      FILE *out);

#endif

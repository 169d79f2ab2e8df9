/* view.h - tables for people, picked from the rows of a sheet.
 *
 * A study has one kind of row, described by a sheet (sheet.h), which JSON and
 * CSV show whole. People read parts of it. A view picks rows and columns:
 *
 *     static const struct view_column columns[] = {
 *         {"load", "load, %", 0, 100},
 *         {"sched", "scheduler"},
 *         {"slowdown", "slowdown", 2, .half = "slowdown_half"}};
 *     view_print (&(struct view){"Slowdown by load", VIEW_COLUMNS (columns)},
 *                 &sheet, &rows, out, bold, err);
 *
 * A pivot spreads the values of one field over columns that another field
 * names: a row for each load, a column for each scheduler.
 */
#ifndef TORI_REPORT_VIEW_H
#define TORI_REPORT_VIEW_H

#include "sheet.h"

/* Rows of a sheet. */
struct rows {
    const void *row;
    size_t n, size; /* how many, and how many bytes each */
};

/* How a field is shown; members that are 0 or NULL follow the sheet. */
struct view_column {
    const char *field; /* by its name; within a group, "group_name" */
    const char *title;
    int decimals;
    double scale;
    const char *half; /* the field with half of its interval: "1.2 ±0.1" */
};

struct view {
    const char *heading; /* lines before the table, or NULL */
    const struct view_column *column;
    size_t columns;
    bool (*wants) (const void *row); /* NULL: every row */
};

#define VIEW_COLUMNS(array) array, sizeof array / sizeof *array

/* TORI_FAILED without memory, and for a field that the sheet does not have. */
int view_print (const struct view *view, const struct sheet *sheet,
                const struct rows *rows, FILE *out, bool bold,
                tori_error *err);

/* A row for each different combination of `column` fields, in the order in
 * which they first occur; after those a column for each different text of
 * `across`, with `value` in it. If several rows have one cell the last counts;
 * a cell without a row is empty. */
struct pivot {
    struct view view;
    const char *across;
    struct view_column value;
};

int pivot_print (const struct pivot *pivot, const struct sheet *sheet,
                 const struct rows *rows, FILE *out, bool bold,
                 tori_error *err);

#endif

/* table.h - rows of text: aligned for people, CSV for programs.
 *
 *     static const struct table_column columns[] = {
 *         {"load", TABLE_NUMBER}, {"policy", TABLE_TEXT}};
 *     struct table *table = table_create (columns, 2);
 *     table_cell (table, "%.1f", load);
 *     table_cell (table, "%s", policy);
 *     return table_print (table, stdout, false, err);
 *
 * Cells are added row by row, left to right. If memory runs out, the table
 * remembers it, or is NULL, and printing reports it. So the calls before need
 * no checks.
 */
#ifndef TORI_REPORT_TABLE_H
#define TORI_REPORT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <tori/error.h>

enum table_align {
    TABLE_TEXT,  /* to the left */
    TABLE_NUMBER /* to the right */
};

struct table_column {
    const char *title;
    enum table_align align;
};

struct table;

/* The columns are copied, their titles not. NULL without memory. */
struct table *table_create (const struct table_column columns[], size_t n);
void table_destroy (struct table *table);

/* Add a cell. */
void table_cell (struct table *table, const char *fmt, ...)
    __attribute__ ((format (printf, 2, 3)));

/* Print, and destroy the table. Columns are two spaces apart under their
 * titles (no titles if no column has one), the titles in bold if so wished.
 * They are as wide as their widest cell, in characters of UTF-8. */
int table_print (struct table *table, FILE *out, bool bold, tori_error *err);

/* The same as a line of titles and one line per row, quoted where need be (RFC
 * 4180, but lines end in a newline alone). A text that a spreadsheet would take
 * for a formula, also after a semicolon or a tab, begins with an apostrophe;
 * numbers stay. */
int table_csv (struct table *table, FILE *out, tori_error *err);

#endif

#include "table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

/* Cells are texts in one array, row by row, after the titles' row, so that
 * titles are measured and printed like any other row. */
struct table {
    size_t columns;
    enum table_align *align;
    char **cell;
    size_t n;
    size_t room;
    bool titled;
    bool nomem;
};

static void add_cell (struct table *table, char *text)
{
    char **grown = array_room (table->cell, &table->room, table->n + 1,
                               sizeof *grown);
    if (!grown) {
        table->nomem = true;
        free (text);
        return;
    }
    table->cell = grown;
    table->cell[table->n++] = text;
}

void table_cell (struct table *table, const char *fmt, ...)
{
    char *text;
    va_list ap;
    int length;
    if (!table || table->nomem)
        return;
    va_start (ap, fmt);
    length = vasprintf (&text, fmt, ap);
    va_end (ap);
    if (length < 0)
        table->nomem = true;
    else
        add_cell (table, text);
}

struct table *table_create (const struct table_column columns[], size_t n)
{
    struct table *table = calloc (1, sizeof *table);
    if (!table)
        return NULL;
    table->columns = n;
    table->align = calloc (n ? n : 1, sizeof *table->align);
    if (!table->align) {
        free (table);
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        table->align[i] = columns[i].align;
        table->titled |= columns[i].title != NULL;
        table_cell (table, "%s", columns[i].title ? columns[i].title : "");
    }
    return table;
}

void table_destroy (struct table *table)
{
    if (!table)
        return;
    for (size_t i = 0; i < table->n; i++)
        free (table->cell[i]);
    free (table->cell);
    free (table->align);
    free (table);
}

/* Characters, that is bytes that do not continue one. */
static size_t text_width (const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

static size_t *measure_columns (const struct table *table)
{
    size_t *widths = calloc (table->columns + 1, sizeof *widths);
    for (size_t i = 0; widths && i < table->n; i++) {
        size_t column = i % table->columns, w = text_width (table->cell[i]);
        if (w > widths[column])
            widths[column] = w;
    }
    return widths;
}

/* A row, without spaces at its end. */
static void print_row (const struct table *table, size_t first,
                       const size_t widths[], FILE *out)
{
    size_t pad = 0;
    for (size_t i = 0; i < table->columns && first + i < table->n; i++) {
        const char *text = table->cell[first + i];
        size_t gap = widths[i] - text_width (text);
        if (table->align[i] == TABLE_NUMBER) {
            pad += gap;
            gap = 0;
        }
        if (*text) {
            fprintf (out, "%*s%s", (int)pad, "", text);
            pad = 0;
        }
        pad += gap + 2;
    }
}

static int print_rows (const struct table *table, FILE *out, bool bold,
                       tori_error *err)
{
    size_t *widths;
    if (!table || table->nomem || !(widths = measure_columns (table)))
        return tori_error_nomem (err);
    for (size_t i = 0; i < table->n; i += table->columns) {
        bool title = i == 0;
        if (title && !table->titled)
            continue;
        fputs (title && bold ? "\033[1m" : "", out);
        print_row (table, i, widths, out);
        fputs (title && bold ? "\033[m\n" : "\n", out);
    }
    free (widths);
    return 0;
}

int table_print (struct table *table, FILE *out, bool bold, tori_error *err)
{
    int status = print_rows (table, out, bold, err);
    table_destroy (table);
    return status;
}

/* Whether a spreadsheet would take a text for a formula. */
static bool is_formula (const char *text)
{
    char *end;
    if (!*text || !strchr ("=+-@\t\r", *text) || !text[1])
        return false;
    strtod (text, &end);
    return *end != '\0';
}

/* Where a comma is part of numbers, spreadsheets split lines at semicolons, and
 * some do at tabs, whatever is quoted: a formula may begin there, too. */
static void csv_cell (const char *text, FILE *out)
{
    const char *quote
        = is_formula (text) || strpbrk (text, ",\"\r\n") ? "\"" : "";
    bool begins = true;
    fputs (quote, out);
    for (; *text; text++) {
        if (begins && is_formula (text))
            fputc ('\'', out);
        fputs (*text == '"' ? "\"\"" : (char[]){*text, 0}, out);
        begins = *text == ';' || *text == '\t' || (begins && *text == '"');
    }
    fputs (quote, out);
}

int table_csv (struct table *table, FILE *out, tori_error *err)
{
    int status = table && !table->nomem ? 0 : tori_error_nomem (err);
    for (size_t i = 0; status == 0 && i < table->n; i++) {
        if (i < table->columns && !table->titled)
            continue;
        csv_cell (table->cell[i], out);
        fputc ((i + 1) % table->columns ? ',' : '\n', out);
    }
    table_destroy (table);
    return status;
}

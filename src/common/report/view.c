#include "view.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "table.h"

enum { CELL = 128 };

/* ---- one column ---- */

struct shown {
    const char *title;
    struct field field, half;
    bool has_half;
};

static int find_shown (const struct view_column *column,
                       const struct sheet *sheet, struct shown *ret_shown,
                       tori_error *err)
{
    struct shown shown = {.title = column->title};
    if (sheet_find (sheet, column->field, &shown.field, err) < 0
        || (column->half
            && sheet_find (sheet, column->half, &shown.half, err) < 0))
        return -1;
    shown.has_half = column->half != NULL;
    if (column->decimals)
        shown.field.decimals = column->decimals;
    if (column->scale > 0)
        shown.field.scale = column->scale;
    shown.half.decimals = shown.field.decimals;
    shown.half.scale = shown.field.scale;
    if (!shown.title)
        shown.title = shown.field.title ? shown.field.title
                                        : shown.field.name;
    *ret_shown = shown;
    return 0;
}

static void format_cell (const struct shown *shown, const void *row,
                         char text[CELL])
{
    size_t used;
    field_format (&shown->field, row, true, text, CELL);
    if (!shown->has_half || !text[0])
        return;
    used = strlen (text);
    used += (size_t)snprintf (text + used, CELL - used, " ±");
    if (used < CELL)
        field_format (&shown->half, row, true, text + used, CELL - used);
}

static struct table_column heading_of (const struct shown *shown)
{
    return (struct table_column){shown->title, field_align (&shown->field)};
}

/* ---- rows ---- */

static const void *row_at (const struct rows *rows, size_t i)
{
    return (const char *)rows->row + i * rows->size;
}

static bool is_row_wanted (const struct view *view, const void *row)
{
    return !view->wants || view->wants (row);
}

static struct shown *show_all (const struct view *view,
                               const struct sheet *sheet, tori_error *err)
{
    struct shown *shown = calloc (view->columns + 1, sizeof *shown);
    if (!shown) {
        tori_error_nomem (err);
        return NULL;
    }
    for (size_t i = 0; i < view->columns; i++)
        if (find_shown (&view->column[i], sheet, &shown[i], err) < 0) {
            free (shown);
            return NULL;
        }
    return shown;
}

static int print_view (const struct view *view, struct table *table, FILE *out,
                       bool bold, tori_error *err)
{
    if (view->heading)
        fputs (view->heading, out);
    return table_print (table, out, bold, err);
}

int view_print (const struct view *view, const struct sheet *sheet,
                const struct rows *rows, FILE *out, bool bold,
                tori_error *err)
{
    struct shown *shown = show_all (view, sheet, err);
    struct table_column *columns = calloc (view->columns + 1,
                                           sizeof *columns);
    struct table *table = NULL;
    char text[CELL];
    if (!shown) {
        free (columns);
        return -1;
    }
    for (size_t c = 0; columns && c < view->columns; c++)
        columns[c] = heading_of (&shown[c]);
    if (columns)
        table = table_create (columns, view->columns);
    for (size_t i = 0; i < rows->n; i++)
        for (size_t c = 0;
             c < view->columns && is_row_wanted (view, row_at (rows, i));
             c++) {
            format_cell (&shown[c], row_at (rows, i), text);
            table_cell (table, "%s", text);
        }
    free (columns);
    free (shown);
    return print_view (view, table, out, bold, err);
}

/* ---- pivots ---- */

/* Texts in the order in which they first occur. */
struct texts {
    char (*item)[2 * CELL];
    size_t n, room;
};

/* The place of a text, SIZE_MAX without memory. */
static size_t place_of (struct texts *texts, const char *text)
{
    void *grown;
    for (size_t i = 0; i < texts->n; i++)
        if (strcmp (texts->item[i], text) == 0)
            return i;
    grown = array_room (texts->item, &texts->room, texts->n + 1,
                        sizeof *texts->item);
    if (!grown)
        return SIZE_MAX;
    texts->item = grown;
    snprintf (texts->item[texts->n], sizeof *texts->item, "%s", text);
    return texts->n++;
}

/* A pivot under way: the keys of its rows, the texts across, and the row for
 * every cell, SIZE_MAX for none. */
struct spread {
    const struct pivot *pivot;
    const struct rows *rows;
    struct shown *keys, across, value;
    struct texts down, over;
    size_t *first; /* row of the sheet for each row of the table */
    size_t *cell;
};

/* All keys of a row as one text. */
static void key_of (const struct spread *s, const void *row,
                    char text[2 * CELL])
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < s->pivot->view.columns && used < CELL; i++) {
        char part[CELL];
        format_cell (&s->keys[i], row, part);
        used += (size_t)snprintf (text + used, 2 * CELL - used, "%.60s\n",
                                  part);
    }
}

/* Collect the keys first, then place the values. */
static int collect_keys (struct spread *s)
{
    char down[2 * CELL], over[CELL];
    for (size_t i = 0; i < s->rows->n; i++) {
        const void *row = row_at (s->rows, i);
        if (!is_row_wanted (&s->pivot->view, row))
            continue;
        key_of (s, row, down);
        format_cell (&s->across, row, over);
        if (place_of (&s->down, down) == SIZE_MAX
            || place_of (&s->over, over) == SIZE_MAX)
            return -1;
    }
    s->cell = calloc (s->down.n * s->over.n + 1, sizeof *s->cell);
    s->first = calloc (s->down.n + 1, sizeof *s->first);
    return s->cell && s->first ? 0 : -1;
}

static void place_values (struct spread *s)
{
    char down[2 * CELL], over[CELL];
    for (size_t i = 0; i < s->down.n * s->over.n; i++)
        s->cell[i] = SIZE_MAX;
    for (size_t i = s->rows->n; i-- > 0;) {
        const void *row = row_at (s->rows, i);
        size_t d, o, *cell;
        if (!is_row_wanted (&s->pivot->view, row))
            continue;
        key_of (s, row, down);
        format_cell (&s->across, row, over);
        d = place_of (&s->down, down);
        o = place_of (&s->over, over);
        cell = &s->cell[d * s->over.n + o];
        *cell = *cell == SIZE_MAX ? i : *cell;
        s->first[d] = i;
    }
}

static struct table *table_of (const struct spread *s)
{
    size_t keys = s->pivot->view.columns, n = keys + s->over.n;
    struct table_column *columns = calloc (n + 1, sizeof *columns);
    struct table *table;
    char text[CELL];
    if (!columns)
        return NULL;
    for (size_t i = 0; i < n; i++)
        columns[i] = i < keys ? heading_of (&s->keys[i])
                              : (struct table_column){s->over.item[i - keys],
                                                      TABLE_NUMBER};
    table = table_create (columns, n);
    free (columns);
    for (size_t d = 0; d < s->down.n; d++) {
        for (size_t k = 0; k < keys; k++) {
            format_cell (&s->keys[k], row_at (s->rows, s->first[d]), text);
            table_cell (table, "%s", text);
        }
        for (size_t o = 0; o < s->over.n; o++) {
            size_t at = s->cell[d * s->over.n + o];
            text[0] = '\0';
            if (at != SIZE_MAX)
                format_cell (&s->value, row_at (s->rows, at), text);
            table_cell (table, "%s", text);
        }
    }
    return table;
}

int pivot_print (const struct pivot *pivot, const struct sheet *sheet,
                 const struct rows *rows, FILE *out, bool bold,
                 tori_error *err)
{
    struct spread s = {.pivot = pivot, .rows = rows};
    const struct view_column across = {pivot->across};
    struct table *table = NULL;
    int status = -1;
    s.keys = show_all (&pivot->view, sheet, err);
    if (!s.keys || find_shown (&across, sheet, &s.across, err) < 0
        || find_shown (&pivot->value, sheet, &s.value, err) < 0)
        goto done;
    if (collect_keys (&s) == 0) {
        place_values (&s);
        table = table_of (&s);
    }
    status = print_view (&pivot->view, table, out, bold, err);
done:
    free (s.keys);
    free (s.down.item);
    free (s.over.item);
    free (s.first);
    free (s.cell);
    return status;
}

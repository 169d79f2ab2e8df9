#include "plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The values of one line, by the place of x, or with an x of their own if the
 * line has bars. */
struct drawn {
    const struct plot *plot;
    const struct sheet *sheet;
    const struct rows *rows;
    struct field across, x, half;
    double *common; /* the x of all lines */
    double *value;  /* y, x and half of each line, `most` each */
    size_t n, most;
};

static double scale_value (const struct field *field, const void *row)
{
    return (field->scale > 0 ? field->scale : 1) * field_value (field, row);
}

static size_t place_of (struct drawn *d, double x)
{
    for (size_t i = 0; i < d->n; i++)
        if (d->common[i] == x)
            return i;
    d->common[d->n] = x;
    return d->n++;
}

static int fill_line (struct drawn *d, const struct plot_line *is,
                      struct figure_line *line, tori_error *err)
{
    double *y = d->value + (size_t)(is - d->plot->line) * 3 * d->most;
    double *x = y + d->most, *half = x + d->most;
    struct field field;
    size_t n = 0;
    if (sheet_find (d->sheet, is->y ? is->y : d->plot->y, &field, err) < 0)
        return -1;
    for (size_t i = 0; i < d->rows->n; i++) {
        const char *row = (const char *)d->rows->row + i * d->rows->size;
        char text[128];
        size_t at;
        field_format (&d->across, row, true, text, sizeof text);
        if (strcmp (text, is->is) != 0)
            continue;
        at = d->plot->half ? n++ : place_of (d, scale_value (&d->x, row));
        y[at] = scale_value (&field, row);
        x[at] = scale_value (&d->x, row);
        if (d->plot->half)
            half[at] = scale_value (&d->half, row);
    }
    d->n = n > d->n ? n : d->n;
    *line = (struct figure_line){is->title ? is->title : is->is, is->style, y,
                                 d->plot->half ? x : NULL, half};
    return 0;
}

static int fill_lines (struct drawn *d, struct figure_line *line,
                       tori_error *err)
{
    const struct plot *plot = d->plot;
    if (sheet_find (d->sheet, plot->across, &d->across, err) < 0
        || sheet_find (d->sheet, plot->x, &d->x, err) < 0
        || (plot->half
            && sheet_find (d->sheet, plot->half, &d->half, err) < 0))
        return -1;
    if (plot->x_scale > 0)
        d->x.scale = plot->x_scale;
    for (size_t i = 0; i < 3 * d->most * plot->lines; i++)
        d->value[i] = NAN;
    for (size_t i = 0; i < plot->lines; i++)
        if (fill_line (d, &plot->line[i], &line[i], err) < 0)
            return -1;
    return 0;
}

int plot_draw (const struct plot *plot, const struct sheet *sheet,
               const struct rows *rows, const struct figure_files *files,
               tori_error *err)
{
    struct drawn d
        = {.plot = plot, .sheet = sheet, .rows = rows, .most = rows->n + 1};
    struct figure_line *line = calloc (plot->lines + 1, sizeof *line);
    struct figure figure = {plot->title,
                            plot->x_label,
                            plot->y_label,
                            plot->diagonal,
                            plot->y_most,
                            plot->logarithmic,
                            .line = line,
                            .lines = plot->lines};
    int status = -1;
    d.common = calloc (d.most, sizeof *d.common);
    d.value = calloc (3 * d.most * (plot->lines + 1), sizeof *d.value);
    if (!line || !d.common || !d.value)
        tori_error_nomem (err);
    else
        status = fill_lines (&d, line, err);
    figure.x = d.common;
    figure.n = d.n;
    if (status == 0)
        status = figure_draw (&figure, files, err);
    free (line);
    free (d.common);
    free (d.value);
    return status;
}

/* plot.h - figures drawn from the rows of a sheet (sheet.h).
 *
 * A line is made of the rows whose field `across` has its text; x and y are
 * fields, in the units that people see. */
#ifndef TORI_PAPERS_PLOT_H
#define TORI_PAPERS_PLOT_H

#include "figure.h"
#include "view.h"

struct plot_line {
    const char *is;    /* the text of `across` */
    const char *style; /* in gnuplot's words */
    const char *title; /* NULL: the text `is` */
    const char *y;     /* NULL: the plot's */
};

struct plot {
    const char *title, *x_label, *y_label;
    const char *diagonal; /* as in figure.h, like the next two */
    double y_most;
    bool logarithmic;
    const char *across, *x, *y;
    const char *half; /* the field with half of the interval of y: lines get
                         bars; or NULL */
    double x_scale;   /* 0: as the sheet says */
    const struct plot_line *line;
    size_t lines;
};

#define PLOT_LINES(array) .line = array, .lines = sizeof array / sizeof *array

/* Fails as figure_draw does, without memory, and for a field that the sheet
 * does not have. */
int plot_draw (const struct plot *plot, const struct sheet *sheet,
               const struct rows *rows, const struct figure_files *files,
               tori_error *err);

#endif

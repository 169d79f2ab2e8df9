/* figure.h - graphs as SVG and PDF, drawn by gnuplot.
 *
 * A figure is lines over one common x, both axes in percent from 0 to 100; y
 * may end elsewhere, or both are logarithmic, as far as the lines go. Or every
 * line has an x of its own, and bars; the key is then above the graph, and
 * hides nothing. gnuplot gets a script on its standard input, and its drawing
 * appears under the name of the figure whole or not at all. The script is kept
 * beside it, with the data in it: NAME.gp draws NAME.svg and NAME.pdf again.
 */
#ifndef TORI_REPORT_FIGURE_H
#define TORI_REPORT_FIGURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <tori/error.h>

/* A line, in gnuplot's words: "lw 2 pt 7 lc rgb '#202020'". */
struct figure_line {
    const char *title;
    const char *style;
    const double *y; /* one for each x */

    /* If not NULL: an x of its own for each point, and half of the interval
     * around y, drawn as a bar. All lines of a figure have them or none. */
    const double *x, *half;
};

struct figure {
    const char *title;
    const char *x_label, *y_label;
    const char *diagonal; /* the title of the line y = x; NULL: not drawn */
    double y_most;        /* the upper end of the y axis; 0: 100 */
    bool logarithmic;     /* x by powers of two, y by powers of ten */
    bool fitted;          /* both axes go as far as the lines; y from 0 on */
    const double *x;
    size_t n;
    const struct figure_line *line; /* a later one is drawn over the others */
    size_t lines;
};

enum figure_format { FIGURE_SVG, FIGURE_PDF, FIGURE_FORMATS };

/* The files of a figure, one for each format: "-" for standard output, or NULL
 * if it is not drawn. */
struct figure_files {
    const char *path[FIGURE_FORMATS];
};

/* Draw a figure, and keep the script beside each file. TORI_FAILED if gnuplot
 * is not there or fails, or a file cannot be written. The same figure gives
 * the same bytes. */
int figure_draw (const struct figure *figure, const struct figure_files *files,
                 tori_error *err);

/* The script for gnuplot, which draws to these files. */
void figure_script (const struct figure *figure,
                    const struct figure_files *files, FILE *out);

/* The name of the script that is kept beside a figure, for the caller to free:
 * "a.svg" has "a.gp". NULL without memory. */
char *figure_script_path (const char *path);

#endif

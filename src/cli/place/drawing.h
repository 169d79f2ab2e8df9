/* drawing.h - figures that compare the policies of a grid: a line with
 * intervals for each policy, over the axis in which the scenes differ. */
#ifndef TORI_CLI_DRAWING_H
#define TORI_CLI_DRAWING_H

#include "options.h"
#include "standings.h"
#include "terminal.h"

/* As typed. */
struct drawing {
    const char *svg, *pdf; /* or NULL */
    int measure;           /* or -1 */
};

/* The names of measures that can be drawn; NULL past the end. */
const char *drawing_measures (size_t i);

/* Rows of option tables, for values that hold a struct drawing `drawing`. */
#define DRAWING_AT(values, member) .offset = offsetof (values, drawing.member)
#define DRAWING_OPTIONS(values)                                               \
    {.name = "svg", .kind = OPTION_STRING, DRAWING_AT (values, svg),          \
     .value = "FILE", .file = FILE_WRITTEN,                                   \
     .help = "draw a measure over the load, or over another number that "     \
             "differs, one line per policy (gnuplot); the script that draws " \
             "it, with the data, is kept beside it: a.gp of a.svg"},          \
    {.name = "pdf", .kind = OPTION_STRING, DRAWING_AT (values, pdf),          \
     .value = "FILE", .file = FILE_WRITTEN,                                   \
     .help = "the same as PDF, as wide as a column of a paper"},              \
    {.name = "measure", .kind = OPTION_CHOICE, DRAWING_AT (values, measure),  \
     .value = "NAME", .choices = drawing_measures, .with = "svg pdf",         \
     .aside = true, .help = "what --svg and --pdf draw (default response)"}

/* Whether the grid can be drawn, gnuplot is installed and no log of the grid
 * would be overwritten. Called before the simulations, which may take hours.
 * Succeeds if no figure was asked for. */
int drawing_check (const struct drawing *drawing, const struct design *design,
                   tori_error *err);

/* How many figures go to standard output. */
int drawing_to_stdout (const struct drawing *drawing);

/* Draw them, if any are asked for. */
int drawing_draw (const struct drawing *drawing,
                  const struct standings *standings, tori_error *err);

#endif

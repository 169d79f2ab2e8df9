/* pictures.h - a plan as pictures, as the command line asks for them.
 *
 * Beside the table of a plan, --gantt draws it as text and --svg into a file.
 * A file "-" is standard output, and then nothing else goes there.
 */
#ifndef TORI_CLI_PICTURES_H
#define TORI_CLI_PICTURES_H

#include "gantt.h"
#include "options.h"

/* As typed. */
struct pictures {
    bool gantt;
    const char *svg; /* or NULL */
};

/* Rows of option tables, for values that hold a struct pictures `pictures`. */
#define PICTURES_OPTIONS(values)                                              \
    {.name = "gantt", .kind = OPTION_FLAG,                                    \
     OPTION_AT (values, pictures.gantt),                                      \
     .help = "also draw the plan as text: a bar starts with the number of "   \
             "its job, or is # where that is too long; . is idle"},           \
    {.name = "svg", .kind = OPTION_STRING, OPTION_AT (values, pictures.svg),  \
     .value = "FILE", .file = FILE_WRITTEN,                                   \
     .help = "also draw the plan as SVG; - is standard output, "              \
             "without anything else"}

/* Whether a picture is asked for. */
static inline bool pictures_asked (const struct pictures *pictures)
{
    return pictures->gantt || pictures->svg;
}

/* Whether a picture takes standard output for itself. */
bool pictures_take_stdout (const struct pictures *pictures);

/* Whether the pictures can be combined with --json. */
int pictures_check (const struct pictures *pictures, bool json,
                    tori_error *err);

/* Draw what is asked for; text goes to `out`. */
int pictures_draw (const struct pictures *pictures, const struct gantt *gantt,
                   FILE *out, tori_error *err);

#endif

/* screenview.h - lines of a screen that is drawn whole: for tori top and tori
 * sim --watch. */
#ifndef TORI_CLI_SCREENVIEW_H
#define TORI_CLI_SCREENVIEW_H

#include <stdbool.h>
#include <stdio.h>

#include <tori/machine.h>

struct screen_view {
    unsigned columns, rows; /* rows 0: no limit */
    bool whole;             /* lines are not cut off */
    bool colour;
    uint32_t plane;  /* the first plane of the map; is kept within them */
    uint32_t planes; /* set: planes that fit */
};

/* Print a line, cut to the width, in a style such as "1" for bold; or NULL. */
void screen_line (const struct screen_view *view, const char *style,
                  const char *text, FILE *out);

/* Print the same after a letter (picture.h). */
void screen_lettered (const struct screen_view *view, char letter,
                      const char *text, FILE *out);

/* Draw a machine with a letter for each node, in at most so many lines.
 * Returns the lines used: 0 if nothing fits. */
unsigned screen_map (struct screen_view *view, const tori_machine *machine,
                     const char letters[], unsigned room, FILE *out);

#endif

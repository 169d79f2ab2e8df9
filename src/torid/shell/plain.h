/* plain.h - the parts of the page at "/": page.c, and its map, pagemap.c. */
#ifndef TORI_TORID_PLAIN_H
#define TORI_TORID_PLAIN_H

#include <stdio.h>

#include "torid.h"

/* The colour of a job, as CSS has it: the same as long as it lives, and far
 * from those of the jobs before and after it. */
enum { COLOUR_TEXT = 40 };
void colour_of (uint64_t job, char text[COLOUR_TEXT]);

/* The machine as a picture: planes of the last two dimensions, a square per
 * node. One that is too large is left out. */
int map_write (const struct torid *torid, FILE *out, tori_error *err);

#endif

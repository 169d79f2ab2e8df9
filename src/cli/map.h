/* map.h - a machine as text: a letter a node. */
#ifndef TORI_CLI_MAP_H
#define TORI_CLI_MAP_H

#include <stdio.h>

#include <tori/alloc.h>

/* Whether the machine is small enough to be drawn: at most three dimensions,
 * and planes that fit a page. */
int map_check (const tori_machine *machine, tori_error *err);

/* A letter for each node: '.' free, '#' busy, 'x' down, '-' drained. */
void map_letters (const tori_state *state, char letters[]);

/* Draw letters. Rows are the last but one dimension, columns the last; planes
 * of the first of three stand side by side. */
void map_draw (const tori_machine *machine, const char letters[], FILE *out);

/* Draw the state, and on it a placement if there is one, as 'O'. Fails without
 * memory. */
int map_print (const tori_state *state, const tori_placement *place,
               FILE *out, tori_error *err);

#endif

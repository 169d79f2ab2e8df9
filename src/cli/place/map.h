/* map.h - a machine as text: a letter for each node (picture.h), in planes. */
#ifndef TORI_CLI_MAP_H
#define TORI_CLI_MAP_H

#include <stdbool.h>
#include <stdio.h>

#include <tori/alloc.h>

/* Whether the machine is small enough to be drawn: at most three dimensions,
 * of a pod those of its cubes, and planes that fit a page. */
int map_check (const tori_machine *machine, tori_error *err);

/* The layout for so many columns and lines: planes of the last two dimensions,
 * side by side in bands. If the machine does not fit, a cell stands for
 * several nodes; if that does not help, only some bands are drawn. */
struct map_plan {
    uint32_t planes, rows, columns; /* of the machine */
    uint32_t together;              /* planes of a cube of a pod, or 0 */
    uint32_t scale;                 /* a cell is so many nodes wide and high */
    uint32_t cell_rows, cell_columns;
    uint32_t label, width; /* columns of a plane's name, and of a plane */
    uint32_t beside, bands; /* planes in a band, and bands that fit */
    uint32_t lines;
};
void map_plan (const tori_machine *machine, unsigned width, unsigned height,
               struct map_plan *plan);

/* Draw the bands that fit, beginning with a given plane. */
void map_draw_planes (const tori_machine *machine,
                      const struct map_plan *plan, const char letters[],
                      uint32_t first, bool colour, FILE *out);

/* Draw letters. Rows are the last but one dimension, columns the last; planes
 * of the first of three stand side by side. */
void map_draw (const tori_machine *machine, const char letters[], bool colour,
               FILE *out);

#endif

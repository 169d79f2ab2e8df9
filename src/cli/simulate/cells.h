/* cells.h - what became of the cells of a grid: run, kept on disk, and read
 * again.
 *
 *     cells_create (&cells, &design, err);
 *     cells_load (&cells, dir, err);       (what was done before)
 *     cells_run (&cells, &how, err);       (the rest)
 *     cells_write (&cells, dir, err);
 *     cells_clear (&cells);
 *
 * An outcome is one line of JSON: the version that made it, the config of the
 * simulation, and its result, or the error with which it gave up. While a
 * sweep runs, each outcome is appended to a file at once, in the order in
 * which cells finish: a sweep that is killed continues from there. In the end
 * all are written in the order of the design, as JSON lines and as CSV: the
 * same bytes, however many workers there were.
 */
#ifndef TORI_CLI_CELLS_H
#define TORI_CLI_CELLS_H

#include <jansson.h>

#include "design.h"

struct cells {
    const struct design *design;
    json_t **outcome; /* of each cell, or NULL */
    char **line;      /* the same, as it was written */
    size_t n;         /* of those there are */
};

int cells_create (struct cells *cells, const struct design *design,
                  tori_error *err);
void cells_clear (struct cells *cells);

/* Take the outcomes of cells of the grid from all files of a folder; others,
 * and those of another version, are passed over. A folder that is not there
 * has none. */
int cells_load (struct cells *cells, const char *dir, tori_error *err);

struct cells_how {
    const char *dir;    /* where outcomes are kept at once; NULL: nowhere */
    size_t part, parts; /* only every so many-th, from 1 on; 0: all */
    unsigned workers;   /* 0: one per processor */
};

/* Run what is missing. */
int cells_run (struct cells *cells, const struct cells_how *how,
               tori_error *err);

/* How many of a part are still missing. */
size_t cells_missing (const struct cells *cells, const struct cells_how *how);

/* All of them as cells.jsonl and cells.csv in a folder, and then remove what
 * was kept on the way. */
int cells_write (const struct cells *cells, const char *dir, tori_error *err);

/* The CSV alone; "-" is standard output. */
int cells_csv (const struct cells *cells, const char *path, tori_error *err);

/* A number of a cell's result by its name, with the names of its groups before
 * it (response.mean); not a number if there is none. */
double cells_number (const struct cells *cells, size_t i, const char *group,
                     const char *name);

#endif

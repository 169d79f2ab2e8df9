/* cells.h - what became of the cells of a grid: run, kept on disk, and read
 * again.
 *
 *     cells_create (&cells, &design, err);
 *     cells_load (&cells, dir, err);       (what was done before)
 *     cells_run (&cells, &how, err);       (the rest)
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

#include "cell_jobs.h"
#include "design.h"

struct cells {
    const struct design *design;
    json_t **outcome; /* by cell, or NULL */
    char **line;      /* by cell: the outcome as it was written */
    struct cell_jobs *jobs; /* by cell, if they were to be kept; a cell that
                               gave up has none */
    size_t n;         /* how many outcomes there are */
    int by; /* how the jobs of outcomes are grouped: group_names; -1: not */
    bool *absent; /* by scene, then seed: some cell has no outcome; NULL: all
                     have (cells_find_absent) */
};

int cells_create (struct cells *cells, const struct design *design,
                  tori_error *err);
void cells_clear (struct cells *cells);

/* Load the outcomes of the grid's cells from all files of a folder. Other
 * outcomes, and those of another version, are ignored. A folder that does not
 * exist has none. */
int cells_load (struct cells *cells, const char *dir, tori_error *err);

struct cells_how {
    const char *dir;    /* the folder in which each outcome is kept at once;
                           NULL: none */
    size_t part, parts; /* run part `part` of `parts`, from 1 on; 0: all */
    unsigned workers;   /* 0: one per processor */
    bool keep_jobs;     /* each job by itself */
    const char *per_job; /* the folder for a table of jobs of each cell; NULL:
                            none */
    int by; /* cells that run again: 1 + how their jobs are grouped, instead of
               as before; 0: as before */
};

/* A file in a folder, which the caller frees; NULL without memory. */
char *cells_path (const char *dir, const char *name);

/* Make a folder that may exist. */
int cells_folder (const char *path, tori_error *err);

/* Forget the outcomes of cells without a table of jobs, if there shall be one:
 * these run again. */
int cells_forget (struct cells *cells, const struct cells_how *how,
                  tori_error *err);

/* Run the cells without an outcome. */
int cells_run (struct cells *cells, const struct cells_how *how,
               tori_error *err);

/* Run those of the cells [first, end) that have an outcome once more, and keep
 * their jobs; outcomes stay, but for their groups if how->by is given. Then
 * forget the jobs. */
int cells_again (struct cells *cells, const struct cells_how *how,
                 size_t first, size_t end, tori_error *err);
void cells_drop_jobs (struct cells *cells);

/* Note which seeds lack outcomes, for a comparison of a sweep that is not
 * finished. */
int cells_find_absent (struct cells *cells, tori_error *err);

/* Whether cell i does not count in a comparison, because another cell of its
 * scene and seed has no outcome. */
bool cells_is_absent (const struct cells *cells, size_t i);

/* The first outcome that there is, or NULL. */
const json_t *cells_first (const struct cells *cells);

/* The log of an outcome, or NULL. */
const char *outcome_trace (const json_t *outcome);

/* How many cells of a part have no outcome yet. */
size_t cells_missing (const struct cells *cells, const struct cells_how *how);

/* A number of a cell's result by its name and its group (response.mean); NaN
 * if there is none. */
double cells_number (const struct cells *cells, size_t i, const char *group,
                     const char *name);

#endif

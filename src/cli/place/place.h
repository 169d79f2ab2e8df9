/* place.h - shared by the two halves of `tori place`: requests on a machine
 * (cmd_place.c) and among points (place_points.c). The shared functions are in
 * place.c. */
#ifndef TORI_CLI_PLACE_H
#define TORI_CLI_PLACE_H

#include <stdbool.h>
#include <stdio.h>

#include <tori/alloc.h>

#include "machine_options.h"
#include "terminal.h"

/* The mean of a sum over the unordered pairs of n; 0 if there is no pair. */
static inline double place_average (uint64_t pairwise, double n)
{
    return n < 2 ? 0 : (double)pairwise / (n * (n - 1) / 2);
}

/* The space in which a shape is sought. */
struct place_space {
    const char *name; /* "machine has", "points have" */
    int ndims;
    bool folds;  /* dimensions do not matter */
    bool planes; /* sides of 1 at the end may be left out: see
                    tori_alloc_info */
};

/* The shape that was typed after --shape, if it has as many dimensions, and
 * not fewer nodes than --count. */
int place_parse_shape (const char *text, const struct place_space *space,
                       uint64_t count, tori_shape *ret_shape, tori_error *err);

/* The on_progress of a search; `arg` is a struct progress. */
void place_progress (void *arg, uint64_t steps, uint64_t limit);

/* Make a search draw its progress, from progress_begin to progress_end. The
 * caller sees it and can stop it, so ptas has no limit but --steps. */
static inline void place_show (tori_alloc_config *options,
                               const tori_alloc_info *info,
                               struct progress *progress)
{
    if (!options->steps && (info->flags & TORI_ALLOC_EPSILON))
        options->steps = UINT64_MAX;
    options->on_progress = place_progress;
    options->arg = progress;
}

/* A request among the points of a file. */
struct place_points {
    const char *path;
    const char *around;           /* rings, as typed; NULL */
    const char *shape;            /* of a box, as typed; NULL */
    bool fixed;                   /* the shape */
    const tori_alloc_info *alloc;
    size_t count;                 /* 0: all of the shape */
    tori_alloc_config options;
    const struct command *command;
    const struct place_values *values; /* of the command */
};

/* Answer it. Returns the exit status, or -1. */
int place_points (const struct place_points *request, FILE *out,
                  tori_error *err);

#endif

/* place.h - what the two halves of `tori place` share: requests on a machine
 * (cmd_place.c) and among points (place_points.c). What both call is in
 * place.c. */
#ifndef TORI_CLI_PLACE_H
#define TORI_CLI_PLACE_H

#include <stdbool.h>
#include <stdio.h>

#include <tori/alloc.h>

#include "asked.h"
#include "site.h"
#include "terminal.h"

/* A sum over unordered pairs of n, as a mean; 0 if there is no pair. */
static inline double place_average (uint64_t pairwise, double n)
{
    return n < 2 ? 0 : (double)pairwise / (n * (n - 1) / 2);
}

/* What a shape is sought in. */
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

/* Say that the answer is no, in JSON if what was asked is given; of a site (or
 * NULL) also what has failed there. Returns the exit status, or -1. */
int place_refused (tori_outcome outcome, const char *detail,
                   const struct asked *json, const struct site *site,
                   FILE *out, tori_error *err);

/* Open an answer that a search gave up, with all that is known but the set
 * that was found: the caller adds that, and closes. */
void place_gave_up (struct emit *e, const struct asked *asked,
                    const tori_search *search, const char *detail);

/* What on_progress is of a search, with a struct progress. */
void place_progress (void *arg, uint64_t steps, uint64_t limit);

/* To the text of such an error, where the set can be had. */
int place_no_answer (const tori_error *why, const tori_search *search,
                     bool json, tori_error *err);

/* Have a search draw its progress, from progress_begin to progress_end. */
static inline void place_show (tori_alloc_config *options,
                               struct progress *progress)
{
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
    const struct asked *json; /* NULL: for people */
};

/* Answer it. Returns the exit status, or -1. */
int place_points (const struct place_points *request, FILE *out,
                  tori_error *err);

#endif

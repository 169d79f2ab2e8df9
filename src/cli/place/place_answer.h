/* place_answer.h - what `tori place` works with on a machine, and how it
 * answers: cmd_place.c asks, place_answer.c prints. */
#ifndef TORI_CLI_PLACE_ANSWER_H
#define TORI_CLI_PLACE_ANSWER_H

#include <stdio.h>

#include "asked.h"
#include "handout.h"
#include "site.h"
#include "terminal.h"
#include "tuning.h"

struct place_values {
    struct site_files site;
    const char *mesh_graph;
    const char *points;
    const char *around;
    int alloc;
    struct tuning tuning;
    int64_t count;
    const char *shape;
    int wiring;
    int fold;
    bool no_rotate;
    const char *request;
    int64_t segments;
    struct handout_files handout;
    bool map;
    bool json;
};

/* What the command works with, from the request to the answer. */
struct place_job {
    const struct place_values *values;
    struct asked asked;
    struct site site;
    tori_alloc *alloc;
    tori_search search; /* of one that may give up */
    struct progress progress;
    tori_request request;
    tori_placement place; /* of several segments: all of their boxes */
    tori_placement *segment; /* each as it was placed, or &place */
    size_t segments;
    uint64_t pairwise;
    const struct meshgraph *graph; /* of the machine, or NULL */
    struct handout handout;

    /* Of what is folded: where the i-th node of the shape is, and, by an
     * allocator that folds, how far neighbours are apart. */
    uint32_t *map;
    uint32_t longest;
    double steps;
};

/* To one that folds, the dimensions of a shape do not matter. */
bool place_folds (const struct place_values *values);

/* The place that was found, and where its ranks go. */
int place_answer_found (struct place_job *job, FILE *out, tori_error *err);

/* A search gave up: what it knows, and the error. */
int place_answer_gave_up (const struct place_job *job, const tori_error *why,
                          FILE *out, tori_error *err);

/* Which link is missing, and who has it, of the box that the request would get
 * otherwise: `why` says so then. */
int place_explain_wiring (const struct place_job *job, tori_error *why,
                          tori_error *err);

/* The machine, what runs there and what was placed. */
int place_print_map (const struct place_job *job, const tori_placement *place,
                     FILE *out, tori_error *err);

#endif

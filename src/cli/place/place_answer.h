/* place_answer.h - the state of `tori place`: cmd_place.c fills it in on a
 * machine, place_points.c among points. place_job.c completes it,
 * place_answer.c and place_print.c print it. */
#ifndef TORI_CLI_PLACE_ANSWER_H
#define TORI_CLI_PLACE_ANSWER_H

#include <stdio.h>

#include "place_exports.h"
#include "machine_options.h"
#include "pointset.h"
#include "terminal.h"
#include "tuning.h"

struct place_values {
    struct machine_options site;
    const char *mesh_graph;
    const char *points;
    const char *around;
    const char *alloc; /* or NULL */
    struct tuning tuning;
    int64_t count;
    const char *shape;
    int wiring;
    int fold;
    bool no_rotate;
    const char *request;
    int64_t segments;
    struct exports_files exports;
    bool map;
    bool json;
};

/* The state of the command, from the request to the answer. */
struct place_job {
    const struct command *command;
    const struct place_values *values;
    struct site site;
    tori_alloc *alloc;
    tori_search search; /* result of a search that may give up */
    struct progress progress;
    tori_request request;
    tori_placement place;    /* with several segments: all of their boxes */
    tori_placement *segment; /* each as it was placed, or &place */
    size_t segments;
    uint64_t pairwise;
    const struct meshgraph *graph; /* of the machine, or NULL */
    struct exports exports;

    /* For a folded request: the node of the i-th place of the shape, and, for
     * an allocator that folds, the distance between neighbours. */
    uint32_t *map;
    uint32_t longest;
    double steps;

    /* The answer: nodes of the machine, or points; or why there are none. */
    bool placed;
    uint32_t *ids;
    const struct chosen_points *points; /* or the best that was found; NULL:
                                           on a machine */
    uint64_t surplus; /* nodes that were asked for, if more are taken; or 0 */
    char sum[POINTSET_TEXT]; /* pairwise, as a decimal */
    double average;          /* of it, over the pairs */
    const char *reason, *detail;
    bool gave_up;
};

/* Points of a set, by their index. */
struct chosen_points {
    const struct pointset *set;
    const size_t *chosen;
    size_t count;
};

/* Coordinate d of the i-th of them. */
void chosen_format (const struct chosen_points *chosen, size_t i, int d,
                    char text[POINTSET_TEXT]);

extern const struct sheet answer_place;

/* The allocator that was named, or NULL. */
const tori_alloc_info *place_alloc (const struct place_values *v);

/* Whether the allocator folds: then the dimensions of a shape do not
 * matter. */
bool place_folds (const struct place_values *values);

/* Whether the box of a segment has other sides than the shape. */
bool place_is_folded (const struct place_job *job,
                      const tori_placement *segment);

/* The subcube from which an allocator that folds has cut the nodes. */
tori_box place_subcube (const struct place_job *job);

/* Whether links are down, and the request needs none. */
bool place_ignores_links (const struct place_job *job);

/* Fill in the answer about a place that was found. */
int place_complete (struct place_job *job, tori_error *err);
void place_print (const struct place_job *job, FILE *out);

/* Print the place that was found, and the ranks on its nodes. */
int place_answer_found (struct place_job *job, FILE *out, tori_error *err);

/* Print why there is no place. Returns the exit status, or -1. */
int place_answer_refused (struct place_job *job, tori_outcome outcome,
                          const char *detail, FILE *out, tori_error *err);

/* Print what a search knew when it gave up, and return its error. */
int place_answer_gave_up (struct place_job *job, const tori_error *why,
                          FILE *out, tori_error *err);

/* Find which link is missing, and which job has it, for the box that the
 * request would get otherwise, and add that to `why`. */
int place_explain_wiring (const struct place_job *job, tori_error *why,
                          tori_error *err);

/* Print the machine with its running jobs and the new placement. */
int place_print_map (const struct place_job *job, const tori_placement *place,
                     FILE *out, tori_error *err);

#endif

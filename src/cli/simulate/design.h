/* design.h - a grid of simulations: every combination of values of options of
 * `tori sim`.
 *
 * An axis is such an option with one or more values, "fcfs,easy", or for
 * numbers, "0.2:1.0:0.1". A cell is one combination, and a command line of
 * `tori sim`: whatever `tori sim` refuses is refused here, in the same words.
 * Some axes say what is to be done (the scene: machine, workload, load), some
 * how (the policy: scheduler, allocator, and what --pair names). The seed is an
 * axis of its own. Policies meet the same jobs in a scene with the same seed, so they can be
 * compared seed by seed.
 *
 * Cells are in the order of the axes, the seed changing fastest. A combination
 * of values that are good in themselves but not together (an allocator of
 * counts, and jobs with wiring; an allocator for pods, and a torus) is left out
 * of the grid.
 */
#ifndef TORI_CLI_DESIGN_H
#define TORI_CLI_DESIGN_H

#include <jansson.h>

#include "grid_options.h"
#include "sim_run.h"
#include "comparison_row.h"

/* One value of an axis, and all of them. */
struct axis {
    const char *name;
    char **value;
    size_t n;
    bool policy; /* its values are compared with each other; otherwise they
                    are scenes */
};

struct cell {
    size_t scene, policy; /* the combination of scene axes, and of policy
                             axes */
    uint64_t seed;
    struct sim_values values;
    char *key;    /* its config as JSON, unique in the grid */
    char **words; /* the texts to which the values point */
};

/* Combinations that are left out for the same reason. */
struct left_out {
    char first[2 * COMPARISON_TEXT]; /* the values of the first */
    size_t n;
    char why[TORI_ERROR_TEXT];
};

struct design {
    struct axis axis[AXES];
    size_t scenes, policies, seeds; /* numbers of combinations, including those
                                       left out */
    struct cell *cell;
    size_t n;
    bool resampled; /* seeds are logs that were drawn from one */
    size_t left_out; /* number of combinations, not counting seeds */
    struct left_out *reason; /* by reason, in the order of the first */
    size_t reasons;
};

/* The options, from the config of an answer (asked.h), which must outlive
 * them. */
int design_read (const json_t *config, struct design_options *ret_typed,
                 tori_error *err);

/* Call design_clear afterwards, also on failure. */
int design_make (const struct design_options *typed, struct design *ret_design,
               tori_error *err);
void design_clear (struct design *design);

/* Print which combinations are left out and why, a line for each reason, with
 * a text before each. */
void design_print_left_out (const struct design *design, const char *before,
                            FILE *out);

/* The values that distinguish a scene or a policy in the grid, from the axes
 * with several values: "load 0.9", "easy mm". Empty if there is only one. */
enum { DESIGN_TEXT = COMPARISON_TEXT };
void design_scene (const struct design *design, size_t scene,
                   char text[DESIGN_TEXT]);
void design_policy (const struct design *design, size_t policy,
                  char text[DESIGN_TEXT]);

/* The values that all cells share, from the axes with one value. */
void design_shared (const struct design *design, char text[DESIGN_TEXT]);

/* The position of a cell by scene, then policy, then seed, as in
 * paired_comparison.h. */
size_t design_position (const struct design *design, const struct cell *cell);

/* The value of an axis in a combination, or NULL. */
const char *design_value (const struct design *design, const struct cell *cell,
                        size_t axis);

#endif

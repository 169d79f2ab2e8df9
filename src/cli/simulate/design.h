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

#include "names.h"
#include "options.h"
#include "sim_run.h"
#include "comparison_row.h"

/* The axes: enumerator, option, placeholder of its values in help, names for
 * completion, help, and further members of the option's row. */
#define DESIGN_SCENES(X)                                                      \
    X (TRACE, "trace", "LOG,...", NULL,                                       \
       "job logs: the Standard Workload Format, 'sacct --parsable2' or CSV "  \
       "(see 'tori help files'), plain or .gz")                               \
    X (MODEL, "model", "NAME,...", model_names,                               \
       "workload models; lublin if there is no --trace either")               \
    X (JOBS, "jobs", "N,...", NULL, "how many jobs a model makes")            \
    X (LIMIT, "limit", "N,...", NULL,                                         \
       "take only the first N records of a log that can run")                 \
    X (MACHINE, "machine", "KIND:SIZES,...", NULL,                            \
       "the machines, such as torus:8x8x8,mesh:16x32",                        \
       .fallback = "torus:8x8x8")                                             \
    X (LOAD, "load", "X,... or FROM:TO:STEP", NULL,                           \
       "offered loads, 0.5,0.9 or 0.2:1.0:0.1")                               \
    X (SCALE, "scale", "F,...", NULL, "factors for the sizes of jobs")        \
    X (WIRING, "wiring", "WIRING,...", wiring_names,                          \
       "the links that jobs reserve")                                         \
    X (TORI, "torus-fraction", "P,...", NULL,                                 \
       "with --wiring torus: the fraction of jobs that ask for a torus")      \
    X (COUNTS, "count-fraction", "P,...", NULL,                               \
       "the fraction of jobs that ask for any nodes, not for a shape")        \
    X (SHAPES, "shapes", "RULE,...", shaping_names,                           \
       "how a number of nodes becomes a shape")                               \
    X (ESTIMATES, "estimates", "RULE,...", estimates_names,                   \
       "which run times the scheduler is told for jobs of a log")             \
    X (NETWORK, "network", "MODEL,...", network_names,                        \
       "whether messages share the links of the network")                     \
    X (MTBF, "mtbf", "HOURS,...", NULL,                                       \
       "the mean time to the next failure of a node; none: nothing fails")    \
    X (URGENT, "urgent", "SHARE,...", NULL,                                   \
       "the share of jobs that are urgent")
#define DESIGN_POLICIES(X)                                                    \
    X (SCHED, "sched", "NAME,...", scheduler_names, "the schedulers")         \
    X (ORDER, "order", "ORDER,...", order_names, "the orders of the queue")   \
    X (DEPTH, "depth", "N,...", NULL,                                         \
       "how many waiting jobs have a planned start")                          \
    X (ALLOC, "alloc", "NAME,...", allocator_names,                           \
       "the allocators; first-fit+mm is one for shapes and one for counts, "  \
       "./mine.so one of your own (man tori_plugin)")                         \
    X (OR, "or", "RULE,...", instead_names,                                   \
       "what jobs take if their shape has no place")                          \
    X (PATIENCE, "patience", "DURATION,...", NULL,                            \
       "how long jobs wait for their own shape before they take what --or "   \
       "allows")                                                              \
    X (FAILED, "on-failure", "RULE,...", on_failure_names,                    \
       "what happens to a job when a node fails under it")                    \
    X (PREEMPTED, "preempted", "RULE,...", preempted_names,                   \
       "what happens to a job that an urgent one preempts")

/* Options that all cells share: enumerator, option, placeholder, names for
 * completion, help. */
#define DESIGN_SHARED(X)                                                      \
    X (BY, "by", "WAY", group_names,                                          \
       "also compare the waits of the jobs of each user, group, queue, size " \
       "or class by themselves: see 'tori sim --by'")                         \
    X (KEEP, "keep", "CONDITIONS", NULL,                                      \
       "take only the jobs that meet all conditions, such as "                \
       "'user=7,9;size=1-64;date=1997-01-01..1997-02-01': see 'tori sim "     \
       "--keep'")                                                             \
    X (WARM_UP, "warm-up", "PART", NULL,                                      \
       "do not measure the jobs that are submitted first: of a time (7d), a " \
       "share (10%) or a number (500jobs); see 'tori sim --warm-up'")         \
    X (COOL_DOWN, "cool-down", "PART", NULL,                                  \
       "the same for the jobs that are submitted last")                       \
    X (SIZE_FROM, "size-from", "FIELD[:PATTERN]", NULL,                       \
       "the field of the logs that has the processors of a job: see 'tori "   \
       "sim --size-from'")                                                    \
    X (RESAMPLE, "resample", "DURATION", NULL,                                \
       "intervals for a log: each seed simulates blocks of the log of this "  \
       "length, such as 7d, drawn at random; an interval then covers 95 of "  \
       "100 such logs")

#define DESIGN_AXIS(id, ...) AXIS_##id,
enum {
    DESIGN_SCENES (DESIGN_AXIS) AXES_OF_SCENE,
    AXIS_BEFORE_POLICY = AXES_OF_SCENE - 1,
    DESIGN_POLICIES (DESIGN_AXIS) AXES
};
#undef DESIGN_AXIS
#define DESIGN_ONE(id, ...) SHARED_##id,
enum { DESIGN_SHARED (DESIGN_ONE) SHARED };
#undef DESIGN_ONE

/* As typed. */
struct design_options {
    const char *value[AXES]; /* or NULL */
    const char *options;     /* further options of every cell, or NULL */
    const char *pair;        /* axes of a scene that count as policies */
    const char *shared[SHARED]; /* of every cell, or NULL */
    int64_t seed, seeds;
};

/* A row of an option table, for values that hold a struct design_options
 * `design`. */
#define DESIGN_ROW(values, id, text, of, names, ...)                          \
    {.name = text, .kind = OPTION_STRING,                                     \
     .offset = offsetof (values, design.value[AXIS_##id]), .value = of,       \
     .choices = names, .help = __VA_ARGS__}

#define DESIGN_SHARED_ROW(values, id, text, of, names, ...)                   \
    {.name = text, .kind = OPTION_STRING,                                     \
     .offset = offsetof (values, design.shared[SHARED_##id]), .value = of,    \
     .choices = names, .help = __VA_ARGS__}

/* All rows that describe a grid. The default and the limit of the number of
 * seeds differ between commands. */
#define DESIGN_OPTIONS(values, row, shared, ...)                              \
    DESIGN_SCENES (row) DESIGN_POLICIES (row){                                \
        .name = "seed", .kind = OPTION_INTEGER,                               \
        .offset = offsetof (values, design.seed), .value = "N",               \
        .max = INT64_MAX, .fallback = "1", .help = "the first seed"},         \
    {.name = "seeds", .kind = OPTION_INTEGER,                                 \
     .offset = offsetof (values, design.seeds), .value = "N", .min = 1,       \
     __VA_ARGS__},                                                            \
    {.name = "pair", .kind = OPTION_STRING,                                   \
     .offset = offsetof (values, design.pair), .value = "OPTION,...",         \
     .help = "options such as wiring, shapes or machine whose values are "    \
             "compared as policies are, seed by seed, instead of being "      \
             "scenes of their own"},                                          \
    DESIGN_SHARED (shared){                                                   \
     .name = "options", .kind = OPTION_STRING,                                \
     .offset = offsetof (values, design.options), .value = "WORDS",           \
     .help = "further options of 'tori sim' for every simulation, such as "   \
             "'--wrap --moves'"},                                             \
    OPTION_ROW_WORKERS (values, "how many simulations run in parallel")

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

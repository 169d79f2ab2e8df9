/* grid_options.h - the options of `tori compare` and `tori sweep`: a grid of
 * simulations. What they mean is python/tori/lab/commands/design.py. */
#ifndef TORI_CLI_GRID_OPTIONS_H
#define TORI_CLI_GRID_OPTIONS_H

#include "groups.h"
#include "names.h"
#include "options.h"

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

/* Figures, for values that hold `svg`, `pdf` and `measure`. */
#define FIGURE_OPTIONS(values)                                                \
    {.name = "svg", .kind = OPTION_STRING, OPTION_AT (values, svg),           \
     .value = "FILE", .file = FILE_WRITTEN,                                   \
     .help = "draw a measure over the load, or over another number that "     \
             "differs, one line per policy (matplotlib)"},                    \
    {.name = "pdf", .kind = OPTION_STRING, OPTION_AT (values, pdf),           \
     .value = "FILE", .file = FILE_WRITTEN, .help = "the same as PDF"},       \
    {.name = "measure", .kind = OPTION_CHOICE, OPTION_AT (values, measure),   \
     .value = "NAME", .choices = figure_measure_names, .with = "svg pdf",     \
     .aside = true, .help = "what --svg and --pdf draw (default response)"}

#endif

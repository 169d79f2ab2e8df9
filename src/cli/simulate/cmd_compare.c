/* tori compare - policies on the same jobs, in one table. The options are read
 * here; the rest is python/tori/lab/commands/compare.py. */
#include "commands.h"
#include "grid_options.h"
#include "lab_command.h"

struct values {
    struct design_options design;
    int64_t workers;
    const char *csv, *per_job;
    const char *svg, *pdf;
    int measure; /* or -1 */
    const char *html;
    bool json;
};

#define ROW(id, ...) DESIGN_ROW (struct values, id, __VA_ARGS__),
#define SHARED_ROW(id, ...)                                                   \
    DESIGN_SHARED_ROW (struct values, id, __VA_ARGS__),
static const struct option options[] = {
    DESIGN_OPTIONS (
        struct values, ROW, SHARED_ROW, .max = 1000,
        .help = "how many seeds, from the first on: policies are compared "
                "seed by seed; if not given, 5, and 1 for a log, in which "
                "nothing is random, but 10 with --resample"),
    {"csv", OPTION_STRING, offsetof (struct values, csv), "FILE",
     .file = FILE_WRITTEN, .help = "write one line per simulation as CSV"},
    {"per-job", OPTION_STRING, offsetof (struct values, per_job), "DIR",
     .help = "write a table of the jobs of each simulation into this folder, "
             "jobs-00001.csv and so on, in the order of --csv: see 'tori sim "
             "--log-format table'"},
    FIGURE_OPTIONS (struct values),
    {"html", OPTION_STRING, offsetof (struct values, html), "FILE",
     .file = FILE_WRITTEN,
     .help = "write one HTML page that opens from disk, as 'tori report' "
             "does: the comparison, plots over the load, and a replay in 3-D "
             "of the simulation with the shortest response in the last "
             "scene, which is run once more"},
    OPTION_ROW_JSON (struct values),
    {.name = NULL},
};
#undef SHARED_ROW
#undef ROW

/* Nothing in a log is random, unless it is resampled. */
static int64_t usual_seeds (const struct design_options *typed)
{
    if (typed->shared[SHARED_RESAMPLE])
        return 10;
    return typed->value[AXIS_TRACE] ? 1 : 5;
}

static int run_compare (const void *values, FILE *out, tori_error *err)
{
    struct values v = *(const struct values *)values;
    if (!v.design.seeds)
        v.design.seeds = usual_seeds (&v.design);
    return lab_become (&command_compare, &v, err);
}

const struct command command_compare = {
    .name = "compare",
    .summary = "Compare schedulers and allocators on the same jobs",
    .notes = "Every option may have several values, with commas between them. "
             "Every combination is simulated, as by 'tori sim'. All policies "
             "(schedulers, orders, depths, allocators) meet the same jobs, so "
             "they are compared seed by seed: a difference is how far a "
             "policy is above or below the first one, relative to it, as a "
             "mean over the seeds with half of its 95 % interval (Student's). "
             "Means are over the jobs that all policies of a scene ran; the "
             "table says how many these are if jobs were rejected or killed. "
             "Combinations that make no sense, such as an allocator that does "
             "not suit a machine, are left out: a line on standard error and "
             "in the answer says which, and why. For "
             "grids that take hours, see 'tori sweep'.",
    .options = options,
    .size = sizeof (struct values),
    .examples = "tori compare --machine torus:8x8x8 --sched fcfs,easy "
                "--load 0.5,0.7,0.9\n"
                "tori compare --machine torus:8x8x8 --trace FILE.swf.gz "
                "--sched fcfs,easy --alloc first-fit,mm --load 0.5,0.9 --csv "
                "cells.csv --html page.html",
    .run = run_compare,
};

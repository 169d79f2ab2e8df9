/* workload_options.h - the options of a workload and its scheduler. */
#ifndef TORI_CLI_WORKLOAD_OPTIONS_H
#define TORI_CLI_WORKLOAD_OPTIONS_H

#include <tori/sched.h>
#include <tori/workload.h>

#include "names.h"
#include "number.h"
#include "options.h"

/* As typed. */
struct workload_options {
    const char *trace; /* or NULL */
    const char *jobs_csv; /* another name of the option, or NULL */
    bool strict;
    int model;         /* or -1 */
    int64_t jobs;
    const char *durations; /* or NULL */
    const char *service;   /* or NULL */
    int sched;
    int order;         /* or -1 */
    int64_t depth;     /* or 0 */
    struct fraction scale;
    int64_t procs_per_node;
    struct fraction load;
    int64_t limit;
    const char *size_from; /* or NULL */
    const char *keep;     /* or NULL */
    const char *resample; /* or NULL */
    int64_t seed;
    unsigned given; /* not an option: tori_workload_given of the log */
};

/* The defaults of options: see `otherwise` of struct option. */
const char *workload_model (const void *values, const void *slot);
const char *workload_jobs (const void *values, const void *slot);
const char *workload_first_order (const void *values, const void *slot);

/* Rows of option tables, for values that hold a struct workload_options
 * `work`: the source of jobs, the policy, and changes to jobs before the run.
 */
#define WORK_AT(values, member) .offset = offsetof (values, work.member)
#define WORK_SOURCE(values)                                                   \
    {.name = "trace", .kind = OPTION_STRING, WORK_AT (values, trace),         \
     .value = "FILE", .file = FILE_READ,                                      \
     .help = "a job log in the Standard Workload Format, what 'sacct "        \
             "--parsable2' prints, or a CSV file (see 'tori help files'); "   \
             "plain or .gz"},                                                 \
    {.name = "jobs-csv", .kind = OPTION_STRING, WORK_AT (values, jobs_csv),   \
     .value = "FILE", .file = FILE_READ, .without = "trace model",            \
     .help = "the same as --trace, for jobs of your own: a line 'submit,"     \
             "run_time,estimate,shape,wiring' and one line per job; count in " \
             "place of shape asks for nodes"},                                \
    {.name = "strict", .kind = OPTION_FLAG, WORK_AT (values, strict),         \
     .with = "trace jobs-csv",                                                \
     .help = "refuse a log with anything the format does not have; if not "   \
             "given, only the fields that jobs are made of are checked: "     \
             "number, submit and run time, processors, requested time; and "  \
             "columns of a CSV file that have other names are ignored, and "  \
             "cells that are nan or null are empty"},                         \
    {.name = "model", .kind = OPTION_CHOICE, WORK_AT (values, model),         \
     .value = "NAME", .choices = model_names, .otherwise = workload_model,    \
     .help = "a workload model; lublin if there is no --trace either"},       \
    {.name = "jobs", .kind = OPTION_INTEGER, WORK_AT (values, jobs),          \
     .value = "N", .min = 1, .max = INT32_MAX, .otherwise = workload_jobs,    \
     .help = "how many jobs a model makes (default 10000)"},                  \
    {.name = "durations", .kind = OPTION_STRING, WORK_AT (values, durations), \
     .value = "FILE", .file = FILE_READ,                                      \
     .help = "for model rfold: run times to draw from, one per line or "      \
             "after the last comma of a line; those of the Philly log if "    \
             "not given"},                                                    \
    {.name = "service", .kind = OPTION_STRING, WORK_AT (values, service),     \
     .value = "DIST",                                                         \
     .help = "for the models isomorphic, cubic and noncubic: service times "  \
             "of mean 1 s, exponential (if not given), hyperexponential:CV2 " \
             "with the squared coefficient of variation CV2, or uniform-log"}
#define WORK_POLICY(values, names, policy)                                    \
    {.name = "sched", .kind = OPTION_CHOICE, WORK_AT (values, sched),         \
     .value = "NAME", .choices = names, .fallback = policy,                   \
     .help = "the scheduler"},                                                \
    {.name = "order", .kind = OPTION_CHOICE, WORK_AT (values, order),         \
     .value = "ORDER", .choices = order_names,                                \
     .otherwise = workload_first_order,                                       \
     .help = "the order of the queue (default submit)"},                      \
    {.name = "depth", .kind = OPTION_INTEGER, WORK_AT (values, depth),        \
     .value = "N", .min = 1, .max = UINT32_MAX,                               \
     .help = "how many waiting jobs have a planned start; easy stands for 1, "\
             "conservative for all"}
#define WORK_CHANGES(values)                                                  \
    {.name = "scale", .kind = OPTION_FRACTION, WORK_AT (values, scale),       \
     .value = "F", .positive = true,                                          \
     .help = "multiply the sizes of jobs, rounded up"},                       \
    {.name = "procs-per-node", .kind = OPTION_INTEGER,                        \
     WORK_AT (values, procs_per_node), .value = "N", .min = 1,                \
     .max = INT32_MAX, .fallback = "1",                                       \
     .help = "processors of the log per node of the machine"},                \
    {.name = "size-from", .kind = OPTION_STRING, WORK_AT (values, size_from), \
     .value = "FIELD[:PATTERN]",                                              \
     .help = "the field of a log that has the processors of a job, if not "   \
             "the usual ones: the number of a field of a record, last, or "   \
             "the name of a column; with a pattern such as last::#x, the "    \
             "number in place of #, as 2500 in frontier:excl:2500x112"},      \
    {.name = "load", .kind = OPTION_FRACTION, WORK_AT (values, load),         \
     .value = "X", .positive = true,                                          \
     .help = "stretch the arrival times until the offered load is X, up to "  \
             "5, where 1 keeps the whole machine busy; unchanged if not "     \
             "given; a model of boxes draws arrivals at this load, or one "   \
             "per second"},                                                   \
    {.name = "limit", .kind = OPTION_INTEGER, WORK_AT (values, limit),        \
     .value = "N", .min = 1, .max = INT64_MAX,                                \
     .help = "take only the first N records that can run"},                   \
    {.name = "keep", .kind = OPTION_STRING, WORK_AT (values, keep),           \
     .value = "CONDITIONS",                                                   \
     .help = "take only jobs that meet all of these, with semicolons between "\
             "them: user=7,ann (also group, queue), size=1-64,128- (nodes), " \
             "date=1997-01-01..1997-02-01 (submitted then; in UTC, or in "    \
             "seconds of the log); != keeps all others; --limit and --load "  \
             "apply to the jobs that are kept"},                              \
    {.name = "resample", .kind = OPTION_STRING, WORK_AT (values, resample),   \
     .value = "DURATION", .parse = resample_parse,                            \
     .help = "replace the jobs by those of blocks of this length, such as "   \
             "7d, drawn from the log at random, with replacement: each seed " \
             "makes another log, and intervals over the seeds tell how sure " \
             "the result of the log is"},                                     \
    {.name = "seed", .kind = OPTION_INTEGER, WORK_AT (values, seed),          \
     .value = "N", .max = INT64_MAX, .fallback = "1",                         \
     .help = "seed of all random choices: a model, which jobs are tori"}

/* Check a time for --resample: see `parse` of struct option. */
int resample_parse (const char *text, void *to, tori_error *err);

/* A load far above what any machine can keep up with. */
#define WORK_MOST_LOAD 5.0

/* Check that a load, if it was given, is at most `most`. A load of 90 nearly
 * always means 90 %, so the error says how to write that. */
int load_check (struct fraction load, double most, tori_error *err);

/* Refuse options that contradict each other. */
int workload_options_check (const struct workload_options *work,
                            tori_error *err);

/* The order of the queue. */
tori_order workload_order (const struct workload_options *work);

/* Look what the jobs of the log are given as: the default of --shapes depends
 * on that. */
void workload_look (struct workload_options *work);

/* The log's path, or NULL. */
const char *workload_log (const struct workload_options *work);

/* The log's path, or the model's name. */
const char *workload_name (const struct workload_options *work);

/* Read or make the workload. `how` has the options of sizes (shapes, wiring),
 * and this function fills in the rest. */
int workload_load (const struct workload_options *work,
                   const tori_machine *machine, tori_workload_options how,
                   tori_workload *ret_workload, tori_error *err);

#endif

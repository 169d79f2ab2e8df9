/* tori compare - policies on the same jobs, in one table. */
#include "asked.h"
#include "commands.h"
#include "common_jobs.h"
#include "drawing.h"
#include "files.h"
#include "reportpage.h"

struct values {
    struct design_options design;
    int64_t workers;
    const char *csv, *per_job;
    struct drawing drawing;
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
    DRAWING_OPTIONS (struct values),
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

/* Refuse an output file that would overwrite a log. */
static int check_files (const struct values *v, const struct design *design,
                        tori_error *err)
{
    const struct axis *logs = &design->axis[AXIS_TRACE];
    const struct named_file written[] = {{"--csv", v->csv, true},
                                         {"--html", v->html, true}};
    for (size_t i = 0; i < logs->n; i++)
        for (size_t j = 0; j < sizeof written / sizeof *written; j++) {
            struct named_file pair[]
                = {{"--trace", logs->value[i], false}, written[j]};
            if (written[j].path && files_check (pair, 2, err) < 0)
                return -1;
        }
    return 0;
}

static int to_stdout (const struct values *v)
{
    return is_stdout (v->csv) + drawing_to_stdout (&v->drawing)
           + is_stdout (v->html);
}

static int write_files (const struct values *v, const struct cells *cells,
                        const struct standings *standings,
                        const struct group_standings *groups, tori_error *err)
{
    if (v->csv && cells_csv (cells, v->csv, err) < 0)
        return -1;
    if (drawing_draw (&v->drawing, standings, err) < 0)
        return -1;
    return v->html ? report_page_write (cells, standings, groups,
                                        report_page_best (standings), v->html,
                                        err)
                   : 0;
}

static int print_comparison (const struct values *v, const struct cells *cells,
                             FILE *out, tori_error *err)
{
    struct standings standings;
    struct group_standings groups = {0};
    const struct standings_answer all
        = {cells->design->n, cells->design->left_out, &standings, &groups,
           cells};
    int status = standings_make (cells, &standings, err);
    if (status == 0)
        status = group_standings_make (cells, &groups, err);
    if (status == 0)
        status = write_files (v, cells, &standings, &groups, err);
    if (status == 0 && v->json) {
        status = asked_emit (&command_compare, v, &all, out, err);
    } else if (status == 0 && to_stdout (v) == 0) {
        status = standings_print (&standings, out, terminal_bold (), err);
        if (status == 0)
            status = group_standings_print (&groups, out, terminal_bold (),
                                            err);
        standings_note (cells, &standings, out);
    }
    group_standings_clear (&groups);
    standings_clear (&standings);
    return status;
}

/* Nothing in a log is random, unless it is resampled. */
static int64_t usual_seeds (const struct design_options *typed)
{
    if (typed->shared[SHARED_RESAMPLE])
        return 10;
    return typed->value[AXIS_TRACE] ? 1 : 5;
}

static int run_compare (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    struct values own = *v;
    struct design design;
    struct cells cells = {0};
    const struct cells_how how = {.workers = (unsigned)v->workers,
                                  .keep_jobs = true,
                                  .per_job = v->per_job};
    int status;
    if (to_stdout (v) + v->json > 1)
        return tori_error_set (err, TORI_INVALID,
                               "only one of --csv, --svg, --pdf, --html and "
                               "--json can go to standard output");
    if (v->html && report_page_check (err) < 0)
        return -1;
    if (!own.design.seeds)
        own.design.seeds = usual_seeds (&own.design);
    status = design_make (&own.design, &design, err);
    if (status == 0)
        design_print_left_out (&design, "tori: ", stderr);
    if (status == 0)
        status = check_files (&own, &design, err);
    if (status == 0)
        status = drawing_check (&v->drawing, &design, err);
    if (status == 0)
        status = cells_create (&cells, &design, err);
    if (status == 0)
        status = cells_run (&cells, &how, err);
    if (status == 0)
        status = common_jobs_compare (&cells, &how, err);
    if (status == 0)
        status = print_comparison (&own, &cells, out, err);
    cells_clear (&cells);
    design_clear (&design);
    return status;
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
    .answer = &answer_compare,
    .run = run_compare,
};

/* tori compare - policies on the same jobs, in one table. */
#include "asked.h"
#include "commands.h"
#include "fields.h"
#include "files.h"
#include "standings.h"

struct values {
    struct design_options design;
    int64_t workers;
    const char *csv;
    const char *svg;
    bool json;
};

#define ROW(id, ...) DESIGN_ROW (struct values, id, __VA_ARGS__),
static const struct option options[] = {
    DESIGN_SCENES (ROW) DESIGN_POLICIES (ROW){
        "seed", OPTION_INTEGER, offsetof (struct values, design.seed), "N",
        .max = INT64_MAX, .fallback = "1", .help = "the first seed"},
    {"seeds", OPTION_INTEGER, offsetof (struct values, design.seeds), "N",
     .min = 1, .max = 1000,
     .help = "how many seeds, from the first on: policies are compared seed "
             "by seed; if not given, 5, and 1 for a log, in which nothing is "
             "random"},
    {"options", OPTION_STRING, offsetof (struct values, design.options),
     "WORDS",
     .help = "further options of 'tori sim' for every simulation, such as "
             "'--wrap --moves'"},
    OPTION_ROW_WORKERS (struct values, "how many simulations run in parallel"),
    {"csv", OPTION_STRING, offsetof (struct values, csv), "FILE",
     .file = FILE_WRITTEN, .help = "write one line per simulation as CSV"},
    {"svg", OPTION_STRING, offsetof (struct values, svg), "FILE",
     .file = FILE_WRITTEN,
     .help = "draw response over load, one line per policy (gnuplot)"},
    OPTION_ROW_JSON (struct values),
    {.name = NULL},
};
#undef ROW

/* A log that is written to would be lost. */
static int check_files (const struct values *v, const struct design *design,
                        tori_error *err)
{
    const struct axis *logs = &design->axis[AXIS_TRACE];
    for (size_t i = 0; i < logs->n; i++) {
        struct named_file files[3] = {{"--trace", logs->value[i], false}};
        size_t n = 1;
        if (v->csv)
            files[n++] = (struct named_file){"--csv", v->csv, true};
        if (v->svg)
            files[n++] = (struct named_file){"--svg", v->svg, true};
        if (files_check (files, n, err) < 0)
            return -1;
    }
    return 0;
}

static int answer (const struct values *v, const struct cells *cells,
                   FILE *out, tori_error *err)
{
    struct standings standings;
    struct emit e = emit_to (out);
    int status = standings_make (cells, &standings, err);
    if (status == 0 && v->csv)
        status = cells_csv (cells, v->csv, err);
    if (status == 0 && v->svg)
        status = standings_draw (&standings, v->svg, err);
    if (status == 0 && v->json) {
        asked_open (&e, "compare", &command_compare, v);
        emit_count (&e, "cells", cells->design->n);
        emit_count (&e, "left_out", cells->design->left_out);
        standings_emit (&e, &standings);
        emit_close (&e, '}');
        status = emit_end (&e, err);
    } else if (status == 0 && !is_stdout (v->csv) && !is_stdout (v->svg)) {
        status = standings_print (&standings, out, terminal_bold (), err);
        standings_note (cells, out);
    }
    standings_clear (&standings);
    return status;
}

static int run (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    struct values own = *v;
    struct design design;
    struct cells cells = {0};
    int status;
    if (is_stdout (v->csv) + is_stdout (v->svg) + v->json > 1)
        return tori_error_set (err, TORI_INVALID,
                               "only one of --csv, --svg and --json can go "
                               "to standard output");
    if (!own.design.seeds)
        own.design.seeds = own.design.value[AXIS_TRACE] ? 1 : 5;
    status = design_make (&own.design, &design, err);
    if (status == 0)
        status = check_files (&own, &design, err);
    if (status == 0)
        status = cells_create (&cells, &design, err);
    if (status == 0)
        status = cells_run (
            &cells, &(struct cells_how){.workers = (unsigned)v->workers}, err);
    if (status == 0)
        status = answer (&own, &cells, out, err);
    cells_clear (&cells);
    design_clear (&design);
    return status;
}

const struct command command_compare = {
    .name = "compare",
    .summary = "Compare schedulers and allocators on the same jobs",
    .notes = "Every option may have several values, with commas between "
             "them. Every combination is simulated, as by 'tori sim'. All "
             "policies (schedulers, orders, depths, allocators) meet the same "
             "jobs, so they are compared seed by seed: a difference is the "
             "mean over the seeds of by which part a policy is above or below "
             "the first one, with half of its 95 % interval (Student's). "
             "Combinations that make no sense are left out, and counted. For "
             "grids that take hours, see 'tori sweep'.",
    .options = options,
    .size = sizeof (struct values),
    .examples = "tori compare --machine torus:8x8x8 --sched fcfs,easy "
                "--load 0.5,0.7,0.9\n"
                "tori compare --machine torus:8x8x8 --trace FILE.swf.gz "
                "--sched fcfs,easy --alloc first-fit,mm --load 0.5,0.9 --csv "
                "cells.csv",
    .answer = &answer_compare,
    .run = run,
};

/* tori sweep - a grid of simulations that may take days. */
#include <stdlib.h>
#include <string.h>

#include "asked.h"
#include "commands.h"
#include "common_jobs.h"
#include "drawing.h"
#include "number.h"
#include "outfile.h"
#include "standings.h"

struct values {
    struct design_options design;
    const char *out;
    struct drawing drawing;
    int64_t workers;
    const char *part;
    struct strings merge;
    int64_t slurm;
    bool per_job;
    bool json;
};

#define ROW(id, ...) DESIGN_ROW (struct values, id, __VA_ARGS__),
#define SHARED_ROW(id, ...)                                                   \
    DESIGN_SHARED_ROW (struct values, id, __VA_ARGS__),
static const struct option options[] = {
    DESIGN_OPTIONS (struct values, ROW, SHARED_ROW, .max = 100000, .fallback = "1",
                    .help = "how many seeds, from the first on"),
    {"out", OPTION_STRING, offsetof (struct values, out), "DIR",
     .required = true,
     .help = "where the results are kept; a sweep that was stopped goes on "
             "from what is there"},
    {"part", OPTION_STRING, offsetof (struct values, part), "I/N",
     .help = "run only the I-th of N parts, for several machines with one "
             "folder, or a folder each; --merge puts them together"},
    {"merge", OPTION_STRINGS, offsetof (struct values, merge), "DIR",
     .help = "run nothing, but add what is in this folder; the grid must be "
             "given as it was"},
    {"slurm", OPTION_INTEGER, offsetof (struct values, slurm), "N", .min = 1,
     .max = 100000, .without = "part merge",
     .help = "run nothing, but print a script: sbatch runs N parts of it as "
             "an array, and sh then puts them together"},
    {"per-job", OPTION_FLAG, offsetof (struct values, per_job),
     .help = "also write a table of the jobs of each cell, DIR/jobs/"
             "jobs-00001.csv and so on, in the order of cells.csv: see 'tori "
             "sim --log-format table'"},
    DRAWING_OPTIONS (struct values),
    OPTION_ROW_JSON (struct values),
    {.name = NULL},
};
#undef SHARED_ROW
#undef ROW

/* ---- options ---- */

static int read_part (const char *text, struct cells_how *how, tori_error *err)
{
    uint64_t part, parts;
    const char *at = text;
    if (!text)
        return 0;
    if (!number_scan (&at, 100000, &part) || *at++ != '/'
        || !number_scan (&at, 100000, &parts) || *at || part < 1
        || part > parts)
        return tori_error_set (err, TORI_INVALID,
                               "--part: expected I/N with I from 1 to N, "
                               "such as 3/8, not '%.40s'",
                               text);
    how->part = part;
    how->parts = parts;
    return 0;
}

/* Write the request of the sweep beside its results. */
static int write_config (const struct values *v, tori_error *err)
{
    struct outfile *out = NULL;
    char *path = NULL;
    struct emit e;
    int status;
    if (asprintf (&path, "%s/sweep.json", v->out) < 0)
        return tori_error_nomem (err);
    status = outfile_create (path, &out, err);
    free (path);
    if (status < 0)
        return -1;
    e = emit_to (outfile_stream (out));
    asked_open (&e, &command_sweep, v);
    emit_close (&e, '}');
    return outfile_end (out, emit_end (&e, err), err);
}

/* ---- a script for Slurm ---- */

/* Print a text as one word of a shell script. */
static void print_quoted (const char *text, FILE *out)
{
    fputc ('\'', out);
    for (; *text; text++)
        if (*text == '\'')
            fputs ("'\\''", out);
        else
            fputc (*text, out);
    fputc ('\'', out);
}

static void print_option (const char *name, const char *value, FILE *out)
{
    if (!value)
        return;
    fprintf (out, " \\\n    --%s ", name);
    print_quoted (value, out);
}

static void print_grid (const struct values *v, FILE *out)
{
    for (const struct option *o = options; o->name; o++)
        if (o->kind == OPTION_STRING && strcmp (o->name, "part") != 0)
            print_option (o->name,
                          *(const char *const *)((const char *)v + o->offset),
                          out);
    fprintf (out, " \\\n    --seed %lld --seeds %lld%s",
             (long long)v->design.seed, (long long)v->design.seeds,
             v->per_job ? " --per-job" : "");
}

static int print_script (const struct values *v, FILE *out)
{
    fprintf (out,
             "#!/bin/sh\n"
             "#SBATCH --job-name=tori-sweep\n"
             "#SBATCH --array=1-%lld\n"
             "#SBATCH --cpus-per-task=1\n"
             "# sbatch SCRIPT runs the parts. When they have ended, sh SCRIPT "
             "writes\n"
             "# cells.jsonl and cells.csv, and prints the table. If some were "
             "killed,\n"
             "# either runs what is missing.\n"
             "part=${SLURM_ARRAY_TASK_ID:+$SLURM_ARRAY_TASK_ID/%lld}\n"
             "exec tori sweep",
             (long long)v->slurm, (long long)v->slurm);
    print_grid (v, out);
    fputs (" \\\n    ${part:+--part \"$part\"} "
           "-j \"${SLURM_CPUS_PER_TASK:-1}\"\n",
           out);
    return 0;
}

/* ---- the sweep ---- */

static int check_merged (const struct cells *cells, tori_error *err)
{
    const struct design *design = cells->design;
    char scene[DESIGN_TEXT], policy[DESIGN_TEXT];
    const struct cell *cell = design->cell;
    if (cells->n == design->n)
        return 0;
    while (cells->outcome[cell - design->cell])
        cell++;
    design_scene (design, cell->scene, scene);
    design_policy (design, cell->policy, policy);
    return tori_error_set (err, TORI_INVALID,
                           "--merge: %zu of %zu cells are missing; the first: "
                           "%s%s%s%sseed %llu",
                           design->n - cells->n, design->n, scene,
                           *scene ? ", " : "", policy, *policy ? ", " : "",
                           (unsigned long long)cell->seed);
}

static int print_sweep (const struct values *v, const struct cells *cells,
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
        status = drawing_draw (&v->drawing, &standings, err);
    if (status == 0 && v->json) {
        status = asked_emit (&command_sweep, v, &all, out, err);
    } else if (status == 0 && drawing_to_stdout (&v->drawing) == 0) {
        status = standings_print (&standings, out, terminal_bold (), err);
        if (status == 0)
            status = group_standings_print (&groups, out, terminal_bold (),
                                            err);
        standings_note (cells, &standings, out);
        fprintf (out, "\n%zu cells in %s: cells.csv, cells.jsonl\n",
                 cells->design->n, v->out);
    }
    group_standings_clear (&groups);
    standings_clear (&standings);
    return status;
}

/* Answer for one part; the other parts run elsewhere. */
static int answer_part (const struct values *v, const struct cells *cells,
                        const struct cells_how *how, FILE *out,
                        tori_error *err)
{
    struct standings_answer all
        = {.left_out = cells->design->left_out, .all = cells};
    for (size_t i = how->part - 1; i < cells->design->n; i += how->parts)
        all.cells++;
    if (!v->json) {
        fprintf (out, "part %zu of %zu: %zu of %zu cells are done\n",
                 how->part, how->parts, all.cells, cells->design->n);
        return 0;
    }
    return asked_emit (&command_sweep, v, &all, out, err);
}

static int load_all (const struct values *v, struct cells *cells,
                     tori_error *err)
{
    if (cells_load (cells, v->out, err) < 0)
        return -1;
    for (size_t i = 0; i < v->merge.n; i++)
        if (cells_load (cells, v->merge.item[i], err) < 0)
            return -1;
    return v->merge.n ? check_merged (cells, err) : 0;
}

static void say_resumed (const struct cells *cells,
                         const struct cells_how *how)
{
    size_t missing = cells_missing (cells, how);
    if (cells->n > 0 && missing > 0)
        fprintf (stderr, "tori: %zu cells are there already; %zu to go\n",
                 cells->n, missing);
}

static int run_cells (const struct values *v, struct cells *cells, FILE *out,
                      const char *per_job, tori_error *err)
{
    struct cells_how how = {.dir = v->out,
                            .workers = (unsigned)v->workers,
                            .per_job = per_job};
    if (read_part (v->part, &how, err) < 0 || load_all (v, cells, err) < 0
        || cells_folder (v->out, err) < 0 || write_config (v, err) < 0
        || cells_forget (cells, &how, err) < 0)
        return -1;
    say_resumed (cells, &how);
    if (cells_run (cells, &how, err) < 0)
        return -1;
    if (how.parts > 1)
        return answer_part (v, cells, &how, out, err);
    if ((!v->merge.n && common_jobs_compare (cells, &how, err) < 0)
        || cells_write (cells, v->out, err) < 0)
        return -1;
    return print_sweep (v, cells, out, err);
}

static int run_all (const struct values *v, struct cells *cells, FILE *out,
                    tori_error *err)
{
    char *per_job = NULL;
    int status;
    if (v->per_job && asprintf (&per_job, "%s/jobs", v->out) < 0)
        return tori_error_nomem (err);
    status = run_cells (v, cells, out, per_job, err);
    free (per_job);
    return status;
}

static int check_figures (const struct values *v, const struct design *design,
                          tori_error *err)
{
    const struct option_rule rules[] = {
        {(v->drawing.svg || v->drawing.pdf) && (v->part || v->slurm),
         "--svg and --pdf draw the whole sweep, and --part and --slurm run "
         "parts of it"},
        {drawing_to_stdout (&v->drawing) + v->json > 1,
         "only one of --svg, --pdf and --json can go to standard output"},
    };
    return options_check (rules, sizeof rules / sizeof *rules, err) < 0
               ? -1
               : drawing_check (&v->drawing, design, err);
}

static int run_sweep (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    struct design design;
    struct cells cells = {0};
    int status = design_make (&v->design, &design, err);
    if (status == 0)
        design_print_left_out (&design, "tori: ", stderr);
    if (status == 0)
        status = check_figures (v, &design, err);
    if (status == 0 && v->slurm)
        status = print_script (v, out);
    else if (status == 0 && cells_create (&cells, &design, err) == 0)
        status = run_all (v, &cells, out, err);
    else
        status = -1;
    cells_clear (&cells);
    design_clear (&design);
    return status;
}

const struct command command_sweep = {
    .name = "sweep",
    .summary = "Simulate every combination of machines, policies and loads",
    .notes = "Every option may have several values, with commas between them, "
             "and numbers may be a range, FROM:TO:STEP. Every combination is "
             "a cell, simulated as by 'tori sim'. A finished cell is on disk "
             "at once: a sweep that was stopped continues where it was, and "
             "one with more values runs only what is new. At the end DIR has "
             "cells.jsonl and cells.csv, in the order of the design. Their "
             "bytes are the same for any number of workers. The table has "
             "means over the seeds with 95 % intervals, and compares policies "
             "seed by seed, as 'tori compare' does: on the jobs that all of "
             "them ran. Where jobs were rejected or killed, the simulations "
             "of that scene run a second time to find these. Combinations that "
             "make no sense are left out, as by 'tori compare'.",
    .options = options,
    .size = sizeof (struct values),
    .examples = "tori sweep --machine torus:8x8x8,mesh:8x8x8 --sched "
                "fcfs,easy --load 0.2:1.0:0.1 --seeds 20 --out results\n"
                "tori sweep --machine torus:8^3 --alloc first-fit,best-fit "
                "--load 0.9 --seeds 100 --out results --slurm 50",
    .answer = &answer_compare,
    .run = run_sweep,
};

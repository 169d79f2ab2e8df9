/* tori report - a sweep as one HTML page that opens from disk. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "asked.h"
#include "commands.h"
#include "common_jobs.h"
#include "fieldrows.h"
#include "reportpage.h"

struct values {
    const char *dir;
    const char *out;
    int64_t cell, workers;
    int by;
    bool json;
};

static const struct option options[] = {
    {"dir", OPTION_STRING, offsetof (struct values, dir), "DIR",
     .operand = true, .required = true,
     .help = "what 'tori sweep --out DIR' has written"},
    {"out", OPTION_STRING, offsetof (struct values, out), "FILE",
     .file = FILE_WRITTEN,
     .help = "where the report goes; if not given, DIR/report.html"},
    {"cell", OPTION_INTEGER, offsetof (struct values, cell), "N", .min = 1,
     .max = INT32_MAX,
     .help = "which simulation is replayed: its line in cells.csv, not "
             "counting the header; if not given, the one with the shortest "
             "response in the last scene"},
    {"by", OPTION_CHOICE, offsetof (struct values, by), "WAY",
     .choices = group_names,
     .help = "compare the waits of the jobs of each user, group, queue, size "
             "or class by themselves; if the sweep was not made with the same "
             "--by, all its simulations run once more"},
    OPTION_ROW_WORKERS (struct values,
                        "with --by: how many simulations run in parallel"),
    OPTION_ROW_JSON (struct values),
    {.name = NULL},
};

/* ---- the sweep ---- */

static int read_sweep (const char *dir, json_t **ret_sweep, tori_error *err)
{
    json_error_t why;
    char *path = NULL;
    if (asprintf (&path, "%s/sweep.json", dir) < 0)
        return tori_error_nomem (err);
    *ret_sweep = json_load_file (path, 0, &why);
    if (!*ret_sweep)
        tori_error_set (err, TORI_INVALID,
                        "%s: %s; expected a folder of 'tori sweep'", path,
                        why.line > 0 ? why.text : strerror (errno));
    free (path);
    return *ret_sweep ? 0 : -1;
}

/* A sweep that is not finished has a report of what there is. */
static int check_complete (const struct cells *cells, const char *dir,
                           tori_error *err)
{
    size_t missing = cells->design->n - cells->n;
    if (cells->n == 0)
        return tori_error_set (err, TORI_INVALID,
                               "%s: all %zu cells are missing; run the sweep "
                               "again, it goes on where it was",
                               dir, missing);
    if (missing > 0)
        fprintf (stderr,
                 "tori: %s: %zu of %zu cells are missing; run the sweep again, "
                 "it goes on where it was\n",
                 dir, missing, cells->design->n);
    return 0;
}

/* Choose the cell to replay. */
static int choose_cell (const struct values *v,
                        const struct standings *standings,
                        const struct cell **ret_cell, tori_error *err)
{
    const struct design *design = standings->design;
    if (v->cell > (int64_t)design->n)
        return tori_error_set (err, TORI_INVALID,
                               "--cell: there are %zu cells", design->n);
    *ret_cell = v->cell > 0 ? &design->cell[v->cell - 1]
                            : report_page_best (standings);
    return 0;
}

struct report_row {
    const char *path;
    const struct cell *cell;
    size_t missing; /* simulations that the sweep has not run yet */
};

static void emit_replayed (struct emit *e, const struct field *field,
                           const void *arg)
{
    const struct report_row *row = arg;
    emit_value (e, field->name, json_loads (row->cell->key, 0, NULL));
}

static const struct field replayed_fields[] = {
    FIELD ("*", "as 'tori sim' has it"),
};
SHEET (replayed);

static const struct field report_fields[] = {
    {"report", FIELD_TEXT, FIELD_AT (struct report_row, path),
     "the file that was written"},
    {"replayed", FIELD_BY,
     .about = "the config of the simulation that it replays",
     .group = &replayed_sheet, .by = emit_replayed},
    {"missing", FIELD_SIZE, FIELD_AT (struct report_row, missing),
     "simulations that the sweep has not run yet", .when = field_is_set},
};
static ANSWER (report);

static int print_path (const struct values *v, const char *path,
                       const struct cells *cells, const struct cell *cell,
                       FILE *out, tori_error *err)
{
    struct report_row row = {path, cell, cells->design->n - cells->n};
    if (is_stdout (path))
        return 0;
    if (v->json)
        return asked_emit (&command_report, v, &row, out, err);
    fprintf (out, "%s\n", path);
    return 0;
}

static int write_report (const struct values *v, const struct cells *cells,
                         const char *path, FILE *out, tori_error *err)
{
    struct standings standings;
    struct group_standings groups = {0};
    const struct cell *cell = NULL;
    int status = standings_make (cells, &standings, err);
    if (status == 0)
        status = group_standings_make (cells, &groups, err);
    if (status == 0)
        status = choose_cell (v, &standings, &cell, err);
    if (status == 0)
        status = report_page_write (cells, &standings, &groups, cell, path,
                                    err);
    if (status == 0)
        status = print_path (v, path, cells, cell, out, err);
    group_standings_clear (&groups);
    standings_clear (&standings);
    return status;
}

static int report_sweep (const struct values *v, const json_t *sweep,
                         const char *path, FILE *out, tori_error *err)
{
    struct design_options typed;
    struct design design = {0};
    struct cells cells = {0};
    int status
        = design_read (json_object_get (sweep, "config"), &typed, err);
    if (status == 0)
        status = design_make (&typed, &design, err);
    if (status == 0)
        status = cells_create (&cells, &design, err);
    if (status == 0)
        status = cells_load (&cells, v->dir, err);
    if (status == 0)
        status = check_complete (&cells, v->dir, err);
    if (status == 0)
        status = cells_find_absent (&cells, err);
    if (status == 0 && v->by >= 0 && v->by != cells.by)
        status = common_jobs_regroup (&cells, v->by, (unsigned)v->workers,
                                      err);
    if (status == 0)
        status = write_report (v, &cells, path, out, err);
    cells_clear (&cells);
    design_clear (&design);
    return status;
}

static int run_report (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    json_t *sweep = NULL;
    char *path = NULL;
    int status;
    if (report_page_check (err) < 0)
        return -1;
    if (read_sweep (v->dir, &sweep, err) < 0)
        return -1;
    if (asprintf (&path, "%s/report.html", v->dir) < 0)
        status = tori_error_nomem (err);
    else
        status = report_sweep (v, sweep, v->out ? v->out : path, out, err);
    free (path);
    json_decref (sweep);
    return status;
}

const struct command command_report = {
    .name = "report",
    .summary = "Write a sweep as one HTML page, with a replay in 3-D",
    .notes = "The page holds everything and opens from disk, without a "
             "network: the comparison of 'tori sweep', plots over the load "
             "with intervals, and one simulation, run once more, as a replay "
             "of the machine in 3-D, as a Gantt chart, and as waits by size "
             "and by user. A sweep with --by has its groups there, too, and "
             "--by here has them for any sweep. A "
             "sweep that is not finished has a page of what there is, which "
             "says what is missing.",
    .options = options,
    .size = sizeof (struct values),
    .examples = "tori sweep --machine torus:8x8x8 --sched fcfs,easy --load "
                "0.5:0.9:0.1 --seeds 10 --out results\n"
                "tori report results\n"
                "tori report results --by size",
    .answer = &answer_report,
    .run = run_report,
};

/* tori report - a sweep as one page that opens from disk. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "asked.h"
#include "commands.h"
#include "fields.h"
#include "outfile.h"
#include "pack.h"
#include "reportdata.h"
#include "standings.h"

struct values {
    const char *dir;
    const char *out;
    int64_t cell;
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
     .help = "which simulation is replayed, by its line in cells.csv without "
             "the first; if not given, the one with the shortest response in "
             "the last scene"},
    OPTION_ROW_JSON (struct values),
    {.name = NULL},
};

/* ---- which sweep ---- */

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

static int check_complete (const struct cells *cells, const char *dir,
                           tori_error *err)
{
    size_t missing = cells->design->n - cells->n;
    if (missing == 0)
        return 0;
    return tori_error_set (err, TORI_INVALID,
                           "%s: %zu of %zu cells are missing; run the sweep "
                           "again, it goes on where it was",
                           dir, missing, cells->design->n);
}

/* The cell to replay. */
static int choose_cell (const struct values *v,
                        const struct standings *standings,
                        const struct cell **ret_cell, tori_error *err)
{
    const struct design *design = standings->design;
    const struct standing *best = NULL;
    if (v->cell > (int64_t)design->n)
        return tori_error_set (err, TORI_INVALID,
                               "--cell: there are %zu cells", design->n);
    if (v->cell > 0) {
        *ret_cell = &design->cell[v->cell - 1];
        return 0;
    }
    for (size_t i = 0; i < standings->n; i++) {
        const struct standing *row = &standings->row[i];
        if (!best || row->scene != best->scene
            || row->measure[0].mean < best->measure[0].mean)
            best = row;
    }
    *ret_cell = &design->cell[(size_t)(best - standings->row) * design->seeds];
    return 0;
}

/* ---- the simulation, once more ---- */

/* Its jobs as a table, which the caller frees. */
static int replay_jobs (const struct cell *cell, char **ret_jobs,
                        tori_error *err)
{
    struct sim_values values = cell->values;
    struct site site = {0};
    struct replay replay = {.values = &values,
                            .site = &site,
                            .seed = cell->seed,
                            .alone = true};
    size_t size;
    int status = -1;
    values.log_format = 0;
    while (strcmp (joblog_formats ((size_t)values.log_format), "csv"))
        values.log_format++;
    replay.log_to = open_memstream (ret_jobs, &size);
    if (!replay.log_to)
        return tori_error_nomem (err);
    if (site_open (&values.site, &site, err) == 0
        && replay_load (&replay, err) == 0 && replay_run (&replay, err) == 0)
        status = joblog_commit (replay.log, err);
    replay_clear (&replay);
    site_close (&site);
    if (fclose (replay.log_to) != 0 && status == 0)
        status = tori_error_nomem (err);
    return status;
}

/* ---- the page ---- */

static void emit_standing (struct emit *e, const struct standings *standings,
                           const struct standing *row)
{
    const struct design *design = standings->design;
    const struct cell *cell
        = &design->cell[(size_t)(row - standings->row) * design->seeds];
    const char *load = design_value (design, cell, AXIS_LOAD);
    emit_open (e, NULL, '{');
    sheet_emit (e, &standing_sheet, row);
    if (load)
        emit_real (e, "load", strtod (load, NULL));
    else
        emit_null (e, "load");
    emit_close (e, '}');
}

static void emit_data (struct emit *e, const struct standings *standings,
                       const struct cell *cell, const char *jobs)
{
    char about[256], scene[DESIGN_TEXT], policy[DESIGN_TEXT];
    design_scene (standings->design, cell->scene, scene);
    design_policy (standings->design, cell->policy, policy);
    snprintf (about, sizeof about, "%zu simulations by tori %s",
              standings->design->n, tori_version ());
    emit_open (e, NULL, '{');
    emit_text (e, "about", about);
    emit_open (e, "standings", '[');
    for (size_t i = 0; i < standings->n; i++)
        emit_standing (e, standings, &standings->row[i]);
    emit_close (e, ']');
    emit_text (e, "machine", cell->values.site.machine);
    snprintf (about, sizeof about, "%.80s%s%.80s%sseed %llu", scene,
              *scene ? ", " : "", policy, *policy ? ", " : "",
              (unsigned long long)cell->seed);
    emit_text (e, "replay", about);
    emit_text (e, "jobs", jobs);
    emit_close (e, '}');
}

/* Packed, in letters. */
static int make_data (const struct standings *standings,
                      const struct cell *cell, const char *jobs,
                      char **ret_letters, tori_error *err)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream (&text, &size);
    struct emit e = emit_to (out);
    int status;
    if (!out)
        return tori_error_nomem (err);
    emit_data (&e, standings, cell, jobs);
    status = fclose (out) != 0 || e.nomem
                 ? tori_error_nomem (err)
                 : pack_text (text, size, ret_letters, err);
    free (text);
    return status;
}

static int write_page (const char *path, const char *data, tori_error *err)
{
    struct outfile *out = NULL;
    char *page = NULL, *at;
    int status = pack_open (report_bytes, report_size, &page, err);
    if (status == 0)
        status = outfile_create (path, &out, err);
    if (status == 0) {
        at = strstr (page, REPORT_DATA);
        fwrite (page, 1, (size_t)(at - page), outfile_stream (out));
        fputs (data, outfile_stream (out));
        fputs (at + strlen (REPORT_DATA), outfile_stream (out));
        status = outfile_commit (out, err);
    }
    outfile_destroy (out);
    free (page);
    return status;
}

static int answer (const struct values *v, const char *path,
                   const struct cell *cell, FILE *out, tori_error *err)
{
    struct emit e = emit_to (out);
    if (is_stdout (path))
        return 0;
    if (!v->json) {
        fprintf (out, "%s\n", path);
        return 0;
    }
    asked_open (&e, "report", &command_report, v);
    emit_text (&e, "report", path);
    emit_value (&e, "replayed", json_loads (cell->key, 0, NULL));
    emit_close (&e, '}');
    return emit_end (&e, err);
}

static int report (const struct values *v, const struct cells *cells,
                   const char *path, FILE *out, tori_error *err)
{
    struct standings standings;
    const struct cell *cell = NULL;
    char *jobs = NULL, *data = NULL;
    int status = standings_make (cells, &standings, err);
    if (status == 0)
        status = choose_cell (v, &standings, &cell, err);
    if (status == 0)
        status = replay_jobs (cell, &jobs, err);
    if (status == 0)
        status = make_data (&standings, cell, jobs, &data, err);
    if (status == 0)
        status = write_page (path, data, err);
    if (status == 0)
        status = answer (v, path, cell, out, err);
    free (jobs);
    free (data);
    standings_clear (&standings);
    return status;
}

static int run_report (const struct values *v, const json_t *sweep,
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
        status = report (v, &cells, path, out, err);
    cells_clear (&cells);
    design_clear (&design);
    return status;
}

static int run (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    json_t *sweep = NULL;
    char *path = NULL;
    int status;
    if (report_size == 0)
        return tori_error_set (err, TORI_FAILED,
                               "this tori was built without npm, and has no "
                               "report");
    if (read_sweep (v->dir, &sweep, err) < 0)
        return -1;
    if (asprintf (&path, "%s/report.html", v->dir) < 0)
        status = tori_error_nomem (err);
    else
        status = run_report (v, sweep, v->out ? v->out : path, out, err);
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
             "and by user.",
    .options = options,
    .size = sizeof (struct values),
    .examples = "tori sweep --machine torus:8x8x8 --sched fcfs,easy --load "
                "0.5:0.9:0.1 --seeds 10 --out results\n"
                "tori report results",
    .answer = &answer_report,
    .run = run,
};

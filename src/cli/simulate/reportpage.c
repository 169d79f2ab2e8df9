#include "reportpage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "outfile.h"
#include "gzip_base64.h"

int report_page_check (tori_error *err)
{
    if (report_size == 0)
        return tori_error_set (err, TORI_FAILED,
                               "this tori was built without esbuild, and has "
                               "no report");
    return 0;
}

const struct cell *report_page_best (const struct standings *standings)
{
    const struct comparison_row *best = NULL;
    for (size_t i = 0; i < standings->n; i++) {
        const struct comparison_row *row = &standings->row[i];
        if (!best || row->scene != best->scene
            || isnan (best->measure[0].mean)
            || row->measure[0].mean < best->measure[0].mean)
            best = row;
    }
    return &standings->design->cell[(size_t)(best - standings->row)
                                    * standings->design->seeds];
}

/* ---- the replay ---- */

/* The jobs of the cell as a table, which the caller frees. */
static int replay_jobs (const struct cell *cell, char **ret_jobs,
                        tori_error *err)
{
    struct sim_values values = cell->values;
    struct site site = {0};
    struct sim_run replay = {
        .values = &values, .site = &site, .seed = cell->seed, .alone = true};
    size_t size;
    int status = -1;
    values.log_format = joblog_format ("csv");
    replay.log_to = open_memstream (ret_jobs, &size);
    if (!replay.log_to)
        return tori_error_nomem (err);
    if (site_open (&values.site, &site, err) == 0
        && sim_run_load (&replay, err) == 0
        && sim_run_execute (&replay, err) == 0)
        status = joblog_commit (replay.log, err);
    sim_run_clear (&replay);
    site_close (&site);
    if (fclose (replay.log_to) != 0 && status == 0)
        status = tori_error_nomem (err);
    return status;
}

/* ---- the page ---- */

static void emit_standing (struct emit *e, const struct standings *standings,
                           const struct comparison_row *row)
{
    const struct design *design = standings->design;
    const struct cell *cell
        = &design->cell[(size_t)(row - standings->row) * design->seeds];
    const char *load = design_value (design, cell, AXIS_LOAD);
    emit_open (e, NULL, '{');
    sheet_emit (e, &comparison_row_sheet, row);
    if (load)
        emit_real (e, "load", strtod (load, NULL));
    else
        emit_null (e, "load");
    emit_close (e, '}');
}

/* Emit one line about what was simulated. */
static void emit_about (struct emit *e, const struct design *design)
{
    char about[DESIGN_TEXT + 160], shared[DESIGN_TEXT];
    bool given = design->axis[AXIS_TRACE].n || design->axis[AXIS_MODEL].n;
    design_shared (design, shared);
    snprintf (about, sizeof about, "%zu simulation%s by tori %s: %.40s%s%s",
              design->n, design->n == 1 ? "" : "s", tori_version (),
              given ? "" : workload_name (&design->cell[0].values.work),
              given ? "" : " ", shared);
    emit_text (e, "about", about);
}

static void emit_verdict (struct emit *e, const struct cells *cells,
                          const struct standings *standings)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream (&text, &size);
    if (out)
        standings_verdict (standings, out);
    if (out)
        standings_note (cells, standings, out);
    if (out && fclose (out) == 0)
        emit_text (e, "verdict", text);
    else
        e->nomem = true;
    free (text);
}

static void emit_data (struct emit *e, const struct cells *cells,
                       const struct standings *standings,
                       const struct group_standings *groups,
                       const struct cell *cell, const char *jobs)
{
    char about[256], scene[DESIGN_TEXT], policy[DESIGN_TEXT];
    design_scene (standings->design, cell->scene, scene);
    design_policy (standings->design, cell->policy, policy);
    emit_open (e, NULL, '{');
    emit_about (e, standings->design);
    emit_verdict (e, cells, standings);
    emit_open (e, "standings", '[');
    for (size_t i = 0; i < standings->n; i++)
        emit_standing (e, standings, &standings->row[i]);
    emit_close (e, ']');
    sheet_emit_rows (e, "by", &group_row_sheet, groups->row, groups->n,
                     sizeof *groups->row);
    emit_text (e, "machine", cell->values.site.machine);
    snprintf (about, sizeof about, "%.80s%s%.80s%sseed %llu", scene,
              *scene ? ", " : "", policy, *policy ? ", " : "",
              (unsigned long long)cell->seed);
    emit_text (e, "replay", about);
    emit_text (e, "jobs", jobs);
    emit_close (e, '}');
}

/* Make the data of the page, compressed and in base64. */
static int make_data (const struct cells *cells,
                      const struct standings *standings,
                      const struct group_standings *groups,
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
    emit_data (&e, cells, standings, groups, cell, jobs);
    status = fclose (out) != 0 || e.nomem
                 ? tori_error_nomem (err)
                 : gzip_base64_encode (text, size, ret_letters, err);
    free (text);
    return status;
}

static int fill_page (const char *path, const char *data, tori_error *err)
{
    struct outfile *out;
    char *page = NULL, *at;
    int status = gzip_unpack (report_bytes, report_size, &page, err);
    if (status == 0)
        status = outfile_create (path, &out, err);
    if (status == 0) {
        at = strstr (page, REPORT_DATA);
        fwrite (page, 1, (size_t)(at - page), outfile_stream (out));
        fputs (data, outfile_stream (out));
        fputs (at + strlen (REPORT_DATA), outfile_stream (out));
        status = outfile_end (out, 0, err);
    }
    free (page);
    return status;
}

int report_page_write (const struct cells *cells,
                       const struct standings *standings,
                       const struct group_standings *groups,
                       const struct cell *cell, const char *path,
                       tori_error *err)
{
    char *jobs = NULL, *data = NULL;
    int status = replay_jobs (cell, &jobs, err);
    if (status == 0)
        status = make_data (cells, standings, groups, cell, jobs, &data, err);
    if (status == 0)
        status = fill_page (path, data, err);
    free (jobs);
    free (data);
    return status;
}

#include "cell.h"

#include <stdlib.h>
#include <string.h>

#include <tori/version.h>

#include "asked.h"
#include "commands.h"
#include "plugin.h"
#include "provenance.h"
#include "result.h"

/* ---- its words ---- */

/* Refuse options for one simulation, or for the form of the answer. */
static int check_single (const struct sim_values *v, tori_error *err)
{
    const struct option_rule rule = {
        v->log || v->out_swf || v->snapshot || v->from || v->timing || v->watch
            || v->seeds || v->workers || v->json,
        "--options: --log, --out-swf, --snapshot, --from, --timing, --watch, "
        "--seeds, --workers and --json are for one simulation"};
    return options_check (&rule, 1, err);
}

/* An allocator that does not exist is no combination to leave out. */
static int check_allocator (const struct sim_values *v, tori_error *err)
{
    const tori_alloc_info *first, *counts;
    return v->alloc
               ? allocators_parse (v->alloc, "--alloc", plugin_find, &first,
                                   &counts, err)
               : 0;
}

static char *key_of (const struct sim_values *values)
{
    const struct asked asked = {&command_sim, values};
    struct answer answer = asked_answer (&asked);
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream (&text, &size);
    struct emit e = emit_to (out);
    if (!out)
        return NULL;
    emit_open (&e, NULL, '{');
    answer.config (&e, answer.arg);
    emit_close (&e, '}');
    if (fclose (out) != 0 || e.nomem) {
        free (text);
        return NULL;
    }
    return text;
}

int cell_parse (char *const words[], size_t n, int64_t seeds,
                struct cell_line *ret_line, tori_error *why, tori_error *err)
{
    struct sim_values *values = &ret_line->values;
    bool help = false;
    *ret_line = (struct cell_line){0};
    if (options_parse (&command_sim, "tori sim", (int)n, words, values, &help,
                       err)
            < 0
        || check_single (values, err) < 0)
        return -1;
    workload_look (&values->work);
    if (help)
        return tori_error_set (err, TORI_INVALID,
                               "--options: --help is for 'tori sim' itself");
    values->seeds = seeds > 1 ? seeds : 0;
    if (check_allocator (values, err) < 0)
        return -1;
    if (sim_run_check (values, why) < 0)
        return 1;
    values->seeds = 0;
    ret_line->key = key_of (values);
    return ret_line->key ? 0 : tori_error_nomem (err);
}

void cell_line_clear (struct cell_line *line)
{
    options_free (&command_sim, &line->values);
    free (line->key);
    *line = (struct cell_line){0};
}

/* ---- its outcome ---- */

static void emit_result (struct emit *e, const struct sim_run *replay)
{
    const struct interrupts *interrupts = &replay->values->interrupts;
    const tori_work *first;
    emit_open (e, "result", '{');
    sheet_emit (e, &result_sheet, &replay->result);
    if (interrupts_stop (interrupts))
        sheet_emit (e, &losses_sheet, &replay->result);
    if (interrupts->urgent.den)
        sheet_emit (e, &levels_sheet, &replay->result);
    if (replay->values->network) {
        emit_open (e, "network", '{');
        sheet_emit (e, &network_sheet, &replay->result);
        emit_close (e, '}');
    }
    emit_close (e, '}');
    if (replay->workload.left_out > 0)
        emit_count (e, "left_out", replay->workload.left_out);
    if (sim_run_has_window (replay))
        emit_count (e, "measured", replay->measured);
    emit_count (e, "submitted", replay->workload.n);
    if (replay->too_large > 0)
        emit_count (e, "too_large", replay->too_large);
    if (sim_run_unshaped (replay) > 0)
        emit_count (e, "unshaped", sim_run_unshaped (replay));
    if (replay->reasons.n > 0)
        reasons_emit (e, "rejections", &replay->reasons);
    if (replay->groups.n > 0)
        sheet_emit_rows (e, "by", &job_group_sheet, replay->groups.all,
                         replay->groups.n, sizeof *replay->groups.all);
    if (replay->result.saturated)
        emit_flag (e, "saturated", true);
    if (sim_run_hopeless (replay, &first) > 0)
        emit_count (e, "hopeless", sim_run_hopeless (replay, &first));
}

static char *write_outcome (const char *key, const struct sim_run *replay,
                            const char *error)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream (&text, &size);
    struct emit e = emit_to (out);
    if (!out)
        return NULL;
    emit_open (&e, NULL, '{');
    emit_text (&e, "tori", tori_version ());
    if (*provenance_commit ())
        emit_text (&e, "commit", provenance_commit ());
    if (*replay->workload.log_sha256)
        emit_text (&e, "log_sha256", replay->workload.log_sha256);
    emit_value (&e, "config", json_loads (key, 0, NULL));
    if (error)
        emit_text (&e, "error", error);
    else
        emit_result (&e, replay);
    emit_close (&e, '}');
    if (fclose (out) != 0 || e.nomem) {
        free (text);
        return NULL;
    }
    return text;
}

/* Run a cell that has been loaded, and keep its jobs. */
static int execute_cell (struct sim_run *replay, struct cell_jobs *jobs,
                         tori_error *err)
{
    int status = sim_run_jobs (replay, jobs, sim_run_execute, err);
    return status == 0 && replay->log ? joblog_commit (replay->log, err)
                                      : status;
}

int cell_run (const struct cell_line *line, const char *log,
              struct cell_jobs *jobs, char **ret_outcome, tori_error *err)
{
    struct sim_values values = line->values;
    struct site site = {0};
    struct sim_run replay = {.values = &values,
                             .site = &site,
                             .seed = (uint64_t)values.work.seed};
    int status = -1;
    values.log = log;
    if (log)
        values.log_format = joblog_format ("table");
    if (site_open (&values.site, &site, err) == 0
        && sim_run_load (&replay, err) == 0)
        status = execute_cell (&replay, jobs, err);
    if (status == 0 || replay.gave_up.happened) {
        *ret_outcome = write_outcome (line->key, &replay,
                                      status < 0 ? err->text : NULL);
        status = *ret_outcome ? 0 : tori_error_nomem (err);
    }
    sim_run_clear (&replay);
    site_close (&site);
    return status;
}

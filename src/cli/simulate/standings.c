/* standings.c - the comparison of the policies of a grid. */
#include "standings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common_jobs.h"
#include "fieldrows.h"
#include "provenance.h"
#include "view.h"

/* ---- measures ---- */

static const struct {
    const char *group, *name; /* in the result of a simulation */
    bool most;                /* more is better */
    int of_job;               /* the same of one job; or -1 */
    const char *best;         /* the words for the best value */
    const char *better;
} measures[COMPARISON_MEASURES] = {
    {"response", "mean", false, JOB_RESPONSE, "shortest response", "shorter"},
    {"wait", "mean", false, JOB_WAIT, "shortest wait", "shorter"},
    {"bounded_slowdown", "mean", false, JOB_BOUNDED_SLOWDOWN, "lowest bounded slowdown", "lower"},
    {NULL, "utilization", true, -1, "highest utilization", "higher"},
    {NULL, "average", false, JOB_DISTANCE, "shortest distances", "shorter"},
};

/* ---- construction ---- */

static struct comparison comparison_of (const struct standings *standings,
                                        size_t i)
{
    const struct design *design = standings->design;
    return (struct comparison){design->scenes, design->policies, design->seeds,
                               standings->value[i], design->resampled,
                               standings->absent};
}

/* Over the jobs that all policies of the scene ran, if a sweep found that there
 * are others: see common_jobs.h. */
static double measure_value (const struct cells *cells, size_t i, size_t m)
{
    const json_t *compared = json_object_get (cells->outcome[i], "compared");
    const json_t *value;
    if (!compared || measures[m].of_job < 0)
        return cells_number (cells, i, measures[m].group, measures[m].name);
    value = json_object_get (compared, common_jobs_name (
                                           (enum job_measure)measures[m].of_job));
    return json_is_number (value) ? json_number_value (value) : NAN;
}

/* The place of the value of a cell. */
static int gather_values (const struct cells *cells,
                          struct standings *standings, tori_error *err)
{
    const struct design *design = cells->design;
    size_t n = design->scenes * design->policies * design->seeds;
    for (size_t m = 0; m < COMPARISON_MEASURES; m++) {
        double *value = malloc (n * sizeof *value);
        if (!value)
            return tori_error_nomem (err);
        standings->value[m] = value;
        for (size_t i = 0; i < n; i++)
            value[i] = NAN;
        for (size_t i = 0; i < design->n; i++) {
            value[design_position (design, &design->cell[i])] =
                measure_value (cells, i, m);
        }
    }
    return 0;
}

/* ---- jobs that all policies ran ---- */

/* The cells of a scene with a seed that have ended, one for each policy. */
struct meeting {
    const struct cell_jobs **jobs;
    size_t *at; /* where their values are */
    size_t n;
};

static void gather_meeting (const struct cells *cells, size_t scene,
                            uint64_t seed, struct meeting *ret)
{
    const struct design *design = cells->design;
    ret->n = 0;
    for (size_t i = 0; i < design->n; i++) {
        const struct cell *cell = &design->cell[i];
        if (cell->scene != scene || cell->seed != seed || !cells->jobs[i].ran)
            continue;
        ret->jobs[ret->n] = &cells->jobs[i];
        ret->at[ret->n++] = design_position (design, cell);
    }
}

static size_t count_ran (const struct cell_jobs *jobs)
{
    size_t n = 0;
    for (size_t i = 0; i < jobs->n; i++)
        n += jobs->ran[i];
    return n;
}

/* Means over all jobs that ran stay as they are if all cells ran the same
 * jobs. */
static int compare_meeting (struct standings *standings,
                            const struct meeting *meeting, tori_error *err)
{
    size_t ncommon, room = meeting->n > 0 ? meeting->jobs[0]->n : 0;
    bool *common = malloc (room + 1);
    if (!common)
        return tori_error_nomem (err);
    ncommon = meeting->n > 0 ? cell_jobs_common (meeting->jobs, meeting->n,
                                                 common)
                             : 0;
    for (size_t c = 0; c < meeting->n; c++) {
        const struct cell_jobs *jobs = meeting->jobs[c];
        standings->compared[meeting->at[c]] = ncommon;
        if (jobs->n != room || count_ran (jobs) == ncommon)
            continue;
        for (size_t m = 0; m < COMPARISON_MEASURES; m++)
            if (measures[m].of_job >= 0)
                standings->value[m][meeting->at[c]] = cell_jobs_mean (
                    jobs, common, (enum job_measure)measures[m].of_job);
    }
    free (common);
    return 0;
}

static int compare_jobs (const struct cells *cells,
                         struct standings *standings, tori_error *err)
{
    const struct design *design = cells->design;
    uint64_t first = design->cell[0].seed;
    struct meeting meeting
        = {calloc (design->policies, sizeof *meeting.jobs),
           calloc (design->policies, sizeof *meeting.at), 0};
    int status = meeting.jobs && meeting.at ? 0 : tori_error_nomem (err);
    for (size_t scene = 0; status == 0 && scene < design->scenes; scene++)
        for (size_t seed = 0; status == 0 && seed < design->seeds; seed++) {
            gather_meeting (cells, scene, first + seed, &meeting);
            status = compare_meeting (standings, &meeting, err);
        }
    free (meeting.jobs);
    free (meeting.at);
    return status;
}

/* ---- rows ---- */

static uint64_t count_at (const struct cells *cells, size_t i,
                          const char *name)
{
    double value = cells_number (cells, i, NULL, name);
    return isnan (value) ? 0 : (uint64_t)value;
}

static uint64_t count_compared (const struct cells *cells, size_t i,
                                uint64_t ran)
{
    const json_t *n = json_object_get (
        json_object_get (cells->outcome[i], "compared"), "jobs");
    return n ? (uint64_t)json_integer_value (n) : ran;
}

/* The jobs of a row, over its seeds, the first of which is cell i. */
static void count_jobs (const struct cells *cells,
                        const struct standings *standings, size_t i,
                        struct comparison_row *row)
{
    const struct design *design = cells->design;
    double accepted = 0;
    for (size_t end = i + design->seeds; i < end; i++) {
        uint64_t ran = count_at (cells, i, "jobs");
        size_t at = design_position (design, &design->cell[i]);
        if (cells_is_absent (cells, i))
            continue;
        row->seeds++;
        row->ran += ran;
        row->rejected += count_at (cells, i, "rejected");
        row->killed += count_at (cells, i, "killed");
        row->compared += cells->jobs ? standings->compared[at]
                                     : count_compared (cells, i, ran);
        accepted += cells_number (cells, i, NULL, "accepted");
    }
    row->accepted = row->seeds > 0 ? accepted / (double)row->seeds : NAN;
}

static void fill_measures (const struct standings *standings,
                           struct comparison_row *row)
{
    for (size_t m = 0; m < COMPARISON_MEASURES; m++) {
        struct comparison comparison = comparison_of (standings, m);
        size_t base = comparison_first (&comparison, row->scene);
        struct estimate is =
            comparison_mean (&comparison, row->scene, row->policy);
        struct estimate than = {NAN, NAN};
        if (base < comparison.policies)
            than = comparison_difference (&comparison, row->scene, row->policy,
                                          base);
        row->measure[m] = (struct comparison_measure){is.mean, is.half,
                                                      than.mean, than.half};
    }
}

/* Add rows in the order of the cells, one for all seeds of a policy. */
static void add_rows (const struct cells *cells, struct standings *standings)
{
    const struct design *design = standings->design;
    for (size_t i = 0; i < design->n; i += design->seeds) {
        struct comparison_row *row = &standings->row[standings->n++];
        row->scene = design->cell[i].scene;
        row->policy = design->cell[i].policy;
        design_scene (design, row->scene, row->scene_text);
        design_policy (design, row->policy, row->policy_text);
        count_jobs (cells, standings, i, row);
        fill_measures (standings, row);
    }
}

int standings_make (const struct cells *cells, struct standings *ret_standings,
                    tori_error *err)
{
    struct standings *standings = ret_standings;
    *standings = (struct standings){.design = cells->design,
                                     .absent = cells->absent};
    standings->row = calloc (cells->design->n, sizeof *standings->row);
    standings->compared
        = calloc (cells->design->scenes * cells->design->policies
                      * cells->design->seeds,
                  sizeof *standings->compared);
    if (!standings->row || !standings->compared)
        return tori_error_nomem (err);
    if (gather_values (cells, standings, err) < 0
        || (cells->jobs && compare_jobs (cells, standings, err) < 0))
        return -1;
    add_rows (cells, standings);
    return 0;
}

void standings_clear (struct standings *standings)
{
    for (size_t m = 0; m < COMPARISON_MEASURES; m++)
        free (standings->value[m]);
    free (standings->row);
    free (standings->compared);
    *standings = (struct standings){0};
}

/* ---- for people ---- */

static void print_part (struct estimate part, FILE *out)
{
    fprintf (out, "%.1f %%", 100 * fabs (part.mean));
    if (!isnan (part.half))
        fprintf (out, " ± %.1f %%", 100 * part.half);
    else
        fputs (" (no interval)", out);
}

/* Find the next policy from `*from` on that does not differ clearly from the
 * best; false if there is none. */
static bool next_alike (const struct comparison *comparison, size_t scene,
                        size_t best, size_t *from)
{
    for (; *from < comparison->policies; ++*from)
        if (*from != best && comparison_has (comparison, scene, *from)
            && comparison_alike (comparison, scene, best, *from))
            return true;
    return false;
}

static void print_alike (const struct standings *standings,
                         const struct comparison *comparison, size_t scene,
                         size_t best, FILE *out)
{
    enum { NAMED = 4 };
    const char *before =
        comparison->seeds > 1 ? "; not clearly worse: " : "; the same: ";
    size_t n = 0;
    for (size_t i = 0; next_alike (comparison, scene, best, &i); i++, n++) {
        char name[DESIGN_TEXT];
        design_policy (standings->design, i, name);
        if (n < NAMED)
            fprintf (out, "%s%s", before, name);
        before = ", ";
    }
    if (n > NAMED)
        fprintf (out, " and %zu more", n - NAMED);
}

/* The policies that ran in a scene; and those clearly worse than the best. */
static size_t count_policies (const struct comparison *comparison,
                              size_t scene)
{
    size_t n = 0;
    for (size_t i = 0; i < comparison->policies; i++)
        n += comparison_has (comparison, scene, i);
    return n;
}

static size_t count_worse (const struct comparison *comparison, size_t scene,
                           size_t best)
{
    size_t alike = 1;
    for (size_t i = 0; next_alike (comparison, scene, best, &i); i++)
        alike++;
    return count_policies (comparison, scene) - alike;
}

/* Compare the best with the first policy, or with the second if the first is
 * the best. */
static void print_winner (const struct standings *standings, size_t m,
                          size_t scene, size_t best, FILE *out)
{
    struct comparison comparison = comparison_of (standings, m);
    size_t other = comparison_first (&comparison, scene);
    char name[DESIGN_TEXT], than[DESIGN_TEXT];
    if (other == best)
        other = comparison_next (&comparison, scene, best, measures[m].most);
    design_policy (standings->design, best, name);
    design_policy (standings->design, other, than);
    fputs (name, out);
    if (comparison.seeds > 1
        || !comparison_alike (&comparison, scene, best, other)) {
        fputs (", ", out);
        print_part (comparison_difference (&comparison, scene, best, other),
                    out);
        fprintf (out, " %s than %s", measures[m].better, than);
    }
    print_alike (standings, &comparison, scene, best, out);
}

static void print_best (const struct standings *standings, size_t m,
                        size_t scene, FILE *out)
{
    struct comparison comparison = comparison_of (standings, m);
    size_t best = comparison_best (&comparison, scene, measures[m].most);
    char where[DESIGN_TEXT];
    if (count_policies (&comparison, scene) < 2)
        return;
    design_scene (standings->design, scene, where);
    fprintf (out, "%s%s%s: ", measures[m].best, *where ? " at " : "", where);
    if (count_worse (&comparison, scene, best) == 0)
        fputs (comparison.seeds > 1 ? "no clear difference" : "no difference",
               out);
    else
        print_winner (standings, m, scene, best, out);
    fputc ('\n', out);
}

bool standings_lost (const struct standings *standings)
{
    for (size_t i = 0; i < standings->n; i++)
        if (standings->row[i].compared < standings->row[i].ran
            || standings->row[i].rejected + standings->row[i].killed > 0)
            return true;
    return false;
}

static int print_table (const struct standings *standings, FILE *out,
                        bool bold, tori_error *err)
{
    static const struct view_column columns[] = {
        {"scene"},
        {"policy"},
        {"response_mean", "response, s", 0, 1,
         .half = "response_half_interval"},
        {"response_difference", "vs the first, %", 1, 100,
         .half = "response_difference_half"},
        {"wait_mean", "wait, s", 0, 1, .half = "wait_half_interval"},
        {"bounded_slowdown_mean", "slowdown", 2, 1,
         .half = "bounded_slowdown_half_interval"},
        {"utilization_mean", "utilization, %", 1, 100,
         .half = "utilization_half_interval"},
        {"average_mean", "distance", 2, 1, .half = "average_half_interval"},
        {"jobs_run", "jobs run", 0, 1},
        {"rejected", "rejected", 0, 1},
        {"killed", "killed", 0, 1},
        {"compared", "compared", 0, 1},
    };
    enum { RUN = sizeof columns / sizeof *columns - 4 };
    const struct design *design = standings->design;
    bool scenes = design->scenes > 1, policies = design->policies > 1;
    bool lost = standings_lost (standings), killed = false;
    struct view_column used[sizeof columns / sizeof *columns];
    struct view view = {.column = used};
    const struct rows rows = {standings->row, standings->n,
                              sizeof *standings->row};
    for (size_t i = 0; i < standings->n; i++)
        killed |= standings->row[i].killed > 0;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        if ((i == 0 && !scenes) || ((i == 1 || i == 3) && !policies)
            || (i >= RUN && !lost) || (i == RUN + 2 && !killed)
            || (i == RUN + 3 && !policies))
            continue;
        used[view.columns] = columns[i];
        if (design->seeds < 2)
            used[view.columns].half = NULL;
        view.columns++;
    }
    return view_print (&view, &comparison_row_sheet, &rows, out, bold, err);
}

/* Name the option that gives intervals. */
static void print_remedy (const struct design *design, FILE *out)
{
    const char *remedy
        = design->axis[AXIS_TRACE].n > 0 ? "--resample 7d" : "--seeds 5";
    if (design->seeds > 1 || design->n <= design->scenes)
        return;
    fprintf (out,
             "\none simulation of each: verdicts have no interval, so "
             "differences may be chance; %s has intervals\n",
             design->resampled ? "--seeds 10" : remedy);
}

void standings_verdict (const struct standings *standings, FILE *out)
{
    const struct design *design = standings->design;
    for (size_t m = 0; m < COMPARISON_MEASURES; m++) {
        if (m > 0 && design->scenes > 1)
            fputc ('\n', out);
        for (size_t scene = 0; scene < design->scenes; scene++)
            print_best (standings, m, scene, out);
    }
    print_remedy (design, out);
}

int standings_print (const struct standings *standings, FILE *out, bool bold,
                     tori_error *err)
{
    if (print_table (standings, out, bold, err) < 0)
        return -1;
    if (standings->design->policies < 2)
        return 0;
    fputc ('\n', out);
    standings_verdict (standings, out);
    return 0;
}

static void emit_standings (struct emit *e, const struct field *field,
                            const void *row)
{
    const struct standings *it
        = ((const struct standings_answer *)row)->standings;
    if (it)
        sheet_emit_rows (e, field->name, field->group, it->row, it->n,
                         sizeof *it->row);
}

static void emit_groups (struct emit *e, const struct field *field,
                         const void *row)
{
    const struct group_standings *it
        = ((const struct standings_answer *)row)->groups;
    sheet_emit_rows (e, field->name, field->group, it->row, it->n,
                     sizeof *it->row);
}

static bool has_groups (const struct field *field, const void *row)
{
    const struct group_standings *it
        = ((const struct standings_answer *)row)->groups;
    return it && it->n > 0;
}

static void emit_commit (struct emit *e, const struct field *field,
                         const void *row)
{
    emit_text (e, field->name, provenance_commit ());
}

static bool has_commit (const struct field *field, const void *row)
{
    return *provenance_commit ();
}

static const char *trace_of (const json_t *outcome)
{
    return json_string_value (
        json_object_get (json_object_get (outcome, "config"), "trace"));
}

/* The checksum of each log, once. */
static void emit_logs (struct emit *e, const struct field *field,
                       const void *row)
{
    const struct cells *cells = ((const struct standings_answer *)row)->all;
    json_t *logs = json_object ();
    for (size_t i = 0; logs && i < cells->design->n; i++) {
        const char *trace = trace_of (cells->outcome[i]);
        json_t *sum = json_object_get (cells->outcome[i], "log_sha256");
        if (trace && sum)
            json_object_set (logs, trace, sum);
    }
    emit_value (e, field->name, logs);
}

static bool has_logs (const struct field *field, const void *row)
{
    const struct cells *cells = ((const struct standings_answer *)row)->all;
    return trace_of (cells_first (cells));
}

static const struct field log_fields[] = {
    FIELD ("*", "the checksum of this log's file, as sha256sum prints it"),
};
SHEET (log);

#define AT(member) FIELD_AT (struct standings_answer, member)
static const struct field compare_fields[] = {
    {"commit", FIELD_BY,
     .about = "the commit that tori was built from, if that is known",
     .by = emit_commit, .when = has_commit},
    {"logs", FIELD_BY, .about = "the logs", .group = &log_sheet,
     .by = emit_logs, .when = has_logs},
    {"cells", FIELD_SIZE, AT (cells), "how many simulations"},
    {"left_out", FIELD_SIZE, AT (left_out),
     "combinations that make no sense, and were not run"},
    {"standings", FIELD_LIST, .by = emit_standings,
     .group = &comparison_row_sheet,
     .about = "how each policy did in each scene, over all seeds"},
    {"by", FIELD_LIST, .by = emit_groups, .when = has_groups,
     .group = &group_row_sheet,
     .about = "with --by: the same for the jobs of each user, queue, ..."},
};
ANSWER (compare);

/* The first reason for which jobs of a row were rejected; or NULL. */
static const char *find_reason (const struct cells *cells, size_t first)
{
    for (size_t i = first; i < first + cells->design->seeds; i++) {
        json_t *why = json_object_get (cells->outcome[i], "rejections");
        if (json_object_size (why) > 0)
            return json_object_iter_key (json_object_iter (why));
    }
    return NULL;
}

/* "wiring torus: 444 of 1500 jobs were rejected ..." */
static void note_rejected (const struct cells *cells, size_t first,
                           const struct comparison_row *row, FILE *out)
{
    const char *why = find_reason (cells, first);
    if (row->rejected == 0)
        return;
    fprintf (out, "\n%s%s%s%s%llu of %llu jobs were rejected, so the load "
             "was %.1f %%: %s\n",
             row->scene_text, *row->scene_text && *row->policy_text ? " " : "",
             row->policy_text,
             *row->scene_text || *row->policy_text ? ": " : "",
             (unsigned long long)row->rejected,
             (unsigned long long)(row->rejected + row->ran + row->killed),
             100 * row->accepted, why ? why : "no reason is known");
}

/* Whether a text of an outcome differs between the cells of a log, or between
 * all if `by_log` is false. */
static bool is_mixed (const struct cells *cells, const char *name, bool by_log)
{
    json_t *seen = json_object ();
    bool mixed = false;
    for (size_t i = 0; seen && i < cells->design->n; i++) {
        const json_t *outcome = cells->outcome[i];
        const char *trace = by_log ? trace_of (outcome) : "";
        json_t *text = json_object_get (outcome, name);
        const json_t *before = trace ? json_object_get (seen, trace) : NULL;
        mixed |= before && text && !json_equal (before, text);
        if (trace && text)
            json_object_set (seen, trace, text);
    }
    json_decref (seen);
    return mixed;
}

/* A sweep may go on after a log or tori itself was changed. */
static void note_missing (const struct cells *cells, FILE *out)
{
    const struct design *design = cells->design;
    size_t seeds = 0;
    for (size_t i = 0; cells->absent && i < design->scenes * design->seeds;
         i++)
        seeds += cells->absent[i];
    if (cells->n < design->n)
        fprintf (out,
                 "\nnot finished: %zu of %zu simulations are missing; a seed "
                 "counts where all policies of a scene have been simulated "
                 "with it, which is so for %zu of %zu\n",
                 design->n - cells->n, design->n,
                 design->scenes * design->seeds - seeds,
                 design->scenes * design->seeds);
}

static void note_mixed (const struct cells *cells, FILE *out)
{
    if (is_mixed (cells, "log_sha256", true))
        fputs ("\nthe log was changed between simulations of this sweep, so "
               "they are of different jobs: remove the folder and run all of "
               "them again (\"log_sha256\" in cells.csv)\n",
               out);
    if (is_mixed (cells, "commit", false))
        fputs ("\nthe simulations are of different commits of tori "
               "(\"commit\" in cells.csv)\n",
               out);
}

static bool has_compared (const struct cells *cells)
{
    for (size_t i = 0; i < cells->design->n; i++)
        if (json_object_get (cells->outcome[i], "compared"))
            return true;
    return false;
}

/* Jobs that would need more luck than there is: see sim_run_hopeless. */
static uint64_t count_hopeless (const struct cells *cells)
{
    uint64_t most = 0;
    for (size_t i = 0; i < cells->design->n; i++) {
        const json_t *n = json_object_get (cells->outcome[i], "hopeless");
        if ((uint64_t)json_integer_value (n) > most)
            most = (uint64_t)json_integer_value (n);
    }
    return most;
}

static void note_hopeless (const struct cells *cells, FILE *out)
{
    uint64_t n = count_hopeless (cells);
    if (n > 0)
        fprintf (out,
                 "\n%llu job%s of a simulation can hardly ever finish, because "
                 "failures are frequent%s\n",
                 (unsigned long long)n, n == 1 ? "" : "s",
                 (cells->jobs || has_compared (cells))
                         && cells->design->policies > 1
                     ? "; these are not compared"
                     : "");
}

static void note_saturated (const struct cells *cells, FILE *out)
{
    size_t n = 0;
    for (size_t i = 0; i < cells->design->n; i++)
        n += json_is_true (json_object_get (cells->outcome[i], "saturated"));
    if (n > 0)
        fprintf (out,
                 "\n%zu of %zu simulations are saturated: the queue was long "
                 "when the last job was submitted, so waits tell how long the "
                 "run is\n",
                 n, cells->design->n);
}

static uint64_t count_member (const json_t *outcome, const char *name)
{
    return (uint64_t)json_integer_value (json_object_get (outcome, name));
}

/* The jobs of a scene, if they are not all of those that there were: in its
 * first cell. */
static void note_chosen (const struct cells *cells, size_t i, FILE *out)
{
    const json_t *outcome = cells->outcome[i];
    uint64_t n = count_member (outcome, "submitted");
    uint64_t left_out = count_member (outcome, "left_out");
    uint64_t measured = count_member (outcome, "measured");
    uint64_t large = count_member (outcome, "too_large");
    bool resampled = cells->design->resampled;
    char where[DESIGN_TEXT];
    design_scene (cells->design, cells->design->cell[i].scene, where);
    if (left_out > 0 && resampled)
        fprintf (out, "\n%s%s%llu jobs are left out (--keep)\n", where,
                 *where ? ": " : "", (unsigned long long)left_out);
    if (left_out > 0 && !resampled)
        fprintf (out, "\n%s%s%llu of %llu jobs are kept\n", where,
                 *where ? ": " : "", (unsigned long long)n,
                 (unsigned long long)(n + left_out));
    if (large > 0 && trace_of (outcome))
        fprintf (out,
                 "\nwarning: %s%s%llu of %llu jobs ask for more nodes than the "
                 "machine has: sizes may be processors (--options "
                 "'--procs-per-node N'), or be in another field "
                 "(--size-from)\n",
                 where, *where ? ": " : "", (unsigned long long)large,
                 (unsigned long long)n);
    if (measured > 0)
        fprintf (out, "\n%s%s%llu of %llu jobs are measured%s\n", where,
                 *where ? ": " : "", (unsigned long long)measured,
                 (unsigned long long)n,
                 cells->design->seeds > 1 ? " with the first seed" : "");
}

static void note_scenes (const struct cells *cells, FILE *out)
{
    const struct design *design = cells->design;
    for (size_t i = 0; i < design->n; i++)
        if (i == 0 || design->cell[i].scene != design->cell[i - 1].scene)
            note_chosen (cells, i, out);
}

/* Whether jobs of the same scene are boxes for one policy, by the rule that is
 * used if none is given, and counts for another. */
static bool is_shaped_by_default (const struct design *design)
{
    for (size_t i = design->seeds; i < design->n; i += design->seeds) {
        const struct cell *a = &design->cell[i - design->seeds],
                          *b = &design->cell[i];
        if (a->scene == b->scene && a->values.shapes < 0
            && b->values.shapes < 0
            && shaping_of (&a->values) != shaping_of (&b->values))
            return true;
    }
    return false;
}

/* The rule decides how far apart the nodes of a box are. */
static void note_shapes (const struct design *design, FILE *out)
{
    if (is_shaped_by_default (design))
        fputs ("\n--shapes was not given, and decides the verdict on "
               "distances: some policies get boxes by the rule first-match, "
               "which makes them long, others get counts; '--shapes "
               "compact,count --pair shapes' compares counts with short "
               "boxes\n",
               out);
}

static void note_lost (const struct cells *cells,
                       const struct standings *standings, FILE *out)
{
    note_missing (cells, out);
    note_mixed (cells, out);
    note_shapes (cells->design, out);
    note_scenes (cells, out);
    note_hopeless (cells, out);
    note_saturated (cells, out);
    for (size_t i = 0; i < standings->n; i++)
        note_rejected (cells, i * cells->design->seeds, &standings->row[i],
                       out);
    if (!standings_lost (standings) || standings->n < 2)
        return;
    if (!cells->jobs && !has_compared (cells))
        fputs ("\nthe rows are means of different jobs, those that each one "
               "ran; 'tori compare' compares policies on the jobs that all of "
               "them ran\n",
               out);
    else if (cells->design->policies > 1)
        fputs ("\nresponse, wait, slowdown and distance are of the jobs that "
               "all policies of a scene ran (\"compared\")\n",
               out);
    else
        fputs ("\nthe rows are means of different jobs, those that each one "
               "ran; --pair compares them on the jobs that all of them "
               "ran\n",
               out);
}

void standings_note (const struct cells *cells,
                     const struct standings *standings, FILE *out)
{
    const struct design *design = cells->design;
    size_t gave_up = 0;
    const char *why = NULL;
    for (size_t i = 0; i < design->n; i++) {
        const json_t *error = json_object_get (cells->outcome[i], "error");
        gave_up += error != NULL;
        why = why ? why : json_string_value (error);
    }
    note_lost (cells, standings, out);
    if (design->left_out > 0)
        fprintf (out, "\nleft out: %zu combination%s; the first: %s\n",
                 design->left_out, design->left_out == 1 ? "" : "s",
                 design->why);
    if (gave_up > 0)
        fprintf (out, "\n%zu simulation%s gave up; the first: %s\n", gave_up,
                 gave_up == 1 ? "" : "s", why);
}

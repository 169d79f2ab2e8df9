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
static void count_jobs (const struct cells *cells, size_t i,
                        struct comparison_row *row)
{
    const struct design *design = cells->design;
    double accepted = 0;
    for (size_t end = i + design->seeds; i < end; i++) {
        uint64_t ran = count_at (cells, i, "jobs");
        if (cells_is_absent (cells, i))
            continue;
        row->seeds++;
        row->saturated += json_is_true (
            json_object_get (cells->outcome[i], "saturated"));
        row->ran += ran;
        row->rejected += count_at (cells, i, "rejected");
        row->killed += count_at (cells, i, "killed");
        row->hopeless += (uint64_t)json_integer_value (
            json_object_get (cells->outcome[i], "hopeless"));
        row->compared += count_compared (cells, i, ran);
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
        count_jobs (cells, i, row);
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
    if (!standings->row)
        return tori_error_nomem (err);
    if (gather_values (cells, standings, err) < 0)
        return -1;
    add_rows (cells, standings);
    return 0;
}

void standings_clear (struct standings *standings)
{
    for (size_t m = 0; m < COMPARISON_MEASURES; m++)
        free (standings->value[m]);
    free (standings->row);
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

/* The checksum of each log, once. */
static void emit_logs (struct emit *e, const struct field *field,
                       const void *row)
{
    const struct cells *cells = ((const struct standings_answer *)row)->all;
    json_t *logs = json_object ();
    for (size_t i = 0; logs && i < cells->design->n; i++) {
        const char *trace = outcome_trace (cells->outcome[i]);
        json_t *sum = json_object_get (cells->outcome[i], "log_sha256");
        if (trace && sum)
            json_object_set (logs, trace, sum);
    }
    emit_value (e, field->name, logs);
}

static bool has_logs (const struct field *field, const void *row)
{
    const struct cells *cells = ((const struct standings_answer *)row)->all;
    return outcome_trace (cells_first (cells));
}

static const struct field log_fields[] = {
    FIELD ("*", "the checksum of this log's file, as sha256sum prints it"),
};
SHEET (log);

static void emit_left_out (struct emit *e, const struct field *field,
                           const void *row)
{
    const struct design *design
        = ((const struct standings_answer *)row)->all->design;
    sheet_emit_rows (e, field->name, field->group, design->reason,
                     design->reasons, sizeof *design->reason);
}

static bool has_left_out (const struct field *field, const void *row)
{
    return ((const struct standings_answer *)row)->left_out > 0;
}

static const struct field left_out_fields[] = {
    {"combinations", FIELD_SIZE, FIELD_AT (struct left_out, n), "how many"},
    {"first", FIELD_CHARS, FIELD_AT (struct left_out, first),
     "the values of the first"},
    {"why", FIELD_CHARS, FIELD_AT (struct left_out, why),
     "why it makes no sense, or does not suit the machine"},
};
SHEET (left_out);

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
    {"left_out_why", FIELD_LIST, .by = emit_left_out, .when = has_left_out,
     .group = &left_out_sheet,
     .about = "these combinations, by the reason"},
    {"standings", FIELD_LIST, .by = emit_standings,
     .group = &comparison_row_sheet,
     .about = "how each policy did in each scene, over all seeds"},
    {"by", FIELD_LIST, .by = emit_groups, .when = has_groups,
     .group = &group_row_sheet,
     .about = "with --by: the same for the jobs of each user, queue, ..."},
};
ANSWER (compare);

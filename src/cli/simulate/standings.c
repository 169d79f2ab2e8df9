/* standings.c - the comparison of the policies of a grid. */
#include "standings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fieldrows.h"
#include "view.h"

/* ---- measures ---- */

static const struct {
    const char *group, *name; /* in the result of a simulation */
    bool most;                /* more is better */
    const char *best;         /* the words for the best value */
    const char *better;
} measures[COMPARISON_MEASURES] = {
    {"response", "mean", false, "shortest response", "shorter"},
    {"wait", "mean", false, "shortest wait", "shorter"},
    {"bounded_slowdown", "mean", false, "lowest bounded slowdown", "lower"},
    {NULL, "utilization", true, "highest utilization", "higher"},
    {NULL, "average", false, "shortest distances", "shorter"},
};

/* ---- construction ---- */

static struct comparison comparison_of (const struct standings *standings,
                                        size_t i)
{
    const struct design *design = standings->design;
    return (struct comparison){design->scenes, design->policies, design->seeds,
                               standings->value[i]};
}

static int gather_values (const struct cells *cells,
                          struct standings *standings, tori_error *err)
{
    const struct design *design = cells->design;
    size_t n = design->scenes * design->policies * design->seeds;
    uint64_t first = design->cell[0].seed;
    for (size_t m = 0; m < COMPARISON_MEASURES; m++) {
        double *value = malloc (n * sizeof *value);
        if (!value)
            return tori_error_nomem (err);
        standings->value[m] = value;
        for (size_t i = 0; i < n; i++)
            value[i] = NAN;
        for (size_t i = 0; i < design->n; i++) {
            const struct cell *cell = &design->cell[i];
            size_t row = cell->scene * design->policies + cell->policy;
            value[row * design->seeds + (cell->seed - first)] =
                cells_number (cells, i, measures[m].group, measures[m].name);
        }
    }
    return 0;
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
static void add_rows (struct standings *standings)
{
    const struct design *design = standings->design;
    for (size_t i = 0; i < design->n; i += design->seeds) {
        struct comparison_row *row = &standings->row[standings->n++];
        row->scene = design->cell[i].scene;
        row->policy = design->cell[i].policy;
        row->seeds = design->seeds;
        design_scene (design, row->scene, row->scene_text);
        design_policy (design, row->policy, row->policy_text);
        fill_measures (standings, row);
    }
}

int standings_make (const struct cells *cells, struct standings *ret_standings,
                    tori_error *err)
{
    struct standings *standings = ret_standings;
    *standings = (struct standings){.design = cells->design};
    if (gather_values (cells, standings, err) < 0)
        return -1;
    standings->row = calloc (cells->design->n, sizeof *standings->row);
    if (!standings->row)
        return tori_error_nomem (err);
    add_rows (standings);
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
    };
    const struct design *design = standings->design;
    bool scenes = design->scenes > 1, policies = design->policies > 1;
    struct view_column used[sizeof columns / sizeof *columns];
    struct view view = {.column = used};
    const struct rows rows = {standings->row, standings->n,
                              sizeof *standings->row};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        if ((i == 0 && !scenes) || ((i == 1 || i == 3) && !policies))
            continue;
        used[view.columns] = columns[i];
        if (design->seeds < 2)
            used[view.columns].half = NULL;
        view.columns++;
    }
    return view_print (&view, &comparison_row_sheet, &rows, out, bold, err);
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

#define AT(member) FIELD_AT (struct standings_answer, member)
static const struct field compare_fields[] = {
    {"cells", FIELD_SIZE, AT (cells), "how many simulations"},
    {"left_out", FIELD_SIZE, AT (left_out),
     "combinations that make no sense, and were not run"},
    {"standings", FIELD_LIST, .by = emit_standings,
     .group = &comparison_row_sheet,
     .about = "how each policy did in each scene, over all seeds"},
};
ANSWER (compare);

void standings_note (const struct cells *cells, FILE *out)
{
    const struct design *design = cells->design;
    size_t gave_up = 0;
    const char *why = NULL;
    for (size_t i = 0; i < design->n; i++) {
        const json_t *error = json_object_get (cells->outcome[i], "error");
        gave_up += error != NULL;
        why = why ? why : json_string_value (error);
    }
    if (design->left_out > 0)
        fprintf (out, "\nleft out: %zu combination%s; the first: %s\n",
                 design->left_out, design->left_out == 1 ? "" : "s",
                 design->why);
    if (gave_up > 0)
        fprintf (out, "\n%zu simulation%s gave up; the first: %s\n", gave_up,
                 gave_up == 1 ? "" : "s", why);
}

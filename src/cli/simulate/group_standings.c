#include "group_standings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "paired_comparison.h"
#include "view.h"

enum { MOST_GROUPS = 20 };

/* ---- values ---- */

/* The group of this name in a cell; NULL if it has none. */
static const json_t *find_group (const struct cells *cells, size_t cell,
                                 const char *name)
{
    const json_t *list = json_object_get (cells->outcome[cell], "by");
    for (size_t i = 0; i < json_array_size (list); i++) {
        const json_t *group = json_array_get (list, i);
        const char *text = json_string_value (json_object_get (group, "name"));
        if (text && strcmp (text, name) == 0)
            return group;
    }
    return NULL;
}

static const char *name_of (const struct cells *cells, size_t group)
{
    const json_t *list = json_object_get (cells_first (cells), "by");
    return json_string_value (
        json_object_get (json_array_get (list, group), "name"));
}

static double number_of (const json_t *group, const char *name)
{
    const json_t *value = json_object_get (group, name);
    return json_is_number (value) ? json_number_value (value) : NAN;
}

/* One measure of a group in all cells, as paired_comparison.h has it. */
static void gather_values (const struct cells *cells, const char *group,
                           const char *name, double value[])
{
    const struct design *design = cells->design;
    size_t n = design->scenes * design->policies * design->seeds;
    for (size_t i = 0; i < n; i++)
        value[i] = NAN;
    for (size_t i = 0; i < design->n; i++)
        value[design_position (design, &design->cell[i])]
            = number_of (find_group (cells, i, group), name);
}

/* ---- rows ---- */

/* A policy without jobs of the group in some seed has no mean. */
static struct comparison_measure measure_of (const struct comparison *all,
                                             size_t scene, size_t policy)
{
    size_t base = comparison_first (all, scene);
    struct comparison_measure measure = {NAN, NAN, NAN, NAN};
    if (!comparison_has (all, scene, policy))
        return measure;
    measure.mean = comparison_mean (all, scene, policy).mean;
    measure.half = comparison_mean (all, scene, policy).half;
    if (base < all->policies) {
        struct estimate than
            = comparison_difference (all, scene, policy, base);
        measure.difference = than.mean;
        measure.difference_half = than.half;
    }
    return measure;
}

static void count_jobs (const struct cells *cells, size_t first,
                        struct group_row *row)
{
    for (size_t i = first; i < first + cells->design->seeds; i++) {
        const json_t *group = find_group (cells, i, row->name);
        if (!group || cells_is_absent (cells, i))
            continue;
        row->ran += (uint64_t)number_of (group, "jobs");
        row->rejected += (uint64_t)number_of (group, "rejected");
        row->killed += (uint64_t)number_of (group, "killed");
    }
}

/* The rows of a group. */
static void add_rows (const struct cells *cells, const char *name,
                      const double *wait, const double *slowdown,
                      struct group_standings *standings)
{
    const struct design *design = cells->design;
    const struct comparison waits
        = {design->scenes, design->policies, design->seeds, wait,
           design->resampled, cells->absent},
        slowdowns
        = {design->scenes, design->policies, design->seeds, slowdown,
           design->resampled, cells->absent};
    for (size_t i = 0; i < design->n; i += design->seeds) {
        const struct cell *cell = &design->cell[i];
        struct group_row *row = &standings->row[standings->n++];
        snprintf (row->name, sizeof row->name, "%s", name);
        design_scene (design, cell->scene, row->scene_text);
        design_policy (design, cell->policy, row->policy_text);
        count_jobs (cells, i, row);
        row->wait = measure_of (&waits, cell->scene, cell->policy);
        row->slowdown = measure_of (&slowdowns, cell->scene, cell->policy);
    }
}

int group_standings_make (const struct cells *cells,
                          struct group_standings *ret_standings,
                          tori_error *err)
{
    const struct design *design = cells->design;
    size_t ngroups
        = json_array_size (json_object_get (cells_first (cells), "by"));
    size_t shown = ngroups < MOST_GROUPS ? ngroups : MOST_GROUPS;
    size_t n = design->scenes * design->policies * design->seeds;
    double *wait, *slowdown;
    *ret_standings = (struct group_standings){.design = design,
                                              .left_out = ngroups - shown};
    if (ngroups == 0)
        return 0;
    wait = malloc (n * sizeof *wait);
    slowdown = malloc (n * sizeof *slowdown);
    ret_standings->row
        = calloc (shown * design->n, sizeof *ret_standings->row);
    for (size_t g = 0;
         wait && slowdown && ret_standings->row && g < shown; g++) {
        gather_values (cells, name_of (cells, g), "wait", wait);
        gather_values (cells, name_of (cells, g), "bounded_slowdown",
                       slowdown);
        add_rows (cells, name_of (cells, g), wait, slowdown, ret_standings);
    }
    free (wait);
    free (slowdown);
    return ret_standings->n > 0 ? 0 : tori_error_nomem (err);
}

void group_standings_clear (struct group_standings *standings)
{
    free (standings->row);
    *standings = (struct group_standings){0};
}

/* ---- what is shown ---- */

#define AT(member) FIELD_AT (struct group_row, member)
static const struct field group_row_fields[] = {
    {"name", FIELD_CHARS, AT (name), "the user, group, queue, size or class"},
    {"scene", FIELD_CHARS, AT (scene_text),
     "what tells the scene from others"},
    {"policy", FIELD_CHARS, AT (policy_text),
     "what tells the policy from others"},
    {"jobs_run", FIELD_COUNT, AT (ran),
     "jobs that ran to their end, over all seeds"},
    {"rejected", FIELD_COUNT, AT (rejected), "jobs that can never run there"},
    {"killed", FIELD_COUNT, AT (killed),
     "jobs that started and did not run to their end"},
    {"wait", FIELD_GROUP, AT (wait), "mean time from submission to start",
     "s", .group = &comparison_measure_sheet},
    {"bounded_slowdown", FIELD_GROUP, AT (slowdown),
     "response over run time, of at least 10 s, at least 1",
     .group = &comparison_measure_sheet},
};
#undef AT
const struct sheet group_row_sheet
    = {"group", SHEET_FIELDS (group_row_fields)};

int group_standings_print (const struct group_standings *standings, FILE *out,
                           bool bold, tori_error *err)
{
    static const struct view_column columns[] = {
        {"scene"},
        {"name", "jobs of"},
        {"policy"},
        {"jobs_run", "jobs run", 0, 1},
        {"rejected", "rejected", 0, 1},
        {"wait_mean", "wait, s", 0, 1, .half = "wait_half_interval"},
        {"wait_difference", "vs the first, %", 1, 100,
         .half = "wait_difference_half"},
        {"bounded_slowdown_mean", "slowdown", 2, 1,
         .half = "bounded_slowdown_half_interval"},
    };
    const struct design *design = standings->design;
    bool scenes = design->scenes > 1, policies = design->policies > 1;
    struct view_column used[sizeof columns / sizeof *columns];
    struct view view = {.column = used};
    const struct rows rows
        = {standings->row, standings->n, sizeof *standings->row};
    if (standings->n == 0)
        return 0;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        if ((i == 0 && !scenes) || ((i == 2 || i == 6) && !policies))
            continue;
        used[view.columns] = columns[i];
        if (design->seeds < 2)
            used[view.columns].half = NULL;
        view.columns++;
    }
    fputc ('\n', out);
    if (view_print (&view, &group_row_sheet, &rows, out, bold, err) < 0)
        return -1;
    if (standings->left_out > 0)
        fprintf (out, "and %zu more, which cells.jsonl of a sweep has\n",
                 standings->left_out);
    return 0;
}

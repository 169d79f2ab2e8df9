#include "group_standings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "paired_comparison.h"
#include "view.h"

enum { MOST_GROUPS = 20 };

/* ---- values ---- */

/* The group of this name in a list; NULL if it has none. */
static const json_t *find_group (const json_t *list, const char *name)
{
    for (size_t i = 0; i < json_array_size (list); i++) {
        const json_t *group = json_array_get (list, i);
        const char *text = json_string_value (json_object_get (group, "name"));
        if (text && strcmp (text, name) == 0)
            return group;
    }
    return NULL;
}

static const json_t *find_all (const struct cells *cells, size_t cell,
                               const char *name)
{
    return find_group (json_object_get (cells->outcome[cell], "by"), name);
}

/* The same of the jobs that all policies ran, if there are others. */
static const json_t *find_compared (const struct cells *cells, size_t cell,
                                    const char *name)
{
    const json_t *list = json_object_get (
        json_object_get (cells->outcome[cell], "compared"), "by");
    return list ? find_group (list, name) : find_all (cells, cell, name);
}

static double number_of (const json_t *group, const char *name)
{
    const json_t *value = json_object_get (group, name);
    return json_is_number (value) ? json_number_value (value) : NAN;
}

/* ---- names ---- */

/* A group of some cell. Its name is that of an outcome. */
struct group_name {
    const char *text;
    int64_t rank;
    double node_hours; /* in all cells */
};

struct group_list {
    struct group_name *item;
    size_t n, room;
};

static int add_name (struct group_list *list, const json_t *group, int by)
{
    const char *name = json_string_value (json_object_get (group, "name"));
    struct group_name *more;
    size_t i = 0;
    while (name && i < list->n && strcmp (list->item[i].text, name) != 0)
        i++;
    if (!name)
        return 0;
    if (i == list->n) {
        more = array_room (list->item, &list->room, i + 1, sizeof *more);
        if (!more)
            return -1;
        list->item = more;
        list->item[list->n++] = (struct group_name){
            .text = name, .rank = group_rank (by, name)};
    }
    list->item[i].node_hours
        += json_number_value (json_object_get (group, "node_hours"));
    return 0;
}

static int compare_names (const void *a, const void *b)
{
    const struct group_name *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank > y->rank ? 1 : -1;
    if (x->node_hours != y->node_hours)
        return x->node_hours < y->node_hours ? 1 : -1;
    return strcmp (x->text, y->text);
}

/* A group need not be in every cell: seeds have jobs of their own. */
static int gather_names (const struct cells *cells,
                         struct group_list *ret_list, tori_error *err)
{
    const struct design *design = cells->design;
    for (size_t i = 0; i < design->n; i++) {
        const json_t *by = json_object_get (cells->outcome[i], "by");
        for (size_t g = 0; g < json_array_size (by); g++)
            if (add_name (ret_list, json_array_get (by, g), cells->by) < 0)
                return tori_error_nomem (err);
    }
    if (ret_list->n > 0)
        qsort (ret_list->item, ret_list->n, sizeof *ret_list->item,
               compare_names);
    return 0;
}

/* ---- the values of a group ---- */

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
            = number_of (find_compared (cells, i, group), name);
}

static bool has_value (const struct design *design, const double value[],
                       size_t scene, size_t policy)
{
    size_t row = (scene * design->policies + policy) * design->seeds;
    for (size_t s = 0; s < design->seeds; s++)
        if (!isnan (value[row + s]))
            return true;
    return false;
}

/* The seeds that do not count for a group: those in which a policy has run no
 * jobs of it, unless that policy never has. */
static void find_absent (const struct cells *cells, const double value[],
                         bool absent[])
{
    const struct design *design = cells->design;
    for (size_t i = 0; i < design->scenes * design->seeds; i++)
        absent[i] = cells->absent && cells->absent[i];
    for (size_t scene = 0; scene < design->scenes; scene++)
        for (size_t policy = 0; policy < design->policies; policy++) {
            size_t row = (scene * design->policies + policy) * design->seeds;
            if (!has_value (design, value, scene, policy))
                continue;
            for (size_t s = 0; s < design->seeds; s++)
                absent[scene * design->seeds + s] |= isnan (value[row + s]);
        }
}

/* ---- rows ---- */

/* A policy without jobs of the group has no mean. Seconds more than none are
 * no part of them, so there may be no difference. */
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
        if (isfinite (than.mean)) {
            measure.difference = than.mean;
            measure.difference_half = than.half;
        }
    }
    return measure;
}

static void compare_seconds (const struct comparison *waits, size_t scene,
                             size_t policy, struct group_row *row)
{
    size_t base = comparison_first (waits, scene);
    struct estimate more = {NAN, NAN};
    if (comparison_has (waits, scene, policy) && base < waits->policies)
        more = comparison_excess (waits, scene, policy, base);
    row->longer = more.mean;
    row->longer_half = more.half;
}

static void count_jobs (const struct cells *cells, size_t first,
                        struct group_row *row)
{
    for (size_t i = first; i < first + cells->design->seeds; i++) {
        const json_t *group = find_all (cells, i, row->name);
        double compared
            = number_of (find_compared (cells, i, row->name), "jobs");
        if (!group || cells_is_absent (cells, i))
            continue;
        row->ran += (uint64_t)number_of (group, "jobs");
        row->rejected += (uint64_t)number_of (group, "rejected");
        row->killed += (uint64_t)number_of (group, "killed");
        row->hopeless += (uint64_t)json_integer_value (
            json_object_get (group, "hopeless"));
        row->compared += isnan (compared) ? 0 : (uint64_t)compared;
    }
}

static void count_seeds (const struct design *design, const bool absent[],
                         const struct cell *cell, struct group_row *row)
{
    for (size_t s = 0; s < design->seeds; s++)
        row->seeds += !absent[cell->scene * design->seeds + s];
}

/* The values of a group, by scene, policy and seed, and the seeds that do not
 * count. */
struct group_values {
    double *wait, *slowdown;
    bool *absent;
};

/* The rows of a group. */
static void add_rows (const struct cells *cells, const char *name,
                      const struct group_values *of,
                      struct group_standings *standings)
{
    const struct design *design = cells->design;
    const struct comparison waits
        = {design->scenes, design->policies, design->seeds, of->wait,
           design->resampled, of->absent},
        slowdowns
        = {design->scenes, design->policies, design->seeds, of->slowdown,
           design->resampled, of->absent};
    for (size_t i = 0; i < design->n; i += design->seeds) {
        const struct cell *cell = &design->cell[i];
        struct group_row *row = &standings->row[standings->n++];
        snprintf (row->name, sizeof row->name, "%s", name);
        design_scene (design, cell->scene, row->scene_text);
        design_policy (design, cell->policy, row->policy_text);
        count_jobs (cells, i, row);
        count_seeds (design, of->absent, cell, row);
        row->wait = measure_of (&waits, cell->scene, cell->policy);
        compare_seconds (&waits, cell->scene, cell->policy, row);
        row->slowdown = measure_of (&slowdowns, cell->scene, cell->policy);
    }
}

static int compare_groups (const struct cells *cells,
                           const struct group_list *list, size_t shown,
                           struct group_standings *standings, tori_error *err)
{
    const struct design *design = cells->design;
    size_t n = design->scenes * design->policies * design->seeds;
    struct group_values of = {
        malloc (n * sizeof *of.wait), malloc (n * sizeof *of.slowdown),
        malloc (design->scenes * design->seeds * sizeof *of.absent)};
    bool there = of.wait && of.slowdown && of.absent;
    standings->row = calloc (shown * design->n, sizeof *standings->row);
    for (size_t g = 0; there && standings->row && g < shown; g++) {
        const char *name = list->item[g].text;
        gather_values (cells, name, "wait", of.wait);
        gather_values (cells, name, "bounded_slowdown", of.slowdown);
        find_absent (cells, of.wait, of.absent);
        add_rows (cells, name, &of, standings);
    }
    free (of.wait);
    free (of.slowdown);
    free (of.absent);
    return standings->n > 0 ? 0 : tori_error_nomem (err);
}

int group_standings_make (const struct cells *cells,
                          struct group_standings *ret_standings,
                          tori_error *err)
{
    struct group_list list = {0};
    int status = gather_names (cells, &list, err);
    size_t shown = list.n < MOST_GROUPS ? list.n : MOST_GROUPS;
    *ret_standings = (struct group_standings){.design = cells->design,
                                              .left_out = list.n - shown};
    if (status == 0 && shown > 0)
        status = compare_groups (cells, &list, shown, ret_standings, err);
    free (list.item);
    return status;
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
    {"seeds", FIELD_COUNT, AT (seeds),
     "seeds in which all policies ran jobs of the group: the others do not "
     "count for the means"},
    {"jobs_run", FIELD_COUNT, AT (ran),
     "jobs that ran to their end, over all seeds"},
    {"rejected", FIELD_COUNT, AT (rejected), "jobs that can never run there"},
    {"killed", FIELD_COUNT, AT (killed),
     "jobs that started and did not run to their end"},
    {"hopeless", FIELD_COUNT, AT (hopeless),
     "jobs that can hardly ever finish, because failures are frequent: they "
     "are not compared",
     .when = field_is_set},
    {"compared", FIELD_COUNT, AT (compared),
     "of those that ran, jobs that all policies ran, without the hopeless "
     "ones: the means are theirs"},
    {"wait", FIELD_GROUP, AT (wait), "mean time from submission to start",
     "s", .group = &comparison_measure_sheet},
    {"longer", FIELD_REAL, AT (longer),
     "how much longer they wait than with the first policy, seed by seed",
     "s"},
    {"longer_half", FIELD_REAL, AT (longer_half),
     "half of its 95 % interval; null with a single seed", "s"},
    {"bounded_slowdown", FIELD_GROUP, AT (slowdown),
     "response over run time, of at least 10 s, at least 1",
     .group = &comparison_measure_sheet},
};
#undef AT
const struct sheet group_row_sheet
    = {"group", SHEET_FIELDS (group_row_fields)};

/* The notes below the table. */
struct group_facts {
    bool scarce;    /* a group has no jobs in some seeds */
    bool killed;    /* jobs were killed */
    bool uneven;    /* policies ran different jobs */
    bool undefined; /* a wait has no difference to the first one */
};

static struct group_facts find_facts (const struct group_standings *standings)
{
    struct group_facts facts = {0};
    for (size_t i = 0; i < standings->n; i++) {
        const struct group_row *row = &standings->row[i];
        facts.scarce |= row->seeds < standings->design->seeds;
        facts.killed |= row->killed > 0;
        facts.uneven |= row->compared < row->ran;
        facts.undefined
            |= !isnan (row->wait.mean) && isnan (row->wait.difference);
    }
    return facts;
}

int group_standings_print (const struct group_standings *standings, FILE *out,
                           bool bold, tori_error *err)
{
    static const struct view_column columns[] = {
        {"scene"},
        {"name", "jobs of"},
        {"policy"},
        {"seeds", "seeds", 0, 1},
        {"jobs_run", "jobs run", 0, 1},
        {"rejected", "rejected", 0, 1},
        {"killed", "killed", 0, 1},
        {"compared", "compared", 0, 1},
        {"wait_mean", "wait, s", 0, 1, .half = "wait_half_interval"},
        {"longer", "vs the first, s", 0, 1, .half = "longer_half"},
        {"wait_difference", "vs the first, %", 1, 100,
         .half = "wait_difference_half"},
        {"bounded_slowdown_mean", "slowdown", 2, 1,
         .half = "bounded_slowdown_half_interval"},
    };
    enum { SCENE, GROUP, POLICY, SEEDS, RUN, REJECTED, KILLED, COMPARED, WAIT, LONGER,
           CHANGE };
    const struct design *design = standings->design;
    struct group_facts facts = find_facts (standings);
    const bool hidden[sizeof columns / sizeof *columns]
        = {[SCENE] = design->scenes < 2, [POLICY] = design->policies < 2,
           [SEEDS] = !facts.scarce, [KILLED] = !facts.killed,
           [COMPARED] = !facts.uneven,
           [LONGER] = design->policies < 2, [CHANGE] = design->policies < 2};
    struct view_column used[sizeof columns / sizeof *columns];
    struct view view = {.column = used};
    const struct rows rows
        = {standings->row, standings->n, sizeof *standings->row};
    if (standings->n == 0)
        return 0;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        if (hidden[i])
            continue;
        used[view.columns] = columns[i];
        if (design->seeds < 2)
            used[view.columns].half = NULL;
        view.columns++;
    }
    fputc ('\n', out);
    if (view_print (&view, &group_row_sheet, &rows, out, bold, err) < 0)
        return -1;
    if (facts.scarce)
        fputs ("\na seed counts for a group if there are jobs of it that all "
               "policies ran (\"seeds\")\n",
               out);
    if (facts.undefined)
        fputs ("\na difference in percent is missing where, with some seed, "
               "jobs of the first policy did not wait\n",
               out);
    if (standings->left_out > 0)
        fprintf (out, "and %zu more, which cells.jsonl of a sweep has\n",
                 standings->left_out);
    return 0;
}

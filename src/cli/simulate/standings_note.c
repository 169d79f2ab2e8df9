/* standings_note.c - what a reader of a comparison has to know besides the
 * table: jobs that were rejected or left out, combinations that were not run. */
#include "standings.h"

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

/* "easy" or "load 0.9 easy"; "" if there is only one row. */
static void print_name (const struct comparison_row *row, FILE *out)
{
    fprintf (out, "%s%s%s", row->scene_text,
             *row->scene_text && *row->policy_text ? " " : "",
             row->policy_text);
}

/* "wiring torus: 444 of 1500 jobs were rejected ..." */
static void note_rejected (const struct cells *cells, size_t first,
                           const struct comparison_row *row, FILE *out)
{
    const char *why = find_reason (cells, first);
    if (row->rejected == 0)
        return;
    fputc ('\n', out);
    print_name (row, out);
    fprintf (out,
             "%s%llu of %llu jobs were rejected, so the load was %.1f %%: "
             "%s\n",
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
        const char *trace = by_log ? outcome_trace (outcome) : "";
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

/* Jobs that would need more luck than there is: see sim_run_hopeless. As many
 * as in the row that has most. */
static void note_hopeless (const struct cells *cells,
                           const struct standings *standings, FILE *out)
{
    uint64_t n = 0, least = UINT64_MAX;
    for (size_t i = 0; i < standings->n; i++) {
        uint64_t its = standings->row[i].hopeless;
        n = its > n ? its : n;
        least = its < least ? its : least;
    }
    if (n > 0)
        fprintf (out,
                 "\n%s%llu job%s can hardly ever finish%s, because failures "
                 "are frequent%s\n",
                 least < n ? "up to " : "", (unsigned long long)n,
                 n == 1 ? "" : "s",
                 cells->design->seeds > 1 ? ", over all seeds" : "",
                 (cells->jobs || has_compared (cells))
                         && cells->design->policies > 1
                     ? "; these are not compared"
                     : "");
}

static void note_saturated (const struct standings *standings, FILE *out)
{
    uint64_t n = 0, all = 0;
    for (size_t i = 0; i < standings->n; i++) {
        n += standings->row[i].saturated;
        all += standings->row[i].seeds;
    }
    if (n > 0)
        fprintf (out,
                 "\n%llu of %llu simulations are saturated: the queue grew over "
                 "the run or was never short again, so waits tell how long the "
                 "run is\n",
                 (unsigned long long)n, (unsigned long long)all);
    for (size_t i = 0; n > 0 && standings->n > 1 && i < standings->n; i++) {
        const struct comparison_row *row = &standings->row[i];
        if (row->saturated == 0)
            continue;
        fputs ("  ", out);
        print_name (row, out);
        fprintf (out, ": %llu of %llu\n", (unsigned long long)row->saturated,
                 (unsigned long long)row->seeds);
    }
}

static uint64_t count_member (const json_t *outcome, const char *name)
{
    return (uint64_t)json_integer_value (json_object_get (outcome, name));
}

/* The jobs of a scene, if they are not as they were given or not all of those
 * that there were: in cell i. */
static void note_chosen (const struct cells *cells, size_t i, FILE *out)
{
    const json_t *outcome = cells->outcome[i];
    uint64_t n = count_member (outcome, "submitted");
    uint64_t left_out = count_member (outcome, "left_out");
    uint64_t measured = count_member (outcome, "measured");
    uint64_t large = count_member (outcome, "too_large");
    uint64_t unshaped = count_member (outcome, "unshaped");
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
    if (large > 0 && outcome_trace (outcome))
        fprintf (out,
                 "\nwarning: %s%s%llu of %llu jobs ask for more nodes than the "
                 "machine has: sizes may be processors (--options "
                 "'--procs-per-node N'), or be in another field "
                 "(--size-from)\n",
                 where, *where ? ": " : "", (unsigned long long)large,
                 (unsigned long long)n);
    if (unshaped > 0)
        fprintf (out,
                 "\n%s%s%llu of %llu jobs have a shape in the log, and ask "
                 "for a number of nodes; '--shapes as-given' keeps the "
                 "shapes\n",
                 where, *where ? ": " : "", (unsigned long long)unshaped,
                 (unsigned long long)n);
    if (measured > 0)
        fprintf (out, "\n%s%s%llu of %llu jobs are measured%s\n", where,
                 *where ? ": " : "", (unsigned long long)measured,
                 (unsigned long long)n,
                 cells->design->seeds > 1 ? " with the first seed" : "");
}

/* The first cell of a scene whose jobs lost their shapes, else the first one. */
static size_t chosen_cell (const struct cells *cells, size_t first)
{
    const struct design *design = cells->design;
    for (size_t i = first;
         i < design->n && design->cell[i].scene == design->cell[first].scene;
         i++)
        if (count_member (cells->outcome[i], "unshaped") > 0)
            return i;
    return first;
}

static void note_scenes (const struct cells *cells, FILE *out)
{
    const struct design *design = cells->design;
    for (size_t i = 0; i < design->n; i++)
        if (i == 0 || design->cell[i].scene != design->cell[i - 1].scene)
            note_chosen (cells, chosen_cell (cells, i), out);
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
            && shaping_of (&a->values) != shaping_of (&b->values)
            && (shaping_of (&a->values) == TORI_SHAPE_FIRST_MATCH
                || shaping_of (&b->values) == TORI_SHAPE_FIRST_MATCH))
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
    note_hopeless (cells, standings, out);
    note_saturated (standings, out);
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
    design_print_left_out (design, "\n", out);
    if (gave_up > 0)
        fprintf (out, "\n%zu simulation%s gave up; the first: %s\n", gave_up,
                 gave_up == 1 ? "" : "s", why);
}

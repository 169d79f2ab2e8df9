#include "drawing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figure.h"
#include "files.h"
#include "number.h"

/* ---- what is drawn ---- */

/* In the order of comparison_row.h. */
static const struct {
    const char *name, *title;
    const char *label; /* NULL: a time, see units */
    double scale;
} measures[COMPARISON_MEASURES] = {
    {"response", "Mean response", NULL, 1},
    {"wait", "Mean wait", NULL, 1},
    {"slowdown", "Mean bounded slowdown", "bounded slowdown", 1},
    {"utilization", "Utilization", "utilization, %", 100},
    {"distance", "Mean distance between the nodes of a job", "distance, hops",
     1},
};

const char *drawing_measures (size_t i)
{
    return i < COMPARISON_MEASURES ? measures[i].name : NULL;
}

/* Axes of scenes that are numbers. */
static const struct across {
    size_t axis;
    const char *label;
    double scale;
} numbers[] = {
    {AXIS_LOAD, "offered load, %", 100},
    {AXIS_SCALE, "factor for the sizes of jobs", 1},
    {AXIS_TORI, "jobs that ask for a torus, %", 100},
    {AXIS_COUNTS, "jobs that ask for any nodes, %", 100},
    {AXIS_MTBF, "mean time to the next failure of a node, h", 1},
    {AXIS_URGENT, "urgent jobs, %", 100},
};

/* The only axis of scenes that has several values, if it is one of these. */
static const struct across *find_across (const struct design *design)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (design->axis[numbers[i].axis].n == design->scenes
            && design->scenes > 1)
            return &numbers[i];
    return NULL;
}

/* ---- checks ---- */

enum { MOST_LINES = 8 };

static bool is_asked (const struct drawing *drawing)
{
    return drawing->svg || drawing->pdf;
}

int drawing_to_stdout (const struct drawing *drawing)
{
    return is_stdout (drawing->svg) + is_stdout (drawing->pdf);
}

/* The log may be NULL. */
static int check_file (const char *option, const char *path, const char *log,
                       tori_error *err)
{
    char *script;
    int status;
    if (!path || is_stdout (path))
        return 0;
    script = figure_script_path (path);
    if (!script)
        return tori_error_nomem (err);
    const struct named_file files[] = {{option, path, true},
                                       {"the script of the figure", script,
                                        true},
                                       {"--trace", log, false}};
    status = files_check (files, log ? 3 : 2, err);
    free (script);
    return status;
}

static int check_files (const struct drawing *drawing,
                        const struct design *design, tori_error *err)
{
    const struct axis *logs = &design->axis[AXIS_TRACE];
    for (size_t i = 0; i < (logs->n ? logs->n : 1); i++) {
        const char *log = logs->n ? logs->value[i] : NULL;
        if (check_file ("--svg", drawing->svg, log, err) < 0
            || check_file ("--pdf", drawing->pdf, log, err) < 0)
            return -1;
    }
    return 0;
}

int drawing_check (const struct drawing *drawing, const struct design *design,
                   tori_error *err)
{
    if (!is_asked (drawing))
        return 0;
    if (!find_across (design))
        return tori_error_set (
            err, TORI_INVALID,
            "--svg and --pdf draw over the load or another number: they need "
            "several values of one, and a single value of everything else "
            "that is not a policy");
    if (design->policies > MOST_LINES)
        return tori_error_set (err, TORI_INVALID,
                               "--svg and --pdf: more than %d policies in one "
                               "figure",
                               MOST_LINES);
    return check_files (drawing, design, err) < 0 ? -1 : figure_check (err);
}

/* ---- the figure ---- */

/* Colours that the colour-blind can tell apart (Okabe and Ito, 2008). */
static const char *const styles[MOST_LINES] = {
    "lw 2 pt 7 ps 0.6 lc rgb '#0072b2'",  "lw 2 pt 5 ps 0.6 lc rgb '#d55e00'",
    "lw 2 pt 9 ps 0.7 lc rgb '#009e73'",  "lw 2 pt 11 ps 0.7 lc rgb '#cc79a7'",
    "lw 2 pt 13 ps 0.8 lc rgb '#e69f00'", "lw 2 pt 6 ps 0.6 lc rgb '#56b4e9'",
    "lw 2 pt 4 ps 0.6 lc rgb '#202020'",  "lw 2 pt 8 ps 0.7 lc rgb '#909090'",
};

/* Values are ordered by policy, then by scene. */
struct canvas {
    const struct standings *standings;
    size_t measure;
    double *x, *y, *half;
    char name[MOST_LINES][DESIGN_TEXT];
    struct figure_line line[MOST_LINES];
    char title[80];
};

static double x_of (const struct across *across, const char *text)
{
    struct fraction value;
    return fraction_parse (text, "", &value, NULL) < 0
               ? NAN
               : across->scale * fraction_value (value);
}

static void fill_lines (struct canvas *canvas)
{
    const struct design *design = canvas->standings->design;
    const struct across *across = find_across (design);
    for (size_t p = 0; p < design->policies; p++) {
        size_t from = p * design->scenes;
        for (size_t s = 0; s < design->scenes; s++) {
            canvas->x[from + s]
                = x_of (across, design->axis[across->axis].value[s]);
            canvas->y[from + s] = NAN;
        }
        design_policy (design, p, canvas->name[p]);
        canvas->line[p] = (struct figure_line){
            *canvas->name[p] ? canvas->name[p]
                             : measures[canvas->measure].name,
            styles[p], canvas->y + from, canvas->x + from,
            canvas->half + from};
    }
}

/* Seconds, minutes or hours, by the largest mean. */
static const struct unit {
    double below, seconds;
    const char *response, *wait;
} units[] = {{600, 1, "response, s", "wait, s"},
             {7200, 60, "response, min", "wait, min"},
             {INFINITY, 3600, "response, h", "wait, h"}};

static const struct unit *unit_of (const struct canvas *canvas)
{
    const struct standings *all = canvas->standings;
    const struct unit *unit = units;
    double most = 0;
    for (size_t i = 0; i < all->n; i++)
        most = fmax (most, all->row[i].measure[canvas->measure].mean);
    while (most >= unit->below)
        unit++;
    return unit;
}

static const char *label_of (const struct canvas *canvas)
{
    const char *label = measures[canvas->measure].label;
    const struct unit *unit = unit_of (canvas);
    if (label)
        return label;
    return canvas->measure == 0 ? unit->response : unit->wait;
}

static void fill_values (struct canvas *canvas)
{
    const struct standings *all = canvas->standings;
    double scale = measures[canvas->measure].scale;
    if (!measures[canvas->measure].label)
        scale = 1 / unit_of (canvas)->seconds;
    for (size_t i = 0; i < all->n; i++) {
        const struct comparison_row *row = &all->row[i];
        const struct comparison_measure *is = &row->measure[canvas->measure];
        size_t at = row->policy * all->design->scenes + row->scene;
        canvas->y[at] = scale * is->mean;
        canvas->half[at] = all->design->seeds > 1 ? scale * is->half : 0;
    }
}

static const char *title_of (struct canvas *canvas)
{
    size_t seeds = canvas->standings->design->seeds;
    const char *title = measures[canvas->measure].title;
    if (seeds < 2)
        return title;
    snprintf (canvas->title, sizeof canvas->title,
              "%s, 95 %% intervals of %zu seeds", title, seeds);
    return canvas->title;
}

static int draw_figure (struct canvas *canvas,
                        const struct figure_files *files, tori_error *err)
{
    const struct design *design = canvas->standings->design;
    fill_lines (canvas);
    fill_values (canvas);
    return figure_draw (
        &(struct figure){.title = title_of (canvas),
                         .x_label = find_across (design)->label,
                         .y_label = label_of (canvas),
                         .fitted = true,
                         .n = design->scenes,
                         .line = canvas->line,
                         .lines = design->policies},
        files, err);
}

int drawing_draw (const struct drawing *drawing,
                  const struct standings *standings, tori_error *err)
{
    const struct design *design = standings->design;
    size_t n = design->policies * design->scenes;
    struct canvas *canvas;
    int status;
    if (!is_asked (drawing))
        return 0;
    canvas = calloc (1, sizeof *canvas);
    if (!canvas || !(canvas->x = calloc (3 * n, sizeof *canvas->x))) {
        free (canvas);
        return tori_error_nomem (err);
    }
    canvas->standings = standings;
    canvas->measure = drawing->measure < 0 ? 0 : (size_t)drawing->measure;
    canvas->y = canvas->x + n;
    canvas->half = canvas->y + n;
    status = draw_figure (
        canvas, &(struct figure_files){{drawing->svg, drawing->pdf}}, err);
    free (canvas->x);
    free (canvas);
    return status;
}

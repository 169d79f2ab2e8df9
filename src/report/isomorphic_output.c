/* The study of subcube allocation as text, JSON, CSV and figures. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figure.h"
#include "isomorphic.h"
#include "view.h"

/* ---- a point as a row ---- */

struct row {
    int panel;
    const char *machine, *model, *jobs, *strategy;
    double load;
    struct estimate value[CUBE_MEASURES];
    int gain;
};

enum { MOST_ROWS = CUBE_PANELS * CUBE_LINES * CUBE_LOADS };

#define AT(member) FIELD_AT (struct row, member)
#define MEASURE(name, which, ...)                                             \
    {name, FIELD_REAL, AT (value[which].mean), __VA_ARGS__, .decimals = 2},   \
    {                                                                         \
        name "_half", FIELD_REAL, AT (value[which].half),                     \
            "half of its 95 % interval"                                       \
    }

static const struct field point_fields[] = {
    {"machine", FIELD_TEXT, AT (machine), "the machine", .title = "machine"},
    {"model", FIELD_TEXT, AT (model), "the model of the jobs"},
    {"what", FIELD_TEXT, AT (jobs), "machine and jobs in words",
     .title = "machine and jobs"},
    {"strategy", FIELD_TEXT, AT (strategy),
     "the allocator, and what it is asked for", .title = "strategy"},
    {"load", FIELD_REAL, AT (load), "the offered load", .title = "load",
     .decimals = 1},
    MEASURE ("response", CUBE_RESPONSE, "mean response", "service times"),
    MEASURE ("numerical", CUBE_NUMERICAL,
             "mean delay while fewer nodes are free than the first job asks "
             "for",
             "service times", "numerical"),
    MEASURE ("topological", CUBE_TOPOLOGICAL,
             "mean delay while enough are free", "service times",
             "topological"),
    MEASURE ("utilization", CUBE_UTILIZATION, "the utilization"),
    MEASURE ("numerical_held", CUBE_NUMERICAL_HELD,
             "mean delay while fewer nodes are free than the first job holds "
             "at its start",
             "service times", "numerical, held"),
    MEASURE ("topological_held", CUBE_TOPOLOGICAL_HELD,
             "mean delay while enough are free by that", "service times",
             "topological, held"),
    {"gain", FIELD_INT, AT (gain),
     "by how much isomorphic answers sooner than this", "%"},
};
#undef AT
static const struct sheet point_sheet
    = {"points", SHEET_FIELDS (point_fields)};

static const struct field answer_fields[] = {
    {"seeds", FIELD_INT, FIELD_AT (struct cube_study, seeds),
     "how many seeds each mean is of"},
    {"jobs", FIELD_SIZE, FIELD_AT (struct cube_study, jobs),
     "how many jobs a simulation has"},
    {"points", FIELD_LIST, .about = "every machine, strategy and load",
     .group = &point_sheet},
};
const struct sheet cube_sheet = {"isomorphic", SHEET_FIELDS (answer_fields)};

static const struct {
    const char *name;
    const char *slug;
    const char *label;
} measures[CUBE_MEASURES] = {
    [CUBE_RESPONSE] = {"response time", "response",
                       "mean response time, service times"},
    [CUBE_NUMERICAL] = {"numerical delay", "numerical",
                        "numerical delay, service times"},
    [CUBE_TOPOLOGICAL] = {"topological delay", "topological",
                          "topological delay, service times"},
    [CUBE_UTILIZATION] = {"utilization", "utilization", "utilization"},
    [CUBE_NUMERICAL_HELD] = {"numerical delay by nodes held",
                             "numerical_held",
                             "numerical delay, service times"},
    [CUBE_TOPOLOGICAL_HELD] = {"topological delay by nodes held",
                               "topological_held",
                               "topological delay, service times"},
};

/* "Figure 11a: 4-ary 3-cube, noncubic jobs, response time". */
enum { TITLE_TEXT = 128 };

static void panel_title (const struct cube_panel *panel,
                         enum cube_measure measure, char text[TITLE_TEXT])
{
    const char *figure = panel->figure[measure];
    snprintf (text, TITLE_TEXT, "%s%s%s%s, %s", figure ? "Figure " : "",
              figure ? figure : "", figure ? ": " : "", panel->title,
              measures[measure].name);
}

/* -1 if the panel has no such line. */
static int line_of (int panel, const char *name)
{
    for (int i = 0; i < cube_lines (&cube_panels[panel]); i++)
        if (strcmp (cube_panels[panel].line[i]->name, name) == 0)
            return i;
    return -1;
}

static struct row row_of (const struct cube_study *study, int p, int l,
                          int load)
{
    const struct cube_panel *panel = &cube_panels[p];
    struct row row = {.panel = p,
                      .machine = panel->machine,
                      .model = panel->model,
                      .jobs = panel->title,
                      .strategy = panel->line[l]->name,
                      .load = cube_load (load)};
    double ours = cube_value (study, p, line_of (p, "isomorphic"), load,
                              CUBE_RESPONSE)
                      .mean;
    double theirs;
    for (int m = 0; m < CUBE_MEASURES; m++)
        row.value[m] = cube_value (study, p, l, load, (enum cube_measure)m);
    theirs = row.value[CUBE_RESPONSE].mean;
    if (theirs > 0)
        row.gain = (int)round (100 * (1 - ours / theirs));
    return row;
}

/* Panel by panel; room for all of them. */
static size_t make_rows (const struct cube_study *study, struct row rows[])
{
    size_t n = 0;
    for (int p = 0; p < CUBE_PANELS; p++)
        for (int l = 0; l < cube_lines (&cube_panels[p]); l++)
            for (int i = 0; i < CUBE_LOADS; i++)
                rows[n++] = row_of (study, p, l, i);
    return n;
}

/* ---- tables ---- */

/* The most that a strategy achieves, in percent. */
static double levels_off (const struct cube_study *study, int panel,
                          const char *name)
{
    double most = 0;
    for (int i = 0; i < CUBE_LOADS; i++) {
        double at = cube_value (study, panel, line_of (panel, name), i,
                                CUBE_UTILIZATION)
                        .mean;
        most = at > most ? at : most;
    }
    return 100 * most;
}

/* Figures 12 and 13 are of noncubic jobs, at a load of 40 %. */
static bool is_delay (const void *row)
{
    const struct row *is = row;
    return is->panel >= 3 && is->load == cube_load (3);
}

/* What else is stated, beside ours. */
static int print_statements (const struct cube_study *study,
                             const struct rows *rows, FILE *out,
                             tori_error *err)
{
    enum { CUBIC_16 = 2 };
    static const struct view_column columns[]
        = {{"machine"},
           {"strategy"},
           {"numerical", .half = "numerical_half"},
           {"topological", .half = "topological_half"},
           {"numerical_held", .half = "numerical_held_half"},
           {"topological_held", .half = "topological_held_half"}};
    static const struct view view
        = {"\nPrinted: isomorphic has less numerical delay than etc (Figure "
           "12), and the\ndifference in topological delay is much larger "
           "(Figure 13). Ours at 40 %, by the\nnodes that a job asks for, and "
           "by those that it holds at its start:\n",
           VIEW_COLUMNS (columns), is_delay};
    fprintf (out,
             "\nPrinted: on 16-ary with cubic jobs etc saturates near 50 %% "
             "utilization.\nOurs: etc levels off at %.0f %%, isomorphic at "
             "%.0f %%.\n",
             levels_off (study, CUBIC_16, "etc"),
             levels_off (study, CUBIC_16, "isomorphic"));
    return view_print (&view, &point_sheet, rows, out, study->setup->bold,
                       err);
}

/* A table for each measure of the rows of one panel. */
static int print_panel (const struct cube_study *study,
                        const struct rows *rows, FILE *out, tori_error *err)
{
    static const struct view_column load[] = {{"load"}};
    const struct row *first = rows->row;
    for (int m = 0; m < CUBE_MEASURES; m++) {
        char title[TITLE_TEXT], half[TITLE_TEXT];
        const struct pivot pivot
            = {{NULL, VIEW_COLUMNS (load), NULL},
               "strategy",
               {measures[m].slug, .half = half}};
        snprintf (half, sizeof half, "%s_half", measures[m].slug);
        panel_title (&cube_panels[first->panel], (enum cube_measure)m, title);
        fprintf (out, "\n%s\n", title);
        if (pivot_print (&pivot, &point_sheet, rows, out, study->setup->bold,
                         err)
            < 0)
            return -1;
    }
    return 0;
}

static int print_panels (const struct cube_study *study,
                         const struct rows *rows, FILE *out, tori_error *err)
{
    struct rows part = {rows->row, 0, rows->size};
    for (int p = 0; p < CUBE_PANELS; p++) {
        part.n = (size_t)cube_lines (&cube_panels[p]) * CUBE_LOADS;
        if (print_panel (study, &part, out, err) < 0)
            return -1;
        part.row = (const char *)part.row + part.n * part.size;
    }
    return 0;
}

static bool is_etc (const void *row)
{
    return strcmp (((const struct row *)row)->strategy, "etc") == 0;
}

static bool is_etc_rounded (const void *row)
{
    return strcmp (((const struct row *)row)->strategy, "etc, rounded up")
           == 0;
}

static int print_gains (const struct cube_study *study,
                        const struct rows *rows, FILE *out, tori_error *err)
{
    static const struct view_column what[] = {{"what"}};
    static const struct pivot gains[] = {
        {{"\nBy how much isomorphic answers sooner than etc, in %, at each "
          "load\n(printed: up to 49 at 50 % with cubic jobs, up to 45 at "
          "40 % with noncubic ones)\n",
          VIEW_COLUMNS (what), is_etc},
         "load",
         {"gain"}},
        {{"\nThe same if etc rounds sides up to powers of two, too, and "
          "keeps all of the box\n",
          VIEW_COLUMNS (what), is_etc_rounded},
         "load",
         {"gain"}},
    };
    for (size_t i = 0; i < 2; i++)
        if (pivot_print (&gains[i], &point_sheet, rows, out,
                         study->setup->bold, err)
            < 0)
            return -1;
    return 0;
}

static int print (const struct cube_study *study, const struct rows *rows,
                  FILE *out, tori_error *err)
{
    fprintf (out,
             "Poisson arrivals, exponential service of mean 1, fcfs; %d seeds "
             "of %zu jobs;\nmeans and 95 %% intervals over seeds, in service "
             "times.\n",
             study->seeds, study->jobs);
    if (print_panels (study, rows, out, err) < 0
        || print_gains (study, rows, out, err) < 0)
        return -1;
    return print_statements (study, rows, out, err);
}

int cube_report (const struct cube_study *study, FILE *out, tori_error *err)
{
    const struct paper_setup *setup = study->setup;
    struct row *row = calloc (MOST_ROWS, sizeof *row);
    struct rows rows = {row, 0, sizeof *row};
    const struct paper_lists lists = {&cube_sheet, study, &rows};
    int status = 0;
    if (!row)
        return tori_error_nomem (err);
    rows.n = make_rows (study, row);
    if (setup->out)
        status = paper_write_lists (setup->out, &lists, err);
    if (status == 0)
        status = setup->json ? paper_emit_lists (setup, &lists, out, err)
                             : print (study, &rows, out, err);
    free (row);
    return status;
}

/* ---- figures ---- */

/* A queue that grows without end is off the figure, which says so. */
enum { MOST_SHOWN = 20 };

struct points {
    double x[CUBE_LOADS], y[CUBE_LOADS], half[CUBE_LOADS];
};

/* Over the utilization that was achieved, as the paper has it. */
static void line_points (const struct cube_study *study, int p, int l,
                         enum cube_measure measure, struct points *points)
{
    for (int i = 0; i < CUBE_LOADS; i++) {
        struct estimate value = cube_value (study, p, l, i, measure);
        points->x[i]
            = 100 * cube_value (study, p, l, i, CUBE_UTILIZATION).mean;
        points->y[i] = value.mean;
        points->half[i] = value.half;
    }
}

static int draw_measure (const struct cube_study *study, int p,
                         enum cube_measure measure, const char *path,
                         tori_error *err)
{
    const struct cube_panel *panel = &cube_panels[p];
    struct points points[CUBE_LINES];
    struct figure_line line[CUBE_LINES];
    int lines = cube_lines (panel);
    char title[TITLE_TEXT], y_label[TITLE_TEXT];
    for (int l = 0; l < lines; l++) {
        line_points (study, p, l, measure, &points[l]);
        line[l] = (struct figure_line){
            panel->line[l]->name, panel->line[l]->style, points[l].y,
            points[l].x, points[l].half};
    }
    panel_title (panel, measure, title);
    snprintf (y_label, sizeof y_label, "%s (what is above %d is not shown)",
              measures[measure].label, MOST_SHOWN);
    struct figure figure = {
        .title = title,
        .x_label = "utilization achieved, % (bars: 95 % of the means)",
        .y_label = y_label,
        .y_most = MOST_SHOWN,
        .x = points[0].x,
        .n = CUBE_LOADS,
        .line = line,
        .lines = (size_t)lines,
    };
    return figure_draw (&figure, path, err);
}

/* Delays by nodes held are drawn where the paper has figures of them. */
static bool is_drawn (const struct cube_panel *panel, enum cube_measure m)
{
    return m < CUBE_UTILIZATION || panel->figure[m];
}

static int draw_panel (const struct cube_study *study, int p, tori_error *err)
{
    for (int m = 0; m < CUBE_MEASURES; m++) {
        char name[TITLE_TEXT], *path;
        int status;
        if (!is_drawn (&cube_panels[p], (enum cube_measure)m))
            continue;
        snprintf (name, sizeof name, "%s-%s", cube_panels[p].slug,
                  measures[m].slug);
        path = paper_path (study->setup->out, name, "svg");
        if (!path)
            return tori_error_nomem (err);
        status = draw_measure (study, p, (enum cube_measure)m, path, err);
        free (path);
        if (status < 0)
            return -1;
    }
    return 0;
}

int cube_draw (const struct cube_study *study, tori_error *err)
{
    tori_error inner = {.status = TORI_FAILED};
    for (int p = 0; p < CUBE_PANELS; p++)
        if (draw_panel (study, p, &inner) < 0)
            return paper_no_figures (study->setup->out, &inner, err);
    return 0;
}

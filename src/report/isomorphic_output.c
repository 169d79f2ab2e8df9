/* The study of subcube allocation as text, JSON, CSV and figures. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "emit.h"
#include "figure.h"
#include "isomorphic.h"
#include "table.h"

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

/* ---- what the text of the paper states ---- */

/* -1 if the panel has no such line. */
static int line_of (int panel, const char *name)
{
    for (int i = 0; i < cube_lines (&cube_panels[panel]); i++)
        if (strcmp (cube_panels[panel].line[i]->name, name) == 0)
            return i;
    return -1;
}

/* How much shorter the response of isomorphic is than that of another, in
 * percent. */
static double gain (const struct cube_study *study, int panel,
                    const char *other, int load)
{
    double ours = cube_value (study, panel, line_of (panel, "isomorphic"),
                              load, CUBE_RESPONSE)
                      .mean;
    double theirs = cube_value (study, panel, line_of (panel, other), load,
                                CUBE_RESPONSE)
                        .mean;
    return theirs > 0 ? 100 * (1 - ours / theirs) : 0;
}

/* The most that a strategy achieves. */
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

/* ---- tables ---- */

static void value_cell (struct table *table, struct estimate value)
{
    table_cell (table, "%.2f ±%.2f", value.mean, value.half);
}

/* Figures 12 and 13 at a load of 40 %: a row a strategy. */
static int print_delays (const struct cube_study *study,
                         enum cube_measure numerical,
                         enum cube_measure topological, FILE *out,
                         tori_error *err)
{
    enum { FIRST = 3 /* with noncubic jobs */, AT = 3 /* 40 % */ };
    static const struct table_column columns[] = {
        {"strategy", TABLE_TEXT},    {"4-ary num.", TABLE_NUMBER},
        {"topol.", TABLE_NUMBER},    {"8-ary num.", TABLE_NUMBER},
        {"topol.", TABLE_NUMBER},    {"16-ary num.", TABLE_NUMBER},
        {"topol.", TABLE_NUMBER},
    };
    struct table *table
        = table_create (columns, sizeof columns / sizeof *columns);
    int status;
    for (int l = 0; l < cube_lines (&cube_panels[FIRST]); l++) {
        table_cell (table, "%s", cube_panels[FIRST].line[l]->name);
        for (int p = FIRST; p < CUBE_PANELS; p++) {
            value_cell (table, cube_value (study, p, l, AT, numerical));
            value_cell (table, cube_value (study, p, l, AT, topological));
        }
    }
    status = table_print (table, out, study->setup->bold, err);
    table_destroy (table);
    return status;
}

/* What else is stated, beside ours. */
static int print_statements (const struct cube_study *study, FILE *out,
                             tori_error *err)
{
    enum { CUBIC_16 = 2 };
    fprintf (out,
             "\nPrinted: on 16-ary with cubic jobs etc saturates near 50 %% "
             "utilization.\nOurs: etc levels off at %.0f %%, isomorphic at "
             "%.0f %%.\n",
             levels_off (study, CUBIC_16, "etc"),
             levels_off (study, CUBIC_16, "isomorphic"));
    fputs ("\nPrinted: isomorphic has less numerical delay than etc (Figure "
           "12), and the\ndifference in topological delay is much larger "
           "(Figure 13). Ours at 40 %, by the\nnodes that a job asks for:\n",
           out);
    if (print_delays (study, CUBE_NUMERICAL, CUBE_TOPOLOGICAL, out, err) < 0)
        return -1;
    fputs ("\nThe same by the nodes that a job holds at its start:\n", out);
    return print_delays (study, CUBE_NUMERICAL_HELD, CUBE_TOPOLOGICAL_HELD,
                         out, err);
}

static int print_measure (const struct cube_study *study, int p,
                          enum cube_measure measure, FILE *out,
                          tori_error *err)
{
    const struct cube_panel *panel = &cube_panels[p];
    struct table_column columns[CUBE_LINES + 1] = {{"load", TABLE_NUMBER}};
    int lines = cube_lines (panel), status;
    struct table *table;
    char title[TITLE_TEXT];
    for (int l = 0; l < lines; l++)
        columns[l + 1]
            = (struct table_column){panel->line[l]->name, TABLE_NUMBER};
    table = table_create (columns, (size_t)lines + 1);
    for (int i = 0; i < CUBE_LOADS; i++) {
        table_cell (table, "%.1f", cube_load (i));
        for (int l = 0; l < lines; l++)
            value_cell (table, cube_value (study, p, l, i, measure));
    }
    panel_title (panel, measure, title);
    fprintf (out, "\n%s\n", title);
    status = table_print (table, out, study->setup->bold, err);
    table_destroy (table);
    return status;
}

static struct table *gain_table (const struct cube_study *study,
                                 const char *other)
{
    static const struct table_column columns[] = {
        {"machine and jobs", TABLE_TEXT}, {"10 %", TABLE_NUMBER},
        {"20 %", TABLE_NUMBER}, {"30 %", TABLE_NUMBER},
        {"40 %", TABLE_NUMBER}, {"50 %", TABLE_NUMBER},
        {"60 %", TABLE_NUMBER}, {"70 %", TABLE_NUMBER},
        {"80 %", TABLE_NUMBER}, {"90 %", TABLE_NUMBER},
    };
    struct table *table = table_create (columns, CUBE_LOADS + 1);
    for (int p = 0; p < CUBE_PANELS; p++) {
        if (line_of (p, other) < 0)
            continue;
        table_cell (table, "%s", cube_panels[p].title);
        for (int i = 0; i < CUBE_LOADS; i++)
            table_cell (table, "%.0f",
                        round (gain (study, p, other, i)) + 0.0);
    }
    return table;
}

static int print_gain (const struct cube_study *study, const char *other,
                       FILE *out, tori_error *err)
{
    struct table *table = gain_table (study, other);
    int status = table_print (table, out, study->setup->bold, err);
    table_destroy (table);
    return status;
}

int cube_print (const struct cube_study *study, FILE *out, tori_error *err)
{
    fprintf (out,
             "Poisson arrivals, exponential service of mean 1, fcfs; %d seeds "
             "of %zu jobs;\nmeans and 95 %% intervals over seeds, in service "
             "times.\n",
             study->seeds, study->jobs);
    for (int i = 0; i < CUBE_PANELS * CUBE_MEASURES; i++)
        if (print_measure (study, i / CUBE_MEASURES,
                           (enum cube_measure)(i % CUBE_MEASURES), out, err)
            < 0)
            return -1;
    fputs ("\nBy how much isomorphic answers sooner than etc, in %, at each "
           "load\n(printed: up to 49 at 50 % with cubic jobs, up to 45 at "
           "40 % with noncubic ones)\n",
           out);
    if (print_gain (study, "etc", out, err) < 0)
        return -1;
    fputs ("\nThe same if etc rounds sides up to powers of two, too, and "
           "keeps all of the box\n",
           out);
    if (print_gain (study, "etc, rounded up", out, err) < 0)
        return -1;
    return print_statements (study, out, err);
}

/* ---- JSON ---- */

static void emit_line (struct emit *e, const struct cube_study *study, int p,
                       int l)
{
    emit_open (e, NULL, '{');
    emit_text (e, "machine", cube_panels[p].machine);
    emit_text (e, "model", cube_panels[p].model);
    emit_text (e, "strategy", cube_panels[p].line[l]->name);
    emit_open (e, "points", '[');
    for (int i = 0; i < CUBE_LOADS; i++) {
        emit_open (e, NULL, '{');
        emit_real (e, "load", cube_load (i));
        for (int m = 0; m < CUBE_MEASURES; m++) {
            struct estimate value
                = cube_value (study, p, l, i, (enum cube_measure)m);
            emit_open (e, measures[m].slug, '{');
            emit_real (e, "mean", value.mean);
            emit_real (e, "half_interval", value.half);
            emit_close (e, '}');
        }
        emit_close (e, '}');
    }
    emit_close (e, ']');
    emit_close (e, '}');
}

int cube_emit (const struct cube_study *study, FILE *out, tori_error *err)
{
    struct emit e = emit_to (out);
    answer_open (&e, study->setup->answer);
    emit_count (&e, "seeds", (uint64_t)study->seeds);
    emit_count (&e, "jobs", study->jobs);
    emit_open (&e, "lines", '[');
    for (int p = 0; p < CUBE_PANELS; p++)
        for (int l = 0; l < cube_lines (&cube_panels[p]); l++)
            emit_line (&e, study, p, l);
    emit_close (&e, ']');
    emit_close (&e, '}');
    return emit_end (&e, err);
}

/* ---- files ---- */

static void point_row (struct table *table, const struct cube_study *study,
                       int p, int l, int load)
{
    table_cell (table, "%s", cube_panels[p].machine);
    table_cell (table, "%s", cube_panels[p].model);
    table_cell (table, "%s", cube_panels[p].line[l]->name);
    table_cell (table, "%.1f", cube_load (load));
    for (int m = 0; m < CUBE_MEASURES; m++) {
        struct estimate value
            = cube_value (study, p, l, load, (enum cube_measure)m);
        table_cell (table, "%.6f", value.mean);
        table_cell (table, "%.6f", value.half);
    }
}

int cube_write_csv (const struct cube_study *study, tori_error *err)
{
    static const struct table_column columns[] = {
        {"machine"},          {"model"},
        {"strategy"},         {"load"},
        {"response"},         {"response_half"},
        {"numerical"},        {"numerical_half"},
        {"topological"},      {"topological_half"},
        {"utilization"},      {"utilization_half"},
        {"numerical_held"},   {"numerical_held_half"},
        {"topological_held"}, {"topological_held_half"},
    };
    struct table *table
        = table_create (columns, sizeof columns / sizeof *columns);
    int status;
    for (int p = 0; p < CUBE_PANELS; p++)
        for (int l = 0; l < cube_lines (&cube_panels[p]); l++)
            for (int i = 0; i < CUBE_LOADS; i++)
                point_row (table, study, p, l, i);
    status = paper_write_csv (study->setup->out, "points", table, err);
    table_destroy (table);
    return status;
}

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

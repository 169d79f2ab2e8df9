/* The study of multi-toroidal machines as text, JSON, CSV and figures. */
#include <stdlib.h>

#include "emit.h"
#include "figure.h"
#include "multitoroidal.h"
#include "table.h"
#include "traces.h"
#include "wrap.h"

/* ---- names ---- */

/* "Figure 12a", or "" for what the paper does not have. */
static void figure_name (const struct panel *panel, char text[16])
{
    text[0] = '\0';
    if (panel->experiment->figure && panel->source->part)
        snprintf (text, 16, "%s%c", panel->experiment->figure,
                  panel->source->part);
}

void panel_title (const struct panel *panel, char text[PANEL_TEXT])
{
    char figure[16];
    figure_name (panel, figure);
    snprintf (text, PANEL_TEXT, "%s%s%s%.20s, %s, %s shapes",
              *figure ? "Figure " : "", figure, *figure ? ": " : "",
              panel->source->name, panel->experiment->policy,
              panel->experiment->shapes);
}

/* The name of its files: figure-12a, or ctc-easy-first-match. */
static void panel_slug (const struct panel *panel, char text[PANEL_TEXT])
{
    char figure[16];
    figure_name (panel, figure);
    if (*figure)
        snprintf (text, PANEL_TEXT, "figure-%s", figure);
    else
        snprintf (text, PANEL_TEXT, "%.20s-%s-%s", panel->source->slug,
                  panel->experiment->policy, panel->experiment->shapes);
}

/* ---- readings ---- */

static double utilization (const struct panel *panel, int load, int config)
{
    return 100 * panel->point[load].result[config].utilization;
}

static double at_full_load (const struct panel *panel)
{
    double torus = utilization (panel, LOADS - 1, TORUS_TORI);
    return torus > 0 ? utilization (panel, LOADS - 1, MULTITORUS_TORI) / torus
                     : 0;
}

bool study_differs (const struct study *study, const struct panel **ret_panel,
                    int *ret_load)
{
    for (size_t p = 0; p < study->panels; p++)
        for (int i = 0; i < LOADS; i++)
            if (study->panel[p].point[i].differs) {
                *ret_panel = &study->panel[p];
                *ret_load = i;
                return true;
            }
    return false;
}

static struct claim claim_of (const struct panel *panel)
{
    char part = panel->source->part;
    return part ? panel->experiment->claim[part - 'a'] : (struct claim){0};
}

/* ---- tables ---- */

/* A table is for people, or CSV for programs, which take numbers only. */
enum audience { PEOPLE, PROGRAMS };

static void straight_cell (struct table *table, enum audience audience,
                           struct reading reading)
{
    bool mark = reading.beyond && audience == PEOPLE;
    table_cell (table, "%s%d", mark ? ">= " : "", reading.load);
}

/* How many times the load the multi-torus takes: at least that many if its
 * graph is straight to the end. */
static void factor_cell (struct table *table, enum audience audience,
                         const struct reading straight[CONFIGS])
{
    struct reading torus = straight[TORUS_TORI];
    struct reading multi = straight[MULTITORUS_TORI];
    bool mark = multi.beyond && audience == PEOPLE;
    if (torus.load == 0 || torus.beyond)
        table_cell (table, "%s", audience == PEOPLE ? "-" : "");
    else
        table_cell (table, "%s%.2f", mark ? ">= " : "",
                    (double)multi.load / torus.load);
}

static void claim_cell (struct table *table, double value, int decimals)
{
    if (value > 0)
        table_cell (table, "%.*f", decimals, value);
    else
        table_cell (table, "%s", "");
}

/* The four cells that say which panel a row is about. */
static void panel_cells (struct table *table, const struct panel *panel)
{
    char figure[16];
    figure_name (panel, figure);
    table_cell (table, "%s", figure);
    table_cell (table, "%s", panel->source->name);
    table_cell (table, "%s", panel->experiment->policy);
    table_cell (table, "%s", panel->experiment->shapes);
}

/* Ours and the paper's in one row. */
static void straight_row (struct table *table, enum audience audience,
                          const struct panel *panel)
{
    const struct reading *straight = panel->straight[STRAIGHT_SHARE];
    struct claim claim = claim_of (panel);
    panel_cells (table, panel);
    straight_cell (table, audience, straight[TORUS_TORI]);
    claim_cell (table, claim.torus, 0);
    straight_cell (table, audience, straight[MULTITORUS_TORI]);
    claim_cell (table, claim.multitorus, 0);
    factor_cell (table, audience, straight);
    claim_cell (table, claim.factor, 2);
    table_cell (table, "%.2f", at_full_load (panel));
}

static struct table *straight_table (const struct study *study,
                                     enum audience audience)
{
    enum { COLUMNS = 11 };
    static const struct table_column columns[][COLUMNS] = {
        [PEOPLE] = {{"figure", TABLE_TEXT},
                    {"jobs", TABLE_TEXT},
                    {"scheduler", TABLE_TEXT},
                    {"shapes", TABLE_TEXT},
                    {"torus", TABLE_NUMBER},
                    {"paper", TABLE_NUMBER},
                    {"multi-torus", TABLE_NUMBER},
                    {"paper", TABLE_NUMBER},
                    {"factor", TABLE_NUMBER},
                    {"paper", TABLE_NUMBER},
                    {"at 100 %", TABLE_NUMBER}},
        [PROGRAMS] = {{"figure"},
                      {"source"},
                      {"sched"},
                      {"shapes"},
                      {"torus"},
                      {"torus_paper"},
                      {"multitorus"},
                      {"multitorus_paper"},
                      {"factor"},
                      {"factor_paper"},
                      {"factor_at_full_load"}},
    };
    struct table *table = table_create (columns[audience], COLUMNS);
    for (size_t i = 0; i < study->panels; i++)
        straight_row (table, audience, &study->panel[i]);
    return table;
}

/* The readings by every share. */
static struct table *shares_table (const struct study *study,
                                   enum audience audience)
{
    enum { COLUMNS = 4 + 3 * SHARES };
    static const struct table_column columns[][COLUMNS] = {
        [PEOPLE] = {{"figure", TABLE_TEXT},
                    {"jobs", TABLE_TEXT},
                    {"scheduler", TABLE_TEXT},
                    {"shapes", TABLE_TEXT},
                    {"0.90: torus", TABLE_NUMBER},
                    {"multi", TABLE_NUMBER},
                    {"factor", TABLE_NUMBER},
                    {"0.95: torus", TABLE_NUMBER},
                    {"multi", TABLE_NUMBER},
                    {"factor", TABLE_NUMBER},
                    {"0.99: torus", TABLE_NUMBER},
                    {"multi", TABLE_NUMBER},
                    {"factor", TABLE_NUMBER}},
        [PROGRAMS] = {{"figure"},
                      {"source"},
                      {"sched"},
                      {"shapes"},
                      {"torus_90"},
                      {"multitorus_90"},
                      {"factor_90"},
                      {"torus_95"},
                      {"multitorus_95"},
                      {"factor_95"},
                      {"torus_99"},
                      {"multitorus_99"},
                      {"factor_99"}},
    };
    struct table *table = table_create (columns[audience], COLUMNS);
    for (size_t i = 0; i < study->panels; i++) {
        const struct panel *panel = &study->panel[i];
        panel_cells (table, panel);
        for (int s = 0; s < SHARES; s++) {
            const struct reading *straight = panel->straight[s];
            straight_cell (table, audience, straight[TORUS_TORI]);
            straight_cell (table, audience, straight[MULTITORUS_TORI]);
            factor_cell (table, audience, straight);
        }
    }
    return table;
}

/* A graph in numbers: a row a load, a column a configuration, in percent. */
static struct table *panel_table (const struct panel *panel,
                                  enum audience audience)
{
    struct table_column columns[1 + CONFIGS] = {{"load", TABLE_NUMBER}};
    int decimals = audience == PEOPLE ? 1 : 3;
    struct table *table;
    for (int c = 0; c < CONFIGS; c++) {
        const struct config *config = &multitoroidal_configs[c];
        columns[1 + c] = (struct table_column){
            audience == PEOPLE ? config->column : config->slug, TABLE_NUMBER};
    }
    table = table_create (columns, 1 + CONFIGS);
    for (int i = 0; i < LOADS; i++) {
        table_cell (table, "%d", load_percent (i));
        for (int c = 0; c < CONFIGS; c++)
            table_cell (table, "%.*f", decimals, utilization (panel, i, c));
    }
    return table;
}

/* ---- for people ---- */

static void print_sources (const struct study *study, FILE *out)
{
    char places[300];
    traces_say (study->setup->traces, places, sizeof places);
    for (size_t i = 0; i < study->sources; i++) {
        const struct source *s = &study->source[i];
        if (s->model)
            fprintf (out, "%s: a model, %zu jobs", s->name, s->jobs);
        else if (s->path)
            fprintf (out, "%s: %s, %zu jobs", s->name, s->path, s->jobs);
        else
            fprintf (out, "%s: left out, no %s[.gz] in %s", s->name, s->file,
                     places);
        if (s->path && s->scale > 1)
            fprintf (out, ", sizes times %lld", (long long)s->scale);
        if (source_there (s))
            fprintf (out, ", offered load %.1f %% before stretching",
                     100 * s->offered);
        fputc ('\n', out);
    }
}

static int print_panels (const struct study *study, FILE *out, tori_error *err)
{
    for (size_t i = 0; i < study->panels; i++) {
        const struct panel *panel = &study->panel[i];
        struct table *table = panel_table (panel, PEOPLE);
        char title[PANEL_TEXT];
        int status;
        panel_title (panel, title);
        fprintf (out, "\n%s\n\n", title);
        status = table_print (table, out, study->setup->bold, err);
        table_destroy (table);
        if (status < 0)
            return -1;
    }
    return 0;
}

static void print_coincidence (const struct study *study, FILE *out)
{
    size_t same = 0, n = study->panels * LOADS;
    for (size_t p = 0; p < study->panels; p++)
        for (int i = 0; i < LOADS; i++)
            same += !study->panel[p].point[i].differs;
    fprintf (out,
             "\nThe multi-torus with tori and the torus with meshes ran every "
             "job at the same\ntime in the same place in %zu of %zu pairs of "
             "simulations.\n",
             same, n);
}

/* A text, and the table that it is about. */
static int print_and_destroy (const char *text, struct table *table, bool bold,
                              FILE *out, tori_error *err)
{
    int status;
    fputc ('\n', out);
    wrap_text (out, text, 0, 0);
    fputc ('\n', out);
    status = table_print (table, out, bold, err);
    table_destroy (table);
    return status;
}

static int print_readings (const struct study *study, FILE *out,
                           tori_error *err)
{
    char text[512];
    snprintf (text, sizeof text,
              "Up to which load, to a percent, the graphs of torus jobs are "
              "straight: the largest at which utilization is at least %.2f of "
              "it, below the first of the loads above at which it is not. "
              "Beside ours, what the paper's text says. The last column is "
              "the factor between the utilizations at a load of 100 %%.",
              multitoroidal_shares[STRAIGHT_SHARE]);
    if (print_and_destroy (text, straight_table (study, PEOPLE),
                           study->setup->bold, out, err)
        < 0)
        return -1;
    return print_and_destroy ("The same by other shares of the load:",
                              shares_table (study, PEOPLE),
                              study->setup->bold, out, err);
}

int study_print (const struct study *study, FILE *out, tori_error *err)
{
    wrap_text (out, paper_multitoroidal.citation, 0, 0);
    fputc ('\n', out);
    print_sources (study, out);
    fputs ("\nUtilization of 8x8x8 nodes in %, by the offered load in %.\n",
           out);
    if (print_panels (study, out, err) < 0)
        return -1;
    if (print_readings (study, out, err) < 0)
        return -1;
    print_coincidence (study, out);
    return 0;
}

/* ---- for programs ---- */

static void emit_source (struct emit *e, const struct source *s)
{
    emit_open (e, NULL, '{');
    emit_text (e, "name", s->name);
    if (s->model)
        emit_text (e, "model", s->model);
    else
        emit_text (e, "file", s->path ? s->path : s->file);
    emit_flag (e, "found", source_there (s));
    if (source_there (s)) {
        emit_whole (e, "scale", s->scale);
        emit_count (e, "jobs", s->jobs);
        emit_real (e, "offered", s->offered);
    }
    emit_close (e, '}');
}

static void emit_point (struct emit *e, const struct panel *panel, int i)
{
    const struct point *point = &panel->point[i];
    emit_open (e, NULL, '{');
    emit_real (e, "load", load_percent (i) / 100.0);
    emit_open (e, "utilization", '[');
    for (int c = 0; c < CONFIGS; c++)
        emit_real (e, NULL, point->result[c].utilization);
    emit_close (e, ']');
    emit_open (e, "wait", '[');
    for (int c = 0; c < CONFIGS; c++)
        emit_real (e, NULL, point->result[c].wait.mean);
    emit_close (e, ']');
    emit_flag (e, "coincide", !point->differs);
    emit_close (e, '}');
}

static void emit_claim (struct emit *e, const struct claim *claim)
{
    emit_open (e, "paper", '{');
    if (claim->torus > 0)
        emit_real (e, "torus", claim->torus / 100);
    if (claim->multitorus > 0)
        emit_real (e, "multitorus", claim->multitorus / 100);
    emit_real (e, "factor", claim->factor);
    emit_close (e, '}');
}

static void emit_reading (struct emit *e, const char *key,
                          struct reading reading)
{
    emit_open (e, key, '{');
    emit_real (e, "load", reading.load / 100.0);
    emit_flag (e, "beyond", reading.beyond);
    emit_close (e, '}');
}

static void emit_readings (struct emit *e,
                           const struct reading straight[CONFIGS])
{
    emit_reading (e, "torus", straight[TORUS_TORI]);
    emit_reading (e, "multitorus", straight[MULTITORUS_TORI]);
}

static void emit_panel (struct emit *e, const struct panel *panel)
{
    struct claim claim = claim_of (panel);
    char figure[16];
    figure_name (panel, figure);
    emit_open (e, NULL, '{');
    if (*figure)
        emit_text (e, "figure", figure);
    emit_text (e, "source", panel->source->name);
    emit_text (e, "sched", panel->experiment->policy);
    emit_text (e, "shapes", panel->experiment->shapes);
    emit_open (e, "points", '[');
    for (int i = 0; i < LOADS; i++)
        emit_point (e, panel, i);
    emit_close (e, ']');
    emit_open (e, "straight", '{');
    emit_readings (e, panel->straight[STRAIGHT_SHARE]);
    emit_close (e, '}');
    emit_open (e, "straight_by_share", '[');
    for (int s = 0; s < SHARES; s++) {
        emit_open (e, NULL, '{');
        emit_real (e, "share", multitoroidal_shares[s]);
        emit_readings (e, panel->straight[s]);
        emit_close (e, '}');
    }
    emit_close (e, ']');
    if (claim.factor > 0)
        emit_claim (e, &claim);
    emit_close (e, '}');
}

static void emit_configs (struct emit *e)
{
    emit_open (e, "configurations", '[');
    for (int c = 0; c < CONFIGS; c++) {
        const struct config *config = &multitoroidal_configs[c];
        emit_open (e, NULL, '{');
        emit_text (e, "machine", config->machine);
        emit_real (e, "torus_fraction", config->torus_fraction);
        emit_close (e, '}');
    }
    emit_close (e, ']');
}

int study_emit (const struct study *study, FILE *out, tori_error *err)
{
    struct emit e = emit_to (out);
    const struct panel *panel;
    int load;
    answer_open (&e, study->setup->answer);
    emit_text (&e, "paper", paper_multitoroidal.name);
    emit_text (&e, "citation", paper_multitoroidal.citation);
    emit_open (&e, "sources", '[');
    for (size_t i = 0; i < study->sources; i++)
        emit_source (&e, &study->source[i]);
    emit_close (&e, ']');
    emit_configs (&e);
    emit_open (&e, "panels", '[');
    for (size_t i = 0; i < study->panels; i++)
        emit_panel (&e, &study->panel[i]);
    emit_close (&e, ']');
    emit_flag (&e, "coincide", !study_differs (study, &panel, &load));
    emit_close (&e, '}');
    return emit_end (&e, err);
}

/* ---- files ---- */

static void simulation_rows (struct table *table, const struct panel *panel)
{
    for (int i = 0; i < CONFIGS * LOADS; i++) {
        const struct config *config = &multitoroidal_configs[i % CONFIGS];
        const tori_sim_result *r =
            &panel->point[i / CONFIGS].result[i % CONFIGS];
        panel_cells (table, panel);
        table_cell (table, "%s", config->machine);
        table_cell (table, "%g", config->torus_fraction);
        table_cell (table, "%.6f", r->offered);
        table_cell (table, "%.6f", r->utilization);
        table_cell (table, "%.6f", r->internal_fragmentation);
        table_cell (table, "%.0f", r->makespan);
        table_cell (table, "%.1f", r->wait.mean);
        table_cell (table, "%.2f", r->bounded_slowdown.mean);
        table_cell (table, "%zu", r->jobs);
        table_cell (table, "%zu", r->rejected);
    }
}

/* Every simulation with what it measured. */
static struct table *simulation_table (const struct study *study)
{
    static const struct table_column columns[] = {
        {"figure"},   {"source"},      {"sched"},
        {"shapes"},   {"machine"},     {"torus_fraction"},
        {"offered"},  {"utilization"}, {"internal_fragmentation"},
        {"makespan"}, {"wait"},        {"bounded_slowdown"},
        {"jobs"},     {"rejected"},
    };
    struct table *table =
        table_create (columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < study->panels; i++)
        simulation_rows (table, &study->panel[i]);
    return table;
}

static int write_and_destroy (const char *directory, const char *name,
                              struct table *table, tori_error *err)
{
    int status = paper_write_csv (directory, name, table, err);
    table_destroy (table);
    return status;
}

int study_write_csv (const struct study *study, tori_error *err)
{
    const char *directory = study->setup->out;
    for (size_t i = 0; i < study->panels; i++) {
        char slug[PANEL_TEXT];
        panel_slug (&study->panel[i], slug);
        if (write_and_destroy (directory, slug,
                               panel_table (&study->panel[i], PROGRAMS), err)
            < 0)
            return -1;
    }
    if (write_and_destroy (directory, "simulations", simulation_table (study),
                           err)
        < 0)
        return -1;
    if (write_and_destroy (directory, "straight",
                           straight_table (study, PROGRAMS), err)
        < 0)
        return -1;
    return write_and_destroy (directory, "shares",
                              shares_table (study, PROGRAMS), err);
}

static int draw_panel (const struct panel *panel, const char *path,
                       tori_error *err)
{
    /* What coincides is drawn first, broad, then thin. */
    static const int order[CONFIGS] = {MULTITORUS_TORI, TORUS_MESHES,
                                       TORUS_HALF, TORUS_TORI};
    double x[LOADS], y[CONFIGS][LOADS];
    struct figure_line line[CONFIGS];
    char title[PANEL_TEXT];
    for (int i = 0; i < LOADS; i++)
        x[i] = load_percent (i);
    for (int c = 0; c < CONFIGS; c++) {
        const struct config *config = &multitoroidal_configs[order[c]];
        for (int i = 0; i < LOADS; i++)
            y[c][i] = utilization (panel, i, order[c]);
        line[c] = (struct figure_line){config->title, config->style, y[c]};
    }
    panel_title (panel, title);
    struct figure figure = {
        .title = title,
        .x_label = "offered load, %",
        .y_label = "utilization, %",
        .diagonal = "utilization = offered load",
        .x = x,
        .n = LOADS,
        .line = line,
        .lines = CONFIGS,
    };
    return figure_draw (&figure, path, err);
}

int study_draw (const struct study *study, tori_error *err)
{
    tori_error inner = {.status = TORI_FAILED};
    int status = 0;
    for (size_t i = 0; status == 0 && i < study->panels; i++) {
        char slug[PANEL_TEXT], *path;
        panel_slug (&study->panel[i], slug);
        path = paper_path (study->setup->out, slug, "svg");
        if (!path)
            return tori_error_nomem (err);
        status = draw_panel (&study->panel[i], path, &inner);
        free (path);
    }
    return status < 0 ? paper_no_figures (study->setup->out, &inner, err) : 0;
}

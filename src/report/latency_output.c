/* Latency against load as text, JSON, CSV and figures. */
#include <math.h>
#include <stdlib.h>

#include "emit.h"
#include "figure.h"
#include "latency.h"
#include "table.h"

/* ---- tables ---- */

static int print_panel (const struct latency_study *study, int p, FILE *out,
                        tori_error *err)
{
    struct table_column columns[LATENCY_LINES + 1] = {{"load", TABLE_NUMBER}};
    struct table *table;
    int status;
    for (int l = 0; l < LATENCY_LINES; l++)
        columns[l + 1] =
            (struct table_column){latency_lines[l].name, TABLE_NUMBER};
    table = table_create (columns, LATENCY_LINES + 1);
    for (int i = 0; i < LATENCY_LOADS; i++) {
        bool any = false;
        for (int l = 0; l < LATENCY_LINES; l++)
            any |= study->curve[p][l].point[i].run;
        if (!any)
            break;
        table_cell (table, "%d %%", latency_load (i));
        for (int l = 0; l < LATENCY_LINES; l++) {
            const struct latency_point *point = &study->curve[p][l].point[i];
            if (point->run && !point->outcome.saturated)
                table_cell (table, "%.1f", point->outcome.latency.mean);
            else
                table_cell (table, "%s", point->run ? "saturated" : "");
        }
    }
    fprintf (out, "\n%s, %s: mean latency in cycles\n",
             latency_panels[p].machine, latency_panels[p].pattern);
    status = table_print (table, out, study->setup->bold, err);
    table_destroy (table);
    return status;
}

static struct table *saturation_table (const struct latency_study *study)
{
    static const struct table_column columns[] = {
        {"machine", TABLE_TEXT},      {"pattern", TABLE_TEXT},
        {"network", TABLE_TEXT},      {"saturation", TABLE_NUMBER},
        {"most accepted", TABLE_NUMBER},
        {"bound of dimension order", TABLE_NUMBER}};
    struct table *table =
        table_create (columns, sizeof columns / sizeof *columns);
    for (int p = 0; p < LATENCY_PANELS; p++)
        for (int l = 0; l < LATENCY_LINES; l++) {
            const struct latency_curve *curve = &study->curve[p][l];
            table_cell (table, "%s", latency_panels[p].machine);
            table_cell (table, "%s", latency_panels[p].pattern);
            table_cell (table, "%s", latency_lines[l].name);
            table_cell (table, "%.2f", curve->saturation / 100.0);
            table_cell (table, "%.3f", curve->most);
            table_cell (table, "%.3f", study->bound[p]);
        }
    return table;
}

int latency_print (const struct latency_study *study, FILE *out,
                   tori_error *err)
{
    struct table *table = saturation_table (study);
    int status;
    fprintf (out,
             "Messages of %d flits, buffers of %d, wormhole switching, a flit "
             "a cycle a link;\nloads in flits a node a cycle; %llu cycles of "
             "warm-up, then %llu measured.\n\n"
             "Saturation: the highest load at which latency does not grow with "
             "time\n",
             LATENCY_FLITS, LATENCY_FLITS, (unsigned long long)study->warmup,
             (unsigned long long)study->cycles);
    status = table_print (table, out, study->setup->bold, err);
    table_destroy (table);
    for (int p = 0; status == 0 && p < LATENCY_PANELS; p++)
        status = print_panel (study, p, out, err);
    return status;
}

/* ---- JSON ---- */

static void emit_point (struct emit *e, int load,
                        const tori_traffic_outcome *o)
{
    emit_open (e, NULL, '{');
    emit_real (e, "rate", load / 100.0);
    emit_real (e, "offered", o->offered);
    emit_real (e, "accepted", o->accepted);
    emit_real (e, "latency", o->latency.mean);
    emit_count (e, "p50", o->latency.p50);
    emit_count (e, "p99", o->latency.p99);
    emit_flag (e, "saturated", o->saturated);
    emit_close (e, '}');
}

static void emit_curve (struct emit *e, const struct latency_study *study,
                        int p, int l)
{
    const struct latency_curve *curve = &study->curve[p][l];
    emit_open (e, NULL, '{');
    emit_text (e, "machine", latency_panels[p].machine);
    emit_text (e, "pattern", latency_panels[p].pattern);
    emit_text (e, "network", latency_lines[l].name);
    emit_real (e, "saturation", curve->saturation / 100.0);
    emit_real (e, "most", curve->most);
    emit_real (e, "bound", study->bound[p]);
    emit_open (e, "points", '[');
    for (int i = 0; i < LATENCY_LOADS; i++)
        if (curve->point[i].run)
            emit_point (e, latency_load (i), &curve->point[i].outcome);
    emit_close (e, ']');
    emit_close (e, '}');
}

int latency_emit (const struct latency_study *study, FILE *out,
                  tori_error *err)
{
    struct emit e = emit_to (out);
    answer_open (&e, study->setup->answer);
    emit_count (&e, "flits", LATENCY_FLITS);
    emit_count (&e, "cycles", study->cycles);
    emit_open (&e, "curves", '[');
    for (int p = 0; p < LATENCY_PANELS; p++)
        for (int l = 0; l < LATENCY_LINES; l++)
            emit_curve (&e, study, p, l);
    emit_close (&e, ']');
    emit_close (&e, '}');
    return emit_end (&e, err);
}

/* ---- files ---- */

static struct table *point_table (const struct latency_study *study)
{
    static const struct table_column columns[] = {
        {"machine"},  {"pattern"}, {"network"}, {"rate"}, {"offered"},
        {"accepted"}, {"latency"}, {"p50"},     {"p99"},  {"saturated"}};
    struct table *table =
        table_create (columns, sizeof columns / sizeof *columns);
    for (int i = 0; i < LATENCY_PANELS * LATENCY_LINES * LATENCY_LOADS; i++) {
        int p = i / LATENCY_LOADS / LATENCY_LINES, load = i % LATENCY_LOADS;
        int l = i / LATENCY_LOADS % LATENCY_LINES;
        const struct latency_point *point = &study->curve[p][l].point[load];
        const tori_traffic_outcome *o = &point->outcome;
        if (!point->run)
            continue;
        table_cell (table, "%s", latency_panels[p].machine);
        table_cell (table, "%s", latency_panels[p].pattern);
        table_cell (table, "%s", latency_lines[l].name);
        table_cell (table, "%.2f", latency_load (load) / 100.0);
        table_cell (table, "%.6f", o->offered);
        table_cell (table, "%.6f", o->accepted);
        table_cell (table, "%.4f", o->latency.mean);
        table_cell (table, "%llu", (unsigned long long)o->latency.p50);
        table_cell (table, "%llu", (unsigned long long)o->latency.p99);
        table_cell (table, "%d", o->saturated);
    }
    return table;
}

int latency_write_csv (const struct latency_study *study, tori_error *err)
{
    struct table *points = point_table (study);
    struct table *saturation = saturation_table (study);
    int status =
        paper_write_csv (study->setup->out, "points", points, err);
    if (status == 0)
        status = paper_write_csv (study->setup->out, "saturation", saturation,
                                  err);
    table_destroy (points);
    table_destroy (saturation);
    return status;
}

/* What is above is off the figure. */
enum { MOST_SHOWN = 150 };

static int draw_panel (const struct latency_study *study, int p,
                       tori_error *err)
{
    double x[LATENCY_LOADS], y[LATENCY_LINES][LATENCY_LOADS];
    struct figure_line line[LATENCY_LINES];
    char title[80], *path;
    int status;
    struct figure figure = {.title = title,
                            .x_label = "load, % of a flit a node a cycle",
                            .y_label = "mean latency, cycles",
                            .y_most = MOST_SHOWN,
                            .x = x,
                            .n = LATENCY_LOADS,
                            .line = line,
                            .lines = LATENCY_LINES};
    for (int i = 0; i < LATENCY_LOADS; i++) {
        x[i] = latency_load (i);
        for (int l = 0; l < LATENCY_LINES; l++) {
            const struct latency_point *point = &study->curve[p][l].point[i];
            y[l][i] = point->run ? point->outcome.latency.mean : NAN;
        }
    }
    for (int l = 0; l < LATENCY_LINES; l++)
        line[l] = (struct figure_line){latency_lines[l].name,
                                       latency_lines[l].style, y[l]};
    snprintf (title, sizeof title, "%s, %s", latency_panels[p].machine,
              latency_panels[p].pattern);
    path = paper_path (study->setup->out, latency_panels[p].slug, "svg");
    if (!path)
        return tori_error_nomem (err);
    status = figure_draw (&figure, path, err);
    free (path);
    return status;
}

int latency_draw (const struct latency_study *study, tori_error *err)
{
    tori_error inner = {.status = TORI_FAILED};
    for (int p = 0; p < LATENCY_PANELS; p++)
        if (draw_panel (study, p, &inner) < 0)
            return paper_no_figures (study->setup->out, &inner, err);
    return 0;
}

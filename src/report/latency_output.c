/* Latency against load as text, JSON, CSV and figures. */
#include <math.h>
#include <stdlib.h>

#include "figure.h"
#include "latency.h"
#include "view.h"

enum {
    CURVES = LATENCY_PANELS * LATENCY_LINES,
    POINTS = CURVES * LATENCY_LOADS
};

/* ---- curves and points as rows ---- */

struct curve_row {
    const char *machine, *pattern, *network;
    double saturation, most, bound;
};

#define AT(member) FIELD_AT (struct curve_row, member)
static const struct field curve_fields[] = {
    {"machine", FIELD_TEXT, AT (machine), "the machine", .title = "machine"},
    {"pattern", FIELD_TEXT, AT (pattern), "who sends to whom",
     .title = "pattern"},
    {"network", FIELD_TEXT, AT (network), "routing and channels",
     .title = "network"},
    {"saturation", FIELD_REAL, AT (saturation),
     "the highest load at which latency does not grow with time",
     "flits per node and cycle", "saturation", 2},
    {"most", FIELD_REAL, AT (most), "the most that arrived at any load",
     "flits per node and cycle", "most accepted", 3},
    {"bound", FIELD_REAL, AT (bound),
     "the load at which the busiest link is always busy in dimension order",
     "flits per node and cycle", "bound of dimension order", 3},
};
#undef AT
static const struct sheet curve_sheet = {"curves", SHEET_FIELDS (curve_fields)};

struct point_row {
    int panel;
    const char *machine, *pattern, *network;
    double rate;
    tori_traffic_outcome outcome;
    char shown[24]; /* the mean latency, or that it is saturated */
};

#define AT(member) FIELD_AT (struct point_row, member)
static const struct field point_fields[] = {
    {"machine", FIELD_TEXT, AT (machine), "the machine"},
    {"pattern", FIELD_TEXT, AT (pattern), "who sends to whom"},
    {"network", FIELD_TEXT, AT (network), "routing and channels"},
    {"rate", FIELD_REAL, AT (rate), "the load asked for",
     "flits per node and cycle", "load, %", .scale = 100},
    {"offered", FIELD_REAL, AT (outcome.offered), "the load that was offered",
     "flits per node and cycle"},
    {"accepted", FIELD_REAL, AT (outcome.accepted), "the load that arrived",
     "flits per node and cycle"},
    {"latency", FIELD_REAL, AT (outcome.latency.mean), "mean latency",
     "cycles"},
    {"p50", FIELD_COUNT, AT (outcome.latency.p50), "its median", "cycles"},
    {"p99", FIELD_COUNT, AT (outcome.latency.p99), "its 99th percentile",
     "cycles"},
    {"saturated", FIELD_FLAG, AT (outcome.saturated),
     "whether latency grows with time"},
    {"shown", FIELD_CHARS, AT (shown),
     "mean latency in cycles, or that it is saturated"},
};
#undef AT
static const struct sheet point_sheet = {"points", SHEET_FIELDS (point_fields)};

static const struct field answer_fields[] = {
    {"flits", FIELD_WRITTEN, .about = "flits of a message"},
    {"cycles", FIELD_WRITTEN, .about = "cycles that were measured"},
    {"curves", FIELD_LIST, .about = "where each network saturates",
     .group = &curve_sheet},
    {"points", FIELD_LIST, .about = "latency at each load",
     .group = &point_sheet},
};
const struct sheet latency_sheet = {"latency", SHEET_FIELDS (answer_fields)};

static void make_curves (const struct latency_study *study,
                         struct curve_row rows[CURVES])
{
    for (int i = 0; i < CURVES; i++) {
        int p = i / LATENCY_LINES, l = i % LATENCY_LINES;
        const struct latency_curve *curve = &study->curve[p][l];
        rows[i] = (struct curve_row){
            latency_panels[p].machine, latency_panels[p].pattern,
            latency_lines[l].name,     curve->saturation / 100.0,
            curve->most,               study->bound[p]};
    }
}

static struct point_row point_row (const struct latency_study *study, int p,
                                   int l, int load)
{
    const struct latency_point *point = &study->curve[p][l].point[load];
    struct point_row row = {.panel = p,
                            .machine = latency_panels[p].machine,
                            .pattern = latency_panels[p].pattern,
                            .network = latency_lines[l].name,
                            .rate = latency_load (load) / 100.0,
                            .outcome = point->outcome};
    if (row.outcome.saturated)
        snprintf (row.shown, sizeof row.shown, "saturated");
    else
        snprintf (row.shown, sizeof row.shown, "%.1f",
                  row.outcome.latency.mean);
    return row;
}

/* Those that were run, panel by panel; room for all of them. */
static size_t make_points (const struct latency_study *study,
                           struct point_row rows[POINTS])
{
    size_t n = 0;
    for (int i = 0; i < POINTS; i++) {
        int p = i / LATENCY_LOADS / LATENCY_LINES, load = i % LATENCY_LOADS;
        int l = i / LATENCY_LOADS % LATENCY_LINES;
        if (study->curve[p][l].point[load].run)
            rows[n++] = point_row (study, p, l, load);
    }
    return n;
}

/* ---- tables ---- */

/* The points of one panel follow each other. */
static int print_panel (const struct latency_study *study,
                        const struct point_row *points, size_t n, FILE *out,
                        tori_error *err)
{
    static const struct view_column load[] = {{"rate"}};
    static const struct pivot pivot
        = {{NULL, VIEW_COLUMNS (load), NULL}, "network", {"shown"}};
    const struct rows rows = {points, n, sizeof *points};
    fprintf (out, "\n%s, %s: mean latency in cycles\n", points->machine,
             points->pattern);
    return pivot_print (&pivot, &point_sheet, &rows, out, study->setup->bold,
                        err);
}

static int print_panels (const struct latency_study *study, FILE *out,
                         tori_error *err)
{
    struct point_row *points = calloc (POINTS, sizeof *points);
    size_t n = points ? make_points (study, points) : 0, end;
    int status = points ? 0 : tori_error_nomem (err);
    for (size_t i = 0; status == 0 && i < n; i = end) {
        for (end = i; end < n && points[end].panel == points[i].panel; end++)
            ;
        status = print_panel (study, points + i, end - i, out, err);
    }
    free (points);
    return status;
}

int latency_print (const struct latency_study *study, FILE *out,
                   tori_error *err)
{
    struct curve_row curves[CURVES];
    make_curves (study, curves);
    fprintf (out,
             "Messages of %d flits, buffers of %d, wormhole switching, one "
             "flit per cycle and link;\nloads in flits per node and cycle; "
             "%llu cycles of warm-up, then %llu measured.\n\n"
             "Saturation: the highest load at which latency does not grow with "
             "time\n",
             LATENCY_FLITS, LATENCY_FLITS, (unsigned long long)study->warmup,
             (unsigned long long)study->cycles);
    if (sheet_print (&curve_sheet, curves, CURVES, sizeof *curves, out,
                     study->setup->bold, err)
        < 0)
        return -1;
    return print_panels (study, out, err);
}

/* ---- JSON ---- */

int latency_emit (const struct latency_study *study, FILE *out,
                  tori_error *err)
{
    struct point_row *points = calloc (POINTS, sizeof *points);
    struct curve_row curves[CURVES];
    struct emit e = emit_to (out);
    if (!points)
        return tori_error_nomem (err);
    make_curves (study, curves);
    answer_open (&e, study->setup->answer);
    emit_count (&e, "flits", LATENCY_FLITS);
    emit_count (&e, "cycles", study->cycles);
    sheet_emit_rows (&e, "curves", &curve_sheet, curves, CURVES,
                     sizeof *curves);
    sheet_emit_rows (&e, "points", &point_sheet, points,
                     make_points (study, points), sizeof *points);
    emit_close (&e, '}');
    free (points);
    return emit_end (&e, err);
}

/* ---- files ---- */

int latency_write_csv (const struct latency_study *study, tori_error *err)
{
    struct point_row *point = calloc (POINTS, sizeof *point);
    struct curve_row curve[CURVES];
    const struct rows curves = {curve, CURVES, sizeof *curve};
    struct rows points = {point, 0, sizeof *point};
    int status;
    if (!point)
        return tori_error_nomem (err);
    points.n = make_points (study, point);
    make_curves (study, curve);
    status = paper_write_rows (study->setup->out, "points", &point_sheet,
                               &points, err);
    if (status == 0)
        status = paper_write_rows (study->setup->out, "saturation",
                                   &curve_sheet, &curves, err);
    free (point);
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

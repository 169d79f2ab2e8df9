/* Latency against load of meshes and tori, the curves by which networks are
 * compared since W. J. Dally, "Performance Analysis of k-ary n-cube
 * Interconnection Networks", 1990.
 *
 * A curve is followed upwards in steps of 5 % of a flit per node and cycle, up
 * to the first load that is saturated; then the last load that is not is
 * found to a percent. */
#include <stdlib.h>
#include <string.h>

#include <tori/traffic.h>

#include "paper.h"

enum {
    PANELS = 8,
    LINES = 3,
    LOADS = 20, /* 5 % to 100 % */
    STEP = 5,
    FLITS = 8, /* of a message, and of a buffer */
    CYCLES = 10000
};

/* A machine and a pattern. */
static const struct panel {
    const char *slug;
    const char *machine;
    const char *pattern;
} panels[PANELS] = {
    {"mesh-2-random", "mesh:8x8", "random"},
    {"torus-2-random", "torus:8x8", "random"},
    {"mesh-3-random", "mesh:8x8x8", "random"},
    {"torus-3-random", "torus:8x8x8", "random"},
    {"mesh-2-transpose", "mesh:8x8", "transpose"},
    {"torus-2-transpose", "torus:8x8", "transpose"},
    {"mesh-3-transpose", "mesh:8x8x8", "transpose"},
    {"torus-3-transpose", "torus:8x8x8", "transpose"},
};

/* A kind of network, and how it is drawn. */
#define DIMENSION_2 "dimension order, 2 channels"
#define DIMENSION_4 "dimension order, 4 channels"
#define ADAPTIVE_4 "adaptive, 4 channels"

#define SIZE .size = sizeof (tori_net_config)
static const struct network {
    const char *name;
    tori_net_config net;
} networks[LINES] = {
    {DIMENSION_2, {SIZE, .vcs = 2, .buffer = FLITS}},
    {DIMENSION_4, {SIZE, .vcs = 4, .buffer = FLITS}},
    {ADAPTIVE_4, {SIZE, .vcs = 4, .buffer = FLITS, .routing = TORI_ADAPTIVE}},
};
#undef SIZE

static const struct plot_line plot_lines[LINES] = {
    {DIMENSION_2, "lw 2 pt 7 ps 0.6 lc rgb '#9e9ac8'"},
    {DIMENSION_4, "lw 2 pt 5 ps 0.6 lc rgb '#3f007d'"},
    {ADAPTIVE_4, "lw 2 pt 9 ps 0.6 lc rgb '#d94801'"},
};

/* ---- rows ---- */

struct curve {
    const char *machine, *pattern, *network;
    double saturation; /* the highest load, to a percent, that is not
                          saturated */
    double most;
    double bound;
};

#define AT(member) FIELD_AT (struct curve, member)
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
static const struct sheet curve_sheet
    = {"saturation", SHEET_FIELDS (curve_fields)};

/* Loads far beyond saturation are not run and have no row. */
struct point {
    const struct panel *panel;
    const char *machine, *pattern, *network;
    double rate;
    tori_traffic_outcome outcome;
    char shown[24]; /* the mean latency, or that it is saturated */
};

#define AT(member) FIELD_AT (struct point, member)
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
    {"shown", FIELD_NUMERAL, AT (shown),
     "mean latency in cycles, or that it is saturated"},
};
#undef AT
static const struct sheet point_sheet = {"points",
                                         SHEET_FIELDS (point_fields)};

struct study {
    const struct paper_setup *setup;
    uint64_t flits, warmup, cycles;
    struct curve *curve; /* by panel and network */
    struct point *point; /* by load, too */
};

static const struct field answer_fields[] = {
    {"flits", FIELD_COUNT, FIELD_AT (struct study, flits),
     "flits of a message"},
    {"cycles", FIELD_COUNT, FIELD_AT (struct study, cycles),
     "cycles that were measured"},
    {"curves", FIELD_LIST, .about = "where each network saturates",
     .group = &curve_sheet},
    {"points", FIELD_LIST, .about = "latency at each load",
     .group = &point_sheet},
};
static const struct sheet answer_sheet
    = {"latency", SHEET_FIELDS (answer_fields)};

/* ---- one simulation ---- */

/* A machine with a job on all of it. */
struct setting {
    tori_machine *machine;
    uint32_t *nodes;
    tori_traffic_job job;
};

static int setting_open (const struct panel *panel,
                         struct setting *ret_setting, tori_error *err)
{
    struct setting *s = ret_setting;
    uint32_t n;
    *s = (struct setting){0};
    if (tori_machine_parse (panel->machine, &s->machine, err) < 0)
        return -1;
    n = tori_machine_nodes (s->machine);
    s->nodes = calloc (n, sizeof *s->nodes);
    if (!s->nodes)
        return tori_error_nomem (err);
    for (uint32_t i = 0; i < n; i++)
        s->nodes[i] = i;
    s->job = (tori_traffic_job){
        .nodes = s->nodes,
        .n = n,
        .shape = tori_machine_shape (s->machine),
        .pattern = tori_pattern_find (panel->pattern),
        .flits = FLITS,
    };
    return 0;
}

static void setting_close (struct setting *s)
{
    free (s->nodes);
    tori_machine_destroy (s->machine);
}

static int simulate_load (const struct study *study, const struct setting *s,
                          const tori_net_config *net, int load,
                          tori_traffic_outcome *ret_outcome, tori_error *err)
{
    tori_traffic_config config = {.size = sizeof config,
        .machine = s->machine,
        .net = net,
        .jobs = &s->job,
        .njobs = 1,
        .rate = load / 100.0,
        .warmup = study->warmup,
        .cycles = study->cycles,
        .seed = study->setup->seed,
    };
    tori_traffic_result result;
    if (tori_traffic_run (&config, &result, err) < 0)
        return -1;
    *ret_outcome = result.jobs[0];
    tori_traffic_clear (&result);
    return 0;
}

/* ---- a curve ---- */

static void note_point (struct curve *curve, int load,
                        const tori_traffic_outcome *outcome)
{
    if (outcome->accepted > curve->most)
        curve->most = outcome->accepted;
    if (!outcome->saturated && load / 100.0 > curve->saturation)
        curve->saturation = load / 100.0;
}

/* Between a load that is not saturated and one that is. */
static int find_saturation (const struct study *study, const struct setting *s,
                            const tori_net_config *net, int saturated,
                            struct curve *curve, tori_error *err)
{
    int low = saturated - STEP, high = saturated;
    while (high - low > 1) {
        int load = (low + high) / 2;
        tori_traffic_outcome outcome;
        if (simulate_load (study, s, net, load, &outcome, err) < 0)
            return -1;
        note_point (curve, load, &outcome);
        if (outcome.saturated)
            high = load;
        else
            low = load;
    }
    return 0;
}

static struct point point_of (const struct panel *panel, const char *network,
                              int load, const tori_traffic_outcome *outcome)
{
    struct point point
        = {panel, panel->machine, panel->pattern, network, load / 100.0,
           *outcome, "saturated"};
    if (!outcome->saturated)
        snprintf (point.shown, sizeof point.shown, "%.1f",
                  outcome->latency.mean);
    return point;
}

static int run_curve (const struct study *study, size_t piece,
                      const struct setting *s, tori_error *err)
{
    const struct panel *panel = &panels[piece / LINES];
    const struct network *network = &networks[piece % LINES];
    struct curve *curve = &study->curve[piece];
    for (int load = STEP; load <= STEP * LOADS; load += STEP) {
        struct point *point
            = &study->point[piece * LOADS + (size_t)load / STEP - 1];
        tori_traffic_outcome outcome;
        if (simulate_load (study, s, &network->net, load, &outcome, err) < 0)
            return -1;
        *point = point_of (panel, network->name, load, &outcome);
        note_point (curve, load, &outcome);
        if (outcome.saturated)
            return find_saturation (study, s, &network->net, load, curve,
                                    err);
    }
    return 0;
}

/* ---- the bound ---- */

/* Follow a message and count it on each link, by the node that the link leaves
 * and its direction. */
static void add_route (const tori_machine *machine, uint32_t src, uint32_t dst,
                       uint32_t *load)
{
    uint32_t at = src, next;
    int dim, step;
    while ((next = tori_route_next (machine, src, at, dst, &dim, &step))
           != at) {
        load[(at * TORI_MAX_DIMS + (uint32_t)dim) * 2 + (step > 0)]++;
        at = next;
    }
}

static void add_routes (const struct setting *s, const uint32_t *target,
                        bool random, uint32_t *load)
{
    uint32_t n = s->job.n;
    for (uint32_t i = 0; i < n; i++) {
        if (!random)
            add_route (s->machine, i, target[i], load);
        for (uint32_t j = 0; random && j < n; j++)
            add_route (s->machine, i, j, load);
    }
}

/* The coordinates backwards. */
static void fill_transposed (const tori_machine *machine, uint32_t *target)
{
    int n = tori_machine_ndims (machine);
    for (uint32_t i = 0; i < tori_machine_nodes (machine); i++) {
        uint32_t c[TORI_MAX_DIMS], t[TORI_MAX_DIMS];
        tori_machine_coords (machine, i, c);
        for (int d = 0; d < n; d++)
            t[d] = c[n - 1 - d];
        target[i] = tori_machine_id (machine, t);
    }
}

/* A node sends everything to one node, or an equal share to each other one. */
static int find_bound (const struct panel *panel,
                       const struct setting *s, double *ret_bound,
                       tori_error *err)
{
    size_t links = (size_t)s->job.n * TORI_MAX_DIMS * 2;
    uint32_t *load = calloc (links, sizeof *load), most = 0;
    uint32_t *target = calloc (s->job.n, sizeof *target);
    bool random = strcmp (panel->pattern, "random") == 0;
    if (load && target) {
        fill_transposed (s->machine, target);
        add_routes (s, target, random, load);
        for (size_t i = 0; i < links; i++)
            if (load[i] > most)
                most = load[i];
        *ret_bound = (random ? s->job.n - 1.0 : 1.0) / most;
    }
    free (load);
    free (target);
    return most > 0 ? 0 : tori_error_nomem (err);
}

/* ---- all of them ---- */

/* A piece is a curve. */
static int run_piece (void *arg, size_t piece, tori_error *err)
{
    struct study *study = arg;
    const struct panel *panel = &panels[piece / LINES];
    struct curve *curve = &study->curve[piece];
    struct setting s;
    int status = setting_open (panel, &s, err);
    *curve = (struct curve){panel->machine, panel->pattern,
                            networks[piece % LINES].name};
    if (status == 0)
        status = find_bound (panel, &s, &curve->bound, err);
    if (status == 0)
        status = run_curve (study, piece, &s, err);
    setting_close (&s);
    return status;
}

static int compute_study (struct paper_run *run, tori_error *err)
{
    enum { CURVES = PANELS * LINES, POINTS = CURVES * LOADS };
    struct study *study = run->study;
    size_t n = 0;
    study->setup = run->setup;
    study->flits = FLITS;
    study->cycles = run->setup->limit ? run->setup->limit : CYCLES;
    study->warmup = study->cycles / 2;
    study->curve = paper_rows (run, 0, CURVES, sizeof *study->curve, err);
    study->point = paper_rows (run, 1, POINTS, sizeof *study->point, err);
    if (!study->curve || !study->point
        || paper_do_pieces (run->setup, CURVES, run_piece, study, err) < 0)
        return -1;
    for (size_t i = 0; i < POINTS; i++)
        if (study->point[i].panel)
            study->point[n++] = study->point[i];
    run->list[1].n = n;
    return 0;
}

/* The points of a panel, which follow each other. */
static struct rows points_of (const struct paper_run *run, size_t panel)
{
    const struct point *point = run->list[1].row;
    struct rows part = {NULL, 0, sizeof *point};
    for (size_t i = 0; i < run->list[1].n; i++)
        if (point[i].panel == &panels[panel]) {
            part.row = part.row ? part.row : &point[i];
            part.n++;
        }
    return part;
}

static void judge_study (struct paper_run *run)
{
    verdict_refuse (run,
                    &(struct published){
                        "all figures", "latency against load", "curves",
                        "its networks are larger, and others"},
                    "%zu curves", run->list[0].n);
}

static void print_study (struct paper_run *run)
{
    static const struct view_column load[] = {{"rate"}};
    static const struct pivot pivot
        = {{NULL, VIEW_COLUMNS (load), NULL}, "network", {"shown"}};
    const struct study *study = run->study;
    fprintf (
        run->out,
        "Messages of %d flits, buffers of %d, wormhole switching, one "
        "flit per cycle and link;\nloads in flits per node and cycle; "
        "%llu cycles of warm-up, then %llu measured.\n\n"
        "Saturation: the highest load at which latency does not grow with "
        "time\n",
        FLITS, FLITS, (unsigned long long)study->warmup,
        (unsigned long long)study->cycles);
    paper_table (run, 0);
    for (size_t p = 0; p < PANELS; p++) {
        const struct rows part = points_of (run, p);
        fprintf (run->out, "\n%s, %s: mean latency in cycles\n",
                 panels[p].machine, panels[p].pattern);
        paper_pivot (run, 1, &part, &pivot);
    }
}

static void draw_figures (struct paper_run *run)
{
    for (size_t p = 0; p < PANELS; p++) {
        const struct rows part = points_of (run, p);
        char title[80];
        const struct plot plot = {title,
                                  "load, % of a flit per node and cycle",
                                  "mean latency, cycles",
                                  .y_most = 150, /* the rest is not shown */
                                  .across = "network",
                                  .x = "rate",
                                  .y = "latency",
                                  PLOT_LINES (plot_lines)};
        snprintf (title, sizeof title, "%s, %s", panels[p].machine,
                  panels[p].pattern);
        paper_plot (run, 1, &part, panels[p].slug, &plot);
    }
}

const struct paper paper_latency = {
    .name = "latency",
    .citation = "W. J. Dally: Performance Analysis of k-ary n-cube "
                "Interconnection Networks. 1990",
    .what = "latency against load of messages on 8x8 and 8x8x8, mesh and "
            "torus, and where they saturate (curves of the paper's kind; its "
            "networks are others)",
    .takes = PAPER_LIMIT,
    .quick = {.limit = 500},
    .answer = &answer_sheet,
    .size = sizeof (struct study),
    .compute = compute_study,
    .judge = judge_study,
    .print = print_study,
    .draw = draw_figures,
};

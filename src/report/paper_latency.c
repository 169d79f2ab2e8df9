/* Latency against load of meshes and tori, the curves by which networks are
 * compared since W. J. Dally, "Performance Analysis of k-ary n-cube
 * Interconnection Networks", 1990: what is simulated. latency_output.c prints
 * it.
 *
 * A curve is gone along upwards in steps of 5 % of a flit a node a cycle, up
 * to the first load that is saturated; then the last load that is not is
 * found to a percent. */
#include <stdlib.h>
#include <string.h>

#include "latency.h"

const struct latency_panel latency_panels[LATENCY_PANELS] = {
    {"mesh-2-random", "mesh:8x8", "random"},
    {"torus-2-random", "torus:8x8", "random"},
    {"mesh-3-random", "mesh:8x8x8", "random"},
    {"torus-3-random", "torus:8x8x8", "random"},
    {"mesh-2-transpose", "mesh:8x8", "transpose"},
    {"torus-2-transpose", "torus:8x8", "transpose"},
    {"mesh-3-transpose", "mesh:8x8x8", "transpose"},
    {"torus-3-transpose", "torus:8x8x8", "transpose"},
};

const struct latency_line latency_lines[LATENCY_LINES] = {
    {"dimension order, 2 channels",
     {.vcs = 2, .buffer = LATENCY_FLITS},
     "lw 2 pt 7 ps 0.6 lc rgb '#9e9ac8'"},
    {"dimension order, 4 channels",
     {.vcs = 4, .buffer = LATENCY_FLITS},
     "lw 2 pt 5 ps 0.6 lc rgb '#3f007d'"},
    {"adaptive, 4 channels",
     {.vcs = 4, .buffer = LATENCY_FLITS, .routing = TORI_ADAPTIVE},
     "lw 2 pt 9 ps 0.6 lc rgb '#d94801'"},
};

/* ---- one simulation ---- */

/* A machine with a job on all of it. */
struct setting {
    tori_machine *machine;
    uint32_t *nodes;
    tori_traffic_job job;
};

static int setting_open (const struct latency_panel *panel,
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
        .flits = LATENCY_FLITS,
    };
    return 0;
}

static void setting_close (struct setting *s)
{
    free (s->nodes);
    tori_machine_destroy (s->machine);
}

static int simulate (const struct latency_study *study,
                     const struct setting *s, const struct latency_line *line,
                     int load, tori_traffic_outcome *ret_outcome,
                     tori_error *err)
{
    tori_traffic_config config = {
        .machine = s->machine,
        .net = line->net,
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

static void note (struct latency_curve *curve, int load,
                  const tori_traffic_outcome *outcome)
{
    if (outcome->accepted > curve->most)
        curve->most = outcome->accepted;
    if (!outcome->saturated && load > curve->saturation)
        curve->saturation = load;
}

/* Between a load that is not saturated and one that is. */
static int find_saturation (const struct latency_study *study,
                            const struct setting *s,
                            const struct latency_line *line, int saturated,
                            struct latency_curve *curve, tori_error *err)
{
    int low = saturated - LATENCY_STEP, high = saturated;
    while (high - low > 1) {
        int load = (low + high) / 2;
        tori_traffic_outcome outcome;
        if (simulate (study, s, line, load, &outcome, err) < 0)
            return -1;
        note (curve, load, &outcome);
        if (outcome.saturated)
            high = load;
        else
            low = load;
    }
    return 0;
}

static int run_curve (const struct latency_study *study,
                      const struct setting *s,
                      const struct latency_line *line,
                      struct latency_curve *curve, tori_error *err)
{
    for (int i = 0; i < LATENCY_LOADS; i++) {
        struct latency_point *point = &curve->point[i];
        int load = latency_load (i);
        if (simulate (study, s, line, load, &point->outcome, err) < 0)
            return -1;
        point->run = true;
        note (curve, load, &point->outcome);
        if (point->outcome.saturated)
            return find_saturation (study, s, line, load, curve, err);
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

/* A node sends all that it sends to one, or to each other one a share. */
static int find_bound (const struct latency_panel *panel,
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
    struct latency_study *study = arg;
    size_t p = piece / LATENCY_LINES, l = piece % LATENCY_LINES;
    struct setting s;
    int status = setting_open (&latency_panels[p], &s, err);
    if (status == 0 && l == 0)
        status = find_bound (&latency_panels[p], &s, &study->bound[p], err);
    if (status == 0)
        status = run_curve (study, &s, &latency_lines[l], &study->curve[p][l],
                            err);
    setting_close (&s);
    return status;
}

/* Figures come last: without gnuplot all else is there. */
static int report (const struct latency_study *study, FILE *out,
                   tori_error *err)
{
    const struct paper_setup *setup = study->setup;
    int status;
    if (setup->out && latency_write_csv (study, err) < 0)
        return -1;
    status = setup->json ? latency_emit (study, out, err)
                         : latency_print (study, out, err);
    if (status == 0 && setup->out)
        status = latency_draw (study, err);
    return status;
}

static int run (const struct paper_setup *setup, FILE *out, tori_error *err)
{
    struct latency_study *study;
    int status;
    if (paper_open_out (setup->out, err) < 0)
        return -1;
    study = calloc (1, sizeof *study);
    if (!study)
        return tori_error_nomem (err);
    study->setup = setup;
    study->cycles = setup->limit ? setup->limit : LATENCY_CYCLES;
    study->warmup = study->cycles / 2;
    status = paper_do_pieces (setup, LATENCY_PANELS * LATENCY_LINES, run_piece,
                              study, err);
    if (status == 0)
        status = report (study, out, err);
    free (study);
    return status;
}

const struct paper paper_latency = {
    .name = "latency",
    .citation = "W. J. Dally: Performance Analysis of k-ary n-cube "
                "Interconnection Networks. 1990",
    .what = "latency against load of messages on 8x8 and 8x8x8, mesh and "
            "torus, and where they saturate (curves of the paper's kind; its "
            "networks are others)",
    .takes = PAPER_LIMIT,
    .answer = &latency_sheet,
    .run = run,
};

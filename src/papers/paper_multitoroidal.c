/* Y. Aridor et al., "Multi-Toroidal Interconnects", 2004, sections 3 and 4:
 * the simulations. multitoroidal_output.c prints them. */
#include <stdlib.h>
#include <string.h>

#include "multitoroidal.h"
#include "parallel.h"
#include "starts.h"
#include "traces.h"

/* EASY is not in the paper; a site that runs a scheduler with backfilling
 * wants to know whether the finding holds for it. */
static const struct experiment experiments[EXPERIMENTS] = {
    {"12",
     "fcfs",
     "first-match",
     TORI_SHAPE_FIRST_MATCH,
     {{40, 50, 50. / 40}, {30, 60, 60. / 30}}},
    {"13",
     "backfill",
     "first-match",
     TORI_SHAPE_FIRST_MATCH,
     {{60, 80, 80. / 60}, {40, 80, 80. / 40}}},
    {"14", "backfill", "fat", TORI_SHAPE_FAT, {{0, 0, 4}, {0, 0, 2.5}}},
    {NULL, "easy", "first-match", TORI_SHAPE_FIRST_MATCH, {{0}}},
};

static const struct source logs[LOGS] = {
    {.name = "CTC SP2",
     .slug = "ctc",
     .file = "CTC-SP2-1996-3.1-cln.swf",
     .part = 'a',
     .scale = 1},
    {.name = "SDSC SP2",
     .slug = "sdsc",
     .file = "SDSC-SP2-1998-4.2-cln.swf",
     .part = 'b',
     .scale = 4},
};

/* How many jobs a model makes if there is no limit. */
enum { MODEL_JOBS = 10000 };

/* ---- workloads ---- */

static int find_logs (struct multi_study *study, tori_error *err)
{
    const struct paper_setup *setup = study->setup;
    for (size_t i = 0; i < LOGS; i++) {
        struct source *source = &study->source[study->sources++];
        *source = logs[i];
        if (traces_find (setup->traces, source->file, &source->path, err) < 0)
            return -1;
    }
    if (setup->model)
        study->source[study->sources++] = (struct source){
            .name = setup->model,
            .slug = setup->model,
            .model = setup->model,
            .scale = 1,
        };
    for (size_t i = 0; i < study->sources; i++)
        if (source_there (&study->source[i]))
            return 0;
    char places[300];
    traces_say (setup->traces, places, sizeof places);
    return tori_error_set (err, TORI_FAILED,
                           "neither %s nor %s, plain or .gz, is in %s; "
                           TRACES_ARCHIVE " has them, --traces says where "
                           "they are, and --model lublin does without",
                           logs[0].file, logs[1].file, places);
}

/* The jobs of a source, of which this fraction ask for a torus; as logged if
 * the load is 0. */
static int make_workload (const struct multi_study *study,
                          const struct source *source, tori_shaping shaping,
                          double torus_fraction, double load,
                          tori_workload *ret_workload, tori_error *err)
{
    size_t limit = study->setup->limit;
    tori_workload_options options = {
        .size = sizeof options,
        .shaping = shaping,
        .wiring = TORI_WIRE_TORUS,
        .torus_fraction = torus_fraction,
        .load = load,
        .scale_num = source->scale,
        .scale_den = 1,
        .limit = limit,
        .seed = study->setup->seed,
        .jobs = limit ? limit : MODEL_JOBS,
    };
    if (source->model)
        return tori_workload_model (source->model, study->torus, &options,
                                    ret_workload, err);
    return paper_read_log (source->path, study->torus, &options, ret_workload,
                           err);
}

/* The properties of a source; this also finds logs that cannot be read. */
static int survey_sources (struct multi_study *study, tori_error *err)
{
    for (size_t i = 0; i < study->sources; i++) {
        struct source *source = &study->source[i];
        tori_workload workload;
        if (!source_there (source))
            continue;
        if (make_workload (study, source, TORI_SHAPE_FIRST_MATCH, 1, 0,
                           &workload, err)
            < 0)
            return -1;
        source->jobs = workload.n;
        source->offered = workload.offered;
        tori_workload_clear (&workload);
    }
    return 0;
}

/* ---- simulations ---- */

static int simulate_jobs (const tori_machine *machine, const char *policy,
                          const tori_workload *workload, struct starts *starts,
                          tori_sim_result *ret_result, tori_error *err)
{
    tori_sim_config config = {
        .size = sizeof config,
        .machine = machine,
        .sched = TORI_SCHED (policy, TORI_ALLOC ("first-fit")),
        .on_start = starts ? starts_add : NULL,
        .arg = starts,
        .no_pairwise = true,
    };
    if (starts && starts_init (starts, machine, workload, err) < 0)
        return -1;
    return tori_sim_run (&config, workload, ret_result, err);
}

/* The simulations of a point. The last two have the same workload. */
struct run {
    const struct multi_study *study;
    const struct multi_panel *panel;
    double load;
    tori_workload workload;
    struct starts meshes, tori;
};

static int run_config (struct run *run, int i, tori_sim_result *ret_result,
                       tori_error *err)
{
    const struct config *config = &multitoroidal_configs[i];
    const struct experiment *experiment = run->panel->experiment;
    const tori_machine *machine = run->study->torus;
    struct starts *starts = NULL;
    if (i == TORUS_MESHES)
        starts = &run->meshes;
    if (i == MULTITORUS_TORI) {
        starts = &run->tori;
        machine = run->study->multitorus;
    } else {
        tori_workload_clear (&run->workload);
        if (make_workload (run->study, run->panel->source, experiment->shaping,
                           config->torus_fraction, run->load, &run->workload,
                           err)
            < 0)
            return -1;
    }
    return simulate_jobs (machine, experiment->policy, &run->workload, starts,
                          ret_result, err);
}

static void compare_runs (const struct run *run, struct multi_point *point)
{
    const struct starts *a = &run->meshes, *b = &run->tori;
    size_t i = starts_differ (a, b);
    point->differs = i != SIZE_MAX;
    if (point->differs)
        point->where =
            run->workload.jobs[i < b->n ? b->start[i].job : a->start[i].job]
                .id;
}

/* Heavy loads take longest; they come first, so that no processor is left
 * alone with one at the end. */
static int run_point (void *arg, size_t piece, tori_error *err)
{
    struct multi_study *study = arg;
    struct multi_panel *panel = &study->panel[piece % study->panels];
    int i = LOADS - 1 - (int)(piece / study->panels), status = 0;
    struct run run = {
        .study = study,
        .panel = panel,
        .load = load_percent (i) / 100.0,
    };
    for (int c = 0; status == 0 && c < CONFIGS; c++)
        status = run_config (&run, c, &panel->point[i].result[c], err);
    if (status == 0)
        compare_runs (&run, &panel->point[i]);
    starts_clear (&run.meshes);
    starts_clear (&run.tori);
    tori_workload_clear (&run.workload);
    return status;
}

/* ---- readings ---- */

/* The graphs that are read: those of torus jobs. */
static const int graphs_read[] = {TORUS_TORI, MULTITORUS_TORI};
enum { GRAPHS_READ = sizeof graphs_read / sizeof *graphs_read };

/* Utilizations are kept, by the load in percent: readings by other shares ask
 * for many of them again. */
struct probe {
    const struct multi_study *study;
    const struct multi_panel *panel;
    int config;
    bool known[100];
    double utilization[100];
};

static int simulate_load (const struct probe *probe, int percent,
                          double *ret_utilization, tori_error *err)
{
    const struct multi_study *study = probe->study;
    const struct experiment *experiment = probe->panel->experiment;
    const tori_machine *machine =
        probe->config == MULTITORUS_TORI ? study->multitorus : study->torus;
    tori_workload workload;
    tori_sim_result result;
    int status;
    if (make_workload (study, probe->panel->source, experiment->shaping, 1,
                       percent / 100.0, &workload, err)
        < 0)
        return -1;
    status = simulate_jobs (machine, experiment->policy, &workload, NULL,
                            &result, err);
    tori_workload_clear (&workload);
    if (status == 0)
        *ret_utilization = 100 * result.utilization;
    return status;
}

static int probe_load (void *arg, int percent, double *ret_utilization,
                       tori_error *err)
{
    struct probe *probe = arg;
    if (!probe->known[percent]
        && simulate_load (probe, percent, &probe->utilization[percent], err)
               < 0)
        return -1;
    probe->known[percent] = true;
    *ret_utilization = probe->utilization[percent];
    return 0;
}

static int read_graph (void *arg, size_t piece, tori_error *err)
{
    struct multi_study *study = arg;
    struct multi_panel *panel = &study->panel[piece / GRAPHS_READ];
    int config = graphs_read[piece % GRAPHS_READ], load[LOADS];
    double utilization[LOADS];
    struct probe probe = {study, panel, config, {0}, {0}};
    struct graph graph = {
        .load = load,
        .utilization = utilization,
        .n = LOADS,
        .measure = probe_load,
        .arg = &probe,
    };
    for (int i = 0; i < LOADS; i++) {
        load[i] = load_percent (i);
        utilization[i] = 100 * panel->point[i].result[config].utilization;
    }
    for (int s = 0; s < SHARES; s++) {
        graph.share = multitoroidal_shares[s];
        if (graph_read (&graph, &panel->straight[s][config], err) < 0)
            return -1;
    }
    return 0;
}

/* ---- both, one after the other ---- */

/* Between two loads ten percent apart a reading takes up to nine more. */
enum { PROBES = 9 * SHARES / 2 };

static void show_progress (const struct multi_study *study, size_t points,
                           size_t graphs)
{
    const struct paper_setup *setup = study->setup;
    if (setup->on_progress)
        setup->on_progress (setup->arg, CONFIGS * points + PROBES * graphs,
                            (CONFIGS * LOADS + PROBES * GRAPHS_READ)
                                * study->panels);
}

static void on_point (void *arg, size_t done)
{
    show_progress (arg, done, 0);
}

static void on_graph (void *arg, size_t done)
{
    const struct multi_study *study = arg;
    show_progress (study, LOADS * study->panels, done);
}

static void make_panels (struct multi_study *study)
{
    for (size_t i = 0; i < EXPERIMENTS * study->sources; i++) {
        const struct source *source = &study->source[i % study->sources];
        if (source_there (source))
            study->panel[study->panels++] = (struct multi_panel){
                .experiment = &experiments[i / study->sources],
                .source = source,
            };
    }
}

static int run_panels (struct multi_study *study, tori_error *err)
{
    struct parallel points = {
        .workers = study->setup->workers,
        .work = run_point,
        .on_done = on_point,
        .arg = study,
    };
    struct parallel graphs = {
        .workers = study->setup->workers,
        .work = read_graph,
        .on_done = on_graph,
        .arg = study,
    };
    study->panel = calloc (SOURCES * EXPERIMENTS, sizeof *study->panel);
    if (!study->panel)
        return tori_error_nomem (err);
    make_panels (study);
    points.n = study->panels * LOADS;
    graphs.n = study->panels * GRAPHS_READ;
    if (parallel_run (&points, err) < 0)
        return -1;
    return parallel_run (&graphs, err);
}

/* ---- the entry ---- */

static int compute_study (struct paper_run *run, tori_error *err)
{
    struct multi_study *study = run->study;
    study->setup = run->setup;
    if (tori_machine_parse (multitoroidal_configs[TORUS_TORI].machine,
                            &study->torus, err)
            < 0
        || tori_machine_parse (multitoroidal_configs[MULTITORUS_TORI].machine,
                               &study->multitorus, err)
               < 0
        || find_logs (study, err) < 0 || survey_sources (study, err) < 0
        || run_panels (study, err) < 0)
        return -1;
    return study_rows (run, err);
}

static void clear_study (void *arg)
{
    struct multi_study *study = arg;
    tori_machine_destroy (study->torus);
    tori_machine_destroy (study->multitorus);
    for (size_t i = 0; i < study->sources; i++)
        free (study->source[i].path);
    free (study->panel);
}

/* The theorem of section 2: a multi-torus wires every box as a torus. If the
 * run contradicts it, the numbers cannot be trusted. */
static int check_study (const struct paper_run *run, tori_error *err)
{
    const struct multi_panel *panel;
    char title[PANEL_TEXT];
    int i;
    if (!study_differs (run->study, &panel, &i))
        return 0;
    panel_title (panel, title);
    return tori_error_set (err, TORI_FAILED,
                           "%s, load %d %%: the multi-torus with tori and the "
                           "torus with meshes differ from job %lld on",
                           title, load_percent (i),
                           (long long)panel->point[i].where);
}

const struct paper paper_multitoroidal = {
    .name = "multitoroidal",
    .citation = paper_aridor_2004,
    .what = "Figures 12-14: how far a torus and a multi-torus can be loaded",
    .takes = PAPER_TRACES | PAPER_MODEL | PAPER_LIMIT,
    .quick = {.limit = 55000},
    .answer = &multitoroidal_sheet,
    .size = sizeof (struct multi_study),
    .compute = compute_study,
    .judge = study_judge,
    .print = study_print,
    .draw = study_draw,
    .check = check_study,
    .clear = clear_study,
};

/* M. Kang, C. Yu, H. Y. Youn, B. Lee, M. Kim, "Isomorphic Strategy for
 * Processor Allocation in k-Ary n-Cube Systems", 2003, section 5, Figures 9 to
 * 13. Beyond the figures: the three causes of delay that section 5.1 names,
 * service times that vary more than exponential ones, and the rule for sibling
 * subcubes that adapts to the load, which section 6 leaves for later. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <tori/sim.h>

#include "estimate.h"
#include "fold.h"
#include "numerical_wait.h"
#include "paper.h"

enum {
    LOADS = 9, /* 10 % to 90 % */
    SEEDS = 20,
    JOBS = 1000,
    LINES = 8, /* strategies of a panel, at the most */
    PANELS = 6,
    CUBIC_16 = 2, /* in the list of panels */
    NONCUBIC = 3, /* and those that follow */
    AT_40 = 3,    /* in the list of loads */
    AT_50 = 4,
    SERVICES = 5,
    SERVICE_MACHINES = 3,
    SERVICE_LOADS = 4,
    SERVICE_POINTS = SERVICES * SERVICE_MACHINES * SERVICE_LOADS,
    SERVICE_LENGTH = 10, /* times as many jobs as in the figures */
    QUICK_LENGTH = 3,    /* the same in a short run */
    TEXT = 128
};

static double load_of (size_t i)
{
    return (double)(i + 1) / 10;
}

/* The measures of a simulation. A delay is numerical while fewer nodes are
 * free than the first of the queue asks for, or, by nodes held, than it has to
 * hold at its start. The part of the topological delay in which a box of the
 * shape asked for is free, though the strategy does not see it, is
 * unrecognised. */
enum measure {
    RESPONSE,
    NUMERICAL,
    TOPOLOGICAL,
    UNRECOGNISED,
    UTILIZATION,
    NUMERICAL_HELD,
    TOPOLOGICAL_HELD,
    MEASURES
};

static const struct {
    const char *name, *slug, *label;
} measures[MEASURES] = {
    [RESPONSE] = {"response time", "response", "mean response time"},
    [NUMERICAL] = {"numerical delay", "numerical", "numerical delay"},
    [TOPOLOGICAL] = {"topological delay", "topological", "topological delay"},
    [UNRECOGNISED] = {"delay while a box is free that the strategy does not "
                      "recognise",
                      "unrecognised", "unrecognised delay"},
    [UTILIZATION] = {"utilization", "utilization"},
    [NUMERICAL_HELD] = {"numerical delay by nodes held", "numerical_held",
                        "numerical delay"},
    [TOPOLOGICAL_HELD] = {"topological delay by nodes held",
                          "topological_held", "topological delay"},
};

/* ---- other readings of the paper ---- */

static void fix_sides (tori_request *request)
{
    request->fixed = true;
}

/* Sides are rounded up to the next powers of two, and all of the box is taken.
 * The number asked for, by which a delay is numerical or topological, stays
 * the same. */
static void round_up (tori_request *request)
{
    request->shape = fold_rounded_up (&request->shape);
}

/* ---- what is run ---- */

/* An allocator, the request that it gets for a job, and its style in
 * figures. */
struct line {
    const char *name; /* in tables */
    const char *alloc;
    tori_noncubic noncubic;
    tori_hypercube hypercube;
    void (*reshape) (tori_request *request); /* NULL: the job as it is */
    bool gives_back; /* a box rounded up is held at the start, and the rest of
                        it given back at once */
    const char *style;
};

static const struct line isomorphic = {
    .name = "isomorphic",
    .alloc = "isomorphic",
    .gives_back = true,
    .style = "lw 2 pt 7 ps 0.6 lc rgb '#b2182b'",
};
static const struct line isomorphic_kept = {
    .name = "isomorphic, all kept",
    .alloc = "isomorphic",
    .reshape = round_up,
    .style = "lw 1.5 pt 2 ps 0.6 dt 3 lc rgb '#67001f'",
};
static const struct line decomposed = {
    .name = "isomorphic, decomposed",
    .alloc = "isomorphic",
    .noncubic = TORI_NONCUBIC_DECOMPOSE,
    .style = "lw 2 pt 6 ps 0.6 dt 2 lc rgb '#d6604d'",
};
static const struct line isomorphic_list = {
    .name = "isomorphic, free-list",
    .alloc = "isomorphic",
    .hypercube = TORI_HYPERCUBE_FREE_LIST,
    .gives_back = true,
    .style = "lw 1.5 pt 12 ps 0.6 dt 3 lc rgb '#f4a582'",
};
static const struct line isomorphic_adaptive = {
    .name = "isomorphic, adaptive",
    .alloc = "isomorphic",
    .hypercube = TORI_HYPERCUBE_ADAPTIVE,
    .gives_back = true,
    .style = "lw 1.5 pt 10 ps 0.6 dt 4 lc rgb '#d6604d'",
};
static const struct line etc = {
    .name = "etc",
    .alloc = "etc",
    .style = "lw 2 pt 5 ps 0.6 lc rgb '#2166ac'",
};
static const struct line etc_rounded = {
    .name = "etc, rounded up",
    .alloc = "etc",
    .reshape = round_up,
    .style = "lw 2 pt 4 ps 0.6 dt 2 lc rgb '#4393c3'",
};
static const struct line eb_fixed = {
    .name = "eb, not rotated",
    .alloc = "eb",
    .reshape = fix_sides,
    .style = "lw 1.5 pt 8 ps 0.6 dt 3 lc rgb '#969696'",
};
static const struct line eb = {
    .name = "eb",
    .alloc = "eb",
    .style = "lw 6 pt 9 ps 0.6 lc rgb '#bdbdbd'",
};
static const struct line egc = {
    .name = "egc",
    .alloc = "egc",
    .style = "lw 2 pt 11 ps 0.6 lc rgb '#737373'",
};
static const struct line k_partner = {
    .name = "k-partner",
    .alloc = "k-partner",
    .style = "lw 1.5 pt 13 ps 0.6 dt 2 lc rgb '#1a1a1a'",
};

static const struct line multiple_gc = {
    .name = "multiple-gc",
    .alloc = "multiple-gc",
    .style = "lw 1 pt 3 ps 0.6 dt 3 lc rgb '#525252'",
};

/* A machine and a workload; figures of the paper by measure, or NULL. */
struct panel {
    const char *slug;
    const char *title;
    const char *machine;
    const char *model;
    const char *figure[MEASURES];
    const struct line *line[LINES]; /* the rest is NULL */
};

/* Figure 9 is of all strategies on the smallest machine; its two best lines
 * are Figure 10a. Beside the text's strategies are other readings of it: eb
 * that keeps a job's sides along their given dimensions, and etc that looks
 * for rounded-up boxes and keeps them, which would cause the internal
 * fragmentation by which the text explains noncubic results. */
static const struct panel panels[PANELS] = {
    {"cubic-4", "4-ary 3-cube, cubic jobs", "torus:4^3", "cubic",
     {"9, 10a"},
     {&eb_fixed, &eb, &egc, &k_partner, &multiple_gc, &etc, &isomorphic}},
    {"cubic-8", "8-ary 3-cube, cubic jobs", "torus:8^3", "cubic",
     {"10b"}, {&etc, &isomorphic, &isomorphic_list, &isomorphic_adaptive}},
    {"cubic-16", "16-ary 3-cube, cubic jobs", "torus:16^3", "cubic",
     {"10c"}, {&etc, &isomorphic, &isomorphic_list, &isomorphic_adaptive}},
    {"noncubic-4", "4-ary 3-cube, noncubic jobs", "torus:4^3", "noncubic",
     {"11a", "12a", "13a", NULL, NULL, "12a", "13a"},
     {&etc_rounded, &etc, &isomorphic, &isomorphic_kept, &decomposed}},
    {"noncubic-8", "8-ary 3-cube, noncubic jobs", "torus:8^3", "noncubic",
     {"11b", "12b", "13b", NULL, NULL, "12b", "13b"},
     {&etc_rounded, &etc, &isomorphic, &isomorphic_kept, &decomposed}},
    {"noncubic-16", "16-ary 3-cube, noncubic jobs", "torus:16^3", "noncubic",
     {"11c", "12c", "13c", NULL, NULL, "12c", "13c"},
     {&etc_rounded, &etc, &isomorphic, &isomorphic_kept, &decomposed}},
};

/* How many strategies a panel has. */
static size_t lines_of (size_t panel)
{
    size_t n = 0;
    while (n < LINES && panels[panel].line[n])
        n++;
    return n;
}

/* ---- a point as a row ---- */

struct row {
    size_t panel;
    const char *machine, *model, *jobs, *strategy;
    double load;
    struct estimate value[MEASURES];
    int gain;
};

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
    MEASURE ("response", RESPONSE, "mean response", "service times"),
    MEASURE ("numerical", NUMERICAL,
             "mean delay while fewer nodes are free than the first job asks "
             "for",
             "service times", "numerical"),
    MEASURE ("topological", TOPOLOGICAL,
             "mean delay while enough are free", "service times",
             "topological"),
    MEASURE ("utilization", UTILIZATION, "the utilization"),
    MEASURE ("numerical_held", NUMERICAL_HELD,
             "mean delay while fewer nodes are free than the first job holds "
             "at its start",
             "service times", "numerical, held"),
    MEASURE ("topological_held", TOPOLOGICAL_HELD,
             "mean delay while enough are free by that", "service times",
             "topological, held"),
    {"gain", FIELD_INT, AT (gain),
     "by how much isomorphic answers sooner than this", "%"},
    MEASURE ("unrecognised", UNRECOGNISED,
             "the part of it in which a box of this shape is free, though the "
             "strategy does not see it",
             "service times", "of it unrecognised"),
};
#undef AT
static const struct sheet point_sheet
    = {"points", SHEET_FIELDS (point_fields)};

/* ---- service times ---- */

/* The paper names these distributions, and gives no parameters. */
static const struct {
    const char *name;
    double cv2; /* variance over squared mean */
} services[SERVICES] = {{"exponential", 1},
                        {"hyperexponential:2", 2},
                        {"uniform-log", 3.6},
                        {"hyperexponential:5", 5},
                        {"hyperexponential:10", 10}};

/* At the last, the queue only grows: it shows the most that a strategy
 * achieves. */
static const double service_load[SERVICE_LOADS] = {0.2, 0.3, 0.4, 0.9};

/* The measures of a strategy. */
enum { SERVED_RESPONSE, SERVED_UTILIZATION, SERVED_OFFERED, SERVED };

struct service_row {
    const char *machine, *service, *saturated;
    double cv2, load;
    struct estimate etc[SERVED], isomorphic[SERVED], gain, more;
};

#define AT(member) FIELD_AT (struct service_row, member)
#define ESTIMATE(name, member, ...)                                           \
    {name, FIELD_REAL, AT (member.mean), __VA_ARGS__},                        \
    {                                                                         \
        name "_half", FIELD_REAL, AT (member.half),                           \
            "half of its 95 % interval"                                       \
    }
static const struct field service_fields[] = {
    {"machine", FIELD_TEXT, AT (machine), "the machine; jobs are cubic",
     .title = "machine"},
    {"load", FIELD_REAL, AT (load), "the offered load", .title = "load",
     .decimals = 1},
    {"service", FIELD_TEXT, AT (service), "how service times are distributed",
     .title = "service"},
    {"cv2", FIELD_REAL, AT (cv2), "their variance over the squared mean",
     .title = "CV^2", .decimals = 1},
    ESTIMATE ("etc", etc[SERVED_RESPONSE], "mean response of etc",
              "service times", "etc", 2),
    ESTIMATE ("isomorphic", isomorphic[SERVED_RESPONSE],
              "mean response of isomorphic", "service times", "isomorphic",
              2),
    ESTIMATE ("gain", gain, "by how much isomorphic answers sooner",
              .title = "sooner by, %", .decimals = 1, .scale = 100),
    ESTIMATE ("etc_utilization", etc[SERVED_UTILIZATION],
              "utilization by etc", .title = "etc, %", .decimals = 1,
              .scale = 100),
    ESTIMATE ("isomorphic_utilization", isomorphic[SERVED_UTILIZATION],
              "utilization by isomorphic", .title = "isomorphic, %",
              .decimals = 1, .scale = 100),
    ESTIMATE ("more", more, "by how much isomorphic's utilization is larger",
              .title = "more by, %", .decimals = 1, .scale = 100),
    {"saturated", FIELD_TEXT, AT (saturated),
     "which of them do less than 95 % of the load: their response says how "
     "long the run was",
     .title = "saturated"},
};
#undef AT
static const struct sheet service_sheet
    = {"services", SHEET_FIELDS (service_fields)};

struct study {
    const struct paper_setup *setup;
    size_t jobs, seeds, service_jobs;
    tori_machine *machine[PANELS];
    double served[SERVICE_POINTS][SEEDS][2][SERVED]; /* etc, isomorphic */

    /* By panel, line, load, seed, measure. */
    double sample[PANELS][LINES][LOADS][SEEDS][MEASURES];
};

static const struct field answer_fields[] = {
    {"seeds", FIELD_SIZE, FIELD_AT (struct study, seeds),
     "how many seeds each mean is of"},
    {"jobs", FIELD_SIZE, FIELD_AT (struct study, jobs),
     "how many jobs a simulation has"},
    {"service_jobs", FIELD_SIZE, FIELD_AT (struct study, service_jobs),
     "how many jobs a simulation of service times has"},
    {"points", FIELD_LIST, .about = "every machine, strategy and load",
     .group = &point_sheet},
    {"services", FIELD_LIST,
     .about = "etc and isomorphic by the distribution of service times",
     .group = &service_sheet},
};
static const struct sheet answer_sheet
    = {"isomorphic", SHEET_FIELDS (answer_fields)};

/* The mean of the seeds' means, and Student's interval. */
static struct estimate value_of (const struct study *study, size_t p, size_t l,
                                 size_t load, enum measure measure)
{
    double value[SEEDS];
    for (size_t i = 0; i < study->seeds; i++)
        value[i] = study->sample[p][l][load][i][measure];
    return estimate_of (value, study->seeds);
}

static struct row row_of (const struct study *study, size_t p, size_t l,
                          size_t load)
{
    const struct panel *panel = &panels[p];
    struct row row = {.panel = p,
                      .machine = panel->machine,
                      .model = panel->model,
                      .jobs = panel->title,
                      .strategy = panel->line[l]->name,
                      .load = load_of (load)};
    size_t ours = 0;
    while (panel->line[ours] != &isomorphic)
        ours++;
    for (int m = 0; m < MEASURES; m++)
        row.value[m] = value_of (study, p, l, load, (enum measure)m);
    if (row.value[RESPONSE].mean > 0)
        row.gain = (int)round (
            100
            * (1
               - value_of (study, p, ours, load, RESPONSE).mean
                     / row.value[RESPONSE].mean));
    return row;
}

/* Panel by panel, strategy by strategy, load by load. */
static int make_rows (struct paper_run *run, tori_error *err)
{
    struct row *rows
        = paper_rows (run, 0, PANELS * LINES * LOADS, sizeof *rows, err);
    size_t n = 0;
    for (size_t p = 0; rows && p < PANELS; p++)
        for (size_t l = 0; l < lines_of (p); l++)
            for (size_t i = 0; i < LOADS; i++)
                rows[n++] = row_of (run->study, p, l, i);
    run->list[0].n = n;
    return rows ? 0 : -1;
}

/* ---- simulations ---- */

/* The jobs of a workload as requests to a strategy. */
static int reshape_jobs (const tori_workload *workload,
                         void (*change) (tori_request *request),
                         tori_work **ret_jobs, tori_error *err)
{
    tori_work *jobs = malloc ((workload->n + 1) * sizeof *jobs);
    if (!jobs)
        return tori_error_nomem (err);
    for (size_t i = 0; i < workload->n; i++) {
        jobs[i] = workload->jobs[i];
        if (change)
            change (&jobs[i].request);
    }
    *ret_jobs = jobs;
    return 0;
}

/* The jobs of a simulation as they start, and the delay while a box is free
 * that the strategy does not see, summed over jobs. `seeing` finds every box.
 */
struct record {
    const struct line *line;
    const tori_workload *workload;
    tori_alloc *seeing;
    double unrecognised; /* seconds */
    struct numerical_wait_job *job;
    size_t n;
};

static int on_start (void *arg, const tori_sim_job *job, tori_error *err)
{
    struct record *record = arg;
    tori_shape rounded = fold_rounded_up (&job->work->request.shape);
    record->job[record->n++] = (struct numerical_wait_job){
        .submit = job->work->submit,
        .start = job->start,
        .finish = job->finish,
        .need = record->line->gives_back
                    ? (uint32_t)tori_shape_volume (&rounded)
                    : job->place->count,
        .held = job->place->count,
    };
    return 0;
}

/* The first job of the queue waits, though enough nodes are free: look whether
 * there is a box for the job as it was before any reshaping. */
static int on_pass (void *arg, const tori_sched *sched, tori_time now,
                    tori_time until, tori_error *err)
{
    struct record *record = arg;
    tori_placement place = {0};
    tori_outcome outcome;
    uint64_t tag;
    tori_job job;
    if (tori_sched_blocked (sched) != TORI_REASON_TOPOLOGICAL
        || !tori_sched_head (sched, &job, &tag))
        return 0;
    outcome = tori_alloc_place (record->seeing, tori_sched_state (sched),
                                &record->workload->jobs[tag].request, &place,
                                err);
    tori_placement_clear (&place);
    if (outcome == TORI_PLACED)
        record->unrecognised += (double)(until - now) / (double)TORI_SECOND
                                * (double)tori_sched_queued (sched);
    return outcome == TORI_ERROR ? -1 : 0;
}

/* The delays by nodes held: every wait is numerical or topological. */
static int split_by_held (const struct record *record, uint32_t nodes,
                          double *sample, tori_error *err)
{
    double unit = (double)TORI_SECOND * (double)record->n;
    tori_time numerical, wait = 0;
    if (numerical_wait_sum (record->job, record->n, nodes, &numerical, err)
        < 0)
        return -1;
    for (size_t i = 0; i < record->n; i++)
        wait += record->job[i].start - record->job[i].submit;
    sample[NUMERICAL_HELD] = (double)numerical / unit;
    sample[TOPOLOGICAL_HELD] = (double)(wait - numerical) / unit;
    return 0;
}

static int replay_jobs (const struct line *line, const tori_machine *machine,
                        const tori_workload *workload, struct record *record,
                        tori_sim_result *ret_result, tori_error *err)
{
    tori_sim_config config = {
        .size = sizeof config,
        .machine = machine,
        .sched = TORI_SCHED (
            "fcfs", TORI_ALLOC (line->alloc, .noncubic = line->noncubic,
                                .hypercube = line->hypercube)),
        .no_pairwise = true,
        .on_start = record ? on_start : NULL,
        .on_pass = record ? on_pass : NULL,
        .arg = record,
    };
    tori_workload own = *workload;
    int status;
    if (reshape_jobs (workload, line->reshape, &own.jobs, err) < 0)
        return -1;
    status = tori_sim_run (&config, &own, ret_result, err);
    free (own.jobs);
    return status;
}

static int simulate_point (const struct study *study, size_t p, size_t l,
                           const tori_workload *workload, double *sample,
                           tori_error *err)
{
    const struct line *line = panels[p].line[l];
    const tori_machine *machine = study->machine[p];
    struct record record = {
        .line = line,
        .workload = workload,
        .job = calloc (workload->n + 1, sizeof *record.job),
    };
    tori_sim_result result;
    int status = record.job ? 0 : tori_error_nomem (err);
    if (status == 0)
        status = tori_alloc_create (machine, TORI_ALLOC ("etc"),
                                    &record.seeing, err);
    if (status == 0)
        status = replay_jobs (line, machine, workload, &record, &result, err);
    if (status == 0)
        status = split_by_held (&record, tori_machine_nodes (machine), sample,
                                err);
    tori_alloc_destroy (record.seeing);
    free (record.job);
    if (status < 0)
        return -1;
    sample[RESPONSE] = result.response.mean;
    sample[NUMERICAL] = result.numerical;
    sample[TOPOLOGICAL] = result.topological;
    sample[UNRECOGNISED] = record.unrecognised / (double)result.jobs;
    sample[UTILIZATION] = result.utilization;
    return 0;
}

static tori_workload_options options_of (const struct study *study,
                                         size_t seed)
{
    return (tori_workload_options){.size = sizeof (tori_workload_options),
                                   .shaping = TORI_SHAPE_FIRST_MATCH,
                                   .seed = study->setup->seed + seed};
}

/* A piece is a panel at a load with a seed: every strategy gets the same
 * jobs. */
static int run_piece (void *arg, size_t piece, tori_error *err)
{
    struct study *study = arg;
    size_t seed = piece % study->seeds, load = piece / study->seeds % LOADS;
    size_t p = piece / study->seeds / LOADS;
    int status = 0;
    tori_workload_options options = options_of (study, seed);
    tori_workload workload;
    options.load = load_of (load);
    options.jobs = study->jobs;
    options.service = study->setup->service;
    if (tori_workload_model (panels[p].model, study->machine[p], &options,
                             &workload, err)
        < 0)
        return -1;
    for (size_t l = 0; status == 0 && l < lines_of (p); l++)
        status = simulate_point (study, p, l, &workload,
                                 study->sample[p][l][load][seed], err);
    tori_workload_clear (&workload);
    return status;
}

/* ---- simulations of service times ---- */

/* Points are by machine, load and service. The machines are those of the first
 * panels, which have cubic jobs. */
static int run_service (void *arg, size_t piece, tori_error *err)
{
    static const struct line *const lines[2] = {&etc, &isomorphic};
    struct study *study = arg;
    size_t point = piece / study->seeds, seed = piece % study->seeds;
    const tori_machine *machine
        = study->machine[point / SERVICES / SERVICE_LOADS];
    tori_workload_options options = options_of (study, seed);
    tori_workload workload;
    int status = 0;
    options.load = service_load[point / SERVICES % SERVICE_LOADS];
    options.jobs = study->service_jobs;
    options.service = services[point % SERVICES].name;
    if (tori_workload_model ("cubic", machine, &options, &workload, err) < 0)
        return -1;
    for (size_t l = 0; status == 0 && l < 2; l++) {
        tori_sim_result result;
        status = replay_jobs (lines[l], machine, &workload, NULL, &result,
                              err);
        if (status == 0) {
            double *served = study->served[point][seed][l];
            served[SERVED_RESPONSE] = result.response.mean;
            served[SERVED_UTILIZATION] = result.utilization;
            served[SERVED_OFFERED] = result.offered;
        }
    }
    tori_workload_clear (&workload);
    return status;
}

/* A ratio of means. Both strategies have the same jobs, so the interval is that
 * of a ratio of paired samples. */
static struct estimate ratio_of (const double above[], const double below[],
                                 size_t n)
{
    double mean = estimate_of (below, n).mean, squares = 0;
    double ratio = estimate_of (above, n).mean / mean;
    for (size_t i = 0; i < n; i++) {
        double off = (above[i] - ratio * below[i]) / mean;
        squares += off * off;
    }
    return estimate_from (ratio, squares, n);
}

static const char *saturated_of (const struct service_row *row)
{
    double least = 0.95 * row->etc[SERVED_OFFERED].mean;
    if (row->isomorphic[SERVED_UTILIZATION].mean < least)
        return "both";
    return row->etc[SERVED_UTILIZATION].mean < least ? "etc" : "";
}

static struct service_row service_row_of (const struct study *study, size_t p)
{
    struct service_row row = {
        .machine = panels[p / SERVICES / SERVICE_LOADS].machine,
        .load = service_load[p / SERVICES % SERVICE_LOADS],
        .service = services[p % SERVICES].name,
        .cv2 = services[p % SERVICES].cv2,
    };
    double value[2][SERVED][SEEDS] = {{{0}}};
    size_t n = study->seeds;
    for (size_t i = 0; i < n; i++)
        for (int l = 0; l < 2; l++)
            for (int m = 0; m < SERVED; m++)
                value[l][m][i] = study->served[p][i][l][m];
    for (int m = 0; m < SERVED; m++) {
        row.etc[m] = estimate_of (value[0][m], n);
        row.isomorphic[m] = estimate_of (value[1][m], n);
    }
    row.gain = ratio_of (value[1][SERVED_RESPONSE], value[0][SERVED_RESPONSE],
                         n);
    row.gain.mean = 1 - row.gain.mean;
    row.more = ratio_of (value[1][SERVED_UTILIZATION],
                         value[0][SERVED_UTILIZATION], n);
    row.more.mean -= 1;
    row.saturated = saturated_of (&row);
    return row;
}

static int make_service_rows (struct paper_run *run, tori_error *err)
{
    struct service_row *rows
        = paper_rows (run, 1, SERVICE_POINTS, sizeof *rows, err);
    for (size_t i = 0; rows && i < SERVICE_POINTS; i++)
        rows[i] = service_row_of (run->study, i);
    return rows ? 0 : -1;
}

/* A piece of the figures, or of the service times. */
static int run_any (void *arg, size_t piece, tori_error *err)
{
    struct study *study = arg;
    size_t figures = PANELS * LOADS * study->seeds;
    return piece < figures ? run_piece (arg, piece, err)
                           : run_service (arg, piece - figures, err);
}

static int compute_study (struct paper_run *run, tori_error *err)
{
    struct study *study = run->study;
    study->setup = run->setup;
    study->jobs = run->setup->limit ? run->setup->limit : JOBS;
    study->service_jobs
        = (run->setup->quick ? QUICK_LENGTH : SERVICE_LENGTH) * study->jobs;
    study->seeds = run->setup->seeds ? run->setup->seeds : SEEDS;
    for (size_t p = 0; p < PANELS; p++)
        if (tori_machine_parse (panels[p].machine, &study->machine[p], err)
            < 0)
            return -1;
    if (paper_do_pieces (run->setup,
                         (PANELS * LOADS + SERVICE_POINTS) * study->seeds,
                         run_any, study, err)
            < 0
        || make_rows (run, err) < 0)
        return -1;
    return make_service_rows (run, err);
}

static void clear_study (void *arg)
{
    struct study *study = arg;
    for (size_t p = 0; p < PANELS; p++)
        tori_machine_destroy (study->machine[p]);
}

/* ---- tables ---- */

/* The rows of a panel, which follow each other. */
static struct rows rows_of (const struct paper_run *run, size_t panel)
{
    const struct row *row = run->list[0].row;
    while (row->panel < panel)
        row++;
    return (struct rows){row, lines_of (panel) * LOADS, sizeof *row};
}

/* "Figure 11a: 4-ary 3-cube, noncubic jobs, response time". */
static void panel_title (const struct panel *panel, int measure,
                         char text[TEXT])
{
    const char *figure = panel->figure[measure];
    snprintf (text, TEXT, "%s%s%s%s, %s", figure ? "Figure " : "",
              figure ? figure : "", figure ? ": " : "", panel->title,
              measures[measure].name);
}

/* A table for each measure of a panel. */
static void print_panel (struct paper_run *run, size_t panel)
{
    static const struct view_column load[] = {{"load"}};
    const struct rows rows = rows_of (run, panel);
    for (int m = 0; m < MEASURES; m++) {
        char title[TEXT], half[TEXT];
        const struct pivot pivot = {{NULL, VIEW_COLUMNS (load), NULL},
                                    "strategy",
                                    {measures[m].slug, .half = half}};
        snprintf (half, sizeof half, "%s_half", measures[m].slug);
        panel_title (&panels[panel], m, title);
        fprintf (run->out, "\n%s\n", title);
        paper_pivot (run, 0, &rows, &pivot);
    }
}

static bool is_line (const struct row *row, const struct line *line)
{
    return strcmp (row->strategy, line->name) == 0;
}

static bool is_etc (const void *row)
{
    return is_line (row, &etc);
}

static bool is_etc_rounded (const void *row)
{
    return is_line (row, &etc_rounded);
}

/* Cubic jobs at a load of 40 %. */
static bool is_cause (const void *row)
{
    const struct row *is = row;
    return is->panel < 3 && is->load == load_of (3);
}

/* Figures 12 and 13 are of noncubic jobs, at a load of 40 %. */
static bool is_delay (const void *row)
{
    const struct row *is = row;
    return is->panel >= NONCUBIC && is->load == load_of (AT_40);
}

/* The most that a strategy achieves, in percent. */
static double levels_off (const struct rows *rows, const struct line *line)
{
    const struct row *row = rows->row;
    double most = 0;
    for (size_t i = 0; i < rows->n; i++)
        if (is_line (&row[i], line))
            most = fmax (most, row[i].value[UTILIZATION].mean);
    return 100 * most;
}

/* ---- verdicts ---- */

/* The means of a strategy on a panel at a load. */
static const struct row *point_of (const struct paper_run *run, size_t panel,
                                   const struct line *line, size_t load)
{
    const struct rows rows = rows_of (run, panel);
    const struct row *row = rows.row;
    while (!is_line (row, line))
        row++;
    return row + load;
}

static double mean_of (const struct paper_run *run, size_t panel,
                       const struct line *line, size_t load,
                       enum measure measure)
{
    return point_of (run, panel, line, load)->value[measure].mean;
}

/* The most by which isomorphic answers sooner than a strategy, on any of
 * three panels. */
static int most_gain (const struct paper_run *run, size_t panel,
                      const struct line *line, size_t load)
{
    int most = INT_MIN;
    for (size_t p = panel; p < panel + 3; p++) {
        int gain = point_of (run, p, line, load)->gain;
        most = gain > most ? gain : most;
    }
    return most;
}

/* By how much less isomorphic, which keeps its box, waits than etc that
 * rounds up, in percent; the least of the noncubic panels. */
static double least_saving (const struct paper_run *run, enum measure measure)
{
    double least = 100;
    for (size_t p = NONCUBIC; p < PANELS; p++) {
        double ours = mean_of (run, p, &isomorphic_kept, AT_40, measure);
        double theirs = mean_of (run, p, &etc_rounded, AT_40, measure);
        double saving = theirs > 0 ? 100 * (1 - ours / theirs) : 0;
        least = fmin (least, saving);
    }
    return least;
}

/* The reading under which k-partner is ahead of eb. */
static void judge_fixed (struct paper_run *run, double partner)
{
    const struct rows rows = rows_of (run, 0);
    double buddy = mean_of (run, 0, &eb_fixed, AT_40, RESPONSE);
    double level = levels_off (&rows, &eb_fixed);
    bool ahead = partner < 0.9 * buddy;
    verdict_compare (run,
                     &(struct published){
                         "Figure 9",
                         "the same, and 30 %, if eb does not rotate jobs",
                         "yes",
                         !ahead       ? "k-partner is not ahead"
                         : level < 30 ? "that eb levels off before 30 %"
                                      : "that eb levels off after 30 %"},
                     ahead && verdict_near (30, level),
                     "%.1f and %.1f at 0.4, and eb levels off at %.0f %%",
                     partner, buddy, level);
}

static void judge_slices (struct paper_run *run)
{
    double ours = mean_of (run, 0, &isomorphic, AT_40, RESPONSE);
    double buddy = mean_of (run, 0, &eb, AT_40, RESPONSE);
    double partner = mean_of (run, 0, &k_partner, AT_40, RESPONSE);
    double collapsing = mean_of (run, 0, &etc, AT_40, RESPONSE);
    const struct rows rows = rows_of (run, 0);
    verdict_compare (run,
                     &(struct published){"Figure 9",
                                         "isomorphic ahead of eb, egc and "
                                         "k-partner",
                                         "by a considerable margin",
                                         "it is not"},
                     2 * ours < fmin (buddy, partner),
                     "%.1f, %.1f and %.1f service times at 0.4", ours, buddy,
                     partner);
    verdict_compare (run,
                     &(struct published){"Figure 9",
                                         "etc comparable with isomorphic",
                                         "comparable", "it is not"},
                     verdict_near (ours, collapsing), "%.2f and %.2f at 0.4",
                     collapsing, ours);
    verdict_compare (run,
                     &(struct published){"Figure 9",
                                         "utilization at which eb and egc "
                                         "degrade, %",
                                         "30", "they level off elsewhere"},
                     verdict_near (30, levels_off (&rows, &eb)), "%.0f",
                     levels_off (&rows, &eb));
    verdict_compare (run,
                     &(struct published){
                         "Figure 9", "k-partner ahead of eb and egc", "yes",
                         "no slice of other dimensions is free when it "
                         "matters"},
                     partner < 0.9 * buddy, "%.1f and %.1f at 0.4", partner,
                     buddy);
    judge_fixed (run, partner);
}

static void judge_gains (struct paper_run *run)
{
    const struct rows rows = rows_of (run, CUBIC_16);
    double level = levels_off (&rows, &etc);
    int cubic = most_gain (run, 0, &etc, AT_50);
    int asked = most_gain (run, NONCUBIC, &etc, AT_40);
    int rounded = most_gain (run, NONCUBIC, &etc_rounded, AT_40);
    verdict_compare (run,
                     &(struct published){"Figure 10c",
                                         "utilization at which etc saturates, "
                                         "%",
                                         "about 50", "it levels off elsewhere"},
                     verdict_near (50, level), "%.0f", level);
    verdict_compare (run,
                     &(struct published){"Figure 10",
                                         "isomorphic sooner than etc at 50 %, "
                                         "cubic jobs, %",
                                         "up to 49", "another gain"},
                     verdict_near (49, cubic), "up to %d", cubic);
    verdict_compare (run,
                     &(struct published){
                         "Figure 11",
                         "sooner than etc at 40 %, noncubic jobs, %",
                         "up to 45",
                         "etc of section 2 takes the box that is asked for"},
                     verdict_near (45, asked), "%d at best", asked);
    verdict_compare (run,
                     &(struct published){"Figure 11",
                                         "the same if etc rounds up, too",
                                         "up to 45", "another gain"},
                     verdict_near (45, rounded), "up to %d", rounded);
    verdict_refuse (run,
                    &(struct published){"Section 1",
                                        "isomorphic sooner than etc, %",
                                        "7 to 49", "its loads are not given"},
                    "-");
}

/* The row of a machine (as in the list of panels), load and service. */
static const struct service_row *
service_at (const struct paper_run *run, size_t machine, size_t load,
            size_t service)
{
    const struct service_row *row = run->list[1].row;
    return &row[(machine * SERVICE_LOADS + load) * SERVICES + service];
}

/* On 8-ary at 30 %, where neither is saturated, and at the most that both
 * achieve on 16-ary. */
static void judge_services (struct paper_run *run)
{
    enum { CUBIC_8 = 1, AT_30 = 1, FULL = SERVICE_LOADS - 1 };
    double low = service_at (run, CUBIC_8, AT_30, 0)->gain.mean;
    double high = service_at (run, CUBIC_8, AT_30, SERVICES - 1)->gain.mean;
    double few = service_at (run, CUBIC_16, FULL, 0)->more.mean;
    double many = service_at (run, CUBIC_16, FULL, SERVICES - 1)->more.mean;
    verdict_compare (run,
                     &(struct published){"Section 5.1",
                                         "gain in response if service times "
                                         "vary widely",
                                         "more favourable",
                                         "it is not more"},
                     high > low,
                     "8-ary at 0.3: %.0f %%, and %.0f %% at CV^2 = 10",
                     100 * low, 100 * high);
    verdict_compare (run,
                     &(struct published){"Section 5.1",
                                         "gain in utilization if they do",
                                         "more favourable",
                                         "long jobs hold up large ones, "
                                         "wherever they are"},
                     many > few, "16-ary: %.0f %%, and %.0f %% at CV^2 = 10",
                     100 * few, 100 * many);
}

static void judge_study (struct paper_run *run)
{
    double numerical = least_saving (run, NUMERICAL_HELD);
    double topological = least_saving (run, TOPOLOGICAL_HELD);
    judge_slices (run);
    judge_gains (run);
    judge_services (run);
    verdict_compare (run,
                     &(struct published){"Figure 12",
                                         "numerical delay, both round up",
                                         "less than with etc", "it is more"},
                     numerical > 0, "at least %.0f %% less", numerical);
    verdict_compare (run,
                     &(struct published){"Figure 13",
                                         "topological delay, both round up",
                                         "much less", "it is not"},
                     topological > 0 && topological > 2 * numerical,
                     "at least %.0f %% less", topological);
}

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

static const struct view_column delay_columns[]
    = {{"machine"},
       {"strategy"},
       {"numerical", .half = "numerical_half"},
       {"topological", .half = "topological_half"},
       {"numerical_held", .half = "numerical_held_half"},
       {"topological_held", .half = "topological_held_half"}};
static const struct view delays
    = {"\nPrinted: isomorphic has less numerical delay than etc (Figure "
       "12), and the\ndifference in topological delay is much larger "
       "(Figure 13). Ours at 40 %, by the\nnodes that a job asks for, and "
       "by those that it holds at its start:\n",
       VIEW_COLUMNS (delay_columns), is_delay};

static const struct view_column cause_columns[]
    = {{"machine"},
       {"strategy"},
       {"numerical", .half = "numerical_half"},
       {"topological", .half = "topological_half"},
       {"unrecognised", .half = "unrecognised_half"}};
static const struct view causes
    = {"\nThe three causes of delay that section 5.1 names, with cubic jobs at "
       "40 %: too few\nnodes, no box among enough nodes, and a box that the "
       "strategy does not recognise,\nwhich is part of the topological "
       "delay\n",
       VIEW_COLUMNS (cause_columns), is_cause};

static bool is_full (const void *row)
{
    return ((const struct service_row *)row)->load > 0.5;
}

static bool is_not_full (const void *row)
{
    return !is_full (row);
}

static const struct view_column service_columns[]
    = {{"machine"},
       {"load"},
       {"service"},
       {"cv2"},
       {"etc", .half = "etc_half"},
       {"isomorphic", .half = "isomorphic_half"},
       {"gain", .half = "gain_half"},
       {"saturated"}};
static const struct view service_view
    = {NULL, VIEW_COLUMNS (service_columns), is_not_full};
static const struct view_column full_columns[]
    = {{"machine"},
       {"service"},
       {"cv2"},
       {"etc_utilization", .half = "etc_utilization_half"},
       {"isomorphic_utilization", .half = "isomorphic_utilization_half"},
       {"more", .half = "more_half"}};
static const struct view full_view
    = {"\nThe most that they achieve: utilization at an offered load of 90 "
       "%\n",
       VIEW_COLUMNS (full_columns), is_full};

static void print_services (struct paper_run *run)
{
    const struct study *study = run->study;
    fprintf (run->out,
             "\nPrinted: more favourable results for isomorphic are expected "
             "if the workload varies\nwidely (section 5.1). Ours: cubic jobs, "
             "%zu a seed, by the service times:\n",
             study->service_jobs);
    paper_view (run, 1, NULL, &service_view);
    paper_view (run, 1, NULL, &full_view);
}

static void print_study (struct paper_run *run)
{
    const struct study *study = run->study;
    const struct rows cubic = rows_of (run, CUBIC_16);
    fprintf (
        run->out,
        "Poisson arrivals, %s service of mean 1, fcfs; %zu seeds "
        "of %zu jobs;\nmeans and 95 %% intervals over seeds, in service "
        "times.\n",
        run->setup->service ? run->setup->service : "exponential",
        study->seeds, study->jobs);
    for (size_t p = 0; p < PANELS; p++)
        print_panel (run, p);
    paper_pivot (run, 0, NULL, &gains[0]);
    paper_pivot (run, 0, NULL, &gains[1]);
    fprintf (run->out,
             "\nPrinted: on 16-ary with cubic jobs etc saturates near 50 %% "
             "utilization.\nOurs: etc levels off at %.0f %%, isomorphic at "
             "%.0f %%.\n",
             levels_off (&cubic, &etc), levels_off (&cubic, &isomorphic));
    paper_view (run, 0, NULL, &causes);
    print_services (run);
    paper_view (run, 0, NULL, &delays);
}

/* ---- figures ---- */

/* A queue that grows without end is not drawn, and the figure says so. The x
 * axis is the achieved utilization, as in the paper. */
static void draw_measure (struct paper_run *run, size_t p, int m)
{
    const struct panel *panel = &panels[p];
    const struct rows rows = rows_of (run, p);
    struct plot_line line[LINES];
    char title[TEXT], name[TEXT], half[TEXT], y_label[TEXT];
    const struct plot plot
        = {title,
           "utilization achieved, % (bars: 95 % of the means)",
           y_label,
           .y_most = 20,
           .across = "strategy",
           .x = "utilization",
           .x_scale = 100,
           .y = measures[m].slug,
           .half = half,
           .line = line,
           .lines = lines_of (p)};
    for (size_t l = 0; l < plot.lines; l++)
        line[l] = (struct plot_line){panel->line[l]->name,
                                     panel->line[l]->style};
    panel_title (panel, m, title);
    snprintf (y_label, sizeof y_label,
              "%s, service times (what is above 20 is not shown)",
              measures[m].label);
    snprintf (name, sizeof name, "%s-%s", panel->slug, measures[m].slug);
    snprintf (half, sizeof half, "%s_half", measures[m].slug);
    paper_plot (run, 0, &rows, name, &plot);
}

/* Delays by nodes held are drawn if the paper has figures of them. */
static void draw_figures (struct paper_run *run)
{
    for (size_t p = 0; p < PANELS; p++)
        for (int m = 0; m < MEASURES; m++)
            if (m < UNRECOGNISED || panels[p].figure[m])
                draw_measure (run, p, m);
}

const struct paper paper_isomorphic = {
    .name = "isomorphic",
    .citation = paper_kang_2003,
    .what = "Figures 9-13: response time and delays of jobs that ask for "
            "subcubes",
    .takes = PAPER_LIMIT | PAPER_SEEDS | PAPER_SERVICE,
    .answer = &answer_sheet,
    .size = sizeof (struct study),
    .compute = compute_study,
    .judge = judge_study,
    .print = print_study,
    .draw = draw_figures,
    .clear = clear_study,
};

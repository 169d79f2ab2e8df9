/* M. Kang, C. Yu, H. Y. Youn, B. Lee, M. Kim, "Isomorphic Strategy for
 * Processor Allocation in k-Ary n-Cube Systems", 2003, section 5, Figures 9 to
 * 13. Beyond the figures: the three causes of delay that section 5.1 names,
 * service times that vary more than exponential ones, and the rule for sibling
 * subcubes that adapts to the load, which section 6 leaves for later. */
#include <math.h>
#include <stdlib.h>

#include "fold.h"
#include "isomorphic_study.h"
#include "numerical_wait.h"

enum {
    JOBS = 1000,
    SERVICE_LENGTH = 10, /* times as many jobs as in the figures */
    QUICK_LENGTH = 3     /* the same in a short run */
};

/* ---- a point as a row ---- */

#define AT(member) FIELD_AT (struct row, member)
#define MEASURE(name, which, ...)                                             \
    ESTIMATE (name, struct row, value[which], __VA_ARGS__, .decimals = 2)

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
     .group = &isomorphic_service_sheet},
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
    const struct panel *panel = &isomorphic_panels[p];
    struct row row = {.panel = p,
                      .machine = panel->machine,
                      .model = panel->model,
                      .jobs = panel->title,
                      .strategy = panel->line[l]->name,
                      .load = isomorphic_load (load)};
    size_t ours = 0;
    while (panel->line[ours] != &line_isomorphic)
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
    struct row *rows = paper_rows (run, POINT_LIST, PANELS * LINES * LOADS,
                                   sizeof *rows, err);
    size_t n = 0;
    for (size_t p = 0; rows && p < PANELS; p++)
        for (size_t l = 0; l < isomorphic_lines_of (p); l++)
            for (size_t i = 0; i < LOADS; i++)
                rows[n++] = row_of (run->study, p, l, i);
    run->list[POINT_LIST].n = n;
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

int isomorphic_replay (const struct line *line, const tori_machine *machine,
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
    const struct line *line = isomorphic_panels[p].line[l];
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
        status =
            isomorphic_replay (line, machine, workload, &record, &result, err);
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

tori_workload_options isomorphic_options (const struct study *study,
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
    tori_workload_options options = isomorphic_options (study, seed);
    tori_workload workload;
    options.load = isomorphic_load (load);
    options.jobs = study->jobs;
    options.service = study->setup->service;
    if (tori_workload_model (isomorphic_panels[p].model, study->machine[p],
                             &options, &workload, err)
        < 0)
        return -1;
    for (size_t l = 0; status == 0 && l < isomorphic_lines_of (p); l++)
        status = simulate_point (study, p, l, &workload,
                                 study->sample[p][l][load][seed], err);
    tori_workload_clear (&workload);
    return status;
}

/* A piece of the figures, or of the service times. */
static int run_any (void *arg, size_t piece, tori_error *err)
{
    struct study *study = arg;
    size_t figures = PANELS * LOADS * study->seeds;
    return piece < figures
               ? run_piece (arg, piece, err)
               : isomorphic_run_service (study, piece - figures, err);
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
        if (tori_machine_parse (isomorphic_panels[p].machine,
                                &study->machine[p], err)
            < 0)
            return -1;
    if (paper_do_pieces (run->setup,
                         (PANELS * LOADS + SERVICE_POINTS) * study->seeds,
                         run_any, study, err)
            < 0
        || make_rows (run, err) < 0)
        return -1;
    return isomorphic_make_services (run, err);
}

static void clear_study (void *arg)
{
    struct study *study = arg;
    for (size_t p = 0; p < PANELS; p++)
        tori_machine_destroy (study->machine[p]);
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
    .judge = isomorphic_judge,
    .print = isomorphic_print,
    .draw = isomorphic_draw,
    .clear = clear_study,
};

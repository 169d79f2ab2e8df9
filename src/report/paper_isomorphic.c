/* M. Kang, C. Yu, H. Y. Youn, B. Lee, M. Kim, "Isomorphic Strategy for
 * Processor Allocation in k-Ary n-Cube Systems", 2003, section 5: what is
 * simulated. isomorphic_output.c prints it. */
#include <stdlib.h>

#include "fold.h"
#include "headwait.h"
#include "isomorphic.h"

/* ---- other readings of the paper ---- */

static void fix (tori_request *request)
{
    request->fixed = true;
}

/* Sides up to the next powers of two, all of it taken. What is asked for, by
 * which a delay is numerical or topological, stays the same. */
static void round_up (tori_request *request)
{
    request->shape = fold_rounded_up (&request->shape);
}

/* ---- what is run ---- */

static const struct cube_line isomorphic = {
    .name = "isomorphic",
    .alloc = "isomorphic",
    .gives_back = true,
    .style = "lw 2 pt 7 ps 0.6 lc rgb '#b2182b'",
};
static const struct cube_line isomorphic_kept = {
    .name = "isomorphic, all kept",
    .alloc = "isomorphic",
    .reshape = round_up,
    .style = "lw 1.5 pt 2 ps 0.6 dt 3 lc rgb '#67001f'",
};
static const struct cube_line decomposed = {
    .name = "isomorphic, decomposed",
    .alloc = "isomorphic",
    .noncubic = TORI_NONCUBIC_DECOMPOSE,
    .style = "lw 2 pt 6 ps 0.6 dt 2 lc rgb '#d6604d'",
};
static const struct cube_line etc = {
    .name = "etc",
    .alloc = "etc",
    .style = "lw 2 pt 5 ps 0.6 lc rgb '#2166ac'",
};
static const struct cube_line etc_rounded = {
    .name = "etc, rounded up",
    .alloc = "etc",
    .reshape = round_up,
    .style = "lw 2 pt 4 ps 0.6 dt 2 lc rgb '#4393c3'",
};
static const struct cube_line eb_fixed = {
    .name = "eb, not rotated",
    .alloc = "eb",
    .reshape = fix,
    .style = "lw 1.5 pt 8 ps 0.6 dt 3 lc rgb '#969696'",
};
static const struct cube_line eb = {
    .name = "eb",
    .alloc = "eb",
    .style = "lw 6 pt 9 ps 0.6 lc rgb '#bdbdbd'",
};
static const struct cube_line egc = {
    .name = "egc",
    .alloc = "egc",
    .style = "lw 2 pt 11 ps 0.6 lc rgb '#737373'",
};
static const struct cube_line k_partner = {
    .name = "k-partner",
    .alloc = "k-partner",
    .style = "lw 1.5 pt 13 ps 0.6 dt 2 lc rgb '#1a1a1a'",
};

/* Figure 9 is of all strategies on the smallest machine; its two best lines
 * are Figure 10a. Beside what the text says there is what else it may mean:
 * eb that leaves a job's sides along the dimensions they are given for, and
 * etc that looks for rounded-up boxes and keeps them, as the internal
 * fragmentation would have it that the text explains noncubic results by. */
const struct cube_panel cube_panels[CUBE_PANELS] = {
    {"cubic-4", "4-ary 3-cube, cubic jobs", "torus:4^3", "cubic",
     {"9, 10a"}, {&eb_fixed, &eb, &egc, &k_partner, &etc, &isomorphic}},
    {"cubic-8", "8-ary 3-cube, cubic jobs", "torus:8^3", "cubic",
     {"10b"}, {&etc, &isomorphic}},
    {"cubic-16", "16-ary 3-cube, cubic jobs", "torus:16^3", "cubic",
     {"10c"}, {&etc, &isomorphic}},
    {"noncubic-4", "4-ary 3-cube, noncubic jobs", "torus:4^3", "noncubic",
     {"11a", "12a", "13a", NULL, "12a", "13a"},
     {&etc_rounded, &etc, &isomorphic, &isomorphic_kept, &decomposed}},
    {"noncubic-8", "8-ary 3-cube, noncubic jobs", "torus:8^3", "noncubic",
     {"11b", "12b", "13b", NULL, "12b", "13b"},
     {&etc_rounded, &etc, &isomorphic, &isomorphic_kept, &decomposed}},
    {"noncubic-16", "16-ary 3-cube, noncubic jobs", "torus:16^3", "noncubic",
     {"11c", "12c", "13c", NULL, "12c", "13c"},
     {&etc_rounded, &etc, &isomorphic, &isomorphic_kept, &decomposed}},
};

int cube_lines (const struct cube_panel *panel)
{
    int n = 0;
    while (n < CUBE_LINES && panel->line[n])
        n++;
    return n;
}

/* ---- statistics ---- */

struct estimate cube_value (const struct cube_study *study, int panel,
                            int line, int load, enum cube_measure measure)
{
    double value[CUBE_SEEDS];
    for (int i = 0; i < study->seeds; i++)
        value[i] = study->sample[panel][line][load][i][measure];
    return estimate_of (value, (size_t)study->seeds);
}

/* ---- simulations ---- */

/* The jobs of a workload as a strategy is asked for them. */
static int reshape (const tori_workload *workload,
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

/* The jobs of a simulation as they start. */
struct record {
    const struct cube_line *line;
    struct headwait_job *job;
    size_t n;
};

static int on_start (void *arg, const tori_sim_job *job, tori_error *err)
{
    struct record *record = arg;
    tori_shape rounded = fold_rounded_up (&job->work->request.shape);
    record->job[record->n++] = (struct headwait_job){
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

/* The delays by nodes held: a wait is the one or the other. */
static int split_by_held (const struct record *record, uint32_t nodes,
                          double *sample, tori_error *err)
{
    double unit = (double)TORI_SECOND * (double)record->n;
    tori_time numerical, wait = 0;
    if (headwait_numerical (record->job, record->n, nodes, &numerical, err)
        < 0)
        return -1;
    for (size_t i = 0; i < record->n; i++)
        wait += record->job[i].start - record->job[i].submit;
    sample[CUBE_NUMERICAL_HELD] = (double)numerical / unit;
    sample[CUBE_TOPOLOGICAL_HELD] = (double)(wait - numerical) / unit;
    return 0;
}

static int replay (const struct cube_line *line, const tori_machine *machine,
                   const tori_workload *workload, struct record *record,
                   tori_sim_result *ret_result, tori_error *err)
{
    tori_sim_config config = {
        .size = sizeof config,
        .machine = machine,
        .sched = TORI_SCHED (
            "fcfs", TORI_ALLOC (line->alloc, .noncubic = line->noncubic)),
        .no_pairwise = true,
        .on_start = on_start,
        .arg = record,
    };
    tori_workload own = *workload;
    int status;
    if (reshape (workload, line->reshape, &own.jobs, err) < 0)
        return -1;
    status = tori_sim_run (&config, &own, ret_result, err);
    free (own.jobs);
    return status;
}

static int simulate (struct cube_study *study, int p, int l,
                     const tori_workload *workload, double *sample,
                     tori_error *err)
{
    const struct cube_line *line = cube_panels[p].line[l];
    const tori_machine *machine = study->machine[p];
    struct record record = {
        .line = line,
        .job = calloc (workload->n + 1, sizeof *record.job),
    };
    tori_sim_result result;
    int status = record.job ? 0 : tori_error_nomem (err);
    if (status == 0)
        status = replay (line, machine, workload, &record, &result, err);
    if (status == 0)
        status = split_by_held (&record, tori_machine_nodes (machine), sample,
                                err);
    free (record.job);
    if (status < 0)
        return -1;
    sample[CUBE_RESPONSE] = result.response.mean;
    sample[CUBE_NUMERICAL] = result.numerical;
    sample[CUBE_TOPOLOGICAL] = result.topological;
    sample[CUBE_UTILIZATION] = result.utilization;
    return 0;
}

/* A piece is a panel at a load with a seed: every strategy gets the same
 * jobs. */
static int run_piece (void *arg, size_t piece, tori_error *err)
{
    struct cube_study *study = arg;
    int seed = (int)(piece % (size_t)study->seeds), status = 0;
    int load = (int)(piece / (size_t)study->seeds % CUBE_LOADS);
    int p = (int)(piece / (size_t)study->seeds / CUBE_LOADS);
    tori_workload_options options = {
        .shaping = TORI_SHAPE_FIRST_MATCH,
        .load = cube_load (load),
        .seed = study->setup->seed + (uint64_t)seed,
        .jobs = study->jobs,
    };
    tori_workload workload;
    if (tori_workload_model (cube_panels[p].model, study->machine[p], &options,
                             &workload, err)
        < 0)
        return -1;
    for (int l = 0; status == 0 && l < cube_lines (&cube_panels[p]); l++)
        status = simulate (study, p, l, &workload,
                           study->sample[p][l][load][seed], err);
    tori_workload_clear (&workload);
    return status;
}

static int run_all (struct cube_study *study, tori_error *err)
{
    size_t pieces = (size_t)(CUBE_PANELS * CUBE_LOADS * study->seeds);
    for (int p = 0; p < CUBE_PANELS; p++)
        if (tori_machine_parse (cube_panels[p].machine, &study->machine[p],
                                err)
            < 0)
            return -1;
    return paper_do_pieces (study->setup, pieces, run_piece, study, err);
}

/* ---- the entry ---- */

/* Figures come last: without gnuplot all else is there. */
static int report (const struct cube_study *study, FILE *out, tori_error *err)
{
    int status = cube_report (study, out, err);
    if (status == 0 && study->setup->out)
        status = cube_draw (study, err);
    return status;
}

static int run (const struct paper_setup *setup, FILE *out, tori_error *err)
{
    struct cube_study *study;
    int status;
    if (paper_open_out (setup->out, err) < 0)
        return -1;
    study = calloc (1, sizeof *study);
    if (!study)
        return tori_error_nomem (err);
    study->setup = setup;
    study->jobs = setup->limit ? setup->limit : CUBE_JOBS;
    study->seeds = setup->seeds ? (int)setup->seeds : CUBE_SEEDS;
    status = run_all (study, err);
    if (status == 0)
        status = report (study, out, err);
    for (int p = 0; p < CUBE_PANELS; p++)
        tori_machine_destroy (study->machine[p]);
    free (study);
    return status;
}

const struct paper paper_isomorphic = {
    .name = "isomorphic",
    .citation = "M. Kang, C. Yu, H. Y. Youn, B. Lee, M. Kim: Isomorphic "
                "Strategy for Processor Allocation in k-Ary n-Cube Systems. "
                "2003",
    .what = "Figures 9-13: response time and delays of jobs that ask for "
            "subcubes",
    .takes = PAPER_LIMIT | PAPER_SEEDS,
    .answer = &cube_sheet,
    .run = run,
};

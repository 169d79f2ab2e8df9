#include <tori/decide.h>

#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "configure.h"
#include "measure.h"
#include "sized.h"

/* Sums over pairs and jobs, exactly. */
__extension__ typedef unsigned __int128 wide;

/* The nodes that a running job holds. */
struct holding {
    uint32_t *nodes;
    uint32_t count;
};

/* An allocator, and its decisions. */
struct column {
    tori_alloc_config config; /* our own: rows share no search */
    const tori_alloc_info *info;
    tori_alloc *alloc; /* NULL for the situation's own */
    wide sum;          /* over the jobs that it placed */
    wide common;       /* and over the jobs that all placed */
    uint64_t now;    /* its sum of the job that is about to start */
    size_t left_out; /* jobs */
};

/* The simulator says which jobs start only once all starts of an instant are
 * decided, so the free nodes that each of them found are kept up beside it:
 * the same starts and finishes, in the same order, done to a second state. */
struct decide {
    tori_decide_config config;
    tori_sched_config sched;
    const tori_workload *workload;
    tori_workload counts;  /* the workload without shapes, if it has any */
    const tori_work *jobs; /* of either: the jobs for the situation */
    size_t situation;
    tori_state *state;
    struct holding *holding; /* a job of the workload */
    struct column *column;   /* an allocator */
    bool strict;             /* an allocator that gives up is an error */
    size_t started;
    size_t common; /* jobs that all allocators placed */
};

/* ---- setting up ---- */

static int read_alloc (const tori_alloc_config *config, struct column *column,
                       tori_error *err)
{
    if (alloc_config_read (config, &column->config, err) < 0)
        return -1;
    column->config.search = NULL;
    column->info = alloc_config_info (&column->config, err);
    if (!column->info)
        return -1;
    if (!(column->info->takes & TORI_BY_COUNT))
        return tori_error_set (err, TORI_INVALID,
                               "the allocator %s takes no count",
                               column->info->name);
    return 0;
}

static int read_allocs (struct decide *decide, tori_error *err)
{
    const tori_decide_config *config = &decide->config;
    decide->column = calloc (config->nallocs + 1, sizeof *decide->column);
    if (!decide->column)
        return tori_error_nomem (err);
    for (size_t i = 0; i < config->nallocs; i++)
        if (read_alloc (config->allocs[i], &decide->column[i], err) < 0)
            return -1;
    return 0;
}

static int check_workload (const tori_workload *workload, tori_error *err)
{
    for (size_t i = 0; i < workload->n; i++)
        if (!workload->jobs[i].request.count)
            return tori_error_set (err, TORI_INVALID,
                                   "job %lld asks for no count",
                                   (long long)workload->jobs[i].id);
    return 0;
}

/* The request for an allocator: the shape is for those that look at it. */
static tori_request request_for (const struct decide *decide, size_t alloc,
                                 const tori_request *request)
{
    tori_request asked = *request;
    if (!(decide->column[alloc].info->takes & TORI_BY_SHAPE))
        asked.shape = (tori_shape){0};
    return asked;
}

/* The workload as the situation's allocator takes it. */
static int make_jobs (struct decide *decide, tori_error *err)
{
    const tori_workload *workload = decide->workload;
    tori_work *jobs = malloc ((workload->n + 1) * sizeof *jobs);
    if (!jobs)
        return tori_error_nomem (err);
    for (size_t i = 0; i < workload->n; i++) {
        jobs[i] = workload->jobs[i];
        jobs[i].request = request_for (decide, decide->situation,
                                       &workload->jobs[i].request);
    }
    decide->counts = *workload;
    decide->counts.jobs = jobs;
    decide->jobs = jobs;
    return 0;
}

static int create_allocs (struct decide *decide, tori_error *err)
{
    for (size_t i = 0; i < decide->config.nallocs; i++) {
        struct column *column = &decide->column[i];
        if (i != decide->situation
            && tori_alloc_create (decide->config.machine, &column->config,
                                  &column->alloc, err)
                   < 0)
            return -1;
    }
    return 0;
}

static int set_up (struct decide *decide, tori_error *err)
{
    const tori_decide_config *config = &decide->config;
    decide->holding = calloc (decide->workload->n + 1,
                              sizeof *decide->holding);
    if (!decide->holding)
        return tori_error_nomem (err);
    if (make_jobs (decide, err) < 0)
        return -1;
    if (tori_state_create (config->machine, &decide->state, err) < 0
        || (config->initial
            && tori_state_copy (decide->state, config->initial, err) < 0))
        return -1;
    return create_allocs (decide, err);
}

static void clear_decide (struct decide *decide)
{
    for (size_t i = 0; decide->holding && i < decide->workload->n; i++)
        free (decide->holding[i].nodes);
    for (size_t i = 0; decide->column && i < decide->config.nallocs; i++)
        tori_alloc_destroy (decide->column[i].alloc);
    tori_state_destroy (decide->state);
    free (decide->counts.jobs);
    free (decide->holding);
    free (decide->column);
}

/* ---- decisions ---- */

/* Ask the i-th allocator for the job that is about to start: 1, or 0 if it
 * gives up. Enough nodes are free, so none refuses for lack of nodes. */
static int ask_alloc (struct decide *decide, size_t i, const tori_work *work,
                      tori_error *err)
{
    tori_placement place = {0};
    tori_error why = {0};
    uint64_t sum = 0;
    tori_request request = request_for (decide, i, &work->request);
    tori_outcome outcome = tori_alloc_place (
        decide->column[i].alloc, decide->state, &request, &place, &why);
    int status;
    if (outcome == TORI_ERROR && why.status == TORI_GAVE_UP && !decide->strict)
        return 0;
    if (outcome != TORI_PLACED)
        return tori_error_set (err, why.status, "%s: job %lld: %.400s",
                               decide->column[i].info->name,
                               (long long)work->id, why.text);
    status =
        tori_placement_pairwise (&place, decide->config.machine, &sum, err);
    decide->column[i].now = sum;
    tori_placement_clear (&place);
    return status < 0 ? -1 : 1;
}

/* Ask all of them. */
static int ask_all (struct decide *decide, const tori_work *work,
                    const tori_placement *own, tori_error *err)
{
    size_t n = decide->config.nallocs, decided = 0;
    for (size_t i = 0; i < n; i++) {
        struct column *column = &decide->column[i];
        int made = 1;
        if (i != decide->situation)
            made = ask_alloc (decide, i, work, err);
        else if (tori_placement_pairwise (own, decide->config.machine,
                                          &column->now, err)
                 < 0)
            made = -1;
        if (made < 0)
            return -1;
        column->sum += made ? column->now : 0;
        column->left_out += !made;
        decided += (size_t)made;
    }
    for (size_t i = 0; decided == n && i < n; i++)
        decide->column[i].common += decide->column[i].now;
    decide->common += decided == n;
    return 0;
}

/* Carry out the situation's own decision. */
static int hold_place (struct decide *decide, size_t job,
                       const tori_placement *place, tori_error *err)
{
    uint32_t *nodes = malloc ((place->count + 1) * sizeof *nodes);
    if (!nodes)
        return tori_error_nomem (err);
    tori_placement_nodes (place, decide->config.machine, nodes);
    decide->holding[job] = (struct holding){nodes, place->count};
    return tori_placement_hold (place, decide->state, err);
}

static int on_place (void *arg, const tori_work *placed,
                     const tori_placement *place, tori_error *err)
{
    struct decide *decide = arg;
    size_t index = (size_t)(placed - decide->jobs);
    const tori_work *work = &decide->workload->jobs[index];
    if (ask_all (decide, work, place, err) < 0)
        return -1;
    decide->started++;
    if (decide->config.on_progress)
        decide->config.on_progress (decide->config.arg, decide->started,
                                    decide->workload->n);
    return hold_place (decide, index, place, err);
}

static void on_finish (void *arg, const tori_work *work)
{
    struct decide *decide = arg;
    struct holding *holding = &decide->holding[work - decide->jobs];
    tori_placement place = {.count = holding->count, .nodes = holding->nodes};
    tori_placement_release (&place, decide->state);
    free (holding->nodes);
    holding->nodes = NULL;
}

/* ---- the row ---- */

static int replay_row (struct decide *decide, tori_sim_result *ret_result,
                       tori_error *err)
{
    const struct column *own = &decide->column[decide->situation];
    tori_sim_config sim = {
        .size = sizeof sim,
        .machine = decide->config.machine,
        .sched = &decide->sched,
        .on_place = on_place,
        .on_finish = on_finish,
        .arg = decide,
        .initial = decide->config.initial,
    };
    tori_error why = {0};
    decide->sched.alloc = &own->config;
    decide->sched.counts = NULL;
    if (tori_sim_run (&sim, &decide->counts, ret_result, &why) == 0)
        return 0;
    return tori_error_set (err, why.status, "%s places: %.440s",
                           own->info->name, why.text);
}

static double mean_of (wide sum, size_t jobs)
{
    return jobs ? (double)sum / (double)jobs : 0;
}

/* Replay the row, into `decide`, which the caller clears. */
static int compute_row (struct decide *decide,
                        const tori_decide_config *config,
                        tori_sim_result *ret_result, tori_error *err)
{
    if (SIZED_COPY (tori_decide_config, &decide->config, config, err) < 0
        || sched_configure (decide->config.sched, &decide->sched, err) < 0)
        return -1;
    if (!decide->sched.own_policy
        && strcmp (decide->sched.policy, gang_info.name) == 0)
        return tori_error_set (err, TORI_INVALID,
                               "gang asks no allocator where jobs go");
    if (read_allocs (decide, err) < 0
        || check_workload (decide->workload, err) < 0
        || set_up (decide, err) < 0)
        return -1;
    return replay_row (decide, ret_result, err);
}

int tori_decide_row (const tori_decide_config *config, size_t situation,
                     const tori_workload *workload, double ret_row[],
                     tori_sim_result *ret_result, tori_error *err)
{
    struct decide decide = {
        .workload = workload, .situation = situation, .strict = true};
    tori_sim_result result;
    int status = compute_row (&decide, config, &result, err);
    for (size_t i = 0; status == 0 && i < decide.config.nallocs; i++)
        ret_row[i] = mean_of (decide.column[i].sum, result.jobs);
    if (status == 0)
        ret_row[situation] = result.pairwise;
    if (status == 0 && ret_result)
        memcpy (ret_result, &result, FIRST_RESULT);
    clear_decide (&decide);
    return status;
}

int tori_decide_cells (const tori_decide_config *config, size_t situation,
                       const tori_workload *workload,
                       tori_decide_cell ret_row[], size_t *ret_common,
                       tori_sim_result *ret_result, tori_error *err)
{
    struct decide decide = {.workload = workload, .situation = situation};
    tori_sim_result result;
    int status = compute_row (&decide, config, &result, err);
    for (size_t i = 0; status == 0 && i < decide.config.nallocs; i++) {
        const struct column *column = &decide.column[i];
        ret_row[i] = (tori_decide_cell){
            mean_of (column->sum, result.jobs - column->left_out),
            column->left_out, mean_of (column->common, decide.common)};
    }
    if (status == 0) {
        ret_row[situation].mean = result.pairwise;
        *ret_common = decide.common;
        if (ret_result)
            memcpy (ret_result, &result, FIRST_RESULT);
    }
    clear_decide (&decide);
    return status;
}

/* isomorphic_replay.c - simulations of tori paper isomorphic. */
#include <stdlib.h>

#include "fold.h"
#include "isomorphic_study.h"
#include "numerical_wait.h"

tori_workload_options isomorphic_options (const struct study *study,
                                          size_t seed)
{
    return (tori_workload_options){.size = sizeof (tori_workload_options),
                                   .shaping = TORI_SHAPE_FIRST_MATCH,
                                   .seed = study->setup->seed + seed};
}

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

static int replay_recorded (const struct line *line,
                            const tori_machine *machine,
                            const tori_workload *workload,
                            struct record *record, tori_sim_result *ret_result,
                            tori_error *err)
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

int isomorphic_replay (const struct line *line, const tori_machine *machine,
                       const tori_workload *workload,
                       tori_sim_result *ret_result, tori_error *err)
{
    return replay_recorded (line, machine, workload, NULL, ret_result, err);
}

int isomorphic_simulate (const struct study *study, size_t p, size_t l,
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
        status = replay_recorded (line, machine, workload, &record, &result,
                                  err);
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

/* setup.c - the scheduler and the data of jobs, from an idle machine or from
 * an existing scheduler. */
#include <stdlib.h>

#include "marks.h"
#include "simcore.h"

static int allocate_careers (struct sim *sim, tori_error *err)
{
    size_t n = sim->workload->n;
    sim->careers = malloc ((n ? n : 1) * sizeof *sim->careers);
    if (!sim->careers)
        return tori_error_nomem (err);
    if (measures_create (&sim->measures, sim->config, sim->workload, err) < 0
        || failing_create (&sim->failing, sim->config->machine,
                           sim->config->interrupts, err)
               < 0)
        return -1;
    if (!sim->config->network)
        return 0;
    return network_create (sim->config->machine, sim->config->network,
                           &sim->network, err);
}

void sim_clear (struct sim *sim)
{
    tori_sched_destroy (sim->sched);
    heap_clear (&sim->finishes);
    failing_clear (&sim->failing);
    strike_clear (&sim->strike);
    free (sim->careers);
    ledger_clear (&sim->ledger);
    measures_clear (&sim->measures);
    network_destroy (sim->network);
}
static int copy_links_down (struct sim *sim, tori_time start, tori_error *err)
{
    const tori_state *initial = sim->config->initial;
    if (initial->links_down == 0)
        return 0;
    for (int dim = 0; dim < initial->machine->shape.ndims; dim++)
        for (uint32_t i = 0; i < 2 * initial->machine->nodes; i++) {
            tori_link link = {dim, i % 2 ? TORI_FAR : TORI_NEAR, i / 2};
            if (tori_state_link_down (initial, &link)
                && tori_sched_set_link_down (sim->sched, start, &link, true,
                                             err)
                       < 0)
                return -1;
        }
    return 0;
}

/* The machine need not be whole at the start, before the first job comes. */
static int copy_initial (struct sim *sim, tori_error *err)
{
    const tori_state *initial = sim->config->initial;
    tori_time start = tori_sched_now (sim->sched);
    if (!initial)
        return 0;
    for (uint32_t i = 0; i < initial->machine->nodes; i++) {
        tori_node_state is = tori_state_node (initial, i);
        if ((is == TORI_NODE_DOWN
             && tori_sched_set_down (sim->sched, start, i, true, err) < 0)
            || (is == TORI_NODE_DRAINED
                && tori_sched_set_drained (sim->sched, start, i, true, err)
                       < 0))
            return -1;
    }
    return copy_links_down (sim, start, err);
}

/* Take over a job of the existing scheduler. */
static int resume_job (struct sim *sim, tori_job number, tori_error *err)
{
    tori_job_info info = {.size = sizeof info};
    tori_job_spec spec = {.size = sizeof spec};
    struct career *career;
    tori_sched_look (sim->sched, number, &info);
    tori_sched_spec (sim->sched, number, &spec);
    if (info.tag >= sim->workload->n)
        return tori_error_set (err, TORI_INVALID,
                               "a job that is not in the workload");
    career = &sim->careers[info.tag];
    *career = (struct career){.job = number, .level = spec.level};
    if (info.tag >= sim->arrived)
        sim->arrived = info.tag + 1;
    career->starts = info.phase == TORI_JOB_RUNNING || info.suspended;
    career->measured = info.phase != TORI_JOB_RUNNING;
    career->before = spec.done;
    if (info.phase == TORI_JOB_RUNNING)
        career->ran = spec.done + sim->now - info.start;
    else if (info.suspended)
        career->ran = spec.done;
    if (info.phase != TORI_JOB_RUNNING) {
        sim_wait (sim, career);
        return 0;
    }
    return sim_run_on (sim, info.tag, err);
}

/* Failures up to now are in the scheduler already. */
static int skip_failures (struct sim *sim, tori_error *err)
{
    tori_sim_outage outage;
    while (failing_next (&sim->failing) <= sim->now)
        if (failing_take (&sim->failing, &outage, err) < 0)
            return -1;
    return 0;
}

static int resume_jobs (struct sim *sim, tori_error *err)
{
    size_t n
        = tori_sched_queued (sim->sched) + tori_sched_running (sim->sched);
    tori_job *jobs = calloc (n + 1, sizeof *jobs);
    int status = 0;
    if (!jobs)
        return tori_error_nomem (err);
    n = tori_sched_running_jobs (sim->sched, jobs);
    n += tori_sched_queued_jobs (sim->sched, jobs + n);
    sim->now = tori_sched_now (sim->sched);
    for (size_t i = 0; i < n && status == 0; i++)
        status = resume_job (sim, jobs[i], err);
    free (jobs);
    while (sim->arrived < sim->workload->n
           && sim->workload->jobs[sim->arrived].submit <= sim->now)
        sim->arrived++; /* rejected before */
    return status < 0 ? -1 : skip_failures (sim, err);
}

static int make_sched (struct sim *sim, tori_error *err)
{
    const tori_sim_config *config = sim->config;
    return config->resume
               ? tori_sched_copy (config->resume, &sim->sched, err)
               : tori_sched_create (config->machine, config->sched,
                                    &sim->sched, err);
}

int sim_set_up (struct sim *sim, tori_error *err)
{
    if (sim->workload->n > 0)
        sim->now = sim->workload->jobs[0].submit;
    if (make_sched (sim, err) < 0 || allocate_careers (sim, err) < 0
        || (sim->config->resume ? resume_jobs : copy_initial) (sim, err) < 0)
        return -1;
    sim->lively = sim->now;
    failing_fix (&sim->failing, tori_sched_state (sim->sched));
    return 0;
}

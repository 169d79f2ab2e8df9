/* core.c - the scheduler of the service.
 *
 * Its whole state follows from the jobs, the nodes and the reservations.
 * During a replay it is not used, because the journal has its decisions.
 * Afterwards it is made anew. */
#include <stdlib.h>

#include "service_internal.h"

/* ---- one job ---- */

static int enter_job (struct service *service, struct service_job *job,
                      const tori_job_spec *spec, tori_error *err)
{
    tori_sched *sched = service->sched;
    tori_time now = service->now;
    if (job->state == JOB_RUNNING)
        return tori_sched_adopt (sched, now, spec, job->since, &job->place,
                                 &job->number, err);
    if (job->suspended)
        return tori_sched_adopt_suspended (sched, now, spec, job->saved,
                                           &job->place, &job->number, err);
    return tori_sched_submit (sched, now, spec, &job->number, err);
}

int core_put (struct service *service, struct service_job *job,
              tori_error *err)
{
    tori_job_spec spec = job->ask->spec;
    uint64_t *only = NULL;
    int status = job_ask_find_nodes (job->ask, service->machine, &only, err);
    spec.only = only;
    spec.tag = spec.turn = job->id;
    spec.priority = job->priority = usage_priority (service, job);
    if (job->state == JOB_QUEUED)
        spec.hold = job_hold (job);
    job->nodes = spec_nodes (&spec);
    job->earliest = spec.earliest;
    spec.done = job->done;
    spec.lost = job->lost;
    spec.waited = service->now - job->submit;
    if (status == 0)
        status = enter_job (service, job, &spec, err);
    if (status == 0 && job->number == TORI_NO_JOB)
        status = tori_error_set (err, TORI_INVALID,
                                 "job %llu can no longer run here",
                                 (unsigned long long)job->id);
    free (only);
    return status;
}

/* Whether the scheduler takes changes now; if so, it has to run again. */
static bool takes_changes (struct service *service)
{
    service->restless |= !service->replaying;
    return !service->replaying;
}

int core_cancel (struct service *service, struct service_job *job,
                 tori_error *err)
{
    return takes_changes (service) ? tori_sched_cancel (
               service->sched, service->now, job->number, err)
                                   : 0;
}

int core_put_back (struct service *service, struct service_job *job,
                   tori_error *err)
{
    if (!takes_changes (service))
        return 0;
    return core_cancel (service, job, err) < 0 ? -1
                                               : core_put (service, job, err);
}

bool core_waits (const struct service *service, const struct service_job *job)
{
    tori_job_info info = {.size = sizeof info};
    return service->replaying
           || (tori_sched_look (service->sched, job->number, &info)
               && info.phase == TORI_JOB_QUEUED);
}

int core_set_hold (struct service *service, struct service_job *job,
                   tori_hold hold, tori_error *err)
{
    tori_job_spec spec = {.size = sizeof spec};
    if (!core_waits (service, job)
        || !tori_sched_spec (service->sched, job->number, &spec)
        || spec.hold == hold || !takes_changes (service))
        return 0;
    return tori_sched_set_hold (service->sched, service->now, job->number,
                                hold, err);
}

int core_set_priority (struct service *service, struct service_job *job,
                       int64_t priority, tori_error *err)
{
    return takes_changes (service) ? tori_sched_set_priority (
               service->sched, service->now, job->number, priority, err)
                                   : 0;
}

int core_set_estimate (struct service *service, struct service_job *job,
                       tori_time estimate, tori_error *err)
{
    return takes_changes (service) ? tori_sched_set_estimate (
               service->sched, service->now, job->number, estimate, err)
                                   : 0;
}

/* Decisions may make another run necessary: a killed job may release a
 * dependent one, or a started job may take less of a limit than was counted
 * for it. A run that has stopped at its limit goes on in another turn. */
int core_run (struct service *service, tori_error *err)
{
    if (limit_queue_review (service, err) < 0)
        return -1;
    do {
        service->restless = false;
        if (tori_sched_run (service->sched, service->now, err) < 0
            || service_collect (service, err) < 0
            || limit_queue_review (service, err) < 0)
            return -1;
    } while (service->restless && !tori_sched_unfinished (service->sched));
    return 0;
}

/* ---- all of it ---- */

static int put_all (struct service *service, enum job_state state,
                    tori_error *err)
{
    for (size_t i = 0; i < service->jobs.n; i++) {
        struct service_job *job = service->jobs.all[i];
        if (job->state == state && core_put (service, job, err) < 0)
            return -1;
    }
    return 0;
}

/* Running jobs come first: they may be on nodes that take no other jobs.
 * Planned starts come last: they go to the first jobs that are not held. */
static int fill_scheduler (struct service *service, tori_error *err)
{
    if (put_all (service, JOB_RUNNING, err) < 0
        || nodes_tell (service, err) < 0
        || put_all (service, JOB_QUEUED, err) < 0)
        return -1;
    service->stale = false;
    if (limit_queue_rebuild (service, err) < 0
        || limit_queue_review (service, err) < 0
        || reservations_tell (service, err) < 0
        || planned_starts_tell (service, err) < 0)
        return -1;
    return 0;
}

int core_make (struct service *service, tori_error *err)
{
    tori_sched_config config = {.size = sizeof config};
    tori_sched *old = service->sched, *sched;
    int status;
    if (!service->stale || service->replaying)
        return 0;
    tori_sched_get_config (old, &config);
    if (tori_sched_create (service->machine, &config, &sched, err) < 0)
        return -1;
    service->sched = sched;
    status = fill_scheduler (service, err);
    tori_sched_destroy (old);
    service->stale = status < 0;
    return status;
}

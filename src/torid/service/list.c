/* list.c - the jobs of the service as JSON. */
#include <string.h>

#include "service_internal.h"

/* A job as JSON, with the limit that it waits for and its priority. */
static json_t *describe_job (const struct service *service,
                             const struct service_job *job)
{
    json_t *to = job_json (job, service->machine, service->sched);
    char limit[LIMIT_TEXT];
    int64_t own, goes_by;
    if (job->state != JOB_QUEUED)
        return to;
    limit_text (service, job, limit);
    if (*limit)
        json_object_set_new (to, "limit", json_string (limit));
    own = job->ask->spec.priority;
    goes_by = usage_effective (service, job);
    if (goes_by != own)
        json_object_set_new (to, "effective_priority",
                             json_integer (goes_by));
    return to;
}

const char *service_key (const struct service *service, uint64_t id)
{
    const struct service_job *job = job_table_find (&service->jobs, id);
    return job && job->state == JOB_QUEUED ? job->key : NULL;
}

json_t *service_job (const struct service *service, uint64_t id)
{
    const struct service_job *job = job_table_find (&service->jobs, id);
    json_t *to = job ? describe_job (service, job) : NULL;
    if (to)
        service_set_map (service, to);
    return to;
}

static bool is_wanted (const struct service_job *job,
                       const struct job_filter *filter)
{
    static const char *const states[] = {"queued", "running", "ended"};
    const char *alias = job->ask->alias;
    return (!filter->state || !strcmp (filter->state, states[job->state]))
           && (!filter->user || !strcmp (filter->user, job->user))
           && (!filter->alias || (alias && !strcmp (filter->alias, alias)));
}

json_t *service_jobs (const struct service *service,
                      const struct job_filter *filter, uint64_t after,
                      size_t limit, bool *ret_more)
{
    json_t *list = json_array ();
    size_t at = job_table_from (&service->jobs, after + 1);
    *ret_more = false;
    for (; at < service->jobs.n; at++) {
        const struct service_job *job = service->jobs.all[at];
        json_t *one;
        if (!is_wanted (job, filter))
            continue;
        if (json_array_size (list) == limit) {
            *ret_more = true;
            break;
        }
        one = describe_job (service, job);
        service_leave_out (one);
        json_array_append_new (list, one);
    }
    return list;
}

/* ---- as a snapshot ---- */

static int name_jobs (const struct service *service, tori_snapshot_job *jobs,
                      size_t n, tori_error *err)
{
    for (size_t i = 0; i < n; i++) {
        const struct service_job *job =
            job_table_find (&service->jobs, jobs[i].spec.tag);
        const char *alias = job ? job->ask->alias : NULL;
        const char *why = job && job->held ? job->why : NULL;
        if ((alias && !(jobs[i].alias = strdup (alias)))
            || (why && !(jobs[i].why = strdup (why))))
            return tori_error_nomem (err);
    }
    return 0;
}

int service_snapshot (const struct service *service,
                      tori_snapshot **ret_snapshot, tori_error *err)
{
    tori_snapshot *it = NULL;
    if (tori_snapshot_take (service->sched, &it, err) < 0)
        return -1;
    if (name_jobs (service, it->running, it->nrunning, err) < 0
        || name_jobs (service, it->queue, it->nqueued, err) < 0) {
        tori_snapshot_destroy (it);
        return -1;
    }
    it->next_id = service->next_id;
    *ret_snapshot = it;
    return 0;
}

/* ---- users and queues ---- */

json_t *service_users (const struct service *service)
{
    json_t *list = json_array ();
    double total = 0;
    for (size_t i = 0; i < service->users.n; i++)
        total += service->users.all[i].usage;
    for (size_t i = 0; i < service->users.n; i++) {
        const struct account *user = &service->users.all[i];
        json_array_append_new (
            list,
            json_pack ("{s:s, s:I, s:I, s:I, s:f, s:f, s:I}", "user",
                       user->name, "queued", (json_int_t)user->queued,
                       "running", (json_int_t)user->running, "nodes",
                       (json_int_t)user->nodes, "usage", user->usage, "share",
                       total > 0 ? user->usage / total : 0.0, "penalty",
                       (json_int_t)user->penalty));
    }
    return list;
}

static json_t *limits_json (const struct service_limits *limits)
{
    return json_pack ("{s:I, s:I, s:I, s:I}", "queued",
                      (json_int_t)limits->queued, "running",
                      (json_int_t)limits->running, "nodes",
                      (json_int_t)limits->nodes, "rate",
                      (json_int_t)limits->rate);
}

static json_t *queue_json (const struct service *service,
                           const struct service_queue *queue)
{
    const struct account *has = account_find (&service->queues, queue->name);
    return json_pack (
        "{s:s, s:I, s:I, s:s, s:f, s:I, s:o, s:I, s:I, s:I}", "queue",
        queue->name, "priority", (json_int_t)queue->priority, "tier",
        (json_int_t)queue->level, "preempted",
        tori_preempted_name (queue->preempted), "max_time",
        (double)queue->max_estimate / TORI_SECOND, "max_nodes",
        (json_int_t)queue->max_nodes, "limits", limits_json (&queue->limits),
        "queued", (json_int_t)(has ? has->queued : 0), "running",
        (json_int_t)(has ? has->running : 0), "nodes",
        (json_int_t)(has ? has->nodes : 0));
}

json_t *service_queues (const struct service *service)
{
    static const struct service_queue usual = {.name = "default"};
    const struct service_policy *policy = &service->policy;
    json_t *list = json_array ();
    for (size_t i = 0; i < policy->nqueues; i++)
        json_array_append_new (list, queue_json (service, &policy->queues[i]));
    if (policy->nqueues == 0)
        json_array_append_new (list, queue_json (service, &usual));
    return list;
}

void service_count (const struct service *service, size_t ret_counts[3])
{
    ret_counts[JOB_QUEUED] = tori_sched_queued (service->sched);
    ret_counts[JOB_RUNNING] = tori_sched_running (service->sched);
    ret_counts[JOB_ENDED] =
        service->jobs.n - ret_counts[JOB_QUEUED] - ret_counts[JOB_RUNNING];
}

const struct job_tally *service_tally (const struct service *service)
{
    return &service->tally;
}

tori_time service_oldest (const struct service *service)
{
    for (size_t i = 0; i < service->jobs.n; i++)
        if (service->jobs.all[i]->state == JOB_QUEUED)
            return service->jobs.all[i]->submit;
    return -1;
}

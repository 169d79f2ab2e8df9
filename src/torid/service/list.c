/* list.c - the jobs of the service as JSON. */
#include <stdlib.h>
#include <string.h>

#include "probe.h"
#include "service_internal.h"

const char *job_reason (const struct service *service,
                        const struct service_job *job,
                        struct probe_memo *memo)
{
    tori_job_info info = {.size = sizeof info};
    tori_reason reason;
    if (job->state != JOB_QUEUED || !service->sched
        || !tori_sched_look (service->sched, job->number, &info)
        || info.phase != TORI_JOB_QUEUED)
        return NULL;
    if (limit_outgrown (service, job))
        return tori_reason_name (TORI_REASON_NEVER);
    if (tori_sched_unfinished (service->sched)
        && info.waits == TORI_REASON_UNKNOWN)
        return tori_reason_name (info.waits); /* it has not been planned yet */
    return tori_reason_name (probe_reason (service->sched, job->number, NULL,
                                           memo, &reason, NULL)
                                     < 0
                                 ? info.waits
                                 : reason);
}

/* A job as JSON, with the limit that it waits for and its priority. */
static json_t *describe_job (const struct service *service,
                             const struct service_job *job,
                             struct probe_memo *memo)
{
    json_t *to = job_json (job, service->machine,
                           job_reason (service, job, memo));
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
    json_t *to = job ? describe_job (service, job, NULL) : NULL;
    if (to)
        service_set_map (service, to);
    return to;
}

static bool is_wanted (const struct service_job *job,
                       const struct job_filter *filter)
{
    static const char *const states[] = {"queued", "running", "ended"};
    const char *alias = job->ask->alias;
    return (!filter->state || !strcmp (filter->state, states[job->state])
            || (job->state == JOB_QUEUED && job->suspended
                && !strcmp (filter->state, "suspended")))
           && (!filter->user || !strcmp (filter->user, job->user))
           && (!filter->alias || (alias && !strcmp (filter->alias, alias)));
}

/* Whether a job is among those from which the scheduler chooses. */
static bool may_start (const struct service *service,
                       const struct service_job *job)
{
    return job->state == JOB_QUEUED && job_hold (job) == TORI_HOLD_NONE
           && job->earliest <= service->now;
}

/* Whether the positions that were found last will do: in the same state, or,
 * as others wait while they are found, for a while if the queue is long. */
static bool is_ranked (const struct service *service, size_t n)
{
    enum { SHORT = 4096, PER_JOB = 50 }; /* microseconds */
    tori_time lasts = n <= SHORT ? 0 : (tori_time)n * PER_JOB;
    return service->positions
           && ((service->ranked_hash == service->hash
                && service->ranked_at == service->now)
               || service->now < service->ranked_at + lasts);
}

/* A job that waits and may start, and its place in the queue, from 1 on. */
struct position {
    uint64_t id;
    size_t at;
};

static int compare_positions (const void *a, const void *b)
{
    const struct position *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

/* The queue is long, and so is a list of all its jobs, page by page: positions
 * are found once for a state. They are not kept in the jobs, whose memory the
 * process of a question shares (look.c) until it is written to. Without memory
 * there are none. */
static void rank_jobs (struct service *service)
{
    size_t n = tori_sched_queued (service->sched);
    tori_job *order;
    if (is_ranked (service, n))
        return;
    order = calloc (n + 1, sizeof *order);
    free (service->positions);
    service->npositions = 0;
    service->positions
        = order ? calloc (n + 1, sizeof *service->positions) : NULL;
    n = service->positions ? tori_sched_queued_jobs (service->sched, order)
                           : 0;
    for (size_t i = 0; i < n; i++) {
        tori_job_info info = {.size = sizeof info};
        const struct service_job *job
            = tori_sched_look (service->sched, order[i], &info)
                  ? job_table_find (&service->jobs, info.tag)
                  : NULL;
        size_t at = service->npositions;
        if (job && may_start (service, job)) {
            service->positions[at] = (struct position){job->id, at + 1};
            service->npositions++;
        }
    }
    if (service->npositions > 0)
        qsort (service->positions, service->npositions,
               sizeof *service->positions, compare_positions);
    service->ranked_hash = service->hash;
    service->ranked_at = service->now;
    free (order);
}

static void set_position (const struct service *service,
                          const struct service_job *job, json_t *to)
{
    const struct position *is
        = job->state == JOB_QUEUED && service->npositions > 0
              ? bsearch (&(struct position){.id = job->id}, service->positions,
                         service->npositions, sizeof *service->positions,
                         compare_positions)
              : NULL;
    if (is)
        json_object_set_new (to, "position",
                             json_integer ((json_int_t)is->at));
}

json_t *service_jobs (struct service *service,
                      const struct job_filter *filter, uint64_t after,
                      size_t limit, bool *ret_more)
{
    json_t *list = json_array ();
    struct probe_memo memo = {.n = 0};
    size_t at = job_table_from (&service->jobs, after + 1);
    *ret_more = false;
    if (!filter->state || strcmp (filter->state, "ended"))
        rank_jobs (service);
    for (; at < service->jobs.n; at++) {
        const struct service_job *job = service->jobs.all[at];
        json_t *one;
        if (!is_wanted (job, filter))
            continue;
        if (json_array_size (list) == limit) {
            *ret_more = true;
            break;
        }
        one = describe_job (service, job, &memo);
        set_position (service, job, one);
        service_leave_out (one);
        json_array_append_new (list, one);
    }
    return list;
}

/* ---- users and queues ---- */

/* A suspended job counts for a limit as one that runs, but does not run. */
static int64_t count_running (const struct account *account)
{
    return account->running - account->suspended;
}

json_t *service_users (const struct service *service)
{
    json_t *list = json_array ();
    double total = 0;
    for (size_t i = 0; i < service->users.n; i++)
        total += service->users.all[i].usage;
    for (size_t i = 0; i < service->users.n; i++) {
        const struct account *user = &service->users.all[i];
        char name[ACCOUNT_NAME];
        policy_account_name (&service->policy,
                             policy_account (&service->policy, user->name),
                             name);
        json_array_append_new (
            list,
            json_pack ("{s:s, s:I, s:I, s:I, s:I, s:f, s:f, s:I, s:s*}", "user",
                       user->name, "queued", (json_int_t)user->queued,
                       "running", (json_int_t)count_running (user),
                       "suspended", (json_int_t)user->suspended, "nodes",
                       (json_int_t)user->nodes, "usage", user->usage, "share",
                       total > 0 ? user->usage / total : 0.0, "penalty",
                       (json_int_t)user->penalty, "account",
                       service->policy.naccounts > 0 ? name : NULL));
    }
    return list;
}

/* The one with more nodes, then running jobs, then waiting ones, goes first. */
static bool is_busier (const struct service_load *a,
                       const struct service_load *b)
{
    if (a->nodes != b->nodes)
        return a->nodes > b->nodes;
    if (a->running != b->running)
        return a->running > b->running;
    return a->queued != b->queued ? a->queued > b->queued
                                  : strcmp (a->name, b->name) < 0;
}

static void add_load (struct service_load *to, const struct service_load *more)
{
    to->queued += more->queued;
    to->running += more->running;
    to->suspended += more->suspended;
    to->nodes += more->nodes;
}

/* Put a load where it belongs among the n; the last of them, if there is no
 * room for it, is one of the others. */
static size_t insert_load (struct service_load *all, size_t n,
                           struct service_load load,
                           struct service_load *others)
{
    for (size_t i = 0; i < n; i++)
        if (is_busier (&load, &all[i])) {
            struct service_load next = all[i];
            all[i] = load;
            load = next;
        }
    if (n == SERVICE_LOADS) {
        add_load (others, &load);
        return n;
    }
    all[n] = load;
    return n + 1;
}

size_t service_loads (const struct service *service, bool queues,
                      struct service_load ret_loads[SERVICE_LOADS + 1])
{
    const struct accounts *accounts
        = queues ? &service->queues : &service->users;
    struct service_load others = {.name = "other"};
    size_t n = 0;
    for (size_t i = 0; i < accounts->n; i++) {
        const struct account *it = &accounts->all[i];
        const struct service_load load
            = {it->name, it->queued, count_running (it), it->suspended,
               it->nodes};
        if (!strcmp (it->name, others.name))
            add_load (&others, &load);
        else if (it->queued + it->running > 0)
            n = insert_load (ret_loads, n, load, &others);
    }
    ret_loads[n] = others;
    return n + 1;
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
        "{s:s, s:I, s:I, s:s, s:f, s:I, s:o, s:o, s:s*, s:s*, s:s*, s:s*, "
        "s:I, s:I, s:I, s:I}",
        "queue",
        queue->name, "priority", (json_int_t)queue->priority, "tier",
        (json_int_t)queue->level, "preempted",
        tori_preempted_name (queue->preempted), "max_time",
        (double)queue->max_estimate / TORI_SECOND, "max_nodes",
        (json_int_t)queue->max_nodes, "limits", limits_json (&queue->limits),
        "user_limits", limits_json (&queue->user), "allow", queue->allow,
        "deny", queue->deny, "on", queue->nodes, "hours", queue->hours,
        "queued", (json_int_t)(has ? has->queued : 0), "running",
        (json_int_t)(has ? count_running (has) : 0), "suspended",
        (json_int_t)(has ? has->suspended : 0), "nodes",
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

struct job_counts service_count (const struct service *service)
{
    struct job_counts counts = {.queued = tori_sched_queued (service->sched),
                                .running = tori_sched_running (service->sched)};
    counts.ended = service->jobs.n - counts.queued - counts.running;
    for (size_t i = 0; i < service->queues.n; i++)
        counts.suspended += (size_t)service->queues.all[i].suspended;
    counts.queued -= counts.suspended;
    return counts;
}

const struct job_tally *service_tally (const struct service *service)
{
    return &service->tally;
}

tori_time service_oldest (const struct service *service)
{
    for (size_t i = 0; i < service->jobs.n; i++)
        if (service->jobs.all[i]->state == JOB_QUEUED
            && !service->jobs.all[i]->suspended)
            return service->jobs.all[i]->submit;
    return -1;
}

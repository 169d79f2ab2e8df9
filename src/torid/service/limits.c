/* limits.c - what users may have: what is refused when it is submitted. */
#include <string.h>

#include "service_internal.h"

bool is_operator (const json_t *input)
{
    return json_is_true (json_object_get (input, "root"));
}

int limits_priority (const json_t *input, int64_t priority,
                     struct reply *reply)
{
    if (priority <= 0 || is_operator (input))
        return 0;
    return refuse (reply, 403, "forbidden",
                   "priority: only operators may raise it above 0; users may "
                   "lower that of their own jobs");
}

static const char *name_of (const json_t *input)
{
    const char *name = json_string_value (json_object_get (input, "user"));
    return name ? name : "";
}

/* ---- how many at a time ---- */

static int64_t recent_of (const struct accounts *accounts, const char *name)
{
    const struct account *account = account_find (accounts, name);
    return account ? account->recent : 0;
}

/* The queue of what is submitted, which has not been looked at yet. */
static const char *queue_of (const struct service *service,
                             const json_t *members)
{
    const char *name
        = json_string_value (json_object_get (members, JOB_KEY (queue)));
    if (name)
        return name;
    return service->policy.nqueues > 0 ? service->policy.queues[0].name
                                       : "default";
}

static int64_t count_for (const struct service *service, const json_t *jobs,
                          const char *queue)
{
    int64_t n = 0;
    for (size_t i = 0; i < json_array_size (jobs); i++)
        n += !strcmp (queue_of (service, json_array_get (jobs, i)), queue);
    return n;
}

static int check_queue_rate (const struct service *service,
                             const json_t *jobs, struct reply *reply)
{
    const struct service_policy *policy = &service->policy;
    for (size_t i = 0; i < policy->nqueues; i++) {
        const struct service_queue *queue = &policy->queues[i];
        int64_t recent = recent_of (&service->queues, queue->name);
        if (queue->limits.rate > 0
            && recent + count_for (service, jobs, queue->name)
                   > queue->limits.rate)
            return refuse (reply, 429, "limit",
                           "queue '%s' takes at most %lld submissions per "
                           "minute; it had %lld in this one",
                           queue->name, (long long)queue->limits.rate,
                           (long long)recent);
    }
    return 0;
}

/* Check the rates, which are known before the jobs are read. */
int limits_rate (const struct service *service, const json_t *input,
                 struct reply *reply)
{
    const json_t *jobs = json_object_get (input, "jobs");
    int64_t most = service->policy.user.rate;
    int64_t recent = recent_of (&service->users, name_of (input));
    if (service->replaying || is_operator (input))
        return 0;
    if (most > 0 && recent + (int64_t)json_array_size (jobs) > most)
        return refuse (reply, 429, "limit",
                       "a user may submit %lld times per minute; there were "
                       "%lld in this one",
                       (long long)most, (long long)recent);
    return check_queue_rate (service, jobs, reply);
}

void limits_count (struct service *service, const json_t *input)
{
    const json_t *jobs = json_object_get (input, "jobs");
    for (size_t i = 0; i < json_array_size (jobs); i++)
        usage_submitted (service, name_of (input),
                         queue_of (service, json_array_get (jobs, i)));
}


/* ---- how many in one request ---- */

static bool exceeds_limit (int64_t most, int64_t n)
{
    return most > 0 && n > most;
}

int limits_request (const struct service *service, const json_t *input,
                    int64_t array, int64_t after, struct reply *reply)
{
    const struct service_policy *policy = &service->policy;
    if (service->replaying || external_key (input))
        return 0;
    if (exceeds_limit (policy->array, array))
        return refuse (reply, 422, "too-large",
                       "array: it has %lld jobs, and may have at most %lld "
                       "(max-array)",
                       (long long)array, (long long)policy->array);
    if (exceeds_limit (policy->after, after))
        return refuse (reply, 422, "too-large",
                       "after: it waits for %lld jobs, and may wait for at "
                       "most %lld (max-after)",
                       (long long)after, (long long)policy->after);
    return 0;
}

int limits_batch (const struct service *service, const json_t *input,
                  int64_t n, struct reply *reply)
{
    int64_t most = service->policy.batch;
    bool several
        = json_array_size (json_object_get (input, "jobs")) > 1;
    if (service->replaying || external_key (input) || !several
        || !exceeds_limit (most, n))
        return 0;
    return refuse (reply, 422, "too-large",
                   "a request that submits several jobs may have at most "
                   "%lld, with those of arrays (max-batch): send them in "
                   "several requests",
                   (long long)most);
}

/* ---- how many wait ---- */

static int check_queue (const struct service *service, const char *name,
                        int64_t n, struct reply *reply)
{
    const struct service_queue *queue = policy_queue (service, name);
    const struct account *account = account_find (&service->queues, name);
    if (!queue
        || !exceeds_limit (queue->limits.queued,
                           (account ? account->queued : 0) + n))
        return 0;
    return refuse (reply, 429, "limit",
                   "queue '%s' is full: it may have at most %lld waiting "
                   "jobs (max-queued)",
                   name, (long long)queue->limits.queued);
}

int limits_queue (const struct service *service, const json_t *input,
                  const char *queue, struct reply *reply)
{
    return service->replaying || is_operator (input)
               ? 0
               : check_queue (service, queue, 1, reply);
}

int limits_nodes (const struct service *service, const json_t *input,
                  int64_t nodes, struct reply *reply)
{
    int64_t most = service->policy.user.nodes;
    if (is_operator (input) || most <= 0 || nodes <= most)
        return 0;
    return refuse (reply, 422, "too-large",
                   "it asks for %lld nodes; a user may have at most %lld at "
                   "once",
                   (long long)nodes, (long long)most);
}

static int check_all (const struct service *service, int64_t n,
                      struct reply *reply)
{
    int64_t most = service->policy.jobs;
    int64_t now = (int64_t)(tori_sched_queued (service->sched)
                            + tori_sched_running (service->sched));
    return exceeds_limit (most, now + n)
               ? refuse (reply, 429, "limit",
                         "there may be at most %lld jobs that wait or run, of "
                         "all users (max-jobs); there are %lld",
                         (long long)most, (long long)now)
               : 0;
}

/* The jobs of an array share what they store. */
static int check_stored (const struct service *service,
                         const struct account *user, int64_t more,
                         struct reply *reply)
{
    int64_t most = service->policy.stored;
    if (most == 0 || more <= 0
        || (user ? user->stored : 0) + more <= most << 20)
        return 0;
    return refuse (reply, 429, "limit",
                   "what a user has submitted and has not ended may take at "
                   "most %lld MiB (max-stored)",
                   (long long)most);
}

int limits_enter (struct service *service, const json_t *input,
                  const struct job_ask *ask, int64_t n, struct reply *reply)
{
    int64_t most = service->policy.user.queued;
    const struct account *user
        = account_find (&service->users, name_of (input));
    if (service->replaying || is_operator (input))
        return 0;
    if (exceeds_limit (most, (user ? user->queued : 0) + n))
        return refuse (reply, 429, "limit",
                       "a user may have at most %lld waiting jobs "
                       "(max-queued)",
                       (long long)most);
    if (check_stored (service, user, submission_bytes (ask), reply)
        || check_queue (service, queue_of (service, ask->members), n, reply))
        return 1;
    return check_all (service, n, reply);
}

int limits_change (const struct service *service, const json_t *input,
                   const struct service_job *job, const struct job_ask *then,
                   struct reply *reply)
{
    return service->replaying || is_operator (input)
               ? 0
               : check_stored (service,
                               account_find (&service->users, job->user),
                               stored_growth (job, then), reply);
}

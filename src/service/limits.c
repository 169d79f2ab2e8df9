/* limits.c - what users may have: what is refused when it is submitted. */
#include <string.h>

#include "inside.h"

bool is_operator (const json_t *input)
{
    return json_is_true (json_object_get (input, "root"));
}

int limits_priority (const json_t *input, const json_t *priority,
                     struct reply *reply)
{
    if (json_integer_value (priority) <= 0 || is_operator (input))
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

static const char *queue_of (const struct service *service, const json_t *ask)
{
    const char *name = json_string_value (json_object_get (ask, "queue"));
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

static int check_rate (const struct service *service, const json_t *input,
                       const json_t *jobs, struct reply *reply)
{
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

/* What is known before the jobs themselves are looked at. */
int limits_ask (struct service *service, const json_t *input,
                struct reply *reply)
{
    const json_t *jobs = json_object_get (input, "jobs");
    for (size_t i = 0; i < json_array_size (jobs); i++) {
        const json_t *ask = json_array_get (jobs, i);
        if (limits_priority (input, json_object_get (ask, "priority"), reply))
            return 1;
    }
    return check_rate (service, input, jobs, reply);
}

/* ---- how many wait ---- */

static int check_queue (const struct service *service,
                        const struct ticket *ticket, struct reply *reply)
{
    const char *name = ticket_queue (ticket);
    const struct service_queue *queue = policy_queue (service, name);
    const struct account *account = account_find (&service->queues, name);
    if (!queue || !account)
        return 0;
    if (queue->limits.queued > 0 && account->queued >= queue->limits.queued)
        return refuse (reply, 429, "limit",
                       "queue '%s' is full: it may have at most %lld waiting "
                       "jobs",
                       name, (long long)queue->limits.queued);
    return 0;
}

int limits_nodes (const struct service *service, const json_t *input,
                  int64_t nodes, struct reply *reply)
{
    int64_t most = service->policy.user.nodes;
    if (service->replaying || is_operator (input) || most <= 0
        || nodes <= most)
        return 0;
    return refuse (reply, 422, "too-large",
                   "it asks for %lld nodes; a user may have at most %lld at "
                   "once",
                   (long long)nodes, (long long)most);
}

int limits_enter (struct service *service, const json_t *input,
                  const struct ticket *ticket, struct reply *reply)
{
    const struct service_limits *limits = &service->policy.user;
    const struct account *user = account_find (&service->users, ticket->user);
    if (service->replaying || is_operator (input))
        return 0;
    if (limits->queued > 0 && user && user->queued >= limits->queued)
        return refuse (reply, 429, "limit",
                       "a user may have at most %lld waiting jobs",
                       (long long)limits->queued);
    if (limits_nodes (service, input, ticket->nodes, reply))
        return 1;
    return check_queue (service, ticket, reply);
}

/* queues.c - named queues, and what their jobs may ask for. */
#include <stdio.h>
#include <string.h>

#include "duration.h"
#include "service_internal.h"

static const struct service_queue usual = {.name = "default"};

const char *job_queue_name (const struct service_job *job)
{
    return job->ask->queue ? job->ask->queue : usual.name;
}

const struct service_queue *policy_queue (const struct service *service,
                                          const char *name)
{
    const struct service_policy *policy = &service->policy;
    for (size_t i = 0; i < policy->nqueues; i++)
        if (!strcmp (policy->queues[i].name, name))
            return &policy->queues[i];
    return policy->nqueues > 0 || strcmp (name, usual.name) ? NULL : &usual;
}

/* ---- what is submitted ---- */

static int refuse_unknown (const struct service *service, const char *name,
                           struct reply *reply)
{
    const struct service_policy *policy = &service->policy;
    size_t n = policy->nqueues;
    char list[256] = "default", *at = list;
    for (size_t i = 0; i < n; i++) {
        size_t left = sizeof list - (size_t)(at - list);
        int put = snprintf (at, left, "%s%.60s",
                            i == 0       ? ""
                            : i + 1 < n ? ", "
                                        : " and ",
                            policy->queues[i].name);
        if ((size_t)put >= left)
            break;
        at += put;
    }
    return refuse (reply, 422, "no-such-queue",
                   "there is no queue '%.60s'; there %s %s", name,
                   n > 1 ? "are" : "is", list);
}

int64_t spec_nodes (const tori_job_spec *spec)
{
    uint64_t most = tori_request_nodes (&spec->request);
    for (size_t i = 0; i < spec->nalternatives; i++)
        if (tori_request_nodes (&spec->alternatives[i]) > most)
            most = tori_request_nodes (&spec->alternatives[i]);
    return (int64_t)most;
}

/* ---- what its jobs may ask for ---- */

static int check_size (const struct service *service, const json_t *input,
                       const struct service_queue *queue,
                       const tori_job_spec *spec, struct reply *reply)
{
    if (queue->max_nodes > 0 && spec_nodes (spec) > queue->max_nodes)
        return refuse (reply, 422, "too-large",
                       "it asks for %lld nodes; jobs of queue '%s' have at "
                       "most %lld",
                       (long long)spec_nodes (spec), queue->name,
                       (long long)queue->max_nodes);
    return limits_nodes (service, input, spec_nodes (spec), reply);
}

static bool is_change (const json_t *input)
{
    return json_object_get (input, "id") != NULL;
}

/* An operator may give a job that is there more time. */
static int check_time (const struct service *service, const json_t *input,
                       const struct service_queue *queue,
                       const tori_job_spec *spec, struct reply *reply)
{
    char most[DURATION_TEXT_MAX];
    if (queue->max_estimate == 0 || spec->estimate <= queue->max_estimate
        || (is_operator (input) && is_change (input)))
        return 0;
    duration_format (queue->max_estimate, most);
    return refuse (reply, 422, "too-long",
                   "jobs of queue '%s' run for at most %s", queue->name,
                   most);
}

static int check_tier (const struct service *service, const json_t *input,
                       const struct service_queue *queue,
                       const tori_job_spec *spec, struct reply *reply)
{
    if (is_operator (input))
        return 0;
    if (spec->level > queue->level)
        return refuse (reply, 403, "forbidden",
                       "tier: jobs of queue '%s' have %lld; only operators "
                       "may ask for more",
                       queue->name, (long long)queue->level);
    if (spec->preempted == TORI_PREEMPTED_NEVER
        && queue->preempted != TORI_PREEMPTED_NEVER)
        return refuse (reply, 403, "forbidden",
                       "preempted: jobs of queue '%s' can be preempted; only "
                       "operators may ask for 'never'",
                       queue->name);
    return 0;
}

static int check_priority (const struct service *service,
                           const json_t *input,
                           const struct service_queue *queue,
                           const tori_job_spec *spec, struct reply *reply)
{
    return limits_priority (input, spec->priority, reply);
}

int ask_check (const struct service *service, const json_t *input,
               const struct service_queue *queue, const tori_job_spec *spec,
               int parts, struct reply *reply)
{
    static const struct {
        enum ask_part part;
        int (*check) (const struct service *, const json_t *,
                      const struct service_queue *, const tori_job_spec *,
                      struct reply *);
    } checks[] = {{ASK_PRIORITY, check_priority},
                  {ASK_TIER, check_tier},
                  {ASK_SIZE, check_size},
                  {ASK_TIME, check_time}};
    if (service->replaying)
        return 0;
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++)
        if ((parts & (int)checks[i].part)
            && checks[i].check (service, input, queue, spec, reply))
            return 1;
    return 0;
}

int change_check (const struct service *service, const struct service_job *job,
                  const json_t *input, const tori_job_spec *spec, int parts,
                  struct reply *reply)
{
    const struct service_queue *queue =
        policy_queue (service, job_queue_name (job));
    return ask_check (service, input, queue ? queue : &usual, spec, parts,
                      reply);
}

/* Store the settings of the queue with the job, for the queue may change. */
static int note_queue (const struct service *service,
                       const struct service_queue *queue, struct job_ask *ask,
                       tori_error *err)
{
    const struct job_reading how = {.machine = service->machine};
    if (job_ask_set (ask, JOB_queue, json_string (queue->name), &how, err) < 0
        || (!(ask->given & JOB_BIT (tier)) && queue->level > 0
            && job_ask_set (ask, JOB_tier, json_integer (queue->level), &how,
                            err)
                   < 0))
        return -1;
    return ask->given & JOB_BIT (preempted) || !queue->preempted
               ? 0
               : job_ask_set (
                     ask, JOB_preempted,
                     json_string (tori_preempted_name (queue->preempted)),
                     &how, err);
}

/* Another system has queues of its own. */
static bool is_foreign (const json_t *input)
{
    const char *in = json_string_value (json_object_get (input, "in"));
    return in && !strcmp (in, "executor");
}

int queue_enter (struct service *service, const json_t *input,
                 struct job_ask *ask, struct reply *reply, tori_error *err)
{
    const struct service_policy *policy = &service->policy;
    const struct service_queue *queue
        = ask->queue            ? policy_queue (service, ask->queue)
          : policy->nqueues > 0 ? &policy->queues[0]
                                : &usual;
    if (!queue && is_foreign (input))
        queue = &usual;
    if (!queue)
        return refuse_unknown (service, ask->queue, reply);
    if (queue != &usual && note_queue (service, queue, ask, err) < 0)
        return -1;
    return ask_check (service, input, queue, &ask->spec, ASK_ALL, reply);
}

/* queues.c - named queues, and what their jobs may ask for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bits.h"
#include "duration.h"
#include "nodelist.h"
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

/* ---- who may submit ---- */

bool words_include (const char *words, const char *word, size_t n)
{
    size_t length;
    for (; words && *(words += strspn (words, " ")); words += length) {
        length = strcspn (words, " ");
        if (length == n && !strncmp (words, word, n))
            return true;
    }
    return false;
}

/* Whether a list of users and @groups names the one who asks. */
static bool names_user (const char *list, const json_t *input)
{
    const char *user = json_string_value (json_object_get (input, "user"));
    const char *groups
        = json_string_value (json_object_get (input, "groups"));
    size_t n;
    if (user && *user != '@' && words_include (list, user, strlen (user)))
        return true;
    for (; list && *(list += strspn (list, " ")); list += n) {
        n = strcspn (list, " ");
        if (*list == '@' && words_include (groups, list + 1, n - 1))
            return true;
    }
    return false;
}

/* Another system has queues of its own. */
static bool is_foreign (const json_t *input)
{
    const char *in = json_string_value (json_object_get (input, "in"));
    return in && !strcmp (in, "executor");
}

static int check_access (const struct service *service, const json_t *input,
                         const struct service_queue *queue,
                         const tori_job_spec *spec, struct reply *reply)
{
    const char *user = json_string_value (json_object_get (input, "user"));
    if (is_operator (input) || is_foreign (input))
        return 0;
    if (names_user (queue->deny, input))
        return refuse (reply, 403, "forbidden",
                       "queue '%s' does not take jobs of %.60s (deny)",
                       queue->name, user);
    if (queue->allow && !names_user (queue->allow, input))
        return refuse (reply, 403, "forbidden",
                       "queue '%s' does not take jobs of %.60s; it is for "
                       "%.200s (allow)",
                       queue->name, user ? user : "", queue->allow);
    return 0;
}

/* ---- where its jobs run ---- */

/* Words as a list: a new reference. */
static json_t *words_json (const char *words)
{
    json_t *list = json_array ();
    size_t n;
    for (; *(words += strspn (words, " ")); words += n) {
        n = strcspn (words, " ");
        json_array_append_new (list, json_stringn (words, n));
    }
    return list;
}

/* The nodes of a queue as bits, which the caller frees. */
static int read_bits (const struct service *service, const char *nodes,
                      uint64_t **ret_bits, tori_error *err)
{
    json_t *object = json_pack ("{s:o}", "on", words_json (nodes));
    const struct member_of of = {.object = object};
    size_t n;
    int found = nodeset_read (&of, "on", service->machine, ret_bits, &n, err);
    json_decref (object);
    return found > 0    ? 0
           : found == 0 ? tori_error_set (err, TORI_INVALID,
                                          "on: expected nodes or boxes")
                        : -1;
}

int queues_check_nodes (const struct service *service, const json_t *policy,
                        tori_error *err)
{
    const json_t *queues = json_object_get (policy, "queues");
    for (size_t i = 0; i < json_array_size (queues); i++) {
        const json_t *queue = json_array_get (queues, i);
        const char *nodes = json_string_value (json_object_get (queue, "on"));
        uint64_t *bits = NULL;
        tori_error why = {0};
        int status = nodes ? read_bits (service, nodes, &bits, &why) : 0;
        free (bits);
        if (status < 0)
            return tori_error_set (
                err, why.status, "queue '%.60s': %s",
                json_string_value (json_object_get (queue, "name")),
                why.text);
    }
    return 0;
}

/* A job that names nodes itself may name those of the queue. */
static int check_nodes (const struct service *service,
                        const struct service_queue *queue,
                        const struct job_ask *ask, struct reply *reply,
                        tori_error *err)
{
    size_t words = bits_words (tori_machine_nodes (service->machine));
    uint64_t *bits = NULL, outside = 0;
    if (read_bits (service, queue->nodes, &bits, err) < 0)
        return -1;
    for (size_t i = 0; i < words && ask->spec.only; i++)
        outside |= ask->spec.only[i] & ~bits[i];
    free (bits);
    return outside ? refuse (reply, 422, "other-nodes",
                             "only: jobs of queue '%s' run on %.200s (on)",
                             queue->name, queue->nodes)
                   : 0;
}

/* 0; 1 and a reply; or -1. */
static int note_nodes (const struct service *service,
                       const struct service_queue *queue, struct job_ask *ask,
                       struct reply *reply, tori_error *err)
{
    const struct job_reading how = {.machine = service->machine};
    if (!queue->nodes)
        return 0;
    if (ask->given & JOB_BIT (only))
        return service->replaying
                   ? 0
                   : check_nodes (service, queue, ask, reply, err);
    if (job_ask_set (ask, JOB_only, words_json (queue->nodes), &how, err) < 0)
        return -1;
    ask->only = (uint64_t *)(uintptr_t)ask->spec.only;
    return 0;
}

bool queue_gave_nodes (const struct service *service,
                       const struct service_job *job)
{
    const struct service_queue *queue
        = policy_queue (service, job_queue_name (job));
    json_t *list = queue && queue->nodes ? words_json (queue->nodes) : NULL;
    bool same = list && json_equal (list, json_object_get (job->ask->members,
                                                           JOB_KEY (only)));
    json_decref (list);
    return same;
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
    if (queue->user.nodes > 0 && spec_nodes (spec) > queue->user.nodes)
        return refuse (reply, 422, "too-large",
                       "it asks for %lld nodes; a user has at most %lld in "
                       "queue '%s' (user-max-nodes)",
                       (long long)spec_nodes (spec),
                       (long long)queue->user.nodes, queue->name);
    if (queue->limits.nodes > 0 && spec_nodes (spec) > queue->limits.nodes)
        return refuse (reply, 422, "too-large",
                       "it asks for %lld nodes; all jobs of queue '%s' "
                       "together have at most %lld (max-nodes)",
                       (long long)spec_nodes (spec), queue->name,
                       (long long)queue->limits.nodes);
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

/* Check these parts of a job for a user and a queue. */
static int check_parts (const struct service *service, const json_t *input,
                        const struct service_queue *queue,
                        const tori_job_spec *spec, int parts,
                        struct reply *reply)
{
    static const struct {
        enum ask_part part;
        int (*check) (const struct service *, const json_t *,
                      const struct service_queue *, const tori_job_spec *,
                      struct reply *);
    } checks[] = {{ASK_ACCESS, check_access},
                  {ASK_PRIORITY, check_priority},
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
    return check_parts (service, input, queue ? queue : &usual, spec, parts,
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

int queue_enter (struct service *service, const json_t *input,
                 struct job_ask *ask, struct reply *reply, tori_error *err)
{
    const struct service_policy *policy = &service->policy;
    const struct service_queue *queue
        = ask->queue            ? policy_queue (service, ask->queue)
          : policy->nqueues > 0 ? &policy->queues[0]
                                : &usual;
    int status;
    if (!queue && is_foreign (input)
        && !json_is_true (json_object_get (input, "known_queue")))
        queue = &usual;
    if (!queue)
        return refuse_unknown (service, ask->queue, reply);
    if (queue != &usual && note_queue (service, queue, ask, err) < 0)
        return -1;
    status = check_parts (service, input, queue, &ask->spec, ASK_ALL, reply);
    return status == 0 ? note_nodes (service, queue, ask, reply, err) : status;
}

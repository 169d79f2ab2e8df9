/* policy.c - the policy: what is set from outside, as an input. */
#include <stdlib.h>
#include <string.h>

#include "choice.h"
#include "hours.h"
#include "service_internal.h"
#include "member.h"
#include "shortage.h"

/* ---- numbers by name ---- */

struct setting {
    const char *name;
    size_t at; /* of an int64_t in the structure */
    int64_t least, most;
};

#define FIELD(type, member, least, most)                                      \
    {                                                                         \
        #member, offsetof (struct type, member), least, most                  \
    }
#define COUNT(type, member) FIELD (type, member, 0, INT64_MAX)

static const struct setting of_limits[] = {COUNT (service_limits, queued),
                                         COUNT (service_limits, running),
                                         COUNT (service_limits, nodes),
                                         COUNT (service_limits, rate),
                                         {0}};

static const struct setting of_queue[]
    = {FIELD (service_queue, priority, INT64_MIN, INT64_MAX),
       COUNT (service_queue, max_estimate),
       COUNT (service_queue, max_nodes),
       FIELD (service_queue, level, 0, UINT32_MAX),
       {0}};

static const struct setting of_policy[]
    = {COUNT (service_policy, half_life),
       FIELD (service_policy, weight, 0, INT64_C (1000000000000000)),
       COUNT (service_policy, requeues), COUNT (service_policy, history),
       COUNT (service_policy, jobs),     COUNT (service_policy, array),
       COUNT (service_policy, after),    COUNT (service_policy, batch),
       FIELD (service_policy, stored, 0, INT64_MAX >> 20),
       {0}};

static json_t *write_fields (const struct setting *field, const void *from)
{
    json_t *to = json_object ();
    for (; field->name; field++) {
        int64_t value;
        memcpy (&value, (const char *)from + field->at, sizeof value);
        json_object_set_new (to, field->name, json_integer (value));
    }
    return to;
}

static int read_fields (const struct member_of *of,
                        const struct setting *field, void *to,
                        tori_error *err)
{
    for (; field->name; field++) {
        int64_t value = 0;
        if (member_integer (of, field->name, field->least, &value, err) < 0)
            return -1;
        if (value > field->most)
            return member_bad (of, field->name, err, "too large");
        memcpy ((char *)to + field->at, &value, sizeof value);
    }
    return 0;
}

static int read_limits (const struct member_of *of, const char *key,
                        struct service_limits *ret, tori_error *err)
{
    struct member_of object;
    int found = member_object (of, key, &object, err);
    return found > 0 ? read_fields (&object, of_limits, ret, err) : found;
}

/* ---- texts of a queue ---- */

static const struct {
    const char *name;
    size_t at;
} queue_texts[] = {{"allow", offsetof (struct service_queue, allow)},
                   {"deny", offsetof (struct service_queue, deny)},
                   {"on", offsetof (struct service_queue, nodes)},
                   {"hours", offsetof (struct service_queue, hours)}};

static const char *const *queue_text (const struct service_queue *queue,
                                      size_t i)
{
    return (const char *const *)(const void *)((const char *)queue
                                               + queue_texts[i].at);
}

static int read_texts (const struct member_of *of,
                       struct service_queue *queue, tori_error *err)
{
    tori_error why;
    for (size_t i = 0; i < sizeof queue_texts / sizeof queue_texts[0]; i++)
        if (member_text (of, queue_texts[i].name,
                         (const char **)(uintptr_t)queue_text (queue, i), err)
            < 0)
            return -1;
    return queue->hours && hours_check (queue->hours, &why) < 0
               ? member_blame (of, "hours", &why, err)
               : 0;
}

/* ---- as JSON ---- */

static json_t *queue_json (const struct service_queue *queue)
{
    json_t *to = write_fields (of_queue, queue);
    const char *fate = tori_preempted_name (queue->preempted);
    json_object_set_new (to, "name",
                         json_string (queue->name ? queue->name : ""));
    json_object_set_new (to, "preempted", json_string (fate ? fate : ""));
    json_object_set_new (to, "limits",
                         write_fields (of_limits, &queue->limits));
    json_object_set_new (to, "user", write_fields (of_limits, &queue->user));
    for (size_t i = 0; i < sizeof queue_texts / sizeof queue_texts[0]; i++) {
        const char *text = *queue_text (queue, i);
        if (text)
            json_object_set_new (to, queue_texts[i].name, json_string (text));
    }
    return to;
}

static json_t *accounts_json (const struct service_policy *policy)
{
    json_t *list = json_array ();
    for (size_t i = 0; i < policy->naccounts; i++)
        json_array_append_new (list, json_string (policy->accounts[i]));
    return list;
}

static json_t *policy_json (const struct service_policy *policy)
{
    json_t *to = write_fields (of_policy, policy), *queues = json_array ();
    for (size_t i = 0; i < policy->nqueues; i++)
        json_array_append_new (queues, queue_json (&policy->queues[i]));
    json_object_set_new (to, "user",
                         write_fields (of_limits, &policy->user));
    json_object_set_new (to, "queues", queues);
    if (policy->naccounts > 0)
        json_object_set_new (to, "accounts", accounts_json (policy));
    return to;
}

static int read_name (const struct member_of *of,
                      const struct service_policy *policy,
                      struct service_queue *queue, tori_error *err)
{
    queue->name = "";
    if (member_text (of, "name", &queue->name, err) < 0)
        return -1;
    if (!*queue->name)
        return member_bad (of, "name", err, "is missing");
    for (size_t i = 0; i < policy->nqueues; i++)
        if (!strcmp (policy->queues[i].name, queue->name))
            return member_bad (of, "name", err, "queue '%s' is given twice",
                               queue->name);
    return 0;
}

static const char *fate_name (size_t i)
{
    return tori_preempted_name ((tori_preempted)i);
}

static int read_fate (const struct member_of *of, tori_preempted *ret,
                      tori_error *err)
{
    const char *text = NULL;
    size_t fate = TORI_PREEMPTED_REQUEUE;
    tori_error why;
    if (member_text (of, "preempted", &text, err) < 0)
        return -1;
    if (text && choice_find ("value", fate_name, text, &fate, &why) < 0)
        return member_blame (of, "preempted", &why, err);
    *ret = (tori_preempted)fate;
    return 0;
}

static int read_queues (const json_t *from, struct service_policy *policy,
                        struct service_queue *queues, tori_error *err)
{
    const json_t *list = json_object_get (from, "queues");
    policy->queues = queues;
    for (; policy->nqueues < json_array_size (list); policy->nqueues++) {
        struct service_queue *queue = &queues[policy->nqueues];
        struct member_of of
            = {.object = json_array_get (list, policy->nqueues),
               .file = "policy",
               .list = "queues",
               .i = policy->nqueues};
        if (read_name (&of, policy, queue, err) < 0
            || read_fields (&of, of_queue, queue, err) < 0
            || read_fate (&of, &queue->preempted, err) < 0
            || read_limits (&of, "limits", &queue->limits, err) < 0
            || read_limits (&of, "user", &queue->user, err) < 0
            || read_texts (&of, queue, err) < 0)
            return -1;
    }
    return 0;
}

static int read_accounts (const struct member_of *of,
                          struct service_policy *policy, tori_error *err)
{
    const json_t *list = NULL;
    const char **texts;
    if (member_list (of, "accounts", &list, err) < 0)
        return -1;
    texts = calloc (json_array_size (list) + 1, sizeof *texts);
    policy->accounts = texts;
    if (!texts)
        return tori_error_nomem (err);
    for (; policy->naccounts < json_array_size (list); policy->naccounts++) {
        texts[policy->naccounts]
            = json_string_value (json_array_get (list, policy->naccounts));
        if (!texts[policy->naccounts])
            return member_bad (of, "accounts", err, "expected texts");
    }
    return policy_check_accounts (policy, err);
}

/* Names are those of the JSON, which must last. */
static int policy_read (const json_t *from, struct service_policy *ret,
                        tori_error *err)
{
    struct member_of of = {.object = from, .file = "policy"};
    struct service_policy policy = {0};
    size_t n = json_array_size (json_object_get (from, "queues"));
    struct service_queue *queues = calloc (n + 1, sizeof *queues);
    if (!queues)
        return tori_error_nomem (err);
    if (!json_is_object (from)
        || read_fields (&of, of_policy, &policy, err) < 0
        || read_limits (&of, "user", &policy.user, err) < 0
        || read_queues (from, &policy, queues, err) < 0
        || read_accounts (&of, &policy, err) < 0) {
        free (queues);
        free ((void *)(uintptr_t)policy.accounts);
        return json_is_object (from)
                   ? -1
                   : tori_error_set (err, TORI_INVALID, "not a policy");
    }
    *ret = policy;
    return 0;
}

/* ---- in the service ---- */

static uint64_t text_hash (const char *text)
{
    uint64_t hash = UINT64_C (0xcbf29ce484222325); /* FNV-1a */
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C (0x100000001b3);
    return hash;
}

/* From here on it is another. */
int policy_take (struct service *service, json_t *value, tori_error *err)
{
    struct service_policy policy;
    char *text;
    if (policy_read (value, &policy, err) < 0)
        return -1;
    text = json_dumps (value, JSON_COMPACT | JSON_SORT_KEYS);
    if (!text) {
        free ((void *)(uintptr_t)policy.queues);
        free ((void *)(uintptr_t)policy.accounts);
        return tori_error_nomem (err);
    }
    policy_drop (service);
    service->policy = policy;
    service->policy_json = json_incref (value);
    service->policy_mark = text_hash (text);
    service->hash += service->policy_mark;
    service->unsettled = true;
    free (text);
    return 0;
}

void policy_drop (struct service *service)
{
    free ((void *)(uintptr_t)service->policy.queues);
    free ((void *)(uintptr_t)service->policy.accounts);
    json_decref (service->policy_json);
    service->hash -= service->policy_mark;
    service->policy = (struct service_policy){0};
    service->policy_json = NULL;
    service->policy_mark = 0;
}

/* ---- and of which machine ---- */

json_t *home_make (const struct service *service)
{
    char text[TORI_TEXT_MAX];
    tori_machine_format (service->machine, text);
    return json_string (text);
}

void home_take (struct service *service, json_t *name)
{
    if (!json_is_string (name))
        return;
    json_decref (service->home);
    service->home = json_incref (name);
}

const char *service_home (const struct service *service)
{
    return json_string_value (service->home);
}

int do_policy (struct service *service, const json_t *input,
               struct reply *reply, tori_error *err)
{
    json_t *value = json_object_get (input, "policy");
    tori_error why = {0};
    if (!is_operator (input))
        return refuse (reply, 403, "forbidden",
                       "only operators may change the policy");
    if (!service->replaying && queues_check_nodes (service, value, &why) < 0)
        return refuse_error (&why, reply, err);
    if (policy_take (service, value, &why) < 0)
        return refuse_error (&why, reply, err);
    home_take (service, json_object_get (input, "machine"));
    *reply = (struct reply){200, json_incref (value)};
    if (!service->replaying && reservations_review (service, err) < 0)
        return -1;
    return usage_rank (service, err) < 0 ? -1
                                         : limit_queue_rebuild (service, err);
}

/* ---- from outside ---- */

const struct service_policy *service_policy (const struct service *service)
{
    return &service->policy;
}

static int tell_policy (struct service *service, tori_time now, json_t *value,
                        json_t *home, tori_error *err)
{
    json_t *input = json_pack ("{s:s, s:b, s:O, s:O}", "in", "policy", "root",
                               1, "policy", value, "machine", home);
    struct reply reply = {0};
    int status = input ? service_do (service, now, input, &reply, err)
                       : tori_error_nomem (err);
    if (status == 0 && reply.code >= 300) {
        const json_t *error = json_object_get (reply.body, "error");
        status = tori_error_set (
            err, TORI_INVALID, "%s",
            json_string_value (json_object_get (error, "message")));
    }
    json_decref (reply.body);
    json_decref (input);
    return status;
}

int service_set_policy (struct service *service, tori_time now,
                        const struct service_policy *policy, tori_error *err)
{
    unsigned long shortages = shortage_count ();
    json_t *value = policy_json (policy), *home = home_make (service);
    int status = 0;
    if (!value || !home || shortage_count () != shortages)
        status = tori_error_nomem (err);
    else if (!json_equal (value, service->policy_json)
             || !json_equal (home, service->home))
        status = tell_policy (service, now, value, home, err);
    json_decref (value);
    json_decref (home);
    return status;
}

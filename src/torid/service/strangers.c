/* strangers.c - processes that an executor has, and this state knows nothing
 * of: a backup was put back, and they were begun after it was made.
 *
 * Their nodes are kept free of others until they are gone. They are ended only
 * if an operator says so. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service_internal.h"

/* ---- which they are ---- */

/* Two jobs of the executor's own queue may claim one attempt: the key tells
 * them apart. */
static json_t *name_of (const json_t *one)
{
    const char *key = json_string_value (json_object_get (one, "key"));
    return json_sprintf (
        "%lld.%lld.%s%s%s",
        (long long)json_integer_value (json_object_get (one, "job")),
        (long long)json_integer_value (json_object_get (one, "attempt")),
        json_string_value (json_object_get (one, "state")), key ? " " : "",
        key ? key : "");
}

static void keep_one (json_t *all, const json_t *one)
{
    json_t *name = name_of (one);
    json_object_set_new (
        all, json_string_value (name),
        json_pack ("{s:O, s:O, s:O, s:O*, s:O*, s:O*}", "job",
                   json_object_get (one, "job"), "attempt",
                   json_object_get (one, "attempt"), "state",
                   json_object_get (one, "state"), "key",
                   json_object_get (one, "key"), "ids",
                   json_object_get (one, "ids"), "user",
                   json_object_get (one, "user")));
    json_decref (name);
}

size_t service_strangers (const struct service *service)
{
    return json_object_size (service->strangers);
}

json_t *service_strangers_json (const struct service *service)
{
    json_t *list = json_array ();
    const char *name;
    json_t *one;
    json_object_foreach (service->strangers, name, one)
    {
        json_t *copy = json_copy (one), *nodes = json_array (), *id;
        char text[TORI_TEXT_MAX];
        size_t i;
        json_array_foreach (json_object_get (one, "ids"), i, id)
        {
            tori_node_format (service->machine,
                              (uint32_t)json_integer_value (id), text);
            json_array_append_new (nodes, json_string (text));
        }
        json_object_del (copy, "ids");
        json_object_del (copy, "key");
        json_object_set_new (copy, "nodes", nodes);
        json_array_append_new (list, copy);
    }
    return list;
}

/* ---- their nodes ---- */

/* Mark the nodes of strangers, and unmark all others. */
static int set_nodes (struct service *service, tori_error *err)
{
    uint32_t n = tori_machine_nodes (service->machine);
    const json_t **there = calloc (n, sizeof *there);
    int status = there ? 0 : tori_error_nomem (err);
    const char *name;
    json_t *one, *id;
    size_t i;
    json_object_foreach (service->strangers, name, one)
        json_array_foreach (json_object_get (one, "ids"), i, id)
        {
            json_int_t node = json_integer_value (id);
            if (there && node >= 0 && node < n)
                there[node] = one;
        }
    for (uint32_t node = 0; status == 0 && node < n; node++)
        status = node_set_stranger (service, node, there[node], err);
    free (there);
    return status;
}

static int set_strangers (struct service *service, json_t *all,
                          tori_error *err)
{
    json_decref (service->strangers);
    service->strangers = all;
    return all ? set_nodes (service, err) : tori_error_nomem (err);
}

static bool is_strange (struct service *service, const json_t *one)
{
    return json_is_string (json_object_get (one, "state"))
           && !attempt_is_own (service, one);
}

static void order_end (struct service *service, const json_t *one)
{
    enum { GRACE = 30 };
    service_put (service, EFFECT_ORDER,
                 json_pack ("{s:s, s:O, s:O, s:O, s:O*, s:i, s:i}", "do",
                            "stop", "job", json_object_get (one, "job"),
                            "attempt", json_object_get (one, "attempt"),
                            "state", json_object_get (one, "state"), "key",
                            json_object_get (one, "key"), "signal", 15,
                            "grace", GRACE));
}

/* The executor may have been away when an operator ended some of them: those
 * that it still has are ended again. */
static void end_again (struct service *service, const json_t *all)
{
    json_t *left = json_object (), *one;
    const char *name;
    json_object_foreach (service->ending, name, one)
    {
        const json_t *still = json_object_get (all, name);
        if (!still)
            continue;
        json_object_set (left, name, one);
        order_end (service, still);
    }
    json_decref (service->ending);
    service->ending = left;
}

int strangers_review (struct service *service, const json_t *jobs,
                      tori_error *err)
{
    json_t *all = json_object (), *one;
    size_t i;
    json_array_foreach (jobs, i, one)
        if (is_strange (service, one))
            keep_one (all, one);
    if (service->ending)
        end_again (service, all);
    if (json_equal (all, service->strangers)
        || (json_object_size (all) == 0 && !service->strangers)) {
        json_decref (all);
        return 0;
    }
    return set_strangers (service, all, err);
}

int strangers_leave (struct service *service, const json_t *input,
                     tori_error *err)
{
    json_t *name = json_is_string (json_object_get (input, "state"))
                       ? name_of (input)
                       : NULL;
    int status = 1;
    if (name && json_object_get (service->strangers, json_string_value (name)))
    {
        json_t *rest = json_copy (service->strangers);
        json_object_del (rest, json_string_value (name));
        status = set_strangers (service, rest, err);
    }
    json_decref (name);
    return status;
}

int strangers_load (struct service *service, json_t *saved, tori_error *err)
{
    return saved ? set_strangers (service, json_incref (saved), err) : 0;
}

/* ---- their end ---- */

/* Nothing is known of them that could change: what the executor says of them
 * is the record. */
int do_end_unknown (struct service *service, const json_t *input,
                    struct reply *reply, tori_error *err)
{
    json_int_t job = json_integer_value (json_object_get (input, "id"));
    const char *name;
    json_t *one;
    size_t n = 0;
    if (!is_operator (input))
        return refuse (reply, 403, "forbidden",
                       "only operators may end unknown processes");
    json_object_foreach (service->strangers, name, one)
    {
        if (json_integer_value (json_object_get (one, "job")) != job)
            continue;
        n++;
        if (!service->ending)
            service->ending = json_object ();
        json_object_set_new (service->ending, name, json_true ());
        order_end (service, one);
    }
    if (n == 0)
        return refuse (reply, 404, "no-such-process",
                       "there is no unknown process of a job %lld",
                       (long long)job);
    *reply = (struct reply){200, json_pack ("{s:I}", "id", job)};
    return 1;
}

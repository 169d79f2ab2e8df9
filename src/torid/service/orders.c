/* orders.c - orders to the executor. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service_internal.h"

static json_t *order_about (const struct service *service, const char *what,
                            const struct service_job *job)
{
    char state[STATE_WORD];
    origin_word (service, job->epoch, state);
    return json_pack ("{s:s*, s:I, s:I, s:s*, s:s*}", "do", what, "job",
                      (json_int_t)job->id, "attempt", (json_int_t)job->attempt,
                      "key", job->key, "state", job->epoch ? state : NULL);
}

void order_stop (struct service *service, const struct service_job *job,
                 struct leave how)
{
    json_t *order;
    if (service->replaying)
        return;
    order = order_about (service, "stop", job);
    json_object_set_new (order, "signal", json_integer (how.signal));
    json_object_set_new (order, "grace", json_integer (how.grace));
    if (how.again)
        json_object_set_new (order, "again", json_true ());
    if (how.over)
        json_object_set_new (order, "over", json_true ());
    service_put (service, EFFECT_ORDER, order);
}

static void add_nodes (struct service *service, json_t *order,
                       const tori_placement *place)
{
    const tori_machine *machine = service->machine;
    json_t *ids = json_array (), *nodes = json_array ();
    uint32_t *all = malloc ((place->count + 1) * sizeof *all);
    char text[TORI_TEXT_MAX];
    if (all)
        tori_placement_nodes (place, machine, all);
    service->nomem |= !all;
    for (uint32_t i = 0; all && i < place->count; i++) {
        tori_node_format (machine, all[i], text);
        json_array_append_new (ids, json_integer (all[i]));
        json_array_append_new (nodes, json_string (text));
    }
    free (all);
    json_object_set_new (order, "ids", ids);
    json_object_set_new (order, "nodes", nodes);
}

/* Where a job is placed, and in which order it has its nodes. */
static void add_place (struct service *service, json_t *order,
                       const struct service_job *job,
                       const tori_placement *place)
{
    tori_error why = {0};
    json_t *boxes, *map;
    char wiring[TORI_TEXT_MAX];
    add_nodes (service, order, place);
    if (!place->nboxes)
        return;
    boxes = place_json (service->machine, place);
    map = folded_map (service, &job->ask->spec, place, false, &why);
    service->nomem |= why.status == TORI_FAILED;
    json_object_update (order, boxes);
    json_decref (boxes);
    tori_wiring_format (service->machine, place->wiring, wiring);
    json_object_set_new (order, "wiring", json_string (wiring));
    if (map)
        json_object_set_new (order, "map", map);
}

/* An array may have many orders, and they share what was submitted: what a job
 * of it has of its own becomes a variable when its order is written. */
#define ORDER_INDEX "index"

static void set_index (json_t *order, uint32_t index)
{
    if (!json_object_get (order, "environment"))
        json_object_set_new (order, "environment", json_object ());
    json_object_set_new (order, ORDER_INDEX, json_integer (index));
}

char *service_write_order (const json_t *order)
{
    const json_t *index = json_object_get (order, ORDER_INDEX);
    json_t *whole, *environment;
    char number[24], *text;
    if (!index)
        return json_dumps (order, JSON_COMPACT);
    snprintf (number, sizeof number, "%lld",
              (long long)json_integer_value (index));
    whole = json_copy ((json_t *)(uintptr_t)order);
    environment = json_copy (json_object_get (order, "environment"));
    json_object_set_new (environment, "TORI_ARRAY_INDEX",
                         json_string (number));
    json_object_set_new (whole, "environment", environment);
    json_object_del (whole, ORDER_INDEX);
    text = json_dumps (whole, JSON_COMPACT);
    json_decref (whole);
    return text;
}

/* How long the attempt may run: it need not do again what was saved. */
static json_t *limit_json (const struct service_job *job)
{
    double limit = (double)job->ask->spec.estimate / TORI_SECOND;
    double left = limit - (double)job->done / TORI_SECOND;
    return json_real (left > 1 ? left : limit < 1 ? limit : 1);
}

void order_limit (struct service *service, const struct service_job *job)
{
    json_t *order;
    if (service->replaying)
        return;
    order = order_about (service, "limit", job);
    json_object_set_new (order, "limit", limit_json (job));
    service_put (service, EFFECT_ORDER, order);
}

void service_limit_orders (struct service *service,
                           struct order_limits limits)
{
    service->order_most = limits;
}

/* How long its order can be, in bytes. Every node has a number, coordinates
 * and perhaps a number in the map. A byte of a text takes up to six; that is
 * exact enough for most, and to write a long text takes long. */
static size_t bound_order (const struct service *service,
                           const struct job_ask *ask, bool exact)
{
    enum { REST = 4096, NUMBERS = 24, ESCAPED = 6 };
    char text[TORI_TEXT_MAX];
    size_t n = REST;
    json_t *value;
    for (size_t i = 0; job_ask_next (ask, JOB_PASSED, &i, &value);)
        n += exact ? json_dumpb (value, NULL, 0,
                                 JSON_COMPACT | JSON_ENCODE_ANY)
                   : ESCAPED * (size_t)stored_bytes (value);
    tori_node_format (service->machine,
                      tori_machine_nodes (service->machine) - 1, text);
    return n + (size_t)spec_nodes (&ask->spec) * (strlen (text) + NUMBERS);
}

static int check_order (const struct service *service,
                        const struct job_ask *ask, size_t i,
                        struct reply *reply)
{
    size_t most = service->order_most.line;
    size_t n;
    if (most == 0 || bound_order (service, ask, false) <= most)
        return 0;
    n = bound_order (service, ask, true);
    if (n <= most)
        return 0;
    return refuse (reply, 413, "too-long",
                   "jobs[%zu]: command, environment, script and the nodes of "
                   "the job take up to %zu bytes, and the executor accepts "
                   "%zu",
                   i, n, most);
}

/* Add a word of so many bytes, which the kernel ends by a zero, and points
 * to. */
static int add_word (const struct service *service, const char *name,
                     size_t bytes, size_t i, size_t *all, struct reply *reply)
{
    size_t most = service->order_most.word;
    *all += bytes + 1 + sizeof (char *);
    if (most == 0 || bytes <= most)
        return 0;
    return refuse (reply, 413, "too-long",
                   "jobs[%zu]: %.100s takes %zu bytes, and no program can "
                   "have more than %zu in one argument or variable",
                   i, name, bytes, most);
}

static int add_words (const struct service *service,
                      const struct job_ask *ask, size_t i, size_t *all,
                      struct reply *reply)
{
    const json_t *command
        = json_object_get (ask->members, JOB_KEY (command));
    const char *name;
    json_t *value;
    char text[40];
    for (size_t k = 0; k < json_array_size (command); k++) {
        snprintf (text, sizeof text, "command[%zu]", k);
        if (add_word (service, text,
                      json_string_length (json_array_get (command, k)), i,
                      all, reply))
            return 1;
    }
    json_object_foreach ((json_t *)(uintptr_t)ask->environment, name, value)
        if (add_word (service, name,
                      strlen (name) + 1 + json_string_length (value), i, all,
                      reply))
            return 1;
    return 0;
}

/* Whether a program can be started with them at all. */
static int check_words (const struct service *service,
                        const struct job_ask *ask, size_t i,
                        struct reply *reply)
{
    size_t most = service->order_most.words, all = 0;
    if (add_words (service, ask, i, &all, reply))
        return 1;
    if (most == 0 || all <= most)
        return 0;
    return refuse (reply, 413, "too-long",
                   "jobs[%zu]: command and environment take %zu bytes, and no "
                   "program can have more than %zu",
                   i, all, most);
}

int order_check (const struct service *service, const struct job_ask *ask,
                 size_t i, struct reply *reply)
{
    if (service->replaying)
        return 0;
    return check_words (service, ask, i, reply)
           || check_order (service, ask, i, reply);
}

void order_start (struct service *service, struct service_job *job)
{
    json_t *order;
    job->unlisted = true;
    job->epoch = service->epoch;
    if (service->replaying)
        return;
    order = order_about (service, "start", job);
    job_set_members (order, job, JOB_PASSED);
    json_object_set_new (order, "limit", limit_json (job));
    if (job->done > 0)
        json_object_set_new (order, "done",
                             json_real ((double)job->done / TORI_SECOND));
    if (*job->user)
        json_object_set_new (order, "user", json_string (job->user));
    if (job->array)
        set_index (order, job->index);
    add_place (service, order, job, &job->place);
    service_put (service, EFFECT_ORDER, order);
}

/* An executor with a queue of its own may have written its attempts down where
 * users can write as well: this says which of them are true. */
void order_list (struct service *service)
{
    json_t *order, *attempts;
    char state[STATE_WORD];
    if (service->replaying)
        return;
    origin_word (service, service->epoch, state);
    order = json_pack ("{s:s, s:s*}", "do", "list", "state",
                       service->epoch ? state : NULL);
    attempts = json_array ();
    for (size_t i = 0; i < service->jobs.n; i++) {
        const struct service_job *job = service->jobs.all[i];
        json_t *one;
        if (!job->key || !attempt_is (job->life, ATTEMPT_IS_OUT))
            continue;
        one = order_about (service, NULL, job);
        json_object_set_new (one, "limit", limit_json (job));
        json_object_set_new (one, "began", seconds_json (job->start));
        add_place (service, one, job,
                   job->left.count > 0 ? &job->left : &job->place);
        json_array_append_new (attempts, one);
    }
    if (json_array_size (attempts) > 0)
        json_object_set (order, "attempts", attempts);
    json_decref (attempts);
    service_put (service, EFFECT_ORDER, order);
}

void order_freeze (struct service *service, const struct service_job *job,
                   bool freeze)
{
    if (!service->replaying)
        service_put (
            service, EFFECT_ORDER,
            order_about (service, freeze ? "suspend" : "resume", job));
}

void order_disown (struct service *service, const json_t *attempt)
{
    service_put (service, EFFECT_ORDER,
                 json_pack ("{s:s, s:O, s:O, s:O}", "do", "disown", "job",
                            json_object_get (attempt, "job"), "attempt",
                            json_object_get (attempt, "attempt"), "key",
                            json_object_get (attempt, "key")));
}

void order_forget (struct service *service, const json_t *input)
{
    service_put (service, EFFECT_ORDER,
                 json_pack ("{s:s, s:O, s:O, s:O*}", "do", "forget", "job",
                            json_object_get (input, "job"), "attempt",
                            json_object_get (input, "attempt"), "state",
                            json_object_get (input, "state")));
}

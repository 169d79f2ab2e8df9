/* service.c - inputs, decisions and effects. */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "inside.h"

/* ---- life ---- */

int service_create (const tori_machine *machine,
                    const tori_sched_config *config,
                    struct service **ret_service, tori_error *err)
{
    struct service *service = calloc (1, sizeof *service);
    if (!service)
        return tori_error_nomem (err);
    service->machine = machine;
    service->next_id = 1;
    service->keys = json_object ();
    if (!service->keys) {
        free (service);
        return tori_error_nomem (err);
    }
    if (tori_sched_create (machine, config, &service->sched, err) < 0) {
        json_decref (service->keys);
        free (service);
        return -1;
    }
    *ret_service = service;
    return 0;
}

void service_destroy (struct service *service)
{
    struct effect effect;
    if (!service)
        return;
    while (service_next (service, &effect))
        json_decref (effect.value);
    free (service->out);
    free (service->refusal);
    json_decref (service->keys);
    json_decref (service->remarks);
    policy_drop (service);
    accounts_clear (&service->users);
    accounts_clear (&service->queues);
    tori_sched_destroy (service->sched);
    tori_snapshot_destroy (service->origin);
    tickets_clear (&service->tickets);
    free (service);
}

const tori_machine *service_machine (const struct service *service)
{
    return service->machine;
}

tori_sched *service_sched (const struct service *service)
{
    return service->sched;
}

tori_time service_now (const struct service *service)
{
    return service->now;
}

/* ---- effects ---- */

void service_touch (struct service *service, struct ticket *ticket)
{
    uint64_t mark = ticket_hash (ticket);
    service->hash += mark - ticket->mark;
    ticket->mark = mark;
    usage_count (service, ticket);
}

void service_put (struct service *service, enum effect_kind kind,
                  json_t *value)
{
    struct effect *more;
    if (service->replaying) {
        json_decref (value);
        return;
    }
    if (service->fetched > 0 && service->fetched == service->nout)
        service->fetched = service->nout = 0;
    more = array_room (service->out, &service->out_room, service->nout + 1,
                       sizeof *more);
    if (!more || !value) {
        json_decref (value);
        service->nomem = true;
        return;
    }
    service->out = more;
    service->out[service->nout++] = (struct effect){kind, value};
    service->stirred |= kind == EFFECT_RECORD;
}

bool service_next (struct service *service, struct effect *ret_effect)
{
    if (service->fetched == service->nout)
        return false;
    *ret_effect = service->out[service->fetched++];
    return true;
}

void service_tell (struct service *service, const char *event,
                   const struct ticket *ticket)
{
    if (!service->replaying)
        tally_event (&service->tally, event, ticket);
    if (service->replaying
        || (service->unwatched && ticket->state != TICKET_ENDED))
        return;
    service_put (service, EFFECT_EVENT,
                 json_pack ("{s:s, s:o}", "event", event, "job",
                            ticket_json (ticket, service->machine, NULL)));
}

void service_watch (struct service *service, bool watched)
{
    service->unwatched = !watched;
}

int refuse (struct reply *reply, int code, const char *name, const char *fmt,
            ...)
{
    char text[512];
    json_t *message;
    va_list args;
    va_start (args, fmt);
    vsnprintf (text, sizeof text, fmt, args);
    va_end (args);
    message = json_string (text);
    if (!message) /* cut within a character */
        message = json_string ("it is refused");
    *reply = (struct reply){code, json_pack ("{s:{s:s, s:o}}", "error",
                                             "code", name, "message",
                                             message)};
    return 1;
}

/* ---- orders ---- */

static json_t *order_about (const char *what, const struct ticket *ticket)
{
    return json_pack ("{s:s, s:I, s:I}", "do", what, "job",
                      (json_int_t)ticket->id, "attempt",
                      (json_int_t)ticket->attempt);
}

void order_stop (struct service *service, const struct ticket *ticket,
                 int signal, int grace)
{
    json_t *order = order_about ("stop", ticket);
    json_object_set_new (order, "signal", json_integer (signal));
    json_object_set_new (order, "grace", json_integer (grace));
    service_put (service, EFFECT_ORDER, order);
}

static void add_nodes (json_t *order, const tori_machine *machine,
                       const tori_placement *place)
{
    json_t *ids = json_array (), *nodes = json_array ();
    uint32_t *all = malloc ((place->count + 1) * sizeof *all);
    char text[TORI_TEXT_MAX];
    if (all)
        tori_placement_nodes (place, machine, all);
    for (uint32_t i = 0; all && i < place->count; i++) {
        tori_node_format (machine, all[i], text);
        json_array_append_new (ids, json_integer (all[i]));
        json_array_append_new (nodes, json_string (text));
    }
    free (all);
    json_object_set_new (order, "ids", ids);
    json_object_set_new (order, "nodes", nodes);
}

/* What the executor needs to know of the submission. */
void order_start (struct service *service, struct ticket *ticket)
{
    static const char *const passed[]
        = {"command", "environment", "directory", "input",   "output",
           "error",   "shape",       "warn",      "warning", "runtime",
           "script"};
    json_t *order = order_about ("start", ticket);
    const json_t *limit = json_object_get (ticket->ask, "estimate");
    for (size_t i = 0; i < sizeof passed / sizeof passed[0]; i++) {
        json_t *value = json_object_get (ticket->ask, passed[i]);
        if (value)
            json_object_set (order, passed[i], value);
    }
    json_object_set_new (order, "limit",
                         json_real (json_number_value (limit)));
    if (*ticket->user)
        json_object_set_new (order, "user", json_string (ticket->user));
    if (ticket->key)
        json_object_set_new (order, "key", json_string (ticket->key));
    if (ticket->array) {
        json_t *environment = json_copy (
            json_object_get (order, "environment"));
        char index[16];
        snprintf (index, sizeof index, "%u", ticket->index);
        if (!environment)
            environment = json_object ();
        json_object_set_new (environment, "TORI_ARRAY_INDEX",
                             json_string (index));
        json_object_set_new (order, "environment", environment);
    }
    ticket->fresh = true;
    add_nodes (order, service->machine, &ticket->place);
    if (ticket->place.nboxes) {
        json_t *place = place_json (service->machine, &ticket->place);
        json_object_update (order, place);
        json_decref (place);
        json_object_set_new (
            order, "wiring",
            json_string (tori_wiring_name (ticket->place.wiring)));
    }
    service_put (service, EFFECT_ORDER, order);
}

/* ---- the end of a job ---- */

int service_end (struct service *service, struct ticket *ticket, int status,
                 int signal, const char *why, tori_error *err)
{
    char *copy = why ? strdup (why) : NULL;
    if (why && !copy)
        return tori_error_nomem (err);
    free (ticket->why);
    ticket->why = copy;
    ticket->state = TICKET_ENDED;
    ticket->end = service->now;
    ticket->status = status;
    ticket->signal = signal;
    if (ticket->nafter > 0)
        service->dependents--;
    ticket->nafter = 0;
    service_touch (service, ticket);
    service_tell (service, "ended", ticket);
    if (ticket->key && ticket->attempt == 0)
        foreign_decline (service, ticket->key, why);
    return dependents_release (service, ticket, err);
}

static int cancel_queued (struct service *service, struct ticket *ticket,
                          tori_error *err)
{
    if (tori_sched_cancel (service->sched, service->now, ticket->number, err)
        < 0)
        return -1;
    return service_end (service, ticket, -1, -1, "cancelled", err);
}

/* It is off its nodes, before or after its time. */
static int finish (struct service *service, struct ticket *ticket, int status,
                   int signal, const char *why, tori_error *err)
{
    if (tori_sched_finish (service->sched, service->now, ticket->number, err)
        < 0)
        return -1;
    ticket->withheld = false;
    return service_end (service, ticket, status, signal,
                        ticket->stopping ? "cancelled" : why, err);
}

/* ---- decisions ---- */

static void record_decision (struct service *service, const char *what,
                             const struct ticket *ticket)
{
    json_t *record = json_pack ("{s:s, s:I, s:I}", "decided", what, "id",
                                (json_int_t)ticket->id, "now",
                                (json_int_t)service->now);
    if (!strcmp (what, "start"))
        json_object_set_new (record, "place",
                             place_json (service->machine, &ticket->place));
    service_put (service, EFFECT_RECORD, record);
}

static int on_start (struct service *service, struct ticket *ticket,
                     const tori_decision *decision, tori_error *err)
{
    tori_placement_clear (&ticket->place);
    if (tori_placement_copy (&ticket->place, decision->place, err) < 0)
        return -1;
    ticket->state = TICKET_RUNNING;
    ticket->attempt++;
    ticket->started = ticket->stopping = false;
    ticket->start = service->now;
    record_decision (service, "start", ticket);
    if (linger_start (service, ticket, err) < 0)
        return -1;
    service_tell (service, "started", ticket);
    return 0;
}

static void failure_text (const struct service *service,
                          const tori_decision *decision, char *text,
                          size_t size)
{
    char node[TORI_TEXT_MAX];
    if (decision->node == TORI_NO_NODE) {
        snprintf (text, size, "a link failed under it");
        return;
    }
    tori_node_format (service->machine, decision->node, node);
    snprintf (text, size, "node %s failed under it", node);
}

static int on_kill (struct service *service, struct ticket *ticket,
                    const tori_decision *decision, tori_error *err)
{
    char why[TORI_TEXT_MAX + 32];
    failure_text (service, decision, why, sizeof why);
    linger_begin (service, ticket);
    record_decision (service, "kill", ticket);
    return service_end (service, ticket, -1, SIGKILL, why, err);
}

/* It is not started again before the executor has said that it is over; and
 * not at all if it was being cancelled. */
static int on_requeue (struct service *service, struct ticket *ticket,
                       tori_error *err)
{
    linger_begin (service, ticket);
    ticket->state = TICKET_QUEUED;
    ticket->started = false;
    record_decision (service, "requeue", ticket);
    if (ticket->stopping)
        return cancel_queued (service, ticket, err);
    service_tell (service, "requeued", ticket);
    return hold_review (service, ticket, err);
}

static void on_reject (struct service *service, const char *why)
{
    free (service->refusal);
    service->refusal = strdup (why ? why : "it can never run here");
}

static int act (struct service *service, const tori_decision *decision,
                tori_error *err)
{
    struct ticket *ticket = tickets_find (&service->tickets, decision->tag);
    if (decision->kind == TORI_REJECT) {
        on_reject (service, decision->why);
        return 0;
    }
    if (!ticket)
        return 0;
    switch (decision->kind) {
    case TORI_START:
        return on_start (service, ticket, decision, err);
    case TORI_KILL:
        return on_kill (service, ticket, decision, err);
    case TORI_REQUEUE:
        return on_requeue (service, ticket, err);
    default:
        return 0;
    }
}

int service_collect (struct service *service, tori_error *err)
{
    tori_decision decision = {.size = sizeof decision};
    while (tori_sched_next (service->sched, &decision))
        if (act (service, &decision, err) < 0)
            return -1;
    return 0;
}

/* While a journal is read again nothing is decided: that comes with it. */
int service_decide (struct service *service, tori_time now, tori_error *err)
{
    if (usage_advance (service, now, err) < 0
        || line_review (service, err) < 0
        || tori_sched_run (service->sched, service->now, err) < 0
        || service_collect (service, err) < 0)
        return -1;
    if (service->stirred)
        service_put (service, EFFECT_RECORD,
                     json_pack ("{s:s, s:I, s:I}", "decided", "all", "now",
                                (json_int_t)service->now, "hash",
                                (json_int_t)service->hash));
    service->stirred = false;
    return service->nomem ? tori_error_nomem (err) : 0;
}

tori_time service_wake (const struct service *service)
{
    tori_time when = TORI_TIME_MAX, ranked = usage_wake (service);
    if (tori_sched_unfinished (service->sched))
        return service->now;
    tori_sched_wake (service->sched, &when);
    return when < ranked ? when : ranked;
}

/* ---- what users ask ---- */

/* The job that an input is about, if it exists and the user may change it:
 * otherwise NULL and a reply. */
static struct ticket *find_own (struct service *service, const json_t *input,
                                struct reply *reply)
{
    json_int_t id = json_integer_value (json_object_get (input, "id"));
    const char *user = json_string_value (json_object_get (input, "user"));
    struct ticket *ticket = tickets_find (&service->tickets, (uint64_t)id);
    if (!ticket) {
        refuse (reply, 404, "no-such-job", "there is no job %lld",
                (long long)id);
        return NULL;
    }
    if (!is_operator (input) && strcmp (user ? user : "", ticket->user)) {
        refuse (reply, 403, "forbidden",
                "job %lld belongs to %s; only %s or an operator may change "
                "it",
                (long long)id, ticket->user, ticket->user);
        return NULL;
    }
    return ticket;
}

static int accept (struct service *service, const struct ticket *ticket,
                   struct reply *reply)
{
    *reply = (struct reply){
        200, ticket_json (ticket, service->machine, service->sched)};
    return 0;
}

int do_cancel (struct service *service, const json_t *input,
               struct reply *reply, tori_error *err)
{
    enum { GRACE = 30 };
    struct ticket *ticket = find_own (service, input, reply);
    if (!ticket)
        return 1;
    if (ticket->state == TICKET_ENDED)
        return refuse (reply, 409, "ended", "job %llu has already ended",
                       (unsigned long long)ticket->id);
    if (ticket->state == TICKET_QUEUED) {
        if (cancel_queued (service, ticket, err) < 0)
            return -1;
        return accept (service, ticket, reply);
    }
    ticket->stopping = true;
    service_touch (service, ticket);
    if (!ticket->withheld)
        order_stop (service, ticket, SIGTERM, GRACE);
    else if (finish (service, ticket, -1, -1, NULL, err) < 0)
        return -1;
    return accept (service, ticket, reply);
}

static int change_priority (struct service *service, struct ticket *ticket,
                            const json_t *value, struct reply *reply,
                            tori_error *err)
{
    if (!json_is_integer (value))
        return refuse (reply, 400, "bad-request",
                       "priority: expected a whole number");
    if (ticket->state != TICKET_QUEUED)
        return refuse (reply, 409, "not-queued", "job %llu does not wait",
                       (unsigned long long)ticket->id);
    return 0; /* usage_review */
}

static int change_estimate (struct service *service, struct ticket *ticket,
                            const json_t *value, struct reply *reply,
                            tori_error *err)
{
    double seconds = json_number_value (value);
    if (!json_is_number (value) || !(seconds >= 0 && seconds <= 1e12))
        return refuse (reply, 400, "bad-request",
                       "estimate: expected a number of seconds");
    if (ticket->state == TICKET_ENDED)
        return refuse (reply, 409, "ended", "job %llu has already ended",
                       (unsigned long long)ticket->id);
    return tori_sched_set_estimate (
        service->sched, service->now, ticket->number,
        (tori_time)(seconds * (double)TORI_SECOND), err);
}

static int change_hold (struct service *service, struct ticket *ticket,
                        const json_t *value, struct reply *reply,
                        tori_error *err)
{
    if (!json_is_boolean (value))
        return refuse (reply, 400, "bad-request",
                       "hold: expected true or false");
    if (ticket->state != TICKET_QUEUED)
        return refuse (reply, 409, "not-queued", "job %llu does not wait",
                       (unsigned long long)ticket->id);
    ticket->held = json_is_true (value);
    return hold_review (service, ticket, err);
}

typedef int change_fn (struct service *, struct ticket *, const json_t *,
                       struct reply *, tori_error *);

/* The submission shows what holds now. It may be shared by an array. */
static int note_change (struct ticket *ticket, const char *key, json_t *value,
                        tori_error *err)
{
    json_t *copy = json_copy (ticket->ask);
    if (!copy || json_object_set (copy, key, value) < 0) {
        json_decref (copy);
        return tori_error_nomem (err);
    }
    json_decref (ticket->ask);
    ticket->ask = copy;
    return 0;
}

int do_change (struct service *service, const json_t *input,
               struct reply *reply, tori_error *err)
{
    static const struct {
        const char *key;
        change_fn *change;
    } changes[] = {{"priority", change_priority},
                   {"estimate", change_estimate},
                   {"hold", change_hold}};
    struct ticket *ticket = find_own (service, input, reply);
    int given = 0;
    if (!ticket)
        return 1;
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++)
        given += json_object_get (input, changes[i].key) != NULL;
    if (given != 1)
        return refuse (reply, 400, "bad-request",
                       "expected one of priority, estimate and hold");
    if (limits_priority (input, json_object_get (input, "priority"), reply))
        return 1;
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        json_t *value = json_object_get (input, changes[i].key);
        int status = value ? changes[i].change (service, ticket, value, reply,
                                                err)
                           : 0;
        if (status == 0 && value)
            status = note_change (ticket, changes[i].key, value, err);
        if (status != 0)
            return status;
    }
    service_touch (service, ticket);
    if (usage_review (service, ticket, err) < 0)
        return -1;
    service_tell (service, "changed", ticket);
    return accept (service, ticket, reply);
}

/* ---- what executors say ---- */

static void order_forget (struct service *service, const json_t *input)
{
    service_put (service, EFFECT_ORDER,
                 json_pack ("{s:s, s:O, s:O}", "do", "forget", "job",
                            json_object_get (input, "job"), "attempt",
                            json_object_get (input, "attempt")));
}

static int number_or (const json_t *value, int otherwise)
{
    return json_is_integer (value) ? (int)json_integer_value (value)
                                   : otherwise;
}

/* The job whose last attempt an executor speaks of; NULL if it speaks of
 * another. */
static struct ticket *find_attempt (struct service *service,
                                    const json_t *input)
{
    json_int_t id = json_integer_value (json_object_get (input, "job"));
    json_int_t attempt
        = json_integer_value (json_object_get (input, "attempt"));
    struct ticket *ticket = tickets_find (&service->tickets, (uint64_t)id);
    return ticket && ticket->attempt == attempt ? ticket : NULL;
}

static int on_ended (struct service *service, struct ticket *ticket,
                     const json_t *input, tori_error *err)
{
    return finish (service, ticket,
                   number_or (json_object_get (input, "status"), -1),
                   number_or (json_object_get (input, "signal"), -1),
                   json_string_value (json_object_get (input, "why")), err);
}

/* It was not started, through no fault of its own: once more. */
static int on_retry (struct service *service, struct ticket *ticket,
                     tori_error *err)
{
    ticket->state = TICKET_QUEUED;
    ticket->stopping = false;
    service_touch (service, ticket);
    service_tell (service, "requeued", ticket);
    return tori_sched_requeue (service->sched, service->now, ticket->number,
                               err)
                   < 0
               ? -1
               : usage_review (service, ticket, err);
}

static bool is_worth_a_retry (const struct ticket *ticket,
                              const json_t *input)
{
    enum { TRIES = 10 };
    return json_is_true (json_object_get (input, "retry"))
           && ticket->attempt < TRIES && !ticket->stopping;
}

static bool is_listed (const json_t *jobs, const struct ticket *ticket)
{
    for (size_t i = 0; i < json_array_size (jobs); i++) {
        const json_t *one = json_array_get (jobs, i);
        if ((uint64_t)json_integer_value (json_object_get (one, "job"))
                == ticket->id
            && json_integer_value (json_object_get (one, "attempt"))
                   == ticket->attempt)
            return true;
    }
    return false;
}

/* What should run and does not: an order that was never heard is given again,
 * and a job that had started is gone. What runs and should not is stopped. Of
 * what was ordered after the question, the answer says nothing. */
static int compare (struct service *service, struct ticket *ticket,
                    bool runs, tori_error *err)
{
    if (runs) {
        if (ticket->stopping || ticket->lingers)
            order_stop (service, ticket, SIGTERM, 0);
        return 0;
    }
    if (ticket->fresh)
        return 0;
    if (ticket->lingers)
        return linger_end (service, ticket, err);
    if (!ticket->started && !ticket->stopping)
        return linger_start (service, ticket, err);
    return finish (service, ticket, -1, SIGKILL, "the executor has lost it",
                   err);
}

static int on_running (struct service *service, const json_t *input,
                       tori_error *err)
{
    const json_t *jobs = json_object_get (input, "jobs");
    for (size_t i = 0; i < service->tickets.n; i++) {
        struct ticket *ticket = service->tickets.all[i];
        int status = ticket->state == TICKET_RUNNING || ticket->lingers
                         ? compare (service, ticket,
                                    is_listed (jobs, ticket), err)
                         : 0;
        if (status < 0)
            return -1;
    }
    return 0;
}

/* An executor has come: what it does not answer for was never heard. */
static int on_ready (struct service *service)
{
    for (size_t i = 0; i < service->tickets.n; i++) {
        struct ticket *ticket = service->tickets.all[i];
        if (ticket->fresh) {
            ticket->fresh = false;
            service_touch (service, ticket);
        }
    }
    service_put (service, EFFECT_ORDER, json_pack ("{s:s}", "do", "list"));
    return 0;
}

static int do_executor (struct service *service, const json_t *input,
                        struct reply *reply, tori_error *err)
{
    const char *is = json_string_value (json_object_get (input, "is"));
    struct ticket *ticket = find_attempt (service, input);
    int status;
    *reply = (struct reply){200, json_object ()};
    if (do_foreign (service, input, reply, &status, err))
        return status;
    if (is && !strcmp (is, "ready"))
        return on_ready (service);
    if (is && !strcmp (is, "running"))
        return on_running (service, input, err);
    if (!is || !json_is_integer (json_object_get (input, "job"))
        || !json_is_integer (json_object_get (input, "attempt")))
        return 1;
    if (!strcmp (is, "ended") || !strcmp (is, "failed"))
        order_forget (service, input);
    if (!ticket || (ticket->state != TICKET_RUNNING && !ticket->lingers))
        return 1; /* old news */
    if (!strcmp (is, "ended") || !strcmp (is, "failed"))
        return ticket->lingers ? linger_end (service, ticket, err)
               : is_worth_a_retry (ticket, input)
                   ? on_retry (service, ticket, err)
                   : on_ended (service, ticket, input, err);
    if (strcmp (is, "started") || ticket->started || ticket->lingers)
        return 1;
    ticket->started = true;
    service_touch (service, ticket);
    return 0;
}

/* ---- all inputs ---- */

static input_fn *find_input (const char *name)
{
    static const struct {
        const char *name;
        input_fn *do_it;
    } all[] = {{"submit", do_submit},
               {"cancel", do_cancel},
               {"change", do_change},
               {"node", do_node},
               {"policy", do_policy},
               {"link", do_link},
               {"executor", do_executor}};
    for (size_t i = 0; name && i < sizeof all / sizeof all[0]; i++)
        if (!strcmp (name, all[i].name))
            return all[i].do_it;
    return NULL;
}

/* The record comes first, though it is only known at the end whether there is
 * one: what the input brings about follows from it. */
static int keep_record (struct service *service, size_t before,
                        const json_t *input)
{
    json_t *record = json_copy ((json_t *)(uintptr_t)input);
    json_object_set_new (record, "now",
                         json_integer ((json_int_t)service->now));
    service_put (service, EFFECT_RECORD, record);
    if (service->replaying || service->nomem)
        return 0;
    struct effect last = service->out[service->nout - 1];
    memmove (service->out + before + 1, service->out + before,
             (service->nout - 1 - before) * sizeof last);
    service->out[before] = last;
    return 0;
}

int service_do (struct service *service, tori_time now, const json_t *input,
                struct reply *ret_reply, tori_error *err)
{
    const char *name = json_string_value (json_object_get (input, "in"));
    input_fn *do_it = find_input (name);
    struct reply reply = {0};
    size_t before;
    int status;
    if (usage_advance (service, now, err) < 0)
        return -1;
    if (service->fetched == service->nout)
        service->fetched = service->nout = 0;
    before = service->nout;
    if (!do_it)
        status = refuse (&reply, 400, "bad-request", "no such request");
    else
        status = do_it (service, input, &reply, err);
    if (status == 0)
        status = keep_record (service, before, input);
    if (status < 0 || service->nomem || !reply.body) {
        json_decref (reply.body);
        return status < 0 ? -1 : tori_error_nomem (err);
    }
    *ret_reply = reply;
    return 0;
}

int service_greet (struct service *service, tori_error *err)
{
    json_t *input
        = json_pack ("{s:s, s:s}", "in", "executor", "is", "ready");
    struct reply reply = {0};
    int status = input ? service_do (service, service->now, input, &reply, err)
                       : tori_error_nomem (err);
    json_decref (reply.body);
    json_decref (input);
    return status;
}

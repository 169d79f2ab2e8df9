/* submission.c - what a user submits: jobs, alone or many at once. */
#include <stdlib.h>
#include <string.h>

#include "inside.h"
#include "number.h"

/* ---- what it asks for ---- */

static int bad (struct reply *reply, size_t i, const char *key,
                const char *why)
{
    return refuse (reply, 400, "bad-request", "jobs[%zu].%s: %s", i, key, why);
}

/* A whole number of at least 0 if there is a member of this name: 0, or 1 and
 * a reply. */
static int read_count (const json_t *ask, const char *key, size_t i,
                       int64_t min, int64_t max, int64_t *ret,
                       struct reply *reply)
{
    const json_t *value = json_object_get (ask, key);
    if (!value)
        return 0;
    if (!json_is_integer (value) || json_integer_value (value) < min
        || json_integer_value (value) > max)
        return bad (reply, i, key, "expected a whole number in range");
    *ret = json_integer_value (value);
    return 0;
}

static int read_seconds (const json_t *ask, const char *key, size_t i,
                         tori_time *ret, struct reply *reply)
{
    const json_t *value = json_object_get (ask, key);
    double seconds = json_number_value (value);
    if (!value)
        return 0;
    if (!json_is_number (value) || seconds < 0 || seconds > 1e12)
        return bad (reply, i, key, "expected a number of seconds");
    *ret = (tori_time)(seconds * (double)TORI_SECOND);
    return 0;
}

static int read_request (const struct service *service, const json_t *ask,
                         size_t i, tori_request *request, struct reply *reply)
{
    const char *shape = json_string_value (json_object_get (ask, "shape"));
    const char *wiring = json_string_value (json_object_get (ask, "wiring"));
    int64_t count = 0;
    tori_error why;
    if (shape && tori_shape_parse (shape, &request->shape, &why) < 0)
        return bad (reply, i, "shape", why.text);
    if (shape
        && request->shape.ndims != tori_machine_ndims (service->machine))
        return bad (reply, i, "shape", "the machine has other dimensions");
    if (wiring && tori_wiring_parse (wiring, &request->wiring, &why) < 0)
        return bad (reply, i, "wiring", why.text);
    if (read_count (ask, "count", i, 1, TORI_MAX_NODES, &count, reply))
        return 1;
    if (!shape && !count)
        return bad (reply, i, "shape", "expected a shape or a count");
    if (!shape)
        request->count = (uint32_t)count;
    return 0;
}

/* What becomes of it when a node fails under it. */
static int read_failure (const json_t *ask, size_t i, tori_job_spec *spec,
                         struct reply *reply)
{
    const char *what
        = json_string_value (json_object_get (ask, "on_failure"));
    if (!what || !strcmp (what, "requeue"))
        spec->flags |= TORI_JOB_REQUEUE;
    else if (strcmp (what, "kill"))
        return bad (reply, i, "on_failure", "expected requeue or kill");
    return 0;
}

static int read_spec (const struct service *service, const json_t *ask,
                      size_t i, tori_job_spec *spec, struct reply *reply)
{
    *spec = (tori_job_spec){.size = sizeof *spec, .estimate = -1};
    if (read_request (service, ask, i, &spec->request, reply)
        || read_seconds (ask, "estimate", i, &spec->estimate, reply)
        || read_seconds (ask, "earliest", i, &spec->earliest, reply)
        || read_count (ask, "priority", i, INT64_MIN, INT64_MAX,
                       &spec->priority, reply)
        || read_failure (ask, i, spec, reply))
        return 1;
    if (spec->estimate < 0)
        return bad (reply, i, "estimate",
                    "expected how many seconds it may take");
    return 0;
}

/* What the executor will want: checked now, while somebody listens. */
static int check_command (const json_t *ask, size_t i, struct reply *reply)
{
    const json_t *command = json_object_get (ask, "command");
    if (!json_is_array (command) || json_array_size (command) == 0)
        return bad (reply, i, "command", "expected a list of words");
    for (size_t k = 0; k < json_array_size (command); k++)
        if (!json_is_string (json_array_get (command, k)))
            return bad (reply, i, "command", "expected a list of words");
    return 0;
}

/* ---- arrays ---- */

struct range {
    uint32_t first, last, abreast;
};

/* "1-100%10". */
static bool parse_range (const char *text, struct range *ret)
{
    enum { MOST = 100000 };
    uint64_t first, last, abreast = 0;
    if (!number_scan (&text, MOST, &first))
        return false;
    last = first;
    if (*text == '-' && (text++, !number_scan (&text, MOST, &last)))
        return false;
    if (*text == '%'
        && (text++, !number_scan (&text, MOST, &abreast) || abreast == 0))
        return false;
    *ret = (struct range){(uint32_t)first, (uint32_t)last, (uint32_t)abreast};
    return !*text && first <= last;
}

static int read_range (const json_t *ask, size_t i, struct range *ret,
                       bool *ret_is_array, struct reply *reply)
{
    const json_t *value = json_object_get (ask, "array");
    const char *text = json_string_value (value);
    *ret = (struct range){0, 0, 0};
    *ret_is_array = value != NULL;
    if (value && (!text || !parse_range (text, ret)))
        return bad (reply, i, "array", "expected FIRST-LAST or "
                                       "FIRST-LAST%ABREAST, up to 100000");
    return 0;
}

/* ---- tickets ---- */

static struct ticket *make_ticket (struct service *service,
                                   const json_t *input, json_t *ask)
{
    const char *user = json_string_value (json_object_get (input, "user"));
    struct ticket *ticket = calloc (1, sizeof *ticket);
    if (!ticket)
        return NULL;
    ticket->id = service->next_id;
    ticket->user = strdup (user ? user : "");
    ticket->ask = json_incref (ask);
    ticket->submit = service->now;
    ticket->start = ticket->end = -1;
    ticket->status = ticket->signal = -1;
    ticket->held = json_is_true (json_object_get (ask, "hold"));
    if (ticket->user)
        return ticket;
    ticket_destroy (ticket);
    return NULL;
}

/* Hand a ticket to the scheduler: 0; 1 and a reply; or -1. */
static int enter (struct service *service, struct ticket *ticket,
                  tori_job_spec *spec, struct reply *reply, tori_error *err)
{
    spec->tag = ticket->id;
    spec->hold = ticket_hold (ticket);
    if (tori_sched_submit (service->sched, service->now, spec,
                           &ticket->number, err)
            < 0
        || service_collect (service, err) < 0)
        return -1;
    if (ticket->number == TORI_NO_JOB)
        return refuse (reply, 422, "never", "%s",
                       service->refusal ? service->refusal
                                        : "it can never run here");
    if (tickets_add (&service->tickets, ticket, err) < 0)
        return -1;
    service->next_id++;
    service->dependents += ticket->nafter > 0;
    service_touch (service, ticket);
    return 0;
}

/* One job, or all of an array. */
static int submit_one (struct service *service, const json_t *input,
                       json_t *ask, size_t i, struct reply *reply,
                       tori_error *err)
{
    uint64_t first = service->next_id;
    tori_job_spec spec;
    struct range range;
    bool is_array;
    if (!json_is_object (ask))
        return bad (reply, i, "", "expected an object");
    if (read_spec (service, ask, i, &spec, reply)
        || check_command (ask, i, reply)
        || read_range (ask, i, &range, &is_array, reply))
        return 1;
    for (uint32_t k = range.first; k <= range.last; k++) {
        struct ticket *ticket = make_ticket (service, input, ask);
        int status = ticket ? after_read (service, ask, ticket, reply, err)
                            : tori_error_nomem (err);
        if (status == 0 && is_array) {
            ticket->array = first;
            ticket->index = k;
            ticket->abreast = range.abreast;
            ticket->in_line
                = range.abreast > 0 && k - range.first >= range.abreast;
        }
        if (status == 0)
            status = enter (service, ticket, &spec, reply, err);
        if (status != 0) {
            ticket_destroy (ticket);
            return status;
        }
    }
    return 0;
}

/* Take back what was submitted since: all of an input, or nothing. */
static int take_back (struct service *service, uint64_t first,
                      tori_error *err)
{
    struct tickets *tickets = &service->tickets;
    while (tickets->n > 0 && tickets->all[tickets->n - 1]->id >= first) {
        struct ticket *ticket = tickets->all[--tickets->n];
        int status = tori_sched_cancel (service->sched, service->now,
                                        ticket->number, err);
        service->dependents -= ticket->nafter > 0;
        service->hash -= ticket->mark;
        ticket_destroy (ticket);
        if (status < 0)
            return -1;
    }
    service->next_id = first;
    return 0;
}

static json_t *ids_from (const struct service *service, uint64_t first)
{
    json_t *ids = json_array ();
    for (uint64_t id = first; id < service->next_id; id++)
        json_array_append_new (ids, json_integer ((json_int_t)id));
    return ids;
}

/* ---- the same request twice ---- */

static char *key_of (const json_t *input)
{
    const char *user = json_string_value (json_object_get (input, "user"));
    const char *key = json_string_value (json_object_get (input, "key"));
    char *text = NULL;
    if (!key || asprintf (&text, "%s %s", user ? user : "", key) < 0)
        return NULL;
    return text;
}

static void tell_all (struct service *service, uint64_t first)
{
    for (size_t at = tickets_from (&service->tickets, first);
         at < service->tickets.n; at++)
        service_tell (service, "submitted", service->tickets.all[at]);
}

int do_submit (struct service *service, const json_t *input,
               struct reply *reply, tori_error *err)
{
    const json_t *jobs = json_object_get (input, "jobs");
    char *key = key_of (input);
    json_t *known = key ? json_object_get (service->keys, key) : NULL;
    uint64_t first = service->next_id;
    int status = 0;
    if (known) {
        *reply = (struct reply){200, json_pack ("{s:O}", "ids", known)};
        free (key);
        return 1; /* nothing has changed */
    }
    if (!json_is_array (jobs) || json_array_size (jobs) == 0)
        status = refuse (reply, 400, "bad-request", "expected jobs");
    for (size_t i = 0; status == 0 && i < json_array_size (jobs); i++)
        status = submit_one (service, input, json_array_get (jobs, i), i,
                             reply, err);
    if (status > 0 && take_back (service, first, err) < 0)
        status = -1;
    if (status == 0) {
        *reply = (struct reply){
            201, json_pack ("{s:o}", "ids", ids_from (service, first))};
        if (key)
            json_object_set (service->keys, key,
                             json_object_get (reply->body, "ids"));
        tell_all (service, first);
    }
    free (key);
    return status;
}

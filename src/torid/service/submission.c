/* submission.c - what a user submits: jobs, alone or many at once. */
#include <stdlib.h>
#include <string.h>

#include "bits.h"
#include "inside.h"
#include "jobread.h"
#include "number.h"

/* ---- what it asks for ---- */

static int bad (struct reply *reply, size_t i, const char *key,
                const char *why)
{
    return refuse (reply, 400, "bad-request", "jobs[%zu].%s: %s", i, key, why);
}

static const char *on_failure_name (size_t i)
{
    static const char *const names[] = {"kill", "requeue", "repair"};
    return i < sizeof names / sizeof names[0] ? names[i] : NULL;
}

/* What becomes of it when a node fails under it: it runs again, if nothing
 * else is said. */
static int read_failure (const struct member_of *of, tori_job_spec *spec,
                         tori_error *err)
{
    static const uint32_t flags[]
        = {0, TORI_JOB_REQUEUE, TORI_JOB_REPAIR | TORI_JOB_REQUEUE};
    size_t which = 1;
    if (choice_read (of, "on_failure", "value", on_failure_name, &which, err)
        < 0)
        return -1;
    spec->flags |= flags[which];
    return 0;
}

int ask_read (const struct service *service, const json_t *ask, size_t i,
              tori_snapshot_job *job, tori_error *err)
{
    const struct member_of of = {.object = ask, .list = "jobs", .i = i};
    const struct job_reading how = {.machine = service->machine};
    tori_job_spec *spec = &job->spec;
    int told;
    if (job_read (&of, &how, job, err) < 0
        || job_read_wish (&of, job, err) < 0
        || member_moment (&of, "begin", service->now, &spec->earliest, err)
               < 0
        || read_failure (&of, spec, err) < 0)
        return -1;
    told = member_time (&of, "estimate", &spec->estimate, err);
    return told == 0 ? member_bad (&of, "estimate", err, "is missing")
                     : told < 0 ? -1 : 0;
}

/* The submission as it is kept: times that were given as texts, such as
 * "+1h", are seconds, which mean the same later. A new reference. */
static json_t *settle_times (json_t *ask, const tori_job_spec *spec)
{
    bool begins = json_is_string (json_object_get (ask, "begin"));
    if (!begins && !json_is_string (json_object_get (ask, "estimate")))
        return json_incref (ask);
    ask = json_copy (ask);
    if (json_object_set_new (ask, "estimate", seconds_json (spec->estimate))
            == 0
        && (!begins
            || json_object_set_new (ask, "begin",
                                    seconds_json (spec->earliest))
                   == 0))
        return ask;
    json_decref (ask);
    return NULL;
}

static bool are_texts (const json_t *list)
{
    for (size_t k = 0; k < json_array_size (list); k++)
        if (!json_is_string (json_array_get (list, k)))
            return false;
    return json_array_size (list) > 0;
}

static bool has_texts (json_t *object)
{
    const char *key;
    json_t *value;
    json_object_foreach (object, key, value)
        if (!json_is_string (value))
            return false;
    return true;
}

/* What the executor will want, and what is only kept: checked now, while
 * somebody listens. */
static int check_rest (const json_t *ask, size_t i, tori_error *err)
{
    static const char *const texts[]
        = {"name",  "queue", "directory", "input",
           "output", "error", "script",    "alias"};
    const struct member_of of = {.object = ask, .list = "jobs", .i = i};
    json_t *environment = json_object_get (ask, "environment");
    const char *text;
    bool held;
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++)
        if (member_text (&of, texts[k], &text, err) < 0)
            return -1;
    if (member_bool (&of, "hold", &held, err) < 0)
        return -1;
    if (environment
        && (!json_is_object (environment) || !has_texts (environment)))
        return member_bad (&of, "environment", err,
                           "expected an object of strings");
    return 0;
}

/* The queue of an executor has commands of its own. */
static int check_command (const json_t *input, const json_t *ask, size_t i,
                          tori_error *err)
{
    const struct member_of of = {.object = ask, .list = "jobs", .i = i};
    const json_t *command = json_object_get (ask, "command");
    if (are_texts (command) || (!command && foreign_key (input)))
        return 0;
    return member_bad (&of, "command", err, "expected a list of words");
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

/* It may have waited elsewhere before. */
static tori_time came (const struct service *service, const json_t *input)
{
    tori_time at = foreign_key (input)
                       ? seconds_read (input, "submit", service->now)
                       : service->now;
    return at < service->now ? at : service->now;
}

static struct ticket *make_ticket (struct service *service,
                                   const json_t *input, json_t *ask)
{
    const char *user = json_string_value (json_object_get (input, "user"));
    const char *key = foreign_key (input);
    struct ticket *ticket = calloc (1, sizeof *ticket);
    if (!ticket)
        return NULL;
    ticket->key = key ? strdup (key) : NULL;
    ticket->id = service->next_id;
    ticket->user = strdup (user ? user : "");
    ticket->ask = json_incref (ask);
    ticket->submit = came (service, input);
    ticket->start = ticket->end = -1;
    ticket->status = ticket->signal = -1;
    ticket->held = json_is_true (json_object_get (ask, "hold"));
    if (ticket->user && (!key || ticket->key))
        return ticket;
    ticket_destroy (ticket);
    return NULL;
}

static uint64_t least_nodes (const tori_job_spec *spec)
{
    uint64_t least = tori_request_nodes (&spec->request);
    for (size_t i = 0; i < spec->nalternatives; i++)
        if (tori_request_nodes (&spec->alternatives[i]) < least)
            least = tori_request_nodes (&spec->alternatives[i]);
    return least;
}

/* The scheduler would set it aside, as if nodes could come back. */
static int check_only (const struct service *service,
                       const tori_job_spec *spec, struct reply *reply)
{
    uint64_t least = least_nodes (spec), may;
    if (!spec->only)
        return 0;
    may = bits_count_range (spec->only, 0,
                            tori_machine_nodes (service->machine));
    return least <= may ? 0
                        : refuse (reply, 422, "never",
                                  "it asks for %llu nodes, but may use only "
                                  "%llu",
                                  (unsigned long long)least,
                                  (unsigned long long)may);
}

int submission_enter (struct service *service, const tori_job_spec *spec,
                      tori_job *ret_number, struct reply *reply,
                      tori_error *err)
{
    tori_error why = {0};
    if (service->replaying)
        return 0;
    if (check_only (service, spec, reply))
        return 1;
    if (tori_sched_submit (service->sched, service->now, spec, ret_number,
                           &why)
        < 0)
        return why.status == TORI_INVALID
                   ? refuse (reply, 422, "never", "%s", why.text)
                   : tori_error_set (err, why.status, "%s", why.text);
    if (service_collect (service, err) < 0)
        return -1;
    if (*ret_number != TORI_NO_JOB)
        return 0;
    return refuse (reply, 422, "never", "%s",
                   service->refusal ? service->refusal
                                    : "it can never run here");
}

/* A ticket comes in: 0; 1 and a reply; or -1. */
static int enter (struct service *service, struct ticket *ticket,
                  tori_job_spec *spec, struct reply *reply, tori_error *err)
{
    int status;
    ticket->nodes = spec_nodes (spec);
    ticket->earliest = spec->earliest;
    spec->tag = spec->turn = ticket->id;
    spec->hold = ticket_hold (ticket);
    spec->priority = ticket->priority = usage_priority (service, ticket);
    status = submission_enter (service, spec, &ticket->number, reply, err);
    if (status != 0)
        return status;
    if (dependents_add (service, ticket, err) < 0
        || tickets_add (&service->tickets, ticket, err) < 0)
        return -1;
    service->next_id++;
    service_touch (service, ticket);
    return 0;
}

/* What the jobs of one submission have in common. */
struct intake {
    const json_t *input;
    json_t *ask;
    tori_snapshot_job job;
    struct range range;
    struct after_list *after; /* or NULL */
    bool is_array;
    uint64_t first; /* id */
};

static int check_extent (const struct service *service,
                         const struct intake *intake, const json_t *ask,
                         struct reply *reply)
{
    const struct range *range = &intake->range;
    const json_t *after = json_object_get (ask, "after");
    int64_t n = (int64_t)range->last - range->first + 1;
    int64_t others = json_is_array (after) ? (int64_t)json_array_size (after)
                                           : after != NULL;
    return limits_request (service, intake->input, n, others, reply);
}

static int check_room (struct service *service, const struct intake *intake,
                       struct reply *reply)
{
    const struct range *range = &intake->range;
    return limits_enter (service, intake->input, intake->ask,
                         (int64_t)range->last - range->first + 1, reply);
}

static int read_intake (struct service *service, json_t *ask, size_t i,
                       struct intake *intake, struct reply *reply,
                       tori_error *err)
{
    const struct member_of of = {.object = ask, .list = "jobs", .i = i};
    tori_error why = {0};
    if (ask_read (service, ask, i, &intake->job, &why) < 0
        || check_rest (ask, i, &why) < 0
        || check_command (intake->input, ask, i, &why) < 0
        || (!service->replaying && !foreign_key (intake->input)
            && strict_check (&of, &intake->job.spec, &why) < 0))
        return why.status == TORI_INVALID
                   ? refuse (reply, 400, "bad-request", "%s", why.text)
                   : tori_error_set (err, why.status, "%s", why.text);
    if (read_range (ask, i, &intake->range, &intake->is_array, reply)
        || check_extent (service, intake, ask, reply)
        || order_check (service, ask, i, spec_nodes (&intake->job.spec),
                        reply))
        return 1;
    intake->ask = settle_times (ask, &intake->job.spec);
    if (!intake->ask)
        return tori_error_nomem (err);
    return queue_enter (service, intake->input, &intake->ask,
                        &intake->job.spec, reply, err);
}

/* The one of this index in its array. */
static int submit_one (struct service *service, struct intake *intake,
                       uint32_t index, struct reply *reply, tori_error *err)
{
    const struct range *range = &intake->range;
    struct ticket *ticket = make_ticket (service, intake->input, intake->ask);
    int status = ticket ? 0 : tori_error_nomem (err);
    if (ticket && intake->after) {
        ticket->after = intake->after;
        ticket->after->refs++;
        ticket->nafter = intake->after->n;
    }
    if (status == 0 && intake->is_array) {
        ticket->array = intake->first;
        ticket->index = index;
        ticket->abreast = range->abreast;
        ticket->in_line
            = range->abreast > 0 && index - range->first >= range->abreast;
    }
    if (status == 0)
        status = enter (service, ticket, &intake->job.spec, reply, err);
    if (status != 0)
        ticket_destroy (ticket);
    return status;
}

/* One job, or all of an array. */
static int submit_batch (struct service *service, const json_t *input,
                         json_t *ask, size_t i, struct reply *reply,
                         tori_error *err)
{
    struct intake intake = {.input = input, .first = service->next_id};
    int status = read_intake (service, ask, i, &intake, reply, err);
    if (status == 0)
        status = check_room (service, &intake, reply);
    if (status == 0)
        status = after_read (service, intake.ask, &intake.after, reply, err);
    for (uint32_t k = intake.range.first;
         status == 0 && k <= intake.range.last; k++)
        status = submit_one (service, &intake, k, reply, err);
    json_decref (intake.ask);
    after_drop (intake.after);
    job_clear (&intake.job);
    return status;
}

/* Take back what was submitted since: all of an input, or nothing. */
static int take_back (struct service *service, uint64_t first,
                      tori_error *err)
{
    struct tickets *tickets = &service->tickets;
    while (tickets->n > 0 && tickets->all[tickets->n - 1]->id >= first) {
        struct ticket *ticket = tickets->all[--tickets->n];
        int status = core_cancel (service, ticket, err);
        dependents_remove (service, ticket);
        service->hash -= ticket->mark;
        usage_uncount (service, ticket);
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

/* NULL if there is none, or without memory: then the service has failed. */
static char *key_of (struct service *service, const json_t *input)
{
    const char *user = json_string_value (json_object_get (input, "user"));
    const char *key = json_string_value (json_object_get (input, "key"));
    char *text = NULL;
    if (foreign_key (input))
        user = ""; /* whoever it is for, it is the executor's key */
    if (!key)
        return NULL;
    if (asprintf (&text, "%s %s", user ? user : "", key) >= 0)
        return text;
    service->nomem = true;
    return NULL;
}

static int stir (const char *text, size_t n, void *arg)
{
    uint64_t *hash = arg;
    for (size_t i = 0; i < n; i++)
        *hash = (*hash ^ (unsigned char)text[i]) * UINT64_C (0x100000001b3);
    return 0;
}

/* Of what is submitted, by FNV-1a; NULL without memory. */
static json_t *hash_jobs (const json_t *input)
{
    uint64_t hash = UINT64_C (0xcbf29ce484222325);
    return json_dump_callback (json_object_get (input, "jobs"), stir, &hash,
                               JSON_SORT_KEYS | JSON_ENCODE_ANY)
                   < 0
               ? NULL
               : json_integer ((json_int_t)hash);
}

/* A key was used before: for the same, whose ids are told again, or for
 * something else. */
static int answer_again (struct service *service, const json_t *input,
                         const char *key, struct reply *reply,
                         tori_error *err)
{
    const json_t *asked = json_object_get (service->asked, key);
    json_t *hash = hash_jobs (input);
    bool same = !asked || json_equal (asked, hash);
    if (!hash)
        return tori_error_nomem (err);
    json_decref (hash);
    if (!same)
        return refuse (reply, 409, "key-used",
                       "the key was used for another submission");
    *reply = (struct reply){
        200, json_pack ("{s:O}", "ids", json_object_get (service->keys, key))};
    return 1; /* nothing has changed */
}

/* The key of an executor is the job's: it may describe the job otherwise
 * later. */
static int keep_key (struct service *service, const json_t *input,
                     const char *key, json_t *ids, tori_error *err)
{
    if (json_object_set (service->keys, key, ids) < 0
        || (!foreign_key (input)
            && json_object_set_new (service->asked, key, hash_jobs (input))
                   < 0))
        return tori_error_nomem (err);
    return 0;
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
    char *key = key_of (service, input);
    uint64_t first = service->next_id;
    int status = 0;
    if (key && json_object_get (service->keys, key)) {
        status = answer_again (service, input, key, reply, err);
        free (key);
        return status;
    }
    if (!json_is_array (jobs) || json_array_size (jobs) == 0)
        status = refuse (reply, 400, "bad-request", "expected jobs");
    else
        status = limits_rate (service, input, reply);
    for (size_t i = 0; status == 0 && i < json_array_size (jobs); i++) {
        status = submit_batch (service, input, json_array_get (jobs, i), i,
                               reply, err);
        if (status > 0)
            json_object_set_new (json_object_get (reply->body, "error"),
                                 "index", json_integer ((json_int_t)i));
    }
    if (status > 0 && take_back (service, first, err) < 0)
        status = -1;
    if (status == 0) {
        *reply = (struct reply){
            201, json_pack ("{s:o}", "ids", ids_from (service, first))};
        if (key)
            status = keep_key (service, input, key,
                               json_object_get (reply->body, "ids"), err);
        limits_count (service, input);
        tell_all (service, first);
    }
    free (key);
    return status;
}

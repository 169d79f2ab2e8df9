/* submission.c - what a user submits: jobs, alone or many at once. */
#include <stdlib.h>
#include <string.h>

#include "bits.h"
#include "service_internal.h"

/* ---- jobs ---- */

/* It may have waited elsewhere before. */
static tori_time submit_time (const struct service *service,
                              const json_t *input)
{
    tori_time at = external_key (input)
                       ? seconds_read (input, "submit", service->now)
                       : service->now;
    return at < service->now ? at : service->now;
}

static struct service_job *make_job (struct service *service,
                                     const json_t *input, struct job_ask *ask)
{
    const char *user = json_string_value (json_object_get (input, "user"));
    const char *key = external_key (input);
    struct service_job *job = calloc (1, sizeof *job);
    if (!job)
        return NULL;
    job->key = key ? strdup (key) : NULL;
    job->id = service->next_id;
    job->user = strdup (user ? user : "");
    job->ask = job_ask_keep (ask);
    job->submit = submit_time (service, input);
    job->start = job->end = -1;
    job->status = job->signal = -1;
    job->held = ask->hold;
    if (job->user && (!key || job->key))
        return job;
    job_destroy (job);
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

/* A job comes in: 0; 1 and a reply; or -1. */
static int enter_job (struct service *service, struct service_job *job,
                      struct reply *reply, tori_error *err)
{
    tori_job_spec spec = job->ask->spec;
    int status;
    job->nodes = spec_nodes (&spec);
    job->earliest = spec.earliest;
    spec.tag = spec.turn = job->id;
    spec.hold = job_hold (job);
    spec.waited = service->now - job->submit;
    spec.priority = job->priority = usage_priority (service, job);
    status = submission_enter (service, &spec, &job->number, reply, err);
    if (status != 0)
        return status;
    if (dependents_add (service, job, err) < 0
        || job_table_add (&service->jobs, job, err) < 0)
        return -1;
    service->next_id++;
    service_touch (service, job);
    return 0;
}

/* The data that all jobs of one submission share. */
struct intake {
    const json_t *input;
    struct job_ask *ask;
    struct after_list *after; /* or NULL */
    uint64_t first; /* id */
};

static int64_t count_jobs (const struct intake *intake)
{
    const struct job_range *range = &intake->ask->array;
    return (int64_t)range->last - range->first + 1;
}

static int check_extent (const struct service *service,
                         const struct intake *intake, struct reply *reply)
{
    const json_t *after = intake->ask->after;
    int64_t others = json_is_array (after) ? (int64_t)json_array_size (after)
                                           : after != NULL;
    return limits_request (service, intake->input, count_jobs (intake),
                           others, reply);
}

/* The queue of an executor has commands of its own. */
static int read_ask (const struct service *service, json_t *members, size_t i,
                     struct intake *intake, tori_error *err)
{
    const struct member_of of = {.object = members, .list = "jobs", .i = i};
    bool foreign = external_key (intake->input);
    if (ask_read (service, members, i, !service->replaying && !foreign,
                  &intake->ask, err)
        < 0)
        return -1;
    return intake->ask->command || foreign
               ? 0
               : member_bad (&of, JOB_KEY (command), err,
                             "expected a list of words");
}

static int read_intake (struct service *service, json_t *members, size_t i,
                        struct intake *intake, struct reply *reply,
                        tori_error *err)
{
    tori_error why = {0};
    if (read_ask (service, members, i, intake, &why) < 0)
        return why.status == TORI_INVALID
                   ? refuse (reply, 400, "bad-request", "%s", why.text)
                   : tori_error_set (err, why.status, "%s", why.text);
    if (check_extent (service, intake, reply)
        || order_check (service, intake->ask, i, reply))
        return 1;
    return queue_enter (service, intake->input, intake->ask, reply, err);
}

/* Submit the job with this index in its array. */
static int submit_one (struct service *service, struct intake *intake,
                       uint32_t index, struct reply *reply, tori_error *err)
{
    const struct job_range *range = &intake->ask->array;
    struct service_job *job = make_job (service, intake->input, intake->ask);
    int status = job ? 0 : tori_error_nomem (err);
    if (job && intake->after) {
        job->after = intake->after;
        job->after->refs++;
        job->nafter = intake->after->n;
    }
    if (status == 0 && (intake->ask->given & JOB_BIT (array))) {
        job->array = intake->first;
        job->index = index;
        job->array_limit = range->array_limit;
        job->waits_for_array = range->array_limit > 0
                               && index - range->first >= range->array_limit;
    }
    if (status == 0)
        status = enter_job (service, job, reply, err);
    if (status != 0)
        job_destroy (job);
    return status;
}

/* One job, or all of an array. The request began with the job `first`. */
static int submit_batch (struct service *service, const json_t *input,
                         uint64_t first, size_t i, struct reply *reply,
                         tori_error *err)
{
    struct intake intake = {.input = input, .first = service->next_id};
    json_t *members = json_array_get (json_object_get (input, "jobs"), i);
    int status = read_intake (service, members, i, &intake, reply, err);
    if (status == 0)
        status = limits_batch (
            service, input,
            (int64_t)(service->next_id - first) + count_jobs (&intake), reply);
    if (status == 0)
        status = limits_enter (service, input, intake.ask,
                               count_jobs (&intake), reply);
    if (status == 0)
        status = after_read (service, intake.ask->after, &intake.after, reply,
                             err);
    for (uint32_t k = status == 0 ? intake.ask->array.first : 0;
         status == 0 && k <= intake.ask->array.last; k++)
        status = submit_one (service, &intake, k, reply, err);
    if (intake.ask)
        job_ask_forget_nodes (intake.ask);
    job_ask_drop (intake.ask);
    after_drop (intake.after);
    return status;
}

/* Take back what was submitted since: all of an input, or nothing. */
static int take_back (struct service *service, uint64_t first,
                      tori_error *err)
{
    struct job_table *jobs = &service->jobs;
    while (jobs->n > 0 && jobs->all[jobs->n - 1]->id >= first) {
        struct service_job *job = jobs->all[--jobs->n];
        int status = core_cancel (service, job, err);
        dependents_remove (service, job);
        service->hash -= job->mark;
        usage_uncount (service, job);
        job_destroy (job);
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
    if (external_key (input))
        user = ""; /* the executor's keys do not depend on users */
    if (!key)
        return NULL;
    if (asprintf (&text, "%s %s", user ? user : "", key) >= 0)
        return text;
    service->nomem = true;
    return NULL;
}

static int stir_text (const char *text, size_t n, void *arg)
{
    uint64_t *hash = arg;
    for (size_t i = 0; i < n; i++)
        *hash = (*hash ^ (unsigned char)text[i]) * UINT64_C (0x100000001b3);
    return 0;
}

/* Hash the submitted jobs by FNV-1a; NULL without memory. */
static json_t *hash_jobs (const json_t *input)
{
    uint64_t hash = UINT64_C (0xcbf29ce484222325);
    return json_dump_callback (json_object_get (input, "jobs"), stir_text,
                               &hash, JSON_SORT_KEYS | JSON_ENCODE_ANY)
                   < 0
               ? NULL
               : json_integer ((json_int_t)hash);
}

/* Answer a request whose key was used before: with the same ids if it is the
 * same request, otherwise with a refusal. */
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
        || (!external_key (input)
            && json_object_set_new (service->asked, key, hash_jobs (input))
                   < 0))
        return tori_error_nomem (err);
    return 0;
}

static void tell_all (struct service *service, uint64_t first)
{
    for (size_t at = job_table_from (&service->jobs, first);
         at < service->jobs.n; at++)
        service_tell (service, "submitted", service->jobs.all[at]);
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
        status = limits_rate (service, input, reply)
                 || limits_batch (service, input,
                                  (int64_t)json_array_size (jobs), reply);
    for (size_t i = 0; status == 0 && i < json_array_size (jobs); i++) {
        status = submit_batch (service, input, first, i, reply, err);
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
    if (status == 0)
        status = reservations_follow (service, input, first, err);
    free (key);
    return status;
}

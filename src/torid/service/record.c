/* record.c - saving, loading and replaying. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "service_internal.h"
#include "shortage.h"

/* A saved service is lines of JSON: a header, and one line for each job.
 * Each job is read by itself: a tree of all of them takes longer to build
 * than to read. */
enum { VERSION = 3 };

/* ---- saving ---- */

static json_t *save_header (const struct service *service)
{
    return json_pack (
        "{s:i, s:I, s:I, s:I, s:O, s:I, s:o, s:o, s:I, s:o, "
        "s:o, s:o, s:O*, s:O*, s:o*, s:O, s:o*, s:o*, "
        "s:O*, s:O*}",
        "tori_service", VERSION, "now", (json_int_t)service->now, "next_id",
        (json_int_t)service->next_id, "tickets", (json_int_t)service->jobs.n,
        "keys", service->keys, "hash", (json_int_t)service->hash, "nodes",
        nodes_save (service), "windows", reservations_save (service),
        "last_window", (json_int_t)service->last_reservation, "users",
        accounts_save (&service->users), "queues",
        accounts_save (&service->queues), "machine", home_make (service),
        "policy", service->policy_json, "remarks", service->remarks, "shadow",
        shadow_save (service->shadow), "asked", service->asked, "releases",
        releases_save (service), "origin", origin_save (service), "strangers",
        service->strangers, "disowned", service->disowned);
}

/* Takes over the value. */
static int save_line (json_t *value, json_dump_callback_t put, void *arg)
{
    int status = value ? json_dump_callback (value, put, arg, JSON_COMPACT)
                       : -1;
    json_decref (value);
    return status < 0 ? -1 : put ("\n", 1, arg);
}

/* The submission, with its environment, is most of a job, and the jobs of
 * an array have the same. So it is written for the first of them only, and
 * shared again by share_ask. */
static json_t *save_job (const struct service *service, size_t i,
                         const struct after_list **last)
{
    struct service_job *const *all = service->jobs.all;
    json_t *to = job_save (all[i], service->machine, last);
    if (i > 0 && json_equal (all[i]->ask->members, all[i - 1]->ask->members))
        json_object_del (to, "ask");
    return to;
}

int service_write (const struct service *service, json_dump_callback_t put,
                   void *arg)
{
    const struct after_list *last = NULL;
    unsigned long shortages = shortage_count ();
    int status = save_line (save_header (service), put, arg);
    for (size_t i = 0; status == 0 && i < service->jobs.n; i++)
        status = save_line (save_job (service, i, &last), put, arg);
    return shortage_count () == shortages ? status : -1;
}

struct saved_text {
    char *bytes;
    size_t n, room;
};

static int add_bytes (const char *bytes, size_t n, void *arg)
{
    struct saved_text *text = arg;
    char *more = array_room (text->bytes, &text->room, text->n + n, 1);
    if (!more)
        return -1;
    text->bytes = more;
    memcpy (more + text->n, bytes, n);
    text->n += n;
    return 0;
}

char *service_save (const struct service *service, size_t *ret_n)
{
    struct saved_text text = {0};
    if (service_write (service, add_bytes, &text) < 0
        || add_bytes ("", 1, &text) < 0) { /* the end of a string */
        free (text.bytes);
        return NULL;
    }
    *ret_n = text.n - 1;
    return text.bytes;
}

/* ---- loading ---- */

/* Text that is read line by line. */
struct lines_left {
    const char *at;
    size_t n;
};

static json_t *next_line (struct lines_left *left)
{
    const char *end = memchr (left->at, '\n', left->n);
    size_t n = end ? (size_t)(end - left->at) : left->n;
    json_t *value = json_loadb (left->at, n, 0, NULL);
    n += end != NULL;
    left->at += n;
    left->n -= n;
    return value;
}

/* A job without a submission shares that of the job before it. */
static int share_ask (const struct job_table *all, struct service_job *job,
                      tori_error *err)
{
    if (!job->ask && all->n > 0)
        job->ask = job_ask_keep (all->all[all->n - 1]->ask);
    return job->ask
               ? 0
               : tori_error_set (err, TORI_INVALID, "not a job of a service");
}

static int load_job (struct service *service, json_t *saved,
                     struct after_list **last, tori_error *err)
{
    const struct job_table *all = &service->jobs;
    struct service_job *job = job_load (saved, service->machine, last, err);
    if (!job || share_ask (all, job, err) < 0) {
        job_destroy (job);
        return -1;
    }
    if (all->n > 0 && all->all[all->n - 1]->id >= job->id) {
        job_destroy (job);
        return tori_error_set (err, TORI_INVALID, "jobs out of order");
    }
    if (dependents_add (service, job, err) < 0
        || job_table_add (&service->jobs, job, err) < 0) {
        job_destroy (job);
        return -1;
    }
    attempt_close_nodes (service, job);
    service_touch (service, job);
    return 0;
}

static int load_jobs (struct service *service, struct lines_left *left,
                      json_int_t n, tori_error *err)
{
    struct after_list *last = NULL;
    for (json_int_t i = 0; i < n; i++) {
        json_t *saved = next_line (left);
        int status = load_job (service, saved, &last, err);
        json_decref (saved);
        if (status < 0)
            return -1;
    }
    return 0;
}

static int load_all (struct service *service, json_t *header,
                     struct lines_left *left, tori_error *err)
{
    json_int_t now, next_id, n, hash, window;
    json_t *keys, *nodes, *reservations, *users, *queues, *policy = NULL;
    json_t *remarks = NULL, *shadow = NULL, *asked = NULL;
    const json_t *origin = json_object_get (header, "origin");
    int version;
    if (json_unpack (header,
                     "{s:i, s:I, s:I, s:I, s:o, s:I, s:o, s:o, s:I, s:o, "
                     "s:o, s?o, s?o, s?o, s?o}",
                     "tori_service", &version, "now", &now, "next_id",
                     &next_id, "tickets", &n, "keys", &keys, "hash", &hash,
                     "nodes", &nodes, "windows", &reservations, "last_window",
                     &window, "users", &users, "queues", &queues, "policy",
                     &policy, "remarks", &remarks, "shadow", &shadow, "asked",
                     &asked)
        || version != VERSION)
        return tori_error_set (err, TORI_INVALID,
                               "not a state of this version");
    home_take (service, json_object_get (header, "machine"));
    if (load_jobs (service, left, n, err) < 0
        || nodes_load (service, nodes, err) < 0
        || releases_load (service, json_object_get (header, "releases"), err)
               < 0
        || reservations_load (service, reservations, err) < 0
        || shadow_load (service, shadow, err) < 0
        || accounts_load (&service->users, users, err) < 0
        || accounts_load (&service->queues, queues, err) < 0
        || (policy && policy_take (service, policy, err) < 0)
        || (origin && origin_take (service, origin, err) < 0)
        || strangers_load (service, json_object_get (header, "strangers"), err)
               < 0)
        return -1;
    service->stale = true;
    usage_mark (service);
    service->now = now;
    service->next_id = (uint64_t)next_id;
    service->last_reservation = (uint64_t)window;
    json_decref (service->keys);
    service->keys = json_copy (keys);
    json_object_update (service->asked, asked);
    json_decref (service->remarks);
    service->remarks = json_incref (remarks);
    service->disowned = json_incref (json_object_get (header, "disowned"));
    if ((uint64_t)hash != service->hash)
        return tori_error_set (err, TORI_INVALID,
                               "the state is not what was saved");
    return 0;
}

int service_load (struct service *service, const char *text, size_t n,
                  tori_error *err)
{
    struct lines_left left = {text, n};
    unsigned long shortages = shortage_count ();
    json_t *header = next_line (&left);
    int status = load_all (service, header, &left, err);
    json_decref (header);
    return shortage_count () == shortages ? status : tori_error_nomem (err);
}

/* ---- replaying ---- */

static int check_hash (const struct service *service, const json_t *record,
                       tori_error *err)
{
    if ((uint64_t)json_integer_value (json_object_get (record, "hash"))
        == service->hash)
        return 0;
    return tori_error_set (err, TORI_INVALID,
                           "the state is not what it was when this was "
                           "written");
}

static int follow_decision (struct service *service, const json_t *record,
                            const char *what, tori_error *err)
{
    if (!strcmp (what, "released"))
        return releases_follow (service, record, err);
    if (strcmp (what, "all"))
        return decision_follow (service, what, record, err);
    attempt_send_due (service);
    return planned_starts_follow (service,
                                  json_object_get (record, "promises"), err)
                   < 0
               ? -1
               : check_hash (service, record, err);
}

static int repeat_input (struct service *service, const json_t *record,
                         tori_error *err)
{
    struct reply reply = {0};
    int status = service_do (service, service->now, record, &reply, err);
    if (status == 0 && reply.code >= 300)
        status = tori_error_set (err, TORI_INVALID,
                                 "what was accepted is refused now");
    json_decref (reply.body);
    return status;
}

int service_replay (struct service *service, const json_t *record,
                    tori_error *err)
{
    const char *decided
        = json_string_value (json_object_get (record, "decided"));
    json_t *now = json_object_get (record, "now");
    unsigned long shortages = shortage_count ();
    int status;
    service->replaying = service->stale = true;
    status = service_advance (service, json_integer_value (now), err) < 0 ? -1
             : decided ? follow_decision (service, record, decided, err)
                       : repeat_input (service, record, err);
    service->replaying = false;
    service->stirred = false;
    return shortage_count () == shortages ? status : tori_error_nomem (err);
}

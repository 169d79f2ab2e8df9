/* record.c - saving, loading and replaying. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"
#include "nodelist.h"

enum { VERSION = 1 };

/* ---- saving ---- */

static json_t *save_core (struct service *service)
{
    tori_snapshot *snapshot = NULL;
    char *text = NULL;
    size_t size = 0;
    json_t *core = NULL;
    FILE *to;
    if (tori_snapshot_take (service->sched, &snapshot, NULL) < 0)
        return NULL;
    to = open_memstream (&text, &size);
    if (to && tori_snapshot_write (snapshot, to, NULL) == 0
        && fclose (to) == 0)
        core = json_loadb (text, size, 0, NULL);
    free (text);
    tori_snapshot_destroy (snapshot);
    return core;
}

json_t *service_save (struct service *service)
{
    json_t *tickets = json_array (), *core = save_core (service);
    for (size_t i = 0; i < service->tickets.n; i++)
        json_array_append_new (
            tickets, ticket_save (service->tickets.all[i], service->machine));
    if (!core || json_array_size (tickets) != service->tickets.n) {
        json_decref (tickets);
        json_decref (core);
        return NULL;
    }
    return json_pack ("{s:i, s:I, s:I, s:o, s:o, s:o, s:I, s:O*}",
                      "tori_service",
                      VERSION, "now", (json_int_t)service->now, "next_id",
                      (json_int_t)service->next_id, "tickets", tickets,
                      "core", core, "keys", json_copy (service->keys), "hash",
                      (json_int_t)service->hash, "policy",
                      service->policy_json);
}

/* ---- loading ---- */

static int load_tickets (struct service *service, const json_t *list,
                         tori_error *err)
{
    for (size_t i = 0; i < json_array_size (list); i++) {
        struct ticket *ticket
            = ticket_load (json_array_get (list, i), service->machine, err);
        if (!ticket)
            return -1;
        if (service->tickets.n > 0
            && service->tickets.all[service->tickets.n - 1]->id >= ticket->id) {
            ticket_destroy (ticket);
            return tori_error_set (err, TORI_INVALID, "jobs out of order");
        }
        if (tickets_add (&service->tickets, ticket, err) < 0) {
            ticket_destroy (ticket);
            return -1;
        }
        service->dependents += ticket->nafter > 0;
        service_touch (service, ticket);
    }
    return 0;
}

/* The numbers of jobs in a new scheduler are others. */
static int find_numbers (struct service *service, tori_error *err)
{
    size_t n = tori_sched_running (service->sched)
               + tori_sched_queued (service->sched);
    tori_job *jobs = calloc (n + 1, sizeof *jobs);
    if (!jobs)
        return tori_error_nomem (err);
    n = tori_sched_running_jobs (service->sched, jobs);
    n += tori_sched_queued_jobs (service->sched, jobs + n);
    for (size_t i = 0; i < n; i++) {
        tori_job_info info = {.size = sizeof info};
        struct ticket *ticket;
        tori_sched_look (service->sched, jobs[i], &info);
        ticket = tickets_find (&service->tickets, info.tag);
        if (ticket)
            ticket->number = jobs[i];
    }
    free (jobs);
    return 0;
}

/* Whether a scheduler was made as this one is. Only then what it had promised
 * can be kept. */
static bool same_policy (struct service *service, const json_t *core)
{
    static const char *const keys[]
        = {"sched", "order", "depth", "alloc", "places", "work"};
    json_t *own = save_core (service);
    bool same = own != NULL;
    for (size_t i = 0; same && i < sizeof keys / sizeof keys[0]; i++) {
        const json_t *a = json_object_get (own, keys[i]);
        const json_t *b = json_object_get (core, keys[i]);
        same = a == b || (a && b && json_equal (a, b));
    }
    json_decref (own);
    return same;
}

/* With the policy of this service, which may be another than that of the
 * file. */
static int load_core (struct service *service, const json_t *core,
                      tori_error *err)
{
    char *text = json_dumps (core, 0);
    tori_sched_config config = {.size = sizeof config};
    tori_sched *sched = NULL;
    int status;
    if (!text)
        return tori_error_nomem (err);
    status = tori_snapshot_parse (text, strlen (text), "state",
                                  &service->origin, err);
    free (text);
    tori_sched_get_config (service->sched, &config);
    if (status < 0
        || tori_snapshot_sched (service->origin,
                                same_policy (service, core) ? NULL : &config,
                                &sched, err)
               < 0)
        return -1;
    tori_sched_destroy (service->sched);
    service->sched = sched;
    return 0;
}

int service_load (struct service *service, const json_t *saved,
                  tori_error *err)
{
    json_int_t now, next_id, hash;
    json_t *tickets, *core, *keys, *policy = NULL;
    int version;
    json_t *from = json_incref ((json_t *)(uintptr_t)saved);
    int bad = json_unpack (from, "{s:i, s:I, s:I, s:o, s:o, s:o, s:I, s?o}",
                           "tori_service", &version, "now", &now, "next_id",
                           &next_id, "tickets", &tickets, "core", &core,
                           "keys", &keys, "hash", &hash, "policy", &policy);
    json_decref (from);
    if (bad || version > VERSION)
        return tori_error_set (err, TORI_INVALID,
                               "not a state of this version");
    if (load_tickets (service, tickets, err) < 0
        || load_core (service, core, err) < 0
        || (policy && policy_take (service, policy, err) < 0)
        || find_numbers (service, err) < 0)
        return -1;
    service->now = now;
    service->next_id = (uint64_t)next_id;
    json_decref (service->keys);
    service->keys = json_copy (keys);
    if ((uint64_t)hash != service->hash)
        return tori_error_set (err, TORI_INVALID,
                               "the state is not what was saved");
    return 0;
}

/* ---- replaying ---- */

/* Start a job where it was started: it leaves the queue, and is taken over as
 * one that runs. */
static int start_again (struct service *service, struct ticket *ticket,
                        const json_t *record, tori_error *err)
{
    struct member_of of = {.object = json_object_get (record, "place"),
                           .file = "journal"};
    tori_job_spec spec = {.size = sizeof spec};
    tori_placement place = {0};
    int status;
    if (!tori_sched_spec (service->sched, ticket->number, &spec))
        return tori_error_set (err, TORI_INVALID, "no such job to start");
    if (place_read (&of, service->machine, spec.request.wiring, &place, err)
        <= 0)
        return -1;
    spec.hold = TORI_HOLD_NONE;
    status = tori_sched_cancel (service->sched, service->now, ticket->number,
                                err);
    if (status == 0)
        status = tori_sched_adopt (service->sched, service->now, &spec,
                                   service->now, &place, &ticket->number,
                                   err);
    tori_placement_clear (&ticket->place);
    ticket->place = place;
    ticket->state = TICKET_RUNNING;
    ticket->attempt++;
    ticket->started = ticket->stopping = false;
    ticket->start = service->now;
    service_touch (service, ticket);
    return status;
}

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

/* Kills and requeues follow from the inputs; only starts are decisions that
 * another version might make otherwise. */
static int follow (struct service *service, const json_t *record,
                   const char *what, tori_error *err)
{
    uint64_t id
        = (uint64_t)json_integer_value (json_object_get (record, "id"));
    struct ticket *ticket;
    if (!strcmp (what, "all"))
        return check_hash (service, record, err);
    if (strcmp (what, "start"))
        return 0;
    ticket = tickets_find (&service->tickets, id);
    if (!ticket || ticket->state != TICKET_QUEUED)
        return tori_error_set (err, TORI_INVALID, "no such job to start");
    return start_again (service, ticket, record, err);
}

static int repeat (struct service *service, const json_t *record,
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
    int status;
    if (json_integer_value (now) > service->now)
        service->now = json_integer_value (now);
    service->replaying = true;
    status = decided ? follow (service, record, decided, err)
                     : repeat (service, record, err);
    service->replaying = false;
    service->stirred = false;
    return status;
}

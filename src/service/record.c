/* record.c - saving, loading and replaying. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "inside.h"
#include "nodelist.h"

/* A saved service is lines of JSON: a header, one line for each ticket, and
 * the scheduler, as a snapshot of as many lines as it has. Each ticket is read
 * by itself: a tree of all of them takes longer to build than to read. */
enum { VERSION = 2 };

/* ---- saving ---- */

static int save_core (struct service *service, FILE *to, tori_error *err)
{
    tori_snapshot *snapshot = NULL;
    int status;
    if (tori_snapshot_take (service->sched, &snapshot, err) < 0)
        return -1;
    status = tori_snapshot_write (snapshot, to, err);
    tori_snapshot_destroy (snapshot);
    return status;
}

json_t *service_core (struct service *service)
{
    char *text = NULL;
    size_t size = 0;
    json_t *core = NULL;
    FILE *to = open_memstream (&text, &size);
    int status = to ? save_core (service, to, NULL) : -1;
    if (to && fclose (to) == 0 && status == 0)
        core = json_loadb (text, size, 0, NULL);
    free (text);
    return core;
}

static json_t *save_header (const struct service *service)
{
    return json_pack ("{s:i, s:I, s:I, s:I, s:O, s:I, s:o, s:o, s:O*, s:O*}",
                      "tori_service", VERSION, "now",
                      (json_int_t)service->now, "next_id",
                      (json_int_t)service->next_id, "tickets",
                      (json_int_t)service->tickets.n, "keys", service->keys,
                      "hash", (json_int_t)service->hash, "users",
                      accounts_save (&service->users), "queues",
                      accounts_save (&service->queues), "policy",
                      service->policy_json, "remarks", service->remarks);
}

struct line {
    char *text;
    size_t room;
};

/* Takes over the value. Written through one buffer: json_dumpf would call the
 * stream for every bracket. */
static int save_line (FILE *to, json_t *value, struct line *line)
{
    size_t n = value ? json_dumpb (value, line->text, line->room, JSON_COMPACT)
                     : 0;
    if (n >= line->room) {
        char *more = array_room (line->text, &line->room, n + 1, 1);
        if (more) {
            line->text = more;
            n = json_dumpb (value, line->text, line->room, JSON_COMPACT);
        } else
            n = 0;
    }
    json_decref (value);
    if (n == 0)
        return -1;
    line->text[n] = '\n';
    return fwrite (line->text, 1, n + 1, to) == n + 1 ? 0 : -1;
}

static int save_all (struct service *service, FILE *to)
{
    struct line line = {0};
    int status = save_line (to, save_header (service), &line);
    for (size_t i = 0; status == 0 && i < service->tickets.n; i++)
        status = save_line (
            to, ticket_save (service->tickets.all[i], service->machine),
            &line);
    free (line.text);
    return status == 0 ? save_core (service, to, NULL) : -1;
}

char *service_save (struct service *service, size_t *ret_n)
{
    char *text = NULL;
    size_t n = 0;
    FILE *to = open_memstream (&text, &n);
    int status = to ? save_all (service, to) : -1;
    if (!to || fclose (to) != 0 || status < 0) {
        free (text);
        return NULL;
    }
    *ret_n = n;
    return text;
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

static int load_ticket (struct service *service, const json_t *saved,
                        tori_error *err)
{
    struct ticket *ticket = ticket_load (saved, service->machine, err);
    const struct tickets *all = &service->tickets;
    if (!ticket)
        return -1;
    if (all->n > 0 && all->all[all->n - 1]->id >= ticket->id) {
        ticket_destroy (ticket);
        return tori_error_set (err, TORI_INVALID, "jobs out of order");
    }
    if (tickets_add (&service->tickets, ticket, err) < 0) {
        ticket_destroy (ticket);
        return -1;
    }
    service->dependents += ticket->nafter > 0;
    service->lingering += ticket->lingers;
    service_touch (service, ticket);
    return 0;
}

static int load_tickets (struct service *service, struct lines_left *left,
                         json_int_t n, tori_error *err)
{
    for (json_int_t i = 0; i < n; i++) {
        json_t *saved = next_line (left);
        int status = load_ticket (service, saved, err);
        json_decref (saved);
        if (status < 0)
            return -1;
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
        tori_job_spec spec = {.size = sizeof spec};
        struct ticket *ticket;
        tori_sched_look (service->sched, jobs[i], &info);
        ticket = tickets_find (&service->tickets, info.tag);
        if (!ticket)
            continue;
        ticket->number = jobs[i];
        if (tori_sched_spec (service->sched, jobs[i], &spec)) {
            ticket->nodes = spec_nodes (&spec);
            ticket->earliest = spec.earliest;
            if (spec.hold == TORI_HOLD_SHARE) /* line_review finds which */
                ticket->limit = LIMIT_USER_JOBS;
        }
        ticket->priority = usage_priority (service, ticket);
    }
    free (jobs);
    return 0;
}

static bool same_text (const char *a, const char *b)
{
    return a == b || (a && b && strcmp (a, b) == 0);
}

/* Whether a scheduler was made as this one is. Only then what it had promised
 * can be kept. */
static bool same_policy (const struct service *service,
                         const tori_snapshot *other)
{
    tori_snapshot *own = NULL;
    bool same;
    if (tori_snapshot_take (service->sched, &own, NULL) < 0)
        return false;
    same = same_text (own->policy, other->policy)
           && own->order == other->order && own->depth == other->depth
           && own->work == other->work && own->places == other->places
           && same_text (own->alloc_shape, other->alloc_shape)
           && same_text (own->alloc_count, other->alloc_count)
           && own->epsilon == other->epsilon
           && own->hypercube == other->hypercube
           && own->noncubic == other->noncubic && own->steps == other->steps;
    tori_snapshot_destroy (own);
    return same;
}

/* With the policy of this service, which may be another than that of the
 * file. */
static int load_core (struct service *service, const struct lines_left *left,
                      tori_error *err)
{
    tori_sched_config config = {.size = sizeof config};
    tori_sched *sched = NULL;
    if (tori_snapshot_parse (left->at, left->n, "state", &service->origin,
                             err)
        < 0)
        return -1;
    tori_sched_get_config (service->sched, &config);
    if (tori_snapshot_sched (service->origin,
                             same_policy (service, service->origin) ? NULL
                                                                    : &config,
                             &sched, err)
        < 0)
        return -1;
    tori_sched_destroy (service->sched);
    service->sched = sched;
    return 0;
}

static int load_all (struct service *service, json_t *header,
                     struct lines_left *left, tori_error *err)
{
    json_int_t now, next_id, n, hash;
    json_t *keys, *users, *queues, *policy = NULL, *remarks = NULL;
    int version;
    if (json_unpack (header, "{s:i, s:I, s:I, s:I, s:o, s:I, s:o, s:o, s?o, s?o}",
                     "tori_service", &version, "now", &now, "next_id",
                     &next_id, "tickets", &n, "keys", &keys, "hash", &hash,
                     "users", &users, "queues", &queues, "policy", &policy,
                     "remarks", &remarks)
        || version != VERSION)
        return tori_error_set (err, TORI_INVALID,
                               "not a state of this version");
    if (load_tickets (service, left, n, err) < 0
        || load_core (service, left, err) < 0
        || accounts_load (&service->users, users, err) < 0
        || accounts_load (&service->queues, queues, err) < 0
        || (policy && policy_take (service, policy, err) < 0)
        || find_numbers (service, err) < 0)
        return -1;
    usage_mark (service);
    service->now = now;
    service->next_id = (uint64_t)next_id;
    json_decref (service->keys);
    service->keys = json_copy (keys);
    json_decref (service->remarks);
    service->remarks = json_incref (remarks);
    if ((uint64_t)hash != service->hash)
        return tori_error_set (err, TORI_INVALID,
                               "the state is not what was saved");
    service->unsettled = service->was_limited = true;
    return line_review (service, err);
}

int service_load (struct service *service, const char *text, size_t n,
                  tori_error *err)
{
    struct lines_left left = {text, n};
    json_t *header = next_line (&left);
    int status = load_all (service, header, &left, err);
    json_decref (header);
    return status;
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
    return status < 0 ? -1 : linger_start (service, ticket, err);
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
        return line_review (service, err) < 0
                   ? -1
                   : check_hash (service, record, err);
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
    service->replaying = true;
    status = usage_advance (service, json_integer_value (now), err) < 0
                 ? -1
             : decided ? follow (service, record, decided, err)
                     : repeat (service, record, err);
    service->replaying = false;
    service->stirred = false;
    return status;
}

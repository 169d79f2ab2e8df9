/* service_snapshot.c - the scheduler as a snapshot, with the rules by which
 * held jobs are released: a forecast applies them (holds.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "hours.h"
#include "service_internal.h"

enum { HOLD_TEXT = 600 };

/* ---- jobs ---- */

static int copy_text (char **to, const char *from, tori_error *err)
{
    if (!from)
        return 0;
    *to = strdup (from);
    return *to ? 0 : tori_error_nomem (err);
}

/* The jobs that it waits for. Those that have ended release it soon. */
static int copy_afters (const struct service *service,
                        const struct service_job *job, tori_snapshot_job *to,
                        tori_error *err)
{
    const struct after_list *list = job->nafter > 0 ? job->after : NULL;
    to->after = list ? calloc (list->n, sizeof *to->after) : NULL;
    if (list && !to->after)
        return tori_error_nomem (err);
    for (size_t i = 0; list && i < list->n; i++) {
        const struct service_job *awaited
            = job_table_find (&service->jobs, list->all[i].id);
        if (awaited && awaited->state != JOB_ENDED)
            to->after[to->nafter++] = (tori_after){
                list->all[i].id, (tori_after_kind)list->all[i].kind};
    }
    return 0;
}

/* "waits for ok:17, any:18". */
static void say_afters (const struct after_list *list, char text[HOLD_TEXT])
{
    size_t n = 0;
    for (size_t i = 0; i < list->n && n < HOLD_TEXT / 2; i++)
        n += (size_t)snprintf (
            text + n, HOLD_TEXT - n, "%s%s:%llu", i ? ", " : "waits for ",
            tori_after_name ((tori_after_kind)list->all[i].kind),
            (unsigned long long)list->all[i].id);
}

/* Say why a held job waits, in the words of `tori queue`; empty if there is
 * nothing more to say than that it is held. */
static void say_hold (const struct service *service,
                      const struct service_job *job, char text[HOLD_TEXT])
{
    char limit[LIMIT_TEXT] = "";
    bool never = limit_outgrown (service, job) != LIMIT_NONE;
    if (job->held)
        snprintf (text, HOLD_TEXT, "%s", job->why ? job->why : "");
    else if (job->nafter > 0 && !never)
        say_afters (job->after, text);
    else if (job->waits_for_array && !never)
        snprintf (text, HOLD_TEXT, "others of its array run first");
    else
        limit_text (service, job, limit);
    if (*limit)
        snprintf (text, HOLD_TEXT, "%s %s",
                  never ? "can never start: it has more nodes than"
                        : "waits for",
                  limit);
}

static int describe_job (const struct service *service,
                         const struct service_job *job, tori_snapshot_job *to,
                         tori_error *err)
{
    char why[HOLD_TEXT] = "";
    if (job->state == JOB_QUEUED)
        say_hold (service, job, why);
    if (copy_text (&to->alias, job->ask->alias, err) < 0
        || copy_text (&to->why, *why ? why : NULL, err) < 0
        || copy_text (&to->user, job->user, err) < 0
        || copy_text (&to->queue, job_queue_name (job), err) < 0)
        return -1;
    if (job->array_limit > 0) {
        to->array = job->array;
        to->array_limit = job->array_limit;
        to->array_waits = job->waits_for_array;
    }
    return copy_afters (service, job, to, err);
}

static int describe_jobs (const struct service *service,
                          tori_snapshot_job *jobs, size_t n, tori_error *err)
{
    for (size_t i = 0; i < n; i++) {
        const struct service_job *job =
            job_table_find (&service->jobs, jobs[i].spec.tag);
        if (job && describe_job (service, job, &jobs[i], err) < 0)
            return -1;
    }
    return 0;
}

/* ---- the policy ---- */

static tori_snapshot_limits limits_of (const struct service_limits *limits)
{
    return (tori_snapshot_limits){(uint64_t)limits->running,
                                  (uint64_t)limits->nodes};
}

/* When a queue is open in the next weeks. A forecast repeats the last of them:
 * it does not know the time zone, nor when its clocks are put forward. */
static int describe_hours (const char *hours, tori_time now,
                           tori_snapshot_queue *to, tori_error *err)
{
    enum { WEEKS = 5 };
    const tori_time end = now + WEEKS * 7 * 24 * 3600 * TORI_SECOND;
    size_t room = 0;
    bool was = false;
    to->open = array_room (NULL, &room, 1, sizeof *to->open);
    for (tori_time at = now, next; at < end && to->open; at = next) {
        bool is = hours_contain (hours, at, &next);
        if (is && !was) {
            tori_snapshot_span *more = array_room (
                to->open, &room, to->nopen + 1, sizeof *more);
            if (!more)
                return tori_error_nomem (err);
            to->open = more;
            more[to->nopen++] = (tori_snapshot_span){at, next};
        } else if (is) {
            to->open[to->nopen - 1].until = next;
        }
        was = is;
    }
    return to->open ? 0 : tori_error_nomem (err);
}

static int describe_queues (const struct service *service, tori_snapshot *to,
                            tori_error *err)
{
    const struct service_policy *policy = &service->policy;
    to->user_limits = limits_of (&policy->user);
    to->queues = calloc (policy->nqueues + 1, sizeof *to->queues);
    if (!to->queues)
        return tori_error_nomem (err);
    for (size_t i = 0; i < policy->nqueues; i++) {
        const struct service_queue *from = &policy->queues[i];
        tori_snapshot_queue *queue = &to->queues[to->nqueues++];
        *queue = (tori_snapshot_queue){.priority = from->priority,
                                       .tier = (uint32_t)from->level,
                                       .preempted = from->preempted,
                                       .limits = limits_of (&from->limits),
                                       .each = limits_of (&from->user)};
        if (copy_text (&queue->name, from->name, err) < 0
            || (from->hours
                && describe_hours (from->hours, to->now, queue, err) < 0))
            return -1;
    }
    return 0;
}

static int describe_users (const struct service *service, tori_snapshot *to,
                           tori_error *err)
{
    to->users = calloc (service->users.n + 1, sizeof *to->users);
    if (!to->users)
        return tori_error_nomem (err);
    for (size_t i = 0; i < service->users.n; i++) {
        const struct account *from = &service->users.all[i];
        if (from->penalty == 0)
            continue;
        to->users[to->nusers].penalty = from->penalty;
        if (copy_text (&to->users[to->nusers++].name, from->name, err) < 0)
            return -1;
    }
    return 0;
}

int service_snapshot (const struct service *service,
                      tori_snapshot **ret_snapshot, tori_error *err)
{
    tori_snapshot *it = NULL;
    if (tori_snapshot_take (service->sched, &it, err) < 0)
        return -1;
    if (describe_jobs (service, it->running, it->nrunning, err) < 0
        || describe_jobs (service, it->queue, it->nqueued, err) < 0
        || describe_queues (service, it, err) < 0
        || describe_users (service, it, err) < 0) {
        tori_snapshot_destroy (it);
        return -1;
    }
    it->next_id = service->next_id;
    it->work = 0; /* it decides nothing */
    it->usage_weight = service->policy.weight;
    *ret_snapshot = it;
    return 0;
}

/* ---- with further jobs ---- */

/* Reservations admit further jobs of their users. */
static void swap_windows (tori_snapshot *a, tori_snapshot *b)
{
    tori_snapshot_window *windows = a->windows;
    size_t n = a->nwindows;
    a->windows = b->windows;
    a->nwindows = b->nwindows;
    b->windows = windows;
    b->nwindows = n;
}

/* Move the jobs that came since from one snapshot to the one before. */
static int take_late (tori_snapshot *from, tori_snapshot *to, tori_error *err)
{
    tori_snapshot_job *more = reallocarray (
        to->queue, to->nqueued + from->nqueued + 1, sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    to->queue = more;
    for (size_t i = 0; i < from->nqueued; i++)
        if (from->queue[i].spec.tag >= to->next_id) {
            more[to->nqueued] = from->queue[i];
            more[to->nqueued++].late = true;
            from->queue[i] = (tori_snapshot_job){0};
        }
    to->next_id = from->next_id;
    swap_windows (from, to);
    return 0;
}

static int submit_each (struct service *service, const json_t *inputs,
                        struct reply *ret_reply, tori_error *err)
{
    int status = 0;
    for (size_t i = 0; i < json_array_size (inputs) && status == 0; i++) {
        status = do_submit (service, json_array_get (inputs, i), ret_reply,
                            err);
        if (status > 0)
            json_object_set_new (json_object_get (ret_reply->body, "error"),
                                 "index", json_integer ((json_int_t)i));
        if (status == 0)
            json_decref (ret_reply->body);
    }
    if (status == 0)
        *ret_reply = (struct reply){0};
    return status;
}

int service_snapshot_with (struct service *service, const json_t *inputs,
                           tori_snapshot **ret_snapshot,
                           struct reply *ret_reply, tori_error *err)
{
    tori_snapshot *before = NULL, *after = NULL;
    int status = service_snapshot (service, &before, err);
    if (status == 0)
        status = submit_each (service, inputs, ret_reply, err);
    if (status == 0)
        status = limit_queue_review (service, err);
    if (status == 0)
        status = service_snapshot (service, &after, err);
    if (status == 0)
        status = take_late (after, before, err);
    tori_snapshot_destroy (after);
    if (status == 0)
        *ret_snapshot = before;
    else
        tori_snapshot_destroy (before);
    return status;
}

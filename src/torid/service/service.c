/* service.c - inputs, decisions and effects. */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "service_internal.h"
#include "member.h"
#include "number.h"
#include "shortage.h"

/* ---- life ---- */

int service_create (const tori_machine *machine,
                    const tori_sched_config *config,
                    struct service **ret_service, tori_error *err)
{
    struct service *service = calloc (1, sizeof *service);
    size_t n = tori_machine_nodes (machine);
    if (!service)
        return tori_error_nomem (err);
    service->machine = machine;
    service->next_id = 1;
    service->keys = json_object ();
    service->asked = json_object ();
    service->nodes = calloc (n, sizeof *service->nodes);
    service->pending_release = calloc (n, sizeof *service->pending_release);
    if (!service->keys || !service->asked || !service->nodes
        || !service->pending_release) {
        service_destroy (service);
        return tori_error_nomem (err);
    }
    if (tori_sched_create (machine, config, &service->sched, err) < 0) {
        service_destroy (service);
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
    free (service->releases);
    free (service->refusal);
    json_decref (service->strangers);
    json_decref (service->ending);
    json_decref (service->disowned);
    shadow_destroy (service->shadow);
    json_decref (service->keys);
    json_decref (service->asked);
    json_decref (service->remarks);
    policy_drop (service);
    json_decref (service->home);
    accounts_clear (&service->users);
    accounts_clear (&service->queues);
    accounts_clear (&service->pairs);
    limit_queue_clear (service);
    tori_sched_destroy (service->sched);
    free (service->nodes);
    free (service->links);
    free (service->pending_release);
    free (service->due);
    free (service->planned);
    free (service->positions);
    reservations_clear (service);
    json_decref (service->chosen);
    job_table_clear (&service->jobs);
    free (service);
}

int service_ready (struct service *service, tori_error *err)
{
    return core_make (service, err);
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

void service_touch (struct service *service, struct service_job *job)
{
    uint64_t mark = job_hash (job);
    service->hash += mark - job->mark;
    job->mark = mark;
    usage_count (service, job);
}

void service_put (struct service *service, enum effect_kind kind,
                  json_t *value)
{
    struct effect *more;
    if (service->replaying
        || (kind == EFFECT_ORDER && service->shadow
            && json_object_get (value, "job"))) {
        json_decref (value); /* done already, or not done at all */
        return;
    }
    if (service->fetched > 0 && service->fetched == service->nout)
        service->fetched = service->nout = 0;
    more = array_room (service->out, &service->out_room, service->nout + 1,
                       sizeof *more);
    if (more)
        service->out = more;
    if (!more || !value) {
        json_decref (value);
        service->nomem = true;
        return;
    }
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
                   const struct service_job *job)
{
    if (!service->replaying)
        tally_event (&service->tally, event, job);
    if (service->replaying || (service->unwatched && job->state != JOB_ENDED))
        return;
    service_put (service, EFFECT_EVENT,
                 json_pack ("{s:s, s:o, s:o}", "event", event, "now",
                            seconds_json (service->now), "job",
                            job_json (job, service->machine, NULL)));
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

int refuse_error (const tori_error *why, struct reply *reply, tori_error *err)
{
    return why->status == TORI_FAILED
               ? tori_error_set (err, why->status, "%s", why->text)
               : refuse (reply, 400, "bad-request", "%s", why->text);
}

/* ---- the end of a job ---- */

int service_end (struct service *service, struct service_job *job, int status,
                 int signal, const char *why, tori_error *err)
{
    bool ran = job->state == JOB_RUNNING;
    if (job_say_why (job, why, err) < 0)
        return -1;
    planned_start_void (job);
    job->state = JOB_ENDED;
    if (job->end < 0)
        job->end = service->now;
    if (ran && job->nruns > 0 && job_end_run (job, job->end, err) < 0)
        return -1;
    job->status = status;
    job->signal = signal;
    dependents_remove (service, job);
    service_tell (service, "ended", job); /* before stored.c trims it */
    service_touch (service, job);
    if (job->key && external_is_unwanted (job))
        external_decline (service, job->key, why);
    return dependents_release (service, job, err);
}

/* ---- time ---- */

int service_advance (struct service *service, tori_time now, tori_error *err)
{
    if (usage_advance (service, now, err) < 0)
        return -1;
    return reservations_expire (service, err);
}

/* ---- decisions ---- */

/* Ends bring about others, a part of them at a time. */
static int go_on_releasing (struct service *service, tori_error *err)
{
    size_t n;
    if (!releases_wait (service))
        return 0;
    if (releases_go (service, RELEASES, &n, err) < 0)
        return -1;
    service_put (service, EFFECT_RECORD,
                 json_pack ("{s:s, s:I, s:I}", "decided", "released", "now",
                            (json_int_t)service->now, "released",
                            (json_int_t)n));
    return 0;
}

/* Decisions may end jobs. Then their dependents are released at once, unless
 * older releases were waiting. */
static int decide_all (struct service *service, tori_error *err)
{
    bool busy = releases_wait (service);
    if (go_on_releasing (service, err) < 0 || core_run (service, err) < 0)
        return -1;
    if (busy || !releases_wait (service))
        return 0;
    return go_on_releasing (service, err) < 0 ? -1 : core_run (service, err);
}

int service_decide (struct service *service, tori_time now, tori_error *err)
{
    json_t *planned_starts;
    unsigned long shortages = shortage_count ();
    if (core_make (service, err) < 0 || service_advance (service, now, err) < 0
        || decide_all (service, err) < 0)
        return -1;
    attempt_send_due (service);
    planned_starts = planned_starts_review (service, err);
    if (!planned_starts)
        return -1;
    service->stirred |= json_array_size (planned_starts) > 0;
    if (service->stirred)
        service_put (service, EFFECT_RECORD,
                     json_pack ("{s:s, s:I, s:I, s:O*}", "decided", "all",
                                "now", (json_int_t)service->now, "hash",
                                (json_int_t)service->hash, "promises",
                                json_array_size (planned_starts) > 0
                                    ? planned_starts
                                    : NULL));
    json_decref (planned_starts);
    service->stirred = false;
    service->nomem |= shortage_count () != shortages;
    return service->nomem ? tori_error_nomem (err) : 0;
}

tori_time service_wake (const struct service *service)
{
    tori_time when = TORI_TIME_MAX, ranked = usage_wake (service);
    if (tori_sched_unfinished (service->sched) || releases_wait (service))
        return service->now;
    tori_sched_wake (service->sched, &when);
    if (limit_queue_wake (service) < when)
        when = limit_queue_wake (service);
    return when < ranked ? when : ranked;
}

/* ---- what users ask ---- */

struct service_job *find_own (struct service *service, const json_t *input,
                              struct reply *reply)
{
    json_int_t id = json_integer_value (json_object_get (input, "id"));
    const char *user = json_string_value (json_object_get (input, "user"));
    struct service_job *job = job_table_find (&service->jobs, (uint64_t)id);
    if (!job) {
        refuse (reply, 404, "no-such-job", "there is no job %lld",
                (long long)id);
        return NULL;
    }
    if (!is_operator (input) && strcmp (user ? user : "", job->user)) {
        refuse (reply, 403, "forbidden",
                "job %lld belongs to %s; only %s or an operator may change "
                "it",
                (long long)id, job->user, job->user);
        return NULL;
    }
    return job;
}

int reply_job (struct service *service, const struct service_job *job,
               struct reply *reply)
{
    *reply = (struct reply){
        200, job_json (job, service->machine,
                       service->replaying ? NULL
                                          : job_reason (service, job, NULL))};
    service_leave_out (reply->body);
    return 0;
}

/* A reason that was accepted before is accepted again when a journal is
 * read. */
int read_reason (const struct service *service, const json_t *input,
                 const char **reason, struct reply *reply)
{
    enum { MOST = 500 };
    const json_t *value = json_object_get (input, "why");
    size_t n = json_string_length (value);
    if (value && !service->replaying
        && (!json_is_string (value) || n == 0 || n > MOST))
        return refuse (reply, 400, "bad-request",
                       "why: expected a text of at most %d bytes", MOST);
    if (json_is_string (value))
        *reason = json_string_value (value);
    return 0;
}

int do_cancel (struct service *service, const json_t *input,
               struct reply *reply, tori_error *err)
{
    struct service_job *job = find_own (service, input, reply);
    const char *reason = NULL;
    if (!job || read_reason (service, input, &reason, reply))
        return 1;
    if (job->state == JOB_ENDED)
        return refuse (reply, 409, "ended", "job %llu has already ended",
                       (unsigned long long)job->id);
    if (job_say_stopped (job, reason, err) < 0)
        return -1;
    if (job->state == JOB_RUNNING && attempt_cancel (service, job))
        return reply_job (service, job, reply);
    if (core_cancel (service, job, err) < 0
        || attempt_leave (service, job, (struct leave){SIGKILL, 0, false}, err)
               < 0
        || service_end (service, job, -1, -1, "cancelled", err) < 0)
        return -1;
    return reply_job (service, job, reply);
}

/* ---- all inputs ---- */

static input_fn *find_input (const char *name)
{
    static const struct {
        const char *name;
        input_fn *do_it;
    } all[] = {{"submit", do_submit},  {"cancel", do_cancel},
               {"change", do_change},  {"suspend", do_suspend},
               {"requeue", do_requeue}, {"move", do_move},
               {"node", do_node},
               {"window", do_reserve}, {"unwindow", do_unreserve},
               {"policy", do_policy},  {"link", do_link},
               {"origin", do_origin},  {"end-unknown", do_end_unknown},
               {"tick", do_tick},      {"executor", do_executor}};
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
    json_object_del (record, "released");
    if (releases_wait (service))
        json_object_set_new (record, "released", json_integer (0));
    if (service->chosen)
        json_object_set (record, "chosen", service->chosen);
    json_decref (service->chosen);
    service->chosen = NULL;
    service_put (service, EFFECT_RECORD, record);
    if (service->replaying || service->nomem)
        return 0;
    struct effect last = service->out[service->nout - 1];
    memmove (service->out + before + 1, service->out + before,
             (service->nout - 1 - before) * sizeof last);
    service->out[before] = last;
    return 0;
}

/* Release the dependents of jobs that an input has ended. These releases have
 * a record of their own, since decisions may be recorded between the two.
 * Older releases, if any wait, come first. */
static int release_some (struct service *service, const json_t *input,
                         bool busy, tori_error *err)
{
    if (service->replaying)
        return releases_follow (service, input, err);
    return busy ? 0 : go_on_releasing (service, err);
}

int service_do (struct service *service, tori_time now, const json_t *input,
                struct reply *ret_reply, tori_error *err)
{
    const char *name = json_string_value (json_object_get (input, "in"));
    input_fn *do_it = find_input (name);
    struct reply reply = {0};
    json_t *was = NULL;
    size_t before;
    bool busy = releases_wait (service);
    unsigned long shortages = shortage_count ();
    int status;
    if (core_make (service, err) < 0
        || service_advance (service, shadow_clock (service, name, now), err)
               < 0)
        return -1;
    if (service->fetched == service->nout)
        service->fetched = service->nout = 0;
    before = service->nout;
    was = audit_look (service, input);
    if (service->shadow && !shadow_takes (name))
        status = refuse (&reply, 409, "shadow",
                         "this service only follows another; nothing can be "
                         "changed here");
    else if (!do_it)
        status = refuse (&reply, 400, "bad-request", "no such request");
    else
        status = do_it (service, input, &reply, err);
    if (status == 0)
        status = keep_record (service, before, input);
    if (status >= 0 && was && reply.code < 300)
        audit_note (service, input, was);
    json_decref (was);
    if (status == 0)
        status = release_some (service, input, busy, err);
    service->nomem |= shortage_count () != shortages;
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

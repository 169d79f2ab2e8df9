/* decisions.c - what the scheduler decides: recorded, carried out, and carried
 * out once more when the journal is read again. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service_internal.h"

/* The details of a decision about a job. */
struct ruling {
    const tori_placement *place;  /* where it starts, or moves to */
    tori_time done, lost, saved;  /* as in tori/sched.h */
    tori_time since;              /* it has run elsewhere; 0: it has not */
    const char *why; /* reason of a kill; or what failed, for a requeued job */
    const char *reason; /* of a requeued job, if nothing failed; of a move; or
                           of a suspension */
    const json_t *by;   /* the input of an operator who moves it, or NULL */
    bool gently; /* the machine is well, and the job may take its time */
};

typedef int ruling_fn (struct service *, struct service_job *,
                       const struct ruling *, tori_error *);

/* ---- carrying them out ---- */

static int set_place (struct service_job *job, const tori_placement *place,
                      tori_error *err)
{
    tori_placement copy = {0};
    if (tori_placement_copy (&copy, place, err) < 0)
        return -1;
    tori_placement_clear (&job->place);
    job->place = copy;
    return 0;
}

static int send_away (struct service *service, struct service_job *job,
                      const struct ruling *is, bool again, tori_error *err)
{
    enum { GRACE = 30 };
    bool gently = is->gently && !attempt_is (job->life, ATTEMPT_IS_SUSPENDED);
    return attempt_leave (service, job,
                          gently ? (struct leave){SIGTERM, GRACE, again}
                                 : (struct leave){SIGKILL, 0, again},
                          err);
}

static int run_job (struct service *service, struct service_job *job,
                    const struct ruling *is, const char *event)
{
    planned_start_void (job);
    job->state = JOB_RUNNING;
    job->suspended = false;
    job->since = is->since ? is->since : service->now;
    job->done = is->done;
    job->lost = is->lost;
    job->saved = 0;
    service_touch (service, job);
    attempt_due (service, job);
    service_tell (service, event, job);
    return 0;
}

/* If its last attempt is leaving, the next one gets its number when that is
 * over. */
static int on_start (struct service *service, struct service_job *job,
                     const struct ruling *is, tori_error *err)
{
    if (set_place (job, is->place, err) < 0)
        return -1;
    job->attempt += !attempt_is (job->life, ATTEMPT_IS_LEAVING);
    job->cancelled = false;
    job->start = is->since ? is->since : service->now;
    run_job (service, job, is, "started");
    if (service->shadow)
        shadow_compare (service, job);
    return 0;
}

static int on_move (struct service *service, struct service_job *job,
                    const struct ruling *is, tori_error *err)
{
    if (send_away (service, job, is, true, err) < 0)
        return -1;
    audit_move (service, job, is->place, is->by, is->reason);
    if (job_end_run (job, service->now, err) < 0)
        return -1;
    if (set_place (job, is->place, err) < 0
        || job_say_moved (job, is->reason, err) < 0)
        return -1;
    job->start = service->now;
    return run_job (service, job, is, "moved");
}

static int on_resume (struct service *service, struct service_job *job,
                      const struct ruling *is, tori_error *err)
{
    if (job_say_stopped (job, NULL, err) < 0)
        return -1;
    return run_job (service, job, is, "resumed");
}

/* It is being cancelled, and loses its place before that is done. */
static int give_up (struct service *service, struct service_job *job,
                    tori_error *err)
{
    if (attempt_leave (service, job, (struct leave){SIGKILL, 0, false}, err)
            < 0
        || core_cancel (service, job, err) < 0)
        return -1;
    return service_end (service, job, -1, -1, "cancelled", err);
}

static int on_suspend (struct service *service, struct service_job *job,
                       const struct ruling *is, tori_error *err)
{
    if (job->cancelled)
        return give_up (service, job, err);
    if (job_end_run (job, service->now, err) < 0
        || job_say_stopped (job, is->reason, err) < 0)
        return -1;
    attempt_suspend (service, job);
    job->state = JOB_QUEUED;
    job->suspended = true;
    job->done = is->done;
    job->saved = is->saved;
    job->lost = 0;
    service_touch (service, job);
    service_tell (service, "suspended", job);
    return usage_review (service, job, err);
}

static int on_requeue (struct service *service, struct service_job *job,
                       const struct ruling *is, tori_error *err)
{
    if (job->cancelled)
        return give_up (service, job, err);
    if (send_away (service, job, is, true, err) < 0
        || (job->state == JOB_RUNNING
            && job_end_run (job, service->now, err) < 0)
        || job_say_stopped (job, NULL, err) < 0)
        return -1;
    job->state = JOB_QUEUED;
    job->suspended = false;
    job->done = is->done;
    job->lost = job->saved = 0;
    job->requeues += is->why != NULL;
    if (job_say_requeued (job, is->why ? is->why : is->reason, err) < 0)
        return -1;
    service_touch (service, job);
    service_tell (service, "requeued", job);
    return usage_review (service, job, err);
}

static int on_kill (struct service *service, struct service_job *job,
                    const struct ruling *is, tori_error *err)
{
    if (send_away (service, job, is, false, err) < 0)
        return -1;
    return service_end (service, job, -1, SIGKILL, is->why, err);
}

/* By kind; kinds without a name are not carried out. */
static const struct decided {
    const char *name;
    ruling_fn *act;
    bool placed;         /* it comes with a place */
    bool queued, runs;   /* the job waits, or runs, before it */
    bool noted;          /* in the record of changes; a move notes itself */
} all[] = {[TORI_START] = {"start", on_start, true, true, false, false},
           [TORI_KILL] = {"kill", on_kill, false, true, true, true},
           [TORI_REQUEUE] = {"requeue", on_requeue, false, true, true, true},
           [TORI_MOVE] = {"move", on_move, true, false, true, false},
           [TORI_SUSPEND] = {"suspend", on_suspend, false, false, true, true},
           [TORI_RESUME] = {"resume", on_resume, false, true, false, true}};
enum { KINDS = sizeof all / sizeof all[0] };

/* Whether it can be decided of this job. */
static bool can_be_decided (const struct service_job *job,
                            const struct decided *kind)
{
    switch (job->state) {
    case JOB_QUEUED:
        return kind->queued && (kind->act == on_start) != job->suspended;
    case JOB_RUNNING:
        return kind->runs;
    default:
        return false;
    }
}

/* ---- new ones ---- */

static void say_why (const struct service *service,
                     const tori_decision *decision, char *text, size_t size)
{
    tori_job_info info = {.size = sizeof info};
    char node[TORI_TEXT_MAX];
    if (decision->by != TORI_NO_JOB) {
        tori_sched_look (service->sched, decision->by, &info);
        snprintf (text, size,
                  decision->kind == TORI_MOVE ? "it made room for job %llu"
                                              : "job %llu took its place",
                  (unsigned long long)info.tag);
    } else if (decision->node == TORI_NO_NODE) {
        snprintf (text, size, "a link failed under it");
    } else {
        tori_node_format (service->machine, decision->node, node);
        snprintf (text, size, "node %s failed under it", node);
    }
}

/* Times that are 0 are left out. */
static void set_time (json_t *record, const char *key, tori_time time)
{
    if (time)
        json_object_set_new (record, key, json_integer ((json_int_t)time));
}

static void put_record (struct service *service, const struct service_job *job,
                        const struct decided *kind, const struct ruling *is)
{
    json_t *record =
        json_pack ("{s:s, s:I, s:I}", "decided", kind->name, "id",
                   (json_int_t)job->id, "now", (json_int_t)service->now);
    if (kind->placed)
        json_object_set_new (record, "place",
                             place_save (service->machine, is->place));
    if (is->why)
        json_object_set_new (record, "why", json_string (is->why));
    if (is->reason)
        json_object_set_new (record, "reason", json_string (is->reason));
    set_time (record, "done", is->done);
    set_time (record, "lost", is->lost);
    set_time (record, "saved", is->saved);
    set_time (record, "since", is->since);
    service_put (service, EFFECT_RECORD, record);
}

enum { WHY_MAX = TORI_TEXT_MAX + 96 };

/* Give kills, requeues, moves and suspensions their reason. A requeue counts as
 * a failure of the machine unless another job took the place. */
static void give_reason (const struct service *service,
                         const tori_decision *decision, char why[WHY_MAX],
                         struct ruling *is)
{
    if (decision->kind != TORI_KILL && decision->kind != TORI_REQUEUE
        && decision->kind != TORI_MOVE && decision->kind != TORI_SUSPEND)
        return;
    say_why (service, decision, why, WHY_MAX);
    if (decision->kind == TORI_MOVE || decision->kind == TORI_SUSPEND
        || (decision->kind == TORI_REQUEUE && decision->by != TORI_NO_JOB))
        is->reason = why;
    else
        is->why = why;
}

/* Whether the machine has failed under a job more often than the policy lets
 * it start again. */
static bool has_had_enough (const struct service *service,
                            const struct service_job *job,
                            const tori_decision *decision)
{
    int64_t most = service->policy.requeues;
    return decision->kind == TORI_REQUEUE && decision->by == TORI_NO_JOB
           && most > 0 && job->requeues >= most && !job->cancelled;
}

static void say_how_often (const struct service_job *job, char why[WHY_MAX])
{
    size_t n = strlen (why);
    snprintf (why + n, WHY_MAX - n, ", and it was requeued %u time%s before",
              job->requeues, job->requeues == 1 ? "" : "s");
}

/* Act on what was just recorded. If it brings about more, that is noted there:
 * it comes later, with a record of its own. */
static int act_now (struct service *service, struct service_job *job,
                    const struct decided *kind, const struct ruling *is,
                    tori_error *err)
{
    size_t at = service->nout;
    if (kind->noted && !job->cancelled)
        audit_deed (service, job, kind->name, is->why ? is->why : is->reason);
    if (kind->act (service, job, is, err) < 0)
        return -1;
    if (at == 0 || service->nomem || !releases_wait (service))
        return 0;
    return json_object_set_new (service->out[at - 1].value, "released",
                                json_integer (0))
                   < 0
               ? tori_error_nomem (err)
               : 0;
}

/* Record and carry out a decision. The times of the job are those after all
 * decisions of this run; the last record of a job holds. */
static int act_on_decision (struct service *service,
                            const tori_decision *decision,
                            const struct decided *kind, tori_error *err)
{
    struct service_job *job = job_table_find (&service->jobs, decision->tag);
    tori_job_spec spec = {.size = sizeof spec};
    tori_job_info info = {.size = sizeof info};
    char why[WHY_MAX];
    struct ruling is = {.place = decision->place,
                         .gently = decision->by != TORI_NO_JOB};
    if (!job || !can_be_decided (job, kind))
        return 0;
    tori_sched_spec (service->sched, decision->job, &spec);
    tori_sched_look (service->sched, decision->job, &info);
    is.done = spec.done;
    is.lost = spec.lost;
    is.saved = info.saved;
    give_reason (service, decision, why, &is);
    if (has_had_enough (service, job, decision)) {
        kind = &all[TORI_KILL];
        say_how_often (job, why);
        if (core_cancel (service, job, err) < 0)
            return -1;
    }
    put_record (service, job, kind, &is);
    return act_now (service, job, kind, &is, err);
}

static void on_reject (struct service *service, const char *why)
{
    free (service->refusal);
    service->refusal = strdup (why ? why : "it can never run here");
}

int service_collect (struct service *service, tori_error *err)
{
    tori_decision decision = {.size = sizeof decision};
    if (service->replaying)
        return 0;
    while (tori_sched_next (service->sched, &decision)) {
        size_t kind = (size_t)decision.kind;
        if (decision.kind == TORI_REJECT)
            on_reject (service, decision.why);
        else if (kind < KINDS && all[kind].act
                 && act_on_decision (service, &decision, &all[kind], err) < 0)
            return -1;
    }
    return 0;
}

/* ---- old ones ---- */

static const struct decided *find_kind (const char *name)
{
    for (size_t i = 0; i < KINDS; i++)
        if (all[i].name && !strcmp (name, all[i].name))
            return &all[i];
    return NULL;
}

static tori_time read_time (const json_t *record, const char *key)
{
    json_int_t time = json_integer_value (json_object_get (record, key));
    return time > 0 ? time : 0;
}

int decision_follow (struct service *service, const char *name,
                     const json_t *record, tori_error *err)
{
    const struct decided *kind = find_kind (name);
    uint64_t id
        = (uint64_t)json_integer_value (json_object_get (record, "id"));
    struct service_job *job = job_table_find (&service->jobs, id);
    tori_placement place = {0};
    struct ruling is
        = {.place = &place,
           .done = read_time (record, "done"),
           .lost = read_time (record, "lost"),
           .saved = read_time (record, "saved"),
           .since = read_time (record, "since"),
           .why = json_string_value (json_object_get (record, "why")),
           .reason = json_string_value (json_object_get (record, "reason"))};
    int status;
    if (!kind || !job || !can_be_decided (job, kind))
        return tori_error_set (err, TORI_INVALID,
                               "no job that this could be decided of");
    status = kind->placed
                 ? place_load (json_object_get (record, "place"),
                               service->machine, &place, err)
                 : 0;
    if (status == 0)
        status = kind->act (service, job, &is, err);
    if (status == 0)
        status = releases_follow (service, record, err);
    tori_placement_clear (&place);
    return status;
}

int decision_adopt (struct service *service, struct service_job *job,
                    const tori_placement *place, tori_time start,
                    tori_error *err)
{
    const struct ruling is = {.place = place, .since = start};
    tori_error why = {0};
    if (service->replaying)
        return 0; /* a record of its own follows */
    if (on_start (service, job, &is, err) < 0)
        return -1;
    if (core_put_back (service, job, &why) == 0) {
        put_record (service, job, &all[TORI_START], &is);
        return 0;
    }
    if (why.status != TORI_INVALID)
        return tori_error_set (err, why.status, "%s", why.text);
    job->state = JOB_QUEUED;
    job->attempt--;
    job->start = -1;
    tori_placement_clear (&job->place);
    service_touch (service, job);
    return core_put (service, job, err);
}

/* ---- what users decide ---- */

int decision_move (struct service *service, struct service_job *job,
                   const struct moved *how, tori_error *err)
{
    const struct ruling is = {.place = how->to,
                              .done = decision_saved (service, job),
                              .lost = how->lost,
                              .reason = how->reason,
                              .by = how->by,
                              .gently = true};
    return on_move (service, job, &is, err);
}

/* The work of a running job since it got its place; and of all its work, how
 * much its last checkpoint has. */
static tori_time count_work (const struct service *service,
                             const struct service_job *job)
{
    tori_time worked = service->now - job->since - job->lost;
    return worked > 0 ? worked : 0;
}

tori_time decision_saved (const struct service *service,
                          const struct service_job *job)
{
    tori_time every = job->ask->spec.checkpoint;
    tori_time worked = count_work (service, job);
    return job->done + (every > 0 ? worked - worked % every : 0);
}

/* The job of an input, if it runs or is suspended: otherwise NULL and a
 * reply. */
static struct service_job *find_begun (struct service *service,
                                       const json_t *input,
                                       struct reply *reply)
{
    struct service_job *job = find_own (service, input, reply);
    if (!job)
        return NULL;
    if ((job->state == JOB_RUNNING && !job->cancelled)
        || (job->state == JOB_QUEUED && job->suspended))
        return job;
    refuse (reply, 409, "not-running", "job %llu %s",
            (unsigned long long)job->id,
            job->state == JOB_ENDED     ? "has already ended"
            : job->state == JOB_RUNNING ? "is being cancelled"
                                        : "does not run");
    return NULL;
}

/* The job is held as well: the scheduler would let it continue at once. */
int do_suspend (struct service *service, const json_t *input,
                struct reply *reply, tori_error *err)
{
    struct service_job *job = find_begun (service, input, reply);
    struct ruling is = {0};
    if (!job || read_reason (service, input, &is.reason, reply))
        return 1;
    job->held = true;
    if (job_say_why (job, "suspended until it is released", err) < 0)
        return -1;
    if (job->suspended)
        return job_say_stopped (job, is.reason, err) < 0
                       || hold_review (service, job, err) < 0
                   ? -1
                   : reply_job (service, job, reply);
    is.done = job->done + count_work (service, job);
    is.saved = decision_saved (service, job);
    if (on_suspend (service, job, &is, err) < 0
        || core_put_back (service, job, err) < 0)
        return -1;
    service->unsettled = true;
    return reply_job (service, job, reply);
}

/* A suspended job is not held any more. */
int do_requeue (struct service *service, const json_t *input,
                struct reply *reply, tori_error *err)
{
    struct service_job *job = find_begun (service, input, reply);
    struct ruling is = {.gently = true, .reason = "by request"};
    if (!job || read_reason (service, input, &is.reason, reply))
        return 1;
    is.done = job->suspended ? job->saved : decision_saved (service, job);
    if (job->suspended && job_say_why (job, NULL, err) < 0)
        return -1;
    job->held &= !job->suspended;
    if (on_requeue (service, job, &is, err) < 0
        || core_put_back (service, job, err) < 0)
        return -1;
    service->unsettled = true;
    return reply_job (service, job, reply);
}

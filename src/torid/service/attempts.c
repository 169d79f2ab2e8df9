/* attempts.c - attempts to run jobs: what happens to them is turned into
 * messages, and the steps that follow (attempt_state.h) are carried out.
 *
 * The scheduler counts nodes as free as soon as it has sent a job away, but
 * its processes may take a while to end. Nothing is started there before the
 * executor reports that they are gone, nor is there another attempt of the job
 * itself. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "number.h"
#include "service_internal.h"

/* ---- nodes that attempts are leaving ---- */

/* Whether an attempt is leaving one of the nodes of a place; and, with a
 * change, count one more or less that leaves all of them. */
static bool count_leaving (struct service *service,
                           const tori_placement *place, int change)
{
    uint32_t *nodes = malloc ((place->count + 1) * sizeof *nodes);
    bool found = false;
    if (!nodes) {
        service->nomem = true;
        return true;
    }
    tori_placement_nodes (place, service->machine, nodes);
    for (uint32_t i = 0; i < place->count; i++) {
        found |= service->pending_release[nodes[i]] > 0;
        service->pending_release[nodes[i]] += (unsigned)change;
    }
    free (nodes);
    return found;
}

void attempt_close_nodes (struct service *service,
                          const struct service_job *job)
{
    if (job->left.count == 0)
        return;
    count_leaving (service, &job->left, 1);
    service->npending++;
    service->wired += job->left.wiring != TORI_WIRE_NONE;
}

static void open_nodes (struct service *service, struct service_job *job)
{
    if (job->left.count > 0) {
        count_leaving (service, &job->left, -1);
        service->npending--;
        service->wired -= job->left.wiring != TORI_WIRE_NONE;
    }
    tori_placement_clear (&job->left);
}

/* Whether a place has a node of a stranger. */
static bool meets_stranger (struct service *service,
                            const tori_placement *place)
{
    uint32_t *nodes;
    bool found = false;
    if (service_strangers (service) == 0)
        return false;
    nodes = malloc ((place->count + 1) * sizeof *nodes);
    if (!nodes) {
        service->nomem = true;
        return true;
    }
    tori_placement_nodes (place, service->machine, nodes);
    for (uint32_t i = 0; i < place->count; i++)
        found |= node_has_stranger (service, nodes[i]);
    free (nodes);
    return found;
}

/* Links are not looked at one by one: it is only for a moment. */
static bool is_clear (struct service *service, const tori_placement *place)
{
    if (service->unheard || meets_stranger (service, place))
        return false;
    if (service->npending == 0)
        return true;
    return (service->wired == 0 || place->wiring == TORI_WIRE_NONE)
           && !count_leaving (service, place, 0);
}

/* ---- one attempt ---- */

/* A message may come with these. */
struct attempt_news {
    const json_t *input; /* what the executor said of it, or NULL */
    struct leave how;    /* if an order to stop follows */
};

static const struct attempt_news no_news;

/* Let an attempt take a message: 0; 1 if it is ignored; or -1. */
static int take_message (struct service *service, struct service_job *job,
                         enum attempt_message message,
                         const struct attempt_news *news, tori_error *err);

static void send_attempt (struct service *service, struct service_job *job)
{
    if (!service->shadow && job->state == JOB_RUNNING
        && attempt_next (job->life, ON_GO).action != STEP_IGNORE
        && is_clear (service, &job->place))
        take_message (service, job, ON_GO, &no_news, NULL);
}

void attempt_due (struct service *service, const struct service_job *job)
{
    uint64_t *more = array_room (service->due, &service->due_room,
                                 service->ndue + 1, sizeof *more);
    if (!more) {
        service->nomem = true;
        return;
    }
    service->due = more;
    service->due[service->ndue++] = job->id;
}

void attempt_send_due (struct service *service)
{
    for (size_t i = 0; i < service->ndue; i++) {
        struct service_job *job =
            job_table_find (&service->jobs, service->due[i]);
        if (job)
            send_attempt (service, job);
    }
    service->ndue = 0;
}

void attempt_suspend (struct service *service, struct service_job *job)
{
    take_message (service, job, ON_SUSPEND, &no_news, NULL);
}

bool attempt_cancel (struct service *service, struct service_job *job)
{
    enum { GRACE = 30 };
    const struct attempt_news news = {.how = {SIGTERM, GRACE, false}};
    if (take_message (service, job, ON_CANCEL, &news, NULL) != 0)
        return false;
    job->cancelled = true;
    service_touch (service, job);
    return true;
}

void attempt_limit (struct service *service, const struct service_job *job)
{
    if (attempt_is (job->life, ATTEMPT_IS_OUT)
        && !attempt_is (job->life, ATTEMPT_IS_LEAVING))
        order_limit (service, job);
}

int attempt_leave (struct service *service, struct service_job *job,
                   struct leave how, tori_error *err)
{
    const struct attempt_news news = {.how = how};
    return take_message (service, job, ON_LEAVE, &news, err) < 0 ? -1 : 0;
}

static void send_all (struct service *service)
{
    for (size_t i = 0; i < service->jobs.n; i++)
        send_attempt (service, service->jobs.all[i]);
}

/* ---- what executors say ---- */

static int number_or (const json_t *value, int otherwise)
{
    return json_is_integer (value) ? (int)json_integer_value (value)
                                   : otherwise;
}

/* Whether an executor reports on the last attempt of a job. If the report has
 * the key of the job or the state that began the attempt, these have to match:
 * the executor may remember jobs of another state, or forgotten ones. */
static bool is_meant (const struct service *service,
                      const struct service_job *job, const json_t *input)
{
    const char *key = json_string_value (json_object_get (input, "key"));
    const char *state = json_string_value (json_object_get (input, "state"));
    char own[STATE_WORD];
    origin_word (service, job->epoch, own);
    return json_integer_value (json_object_get (input, "attempt"))
               == job->attempt
           && (!key || (job->key && !strcmp (key, job->key)))
           && (!state || !strcmp (state, own));
}

/* The job whose last attempt an executor speaks of; NULL if it speaks of
 * another. */
static struct service_job *find_job (struct service *service,
                                     const json_t *input)
{
    json_int_t id = json_integer_value (json_object_get (input, "job"));
    struct service_job *job = job_table_find (&service->jobs, (uint64_t)id);
    return job && is_meant (service, job, input) ? job : NULL;
}

bool attempt_is_own (struct service *service, const json_t *one)
{
    const struct service_job *job = find_job (service, one);
    return job
           && (attempt_is (job->life, ATTEMPT_IS_OUT)
               || job->state == JOB_ENDED);
}

/* When it ended, which may be long ago, if the executor was away. News that
 * take less than a second are not late: what a shadow follows is the time at
 * which the nodes are free, to the microsecond. */
static void set_end_time (struct service *service, struct service_job *job,
                          tori_time at)
{
    if (at < job->start || at > service->now - TORI_SECOND)
        return;
    job->end = at;
    usage_give_back (service, job);
}

/* ---- steps ---- */

static int order_its_start (struct service *service, struct service_job *job,
                            const struct attempt_news *news, tori_error *err)
{
    order_start (service, job);
    service_touch (service, job);
    return 0;
}

static int order_its_suspension (struct service *service,
                                 struct service_job *job,
                                 const struct attempt_news *news,
                                 tori_error *err)
{
    order_freeze (service, job, true);
    return 0;
}

static int order_its_return (struct service *service, struct service_job *job,
                             const struct attempt_news *news, tori_error *err)
{
    order_freeze (service, job, false);
    service_touch (service, job);
    return 0;
}

static int order_its_end (struct service *service, struct service_job *job,
                          const struct attempt_news *news, tori_error *err)
{
    order_stop (service, job, news->how);
    return 0;
}

static int leave_nodes (struct service *service, struct service_job *job,
                        const struct attempt_news *news, tori_error *err)
{
    order_stop (service, job, news->how);
    if (tori_placement_copy (&job->left, &job->place, err) < 0)
        return -1;
    attempt_close_nodes (service, job);
    return 0;
}

static int note_suspension (struct service *service, struct service_job *job,
                            const struct attempt_news *news, tori_error *err)
{
    service_touch (service, job);
    return 0;
}

/* It has begun; when, the executor may know better. */
static int note_start (struct service *service, struct service_job *job,
                       const struct attempt_news *news, tori_error *err)
{
    tori_time at = seconds_read (news->input, "at", job->start);
    if (at > job->start && at <= service->now)
        job->start = at;
    job->tries = 0;
    service_touch (service, job);
    return 0;
}

/* The executor has nothing of it any more. */
static void clear_attempt (struct service *service, struct service_job *job)
{
    open_nodes (service, job);
    service_touch (service, job);
}

/* The job is over, whether the scheduler has it running or suspended. */
static int finish_job (struct service *service, struct service_job *job,
                       int status, int signal, const char *why,
                       tori_error *err)
{
    clear_attempt (service, job);
    if (core_cancel (service, job, err) < 0)
        return -1;
    return service_end (service, job, status, signal,
                        job->cancelled ? "cancelled" : why, err);
}

/* It has ended at any time since a backup that was put back, but before its
 * time limit. */
static int finish_unknown (struct service *service, struct service_job *job,
                           const char *why, tori_error *err)
{
    set_end_time (service, job,
                  number_sum (job->since, job->ask->spec.estimate));
    job->unknown = !job->cancelled;
    if (!why)
        why = "its outcome is unknown: it ended after the backup that was put "
              "back";
    if (!job->cancelled)
        audit_deed (service, job, "end", why);
    return finish_job (service, job, -1, -1, why, err);
}

/* The executor has ended it for torid. */
static bool is_timeout (const char *why)
{
    return why && !strcmp (why, "time limit");
}

/* An executor that has lost an attempt says that it was killed, which is a
 * guess after a backup was put back; or that it does not know. */
static int end_job (struct service *service, struct service_job *job,
                    const struct attempt_news *news, tori_error *err)
{
    const json_t *input = news->input;
    const char *why = json_string_value (json_object_get (input, "why"));
    bool killed = json_is_integer (json_object_get (input, "signal"));
    if (json_is_true (json_object_get (input, "lost"))
        && (service->unsure || !killed))
        return finish_unknown (service, job, killed ? NULL : why, err);
    set_end_time (service, job, seconds_read (input, "at", service->now));
    if (is_timeout (why) && !job->cancelled)
        audit_deed (service, job, "kill", why);
    return finish_job (
        service, job, number_or (json_object_get (input, "status"), -1),
        number_or (json_object_get (input, "signal"), -1), why, err);
}

static int lose_job (struct service *service, struct service_job *job,
                     const struct attempt_news *news, tori_error *err)
{
    const char *why = "the executor has lost it";
    if (service->unsure)
        return finish_unknown (service, job, NULL, err);
    if (!job->cancelled)
        audit_deed (service, job, "end", why);
    return finish_job (service, job, -1, SIGKILL, why, err);
}

static bool is_on_hold (const json_t *input)
{
    return json_is_true (json_object_get (input, "hold"));
}

/* Whether the host was to blame, which says nothing of the job. */
static bool is_host_trouble (const json_t *input)
{
    return json_is_true (json_object_get (input, "host"));
}

/* It was not started, through no fault of its own: once more, but not before
 * it is released if its own queue holds it. That one knows why. */
static int requeue_job (struct service *service, struct service_job *job,
                        const struct attempt_news *news, tori_error *err)
{
    bool hold = is_on_hold (news->input);
    const json_t *why = json_object_get (news->input, "why");
    clear_attempt (service, job);
    if ((hold && job_say_why (job, json_string_value (why), err) < 0)
        || (why && job_say_requeued (job, json_string_value (why), err) < 0))
        return -1;
    if (job->state == JOB_RUNNING) {
        audit_deed (service, job, "requeue",
                    why ? json_string_value (why)
                        : "it could not begin on its nodes");
        if (job_end_run (job, service->now, err) < 0)
            return -1;
    }
    job->held |= hold;
    job->tries += !hold && !is_host_trouble (news->input);
    job->attempt += job->suspended;
    if (job->state == JOB_RUNNING) {
        job->state = JOB_QUEUED;
        job->lost = 0;
        if (core_put_back (service, job, err) < 0)
            return -1;
    }
    service_touch (service, job);
    service_tell (service, "requeued", job);
    return 0;
}

static int send_next (struct service *service, struct service_job *job,
                      const struct attempt_news *news, tori_error *err)
{
    clear_attempt (service, job);
    send_attempt (service, job);
    return 0;
}

/* A job that was cancelled after it had moved ends now. Any other may start,
 * and so may jobs that waited for the nodes. */
static int finish_leaving (struct service *service, struct service_job *job,
                           const struct attempt_news *news, tori_error *err)
{
    clear_attempt (service, job);
    if (job->cancelled && job->state == JOB_RUNNING) {
        if (core_cancel (service, job, err) < 0
            || service_end (service, job, -1, -1, "cancelled", err) < 0)
            return -1;
    } else if (job->state == JOB_RUNNING || job->suspended) {
        job->attempt++;
        service_touch (service, job);
    }
    send_all (service);
    return 0;
}

typedef int step_fn (struct service *, struct service_job *,
                     const struct attempt_news *, tori_error *);

static int take_message (struct service *service, struct service_job *job,
                         enum attempt_message message,
                         const struct attempt_news *news, tori_error *err)
{
    static step_fn *const act[ATTEMPT_ACTIONS]
        = {[STEP_START] = order_its_start,
           [STEP_SUSPEND] = order_its_suspension,
           [STEP_RESUME] = order_its_return,
           [STEP_STOP] = order_its_end,
           [STEP_LEAVE] = leave_nodes,
           [STEP_NOTE_START] = note_start,
           [STEP_NOTE_SUSPENSION] = note_suspension,
           [STEP_END_JOB] = end_job,
           [STEP_LOSE_JOB] = lose_job,
           [STEP_REQUEUE] = requeue_job,
           [STEP_SEND_NEXT] = send_next,
           [STEP_FINISH_LEAVING] = finish_leaving};
    struct attempt_step step = attempt_next (job->life, message);
    if (step.action == STEP_IGNORE)
        return 1;
    job->life = step.next;
    return act[step.action](service, job, news, err);
}

/* ---- what executors have ---- */

static bool is_worth_a_retry (const struct service_job *job,
                              const json_t *input)
{
    enum { TRIES = 10 };
    return json_is_true (json_object_get (input, "retry"))
           && (job->tries + 1 < TRIES || is_on_hold (input)
               || is_host_trouble (input))
           && !job->cancelled;
}

/* The jobs that an executor lists, in order: there may be as many as
 * jobs. */
struct listed {
    struct listed_job {
        uint64_t id;
        const json_t *report;
    } *jobs;
    size_t njobs;
    const char **keys; /* that wait in its own queue */
    size_t nkeys;
};

static int compare_jobs (const void *a, const void *b)
{
    const struct listed_job *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static int compare_keys (const void *a, const void *b)
{
    return strcmp (*(const char *const *)a, *(const char *const *)b);
}

static void clear_listed (struct listed *listed)
{
    free (listed->jobs);
    free (listed->keys);
}

static int read_listed (const json_t *input, struct listed *ret,
                        tori_error *err)
{
    const json_t *jobs = json_object_get (input, "jobs");
    const json_t *waiting = json_object_get (input, "waiting");
    size_t n = json_array_size (jobs), k = json_array_size (waiting);
    ret->jobs = calloc (n + 1, sizeof *ret->jobs);
    ret->keys = calloc (k + 1, sizeof *ret->keys);
    if (!ret->jobs || !ret->keys)
        return tori_error_nomem (err);
    for (; ret->njobs < n; ret->njobs++) {
        const json_t *report = json_array_get (jobs, ret->njobs);
        ret->jobs[ret->njobs] = (struct listed_job){
            (uint64_t)json_integer_value (json_object_get (report, "job")),
            report};
    }
    for (size_t i = 0; i < k; i++) {
        const char *key = json_string_value (json_array_get (waiting, i));
        if (key)
            ret->keys[ret->nkeys++] = key;
    }
    qsort (ret->jobs, ret->njobs, sizeof *ret->jobs, compare_jobs);
    qsort (ret->keys, ret->nkeys, sizeof *ret->keys, compare_keys);
    return 0;
}

static bool is_listed (const struct service *service,
                       const struct listed *listed,
                       const struct service_job *job)
{
    size_t low = 0, high = listed->njobs;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (listed->jobs[middle].id < job->id)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < listed->njobs && listed->jobs[low].id == job->id; low++)
        if (is_meant (service, job, listed->jobs[low].report))
            return true;
    return false;
}

static bool is_waiting (const struct listed *listed,
                        const struct service_job *job)
{
    const char *key = job->key;
    return key
           && bsearch (&key, listed->keys, listed->nkeys,
                       sizeof *listed->keys, compare_keys);
}

/* The executor's list lacks an attempt: this says which message that is. */
static enum attempt_message name_absence (struct service *service,
                                          const struct service_job *job,
                                          const struct listed *listed)
{
    bool begun = attempt_is (job->life, ATTEMPT_HAS_BEGUN);
    if (job->cancelled)
        return ON_MISSING_CANCELLED;
    if (begun && is_waiting (listed, job))
        return ON_MISSING_QUEUED;
    if (!begun && meets_stranger (service, &job->place))
        return ON_MISSING_BLOCKED;
    return ON_MISSING;
}

static int check_listed (struct service *service, struct service_job *job,
                         const struct listed *listed, tori_error *err)
{
    if (!attempt_is (job->life, ATTEMPT_IS_OUT) || job->unlisted
        || is_listed (service, listed, job))
        return 0;
    return take_message (service, job, name_absence (service, job, listed),
                         &no_news, err)
                   < 0
               ? -1
               : 0;
}

/* The state has gone back: a job that runs by what it says may have been
 * suspended since, perhaps for a stranger, and is resumed when it can be. */
static void resume_known (struct service *service)
{
    for (size_t i = 0; i < service->jobs.n; i++) {
        struct service_job *job = service->jobs.all[i];
        if (job->state == JOB_RUNNING && !job->unlisted && !job->cancelled)
            take_message (service, job, ON_RESTORED, &no_news, NULL);
    }
}

/* Jobs that were placed where a stranger turns out to be wait again. */
static int avoid_strangers (struct service *service, tori_error *err)
{
    for (size_t i = 0; i < service->jobs.n; i++) {
        struct service_job *job = service->jobs.all[i];
        if (job->state == JOB_RUNNING
            && !attempt_is (job->life, ATTEMPT_IS_OUT)
            && meets_stranger (service, &job->place)
            && take_message (service, job, ON_BLOCKED, &no_news, err) < 0)
            return -1;
    }
    send_all (service);
    return 0;
}

/* An executor that runs a job which has ended here reported its end, and has
 * forgotten that. */
static void stop_ended (struct service *service, const json_t *jobs)
{
    for (size_t i = 0; i < json_array_size (jobs); i++) {
        struct service_job *job = find_job (service, json_array_get (jobs, i));
        struct attempt_news news = {.how = {.signal = SIGKILL}};
        if (!job || job->state != JOB_ENDED)
            continue;
        news.how.over = job->status == 0;
        take_message (service, job, ON_LISTED_ENDED, &news, NULL);
    }
}

static bool was_disowned (const struct service *service, const char *key,
                          const json_t *one)
{
    const json_t *before = json_object_get (service->disowned, key);
    return before
           && json_equal (json_object_get (before, "job"),
                          json_object_get (one, "job"))
           && json_equal (json_object_get (before, "attempt"),
                          json_object_get (one, "attempt"));
}

/* The state has gone back. Jobs of the executor's own queue that have begun
 * since are the executor's to look after: it knows where they run. Those that
 * it still lists later have not heard that. */
static void disown_late (struct service *service, const json_t *jobs,
                         bool unheard)
{
    json_t *late = unheard || service->disowned ? json_object () : NULL;
    for (size_t i = 0; late && i < json_array_size (jobs); i++) {
        json_t *one = json_array_get (jobs, i);
        const char *key = json_string_value (json_object_get (one, "key"));
        if (!key || json_object_get (one, "state")
            || attempt_is_own (service, one)
            || !(unheard || was_disowned (service, key, one)))
            continue;
        order_disown (service, one);
        json_object_set (late, key, one);
    }
    json_decref (service->disowned);
    service->disowned = json_object_size (late) > 0 ? json_incref (late)
                                                    : NULL;
    json_decref (late);
}

static int on_running (struct service *service, const json_t *input,
                       tori_error *err)
{
    const json_t *jobs = json_object_get (input, "jobs");
    struct listed listed = {0};
    bool unheard = service->unheard;
    int status = read_listed (input, &listed, err);
    origin_skip (service, json_object_get (input, "highest"));
    service->unheard = false;
    if (status == 0)
        status = strangers_review (service, jobs, err);
    for (size_t i = 0; status == 0 && i < service->jobs.n; i++)
        status = check_listed (service, service->jobs.all[i], &listed, err);
    clear_listed (&listed);
    service->unsure = false;
    if (status == 0)
        stop_ended (service, jobs);
    if (status == 0 && unheard)
        resume_known (service);
    if (status == 0)
        disown_late (service, jobs, unheard);
    return status == 0 && (unheard || service_strangers (service) > 0)
               ? avoid_strangers (service, err)
               : status;
}

/* Repeat what the executor may not have heard: whether that was to leave its
 * nodes, or to have them again. */
static void repeat_order (struct service *service, struct service_job *job,
                          bool leave)
{
    enum attempt_message message =
        job->cancelled ? ON_RETURN_CANCELLED : ON_RETURN;
    struct leave how = {SIGTERM, 0,
                        !job->cancelled && job->state != JOB_ENDED};
    if (leave != (attempt_next (job->life, message).action == STEP_RESUME))
        take_message (service, job, message,
                      &(struct attempt_news){.how = how}, NULL);
}

/* An executor has come: what it does not answer for was never heard. Those
 * that have to leave their nodes come first, for others have them. */
static int on_ready (struct service *service)
{
    struct job_table *jobs = &service->jobs;
    order_list (service);
    for (size_t i = 0; i < jobs->n; i++)
        repeat_order (service, jobs->all[i], true);
    for (size_t i = 0; i < jobs->n; i++) {
        struct service_job *job = jobs->all[i];
        repeat_order (service, job, false);
        if (!job->key) /* an executor knows the limits in its own queue */
            attempt_limit (service, job);
        if (job->unlisted) {
            job->unlisted = false;
            service_touch (service, job);
        }
    }
    return 0;
}

/* Its nodes are free now, if it was a stranger. */
static int on_stranger_over (struct service *service, const json_t *input,
                             tori_error *err)
{
    int status = strangers_leave (service, input, err);
    if (status == 0)
        send_all (service);
    return status;
}

int do_executor (struct service *service, const json_t *input,
                 struct reply *reply, tori_error *err)
{
    const char *is = json_string_value (json_object_get (input, "is"));
    struct service_job *job = find_job (service, input);
    bool over = is && (!strcmp (is, "ended") || !strcmp (is, "failed"));
    struct reply other = {0};
    int status;
    *reply = (struct reply){200, json_object ()};
    if (service->shadow)
        return shadow_hear (service, input, err);
    if (do_external (service, input, &other, &status, err)) {
        if (other.body) {
            json_decref (reply->body);
            *reply = other;
        }
        return status;
    }
    if (is && !strcmp (is, "ready"))
        return on_ready (service);
    if (is && !strcmp (is, "running"))
        return on_running (service, input, err);
    if (!is || !json_is_integer (json_object_get (input, "job"))
        || !json_is_integer (json_object_get (input, "attempt")))
        return 1;
    if (over)
        order_forget (service, input);
    if (over && !(job && attempt_is (job->life, ATTEMPT_IS_OUT)))
        return on_stranger_over (service, input, err);
    if (!job || (!over && strcmp (is, "started")))
        return 1;
    return take_message (service, job,
                         !over                           ? ON_BEGAN
                         : is_worth_a_retry (job, input) ? ON_FAILED
                                                         : ON_ENDED,
                         &(struct attempt_news){.input = input}, err);
}

/* change.c - changes what an existing job asks for.
 *
 * A request may change several members. All of them are checked before the
 * first takes effect, so that all are changed or none. */
#include "number.h"
#include "service_internal.h"
#include "member.h"

static const uint64_t request_members
    = JOB_BIT (shape) | JOB_BIT (count) | JOB_BIT (wiring);

/* Members without which the scheduler has to be given the job anew. */
static const uint64_t placed_members
    = JOB_BIT (shape) | JOB_BIT (count) | JOB_BIT (wiring) | JOB_BIT (queue)
      | JOB_BIT (begin);

struct change {
    struct service *service;
    struct service_job *job;
    const json_t *input;
    uint64_t given;       /* JOB_BIT of each member that changes */
    struct job_ask *then; /* what the job will ask for */
    struct after_list *after; /* the jobs that it will wait for, or NULL */
};

/* ---- what it asks for then ---- */

static bool is_same (const json_t *a, const json_t *b)
{
    return a == b || json_equal (a, b);
}

/* Whether the shape, the count and the wiring stay: executors that were started
 * again send all that they know. */
static bool is_same_request (const json_t *members, const json_t *input)
{
    for (size_t i = 0; i < JOB_MEMBERS; i++)
        if ((request_members >> i & 1)
            && !is_same (json_object_get (members, job_members[i].name),
                         json_object_get (input, job_members[i].name)))
            return false;
    return true;
}

/* The members that a change replaces: a new wiring keeps the shape; a new
 * shape or count replaces the whole request for nodes, with the alternatives
 * and the patience; and a new queue has a tier and a preemption rule of its
 * own. */
static uint64_t find_replaced (const json_t *members, const json_t *input)
{
    uint64_t given = job_changes (input), gone = given;
    if (given & (JOB_BIT (shape) | JOB_BIT (count))
        && !is_same_request (members, input))
        gone |= request_members | JOB_BIT (alternatives) | JOB_BIT (patience);
    if (given & JOB_BIT (queue))
        gone |= JOB_BIT (tier) | JOB_BIT (preempted);
    return gone;
}

/* NULL without memory. An empty list of jobs to wait for is none. */
static json_t *merge_members (const json_t *members, const json_t *input,
                              bool queue_gave_nodes)
{
    json_t *copy = json_copy ((json_t *)(uintptr_t)members);
    uint64_t given = job_changes (input);
    uint64_t gone = find_replaced (members, input);
    if (given & JOB_BIT (queue) && queue_gave_nodes)
        gone |= JOB_BIT (only);
    for (size_t i = 0; i < JOB_MEMBERS; i++) {
        const char *name = job_members[i].name;
        json_t *value = json_object_get (input, name);
        bool empty = json_is_array (value) && json_array_size (value) == 0;
        if (gone >> i & 1)
            json_object_del (copy, name);
        if ((given >> i & 1) && !empty
            && json_object_set (copy, name, value) < 0) {
            json_decref (copy);
            return NULL;
        }
    }
    return copy;
}

/* Find what the job will ask for: 0; 1 and a reply; or -1. */
static int merge_ask (struct change *it, struct reply *reply, tori_error *err)
{
    const struct job_reading how = {.machine = it->service->machine,
                                    .now = it->service->now,
                                    .plain = it->service->replaying,
                                    .lenient = it->job->state == JOB_ENDED};
    struct member_of of
        = {.object = merge_members (it->job->ask->members, it->input,
                                    queue_gave_nodes (it->service, it->job))};
    tori_error why = {0};
    int status = 0;
    if (!of.object)
        return tori_error_nomem (err);
    if (job_ask_read (&of, &how, &it->then, &why) < 0
        || (!how.lenient && job_ask_whole (&of, it->then, &why) < 0))
        status = refuse_error (&why, reply, err);
    json_decref ((json_t *)(uintptr_t)of.object);
    return status;
}

/* ---- whether it may ---- */

static int refuse_running (const struct service_job *job, struct reply *reply)
{
    return refuse (reply, 409, "not-queued", "job %llu does not wait",
                   (unsigned long long)job->id);
}

static int refuse_ended (const struct service_job *job, struct reply *reply)
{
    return refuse (reply, 409, "ended", "job %llu has already ended",
                   (unsigned long long)job->id);
}

static int check_unended (struct change *it, struct reply *reply,
                          tori_error *err)
{
    return it->job->state == JOB_ENDED ? refuse_ended (it->job, reply) : 0;
}

static int check_waiting (struct change *it, struct reply *reply,
                          tori_error *err)
{
    return it->job->state != JOB_QUEUED ? refuse_running (it->job, reply) : 0;
}

/* A suspended job keeps what it has. */
static int check_unstarted (struct change *it, struct reply *reply,
                            tori_error *err)
{
    return it->job->state != JOB_QUEUED || it->job->suspended
               ? refuse_running (it->job, reply)
               : 0;
}

/* A new queue has checked everything already. */
static int check_parts (struct change *it, int parts, struct reply *reply)
{
    if (it->given & JOB_BIT (queue))
        return 0;
    return change_check (it->service, it->job, it->input, &it->then->spec,
                         parts, reply);
}

static int check_priority (struct change *it, struct reply *reply,
                           tori_error *err)
{
    return it->job->state != JOB_QUEUED
               ? refuse_running (it->job, reply)
               : check_parts (it, ASK_PRIORITY, reply);
}

static int check_name (struct change *it, struct reply *reply, tori_error *err)
{
    const struct member_of of = {.list = NULL};
    tori_error bad = {0};
    if (!it->service->replaying && !external_key (it->input)
        && strict_name (&of, it->then->name, &bad) < 0)
        return refuse (reply, 400, "bad-request", "%s", bad.text);
    return 0;
}

static int check_estimate (struct change *it, struct reply *reply,
                           tori_error *err)
{
    const struct member_of of = {.list = NULL};
    tori_error bad = {0};
    if (strict_estimate (&of, it->then->spec.estimate, &bad) < 0)
        return refuse (reply, 400, "bad-request", "%s", bad.text);
    return it->job->state == JOB_ENDED ? refuse_ended (it->job, reply)
                                       : check_parts (it, ASK_TIME, reply);
}

/* No job waits for one that was submitted after it: so no two wait for each
 * other. The jobs of an array share the list of those that they wait for. */
static int check_after (struct change *it, struct reply *reply,
                        tori_error *err)
{
    const json_t *words = it->then->after;
    int64_t n = json_is_array (words) ? (int64_t)json_array_size (words)
                                      : words != NULL;
    int status;
    if (check_unstarted (it, reply, err)
        || limits_request (it->service, it->input, 1, n, reply))
        return 1;
    if (n > 0 && it->job->array)
        return refuse (reply, 409, "array",
                       "after: jobs of an array can be changed to wait for "
                       "none, and not for others");
    status = after_read (it->service, words, &it->after, reply, err);
    if (status == 0 && it->after
        && it->after->all[it->after->n - 1].id >= it->job->id)
        return refuse (reply, 422, "never",
                       "after: job %llu was submitted before job %llu, and "
                       "cannot wait for it",
                       (unsigned long long)it->job->id,
                       (unsigned long long)it->after->all[it->after->n - 1].id);
    return status;
}

static int check_queue (struct change *it, struct reply *reply,
                        tori_error *err)
{
    if (check_unstarted (it, reply, err)
        || limits_queue (it->service, it->input, it->then->queue, reply))
        return 1;
    return queue_enter (it->service, it->input, it->then, reply, err);
}

/* Check whether a job like this can ever run: submit one at the end of the
 * queue, and cancel it at once. */
static int try_out (struct change *it, struct reply *reply, tori_error *err)
{
    tori_job_spec spec = it->then->spec;
    tori_job number = TORI_NO_JOB;
    int status;
    spec.turn = UINT64_MAX;
    status = submission_enter (it->service, &spec, &number, reply, err);
    if (status != 0 || number == TORI_NO_JOB)
        return status;
    return tori_sched_cancel (it->service->sched, it->service->now, number,
                              err);
}

static int check_request (struct change *it, struct reply *reply,
                          tori_error *err)
{
    return check_unstarted (it, reply, err)
                   || check_parts (it, ASK_SIZE, reply)
               ? 1
               : try_out (it, reply, err);
}

static int check_all (struct change *it, struct reply *reply, tori_error *err)
{
    static const struct {
        uint64_t members;
        int (*check) (struct change *, struct reply *, tori_error *);
    } all[] = {{JOB_BIT (name), check_name},
               {JOB_BIT (queue), check_queue},
               {JOB_BIT (priority), check_priority},
               {JOB_BIT (time_limit), check_estimate},
               {JOB_BIT (hold), check_waiting},
               {JOB_BIT (begin), check_unstarted},
               {JOB_BIT (after), check_after},
               {JOB_BIT (shape) | JOB_BIT (count) | JOB_BIT (wiring),
                check_request}};
    int status = 0;
    for (size_t i = 0; status == 0 && i < sizeof all / sizeof all[0]; i++)
        if (it->given & all[i].members)
            status = all[i].check (it, reply, err);
    if (status == 0)
        status = check_unended (it, reply, err);
    return status == 0 ? limits_change (it->service, it->input, it->job,
                                        it->then, reply)
                       : status;
}

/* ---- the change ---- */

static int wait_for_others (struct change *it, tori_error *err)
{
    struct service_job *job = it->job;
    dependents_remove (it->service, job);
    if (it->after) {
        job->after = it->after;
        job->after->refs++;
        job->nafter = it->after->n;
    }
    return dependents_add (it->service, job, err);
}

/* Only an executor says why. */
static int note_hold (struct service_job *job, const json_t *input,
                      tori_error *err)
{
    const json_t *why = job->held && external_key (input)
                            ? json_object_get (input, "why")
                            : NULL;
    return job_say_why (job, json_string_value (why), err);
}

static int change_hold (struct change *it, tori_error *err)
{
    it->job->held = it->then->hold;
    return hold_review (it->service, it->job, err) < 0
               ? -1
               : note_hold (it->job, it->input, err);
}

static int change_estimate (struct change *it, tori_error *err)
{
    if (!external_key (it->input))
        attempt_limit (it->service, it->job);
    return core_set_estimate (it->service, it->job, it->then->spec.estimate,
                              err);
}

static void set_ask (struct change *it)
{
    struct service_job *job = it->job;
    if (it->given & JOB_BIT (queue)) {
        usage_uncount (it->service, job);
        job->limit = LIMIT_NONE; /* it was one of the old queue */
    }
    job_ask_forget_nodes (it->then);
    job_ask_drop (job->ask);
    job->ask = job_ask_keep (it->then);
    stored_change (it->service, job);
}

static int make_change (struct change *it, tori_error *err)
{
    struct service *service = it->service;
    struct service_job *job = it->job;
    set_ask (it);
    if ((it->given & JOB_BIT (after)) && wait_for_others (it, err) < 0)
        return -1;
    if (it->given & placed_members) {
        limit_queue_leave (service, job);
        if (core_put_back (service, job, err) < 0)
            return -1;
    }
    if (((it->given & JOB_BIT (time_limit)) && change_estimate (it, err) < 0)
        || ((it->given & JOB_BIT (hold)) && change_hold (it, err) < 0)
        || ((it->given & JOB_BIT (after)) && hold_review (service, job, err) < 0))
        return -1;
    service_touch (service, job);
    return usage_review (service, job, err);
}

/* ---- the order ---- */

/* The priority that puts a job ahead of another: among equals, the one that
 * was submitted first goes first. Another penalty or queue may change the
 * order again. */
static int64_t find_priority_before (const struct service *service,
                                     const struct service_job *job,
                                     const struct service_job *other)
{
    int64_t own = job->ask->spec.priority;
    int64_t ahead = number_sum (usage_effective (service, other),
                                job->id > other->id);
    int64_t missing = number_sum (ahead, -usage_effective (service, job));
    return missing > 0 ? number_sum (own, missing) : own;
}

/* Replace `before`, in a copy of the input, by the priority that it means: 0;
 * 1 and a reply; or -1. */
static int read_before (struct service *service, json_t **input,
                        struct reply *reply, tori_error *err)
{
    const json_t *before = json_object_get (*input, "before");
    json_int_t id = json_integer_value (before);
    const struct service_job *job, *other;
    json_t *copy;
    if (!before)
        return 0;
    if (job_changes (*input) & (JOB_BIT (priority) | JOB_BIT (queue)))
        return refuse (reply, 400, "bad-request",
                       "before: cannot be given with priority or queue");
    if (!json_is_integer (before))
        return refuse (reply, 400, "bad-request",
                       "before: expected the number of a job");
    job = find_own (service, *input, reply);
    if (!job)
        return 1;
    other = job_table_find (&service->jobs, (uint64_t)id);
    if (!other || other == job)
        return refuse (reply, 422, "no-such-job",
                       "before: there is no other job %lld", (long long)id);
    if (other->state != JOB_QUEUED)
        return refuse_running (other, reply);
    copy = json_copy (*input);
    if (json_object_set_new (
            copy, JOB_KEY (priority),
            json_integer (find_priority_before (service, job, other)))
        < 0) {
        json_decref (copy);
        return tori_error_nomem (err);
    }
    json_decref (*input);
    *input = copy;
    return 0;
}

static int change_job (struct service *service, const json_t *input,
                       struct reply *reply, tori_error *err)
{
    struct change it = {service, find_own (service, input, reply), input,
                        job_changes (input), NULL, NULL};
    int status;
    if (!it.job)
        return 1;
    if (!it.given)
        return refuse (reply, 400, "bad-request",
                       "expected what to change: name, shape or count, "
                       "wiring, queue, time_limit, begin, priority, before, "
                       "after or hold");
    status = merge_ask (&it, reply, err);
    if (status == 0)
        status = check_all (&it, reply, err);
    if (status == 0)
        status = make_change (&it, err);
    job_ask_drop (it.then);
    after_drop (it.after);
    if (status != 0)
        return status;
    service_tell (service, "changed", it.job);
    return reply_job (service, it.job, reply);
}

int do_change (struct service *service, const json_t *input,
               struct reply *reply, tori_error *err)
{
    const struct member_of of = {.object = input};
    tori_error why = {0};
    json_t *own = job_rename (&of, &why);
    int status = own ? read_before (service, &own, reply, err)
                     : refuse_error (&why, reply, err);
    if (status == 0)
        status = change_job (service, own, reply, err);
    json_decref (own);
    return status;
}

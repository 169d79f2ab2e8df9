/* holds.c - holds that end by themselves.
 *
 * The service applies the same rules to real jobs: dependents.c for
 * dependencies and arrays, limit_queue.c for limits. A job that waits for
 * something else is not counted for a limit. The others are taken in the order
 * of their priorities, as long as all of them could run beside the running
 * jobs within the limits. A job that would exceed a limit waits, and so do all
 * later jobs that count for the same limit. The jobs of a queue wait while it
 * is not open. */
#include "holds.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"

/* The share of all jobs of one user, of one queue, or of one user in one
 * queue. */
struct limit_share {
    const char *name; /* or NULL */
    tori_snapshot_limits most;
    const tori_snapshot_queue *hours; /* the queue that has any, or NULL */
    bool open;                        /* ... is open ... */
    tori_time changes;                /* ... until then, or closed */
    int64_t more;            /* priority that jobs get when they are not held */
    uint64_t running, nodes; /* of running jobs, and of those taken */
    bool closed;             /* no further job is taken */
    bool known;              /* a job ended: */
    uint64_t last;           /* its tag */
};

struct held_job {
    uint64_t tag;
    tori_job job;
    const tori_snapshot_job *rule; /* or NULL */
    bool gone;
    bool kept;         /* its hold has no rule, and stays */
    bool touched;      /* its hold may change */
    size_t open;       /* jobs that it waits for */
    bool array_waits;
    bool limited;      /* it waits for a limit, or ... */
    bool shut_out;     /* ... for its queue to open */
    uint64_t nodes;    /* that it may get at most */
    int64_t priority;  /* when it is not held */
    tori_time earliest;
    struct limit_share *user, *queue, *pair;
    tori_condition condition;
};

/* A job that waits for another. */
struct waiter {
    uint64_t awaited;
    size_t job;
    tori_after_kind kind;
};

struct leaving {
    size_t job;
    bool killed;
};

struct holds {
    tori_sched *sched;
    struct held_job *jobs; /* by tag */
    size_t n;
    size_t *order; /* those that are not gone, by priority */
    size_t norder;
    size_t *touched; /* those whose hold may change */
    size_t ntouched;
    struct waiter *waiters; /* by the tag of the awaited job */
    size_t nwaiters;
    struct limit_share *users, *queues, *pairs;
    size_t nusers, nqueues, npairs;
    struct leaving *leaving; /* scratch, with room for all */
    size_t nleaving;
    bool limits;      /* there are any */
    bool stirred;     /* the limits have to be looked at again */
    tori_time review; /* ... at this time at the latest */
    tori_time opens;  /* when a queue in which jobs wait opens or closes */
};

/* ---- words ---- */

static const char *const kinds[] = {[TORI_AFTER_OK] = "ok",
                                    [TORI_AFTER_FAILED] = "failed",
                                    [TORI_AFTER_ANY] = "any"};

const char *tori_after_name (tori_after_kind kind)
{
    return (unsigned)kind < sizeof kinds / sizeof *kinds ? kinds[kind] : NULL;
}

bool after_parse (const char *text, tori_after *ret_after)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t n = strlen (kinds[i]);
        const char *at = text + n + 1;
        if (strncmp (text, kinds[i], n) || text[n] != ':')
            continue;
        ret_after->kind = (tori_after_kind)i;
        return number_scan (&at, INT64_MAX, &ret_after->tag) && !*at;
    }
    return false;
}

void tori_condition_text (const tori_condition *condition, char *text,
                          size_t size)
{
    static const char *const ends[] = {[TORI_AFTER_OK] = "ends well",
                                       [TORI_AFTER_FAILED] = "fails",
                                       [TORI_AFTER_ANY] = "ends"};
    if (size > 0)
        *text = '\0';
    if (condition->hold && condition->known)
        snprintf (text, size, "job %" PRIu64 " %s at its time limit",
                  condition->job.tag, ends[condition->job.kind]);
    else if (condition->hold)
        snprintf (text, size, "other jobs end at their time limits");
}

/* ---- jobs ---- */

static int compare_tags (const void *a, const void *b)
{
    const struct held_job *x = a, *y = b;
    return (x->tag > y->tag) - (x->tag < y->tag);
}

static struct held_job *find_held (const struct holds *holds, uint64_t tag)
{
    struct held_job key = {.tag = tag};
    return holds->n == 0 ? NULL
                         : bsearch (&key, holds->jobs, holds->n, sizeof key,
                                    compare_tags);
}

/* Jobs of the snapshot, none of which the scheduler need have. */
static void list_rules (struct holds *holds, const tori_snapshot_job *jobs,
                        size_t n)
{
    for (size_t i = 0; i < n; i++)
        holds->jobs[holds->n++]
            = (struct held_job){.tag = jobs[i].spec.tag,
                                .job = TORI_NO_JOB,
                                .rule = &jobs[i],
                                .array_waits = jobs[i].array_waits,
                                .gone = true};
}

static uint64_t most_nodes (const tori_job_spec *spec)
{
    uint64_t most = tori_request_nodes (&spec->request);
    for (size_t i = 0; i < spec->nalternatives; i++)
        if (tori_request_nodes (&spec->alternatives[i]) > most)
            most = tori_request_nodes (&spec->alternatives[i]);
    return most;
}

static bool is_limited (const struct limit_share *share)
{
    return share && (share->most.running > 0 || share->most.nodes > 0);
}

static bool counts_for_limit (const struct held_job *it)
{
    return is_limited (it->user) || is_limited (it->queue)
           || is_limited (it->pair) || (it->queue && it->queue->hours);
}

/* Whether no rule is known by which a hold ends. */
static bool stays_held (const struct held_job *it, tori_hold hold)
{
    switch (hold) {
    case TORI_HOLD_NONE:
        return false;
    case TORI_HOLD_DEPENDENCY:
        return !it->rule || it->rule->nafter == 0;
    case TORI_HOLD_ARRAY:
        return !it->rule || !it->rule->array_waits;
    case TORI_HOLD_SHARE:
        return !counts_for_limit (it);
    default:
        return true;
    }
}

static int64_t penalty_of (const struct held_job *it)
{
    return it->user ? it->user->more : 0;
}

/* A job that the scheduler has. */
static void meet_job (struct holds *holds, tori_job job)
{
    tori_job_spec spec = {.size = sizeof spec};
    struct held_job *it;
    tori_sched_spec (holds->sched, job, &spec);
    it = find_held (holds, spec.tag);
    if (!it)
        return;
    it->job = job;
    it->gone = false;
    it->kept = stays_held (it, spec.hold);
    it->nodes = most_nodes (&spec);
    it->priority = spec.hold ? number_sum (spec.priority, penalty_of (it))
                             : spec.priority;
    it->earliest = spec.earliest;
    if (spec.hold == TORI_HOLD_SHARE)
        it->limited = true;
}

/* ---- shares ---- */

static struct limit_share *find_share (struct limit_share *all, size_t n,
                                       const char *name)
{
    for (size_t i = 0; i < n && name; i++)
        if (strcmp (all[i].name, name) == 0)
            return &all[i];
    return NULL;
}

/* Give each job its user's share. */
static void share_users (struct holds *holds, const tori_snapshot *rules)
{
    for (size_t i = 0; i < holds->n; i++) {
        const tori_snapshot_job *rule = holds->jobs[i].rule;
        const char *name = rule ? rule->user : NULL;
        struct limit_share *share
            = find_share (holds->users, holds->nusers, name);
        if (name && !share) {
            share = &holds->users[holds->nusers++];
            *share = (struct limit_share){.name = name,
                                          .most = rules->user_limits};
            for (size_t k = 0; k < rules->nusers; k++)
                if (strcmp (rules->users[k].name, name) == 0)
                    share->more = -rules->users[k].penalty;
        }
        holds->jobs[i].user = share;
    }
}

static void share_queues (struct holds *holds, const tori_snapshot *rules)
{
    for (size_t i = 0; i < rules->nqueues; i++) {
        const tori_snapshot_queue *queue = &rules->queues[i];
        holds->queues[holds->nqueues++]
            = (struct limit_share){.name = queue->name,
                                   .most = queue->limits,
                                   .hours = queue->open ? queue : NULL};
    }
    for (size_t i = 0; i < holds->n; i++) {
        struct held_job *it = &holds->jobs[i];
        it->queue = it->rule ? find_share (holds->queues, holds->nqueues,
                                           it->rule->queue)
                             : NULL;
    }
}

/* Two shares of the same kind: one pointer stands for each. */
struct share_pair {
    const struct limit_share *user, *queue;
    size_t job;
};

static int compare_pairs (const void *a, const void *b)
{
    const struct share_pair *x = a, *y = b;
    if (x->queue != y->queue)
        return x->queue > y->queue ? 1 : -1;
    if (x->user != y->user)
        return x->user > y->user ? 1 : -1;
    return (x->job > y->job) - (x->job < y->job);
}

/* Give each job the share of its user in its queue. */
static int share_pairs (struct holds *holds, const tori_snapshot *rules,
                        tori_error *err)
{
    struct share_pair *pairs = calloc (holds->n + 1, sizeof *pairs);
    size_t n = 0;
    if (!pairs)
        return tori_error_nomem (err);
    for (size_t i = 0; i < holds->n; i++)
        if (holds->jobs[i].user && holds->jobs[i].queue)
            pairs[n++] = (struct share_pair){holds->jobs[i].user,
                                             holds->jobs[i].queue, i};
    qsort (pairs, n, sizeof *pairs, compare_pairs);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || pairs[i].user != pairs[i - 1].user
            || pairs[i].queue != pairs[i - 1].queue)
            holds->pairs[holds->npairs++] = (struct limit_share){
                .most = rules->queues[pairs[i].queue - holds->queues].each};
        holds->jobs[pairs[i].job].pair = &holds->pairs[holds->npairs - 1];
    }
    free (pairs);
    for (size_t i = 0; i < holds->n; i++)
        holds->limits |= counts_for_limit (&holds->jobs[i]);
    return 0;
}

/* ---- waiters ---- */

static int compare_waiters (const void *a, const void *b)
{
    const struct waiter *x = a, *y = b;
    if (x->awaited != y->awaited)
        return x->awaited > y->awaited ? 1 : -1;
    return (x->job > y->job) - (x->job < y->job);
}

/* Jobs that the snapshot does not have ended before. */
static void list_waiters (struct holds *holds)
{
    for (size_t i = 0; i < holds->n; i++) {
        struct held_job *it = &holds->jobs[i];
        for (size_t k = 0; it->rule && !it->gone && k < it->rule->nafter;
             k++) {
            const tori_after *after = &it->rule->after[k];
            if (!find_held (holds, after->tag))
                continue;
            it->open++;
            holds->waiters[holds->nwaiters++]
                = (struct waiter){after->tag, i, after->kind};
        }
    }
    qsort (holds->waiters, holds->nwaiters, sizeof *holds->waiters,
           compare_waiters);
}

static size_t first_waiter (const struct holds *holds, uint64_t tag)
{
    size_t low = 0, high = holds->nwaiters;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (holds->waiters[middle].awaited < tag)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- ends ---- */

static void leave_later (struct holds *holds, struct held_job *it,
                         bool killed)
{
    it->gone = true;
    holds->leaving[holds->nleaving++]
        = (struct leaving){(size_t)(it - holds->jobs), killed};
}

static void touch_job (struct holds *holds, struct held_job *it)
{
    if (it->touched)
        return;
    it->touched = true;
    holds->touched[holds->ntouched++] = (size_t)(it - holds->jobs);
}

static void release_from (struct holds *holds, struct held_job *it,
                          tori_hold hold, const tori_after *after)
{
    it->condition = (tori_condition){hold, true, *after};
    touch_job (holds, it);
}

/* A job that waited for one that was killed to end well is cancelled. */
static int settle_waiter (struct holds *holds, const struct waiter *waiter,
                          bool killed, tori_error *err)
{
    struct held_job *it = &holds->jobs[waiter->job];
    if (it->gone)
        return 0;
    it->open--;
    if (killed && waiter->kind == TORI_AFTER_OK) {
        leave_later (holds, it, true);
        return tori_sched_cancel (holds->sched, tori_sched_now (holds->sched),
                                  it->job, err);
    }
    if (it->open == 0)
        release_from (holds, it, TORI_HOLD_DEPENDENCY,
                      &(tori_after){waiter->awaited, waiter->kind});
    return 0;
}

/* The next of an array may go, in the order of the tags. */
static void advance_array (struct holds *holds, const struct held_job *ended)
{
    const struct held_job *end = holds->jobs + holds->n;
    uint64_t array = ended->rule ? ended->rule->array : 0;
    if (array == 0 || ended->rule->array_limit == 0 || ended->array_waits)
        return;
    for (struct held_job *it = find_held (holds, ended->tag);
         it < end && it->rule && it->rule->array == array; it++)
        if (it->array_waits && !it->gone) {
            it->array_waits = false;
            release_from (holds, it, TORI_HOLD_ARRAY,
                          &(tori_after){ended->tag, TORI_AFTER_ANY});
            return;
        }
}

static void note_end (struct limit_share *share, uint64_t tag)
{
    if (!share)
        return;
    share->known = true;
    share->last = tag;
}

static int release_waiters (struct holds *holds, tori_error *err)
{
    while (holds->nleaving > 0) {
        struct leaving leaving = holds->leaving[--holds->nleaving];
        const struct held_job *ended = &holds->jobs[leaving.job];
        advance_array (holds, ended);
        note_end (ended->user, ended->tag);
        note_end (ended->queue, ended->tag);
        note_end (ended->pair, ended->tag);
        for (size_t i = first_waiter (holds, ended->tag);
             i < holds->nwaiters && holds->waiters[i].awaited == ended->tag;
             i++)
            if (settle_waiter (holds, &holds->waiters[i], leaving.killed, err)
                < 0)
                return -1;
    }
    holds->stirred = true;
    return 0;
}

int holds_end (struct holds *holds, uint64_t tag, bool killed,
               tori_error *err)
{
    struct held_job *it = holds ? find_held (holds, tag) : NULL;
    if (!it || it->gone)
        return 0;
    leave_later (holds, it, killed);
    return release_waiters (holds, err);
}

void holds_stir (struct holds *holds)
{
    if (holds)
        holds->stirred = true;
}

/* ---- limits ---- */

static void count_share (struct limit_share *share, uint64_t nodes)
{
    if (!share)
        return;
    share->running++;
    share->nodes += nodes;
}

static void open_shares (struct limit_share *all, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        all[i].running = all[i].nodes = 0;
        all[i].closed = false;
    }
}

/* The time to look up in the hours of a queue, and how much later the time
 * itself is: after the last of them, the week before its end repeats. */
static tori_time fold_week (const tori_snapshot_queue *queue, tori_time now,
                            tori_time *ret_later)
{
    const tori_time week = 7 * 24 * 3600 * TORI_SECOND;
    tori_time end = queue->open[queue->nopen - 1].until;
    *ret_later = now < end ? 0 : ((now - end) / week + 1) * week;
    return now - *ret_later;
}

/* Whether a queue is open, and until when that holds. */
static bool is_open (const tori_snapshot_queue *queue, tori_time now,
                     tori_time *ret_changes)
{
    tori_time later, at;
    *ret_changes = TORI_TIME_MAX;
    if (queue->nopen == 0)
        return false;
    at = fold_week (queue, now, &later);
    for (size_t i = 0; i < queue->nopen; i++) {
        const tori_snapshot_span *span = &queue->open[i];
        if (at >= span->until)
            continue;
        *ret_changes = later + (at < span->from ? span->from : span->until);
        return at >= span->from;
    }
    return false;
}

/* Close the queues that are not open now. */
static void look_at_clock (struct holds *holds, tori_time now)
{
    for (size_t i = 0; i < holds->nqueues; i++) {
        struct limit_share *queue = &holds->queues[i];
        if (queue->hours && now >= queue->changes)
            queue->open = is_open (queue->hours, now, &queue->changes);
        queue->closed = queue->hours && !queue->open;
    }
}

/* Count the running jobs, and forget those that are gone. A suspended job
 * counts as running. */
static void count_running (struct holds *holds)
{
    size_t kept = 0;
    open_shares (holds->users, holds->nusers);
    open_shares (holds->queues, holds->nqueues);
    open_shares (holds->pairs, holds->npairs);
    for (size_t i = 0; i < holds->norder; i++) {
        const struct held_job *it = &holds->jobs[holds->order[i]];
        tori_job_info info = {.size = sizeof info};
        const tori_placement *place;
        if (it->gone || !tori_sched_look (holds->sched, it->job, &info))
            continue;
        holds->order[kept++] = holds->order[i];
        place = info.place ? info.place : info.suspended;
        if (!place)
            continue;
        count_share (it->user, place->count);
        count_share (it->queue, place->count);
        count_share (it->pair, place->count);
    }
    holds->norder = kept;
}

/* Whether one more job would exceed a limit. A job that alone has too many
 * nodes does not block later jobs. */
static bool exceeds_limit (struct limit_share *share, uint64_t nodes)
{
    const tori_snapshot_limits *most;
    if (!share || share->closed)
        return share != NULL;
    most = &share->most;
    if (most->running > 0 && share->running >= most->running)
        return share->closed = true;
    if (most->nodes == 0 || share->nodes + nodes <= most->nodes)
        return false;
    share->closed = nodes <= most->nodes;
    return true;
}

/* Whether a job has to wait for a limit. While it waits for one of its queue,
 * its share of the user's limit is kept for it. */
static bool admit_to_limits (struct held_job *it)
{
    if (exceeds_limit (it->pair, it->nodes)
        || exceeds_limit (it->user, it->nodes))
        return false;
    count_share (it->pair, it->nodes);
    count_share (it->user, it->nodes);
    if (exceeds_limit (it->queue, it->nodes))
        return false;
    count_share (it->queue, it->nodes);
    return true;
}

static bool is_closed (const struct limit_share *share)
{
    return share && share->closed;
}

static bool waits_for_limit (struct holds *holds, struct held_job *it,
                             tori_time now)
{
    if (!counts_for_limit (it))
        return false;
    if (it->queue && it->queue->hours && it->queue->changes < holds->opens)
        holds->opens = it->queue->changes;
    if (it->earliest > now) {
        if (it->earliest < holds->review)
            holds->review = it->earliest;
        return false;
    }
    if (is_closed (it->user) || is_closed (it->queue) || is_closed (it->pair))
        return true;
    return !admit_to_limits (it);
}

/* A limit of the job whose share another job has left; or NULL. */
static const struct limit_share *known_share (const struct held_job *it)
{
    const struct limit_share *all[] = {it->pair, it->queue, it->user};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (is_limited (all[i]) && all[i]->known)
            return all[i];
    return NULL;
}

/* A queue that opens is no condition: the time alone decides. */
static void note_limit (struct holds *holds, struct held_job *it, bool waits)
{
    const struct limit_share *share = known_share (it);
    bool released = it->limited && !waits;
    if (released && it->shut_out)
        it->condition = (tori_condition){0};
    else if (released)
        it->condition = (tori_condition){
            TORI_HOLD_SHARE, share, {share ? share->last : 0, TORI_AFTER_ANY}};
    if (it->limited != waits)
        touch_job (holds, it);
    it->limited = waits;
    it->shut_out = waits && it->queue && it->queue->hours && !it->queue->open;
}

static bool may_be_released (const struct held_job *it)
{
    return !it->gone && !it->kept && it->open == 0 && !it->array_waits;
}

static void review_limits (struct holds *holds, tori_time now)
{
    count_running (holds);
    look_at_clock (holds, now);
    holds->review = holds->opens = TORI_TIME_MAX;
    for (size_t i = 0; i < holds->norder; i++) {
        struct held_job *it = &holds->jobs[holds->order[i]];
        tori_job_info info = {.size = sizeof info};
        if (may_be_released (it)
            && tori_sched_look (holds->sched, it->job, &info)
            && info.phase == TORI_JOB_QUEUED && !info.suspended)
            note_limit (holds, it, waits_for_limit (holds, it, now));
    }
}

/* ---- in the scheduler ---- */

static tori_hold hold_of (const struct held_job *it)
{
    if (it->open > 0)
        return TORI_HOLD_DEPENDENCY;
    if (it->array_waits)
        return TORI_HOLD_ARRAY;
    return it->limited ? TORI_HOLD_SHARE : TORI_HOLD_NONE;
}

/* Fair share counts for jobs that are not held. */
static int set_hold (struct holds *holds, const struct held_job *it,
                     tori_time now, tori_error *err)
{
    tori_hold hold = hold_of (it);
    int64_t penalty = penalty_of (it);
    int64_t priority
        = hold ? number_sum (it->priority, -penalty) : it->priority;
    if (penalty != 0
        && tori_sched_set_priority (holds->sched, now, it->job, priority, err)
               < 0)
        return -1;
    return tori_sched_set_hold (holds->sched, now, it->job, hold, err) < 0
               ? -1
               : 1;
}

static int settle_job (struct holds *holds, const struct held_job *it,
                       tori_time now, tori_error *err)
{
    tori_job_info info = {.size = sizeof info};
    tori_job_spec spec = {.size = sizeof spec};
    if (it->gone || it->kept
        || !tori_sched_look (holds->sched, it->job, &info)
        || info.phase != TORI_JOB_QUEUED || info.suspended
        || !tori_sched_spec (holds->sched, it->job, &spec)
        || spec.hold == hold_of (it))
        return 0;
    return set_hold (holds, it, now, err);
}

int holds_settle (struct holds *holds, tori_time now, tori_error *err)
{
    int changed = 0;
    if (!holds
        || (!holds->stirred && now < holds->review && now < holds->opens))
        return 0;
    holds->stirred = false;
    if (holds->limits)
        review_limits (holds, now);
    while (holds->ntouched > 0) {
        struct held_job *it
            = &holds->jobs[holds->touched[--holds->ntouched]];
        int status = settle_job (holds, it, now, err);
        it->touched = false;
        if (status < 0)
            return -1;
        changed |= status;
    }
    return changed;
}

tori_time holds_wake (const struct holds *holds)
{
    return holds ? holds->opens : TORI_TIME_MAX;
}

tori_condition holds_condition (const struct holds *holds, uint64_t tag)
{
    const struct held_job *it = holds ? find_held (holds, tag) : NULL;
    return it ? it->condition : (tori_condition){0};
}

/* ---- all of it ---- */

static int make_room (struct holds *holds, const tori_snapshot *rules,
                      tori_error *err)
{
    size_t n = rules->nrunning + rules->nqueued, after = 0;
    for (size_t i = 0; i < rules->nqueued; i++)
        after += rules->queue[i].nafter;
    holds->jobs = calloc (n + 1, sizeof *holds->jobs);
    holds->order = calloc (n + 1, sizeof *holds->order);
    holds->touched = calloc (n + 1, sizeof *holds->touched);
    holds->leaving = calloc (n + 1, sizeof *holds->leaving);
    holds->waiters = calloc (after + 1, sizeof *holds->waiters);
    holds->users = calloc (n + 1, sizeof *holds->users);
    holds->queues = calloc (rules->nqueues + 1, sizeof *holds->queues);
    holds->pairs = calloc (n + 1, sizeof *holds->pairs);
    return holds->jobs && holds->order && holds->touched && holds->leaving
                   && holds->waiters && holds->users && holds->queues
                   && holds->pairs
               ? 0
               : tori_error_nomem (err);
}

static int meet_jobs (struct holds *holds, tori_error *err)
{
    size_t n = tori_sched_running (holds->sched)
               + tori_sched_queued (holds->sched);
    tori_job *jobs = calloc (n + 1, sizeof *jobs);
    if (!jobs)
        return tori_error_nomem (err);
    n = tori_sched_running_jobs (holds->sched, jobs);
    n += tori_sched_queued_jobs (holds->sched, jobs + n);
    for (size_t i = 0; i < n; i++)
        meet_job (holds, jobs[i]);
    free (jobs);
    return 0;
}

/* The order of the limits: the higher priority, then the lower tag. */
struct limit_turn {
    int64_t priority;
    size_t job;
};

static int compare_turns (const void *a, const void *b)
{
    const struct limit_turn *x = a, *y = b;
    if (x->priority != y->priority)
        return x->priority < y->priority ? 1 : -1;
    return (x->job > y->job) - (x->job < y->job);
}

static int sort_turns (struct holds *holds, tori_error *err)
{
    struct limit_turn *turns = calloc (holds->n + 1, sizeof *turns);
    if (!turns)
        return tori_error_nomem (err);
    for (size_t i = 0; i < holds->n; i++)
        turns[i] = (struct limit_turn){holds->jobs[i].priority, i};
    qsort (turns, holds->n, sizeof *turns, compare_turns);
    for (size_t i = 0; i < holds->n; i++)
        holds->order[i] = turns[i].job;
    holds->norder = holds->n;
    free (turns);
    return 0;
}

/* Jobs that have left the scheduler since release others. */
static int part_with_gone (struct holds *holds, tori_error *err)
{
    for (size_t i = 0; i < holds->n; i++)
        if (holds->jobs[i].gone)
            holds->leaving[holds->nleaving++] = (struct leaving){i, true};
        else
            touch_job (holds, &holds->jobs[i]);
    return release_waiters (holds, err);
}

int holds_open (const tori_snapshot *rules, tori_sched *sched,
                struct holds **ret_holds, tori_error *err)
{
    struct holds *holds = calloc (1, sizeof *holds);
    if (!holds)
        return tori_error_nomem (err);
    holds->sched = sched;
    holds->review = holds->opens = TORI_TIME_MAX;
    if (make_room (holds, rules, err) < 0)
        goto fail;
    list_rules (holds, rules->running, rules->nrunning);
    list_rules (holds, rules->queue, rules->nqueued);
    qsort (holds->jobs, holds->n, sizeof *holds->jobs, compare_tags);
    share_users (holds, rules);
    share_queues (holds, rules);
    if (share_pairs (holds, rules, err) < 0)
        goto fail;
    if (meet_jobs (holds, err) < 0 || sort_turns (holds, err) < 0)
        goto fail;
    list_waiters (holds);
    if (part_with_gone (holds, err) < 0)
        goto fail;
    *ret_holds = holds;
    return 0;
fail:
    holds_destroy (holds);
    return -1;
}

void holds_destroy (struct holds *holds)
{
    if (!holds)
        return;
    free (holds->jobs);
    free (holds->order);
    free (holds->touched);
    free (holds->leaving);
    free (holds->waiters);
    free (holds->users);
    free (holds->queues);
    free (holds->pairs);
    free (holds);
}

/* holds.c - holds that end by themselves.
 *
 * The service applies the same rules to real jobs: dependents.c for
 * dependencies and arrays, limit_queue.c for limits. A job that waits for
 * something else is not counted for a limit (hold_limits.c). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "holds_parts.h"
#include "number.h"

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

uint64_t most_nodes (const tori_job_spec *spec)
{
    uint64_t most = tori_request_nodes (&spec->request);
    for (size_t i = 0; i < spec->nalternatives; i++)
        if (tori_request_nodes (&spec->alternatives[i]) > most)
            most = tori_request_nodes (&spec->alternatives[i]);
    return most;
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
        return !limits_apply (it);
    default:
        return true;
    }
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
    it->priority = spec.hold ? number_sum (spec.priority, limits_penalty (it))
                             : spec.priority;
    it->earliest = spec.earliest;
    if (spec.hold == TORI_HOLD_SHARE)
        it->limited = true;
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

static void release_from (struct holds *holds, struct held_job *it,
                          tori_hold hold, const tori_after *after)
{
    it->condition = (tori_condition){hold, true, *after};
    holds_touch (holds, it);
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

static int release_waiters (struct holds *holds, tori_error *err)
{
    while (holds->nleaving > 0) {
        struct leaving leaving = holds->leaving[--holds->nleaving];
        const struct held_job *ended = &holds->jobs[leaving.job];
        advance_array (holds, ended);
        limits_leave (ended);
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
    int64_t penalty = limits_penalty (it);
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
        limits_review (holds, now);
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
            holds_touch (holds, &holds->jobs[i]);
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
    if (limits_open (holds, rules, err) < 0 || meet_jobs (holds, err) < 0
        || sort_turns (holds, err) < 0)
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

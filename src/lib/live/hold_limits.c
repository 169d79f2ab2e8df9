/* hold_limits.c - limits of users and queues, and hours of queues.
 *
 * Jobs are taken in the order of their priorities, as long as all of them could
 * run beside the running jobs within the limits. A job that would exceed a limit
 * waits, and so do all later jobs that count for the same limit. The jobs of a
 * queue wait while it is not open. A review looks at all jobs that wait; only
 * those that could go now cost more than a glance. */
#include <stdlib.h>
#include <string.h>

#include "holds_parts.h"

/* ---- jobs ---- */

void holds_touch (struct holds *holds, struct held_job *it)
{
    if (it->touched)
        return;
    it->touched = true;
    holds->touched[holds->ntouched++] = (size_t)(it - holds->jobs);
}

static bool is_limited (const struct limit_share *share)
{
    return share && (share->most.running > 0 || share->most.nodes > 0);
}

bool limits_apply (const struct held_job *it)
{
    return is_limited (it->user) || is_limited (it->queue)
           || is_limited (it->pair) || (it->queue && it->queue->hours);
}

int64_t limits_penalty (const struct held_job *it)
{
    return it->user ? it->user->more : 0;
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

/* A job and the name of its user. */
struct named_job {
    const char *name;
    size_t job;
};

static int compare_named (const void *a, const void *b)
{
    const struct named_job *x = a, *y = b;
    int order = strcmp (x->name, y->name);
    return order != 0 ? order : (x->job > y->job) - (x->job < y->job);
}

static int compare_users (const void *a, const void *b)
{
    const tori_snapshot_user *const *x = a, *const *y = b;
    return strcmp ((*x)->name, (*y)->name);
}

/* The users of a snapshot by name; NULL without memory. */
static const tori_snapshot_user **sort_users (const tori_snapshot *rules)
{
    const tori_snapshot_user **all = calloc (rules->nusers + 1, sizeof *all);
    for (size_t i = 0; all && i < rules->nusers; i++)
        all[i] = &rules->users[i];
    if (all)
        qsort (all, rules->nusers, sizeof *all, compare_users);
    return all;
}

static int64_t find_penalty (const tori_snapshot_user **all, size_t n,
                             const char *name)
{
    const tori_snapshot_user key = {.name = (char *)(uintptr_t)name};
    const tori_snapshot_user *wanted = &key;
    const tori_snapshot_user **found
        = bsearch (&wanted, all, n, sizeof *all, compare_users);
    return found ? (*found)->penalty : 0;
}

/* Jobs of one user are neighbours here: there may be as many users as jobs. */
static void share_named (struct holds *holds, const tori_snapshot *rules,
                         const struct named_job *named, size_t n,
                         const tori_snapshot_user **users)
{
    struct limit_share *share = NULL;
    for (size_t i = 0; i < n; i++) {
        if (!share || strcmp (share->name, named[i].name) != 0) {
            share = &holds->users[holds->nusers++];
            *share = (struct limit_share){
                .name = named[i].name,
                .most = rules->user_limits,
                .more = -find_penalty (users, rules->nusers, named[i].name)};
        }
        holds->jobs[named[i].job].user = share;
    }
}

/* Give each job its user's share. */
static int share_users (struct holds *holds, const tori_snapshot *rules,
                        tori_error *err)
{
    struct named_job *named = calloc (holds->n + 1, sizeof *named);
    const tori_snapshot_user **users = sort_users (rules);
    size_t n = 0;
    for (size_t i = 0; named && users && i < holds->n; i++) {
        const tori_snapshot_job *rule = holds->jobs[i].rule;
        if (rule && rule->user)
            named[n++] = (struct named_job){rule->user, i};
    }
    if (named && users) {
        qsort (named, n, sizeof *named, compare_named);
        share_named (holds, rules, named, n, users);
    }
    free (named);
    free (users);
    return named && users ? 0 : tori_error_nomem (err);
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
        holds->limits |= limits_apply (&holds->jobs[i]);
    return 0;
}

int limits_open (struct holds *holds, const tori_snapshot *rules,
                 tori_error *err)
{
    if (share_users (holds, rules, err) < 0)
        return -1;
    share_queues (holds, rules);
    return share_pairs (holds, rules, err);
}

static void note_end (struct limit_share *share, uint64_t tag)
{
    if (!share)
        return;
    share->known = true;
    share->last = tag;
}

void limits_leave (const struct held_job *it)
{
    note_end (it->user, it->tag);
    note_end (it->queue, it->tag);
    note_end (it->pair, it->tag);
}

/* ---- jobs above a limit ---- */

static const tori_snapshot_queue *queue_of (const tori_snapshot *rules,
                                            const tori_snapshot_job *job)
{
    for (size_t i = 0; job->queue && i < rules->nqueues; i++)
        if (strcmp (rules->queues[i].name, job->queue) == 0)
            return &rules->queues[i];
    return NULL;
}

bool tori_snapshot_outgrown (const tori_snapshot *snapshot,
                             const tori_snapshot_job *job, char *text,
                             size_t size)
{
    const tori_snapshot_queue *queue = queue_of (snapshot, job);
    uint64_t nodes = most_nodes (&job->spec);
    const struct {
        uint64_t most;
        const char *whose, *name, *each;
    } all[] = {
        {queue ? queue->each.nodes : 0, "queue ", job->queue,
         " for each user"},
        {job->user ? snapshot->user_limits.nodes : 0, "", "the user", ""},
        {queue ? queue->limits.nodes : 0, "queue ", job->queue, ""},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i].most == 0 || nodes <= all[i].most)
            continue;
        snprintf (text, size, "%s%.60s's limit of %llu node%s%s", all[i].whose,
                  all[i].name, (unsigned long long)all[i].most,
                  all[i].most == 1 ? "" : "s", all[i].each);
        return true;
    }
    return false;
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
        if (it->gone)
            continue;
        if (it->rests) { /* it is held, and runs nowhere */
            holds->order[kept++] = holds->order[i];
            continue;
        }
        if (!tori_sched_look (holds->sched, it->job, &info))
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
    if (!limits_apply (it))
        return false;
    if (it->queue && it->queue->hours && it->queue->changes < holds->opens)
        holds->opens = it->queue->changes;
    if (is_closed (it->user) || is_closed (it->queue) || is_closed (it->pair))
        return true;
    if (it->earliest > now) {
        if (it->earliest < holds->review)
            holds->review = it->earliest;
        return false;
    }
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
        holds_touch (holds, it);
    it->limited = it->rests = waits;
    it->shut_out = waits && it->queue && it->queue->hours && !it->queue->open;
}

static bool may_be_released (const struct held_job *it)
{
    return !it->gone && !it->kept && it->open == 0 && !it->array_waits;
}

/* Whether a job that waits for a limit has nothing to hope for: others have
 * used it up. */
static bool stays_out (const struct held_job *it)
{
    return it->rests && !it->gone && !(it->queue && it->queue->hours)
           && (is_closed (it->user) || is_closed (it->queue)
               || is_closed (it->pair));
}

void limits_review (struct holds *holds, tori_time now)
{
    count_running (holds);
    look_at_clock (holds, now);
    holds->review = holds->opens = TORI_TIME_MAX;
    for (size_t i = 0; i < holds->norder; i++) {
        struct held_job *it = &holds->jobs[holds->order[i]];
        tori_job_info info = {.size = sizeof info};
        if (stays_out (it))
            continue;
        if (may_be_released (it)
            && tori_sched_look (holds->sched, it->job, &info)
            && info.phase == TORI_JOB_QUEUED && !info.suspended)
            note_limit (holds, it, waits_for_limit (holds, it, now));
    }
}

/* order.c - an order of the queue that the program brings along.
 *
 * A job keeps the key that it was given, because its entry is found by that
 * key. If keys depend on the time, a run asks for all of them again. Most often
 * that leaves every job where it is: then only the keys are replaced. Otherwise
 * the lanes are sorted again. The jobs that left their places lose their
 * planned starts; they are as few as can explain the new order, so the others
 * keep theirs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "sized.h"

int order_init (tori_sched *sched, const tori_sched_config *config,
                tori_error *err)
{
    tori_order same;
    sched->keyed = -1;
    sched->own_order = config->own_order;
    if (!config->own_order)
        return 0;
    if (SIZED_COPY (tori_order_ops, &sched->own, config->own_order, err) < 0)
        return -1;
    if (!sched->own.name || !*sched->own.name || !sched->own.key)
        return tori_error_set (err, TORI_INVALID,
                               "an order needs a name and a key");
    if (tori_order_parse (sched->own.name, &same, NULL) == 0)
        return tori_error_set (err, TORI_INVALID,
                               "the order '%.60s' has the name of one of "
                               "tori's",
                               sched->own.name);
    if (sched->own.flags & ~(uint64_t)TORI_ORDER_AGES)
        return tori_error_set (err, TORI_INVALID,
                               "there are no flags %llx of an order",
                               (unsigned long long)sched->own.flags);
    return 0;
}

/* ---- keys ---- */

/* A whole number in the order of the real ones: the bits of a number that is
 * not negative ascend with it. */
static int64_t rank_of_number (double number)
{
    int64_t bits;
    number += 0.0; /* -0 is 0 */
    memcpy (&bits, &number, sizeof bits);
    return bits >= 0 ? bits : INT64_MIN - bits;
}

static int ask_key (const tori_sched *sched, tori_order_job *job,
                    uint32_t class, uint32_t asked, int64_t *ret_key,
                    tori_error *err)
{
    tori_request request = class_of (sched, class)->asks.request;
    tori_error why = {0};
    double key = 0;
    request.count = asked;
    job->size = sizeof *job;
    job->nodes = (uint64_t)class_of (sched, class)->nodes;
    job->request = &request;
    if (sched->own.key (sched->own.arg, job, &key, &why) < 0) {
        if (!why.status)
            tori_error_set (&why, TORI_FAILED, "the order '%.60s' failed",
                            sched->own.name);
        if (err)
            *err = why;
        return -1;
    }
    if (isnan (key))
        return tori_error_set (err, TORI_INVALID,
                               "the order '%.60s' gave job %llu a key that is "
                               "not a number",
                               sched->own.name, (unsigned long long)job->tag);
    *ret_key = rank_of_number (key);
    return 0;
}

int order_submit (const tori_sched *sched, tori_time now, uint32_t class,
                  struct submission *own, tori_error *err)
{
    uint64_t asked = own->wish.all[0].asked;
    tori_order_job job = {.tag = own->spec.tag,
                          .now = now,
                          .submit = now - own->spec.waited,
                          .estimate = own->spec.estimate};
    own->submit = job.submit;
    own->key = 0;
    return sched->own_order
               ? ask_key (sched, &job, class,
                          asked < UINT32_MAX ? (uint32_t)asked : UINT32_MAX,
                          &own->key, err)
               : 0;
}

int order_key (const tori_sched *sched, const struct job *job, uint32_t class,
               tori_time estimate, tori_time now, int64_t *ret_key,
               tori_error *err)
{
    tori_order_job its = {.tag = job->tag,
                          .now = now,
                          .submit = job->submit,
                          .estimate = estimate};
    *ret_key = job->key;
    return sched->own_order ? ask_key (sched, &its, class, job->asked,
                                       ret_key, err)
                            : 0;
}

/* ---- keys that change with time ---- */

/* A waiting job: its entry as it is in the queue, and as it will be. */
struct rekeyed {
    struct entry was, is;
};

static int rekey (const tori_sched *sched, const struct entry *entry,
                     struct rekeyed *ret_rekeyed, tori_error *err)
{
    const struct job *job = &sched->jobs[entry->job];
    *ret_rekeyed = (struct rekeyed){*entry, *entry};
    return order_key (sched, job, home_of (job), job->estimate, sched->now,
                      &ret_rekeyed->is.key, err);
}

static int list_rekeyed (const tori_sched *sched, struct rekeyed jobs[],
                       tori_error *err)
{
    const struct lanes *lanes = &sched->lanes;
    size_t n = 0;
    for (size_t i = 0; i < lanes->nwaiting; i++)
        for (size_t at = 0; at < lanes->all[lanes->waiting[i]].queue.n; at++)
            if (rekey (sched, lanes_at (lanes, lanes->waiting[i], at),
                          &jobs[n++], err)
                < 0)
                return -1;
    for (size_t at = 0; at < sched->aside.n; at++)
        if (rekey (sched, queue_at (&sched->aside, at), &jobs[n++], err)
            < 0)
            return -1;
    return 0;
}

static int compare_was (const void *a, const void *b)
{
    const struct rekeyed *x = a, *y = b;
    return entry_before (&y->was, &x->was) - entry_before (&x->was, &y->was);
}

static int compare_entries (const void *a, const void *b)
{
    return entry_before (b, a) - entry_before (a, b);
}

static bool is_same_order (const struct rekeyed jobs[], size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (entry_before (&jobs[i].is, &jobs[i - 1].is))
            return false;
    return true;
}

/* Mark the jobs that keep their places: a longest list of jobs whose order is
 * as before. last[k] is the job with which the best list of k + 1 ends. */
static int mark_kept (const struct rekeyed jobs[], size_t n, bool kept[],
                      tori_error *err)
{
    size_t *last = calloc (n, sizeof *last);
    size_t *before = calloc (n, sizeof *before);
    size_t length = 0, at;
    for (size_t i = 0; last && before && i < n; i++) {
        size_t low = 0, high = length;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (entry_before (&jobs[last[middle]].is, &jobs[i].is))
                low = middle + 1;
            else
                high = middle;
        }
        before[i] = low > 0 ? last[low - 1] : n;
        last[low] = i;
        if (low == length)
            length++;
    }
    if (last && before)
        for (at = last[length - 1]; at < n; at = before[at])
            kept[at] = true;
    at = last && before;
    free (last);
    free (before);
    return at ? 0 : tori_error_nomem (err);
}

/* Replace the keys of entries, which may then be in disorder. */
static void set_keys (tori_sched *sched, struct queue *queue)
{
    for (size_t at = 0; at < queue->n; at++)
        queue_at (queue, at)->key = sched->jobs[queue_at (queue, at)->job].key;
}

static void replace_keys (tori_sched *sched, const struct rekeyed jobs[],
                          size_t n, bool sort)
{
    struct lanes *lanes = &sched->lanes;
    for (size_t i = 0; i < n; i++)
        sched->jobs[jobs[i].is.job].key = jobs[i].is.key;
    for (size_t i = 0; i < lanes->nwaiting; i++) {
        struct queue *queue = &lanes->all[lanes->waiting[i]].queue;
        set_keys (sched, queue);
        if (sort)
            qsort (queue_at (queue, 0), queue->n, sizeof (struct entry),
                   compare_entries);
    }
    set_keys (sched, &sched->aside);
    if (sort && sched->aside.n > 0)
        qsort (queue_at (&sched->aside, 0), sched->aside.n,
               sizeof (struct entry), compare_entries);
    if (sort)
        lanes_sorted (lanes);
}

/* Only the first jobs have planned starts. */
static void forget_later (tori_sched *sched)
{
    for (size_t i = sched->nreserved; i-- > 0;) {
        job_slot slot = sched->reserved[i].job;
        if (rank_of (sched, sched_spot (sched, slot)) >= sched->depth)
            plan_forget (sched, slot);
    }
}

static int reorder (tori_sched *sched, const struct rekeyed jobs[], size_t n,
                    tori_error *err)
{
    bool *kept = calloc (n, sizeof *kept);
    int status = kept ? mark_kept (jobs, n, kept, err)
                      : tori_error_nomem (err);
    for (size_t i = 0; status == 0 && i < n; i++)
        if (!kept[i])
            plan_forget (sched, jobs[i].is.job);
    free (kept);
    if (status < 0)
        return -1;
    replace_keys (sched, jobs, n, true);
    forget_later (sched);
    sched_changed (sched);
    return 0;
}

int order_review (tori_sched *sched, tori_error *err)
{
    size_t n = tori_sched_queued (sched);
    struct rekeyed *jobs;
    int status;
    if (!(sched->own.flags & TORI_ORDER_AGES) || sched->keyed == sched->now)
        return 0;
    jobs = calloc (n + 1, sizeof *jobs);
    status = jobs ? list_rekeyed (sched, jobs, err) : tori_error_nomem (err);
    if (status == 0) {
        qsort (jobs, n, sizeof *jobs, compare_was);
        if (is_same_order (jobs, n))
            replace_keys (sched, jobs, n, false);
        else
            status = reorder (sched, jobs, n, err);
    }
    if (status == 0)
        sched->keyed = sched->now;
    free (jobs);
    return status;
}

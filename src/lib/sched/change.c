/* change.c - what a driver changes about jobs that are there. */
#include "core.h"

/* Take a waiting job out of the queue to change it; it can return there. Jobs
 * after it may use the place that was planned for it. */
static int take_out (tori_sched *sched, tori_time now, tori_job number,
                     job_slot *ret_slot, tori_error *err)
{
    job_slot slot = jobs_in_phase (sched, number, QUEUED);
    if (slot == NO_SLOT)
        return tori_error_set (err, TORI_INVALID, "no such queued job");
    if (sched_check_time (sched, now, err) < 0
        || sched_enqueue_room (sched, sched->jobs[slot].class, 1, err) < 0)
        return -1;
    sched_advance (sched, now);
    sched_dequeue (sched, slot);
    sched_changed (sched);
    *ret_slot = slot;
    return 0;
}

int tori_sched_set_priority (tori_sched *sched, tori_time now, tori_job job,
                             int64_t priority, tori_error *err)
{
    job_slot slot = NO_SLOT;
    if (take_out (sched, now, job, &slot, err) < 0)
        return -1;
    sched->jobs[slot].priority = priority;
    return sched_enqueue (sched, slot, err);
}

int tori_sched_set_hold (tori_sched *sched, tori_time now, tori_job job,
                         tori_hold hold, tori_error *err)
{
    job_slot slot = NO_SLOT;
    if (!tori_hold_name (hold))
        return tori_error_set (err, TORI_INVALID, "there is no hold %u",
                               (unsigned)hold);
    if (take_out (sched, now, job, &slot, err) < 0)
        return -1;
    sched->jobs[slot].hold = hold;
    return sched_enqueue (sched, slot, err);
}

int tori_sched_set_earliest (tori_sched *sched, tori_time now, tori_job job,
                             tori_time earliest, tori_error *err)
{
    job_slot slot = NO_SLOT;
    if (earliest < 0)
        return tori_error_set (err, TORI_INVALID,
                               "an earliest start before time 0");
    if (take_out (sched, now, job, &slot, err) < 0)
        return -1;
    sched->jobs[slot].earliest = earliest;
    if (sched->jobs[slot].patience)
        sched->impatient = sched->now; /* it may have to wait again */
    return sched_enqueue (sched, slot, err);
}

/* ---- jobs that run ---- */

static void set_end (tori_sched *sched, job_slot slot, tori_time estimate)
{
    const struct job *job = &sched->jobs[slot];
    tori_time before = job->end;
    running_set_length (sched, slot, estimate);
    if (job->end < before)
        plan_freed (sched, job->end, before);
    else
        plan_drop_before (sched, job->end);
    sched_changed (sched);
}

int tori_sched_set_estimate (tori_sched *sched, tori_time now, tori_job job,
                             tori_time estimate, tori_error *err)
{
    job_slot slot = numbers_find (&sched->numbers, job);
    int64_t key;
    if (estimate < 0)
        return tori_error_set (err, TORI_INVALID, "negative estimate");
    if (slot == NO_SLOT)
        return tori_error_set (err, TORI_INVALID, "no such job");
    if (sched_check_time (sched, now, err) < 0
        || order_key (sched, &sched->jobs[slot], home_of (&sched->jobs[slot]),
                      estimate, now, &key, err)
               < 0)
        return -1;
    if (sched->jobs[slot].phase == QUEUED) {
        if (take_out (sched, now, job, &slot, err) < 0)
            return -1;
        sched->jobs[slot].key = key;
        jobs_set_length (&sched->jobs[slot], estimate);
        return sched_enqueue (sched, slot, err);
    }
    sched_advance (sched, now);
    sched->jobs[slot].key = key;
    set_end (sched, slot, estimate);
    return 0;
}

void sched_put_back (tori_sched *sched, job_slot slot)
{
    struct job *job = &sched->jobs[slot];
    sched_release (sched, slot);
    job->phase = QUEUED;
    job->done = jobs_saved (sched, job);
    job->lost = 0;
    jobs_set_length (job, job->estimate);
    sched_changed (sched);
    sched_enqueue (sched, slot, NULL);
    drains_review (sched);
}

int tori_sched_requeue (tori_sched *sched, tori_time now, tori_job job,
                        tori_error *err)
{
    job_slot slot = jobs_in_phase (sched, job, RUNNING);
    if (slot == NO_SLOT)
        return tori_error_set (err, TORI_INVALID, "no such running job");
    if (sched_check_time (sched, now, err) < 0
        || ineligible_weigh (sched, sched->jobs[slot].class, err) < 0
        || sched_enqueue_room (sched, sched->jobs[slot].class, 1, err) < 0)
        return -1;
    sched_advance (sched, now);
    sched_put_back (sched, slot);
    return 0;
}

bool tori_sched_wake (const tori_sched *sched, tori_time *ret_time)
{
    tori_time first = TORI_TIME_MAX;
    for (size_t at = 0; at < sched->aside.n; at++) {
        const struct job *job
            = &sched->jobs[queue_at (&sched->aside, at)->job];
        if (job->barred == TORI_REASON_NOT_YET && job->earliest < first)
            first = job->earliest;
    }
    if (windows_end (sched) < first)
        first = windows_end (sched);
    if (patience_wake (sched) < first)
        first = patience_wake (sched);
    if (first == TORI_TIME_MAX)
        return false;
    *ret_time = first;
    return true;
}

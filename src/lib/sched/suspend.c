/* suspend.c - jobs that were stopped and continue only where they were.
 *
 * A suspended job is not in the queue. It continues as soon as its place is
 * free; until then that place is kept for it, from the time at which it is
 * expected to be free, as a window that only jobs of a higher level may enter
 * (windows.c). So the policy makes no difference. Suspended jobs go by level,
 * then by the order of the queue.
 *
 * It has a class of its own for as long as it waits, for its one place. Its
 * original class is its home, of which it stays a member. When a node or link
 * of its place goes down, its work there is lost: it waits for any place
 * again, and continues from its last checkpoint. */
#include <stdlib.h>

#include "configure.h"
#include "core.h"
#include "placement.h"

int suspend_class (tori_sched *sched, const struct job *job,
                   const tori_placement *place, uint32_t *ret_class,
                   tori_error *err)
{
    struct class *class;
    if (classes_add_place (&sched->classes, job->class, place, ret_class, err)
        < 0)
        return -1;
    class = class_of (sched, *ret_class);
    class->members = 1;
    class->urgent = job->level > 0;
    if (ineligible_weigh (sched, *ret_class, err) == 0)
        return 0;
    class->members = 0;
    return -1;
}

/* Suspend a job that is in no list: it waits for its place from now on. */
static void keep_place (tori_sched *sched, struct job *job, uint32_t class,
                        tori_time saved)
{
    sched->nsuspended++;
    job->suspended = true;
    job->home = job->class;
    job->class = class;
    job->saved = saved;
}

void suspend_job (tori_sched *sched, job_slot slot, uint32_t class,
                  tori_time saved)
{
    struct job *job = &sched->jobs[slot];
    tori_time worked = sched->now - job->start - job->lost;
    sched_release (sched, slot);
    job->phase = QUEUED;
    keep_place (sched, job, class, saved);
    if (worked > 0)
        job->done = time_add (job->done, worked);
    job->lost = 0;
    jobs_set_length (job, job->estimate);
    sched_changed (sched);
    sched_enqueue (sched, slot, NULL);
    drains_review (sched);
}

void suspend_over (tori_sched *sched, job_slot slot)
{
    struct job *job = &sched->jobs[slot];
    struct class *class = class_of (sched, job->class);
    if (!job->suspended)
        return;
    windows_release (sched, slot);
    sched->nsuspended--;
    class->members = class->urgent = 0;
    job->class = job->home;
    job->suspended = false;
}

const tori_placement *suspend_place (const tori_sched *sched,
                                     const struct job *job)
{
    return job->suspended ? class_of (sched, job->class)->exact : NULL;
}

/* ---- continuing ---- */

static int resume_job (tori_sched *sched, job_slot slot, tori_error *err)
{
    tori_placement place = {0}, *held;
    if (tori_placement_copy (&place,
                             suspend_place (sched, &sched->jobs[slot]), err)
        < 0)
        return -1;
    if (sched_start_room (sched, &place, &held, err) < 0) {
        tori_placement_clear (&place);
        return -1;
    }
    sched_start (sched, slot, held, false);
    sched->jobs[slot].walk = sched->walks - 1; /* it does not belong to one */
    sched->strained = true;
    sched_changed (sched);
    return 0;
}

/* Whether a job is to continue as soon as it can. */
static bool may_resume (const struct job *job)
{
    return job->suspended && job->barred == TORI_REASON_UNKNOWN;
}

/* Returns 1 if it took the place of others. */
static int review_job (tori_sched *sched, job_slot slot, tori_error *err)
{
    tori_time start = plan_continues (sched, slot);
    int upset;
    if (start == sched->now)
        return resume_job (sched, slot, err);
    if (windows_keep (sched, slot, start, err) < 0)
        return -1;
    upset = preempt_hope (sched, &sched->jobs[slot])
                ? preempt_start (sched, slot, err)
                : 0;
    if (upset > 0)
        sched->jobs[slot].walk = sched->walks - 1;
    return upset;
}

/* The highest level below `limit` among the suspended jobs; 0 if none. */
static uint64_t level_below (const tori_sched *sched, uint64_t limit)
{
    uint64_t highest = 0;
    for (size_t at = 0; at < sched->aside.n; at++) {
        const struct job *job
            = &sched->jobs[queue_at (&sched->aside, at)->job];
        if (job->suspended && job->level < limit && job->level > highest)
            highest = job->level;
    }
    return highest;
}

/* The suspended jobs of a level. A job that continues leaves the list. */
static int review_level (tori_sched *sched, uint64_t level, tori_error *err)
{
    size_t at = 0;
    int upset = 0;
    while (upset == 0 && at < sched->aside.n) {
        size_t before = sched->aside.n;
        job_slot slot = queue_at (&sched->aside, at)->job;
        const struct job *job = &sched->jobs[slot];
        if (job->level == level && may_resume (job))
            upset = review_job (sched, slot, err);
        at += sched->aside.n == before;
    }
    return upset;
}

int suspend_review (tori_sched *sched, tori_error *err)
{
    uint64_t level = UINT64_MAX;
    int upset = 0;
    if (sched->nsuspended == 0)
        return 0;
    for (size_t at = 0; at < sched->aside.n; at++) {
        job_slot slot = queue_at (&sched->aside, at)->job;
        if (!may_resume (&sched->jobs[slot]))
            windows_release (sched, slot);
    }
    do {
        level = upset > 0 ? UINT64_MAX : level;
        level = level_below (sched, level);
        upset = review_level (sched, level, err);
    } while (upset > 0 || (upset == 0 && level > 0));
    return upset;
}

/* ---- failures ---- */

void suspend_lose (tori_sched *sched, job_slot slot)
{
    struct job *job = &sched->jobs[slot];
    sched_dequeue (sched, slot);
    suspend_over (sched, slot);
    job->done = job->saved;
    jobs_set_length (job, job->estimate);
    sched_changed (sched);
    sched_enqueue (sched, slot, NULL);
}

/* ---- taking over ---- */

static int check_suspended (const tori_sched *sched, const tori_job_spec *spec,
                            tori_time saved, const tori_placement *place,
                            tori_error *err)
{
    if (saved < 0 || saved > spec->done)
        return tori_error_set (err, TORI_INVALID,
                               "more work saved than done, or less than "
                               "none");
    if (policy_check (sched, "suspended jobs", err) < 0)
        return -1;
    if (!sched->placed)
        return tori_error_set (err, TORI_INVALID,
                               "a suspended job in a scheduler that reserves "
                               "numbers of nodes, not places");
    if (place->count == 0)
        return tori_error_set (err, TORI_INVALID, "a job without nodes");
    return placement_check (place, sched->machine, err);
}

/* Add a suspended job of this class. */
static int add_suspended (tori_sched *sched, const struct submission *own,
                          uint32_t class, tori_time saved,
                          const tori_placement *place, job_slot *ret_slot,
                          tori_error *err)
{
    struct job *job;
    uint32_t exact;
    job_slot slot = jobs_add (sched, own, class);
    job = &sched->jobs[slot];
    if (suspend_class (sched, job, place, &exact, err) < 0) {
        jobs_take_back (sched, slot);
        return -1;
    }
    keep_place (sched, job, exact, saved);
    if (sched_enqueue_room (sched, exact, 1, err) < 0) {
        suspend_over (sched, slot);
        jobs_take_back (sched, slot);
        return -1;
    }
    *ret_slot = slot;
    return 0;
}

int tori_sched_adopt_suspended (tori_sched *sched, tori_time now,
                                const tori_job_spec *spec, tori_time saved,
                                const tori_placement *place, tori_job *ret_job,
                                tori_error *err)
{
    struct submission own;
    uint32_t class;
    job_slot slot = NO_SLOT;
    if (jobs_read (sched, spec, &own, err) < 0
        || sched_check_time (sched, now, err) < 0
        || check_suspended (sched, &own.spec, saved, place, err) < 0
        || patience_find (sched, now, &own, &class, err) < 0
        || jobs_room (sched, err) < 0
        || order_submit (sched, now, class, &own, err) < 0)
        return -1;
    class_of (sched, class)->members++;
    class_of (sched, class)->urgent += own.spec.level > 0;
    own.spec.lost = 0;
    if (add_suspended (sched, &own, class, saved, place, &slot, err) < 0) {
        class_of (sched, class)->members--;
        class_of (sched, class)->urgent -= own.spec.level > 0;
        return -1;
    }
    sched_advance (sched, now);
    sched_enqueue (sched, slot, NULL);
    *ret_job = sched->jobs[slot].number;
    return 0;
}

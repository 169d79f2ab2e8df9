/* look.c - the jobs as a driver sees them. */
#include "configure.h"

#include <stdlib.h>

#include "core.h"
#include "placement.h"
#include "sized.h"

/* ---- lists ---- */

/* By slots. */
static int compare_entries (const void *a, const void *b, void *arg)
{
    const tori_sched *sched = arg;
    struct entry x = jobs_entry (sched, (job_slot)*(const tori_job *)a);
    struct entry y = jobs_entry (sched, (job_slot)*(const tori_job *)b);
    return entry_before (&y, &x) - entry_before (&x, &y);
}

size_t tori_sched_queued_jobs (const tori_sched *sched, tori_job ret_jobs[])
{
    const struct lanes *lanes = &sched->lanes;
    size_t n = 0;
    for (size_t i = 0; i < lanes->nwaiting; i++) {
        uint32_t lane = lanes->waiting[i];
        for (size_t at = 0; at < lanes->all[lane].queue.n; at++)
            ret_jobs[n++] = lanes_at (lanes, lane, at)->job;
    }
    for (size_t at = 0; at < sched->aside.n; at++)
        ret_jobs[n++] = queue_at (&sched->aside, at)->job;
    if (lanes->nwaiting > 1 || sched->aside.n > 0)
        qsort_r (ret_jobs, n, sizeof *ret_jobs, compare_entries,
                 (void *)(uintptr_t)sched);
    for (size_t i = 0; i < n; i++)
        ret_jobs[i] = sched->jobs[ret_jobs[i]].number;
    return n;
}

size_t tori_sched_running_jobs (const tori_sched *sched, tori_job ret_jobs[])
{
    for (size_t i = 0; i < sched->nrunning; i++)
        ret_jobs[i] = sched->jobs[sched->running[i].job].number;
    return sched->nrunning;
}

bool tori_sched_next_end (const tori_sched *sched, tori_time *ret_time,
                          tori_job *ret_job)
{
    if (sched->nrunning == 0)
        return false;
    *ret_time = sched->running[0].end;
    *ret_job = sched->jobs[sched->running[0].job].number;
    return true;
}

/* ---- one job ---- */

tori_reason sched_hindrance (const tori_sched *sched, const struct job *job)
{
    const struct entry *head = lanes_head (&sched->lanes);
    if (sched->own_policy
        || (sched->policy->stop_at_blocked && !job->suspended
            && !(head && &sched->jobs[head->job] == job)))
        return TORI_REASON_ORDER;
    return windows_meet (sched, job) ? TORI_REASON_WINDOW
                                     : TORI_REASON_RESERVED;
}

static tori_reason why_waits (const tori_sched *sched, const struct job *job)
{
    const struct class *class = class_of (sched, job->class);
    int64_t free = sched_free (sched, class);
    bool seen = sched->walked_epoch == sched->epoch
                && job->number < sched->walked;
    if (job->aside && job->barred != TORI_REASON_UNKNOWN)
        return job->barred;
    if (seen && class->undecided == sched->epoch)
        return TORI_REASON_GAVE_UP;
    if (sched_wants (sched, job) > free)
        return TORI_REASON_NUMERICAL;
    if (!seen)
        return TORI_REASON_UNKNOWN;
    if (class->misfit == sched->epoch || class->nodes > free
        || (job->suspended && !placement_free (class->exact, sched->state)))
        return TORI_REASON_TOPOLOGICAL;
    return sched_hindrance (sched, job);
}

bool tori_sched_look (const tori_sched *sched, tori_job number,
                      tori_job_info *ret_info)
{
    job_slot slot = numbers_find (&sched->numbers, number);
    tori_job_info info = {0};
    const struct job *job;
    if (!sched_is_sized (sched, ret_info, "tori_job_info") || slot == NO_SLOT)
        return false;
    job = &sched->jobs[slot];
    info.tag = job->tag;
    if (job->phase == QUEUED) {
        info.phase = TORI_JOB_QUEUED;
        info.waits = why_waits (sched, job);
        info.aside = job->barred != TORI_REASON_UNKNOWN ? job->aside : NULL;
        info.suspended = suspend_place (sched, job);
        info.saved = job->suspended ? job->saved : 0;
    } else {
        info.phase = TORI_JOB_RUNNING;
        info.start = job->start;
        info.end = job->end;
        info.place = job->place;
    }
    sized_fill (ret_info, &info, sizeof info);
    return true;
}

const tori_placement *sched_look_running (const tori_sched *sched,
                                          tori_job number,
                                          tori_time *ret_begun)
{
    job_slot slot = jobs_in_phase (sched, number, RUNNING);
    const struct job *job = &sched->jobs[slot];
    if (slot == NO_SLOT)
        return NULL;
    *ret_begun = job->start + job->lost - job->done;
    return job->place;
}

bool tori_sched_spec (const tori_sched *sched, tori_job number,
                      tori_job_spec *ret_spec)
{
    job_slot slot = numbers_find (&sched->numbers, number);
    tori_job_spec spec = {0};
    const struct class *class;
    const struct job *job;
    if (!sched_is_sized (sched, ret_spec, "tori_job_spec") || slot == NO_SLOT)
        return false;
    job = &sched->jobs[slot];
    class = class_of (sched, job->patience ? job->all : home_of (job));
    spec.estimate = job->estimate;
    spec.tag = job->tag;
    spec.priority = job->priority;
    spec.earliest = job->earliest;
    spec.turn = job->turn;
    spec.flags = job->flags;
    spec.hold = job->hold;
    spec.checkpoint = job->checkpoint;
    spec.done = job->done;
    spec.lost = job->lost;
    spec.level = job->level;
    spec.preempted = job->preempted;
    spec.request = class->asks.request;
    spec.request.count = job->asked;
    spec.alternatives = class->alternatives;
    spec.nalternatives = class->nothers;
    spec.only = class->only;
    spec.waited = sched->now - job->submit;
    spec.patience = job->patience;
    sized_fill (ret_spec, &spec, sizeof spec);
    return true;
}

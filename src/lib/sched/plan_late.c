/* plan_late.c - planned starts that cannot be kept, because a running job is
 * late, because the driver called only after their time, or because urgent or
 * suspended jobs are in their way.
 *
 * They are put off in the order of the queue: each to the first time, not
 * before its own, at which its place is free beside the running jobs, the
 * reservations and the planned starts of jobs before it. If the plan followed
 * the order of the queue, no start is put off by more than the late jobs are
 * late. A job that was to start before an earlier one of the queue, and whose
 * gap is now too small, goes after that one. */
#include "core.h"
#include "placement.h"
#include "plan_parts.h"

/* Whether all planned starts can be kept. They do not disturb each other, and
 * no running job is expected to be there later, so this depends on those
 * whose time has come. */
static bool all_hold (const tori_sched *sched)
{
    int64_t nodes = 0;
    if (sched->strained)
        return false;
    for (size_t i = 0; i < sched->nreserved
                       && sched->reserved[i].from <= sched->now;
         i++) {
        const struct job *job = &sched->jobs[sched->reserved[i].job];
        if (sched->reserved[i].from < sched->now
            || (job->reserved_place
                && !placement_free (job->reserved_place, sched->state)))
            return false;
        nodes += class_of (sched, job->class)->nodes;
    }
    return sched->placed || nodes <= tori_state_free_count (sched->state);
}

static bool overlaps (const tori_sched *sched, const tori_placement *a,
                      const tori_placement *b)
{
    tori_placement boxes[2];
    return placement_overlap (plan_room (sched, a, &boxes[0]),
                              plan_room (sched, b, &boxes[1]),
                              sched->machine);
}

/* A search for the first start of a job at its planned place. */
struct delay {
    const tori_sched *sched;
    const struct job *job;
    const tori_placement *place;
    struct entry entry;
    tori_time start;
};

/* Something holds a place in [from, until). Returns whether that moves the
 * start. */
static bool wait_for (struct delay *delay, const tori_placement *place,
                      tori_time from, tori_time until)
{
    if (until <= delay->start
        || from >= time_add (delay->start, delay->job->length)
        || !overlaps (delay->sched, delay->place, place))
        return false;
    delay->start = until;
    return true;
}

static bool is_ahead (const struct delay *delay,
                      const struct reservation *other)
{
    struct entry its = jobs_entry (delay->sched, other->job);
    return entry_before (&its, &delay->entry);
}

/* Wait for the planned starts of the jobs ahead: of all, or of those that were
 * put off. */
static bool wait_for_jobs_ahead (struct delay *delay, bool late)
{
    const tori_sched *sched = delay->sched;
    tori_time end = time_add (delay->start, delay->job->length);
    bool moved = false;
    for (size_t i = 0; i < sched->nreserved && sched->reserved[i].from < end;
         i++) {
        const struct reservation *other = &sched->reserved[i];
        if (other->until > delay->start && (!late || other->late)
            && is_ahead (delay, other))
            moved |= wait_for (delay,
                               sched->jobs[other->job].reserved_place,
                               other->from, other->until);
    }
    return moved;
}

static bool wait_for_running_jobs (struct delay *delay)
{
    const tori_sched *sched = delay->sched;
    bool moved = false;
    for (size_t i = 0; i < sched->nrunning; i++)
        moved |= wait_for (delay, sched->jobs[sched->running[i].job].place,
                           sched->now,
                           plan_expected_end (sched, sched->running[i].end));
    return moved;
}

static bool wait_for_windows (struct delay *delay)
{
    const tori_sched *sched = delay->sched;
    bool moved = false;
    for (size_t i = 0; i < sched->nwindows; i++) {
        const struct window *window = &sched->windows[i];
        if (!window_admits (sched, window, delay->job))
            moved |= wait_for (delay, &window->place, window->is.from,
                               window->is.until);
    }
    return moved;
}

/* When a job can start at its planned place. Unless `all`, what is still to
 * come is only in its way if something ahead of it was put off. */
static tori_time start_there (const tori_sched *sched, job_slot slot, bool all)
{
    const struct job *job = &sched->jobs[slot];
    struct delay delay = {sched, job, job->reserved_place,
                          jobs_entry (sched, slot), job->reserved_at};
    if (!all && delay.start > sched->now
        && !wait_for_jobs_ahead (&delay, true))
        return delay.start;
    if (delay.start < sched->now)
        delay.start = sched->now;
    while (delay.start < TORI_TIME_MAX
           && (wait_for_running_jobs (&delay) || wait_for_windows (&delay)
               || wait_for_jobs_ahead (&delay, false)))
        ;
    return delay.start;
}

tori_time plan_continues (const tori_sched *sched, job_slot slot)
{
    const struct job *job = &sched->jobs[slot];
    struct delay delay = {.sched = sched, .job = job,
                          .place = suspend_place (sched, job),
                          .start = sched->now};
    while (delay.start < TORI_TIME_MAX
           && (wait_for_running_jobs (&delay) || wait_for_windows (&delay)))
        ;
    return delay.start;
}

/* When there are enough nodes for a job, beside the running jobs and the
 * planned starts of jobs before it; this one is added to the profile. */
static int start_among (tori_sched *sched, struct profile *profile,
                        const struct job *job, tori_time *ret_start,
                        tori_error *err)
{
    tori_time from = job->reserved_at > sched->now ? job->reserved_at
                                                   : sched->now;
    int64_t nodes = class_of (sched, job->class)->nodes;
    *ret_start = profile_earliest (profile, from, job->length, nodes,
                                   (struct span){0});
    return profile_add (profile,
                        (struct span){*ret_start,
                                      time_add (*ret_start, job->length),
                                      nodes},
                        err);
}

static void mark_late (tori_sched *sched, job_slot slot)
{
    size_t i = plan_find (sched, sched->jobs[slot].reserved_at);
    while (sched->reserved[i].job != slot)
        i++;
    sched->reserved[i].late = true;
}

/* Returns whether the planned start of a job was put off. */
static bool delay_start (tori_sched *sched, job_slot slot, tori_time start)
{
    if (start == sched->jobs[slot].reserved_at)
        return false;
    if (start == TORI_TIME_MAX) {
        plan_forget (sched, slot);
        return true;
    }
    plan_delay (sched, slot, start);
    mark_late (sched, slot);
    return true;
}

static int delay_all (tori_sched *sched, struct profile *profile, bool all,
                      bool *ret_delayed, tori_error *err)
{
    for (size_t i = 0; i < sched->lanes.entries && i < sched->depth; i++) {
        job_slot slot = lanes_at (&sched->lanes, 0, i)->job;
        const struct job *job = &sched->jobs[slot];
        tori_time start;
        if (!job->reserved)
            continue;
        if (sched->placed)
            start = start_there (sched, slot, all);
        else if (start_among (sched, profile, job, &start, err) < 0)
            return -1;
        *ret_delayed |= delay_start (sched, slot, start);
    }
    return 0;
}

int plan_put_off (tori_sched *sched, tori_error *err)
{
    struct profile profile = {0};
    bool delayed = false, all = sched->strained;
    int status = 0;
    if (sched->depth < 2 || all_hold (sched))
        return 0;
    sched->strained = true;
    if (!sched->placed) {
        status = plan_running_profile (sched, &profile, err);
        if (status == 0)
            profile_sort (&profile);
    }
    if (status == 0)
        status = delay_all (sched, &profile, all, &delayed, err);
    profile_clear (&profile);
    for (size_t i = 0; i < sched->nreserved; i++)
        sched->reserved[i].late = false;
    if (delayed)
        sched_changed (sched);
    if (status == 0)
        sched->strained = false;
    return status;
}

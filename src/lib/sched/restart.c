/* restart.c - a scheduler that takes over from another: the running jobs, and
 * the planned starts of those that wait. */
#include <stdlib.h>

#include "ask.h"
#include "core.h"
#include "placement.h"

/* ---- jobs that run ---- */

/* A copy of a placement that is held from now on. */
static int hold_copy (tori_sched *sched, const tori_placement *place,
                      tori_placement **ret_held, tori_error *err)
{
    tori_placement *held = malloc (sizeof *held);
    if (!held)
        return tori_error_nomem (err);
    *held = (tori_placement){0};
    if (tori_placement_copy (held, place, err) < 0
        || tori_placement_hold (held, sched->state, err) < 0) {
        placement_drop (held);
        return -1;
    }
    *ret_held = held;
    return 0;
}

int tori_sched_adopt (tori_sched *sched, tori_time now,
                      const tori_job_spec *spec, tori_time start,
                      const tori_placement *place, tori_job *ret_job,
                      tori_error *err)
{
    tori_placement *held = NULL;
    struct submission own;
    uint32_t class;
    job_slot slot;
    if (start < 0)
        return tori_error_set (err, TORI_INVALID, "a start before time 0");
    if (start > now)
        return tori_error_set (err, TORI_INVALID, "a start in the future");
    if (place->count == 0)
        return tori_error_set (err, TORI_INVALID, "a job without nodes");
    if (jobs_read (sched, spec, &own, err) < 0
        || sched_check_time (sched, now, err) < 0
        || patience_find (sched, now, &own, &class, err) < 0
        || jobs_room (sched, err) < 0 || running_room (sched, err) < 0
        || order_submit (sched, now, class, &own, err) < 0
        || hold_copy (sched, place, &held, err) < 0)
        return -1;
    sched_advance (sched, now);
    while (sched->nreserved > 0)
        plan_forget (sched, sched->reserved[sched->nreserved - 1].job);
    slot = jobs_add (sched, &own, class);
    running_insert (sched, slot, held, start);
    class_of (sched, class)->members++;
    class_of (sched, class)->urgent += own.spec.level > 0;
    sched->overdue = now; /* the former scheduler knew that */
    sched_changed (sched);
    *ret_job = sched->jobs[slot].number;
    return 0;
}

/* ---- planned starts ---- */

int tori_sched_reservation (tori_sched *sched, tori_job number,
                            tori_time *ret_start,
                            const tori_placement **ret_place, tori_error *err)
{
    job_slot slot = jobs_in_phase (sched, number, QUEUED);
    const struct job *job;
    if (slot == NO_SLOT)
        return 0;
    if (sched->jobs[slot].suspended)
        return windows_kept (sched, slot, ret_start, ret_place);
    /* A single planned start is only computed when it matters; it does now. */
    if (lanes_all_settled (&sched->lanes)
        && plan_upto (sched, sched->lanes.entries, err) < 0)
        return -1;
    job = &sched->jobs[slot];
    if (!job->reserved)
        return 0;
    *ret_start = job->reserved_at;
    *ret_place = job->reserved_place;
    return 1;
}

/* A single planned start is made anew when something has changed. */
bool tori_sched_promised (const tori_sched *sched, size_t i, tori_job *ret_job,
                          tori_time *ret_start,
                          const tori_placement **ret_place)
{
    const struct job *job;
    if (i >= sched->nreserved || (sched->depth == 1 && sched->planned == 0))
        return false;
    job = &sched->jobs[sched->reserved[i].job];
    *ret_job = job->number;
    *ret_start = job->reserved_at;
    *ret_place = job->reserved_place;
    return true;
}

/* Whether the policy gives this job a planned start. */
static bool may_reserve (const tori_sched *sched, job_slot slot)
{
    struct entry entry;
    if (sched->jobs[slot].aside)
        return false;
    if (sched->by_class)
        return sched->depth == 1
               && lanes_head (&sched->lanes)->job == slot;
    entry = jobs_entry (sched, slot);
    return queue_find (&sched->lanes.all[0].queue, &entry) < sched->depth;
}

/* Whether a place could be the answer to any request of a job. If not, the
 * error is about the first. */
static int check_promise (const tori_sched *sched, job_slot slot,
                          const tori_placement *place, tori_error *err)
{
    const struct class *class = class_of (sched, sched->jobs[slot].class);
    const struct prepared *asks;
    if (class->exact)
        return placement_equal (class->exact, place)
                   ? 0
                   : tori_error_set (err, TORI_INVALID,
                                     "not where the job was suspended");
    for (size_t i = 1; (asks = class_asks (class, i)) != NULL; i++)
        if (alloc_check_place (alloc_for (sched, &asks->request), asks, place,
                               NULL)
            == 0)
            return 0;
    return alloc_check_place (alloc_for (sched, &class->asks.request),
                              &class->asks, place, err);
}

static int check_nodes (const tori_sched *sched, job_slot slot,
                        const tori_placement *place, tori_error *err)
{
    return sched_may_use (sched, slot, place)
               ? 0
               : tori_error_set (err, TORI_INVALID,
                                 "a place with nodes that the job may not "
                                 "use");
}

int sched_check_place (const tori_sched *sched, job_slot slot,
                       const tori_placement *place, tori_error *err)
{
    return check_promise (sched, slot, place, err) < 0
               ? -1
               : check_nodes (sched, slot, place, err);
}

int tori_sched_reserve (tori_sched *sched, tori_job number, tori_time start,
                        const tori_placement *place, tori_error *err)
{
    job_slot slot = jobs_in_phase (sched, number, QUEUED);
    tori_placement copy = {0};
    if (slot == NO_SLOT
        || !(sched->jobs[slot].suspended || may_reserve (sched, slot)))
        return tori_error_set (err, TORI_INVALID,
                               "no queued job that may have a planned start");
    if (start < 0)
        return tori_error_set (err, TORI_INVALID, "a start before time 0");
    if (sched->placed != (place != NULL))
        return tori_error_set (err, TORI_INVALID,
                               sched->placed
                                   ? "a planned start without a place"
                                   : "nodes are reserved by count, not at a "
                                     "place");
    if (place && sched_check_place (sched, slot, place, err) < 0)
        return -1;
    if (start < sched->now) /* it was not run then: a new one is made */
        return 0;
    if (sched->jobs[slot].suspended)
        return windows_restore (sched, slot, start, err);
    if (place && tori_placement_copy (&copy, place, err) < 0)
        return -1;
    if (plan_restore (sched, slot, start, &copy, err) < 0) {
        tori_placement_clear (&copy);
        return -1;
    }
    return 0;
}

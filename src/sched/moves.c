/* moves.c - running jobs that go to other places. */
#include <stdlib.h>

#include "core.h"
#include "placement.h"

/* One who moves, and where to; afterwards, where it was. */
struct transfer {
    job_slot slot;
    tori_placement place;
};

static void swap_place (tori_sched *sched, struct transfer *transfer)
{
    tori_placement *held = sched->jobs[transfer->slot].place;
    tori_placement was = *held;
    *held = transfer->place;
    transfer->place = was;
}

/* All leave, then all arrive; or nobody has moved. Who goes back needs no
 * memory for what it held before. */
static int carry_out (tori_sched *sched, struct transfer transfers[], size_t n,
                       tori_error *err)
{
    size_t arrived = 0;
    for (size_t i = 0; i < n; i++)
        placement_unblock (sched->jobs[transfers[i].slot].place, sched->state);
    while (arrived < n
           && tori_placement_hold (&transfers[arrived].place, sched->state, err)
                  == 0)
        arrived++;
    if (arrived == n) {
        for (size_t i = 0; i < n; i++)
            swap_place (sched, &transfers[i]);
        return 0;
    }
    while (arrived > 0)
        placement_unblock (&transfers[--arrived].place, sched->state);
    for (size_t i = 0; i < n; i++)
        (void)placement_block (sched->jobs[transfers[i].slot].place, sched->state,
                               NULL);
    return -1;
}

/* A job has moved: what it had is free, what it has is taken. */
static void settle (tori_sched *sched, job_slot slot)
{
    struct job *job = &sched->jobs[slot];
    tori_time before = job->end;
    if (before <= sched->now)
        before = time_add (sched->now, 1);
    running_delay (sched, slot, sched->move);
    plan_freed (sched, sched->now, before);
    plan_drop_moved (sched, job, before);
}

static int read_transfer (const tori_sched *sched, tori_job number,
                      const tori_placement *to, struct transfer *ret_transfer,
                      tori_error *err)
{
    const tori_placement *held;
    ret_transfer->slot = jobs_in_phase (sched, number, RUNNING);
    if (ret_transfer->slot == NO_SLOT)
        return tori_error_set (err, TORI_INVALID, "no such running job");
    held = sched->jobs[ret_transfer->slot].place;
    if (to->count != held->count || to->wiring != held->wiring)
        return tori_error_set (err, TORI_INVALID,
                               "a job that moves keeps its number of nodes "
                               "and its wiring");
    return placement_check (to, sched->machine, err) < 0
               ? -1
               : tori_placement_copy (&ret_transfer->place, to, err);
}

static int check_once (const struct transfer transfers[], size_t n, tori_error *err)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            if (transfers[i].slot == transfers[j].slot)
                return tori_error_set (err, TORI_INVALID,
                                       "a job that moves twice");
    return 0;
}

int tori_sched_move_all (tori_sched *sched, tori_time now,
                         const tori_job jobs[],
                         const tori_placement *const to[], size_t n,
                         tori_error *err)
{
    struct transfer *transfers;
    int status = sched_check_time (sched, now, err);
    if (status < 0)
        return -1;
    transfers = calloc (n + 1, sizeof *transfers);
    if (!transfers)
        return tori_error_nomem (err);
    for (size_t i = 0; i < n && status == 0; i++)
        status = read_transfer (sched, jobs[i], to[i], &transfers[i], err);
    if (status == 0)
        status = check_once (transfers, n, err);
    if (status == 0)
        status = carry_out (sched, transfers, n, err);
    if (status == 0) {
        sched_advance (sched, now);
        for (size_t i = 0; i < n; i++)
            settle (sched, transfers[i].slot);
        sched_changed (sched);
        drains_review (sched);
    }
    for (size_t i = 0; i < n; i++)
        tori_placement_clear (&transfers[i].place);
    free (transfers);
    return status;
}

int tori_sched_move (tori_sched *sched, tori_time now, tori_job job,
                     const tori_placement *to, tori_error *err)
{
    return tori_sched_move_all (sched, now, &job, &to, 1, err);
}

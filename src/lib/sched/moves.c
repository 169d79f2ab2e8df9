/* moves.c - running jobs that go to other places. */
#include <stdlib.h>

#include "ask.h"
#include "core.h"
#include "placement.h"

/* Whether such a place is an answer to a request. */
static bool answers_request (const tori_machine *machine,
                             const tori_placement *place,
                             const tori_request *request)
{
    tori_shape a, b = request->shape;
    if (!tori_placement_shape (place, machine, &a))
        return b.ndims == 0;
    tori_shape_sort (&a);
    tori_shape_sort (&b);
    return place->wiring == request->wiring && tori_shape_equal (&a, &b);
}

/* The first of the requests that matches its present place is used. */
tori_room_job sched_mover (const tori_sched *sched, const struct job *job,
                           const uint64_t *barred)
{
    const struct class *class = class_of (sched, job->class);
    const struct prepared *asks = NULL;
    for (size_t i = 0; (asks = class_asks (class, i)) != NULL; i++)
        if (answers_request (sched->machine, job->place, &asks->request))
            break;
    if (!asks)
        asks = &class->asks;
    return (tori_room_job){.place = job->place,
                           .stays = job->flags & TORI_JOB_STAYS,
                           .fixed = request_keeps_sides (&asks->request),
                           .wrap = asks->request.wrap,
                           .barred = barred};
}

/* Exchange the places: the old one is free. A job that outlived its estimate
 * was expected to be there now. */
static void trade_places (tori_sched *sched, struct job *job,
                          tori_placement *place)
{
    tori_placement was = *job->place;
    *job->place = *place;
    *place = was;
    plan_freed (sched, sched->now,
                job->end > sched->now ? job->end : time_add (sched->now, 1));
}

void sched_resettle (tori_sched *sched, job_slot slot, tori_placement *place,
                     tori_time done)
{
    struct job *job = &sched->jobs[slot];
    tori_time before = job->end;
    trade_places (sched, job, place);
    running_remove (sched, slot);
    job->done = done;
    jobs_set_length (job, job->estimate);
    job->lost = sched->move;
    running_insert (sched, slot, job->place, sched->now);
    plan_drop_moved (sched, job, before);
}

/* All leave, then all arrive; or no job has moved. Going back needs no memory,
 * because the lists of links are there. */
int sched_transfer (tori_sched *sched, const struct transfer transfers[],
                    size_t n, tori_error *err)
{
    size_t arrived = 0;
    for (size_t i = 0; i < n; i++)
        placement_unblock (sched->jobs[transfers[i].slot].place, sched->state);
    while (arrived < n
           && tori_placement_hold (&transfers[arrived].place, sched->state,
                                   err)
                  == 0)
        arrived++;
    if (arrived == n)
        return 0;
    while (arrived > 0)
        placement_unblock (&transfers[--arrived].place, sched->state);
    for (size_t i = 0; i < n; i++)
        (void)placement_block (sched->jobs[transfers[i].slot].place,
                               sched->state, NULL);
    return -1;
}

/* A job has moved: its old place is free, the new one is taken. */
static void settle_transfer (tori_sched *sched, struct transfer *transfer)
{
    struct job *job = &sched->jobs[transfer->slot];
    tori_time before = job->end;
    if (sched->flags & TORI_SCHED_RESTARTS) {
        sched_resettle (sched, transfer->slot, &transfer->place,
                        jobs_saved (sched, job));
        return;
    }
    trade_places (sched, job, &transfer->place);
    running_delay (sched, transfer->slot, sched->move);
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
    if (placement_check (to, sched->machine, err) < 0)
        return -1;
    if (!sched_may_use (sched, ret_transfer->slot, to))
        return tori_error_set (err, TORI_INVALID,
                               "a job that moves to nodes it may not use");
    return tori_placement_copy (&ret_transfer->place, to, err);
}

static int check_once (const struct transfer transfers[], size_t n,
                       tori_error *err)
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
        status = sched_transfer (sched, transfers, n, err);
    if (status == 0) {
        sched_advance (sched, now);
        for (size_t i = 0; i < n; i++)
            settle_transfer (sched, &transfers[i]);
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

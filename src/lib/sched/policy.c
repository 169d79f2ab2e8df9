/* policy.c - a policy that the program brings along.
 *
 * It decides in each run, instead of the walk over the queue. The scheduler
 * keeps the jobs and the machine, and checks every start: so a policy that is
 * wrong gets an error, and never two jobs on a node. */
#include <inttypes.h>
#include <stdlib.h>

#include "configure.h"
#include "core.h"
#include "sized.h"

int policy_init (tori_sched *sched, const tori_sched_config *config,
                 tori_error *err)
{
    tori_policy_ops *own = &sched->decides;
    sched->own_policy = config->own_policy;
    if (!config->own_policy) {
        sched->policy = sched_policy (config->policy, err);
        return sched->policy ? 0 : -1;
    }
    if (SIZED_COPY (tori_policy_ops, own, config->own_policy, err) < 0)
        return -1;
    if (!own->name || !*own->name || !own->decide)
        return tori_error_set (err, TORI_INVALID,
                               "a policy needs a name and a function that "
                               "decides");
    if (sched_policy (own->name, NULL))
        return tori_error_set (err, TORI_INVALID,
                               "the policy '%.60s' has the name of one of "
                               "tori's",
                               own->name);
    if (config->flags & TORI_SCHED_MOVES)
        return policy_check (sched, "moves", err);
    sched->rules = (struct policy){
        .info = {own->name, "a policy of the program's own"},
        .stop_at_blocked = true}; /* for tori, no job may overtake another */
    sched->policy = &sched->rules;
    return 0;
}

int policy_check (const tori_sched *sched, const char *what, tori_error *err)
{
    return sched->own_policy
               ? tori_error_set (err, TORI_INVALID,
                                 "there are no %s where the policy '%.60s' "
                                 "decides, which is the program's own",
                                 what, sched->decides.name)
               : 0;
}

static tori_job *list_queue (const tori_sched *sched, tori_error *err)
{
    size_t n = sched->lanes.entries;
    tori_job *queue = malloc ((n + 1) * sizeof *queue);
    if (!queue) {
        tori_error_nomem (err);
        return NULL;
    }
    for (size_t i = 0; i < n; i++)
        queue[i] = sched->jobs[lanes_at (&sched->lanes, 0, i)->job].number;
    return queue;
}

int policy_decide (tori_sched *sched, tori_error *err)
{
    const tori_policy_ops *own = &sched->decides;
    tori_job *queue = list_queue (sched, err);
    tori_error why = {0};
    int status;
    if (!queue)
        return -1;
    sched->deciding = true;
    status = own->decide (own->arg, sched, sched->now, queue,
                          sched->lanes.entries, &why);
    sched->deciding = false;
    free (queue);
    sched_walked (sched);
    if (status == 0)
        return 0;
    if (!why.status)
        tori_error_set (&why, TORI_FAILED, "the policy '%.60s' failed",
                        own->name);
    if (err)
        *err = why;
    return -1;
}

/* ---- starts ---- */

/* Whether a place suits a job and is free; its links go around those that are
 * down. */
static int check_place (tori_sched *sched, job_slot slot,
                        tori_placement *place, tori_error *err)
{
    if (sched_check_place (sched, slot, place, err) < 0
        || tori_placement_wire (place, sched->state, err) < 0
        || tori_placement_hold (place, sched->state, err) < 0)
        return -1;
    tori_placement_release (place, sched->state);
    return 0;
}

/* A copy of the place that the program gives a job. */
static int copy_place (tori_sched *sched, job_slot slot,
                       const tori_placement *place, tori_placement *ret_place,
                       tori_error *err)
{
    tori_placement copy;
    tori_error why = {0};
    if (tori_placement_copy (&copy, place, err) < 0)
        return -1;
    if (check_place (sched, slot, &copy, &why) < 0) {
        tori_placement_clear (&copy);
        return why.status == TORI_FAILED
                   ? tori_error_nomem (err)
                   : tori_error_set (err, why.status,
                                     "job %" PRIu64 ": %.440s",
                                     sched->jobs[slot].tag, why.text);
    }
    *ret_place = copy;
    return 0;
}

/* The place that the allocator gives a job. */
static int find_place (tori_sched *sched, job_slot slot,
                       tori_placement *ret_place, tori_error *err)
{
    const struct job *job = &sched->jobs[slot];
    struct class *class = class_of (sched, job->class);
    int64_t free = sched_free (sched, class);
    int found = 0;
    if (class->misfit != sched->epoch && class->nodes <= free)
        found = sched_ask (sched, class, sched->state, ret_place, err);
    if (found != 0)
        return found < 0 ? -1 : 0;
    class->misfit = sched->epoch;
    return tori_error_set (err, TORI_NOT_NOW,
                           "job %" PRIu64 " has no place now: it needs %" PRId64
                           " nodes, and %" PRId64 " are free",
                           job->tag, class->nodes, free);
}

int tori_sched_start (tori_sched *sched, tori_job number,
                      const tori_placement *place, tori_error *err)
{
    job_slot slot = jobs_in_phase (sched, number, QUEUED);
    tori_placement found = {0}, *held;
    if (!sched->deciding)
        return tori_error_set (err, TORI_INVALID,
                               "jobs start only while a policy of the "
                               "program's own decides");
    if (slot == NO_SLOT)
        return tori_error_set (err, TORI_INVALID, "no such job waits");
    if (sched->jobs[slot].aside)
        return tori_error_set (err, TORI_NOT_NOW, "job %" PRIu64 " %s",
                               sched->jobs[slot].tag,
                               sched->jobs[slot].aside);
    if ((place ? copy_place (sched, slot, place, &found, err)
               : find_place (sched, slot, &found, err))
        < 0)
        return -1;
    if (sched_start_room (sched, &found, &held, err) < 0) {
        tori_placement_clear (&found);
        return -1;
    }
    sched_start (sched, slot, held, false);
    return 0;
}

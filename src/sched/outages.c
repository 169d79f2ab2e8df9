/* outages.c - nodes and links that go down, are drained and come up, and what
 * becomes of the jobs on them. */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "core.h"

/* What goes down: a node, or a link. */
struct failure {
    uint32_t node; /* or TORI_NO_NODE */
    tori_link link;
};

static bool hits (const tori_sched *sched, const struct failure *failure,
                  const tori_placement *place)
{
    return failure->node == TORI_NO_NODE
               ? tori_placement_uses_link (place, sched->machine,
                                           &failure->link)
               : tori_placement_contains (place, sched->machine,
                                          failure->node);
}

/* The running job that holds what goes down, or NO_SLOT: nobody else does. */
static job_slot holder_of (const tori_sched *sched,
                           const struct failure *failure)
{
    for (size_t i = 0; i < sched->nrunning; i++) {
        job_slot slot = sched->running[i].job;
        if (hits (sched, failure, sched->jobs[slot].place))
            return slot;
    }
    return NO_SLOT;
}

static bool comes_back (const tori_sched *sched, job_slot slot)
{
    return slot != NO_SLOT && sched->jobs[slot].flags & TORI_JOB_REQUEUE;
}

/* Room for what a failure brings about: a decision, and a job that waits
 * again. */
static int failure_room (tori_sched *sched, job_slot victim, tori_error *err)
{
    if (sched_need_decisions (sched, 1, err) < 0)
        return -1;
    return comes_back (sched, victim)
               ? sched_enqueue_room (sched, victim, 1, err)
               : 0;
}

/* What follows when a node or link has changed. */
static void machine_changed (tori_sched *sched, tori_time now, bool worse)
{
    sched_advance (sched, now);
    sched_changed (sched);
    sched->outages++;
    if (worse)
        plan_drop_broken (sched);
    else
        plan_freed (sched, sched->now, TORI_TIME_MAX);
}

/* Something went down under a job, if there is one. There is room, which a
 * drain that is complete then may need as well: so it is told first. */
static void strike (tori_sched *sched, job_slot victim,
                    const struct failure *failure)
{
    bool again = comes_back (sched, victim);
    const struct job *job;
    struct made made = {.node = failure->node,
                        .link = failure->link,
                        .by = TORI_NO_JOB};
    if (victim == NO_SLOT)
        return;
    job = &sched->jobs[victim];
    made.kind = again ? TORI_REQUEUE : TORI_KILL;
    made.job = job->number;
    made.tag = job->tag;
    sched_decide (sched, made);
    if (again)
        sched_put_back (sched, victim);
    else
        sched_end (sched, victim);
}

static int check_node (const tori_sched *sched, uint32_t node, tori_error *err)
{
    if (node >= tori_machine_nodes (sched->machine))
        return tori_error_set (err, TORI_INVALID, "no such node: %u", node);
    return 0;
}

int tori_sched_set_down (tori_sched *sched, tori_time now, uint32_t node,
                         bool down, tori_error *err)
{
    struct failure failure = {.node = node};
    job_slot victim;
    if (check_node (sched, node, err) < 0
        || sched_check_time (sched, now, err) < 0)
        return -1;
    victim = down ? holder_of (sched, &failure) : NO_SLOT;
    if (failure_room (sched, victim, err) < 0
        || tori_state_set_down (sched->state, node, down, err) < 0)
        return -1;
    machine_changed (sched, now, down);
    strike (sched, victim, &failure);
    return 0;
}

int tori_sched_set_link_down (tori_sched *sched, tori_time now,
                              const tori_link *link, bool down,
                              tori_error *err)
{
    struct failure failure = {TORI_NO_NODE, *link};
    job_slot victim = down ? holder_of (sched, &failure) : NO_SLOT;
    if (sched_check_time (sched, now, err) < 0
        || failure_room (sched, victim, err) < 0
        || tori_state_set_link_down (sched->state, link, down, err) < 0)
        return -1;
    machine_changed (sched, now, down);
    strike (sched, victim, &failure);
    return 0;
}

/* ---- drains ---- */

static void drain_remove (tori_sched *sched, size_t at)
{
    free (sched->drains[at].nodes);
    sched->ndrains--;
    memmove (sched->drains + at, sched->drains + at + 1,
             (sched->ndrains - at) * sizeof *sched->drains);
}

static bool drain_complete (const tori_sched *sched, const struct drain *drain)
{
    for (size_t i = 0; i < drain->n; i++)
        if (tori_state_is_busy (sched->state, drain->nodes[i]))
            return false;
    return true;
}

void drains_review (tori_sched *sched)
{
    size_t i = 0;
    while (i < sched->ndrains)
        if (!drain_complete (sched, &sched->drains[i])) {
            i++;
        } else if (sched_need_decisions (sched, 1, NULL) < 0) {
            return;
        } else {
            sched_decide (sched, (struct made){.kind = TORI_DRAINED,
                                               .job = TORI_NO_JOB,
                                               .by = TORI_NO_JOB,
                                               .tag = sched->drains[i].tag});
            drain_remove (sched, i);
        }
}

void drains_clear (tori_sched *sched)
{
    while (sched->ndrains > 0)
        drain_remove (sched, sched->ndrains - 1);
    free (sched->drains);
}

/* A node is in service again: nobody waits for it to be left. */
static void drains_forget (tori_sched *sched, uint32_t node)
{
    for (size_t i = sched->ndrains; i-- > 0;) {
        struct drain *drain = &sched->drains[i];
        size_t kept = 0;
        for (size_t k = 0; k < drain->n; k++)
            if (drain->nodes[k] != node)
                drain->nodes[kept++] = drain->nodes[k];
        drain->n = kept;
        if (kept == 0)
            drain_remove (sched, i);
    }
}

int tori_sched_set_drained (tori_sched *sched, tori_time now, uint32_t node,
                            bool drained, tori_error *err)
{
    if (check_node (sched, node, err) < 0
        || sched_check_time (sched, now, err) < 0
        || tori_state_set_drained (sched->state, node, drained, err) < 0)
        return -1;
    if (!drained)
        drains_forget (sched, node);
    machine_changed (sched, now, drained);
    drains_review (sched);
    return 0;
}

static int drain_room (tori_sched *sched, const uint32_t nodes[], size_t n,
                       uint32_t **ret_copy, tori_error *err)
{
    struct drain *more;
    uint32_t *copy;
    if (sched_need_decisions (sched, 1, err) < 0)
        return -1;
    more = array_room (sched->drains, &sched->drains_room, sched->ndrains + 1,
                       sizeof *more);
    if (more)
        sched->drains = more;
    copy = more ? malloc (n * sizeof *copy) : NULL;
    if (!copy)
        return tori_error_nomem (err);
    memcpy (copy, nodes, n * sizeof *copy);
    *ret_copy = copy;
    return 0;
}

/* Setting a mark needs memory only for the first of all. */
static int drain_all (tori_sched *sched, const uint32_t nodes[], size_t n,
                      tori_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (tori_state_set_drained (sched->state, nodes[i], true, err) < 0)
            return -1;
    return 0;
}

int tori_sched_drain (tori_sched *sched, tori_time now, const uint32_t nodes[],
                      size_t n, uint64_t tag, tori_error *err)
{
    uint32_t *copy = NULL;
    if (n == 0)
        return tori_error_set (err, TORI_INVALID, "no nodes to drain");
    for (size_t i = 0; i < n; i++)
        if (check_node (sched, nodes[i], err) < 0)
            return -1;
    if (sched_check_time (sched, now, err) < 0
        || drain_room (sched, nodes, n, &copy, err) < 0)
        return -1;
    if (drain_all (sched, nodes, n, err) < 0) {
        free (copy);
        return -1;
    }
    sched->drains[sched->ndrains++] = (struct drain){tag, copy, n};
    machine_changed (sched, now, true);
    drains_review (sched);
    return 0;
}

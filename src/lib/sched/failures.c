/* failures.c - nodes and links that fail, and the jobs that used them.
 *
 * All that fails together is taken out of service first. Then the jobs that
 * are hit have their turn, in the order of the list of running jobs. A job
 * that is to be repaired goes to another place if there is one; any other
 * gives back its place, and later jobs may go there.
 *
 * That needs memory in between. So it is rehearsed in the state of the machine
 * and undone, and done for good when nothing can fail any more. */
#include <stdlib.h>

#include "bits.h"
#include "core.h"
#include "grid.h"
#include "placement.h"

/* The limit of steps of tori_room_repair; it bounds those of a list of
 * nodes. */
enum { REPAIR_STEPS = 4096 };

/* A failed node, or a failed link. */
struct failure {
    uint32_t node; /* or TORI_NO_NODE */
    tori_link link;
    bool before; /* it was down already */
};

/* A job that is hit. */
struct victim {
    job_slot slot;
    const struct failure *failure; /* the first that hits it */
    bool repaired;
    tori_placement to; /* the new place if repaired; afterwards the old one */
};

struct accident {
    struct failure *failure;
    size_t failures, down; /* `down` of them were taken down */
    struct victim *victim;
    size_t victims;
    struct victim *stranded; /* suspended jobs that cannot continue there */
    size_t nstranded;
    uint64_t *barred; /* scratch: a set of nodes */
};

/* ---- what is down ---- */

int sched_check_node (const tori_sched *sched, uint32_t node, tori_error *err)
{
    if (node >= tori_machine_nodes (sched->machine))
        return tori_error_set (err, TORI_INVALID, "no such node: %u", node);
    return 0;
}

static int set_down (tori_sched *sched, const struct failure *failure,
                     bool down, tori_error *err)
{
    return failure->node == TORI_NO_NODE
               ? tori_state_set_link_down (sched->state, &failure->link, down,
                                           err)
               : tori_state_set_down (sched->state, failure->node, down, err);
}

static bool is_down (const tori_sched *sched, const struct failure *failure)
{
    return failure->node == TORI_NO_NODE
               ? tori_state_link_down (sched->state, &failure->link)
               : tori_state_is_down (sched->state, failure->node);
}

static int take_down (tori_sched *sched, struct accident *accident,
                      tori_error *err)
{
    for (; accident->down < accident->failures; accident->down++) {
        struct failure *failure = &accident->failure[accident->down];
        failure->before = is_down (sched, failure);
        if (set_down (sched, failure, true, err) < 0)
            return -1;
    }
    return 0;
}

/* Undo take_down. */
static void bring_up (tori_sched *sched, struct accident *accident)
{
    sched->outages++;
    while (accident->down > 0) {
        const struct failure *failure = &accident->failure[--accident->down];
        if (!failure->before)
            (void)set_down (sched, failure, false, NULL);
    }
}

/* ---- which jobs are hit ---- */

static bool hits_place (const tori_sched *sched, const struct failure *failure,
                        const tori_placement *place)
{
    return failure->node == TORI_NO_NODE
               ? tori_placement_uses_link (place, sched->machine,
                                           &failure->link)
               : tori_placement_contains (place, sched->machine,
                                          failure->node);
}

static const struct failure *first_hit (const tori_sched *sched,
                                        const struct accident *accident,
                                        const tori_placement *place)
{
    for (size_t i = 0; i < accident->failures; i++)
        if (hits_place (sched, &accident->failure[i], place))
            return &accident->failure[i];
    return NULL;
}

/* There are at most as many victims as failures: jobs share nothing. */
static void list_victims (const tori_sched *sched, struct accident *accident)
{
    for (size_t i = 0; i < sched->nrunning; i++) {
        job_slot slot = sched->running[i].job;
        const struct failure *failure
            = first_hit (sched, accident, sched->jobs[slot].place);
        if (failure)
            accident->victim[accident->victims++]
                = (struct victim){.slot = slot, .failure = failure};
    }
}

/* Suspended jobs whose place has failed, by turn. */
static int list_stranded (const tori_sched *sched, struct accident *accident,
                          tori_error *err)
{
    size_t n = 0;
    for (job_slot slot = 0; slot < sched->njobs; slot++)
        n += sched->jobs[slot].suspended;
    accident->stranded = calloc (n + 1, sizeof *accident->stranded);
    if (!accident->stranded)
        return tori_error_nomem (err);
    for (job_slot slot = 0; n > 0 && slot < sched->njobs; slot++) {
        const struct job *job = &sched->jobs[slot];
        const struct failure *failure
            = job->suspended ? first_hit (sched, accident,
                                          suspend_place (sched, job))
                             : NULL;
        size_t at = accident->nstranded;
        if (!failure)
            continue;
        for (; at > 0
               && sched->jobs[accident->stranded[at - 1].slot].turn
                      > job->turn;
             at--)
            accident->stranded[at] = accident->stranded[at - 1];
        accident->stranded[at]
            = (struct victim){.slot = slot, .failure = failure};
        accident->nstranded++;
    }
    return 0;
}

static bool comes_back (const tori_sched *sched, job_slot slot)
{
    return sched->jobs[slot].flags & TORI_JOB_REQUEUE;
}

static int make_room_for (tori_sched *sched, uint32_t class, size_t n,
                          tori_error *err)
{
    return sched_enqueue_room (sched, class, n, err) < 0
               ? -1
               : ineligible_weigh (sched, class, err);
}

/* Room for all that follows: a decision for each victim, and requeued jobs, in
 * the queue or set aside. */
static int make_room (tori_sched *sched, const struct accident *accident,
                      tori_error *err)
{
    size_t n = accident->victims + accident->nstranded;
    if (sched_need_decisions (sched, n + 1, err) < 0)
        return -1;
    for (size_t i = 0; i < accident->victims; i++) {
        job_slot slot = accident->victim[i].slot;
        if (comes_back (sched, slot)
            && make_room_for (sched, sched->jobs[slot].class, n, err) < 0)
            return -1;
    }
    for (size_t i = 0; i < accident->nstranded; i++) {
        job_slot slot = accident->stranded[i].slot;
        if (make_room_for (sched, sched->jobs[slot].home, n, err) < 0)
            return -1;
    }
    return 0;
}

/* ---- rehearsal ---- */

/* The end of a job that continues from its last checkpoint now. */
static tori_time end_of (const tori_sched *sched, const struct job *job)
{
    tori_time left = job_length (job->estimate, jobs_saved (sched, job));
    return time_add (time_add (sched->now, sched->move), left);
}

/* Find a new place that avoids windows and, if `promises`, planned starts. */
static int find_place (tori_sched *sched, struct accident *accident,
                       struct victim *victim, bool promises, tori_error *err)
{
    const struct job *job = &sched->jobs[victim->slot];
    tori_room_job mover = sched_mover (sched, job, accident->barred);
    tori_room room = {0};
    plan_bar (sched, job, end_of (sched, job), promises, accident->barred);
    if (tori_room_repair (sched->state, &mover,
                          TORI_ROOM (.steps = REPAIR_STEPS,
                                     .slices = alloc_config (sched->alloc)
                                                   ->slices),
                          &room, err)
        < 0)
        return -1;
    victim->repaired = room.found;
    victim->to = room.place;
    return 0;
}

/* Move or remove a victim in the state. Its new place is free, and the lists
 * of links are there. */
static void apply_victim (tori_sched *sched, const struct victim *victim)
{
    placement_unblock (sched->jobs[victim->slot].place, sched->state);
    if (victim->repaired)
        (void)placement_block (&victim->to, sched->state, NULL);
}

static void undo_victim (tori_sched *sched, const struct victim *victim)
{
    if (victim->repaired)
        placement_unblock (&victim->to, sched->state);
    (void)placement_block (sched->jobs[victim->slot].place, sched->state,
                           NULL);
}

static int rehearse_one (tori_sched *sched, struct accident *accident,
                         struct victim *victim, tori_error *err)
{
    const struct job *job = &sched->jobs[victim->slot];
    if (job->flags & TORI_JOB_REPAIR
        && (find_place (sched, accident, victim, true, err) < 0
            || (!victim->repaired
                && find_place (sched, accident, victim, false, err) < 0)))
        return -1;
    apply_victim (sched, victim);
    if (victim->repaired)
        plan_doom (sched, &victim->to, end_of (sched, job));
    return 0;
}

/* Find the new places. Afterwards the state is as before. */
static int rehearse_all (tori_sched *sched, struct accident *accident,
                         tori_error *err)
{
    size_t i = 0;
    int status = 0;
    plan_doom_broken (sched);
    for (; i < accident->victims && status == 0; i += status == 0)
        status = rehearse_one (sched, accident, &accident->victim[i], err);
    while (i > 0)
        undo_victim (sched, &accident->victim[--i]);
    return status;
}

/* ---- the real thing ---- */

static void report_victim (tori_sched *sched, const struct victim *victim)
{
    const struct job *job = &sched->jobs[victim->slot];
    struct made made = {.kind = job->suspended
                                        || comes_back (sched, victim->slot)
                                    ? TORI_REQUEUE
                                    : TORI_KILL,
                        .job = job->number,
                        .tag = job->tag,
                        .by = TORI_NO_JOB,
                        .node = victim->failure->node,
                        .link = victim->failure->link};
    if (victim->repaired) {
        made.kind = TORI_MOVE;
        made.place = job->place;
    }
    sched_decide (sched, made);
}

static void strike_victim (tori_sched *sched, struct victim *victim)
{
    if (!victim->repaired) {
        if (comes_back (sched, victim->slot))
            sched_put_back (sched, victim->slot);
        else
            sched_end (sched, victim->slot);
        return;
    }
    apply_victim (sched, victim);
    sched_resettle (sched, victim->slot, &victim->to,
                    jobs_saved (sched, &sched->jobs[victim->slot]));
}

/* Complete drains are reported last; there is room for them. */
static void carry_out (tori_sched *sched, struct accident *accident)
{
    sched_changed (sched);
    plan_drop_broken (sched);
    for (size_t i = 0; i < accident->victims; i++)
        report_victim (sched, &accident->victim[i]);
    for (size_t i = 0; i < accident->nstranded; i++)
        report_victim (sched, &accident->stranded[i]);
    for (size_t i = 0; i < accident->victims; i++)
        strike_victim (sched, &accident->victim[i]);
    for (size_t i = 0; i < accident->nstranded; i++)
        suspend_lose (sched, accident->stranded[i].slot);
    drains_review (sched);
}

static int list_failures (tori_sched *sched, struct accident *accident,
                          const uint32_t nodes[], size_t n,
                          const tori_link links[], size_t nlinks,
                          tori_error *err)
{
    size_t all = n + nlinks, words = bits_words (sched->machine->nodes);
    for (size_t i = 0; i < n; i++)
        if (sched_check_node (sched, nodes[i], err) < 0)
            return -1;
    accident->failure = calloc (all + 1, sizeof *accident->failure);
    accident->victim = calloc (all + 1, sizeof *accident->victim);
    accident->barred = calloc (words, sizeof *accident->barred);
    if (!accident->failure || !accident->victim || !accident->barred)
        return tori_error_nomem (err);
    for (size_t i = 0; i < n; i++)
        accident->failure[i].node = nodes[i];
    for (size_t i = 0; i < nlinks; i++)
        accident->failure[n + i]
            = (struct failure){.node = TORI_NO_NODE, .link = links[i]};
    accident->failures = all;
    return 0;
}

static void free_accident (struct accident *accident)
{
    for (size_t i = 0; i < accident->victims; i++)
        tori_placement_clear (&accident->victim[i].to);
    free (accident->failure);
    free (accident->victim);
    free (accident->stranded);
    free (accident->barred);
}

/* Up to here everything can be undone, time as well. */
static int prepare_accident (tori_sched *sched, struct accident *accident,
                             tori_error *err)
{
    if (take_down (sched, accident, err) < 0)
        return -1;
    list_victims (sched, accident);
    if (list_stranded (sched, accident, err) < 0)
        return -1;
    sched->outages++;
    return make_room (sched, accident, err) < 0
               ? -1
               : rehearse_all (sched, accident, err);
}

int tori_sched_fail (tori_sched *sched, tori_time now, const uint32_t nodes[],
                     size_t n, const tori_link links[], size_t nlinks,
                     tori_error *err)
{
    struct accident accident = {0};
    tori_time before = sched->now;
    int status = sched_check_time (sched, now, err);
    if (status == 0)
        status = list_failures (sched, &accident, nodes, n, links, nlinks,
                                err);
    if (status == 0) {
        sched_advance (sched, now);
        status = prepare_accident (sched, &accident, err);
        if (status == 0) {
            carry_out (sched, &accident);
        } else {
            bring_up (sched, &accident);
            sched->now = before;
        }
    }
    free_accident (&accident);
    return status;
}

/* ineligible.c - jobs that cannot start, whatever the others do.
 *
 * A job may be held, or may not start yet: only its driver knows that, and no
 * other job should wait for it.
 *
 * While nodes or links are down, a request may have no place even on a machine
 * where nothing runs. Such a job waits for a repair, which is not in any plan.
 * At the front of the queue it would stop all others under fcfs, and easy
 * would plan only for it. So it is set aside: it leaves the lanes, and is
 * neither asked for nor planned. It keeps its place in the order, and returns
 * to it as soon as it fits again.
 *
 * A drained node counts as down: it takes no job before it is resumed, however
 * soon that may be.
 *
 * Whether a class fits is asked once after something went down or came up, and
 * only while jobs of it wait. */
#include "ask.h"
#include "core.h"
#include "marks.h"
#include "placement.h"

/* Make `bare` the machine as it would be if nothing ran. */
static int make_bare (tori_sched *sched, tori_error *err)
{
    if (sched->bare_outages == sched->outages)
        return 0;
    if (plan_copy_state (sched, &sched->bare, sched->state, err) < 0)
        return -1;
    for (size_t i = 0; i < sched->nrunning; i++)
        view_release (sched->jobs[sched->running[i].job].place, sched->bare);
    sched->bare_outages = sched->outages;
    return 0;
}

static const char *reason_of (tori_outcome refusal)
{
    switch (refusal) {
    case TORI_NUMERICAL:
        return "asks for more nodes than are in service";
    case TORI_WIRING:
        return "does not fit beside the links that are out of service";
    default:
        return "does not fit beside the nodes that are out of service";
    }
}

/* The outcome of a request on the bare machine. A count is not searched for,
 * because any nodes will do; if the allocator gives up, it may fit. */
static tori_outcome outcome_of (tori_sched *sched, const tori_state *bare,
                                const struct prepared *asks, tori_error *err)
{
    tori_placement place = {0};
    tori_error why = {0};
    tori_outcome outcome;
    if (asks->request.shape.ndims == 0)
        return asks->nodes > tori_state_free_count (bare) ? TORI_NUMERICAL
                                                          : TORI_PLACED;
    sched->questions++;
    outcome = alloc_place (sched->alloc, bare, asks, &place, &why);
    tori_placement_clear (&place);
    if (outcome != TORI_ERROR)
        return outcome;
    if (why.status != TORI_GAVE_UP && err)
        *err = why;
    return why.status == TORI_GAVE_UP ? TORI_PLACED : TORI_ERROR;
}

/* The reason why every request of a class is refused on the bare machine, or
 * NULL if one is not: that of the request nearest to a place. */
static int find_refusal (tori_sched *sched, const struct class *class,
                         const char **ret_why, tori_error *err)
{
    const struct prepared *asks;
    const tori_state *bare = sched_view (sched, class, sched->bare, err);
    tori_outcome nearest = TORI_NUMERICAL;
    if (!bare)
        return -1;
    if (class->exact) {
        if (!view_free (class->exact, bare))
            *ret_why = reason_of (TORI_TOPOLOGICAL);
        return 0;
    }
    for (size_t i = 0; (asks = class_asks (class, i)) != NULL; i++) {
        tori_outcome outcome = outcome_of (sched, bare, asks, err);
        if (outcome == TORI_ERROR)
            return -1;
        if (outcome == TORI_PLACED)
            return 0;
        if (outcome > nearest)
            nearest = outcome;
    }
    *ret_why = class->only ? "has no place among the nodes in service that it "
                             "may use"
                           : reason_of (nearest);
    return 0;
}

int ineligible_weigh (tori_sched *sched, uint32_t number, tori_error *err)
{
    struct class *class = class_of (sched, number);
    const char *why = NULL;
    if (class->weighed == sched->outages)
        return 0;
    if ((sched->outages > NO_OUTAGES || class->only)
        && (make_bare (sched, err) < 0
            || find_refusal (sched, class, &why, err) < 0))
        return -1;
    class->aside = why;
    class->weighed = sched->outages;
    return 0;
}

static const char not_weighed[] = "has not been looked at yet";

int ineligible_meet (tori_sched *sched, uint32_t number, tori_error *err)
{
    struct class *class = class_of (sched, number);
    if (sched->work == UINT64_MAX || class->weighed == sched->outages
        || (sched->outages == NO_OUTAGES && !class->only))
        return ineligible_weigh (sched, number, err);
    class->aside = not_weighed;
    return 0;
}

/* Why a job has to be set aside, or NULL; and the same as a code. A suspended
 * job is not in the queue even if it may continue: suspend.c looks after it. */
static const char *bar_of (const tori_sched *sched, const struct job *job,
                           tori_reason *ret_reason)
{
    static const char *const holds[] = {
        [TORI_HOLD_NONE] = NULL,
        [TORI_HOLD_USER] = "is held by its owner",
        [TORI_HOLD_OPERATOR] = "is held by an operator",
        [TORI_HOLD_DEPENDENCY] = "waits for other jobs to end",
        [TORI_HOLD_ARRAY] = "waits for other jobs of its array",
        [TORI_HOLD_SHARE] = "waits for a limit of its user or queue",
    };
    _Static_assert (sizeof holds / sizeof *holds == TORI_HOLD_SHARE + 1,
                    "a hold without words");
    const char *aside;
    *ret_reason = TORI_REASON_HELD;
    if (job->hold)
        return holds[job->hold];
    *ret_reason = TORI_REASON_NOT_YET;
    if (job->earliest > sched->now)
        return "may not start yet";
    aside = class_of (sched, job->class)->aside;
    *ret_reason = aside == not_weighed ? TORI_REASON_UNKNOWN
                                       : TORI_REASON_NODES;
    if (aside)
        return aside;
    *ret_reason = TORI_REASON_UNKNOWN;
    return job->suspended ? "was suspended" : NULL;
}

bool ineligible_bars (const tori_sched *sched, job_slot slot)
{
    tori_reason reason;
    return bar_of (sched, &sched->jobs[slot], &reason) != NULL;
}

/* Note why a job is set aside, and when to check it again. */
static void note_bar (tori_sched *sched, struct job *job)
{
    job->aside = bar_of (sched, job, &job->barred);
    if (job->barred == TORI_REASON_NOT_YET && job->earliest < sched->early)
        sched->early = job->earliest;
    if (job->aside == not_weighed)
        sched->early = sched->now;
}

int ineligible_insert (tori_sched *sched, job_slot slot, tori_error *err)
{
    size_t at;
    if (queue_insert (&sched->aside, jobs_entry (sched, slot), &at, err) < 0)
        return -1;
    note_bar (sched, &sched->jobs[slot]);
    return 0;
}

void ineligible_remove (tori_sched *sched, job_slot slot)
{
    struct entry entry = jobs_entry (sched, slot);
    queue_remove (&sched->aside, queue_find (&sched->aside, &entry));
    sched->jobs[slot].aside = NULL;
}

/* ---- after something went down or came up ---- */

/* As ineligible_weigh; 1 if that has to wait for the next run. */
static int weigh_in_time (tori_sched *sched, uint32_t class, tori_error *err)
{
    return class_of (sched, class)->weighed != sched->outages && tired (sched)
               ? 1
               : ineligible_weigh (sched, class, err);
}

/* Set aside the jobs of a lane that do not fit any more. */
static int clear_lane (tori_sched *sched, uint32_t lane, tori_error *err)
{
    for (size_t at = sched->lanes.all[lane].queue.n; at-- > 0;) {
        const struct entry *entry = lanes_at (&sched->lanes, lane, at);
        job_slot job = entry->job;
        int status = weigh_in_time (sched, entry->class, err);
        if (status != 0)
            return status;
        if (!class_of (sched, entry->class)->aside)
            continue;
        if (ineligible_insert (sched, job, err) < 0)
            return -1;
        lanes_remove (&sched->lanes, lane, at);
        plan_forget (sched, job);
        sched->planned = 0;
    }
    return 0;
}

/* Jobs that may start again return to the queue. The others may have another
 * reason now. */
static int give_back (tori_sched *sched, tori_error *err)
{
    sched->early = TORI_TIME_MAX;
    for (size_t at = sched->aside.n; at-- > 0;) {
        const struct entry *entry = queue_at (&sched->aside, at);
        job_slot job = entry->job;
        int status = weigh_in_time (sched, entry->class, err);
        if (status != 0)
            return status;
        if (ineligible_bars (sched, job)) {
            note_bar (sched, &sched->jobs[job]);
            continue;
        }
        if (sched_enqueue (sched, job, err) < 0)
            return -1;
        ineligible_remove (sched, job);
    }
    return 0;
}

/* Unless all was done, `early` is such that the next call goes on. */
static int bring_back (tori_sched *sched, tori_error *err)
{
    int status = give_back (sched, err);
    if (status != 0)
        sched->early = sched->now;
    return status;
}

int ineligible_review (tori_sched *sched, tori_error *err)
{
    int status;
    if (sched->reviewed == sched->outages)
        return sched->now < sched->early ? 0 : bring_back (sched, err);
    for (size_t i = sched->lanes.nwaiting; i-- > 0;) {
        status = clear_lane (sched, sched->lanes.waiting[i], err);
        if (status != 0)
            return status;
    }
    status = bring_back (sched, err);
    if (status == 0)
        sched->reviewed = sched->outages;
    return status;
}

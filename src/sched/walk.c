/* walk.c - one pass over the queue: who starts now. */
#include "core.h"
#include "policy.h"

/* What became of an entry. */
enum verdict { FAILED = -1, BLOCKED = 0, STARTED = 1 };

static enum verdict start (tori_sched *sched, size_t at, tori_placement *place,
                           tori_error *err)
{
    if (sched_start (sched, at, place, err) < 0) {
        tori_placement_clear (place);
        return FAILED;
    }
    return STARTED;
}

/* Where there are no reservations nobody has anything to respect, nor has the
 * first in the queue where only the first holds one. Where others do they may
 * hold one for an earlier time than the first. */
static bool unhindered (const tori_sched *sched, size_t at)
{
    return sched->policy->depth <= (at == 0);
}

/* With one reservation it is the same for everyone behind it, so a job as
 * long as one of its class that was in its way is in its way too. */
static bool known_in_the_way (const tori_sched *sched,
                              const struct entry *entry,
                              const struct class *class)
{
    return sched->policy->depth == 1
           && class->misfit_reserved == sched->epoch
           && entry->length >= class->misfit_length;
}

static void note_in_the_way (const tori_sched *sched,
                             const struct entry *entry, struct class *class)
{
    if (class->misfit_reserved != sched->epoch
        || entry->length < class->misfit_length)
        class->misfit_length = entry->length;
    class->misfit_reserved = sched->epoch;
}

/* An entry with reservations in front of it, and where it would go if there
 * were none. */
static enum verdict consider_among (tori_sched *sched, size_t at,
                                    tori_placement *hint, tori_error *err)
{
    struct entry *entry = queue_at (&sched->queue, at);
    struct job *job = &sched->jobs[entry->job];
    tori_placement place = {0};
    int found = plan_upto (sched, at, err);
    if (found == 0)
        found = plan_now (sched, job, hint, &place, err);
    if (found > 0)
        return start (sched, at, &place, err);
    if (found == 0)
        note_in_the_way (sched, entry, class_of (sched, entry->class));
    return found < 0 ? FAILED : BLOCKED;
}

/* A job whose reserved time has come starts where it was promised. */
static enum verdict consider_due (tori_sched *sched, size_t at,
                                  tori_error *err)
{
    tori_job job = queue_at (&sched->queue, at)->job;
    tori_placement place = {0};
    int found = plan_upto (sched, at, err);
    if (found == 0)
        found = plan_due (sched, &sched->jobs[job], &place, err);
    if (found <= 0)
        return found < 0 ? FAILED : BLOCKED;
    return start (sched, at, &place, err);
}

/* Ask the allocator. */
static enum verdict consider_search (tori_sched *sched, size_t at,
                                     tori_error *err)
{
    struct class *class
        = class_of (sched, queue_at (&sched->queue, at)->class);
    tori_placement hint = {0};
    enum verdict verdict;
    int found = alloc_try (sched->alloc, sched->state, &class->request, &hint,
                           err);
    if (found == 0)
        class->misfit = sched->epoch;
    if (found <= 0)
        return found < 0 ? FAILED : BLOCKED;
    if (unhindered (sched, at))
        return start (sched, at, &hint, err);
    verdict = consider_among (sched, at, &hint, err);
    tori_placement_clear (&hint);
    return verdict;
}

static bool is_due (const tori_sched *sched, const struct entry *entry)
{
    const struct job *job = &sched->jobs[entry->job];
    return job->reserved && job->reserved_at <= sched->now;
}

/* Most entries of a long queue get no farther than this function. */
static enum verdict consider (tori_sched *sched, size_t at, tori_error *err)
{
    const struct entry *entry = queue_at (&sched->queue, at);
    const struct class *class = class_of (sched, entry->class);
    if (sched->policy->depth > 1 && is_due (sched, entry)) {
        enum verdict verdict = consider_due (sched, at, err);
        if (verdict != BLOCKED)
            return verdict;
    }
    if (class->misfit == sched->epoch
        || class->nodes > tori_state_free_count (sched->state)
        || (at > 0 && known_in_the_way (sched, entry, class)))
        return BLOCKED;
    return consider_search (sched, at, err);
}

/* What keeps the first in the queue waiting: too few nodes for what it asks
 * for, whatever the allocator would take. */
static tori_outcome reason (const tori_sched *sched)
{
    const struct job *job;
    if (sched->queue.n == 0)
        return TORI_PLACED;
    job = &sched->jobs[queue_at (&sched->queue, 0)->job];
    return job->asked > tori_state_free_count (sched->state)
               ? TORI_NUMERICAL
               : TORI_TOPOLOGICAL;
}

/* Walk over the part of the queue that is not settled. After a failure the
 * next walk goes on where this one stopped. */
static int pass (tori_sched *sched, tori_error *err)
{
    bool eager = sched->policy->depth > 1;
    while (sched->settled < sched->queue.n) {
        enum verdict verdict = consider (sched, sched->settled, err);
        if (verdict == FAILED)
            return -1;
        if (verdict == BLOCKED && sched->policy->stop_at_blocked)
            break;
        if (verdict == BLOCKED)
            sched->settled++;
    }
    return eager ? plan_upto (sched, sched->queue.n, err) : 0;
}

/* Who lets go of a reservation, to start, for an earlier one or because its
 * time came in vain, may make room for somebody in front of him who has been
 * asked already. So all are asked again whether they can start, until nobody
 * lets go any more. Otherwise they could all wait for times at which nothing
 * will happen. */
int sched_walk (tori_sched *sched, tori_error *err)
{
    bool again;
    do {
        if (pass (sched, err) < 0)
            return -1;
        again = sched->let_go && sched->policy->depth > 1;
        sched->let_go = false;
        if (again)
            sched->settled = 0;
    } while (again);
    sched->gain = sched->now;
    sched->blocked = reason (sched);
    return 0;
}

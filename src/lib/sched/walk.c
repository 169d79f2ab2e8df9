/* walk.c - one pass over the queue: which jobs start now. */
#include "array.h"
#include "ask.h"
#include "core.h"
#include "marks.h"
#include "placement.h"

const tori_state *sched_view (tori_sched *sched, const struct class *class,
                              const tori_state *state, tori_error *err)
{
    if (!class->only)
        return state;
    if (plan_copy_state (sched, &sched->limited, state, err) < 0)
        return NULL;
    view_confine (sched->limited, class->only);
    return sched->limited;
}

bool sched_may_use (const tori_sched *sched, job_slot slot,
                    const tori_placement *place)
{
    const struct class *class = class_of (sched, sched->jobs[slot].class);
    for (uint32_t i = 0; class->only && i < tori_machine_nodes (sched->machine);
         i++)
        if (!class_may_use (class, i)
            && tori_placement_contains (place, sched->machine, i))
            return false;
    return true;
}

int64_t sched_free (const tori_sched *sched, const struct class *class)
{
    return class->only ? state_free_within (sched->state, class->only)
                       : tori_state_free_count (sched->state);
}

/* Whether the one place of a class is free. */
static int ask_exactly (tori_sched *sched, const struct class *class,
                        const tori_state *state, tori_placement *ret_place,
                        tori_error *err)
{
    sched->questions++;
    if (!view_free (class->exact, state))
        return 0;
    return tori_placement_copy (ret_place, class->exact, err) < 0 ? -1 : 1;
}

static int ask_one (tori_sched *sched, const struct prepared *asks,
                    const tori_state *state, tori_placement *ret_place,
                    tori_error *err)
{
    sched->questions++;
    return alloc_try (alloc_for (sched, &asks->request), state, asks,
                      ret_place, err);
}

/* The allocator may give up on one request and find a place for another. */
static int ask_in_turn (tori_sched *sched, const struct class *class,
                        const tori_state *state, tori_placement *ret_place,
                        tori_error *err)
{
    const struct prepared *asks;
    tori_error why = {0};
    int found = 0;
    bool gave_up = false;
    for (size_t i = 0; found == 0 && (asks = class_asks (class, i)); i++) {
        found = ask_one (sched, asks, state, ret_place, &why);
        if (found < 0 && why.status == TORI_GAVE_UP) {
            gave_up = true;
            found = 0;
        }
    }
    if (found == 0 && gave_up)
        found = -1;
    if (found < 0 && err)
        *err = why;
    return found;
}

int sched_ask (tori_sched *sched, const struct class *class,
               const tori_state *state, tori_placement *ret_place,
               tori_error *err)
{
    if (class->exact)
        return ask_exactly (sched, class, state, ret_place, err);
    state = sched_view (sched, class, state, err);
    if (!state)
        return -1;
    return class->nothers == 0
               ? ask_one (sched, &class->asks, state, ret_place, err)
               : ask_in_turn (sched, class, state, ret_place, err);
}

/* Whether a refusal of the one implies a refusal of the other: of all its
 * requests. */
bool sched_refuses_too (const tori_sched *sched, const struct class *smaller,
                        const struct class *larger)
{
    const struct prepared *a, *b;
    if (smaller->exact || larger->exact)
        return false;
    for (size_t i = 0; smaller->only && i < smaller->words; i++)
        if (!larger->only || larger->only[i] & ~smaller->only[i])
            return false;
    for (size_t i = 0; (b = class_asks (larger, i)) != NULL; i++) {
        const tori_alloc *alloc = alloc_for (sched, &b->request);
        for (size_t k = 0; (a = class_asks (smaller, k)) != NULL; k++)
            if (alloc_refuses_too (alloc, sched->state, &a->request,
                                   &b->request))
                break;
        if (!a)
            return false;
    }
    return true;
}

/* The result for an entry. */
enum verdict {
    FAILED = -1,
    BLOCKED = 0,
    STARTED = 1,
    UPSET = 2, /* it has started, and all must be looked at again */
    TIRED = 3  /* the next run looks at it again */
};

/* An urgent job may take the place of a suspended one. */
static enum verdict start_entry (tori_sched *sched, struct spot spot,
                                 tori_placement *place, tori_error *err)
{
    job_slot slot = entry_at (sched, spot)->job;
    tori_placement *held;
    if (sched_start_room (sched, place, &held, err) < 0) {
        tori_placement_clear (place);
        return FAILED;
    }
    sched_start (sched, slot, held, false);
    if (sched->nsuspended == 0 || sched->jobs[slot].level == 0)
        return STARTED;
    sched_changed (sched);
    return UPSET;
}

/* Without planned starts, any job may start. The first job of the queue always
 * may, if only the first has a planned start. With more of them, others may
 * have an earlier planned start than the first. */
static bool is_unhindered (const tori_sched *sched, struct spot spot)
{
    return sched->nwindows == 0
           && sched->depth <= (rank_of (sched, spot) == 0);
}

/* A single planned start is the same for all jobs after it, so it is in the
 * way of a job as long as one of its class for which it was. The job with the
 * planned start itself is never found here: a place that another of its class
 * could not have because of the planned start would have been its own. */
static bool known_in_the_way (const tori_sched *sched,
                              const struct entry *entry,
                              const struct class *class)
{
    return sched->depth == 1
           && class->misfit_reserved == sched->epoch
           && entry->length >= class->misfit_length
           && !windows_admit (sched, &sched->jobs[entry->job])
           && !windows_yield (sched, &sched->jobs[entry->job]);
}

/* Whether the planned start is in the way of a class of smaller requests and
 * of no longer jobs. */
static bool barred_smaller (const tori_sched *sched, struct spot spot)
{
    const struct entry *entry = entry_at (sched, spot);
    const struct class *class = class_of (sched, entry->class);
    if (sched->depth != 1 || sched->barred_epoch != sched->epoch
        || rank_of (sched, spot) == 0
        || windows_admit (sched, &sched->jobs[entry->job])
        || windows_yield (sched, &sched->jobs[entry->job]))
        return false;
    for (size_t i = 0; i < sched->nbarred; i++)
        if (sched->barred[i].length <= entry->length
            && sched_refuses_too (sched,
                                  class_of (sched, sched->barred[i].class),
                                  class))
            return true;
    return false;
}

/* Remember that, if larger requests will be refused, too; if memory runs out,
 * more jobs are asked for in vain. */
static void note_barred (tori_sched *sched, const struct entry *entry)
{
    struct barred *more;
    if (sched->depth != 1 || !sched->crowded
        || state_disturbed (sched->crowded)
        || class_of (sched, entry->class)->asks.request.shape.ndims == 0)
        return;
    if (sched->barred_epoch != sched->epoch)
        sched->nbarred = 0;
    sched->barred_epoch = sched->epoch;
    more = array_room (sched->barred, &sched->barred_room, sched->nbarred + 1,
                       sizeof *more);
    if (!more)
        return;
    sched->barred = more;
    more[sched->nbarred++] = (struct barred){entry->class, entry->length};
}

static void note_in_the_way (const tori_sched *sched,
                             const struct entry *entry, struct class *class)
{
    if (class->misfit_reserved != sched->epoch
        || entry->length < class->misfit_length)
        class->misfit_length = entry->length;
    class->misfit_reserved = sched->epoch;
}

/* Consider an entry with planned starts in front of it, and the place that it
 * would get without them. */
static enum verdict consider_among (tori_sched *sched, struct spot spot,
                                    tori_placement *hint, tori_error *err)
{
    struct entry *entry = entry_at (sched, spot);
    struct job *job = &sched->jobs[entry->job];
    tori_placement place = {0};
    int found = plan_upto (sched, rank_of (sched, spot), err);
    if (found > 0)
        return TIRED;
    if (found == 0)
        found = plan_now (sched, job, hint, &place, err);
    if (found > 0)
        return start_entry (sched, spot, &place, err);
    if (found == 0) {
        note_in_the_way (sched, entry, class_of (sched, entry->class));
        note_barred (sched, entry);
    }
    return found < 0 ? FAILED : BLOCKED;
}

/* A job whose planned start has come starts at its planned place. */
static enum verdict consider_due (tori_sched *sched, struct spot spot,
                                  tori_error *err)
{
    job_slot job = entry_at (sched, spot)->job;
    tori_placement place = {0};
    int found = plan_upto (sched, rank_of (sched, spot), err);
    if (found > 0)
        return TIRED;
    if (found == 0)
        found = plan_due (sched, &sched->jobs[job], &place, err);
    if (found <= 0)
        return found < 0 ? FAILED : BLOCKED;
    return start_entry (sched, spot, &place, err);
}

/* Whether a smaller request was refused in this epoch. */
static bool refused_smaller (const tori_sched *sched,
                             const struct class *class)
{
    if (sched->refused_epoch != sched->epoch)
        return false;
    for (size_t i = 0; i < sched->nrefused; i++) {
        const struct class *other = class_of (sched, sched->refused[i]);
        if (other->nodes <= class->nodes
            && sched_refuses_too (sched, other, class))
            return true;
    }
    return false;
}

/* Remember a refusal; if memory runs out, more jobs are asked for in vain. */
static void note_refused (tori_sched *sched, uint32_t class)
{
    uint32_t *more;
    if (sched->refused_epoch != sched->epoch)
        sched->nrefused = 0;
    sched->refused_epoch = sched->epoch;
    more = array_room (sched->refused, &sched->refused_room,
                       sched->nrefused + 1, sizeof *more);
    if (!more)
        return;
    sched->refused = more;
    sched->refused[sched->nrefused++] = class;
}

/* The allocator gave up on the request of a job. The first such job of a run
 * is reported. */
static void note_gave_up (tori_sched *sched, const struct entry *entry,
                          const tori_error *why)
{
    class_of (sched, entry->class)->undecided = sched->epoch;
    if (sched->gave_up)
        return;
    sched->gave_up = true;
    sched->gave_up_job = sched->jobs[entry->job].number;
    sched->gave_up_why = *why;
}

/* As alloc_try in the present state, for an entry and all of its class. A
 * search that took too long would do so again: as long as nothing changes it
 * counts as a refusal, but not of larger requests. */
static int search_place (tori_sched *sched, const struct entry *entry,
                         tori_placement *ret, tori_error *err)
{
    struct class *class = class_of (sched, entry->class);
    tori_error why; /* half a kilobyte: not cleared without need */
    int found = 0;
    why.status = TORI_OK;
    if (!refused_smaller (sched, class)) {
        found = sched_ask (sched, class, sched->state, ret, &why);
        if (found == 0)
            note_refused (sched, entry->class);
    }
    if (found < 0 && why.status == TORI_GAVE_UP) {
        note_gave_up (sched, entry, &why);
        found = 0;
    }
    if (found == 0)
        class->misfit = sched->epoch;
    if (found < 0 && err)
        *err = why;
    return found;
}

/* Whether the planned starts leave a job enough nodes: STARTED, as it may,
 * BLOCKED, TIRED or FAILED. If any nodes will do, this is known without the
 * allocator, which most jobs would ask in vain. */
static enum verdict leave_enough (tori_sched *sched, struct spot spot,
                                  tori_error *err)
{
    struct entry *entry = entry_at (sched, spot);
    struct job *job = &sched->jobs[entry->job];
    struct class *class = class_of (sched, job->class);
    bool any = class->asks.request.shape.ndims == 0 && !class->nothers;
    int found;
    if (class->exact || class->only || (sched->placed && !any)
        || is_unhindered (sched, spot))
        return STARTED;
    found = plan_upto (sched, rank_of (sched, spot), err);
    if (found != 0)
        return found < 0 ? FAILED : TIRED;
    found = sched->placed ? plan_spares (sched, job, err)
                          : plan_now (sched, job, NULL, NULL, err);
    if (found == 0)
        note_in_the_way (sched, entry, class);
    return found < 0 ? FAILED : found ? STARTED : BLOCKED;
}

/* Ask the allocator. */
static enum verdict consider_search (tori_sched *sched, struct spot spot,
                                     tori_error *err)
{
    tori_placement hint = {0};
    enum verdict verdict = leave_enough (sched, spot, err);
    int found;
    if (verdict != STARTED)
        return verdict;
    found = search_place (sched, entry_at (sched, spot), &hint, err);
    if (found <= 0)
        return found < 0 ? FAILED : BLOCKED;
    if (is_unhindered (sched, spot))
        return start_entry (sched, spot, &hint, err);
    verdict = consider_among (sched, spot, &hint, err);
    tori_placement_clear (&hint);
    return verdict;
}

/* Whether the time of any of many planned starts has come; and of this one. */
static bool any_due (const tori_sched *sched)
{
    return sched->depth > 1 && sched->nreserved > 0
           && sched->reserved[0].from <= sched->now;
}

static bool is_due (const tori_sched *sched, const struct entry *entry)
{
    const struct job *job = &sched->jobs[entry->job];
    return any_due (sched) && job->reserved
           && job->reserved_at <= sched->now;
}

/* Whether a request cannot be served before something is released. */
static bool is_hopeless (const tori_sched *sched, const struct class *class)
{
    return class->misfit == sched->epoch
           || class->nodes > tori_state_free_count (sched->state);
}

/* Whether it can start beside the running jobs. */
static enum verdict consider_alone (tori_sched *sched, struct spot spot,
                                    tori_error *err)
{
    const struct entry *entry = entry_at (sched, spot);
    const struct class *class = class_of (sched, entry->class);
    if (is_due (sched, entry)) {
        enum verdict verdict = consider_due (sched, spot, err);
        if (verdict != BLOCKED)
            return verdict;
    }
    if (is_hopeless (sched, class) || known_in_the_way (sched, entry, class))
        return BLOCKED;
    if (barred_smaller (sched, spot)) {
        note_in_the_way (sched, entry, class_of (sched, entry->class));
        return BLOCKED;
    }
    return consider_search (sched, spot, err);
}

static enum verdict consider_entry (tori_sched *sched, struct spot spot,
                                    tori_error *err)
{
    job_slot job = entry_at (sched, spot)->job;
    enum verdict verdict = consider_alone (sched, spot, err);
    int started;
    if (verdict != BLOCKED || !preempt_hope (sched, &sched->jobs[job]))
        return verdict;
    started = preempt_start (sched, job, err);
    if (started == PREEMPT_TIRED)
        return TIRED;
    return started < 0 ? FAILED : started ? UPSET : BLOCKED;
}

/* Why the first in the queue waits: too few nodes for its request, whatever
 * the allocator would take. */
static tori_reason head_reason (const tori_sched *sched)
{
    const struct entry *head = lanes_head (&sched->lanes);
    if (!head)
        return TORI_REASON_UNKNOWN;
    if (class_of (sched, head->class)->undecided == sched->epoch)
        return TORI_REASON_GAVE_UP;
    return sched_wants (sched, &sched->jobs[head->job])
                   > sched_free (sched, class_of (sched, head->class))
               ? TORI_REASON_NUMERICAL
               : TORI_REASON_TOPOLOGICAL;
}

/* Whether a job of a lane may be able to start. */
static bool is_hopeful (const void *arg, uint32_t lane)
{
    const tori_sched *sched = arg;
    return !sched->by_class || class_of (sched, lane)->urgent > 0
           || !is_hopeless (sched, class_of (sched, lane));
}

/* Whether an entry need not be looked at, as similar ones were refused. */
static bool is_pointless (const tori_sched *sched, const struct entry *entry)
{
    const struct class *class = class_of (sched, entry->class);
    return (is_hopeless (sched, class)
            || known_in_the_way (sched, entry, class))
           && !is_due (sched, entry)
           && !(class->urgent > 0
                && preempt_hope (sched, &sched->jobs[entry->job]));
}

/* The next entry of a lane cannot start, nor can the following ones of its
 * class. */
static void settle_entries (tori_sched *sched, uint32_t number)
{
    struct lane *lane = &sched->lanes.all[number];
    const struct class *class = class_of (sched, number);
    lane->settled++;
    if (sched->by_class && is_hopeless (sched, class) && class->urgent == 0)
        lane->settled = lane->queue.n;
    while (lane->settled < lane->queue.n
           && is_pointless (sched, queue_at (&lane->queue, lane->settled)))
        lane->settled++;
}

/* Plan those after the last job that was looked at. */
static int plan_rest (tori_sched *sched, tori_error *err)
{
    size_t n = sched->lanes.entries;
    if (n > sched->depth)
        n = sched->depth;
    while (sched->planned < n && !tired (sched))
        if (plan_upto (sched, sched->planned + 1, err) < 0)
            return -1;
    sched->unfinished = sched->planned < n;
    return 0;
}

/* ---- many lanes at once ---- */

/* The falls of the profile after the planned start of the first job. */
struct barring {
    tori_sched *sched;
    struct falls falls;
};

/* Whether no job of a lane can start beside the planned start, not even if it
 * is as short as the shortest. Each of them would be refused by itself
 * (leave_enough), which takes long if hardly two jobs of a long queue are
 * alike. */
static bool is_barred (void *arg, uint32_t number)
{
    const struct barring *by = arg;
    const struct lane *lane = &by->sched->lanes.all[number];
    const struct class *class = class_of (by->sched, number);
    return class->urgent == 0 && !class->exact && !class->only
           && class->nothers == 0
           && falls_below (&by->falls, by->sched->now, lane->shortest,
                           class->nodes);
}

/* Whether a number of nodes is all that jobs want, and the first in the queue
 * has the only planned start. */
static bool can_bar (const tori_sched *sched)
{
    return sched->by_class && sched->depth == 1 && !sched->placed
           && sched->nwindows == 0;
}

static bool is_head_settled (const struct lanes *lanes)
{
    return lanes->head != NO_LANE && lanes->all[lanes->head].settled > 0;
}

/* Settle the lanes whose jobs cannot start, now that the first in the queue
 * cannot. */
static int bar_lanes (tori_sched *sched, tori_error *err)
{
    struct barring by = {.sched = sched};
    sched->sliced = false; /* it is one search, which has to end */
    if (plan_upto (sched, 1, err) < 0 || plan_falls (sched, &by.falls, err) < 0)
        return -1;
    sched->sliced = true;
    lanes_bar (&sched->lanes, is_barred, &by);
    return 0;
}

/* ---- jobs whose time has come ---- */

/* Whether only jobs whose planned start has come can start: all have one, it is
 * the earliest there was, and nothing came free since that was not expected
 * to. Moves may let the first one start earlier, if it was refused in this
 * epoch (makeroom.c). */
static bool only_due_may (const tori_sched *sched)
{
    if (sched->loosened || !sched->lasting || sched->hopes > 0
        || sched->flags & TORI_SCHED_MOVES || sched->nwindows > 0 || sched->nreserved < sched->lanes.entries)
        return false;
    for (size_t i = 0; i < sched->classes.n; i++)
        if (class_of (sched, (uint32_t)i)->urgent > 0)
            return false;
    return true;
}

/* The first in the queue of those jobs, or NO_SLOT. */
static job_slot first_due (const tori_sched *sched)
{
    job_slot first = NO_SLOT;
    struct entry best, it;
    for (size_t i = 0; i < sched->nreserved
                       && sched->reserved[i].from <= sched->now;
         i++) {
        it = jobs_entry (sched, sched->reserved[i].job);
        if (first == NO_SLOT || entry_before (&it, &best)) {
            first = sched->reserved[i].job;
            best = it;
        }
    }
    return first;
}

/* Start them. Returns 1 if all others have to be looked at, too: something is
 * not as planned. */
static int start_due (tori_sched *sched, tori_error *err)
{
    job_slot due;
    while (only_due_may (sched) && (due = first_due (sched)) != NO_SLOT) {
        enum verdict verdict;
        if (tired (sched)) {
            sched->unfinished = true;
            return 0;
        }
        verdict = consider_entry (sched, sched_spot (sched, due), err);
        if (verdict == FAILED)
            return -1;
        if (verdict == TIRED) {
            sched->unfinished = true;
            return 0;
        }
        sched->loosened |= verdict != STARTED;
    }
    return !only_due_may (sched);
}

/* Walk over the part of the queue that is not settled. After a failure, or
 * when it has worked as much as it may, the next walk goes on where this one
 * stopped. Returns 1 if it has to begin again. */
static int walk_once (tori_sched *sched, tori_error *err)
{
    uint32_t lane;
    int all = start_due (sched, err);
    bool anew;
    if (all <= 0)
        return all < 0 || sched->unfinished ? all : plan_rest (sched, err);
    anew = lanes_begin (&sched->lanes, is_hopeful, sched) && can_bar (sched);
    /* In most passes the first is too large. Then no lane needs an order yet. */
    if (anew && is_head_settled (&sched->lanes)) {
        anew = false;
        if (bar_lanes (sched, err) < 0)
            return -1;
    }
    while ((lane = lanes_next (&sched->lanes)) != NO_LANE) {
        if (tired (sched)) {
            sched->unfinished = true;
            return 0;
        }
        struct spot spot = {lane, sched->lanes.all[lane].settled};
        if (anew && is_head_settled (&sched->lanes)) {
            anew = false;
            if (bar_lanes (sched, err) < 0)
                return -1;
            continue;
        }
        enum verdict verdict = consider_entry (sched, spot, err);
        if (verdict == FAILED || verdict == UPSET)
            return verdict == FAILED ? -1 : 1;
        if (verdict == TIRED) {
            sched->unfinished = true;
            return 0;
        }
        if (verdict == BLOCKED && sched->policy->stop_at_blocked)
            break;
        if (verdict == BLOCKED)
            settle_entries (sched, lane);
    }
    return sched->depth > 1 ? plan_rest (sched, err) : 0;
}

/* A job that gives up a planned start, to start, for an earlier one or because
 * its time came in vain, may make room for an earlier job that has been looked
 * at already. So all are looked at again, until none gives up its planned
 * start. Otherwise they could all wait for times at which nothing will
 * happen. */
int sched_walk (tori_sched *sched, tori_error *err)
{
    bool again;
    do {
        int upset;
        if (suspend_review (sched, err) < 0 || plan_put_off (sched, err) < 0)
            return -1;
        upset = walk_once (sched, err);
        if (upset < 0)
            return -1;
        if (sched->unfinished)
            return 0;
        if (!upset && !(sched->let_go && sched->depth > 1)) {
            upset = makeroom_start (sched, err);
            if (upset < 0)
                return -1;
        }
        sched->walks += upset > 0;
        again = upset || (sched->let_go && sched->depth > 1);
        sched->let_go = false;
        if (again)
            lanes_reopen (&sched->lanes);
    } while (again);
    sched->gain = sched->now;
    sched->loosened = false;
    sched_walked (sched);
    return 0;
}

void sched_walked (tori_sched *sched)
{
    sched->blocked = head_reason (sched);
    sched->walked_epoch = sched->epoch;
    sched->walked = sched->next_number;
}

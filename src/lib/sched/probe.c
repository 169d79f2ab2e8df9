#include "probe.h"

#include <stdlib.h>

#include "ask.h"
#include "core.h"
#include "placement.h"

/* ---- whether it would start ---- */

/* The members of a job that a question changes. */
struct changed {
    uint32_t class;
    uint32_t asked;
    tori_time estimate, length;
    bool reserved;
    int64_t key;
};

static struct changed state_of (const struct job *job)
{
    return (struct changed){job->class, job->asked, job->estimate,
                            job->length, job->reserved, job->key};
}

static void set_state (struct job *job, struct changed to)
{
    job->class = to.class;
    job->asked = to.asked;
    job->estimate = to.estimate;
    job->length = to.length;
    job->reserved = to.reserved;
    job->key = to.key;
}

/* Whether it goes before all others that are not set aside. */
static bool is_first (const tori_sched *sched, job_slot slot)
{
    struct entry own = jobs_entry (sched, slot);
    const struct lanes *lanes = &sched->lanes;
    for (size_t i = 0; i < lanes->nwaiting; i++) {
        const struct entry *entry = lanes_at (lanes, lanes->waiting[i], 0);
        if (entry->job == slot && lanes->all[lanes->waiting[i]].queue.n > 1)
            entry = lanes_at (lanes, lanes->waiting[i], 1);
        if (entry->job != slot && entry_before (entry, &own))
            return false;
    }
    return true;
}

/* Whether the request is only a count that the allocator places wherever there
 * are enough nodes. */
static bool takes_any (const tori_sched *sched, const struct class *class)
{
    const tori_request *request = &class->asks.request;
    const tori_alloc_info *info
        = tori_alloc_get_info (alloc_for (sched, request));
    return class->nothers == 0 && !class->only && !class->exact
           && request->shape.ndims == 0
           && !(info->flags & TORI_ALLOC_SEARCHES);
}

/* Ask the allocator for a place for a class: 1, 0 or -1. */
static int place_class (tori_sched *sched, struct class *class,
                        tori_placement *ret_place, tori_error *err)
{
    tori_error why = {0};
    int found;
    if (class->asks.never || class->misfit == sched->epoch
        || class->nodes > tori_state_free_count (sched->state))
        return 0;
    /* Any nodes will do; which ones does not matter. */
    if (!sched->placed && takes_any (sched, class))
        return 1;
    found = sched_ask (sched, class, sched->state, ret_place, &why);
    if (found < 0 && why.status == TORI_GAVE_UP)
        found = 0;
    if (found == 0)
        class->misfit = sched->epoch;
    if (found < 0 && err)
        *err = why;
    return found;
}

/* Whether a job before it would fit if there were no planned starts. That job
 * may start in its stead once its own planned start is gone. */
static bool is_outrun (const tori_sched *sched, job_slot slot)
{
    struct entry own = jobs_entry (sched, slot);
    uint32_t free = tori_state_free_count (sched->state);
    for (size_t at = 0; at < sched->lanes.all[0].queue.n; at++) {
        const struct entry *entry = lanes_at (&sched->lanes, 0, at);
        const struct class *class = class_of (sched, entry->class);
        if (entry->job != slot && !entry_before (entry, &own))
            break;
        if (entry->job != slot && class->misfit != sched->epoch
            && class->nodes <= free)
            return true;
    }
    return false;
}

/* Whether others could take what it gives up when it asks for something
 * else. */
static bool loses_out (const tori_sched *sched, job_slot slot, bool first)
{
    const struct entry *head = lanes_head (&sched->lanes);
    if (sched->depth == 1)
        return head && head->job == slot && !first;
    return sched->depth > 1 && is_outrun (sched, slot);
}

static int would_start (tori_sched *sched, job_slot slot,
                        tori_placement *ret_place, tori_error *err)
{
    struct job *job = &sched->jobs[slot];
    bool first = is_first (sched, slot);
    tori_placement hint = {0};
    int found;
    if (ineligible_bars (sched, slot)
        || (sched->policy->stop_at_blocked && !first)
        || loses_out (sched, slot, first))
        return 0;
    found = place_class (sched, class_of (sched, job->class), &hint, err);
    if (found <= 0)
        return found;
    if (sched->nwindows == 0 && sched->depth <= (size_t)first) {
        *ret_place = hint;
        return 1;
    }
    found = plan_now (sched, job, &hint, ret_place, err);
    tori_placement_clear (&hint);
    /* The job that now goes first would take over the planned start of the
     * former first, and its place. */
    if (found > 0 && first && sched->depth == 1)
        tori_placement_clear (ret_place);
    return found;
}

/* The place of the only planned start. */
static const tori_placement *reserved_place (const tori_sched *sched)
{
    return sched->jobs[sched->reserved[0].job].reserved_place;
}

/* Whether the next run after a change plans the only planned start for another
 * place: 1, 0 or -1. */
static int plans_anew (const tori_sched *sched, tori_error *err)
{
    tori_sched *copy;
    int found;
    if (tori_sched_copy (sched, &copy, err) < 0)
        return -1;
    plan_changed (copy);
    found = plan_upto (copy, 1, err);
    if (found == 0)
        found = copy->nreserved == 0
                || !placement_equal (reserved_place (copy),
                                     reserved_place (sched));
    tori_sched_destroy (copy);
    return found;
}

int probe_stirs (const tori_sched *sched, tori_error *err)
{
    if (sched->order == TORI_ORDER_LARGEST || sched->own_order)
        return 1;
    return sched->depth == 1 && sched->placed && sched->nreserved > 0
               ? plans_anew (sched, err)
               : 0;
}

int probe_start (tori_sched *sched, tori_job number, const tori_job_spec *spec,
                 tori_placement *ret_place, tori_error *err)
{
    job_slot slot = jobs_in_phase (sched, number, QUEUED);
    struct job *job;
    struct changed before, after;
    struct submission own;
    uint32_t class;
    bool counted;
    int found;
    if (slot == NO_SLOT)
        return 0;
    if (jobs_read (sched, spec, &own, err) < 0)
        return -1;
    if (own.wish.all[0].never)
        return 0;
    if (patience_find (sched, sched->now, &own, &class, err) < 0
        || ineligible_weigh (sched, class, err) < 0
        || plan_upto (sched, sched->lanes.entries, err) < 0)
        return -1;
    job = &sched->jobs[slot];
    before = after = state_of (job);
    if (order_key (sched, job, class, own.spec.estimate, sched->now,
                   &after.key, err)
        < 0)
        return -1;
    after.class = class;
    after.asked = (uint32_t)own.wish.all[0].asked;
    after.estimate = own.spec.estimate;
    after.length = job_length (own.spec.estimate, own.spec.done);
    counted = before.reserved && !sched->placed;
    after.reserved &= !counted;
    if (counted && plan_take_out (sched, job, err) < 0)
        return -1;
    set_state (job, after);
    found = would_start (sched, slot, ret_place, err);
    set_state (job, before);
    if (counted)
        plan_put_back (sched, job);
    return found;
}

int probe_fits (tori_sched *sched, const tori_request *request,
                tori_error *err)
{
    tori_placement place = {0};
    int found = alloc_try_once (alloc_for (sched, request), sched->state,
                                request, &place, err);
    tori_placement_clear (&place);
    return found;
}

/* ---- why it waits ---- */

/* The allocator's outcome, whatever the order of the queue; of several
 * requests, that of the one nearest to a place. */
static tori_outcome place_in (tori_sched *sched, const struct job *job,
                              const tori_state *state, tori_error *err)
{
    const struct class *class = class_of (sched, job->class);
    tori_outcome best = TORI_NUMERICAL, outcome;
    const struct prepared *asks;
    bool failed = false;
    if (class->exact)
        return view_free (class->exact, state) ? TORI_PLACED
                                               : TORI_TOPOLOGICAL;
    state = sched_view (sched, class, state, err);
    if (!state)
        return TORI_ERROR;
    for (size_t i = 0; (asks = class_asks (class, i)) != NULL; i++) {
        tori_placement place = {0};
        tori_error why = {0};
        outcome = alloc_place (alloc_for (sched, &asks->request), state, asks,
                               &place, &why);
        tori_placement_clear (&place);
        if (outcome == TORI_PLACED)
            return outcome;
        if (outcome == TORI_ERROR)
            *err = why;
        failed |= outcome == TORI_ERROR;
        if (outcome > best)
            best = outcome;
    }
    return failed ? TORI_ERROR : best;
}

/* Whether it fits, windows aside: 1, 0 or -1. Giving up counts as 0. */
static int fits_in (tori_sched *sched, const struct job *job,
                    const tori_state *state, tori_error *err)
{
    tori_error why = {0};
    tori_outcome outcome = place_in (sched, job, state, &why);
    if (outcome != TORI_ERROR || why.status == TORI_GAVE_UP)
        return outcome == TORI_PLACED;
    if (err)
        *err = why;
    return -1;
}

int probe_fits_in (tori_sched *sched, tori_job job, const tori_state *state,
                   tori_error *err)
{
    return fits_in (sched, &sched->jobs[jobs_in_phase (sched, job, QUEUED)],
                    state, err);
}

/* ---- a memo ---- */

/* Findings that are neither an outcome nor a truth value: the memo does not
 * have it; the allocator gave up. */
enum { NOT_FOUND = -2, GAVE_UP = -3 };

static int recall (const struct probe_memo *memo, uint32_t class,
                   uint64_t windows)
{
    for (size_t i = 0; memo && i < memo->n; i++)
        if (memo->known[i].class == class && memo->known[i].windows == windows)
            return memo->known[i].found;
    return NOT_FOUND;
}

static void remember (struct probe_memo *memo, uint32_t class,
                      uint64_t windows, int found)
{
    if (!memo || memo->n == PROBE_MEMO)
        return;
    memo->known[memo->n].class = class;
    memo->known[memo->n].windows = windows;
    memo->known[memo->n++].found = found;
}

static bool is_full (const struct probe_memo *memo)
{
    return memo && memo->n == PROBE_MEMO;
}

/* ---- the reason ---- */

/* Whether it fits beside all the windows that it would meet. */
static int fits_beside (tori_sched *sched, const struct job *job,
                        const tori_state *state, tori_error *err)
{
    tori_state *copy;
    int found = 0;
    if (tori_state_create (sched->machine, &copy, err) < 0)
        return -1;
    found = tori_state_copy (copy, state, err);
    for (size_t i = 0; i < sched->nwindows && found == 0; i++)
        if (window_meets (sched, &sched->windows[i], job))
            found = placement_block (&sched->windows[i].place, copy, err);
    if (found == 0)
        found = fits_in (sched, job, copy, err);
    tori_state_destroy (copy);
    return found;
}

/* The windows that it would meet, as a number that is not 0. */
static uint64_t hash_windows (const tori_sched *sched, const struct job *job)
{
    uint64_t hash = 1;
    for (size_t i = 0; i < sched->nwindows; i++)
        if (window_meets (sched, &sched->windows[i], job))
            hash = (hash ^ (i + 1)) * UINT64_C (1099511628211);
    return hash | 1;
}

/* A question: a job, the machine, and a memo, which is about the present
 * one. */
struct probing {
    tori_sched *sched;
    const struct job *job;
    const tori_state *state;
    struct probe_memo *memo; /* or NULL */
};

/* 1, 0, NOT_FOUND if the memo is full, or -1. */
static int ask_beside (const struct probing *it, tori_error *err)
{
    uint64_t windows = it->memo ? hash_windows (it->sched, it->job) : 0;
    int found = recall (it->memo, it->job->class, windows);
    if (found != NOT_FOUND || is_full (it->memo))
        return found;
    found = fits_beside (it->sched, it->job, it->state, err);
    if (found >= 0)
        remember (it->memo, it->job->class, windows, found);
    return found;
}

/* The reason why a job waits that fits in a state: the others in the queue, a
 * window that takes all of its places, or a planned start. */
static int find_hindrance (const struct probing *it, tori_reason *ret_reason,
                           tori_error *err)
{
    tori_reason reason = sched_hindrance (it->sched, it->job);
    int found = reason == TORI_REASON_WINDOW ? ask_beside (it, err) : 0;
    if (found == -1)
        return -1;
    *ret_reason = found == 1 ? TORI_REASON_RESERVED : reason;
    return 0;
}

/* The allocator's outcome or GAVE_UP; NOT_FOUND if the memo is full, or -1. */
static int ask_place (const struct probing *it, tori_error *err)
{
    tori_error why = {0};
    int found = recall (it->memo, it->job->class, 0);
    if (found != NOT_FOUND || is_full (it->memo))
        return found;
    found = (int)place_in (it->sched, it->job, it->state, &why);
    if (found == TORI_ERROR && why.status != TORI_GAVE_UP) {
        if (err)
            *err = why;
        return -1;
    }
    found = found == TORI_ERROR ? GAVE_UP : found;
    remember (it->memo, it->job->class, 0, found);
    return found;
}

/* The reason in the present state. */
static int reason_now (const struct probing *it, tori_reason *ret_reason,
                       tori_error *err)
{
    int found = ask_place (it, err);
    switch (found) {
    case NOT_FOUND:
        return 0;
    case -1:
        return -1;
    case TORI_PLACED:
        return find_hindrance (it, ret_reason, err);
    case TORI_WIRING:
        *ret_reason = TORI_REASON_WIRING;
        return 0;
    case GAVE_UP:
        *ret_reason = TORI_REASON_GAVE_UP;
        return 0;
    default: /* NUMERICAL: for the rest of a box, which is not wanted */
        *ret_reason = TORI_REASON_TOPOLOGICAL;
        return 0;
    }
}

/* For a count the reason is known without asking. */
static int reason_unless_known (const struct probing *it,
                                tori_reason *ret_reason, tori_error *err)
{
    tori_job_info info = {.size = sizeof info};
    const struct class *class = class_of (it->sched, it->job->class);
    tori_sched_look (it->sched, it->job->number, &info);
    *ret_reason = info.waits;
    switch (info.waits) {
    case TORI_REASON_TOPOLOGICAL:
    case TORI_REASON_RESERVED:
    case TORI_REASON_WINDOW:
    case TORI_REASON_ORDER:
    case TORI_REASON_UNKNOWN:
        return takes_any (it->sched, class)
                       && class->nodes <= tori_state_free_count (it->state)
                   ? find_hindrance (it, ret_reason, err)
                   : reason_now (it, ret_reason, err);
    default:
        return 0;
    }
}

int probe_reason (tori_sched *sched, tori_job number, const tori_state *turn,
                  struct probe_memo *memo, tori_reason *ret_reason,
                  tori_error *err)
{
    const struct job *job = &sched->jobs[jobs_in_phase (sched, number, QUEUED)];
    const struct probing now = {sched, job, sched->state, memo};
    const struct probing then = {sched, job, turn, NULL};
    tori_reason reason;
    int fitted;
    if (reason_unless_known (&now, &reason, err) < 0)
        return -1;
    fitted = turn
                     && (reason == TORI_REASON_NUMERICAL
                         || reason == TORI_REASON_TOPOLOGICAL
                         || reason == TORI_REASON_WIRING
                         || reason == TORI_REASON_WINDOW)
                 ? fits_in (sched, job, turn, err)
                 : 0;
    if (fitted < 0 || (fitted > 0 && find_hindrance (&then, &reason, err) < 0))
        return -1;
    *ret_reason = reason;
    return 0;
}

tori_time probe_moved_end (const tori_sched *sched, tori_job number)
{
    const struct job *job
        = &sched->jobs[jobs_in_phase (sched, number, RUNNING)];
    tori_time end = job->end;
    if (sched->flags & TORI_SCHED_RESTARTS)
        end = time_add (sched->now,
                        job_length (job->estimate, jobs_saved (sched, job)));
    return time_add (end, sched->move);
}

bool probe_goes_before (const tori_sched *sched, tori_job a, tori_job b)
{
    job_slot first = numbers_find (&sched->numbers, a);
    job_slot second = numbers_find (&sched->numbers, b);
    struct entry x, y;
    if (first == NO_SLOT || second == NO_SLOT)
        return false;
    x = jobs_entry (sched, first);
    y = jobs_entry (sched, second);
    return entry_before (&x, &y);
}

static int compare_turns (const void *a, const void *b, void *arg)
{
    const tori_job *x = a, *y = b;
    return probe_goes_before (arg, *y, *x) - probe_goes_before (arg, *x, *y);
}

static bool started_last (const tori_sched *sched, tori_job number)
{
    job_slot slot = jobs_in_phase (sched, number, RUNNING);
    return slot != NO_SLOT && sched->jobs[slot].walk == sched->walks;
}

size_t probe_last_started (const tori_sched *sched, tori_job jobs[], size_t n)
{
    size_t all = 0, kept = 0;
    for (size_t i = 0; i < n; i++)
        if (started_last (sched, jobs[i]))
            jobs[all++] = jobs[i];
    if (all > 1)
        qsort_r (jobs, all, sizeof *jobs, compare_turns, sched->self);
    for (size_t i = 0; i < all; i++)
        if (kept == 0 || jobs[i] != jobs[kept - 1])
            jobs[kept++] = jobs[i];
    return kept;
}

bool probe_plain_sides (const tori_sched *sched)
{
    const tori_alloc_info *info = tori_alloc_get_info (sched->alloc);
    return (info->takes & TORI_BY_SHAPE) && !alloc_is_loose (sched->alloc)
           && !(info->flags
                & (TORI_ALLOC_FOLDS | TORI_ALLOC_SLICES | TORI_ALLOC_PLANES));
}

bool probe_plain_boxes (const tori_sched *sched)
{
    return probe_plain_sides (sched)
           && !tori_machine_is_pod (sched->machine);
}

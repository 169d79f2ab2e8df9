/* plan_search.c - the earliest time and place for a waiting job.
 *
 * For a count of nodes the profile answers. For a shape it only says when
 * there are enough nodes; whether they form a box with free links is asked of
 * the allocator, in the state that will be: the running jobs that have ended
 * by then are released. If the answer disturbs another planned start that
 * meets the job's time, the allocator is asked again with all of those
 * blocked.
 *
 * Plans are made once a run, in the order of the queue: a place that a later
 * job gives up for an earlier one is not offered to the jobs before it, which
 * at saturation would cost many times as much. Searches in vain are
 * remembered, for classes (futile.h) and for each job. Many times are searched
 * at once.
 *
 * A planned start is needed only when another job could start, so a single one
 * (EASY) is not computed before that, and then afresh: among running jobs
 * alone the earliest time never gets later. */
#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "marks.h"
#include "placement.h"
#include "plan_parts.h"

/* ---- future states ---- */

int plan_copy_state (tori_sched *sched, tori_state **to,
                     const tori_state *from, tori_error *err)
{
    if (!*to && tori_state_create (sched->machine, to, err) < 0)
        return -1;
    return state_copy_view (*to, from, err);
}

/* Whether another's reservation meets the job at every start in [first,
 * last]. */
static bool meets_job (const tori_sched *sched,
                       const struct reservation *other, const struct job *job,
                       tori_time first, tori_time last)
{
    if (other->until <= last || other->from >= time_add (first, job->length))
        return false;
    return other->window ? !window_admits (sched, other->window, job)
                         : &sched->jobs[other->job] != job;
}

/* Planned starts of others and windows are both in the way of jobs; they are
 * visited in a row. The first that may last longer than `last`. */
static size_t first_block (const tori_sched *sched, tori_time last)
{
    return plan_find (sched, time_add (last - sched->longest, 1));
}

/* The next that meets the job, or NULL; *at goes on after it. */
static const struct reservation *next_met (const tori_sched *sched,
                                           const struct job *job,
                                           tori_time first, tori_time last,
                                           size_t *at)
{
    size_t n = sched->nreserved;
    tori_time end = time_add (first, job->length);
    for (; *at < n && sched->reserved[*at].from < end; ++*at)
        if (meets_job (sched, &sched->reserved[*at], job, first, last))
            return &sched->reserved[(*at)++];
    if (*at < n)
        *at = n;
    for (; *at < n + sched->nwindows; ++*at)
        if (meets_job (sched, &sched->windows[*at - n].is, job, first, last))
            return &sched->windows[(*at)++ - n].is;
    return NULL;
}

static const tori_placement *place_of (const tori_sched *sched,
                                       const struct reservation *reservation)
{
    return reservation->window ? &reservation->window->place
                               : sched->jobs[reservation->job].reserved_place;
}

/* Whether the job at this place from `from` on would disturb a reservation.
 * Boxes that do not touch in nodes touch in links only on torus lines. */
static bool disturbs_reservation (const tori_sched *sched,
                                  const struct job *job, tori_time from,
                                  const tori_placement *place)
{
    tori_placement boxes[2];
    const tori_placement *room = plan_room (sched, place, &boxes[0]);
    const struct reservation *other;
    size_t at = first_block (sched, from);
    while ((other = next_met (sched, job, from, from, &at)))
        if (placement_overlap (
                room, plan_room (sched, place_of (sched, other), &boxes[1]),
                sched->machine))
            return true;
    return false;
}

void plan_drop_met (tori_sched *sched, const struct reservation *by)
{
    for (size_t i = sched->nreserved; i-- > 0;) {
        const struct reservation *other = &sched->reserved[i];
        const struct job *job = &sched->jobs[other->job];
        tori_placement box;
        if (meets_job (sched, by, job, other->from, other->from)
            && placement_overlap (plan_room (sched, job->reserved_place, &box),
                                  &by->window->place, sched->machine))
            plan_forget (sched, other->job);
    }
}

const tori_placement *plan_ahead (const tori_sched *sched, job_slot slot,
                                  size_t *i, tori_placement *scratch)
{
    const struct job *job = &sched->jobs[slot];
    struct entry own = jobs_entry (sched, slot), its;
    const struct reservation *other;
    while ((other = next_met (sched, job, sched->now, sched->now, i))) {
        if (!other->window)
            its = jobs_entry (sched, other->job);
        if (other->window
            || (!job->suspended && entry_before (&its, &own)))
            return plan_room (sched, place_of (sched, other), scratch);
    }
    return NULL;
}

/* Whether the job meets every reservation there is. */
static bool meets_all (const tori_sched *sched, const struct job *job,
                       tori_time from)
{
    for (size_t i = sched->nreserved; i-- > 0;)
        if (!meets_job (sched, &sched->reserved[i], job, from, from))
            return false;
    for (size_t i = 0; i < sched->nwindows; i++)
        if (!meets_job (sched, &sched->windows[i].is, job, from, from))
            return false;
    return true;
}

/* Release the running jobs that have ended by t, from *released on. */
static void pass_time (const tori_sched *sched, tori_time t, size_t *released,
                       tori_state *view)
{
    while (*released < sched->nrunning
           && plan_expected_end (sched, sched->running[*released].end) <= t) {
        job_slot job = sched->running[(*released)++].job;
        view_release (sched->jobs[job].place, view);
    }
}

/* Whether `crowded` has enough nodes for a job. */
static bool has_enough (const tori_sched *sched, const struct job *job)
{
    return tori_state_free_count (sched->crowded)
           >= class_of (sched, job->class)->nodes;
}

/* Clear the sum of shadows by which reservations are blocked; *ret_words is
 * its size, or 0 if shadows are not used. */
static int begin_shade (tori_sched *sched, size_t *ret_words, tori_error *err)
{
    size_t words = plan_has_shadows (sched) && !sched->around
                           && !state_disturbed (sched->crowded)
                       ? shadow_words (sched->machine)
                       : 0;
    if (words > 0 && !sched->shade)
        sched->shade = malloc (words * sizeof *sched->shade);
    if (words > 0 && !sched->shade)
        return tori_error_nomem (err);
    if (words > 0)
        memset (sched->shade, 0, words * sizeof *sched->shade);
    *ret_words = words;
    return 0;
}

/* Block a reservation in `crowded`, or add its shadow to the others. */
static int block_reservation (tori_sched *sched,
                              const struct reservation *other, size_t words,
                              tori_error *err)
{
    tori_placement box;
    const tori_placement *room;
    if (other->until < sched->crowded_until)
        sched->crowded_until = other->until;
    for (size_t i = 0; i < words; i++)
        sched->shade[i] |= other->shadow[i];
    if (words > 0) {
        sched_worked (sched, 1 + words / 8);
        return 0;
    }
    room = plan_room (sched, place_of (sched, other), &box);
    sched_worked (sched, 16 + room->count / 16);
    return view_block (room, sched->crowded, err);
}

/* Make `crowded` the base state with everything blocked that is in the job's
 * way at every start in [first, last]: the reservations that it meets, and the
 * running jobs. The first `released` of these are released already. */
static int make_crowded (tori_sched *sched, const tori_state *base,
                         size_t released, const struct job *job,
                         tori_time first, tori_time last, tori_error *err)
{
    const struct reservation *other;
    size_t at = first_block (sched, last), words = 0;
    sched->crowded_now = false;
    sched->crowded_until = TORI_TIME_MAX;
    if (plan_copy_state (sched, &sched->crowded, base, err) < 0
        || begin_shade (sched, &words, err) < 0)
        return -1;
    sched_worked (sched, 16 + tori_machine_nodes (sched->machine) / 1024);
    pass_time (sched, last, &released, sched->crowded);
    while ((other = next_met (sched, job, first, last, &at))) {
        if (block_reservation (sched, other, words, err) < 0)
            return -1;
        if (sched->lasting && !has_enough (sched, job))
            break;
    }
    return words > 0 ? view_shade (sched->crowded, sched->shade, err) : 0;
}

/* Whether findings about a class hold for this job of it: not if a window
 * admits this job, because others met that window, or if the place of a
 * suspended job is there for it. */
static bool is_typical (const tori_sched *sched, const struct job *job)
{
    return sched->lasting && !windows_admit (sched, job)
           && !windows_yield (sched, job);
}

/* The planned start of a job, which is not in its own way. */
static tori_time own_time (const struct job *job)
{
    return job->reserved ? job->reserved_at : TORI_TIME_MAX;
}

/* The first time from t on at which there are enough nodes for a job. */
static tori_time earliest_count (const tori_sched *sched,
                                 const struct job *job, tori_time t)
{
    return profile_earliest (&sched->profile, t, job->length,
                             class_of (sched, job->class)->nodes,
                             plan_own_span (sched, job));
}

/* ---- whether it may start now ---- */

static int now_by_count (tori_sched *sched, struct job *job,
                         tori_placement *hint, tori_placement *ret_place,
                         tori_error *err)
{
    if (plan_make_profile (sched, err) < 0)
        return -1;
    if (earliest_count (sched, job, sched->now) > sched->now)
        return 0;
    if (!hint)
        return 1;
    *ret_place = *hint;
    *hint = (tori_placement){0};
    return 1;
}

static int now_by_shape (tori_sched *sched, struct job *job,
                         tori_placement *hint, tori_placement *ret_place,
                         tori_error *err)
{
    bool all;
    if (!disturbs_reservation (sched, job, sched->now, hint)) {
        *ret_place = *hint;
        *hint = (tori_placement){0};
        return 1;
    }
    all = !sched->lasting && meets_all (sched, job, sched->now);
    if (!(all && sched->crowded_now)) {
        if (make_crowded (sched, sched->state, 0, job, sched->now, sched->now,
                          err)
            < 0)
            return -1;
        sched->crowded_now = all;
    }
    return sched_ask (sched, class_of (sched, job->class), sched->crowded,
                      ret_place, err);
}

int plan_spares (tori_sched *sched, const struct job *job, tori_error *err)
{
    return make_crowded (sched, sched->state, 0, job, sched->now, sched->now,
                         err)
                   < 0
               ? -1
               : has_enough (sched, job);
}

int plan_now (tori_sched *sched, struct job *job, tori_placement *hint,
              tori_placement *ret_place, tori_error *err)
{
    struct futile *futile = &class_of (sched, job->class)->now;
    int found;
    if (is_typical (sched, job)
        && futile_skip (futile, sched->now, job->length, own_time (job))
               > sched->now)
        return 0;
    found = sched->placed ? now_by_shape (sched, job, hint, ret_place, err)
                          : now_by_count (sched, job, hint, ret_place, err);
    if (sched->lasting && found == 0)
        futile_note (futile, sched->now, time_add (sched->now, 1),
                     job->length);
    return found;
}

int plan_due (tori_sched *sched, const struct job *job,
              tori_placement *ret_place, tori_error *err)
{
    if (!job->reserved_place)
        return 0;
    if (!placement_free (job->reserved_place, sched->state)
        || disturbs_reservation (sched, job, sched->now, job->reserved_place))
        return 0;
    return tori_placement_copy (ret_place, job->reserved_place, err) < 0 ? -1
                                                                         : 1;
}

/* ---- when it may start later ---- */

/* Whether the job has a place that avoids all that is in its way at every
 * start in [first, last]. `later` is the state at `first`. */
static int fits_beside (tori_sched *sched, const struct job *job,
                        tori_time first, tori_time last, size_t released,
                        tori_placement *ret_place, tori_error *err)
{
    if (make_crowded (sched, sched->later, released, job, first, last, err)
        < 0)
        return -1;
    return !has_enough (sched, job)
               ? 0
               : sched_ask (sched, class_of (sched, job->class),
                            sched->crowded, ret_place, err);
}

/* Whether the job fits from t on, with `later` the state at t: at the place
 * that the running jobs leave, if that disturbs no reservation, else at one
 * that avoids them. */
static int fits_later (tori_sched *sched, const struct job *job, tori_time t,
                       size_t released, tori_placement *ret_place,
                       tori_error *err)
{
    int found = sched_ask (sched, class_of (sched, job->class), sched->later,
                           ret_place, err);
    if (found <= 0 || !disturbs_reservation (sched, job, t, ret_place))
        return found;
    tori_placement_clear (ret_place);
    return fits_beside (sched, job, t, t, released, ret_place, err);
}

/* The same for a sure allocator. Usually there is no place of either kind, and
 * one question settles both. */
static int fits_surely (tori_sched *sched, const struct job *job, tori_time t,
                        size_t released, tori_placement *ret_place,
                        tori_error *err)
{
    tori_placement place = {0};
    int found = fits_beside (sched, job, t, t, released, ret_place, err);
    if (found <= 0)
        return found;
    found = sched_ask (sched, class_of (sched, job->class), sched->later,
                       &place, err);
    if (found > 0 && disturbs_reservation (sched, job, t, &place)) {
        tori_placement_clear (&place);
        return 1;
    }
    tori_placement_clear (ret_place);
    if (found > 0)
        *ret_place = place;
    return found;
}

/* A job does not fit from t on, nor before something that was in its way has
 * ended, a running job or a reservation. Returns the next step that is worth a
 * search. */
static tori_time next_chance (const tori_sched *sched, tori_time t,
                              size_t released)
{
    tori_time end = sched->crowded_until;
    if (!sched->lasting)
        return profile_next (&sched->profile, t);
    if (released < sched->nrunning
        && plan_expected_end (sched, sched->running[released].end) < end)
        end = plan_expected_end (sched, sched->running[released].end);
    return profile_next (&sched->profile, end - 1);
}

/* Whether the job fits at no start in [t, limit), because it does not even fit
 * beside what is in its way all that time. `later` is the state at t. */
static int never_before (tori_sched *sched, const struct job *job, tori_time t,
                         tori_time limit, size_t released, tori_error *err)
{
    tori_placement place = {0};
    int found = fits_beside (sched, job, t, limit - 1, released, &place, err);
    tori_placement_clear (&place);
    return found < 0 ? -1 : !found;
}

/* The first step from t on that is not known to be searched in vain. */
static tori_time next_hope (const tori_sched *sched, const struct job *job,
                            tori_time t)
{
    const struct class *class = class_of (sched, job->class);
    tori_time own = own_time (job), hope;
    if (!is_typical (sched, job))
        return t;
    while ((hope = futile_skip (&class->later, t, job->length, own)) > t)
        t = profile_next (&sched->profile, hope - 1);
    return t;
}

/* Move *t past times that can be searched in vain together: as many as lie
 * within *span, which adapts to the outcome. Returns 1, or 0 if *t has to be
 * searched by itself, or -1. */
static int skip_ahead (tori_sched *sched, const struct job *job,
                       tori_time limit, size_t released, tori_time *t,
                       tori_time *span, tori_error *err)
{
    tori_time until = time_add (*t, *span);
    int never;
    if (until > limit)
        until = limit;
    if (!sched->sure || until <= profile_next (&sched->profile, *t))
        return 0;
    never = never_before (sched, job, *t, until, released, err);
    if (never > 0) {
        *t = profile_next (&sched->profile, until - 1);
        *span = time_add (*span, *span);
    } else {
        *span /= 4;
    }
    return never;
}

/* Whether a search may stop, as what it has found is remembered. */
static bool may_stop (const tori_sched *sched, const struct job *job)
{
    return sched->sliced && tired (sched) && is_typical (sched, job);
}

enum { STOPPED = 2 };

/* The first time from step t on and before `limit` at which the job fits, and
 * the place: 1, 0 or -1. STOPPED: it is tired, and there is none before that
 * time. */
static int find_earliest (tori_sched *sched, const struct job *job,
                          tori_time t, tori_time limit, tori_time *ret_time,
                          tori_placement *ret_place, tori_error *err)
{
    /* Most jobs fit before this step, so it is the first to look far ahead.
     * With many planned starts, every step does. */
    enum { STEPS = 32 };
    size_t released = 0, tried = 0;
    tori_time span = job->length, begun = t;
    t = earliest_count (sched, job, t);
    if (t < limit && sched->placed
        && plan_copy_state (sched, &sched->later, sched->state, err) < 0)
        return -1;
    while (t < limit) {
        tori_time hope = next_hope (sched, job, t);
        int found = 1, moved = hope > t;
        if (t > begun && may_stop (sched, job)) {
            *ret_time = t;
            return STOPPED;
        }
        if (moved) {
            t = hope;
        } else if (sched->placed) {
            pass_time (sched, t, &released, sched->later);
            moved = sched->lasting || tried++ >= STEPS
                        ? skip_ahead (sched, job, limit, released, &t, &span,
                                      err)
                        : 0;
            found = moved ? moved
                          : (sched->lasting ? fits_surely : fits_later) (
                              sched, job, t, released, ret_place, err);
        }
        if (found < 0)
            return -1;
        if (!moved && found) {
            *ret_time = t;
            return 1;
        }
        if (!moved)
            t = next_chance (sched, t, released);
        t = earliest_count (sched, job, t);
    }
    return 0;
}

/* No job like this one, or larger, can start at any time in [from, until). */
static void note_later (tori_sched *sched, const struct job *job,
                        tori_time from, tori_time until)
{
    struct class *class = class_of (sched, job->class);
    futile_note (&class->later, from, until, job->length);
    for (uint32_t i = 0; i < sched->classes.n; i++) {
        sched_worked (sched, (class->nothers + 1)
                                 * (class_of (sched, i)->nothers + 1));
        if (i != job->class
            && sched_refuses_too (sched, class, class_of (sched, i)))
            futile_hint (&class_of (sched, i)->later, from, until,
                         job->length);
    }
}

/* Search a start before `limit` for a job that cannot start now and, if it has
 * a planned start, only at times with hope. 1: a further call goes on. */
static int plan_job (tori_sched *sched, job_slot slot, tori_time limit,
                     tori_error *err)
{
    struct job *job = &sched->jobs[slot];
    bool keep = job->reserved;
    tori_time first = profile_next (&sched->profile, sched->now);
    tori_time from = first, until = limit, t = 0;
    tori_placement place = {0};
    int found = 0;
    sched->plotted = sched->now;
    if (keep && job->hope_from > first)
        from = profile_next (&sched->profile, job->hope_from - 1);
    if (keep && job->hope_until < limit)
        until = job->hope_until;
    from = next_hope (sched, job, from);
    if (from < until)
        found = find_earliest (sched, job, from, until, &t, &place, err);
    if (found == STOPPED) {
        if (keep)
            plan_set_hope (sched, job, t, job->hope_until);
        else
            futile_note (&class_of (sched, job->class)->later, from, t,
                         job->length);
        return 1;
    }
    if (found == 0 && sched->lasting)
        plan_set_hope (sched, job, until, job->hope_until);
    if (found >= 0 && from < until && sched->lasting)
        note_later (sched, job, first, found ? t : limit);
    if (found > 0 && plan_reserve (sched, slot, t, &place, err) < 0) {
        tori_placement_clear (&place);
        return -1;
    }
    if (found > 0 && !sched->lasting)
        plan_set_hope (sched, job, 0, job->reserved_at);
    return found < 0 ? -1 : 0;
}

/* Plan one entry, which cannot start now. 1: a further call goes on. */
static int plan_entry (tori_sched *sched, size_t at, tori_error *err)
{
    const struct entry *entry =
        at > 0 ? lanes_at (&sched->lanes, 0, at) : lanes_head (&sched->lanes);
    struct job *job = &sched->jobs[entry->job];
    tori_time limit = TORI_TIME_MAX;
    if (job->reserved && job->reserved_at > sched->now && sched->depth > 1)
        limit =
            job->reserved_at < sched->gain ? job->reserved_at : sched->gain;
    else
        plan_forget (sched, entry->job);
    if (limit <= sched->now
        || (job->reserved
            && (limit <= job->hope_from || job->hope_until <= sched->now)))
        return 0;
    return plan_make_profile (sched, err) < 0
               ? -1
               : plan_job (sched, entry->job, limit, err);
}

/* Whether the first n entries have planned starts, and none has hope of an
 * earlier one. */
static bool all_content (const tori_sched *sched, size_t n)
{
    return sched->lasting && sched->hopes == 0 && sched->nreserved >= n
           && (n == 0 || sched->reserved[0].from > sched->now);
}

int plan_upto (tori_sched *sched, size_t n, tori_error *err)
{
    size_t all = sched->lanes.entries;
    if (all > sched->depth)
        all = sched->depth;
    if (n > all)
        n = all;
    if (sched->planned < n && all_content (sched, all))
        sched->planned = n;
    for (size_t i = 0; sched->planned < n; i++, sched->planned++) {
        int status = i > 0 && sched->sliced && tired (sched)
                         ? 1
                         : plan_entry (sched, sched->planned, err);
        if (status != 0)
            return status;
    }
    return 0;
}

int plan_start (tori_sched *sched, job_slot slot, tori_time *ret_start,
                tori_error *err)
{
    const struct job *job = &sched->jobs[slot];
    tori_placement place = {0};
    int found;
    if (sched->depth > 0) {
        if (plan_upto (sched, 1, err) < 0)
            return -1;
        *ret_start = job->reserved ? job->reserved_at : TORI_TIME_MAX;
        return 0;
    }
    if (plan_make_profile (sched, err) < 0)
        return -1;
    found =
        find_earliest (sched, job, profile_next (&sched->profile, sched->now),
                       TORI_TIME_MAX, ret_start, &place, err);
    tori_placement_clear (&place);
    if (found == 0)
        *ret_start = TORI_TIME_MAX;
    return found < 0 ? -1 : 0;
}

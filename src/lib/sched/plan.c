/* plan.c - the planned starts that waiting jobs have: their list, the profile
 * of nodes that follows from them, and when they are void. plan_search.c finds
 * them.
 *
 * A job keeps its planned start unless an earlier one appears. So moving one
 * job never delays another. An earlier start can appear only if something came
 * free unplanned, and only before the time until which that was to be taken: a
 * job has hope of an earlier start only at times for which something was given
 * up since. */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "ask.h"
#include "bits.h"
#include "marks.h"
#include "placement.h"
#include "plan_parts.h"

bool plan_has_shadows (const tori_sched *sched)
{
    return sched->placed && sched->lasting
           && shadow_words (sched->machine) > 0;
}

/* ---- the profile ---- */

/* A job with alternatives may have more nodes than the least it asks for. */
static struct span span_of (const tori_sched *sched, const struct job *job)
{
    const tori_placement *place = job->reserved_place;
    return (struct span){
        job->reserved_at, time_add (job->reserved_at, job->length),
        place ? place->count : class_of (sched, job->class)->nodes};
}

/* The nodes that a running job is expected to hold from now on. */
static struct span held_by (const tori_sched *sched, const struct job *job)
{
    return (struct span){sched->now, plan_expected_end (sched, job->end),
                         placement_returning (job->place, sched->state)};
}

int plan_running_profile (const tori_sched *sched, struct profile *profile,
                          tori_error *err)
{
    if (profile_reset (profile, sched->now,
                       tori_state_free_count (sched->state), err)
            < 0
        || profile_make_room (profile, sched->nrunning, err) < 0)
        return -1;
    for (size_t i = 0; i < sched->nrunning; i++) {
        const struct job *job = &sched->jobs[sched->running[i].job];
        profile_push_held (profile, plan_expected_end (sched, job->end),
                           placement_returning (job->place, sched->state));
    }
    return 0;
}

int plan_make_profile (tori_sched *sched, tori_error *err)
{
    struct profile *profile = &sched->profile;
    if (sched->profiled)
        return 0;
    if (plan_running_profile (sched, profile, err) < 0)
        return -1;
    for (size_t i = 0; i < sched->nreserved; i++)
        if (profile_push (
                profile, span_of (sched, &sched->jobs[sched->reserved[i].job]),
                err)
            < 0)
            return -1;
    /* A window does not reduce the number of free nodes, because running jobs
     * may still be inside it. But its end is a time at which something comes
     * free. */
    for (size_t i = 0; i < sched->nwindows; i++)
        if (profile_push (profile,
                          (struct span){sched->windows[i].is.until,
                                        sched->windows[i].is.until, 0},
                          err)
            < 0)
            return -1;
    profile_sort (profile);
    sched->profiled = true;
    sched->profiled_at = sched->now;
    return 0;
}

/* Keep the profile up to date; if memory runs out it is made anew the next
 * time. */
static void profile_with (tori_sched *sched, struct span span)
{
    if (sched->profiled && profile_add (&sched->profile, span, NULL) < 0)
        sched->profiled = false;
}

static void profile_without (tori_sched *sched, struct span span)
{
    if (sched->profiled && profile_remove (&sched->profile, span, NULL) < 0)
        sched->profiled = false;
}

int plan_take_out (tori_sched *sched, const struct job *job, tori_error *err)
{
    if (plan_make_profile (sched, err) < 0)
        return -1;
    profile_without (sched, span_of (sched, job));
    return 0;
}

void plan_put_back (tori_sched *sched, const struct job *job)
{
    profile_with (sched, span_of (sched, job));
}

int plan_falls (tori_sched *sched, struct falls *ret_falls, tori_error *err)
{
    if (plan_make_profile (sched, err) < 0)
        return -1;
    profile_falls (&sched->profile, sched->now, ret_falls);
    return 0;
}

struct span plan_own_span (const tori_sched *sched, const struct job *job)
{
    return job->reserved ? span_of (sched, job) : (struct span){0};
}

/* ---- the list of planned starts ---- */

size_t plan_find (const tori_sched *sched, tori_time t)
{
    size_t low = 0, high = sched->nreserved;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sched->reserved[middle].from < t)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The shadow is the caller's. */
static uint64_t *list_take (tori_sched *sched, job_slot job)
{
    size_t i = plan_find (sched, sched->jobs[job].reserved_at);
    uint64_t *shadow;
    while (sched->reserved[i].job != job)
        i++;
    shadow = sched->reserved[i].shadow;
    sched->nreserved--;
    memmove (sched->reserved + i, sched->reserved + i + 1,
             (sched->nreserved - i) * sizeof *sched->reserved);
    if (sched->nreserved == 0)
        sched->longest = 0;
    return shadow;
}

/* There is room. */
static void list_insert (tori_sched *sched, job_slot slot, uint64_t *shadow)
{
    struct span span = span_of (sched, &sched->jobs[slot]);
    size_t i = plan_find (sched, span.from);
    memmove (sched->reserved + i + 1, sched->reserved + i,
             (sched->nreserved - i) * sizeof *sched->reserved);
    sched->reserved[i] =
        (struct reservation){span.from, span.until, slot, shadow};
    sched->nreserved++;
    if (sched->longest < span.until - span.from)
        sched->longest = span.until - span.from;
}

static int list_room (tori_sched *sched, tori_error *err)
{
    struct reservation *more =
        array_room (sched->reserved, &sched->reserved_room,
                    sched->nreserved + 1, sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    sched->reserved = more;
    return 0;
}

static void free_place (tori_placement **place)
{
    if (*place)
        placement_drop (*place);
    *place = NULL;
}

/* ---- what came free ---- */

static bool has_hope (const struct job *job)
{
    return job->hope_from < job->hope_until;
}

void plan_set_hope (tori_sched *sched, struct job *job, tori_time from,
                    tori_time until)
{
    sched->hopes -= has_hope (job);
    job->hope_from = from;
    job->hope_until = until;
    sched->hopes += has_hope (job);
}

/* A job with a planned start may start at a time in [from, until), if that is
 * earlier and still to come. */
static void give_hope (tori_sched *sched, struct job *job, tori_time from,
                       tori_time until)
{
    if (until > job->reserved_at)
        until = job->reserved_at;
    if (from <= sched->now)
        from = time_add (sched->now, 1);
    if (from >= until)
        return;
    if (has_hope (job) && job->hope_from < from)
        from = job->hope_from;
    if (has_hope (job) && job->hope_until > until)
        until = job->hope_until;
    plan_set_hope (sched, job, from, until);
}

/* Something that was held in [begin, end) is free then. */
static void let_go (tori_sched *sched, tori_time begin, tori_time end)
{
    if (begin >= end || !sched->lasting)
        return;
    sched->loosened = true;
    sched_worked (sched, sched->classes.n + sched->nreserved);
    for (size_t i = 0; i < sched->classes.n; i++) {
        struct class *class = &sched->classes.all[i];
        futile_pass (&class->later, sched->now);
        futile_free (&class->now, begin, end);
        futile_free (&class->later, begin, end);
    }
    for (size_t i = 0; i < sched->nreserved; i++) {
        struct job *job = &sched->jobs[sched->reserved[i].job];
        give_hope (sched, job, begin - job->length + 1, end);
    }
}

static void note_gain (tori_sched *sched, tori_time end)
{
    if (end > sched->gain)
        sched->gain = end;
}

void plan_freed (tori_sched *sched, tori_time begin, tori_time end)
{
    note_gain (sched, end);
    let_go (sched, begin, end);
}

/* A job gives up its planned start, which the list loses. */
static void give_up (tori_sched *sched, struct job *job)
{
    struct span span = span_of (sched, job);
    profile_without (sched, span);
    free_place (&job->reserved_place);
    plan_set_hope (sched, job, 0, 0);
    job->reserved = false;
    sched->crowded_now = false;
    sched->let_go = true;
    sched->chances++;
    note_gain (sched, span.until);
}

/* A job gives up its planned start, but still uses that place until
 * `until`. */
static void forget_until (tori_sched *sched, job_slot slot, tori_time until)
{
    struct job *job = &sched->jobs[slot];
    struct span span = span_of (sched, job);
    if (!job->reserved)
        return;
    free (list_take (sched, slot));
    give_up (sched, job);
    let_go (sched, span.from > until ? span.from : until, span.until);
}

void plan_forget (tori_sched *sched, job_slot slot)
{
    forget_until (sched, slot, 0);
}

void plan_delay (tori_sched *sched, job_slot slot, tori_time at)
{
    struct job *job = &sched->jobs[slot];
    struct span was = span_of (sched, job), is;
    uint64_t *shadow = list_take (sched, slot);
    job->reserved_at = at;
    is = span_of (sched, job);
    list_insert (sched, slot, shadow);
    profile_without (sched, was);
    profile_with (sched, is);
    note_gain (sched, is.until);
    let_go (sched, was.from, was.until);
    plan_set_hope (sched, job, 0, at);
}

/* Whether two places are the same nodes and links; false if that is not
 * obvious. */
static bool same_place (const tori_placement *a, const tori_placement *b)
{
    if (a->count != b->count || a->nboxes != b->nboxes || a->nboxes > 1)
        return false;
    if (a->nboxes == 0)
        return memcmp (a->nodes, b->nodes, a->count * sizeof *a->nodes) == 0;
    return placement_equal (a, b);
}

void plan_replace (tori_sched *sched, job_slot slot, tori_time at,
                   const tori_placement *place)
{
    const struct job *job = &sched->jobs[slot];
    bool same =
        job->reserved
        && (!job->reserved_place || same_place (place, job->reserved_place));
    forget_until (sched, slot, same ? time_add (at, job->length) : 0);
}

void plan_changed (tori_sched *sched)
{
    sched->crowded_now = false;
    sched->planned = 0;
    sched->chances++;
}

void plan_started (tori_sched *sched, const struct job *job)
{
    sched->chances++;
    profile_with (sched, held_by (sched, job));
    if (sched->crowded_now
        && view_block (job->place, sched->crowded, NULL) < 0)
        sched->crowded_now = false;
}

/* A job that was expected to end by now is not in the profile any more, unless
 * the profile was made since. A place that was held until now is free anyway.
 */
void plan_ended (tori_sched *sched, const struct job *job)
{
    struct span span = held_by (sched, job);
    span.from = job->start;
    if (job->end > sched->now)
        profile_without (sched, span);
    else if (sched->profiled_at == sched->now)
        sched->profiled = false;
}

const tori_placement *plan_room (const tori_sched *sched,
                                 const tori_placement *place,
                                 tori_placement *scratch)
{
    tori_box box;
    if (sched->counts || !alloc_room (sched->alloc, place, &box))
        return place;
    *scratch = placement_of_box (&box, TORI_WIRE_NONE);
    return scratch;
}

/* Whether a planned start needs something that is down. */
static bool is_broken (const tori_sched *sched,
                       const struct reservation *reservation)
{
    const tori_placement *place = sched->jobs[reservation->job].reserved_place;
    tori_placement box;
    if (!place)
        return true;
    place = plan_room (sched, place, &box);
    return placement_returning (place, sched->state) < place->count
           || !placement_links_up (place, sched->state);
}

/* Let go what doomed planned starts hold. Times that meet are let go as one,
 * because each of them costs a look at all planned starts. */
static void let_go_doomed (tori_sched *sched)
{
    struct span all = {0};
    for (size_t i = 0; i < sched->nreserved; i++) {
        const struct reservation *it = &sched->reserved[i];
        struct span span = span_of (sched, &sched->jobs[it->job]);
        if (!it->doomed)
            continue;
        if (span.from > all.until) {
            let_go (sched, all.from, all.until);
            all = span;
        } else if (span.until > all.until) {
            all.until = span.until;
        }
    }
    let_go (sched, all.from, all.until);
}

/* Thousands may be dropped at once: the list is not searched for each of them.
 * They are in the order of their begins. */
void plan_drop_broken (tori_sched *sched)
{
    size_t kept = 0;
    plan_doom_broken (sched);
    let_go_doomed (sched);
    for (size_t i = 0; i < sched->nreserved; i++) {
        struct reservation it = sched->reserved[i];
        if (!it.doomed) {
            sched->reserved[kept++] = it;
            continue;
        }
        give_up (sched, &sched->jobs[it.job]);
        free (it.shadow);
    }
    sched->nreserved = kept;
    if (kept == 0)
        sched->longest = 0;
}

void plan_drop_before (tori_sched *sched, tori_time end)
{
    for (size_t i = sched->nreserved; i-- > 0;)
        if (sched->reserved[i].from < end)
            plan_forget (sched, sched->reserved[i].job);
}

/* Whether a reservation of a place meets a job at another place until
 * `end`. */
static bool met_until (const tori_sched *sched,
                       const struct reservation *reservation,
                       const tori_placement *place, tori_time end)
{
    const tori_placement *own = sched->jobs[reservation->job].reserved_place;
    tori_placement box;
    return reservation->from < end
           && placement_overlap (plan_room (sched, own, &box), place,
                                 sched->machine);
}

void plan_drop_moved (tori_sched *sched, const struct job *job,
                      tori_time before)
{
    tori_time end = plan_expected_end (sched, job->end);
    before = plan_expected_end (sched, before);
    for (size_t i = sched->nreserved; i-- > 0;) {
        const struct reservation *other = &sched->reserved[i];
        if (sched->placed ? met_until (sched, other, job->place, end)
                          : other->from < end && other->until > before)
            plan_forget (sched, other->job);
    }
}

void plan_doom_broken (tori_sched *sched)
{
    for (size_t i = 0; i < sched->nreserved; i++)
        sched->reserved[i].doomed = is_broken (sched, &sched->reserved[i]);
}

void plan_doom_only (tori_sched *sched, job_slot job)
{
    for (size_t i = 0; i < sched->nreserved; i++)
        sched->reserved[i].doomed = sched->reserved[i].job == job;
}

bool plan_meets (const tori_sched *sched, const tori_placement *place,
                 tori_time end)
{
    for (size_t i = 0; i < sched->nreserved; i++)
        if (!sched->reserved[i].doomed
            && met_until (sched, &sched->reserved[i], place, end))
            return true;
    return false;
}

void plan_doom (tori_sched *sched, const tori_placement *place, tori_time end)
{
    for (size_t i = 0; sched->placed && i < sched->nreserved; i++)
        if (met_until (sched, &sched->reserved[i], place, end))
            sched->reserved[i].doomed = true;
}

static void mark_nodes (const tori_sched *sched, const tori_placement *place,
                        uint64_t set[])
{
    for (size_t i = 0; i < place->nboxes; i++)
        grid_set (sched->machine, tori_placement_box (place, i), set);
    for (uint32_t i = 0; !place->nboxes && i < place->count; i++)
        bits_set (set, place->nodes[i]);
}

void plan_bar (const tori_sched *sched, const struct job *job, tori_time end,
               bool promises, uint64_t set[])
{
    const uint64_t *only = class_of (sched, job->class)->only;
    tori_placement box;
    memset (set, 0, bits_words (sched->machine->nodes) * sizeof *set);
    for (uint32_t i = 0; only && i < sched->machine->nodes; i++)
        if (!bits_test (only, i))
            bits_set (set, i);
    for (size_t i = 0; i < sched->nwindows; i++) {
        const struct window *window = &sched->windows[i];
        if (window->is.from < end && window->is.until > sched->now
            && !window_admits (sched, window, job))
            mark_nodes (sched, &window->place, set);
    }
    /* At depth 1 the only planned start is made when it is asked for:
     * decisions must not depend on that. */
    promises &= sched->placed && sched->depth > 1;
    for (size_t i = 0; promises && i < sched->nreserved; i++) {
        const struct reservation *other = &sched->reserved[i];
        if (other->from < end && !other->doomed)
            mark_nodes (sched,
                        plan_room (sched,
                                   sched->jobs[other->job].reserved_place,
                                   &box),
                        set);
    }
}

/* ---- new ones ---- */

int plan_shadow (tori_sched *sched, const tori_placement *place,
                 uint64_t **ret_shadow, tori_error *err)
{
    size_t words = shadow_words (sched->machine);
    uint64_t *shadow;
    *ret_shadow = NULL;
    if (!plan_has_shadows (sched))
        return 0;
    if (!sched->blank
        && tori_state_create (sched->machine, &sched->blank, err) < 0)
        return -1;
    shadow = malloc (words * sizeof *shadow);
    if (!shadow)
        return tori_error_nomem (err);
    if (shadow_cast (place, sched->blank, shadow, err) < 0) {
        free (shadow);
        return -1;
    }
    *ret_shadow = shadow;
    return 0;
}

int plan_reserve (tori_sched *sched, job_slot slot, tori_time at,
                  tori_placement *place, tori_error *err)
{
    struct job *job = &sched->jobs[slot];
    tori_placement *kept = NULL;
    const tori_link *links;
    uint64_t *shadow;
    if (list_room (sched, err) < 0
        || plan_shadow (sched, place, &shadow, err) < 0)
        return -1;
    if (sched->placed) {
        kept = malloc (sizeof *kept);
        if (!kept) {
            free (shadow);
            return tori_error_nomem (err);
        }
        *kept = *place;
    }
    plan_replace (sched, slot, at, place);
    job->reserved = true;
    job->reserved_at = at;
    job->reserved_place = kept;
    if (placement_listed (place, &links) > 0)
        sched->around = true;
    list_insert (sched, slot, shadow);
    profile_with (sched, span_of (sched, job));
    sched->crowded_now = false;
    return 0;
}

/* The job may start at any time before its planned start. */
static void hope_all (tori_sched *sched, struct job *job)
{
    plan_set_hope (sched, job, 0, job->reserved_at);
}

/* A single planned start is made when it is needed, so it counts as made.
 * Among many each is checked, and kept if nothing came free. */
int plan_restore (tori_sched *sched, job_slot slot, tori_time at,
                  tori_placement *place, tori_error *err)
{
    if (plan_reserve (sched, slot, at, place, err) < 0)
        return -1;
    hope_all (sched, &sched->jobs[slot]);
    sched_changed (sched);
    if (sched->depth == 1)
        sched->planned = 1;
    return 0;
}

void plan_clear (tori_sched *sched)
{
    for (size_t i = 0; i < sched->nreserved; i++) {
        free_place (&sched->jobs[sched->reserved[i].job].reserved_place);
        free (sched->reserved[i].shadow);
    }
    free (sched->reserved);
    profile_clear (&sched->profile);
    tori_state_destroy (sched->later);
    tori_state_destroy (sched->crowded);
    tori_state_destroy (sched->blank);
    tori_state_destroy (sched->limited);
    free (sched->shade);
}

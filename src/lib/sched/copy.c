/* copy.c - a second scheduler like the first, and its configuration.
 *
 * A copy answers what-if questions: it is run forward, or given events that
 * did not happen, and thrown away. Everything that decisions depend on is
 * copied as it is; scratch memory is made anew when it is needed. */
#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "core.h"
#include "placement.h"
#include "sized.h"

void tori_sched_get_config (const tori_sched *sched,
                            tori_sched_config *ret_config)
{
    tori_sched_config config = {
        .policy = sched->policy->info.name,
        .alloc = alloc_config (sched->alloc),
        .order = sched->order,
        .depth = sched->depth == sched->policy->depth
                     ? 0
                     : (uint32_t)sched->depth,
        .flags = sched->flags,
        .counts = sched->counts ? alloc_config (sched->counts) : NULL,
        .work = sched->work < UINT32_MAX ? (uint32_t)sched->work : 0,
        .move = sched->move,
        .own_order = sched->own_order,
        .own_policy = sched->own_policy,
    };
    if (sched_is_sized (sched, ret_config, "tori_sched_config"))
        sized_fill (ret_config, &config, sizeof config);
}

tori_time tori_sched_now (const tori_sched *sched)
{
    return sched->now;
}

/* ---- copying ---- */

/* A copy of `n` items in room for `room`; NULL where there is no room, and
 * *bad without memory. */
static void *duplicate_items (const void *from, size_t n, size_t room,
                              size_t size, bool *bad)
{
    void *to;
    if (room == 0)
        return NULL;
    to = malloc (room * size);
    if (!to)
        *bad = true;
    else if (n > 0)
        memcpy (to, from, n * size);
    return to;
}

static void copy_queue (struct queue *to, const struct queue *from, bool *bad)
{
    *to = (struct queue){.n = from->n, .room = from->n};
    to->entries = duplicate_items (from->n ? queue_at (from, 0) : NULL,
                                   from->n, from->n, sizeof *to->entries, bad);
}

static void copy_lanes (struct lanes *to, const struct lanes *from, bool *bad)
{
    *to = *from;
    to->waiting = duplicate_items (from->waiting, from->nwaiting, from->room,
                                   sizeof *to->waiting, bad);
    to->open = duplicate_items (from->open, from->nopen, from->room,
                                sizeof *to->open, bad);
    to->all =
        duplicate_items (from->all, from->n, from->room, sizeof *to->all, bad);
    to->n = to->all ? from->n : 0;
    for (size_t i = 0; i < to->n; i++)
        copy_queue (&to->all[i].queue, &from->all[i].queue, bad);
}

static void copy_classes (struct classes *to, const struct classes *from,
                          bool *bad)
{
    *to = *from;
    to->all =
        duplicate_items (from->all, from->n, from->room, sizeof *to->all, bad);
    to->n = to->all ? from->n : 0;
    for (size_t i = 0; i < to->n; i++)
        *bad |= class_copy_parts (&to->all[i], NULL) < 0;
    to->buckets = duplicate_items (from->buckets, from->nbuckets,
                                   from->nbuckets, sizeof *to->buckets, bad);
}

/* A copy of a placement, in memory of its own; NULL of NULL. */
static tori_placement *copy_place (const tori_placement *from, bool *bad)
{
    tori_placement *to = from ? placement_duplicate (from) : NULL;
    *bad |= from && !to;
    return to;
}

/* Copy the running jobs; on failure, those copied so far are complete. */
static void copy_running (tori_sched *to, const tori_sched *from, bool *bad)
{
    to->running =
        duplicate_items (from->running, from->nrunning, from->running_room,
                         sizeof *to->running, bad);
    for (size_t i = 0; i < from->nrunning && !*bad; i++) {
        struct job *job = &to->jobs[from->running[i].job];
        job->place = copy_place (job->place, bad);
        to->nrunning += !*bad;
    }
}

static void copy_reserved (tori_sched *to, const tori_sched *from, bool *bad)
{
    size_t words = shadow_words (from->machine);
    to->reserved =
        duplicate_items (from->reserved, from->nreserved, from->reserved_room,
                         sizeof *to->reserved, bad);
    for (size_t i = 0; i < from->nreserved && !*bad; i++) {
        struct reservation *its = &to->reserved[i];
        struct job *job = &to->jobs[its->job];
        job->reserved_place = copy_place (job->reserved_place, bad);
        if (its->shadow)
            its->shadow = duplicate_items (its->shadow, words, words,
                                           sizeof *its->shadow, bad);
        to->nreserved++;
    }
}

/* Starts that were not fetched yet point at the places of their jobs; only
 * those of jobs that have left own a place. */
static void copy_made (tori_sched *to, const tori_sched *from, bool *bad)
{
    to->made = duplicate_items (from->made, from->nmade, from->made_room,
                                sizeof *to->made, bad);
    for (size_t i = from->fetched; i < from->nmade && !*bad; i++) {
        struct made *made = &to->made[to->nmade++];
        *made = from->made[i];
        made->left = copy_place (made->left, bad);
        if (made->place)
            made->place = made->left
                              ? made->left
                              : to->jobs[numbers_find (&to->numbers,
                                                       made->job)]
                                    .place;
    }
}

static void copy_drains (tori_sched *to, const tori_sched *from, bool *bad)
{
    to->drains = duplicate_items (from->drains, from->ndrains,
                                  from->drains_room, sizeof *to->drains, bad);
    for (size_t i = 0; i < from->ndrains && !*bad; i++) {
        struct drain *its = &to->drains[i];
        its->nodes = duplicate_items (its->nodes, its->n, its->n,
                                      sizeof *its->nodes, bad);
        to->ndrains++;
    }
}

static void copy_window (struct window *to, size_t words, bool *bad)
{
    struct window from = *to;
    *to = (struct window){.is = from.is, .ntags = from.ntags};
    to->is.window = to;
    to->is.shadow = NULL;
    to->name = from.name ? strdup (from.name) : NULL;
    to->tags = duplicate_items (from.tags, from.ntags, from.ntags + 1,
                                sizeof *to->tags, bad);
    if (from.is.shadow)
        to->is.shadow = duplicate_items (from.is.shadow, words, words,
                                         sizeof *to->is.shadow, bad);
    *bad |= (from.name && !to->name)
            || tori_placement_copy (&to->place, &from.place, NULL);
}

static void copy_windows (tori_sched *to, const tori_sched *from, bool *bad)
{
    to->windows =
        duplicate_items (from->windows, from->nwindows, from->windows_room,
                         sizeof *to->windows, bad);
    for (size_t i = 0; i < from->nwindows && !*bad; i++) {
        copy_window (&to->windows[i], shadow_words (from->machine), bad);
        to->nwindows++;
    }
}

/* Copy the arrays that are in use, until memory runs out. */
static void copy_parts (tori_sched *to, const tori_sched *from, bool *bad)
{
    to->jobs = duplicate_items (from->jobs, from->njobs, from->jobs_room,
                                sizeof *to->jobs, bad);
    to->numbers.all =
        duplicate_items (from->numbers.all, from->numbers.size,
                         from->numbers.size, sizeof *to->numbers.all, bad);
    copy_lanes (&to->lanes, &from->lanes, bad);
    copy_queue (&to->aside, &from->aside, bad);
    copy_classes (&to->classes, &from->classes, bad);
    to->refused =
        duplicate_items (from->refused, from->nrefused, from->refused_room,
                         sizeof *to->refused, bad);
    to->barred =
        duplicate_items (from->barred, from->nbarred, from->barred_room,
                         sizeof *to->barred, bad);
    if (*bad)
        return;
    copy_running (to, from, bad);
    copy_reserved (to, from, bad);
    copy_made (to, from, bad);
    copy_drains (to, from, bad);
    copy_windows (to, from, bad);
}

/* Copy all members that are neither pointers nor scratch memory. */
static tori_sched *copy_plain (const tori_sched *from)
{
    tori_sched *to = malloc (sizeof *to);
    if (!to)
        return NULL;
    *to = *from;
    to->self = to;
    to->deciding = false;
    if (to->own_policy)
        to->policy = &to->rules;
    to->unsized = NULL;
    to->alloc = to->counts = NULL;
    to->state = to->bare = to->later = to->crowded = to->blank = NULL;
    to->limited = NULL;
    to->shade = NULL;
    to->bare_outages = 0;
    to->profile = (struct profile){0};
    to->profiled = to->crowded_now = false;
    to->nrunning = to->nreserved = to->ndrains = 0;
    to->nwindows = 0;
    to->drains = NULL;
    to->windows = NULL;
    to->running = NULL;
    to->reserved = NULL;
    to->made = NULL;
    to->nmade = to->fetched = 0;
    return to;
}

int tori_sched_copy (const tori_sched *sched, tori_sched **ret_copy,
                     tori_error *err)
{
    tori_sched *copy = copy_plain (sched);
    bool bad = false;
    if (!copy)
        return tori_error_nomem (err);
    copy_parts (copy, sched, &bad);
    if (bad) {
        tori_error_nomem (err);
        goto fail;
    }
    if (tori_alloc_create (sched->machine, alloc_config (sched->alloc),
                           &copy->alloc, err)
            < 0
        || (sched->counts
            && tori_alloc_create (sched->machine, alloc_config (sched->counts),
                                  &copy->counts, err)
                   < 0)
        || tori_state_create (sched->machine, &copy->state, err) < 0
        || tori_state_copy (copy->state, sched->state, err) < 0)
        goto fail;
    *ret_copy = copy;
    return 0;
fail:
    tori_sched_destroy (copy);
    return -1;
}

/* windows.c - places that are kept free from one time to another.
 *
 * To a job a window is like the planned start of another job that never starts
 * and that nothing puts off. The places of suspended jobs are windows without
 * a name (suspend.c). */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "configure.h"
#include "core.h"
#include "placement.h"
#include "sized.h"

static int compare_tags (const void *a, const void *b)
{
    uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
    return (first > second) - (first < second);
}

static bool admits_tag (const struct window *window, uint64_t tag)
{
    return window->ntags > 0
           && bsearch (&tag, window->tags, window->ntags, sizeof tag,
                       compare_tags);
}

/* The place of a suspended job is there for that job, for jobs of a higher
 * level, and for suspended jobs before it. */
static bool yields_to (const tori_sched *sched, const struct window *window,
                       const struct job *job)
{
    const struct job *own = &sched->jobs[window->is.job];
    struct entry a, b;
    if (own == job || job->level != own->level)
        return own == job || job->level > own->level;
    if (!job->suspended)
        return false;
    a = jobs_entry (sched, (job_slot)(job - sched->jobs));
    b = jobs_entry (sched, window->is.job);
    return entry_before (&a, &b);
}

bool window_admits (const tori_sched *sched, const struct window *window,
                    const struct job *job)
{
    return window->name ? admits_tag (window, job->tag)
                        : yields_to (sched, window, job);
}

bool windows_admit (const tori_sched *sched, const struct job *job)
{
    for (size_t i = 0; i < sched->nwindows; i++)
        if (admits_tag (&sched->windows[i], job->tag))
            return true;
    return false;
}

bool windows_yield (const tori_sched *sched, const struct job *job)
{
    for (size_t i = 0; i < sched->nwindows; i++)
        if (!sched->windows[i].name
            && yields_to (sched, &sched->windows[i], job))
            return true;
    return false;
}

bool window_meets (const tori_sched *sched, const struct window *window,
                   const struct job *job)
{
    return window->name
           && window->is.from < time_add (sched->now, job->length)
           && !admits_tag (window, job->tag);
}

bool windows_meet (const tori_sched *sched, const struct job *job)
{
    for (size_t i = 0; i < sched->nwindows; i++)
        if (window_meets (sched, &sched->windows[i], job))
            return true;
    return false;
}

tori_time windows_end (const tori_sched *sched)
{
    tori_time first = TORI_TIME_MAX;
    for (size_t i = 0; i < sched->nwindows; i++)
        if (sched->windows[i].name && sched->windows[i].is.until < first)
            first = sched->windows[i].is.until;
    return first;
}

/* ---- coming and going ---- */

static void clear_window (struct window *window)
{
    tori_placement_clear (&window->place);
    free (window->is.shadow);
    free (window->name);
    free (window->tags);
}

void windows_clear (tori_sched *sched)
{
    for (size_t i = 0; i < sched->nwindows; i++)
        clear_window (&sched->windows[i]);
    free (sched->windows);
}

/* The later windows move; their reservations point at them and are updated. */
static void take_away (tori_sched *sched, size_t at)
{
    clear_window (&sched->windows[at]);
    sched->nwindows--;
    memmove (sched->windows + at, sched->windows + at + 1,
             (sched->nwindows - at) * sizeof *sched->windows);
    for (; at < sched->nwindows; at++)
        sched->windows[at].is.window = &sched->windows[at];
}

void windows_expire (tori_sched *sched)
{
    for (size_t i = sched->nwindows; i-- > 0;)
        if (sched->windows[i].name
            && sched->windows[i].is.until <= sched->now) {
            take_away (sched, i);
            sched_changed (sched);
        }
}

static size_t find_window (const tori_sched *sched, const char *name)
{
    size_t i = 0;
    while (i < sched->nwindows
           && (!sched->windows[i].name
               || strcmp (sched->windows[i].name, name) != 0))
        i++;
    return i;
}

/* ---- requests of a driver ---- */

static int check_window (const tori_sched *sched, tori_time now,
                         const tori_window *window, tori_error *err)
{
    if (policy_check (sched, "reservations", err) < 0)
        return -1;
    if (!sched->placed)
        return tori_error_set (err, TORI_INVALID,
                               "a reservation is a place, and this scheduler "
                               "plans numbers of nodes");
    if (!window->name || (!window->place && window->count == 0))
        return tori_error_set (err, TORI_INVALID,
                               "a reservation without a name or a place");
    if (window->from >= window->until)
        return tori_error_set (err, TORI_INVALID,
                               "reservation %s ends before it begins",
                               window->name);
    if (window->until <= now)
        return tori_error_set (err, TORI_INVALID,
                               "reservation %s has already ended",
                               window->name);
    if (find_window (sched, window->name) < sched->nwindows)
        return tori_error_set (err, TORI_INVALID,
                               "there is a reservation %s already", window->name);
    return window->place
               ? placement_check (window->place, sched->machine, err)
               : 0;
}

/* ---- windows of a count ---- */

/* Mark the nodes of a place. */
static void mark_place (const tori_sched *sched, const tori_placement *place,
                        char marks[], char with)
{
    for (uint32_t i = 0; i < tori_machine_nodes (sched->machine); i++)
        if (tori_placement_contains (place, sched->machine, i))
            marks[i] = with;
}

/* The state of every node while a window of a count is open: 0, 1 if a job
 * will still be there, or 2 if the node cannot be used. */
static void mark_all (const tori_sched *sched, tori_time now,
                      const tori_window *window, char marks[])
{
    for (size_t i = 0; i < sched->nrunning; i++) {
        const struct job *job = &sched->jobs[sched->running[i].job];
        if (window->from <= now || job->end > window->from)
            mark_place (sched, job->place, marks, 1);
    }
    for (size_t i = 0; i < sched->nwindows; i++) {
        const struct reservation *other = &sched->windows[i].is;
        if (sched->windows[i].name && other->from < window->until
            && window->from < other->until
            && other->until > now)
            mark_place (sched, &sched->windows[i].place, marks, 2);
    }
    for (uint32_t i = 0; i < tori_machine_nodes (sched->machine); i++)
        if (tori_state_is_down (sched->state, i)
            || tori_state_is_drained (sched->state, i))
            marks[i] = 2;
}

/* Choose the nodes of a window of a count, which are then its place. */
static int choose_nodes (const tori_sched *sched, tori_time now,
                         const tori_window *window, tori_placement *ret_place,
                         tori_error *err)
{
    uint32_t n = tori_machine_nodes (sched->machine);
    char *marks = calloc (n, sizeof *marks);
    tori_placement place = {.nodes = malloc (n * sizeof *place.nodes)};
    if (!marks || !place.nodes) {
        free (marks);
        free (place.nodes);
        return tori_error_nomem (err);
    }
    mark_all (sched, now, window, marks);
    for (char with = 0; with < 2; with++)
        for (uint32_t i = 0; i < n && place.count < window->count; i++)
            if (marks[i] == with) {
                marks[i] = 3;
                place.count++;
            }
    place.count = 0;
    for (uint32_t i = 0; i < n; i++)
        if (marks[i] == 3)
            place.nodes[place.count++] = i;
    free (marks);
    *ret_place = place;
    if (place.count == window->count)
        return 0;
    tori_placement_clear (ret_place);
    return tori_error_set (err, TORI_INVALID,
                           "reservation %s: not enough nodes to choose from",
                           window->name);
}

/* Room for one more window. */
static int windows_room (tori_sched *sched, tori_error *err)
{
    struct window *more
        = array_room (sched->windows, &sched->windows_room,
                      sched->nwindows + 1, sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    sched->windows = more;
    for (size_t i = 0; i < sched->nwindows; i++)
        more[i].is.window = &more[i];
    return 0;
}

/* Take over a window. There is room. */
static struct window *push_window (tori_sched *sched,
                                   const struct window *own)
{
    struct window *window = &sched->windows[sched->nwindows++];
    *window = *own;
    window->is.window = window;
    return window;
}

/* Copy a window with all its parts; on failure the parts are cleared. */
static int copy_window (tori_sched *sched, const tori_window *window,
                        struct window *ret_window, tori_error *err)
{
    struct window own = {.is = {window->from, window->until, NO_SLOT}};
    if (tori_placement_copy (&own.place, window->place, err) < 0)
        return -1;
    own.place.wiring = TORI_WIRE_NONE; /* it keeps nodes, not links */
    own.name = strdup (window->name);
    own.tags = malloc ((window->ntags + 1) * sizeof *own.tags);
    if (!own.name || !own.tags) {
        clear_window (&own);
        return tori_error_nomem (err);
    }
    own.ntags = window->ntags;
    if (own.ntags > 0)
        memcpy (own.tags, window->tags, own.ntags * sizeof *own.tags);
    qsort (own.tags, own.ntags, sizeof *own.tags, compare_tags);
    if (plan_shadow (sched, &own.place, &own.is.shadow, err) < 0) {
        clear_window (&own);
        return -1;
    }
    *ret_window = own;
    return 0;
}

int tori_sched_add_window (tori_sched *sched, tori_time now,
                           const tori_window *window, tori_error *err)
{
    tori_window given;
    tori_placement chosen = {0};
    struct window own;
    int status;
    if (SIZED_COPY (tori_window, &given, window, err) < 0
        || sched_check_time (sched, now, err) < 0
        || check_window (sched, now, &given, err) < 0
        || (!given.place
            && choose_nodes (sched, now, &given, &chosen, err) < 0))
        return -1;
    if (!given.place)
        given.place = &chosen;
    status = windows_room (sched, err);
    if (status == 0)
        status = copy_window (sched, &given, &own, err);
    tori_placement_clear (&chosen);
    if (status < 0)
        return -1;
    sched_advance (sched, now);
    plan_drop_met (sched, &push_window (sched, &own)->is);
    sched_changed (sched);
    return 0;
}

/* ---- the places of suspended jobs ---- */

static size_t find_kept (const tori_sched *sched, job_slot slot)
{
    size_t i = 0;
    while (i < sched->nwindows
           && (sched->windows[i].name || sched->windows[i].is.job != slot))
        i++;
    return i;
}

bool windows_kept (const tori_sched *sched, job_slot slot,
                   tori_time *ret_from, const tori_placement **ret_place)
{
    size_t at = find_kept (sched, slot);
    if (at == sched->nwindows)
        return false;
    *ret_from = sched->windows[at].is.from;
    *ret_place = &sched->windows[at].place;
    return true;
}

/* Something changed where jobs may be planned. */
static void note_kept (tori_sched *sched)
{
    sched->strained = true;
    sched_changed (sched);
}

void windows_release (tori_sched *sched, job_slot slot)
{
    size_t at = find_kept (sched, slot);
    if (at == sched->nwindows)
        return;
    plan_freed (sched, sched->windows[at].is.from,
                sched->windows[at].is.until);
    take_away (sched, at);
    note_kept (sched);
}

/* A new one. */
static int keep_place (tori_sched *sched, job_slot slot, tori_error *err)
{
    struct window own = {.is = {.job = slot}};
    const tori_placement *place = suspend_place (sched, &sched->jobs[slot]);
    const tori_link *links;
    if (windows_room (sched, err) < 0
        || tori_placement_copy (&own.place, place, err) < 0)
        return -1;
    if (plan_shadow (sched, &own.place, &own.is.shadow, err) < 0) {
        clear_window (&own);
        return -1;
    }
    if (placement_listed (place, &links) > 0)
        sched->around = true;
    push_window (sched, &own);
    return 0;
}

int windows_keep (tori_sched *sched, job_slot slot, tori_time from,
                  tori_error *err)
{
    tori_time until = time_add (from, sched->jobs[slot].length);
    size_t at = find_kept (sched, slot);
    struct reservation *is;
    if (from == TORI_TIME_MAX) {
        windows_release (sched, slot);
        return 0;
    }
    if (at == sched->nwindows && keep_place (sched, slot, err) < 0)
        return -1;
    is = &sched->windows[at].is;
    if (is->from == from && is->until == until)
        return 0;
    if (is->until > 0)
        plan_freed (sched, is->from, is->until);
    is->from = from;
    is->until = until;
    note_kept (sched);
    return 0;
}

int windows_restore (tori_sched *sched, job_slot slot, tori_time from,
                     tori_error *err)
{
    struct reservation *is;
    if (find_kept (sched, slot) < sched->nwindows)
        return 0;
    if (keep_place (sched, slot, err) < 0)
        return -1;
    is = &sched->windows[sched->nwindows - 1].is;
    is->from = from;
    is->until = time_add (from, sched->jobs[slot].length);
    return 0;
}

int tori_sched_remove_window (tori_sched *sched, tori_time now,
                              const char *name, tori_error *err)
{
    size_t at = find_window (sched, name);
    tori_time until;
    if (at == sched->nwindows)
        return tori_error_set (err, TORI_INVALID, "there is no reservation %s",
                               name);
    if (sched_check_time (sched, now, err) < 0)
        return -1;
    sched_advance (sched, now);
    until = sched->windows[at].is.until;
    if (sched->windows[at].is.until > now)
        plan_freed (sched, sched->windows[at].is.from, until);
    take_away (sched, at);
    sched_changed (sched);
    return 0;
}

int tori_sched_admit (tori_sched *sched, tori_time now, const char *name,
                      uint64_t tag, tori_error *err)
{
    size_t at = find_window (sched, name), n;
    struct window *window;
    uint64_t *more;
    if (at == sched->nwindows)
        return tori_error_set (err, TORI_INVALID, "there is no reservation %s",
                               name);
    if (sched_check_time (sched, now, err) < 0)
        return -1;
    window = &sched->windows[at];
    n = window->ntags;
    if (admits_tag (window, tag))
        return 0;
    more = realloc (window->tags, (n + 1) * sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    window->tags = more;
    for (; n > 0 && more[n - 1] > tag; n--)
        more[n] = more[n - 1];
    more[n] = tag;
    window->ntags++;
    sched_advance (sched, now);
    sched_changed (sched);
    return 0;
}

bool tori_sched_window (const tori_sched *sched, size_t i,
                        tori_window *ret_window)
{
    const struct window *window;
    tori_window is = {0};
    size_t at = 0;
    if (!sched_is_sized (sched, ret_window, "tori_window"))
        return false;
    while (at < sched->nwindows && (!sched->windows[at].name || i-- > 0))
        at++;
    if (at == sched->nwindows)
        return false;
    window = &sched->windows[at];
    is.name = window->name;
    is.from = window->is.from;
    is.until = window->is.until;
    is.place = &window->place;
    is.tags = window->tags;
    is.ntags = window->ntags;
    is.count = window->place.count;
    sized_fill (ret_window, &is, sizeof is);
    return true;
}

#include "profile.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

enum { FEW = 8 };

void profile_clear (struct profile *profile)
{
    free (profile->steps);
    *profile = (struct profile){0};
}

/* Room for n steps. */
static int need_steps (struct profile *profile, size_t n, tori_error *err)
{
    struct step *more = array_room (profile->steps, &profile->room, n,
                                    sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    profile->steps = more;
    return 0;
}

int profile_reset (struct profile *profile, tori_time now, int64_t free_nodes,
                   tori_error *err)
{
    if (need_steps (profile, 1, err) < 0)
        return -1;
    profile->steps[0] = (struct step){now, free_nodes, 1};
    profile->n = profile->sorted = 1;
    return 0;
}

/* ---- all at once ---- */

int profile_make_room (struct profile *profile, size_t spans, tori_error *err)
{
    return need_steps (profile, profile->n + spans, err);
}

int profile_push (struct profile *profile, struct span span, tori_error *err)
{
    struct step *first;
    if (need_steps (profile, profile->n + 2, err) < 0)
        return -1;
    first = profile->steps;
    if (span.from > first->from) {
        profile_push_step (profile, span.from, -span.nodes);
    } else {
        first->free -= span.nodes;
        first->ends++;
    }
    profile_push_step (profile, span.until, span.nodes);
    return 0;
}

static int compare_steps (const void *a, const void *b)
{
    const struct step *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

/* Insert a step that was pushed later among the sorted ones. */
static void sort_in (struct profile *profile)
{
    struct step *steps = profile->steps, step = steps[profile->sorted];
    size_t at = profile->sorted++;
    for (; at > 0 && steps[at - 1].from > step.from; at--)
        steps[at] = steps[at - 1];
    steps[at] = step;
}

/* The few steps of a single planned start are inserted one by one. */
static void sort_steps (struct profile *profile)
{
    if (profile->n - profile->sorted > FEW)
        qsort (profile->steps, profile->n, sizeof *profile->steps,
               compare_steps);
    else
        while (profile->sorted < profile->n)
            sort_in (profile);
}

void profile_sort (struct profile *profile)
{
    struct step *last = profile->steps;
    sort_steps (profile);
    for (size_t i = 1; i < profile->n; i++) {
        const struct step *step = &profile->steps[i];
        if (step->from == last->from) {
            last->free += step->free;
            last->ends += step->ends;
        } else {
            last[1] = (struct step){step->from, last->free + step->free,
                                    step->ends};
            last++;
        }
    }
    profile->n = (size_t)(last - profile->steps) + 1;
}

/* ---- one after the other ---- */

/* The step that t lies in, or the first if t is before all. */
static size_t find_step (const struct profile *profile, tori_time t)
{
    size_t low = 0, high = profile->n;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (profile->steps[middle].from <= t)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Move the steps from `at` on to `to`. */
static void move_steps (struct profile *profile, size_t at, size_t to)
{
    memmove (profile->steps + to, profile->steps + at,
             (profile->n - at) * sizeof *profile->steps);
    profile->n = profile->n - at + to;
}

/* Make t the beginning of a step and return its index. There is room. */
static size_t split_step (struct profile *profile, tori_time t)
{
    size_t i = find_step (profile, t);
    if (t == TORI_TIME_MAX)
        return profile->n;
    if (profile->steps[i].from >= t)
        return i;
    move_steps (profile, i + 1, i + 2);
    profile->steps[i + 1] = (struct step){t, profile->steps[i].free, 0};
    return i + 1;
}

/* Whether splitting at t adds a step. */
static bool needs_split (const struct profile *profile, tori_time t)
{
    return t != TORI_TIME_MAX
           && profile->steps[find_step (profile, t)].from < t;
}

static int change_span (struct profile *profile, struct span span,
                        int64_t sign, tori_error *err)
{
    size_t first, end;
    size_t more =
        needs_split (profile, span.from) + needs_split (profile, span.until);
    if (need_steps (profile, profile->n + more, err) < 0)
        return -1;
    first = split_step (profile, span.from);
    end = split_step (profile, span.until);
    if (first < profile->n)
        profile->steps[first].ends += sign;
    if (end < profile->n)
        profile->steps[end].ends += sign;
    for (size_t i = first; i < end; i++)
        profile->steps[i].free -= sign * span.nodes;
    return 0;
}

int profile_add (struct profile *profile, struct span span, tori_error *err)
{
    return change_span (profile, span, 1, err);
}

/* Remove the step at t if no span begins or ends there any more. */
static void join_step (struct profile *profile, tori_time t)
{
    size_t i = find_step (profile, t);
    const struct step *step = &profile->steps[i];
    if (i > 0 && step->from == t && step->ends <= 0
        && step->free == step[-1].free)
        move_steps (profile, i + 1, i);
}

int profile_remove (struct profile *profile, struct span span, tori_error *err)
{
    if (change_span (profile, span, -1, err) < 0)
        return -1;
    join_step (profile, span.until);
    join_step (profile, span.from);
    return 0;
}

void profile_pass (struct profile *profile, tori_time now)
{
    size_t i = find_step (profile, now);
    if (i > profile->n / 2)
        move_steps (profile, i, 0);
}

/* ---- questions ---- */

tori_time profile_earliest (const struct profile *profile, tori_time from,
                            tori_time length, int64_t nodes, struct span own)
{
    tori_time start = from;
    for (size_t i = find_step (profile, from); i < profile->n; i++) {
        const struct step *step = &profile->steps[i];
        if (step->from > start && step->from >= time_add (start, length))
            return start;
        if (step->free < nodes
            && (step->free + own.nodes < nodes || step->from < own.from
                || step->from >= own.until))
            start = i + 1 < profile->n ? step[1].from : TORI_TIME_MAX;
    }
    return start;
}

void profile_falls (const struct profile *profile, tori_time from,
                    struct falls *ret_falls)
{
    struct falls *falls = ret_falls;
    falls->n = 0;
    for (size_t i = find_step (profile, from);
         i < profile->n && falls->n < PROFILE_FALLS; i++) {
        const struct step *step = &profile->steps[i];
        if (falls->n > 0 && step->free >= falls->least[falls->n - 1])
            continue;
        falls->from[falls->n] = step->from;
        falls->least[falls->n++] = step->free;
    }
}

tori_time profile_next (const struct profile *profile, tori_time t)
{
    size_t i = find_step (profile, t);
    if (profile->steps[i].from > t)
        return profile->steps[i].from;
    return i + 1 < profile->n ? profile->steps[i + 1].from : TORI_TIME_MAX;
}

#include "profile.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

void profile_clear (struct profile *profile)
{
    free (profile->steps);
    *profile = (struct profile){0};
}

static int need (struct profile *profile, size_t n, tori_error *err)
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
    if (need (profile, 1, err) < 0)
        return -1;
    profile->steps[0] = (struct step){now, free_nodes};
    profile->n = 1;
    return 0;
}

int profile_append (struct profile *profile, tori_time from, int64_t more,
                    tori_error *err)
{
    struct step *last = &profile->steps[profile->n - 1];
    if (last->from == from) {
        last->free += more;
        return 0;
    }
    if (need (profile, profile->n + 1, err) < 0)
        return -1;
    last = &profile->steps[profile->n - 1];
    last[1] = (struct step){from, last->free + more};
    profile->n++;
    return 0;
}

/* The step that t lies in, or the first if t is before all. */
static size_t find (const struct profile *profile, tori_time t)
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

/* Make t the beginning of a step and return its index. There is room. */
static size_t split (struct profile *profile, tori_time t)
{
    size_t i = find (profile, t);
    if (profile->steps[i].from >= t)
        return i;
    memmove (profile->steps + i + 2, profile->steps + i + 1,
             (profile->n - i - 1) * sizeof *profile->steps);
    profile->steps[i + 1] = (struct step){t, profile->steps[i].free};
    profile->n++;
    return i + 1;
}

/* Whether splitting at t adds a step. */
static bool splits (const struct profile *profile, tori_time t)
{
    return t != TORI_TIME_MAX && profile->steps[find (profile, t)].from < t;
}

int profile_add (struct profile *profile, struct span span, tori_error *err)
{
    size_t first, end;
    size_t more = splits (profile, span.from) + splits (profile, span.until);
    if (need (profile, profile->n + more, err) < 0)
        return -1;
    first = span.from == TORI_TIME_MAX ? profile->n
                                       : split (profile, span.from);
    end = span.until == TORI_TIME_MAX ? profile->n
                                      : split (profile, span.until);
    for (size_t i = first; i < end; i++)
        profile->steps[i].free -= span.nodes;
    return 0;
}

tori_time profile_earliest (const struct profile *profile, tori_time from,
                            tori_time length, int64_t nodes)
{
    tori_time start = from;
    for (size_t i = find (profile, from); i < profile->n; i++) {
        const struct step *step = &profile->steps[i];
        if (step->from > start && step->from >= time_add (start, length))
            return start;
        if (step->free < nodes)
            start = i + 1 < profile->n ? step[1].from : TORI_TIME_MAX;
    }
    return start;
}

tori_time profile_next (const struct profile *profile, tori_time t)
{
    size_t i = find (profile, t);
    if (profile->steps[i].from > t)
        return profile->steps[i].from;
    return i + 1 < profile->n ? profile->steps[i + 1].from : TORI_TIME_MAX;
}

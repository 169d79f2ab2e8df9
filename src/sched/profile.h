/* profile.h - how many nodes are free when: a step function of time.
 *
 * For requests by count this is the whole plan: a job fits from t on if the
 * function does not fall below its size before it ends. For requests by shape
 * it is the filter in front of the search for a box, which costs far more.
 */
#ifndef TORI_SCHED_PROFILE_H
#define TORI_SCHED_PROFILE_H

#include <tori/sched.h>

struct step {
    tori_time from; /* until the next step's */
    int64_t free;
};

struct profile {
    struct step *steps;
    size_t n;
    size_t room;
};

/* Something that holds `nodes` nodes from `from` until before `until`. */
struct span {
    tori_time from, until;
    int64_t nodes;
};

void profile_clear (struct profile *profile);

/* Begin anew: `free` nodes from `now` on for ever. */
int profile_reset (struct profile *profile, tori_time now, int64_t free,
                   tori_error *err);

/* From `from` on, which is not before the last step, `more` are free. */
int profile_append (struct profile *profile, tori_time from, int64_t more,
                    tori_error *err);

/* Take a span out of the profile (nodes > 0) or give it back (nodes < 0).
 * Both ends become steps, even where the value stays the same: they are the
 * times at which something changes hands. Needs no memory for a span that
 * was added before. */
int profile_add (struct profile *profile, struct span span, tori_error *err);

/* The first time at or after `from` from which `nodes` nodes are free for
 * `length` ticks (for an instant, if that is 0). */
tori_time profile_earliest (const struct profile *profile, tori_time from,
                            tori_time length, int64_t nodes);

/* The first step after t; TORI_TIME_MAX if there is none. */
tori_time profile_next (const struct profile *profile, tori_time t);

/* a + b, at most TORI_TIME_MAX; neither is negative. */
static inline tori_time time_add (tori_time a, tori_time b)
{
    return a > TORI_TIME_MAX - b ? TORI_TIME_MAX : a + b;
}

#endif

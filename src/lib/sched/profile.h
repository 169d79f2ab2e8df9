/* profile.h - the number of free nodes as a step function of time.
 *
 * For requests by count this is the whole plan: a job fits from t on if the
 * function does not fall below its size before it ends. For requests by shape
 * it is the filter in front of the search for a box, which costs far more.
 *
 * It is made once and then kept up to date. With thousands of planned starts,
 * making it again whenever time passes would cost more than all its
 * answers. */
#ifndef TORI_SCHED_PROFILE_H
#define TORI_SCHED_PROFILE_H

#include <tori/sched.h>

struct step {
    tori_time from; /* until that of the next step */
    int64_t free;
    int64_t ends; /* the number of spans that begin or end here */
};

struct profile {
    struct step *steps;
    size_t n;
    size_t sorted; /* while spans are pushed: the first steps are in order */
    size_t room;
};

/* Something that holds `nodes` nodes from `from` until before `until`. */
struct span {
    tori_time from, until;
    int64_t nodes;
};

void profile_clear (struct profile *profile);

/* Begin anew: `free` nodes from `now` on for ever. Then add spans in any
 * order, and sort them all in the end. It takes the least time if most of them
 * begin by now and come in the order of their ends, as running jobs do. */
int profile_reset (struct profile *profile, tori_time now, int64_t free,
                   tori_error *err);
int profile_push (struct profile *profile, struct span span, tori_error *err);
void profile_sort (struct profile *profile);

/* Until they are sorted, steps hold differences. Those that were pushed in
 * order need not be sorted. There is room. */
static inline void profile_push_step (struct profile *profile, tori_time from,
                                      int64_t more)
{
    if (from == TORI_TIME_MAX)
        return;
    if (profile->sorted == profile->n
        && profile->steps[profile->n - 1].from <= from)
        profile->sorted++;
    profile->steps[profile->n++] = (struct step){from, more, 1};
}

/* Push a span that began by now, of nodes that are not among the free ones.
 * Room is made for many such spans at once. */
int profile_make_room (struct profile *profile, size_t spans, tori_error *err);
static inline void profile_push_held (struct profile *profile,
                                      tori_time until, int64_t nodes)
{
    profile->steps[0].ends++;
    profile_push_step (profile, until, nodes);
}

/* Add a span, or remove one that was added; what it held before the first step
 * does not matter. Both ends are steps, even if the value stays the same: they
 * are the times at which something changes hands. Adding a span again that was
 * just removed needs no memory. */
int profile_add (struct profile *profile, struct span span, tori_error *err);
int profile_remove (struct profile *profile, struct span span,
                    tori_error *err);

/* Time has come to `now`: earlier steps may be forgotten. */
void profile_pass (struct profile *profile, tori_time now);

/* The first time at or after `from` from which `nodes` nodes are free for
 * `length` ticks (for an instant, if that is 0), if the span `own` were not
 * there. */
tori_time profile_earliest (const struct profile *profile, tori_time from,
                            tori_time length, int64_t nodes, struct span own);

/* The least number of free nodes from a time on, as far as it falls: from[i] on
 * it is least[i]. Later falls are left out if there are more. */
enum { PROFILE_FALLS = 4 };
struct falls {
    tori_time from[PROFILE_FALLS];
    int64_t least[PROFILE_FALLS];
    size_t n;
};
void profile_falls (const struct profile *profile, tori_time from,
                    struct falls *ret_falls);

/* Whether fewer than `nodes` nodes are free at some time within `length` ticks,
 * by these falls. */
static inline bool falls_below (const struct falls *falls, tori_time from,
                                tori_time length, int64_t nodes)
{
    for (size_t i = 0; i < falls->n; i++)
        if (falls->least[i] < nodes
            && (i == 0 || falls->from[i] - from < length))
            return true;
    return false;
}

/* The first step after t; TORI_TIME_MAX if there is none. */
tori_time profile_next (const struct profile *profile, tori_time t);

/* a + b, at most TORI_TIME_MAX; neither is negative. */
static inline tori_time time_add (tori_time a, tori_time b)
{
    return a > TORI_TIME_MAX - b ? TORI_TIME_MAX : a + b;
}

#endif

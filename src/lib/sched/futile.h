/* futile.h - times for which a search for a place was in vain.
 *
 * If every waiting job has a planned start, the scheduler searches for an
 * earlier one for each of them whenever something becomes free, nearly always
 * in vain. Jobs of a class (classes.h) differ only in length, and if a short
 * one does not fit, a longer one does not either. So a class keeps one such
 * finding: none of its jobs fits from any time in [from, until) on for
 * `length` ticks or more. The finding holds until something is released; then
 * it shrinks. */
#ifndef TORI_SCHED_FUTILE_H
#define TORI_SCHED_FUTILE_H

#include <tori/sched.h>

struct futile {
    tori_time from, until; /* as long as from < until */
    tori_time length;
};

/* Something that was held in [begin, end) comes free: a job that would start
 * before `end` and still run at `begin` may fit now. Two parts of the finding
 * may remain; the earlier one is kept, if there is one. */
static inline void futile_free (struct futile *futile, tori_time begin,
                                tori_time end)
{
    tori_time clear = begin - futile->length; /* the last start without it */
    if (futile->from >= futile->until || clear >= futile->until - 1
        || end <= futile->from)
        return;
    if (clear >= futile->from)
        futile->until = clear + 1;
    else
        futile->from = end;
}

/* Drop starts in the past, so that the kept part is in the future. */
static inline void futile_pass (struct futile *futile, tori_time now)
{
    if (futile->from < now)
        futile->from = now;
}

/* Note that jobs of this length fit from no time in [from, until) on. A
 * finding that says as much or more is kept. */
static inline void futile_note (struct futile *futile, tori_time from,
                                tori_time until, tori_time length)
{
    bool same = futile->length == length && futile->from <= until
                && from <= futile->until && futile->from < futile->until;
    if (from >= until
        || (futile->from <= from && until <= futile->until
            && futile->length <= length))
        return;
    *futile = (struct futile){
        same && futile->from < from ? futile->from : from,
        same && futile->until > until ? futile->until : until, length};
}

/* The same for a finding about another class: noted only if it says more. */
static inline void futile_hint (struct futile *futile, tori_time from,
                                tori_time until, tori_time length)
{
    if (futile->from >= futile->until
        || (from <= futile->from && futile->until <= until
            && length <= futile->length))
        futile_note (futile, from, until, length);
}

/* The first time from t on from which a job may fit, as far as is known. Its
 * own reservation, which is not in its way, begins at `own`. */
static inline tori_time futile_skip (const struct futile *futile, tori_time t,
                                     tori_time length, tori_time own)
{
    tori_time clear = own - futile->length;
    if (length < futile->length || t < futile->from || t >= futile->until
        || clear < t)
        return t;
    return clear + 1 < futile->until ? clear + 1 : futile->until;
}

#endif

/* hours.h - times of the week, such as "Mon-Fri 18:00-08:00, Sat-Sun".
 *
 * An item is a day or a range of days, and a span of the day that begins on
 * these days; a span that ends no later than it begins ends on the next day.
 * Without days it is every day, without a span the whole day.
 *
 * Times are those of the local clock, at every moment. On the day when the
 * clock is put forward, the hour that it skips is in no span; when it is put
 * back, the hour that comes twice is in a span both times. So a span of
 * 02:00-04:00 takes one hour on one of these days, and three on the other. */
#ifndef TORI_SERVICE_HOURS_H
#define TORI_SERVICE_HOURS_H

#include <stdbool.h>

#include <tori/error.h>
#include <tori/workload.h>

/* TORI_INVALID if the text is not such a list. */
int hours_check (const char *text, tori_error *err);

/* Whether a time is one of them. *ret_next is when that should be asked again:
 * when it changes, or after half an hour at the latest, because clocks are put
 * forward and back. */
bool hours_contain (const char *text, tori_time now, tori_time *ret_next);

/* The first span without a gap that is not over at a time: from then on if it
 * has begun. False if there is none, or if it never ends. */
bool hours_span (const char *text, tori_time after, tori_time *ret_from,
                 tori_time *ret_until);

#endif

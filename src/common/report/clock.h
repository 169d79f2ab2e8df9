/* clock.h - local clock times of a running service. */
#ifndef TORI_REPORT_CLOCK_H
#define TORI_REPORT_CLOCK_H

#include <stdbool.h>

#include <tori/error.h>
#include <tori/workload.h>

enum { CLOCK_TEXT_MAX = 48 };

/* Whether a time counts from 1970, as those of a service do, and not from the
 * beginning of a log: whether it is after 2001. */
bool time_is_clock (tori_time time);

/* The time, in whole seconds. */
tori_time clock_now (void);

/* "07:30:05" today, "2026-11-16 07:30:05" on another day. */
void clock_format (tori_time when, char text[CLOCK_TEXT_MAX]);

/* Read "2026-11-16 07:30", also with seconds, with a T or without a time; a
 * time alone, or "Mon 07:30", which are the next such times; "now"; or
 * "+1h20m", so long from now. The result is since 1970, in whole seconds if `now` is. */
int clock_parse (const char *text, tori_time now, tori_time *ret_time,
                 tori_error *err);

#endif

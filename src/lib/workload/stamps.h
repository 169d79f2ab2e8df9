/* stamps.h - points in time and durations as other programs write them. */
#ifndef TORI_WORKLOAD_STAMPS_H
#define TORI_WORKLOAD_STAMPS_H

#include <stdbool.h>

#include <tori/sched.h>

/* The allowed contents of a column of times, for a message. */
#define STAMP_EXPECTED "seconds or a date such as 2026-03-01T09:30:00"

/* Seconds ("90", "2.5"), or a date and a time of day after it, with T or a
 * blank between them; seconds and their decimals, "Z" and "+01:00" may follow.
 * A date is the time since 1970; without a zone it counts as UTC. False for
 * anything else, and for times before 0 or above TORI_MAX_SECONDS. */
bool stamp_parse (const char *text, tori_time *ret_time, bool *ret_dated);

/* A duration (duration.h) of at most TORI_MAX_SECONDS. */
int span_parse (const char *text, tori_time *ret_time, tori_error *err);

#endif

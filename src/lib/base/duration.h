/* duration.h - times for people: "1h20m", "1:20:30", "+1h20m". There is no other
 * reader of durations. Times are ticks as tori_time has them (tori/sched.h, which
 * is above this folder): millionths of a second. */
#ifndef TORI_BASE_DURATION_H
#define TORI_BASE_DURATION_H

#include <tori/error.h>

#include "number.h"

enum { DURATION_TEXT_MAX = 48 };

/* "1h20m", "2d3h", "0.5s", "0s"; with a minus sign below 0. Exact to the
 * millisecond; less than half a millisecond is "0s". */
void duration_format (int64_t time, char text[DURATION_TEXT_MAX]);

/* The same, but rounded: days to hours, hours to minutes, and minutes to
 * seconds. */
void duration_about (int64_t time, char text[DURATION_TEXT_MAX]);

/* Read such a text, also with ms and us ("100ms"); hours, minutes and seconds
 * ("1:20:30"); days and hours, and perhaps minutes and seconds after them, as
 * Slurm writes them ("2-12", "2-12:30", "2-12:30:00"); or seconds ("90", "2.5",
 * "5/2"). TORI_INVALID for anything else, and for a time that does
 * not fit. "1:20" is an hour and twenty minutes to some and a minute and
 * twenty seconds to Slurm, so it is refused with both. */
int duration_parse (const char *text, int64_t *ret_time, tori_error *err);

/* The same for the time limit of a job, where Slurm takes a plain number for
 * minutes: that is refused, too. */
int limit_parse (const char *text, int64_t *ret_time, tori_error *err);

/* The same for a point in time: with a plus or minus sign it is a duration from
 * `now`. Without, "9:00" is a time of day, which has one meaning. TORI_INVALID
 * before time 0, too. */
int moment_parse (const char *text, int64_t now, int64_t *ret_time,
                  tori_error *err);

/* The same in a unit of so many seconds, exactly: a plain number is in this unit.
 * `what` names it in the error. */
int duration_fraction (const char *text, const char *what, int64_t unit,
                       struct fraction *ret_time, tori_error *err);

#endif

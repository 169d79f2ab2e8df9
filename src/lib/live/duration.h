/* duration.h - times for people: "1h20m", "9:00", "+1h20m". */
#ifndef TORI_LIVE_DURATION_H
#define TORI_LIVE_DURATION_H

#include <tori/workload.h>

enum { DURATION_TEXT_MAX = 48 };

/* "1h20m", "2d3h", "0.5s", "0s"; with a minus sign below 0. Exact to the
 * millisecond; less than half a millisecond is "0s". */
void duration_format (tori_time time, char text[DURATION_TEXT_MAX]);

/* The same, but rounded: days to hours, hours to minutes, and minutes to
 * seconds. */
void duration_about (tori_time time, char text[DURATION_TEXT_MAX]);

/* Read seconds ("90", "2.5"), such a text, or hours, minutes and perhaps
 * seconds ("9:00", "1:20:30"). TORI_INVALID for anything else, and for a time
 * longer than a tori_time. */
int duration_parse (const char *text, tori_time *ret_time, tori_error *err);

/* The same for a point in time: with a plus or minus sign it is relative to
 * `now`. TORI_INVALID before time 0, too. */
int moment_parse (const char *text, tori_time now, tori_time *ret_time,
                  tori_error *err);

#endif

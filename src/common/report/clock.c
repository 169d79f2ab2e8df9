#include "clock.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "duration.h"

bool time_is_clock (tori_time time)
{
    return time / TORI_SECOND >= 1000000000;
}

tori_time clock_now (void)
{
    return (tori_time)time (NULL) * TORI_SECOND;
}

void clock_format (tori_time when, char text[CLOCK_TEXT_MAX])
{
    time_t now = time (NULL), then = (time_t)(when / TORI_SECOND);
    struct tm a, b;
    text[0] = '\0';
    if (!localtime_r (&now, &a) || !localtime_r (&then, &b))
        return;
    strftime (text, CLOCK_TEXT_MAX,
              a.tm_year == b.tm_year && a.tm_yday == b.tm_yday
                  ? "%H:%M:%S"
                  : "%Y-%m-%d %H:%M:%S",
              &b);
}

/* ---- parsing ---- */

static int refuse_time (const char *text, tori_error *err)
{
    return tori_error_set (err, TORI_INVALID,
                           "'%.40s' is not a time such as +1h20m, 18:00, Mon "
                           "18:00 or 2026-11-16 18:00",
                           text);
}

/* Whether strptime reads all of the text. */
static bool matches_form (const char *text, const char *form, struct tm *to)
{
    const char *end = strptime (text, form, to);
    return end && !*end;
}

/* A day, and perhaps a time; 0 if it is not one. */
static time_t read_date (const char *text)
{
    static const char *const forms[]
        = {"%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S",
           "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct tm to = {.tm_isdst = -1};
        if (matches_form (text, forms[i], &to))
            return mktime (&to);
    }
    return 0;
}

/* A time of today, or of tomorrow if it is over; 0 if it is not one. */
static time_t read_hour (const char *text, time_t now)
{
    struct tm to;
    time_t then;
    if (!localtime_r (&now, &to))
        return 0;
    to.tm_sec = 0;
    to.tm_isdst = -1;
    if (!matches_form (text, "%H:%M", &to)
        && !matches_form (text, "%H:%M:%S", &to))
        return 0;
    then = mktime (&to);
    if (then >= now)
        return then;
    to.tm_mday++;
    to.tm_isdst = -1;
    return mktime (&to);
}

/* A day of the week, of seven from now on, and perhaps a time; 0 if it is not
 * one. */
static time_t read_weekday (const char *text, time_t now)
{
    static const char names[] = "SunMonTueWedThuFriSat";
    struct tm to;
    time_t then = 0;
    int day = 0;
    while (day < 7 && strncmp (text, names + 3 * day, 3))
        day++;
    if (day == 7 || !localtime_r (&now, &to))
        return 0;
    to.tm_mday += (day - to.tm_wday + 7) % 7;
    to.tm_hour = to.tm_min = to.tm_sec = 0;
    if (text[3] && !matches_form (text + 3, " %H:%M", &to)
        && !matches_form (text + 3, " %H:%M:%S", &to))
        return 0;
    for (int k = 0; k < 2 && then < now; k++) {
        struct tm at = to;
        at.tm_mday += 7 * k;
        at.tm_isdst = -1;
        then = mktime (&at);
    }
    return then;
}

int clock_parse (const char *text, tori_time now, tori_time *ret_time,
                 tori_error *err)
{
    time_t then;
    if (text[0] == '+' || !strcmp (text, "now"))
        return moment_parse (text[0] == '+' ? text : "+0", now, ret_time,
                             err);
    then = read_hour (text, (time_t)(now / TORI_SECOND));
    if (then == 0)
        then = read_weekday (text, (time_t)(now / TORI_SECOND));
    if (then == 0)
        then = read_date (text);
    if (then <= 0)
        return refuse_time (text, err);
    *ret_time = (tori_time)then * TORI_SECOND;
    return 0;
}

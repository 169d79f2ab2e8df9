#include "stamps.h"

#include <string.h>

#include "build.h"
#include "duration.h"
#include "number.h"

enum { MINUTE = 60, HOUR = 3600, DAY = 86400 };

static bool is_digit (char c)
{
    return c >= '0' && c <= '9';
}

/* Exactly so many digits. */
static bool scan_digits (const char **text, int n, int64_t *ret_value)
{
    int64_t value = 0;
    for (int i = 0; i < n; i++) {
        if (!is_digit ((*text)[i]))
            return false;
        value = 10 * value + ((*text)[i] - '0');
    }
    *text += n;
    *ret_value = value;
    return true;
}

static bool scan_char (const char **text, char c)
{
    bool there = **text == c;
    *text += there;
    return there;
}

/* ".25" to the microsecond, rounded down; none is 0. */
static bool scan_decimals (const char **text, tori_time *ret_ticks)
{
    tori_time unit = TORI_SECOND, ticks = 0;
    if (scan_char (text, '.')) {
        if (!is_digit (**text))
            return false;
        for (; is_digit (**text); ++*text)
            ticks += (**text - '0') * (unit /= 10);
    }
    *ret_ticks = ticks;
    return true;
}

static bool scan_seconds (const char *text, tori_time *ret_time)
{
    struct fraction value;
    return fraction_parse (text, "", &value, NULL) == 0
           && ticks_from_seconds (fraction_value (value), ret_time);
}

/* ---- dates ---- */

static bool is_leap (int64_t year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int64_t days_in (int64_t year, int64_t month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && is_leap (year));
}

/* Leap days before a year. */
static int64_t count_leaps (int64_t year)
{
    int64_t last = year - 1;
    return last / 4 - last / 100 + last / 400;
}

static bool scan_date (const char **text, int64_t *ret_days)
{
    int64_t year, month, day, days;
    if (!scan_digits (text, 4, &year) || !scan_char (text, '-')
        || !scan_digits (text, 2, &month) || !scan_char (text, '-')
        || !scan_digits (text, 2, &day) || year < 1970 || month < 1
        || month > 12 || day < 1 || day > days_in (year, month))
        return false;
    days = 365 * (year - 1970) + count_leaps (year) - count_leaps (1970) + day
           - 1;
    for (int64_t i = 1; i < month; i++)
        days += days_in (year, i);
    *ret_days = days;
    return true;
}

/* A second of 60 is a leap second. */
static bool scan_clock (const char **text, int64_t *ret_seconds,
                        tori_time *ret_ticks)
{
    int64_t hour, minute, second = 0;
    *ret_ticks = 0;
    if (!scan_digits (text, 2, &hour) || !scan_char (text, ':')
        || !scan_digits (text, 2, &minute) || hour > 23 || minute > 59)
        return false;
    if (scan_char (text, ':')
        && (!scan_digits (text, 2, &second) || second > 60
            || !scan_decimals (text, ret_ticks)))
        return false;
    *ret_seconds = hour * HOUR + minute * MINUTE + second;
    return true;
}

/* The offset of a time zone from UTC. */
static bool scan_zone (const char **text, int64_t *ret_seconds)
{
    int64_t hours, minutes = 0, sign = **text == '-' ? -1 : 1;
    *ret_seconds = 0;
    if (scan_char (text, 'Z') || !**text)
        return true;
    if (!scan_char (text, '+') && !scan_char (text, '-'))
        return false;
    if (!scan_digits (text, 2, &hours))
        return false;
    if (**text
        && ((scan_char (text, ':'), !scan_digits (text, 2, &minutes))))
        return false;
    *ret_seconds = sign * (hours * HOUR + minutes * MINUTE);
    return hours < 24 && minutes < 60;
}

bool stamp_parse (const char *text, tori_time *ret_time, bool *ret_dated)
{
    int64_t days, clock = 0, zone = 0, seconds;
    tori_time ticks = 0;
    const char *at = text;
    *ret_dated = scan_date (&at, &days);
    if (!*ret_dated)
        return scan_seconds (text, ret_time);
    if (*at
        && ((!scan_char (&at, 'T') && !scan_char (&at, ' '))
            || !scan_clock (&at, &clock, &ticks) || !scan_zone (&at, &zone)
            || *at))
        return false;
    seconds = days * DAY + clock - zone;
    if (seconds < 0 || seconds > TORI_MAX_SECONDS)
        return false;
    *ret_time = seconds * TORI_SECOND + ticks;
    return true;
}

/* ---- durations ---- */

int span_parse (const char *text, tori_time *ret_time, tori_error *err)
{
    tori_time time;
    if (duration_parse (text, &time, err) < 0)
        return -1;
    if (time > TORI_MAX_SECONDS * TORI_SECOND)
        return tori_error_set (err, TORI_INVALID, "'%.40s' is too long", text);
    *ret_time = time;
    return 0;
}

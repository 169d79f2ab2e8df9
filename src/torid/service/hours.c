#include "hours.h"

#include <stdint.h>
#include <string.h>
#include <time.h>

#include "number.h"

enum { HALF = 30, HOUR = 60, DAY = 24 * HOUR, WEEK = 7 * DAY }; /* in minutes */

/* Days from `first` on, and the span that begins on each of them. */
struct hours_item {
    int first, days;  /* Sunday is 0 */
    int from, length; /* in minutes */
};

/* ---- reading ---- */

static void skip_blanks (const char **at)
{
    while (**at == ' ' || **at == '\t')
        (*at)++;
}

static bool read_day (const char **at, int *ret_day)
{
    static const char names[] = "SunMonTueWedThuFriSat";
    for (int i = 0; i < 7; i++)
        if (!strncmp (*at, names + 3 * i, 3)) {
            *at += 3;
            *ret_day = i;
            return true;
        }
    return false;
}

/* "18:00", up to "24:00" */
static bool read_minute (const char **at, int *ret_minute)
{
    uint64_t hour, minute;
    if (!number_scan (at, 24, &hour) || *(*at)++ != ':'
        || !number_scan (at, 59, &minute) || hour * 60 + minute > DAY)
        return false;
    *ret_minute = (int)(hour * 60 + minute);
    return true;
}

static bool read_days (const char **at, struct hours_item *item)
{
    int last;
    item->first = 0;
    item->days = 7;
    if (!read_day (at, &item->first))
        return true;
    item->days = 1;
    if (**at != '-')
        return true;
    (*at)++;
    if (!read_day (at, &last))
        return false;
    item->days = (last - item->first + 7) % 7 + 1;
    return true;
}

static bool read_span (const char **at, struct hours_item *item)
{
    int until;
    item->from = 0;
    item->length = DAY;
    if (**at < '0' || **at > '9')
        return true;
    if (!read_minute (at, &item->from) || *(*at)++ != '-'
        || !read_minute (at, &until))
        return false;
    item->length = until > item->from ? until - item->from
                                      : until + DAY - item->from;
    return item->from < DAY;
}

/* The next item, and the comma after it: 1; 0 past the last, -1 if there is
 * something else. */
static int read_item (const char **at, struct hours_item *item)
{
    const char *begin;
    skip_blanks (at);
    if (!**at)
        return 0;
    begin = *at;
    if (!read_days (at, item))
        return -1;
    skip_blanks (at);
    if (!read_span (at, item) || *at == begin)
        return -1;
    skip_blanks (at);
    if (**at == ',')
        (*at)++;
    else if (**at)
        return -1;
    return 1;
}

int hours_check (const char *text, tori_error *err)
{
    struct hours_item item;
    const char *at = text;
    int found, n = 0;
    while ((found = read_item (&at, &item)) == 1)
        n++;
    return found == 0 && n > 0
               ? 0
               : tori_error_set (err, TORI_INVALID,
                                 "'%.60s': expected hours such as 'Mon-Fri "
                                 "18:00-08:00, Sat-Sun'",
                                 text);
}

/* ---- looking ---- */

/* Minutes from one minute of the week to another. */
static int minutes_between (int from, int to)
{
    return ((to - from) % WEEK + WEEK) % WEEK;
}

/* The minutes until this item changes are less than *ret_left, or that is. */
static bool item_contains (const struct hours_item *item, int minute,
                           int *ret_left)
{
    bool contains = false;
    for (int i = 0; i < item->days; i++) {
        int begin = (item->first + i) * DAY + item->from;
        int past = minutes_between (begin, minute);
        int left = past < item->length ? item->length - past : WEEK - past;
        contains |= past < item->length;
        if (left < *ret_left)
            *ret_left = left;
    }
    return contains;
}

bool hours_contain (const char *text, tori_time now, tori_time *ret_next)
{
    struct hours_item item;
    struct tm local = {0};
    time_t seconds = (time_t)(now / TORI_SECOND);
    /* clocks change at a whole or half hour of UTC */
    int minute, left = HALF - (int)(seconds / 60 % HALF);
    bool contains = false;
    localtime_r (&seconds, &local);
    minute = local.tm_wday * DAY + local.tm_hour * HOUR + local.tm_min;
    while (read_item (&text, &item) == 1)
        contains |= item_contains (&item, minute, &left);
    *ret_next = ((tori_time)seconds - local.tm_sec + left * 60) * TORI_SECOND;
    return contains;
}

/* The first time at which it is or is not one of them; false if there is none
 * within `most`. */
static bool find_change (const char *text, bool contained, tori_time most,
                         tori_time *when)
{
    tori_time next, last = *when + most;
    while (hours_contain (text, *when, &next) != contained) {
        if (next > last)
            return false;
        *when = next;
    }
    return true;
}

/* A span of one night in a year may be skipped. */
bool hours_span (const char *text, tori_time after, tori_time *ret_from,
                 tori_time *ret_until)
{
    tori_time week = WEEK * (tori_time)60 * TORI_SECOND, from = after, until;
    if (!find_change (text, true, 3 * week, &from))
        return false;
    until = from;
    if (!find_change (text, false, 2 * week, &until))
        return false;
    *ret_from = from;
    *ret_until = until;
    return true;
}

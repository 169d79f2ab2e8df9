#include "duration.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "number.h"

static const struct unit {
    char letter;
    int64_t seconds;
} units[] = {{'d', 86400}, {'h', 3600}, {'m', 60}, {'s', 1}};

enum { NUNITS = sizeof units / sizeof *units, MILLI = TORI_SECOND / 1000 };

/* ---- out ---- */

/* Seconds and thousandths of them, without zeros at the end. */
static void format_rest (int64_t milli, char *text, size_t size)
{
    int digits = 3;
    if (milli % 1000 == 0) {
        snprintf (text, size, "%" PRId64 "s", milli / 1000);
        return;
    }
    int64_t part = milli % 1000;
    for (; part % 10 == 0; part /= 10)
        digits--;
    snprintf (text, size, "%" PRId64 ".%0*" PRId64 "s", milli / 1000, digits,
              part);
}

void duration_format (tori_time time, char text[DURATION_TEXT_MAX])
{
    bool negative = time < 0;
    uint64_t ticks = negative ? -(uint64_t)time : (uint64_t)time;
    int64_t milli = (int64_t)((ticks + MILLI / 2) / MILLI);
    size_t n = 0;
    if (negative && milli > 0)
        text[n++] = '-';
    for (int i = 0; i < NUNITS - 1; i++) {
        int64_t whole = milli / (1000 * units[i].seconds);
        if (whole > 0)
            n += (size_t)snprintf (text + n, DURATION_TEXT_MAX - n,
                                   "%" PRId64 "%c", whole, units[i].letter);
        milli %= 1000 * units[i].seconds;
    }
    text[n] = '\0';
    if (milli > 0 || n == 0)
        format_rest (milli, text + n, DURATION_TEXT_MAX - n);
}

void duration_about (tori_time time, char text[DURATION_TEXT_MAX])
{
    tori_time unit = 1;
    for (int i = NUNITS - 1; i > 0; i--)
        if (time / TORI_SECOND >= units[i - 1].seconds
            || time / TORI_SECOND <= -units[i - 1].seconds)
            unit = units[i].seconds * TORI_SECOND;
    if (time > TORI_TIME_MAX - unit || time < -(TORI_TIME_MAX - unit))
        unit = 1;
    time += time < 0 ? -(unit / 2) : unit / 2;
    duration_format (time - time % unit, text);
}

/* ---- in ---- */

static int refuse_text (const char *text, tori_error *err)
{
    return tori_error_set (err, TORI_INVALID,
                           "'%.40s' is not a time such as 90, 1h20m or 9:00",
                           text);
}

/* Up to six digits after a point, in ticks of a unit. */
static tori_time read_decimals (const char **at, int64_t seconds)
{
    int64_t digits = 0, scale = 1;
    for (++*at; **at >= '0' && **at <= '9' && scale < TORI_SECOND; ++*at) {
        digits = 10 * digits + (**at - '0');
        scale *= 10;
    }
    return digits * seconds * TORI_SECOND / scale;
}

/* Add a number of a unit to a time; false if there is none, or if the time
 * would be too long. */
static bool read_part (const char **at, int64_t seconds, tori_time *time)
{
    int64_t unit = seconds * TORI_SECOND;
    uint64_t whole;
    if (!number_scan (at, (uint64_t)(TORI_TIME_MAX / unit - 1), &whole))
        return false;
    tori_time ticks = (tori_time)whole * unit;
    if (**at == '.')
        ticks += read_decimals (at, seconds);
    return !__builtin_add_overflow (*time, ticks, time);
}

/* "9:00", "1:20:30": minutes and seconds are less than 60. */
static bool read_clock (const char *text, tori_time *ret_time)
{
    tori_time sum = 0;
    int i = 1;
    for (;; i++) {
        tori_time before = sum;
        if (!read_part (&text, units[i].seconds, &sum)
            || (i > 1 && sum - before >= 60 * units[i].seconds * TORI_SECOND))
            return false;
        if (*text != ':' || i == NUNITS - 1)
            break;
        text++;
    }
    *ret_time = sum;
    return *text == '\0' && i > 1;
}

/* The unit of a letter, from the i-th on; NUNITS if there is none. */
static int find_unit (char letter, int i)
{
    while (i < NUNITS && units[i].letter != letter)
        i++;
    return i;
}

/* "1h20m", each unit at most once, the longest first. */
static bool read_units (const char *text, tori_time *ret_time)
{
    tori_time sum = 0;
    int next = 0;
    while (*text) {
        const char *letter = text + strspn (text, "0123456789.");
        int unit = find_unit (*letter, next);
        if (unit == NUNITS || !read_part (&text, units[unit].seconds, &sum)
            || text != letter)
            return false;
        next = unit + 1;
        text++;
    }
    *ret_time = sum;
    return next > 0;
}

/* "90", "2.5". */
static bool read_seconds (const char *text, tori_time *ret_time)
{
    tori_time sum = 0;
    if (!read_part (&text, 1, &sum) || *text != '\0')
        return false;
    *ret_time = sum;
    return true;
}

int duration_parse (const char *text, tori_time *ret_time, tori_error *err)
{
    return read_seconds (text, ret_time) || read_clock (text, ret_time)
                   || read_units (text, ret_time)
               ? 0
               : refuse_text (text, err);
}

int moment_parse (const char *text, tori_time now, tori_time *ret_time,
                  tori_error *err)
{
    bool later = *text == '+', earlier = *text == '-';
    tori_time time;
    if (duration_parse (text + (later || earlier), &time, err) < 0)
        return later || earlier ? refuse_text (text, err) : -1;
    if (earlier && time > now)
        return tori_error_set (err, TORI_INVALID, "'%.40s' is before time 0",
                               text);
    if (later && time > TORI_TIME_MAX - now)
        return tori_error_set (err, TORI_INVALID, "'%.40s' is too long",
                               text);
    *ret_time = later ? now + time : earlier ? now - time : time;
    return 0;
}

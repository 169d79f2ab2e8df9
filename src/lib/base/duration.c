#include "duration.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <tori/exact.h>

#define TICKS INT64_C (1000000) /* of a second */

static const struct unit {
    const char *name;
    int64_t ticks;
} units[] = {{"d", 86400 * TICKS}, {"h", 3600 * TICKS},
             {"m", 60 * TICKS},    {"s", TICKS},
             {"ms", TICKS / 1000}, {"us", TICKS / 1000000}};

enum {
    NUNITS = sizeof units / sizeof *units,
    SECONDS = 3, /* the place of the second among them */
    MILLI = TICKS / 1000
};

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

void duration_format (int64_t time, char text[DURATION_TEXT_MAX])
{
    bool negative = time < 0;
    uint64_t ticks = negative ? -(uint64_t)time : (uint64_t)time;
    int64_t milli = (int64_t)((ticks + MILLI / 2) / MILLI);
    size_t n = 0;
    if (negative && milli > 0)
        text[n++] = '-';
    for (int i = 0; i < SECONDS; i++) {
        int64_t unit = units[i].ticks / MILLI, whole = milli / unit;
        if (whole > 0)
            n += (size_t)snprintf (text + n, DURATION_TEXT_MAX - n,
                                   "%" PRId64 "%s", whole, units[i].name);
        milli %= unit;
    }
    text[n] = '\0';
    if (milli > 0 || n == 0)
        format_rest (milli, text + n, DURATION_TEXT_MAX - n);
}

void duration_about (int64_t time, char text[DURATION_TEXT_MAX])
{
    int64_t unit = 1;
    for (int i = SECONDS; i > 0; i--)
        if (time >= units[i - 1].ticks || time <= -units[i - 1].ticks)
            unit = units[i].ticks;
    if (time > INT64_MAX - unit || time < -(INT64_MAX - unit))
        unit = 1;
    time += time < 0 ? -(unit / 2) : unit / 2;
    duration_format (time - time % unit, text);
}

/* ---- in ---- */

static int refuse_text (const char *text, tori_error *err)
{
    if (*text && text[strspn (text, "0123456789")] == '\0')
        return tori_error_set (err, TORI_INVALID, "'%.40s' is too long", text);
    return tori_error_set (err, TORI_INVALID,
                           "'%.40s' is not a time such as 90s, 1h20m, 1:20:30 "
                           "or 2-12:00:00",
                           text);
}

/* Digits after a point, in ticks of a unit; those below a millionth of it do
 * not count. */
static int64_t read_decimals (const char **at, int64_t unit)
{
    int64_t digits = 0, scale = 1;
    for (++*at; **at >= '0' && **at <= '9'; ++*at)
        if (scale < TICKS) {
            digits = 10 * digits + (**at - '0');
            scale *= 10;
        }
    return (int64_t)((tori_wide)digits * unit / scale);
}

/* Add a number of a unit, in ticks, to a time; false if there is none, or if
 * the time would be too long. */
static bool read_part (const char **at, int64_t unit, int64_t *time)
{
    uint64_t whole;
    if (!number_scan (at, (uint64_t)(INT64_MAX / unit - 1), &whole))
        return false;
    int64_t ticks = (int64_t)whole * unit;
    if (**at == '.')
        ticks += read_decimals (at, unit);
    return !__builtin_add_overflow (*time, ticks, time);
}

/* Parts with colons between them, the first in the i-th unit: how many. Those
 * after the first, or after days, fill no further unit. */
static int read_colons (const char **at, int i, bool after_days,
                        int64_t *time)
{
    int n = 0;
    for (;; i++, n++) {
        int64_t part = 0;
        if (n > 0 && *(*at)++ != ':')
            return 0;
        if (!read_part (at, units[i].ticks, &part)
            || ((n > 0 || after_days) && part >= units[i - 1].ticks)
            || __builtin_add_overflow (*time, part, time))
            return 0;
        if (**at != ':' || i == SECONDS)
            return **at == '\0' ? n + 1 : 0;
    }
}

/* "1:20:30", "2-12", "2-12:30"; and "9:00", which is two parts without days. */
static bool read_clock (const char *text, bool *ret_two, int64_t *ret_time)
{
    const char *dash = strchr (text, '-');
    int64_t sum = 0;
    int n;
    if (dash
        && (strspn (text, "0123456789") != (size_t)(dash - text)
            || !read_part (&text, units[0].ticks, &sum)))
        return false;
    text += dash != NULL;
    n = read_colons (&text, 1, dash != NULL, &sum);
    if (n == 0 || (n == 1 && !dash))
        return false;
    *ret_two = n == 2 && !dash;
    *ret_time = sum;
    return true;
}

/* The unit with this name of n letters, from the i-th on; NULL if there is
 * none. */
static const struct unit *find_unit (const char *name, size_t n, size_t i)
{
    for (; i < NUNITS; i++)
        if (strlen (units[i].name) == n && !strncmp (units[i].name, name, n))
            return &units[i];
    return NULL;
}

/* "1h20m", each unit at most once, the longest first. */
static bool read_units (const char *text, int64_t *ret_time)
{
    int64_t sum = 0;
    size_t next = 0;
    while (*text) {
        const char *name = text + strspn (text, "0123456789.");
        size_t n = strcspn (name, "0123456789.");
        const struct unit *unit = find_unit (name, n, next);
        if (!unit || !read_part (&text, unit->ticks, &sum) || text != name)
            return false;
        next = (size_t)(unit - units) + 1;
        text += n;
    }
    *ret_time = sum;
    return next > 0;
}

/* "90", "2.5", "5/2". */
static bool read_seconds (const char *text, int64_t *ret_time)
{
    int64_t sum = 0;
    const char *at = text;
    struct fraction f;
    tori_wide ticks;
    if (!read_part (&at, TICKS, &sum))
        return false;
    if (*at == '/' && fraction_parse (text, "time", &f, NULL) == 0) {
        ticks = (tori_wide)f.num * TICKS / f.den;
        if (ticks > INT64_MAX)
            return false;
        *ret_time = (int64_t)ticks;
        return true;
    }
    if (*at != '\0')
        return false;
    *ret_time = sum;
    return true;
}

/* Two parts: what they are in hours and minutes, and what in minutes and
 * seconds, as Slurm takes them. */
static int refuse_two (const char *text, int64_t hours, tori_error *err)
{
    char long_one[DURATION_TEXT_MAX], short_one[DURATION_TEXT_MAX];
    duration_format (hours, long_one);
    duration_format (hours / 60, short_one);
    return tori_error_set (err, TORI_INVALID,
                           "'%.40s' has two meanings, hours and minutes or, as "
                           "in Slurm, minutes and seconds: write %s or %s",
                           text, long_one, short_one);
}

static int refuse_number (const char *text, int64_t seconds, tori_error *err)
{
    char short_one[DURATION_TEXT_MAX], long_one[DURATION_TEXT_MAX];
    int64_t minutes = seconds <= INT64_MAX / 60 ? 60 * seconds : seconds;
    duration_format (seconds, short_one);
    duration_format (minutes, long_one);
    return tori_error_set (err, TORI_INVALID,
                           "'%.40s' has two meanings, seconds or, as in Slurm, "
                           "minutes: write %s or %s",
                           text, short_one, long_one);
}

static int read_duration (const char *text, bool *ret_two,
                          int64_t *ret_time, tori_error *err)
{
    *ret_two = false;
    return read_seconds (text, ret_time)
                   || read_clock (text, ret_two, ret_time)
                   || read_units (text, ret_time)
               ? 0
               : refuse_text (text, err);
}

int duration_parse (const char *text, int64_t *ret_time, tori_error *err)
{
    int64_t time;
    bool two;
    if (read_duration (text, &two, &time, err) < 0)
        return -1;
    if (two)
        return refuse_two (text, time, err);
    *ret_time = time;
    return 0;
}

int limit_parse (const char *text, int64_t *ret_time, tori_error *err)
{
    int64_t time;
    if (read_seconds (text, &time) && time > 0)
        return refuse_number (text, time, err);
    return duration_parse (text, ret_time, err);
}

int moment_parse (const char *text, int64_t now, int64_t *ret_time,
                  tori_error *err)
{
    bool later = *text == '+', earlier = *text == '-', two;
    int64_t time;
    if (later || earlier ? duration_parse (text + 1, &time, err) < 0
                         : read_duration (text, &two, &time, err) < 0)
        return -1;
    if (earlier && time > now)
        return tori_error_set (err, TORI_INVALID, "'%.40s' is before time 0",
                               text);
    if (later && time > INT64_MAX - now)
        return tori_error_set (err, TORI_INVALID, "'%.40s' is too long",
                               text);
    *ret_time = later ? now + time : earlier ? now - time : time;
    return 0;
}

int duration_fraction (const char *text, const char *what, int64_t unit,
                       struct fraction *ret_time, tori_error *err)
{
    tori_error why;
    int64_t time;
    tori_wide common;
    if (strspn (text, "0123456789./-") == strlen (text)
        && (*text == '-' || !strchr (text, '-')))
        return fraction_parse (text, what, ret_time, err);
    if (duration_parse (text, &time, &why) < 0)
        return tori_error_set (err, TORI_INVALID, "%s: %s", what, why.text);
    common = tori_wide_gcd (time, unit * TICKS);
    *ret_time = (struct fraction){(int64_t)(time / common),
                                  (int64_t)(unit * TICKS / common)};
    return 0;
}

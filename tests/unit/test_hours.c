/* Times of the week: what is read, what is refused, and every minute of a week
 * against a plain table. */
#include "support.h"

#include <stdlib.h>
#include <time.h>

#include "hours.h"

enum { MINUTES = 7 * 24 * 60 };

/* Sunday, 4 January 1970, 00:00 UTC. */
static tori_time minute_time (int minute)
{
    return ((tori_time)3 * 24 * 3600 + (tori_time)minute * 60) * TORI_SECOND;
}

/* Mark a span that begins on the days from `first` on. */
static void mark_span (bool *open, int first, int days, int from, int until)
{
    int length = until > from ? until - from : until + 24 * 60 - from;
    for (int day = first; day < first + days; day++)
        for (int i = 0; i < length; i++)
            open[(day * 24 * 60 + from + i) % MINUTES] = true;
}

/* The answer is right in every minute. It stays so until the time at which it
 * is to be asked again, which is no more than an hour away. */
static void expect_week (const char *text, const bool *open)
{
    tori_error err;
    assert_int_equal (hours_check (text, &err), 0);
    for (int i = 0; i < MINUTES; i++) {
        tori_time next, now = minute_time (i) + 7 * TORI_SECOND;
        int last;
        assert_int_equal (hours_contain (text, now, &next), open[i]);
        assert_uint_in_range (next - minute_time (i), 60 * TORI_SECOND,
                              3600 * TORI_SECOND);
        last = (int)((next - minute_time (0)) / TORI_SECOND / 60) - 1;
        for (int k = i; k <= last; k++)
            assert_int_equal (open[k % MINUTES], open[i]);
    }
}

TEST (weeks)
{
    bool open[MINUTES] = {0};
    mark_span (open, 1, 5, 18 * 60, 8 * 60);
    expect_week ("Mon-Fri 18:00-08:00", open);
    mark_span (open, 6, 2, 0, 24 * 60);
    expect_week ("Mon-Fri 18:00-8:00, Sat-Sun", open);
    memset (open, 0, sizeof open);
    mark_span (open, 0, 7, 12 * 60 + 30, 13 * 60);
    expect_week (" 12:30-13:00 ", open);
    mark_span (open, 2, 1, 23 * 60, 24 * 60);
    expect_week ("12:30-13:00,Tue 23:00-24:00", open);
    memset (open, 1, sizeof open);
    expect_week ("00:00-24:00", open);
    expect_week ("Wed-Tue", open);
}

TEST (refused)
{
    static const char *const bad[] = {
        "",         " ",          ",",           "mon",       "Monday",
        "Mon-",     "Mon 8:00",   "8:00-",       "8-9",       "24:00-8:00",
        "25:00-26:00", "08:60-09:00", "8:00-9:00;", "Mon Tue",
        "Mon 8:00-9:00 10:00-11:00", "Mon,,Tue", "always",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tori_error err = {0};
        if (hours_check (bad[i], &err) == 0)
            fail_msg ("'%s' is accepted", bad[i]);
        assert_int_equal (err.status, TORI_INVALID);
    }
}

static tori_time utc (int day, int hour, int minute)
{
    return ((tori_time)day * 24 * 60 + hour * 60 + minute) * 60 * TORI_SECOND;
}

static void expect_span (const char *text, tori_time after, tori_time from,
                         tori_time until)
{
    tori_time begin = 0, end = 0;
    assert_true (hours_span (text, after, &begin, &end));
    assert_int_equal (begin, from);
    assert_int_equal (end, until);
}

/* In Central Europe in 2026: the clock goes from 2:00 to 3:00 on 29 March (day
 * 20541), and from 3:00 to 2:00 on 25 October (day 20751). */
TEST (spans)
{
    tori_time from, until;
    setenv ("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
    tzset ();
    /* before, on and after the first of these days */
    expect_span ("08:00-10:00", utc (20540, 1, 1), utc (20540, 7, 0),
                 utc (20540, 9, 0));
    expect_span ("08:00-10:00", utc (20540, 8, 7), utc (20540, 8, 7),
                 utc (20540, 9, 0));
    expect_span ("Sun 08:00-10:00", utc (20540, 9, 0), utc (20541, 6, 0),
                 utc (20541, 8, 0));
    expect_span ("Mon 08:00-10:00", utc (20541, 9, 0), utc (20542, 6, 0),
                 utc (20542, 8, 0));
    /* an hour is skipped: the span is an hour, or not there */
    expect_span ("Sun 02:00-04:00", utc (20540, 9, 0), utc (20541, 1, 0),
                 utc (20541, 2, 0));
    expect_span ("Sun 02:00-03:00", utc (20540, 9, 0), utc (20548, 0, 0),
                 utc (20548, 1, 0));
    expect_span ("Sun 23:30-03:00", utc (20535, 9, 0), utc (20541, 21, 30),
                 utc (20542, 1, 0));
    expect_span ("Sat 23:30-03:00", utc (20535, 9, 0), utc (20540, 22, 30),
                 utc (20541, 1, 0));
    /* an hour comes twice */
    expect_span ("Sun 01:00-04:00", utc (20750, 9, 0), utc (20750, 23, 0),
                 utc (20751, 3, 0));
    expect_span ("Sun 02:30-02:45", utc (20750, 9, 0), utc (20751, 0, 30),
                 utc (20751, 0, 45));
    expect_span ("Sun 02:30-02:45", utc (20751, 0, 45), utc (20751, 1, 30),
                 utc (20751, 1, 45));
    assert_false (hours_span ("Mon-Sun", 0, &from, &until));
    setenv ("TZ", "UTC", 1);
    tzset ();
}

int main (void)
{
    setenv ("TZ", "UTC", 1);
    tzset ();
    return run_cases (NULL, NULL);
}

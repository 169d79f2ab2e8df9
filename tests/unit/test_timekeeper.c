/* The time of the service while the time of day is set to and fro. */
#include <stddef.h>
#include <stdint.h>

#include "cases.h"
#include "timekeeper.h"

#define YEARS (40 * 31557600 * TORI_SECOND)

enum { DAY = 1000000, BOOT = 500 }; /* seconds, at the beginning */

struct clocks {
    struct timekeeper keeper;
    tori_time passed, wrong;
};

static struct clocks begin (void)
{
    struct clocks c = {{0}};
    timekeeper_begin (&c.keeper, DAY * TORI_SECOND, BOOT * TORI_SECOND);
    return c;
}

/* The service's time since the beginning, after so many seconds more, with the
 * time of day wrong by so much. */
static tori_time pass (struct clocks *c, tori_time seconds, tori_time wrong)
{
    tori_time boot;
    c->passed += seconds * TORI_SECOND;
    boot = BOOT * TORI_SECOND + c->passed;
    assert_int_equal (
        timekeeper_look (&c->keeper, DAY * TORI_SECOND + c->passed + wrong,
                         boot),
        wrong - c->wrong);
    c->wrong = wrong;
    return timekeeper_now (&c->keeper, boot) - DAY * TORI_SECOND;
}

/* A clock that is 40 years ahead for a moment changes nothing. */
TEST (moment)
{
    struct clocks c = begin ();
    assert_int_equal (pass (&c, 10, 0), 10 * TORI_SECOND);
    assert_int_equal (pass (&c, 10, YEARS), 20 * TORI_SECOND);
    assert_int_equal (pass (&c, 300, YEARS), 320 * TORI_SECOND);
    assert_int_equal (pass (&c, 10, 0), 330 * TORI_SECOND);
    assert_int_equal (pass (&c, 10000, 0), 10330 * TORI_SECOND);
    assert_int_equal (pass (&c, 10, YEARS), 10340 * TORI_SECOND);
}

/* One that stays ahead is believed after a while; one that is set again and
 * again is not. */
TEST (set_forward)
{
    struct clocks c = begin ();
    assert_int_equal (pass (&c, 1, YEARS), 1 * TORI_SECOND);
    assert_int_equal (pass (&c, 599, 2 * YEARS), 600 * TORI_SECOND);
    assert_int_equal (pass (&c, 599, 2 * YEARS), 1199 * TORI_SECOND);
    assert_int_equal (pass (&c, 1, 2 * YEARS), 1200 * TORI_SECOND + 2 * YEARS);
    assert_int_equal (pass (&c, 1, 2 * YEARS), 1201 * TORI_SECOND + 2 * YEARS);
}

/* Time goes on while the clock is behind, for ever. */
TEST (set_back)
{
    struct clocks c = begin ();
    assert_int_equal (pass (&c, 1, -YEARS), 1 * TORI_SECOND);
    assert_int_equal (pass (&c, 100000, -YEARS), 100001 * TORI_SECOND);
    assert_int_equal (pass (&c, 1, 0), 100002 * TORI_SECOND);
}

/* A correction is followed at once. */
TEST (corrected)
{
    struct clocks c = begin ();
    assert_int_equal (pass (&c, 10, 2 * TORI_SECOND), 12 * TORI_SECOND);
    assert_int_equal (pass (&c, 10, -2 * TORI_SECOND), 18 * TORI_SECOND);
    assert_int_equal (pass (&c, 10, 55 * TORI_SECOND), 85 * TORI_SECOND);
}

/* A service that has seen a later time goes on from there. */
TEST (seen)
{
    struct clocks c = begin ();
    tori_time boot = BOOT * TORI_SECOND, day = DAY * TORI_SECOND;
    assert_int_equal (timekeeper_reach (&c.keeper, day + CLOCK_JUMP, boot), 0);
    assert_int_equal (timekeeper_now (&c.keeper, boot), day);
    assert_int_equal (timekeeper_reach (&c.keeper, day + YEARS, boot), YEARS);
    assert_int_equal (timekeeper_now (&c.keeper, boot), day + YEARS);
    assert_int_equal (pass (&c, 5, 0), 5 * TORI_SECOND + YEARS);
    assert_int_equal (pass (&c, 5000, 0), 5005 * TORI_SECOND + YEARS);
}

/* A service that begins while the clock is decades ahead of what it has seen
 * waits for another time. */
TEST (begun_ahead)
{
    struct clocks c = begin ();
    tori_time boot = BOOT * TORI_SECOND, day = DAY * TORI_SECOND;
    tori_time away = 7200 * TORI_SECOND;
    assert_int_equal (
        timekeeper_resume (&c.keeper, day - CLOCK_ABSENCE, boot), 0);
    assert_int_equal (timekeeper_now (&c.keeper, boot), day);
    assert_int_equal (timekeeper_resume (&c.keeper, day - YEARS, boot), YEARS);
    assert_int_equal (timekeeper_now (&c.keeper, boot), day - YEARS);
    assert_int_equal (pass (&c, 10, 0), 10 * TORI_SECOND - YEARS);
    assert_int_equal (pass (&c, 10, away - YEARS),
                      20 * TORI_SECOND + away - YEARS);
    assert_int_equal (pass (&c, 10, 0), 30 * TORI_SECOND + away - YEARS);
    assert_int_equal (pass (&c, 600, 0), 630 * TORI_SECOND);
}

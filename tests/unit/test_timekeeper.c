/* The time of the service while the time of day is set to and fro, and how long
 * the turns of its loop take. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "cases.h"
#include "timekeeper.h"
#include "torid.h"

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

/* ---- turns ---- */

/* The linker sends calls of turns.c here. */
struct watch {
    uint64_t now, idle; /* in ns */
    size_t logged;
    json_t *line;
};

static struct watch watch;

uint64_t __wrap_uv_hrtime (void);
uint64_t __wrap_uv_hrtime (void)
{
    return watch.now;
}

uint64_t __wrap_uv_metrics_idle_time (uv_loop_t *loop);
uint64_t __wrap_uv_metrics_idle_time (uv_loop_t *loop)
{
    return watch.idle;
}

void __wrap_torid_log (const struct torid *torid, enum level level,
                       const char *event, const char *fmt, ...);
void __wrap_torid_log (const struct torid *torid, enum level level,
                       const char *event, const char *fmt, ...)
{
    va_list args;
    assert_string_equal (event, "slow-turn");
    va_start (args, fmt);
    json_decref (watch.line);
    watch.line = json_vpack_ex (NULL, 0, fmt, args);
    va_end (args);
    assert_non_null (watch.line);
    watch.logged++;
}

static const char *word_of (const char *key)
{
    return json_string_value (json_object_get (watch.line, key));
}

static double number_of (const char *key)
{
    return json_number_value (json_object_get (watch.line, key));
}

/* A turn of so many milliseconds, after a second of waiting. */
static void take_turn (struct torid *torid, uint64_t ms)
{
    enum { WAIT = 1000 };
    watch.idle += (uint64_t)WAIT * 1000000;
    watch.now += (WAIT + ms) * 1000000;
    torid->loop.time += WAIT + ms;
    turns_end (torid);
}

static void begin_turns (struct torid *torid)
{
    watch = (struct watch){.now = 77};
    assert_int_equal (uv_loop_init (&torid->loop), 0);
    torid->loop.time = 600000;
    turns_begin (torid);
}

static void end_turns (struct torid *torid)
{
    json_decref (watch.line);
    uv_loop_close (&torid->loop);
}

/* The longest one counts for a minute, and not for three. What the disk takes
 * does not count. */
TEST (longest_turn)
{
    struct torid torid = {0};
    begin_turns (&torid);
    take_turn (&torid, 20);
    take_turn (&torid, 40);
    take_turn (&torid, 30);
    torid.turns.disk = 900000000;
    take_turn (&torid, 905);
    assert_float_equal (turns_longest (&torid), 0.04, 1e-9);
    torid.loop.time += 60000;
    assert_float_equal (turns_longest (&torid), 0.04, 1e-9);
    take_turn (&torid, 10);
    assert_float_equal (turns_longest (&torid), 0.04, 1e-9);
    torid.loop.time += 60000;
    assert_float_equal (turns_longest (&torid), 0.01, 1e-9);
    torid.loop.time += 180000;
    assert_float_equal (turns_longest (&torid), 0, 1e-9);
    assert_true (turns_busiest (&torid) >= 0);
    assert_int_equal (watch.logged, 0);
    end_turns (&torid);
}

/* One that takes more than 50 ms is logged with its longest request, as text
 * that cannot be mistaken; and others of the same second are counted. */
TEST (slow_turn)
{
    struct torid torid = {0};
    begin_turns (&torid);
    turns_request (&torid, "GET", "/v1/jobs", "ann", 1000000);
    turns_request (&torid, "PATCH", "/v1/\033[2J \xc2\x9b.", "bob", 60000000);
    turns_request (&torid, "GET", "/healthz", "ann", 2000000);
    take_turn (&torid, 64);
    assert_int_equal (watch.logged, 1);
    assert_string_equal (word_of ("method"), "PATCH");
    assert_string_equal (word_of ("path"), "/v1/?[2J???.");
    assert_string_equal (word_of ("user"), "bob");
    assert_float_equal (number_of ("seconds"), 0.064, 1e-9);
    assert_float_equal (number_of ("request_seconds"), 0.06, 1e-9);
    assert_int_equal (number_of ("requests"), 3);
    torid.loop.time -= 1000;
    take_turn (&torid, 51);
    assert_int_equal (watch.logged, 1);
    take_turn (&torid, 52);
    assert_int_equal (watch.logged, 2);
    assert_int_equal (number_of ("times"), 2);
    assert_null (word_of ("path"));
    end_turns (&torid);
}

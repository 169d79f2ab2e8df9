/* turns.c - how long the turns of the loop take, and which request was in the
 * longest ones. All clients wait for the end of a turn.
 *
 * A turn begins when something has come in, and ends when all of it is
 * settled. The disk has a histogram of its own (tori_commit_seconds), so the
 * time that a commit takes does not count here. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "torid.h"

/* Seconds of a turn that is logged; milliseconds from one line to the next. */
static const double slow = 0.05;
enum { PAUSE = 1000 };

static double read_processor (void)
{
    struct timespec t;
    clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void begin_turn (struct torid *torid)
{
    struct turns *it = &torid->turns;
    it->begun = uv_hrtime ();
    it->idle = uv_metrics_idle_time (&torid->loop);
    it->processor = read_processor ();
    it->disk = it->took = 0;
    it->requests = 0;
}

void turns_begin (struct torid *torid)
{
    uv_loop_configure (&torid->loop, UV_METRICS_IDLE_TIME);
    begin_turn (torid);
}

uint64_t turns_spent (struct torid *torid)
{
    const struct turns *it = &torid->turns;
    uint64_t rest = uv_metrics_idle_time (&torid->loop) - it->idle + it->disk;
    uint64_t all = uv_hrtime () - it->begun;
    return all > rest ? all - rest : 0;
}

/* ---- requests ---- */

/* For the log: only characters that every terminal shows as they are. */
static void copy_plain (char *to, size_t size, const char *text)
{
    size_t n = 0;
    for (; text[n] && n < size - 1; n++)
        to[n] = text[n] > ' ' && text[n] < '\177' ? text[n] : '?';
    to[n] = '\0';
}

void turns_request (struct torid *torid, const char *method, const char *path,
                    const char *user, uint64_t took)
{
    struct turns *it = &torid->turns;
    it->requests++;
    if (took <= it->took)
        return;
    it->took = took;
    copy_plain (it->method, sizeof it->method, method);
    copy_plain (it->path, sizeof it->path, path);
    copy_plain (it->user, sizeof it->user, user);
}

/* ---- turns ---- */

/* The longest of the minute that has begun, and of the one before. */
static void keep_longest (struct longest *it, uint64_t minute, double seconds)
{
    if (minute != it->minute) {
        it->before = minute == it->minute + 1 ? it->now : 0;
        it->now = 0;
        it->minute = minute;
    }
    if (seconds > it->now)
        it->now = seconds;
}

static double read_longest (struct torid *torid, struct longest *it)
{
    keep_longest (it, uv_now (&torid->loop) / 60000, 0);
    return it->now > it->before ? it->now : it->before;
}

double turns_longest (struct torid *torid)
{
    return read_longest (torid, &torid->turns.longest);
}

double turns_busiest (struct torid *torid)
{
    return read_longest (torid, &torid->turns.busiest);
}

static void log_slow (struct torid *torid, double seconds, double processor)
{
    struct turns *it = &torid->turns;
    uint64_t now = uv_now (&torid->loop);
    it->slow++;
    if (it->logged && now - it->logged < PAUSE)
        return;
    if (it->requests > 0)
        torid_log (torid, LEVEL_WARNING, "slow-turn",
                   "{s:f, s:f, s:I, s:I, s:s, s:s, s:s, s:f}", "seconds",
                   seconds, "processor", processor, "times",
                   (json_int_t)it->slow, "requests", (json_int_t)it->requests,
                   "method", it->method, "path", it->path, "user", it->user,
                   "request_seconds", (double)it->took / 1e9);
    else
        torid_log (torid, LEVEL_WARNING, "slow-turn", "{s:f, s:f, s:I}",
                   "seconds", seconds, "processor", processor, "times",
                   (json_int_t)it->slow);
    it->slow = 0;
    it->logged = now;
}

void turns_end (struct torid *torid)
{
    struct turns *it = &torid->turns;
    uint64_t minute = uv_now (&torid->loop) / 60000;
    double seconds = (double)turns_spent (torid) / 1e9;
    double processor = read_processor () - it->processor;
    keep_longest (&it->longest, minute, seconds);
    keep_longest (&it->busiest, minute, processor);
    if (seconds > slow)
        log_slow (torid, seconds, processor);
    begin_turn (torid);
}

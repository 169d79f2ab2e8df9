/* timekeeper.h - the time of the service, from two clocks of the system.
 *
 * The time of day is what people mean, but it may jump. The time since the
 * system was started never does. So the service's time is the time of day as
 * long as both agree on what has passed. If the time of day jumps, the service
 * goes on by what has really passed: time limits and limits of rates are
 * durations. A time of day that stays ahead for TRUSTED_AFTER is believed. One
 * that stays behind never is, because the service's time does not go back.
 *
 * A service that has seen a later time, as one that was started while the time
 * of day was wrong, goes on from there. One that last saw a time more than
 * CLOCK_ABSENCE ago does not believe the time of day at once, either: it goes
 * on from the time that it has seen, until the time of day is plausible or has
 * stayed for TRUSTED_AFTER.
 */
#ifndef TORI_TORID_TIMEKEEPER_H
#define TORI_TORID_TIMEKEEPER_H

#include <stdbool.h>

#include <tori/workload.h>

/* Less is a correction, and followed at once. */
#define CLOCK_JUMP (60 * TORI_SECOND)
#define CLOCK_TRUSTED_AFTER (600 * TORI_SECOND)
/* No service is away for longer. */
#define CLOCK_ABSENCE (365 * 86400 * TORI_SECOND)

struct timekeeper {
    tori_time offset;     /* the service's time less that since the start */
    tori_time difference; /* the same of the time of day, when last seen */
    bool odd;             /* it has jumped, ... */
    tori_time odd_since;  /* ... at this time since the start */
    bool waiting; /* it is not known how long the service was away */
};

void timekeeper_begin (struct timekeeper *keeper, tori_time day,
                       tori_time boot);

/* Compare both clocks, now and then. Returns how far the time of day was set
 * since the last time. */
tori_time timekeeper_look (struct timekeeper *keeper, tori_time day,
                           tori_time boot);

/* The service has seen this time. Returns by how much it is ahead, or 0 if it
 * is by less than a jump: it then waits for the clock. */
tori_time timekeeper_reach (struct timekeeper *keeper, tori_time seen,
                            tori_time boot);

/* The same when it begins. Returns by how much the time of day is too far
 * ahead, or 0. */
tori_time timekeeper_resume (struct timekeeper *keeper, tori_time seen,
                             tori_time boot);

tori_time timekeeper_now (const struct timekeeper *keeper, tori_time boot);

#endif

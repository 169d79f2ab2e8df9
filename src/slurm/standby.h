/* standby.h - for --fail-open: a second process, which remains when the first
 * is gone, and ends it when it hangs.
 *
 * The first process sends a byte with every beat. If none comes for long
 * enough although slurmctld answers, the second ends the first, so that torid
 * can start another tori-slurm.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TORI_SLURM_STANDBY_H
#define TORI_SLURM_STANDBY_H

#include <stdbool.h>

struct standby {
    const char *path; /* of the lock; NULL: without lock */
    int *lock;
    double patience; /* seconds without a beat after which it hangs */
    int beats;       /* the end of the pipe that belongs to this process */
    bool there, told;
    bool alone;   /* in the first: torid is gone */
    double heard; /* in the second: the last beat, as standby_clock counts */
    double since; /* in the second: the last one with torid */
    bool waited;  /* in the second: torid hangs, and that for long enough */
};

/* Seconds, by a clock that nobody sets. */
double standby_clock (void);

void standby_pause (double seconds);

/* Write the number of this process into the lock that it has taken. */
void standby_sign (int lock);

/* Called with every beat: start the second process, unless it is there. If
 * that is not possible now, it is tried again with the next beat. True in the
 * second process, once the first is gone and this one has the lock. */
bool standby_beat (struct standby *standby);

/* torid hangs: leave the rest to the second process, so that the first can
 * end, which torid notices if it goes on. True if there is a second. */
bool standby_hand_over (const struct standby *standby);

#endif

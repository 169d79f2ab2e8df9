/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "standby.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "control.h"

/* ---- time ---- */

double standby_clock (void)
{
    struct timespec time;
    clock_gettime (CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void standby_pause (double seconds)
{
    struct timespec time = {.tv_sec = (time_t)seconds};
    time.tv_nsec = (long)(1e9 * (seconds - (double)time.tv_sec));
    if (seconds > 0)
        nanosleep (&time, NULL);
}

/* The messages of the first process. */
static const char BEAT = '.', ALONE = '-', WAITED = '!';

/* ---- the second process ---- */

void standby_sign (int lock)
{
    if (ftruncate (lock, 0) == 0)
        dprintf (lock, "%ld\n", (long)getpid ());
}

/* Standard input and output belong to the first process alone: torid must see
 * its end. */
static void close_mouth (void)
{
    int none = open ("/dev/null", O_RDWR);
    dup2 (none, STDIN_FILENO);
    dup2 (none, STDOUT_FILENO);
    if (none > STDERR_FILENO)
        close (none);
}

/* Wait for a beat, for a moment. */
static void hear_beat (struct standby *standby)
{
    enum { MOMENT = 200 };
    struct pollfd input = {standby->beats, POLLIN, 0};
    char bytes[256];
    ssize_t n = poll (&input, 1, MOMENT) > 0
                    ? read (standby->beats, bytes, sizeof bytes)
                    : -1;
    standby->waited |= n > 0 && memchr (bytes, WAITED, (size_t)n);
    if (n > 0)
        standby->heard = standby_clock ();
    else if (n == 0)
        standby_pause (MOMENT / 1000.0); /* it ends */
    if (n > 0 && memchr (bytes, BEAT, (size_t)n))
        standby->since = standby->heard;
}

/* A first process that waits for slurmctld does not hang. */
static void watch_first (struct standby *standby, pid_t first)
{
    double late = standby_clock () - standby->heard;
    if (late < standby->patience)
        return;
    if (!control_answers ()) {
        standby->heard = standby_clock ();
        return;
    }
    fprintf (stderr,
             "tori-slurm: process %ld hangs, for %.0f s, and is ended\n",
             (long)first, late);
    kill (first, SIGKILL);
    while (getppid () == first)
        standby_pause (0.01);
}

/* Wait for the end of the first process, and take the lock then, unless
 * another process has it already. */
static void wait_for_lock (struct standby *standby, pid_t first)
{
    close (*standby->lock);
    close_mouth ();
    signal (SIGTERM, SIG_DFL);
    signal (SIGINT, SIG_DFL);
    setsid ();
    standby->heard = standby->since = standby_clock ();
    while (getppid () == first) {
        hear_beat (standby);
        if (getppid () == first)
            watch_first (standby, first);
    }
    *standby->lock = open (standby->path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (*standby->lock < 0 || flock (*standby->lock, LOCK_EX | LOCK_NB) != 0)
        _exit (0);
    standby_sign (*standby->lock);
}

/* ---- the first ---- */

static pid_t start_second (struct standby *standby)
{
    int ends[2] = {-1, -1};
    pid_t child = pipe2 (ends, O_CLOEXEC | O_NONBLOCK) == 0 ? fork () : -1;
    if (child < 0 && !standby->told)
        fprintf (stderr,
                 "tori-slurm: no second process for --fail-open: %s; it is "
                 "tried again\n",
                 strerror (errno));
    standby->told = child < 0;
    standby->there = child >= 0;
    standby->beats = ends[child != 0];
    if (ends[0] >= 0)
        close (ends[child == 0]);
    if (child < 0 && ends[1] >= 0)
        close (ends[1]);
    return child;
}

bool standby_beat (struct standby *standby)
{
    const char *beat = standby->alone ? &ALONE : &BEAT;
    pid_t first = getpid ();
    if (!standby->path)
        return false;
    if (standby->there && write (standby->beats, beat, 1) < 0
        && errno == EPIPE) {
        close (standby->beats);
        standby->there = false;
    }
    if (standby->there || start_second (standby) != 0)
        return false;
    wait_for_lock (standby, first);
    return true;
}

bool standby_hand_over (const struct standby *standby)
{
    return standby->there && write (standby->beats, &WAITED, 1) == 1;
}

#include "terminal.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { BAR = 30 };

/* Often enough to look alive, seldom enough to cost nothing. */
#define REDRAW_SECONDS 0.1
enum { TICK_SECONDS = 1 };

static bool set (const char *variable)
{
    const char *value = getenv (variable);
    return value && *value;
}

bool is_stdout (const char *path)
{
    return path && !strcmp (path, "-");
}

bool terminal_bold (void)
{
    const char *term = getenv ("TERM");
    return isatty (STDOUT_FILENO) && !set ("NO_COLOR") && term
           && strcmp (term, "dumb") != 0;
}

unsigned terminal_columns (void)
{
    struct winsize size;
    if (isatty (STDOUT_FILENO)
        && ioctl (STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1)
        return size.ws_col - 1u;
    return 79;
}

double seconds_between (const struct timespec *from, const struct timespec *to)
{
    return (double)(to->tv_sec - from->tv_sec)
           + (double)(to->tv_nsec - from->tv_nsec) * 1e-9;
}

/* With the lock. */
static void draw (struct progress *progress, const struct timespec *now)
{
    double elapsed = seconds_between (&progress->begin, now);
    double part, rate;
    progress->last = *now;
    progress->drawn = true;
    if (progress->total == 0) {
        fprintf (stderr, "\r%.0f s", elapsed);
        return;
    }
    part = (double)progress->done / (double)progress->total;
    rate = (double)progress->done / elapsed;
    fprintf (stderr, "\r[%.*s%*s] %3d%% %10.*f %s/s %5.0f s",
             (int)(part * BAR), "==============================",
             BAR - (int)(part * BAR), "", (int)(part * 100), rate < 10, rate,
             progress->unit, elapsed);
}

static void *tick (void *arg)
{
    struct progress *progress = arg;
    struct timespec now;
    pthread_mutex_lock (&progress->lock);
    while (!progress->over) {
        clock_gettime (CLOCK_MONOTONIC, &now);
        if (seconds_between (&progress->last, &now) >= TICK_SECONDS)
            draw (progress, &now);
        now.tv_sec += TICK_SECONDS;
        pthread_cond_timedwait (&progress->wake, &progress->lock, &now);
    }
    pthread_mutex_unlock (&progress->lock);
    return NULL;
}

/* Signals are for the thread that works. Without a ticker it still is a bar
 * for work that says how far it is. */
static void start_ticking (struct progress *progress)
{
    pthread_condattr_t monotonic;
    sigset_t all, before;
    pthread_mutex_init (&progress->lock, NULL);
    pthread_condattr_init (&monotonic);
    pthread_condattr_setclock (&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init (&progress->wake, &monotonic);
    pthread_condattr_destroy (&monotonic);
    sigfillset (&all);
    pthread_sigmask (SIG_SETMASK, &all, &before);
    progress->ticking
        = pthread_create (&progress->thread, NULL, tick, progress) == 0;
    pthread_sigmask (SIG_SETMASK, &before, NULL);
}

void progress_begin (struct progress *progress)
{
    *progress = (struct progress){.shown = isatty (STDERR_FILENO)};
    clock_gettime (CLOCK_MONOTONIC, &progress->begin);
    progress->last = progress->begin;
    if (progress->shown)
        start_ticking (progress);
}

void progress_update (struct progress *progress, size_t done, size_t total,
                      const char *unit)
{
    struct timespec now;
    if (!progress->shown || total == 0)
        return;
    clock_gettime (CLOCK_MONOTONIC, &now);
    pthread_mutex_lock (&progress->lock);
    progress->done = done;
    progress->total = total;
    progress->unit = unit;
    if (seconds_between (&progress->last, &now) >= REDRAW_SECONDS)
        draw (progress, &now);
    pthread_mutex_unlock (&progress->lock);
}

void progress_end (struct progress *progress)
{
    if (progress->ticking) {
        pthread_mutex_lock (&progress->lock);
        progress->over = true;
        pthread_cond_signal (&progress->wake);
        pthread_mutex_unlock (&progress->lock);
        pthread_join (progress->thread, NULL);
        progress->ticking = false;
    }
    if (progress->drawn)
        fprintf (stderr, "\r%*s\r", BAR + 48, "");
    progress->drawn = false;
}

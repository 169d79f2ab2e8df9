#include "terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { BAR = 30 };

/* Often enough to look alive, seldom enough to cost nothing. */
#define REDRAW_SECONDS 0.1

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

void progress_begin (struct progress *progress)
{
    *progress = (struct progress){.shown = isatty (STDERR_FILENO)};
    clock_gettime (CLOCK_MONOTONIC, &progress->begin);
    progress->last = progress->begin;
}

void progress_update (struct progress *progress, size_t done, size_t total,
                      const char *unit)
{
    struct timespec now;
    double elapsed;
    int filled, percent;
    if (!progress->shown || total == 0)
        return;
    clock_gettime (CLOCK_MONOTONIC, &now);
    if (seconds_between (&progress->last, &now) < REDRAW_SECONDS)
        return;
    progress->last = now;
    progress->drawn = true;
    elapsed = seconds_between (&progress->begin, &now);
    filled = (int)((double)done / (double)total * BAR);
    percent = (int)((double)done / (double)total * 100);
    fprintf (stderr, "\r[%.*s%*s] %3d%% %10.*f %s/s", filled,
             "==============================", BAR - filled, "", percent,
             (double)done / elapsed < 10, (double)done / elapsed, unit);
    fflush (stderr);
}

void progress_end (struct progress *progress)
{
    if (progress->drawn)
        fprintf (stderr, "\r%*s\r", BAR + 32, "");
    progress->drawn = false;
}

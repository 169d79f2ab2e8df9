#include "terminal.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "utf8.h"

enum { BAR = 30, LINE = 160, LEFT = 40, COLUMNS = 79, LONGEST = 100 * 3600 };

/* Often enough to show life, seldom enough to cost nothing. */
#define REDRAW_SECONDS 0.1
enum { TICK_SECONDS = 1 };

static bool is_set (const char *variable)
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
    return isatty (STDOUT_FILENO) && !is_set ("NO_COLOR") && term
           && strcmp (term, "dumb") != 0;
}

bool terminal_utf8 (void)
{
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        if (is_set (variables[i])) {
            const char *value = getenv (variables[i]);
            return strcasestr (value, "utf-8") || strcasestr (value, "utf8");
        }
    return false;
}

static unsigned columns_of (int fd)
{
    struct winsize size;
    if (isatty (fd) && ioctl (fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 1)
        return size.ws_col - 1u;
    return COLUMNS;
}

unsigned terminal_columns (void)
{
    return columns_of (STDOUT_FILENO);
}

double seconds_between (const struct timespec *from, const struct timespec *to)
{
    return (double)(to->tv_sec - from->tv_sec)
           + (double)(to->tv_nsec - from->tv_nsec) * 1e-9;
}

/* "42 s", "1:05", "2:00:00" or "5 days". */
static void write_time (char text[LEFT], double seconds)
{
    uint64_t s = seconds < LONGEST ? (uint64_t)ceil (seconds) : LONGEST;
    if (s == LONGEST)
        snprintf (text, LEFT, "%.0f days", seconds / 86400);
    else if (s < 60)
        snprintf (text, LEFT, "%" PRIu64 " s", s);
    else if (s < 3600)
        snprintf (text, LEFT, "%" PRIu64 ":%02" PRIu64, s / 60, s % 60);
    else
        snprintf (text, LEFT, "%" PRIu64 ":%02" PRIu64 ":%02" PRIu64,
                  s / 3600, s / 60 % 60, s % 60);
}

/* The rest is taken to go as fast as the work up to the last update, which may
 * be old. If the next update takes longer than that rate allows, the rest gets
 * a share of all the time so far. */
static double time_left (const struct progress *progress, double elapsed)
{
    double done = (double)progress->done, total = (double)progress->total;
    double then = seconds_between (&progress->begin, &progress->news);
    return fmax (then * total / done - elapsed,
                 elapsed * (total - done) / total);
}

static void write_bar (const struct progress *progress, double elapsed,
                       char text[LINE])
{
    double done = (double)progress->done, total = (double)progress->total;
    int bars = (int)(done / total * BAR);
    double rate = done / elapsed;
    char left[LEFT];
    write_time (left, time_left (progress, elapsed));
    snprintf (text, LINE, "[%.*s%*s] %3d%% %.*f %s/s, %s left", bars,
              "==============================", BAR - bars, "",
              (int)(done / total * 100), rate < 10, rate, progress->unit,
              left);
}

/* Called with the lock held. Never wider than the terminal, because a second
 * line could not be drawn over. */
static void draw_bar (struct progress *progress, const struct timespec *now)
{
    double elapsed = seconds_between (&progress->begin, now);
    int columns = (int)columns_of (STDERR_FILENO), length;
    char text[LINE];
    progress->last = *now;
    if (progress->done == 0)
        snprintf (text, LINE, "%.0f s%s%s", elapsed,
                  *progress->said ? ", " : "", progress->said);
    else
        write_bar (progress, elapsed, text);
    length = (int)strnlen (text, (size_t)columns);
    fprintf (stderr, "\r%.*s%*s", length, text,
             progress->drawn > length ? progress->drawn - length : 0, "");
    progress->drawn = length;
}

static void *run_ticker (void *arg)
{
    struct progress *progress = arg;
    struct timespec now;
    pthread_mutex_lock (&progress->lock);
    while (!progress->over) {
        clock_gettime (CLOCK_MONOTONIC, &now);
        if (seconds_between (&progress->last, &now) >= TICK_SECONDS)
            draw_bar (progress, &now);
        now.tv_sec += TICK_SECONDS;
        pthread_cond_timedwait (&progress->wake, &progress->lock, &now);
    }
    pthread_mutex_unlock (&progress->lock);
    return NULL;
}

/* Signals are for the thread that works. Without this thread, the bar is still
 * drawn by work that reports its progress. */
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
    progress->ticking =
        pthread_create (&progress->thread, NULL, run_ticker, progress) == 0;
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
    if (done != progress->done)
        progress->news = now;
    progress->done = done;
    progress->total = total;
    progress->unit = unit;
    if (seconds_between (&progress->last, &now) >= REDRAW_SECONDS)
        draw_bar (progress, &now);
    pthread_mutex_unlock (&progress->lock);
}

void progress_say (struct progress *progress, const char *text)
{
    if (!progress->shown)
        return;
    pthread_mutex_lock (&progress->lock);
    snprintf (progress->said, sizeof progress->said, "%s", text);
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
        fprintf (stderr, "\r%*s\r", progress->drawn, "");
    progress->drawn = 0;
}

/* ---- texts from elsewhere ---- */

/* The number of bytes of a printable UTF-8 character, or 0. */
static size_t shown_length (const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    bool control = *p < ' ' || *p == 0x7f || (*p == 0xc2 && p[1] < 0xa0);
    return control ? 0 : utf8_length (text);
}

void text_clean (char *text)
{
    for (char *p = text; *p;) {
        size_t length = shown_length (p);
        if (length == 0)
            *p = '?';
        p += length ? length : 1;
    }
}

#include "torid.h"

#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static tori_time read_clock (clockid_t clock)
{
    struct timespec t;
    clock_gettime (clock, &t);
    return (tori_time)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

tori_time torid_now (const struct torid *torid)
{
    return timekeeper_now (&torid->keeper, read_clock (CLOCK_BOOTTIME));
}

void torid_begin_clock (struct torid *torid)
{
    timekeeper_begin (&torid->keeper, read_clock (CLOCK_REALTIME),
                      read_clock (CLOCK_BOOTTIME));
}

static void log_clock (struct torid *torid, const char *event,
                       tori_time by)
{
    torid_log (torid, LEVEL_WARNING, event, "{s:f}", "seconds",
               (double)by / TORI_SECOND);
}

void torid_resume_clock (struct torid *torid)
{
    tori_time seen = service_now (torid->service), ahead = 0;
    if (seen > 0 && !service_lags (torid->service))
        ahead = timekeeper_resume (&torid->keeper, seen,
                                   read_clock (CLOCK_BOOTTIME));
    if (ahead > 0)
        log_clock (torid, "clock-jumped", ahead);
}

void torid_watch_clock (struct torid *torid)
{
    tori_time day = read_clock (CLOCK_REALTIME);
    tori_time boot = read_clock (CLOCK_BOOTTIME);
    tori_time step = timekeeper_look (&torid->keeper, day, boot), ahead = 0;
    if (torid->service && !service_lags (torid->service))
        ahead = timekeeper_reach (&torid->keeper,
                                  service_now (torid->service), boot);
    if (ahead > 0 || step < -TORI_SECOND)
        log_clock (torid, "clock-went-back", ahead > 0 ? ahead : -step);
    else if (step > CLOCK_JUMP)
        log_clock (torid, "clock-jumped", step);
}

void torid_stir (struct torid *torid)
{
    torid->stirred = true;
}

/* ---- the log ---- */

const char *level_name (size_t i)
{
    static const char *const names[] = {[LEVEL_DEBUG] = "debug",
                                        [LEVEL_INFO] = "info",
                                        [LEVEL_WARNING] = "warning",
                                        [LEVEL_ERROR] = "error"};
    return i < sizeof names / sizeof names[0] ? names[i] : NULL;
}

/* Words that could be taken for something else are quoted, and no byte of
 * them can end the line. */
static void put_text (FILE *to, const char *text)
{
    if (*text && !text[strcspn (text, " =\"\\\n\r\t\033\177")]) {
        fputs (text, to);
        return;
    }
    fputc ('"', to);
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            fprintf (to, "\\%c", *text);
        else if ((unsigned char)*text < ' ' || *text == '\177')
            fprintf (to, *text == '\n' ? "\\n" : "\\x%02x",
                     (unsigned)(unsigned char)*text);
        else
            fputc (*text, to);
    fputc ('"', to);
}

static void put_field (FILE *to, const char *key, const json_t *value)
{
    fprintf (to, " %s=", key);
    if (json_is_string (value))
        put_text (to, json_string_value (value));
    else if (json_is_integer (value))
        fprintf (to, "%lld", (long long)json_integer_value (value));
    else if (json_is_real (value))
        fprintf (to, "%.16g", json_real_value (value));
    else
        fputs (json_is_true (value) ? "true" : "false", to);
}

static void put_time (FILE *to)
{
    struct timespec t;
    struct tm parts;
    char text[32];
    clock_gettime (CLOCK_REALTIME, &t);
    gmtime_r (&t.tv_sec, &parts);
    strftime (text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
    fprintf (to, "time=%s.%03ldZ", text, t.tv_nsec / 1000000);
}

/* The whole line at once, so that it is not mixed with what executors say on
 * the same standard error. A line is left out if it would have to wait for
 * whoever reads the log; the next one has the number of these. */
static void put_line (uint64_t *lost, enum level level, const char *event,
                      json_t *fields)
{
    struct pollfd log = {STDERR_FILENO, POLLOUT, 0};
    bool full = poll (&log, 1, 0) == 0;
    char *line = NULL;
    size_t n = 0;
    FILE *to = full ? NULL : open_memstream (&line, &n);
    const char *key;
    json_t *value;
    if (!to) {
        ++*lost;
        return;
    }
    put_time (to);
    fprintf (to, " level=%s event=%s", level_name (level), event);
    json_object_foreach (fields, key, value)
        put_field (to, key, value);
    if (*lost > 0)
        fprintf (to, " lost=%llu", (unsigned long long)*lost);
    *lost = 0;
    fputc ('\n', to);
    if (fclose (to) == 0) {
        if (n > PIPE_BUF) /* there may be room for no more */
            line[(n = PIPE_BUF) - 1] = '\n';
        fwrite (line, 1, n, stderr);
    }
    free (line);
}

void torid_log (struct torid *torid, enum level level, const char *event,
                const char *fmt, ...)
{
    json_t *fields = NULL;
    va_list args;
    if (level < torid->level)
        return;
    if (fmt) {
        va_start (args, fmt);
        fields = json_vpack_ex (NULL, 0, fmt, args);
        va_end (args);
    }
    put_line (&torid->lost, level, event, fields);
    json_decref (fields);
}

#include "cutter.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LINE = 64 * 1024, BUFFER_SIZE = 4 * MAX_LINE };

int cutter_open (struct cutter *cutter, struct source *source,
                 tori_error *err)
{
    *cutter = (struct cutter){.source = source,
                              .buffer = malloc (BUFFER_SIZE + 1)};
    return cutter->buffer ? 0 : tori_error_nomem (err);
}

void cutter_close (struct cutter *cutter)
{
    free (cutter->buffer);
    source_close (cutter->source);
}

int cutter_fail (const struct cutter *cutter, tori_error *err,
                 const char *fmt, ...)
{
    char what[256];
    va_list ap;
    va_start (ap, fmt);
    vsnprintf (what, sizeof what, fmt, ap);
    va_end (ap);
    return tori_error_set (err, TORI_INVALID, "%s:%" PRIu64 ": %s",
                           source_name (cutter->source), cutter->number, what);
}

int cutter_check_nul (const struct cutter *cutter, tori_error *err)
{
    return memchr (cutter->line, '\0', cutter->size)
               ? cutter_fail (cutter, err, "NUL byte in the line")
               : 0;
}

/* Read more after the contents of the buffer. */
static int refill_buffer (struct cutter *cutter, tori_error *err)
{
    size_t size = cutter->end - cutter->start;
    ssize_t n;
    memmove (cutter->buffer, cutter->buffer + cutter->start, size);
    cutter->start = 0;
    cutter->end = size;
    n = source_read (cutter->source, cutter->buffer + size,
                     BUFFER_SIZE - size, err);
    if (n < 0)
        return -1;
    cutter->ended = n == 0;
    cutter->end += (size_t)n;
    return 0;
}

/* The part of a line that has been looked at. */
struct glance {
    size_t seen;
    bool open; /* inside a quote */
    uint64_t newlines;
};

static bool odd_quotes (const char *text, size_t size)
{
    bool odd = false;
    for (size_t i = 0; i < size; i++)
        odd ^= text[i] == '"';
    return odd;
}

/* The newline that ends the line, or NULL if it is not there yet. */
static char *find_end (const struct cutter *cutter, struct glance *look)
{
    char *line = cutter->buffer + cutter->start, *newline, *from;
    size_t size = cutter->end - cutter->start;
    do {
        from = line + look->seen;
        newline = memchr (from, '\n', size - look->seen);
        look->seen = newline ? (size_t)(newline - line) + 1 : size;
        if (cutter->quoted)
            look->open
                ^= odd_quotes (from, (size_t)(line + look->seen - from));
        look->newlines += newline != NULL;
    } while (newline && look->open);
    return newline;
}

static int too_long (struct cutter *cutter, const struct glance *look,
                     tori_error *err)
{
    cutter->number++;
    if (look->open)
        return cutter_fail (cutter, err, "a quote that is not closed");
    return cutter_fail (cutter, err, "line longer than %d bytes", MAX_LINE);
}

/* Size without the newline. */
static void take_line (struct cutter *cutter, size_t size,
                       const struct glance *look)
{
    cutter->line = cutter->buffer + cutter->start;
    cutter->start += size + (look->newlines > 0);
    cutter->line[size] = '\0';
    cutter->size = size;
    cutter->number++;
    cutter->more = look->newlines > 0 ? look->newlines - 1 : 0;
}

int cutter_next (struct cutter *cutter, tori_error *err)
{
    struct glance look = {0};
    char *newline;
    size_t size;
    cutter->number += cutter->more;
    cutter->more = 0;
    while (!(newline = find_end (cutter, &look)) && !cutter->ended) {
        if (cutter->end - cutter->start > MAX_LINE)
            return too_long (cutter, &look, err);
        if (refill_buffer (cutter, err) < 0)
            return -1;
    }
    size = newline ? (size_t)(newline - cutter->buffer) - cutter->start
                   : cutter->end - cutter->start;
    if (!newline && size == 0)
        return 0;
    if (size > MAX_LINE)
        return too_long (cutter, &look, err);
    if (!newline)
        look.newlines = 0;
    take_line (cutter, size, &look);
    return 1;
}

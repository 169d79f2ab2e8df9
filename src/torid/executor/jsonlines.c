#include "jsonlines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "array.h"
#include "utf8.h"

enum { PIECE = 64 << 10 };

bool lines_fill (struct lines *lines, int fd)
{
    char *more = array_room (lines->data, &lines->room, lines->n + PIECE, 1);
    ssize_t got;
    if (!more) {
        fputs ("out of memory\n", stderr);
        return false;
    }
    lines->data = more;
    do
        got = read (fd, lines->data + lines->n, PIECE);
    while (got < 0 && errno == EINTR);
    if (got > 0)
        lines->n += (size_t)got;
    return got > 0 || (got < 0 && errno == EAGAIN);
}

/* The length of the first line, with its end; 0 if it is not there yet. */
static size_t line_length (struct lines *lines)
{
    const char *end = lines->n > lines->seen
                          ? memchr (lines->data + lines->seen, '\n',
                                    lines->n - lines->seen)
                          : NULL;
    if (end)
        return (size_t)(end - lines->data) + 1;
    lines->seen = lines->n;
    return 0;
}

static void drop_bytes (struct lines *lines, size_t n)
{
    lines->n -= n;
    memmove (lines->data, lines->data + n, lines->n);
    lines->seen = 0;
}

static json_t *parse_line (const char *data, size_t n)
{
    json_error_t why;
    json_t *value = json_loadb (data, n, JSON_REJECT_DUPLICATES, &why);
    if (json_is_object (value))
        return value;
    fprintf (stderr, "not a JSON object: %.*s (%s)\n", n < 80 ? (int)n : 80,
             data, value ? "expected {...}" : why.text);
    json_decref (value);
    return NULL;
}

/* Whether the message was a ping, which has been answered. */
static bool is_ping (struct lines *lines, const json_t *message)
{
    const char *what = json_string_value (json_object_get (message, "do"));
    if (!what || strcmp (what, "ping"))
        return false;
    lines->ping = json_number_value (json_object_get (message, "every"));
    lines_try (json_pack ("{s:s}", "is", "pong"));
    return true;
}

json_t *lines_next (struct lines *lines)
{
    json_t *value = NULL;
    size_t n;
    while (!value && (n = line_length (lines)) > 0) {
        if (!lines->overlong && n > 1)
            value = parse_line (lines->data, n - 1);
        lines->overlong = false;
        drop_bytes (lines, n);
        if (is_ping (lines, value)) {
            json_decref (value);
            value = NULL;
        }
    }
    if (!value && lines->n > LINE_MAX_SIZE) {
        if (!lines->overlong)
            fprintf (stderr, "a line of more than %d bytes is ignored\n",
                     (int)LINE_MAX_SIZE);
        lines->overlong = true;
        drop_bytes (lines, lines->n);
    }
    return value;
}

json_t *lines_ready (void)
{
    return json_pack ("{s:s, s:i, s:i, s:b}", "is", "ready", "version", 1,
                      "max_line", (int)LINE_MAX_SIZE, "ping", true);
}

void lines_clear (struct lines *lines)
{
    free (lines->data);
    *lines = (struct lines){0};
}

json_t *lines_text (const char *text)
{
    char *copy = strdup (text);
    json_t *value;
    if (copy)
        utf8_mend (copy);
    value = copy ? json_string (copy) : NULL;
    free (copy);
    return value;
}

bool lines_try (json_t *object)
{
    json_dumpf (object, stdout, JSON_COMPACT | JSON_REAL_PRECISION (16));
    json_decref (object);
    return putchar ('\n') != EOF && fflush (stdout) == 0;
}

void lines_say (json_t *object)
{
    if (!lines_try (object))
        exit (0);
}

#include "lines.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "source.h"

/* The buffer holds the longest line, its newline and a terminator. */
struct lines {
    struct source *source;
    size_t number;
    size_t begin, end; /* the unread part of the buffer */
    bool ended;        /* the end of the file was reached */
    char buffer[LINES_LONGEST + 2];
};

static int open_lines (const char *path, struct lines **ret_lines, tori_error *err)
{
    struct lines *lines = calloc (1, sizeof *lines);
    if (!lines)
        return tori_error_nomem (err);
    if (source_open (path, &lines->source, err) < 0) {
        free (lines);
        return -1;
    }
    *ret_lines = lines;
    return 0;
}

/* Put "FILE:LINE: " in front of the text of an error. Returns -1. */
static int blame_line (const struct lines *lines, tori_error *err)
{
    if (err) {
        tori_error inner = *err;
        tori_error_set (err, inner.status, "%s:%zu: %s",
                        source_name (lines->source), lines->number,
                        inner.text);
    }
    return -1;
}

/* Move the unread part to the front and read after it, up to a newline or to
 * the longest line. */
static int fill_buffer (struct lines *lines, tori_error *err)
{
    size_t most = sizeof lines->buffer - 1;
    lines->end -= lines->begin;
    memmove (lines->buffer, lines->buffer + lines->begin, lines->end);
    lines->begin = 0;
    while (!lines->ended && lines->end < most) {
        char *to = lines->buffer + lines->end;
        ssize_t got = source_read (lines->source, to, most - lines->end, err);
        if (got < 0)
            return -1;
        lines->ended = got == 0;
        lines->end += (size_t)got;
        if (memchr (to, '\n', (size_t)got))
            break;
    }
    return 0;
}

/* The next line without its newline. */
static int next_raw (struct lines *lines, char **ret_text, size_t *ret_length,
                     tori_error *err)
{
    char *text = lines->buffer + lines->begin;
    char *newline = memchr (text, '\n', lines->end - lines->begin);
    if (!newline && !lines->ended) {
        if (fill_buffer (lines, err) < 0)
            return -1;
        text = lines->buffer;
        newline = memchr (text, '\n', lines->end);
    }
    if (!newline && lines->begin == lines->end)
        return 0;
    lines->number++;
    if (!newline && lines->end - lines->begin > LINES_LONGEST) {
        tori_error_set (err, TORI_INVALID, "line longer than %d bytes",
                        LINES_LONGEST);
        return blame_line (lines, err);
    }
    *ret_length =
        newline ? (size_t)(newline - text) : lines->end - lines->begin;
    text[*ret_length] = '\0';
    lines->begin += *ret_length + (newline != NULL);
    *ret_text = text;
    return 1;
}

/* Remove the comment and the blanks on either side. */
static char *strip_line (char *text)
{
    size_t length = strcspn (text, "#");
    while (length > 0 && strchr (" \t\r", text[length - 1]))
        length--;
    text[length] = '\0';
    return text + strspn (text, " \t\r");
}

/* The next line that is not empty. 1, 0 at the end, or -1. */
static int next_line (struct lines *lines, char **ret_text, tori_error *err)
{
    char *text = NULL;
    size_t length = 0;
    int more;
    while ((more = next_raw (lines, &text, &length, err)) > 0) {
        if (strlen (text) != length) {
            tori_error_set (err, TORI_INVALID, "line contains a zero byte");
            return blame_line (lines, err);
        }
        text = strip_line (text);
        if (*text) {
            *ret_text = text;
            return 1;
        }
    }
    return more;
}

int lines_each (const char *path, line_fn *visit, void *arg, tori_error *err)
{
    struct lines *lines = NULL;
    char *text;
    int more;
    if (open_lines (path, &lines, err) < 0)
        return -1;
    while ((more = next_line (lines, &text, err)) > 0)
        if (visit (arg, text, lines->number, err) < 0) {
            more = blame_line (lines, err);
            break;
        }
    source_close (lines->source);
    free (lines);
    return more;
}

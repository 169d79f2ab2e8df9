/* jsonlines.h - JSON objects, one per line, to and from the giver of
 * orders. */
#ifndef TORI_EXECUTOR_JSONLINES_H
#define TORI_EXECUTOR_JSONLINES_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

enum { LINE_MAX_SIZE = 16 << 20 };

/* Input that is not yet a whole line. Zeroed, it is empty. */
struct lines {
    char *data;
    size_t n, room;
    size_t seen;   /* bytes of it without an end of line */
    bool overlong; /* the line is too long, and is passed over */
    double ping;   /* seconds from one ping to the next; 0: none came */
};

/* Read the available input. False at its end. */
bool lines_fill (struct lines *lines, int fd);

/* The next object of those that have come; NULL if there is none. A line that
 * is not a JSON object is skipped, with a message on standard error, and so is
 * a line that is too long. A ping is answered here. */
json_t *lines_next (struct lines *lines);

/* The first message of an executor: it is ready, how long a line may be, and
 * that it answers pings. A new reference. */
json_t *lines_ready (void);

void lines_clear (struct lines *lines);

/* A text from outside, with question marks in place of bytes that are not
 * UTF-8, which JSON could not hold. NULL without memory. */
json_t *lines_text (const char *text);

/* Write an object as one line, and release it. The line has been handed to the
 * reader when this returns. Ends the program if the reader is gone; the reader
 * reports that. */
void lines_say (json_t *object);
bool lines_try (json_t *object);

#endif

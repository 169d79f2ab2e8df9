/* jsonlines.h - JSON objects, one per line, to and from whoever gives orders. */
#ifndef TORI_EXECUTOR_JSONLINES_H
#define TORI_EXECUTOR_JSONLINES_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

enum { LINE_MAX_SIZE = 16 << 20 };

/* What was read and is not yet a whole line. Zeroed, it is empty. */
struct lines {
    char *data;
    size_t n, room;
    size_t seen;   /* bytes of it without an end of line */
    bool overlong; /* the line is too long, and is passed over */
};

/* Read what is there. False at the end of the input. */
bool lines_fill (struct lines *lines, int fd);

/* The next object of those that have come; NULL if there is none. A line that
 * is not a JSON object is passed over, with a word on standard error, and so
 * is all of a line that is too long. A ping is answered here. */
json_t *lines_next (struct lines *lines);

/* What an executor says first: that it is ready, how long a line may be, and
 * that it answers pings. A new reference. */
json_t *lines_ready (void);

void lines_clear (struct lines *lines);

/* A text of somebody else, with question marks in place of what is not UTF-8,
 * which JSON could not hold. NULL without memory. */
json_t *lines_text (const char *text);

/* Write an object as one line, and release it. What is written is with the
 * reader when this returns. Ends the program if nobody reads any more; the
 * other one says so. */
void lines_say (json_t *object);
bool lines_try (json_t *object);

#endif

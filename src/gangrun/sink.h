/* sink.h - what waits to be written to a descriptor.
 *
 * Nobody waits for a slow reader: what cannot be written now is kept, and its
 * sender is told when it is through, so that it sends no more than a window
 * ahead. Nothing is written in part between two others.
 *
 * Lines longer than a message come in pieces, and several may write at once.
 * A line is kept until its end has come, so that none gets into another. One
 * of more than SINK_LINE bytes is not: it is written in parts of that size,
 * and others may come between them. A source with such a line in the sink is
 * allowed the next one in memory, no more.
 */
#ifndef TORI_GANGRUN_SINK_H
#define TORI_GANGRUN_SINK_H

#include "rank.h"

/* Whom to tell: a stream of a process of a job. */
struct source {
    uint32_t rank;
    uint64_t task;
    uint32_t index, stream;
    uint32_t credit; /* bytes to acknowledge; 0: nobody asks */
};

enum { SINK_LINE = 1 << 20 };

/* A line that has not ended. */
struct line {
    struct source source; /* its credit: what is not acknowledged yet */
    struct bytes bytes;
};

struct chunk {
    struct source source;
    size_t n, done;
    char *data;
};

struct sink {
    int fd; /* -1 when nobody reads any more */
    bool socket;
    bool ends; /* to be closed when all is written */
    struct chunk *chunk;
    size_t n, room;
    struct line *line;
    size_t lines, line_room;
};

/* Take a piece from a source that has `source->credit` bytes, the last of a
 * stream if it `ends`. 0: it is kept. 1: *ret_text is to be put, whole lines
 * or what may be written as if it were, and source->credit is what is to be
 * acknowledged then; the caller frees it. */
int sink_take (struct rank *rank, struct sink *sink, struct source *source,
               const char *data, bool ends, struct bytes *ret_text,
               tori_error *err);

/* Take out a line of a job that will not be ended any more; false if there is
 * none. The caller frees it. */
bool sink_left (struct sink *sink, uint64_t task, struct line *ret_line);

/* Add the head and then the data; the source, unless NULL, is told when it is
 * written. */
int sink_put (struct sink *sink, const struct source *source, const char *head,
              size_t head_n, const char *data, size_t n, tori_error *err);

/* The same with the head in front of every line. */
int sink_put_lines (struct sink *sink, const struct source *source,
                    const char *head, size_t head_n, const char *data,
                    size_t n, tori_error *err);

/* Whether there is something to write, or to close. */
bool sink_waits (const struct sink *sink);

/* Write what can be written now. */
int sink_flush (struct rank *rank, struct sink *sink, tori_error *err);
int sink_watch (struct rank *rank, struct sink *sink, tori_error *err);

/* Close it; those that still have something in it are told so. */
int sink_close (struct rank *rank, struct sink *sink, tori_error *err);

#endif

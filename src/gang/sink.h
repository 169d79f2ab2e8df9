/* sink.h - what waits to be written to a descriptor.
 *
 * Nobody waits for a slow reader: what cannot be written now is kept. Its
 * sender is told when it has been written, so that it sends no more than a
 * window ahead. Pieces are never mixed: each is written whole before the next.
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

struct chunk {
    struct source source;
    size_t n, done;
    char *data;
};

struct sink {
    int fd; /* -1 when nobody reads any more */
    bool socket;
    bool ends; /* to be closed when all is written */
    bool patient; /* another reader may come: that one has gone is told nobody */
    int64_t broken; /* since when it has gone, then; 0: it has not */
    struct chunk *chunk;
    size_t n, room;
};

/* Add the head and then the data; the source, unless NULL, is told when it is
 * written. */
void sink_put (struct rank *rank, struct sink *sink,
               const struct source *source, const char *head, size_t head_n,
               const char *data, size_t n);

/* The same with the head in front of every line. */
void sink_put_lines (struct rank *rank, struct sink *sink,
                     const struct source *source, const char *head,
                     size_t head_n, const char *data, size_t n);

/* Whether there is something to write, or to close. */
bool sink_waits (const struct sink *sink);

/* Write what can be written now. */
void sink_flush (struct rank *rank, struct sink *sink);
void sink_watch (struct rank *rank, struct sink *sink);

/* Close it; those that still have something in it are told so. */
void sink_close (struct rank *rank, struct sink *sink);

#endif

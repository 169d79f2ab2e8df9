/* sink.h - bytes that wait to be written to a descriptor.
 *
 * A slow reader delays no process: bytes that cannot be written now are kept.
 * Their sender gets a credit when they have been written, so that it sends at
 * most a window ahead. Pieces are never mixed: each is written whole before
 * the next.
 */
#ifndef TORI_GANGRUN_SINK_H
#define TORI_GANGRUN_SINK_H

#include "rank.h"

/* Gets the credit: a stream of a process of a job. */
struct source {
    uint32_t rank;
    uint64_t task;
    uint32_t index, stream;
    uint32_t credit; /* bytes to acknowledge; 0: none */
};

struct chunk {
    struct source source;
    size_t n, done;
    char *data;
};

struct sink {
    int fd; /* -1 when its reader is gone */
    bool socket;
    bool ends; /* to be closed when all is written */
    bool patient; /* another reader may come: a broken pipe is not reported */
    int64_t broken; /* since when the pipe is broken; 0: it is not */
    struct chunk *chunk;
    size_t n, room;
};

/* Add the head and then the data; the source, unless NULL, gets its credit
 * when they are written. */
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

/* Close it; sources that still have bytes in it are notified. */
void sink_close (struct rank *rank, struct sink *sink);

#endif

#include "sink.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "array.h"

void sink_put (struct rank *rank, struct sink *sink,
               const struct source *source, const char *head, size_t head_n,
               const char *data, size_t n)
{
    struct chunk chunk = {.n = head_n + n};
    struct chunk *more = array_room (sink->chunk, &sink->room, sink->n + 1,
                                     sizeof *more);
    if (more)
        sink->chunk = more;
    chunk.data = malloc (chunk.n + 1);
    if (!more || !chunk.data) {
        free (chunk.data);
        tori_error_nomem (&rank->err);
        return;
    }
    if (head_n > 0)
        memcpy (chunk.data, head, head_n);
    if (n > 0)
        memcpy (chunk.data + head_n, data, n);
    if (source)
        chunk.source = *source;
    more[sink->n++] = chunk;
}

void sink_put_lines (struct rank *rank, struct sink *sink,
                     const struct source *source, const char *head,
                     size_t head_n, const char *data, size_t n)
{
    while (n > 0) {
        const char *newline = head_n ? memchr (data, '\n', n) : NULL;
        size_t line = newline ? (size_t)(newline + 1 - data) : n;
        sink_put (rank, sink, line == n ? source : NULL, head, head_n, data,
                  line);
        data += line;
        n -= line;
    }
}

static void send_credit (struct rank *rank, const struct source *source,
                         bool closed)
{
    struct wire wire = {.kind = WIRE_CREDIT,
                        .task = source->task,
                        .index = source->index,
                        .stream = source->stream,
                        .status = closed ? -1 : (int64_t)source->credit};
    if (source->credit)
        rank_send (rank, source->rank, &wire, NULL);
}

/* ---- writing ---- */

static void take_first (struct rank *rank, struct sink *sink, bool closed)
{
    struct chunk chunk = sink->chunk[0];
    sink->n--;
    memmove (sink->chunk, sink->chunk + 1, sink->n * sizeof chunk);
    free (chunk.data);
    send_credit (rank, &chunk.source, closed);
}

void sink_close (struct rank *rank, struct sink *sink)
{
    if (sink->fd > STDERR_FILENO)
        close (sink->fd);
    sink->fd = -1;
    while (sink->n > 0)
        take_first (rank, sink, true);
    free (sink->chunk);
    sink->chunk = NULL;
    sink->room = 0;
}

/* A pipe that can be written to has room for PIPE_BUF bytes, so a write of no
 * more than that does not wait, though others share the descriptor and it is
 * not set to be non-blocking. */
static ssize_t write_some (const struct sink *sink, const struct chunk *chunk)
{
    size_t n = chunk->n - chunk->done;
    const char *at = chunk->data + chunk->done;
    struct pollfd fd = {sink->fd, POLLOUT, 0};
    if (sink->socket)
        return send (sink->fd, at, n, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (poll (&fd, 1, 0) <= 0) {
        errno = EAGAIN;
        return -1;
    }
    return write (sink->fd, at, n < PIPE_BUF ? n : PIPE_BUF);
}

void sink_flush (struct rank *rank, struct sink *sink)
{
    while (sink->fd >= 0 && sink->n > 0 && !sink->broken) {
        struct chunk *chunk = &sink->chunk[0];
        ssize_t n = chunk->n ? write_some (sink, chunk) : 0;
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        if (n < 0 && sink->patient)
            sink->broken = clock_now ();
        if (n < 0)
            break;
        chunk->done += (size_t)n;
        if (chunk->done == chunk->n)
            take_first (rank, sink, false);
    }
    if (!sink->broken && (sink->n > 0 || sink->fd < 0 || sink->ends))
        sink_close (rank, sink);
}

static void on_writable (struct rank *rank, void *arg, short events)
{
    sink_flush (rank, arg);
}

bool sink_waits (const struct sink *sink)
{
    return sink->fd >= 0 && !sink->broken && (sink->n > 0 || sink->ends);
}

void sink_watch (struct rank *rank, struct sink *sink)
{
    if (sink_waits (sink))
        rank_watch (rank, sink->fd, POLLOUT, on_writable, sink);
}

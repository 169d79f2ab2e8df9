#include "sink.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "array.h"

int sink_put (struct sink *sink, const struct source *source, const char *head,
              size_t head_n, const char *data, size_t n, tori_error *err)
{
    struct chunk chunk = {.n = head_n + n};
    struct chunk *more = array_room (sink->chunk, &sink->room, sink->n + 1,
                                     sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    sink->chunk = more;
    chunk.data = malloc (chunk.n + 1);
    if (!chunk.data)
        return tori_error_nomem (err);
    if (head_n > 0)
        memcpy (chunk.data, head, head_n);
    if (n > 0)
        memcpy (chunk.data + head_n, data, n);
    if (source)
        chunk.source = *source;
    more[sink->n++] = chunk;
    return 0;
}

int sink_put_lines (struct sink *sink, const struct source *source,
                    const char *head, size_t head_n, const char *data,
                    size_t n, tori_error *err)
{
    while (n > 0) {
        const char *newline = head_n ? memchr (data, '\n', n) : NULL;
        size_t line = newline ? (size_t)(newline + 1 - data) : n;
        if (sink_put (sink, line == n ? source : NULL, head, head_n, data,
                      line, err)
            < 0)
            return -1;
        data += line;
        n -= line;
    }
    return 0;
}

static int acknowledge (struct rank *rank, const struct source *source,
                        bool closed, tori_error *err)
{
    struct wire wire = {.kind = WIRE_CREDIT,
                        .task = source->task,
                        .index = source->index,
                        .stream = source->stream,
                        .status = closed ? -1 : (int64_t)source->credit};
    return source->credit ? rank_send (rank, source->rank, &wire, NULL, err)
                          : 0;
}

/* ---- writing ---- */

static int take_first (struct rank *rank, struct sink *sink, bool closed,
                       tori_error *err)
{
    struct chunk chunk = sink->chunk[0];
    sink->n--;
    memmove (sink->chunk, sink->chunk + 1, sink->n * sizeof chunk);
    free (chunk.data);
    return acknowledge (rank, &chunk.source, closed, err);
}

int sink_close (struct rank *rank, struct sink *sink, tori_error *err)
{
    if (sink->fd > STDERR_FILENO)
        close (sink->fd);
    sink->fd = -1;
    while (sink->n > 0)
        if (take_first (rank, sink, true, err) < 0)
            return -1;
    free (sink->chunk);
    sink->chunk = NULL;
    sink->room = 0;
    return 0;
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

int sink_flush (struct rank *rank, struct sink *sink, tori_error *err)
{
    while (sink->fd >= 0 && sink->n > 0) {
        struct chunk *chunk = &sink->chunk[0];
        ssize_t n = chunk->n ? write_some (sink, chunk) : 0;
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            return 0;
        if (n < 0)
            return sink_close (rank, sink, err);
        chunk->done += (size_t)n;
        if (chunk->done == chunk->n
            && take_first (rank, sink, false, err) < 0)
            return -1;
    }
    if (sink->fd < 0 || sink->ends)
        return sink_close (rank, sink, err);
    return 0;
}

static int ready (struct rank *rank, void *arg, short events, tori_error *err)
{
    return sink_flush (rank, arg, err);
}

bool sink_waits (const struct sink *sink)
{
    return sink->fd >= 0 && (sink->n > 0 || sink->ends);
}

int sink_watch (struct rank *rank, struct sink *sink, tori_error *err)
{
    if (!sink_waits (sink))
        return 0;
    return rank_watch (rank, sink->fd, POLLOUT, ready, sink, err);
}

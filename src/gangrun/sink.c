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

/* ---- lines ---- */

static bool is_same (const struct source *a, const struct source *b)
{
    return a->task == b->task && a->index == b->index
           && a->stream == b->stream && a->rank == b->rank;
}

static struct line *find_line (const struct sink *sink,
                               const struct source *source)
{
    for (size_t i = 0; i < sink->lines; i++)
        if (is_same (&sink->line[i].source, source))
            return &sink->line[i];
    return NULL;
}

static struct line *add_line (struct sink *sink, const struct source *source,
                              tori_error *err)
{
    struct line *more = array_room (sink->line, &sink->line_room,
                                    sink->lines + 1, sizeof *more);
    if (!more) {
        tori_error_nomem (err);
        return NULL;
    }
    sink->line = more;
    more[sink->lines] = (struct line){.source = *source};
    more[sink->lines].source.credit = 0;
    return &more[sink->lines++];
}

static void remove_line (struct sink *sink, struct line *line)
{
    *line = sink->line[--sink->lines];
}

static bool has_chunk (const struct sink *sink, const struct source *source)
{
    for (size_t i = 0; i < sink->n; i++)
        if (is_same (&sink->chunk[i].source, source))
            return true;
    return false;
}

/* The line needs more than its sender may be ahead, so what is kept counts as
 * written; but not while the sender has something else here, or it would never
 * have to wait. */
static int pay_for_line (struct rank *rank, const struct sink *sink,
                         const struct source *source, tori_error *err)
{
    struct line *line = find_line (sink, source);
    struct source paid;
    if (!line || has_chunk (sink, source))
        return 0;
    paid = line->source;
    line->source.credit = 0;
    return acknowledge (rank, &paid, false, err);
}

int sink_take (struct rank *rank, struct sink *sink, struct source *source,
               const char *data, bool ends, struct bytes *ret_text,
               tori_error *err)
{
    size_t n = source->credit;
    struct line *line = find_line (sink, source);
    if (sink->fd < 0 || (!line && (ends || data[n - 1] == '\n')))
        return bytes_add (ret_text, data, n, err) < 0 ? -1 : 1;
    if (!line)
        line = add_line (sink, source, err);
    if (!line || bytes_add (&line->bytes, data, n, err) < 0)
        return -1;
    line->source.credit += (uint32_t)n;
    if (!ends && data[n - 1] != '\n' && line->bytes.n < SINK_LINE)
        return pay_for_line (rank, sink, source, err);
    source->credit = line->source.credit;
    *ret_text = line->bytes;
    remove_line (sink, line);
    return 1;
}

bool sink_left (struct sink *sink, uint64_t task, struct line *ret_line)
{
    for (size_t i = 0; i < sink->lines; i++)
        if (sink->line[i].source.task == task) {
            *ret_line = sink->line[i];
            remove_line (sink, &sink->line[i]);
            return true;
        }
    return false;
}

/* ---- writing ---- */

static int take_first (struct rank *rank, struct sink *sink, bool closed,
                       tori_error *err)
{
    struct chunk chunk = sink->chunk[0];
    sink->n--;
    memmove (sink->chunk, sink->chunk + 1, sink->n * sizeof chunk);
    free (chunk.data);
    if (acknowledge (rank, &chunk.source, closed, err) < 0)
        return -1;
    return closed ? 0 : pay_for_line (rank, sink, &chunk.source, err);
}

/* The sender of a line here may have been paid for all of it. */
static int drop_line (struct rank *rank, struct sink *sink, tori_error *err)
{
    struct line line = sink->line[sink->lines - 1];
    sink->lines--;
    line.source.credit = 1;
    bytes_clear (&line.bytes);
    return acknowledge (rank, &line.source, true, err);
}

int sink_close (struct rank *rank, struct sink *sink, tori_error *err)
{
    if (sink->fd > STDERR_FILENO)
        close (sink->fd);
    sink->fd = -1;
    while (sink->n > 0)
        if (take_first (rank, sink, true, err) < 0)
            return -1;
    while (sink->lines > 0)
        if (drop_line (rank, sink, err) < 0)
            return -1;
    free (sink->chunk);
    free (sink->line);
    sink->chunk = NULL;
    sink->line = NULL;
    sink->room = sink->line_room = 0;
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

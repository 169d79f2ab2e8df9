/* snapshot_writer.c - snapshots that are written while the service goes on.
 *
 * A process of its own writes the state as text (errand.h), and this process
 * puts the text into the journal, a piece with each commit. With 100,000 jobs
 * the text takes a second, during which no request waits. */
#include <stdlib.h>
#include <string.h>

#include "torid.h"

/* ---- there ---- */

struct outlet {
    int fd;
    size_t n;
    char bytes[1 << 16];
};

static int flush_outlet (struct outlet *outlet)
{
    size_t n = outlet->n;
    outlet->n = 0;
    return errand_write (outlet->fd, outlet->bytes, n);
}

static int put_bytes (const char *bytes, size_t n, void *arg)
{
    struct outlet *outlet = arg;
    while (n > 0) {
        size_t room = sizeof outlet->bytes - outlet->n;
        size_t some = n < room ? n : room;
        memcpy (outlet->bytes + outlet->n, bytes, some);
        outlet->n += some;
        bytes += some;
        n -= some;
        if (outlet->n == sizeof outlet->bytes && flush_outlet (outlet) < 0)
            return -1;
    }
    return 0;
}

static int write_state (struct errand *errand, int fd)
{
    const struct torid *torid = errand->arg;
    struct outlet outlet = {.fd = fd};
    return service_write (torid->service, put_bytes, &outlet) == 0
                   && flush_outlet (&outlet) == 0
               ? 0
               : -1;
}

/* ---- here ---- */

static void on_written (struct errand *errand, char *text, size_t n)
{
    struct torid *torid = errand->arg;
    tori_error err = {0};
    if (torid->ending) {
        free (text);
        return;
    }
    if (!text)
        tori_error_set (&err, TORI_FAILED, "it could not be written");
    if (!text
        || journal_save_at (torid->journal, torid->writer.seq, text, n,
                            JOURNAL_PIECE, &err)
               < 0)
        torid_log (torid, LEVEL_WARNING, "no-snapshot", "{s:s}", "why",
                   err.text);
    else {
        torid->snapshot_bytes = n;
        torid_log (torid, LEVEL_INFO, "snapshot", "{s:I}", "bytes",
                   (json_int_t)n);
    }
    torid->unsaved = true;
}

static void on_pause (uv_timer_t *timer)
{
    struct torid *torid = timer->data;
    torid->unsaved = true;
}

void snapshot_writer_turn (struct torid *torid)
{
    uv_timer_t *pause = &torid->writer.pause;
    if (journal_saves (torid->journal) && !torid->stuck
        && !uv_is_active ((uv_handle_t *)pause))
        uv_timer_start (pause, on_pause, 1, 0);
}

int snapshot_writer_begin (struct torid *torid, tori_error *err)
{
    if (torid->writer.errand.pid)
        return 0;
    torid->writer.seq = journal_last (torid->journal);
    return errand_begin (&torid->writer.errand, &torid->errands, write_state,
                         on_written, torid, err);
}

void snapshot_writer_stop (struct torid *torid)
{
    errand_stop (&torid->writer.errand);
}

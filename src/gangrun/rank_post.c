#include "rank_parts.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "array.h"

/* ---- messages ---- */

int notes_add (struct notes *notes, const struct wire *wire, const void *data,
               tori_error *err)
{
    struct note note = {.wire = *wire, .data = malloc (wire->bytes + 1)};
    struct note *more = array_room (notes->item, &notes->room, notes->n + 1,
                                    sizeof *more);
    if (more)
        notes->item = more;
    if (!more || !note.data) {
        free (note.data);
        return tori_error_nomem (err);
    }
    if (data && wire->bytes > 0)
        memcpy (note.data, data, wire->bytes);
    more[notes->n++] = note;
    return 0;
}

void notes_clear (struct notes *notes)
{
    for (size_t i = 0; i < notes->n; i++)
        free (notes->item[i].data);
    free (notes->item);
    *notes = (struct notes){0};
}

int rank_send (struct rank *rank, uint32_t to, const struct wire *wire,
               const void *data, tori_error *err)
{
    struct wire copy = *wire;
    if (wire_is_of_era (wire->kind))
        copy.era = rank->era;
    if (to != rank->self)
        return link_send (rank->link, to, &copy, data, err);
    copy.from = rank->self;
    return notes_add (&rank->notes, &copy, data, err);
}

/* ---- descriptors ---- */

bool rank_has_room (int fd, int more)
{
    enum { KEPT = 16 };
    struct rlimit files;
    return getrlimit (RLIMIT_NOFILE, &files) < 0
           || (rlim_t)(fd + more + KEPT) < files.rlim_cur;
}

int rank_watch (struct rank *rank, int fd, short events,
                int (*ready) (struct rank *rank, void *arg, short events,
                              tori_error *err),
                void *arg, tori_error *err)
{
    struct watch *watch = &rank->watch;
    struct pollfd *fds = array_room (watch->fd, &watch->room, watch->n + 1,
                                     sizeof *fds);
    struct watcher *watchers;
    if (fds)
        watch->fd = fds;
    watchers = array_room (watch->watcher, &watch->watcher_room, watch->n + 1,
                           sizeof *watchers);
    if (watchers)
        watch->watcher = watchers;
    if (!fds || !watchers)
        return tori_error_nomem (err);
    fds[watch->n] = (struct pollfd){fd, events, 0};
    watchers[watch->n++] = (struct watcher){ready, arg};
    return 0;
}

#include "rank_parts.h"

#include <sys/resource.h>

#include "array.h"

/* ---- messages ---- */

void rank_send (struct rank *rank, uint32_t to, const struct wire *wire,
                const void *data)
{
    struct wire copy = *wire;
    if (wire_is_of_era (wire->kind))
        copy.era = rank->era;
    if (!rank_failed (rank))
        peers_send (rank->peers, to, &copy, data, &rank->err);
}

/* ---- descriptors ---- */

bool rank_has_room (int fd, int more)
{
    enum { KEPT = 16 };
    struct rlimit files;
    return getrlimit (RLIMIT_NOFILE, &files) < 0
           || (rlim_t)(fd + more + KEPT) < files.rlim_cur;
}

void rank_watch (struct rank *rank, int fd, short events,
                 void (*ready) (struct rank *rank, void *arg, short events),
                 void *arg)
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
    if (!fds || !watchers) {
        tori_error_nomem (&rank->err);
        return;
    }
    fds[watch->n] = (struct pollfd){fd, events, 0};
    watchers[watch->n++] = (struct watcher){ready, arg};
}

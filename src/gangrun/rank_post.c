#include "rank_parts.h"

#include <sys/resource.h>

#include "array.h"

/* ---- messages ---- */

int rank_send (struct rank *rank, uint32_t to, const struct wire *wire,
               const void *data, tori_error *err)
{
    struct wire copy = *wire;
    if (wire_is_of_era (wire->kind))
        copy.era = rank->era;
    return link_send (rank->link, to, &copy, data, err);
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

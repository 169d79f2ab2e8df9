#include "listener.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "client.h"

enum place { PLACE_FREE, PLACE_STALE, PLACE_LIVE, PLACE_OTHER };

/* Whoever listens has a backlog, so a connection is made at once, or refused
 * when there is nobody; anything else is somebody who is busy, or not ours. */
static enum place look_at (const struct sockaddr_un *address)
{
    struct stat st;
    int fd, why = 0;
    if (lstat (address->sun_path, &st) < 0)
        return PLACE_FREE;
    if (!S_ISSOCK (st.st_mode))
        return PLACE_OTHER;
    fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (connect (fd, (const struct sockaddr *)address, sizeof *address) < 0)
        why = errno;
    if (fd >= 0)
        close (fd);
    return why == ECONNREFUSED ? PLACE_STALE : PLACE_LIVE;
}

static int make_room (const struct sockaddr_un *address, tori_error *err)
{
    const char *path = address->sun_path;
    switch (look_at (address)) {
    case PLACE_STALE:
        unlink (path);
        return 0;
    case PLACE_LIVE:
        return tori_error_set (err, TORI_FAILED,
                               "%s: another run listens there", path);
    case PLACE_OTHER:
        return tori_error_set (err, TORI_FAILED,
                               "%s: is there already, and is no socket",
                               path);
    default:
        return 0;
    }
}

int listener_open (struct listener *listener, const char *path,
                   tori_error *err)
{
    struct sockaddr_un address;
    struct stat st;
    mode_t mask;
    bool bound;
    int fd;
    if (client_address (path, &address, err) < 0
        || make_room (&address, err) < 0)
        return -1;
    fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    mask = umask (0177);
    bound = fd >= 0
            && bind (fd, (struct sockaddr *)&address, sizeof address) == 0
            && lstat (path, &st) == 0 && listen (fd, SOMAXCONN) == 0;
    umask (mask);
    if (!bound) {
        tori_error_set (err, TORI_FAILED, "%s: %s", path, strerror (errno));
        if (fd >= 0)
            close (fd);
        return -1;
    }
    *listener = (struct listener){fd, path, st.st_dev, st.st_ino};
    return 0;
}

void listener_close (struct listener *listener)
{
    struct stat st;
    if (listener->fd < 0)
        return;
    if (lstat (listener->path, &st) == 0 && st.st_dev == listener->device
        && st.st_ino == listener->inode)
        unlink (listener->path);
    close (listener->fd);
    listener->fd = -1;
}

void listener_sweep (const char *path)
{
    struct sockaddr_un address;
    if (client_address (path, &address, NULL) == 0
        && look_at (&address) == PLACE_STALE)
        unlink (path);
}

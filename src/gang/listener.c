#include "listener.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "client.h"
#include "syserror.h"

enum place { PLACE_FREE, PLACE_STALE, PLACE_LIVE, PLACE_OTHER };

/* A listener has a backlog, so a connection is made at once, or refused when
 * no process listens; with any other error the place is taken, by a busy
 * process or another user's. */
static enum place probe_place (const struct sockaddr_un *address)
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
    switch (probe_place (address)) {
    case PLACE_STALE:
        unlink (path);
        return 0;
    case PLACE_LIVE:
        return tori_error_set (err, TORI_FAILED,
                               "%s: another run listens there", path);
    case PLACE_OTHER:
        return tori_error_set (err, TORI_FAILED,
                               "%s: exists already and is not a socket",
                               path);
    default:
        return 0;
    }
}

/* The directory of a path, opened. */
static int open_folder (const char *path)
{
    char copy[sizeof ((struct sockaddr_un *)0)->sun_path];
    snprintf (copy, sizeof copy, "%s", path);
    return open (dirname (copy), O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* Listen under a temporary name in the directory, by way of /proc, since the
 * name may be longer than an address can be. */
static int listen_in (int folder, const char *name, struct listener *listener)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct stat st;
    mode_t mask = umask (0177);
    int fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), status = -1;
    snprintf (address.sun_path, sizeof address.sun_path,
              "/proc/self/fd/%d/%s", folder, name);
    unlinkat (folder, name, 0);
    if (fd >= 0
        && bind (fd, (struct sockaddr *)&address, sizeof address) == 0
        && listen (fd, SOMAXCONN) == 0
        && fstatat (folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
        status = 0;
    umask (mask);
    listener->fd = fd;
    if (status == 0) {
        listener->device = st.st_dev;
        listener->inode = st.st_ino;
    }
    return status;
}

/* Some file systems cannot rename without replacing. */
static int move_to (int folder, const char *name, const char *path)
{
    if (renameat2 (folder, name, AT_FDCWD, path, RENAME_NOREPLACE) == 0)
        return 0;
    return errno == EINVAL ? renameat (folder, name, AT_FDCWD, path) : -1;
}

/* The name appears only when the socket listens, so a client that waits for it
 * may connect at once. */
int listener_open (struct listener *listener, const char *path,
                   tori_error *err)
{
    struct listener made = {.fd = -1, .path = path};
    struct sockaddr_un address;
    char name[32];
    int folder, why;
    if (client_address (path, &address, err) < 0
        || make_room (&address, err) < 0)
        return -1;
    snprintf (name, sizeof name, ".tori-%ld.sock", (long)getpid ());
    folder = open_folder (path);
    if (folder >= 0 && listen_in (folder, name, &made) == 0
        && move_to (folder, name, path) == 0) {
        close (folder);
        *listener = made;
        return 0;
    }
    why = errno;
    if (folder >= 0) {
        unlinkat (folder, name, 0);
        close (folder);
    }
    if (made.fd >= 0)
        close (made.fd);
    return system_error (path, why, err);
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
        && probe_place (&address) == PLACE_STALE)
        unlink (path);
}

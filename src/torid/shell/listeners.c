#include "listeners.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "address.h"
#include "number.h"
#include "syserror.h"

static int fail_to_listen (const char *what, tori_error *err)
{
    if (errno == EADDRINUSE)
        return tori_error_set (err, TORI_FAILED,
                               "%s: another program listens there", what);
    if (errno == ENOTSOCK)
        return tori_error_set (err, TORI_FAILED,
                               "%s: is there already, and is not a socket",
                               what);
    return system_error (what, errno, err);
}

static struct listener *add_listener (struct listener listeners[LISTENERS],
                                      size_t *n, int fd, bool local)
{
    listeners[*n] = (struct listener){.fd = fd, .local = local};
    return &listeners[(*n)++];
}

/* ---- sockets that were given ---- */

enum { FIRST_GIVEN = 3 };

/* How many descriptors the service manager has left here; this is for no
 * process that is started from here. */
static size_t count_given (void)
{
    const char *pid = getenv ("LISTEN_PID"), *fds = getenv ("LISTEN_FDS");
    uint64_t who = 0, n = 0;
    bool ours = pid && fds && number_scan (&pid, INT32_MAX, &who) && !*pid
                && who == (uint64_t)getpid ()
                && number_scan (&fds, LISTENERS, &n) && !*fds;
    unsetenv ("LISTEN_PID");
    unsetenv ("LISTEN_FDS");
    unsetenv ("LISTEN_FDNAMES");
    return ours ? n : 0;
}

static int take_given (struct listener listeners[LISTENERS], size_t *n, int fd,
                       tori_error *err)
{
    union {
        struct sockaddr any;
        struct sockaddr_storage room;
    } address;
    socklen_t length = sizeof address;
    if (getsockname (fd, &address.any, &length) < 0
        || fcntl (fd, F_SETFD, FD_CLOEXEC) < 0
        || fcntl (fd, F_SETFL, O_NONBLOCK) < 0)
        return fail_to_listen ("a socket of the service manager", err);
    add_listener (listeners, n, fd, address.any.sa_family == AF_UNIX);
    return 0;
}

/* ---- sockets of our own ---- */

/* Between the question whether a socket is in use and the answer to it, which
 * is to take or to remove it, no other torid may do the same. So each has this
 * lock meanwhile. Others cannot open the file, so they cannot hold it. It
 * stays: removing it would let two have the lock. */
static int lock_path (const char *path)
{
    char name[PATH_MAX];
    int fd;
    snprintf (name, sizeof name, "%s.lock", path);
    fd = open (name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    while (fd >= 0 && flock (fd, LOCK_EX) < 0)
        if (errno != EINTR) {
            close (fd);
            return -1;
        }
    return fd;
}

static struct sockaddr_un address_of (const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf (address.sun_path, sizeof address.sun_path, "%s", path);
    return address;
}

/* Whether a process listens at a socket. Only a refusal or a missing path says
 * that none does; a process whose backlog is full still listens. */
static bool is_alive (const char *path)
{
    const struct sockaddr_un address = address_of (path);
    int fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool dead = fd >= 0
                && connect (fd, (const struct sockaddr *)&address,
                            sizeof address)
                       < 0
                && (errno == ECONNREFUSED || errno == ENOENT);
    if (fd >= 0)
        close (fd);
    return !dead;
}

/* A socket without a listener is left from a torid that was killed. */
static int bind_path (int fd, const char *path)
{
    const struct sockaddr_un address = address_of (path);
    struct stat st;
    if (lstat (path, &st) == 0) {
        if (!S_ISSOCK (st.st_mode)) {
            errno = ENOTSOCK;
            return -1;
        }
        if (is_alive (path)) {
            errno = EADDRINUSE;
            return -1;
        }
        unlink (path);
    }
    return bind (fd, (const struct sockaddr *)&address, sizeof address);
}

static int open_local (struct listener listeners[LISTENERS], size_t *n,
                       const char *path, tori_error *err)
{
    struct sockaddr_un address;
    int fd, lock;
    if (strlen (path) >= sizeof address.sun_path)
        return tori_error_set (err, TORI_INVALID,
                               "%s: too long for a socket", path);
    lock = lock_path (path);
    if (lock < 0)
        return fail_to_listen (path, err);
    fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || bind_path (fd, path) < 0 || chmod (path, 0666) < 0
        || listen (fd, SOMAXCONN) < 0) {
        fail_to_listen (path, err);
        if (fd >= 0)
            close (fd);
        close (lock);
        return -1;
    }
    close (lock);
    add_listener (listeners, n, fd, true)->path = path;
    return 0;
}

static int open_tcp (struct listener listeners[LISTENERS], size_t *n,
                     const char *text, tori_error *err)
{
    struct address address;
    const int on = 1;
    int fd;
    if (address_parse (text, &address, err) < 0)
        return -1;
    fd = socket (address.to.ss_family,
                 SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0
        || setsockopt (fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0
        || bind (fd, (const struct sockaddr *)&address.to, address.length) < 0
        || listen (fd, SOMAXCONN) < 0) {
        fail_to_listen (text, err);
        if (fd >= 0)
            close (fd);
        return -1;
    }
    add_listener (listeners, n, fd, false);
    return 0;
}

/* ---- all of them ---- */

static bool has_kind (const struct listener listeners[], size_t n, bool local)
{
    while (n > 0 && listeners[n - 1].local != local)
        n--;
    return n > 0;
}

static int open_all (struct listener listeners[LISTENERS], size_t *n,
                     const char *socket, const struct settings *settings,
                     tori_error *err)
{
    size_t given = count_given ();
    for (size_t i = 0; i < given; i++)
        if (take_given (listeners, n, FIRST_GIVEN + (int)i, err) < 0)
            return -1;
    if (!has_kind (listeners, *n, true) && *n < LISTENERS
        && open_local (listeners, n, socket, err) < 0)
        return -1;
    if (settings->listen && !has_kind (listeners, *n, false) && *n < LISTENERS
        && open_tcp (listeners, n, settings->listen, err) < 0)
        return -1;
    return 0;
}

int listeners_open (struct listener listeners[LISTENERS], size_t *ret_n,
                    const char *socket, const struct settings *settings,
                    tori_error *err)
{
    size_t n = 0;
    if (open_all (listeners, &n, socket, settings, err) < 0) {
        listeners_close (listeners, n);
        return -1;
    }
    *ret_n = n;
    return 0;
}

void listener_name (const struct listener *listener, char *text, size_t size)
{
    union {
        struct sockaddr any;
        struct sockaddr_un local;
        struct sockaddr_storage room;
    } address = {0};
    socklen_t length = sizeof address;
    char host[64] = "?", port[16] = "?";
    if (getsockname (listener->fd, &address.any, &length) < 0)
        length = 0;
    if (listener->local) {
        snprintf (text, size, "%s", address.local.sun_path);
        return;
    }
    (void)getnameinfo (&address.any, length, host, sizeof host, port,
                       sizeof port, NI_NUMERICHOST | NI_NUMERICSERV);
    snprintf (text, size, strchr (host, ':') ? "[%s]:%s" : "%s:%s", host,
              port);
}

/* Another torid may have taken the path since this one closed its socket. */
static void remove_path (const char *path)
{
    int lock = lock_path (path);
    if (lock < 0)
        return;
    if (!is_alive (path))
        unlink (path);
    close (lock);
}

void listeners_close (struct listener listeners[], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!listeners[i].http || listeners[i].quiet)
            close (listeners[i].fd);
        if (listeners[i].path)
            remove_path (listeners[i].path);
    }
}

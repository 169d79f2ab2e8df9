#include "mpidoor.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "array.h"

struct caller {
    int fd;
    bool heard; /* its greeting has come; its proof is awaited */
    struct guest guest;
};

/* A connection is ready when that many bytes are there, or it has ended. So
 * nothing below blocks. */
static void expect_bytes (int fd, int n)
{
    setsockopt (fd, SOL_SOCKET, SO_RCVLOWAT, &n, sizeof n);
}

static void forget_caller (struct mpidoor *door, size_t i)
{
    door->n--;
    memmove (door->caller + i, door->caller + i + 1,
             (door->n - i) * sizeof *door->caller);
}

/* Callers that know the key are quick: if there are too many connections, the
 * oldest is a stranger's. */
static void admit_caller (struct mpidoor *door)
{
    int fd = accept4 (door->fd, NULL, NULL, SOCK_CLOEXEC);
    struct caller *more;
    if (fd < 0) {
        if ((errno == EMFILE || errno == ENFILE) && door->n > 0) {
            close (door->caller[0].fd);
            forget_caller (door, 0);
        }
        return;
    }
    more = array_room (door->caller, &door->room, door->n + 1, sizeof *more);
    if (!more) {
        close (fd);
        return;
    }
    door->caller = more;
    more[door->n++] = (struct caller){.fd = fd};
    setsockopt (fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof (int));
    expect_bytes (fd, GREETING_SIZE);
}

static bool hear_caller (struct mpidoor *door, struct caller *caller)
{
    char why[HANDSHAKE_WHY];
    if (caller->heard)
        return handshake_check (caller->fd, &caller->guest, 0, why);
    return handshake_hear (caller->fd, 0, &caller->guest, why)
           && handshake_reply (caller->fd, &door->key, &caller->guest, why);
}

/* The connection of a caller that has proved the key. */
static int advance_caller (struct mpidoor *door, size_t i,
                           struct hello *ret_hello)
{
    struct caller *caller = &door->caller[i];
    bool good = hear_caller (door, caller), done = caller->heard;
    int fd = caller->fd;
    if (good && !done) {
        caller->heard = true;
        expect_bytes (fd, PROOF_SIZE);
        return -1;
    }
    *ret_hello = caller->guest.hello;
    forget_caller (door, i);
    if (good) {
        expect_bytes (fd, 1);
        return fd;
    }
    close (fd);
    return -1;
}

int mpidoor_wait (struct mpidoor *door, const sigset_t *mask,
                  struct hello *ret_hello)
{
    struct pollfd *poll = array_room (door->poll, &door->poll_room,
                                      door->n + 1, sizeof *poll);
    if (!poll)
        return -1;
    door->poll = poll;
    poll[0] = (struct pollfd){door->fd, POLLIN, 0};
    for (size_t i = 0; i < door->n; i++)
        poll[i + 1] = (struct pollfd){door->caller[i].fd, POLLIN, 0};
    if (ppoll (poll, door->n + 1, NULL, mask) <= 0)
        return -1;
    for (size_t i = door->n; i-- > 0;) {
        int fd = poll[i + 1].revents ? advance_caller (door, i, ret_hello)
                                     : -1;
        if (fd >= 0)
            return fd;
    }
    if (poll[0].revents)
        admit_caller (door);
    return -1;
}

void mpidoor_clear (struct mpidoor *door)
{
    for (size_t i = 0; i < door->n; i++)
        close (door->caller[i].fd);
    free (door->caller);
    free (door->poll);
    door->caller = NULL;
    door->poll = NULL;
    door->n = door->room = door->poll_room = 0;
}

#include "callers.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "array.h"
#include "wire.h"

/* What is awaited of a caller: how its greeting begins, all of it, or its
 * proof. */
enum stage { STAGE_HEAD, STAGE_GREETING, STAGE_PROOF };

struct caller {
    int fd;
    enum stage stage;
    int64_t since;
    struct guest guest;
};

int64_t callers_now (void)
{
    struct timespec now;
    clock_gettime (CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* A connection is ready when that many bytes are there, or it has ended. So
 * nothing below blocks. */
static void expect_bytes (int fd, int n)
{
    setsockopt (fd, SOL_SOCKET, SO_RCVLOWAT, &n, sizeof n);
}

static void forget_caller (struct callers *all, size_t i)
{
    all->n--;
    memmove (all->caller + i, all->caller + i + 1,
             (all->n - i) * sizeof *all->caller);
}

static void send_away (struct callers *all, size_t i, const char *why)
{
    close (all->caller[i].fd);
    forget_caller (all, i);
    memmove (all->why, why, strlen (why) + 1);
}

static void admit_caller (struct callers *all)
{
    int fd = accept4 (all->fd, NULL, NULL, SOCK_CLOEXEC);
    struct caller *more;
    if (fd < 0) {
        if ((errno == EMFILE || errno == ENFILE) && all->n > 0)
            send_away (all, 0, "it does not answer");
        return;
    }
    more = array_room (all->caller, &all->room, all->n + 1, sizeof *more);
    if (!more) {
        close (fd);
        return;
    }
    all->caller = more;
    more[all->n++] = (struct caller){.fd = fd, .since = callers_now ()};
    setsockopt (fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof (int));
    expect_bytes (fd, GREETING_FROM);
}

/* Of a rank that speaks another version, no more will come. */
static bool speaks_ours (int fd)
{
    unsigned char head[GREETING_FROM];
    return recv (fd, head, sizeof head, MSG_PEEK | MSG_DONTWAIT)
               == sizeof head
           && number_get (head + GREETING_VERSION, 4) == HANDSHAKE_VERSION;
}

/* Returns whether it may go on. */
static bool hear_greeting (struct callers *all, struct caller *caller,
                           char why[HANDSHAKE_WHY])
{
    if (caller->stage == STAGE_HEAD && speaks_ours (caller->fd)) {
        caller->stage = STAGE_GREETING;
        expect_bytes (caller->fd, GREETING_SIZE);
        return true;
    }
    if (!handshake_hear (caller->fd, 0, &caller->guest, why))
        return false;
    if (all->wants && !all->wants (all->arg, &caller->guest.hello)) {
        snprintf (why, HANDSHAKE_WHY, "it is not a rank that is missing");
        return false;
    }
    caller->stage = STAGE_PROOF;
    expect_bytes (caller->fd, PROOF_SIZE);
    return handshake_reply (caller->fd, &all->key, &caller->guest, why);
}

/* The connection of a caller that has proved the key. */
static int advance_caller (struct callers *all, size_t i,
                           struct hello *ret_hello)
{
    struct caller *caller = &all->caller[i];
    char why[HANDSHAKE_WHY] = "";
    int fd = caller->fd;
    if (caller->stage == STAGE_PROOF) {
        if (handshake_check (fd, &caller->guest, 0, why)) {
            *ret_hello = caller->guest.hello;
            forget_caller (all, i);
            expect_bytes (fd, 1);
            return fd;
        }
    } else if (hear_greeting (all, caller, why))
        return -1;
    send_away (all, i, why);
    return -1;
}

/* How long to wait, if not longer than this: with too many callers, until the
 * oldest has had its time. */
static int patience_of (struct callers *all, int milliseconds)
{
    int64_t left;
    if (all->n < CALLERS_MOST)
        return milliseconds;
    left = all->caller[0].since + CALLERS_PATIENCE - callers_now ();
    if (left <= 0)
        send_away (all, 0, "it does not answer");
    else if (milliseconds < 0 || left < milliseconds)
        return (int)left;
    return milliseconds;
}

int callers_wait (struct callers *all, const sigset_t *mask, int milliseconds,
                  struct hello *ret_hello)
{
    int limit = patience_of (all, milliseconds);
    const struct timespec time = {limit / 1000, limit % 1000 * 1000000L};
    struct pollfd *poll =
        array_room (all->poll, &all->poll_room, all->n + 1, sizeof *poll);
    if (!poll)
        return -1;
    all->poll = poll;
    poll[0] = (struct pollfd){all->n < CALLERS_MOST ? all->fd : -1, POLLIN, 0};
    for (size_t i = 0; i < all->n; i++)
        poll[i + 1] = (struct pollfd){all->caller[i].fd, POLLIN, 0};
    if (ppoll (poll, all->n + 1, limit < 0 ? NULL : &time, mask) <= 0)
        return -1;
    for (size_t i = all->n; i-- > 0;) {
        int fd = poll[i + 1].revents ? advance_caller (all, i, ret_hello) : -1;
        if (fd >= 0)
            return fd;
    }
    if (poll[0].revents)
        admit_caller (all);
    return -1;
}

void callers_clear (struct callers *all)
{
    for (size_t i = 0; i < all->n; i++)
        close (all->caller[i].fd);
    free (all->caller);
    free (all->poll);
    all->caller = NULL;
    all->poll = NULL;
    all->n = all->room = all->poll_room = 0;
}

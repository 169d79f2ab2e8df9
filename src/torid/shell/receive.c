#include "receive.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include <uv.h>

static _Thread_local int received_fd = -1;
static _Thread_local uint64_t deadline = UINT64_MAX;

void receive_note (int fd)
{
    received_fd = fd;
}

int receive_current (void)
{
    return received_fd;
}

void receive_until (uint64_t time)
{
    deadline = time;
}

/* In place of the one of the C library. An interrupted call is made again in
 * the next run of the server. */
__attribute__ ((visibility ("default"))) ssize_t recv (int fd, void *to,
                                                       size_t size, int flags)
{
    ssize_t n;
    char *at = to, *end;
    if (deadline != UINT64_MAX && uv_hrtime () > deadline) {
        errno = EINTR;
        return -1;
    }
    n = recvfrom (fd, to, size, flags, NULL, NULL);
    end = at + (n > 0 ? n : 0);
    received_fd = fd;
    while (at < end && (at = memchr (at, '\0', (size_t)(end - at))))
        *at++ = NUL_MARK;
    return n;
}

bool has_control (const char *text)
{
    for (; text && *text; text++)
        if (((unsigned char)*text < ' ' && *text != '\t') || *text == 0x7f)
            return true;
    return false;
}

void receive_tell (int fd, const char *text, size_t n)
{
    (void)send (fd, text, n, MSG_NOSIGNAL | MSG_DONTWAIT);
    (void)shutdown (fd, SHUT_WR);
}

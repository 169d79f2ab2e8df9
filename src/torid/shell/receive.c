#include "receive.h"

#include <string.h>
#include <sys/socket.h>

static _Thread_local int received_fd = -1;

void receive_note (int fd)
{
    received_fd = fd;
}

int receive_current (void)
{
    return received_fd;
}

/* In place of the one of the C library. */
__attribute__ ((visibility ("default"))) ssize_t recv (int fd, void *to,
                                                       size_t size, int flags)
{
    ssize_t n = recvfrom (fd, to, size, flags, NULL, NULL);
    char *at = to, *end = at + (n > 0 ? n : 0);
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

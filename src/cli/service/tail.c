#include "tail.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "syserror.h"

static int open_tail (struct tail *tail, bool ended, tori_error *err)
{
    if (!tail->path || tail->fd >= 0)
        return 0;
    tail->fd = open (tail->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (tail->fd >= 0 || (errno == ENOENT && !ended))
        return 0;
    return system_error (tail->path, errno, err);
}

int tail_drain (struct tail *tail, bool ended, tori_error *err)
{
    char text[65536];
    ssize_t n;
    if (open_tail (tail, ended, err) < 0)
        return -1;
    while (tail->fd >= 0
           && (n = read (tail->fd, text, sizeof text)) > 0) {
        tail->moved = true;
        if (fwrite (text, 1, (size_t)n, tail->to) != (size_t)n)
            break;
    }
    return fflush (tail->to) == 0
               ? 0
               : system_error ("standard output", errno, err);
}

void tail_clear (struct tail *tail)
{
    if (tail->fd >= 0)
        close (tail->fd);
    free (tail->path);
}

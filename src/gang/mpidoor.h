/* mpidoor.h - who may speak to the first process of an MPI program.
 *
 * Anybody can connect to its port. Callers are heard as their bytes come, so
 * that one who says nothing, or is stopped, keeps nobody waiting; and those who
 * prove that they know the key of the job (handshake.h) are let in.
 */
#ifndef TORI_GANGRUN_MPIDOOR_H
#define TORI_GANGRUN_MPIDOOR_H

#include <poll.h>
#include <signal.h>
#include <stddef.h>

#include "handshake.h"

struct mpidoor {
    int fd; /* listens */
    struct link_key key;
    struct caller *caller; /* not let in yet, the oldest first */
    size_t n, room;
    struct pollfd *poll;
    size_t poll_room;
};

/* Wait until something happens; signals that `mask` lets through count, too.
 * The connection of one who is let in, or -1 if nobody is yet. */
int mpidoor_wait (struct mpidoor *door, const sigset_t *mask,
                  struct hello *ret_hello);
void mpidoor_clear (struct mpidoor *door);

#endif

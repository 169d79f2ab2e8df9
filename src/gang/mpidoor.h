/* mpidoor.h - lets callers in to the first process of an MPI program.
 *
 * Anybody can connect to its port. Callers are heard as their bytes come, so
 * that a caller that sends nothing, or is stopped, delays no other. A caller
 * that proves that it knows the key of the job (handshake.h) is let in.
 */
#ifndef TORI_GANGRUN_MPIDOOR_H
#define TORI_GANGRUN_MPIDOOR_H

#include <poll.h>
#include <signal.h>
#include <stddef.h>

#include "handshake.h"

struct mpidoor {
    int fd; /* listens */
    struct run_key key;
    struct caller *caller; /* not let in yet, the oldest first */
    size_t n, room;
    struct pollfd *poll;
    size_t poll_room;
};

/* Wait until something happens; signals that `mask` lets through count, too.
 * Returns the connection of a caller that is let in, or -1 if there is none
 * yet. */
int mpidoor_wait (struct mpidoor *door, const sigset_t *mask,
                  struct hello *ret_hello);
void mpidoor_clear (struct mpidoor *door);

#endif

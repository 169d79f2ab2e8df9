/* keeper.h - the process that mpirun starts, and its rank.
 *
 * A rank may be killed at any time, and a job must not outlive it. So what
 * mpirun starts is a keeper, a small process that never speaks MPI: the rank
 * is its child, and so are the wardens of the rank's jobs, which it starts on
 * request. When the rank is gone the wardens kill their jobs; the keeper waits
 * for them, adopts what is left of a warden that was killed, and kills that.
 * When the keeper is killed, the rank dies with it, and the wardens notice.
 *
 * mpirun does not see that a rank has died, as the keeper holds its connection
 * (PMI). Otherwise it would kill all the others.
 */
#ifndef TORI_GANGRUN_KEEPER_H
#define TORI_GANGRUN_KEEPER_H

#include <stdbool.h>
#include <stdint.h>

#include "warden.h"

/* What the rank tells its keeper. With `spawn` come four descriptors, those of
 * a struct warden_files. */
enum keeper_kind {
    KEEPER_SPAWN,
    KEEPER_LEADER, /* pid: the keeper of rank 0, whose end is the run's end */
    KEEPER_DONE    /* status: what the keeper should exit with */
};

struct keeper_message {
    enum keeper_kind kind;
    enum cage_kind cage;
    int64_t pid;
    int status;
    bool finalized; /* done: the rank has left MPI as it should */
};

/* Send a message; the descriptors are NULL but with KEEPER_SPAWN. 0 or -1. */
int keeper_tell (int fd, const struct keeper_message *message,
                 const struct warden_files *files);

/* Fork a rank, which runs `rank` with its end of a socket, and keep it.
 * SIGINT, SIGTERM and SIGHUP are blocked for the rank, which gets a SIGTERM
 * when the keeper is sent one of them, and is killed if it does not end.
 * Returns the exit status. */
int keeper_run (int (*rank) (int keeper, void *arg), void *arg);

#endif

/* keeper.h - the process that mpirun starts, and its rank.
 *
 * A rank may be killed at any time, and a job must not outlive it. So mpirun
 * starts a keeper, a small process that never speaks MPI. The rank is its
 * child, and so are the wardens of the rank's jobs, which it starts on
 * request. When the rank is gone the wardens kill their jobs; the keeper waits
 * for them, adopts the processes of a warden that was killed, and kills those.
 * When the keeper is killed, the rank dies with it, and the wardens notice.
 *
 * mpirun does not see that a rank or a keeper has died, because of a stand-in.
 * Otherwise it would kill all the others.
 */
#ifndef TORI_GANGRUN_KEEPER_H
#define TORI_GANGRUN_KEEPER_H

#include <stdbool.h>
#include <stddef.h>

#include "warden.h"

/* Messages of the rank to its keeper. */
enum keeper_kind {
    KEEPER_SPAWN,  /* with the descriptors of a warden */
    KEEPER_LEADER, /* with a descriptor that ends with the keeper of rank 0,
                      whose end is the run's end */
    KEEPER_HOLD,   /* from rank 0: with the other end of such a descriptor */
    KEEPER_MET,    /* mpirun is not needed any more */
    KEEPER_DONE    /* status: the keeper's exit status */
};

struct keeper_message {
    enum keeper_kind kind;
    enum cage_kind cage;
    int status;
};

/* Send a message with n descriptors, at most WARDEN_FILES. 0 or -1. */
int keeper_tell (int fd, const struct keeper_message *message,
                 const int files[], size_t n);

/* Leave a stand-in behind, fork a rank, which runs `rank` with its end of a
 * socket, and keep it. SIGINT, SIGTERM and SIGHUP are blocked for the rank,
 * which gets a SIGTERM when the keeper is sent one of them, and is killed if
 * it does not end. When the stand-in is gone, mpirun is: the rank gets a
 * SIGHUP, or is killed if it has not met the others yet. Returns the exit
 * status. */
int keeper_run (int (*rank) (int keeper, void *arg), void *arg);

#endif

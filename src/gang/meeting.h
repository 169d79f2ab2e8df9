/* meeting.h - how the ranks of a run find each other: by MPI, and once.
 *
 * MPI exists wherever programs are started on several hosts, so the ranks
 * learn from it their numbers, where the others listen, and the time. Then
 * they leave it, and send each other messages by peers.h. If a rank dies
 * later, MPI does not notice.
 */
#ifndef TORI_GANGRUN_MEETING_H
#define TORI_GANGRUN_MEETING_H

#include "peers.h"
#include "runclock.h"

struct meeting {
    uint32_t self, size;
    struct card *card; /* a rank */
    struct run_key key;
    int door;
};

/* Enter MPI and exchange cards. */
int meeting_begin (struct meeting *meeting, tori_error *err);

/* Wait for all. If any has failed, by its own error or one that is passed
 * here, all return -1, with the error of the first that did. Otherwise `clock`
 * is set, and *ret_epoch is a moment that all agree on. Everything that a rank
 * did before is done when any returns. MPI is left in any case; the cards are
 * the caller's. */
int meeting_end (struct meeting *meeting, const tori_error *failed,
                 struct runclock *clock, int64_t *ret_epoch, tori_error *err);

#endif

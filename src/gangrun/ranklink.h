/* ranklink.h - messages between the ranks of a run.
 *
 * Nobody waits inside of MPI, which would spin: messages are probed for. A
 * rank that sends also rings a bell, a datagram socket that the receiver has
 * among the descriptors it sleeps on; so an idle rank sleeps, and a message
 * takes as long as waking it up. A message may not show yet when its bell is
 * heard, so a bell says how many there are to come.
 */
#ifndef TORI_GANGRUN_RANKLINK_H
#define TORI_GANGRUN_RANKLINK_H

#include <sys/types.h>

#include "bytes.h"
#include "wire.h"

struct link;

/* Enter MPI. TORI_INVALID if the ranks are not all on one host, whose clock
 * they share. */
int link_open (struct link **ret_link, tori_error *err);

/* Wait for the others; messages may be sent then. `ret_epoch` is a moment that
 * all agree on. Whatever a rank did before, it has done when any returns. */
int link_agree (struct link *link, int64_t *ret_epoch, tori_error *err);

uint32_t link_rank (const struct link *link);
uint32_t link_size (const struct link *link);
/* The process of a rank, and its parent. */
pid_t link_pid (const struct link *link, uint32_t rank);
pid_t link_parent (const struct link *link, uint32_t rank);

/* Send a message with wire->bytes bytes, which are copied. */
int link_send (struct link *link, uint32_t to, const struct wire *wire,
               const void *data, tori_error *err);
/* The next message, 1, or 0 if there is none now. The bytes are replaced. */
int link_receive (struct link *link, struct wire *ret_wire,
                  struct bytes *bytes, tori_error *err);

/* Readable when a message may have come. */
int link_bell (const struct link *link);
void link_silence (struct link *link);
/* How long nothing has to be looked for unless the bell rings, in nanoseconds.
 */
int64_t link_patience (struct link *link);

/* A rank is dead: nothing is sent to it any more. */
void link_lost (struct link *link, uint32_t rank);

/* Leave. Returns whether it was in the way MPI wants, which is not possible
 * when a rank has been lost. */
bool link_close (struct link *link);

#endif

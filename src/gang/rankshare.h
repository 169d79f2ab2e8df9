/* rankshare.h - the process of a job on this rank's processor. */
#ifndef TORI_GANGRUN_RANKSHARE_H
#define TORI_GANGRUN_RANKSHARE_H

#include "rank.h"

/* Hand an order down to all processors of its relay's partition; here it is
 * followed. */
rank_handler shares_order;

/* Input from the stage before it, or its end; an acknowledgement of bytes; a
 * new size of its terminal. */
rank_handler share_input, share_credit, share_size;

/* Deliver input that came before its processes; input that has waited since
 * the era before last is dropped. */
void shares_hear_early (struct rank *rank);

/* Stop all shares, and count them as not resting. */
void shares_stop (struct rank *rank);

/* The processor time of the process and all that it has started, until it is
 * reported to the rank that hosts the job's node; 0 for NULL. */
int64_t share_used (const struct share *share);

/* Watch all descriptors. */
void shares_watch (struct rank *rank);

#endif

/* rankshare.h - the process of a job on this rank's processor. */
#ifndef TORI_GANGRUN_RANKSHARE_H
#define TORI_GANGRUN_RANKSHARE_H

#include "rank.h"

/* Hand an order down to all processors of its relay's partition; here it is
 * followed. */
rank_handler shares_order;

/* Bytes of the stage before it, or that nothing more comes; bytes that are
 * through; its terminal has another size. */
rank_handler share_input, share_credit, share_size;

/* Hear what has come for processes before they were here; what has waited since
 * the era before last is forgotten. */
void shares_hear_early (struct rank *rank);

/* Let all of them stop. Nobody rests any more, as far as is known. */
void shares_stop (struct rank *rank);

/* The processor time of the process and all that it has started, until the rank
 * that has the job's node is told of it; 0 of NULL. */
int64_t share_used (const struct share *share);

/* Watch all descriptors. */
void shares_watch (struct rank *rank);

#endif

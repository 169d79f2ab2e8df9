/* rankshare.h - the process of a job on this rank's processor. */
#ifndef TORI_GANGRUN_RANKSHARE_H
#define TORI_GANGRUN_RANKSHARE_H

#include "rank.h"

/* The owner of a job has its processes started, all over its partition. */
int task_launch (struct rank *rank, struct task *task, tori_error *err);

/* An order to a partition has come down to this processor. */
rank_handler share_order;

/* Bytes of the stage before it, or that nothing more comes; bytes that are
 * through; its terminal has another size. */
rank_handler share_input, share_credit, share_size;

/* Forget input that has waited since the era before last. */
void shares_forget_early (struct rank *rank);

/* Let all of them stop. Nobody rests any more, as far as is known. */
void shares_stop (struct rank *rank);

/* The processor time of the process and all that it has started, until the rank
 * that has the job's node is told of it; 0 of NULL. */
int64_t share_used (const struct share *share);

/* Watch all descriptors. */
int shares_watch (struct rank *rank, tori_error *err);

/* Free a share, and kill what of it still runs. NULL is allowed. */
void share_destroy (struct rank *rank, struct share *share);

#endif

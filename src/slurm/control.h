/* control.h - requests to slurmctld.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TORI_SLURM_CONTROL_H
#define TORI_SLURM_CONTROL_H

#include "slurm_watch.h"
#include "task.h"

/* Each returns 0, 1 if slurmctld cannot be reached, so that it is worth asking
 * again, or -1 with the error. */

/* Load the changes since the last call; *msg is replaced then. */
int control_jobs (job_info_msg_t **msg, tori_error *err);
int control_nodes (node_info_msg_t **msg, tori_error *err);
int control_partitions (partition_info_msg_t **msg, tori_error *err);
int control_reservations (reserve_info_msg_t **msg, tori_error *err);

/* Whether the first slurmctld answers now, without waiting for it. */
bool control_answers (void);

/* The folder in which slurmctld keeps its state, from malloc. */
int control_state (char **ret_folder, tori_error *err);

/* The user that slurmctld runs as, and its name, from malloc. */
int control_user (uid_t *ret_user, char **ret_name, tori_error *err);

/* Whether Slurm places jobs on a torus itself, by topology/torus3d. */
bool control_has_torus (void);

/* How many jobs may share a node of the partitions that are watched, at least
 * two; an error if the site does not let them. */
int control_shares (const struct slurm_watch *watch, uint32_t *ret_most,
                    tori_error *err);

/* Let a held job start, on exactly these nodes; or, if they are NULL, on nodes
 * that Slurm chooses. The mark goes into the comment of the administrator; the
 * reason for waiting is removed from the job's own. `liked`: these nodes are
 * as it prefers; Slurm would not start it on others as long as it prefers
 * some. */
int control_release (const struct slurm_task *task, char *nodes, bool liked,
                     char *mark, tori_error *err);

/* Hold a job that waits, and let it be placed anew, with this mark, from this
 * time on; but a job that an administrator holds stays held. */
int control_hold (const struct slurm_task *task, char *mark, time_t begin,
                  tori_error *err);

/* Let a held job, or all the tasks that share its record, count as held by its
 * user, not by an administrator. */
int control_hand_back (const struct slurm_task *task, tori_error *err);

/* Suspend a job that runs, which leaves its nodes to others but for their
 * memory, or let it continue there. */
int control_freeze (const struct slurm_task *task, bool freeze,
                    tori_error *err);

/* Set how long a job may run; Slurm counts minutes. */
int control_limit (const struct slurm_task *task, uint32_t minutes,
                   tori_error *err);

/* End a job that runs, so that it waits, held, to run again. */
int control_requeue (const struct slurm_task *task, tori_error *err);

/* End a job; or set the comment of the administrator and, unless it is NULL,
 * what its own says beside its user's words. */
int control_cancel (const struct slurm_task *task, tori_error *err);
int control_note (const struct slurm_task *task, char *text,
                  const char *remark, tori_error *err);

/* Set the comment of a job, or of all tasks of an array that are not jobs of
 * their own yet; and, with it, the number of nodes. */
int control_comment (const struct slurm_task *task, char *comment,
                     tori_error *err);
int control_shape (const struct slurm_task *task, char *comment,
                   uint32_t nodes, tori_error *err);

/* Set the comment of the administrator in the same way. */
int control_ask (const struct slurm_task *task, char *text, tori_error *err);

#endif

/* control.h - what slurmctld is asked to do.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TORI_SLURM_CONTROL_H
#define TORI_SLURM_CONTROL_H

#include "task.h"

/* Each returns 0, 1 if slurmctld cannot be reached, so that it is worth asking
 * again, or -1 with the error. */

/* Load what has changed since; *msg is replaced then. */
int control_jobs (job_info_msg_t **msg, tori_error *err);
int control_nodes (node_info_msg_t **msg, tori_error *err);

/* Let a held job start, on exactly these nodes; or, if they are NULL, where
 * Slurm likes. The mark goes into the comment of the administrator. */
int control_release (const struct slurm_task *task, char *nodes, char *mark,
                     tori_error *err);

/* Hold a job that waits, and let it be placed anew. */
int control_hold (const struct slurm_task *task, tori_error *err);

/* End a job, or say so much of it. */
int control_cancel (const struct slurm_task *task, tori_error *err);
int control_note (const struct slurm_task *task, char *text, tori_error *err);

#endif

/* dependency.h - the dependencies of a job of Slurm.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TORI_SLURM_DEPENDENCY_H
#define TORI_SLURM_DEPENDENCY_H

#include <stdbool.h>

#include <slurm/slurm.h>

/* Whether a job's dependencies let it start: slurmctld checks those of held
 * jobs only when they are released. Jobs that it does not have any more count
 * as fulfilled. */
bool dependency_met (const job_info_msg_t *all,
                     const slurm_job_info_t *record);

/* Whether another job that waits can start only after this one's success. */
bool dependency_on (const job_info_msg_t *all, const slurm_job_info_t *record);

#endif

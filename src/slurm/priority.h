/* priority.h - which of the jobs that are held Slurm would start first.
 *
 * A held job has priority 0, regardless of its partition, its QOS, its user's
 * share and its size. If slurmctld computes priorities (priority/multifactor),
 * job_submit/tori knows them: it answers the question "priority=?" in a
 * comment of the administrator with a number. Only age is added here, for held
 * jobs have none in Slurm.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TORI_SLURM_PRIORITY_H
#define TORI_SLURM_PRIORITY_H

#include "bridge.h"

/* Find out whether Slurm computes priorities that differ, or goes through all
 * jobs in turn. */
void priority_prepare (struct bridge *bridge);

/* Ask for the priority of a waiting job, if that was not done, or long ago.
 * True if the job should not be submitted to torid before the answer. */
bool priority_ask (struct bridge *bridge, const struct slurm_task *task,
                   json_t *known);

/* Keep in mind when that was. */
void priority_note (json_t *entry, const json_t *known);

/* Its priority for torid: Slurm's, or else its negated nice value. */
json_int_t priority_of (const struct bridge *bridge,
                        const struct slurm_task *task, const json_t *known);

#endif

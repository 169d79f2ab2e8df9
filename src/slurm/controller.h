/* controller.h - facts that slurmctld knows and no header declares, for a
 * plugin inside it.
 *
 * The records of nodes and partitions are private and differ between releases.
 * slurmctld's own functions turn them into the messages that users get, and
 * the beginnings of these are the same from 22.05 to 26.05.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TORI_SLURM_CONTROLLER_H
#define TORI_SLURM_CONTROLLER_H

#include <stdint.h>

/* The processors of the node that has most; 0: that is not known. The caller
 * has slurmctld's locks, as a job_submit plugin has when it is called. */
uint32_t controller_cpus (void);

/* The partition with most nodes of a list with commas: how many it has, and
 * the most that a job may have in one of them (MaxNodes). Each is 0 if it is
 * not known, or without limit. */
struct controller_part {
    uint32_t nodes, most;
};
struct controller_part controller_part (const char *list);

#endif

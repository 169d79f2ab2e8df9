/* gang.h - jobs of Slurm that share nodes in time, without torid.
 *
 * In the place of torid, a gang receives the bridge's messages and gives it
 * orders. Every job has a partition of the queue tree, and runs there, whole,
 * in its turns; between them it is suspended. The number by which the bridge
 * knows a job contains its partition, so that the whole state is in Slurm.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TORI_SLURM_GANG_H
#define TORI_SLURM_GANG_H

#include "bridge.h"

struct gang;

/* For a bridge that was begun, which sends all messages to the gang from now
 * on; with at most `most` jobs on a node. */
int gang_create (struct bridge *bridge, uint32_t most, struct gang **ret_gang,
                 tori_error *err);
void gang_destroy (struct gang *gang);

/* Slurm was looked at: give the orders that follow, in the same slot or in
 * the next. -1 without memory: begin again. */
int gang_step (struct gang *gang, bool next, tori_error *err);

#endif

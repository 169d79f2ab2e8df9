/* reserved.h - what is kept for others in Slurm, as windows of torid.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TORI_SLURM_RESERVED_H
#define TORI_SLURM_RESERVED_H

#include "bridge.h"

/* Tell torid of all reservations over nodes of the machine, and of the jobs
 * there that it has not started, if they have changed: jobs that would run into
 * one are not placed there. Notes which nodes that concerns now. Those who take
 * turns know no windows; for them, such nodes are drained. */
void reserved_tell (struct bridge *bridge);

#endif

/* reserved.h - nodes kept for others in Slurm, as reservations of torid.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TORI_SLURM_RESERVED_H
#define TORI_SLURM_RESERVED_H

#include "bridge.h"

/* Report to torid all reservations of nodes of the machine, and the jobs there
 * that it has not started, if they have changed: jobs that would run into one
 * are not placed there. Notes which nodes are concerned now. In gang mode
 * there are no reservations: such nodes are drained. */
void reserved_tell (struct bridge *bridge);

#endif

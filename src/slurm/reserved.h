/* reserved.h - reservations of Slurm, as windows of torid.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TORI_SLURM_RESERVED_H
#define TORI_SLURM_RESERVED_H

#include "bridge.h"

/* Tell torid of all reservations over nodes of the machine, if they have
 * changed: jobs that would run into one are not placed there. */
void reserved_tell (struct bridge *bridge);

#endif

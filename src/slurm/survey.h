/* survey.h - checks this program's description of Slurm.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TORI_SLURM_SURVEY_H
#define TORI_SLURM_SURVEY_H

#include "bridge.h"

/* Look for nodes and partitions that Slurm does not have, whether this user
 * may change jobs, and whether Slurm places jobs on a torus itself. Mistakes are printed on standard error, one per line,
 * once; but before the bridge begins its work, a mistake that makes all of it
 * useless is an error: TORI_INVALID without any such node or partition, or with a torus of Slurm,
 * TORI_FAILED without the rights. Called whenever partitions have changed, and
 * so after Slurm was reconfigured, too. */
int survey (struct bridge *bridge, tori_error *err);

#endif

/* survey.h - whether Slurm is as this program was told.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TORI_SLURM_SURVEY_H
#define TORI_SLURM_SURVEY_H

#include "bridge.h"

/* Look for nodes and partitions that Slurm does not have, and whether this
 * user may change jobs. What is wrong is said on standard error, in a line
 * each, once; but before the bridge serves anybody, what makes all of its work
 * vain is an error: TORI_INVALID without any such node or partition,
 * TORI_FAILED without the rights. Called whenever partitions are news: that is
 * so, too, when Slurm was configured anew. */
int survey (struct bridge *bridge, tori_error *err);

#endif

/* shadow_reporter.h - reports to torid --shadow what Slurm does by itself.
 *
 * Nothing is changed in Slurm. All jobs of the watched partitions are
 * reported, with the times at which they came, started and ended.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TORI_SLURM_SHADOW_REPORTER_H
#define TORI_SLURM_SHADOW_REPORTER_H

#include "bridge.h"

/* As bridge_look and bridge_obey. */
int shadow_reporter_look (struct bridge *bridge, tori_error *err);
int shadow_reporter_obey (struct bridge *bridge, const json_t *order);

#endif

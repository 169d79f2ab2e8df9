/* onlooker.h - what Slurm does by itself, for torid --shadow.
 *
 * Nothing is changed in Slurm. All jobs of the watched partitions are
 * reported, with the times at which they came, started and ended.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TORI_SLURM_ONLOOKER_H
#define TORI_SLURM_ONLOOKER_H

#include "bridge.h"

/* As bridge_look and bridge_obey. */
int onlooker_look (struct bridge *bridge, tori_error *err);
int onlooker_obey (struct bridge *bridge, const json_t *order);

#endif

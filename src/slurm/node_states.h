/* node_states.h - which nodes of Slurm are out of service, for torid.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TORI_SLURM_NODE_STATES_H
#define TORI_SLURM_NODE_STATES_H

#include "bridge.h"

/* How they are, as Slurm has just told. */
void node_states_see (struct bridge *bridge);

/* Tell torid what has changed: of all; or only which cannot be had, for
 * nothing may be placed there; or that one, which a job is about to leave, is
 * down. */
void node_states_say (struct bridge *bridge);
void node_states_say_drains (struct bridge *bridge);
void node_states_say_down (void *bridge, uint32_t id);

#endif

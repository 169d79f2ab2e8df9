/* node_states.h - which nodes of Slurm are out of service, for torid.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TORI_SLURM_NODE_STATES_H
#define TORI_SLURM_NODE_STATES_H

#include "bridge.h"

/* Read the states from Slurm's last answer. */
void node_states_see (struct bridge *bridge);

/* Report changes to torid: of all nodes; only of unavailable ones, before
 * anything is placed there; or that a node which a job is about to leave is
 * down. */
void node_states_say (struct bridge *bridge);
void node_states_say_drains (struct bridge *bridge);
void node_states_say_down (void *bridge, uint32_t id);

#endif

/* gauges.h - what can be measured of a machine's state: for /metrics, and for
 * the history. */
#ifndef TORI_TORID_GAUGES_H
#define TORI_TORID_GAUGES_H

#include <stdbool.h>

#include <tori/state.h>

/* How many nodes are in each state, by tori_node_state. */
void gauge_nodes (const tori_state *state, uint32_t n[4]);

/* The nodes of the largest free box that does not wrap. On a very
 * large machine it may not be found (*ret_known is false). */
int gauge_largest (const tori_state *state, bool *ret_known,
                   uint64_t *ret_largest, tori_error *err);

#endif

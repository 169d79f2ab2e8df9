/* owners.h - which job holds each node. */
#ifndef TORI_TORID_OWNERS_H
#define TORI_TORID_OWNERS_H

#include "torid.h"

/* The id of a job per node, 0 where none runs; NULL without memory. The
 * caller frees it. */
uint64_t *owners_make (const struct torid *torid);

/* "free", "busy", "down" or "drained". */
const char *node_state_name (const struct torid *torid, uint32_t node);

#endif

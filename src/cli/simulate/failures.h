/* failures.h - what fails when, as a file says: one change per line,
 *
 *     TIME NODE|BOX|LINK down|up
 *
 * in the order of time, which is in seconds. */
#ifndef TORI_CLI_FAILURES_H
#define TORI_CLI_FAILURES_H

#include <tori/sim.h>

/* A list that the caller frees; a box is as many entries as it has nodes.
 * TORI_INVALID, with the line, for anything else. */
int failures_read (const char *path, const tori_machine *machine,
                   tori_sim_outage **ret_outages, size_t *ret_n,
                   tori_error *err);

#endif

/* failing.h - failures and their times: from a list, or at random.
 *
 * The random failures are drawn in the order of time, node by node, and do not
 * depend on the schedule. So all policies meet the same failures. */
#ifndef TORI_SIM_FAILING_H
#define TORI_SIM_FAILING_H

#include <tori/sim.h>

#include "heap.h"
#include "random.h"

/* All zero: nothing fails. */
struct failing {
    const tori_sim_interrupts *how; /* or NULL */
    size_t next;                    /* of the list */
    struct heap changes;            /* the next of each node */
    bool *up;                       /* by node, if they fail at random */
    bool *fixed;                    /* by node: it is down for good */
    struct rng rng;
};

/* `how` may be NULL. failing_clear is needed in any case. */
int failing_create (struct failing *failing, const tori_machine *machine,
                    const tori_sim_interrupts *how, tori_error *err);
void failing_clear (struct failing *failing);

/* The time of the next change, or TORI_TIME_MAX. */
tori_time failing_next (const struct failing *failing);

/* Nodes that are down in this state, but not because they failed here before,
 * stay down. */
void failing_fix (struct failing *failing, const tori_state *state);

/* Take out the next change, which exists. A node that is down for good goes
 * down. */
int failing_take (struct failing *failing, tori_sim_outage *ret_outage,
                  tori_error *err);

#endif

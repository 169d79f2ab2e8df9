/* strike.h - nodes and links that fail at the same time. */
#ifndef TORI_SIM_STRIKE_H
#define TORI_SIM_STRIKE_H

#include <tori/sim.h>

/* All zero: nothing fails. */
struct strike {
    uint32_t *nodes;
    size_t n, room;
    tori_link *links;
    size_t nlinks, links_room;
    bool *struck; /* by node; NULL until one fails */
};

void strike_clear (struct strike *strike);

/* Add one more, which is still up. A second time does not count. */
int strike_add (struct strike *strike, const tori_machine *machine,
                const tori_sim_outage *outage, tori_error *err);

/* Let them fail; returns how many, or -1. The list is empty afterwards. */
int64_t strike_happen (struct strike *strike, tori_sched *sched,
                       tori_time now, tori_error *err);

#endif

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
    bool *struck; /* by node; NULL until one is */
};

void strike_clear (struct strike *strike);

/* One more, which is up as yet. What is there already does not count twice. */
int strike_add (struct strike *strike, const tori_machine *machine,
                const tori_sim_outage *outage, tori_error *err);

/* They fail; returns how many, or -1. Then there are none. */
int64_t strike_happen (struct strike *strike, tori_sched *sched,
                       tori_time now, tori_error *err);

#endif

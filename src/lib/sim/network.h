/* network.h - jobs end when their messages have arrived, so the end of a job
 * is not known when it starts. */
#ifndef TORI_SIM_NETWORK_H
#define TORI_SIM_NETWORK_H

#include <tori/sim.h>

struct network;

int network_create (const tori_machine *machine,
                    const tori_sim_network *config,
                    struct network **ret_network, tori_error *err);
void network_destroy (struct network *network);

/* A job of this runtime starts at the present time of the network. `what` is
 * the caller's. */
int network_start (struct network *network, tori_time runtime,
                   const tori_placement *place, uint64_t what,
                   tori_error *err);

/* Let time pass up to *time, or until a job ends: 1 with *time and its `what`,
 * one after the other in start order if there are several; 0 if none ends. */
int network_run (struct network *network, tori_time *time, uint64_t *ret_what,
                 tori_error *err);

/* Messages so far. */
uint64_t network_messages (const struct network *network);

#endif

/* network.h - jobs end when their messages are through.
 *
 * A job's end is not known when it starts. What has to be told of it then, its
 * start and where it is, is kept until it and all before it have ended, so
 * that jobs are told of in start order as ever.
 */
#ifndef TORI_SIM_NETWORK_H
#define TORI_SIM_NETWORK_H

#include <tori/sim.h>

struct network;

int network_create (const tori_machine *machine,
                    const tori_sim_network *config,
                    struct network **ret_network, tori_error *err);
void network_destroy (struct network *network);

/* A job starts at job->start, up to which the network has run. `what` is the
 * caller's. Its placement is copied. */
int network_start (struct network *network, const tori_sim_job *job,
                   uint64_t what, tori_error *err);

/* Let time pass up to *time, or until a job ends: 1 with *time being when and
 * with its `what`, one after the other in start order if there are several; 0
 * if none does. */
int network_run (struct network *network, tori_time *time, uint64_t *ret_what,
                 tori_error *err);

/* The next job in start order if it has ended: false if not. Valid until the
 * next call. */
bool network_report (struct network *network, tori_sim_job *ret_job);

/* Messages so far. */
uint64_t network_messages (const struct network *network);

#endif

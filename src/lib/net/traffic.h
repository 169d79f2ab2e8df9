/* traffic.h - a run of traffic: the common part of open and closed traffic. */
#ifndef TORI_NET_TRAFFIC_H
#define TORI_NET_TRAFFIC_H

#include <tori/traffic.h>

#include "gaps.h"
#include "growth.h"
#include "sample.h"

/* A job as it runs. */
struct player {
    const tori_traffic_job *job;
    uint32_t number; /* its job in the network: from 1 on */
    uint32_t flits;  /* a message */
    uint64_t phases; /* of a round */
    uint32_t *target; /* by rank, in one phase or, if open, in all of them */

    struct sample latency; /* of measured messages, like all below */
    struct growth growth;
    uint64_t sent, flits_sent, flits_out;
    uint64_t waited, blocked, hops, flits_done;
    uint64_t finish;

    uint64_t pending; /* messages of a phase, or measured ones */
    uint64_t phase;
    size_t listed; /* messages of a list that are sent */
    bool cut;      /* closed traffic: not all was delivered */

    struct rng rng;   /* open traffic */
    bool chance;      /* targets are drawn at random */
    uint32_t *turn;   /* by rank: the phase of its next message */
    uint64_t slot;    /* cycle x ranks + rank of the next message */
    struct gaps gaps; /* between this and later messages */
};

struct traffic_run {
    const tori_traffic_config *config;
    tori_net *net;
    struct player *players;
    uint64_t begin, end; /* messages sent from `begin` on, and before `end`,
                          * are measured */
    tori_net_link *links;
    size_t nlinks;
    uint64_t hops_before; /* counts were forgotten */
};

/* Send a message from one node of a job to another. */
int run_send (struct traffic_run *run, struct player *player, uint32_t src,
              uint32_t dst, uint32_t flits, tori_error *err);

/* Take the delivered messages. */
void run_collect (struct traffic_run *run);

/* Keep the loads of the links. */
void run_keep_links (struct traffic_run *run);

int open_run (struct traffic_run *run, tori_error *err);
int closed_run (struct traffic_run *run, tori_error *err);

#endif

/* drain.h - frozen routers, and the state that has been taken out of them.
 *
 * A cycle (cycle.c) knows nothing of this. A bit in the `waiting` word of a
 * lane makes a packet leave. Before each cycle these bits are taken from the
 * lanes of frozen routers and kept here, so packets end but none begins. While
 * a drain lasts, that costs a pass over the lanes of the partition per cycle;
 * at other times it costs nothing. */
#ifndef TORI_NET_DRAIN_H
#define TORI_NET_DRAIN_H

#include <tori/drain.h>

#include "router.h"

#define NEVER UINT64_MAX

struct tori_drain {
    tori_net *net;
    tori_drain *next; /* of the network's */
    tori_box box;
    tori_drain_config config;
    bool halt; /* flits stop where they are: wormhole */
    uint64_t begun;

    uint32_t n;      /* routers */
    uint32_t *nodes; /* of them, ascending */
    uint32_t *place; /* by node: which router, or NO_NODE */

    /* By router. */
    uint64_t *out;     /* directions that lead to a router of the partition */
    uint64_t *awaited; /* directions from which the signal has still to come */
    uint64_t *frozen;  /* the cycle, or NEVER */
    uint64_t *fallen;  /* flits */
    bool *quiet;       /* has interrupted */

    uint64_t *held; /* bits of `waiting`, by router and lane in it */

    /* The signal: routers in the order in which it reached them, and how many
     * of these have passed it on. */
    uint32_t *order;
    uint32_t reached, passed;

    tori_interrupt *interrupts;
    uint32_t ninterrupts, taken;
};

/* A message sent while its process was away. */
struct later {
    uint32_t src, dst, flits;
    uint64_t tag;
};

/* Routers are counted from 0 here, packets and messages too: they get new
 * numbers when they are put back. */
struct tori_saved {
    char machine[TORI_TEXT_MAX];
    tori_box box;
    tori_net_config config;
    uint64_t time;
    uint32_t job;
    bool resend; /* packets are in the queues of nodes only, to be sent from
                    there by a way of their own */
    uint32_t *nodes;
    struct fabric fabric; /* ways, lanes, buffers, rings, sources, packets */
    uint32_t npackets;
    struct message *messages;
    uint32_t nmessages;
    uint64_t under_way; /* messages with a packet in a router */

    struct later *later;
    size_t nlater, later_room;
};

/* Lanes, and buffers, of a router. */
static inline uint32_t lanes_of (const struct fabric *f)
{
    return f->here_mask + 1;
}

/* ---- drain.c ---- */

/* Before a cycle: the signal goes on, and frozen routers stay frozen. */
void drains_sweep (tori_net *net);

/* Whether there is a drain that is not done: time must not stand still. */
bool drains_busy (const tori_net *net);

/* The bits of a lane that are kept here, and whether it is frozen at all. */
uint64_t drains_held (const tori_net *net, uint32_t lane, bool *ret_frozen);

/* Give the bits of all lanes back; the routers stay frozen. */
void drain_give_back (tori_drain *drain);

/* ---- saved.c ---- */

/* Flits in a buffer of a link. */
uint64_t buffer_flits (const struct fabric *f, uint32_t number);

#endif

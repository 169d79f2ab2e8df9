/* router.h - the inside of a network: what a router is.
 *
 * A cycle of a network at a moderate load moves a flit on every fifth link or
 * so, and little else happens. So nothing is looked at but what can move:
 * each router has a bit a lane (a virtual channel of a link out, or of the
 * way to its own node), which is set while a flit could leave by it, and the
 * network has a bit a router. Lanes of a link are neighbouring bits, and to
 * choose one in turn is to shift and to count zeros.
 *
 * Flits are not stored. A buffer is the list of packets in it, with counts:
 * flits of its first packet that are there (avail) and that have still to
 * leave (left), and flits of its last packet that have still to come
 * (missing). Those in between are there whole.
 *
 * A router is one block of plain data without pointers: it can be copied out,
 * put away and copied in again. It knows packets by their numbers. It has
 *
 *     struct router         what can leave, the queue of messages to send
 *     struct lane [lanes]   by link out, then virtual channel; then its node's
 *     struct buffer [...]   by link in, then virtual channel; then its node's
 *     uint32_t [...]        the rings of the buffers of links
 *
 * A link has the same number at both of its ends, that of its direction, so a
 * lane's flits arrive in the buffer of the same number.
 *
 * A cycle has two parts. First every router chooses what leaves, by what was
 * there at its beginning, and changes nothing but itself (moves are listed).
 * Then what the moves do to other routers is carried out: flits arrive,
 * credits return, the packet behind a last flit is routed. So the order of
 * routers is of no importance.
 */
#ifndef TORI_NET_ROUTER_H
#define TORI_NET_ROUTER_H

#include <tori/net.h>

#include "bits.h"

#define NO_NODE UINT32_MAX
#define NO_PACKET UINT32_MAX
enum { NO_OWNER = 255 };

struct router {
    uint64_t ready;       /* lanes by which a flit may be able to leave */
    uint32_t first, last; /* packets to send that are not in the buffer yet */
};

struct lane {
    uint64_t waiting; /* buffers whose first packet may have it when free */
    uint32_t credits;
    uint8_t owner; /* the buffer whose packet has it, or NO_OWNER */
    uint8_t last;  /* the buffer that had it last: others come first */
    uint8_t turn;  /* of a direction's first lane: the channel of it that sent
                      a flit last */
};

struct buffer {
    uint32_t packet; /* the first */
    uint32_t avail, left, missing;
    uint16_t head, count; /* the ring: packets from the second on */
    uint16_t lane;        /* that the first packet has, once it left */
};

/* How a packet may take channels, by the kind of the link: the first class of
 * a ring, the second, and others (and the way to the node). */
enum { BEFORE_WRAP, AFTER_WRAP, NO_RING, CLASSES };

struct packet {
    uint32_t dst;
    uint32_t length;
    uint32_t low;  /* a bit a dimension: does not wrap, yet keeps to the
                      first class */
    uint8_t lane[CLASSES];
    bool odd; /* goes the other way round, where that is as long */
    uint32_t message;
    uint32_t next; /* in a queue of messages to send, or of free ones */
    uint64_t entered;
};

struct message {
    tori_net_message is;
    uint32_t packets; /* not yet delivered */
    uint32_t next;    /* delivered, or free */
};

/* A direction: links out of every node that has one, and in. */
struct direction {
    int dim;
    int step;  /* 0: of a mesh of two nodes, to the other one */
    uint8_t other; /* way round the same dimension */
    bool ring; /* of four nodes or more: packets wait in two classes */
};

/* A flit that leaves in this cycle. */
struct move {
    uint32_t node;
    uint32_t packet;
    uint8_t from; /* buffer */
    uint8_t lane;
    bool first, last; /* of its packet */
};

/* A hop: the direction, whether the wrap link is still to come, and whether
 * the other way round is as long. */
enum { HOP_DIRECTION = 63, HOP_WRAP = 64, HOP_TIE = 128 };

struct tori_net {
    const tori_machine *machine;
    tori_net_config config;
    uint32_t nodes;
    int ndims;
    unsigned directions;
    unsigned lanes;   /* (directions + 1) * vcs */
    unsigned own;     /* the buffer of the router's own node */
    unsigned escapes; /* channels of dimension order: all, or the first */
    bool rings;       /* of four nodes or more */
    bool plain;       /* a free lane with a credit can always be taken */
    struct direction direction[TORI_NET_MAX_LANES];
    uint8_t direction_of[TORI_NET_MAX_LANES]; /* lane */
    uint8_t first_direction[TORI_MAX_DIMS];
    uint64_t group;                           /* the lanes of one direction */

    size_t block; /* bytes of a router, and where its parts begin */
    size_t buffers_at, rings_at;
    unsigned char *routers;
    uint64_t *active;     /* routers with lanes that are ready */
    uint32_t *to, *from;  /* neighbours by node and direction */
    uint64_t *carried;    /* flits, by node and direction */
    uint32_t *coords;     /* by node and dimension */
    uint8_t *parity;      /* of the sum of a node's coordinates */
    uint8_t *table;       /* hops by node and destination; NULL: too large */
    uint32_t *link;       /* node and direction of the links there are */
    size_t links;
    struct move *moves;

    uint64_t time;
    bool awake;           /* something may move */
    uint64_t flits;       /* on their way */
    uint64_t pending;     /* messages */
    uint64_t owed_before; /* flits, when counts were forgotten */

    struct packet *packets;
    uint32_t npackets, packet_room, free_packet;
    struct message *messages;
    uint32_t nmessages, message_room, free_message;
    uint32_t first_delivered, last_delivered;

    uint32_t *job_of; /* node */
    tori_net_stats *stats;
    uint32_t jobs;
};

/* ---- the parts of a router ---- */

static inline struct router *router_at (const tori_net *net, uint32_t node)
{
    return (void *)(net->routers + node * net->block);
}

static inline struct lane *lanes_of (struct router *router)
{
    return (void *)(router + 1);
}

static inline struct buffer *buffers_of (const tori_net *net,
                                         struct router *router)
{
    return (void *)((unsigned char *)router + net->buffers_at);
}

static inline uint32_t *ring_of (const tori_net *net, struct router *router,
                                 unsigned buffer)
{
    return (uint32_t *)(void *)((unsigned char *)router + net->rings_at)
           + (size_t)buffer * net->config.buffer;
}

/* ---- route.c ---- */

/* Tables of neighbours and of hops. Need no more than the configuration. */
int route_prepare (tori_net *net, tori_error *err);

/* In dimension order; the direction is that of the node itself, behind all
 * others, at the end. */
uint8_t route_first (const tori_net *net, uint32_t at,
                     const struct packet *packet);

/* The directions that lead nearer, in the order of dimensions. Returns how
 * many. */
unsigned route_ways (const tori_net *net, uint32_t at,
                     const struct packet *packet, uint8_t ways[]);

/* What of a packet's way is fixed from the start. */
void route_packet (const tori_net *net, uint32_t src, struct packet *packet);

uint32_t route_distance (const tori_net *net, uint32_t a, uint32_t b);

/* ---- head.c ---- */

/* The first packet of a buffer asks for lanes. */
void head_ask (tori_net *net, uint32_t node, struct router *router,
               unsigned buffer);

/* One has been given to it: it stops asking for others. */
void head_granted (tori_net *net, uint32_t node, struct router *router,
                   unsigned buffer);

/* ---- cycle.c ---- */

/* The node's own buffer is empty: its next packet, if any. */
void source_next (tori_net *net, uint32_t node, struct router *router);

/* ---- net.c ---- */

/* The last flit of a packet has come out: it is free, and so is, once taken,
 * its message if that was all. */
void packet_delivered (tori_net *net, uint32_t number);

static inline void router_wake (tori_net *net, uint32_t node,
                                struct router *router, unsigned lane)
{
    router->ready |= UINT64_C (1) << lane;
    bits_set (net->active, node);
}

#endif

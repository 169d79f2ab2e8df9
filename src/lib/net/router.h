/* router.h - the inside of a network: what a router is.
 *
 * A cycle of a network at a moderate load moves a flit on every fifth link or
 * so, and little else happens. So only what can move is visited. A router has
 * ways out: its links, and the one to its own node. A way has lanes, its
 * virtual channels, and one bit for each that is set while a flit could leave
 * by it. The network has a bit for each way with such a lane. Choosing in turn
 * means shifting and counting zeros, and there is little else to do for a
 * flit. That code is written so that the processor need not predict branches,
 * and numbers are composed of powers of two.
 *
 *     way     node << way_bits | direction      (that of the node: the last)
 *     lane    way << lane_bits | channel
 *     buffer  as the lane that fills it, but at the node where it is
 *
 * A link has the same direction at both of its ends. The buffer of a router's
 * own node, which holds the packet that it sends, is where the buffer behind
 * its own way would be.
 *
 * Flits are not stored. A buffer is the list of packets in it, with counts:
 * the flits of its first packet that are there (avail) and that have yet to
 * leave (left), and the flits of its last packet that have yet to come
 * (missing). The packets in between are complete.
 *
 * All of a router is plain data without pointers, and knows packets by their
 * numbers. It can be copied out, put away and copied in again (saved.c).
 *
 * A cycle has two parts. First every router chooses what leaves, by what was
 * there at its beginning, and changes nothing but itself (moves are listed).
 * Then what the moves do to other routers is carried out: flits arrive,
 * credits return, the packet behind a last flit is routed. So the order of
 * routers does not matter.
 */
#ifndef TORI_NET_ROUTER_H
#define TORI_NET_ROUTER_H

#include <tori/net.h>

#include "bits.h"

#define NO_NODE UINT32_MAX
#define NO_PACKET UINT32_MAX
enum { NO_OWNER = 255 };

/* Buffers of a router, and lanes, that bits in a word can stand for. */
enum { MOST_BITS = 6 };

struct way {
    uint16_t ready; /* channels by which a flit may be able to leave */
    uint8_t turn;   /* the channel of the last flit: others come first */
};

struct net_lane {
    uint64_t waiting; /* buffers, as counted in their router, whose first
                         packet may have it when it is free */
    uint32_t credits;
    uint8_t owner; /* the buffer whose packet has it, or NO_OWNER */
    uint8_t last;  /* the buffer that had it last: others come first */
};

struct buffer {
    uint32_t packet; /* the first */
    uint32_t avail, left, missing;
    uint32_t count; /* packets */
    uint32_t head;  /* the position of the second in the ring */
    uint32_t lane;  /* of the first packet, once its first flit left */
    uint32_t spare;
};

/* Packets that a node sends, after the one in its buffer. */
struct net_source {
    uint32_t first, last;
};

/* The channel of a packet, by the kind of the link: for a link that is not of
 * a ring (or the way to the node), twice; for a ring the second class, after
 * the wrap link, and the first. */
enum { NO_RING, NO_RING_EITHER, AFTER_WRAP, BEFORE_WRAP, CLASSES };

struct packet {
    uint32_t dst;
    uint32_t length;
    uint8_t lane[CLASSES];
    bool odd;        /* goes the other way round, if that is as long */
    bool low;        /* keeps to the first class if it does not wrap */
    uint8_t wrapped; /* the last direction in which it did, or will */
    uint32_t message;
    uint32_t job;
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
    bool ring; /* of four nodes or more: packets wait in two classes */
};

/* A flit that leaves in this cycle. */
struct move {
    uint32_t from; /* buffer */
    uint32_t lane;
    uint32_t packet;
    bool first, last; /* of its packet */
};

/* A hop: the direction, whether the wrap link is still to come, and whether
 * the other way round is as long. */
enum { HOP_DIRECTION = 63, HOP_WRAP = 64, HOP_TIE = 128 };

/* The constants of a cycle. A cycle works on a copy that it passes to no
 * function, so the compiler knows that nothing it writes changes it: functions
 * are always_inline for this, not to save the call. */
#define always_inline static inline __attribute__ ((always_inline))

struct fabric {
    unsigned way_bits, lane_bits;
    uint32_t way_mask, lane_mask; /* the low bits: a direction, a channel */
    uint32_t here_mask;           /* both: a buffer in its router */
    unsigned own;        /* the direction to the router's own node: also how
                            many others there are */
    uint32_t nodes;
    uint32_t ring;       /* flits of a buffer */
    uint64_t ringed;     /* directions of rings */
    bool adaptive;

    struct way *ways;
    uint64_t *active;    /* ways with channels that are ready */
    uint32_t *to_way;    /* where a way's flits arrive, as a way there */
    uint32_t *from_way;  /* the way that fills a way's buffers; for that of a
                          * node itself, a way that no flit takes */
    uint64_t *carried;   /* flits, by way */
    struct net_lane *lanes;
    struct buffer *buffers;
    uint32_t *rings;     /* packets from the second on, by buffer */
    struct net_source *sources;
    uint8_t *table;      /* hops by node and destination; NULL: too large */
    struct packet *packets;
    const uint8_t *other; /* direction: the same dimension the other way */
};

struct tori_net {
    struct fabric fabric;
    const tori_machine *machine;
    tori_net_config config;
    int ndims;
    unsigned escapes; /* channels of dimension order: all, or the first */
    bool rings;       /* of four nodes or more */
    bool plain;       /* a free lane with a credit can always be taken, and a
                         link carries a flit a cycle */
    struct direction direction[TORI_MAX_DIMS * 2];
    uint8_t other[TORI_MAX_DIMS * 2];
    uint8_t first_direction[TORI_MAX_DIMS];
    size_t nways;
    uint64_t exits; /* bits of ways to nodes, in a word of `active` */

    uint32_t *coords; /* by node and dimension */
    uint8_t *parity;  /* of the sum of a node's coordinates */
    uint16_t *hops;   /* by node and destination; NULL: too large */
    uint32_t *link;   /* ways that are links */
    size_t links;
    struct move *moves;

    uint64_t time;
    bool awake;           /* something may move */
    uint64_t flits;       /* on their way */
    uint64_t pending;     /* messages */
    uint64_t owed_before; /* flits, when counts were forgotten */

    uint32_t npackets, packet_room, free_packet;
    struct message *messages;
    uint32_t nmessages, message_room, free_message;
    uint32_t first_delivered, last_delivered;

    struct tori_drain *drains; /* of partitions that are stopped: drain.h */

    uint32_t *job_of; /* node */
    tori_net_stats *stats;
    uint32_t jobs;
};

/* ---- numbers ---- */

always_inline uint32_t way_at (const struct fabric *f, uint32_t node,
                               unsigned direction)
{
    return node << f->way_bits | direction;
}

always_inline unsigned way_direction (const struct fabric *f, uint32_t way)
{
    return way & f->way_mask;
}

always_inline uint32_t lane_at (const struct fabric *f, uint32_t way,
                                unsigned channel)
{
    return way << f->lane_bits | channel;
}

always_inline unsigned lane_channel (const struct fabric *f, uint32_t lane)
{
    return lane & f->lane_mask;
}

/* The node of a lane or a buffer. */
always_inline uint32_t node_of (const struct fabric *f, uint32_t lane)
{
    return lane >> (f->way_bits + f->lane_bits);
}

/* A buffer as it is counted in its router, and back. */
always_inline unsigned buffer_here (const struct fabric *f, uint32_t buffer)
{
    return buffer & f->here_mask;
}

always_inline uint32_t buffer_at (const struct fabric *f, uint32_t lane,
                                  unsigned here)
{
    return lane - buffer_here (f, lane) + here;
}

/* The buffer of a node itself. */
always_inline uint32_t own_buffer (const struct fabric *f, uint32_t node)
{
    return lane_at (f, way_at (f, node, f->own), 0);
}

always_inline uint32_t *ring_of (const struct fabric *f, uint32_t buffer)
{
    return f->rings + (size_t)buffer * f->ring;
}

/* ---- lanes ---- */

/* The first of the bits after `last`, round. */
always_inline unsigned in_turn (uint64_t bits, unsigned last)
{
    uint64_t behind = bits & ~UINT64_C (1) << last;
    return (unsigned)__builtin_ctzll (behind ? behind : bits);
}

/* A flit may be able to leave by a lane, or not. */
always_inline void lane_wake (const struct fabric *f, uint32_t lane, bool wake)
{
    uint32_t way = lane >> f->lane_bits;
    f->ways[way].ready |= (uint16_t)((unsigned)wake << lane_channel (f, lane));
    f->active[way / 64] |= (uint64_t)wake << way % 64;
}

/* The first packet of a buffer asks for a lane of its router. */
always_inline void lane_ask (const struct fabric *f, uint32_t number,
                             uint32_t buffer)
{
    struct net_lane *lane = &f->lanes[number];
    lane->waiting |= UINT64_C (1) << buffer_here (f, buffer);
    lane_wake (f, number, (lane->owner == NO_OWNER) & (lane->credits > 0));
}

/* Whether a flit can leave by a lane now. Only the next in turn of the packets
 * that wait for it is considered, so that no other overtakes it. */
bool lane_usable (const tori_net *net, uint32_t number);

/* ---- route.c ---- */

/* Tables of neighbours and of hops. Need no more than the configuration. */
int route_prepare (tori_net *net, tori_error *err);

/* In dimension order, except for odd packets; at the end the direction is that
 * of the node itself, after all others. */
uint8_t route_compute (const tori_net *net, uint32_t at, uint32_t dst);

/* The directions that lead nearer, in the order of dimensions. Returns how
 * many. */
unsigned route_ways (const tori_net *net, uint32_t at,
                     const struct packet *packet, uint8_t ways[]);

/* Set the fixed part of a packet's way. */
void route_packet (const tori_net *net, uint32_t src, struct packet *packet);

uint32_t route_distance (const tori_net *net, uint32_t a, uint32_t b);

/* If two ways have equal length, odd packets take the second one. */
always_inline unsigned hop_for (const struct fabric *f, unsigned hop, bool odd)
{
    unsigned p = hop & HOP_DIRECTION, turn = p ^ f->other[p] ^ HOP_WRAP;
    unsigned turns = 0 - (unsigned)(odd & hop / HOP_TIE);
    return (hop ^ (turn & turns)) & (HOP_DIRECTION | HOP_WRAP);
}

/* The lane of a packet's next hop in dimension order. A packet that has passed
 * the wrap link of a ring was on its way to it before. */
always_inline uint32_t route_lane (const tori_net *net, const struct fabric *f,
                                   uint32_t at, struct packet *packet)
{
    size_t place = (size_t)at * f->nodes + packet->dst;
    unsigned hop = f->table ? f->table[place]
                            : route_compute (net, at, packet->dst);
    unsigned p, wrap, ring, before;
    hop = hop_for (f, hop, packet->odd);
    p = hop & HOP_DIRECTION;
    wrap = hop / HOP_WRAP;
    ring = f->ringed >> p & 1;
    before = wrap | (packet->low & (packet->wrapped != p));
    packet->wrapped = (uint8_t)(wrap ? p : packet->wrapped);
    return lane_at (f, way_at (f, at, p), packet->lane[2 * ring + before]);
}

/* ---- adaptive.c ---- */

/* The first packet of a buffer asks for all lanes that it may take; and once
 * one has been given to it, it stops asking for others. */
void adaptive_ask (const tori_net *net, uint32_t buffer);
void adaptive_granted (const tori_net *net, uint32_t buffer);

/* ---- cycle.c ---- */

/* A packet has come to the end of the queue of a node. */
void source_send (tori_net *net, uint32_t node, uint32_t packet);

/* ---- net.c ---- */

/* Make room for that many more packets and messages; then take one. */
int packets_reserve (tori_net *net, uint64_t packets, uint64_t messages,
                     tori_error *err);
uint32_t packet_new (tori_net *net);
uint32_t message_new (tori_net *net);

/* The last flit of a packet has come out: it is free, and so is its message if
 * that was all, once taken. */
void packet_delivered (tori_net *net, uint32_t number);

#endif

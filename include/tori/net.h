/* tori/net.h - messages in the network, flit by flit.
 *
 *     tori_net *net;
 *     tori_net_config config = {.vcs = 2, .buffer = 8};
 *     tori_net_message message;
 *     if (tori_net_create (machine, &config, &net, &err) < 0)
 *         ...
 *     if (tori_net_send (net, 0, 9, 16, 1, &err) < 0)
 *         ...
 *     while (tori_net_pending (net) > 0) {
 *         tori_net_run (net, UINT64_MAX, true);
 *         while (tori_net_receive (net, &message))
 *             ...
 *     }
 *     tori_net_destroy (net);
 *
 * Every node has a router, with a port of its own in and out. Two links join
 * neighbours, one each way. In a torus dimension of size 2 two nodes are
 * neighbours twice; a dimension of size 1 has no links. A multi-torus
 * dimension carries messages only on its neighbour links, as a mesh does.
 *
 * Time is in cycles. In a cycle a link takes up to `width` flits from one
 * router to the next, where they can continue in the following cycle. So a
 * message of F flits over H hops needs H + ceil (F / width) cycles from being
 * sent to being delivered, if it meets no other (and buffers hold at least 2 x
 * width flits).
 *
 * A link has `vcs` virtual channels, each with a buffer of `buffer` flits at
 * its end. A flit moves only if the sender holds a credit: a free place in
 * that buffer. A credit comes back in the cycle after its place became free. A
 * channel belongs to one packet from its first flit to its last. Channels take
 * turns on their link, and packets that wait for a channel take turns for it.
 *
 * A message is cut into packets of at most `packet` flits. With wormhole
 * switching a packet continues as soon as there is room for a flit, so it may
 * stretch over several routers. With virtual cut-through it continues only
 * when there is room for all of it. Nothing is lost, and sending never fails
 * for lack of room: messages wait at their source, in order.
 *
 * Dimension-order routing takes the dimensions in order, each the shorter way
 * round. If the way is half of an even ring, it goes upwards if the current
 * coordinate, plus those of source and destination in all other dimensions,
 * make an even sum. Source and destination determine which channel of a link a
 * packet takes, so messages of a pair arrive in the order in which they were
 * sent. A ring of four nodes or more has two classes of channels. A packet
 * that has yet to pass the wrap link takes the first; one that has passed it
 * takes the second; one that does not pass it keeps to one of the two. So
 * packets can never wait for each other in a cycle.
 *
 * Adaptive routing takes any dimension that leads closer, on the channels
 * after the first two (after the first one, where there is no ring of four).
 * The first ones are the escape channels, in dimension order. With wormhole
 * switching, a packet gets an adaptive channel only when its buffer is empty.
 * Packets may overtake each other.
 *
 * Jobs: every node belongs to a job, at first to job 0. Messages stay within a
 * job, but their routes may leave its nodes.
 */
#ifndef TORI_NET_H
#define TORI_NET_H

#include <tori/machine.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tori_net tori_net;

typedef enum tori_switching {
    TORI_WORMHOLE,
    TORI_CUT_THROUGH
} tori_switching;

typedef enum tori_routing {
    TORI_DIMENSION_ORDER,
    TORI_ADAPTIVE
} tori_routing;

enum {
    TORI_NET_MAX_NODES = 1 << 20,
    TORI_NET_MAX_BUFFER = 65535,
    TORI_NET_MAX_WIDTH = 64,
    TORI_NET_MAX_VCS = 16 /* and 64 for all links of a node and the port to it,
                             both rounded up to a power of two */
};

/* A member that is 0 has the default in parentheses. See tori_alloc_config for
 * `size`. */
typedef struct tori_net_config {
    size_t size;
    tori_switching switching;
    tori_routing routing;
    uint32_t vcs;    /* virtual channels per link (2; adaptive on rings: 3) */
    uint32_t buffer; /* flits per virtual channel (8) */
    uint32_t width;  /* flits per cycle and link (1) */
    uint32_t packet; /* flits of the longest packet (wormhole: a message of any
                        length; cut-through: the buffer) */
} tori_net_config;

typedef struct tori_net_message {
    uint32_t src, dst;
    uint32_t flits;
    uint32_t job;
    uint64_t tag;
    uint32_t hops;
    uint64_t sent;      /* cycle */
    uint64_t entered;   /* cycle in which its first flit left its source */
    uint64_t delivered; /* the cycle after its last flit came out */
    uint64_t blocked;   /* cycles that its packets were under way, in sum,
                           beyond what they would have needed alone */
} tori_net_message;

/* The messages of a job so far. */
typedef struct tori_net_stats {
    uint64_t sent, delivered;             /* messages */
    uint64_t flits_sent, flits_delivered; /* delivered: one by one */
    uint64_t latency;                     /* sum of delivered - sent */
    uint64_t latency_most;
    uint64_t waited;  /* sum of entered - sent */
    uint64_t blocked; /* sum, as of messages */
    uint64_t hops;    /* sum over messages */
} tori_net_stats;

/* A link, from one node to another. */
typedef struct tori_net_link {
    uint32_t from, to;
    int dim;
    int step;       /* +1 or -1: its direction, also where it wraps */
    uint64_t flits; /* that it has carried */
} tori_net_link;

/* Create an empty network at cycle 0. The machine must outlive it. `config`
 * may be NULL. TORI_INVALID if the machine is too large, if there are too few
 * channels to keep rings free of deadlock (2 on a torus with a ring of four or
 * more, and one more for adaptive routing) or too many, if a cut-through
 * packet would not fit a buffer, and for an unknown switching or routing. */
int tori_net_create (const tori_machine *machine,
                     const tori_net_config *config, tori_net **ret_net,
                     tori_error *err);

/* Drains that are not released end with their network: release them before it,
 * or not at all. */
void tori_net_destroy (tori_net *net);

const tori_machine *tori_net_machine (const tori_net *net);

/* The complete configuration. No member is 0, except `packet` for packets of
 * any length. */
const tori_net_config *tori_net_configuration (const tori_net *net);

/* Give nodes to a job. Jobs are numbered from 0 without large gaps, below
 * TORI_NET_MAX_JOBS. TORI_INVALID for a number out of range or a node outside
 * this machine. Messages under way still count for the job that sent them. */
enum { TORI_NET_MAX_JOBS = 1 << 20 };
int tori_net_assign (tori_net *net, uint32_t job, const uint32_t nodes[],
                     size_t n, tori_error *err);

/* The job of a node; UINT32_MAX if there is no such node. */
uint32_t tori_net_job (const tori_net *net, uint32_t node);

/* Put a message of at least one flit into the queue of its source; its first
 * flit may leave in the current cycle. A node may send to itself. TORI_INVALID
 * if the nodes do not belong to the same job; TORI_FAILED if memory runs out.
 * Memory is allocated only here, never while time passes. */
int tori_net_send (tori_net *net, uint32_t src, uint32_t dst, uint32_t flits,
                   uint64_t tag, tori_error *err);

/* The current cycle: how many have been simulated. */
uint64_t tori_net_time (const tori_net *net);

/* Simulate a cycle. */
void tori_net_step (tori_net *net);

/* Simulate until the time is `until` or, with `stop`, until a message has been
 * delivered. Cycles in which nothing can move cost nothing. If nothing can
 * move until something is sent, and `until` is UINT64_MAX, time stands still.
 */
void tori_net_run (tori_net *net, uint64_t until, bool stop);

/* Whether nothing can move until something is sent. */
bool tori_net_idle (const tori_net *net);

/* Messages sent and not yet delivered. If there are any while the network is
 * idle, they wait for each other; the routing rules this out. */
uint64_t tori_net_pending (const tori_net *net);

/* Flits that have left their source and not reached their destination. */
uint64_t tori_net_flits (const tori_net *net);

/* Take the next delivered message, in the order of delivery (those of one
 * cycle by destination); false if there is none.
 */
bool tori_net_receive (tori_net *net, tori_net_message *ret_message);

/* The totals of a job's messages so far; all 0 if there is no such job. */
void tori_net_job_stats (const tori_net *net, uint32_t job,
                         tori_net_stats *ret_stats);

/* Flits times links that they have crossed. */
uint64_t tori_net_flit_hops (const tori_net *net);

/* The i-th link, and the number of links. Links are in the order of the nodes
 * that they leave and, at one node, of dimensions. If there is no i-th link,
 * the first function returns false and writes nothing. */
bool tori_net_link_at (const tori_net *net, size_t i, tori_net_link *ret_link);
size_t tori_net_links (const tori_net *net);

/* Reset the counts of links and jobs, as at the end of a warm-up. */
void tori_net_reset_counts (tori_net *net);

/* The next node after `at` on the way from `src` to `dst` in dimension order,
 * and the dimension and step of the link to it. If `at` is `dst`, returns `at`
 * and writes nothing. */
uint32_t tori_route_next (const tori_machine *machine, uint32_t src,
                          uint32_t at, uint32_t dst, int *ret_dim,
                          int *ret_step);

/* Check that the network is consistent: each place of a buffer is a credit or
 * a flit, no flit is lost or duplicated, nothing that could move is asleep. If
 * not, TORI_FAILED with what is wrong. This is slow. */
int tori_net_check (const tori_net *net, tori_error *err);

#ifdef __cplusplus
}
#endif

#endif

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
 * Every node has a router, with its own port in and out. Neighbours are joined
 * by two links, one each way; on a torus dimension of size 2 two nodes are
 * neighbours twice, and a dimension of size 1 has no links. A multi-torus
 * dimension carries messages on its neighbour links alone, as a mesh does.
 *
 * Time is in cycles. In a cycle a link takes up to `width` flits from one
 * router to the next, where they can go on in the following cycle, so that a
 * message of F flits over H hops needs H + ceil (F / width) cycles from being
 * sent to being delivered if it meets no other (and buffers hold at least
 * 2 x width flits).
 *
 * A link has `vcs` virtual channels, each with a buffer of `buffer` flits at
 * its end. A flit moves only if the sender holds a credit, which is a free
 * place in that buffer; a credit comes back in the cycle after its place
 * became free. A channel belongs to one packet from its first flit to its
 * last. Channels take turns on their link, and packets that wait for a channel
 * take turns for it.
 *
 * A message is cut into packets of at most `packet` flits. Wormhole switching
 * lets a packet go on as soon as there is room for a flit, so it may stretch
 * over several routers; virtual cut-through only when there is room for all of
 * it. Nothing is lost, and sending never fails for lack of room: messages wait
 * at their source, in order.
 *
 * Dimension-order routing takes the dimensions in their order, the shorter way
 * round. Half way round an even ring it goes upwards if the coordinate where
 * it is, and those of source and destination in all other dimensions, make an
 * even sum. Which channel of a link a packet takes is fixed by its source and
 * destination, so messages of a pair arrive in the order in which they were
 * sent. A ring of four nodes or more has two classes of channels: a packet
 * that has still to pass the wrap link takes the first, one that has passed it
 * the second, and one that does not pass it keeps to one of the two. So no
 * cycle of packets can wait for each other.
 *
 * Adaptive routing takes any dimension that leads nearer, on the channels
 * after the first two (after the first one, where there is no ring of four);
 * the first ones are the escape channels, in dimension order. With wormhole
 * switching, an adaptive channel is given to a packet only when its buffer is
 * empty. Packets may overtake each other.
 *
 * Jobs: every node belongs to a job, at first to job 0, and messages stay
 * within a job. Their routes may leave its nodes.
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
    TORI_NET_MAX_VCS = 16 /* and 64 for all links of a node and the way to
                             it, both rounded up to a power of two */
};

/* A value of 0 stands for the default in parentheses. */
typedef struct tori_net_config {
    tori_switching switching;
    tori_routing routing;
    uint32_t vcs;    /* virtual channels per link (2; adaptive on rings: 3) */
    uint32_t buffer; /* flits per virtual channel (8) */
    uint32_t width;  /* flits per cycle and link (1) */
    uint32_t packet; /* flits of the longest packet (wormhole: a message, of
                        any length; cut-through: the buffer) */
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
    uint64_t blocked;   /* cycles that its packets were under way beyond what
                           they would have been alone, in sum */
} tori_net_message;

/* Of the messages of a job so far. */
typedef struct tori_net_stats {
    uint64_t sent, delivered;             /* messages */
    uint64_t flits_sent, flits_delivered; /* the latter one by one */
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
    int step;       /* +1 or -1: the way it goes, also where it wraps */
    uint64_t flits; /* that it has carried */
} tori_net_link;

/* An empty network at cycle 0. The machine must outlive it. `config` may be
 * NULL. TORI_INVALID if the machine is too large, if there are too few
 * channels to keep rings from deadlock (2 on a torus with a ring of four or
 * more, and one more for adaptive routing) or too many, if a packet of
 * cut-through would not fit a buffer, and for an unknown switching or
 * routing. */
int tori_net_create (const tori_machine *machine,
                     const tori_net_config *config, tori_net **ret_net,
                     tori_error *err);

/* Drains that are left end with their network: release them before it, or not
 * at all. */
void tori_net_destroy (tori_net *net);

const tori_machine *tori_net_machine (const tori_net *net);

/* The complete configuration: nothing is 0, except for packets of any
 * length. */
const tori_net_config *tori_net_configuration (const tori_net *net);

/* Give nodes to a job. Jobs are numbered from 0 without large gaps, below
 * TORI_NET_MAX_JOBS. TORI_INVALID for a number out of range or a node outside
 * this machine. Messages that are under way still count for the job that sent
 * them. */
enum { TORI_NET_MAX_JOBS = 1 << 20 };
int tori_net_assign (tori_net *net, uint32_t job, const uint32_t nodes[],
                     size_t n, tori_error *err);

/* The job of a node; UINT32_MAX if there is no such node. */
uint32_t tori_net_job (const tori_net *net, uint32_t node);

/* Put a message of at least one flit into the queue of its source; its first
 * flit may leave in the current cycle. A node may send to itself. TORI_INVALID
 * if the nodes are not of the same job, TORI_FAILED without memory. Memory is
 * allocated only here, never while time passes. */
int tori_net_send (tori_net *net, uint32_t src, uint32_t dst, uint32_t flits,
                   uint64_t tag, tori_error *err);

/* The current cycle: how many have been simulated. */
uint64_t tori_net_time (const tori_net *net);

/* Simulate a cycle. */
void tori_net_step (tori_net *net);

/* Simulate until the time is `until`, or until a message has been delivered
 * if `stop`. Cycles in which nothing can move cost nothing; if nothing can
 * move until something is sent, and `until` is UINT64_MAX, time stands still.
 */
void tori_net_run (tori_net *net, uint64_t until, bool stop);

/* Whether nothing can move until something is sent. */
bool tori_net_idle (const tori_net *net);

/* Messages sent and not yet delivered. If the network is idle they wait for
 * each other, which routing rules out. */
uint64_t tori_net_pending (const tori_net *net);

/* Flits that have left their source and not reached their destination. */
uint64_t tori_net_flits (const tori_net *net);

/* Take the next of the messages that have been delivered, in the order of
 * their delivery (those of one cycle by destination); false if there is none.
 */
bool tori_net_receive (tori_net *net, tori_net_message *ret_message);

/* What became of a job's messages so far; all 0 if there is no such job.
 */
void tori_net_job_stats (const tori_net *net, uint32_t job,
                         tori_net_stats *ret_stats);

/* Flits times links that they have crossed. */
uint64_t tori_net_flit_hops (const tori_net *net);

/* The i-th link, in the order of the nodes that they leave and, at one node,
 * of dimensions; false, with nothing written, if there is no i-th: the number
 * of links is known by then. */
bool tori_net_link_at (const tori_net *net, size_t i, tori_net_link *ret_link);
size_t tori_net_links (const tori_net *net);

/* Forget the counts of links and jobs, as at the end of a warm-up. */
void tori_net_reset_counts (tori_net *net);

/* The next node on the way from `src` to `dst` in dimension order, when it has
 * come to `at`, and the dimension and step of the link to it; `at` itself, and
 * nothing written, if that is `dst`. */
uint32_t tori_route_next (const tori_machine *machine, uint32_t src,
                          uint32_t at, uint32_t dst, int *ret_dim,
                          int *ret_step);

/* See that the network is consistent: each place of a buffer is a credit or a
 * flit, no flit is lost or there twice, nothing that could move is asleep.
 * Slow. TORI_FAILED, with what is wrong, if not. */
int tori_net_check (const tori_net *net, tori_error *err);

#ifdef __cplusplus
}
#endif

#endif

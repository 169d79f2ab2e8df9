/* tori/drain.h - network preemption: stop a partition's network, save it, and
 * continue it later.
 *
 *     tori_drain *drain;
 *     tori_saved *a, *b = ...;
 *     if (tori_drain_start (net, &box, NULL, &drain, &err) < 0)
 *         ...
 *     while (!tori_drain_done (drain))
 *         tori_net_step (net);
 *     if (tori_drain_save (drain, &a, &err) < 0   (process a leaves)
 *         || tori_drain_load (drain, b, &err) < 0) (process b comes)
 *         ...
 *     tori_drain_release (drain);
 *
 * After A. Hori et al., "Time Space Sharing Scheduling and Architectural
 * Support", 1995, sections 3.3 and 4. The partition is a closed box
 * (tori/partition.h), so everything in its routers is its own. Other
 * partitions notice nothing.
 *
 * A signal starts at one router and goes from router to router over the links
 * of the partition, `hop` cycles per link. It is not a message: it needs no
 * buffer and is not delayed by messages. A router that it reaches is frozen:
 * it passes the signal on, and starts no more packets, neither from its
 * buffers nor from its own node. A packet of which a flit has left is sent to
 * its end, since a router cannot stop in the middle of one. With virtual
 * cut-through there is always room for all of it. With wormhole switching
 * there may never be, so flits stop where they are. An input port is in drain
 * mode when the signal has come in through it and no packet is still coming
 * in. When all ports are in drain mode (and nothing is being sent any more),
 * the router interrupts the kernel of its node, once.
 *
 * Let Dmax be the most hops in the partition, Lmax the longest packet in
 * cycles and Hmax the cycles of a hop of the signal. By the paper, all
 * interrupts come within Dmax Lmax + Dmax Hmax cycles. The paper does not
 * cover virtual channels: where more of them than Dmax share a link, it may
 * take longer (doc/experiments/preemption.md).
 *
 * All fall down (the way of the CM-5): packets do not stay where they are.
 * They leave the network at the router that they are in, and are sent again
 * from its node later. Their order is not kept. Cut-through only.
 *
 * Sending never fails because of this: what is sent while a router is frozen
 * waits in the queue of its node. Messages that a saved process sends, as at
 * the end of a system call, go to tori_saved_send and wait there.
 *
 * Messages that were delivered but not yet taken (tori_net_receive) stay in
 * the network's list. Their job says whose they are. Take them before you load
 * another process with the same job.
 */
#ifndef TORI_DRAIN_H
#define TORI_DRAIN_H

#include <tori/net.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tori_drain tori_drain;
typedef struct tori_saved tori_saved;

typedef enum tori_drain_method {
    TORI_DRAIN,
    TORI_ALL_FALL_DOWN
} tori_drain_method;

/* A member that is 0 has the default in parentheses. See tori_alloc_config for
 * `size`. */
typedef struct tori_drain_config {
    size_t size;
    tori_drain_method method;
    uint32_t origin; /* where the signal starts: a node of the box, as an index
                        into tori_box_nodes */
    uint32_t hop;    /* cycles of the signal per link (1) */
    uint32_t words;  /* that a router saves or restores per cycle (1) */
} tori_drain_config;

/* The router of a node has interrupted its kernel. */
typedef struct tori_interrupt {
    uint32_t node;
    uint64_t cycle;
} tori_interrupt;

typedef struct tori_drain_report {
    uint32_t routers;
    uint32_t interrupts; /* so far */
    uint64_t begun;      /* cycle of the signal */
    uint64_t cycles;     /* from there to the last interrupt, so far */
    uint32_t diameter;   /* Dmax */
    uint32_t longest;    /* Lmax, in cycles */
    uint64_t bound;      /* Dmax Lmax + Dmax Hmax */

    /* The state to save: now, or at the interrupts once all have come. */
    uint64_t packets;  /* in routers */
    uint64_t flits;    /* in routers */
    uint64_t waiting;  /* packets in the queues of nodes */

    /* A word is a flit. Besides its buffers, a router has two words of state
     * for each channel of each way out. All routers save and restore at the
     * same time. */
    uint64_t words;       /* of the largest router, buffers full */
    uint64_t words_used;  /* most of any router, as they are filled now */
    uint64_t save_cycles; /* for `words`; as many to restore */
} tori_drain_report;

/* Start a drain: send the signal now. `config` may be NULL. TORI_INVALID if
 * the partition is open or outside this machine, if another drain has one of
 * its nodes, if the origin is not one of its nodes, for an unknown method, and
 * for all fall down with wormhole switching. A drain that is not released ends
 * with its network. Time passes as usual, by tori_net_step or tori_net_run. */
int tori_drain_start (tori_net *net, const tori_box *box,
                      const tori_drain_config *config, tori_drain **ret_drain,
                      tori_error *err);

/* Whether all routers have interrupted. They stay frozen until released. */
bool tori_drain_done (const tori_drain *drain);

/* Take the next interrupt, in the order of time, then of node; false if there
 * are no more. */
bool tori_drain_interrupt (tori_drain *drain, tori_interrupt *ret_interrupt);

/* How far the drain has come, and what there is to save. You can ask at any
 * time until it is released; interrupts and cycles no longer change once it is
 * done. */
void tori_drain_report_now (const tori_drain *drain,
                            tori_drain_report *ret_report);

/* Take the state of the routers, and of the queues of their nodes, out of the
 * network and leave them empty. The drain must be done. TORI_INVALID if it is
 * not, or if a router holds a message from a node outside, in another
 * partition that is open. On failure nothing has changed. */
int tori_drain_save (tori_drain *drain, tori_saved **ret_saved,
                     tori_error *err);

/* Put a state into the routers, which must be empty, and give the nodes to its
 * job. On success the state is used up, as by tori_saved_destroy. TORI_INVALID
 * if it belongs to another machine, configuration or box, or if its time is
 * later than the network's. */
int tori_drain_load (tori_drain *drain, tori_saved *saved, tori_error *err);

/* Let the routers work again and destroy the drain. NULL is allowed. */
void tori_drain_release (tori_drain *drain);

/* ---- what has been saved ---- */

/* NULL is allowed. */
void tori_saved_destroy (tori_saved *saved);

/* The cycle at which it was saved, and the job of its nodes. */
uint64_t tori_saved_time (const tori_saved *saved);
uint32_t tori_saved_job (const tori_saved *saved);

/* Messages in it: all, and those with a packet in a router. */
uint64_t tori_saved_messages (const tori_saved *saved);
uint64_t tori_saved_under_way (const tori_saved *saved);

/* Send while the process is saved. This works as tori_net_send does, but the
 * message enters the queue of its node when the state is loaded. */
int tori_saved_send (tori_saved *saved, uint32_t src, uint32_t dst,
                     uint32_t flits, uint64_t tag, tori_error *err);

/* The report of a node's local kernel about the process. */
typedef struct tori_local {
    bool idle;      /* nothing to do until a message comes or a call returns */
    uint32_t calls; /* system calls that have not returned */
} tori_local;

typedef enum tori_progress {
    TORI_RUNNING,   /* it has something to do, or a message under way */
    TORI_WAITING,   /* idle except for system calls */
    TORI_TERMINATED /* nothing will ever happen in it */
} tori_progress;

/* Whether the computation has ended: all nodes are idle, and there are no
 * messages and no calls. A node that has not yet taken a message sent to it
 * must report that it is not idle. */
tori_progress tori_saved_progress (const tori_saved *saved,
                                   const tori_local local[], size_t n);

/* ---- global garbage collection ---- */

/* Call `visit` for every message in it, those sent while it was saved last. If
 * `visit` returns non-zero, stop and return that value. */
int tori_saved_each (const tori_saved *saved,
                     int (*visit) (void *arg,
                                   const tori_net_message *message),
                     void *arg);

/* A reference of an object to another, of whatever nodes; from TORI_ROOT: of a
 * node's stacks and registers. */
#define TORI_ROOT UINT32_MAX
typedef struct tori_reference {
    uint32_t from, to;
} tori_reference;

/* Find the objects 0 to objects-1 of a process that are alive: those that a
 * root or a message refers to, and those that these refer to, and so on. A
 * message refers to the object that its tag names, if there is one. The local
 * kernels have reported all references since the process was stopped, so
 * nothing changes meanwhile, and no message can hide one. Everything else is
 * garbage. TORI_INVALID for a reference from or to an object that does not
 * exist. */
int tori_saved_live (const tori_saved *saved, const tori_reference refs[],
                     size_t n, uint32_t objects, bool ret_live[],
                     tori_error *err);

#ifdef __cplusplus
}
#endif

#endif

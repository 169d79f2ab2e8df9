/* talk.h - processes that talk in a network, and count: what is sent, what is
 * heard, and in which order; so that whoever stops the network, puts it away
 * or moves it can be asked whether anything was lost.
 */
#ifndef TORI_TESTS_TALK_H
#define TORI_TESTS_TALK_H

#include <tori/drain.h>

#include "support.h"

/* ---- processes ---- */

/* A process sends random messages among the nodes of its box, numbered by
 * source; and hears what comes. Its randomness is by node, so that what it
 * sends does not depend on when it runs. */
struct process {
    uint32_t job;
    const uint32_t *nodes;
    uint32_t n;
    struct rng *rng; /* by node */
    uint64_t *sent;  /* messages, by source */
    uint64_t *heard; /* the last tag + 1, by source and destination */
    uint64_t nsent, nheard, reordered;
    uint64_t sum_sent, sum_heard; /* of what tells messages apart */
    unsigned percent;             /* chance to send, a cycle */
    uint32_t longest;             /* message, in flits */
};

struct process *make_process (uint32_t job, const uint32_t *nodes, uint32_t n,
                              unsigned percent, uint32_t longest,
                              uint64_t seed);
void free_process (struct process *p);

/* A number that tells messages apart. */
uint64_t mix (uint64_t src, uint64_t dst, uint64_t flits, uint64_t tag);

/* Its i-th node, or all of them, may send. */
void send_from (struct process *p, tori_net *net, uint32_t i);
void send_all (struct process *p, tori_net *net);

/* All that has come, each process its own. */
void hear_all (tori_net *net, struct process *const processes[], size_t n);
void assert_all_heard (const struct process *p);

/* ---- worlds ---- */

/* A network, and a partition of its machine. */
struct world {
    tori_machine *machine;
    tori_net *net;
    tori_box box;
    uint32_t *nodes;
    uint32_t n;
};

extern const tori_net_config cut_through;

/* Meshes, tori and hypercubes, whole and in part, every way of switching. */
enum { NCASES = 13 };
extern const struct talk_case {
    const char *machine, *box;
    tori_net_config config;
} cases[NCASES];

struct world make_world (const char *machine, const char *box,
                         const tori_net_config *config);
void free_world (struct world *w);

/* Let the process send for so many cycles. */
void run_slice (struct world *w, struct process *p, int cycles);

/* Drain the partition, in which nodes send until they are interrupted, once
 * each. If p is NULL, no node sends or receives. */
void drain_now (struct world *w, const tori_drain_config *config,
                struct process *p, tori_drain **ret_drain);

/* The network's own accounts agree. */
void assert_sound (const tori_net *net);

#endif

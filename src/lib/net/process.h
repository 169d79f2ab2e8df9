/* process.h - a process that sends messages by chance and counts arrivals. */
#ifndef TORI_NET_PROCESS_H
#define TORI_NET_PROCESS_H

#include <tori/preempt.h>

#include "random.h"

struct process {
    const uint32_t *nodes; /* of its partition, ascending */
    const uint32_t *place; /* by node: its index in `nodes` */
    uint32_t n;
    uint32_t flits;
    uint32_t partners; /* that a node sends to; n - 1: all others */
    double chance;  /* of a message, a node a cycle */
    uint64_t quota; /* cycles that it runs on each node, in all */
    uint64_t *clock; /* cycles that it has run, by node */
    struct rng *rng; /* by node */
    uint32_t *next;  /* number of the next message, by source and destination;
                      * after these, of the next that should arrive */
    tori_preempt_process count;
};

/* The caller keeps the lists of nodes. process_clear is needed in any case. */
int process_open (struct process *process, const uint32_t nodes[],
                  const uint32_t place[], uint32_t n, tori_error *err);
void process_clear (struct process *process);

/* Start the random sequences. */
void process_seed (struct process *process, uint64_t seed, uint32_t number);

/* A node runs for a cycle, and may send. `ret_sent` counts messages. */
int process_run (struct process *process, tori_net *net, uint32_t i,
                 uint64_t *ret_sent, tori_error *err);

/* A message has come. */
void process_hear (struct process *process, const tori_net_message *message);

/* Whether it will send no more. */
bool process_over (const struct process *process);

#endif

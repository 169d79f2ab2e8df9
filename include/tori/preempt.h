/* tori/preempt.h - processes that share a partition in turns, and what
 * switching costs.
 *
 *     tori_preempt_config config = {.machine = machine, .box = &box,
 *                                   .load = 0.2, .switches = 4, .seed = 1};
 *     tori_preempt_result result;
 *     if (tori_preempt_run (&config, &result, &err) < 0)
 *         ...
 *     tori_preempt_clear (&result);
 *
 * This is the experiment of doc/experiments/preemption.md. In every cycle in which its
 * process runs there, a node begins a message to a random one of its partners
 * with the same chance. A process runs from the start of its turn to the
 * interrupt (tori/drain.h). After `slice` cycles the signal is sent. When the
 * last kernel has been interrupted, the routers are saved and those of the
 * next process are restored, which takes time. Then that process runs. When
 * all turns are over, each process in turn has the partition until all its
 * messages have arrived.
 *
 * The messages of a node, and their destinations, depend only on how long its
 * process has run there. So a process sends the same messages however often it
 * is preempted. The messages of a pair are numbered. Results count what was
 * sent and delivered, sum up what identifies messages, and count messages that
 * arrived after a later one of the same pair.
 *
 * The same seed gives the same result on every machine.
 */
#ifndef TORI_PREEMPT_H
#define TORI_PREEMPT_H

#include <tori/drain.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A member that is 0 has the default in parentheses. See tori_alloc_config for
 * `size`. */
typedef struct tori_preempt_config {
    size_t size;
    const tori_machine *machine;
    const tori_box *box;   /* closed (all of the machine) */
    const tori_net_config *net; /* (the defaults) */
    const tori_drain_config *drain; /* (the defaults) */
    uint32_t processes;    /* (2) */
    uint32_t switches;     /* there is one more turn than this; 0: never
                              preempted */
    uint64_t slice;        /* cycles of a turn (500) */
    uint64_t cycles;       /* that a process runs on each node in all; what is
                              left after the turns runs at the end (its turns,
                              and a quarter more) */
    uint32_t partners;     /* a node sends to this many others, by rank,
                              starting with the one on the other side (all) */
    uint32_t flits;        /* of a message (16) */
    double load;           /* flits per node and cycle, at most 1 message */
    uint64_t seed;
} tori_preempt_config;

/* A switch. */
typedef struct tori_preempt_switch {
    uint32_t from, to;        /* processes */
    tori_drain_report drain;
    uint64_t messages;        /* with a packet in a router */
    uint64_t sends;           /* of nodes after the signal, before their
                                 interrupt */
} tori_preempt_switch;

typedef struct tori_preempt_process {
    uint64_t sent, delivered;
    uint64_t reordered;
    uint64_t sum_sent, sum_delivered; /* of what identifies messages */
    bool terminated; /* by its saved state, at the end */
} tori_preempt_process;

typedef struct tori_preempt_result {
    tori_preempt_switch *switches;
    size_t nswitches;
    tori_preempt_process *processes;
    size_t nprocesses;
    uint64_t cycles; /* all told */
} tori_preempt_result;

/* Run the processes. The caller clears the result. TORI_INVALID for what
 * tori_net_create and tori_drain_start refuse, for a load above one message
 * per cycle and for a partition of one node. */
int tori_preempt_run (const tori_preempt_config *config,
                      tori_preempt_result *ret_result, tori_error *err);
void tori_preempt_clear (tori_preempt_result *result);

/* Whether all messages of a process arrived, each once and in order. */
bool tori_preempt_kept (const tori_preempt_process *process);

#ifdef __cplusplus
}
#endif

#endif

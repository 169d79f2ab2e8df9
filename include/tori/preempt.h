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
 * The experiment of doc/preemption.md. Every node of the partition begins a
 * message to a random one of its partners with the same chance in every cycle
 * in which its process runs there: from the start of the process's turn to the
 * interrupt (tori/drain.h). After `slice` cycles the signal is sent; when the
 * last kernel has been interrupted the routers are saved and those of the next
 * process restored, which takes its time, and then that process runs. When all
 * turns are over, one process after the other has the partition until all its
 * messages have arrived.
 *
 * What a node sends, and to whom, depends only on how long its process has run
 * there, so a process sends the same messages however often it is preempted;
 * those of a pair are numbered. Results count what was sent and delivered, sum
 * up what identifies messages, and count messages that arrived after a later
 * one of the same pair.
 *
 * The same seed gives the same result on every machine.
 */
#ifndef TORI_PREEMPT_H
#define TORI_PREEMPT_H

#include <tori/drain.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A value of 0 stands for the default in parentheses. */
typedef struct tori_preempt_config {
    const tori_machine *machine;
    const tori_box *box;   /* closed (all of the machine) */
    tori_net_config net;
    tori_drain_config drain;
    uint32_t processes;    /* (2) */
    uint32_t switches;     /* turns are one more; 0: never preempted */
    uint64_t slice;        /* cycles of a turn (500) */
    uint64_t cycles;       /* that a process runs on each node, all told: what
                              is left when turns are over it runs at the end
                              (its turns, and a quarter more) */
    uint32_t partners;     /* a node sends to this many others, from the one on
                              the other side on, by rank (all) */
    uint32_t flits;        /* of a message (16) */
    double load;           /* flits per node and cycle, at most 1 message */
    uint64_t seed;
    const char *checkpoint; /* write the first process here as it is switched
                               out for the first time; NULL: do not */
    const char *restart;    /* run the process in this file to its end, and
                               no other: flits, load and turns are its own */
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

/* Run the processes; the caller clears the result. TORI_INVALID for what
 * tori_net_create, tori_drain_start and tori_saved_read refuse, a load above
 * one message per cycle and a partition of one node. */
int tori_preempt_run (const tori_preempt_config *config,
                      tori_preempt_result *ret_result, tori_error *err);
void tori_preempt_clear (tori_preempt_result *result);

/* Whether all of a process's messages arrived, each once and in order. */
bool tori_preempt_kept (const tori_preempt_process *process);

#ifdef __cplusplus
}
#endif

#endif

/* tori/traffic.h - jobs that send messages, and what comes of it.
 *
 *     tori_traffic_job job = {.nodes = nodes, .n = 64, .flits = 4,
 *                             .pattern = tori_pattern_find ("random")};
 *     tori_traffic_config config = {.machine = machine, .jobs = &job,
 *                                   .njobs = 1, .rate = 0.2, .seed = 1};
 *     tori_traffic_result result;
 *     if (tori_traffic_run (&config, &result, &err) < 0)
 *         ...
 *     tori_traffic_clear (&result);
 *
 * Each job has nodes of its own and sends only among them, in a pattern of
 * tori/pattern.h. The jobs share the network of the machine (tori/net.h).
 *
 * With a rate, traffic is open. Whatever the network does with it, every node
 * begins a message in every cycle with the same probability, so that it sends
 * `rate` flits per cycle on average. The n-th message of a node is that of the
 * n-th phase. Messages that begin in the `cycles` after the `warmup` are
 * measured. The same traffic continues until all of them have been delivered,
 * but no longer than another `cycles` (in a short run, 1000 and 16 times the
 * flits of a message). A job is saturated if what it sends piles up:
 *   - messages in the second half of the time took longer than those in the
 *     first, by more than a quarter (or by more than 1 % of the time between
 *     them), by more than three standard errors, and by more than their flits;
 *   - or less than 95 % of the flits that it offered while measured came out
 *     while measured, and at least one message per node did not;
 *   - or one of its measured messages was not delivered.
 *
 * Without a rate, traffic is closed. A phase of a job begins when all messages
 * of the phase before have been delivered, and the run ends with the last job.
 * A job is unfinished if the limit came first.
 *
 * The same seed gives the same result on every machine.
 */
#ifndef TORI_TRAFFIC_H
#define TORI_TRAFFIC_H

#include <tori/net.h>
#include <tori/pattern.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Patterns that are not in tori/pattern.h. */
enum {
    TORI_TRAFFIC_NEIGHBOUR = -1, /* a phase for each direction of each
                                    dimension of the box: to the next node that
                                    way, round the box */
    TORI_TRAFFIC_LIST = -2       /* a list of messages, each at its time */
};

/* A message of a list. */
typedef struct tori_traffic_message {
    uint32_t src, dst; /* node ids */
    uint32_t flits;
    uint64_t time; /* cycle */
} tori_traffic_message;

typedef struct tori_traffic_job {
    const uint32_t *nodes; /* by rank, each once and of no other job */
    uint32_t n;
    const tori_shape *shape; /* if the nodes are those of a box, in row-major
                                order; else NULL. A neighbour pattern needs a
                                shape. In a box of two or more dimensions whose
                                sides read the same backwards, transpose sends
                                to the node whose coordinates are this node's
                                backwards. */
    int pattern;
    uint32_t flits; /* per message; 0: 1 */
    uint32_t rounds; /* of closed traffic; 0: 1 */

    const tori_traffic_message *list; /* in the order of times */
    size_t nlist;
} tori_traffic_job;

/* See tori_alloc_config for `size`. */
typedef struct tori_traffic_config {
    size_t size;
    const tori_machine *machine;
    const tori_net_config *net; /* (the defaults) */
    const tori_traffic_job *jobs;
    size_t njobs;
    double rate;     /* flits per node and cycle; 0: closed traffic */
    uint64_t warmup; /* cycles */
    uint64_t cycles; /* of measuring; 0: 10000 */
    uint64_t limit;  /* end closed traffic here; 0: never */
    uint64_t seed;

    /* Called for each measured message, in the order of delivery, with the
     * index of its job in `jobs`. May be NULL. */
    void (*on_message) (void *arg, size_t job,
                        const tori_net_message *message);
    void *arg;
} tori_traffic_config;

/* A sample in numbers. Percentiles are by nearest rank. All are 0 if the
 * sample is empty. */
typedef struct tori_traffic_sample {
    double mean;
    uint64_t p50, p90, p99, max;
} tori_traffic_sample;

/* The messages measured: all of them if traffic is closed. */
typedef struct tori_traffic_outcome {
    uint64_t messages;
    uint64_t flits;
    tori_traffic_sample latency; /* cycles from being sent to delivery */
    double waited;  /* per message: the part of the latency at the source */
    double blocked; /* per message: cycles under way beyond what it would need
                       alone */
    double hops; /* per message */
    double offered; /* flits per node and cycle */
    double accepted;
    uint64_t finish; /* the cycle after its last delivery */
    bool saturated;  /* open traffic only */
    bool unfinished; /* closed traffic only: cut short by the limit */
} tori_traffic_outcome;

typedef struct tori_traffic_result {
    tori_traffic_outcome *jobs; /* as in the configuration */
    size_t njobs;
    tori_net_link *links; /* what they carried while measured */
    size_t nlinks;
    uint64_t measured;  /* cycles */
    uint64_t cycles;    /* in all */
    uint64_t flit_hops; /* in all */
} tori_traffic_result;

/* Run the traffic; the caller clears the result. TORI_INVALID if a job has no
 * nodes, or nodes outside the machine or of another job; if a list is not in
 * order or names nodes outside the job; if a rate is negative, NaN or above
 * one message per cycle; if a shape and its job differ in the number of nodes;
 * for an unknown pattern; and for what tori_net_create refuses. */
int tori_traffic_run (const tori_traffic_config *config,
                      tori_traffic_result *ret_result, tori_error *err);
void tori_traffic_clear (tori_traffic_result *result);

#ifdef __cplusplus
}
#endif

#endif

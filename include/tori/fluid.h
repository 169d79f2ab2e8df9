/* tori/fluid.h - messages in the network as flows: a model for long times.
 *
 *     tori_fluid *fluid;
 *     tori_fluid_job job = {.nodes = nodes, .n = 64, .time = 3600,
 *                           .pattern = tori_pattern_find ("all-to-all")};
 *     if (tori_fluid_create (machine, NULL, &fluid, &err) < 0
 *         || tori_fluid_start (fluid, &job, 1, &err) < 0)
 *         ...
 *     while (tori_fluid_run (fluid, until, &tag, &err) > 0)
 *         ...job `tag` has ended at tori_fluid_time (fluid)
 *     tori_fluid_destroy (fluid);
 *
 * The network is that of tori/net.h, with routes in dimension order. But here
 * a message is a flow: it uses all links of its route at once, and sends at
 * some rate. Flows share links fairly. Rates are max-min fair: each flow has a
 * bottleneck, a full link on which no other flow is faster. Between two
 * changes (a flow begins or ends) there is nothing to compute, so only changes
 * cost time. A change affects only the flows that are connected with it over
 * links that could be full.
 *
 * Jobs talk in patterns of phases (tori/pattern.h). A phase ends when its last
 * message has arrived, and then the next begins. A job ends with its last
 * phase.
 *
 * Time is in whole ticks of any length. A phase ends at the first tick at
 * which all of its messages are through (within 1/16 tick, to absorb
 * rounding).
 */
#ifndef TORI_FLUID_H
#define TORI_FLUID_H

#include <tori/machine.h>
#include <tori/pattern.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tori_fluid tori_fluid;

/* A member that is 0 has the default in parentheses. See tori_alloc_config for
 * `size`. */
typedef struct tori_fluid_config {
    size_t size;
    uint32_t link;    /* what a link carries per tick (1) */
    uint32_t node;    /* the most that a node sends per tick, and the most that
                         it receives (1) */
    uint64_t latency; /* ticks per hop from when the last part of a message is
                         sent until it is received (0) */
} tori_fluid_config;

/* The messages of a job. Either `message` is the length of each of its
 * messages, or the messages have the length that makes the job take `time`
 * ticks if only its nodes limit it, that is, if no link of the network were
 * ever full. The time of each phase is then in proportion to the largest
 * number of messages that one node receives in it. A job that has no messages,
 * such as a job of one node, always takes this time. */
typedef struct tori_fluid_job {
    const uint32_t *nodes; /* by rank, each once; copied */
    uint32_t n;
    int pattern;
    uint32_t rounds; /* (1) */
    uint64_t seed;   /* of a random pattern */
    int64_t time;
    uint64_t message;
} tori_fluid_job;

/* Create an empty network at time 0. The machine must outlive it. `config` may
 * be NULL. */
int tori_fluid_create (const tori_machine *machine,
                       const tori_fluid_config *config, tori_fluid **ret_fluid,
                       tori_error *err);
void tori_fluid_destroy (tori_fluid *fluid);

/* The current time. */
int64_t tori_fluid_time (const tori_fluid *fluid);

/* Start a job at the current time. Jobs may have nodes in common; they then
 * share what these nodes can send. TORI_INVALID for a node outside this
 * machine, for no nodes and for a time below 0. */
int tori_fluid_start (tori_fluid *fluid, const tori_fluid_job *job,
                      uint64_t tag, tori_error *err);

/* Let time pass until a job ends, but no further than `until`. Returns 1 with
 * the tag of a job that has ended at the current time; jobs that end at the
 * same time come one after another, in the order in which they were started.
 * Returns 0 at `until`. Returns -1 if memory runs out; the network can then
 * only be destroyed. With an `until` of INT64_MAX, time stands still when
 * there are no jobs. */
int tori_fluid_run (tori_fluid *fluid, int64_t until, uint64_t *ret_tag,
                    tori_error *err);

/* The number of messages under way, and of changes so far: how often a message
 * began or ended being sent. */
size_t tori_fluid_flows (const tori_fluid *fluid);
uint64_t tori_fluid_events (const tori_fluid *fluid);

/* A message under way. */
typedef struct tori_fluid_flow {
    uint32_t src, dst;
    uint64_t tag;
    double rate; /* per tick */
    double left; /* at the current time */
} tori_fluid_flow;

/* The i-th message under way, in no particular order; false past the end.
 * Rates are those since the last call to tori_fluid_run. */
bool tori_fluid_flow_at (const tori_fluid *fluid, size_t i,
                         tori_fluid_flow *ret_flow);

#ifdef __cplusplus
}
#endif

#endif

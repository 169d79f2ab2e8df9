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
 * The network is that of tori/net.h with its routes in dimension order, but a
 * message is a flow that has all links of its route at once and sends at some
 * rate. Flows share links fairly: rates are max-min fair, which is to say that
 * each flow has a bottleneck, a link that is full and on which no other flow
 * is faster. Between two changes (a flow begins or ends) there is nothing to
 * compute, so only changes cost time; and a change concerns only those flows
 * that are connected with it over links that could be full.
 *
 * Jobs talk in patterns of phases (tori/pattern.h). A phase ends when its last
 * message has arrived; then the next begins. A job ends with its last phase.
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

/* A value of 0 stands for the default in parentheses. */
typedef struct tori_fluid_config {
    uint32_t link;    /* what a link carries per tick (1) */
    uint32_t node;    /* what a node sends in a tick at most, and what it
                         receives (1) */
    uint32_t latency; /* ticks a hop, from the last of a message being sent to
                         its being received (0) */
} tori_fluid_config;

/* What a job sends. Either `message` is how much each of its messages is, or
 * the messages are as long as to make the job take `time` ticks where nothing
 * is slower than its nodes: if no link of the network were ever full. A phase
 * then has a part of this time that is as large as the largest number of
 * messages that one node receives in it. A job that has no messages, of one
 * node for instance, takes this time in any case. */
typedef struct tori_fluid_job {
    const uint32_t *nodes; /* by rank, each once; copied */
    uint32_t n;
    int pattern;
    uint32_t rounds; /* (1) */
    uint64_t seed;   /* of a random pattern */
    int64_t time;
    uint64_t message;
} tori_fluid_job;

/* An empty network at time 0. The machine must outlive it. `config` may be
 * NULL. */
int tori_fluid_create (const tori_machine *machine,
                       const tori_fluid_config *config, tori_fluid **ret_fluid,
                       tori_error *err);
void tori_fluid_destroy (tori_fluid *fluid);

/* The current time. */
int64_t tori_fluid_time (const tori_fluid *fluid);

/* A job begins at the current time. Jobs may have nodes in common; they then
 * share what these can send. TORI_INVALID for a node outside this machine, for
 * no nodes and for a time below 0. */
int tori_fluid_start (tori_fluid *fluid, const tori_fluid_job *job,
                      uint64_t tag, tori_error *err);

/* Let time pass until a job ends or, if none does before, until `until`.
 * Returns 1 with the tag of a job that has ended at the present time, jobs
 * that end at the same time one after the other as they were started; 0 if it
 * is `until`; -1 without memory; it can then only be destroyed. With an
 * `until` of INT64_MAX, time stands still when there are no jobs. */
int tori_fluid_run (tori_fluid *fluid, int64_t until, uint64_t *ret_tag,
                    tori_error *err);

/* Messages under way, and the changes so far: messages that began or ended
 * being sent. */
size_t tori_fluid_flows (const tori_fluid *fluid);
uint64_t tori_fluid_events (const tori_fluid *fluid);

/* A message under way. */
typedef struct tori_fluid_flow {
    uint32_t src, dst;
    uint64_t tag;
    double rate; /* in a tick */
    double left; /* at the present time */
} tori_fluid_flow;

/* The i-th message under way, in no particular order; false past the end.
 * Rates are those since the last call of tori_fluid_run. */
bool tori_fluid_flow_at (const tori_fluid *fluid, size_t i,
                         tori_fluid_flow *ret_flow);

#ifdef __cplusplus
}
#endif

#endif

/* play.h - a random stream of jobs and mishaps, played to a scheduler.
 *
 * A small driver with a clock of its own, as a simulator or a service has one.
 * At every step it compares the scheduler with a table of who owns which node
 * and link, and at the end everything must have come to its end and the state
 * be that of a new machine. The player's options may ask for more comparisons.
 */
#ifndef TORI_TESTS_PLAY_H
#define TORI_TESTS_PLAY_H

#include <tori/sched.h>
#include <tori/workload.h>

#include "naive_sched.h"

/* ---- streams ---- */

struct stream_job {
    tori_time submit;
    tori_time runtime;
    tori_time estimate;
    tori_request request;
    tori_request instead[2]; /* what it takes otherwise, so many of them */
    size_t ninstead;
    uint64_t only; /* the nodes it may use; 0: all */
    int32_t priority;
    uint32_t flags;
    tori_time earliest;
    tori_time patience;
    tori_hold hold; /* until a change releases it, or the end */
    tori_time checkpoint;
    tori_time done; /* of its runtime */
    uint32_t level;
    tori_preempted preempted;
};

enum mishap_kind {
    CANCEL,
    NODE_DOWN,
    NODE_DRAIN,
    LINK_DOWN,
    /* changes of a job */
    PRIORITY,
    HOLD,
    EARLIEST,
    ESTIMATE,
    REQUEUE,
    WINDOW, /* comes, or goes if there is one of its number */
    FAIL,   /* several nodes and links at once */
    MOVE    /* of jobs that run, if they can go there */
};

struct mishap {
    tori_time at;
    enum mishap_kind kind;
    uint64_t tag;   /* of whom to cancel or change */
    int32_t change; /* its new priority, hold, estimate, or how much later it
                       may start */
    uint32_t node;
    tori_link link;
    tori_placement place; /* of a window, for all but the tag, from `change`
                             ticks later on */
    uint64_t count; /* ... of so many nodes, if not 0 */
    tori_time length;
    bool value;     /* down or up again */
};

enum estimates {
    EXACT, /* the runtime */
    OVER,  /* the runtime or more */
    ANY    /* or less */
};

struct stream {
    uint64_t seed;
    tori_machine *machine;
    struct stream_job *jobs; /* by submission */
    size_t njobs;
    struct mishap *mishaps; /* by time */
    size_t nmishaps;
    bool levels; /* those that gave way may wait in front of who starts */
};

struct stream_options {
    unsigned takes; /* TORI_BY_SHAPE, TORI_BY_COUNT */
    size_t jobs;
    size_t cancels;
    size_t mishaps; /* other than cancels and ... */
    size_t windows; /* that come, and may go */
    size_t moves;   /* of jobs that run, by the driver */
    size_t failures; /* of several at once, and some jobs are repaired */
    size_t changes; /* of jobs, which then have priorities and more */
    unsigned choices; /* per cent of the jobs have alternatives, and ... */
    unsigned patience; /* ... per cent of these do not take them at once */
    unsigned limits;  /* per cent may use only some of the nodes */
    bool levels;    /* some take the place of others */
    enum estimates estimates;
    uint32_t max_nodes;
    bool pods; /* the machine is a small pod */
};

/* A small machine of any kind but a pod, or a pod, and jobs that crowd it, with ties in their
 * times. A few can never run. */
void stream_create (struct stream *stream, uint64_t seed,
                    const struct stream_options *options);
void stream_destroy (struct stream *stream);

/* A link of a machine that has one. */
tori_link random_link (struct rng *rng, const tori_machine *machine);

/* ---- playing ---- */

struct play_options {
    const char *policy;
    tori_order order;
    const char *alloc;
    const char *counts; /* the allocator of counts, or NULL */
    uint32_t flags;     /* of the scheduler */
    uint32_t depth; /* 0: the policy's own */
    tori_time move; /* what a move costs */

    uint32_t work;  /* as in the configuration; each run is then finished */

    bool ask;      /* for all reservations after every run */
    bool promises; /* they are kept: no mishaps, nobody outlives estimates */
    bool lazy;     /* do not run at every instant */
    bool naive;    /* compare with naive_sched, if it has the policy */
    bool every_tick; /* ... as it is told there */
    bool restart;  /* after every run go on with a scheduler that was rebuilt
                      from what the other says of its jobs */
    bool file;     /* ... by way of a snapshot, as text */
    bool copy;     /* before every run go on with a copy */
};

/* Play the stream; returns the transcript of decisions, which the caller
 * frees. */
char *play (const struct stream *stream, const struct play_options *options);

enum { PLAY_ORDERS = TORI_ORDER_LARGEST + 1 };

/* A policy against its definition, with every allocator that has one, in all
 * orders by turns: so many streams for each, from this seed on. The options
 * say how else. */
void play_compare (uint64_t seed, size_t streams, const char *policy,
                   struct stream_options options, struct play_options how);

/* The same for every policy with one allocator. If there are few streams, the
 * scheduler is rebuilt after every run, every other time from a file. */
void play_policies (uint64_t seed, size_t streams,
                    struct stream_options options, struct play_options how);

/* For the tests that play: says which stream it was that failed. */
int play_teardown (void **state);

/* The stream as a workload of the simulator: a tick of it is a second. */
void workload_of (const struct stream *stream, tori_workload *work);

#endif

/* holds_parts.h - the inside of holds.h: the jobs, and the limits that they
 * count for. holds.c has dependencies and arrays, hold_limits.c has limits. */
#ifndef TORI_LIVE_HOLDS_PARTS_H
#define TORI_LIVE_HOLDS_PARTS_H

#include "holds.h"

/* The share of all jobs of one user, of one queue, or of one user in one
 * queue. */
struct limit_share {
    const char *name; /* or NULL */
    tori_snapshot_limits most;
    const tori_snapshot_queue *hours; /* the queue that has any, or NULL */
    bool open;                        /* ... is open ... */
    tori_time changes;                /* ... until then, or closed */
    int64_t more;            /* priority that jobs get when they are not held */
    uint64_t running, nodes; /* of running jobs, and of those taken */
    bool closed;             /* no further job is taken */
    bool known;              /* a job ended: */
    uint64_t last;           /* its tag */
};

struct held_job {
    uint64_t tag;
    tori_job job;
    const tori_snapshot_job *rule; /* or NULL */
    bool gone;
    bool kept;         /* its hold has no rule, and stays */
    bool touched;      /* its hold may change */
    bool rests;        /* the last review has left it waiting for a limit */
    size_t open;       /* jobs that it waits for */
    bool array_waits;
    bool limited;      /* it waits for a limit, or ... */
    bool shut_out;     /* ... for its queue to open */
    uint64_t nodes;    /* that it may get at most */
    int64_t priority;  /* when it is not held */
    tori_time earliest;
    struct limit_share *user, *queue, *pair;
    tori_condition condition;
};

/* A job that waits for another. */
struct waiter {
    uint64_t awaited;
    size_t job;
    tori_after_kind kind;
};

struct leaving {
    size_t job;
    bool killed;
};

struct holds {
    tori_sched *sched;
    struct held_job *jobs; /* by tag */
    size_t n;
    size_t *order; /* those that are not gone, by priority */
    size_t norder;
    size_t *touched; /* those whose hold may change */
    size_t ntouched;
    struct waiter *waiters; /* by the tag of the awaited job */
    size_t nwaiters;
    struct limit_share *users, *queues, *pairs;
    size_t nusers, nqueues, npairs;
    struct leaving *leaving; /* scratch, with room for all */
    size_t nleaving;
    bool limits;      /* there are any */
    bool stirred;     /* the limits have to be looked at again */
    tori_time review; /* ... at this time at the latest */
    tori_time opens;  /* when a queue in which jobs wait opens or closes */
};

/* The nodes of the largest request of a job. */
uint64_t most_nodes (const tori_job_spec *spec);

/* ---- hold_limits.c ---- */

/* Give each job the shares of its user and its queue. */
int limits_open (struct holds *holds, const tori_snapshot *rules,
                 tori_error *err);

/* Whether a job counts for a limit, or its queue has hours. */
bool limits_apply (const struct held_job *it);

/* The addition to the priority of a job while it is not held. */
int64_t limits_penalty (const struct held_job *it);

/* A job has left its shares to others. */
void limits_leave (const struct held_job *it);

/* Find the jobs that have to wait for a limit, and those that need not any
 * more. */
void limits_review (struct holds *holds, tori_time now);

/* The hold of a job may change. */
void holds_touch (struct holds *holds, struct held_job *it);

#endif

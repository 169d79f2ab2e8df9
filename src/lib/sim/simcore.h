/* simcore.h - the inside of a simulation, shared by its files:
 *   sim.c      from event to event, and what is measured between them
 *   setup.c    the scheduler and what is kept of jobs, new or gone on with
 *   job_lifecycle.c  what the scheduler decides about jobs, and how they end
 */
#ifndef TORI_SIM_SIMCORE_H
#define TORI_SIM_SIMCORE_H

#include <tori/sim.h>

#include "failing.h"
#include "heap.h"
#include "ledger.h"
#include "measure.h"
#include "network.h"
#include "strike.h"

/* How long the head of the queue lacked nodes, or a box. */
struct delays {
    tori_time numerical, topological;
};

/* The data of a job from its submission on. */
struct career {
    tori_job job;
    bool measured; /* it has not run since before the simulation */
    bool runs;
    tori_time since;      /* it waits, or runs */
    tori_time end;        /* of a running job; there may be other events of it,
                           * which are void. Not known with a network */
    tori_time waited;     /* before */
    struct delays delays; /* while it waited */
    tori_time ran;
    tori_time before; /* work that was done before it was measured */
    uint32_t starts;
    uint32_t moves;
    uint32_t level;
    uint32_t failed; /* how often something failed under it */
    uint32_t held;   /* nodes of a running job */
    bool listed;     /* it has an entry ... */
    uint64_t entry;  /* ... of its last run, in the ledger */
};

struct sim {
    const tori_sim_config *config;
    const tori_workload *workload;
    tori_sched *sched;
    struct heap finishes; /* what: index of the job */
    struct failing failing;
    struct strike strike;
    size_t arrived; /* jobs submitted so far */
    tori_time now, last_finish;
    tori_time lively; /* when a job last ran or was yet to come */
    struct network *network; /* or NULL */

    struct career *careers; /* by job */
    struct ledger ledger;
    struct measures measures;
    size_t finished;

    struct delays delays; /* up to now */
    bool looked;
    node_time unusable;
    tori_sim_result result;
};

/* Make the scheduler and all else. sim_clear is needed in any case. */
int sim_set_up (struct sim *sim, tori_error *err);
void sim_clear (struct sim *sim);

/* A job waits from now on: it is new, or it was stopped. */
void sim_wait (struct sim *sim, struct career *career);

/* A job runs from now on, with the rest of its work according to the
 * scheduler: its end follows. */
int sim_run_on (struct sim *sim, size_t which, tori_error *err);

/* Let the scheduler run, and carry out its decisions; or carry out those that
 * it made about a failure. */
int sim_decide (struct sim *sim, tori_error *err);
int sim_carry_out (struct sim *sim, tori_error *err);

/* Whether a job is urgent: drawn at random, the same for the same seed. */
bool sim_is_urgent (const tori_sim_interrupts *how, const tori_work *work);

/* How late the scheduler hears of the end of a run. */
tori_time sim_lateness (const tori_sim_interrupts *how, const tori_work *work);

/* The next job that ends, or NULL. */
const struct event *sim_next_finish (struct sim *sim);

/* Jobs that end now. */
int sim_finish_due (struct sim *sim, tori_error *err);

/* Give up the first job in the queue, which nothing will ever make room
 * for. */
int sim_give_up_head (struct sim *sim, tori_error *err);

/* Whether the caller wants the simulation to stop: TORI_FAILED. */
int sim_check_stop (const tori_sim_config *config, tori_error *err);

#endif

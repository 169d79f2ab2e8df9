/* gangsim.h - time sharing against batch queues on the same jobs.
 *
 * Jobs arrive as a Poisson process and run for an exponential time, rounded up
 * to whole slots: a scheduler that gives slots cannot do less. Arrivals are
 * stretched until the offered load is what was asked for, exactly, so that a
 * run at 99 % is not one at 101 % by chance. The load counts partitions: a job
 * of 5 processors holds 8, for the tree cannot give fewer.
 *
 * Batch schedulers get the same jobs as counts of nodes anywhere, and their
 * exact run times as estimates: the best that can happen to them.
 */
#ifndef TORI_REPORT_GANGSIM_H
#define TORI_REPORT_GANGSIM_H

#include <tori/sim.h>

/* How sizes are distributed: the i-th, or NULL behind the last. */
struct gang_sizes {
    const char *name;
    const char *summary;
};

const struct gang_sizes *gang_sizes_list (size_t i);

/* The mean partition of jobs of the i-th distribution on so many nodes. */
double gang_sizes_mean (size_t i, uint32_t nodes);

struct gang_jobs {
    size_t sizes;   /* in that list */
    size_t n;
    double load;    /* above 0 */
    double service; /* mean, in slots, above 0 */
    tori_time slot;
    uint64_t seed;
};

int gang_workload (const tori_machine *machine, const struct gang_jobs *jobs,
                   tori_workload *ret_workload, tori_error *err);

/* Jobs of more than half of 2^i processors, up to 2^i. Means. */
struct gang_class {
    size_t jobs;
    double response; /* seconds */
    double wait;
    double slowdown;
};

enum { GANG_CLASSES = 31 };

struct gang_run {
    tori_sim_result result;
    struct gang_class class[GANG_CLASSES];

    /* Of the classes' mean slowdowns: the largest over the least, and Jain's
     * index, 1 if they are all the same. */
    double spread, fairness;
    tori_sim_gang_result tree; /* of gang */
};

/* Run a workload by a policy; `how` is for gang. */
int gang_run (const tori_machine *machine, const tori_workload *workload,
              const char *policy, const tori_sim_gang *how,
              struct gang_run *ret_run, tori_error *err);

#endif

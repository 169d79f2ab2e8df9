/* gangsim.h - time sharing against batch queues on the same jobs.
 *
 * Jobs arrive as a Poisson process and run for an exponential time, rounded up
 * to whole slots: a scheduler that gives slots cannot do less.
 *
 * The load counts partitions (gangparts.h): a job of 5 processors holds one of
 * 8, since the tree cannot give fewer. A machine on which all partitions are
 * held all the time has a load of 1. The processors that jobs asked for may be
 * fewer.
 *
 * A run begins with an empty machine and ends with the last job, so at both
 * ends the load is lower than stated. Jobs come in three parts: those of the
 * first warm the machine up, those of the second are measured, and those of
 * the third keep the load up until the measured jobs have ended. Time is
 * measured from the arrival of the first of the second part to that of the
 * first of the third. The arrivals of each part are stretched until its load
 * is exactly what was asked for, so that a run at 99 % does not become a run
 * at 101 % by chance.
 *
 * Batch schedulers get the same jobs as counts of nodes anywhere, and their
 * exact run times as estimates: the best case for them.
 */
#ifndef TORI_REPORT_GANGSIM_H
#define TORI_REPORT_GANGSIM_H

#include <tori/sim.h>

/* How sizes are distributed: the i-th, or NULL past the end. */
struct gang_sizes {
    const char *name;
    const char *summary;
};

const struct gang_sizes *gang_sizes_list (size_t i);

struct gang_jobs {
    size_t sizes;    /* in that list */
    size_t n;
    double load;     /* above 0 */
    double service;  /* mean, in slots, above 0 */
    double warm_up;  /* the first and the last part, each, of all jobs; below
                        a half */
    uint32_t degree; /* of the tree; 0: 2 */
    tori_time slot;
    uint64_t seed;
};

/* About how many jobs it takes until the results do not depend on the length
 * of the run: enough for a run that is 200 times as long as a job, and ten
 * times as long as a queue at this load remembers. From GANG_JOBS_LEAST to a
 * million. */
enum { GANG_JOBS_LEAST = 20000 };
int gang_jobs_enough (const tori_machine *machine,
                      const struct gang_jobs *jobs, size_t *ret_n,
                      tori_error *err);

struct gang_work {
    tori_workload workload;
    tori_sim_window window;
    double asked; /* processors that the jobs that are measured ask for, of
                     those that they hold */
};

/* Draw the jobs. TORI_INVALID if the jobs to be measured arrive all at once,
 * as a single job does: there is no time to measure over. */
int gang_workload (const tori_machine *machine, const struct gang_jobs *jobs,
                   struct gang_work *ret_work, tori_error *err);
void gang_work_clear (struct gang_work *work);

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

    /* From the classes' mean slowdowns: the largest over the least, and Jain's
     * index, 1 if they are all the same. */
    double spread, fairness;
    double seconds;            /* that were measured */
    tori_sim_gang_result tree; /* of gang */
    const tori_sim_window *window;
};

/* Run a workload by a policy; `how` is for gang. */
int gang_run (const tori_machine *machine, const struct gang_work *work,
              const char *policy, const tori_sim_gang *how,
              struct gang_run *ret_run, tori_error *err);

#endif

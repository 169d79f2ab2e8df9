/* cell_jobs.h - the jobs of a cell, one by one: policies are compared on the
 * jobs that all of them ran.
 *
 * A policy that rejects its large jobs makes the others wait less. A mean over
 * the jobs that it ran would then speak for it.
 */
#ifndef TORI_CLI_CELL_JOBS_H
#define TORI_CLI_CELL_JOBS_H

#include <tori/sim.h>

/* Measures that each job has by itself. */
enum job_measure {
    JOB_RESPONSE,
    JOB_WAIT,
    JOB_BOUNDED_SLOWDOWN,
    JOB_DISTANCE, /* not a number for a job of one node */
    JOB_MEASURES
};

struct cell_jobs {
    size_t n;
    bool *ran; /* by job: to its end, and it is compared */
    bool *hopeless; /* by job: sim_run_is_hopeless, so it is not compared */
    uint8_t *fate; /* a tori_fate, when the simulation has ended */
    double *value[JOB_MEASURES];
    uint32_t *group; /* by job: which of the groups of the simulation it is in
                        (groups.h); NULL: there are none */
    tori_sim_columns columns; /* while the cell runs */
};

/* Room for n jobs, with their distances or without. Call cell_jobs_clear afterwards, also on failure. */
int cell_jobs_create (struct cell_jobs *jobs, size_t n, bool distances,
                      tori_error *err);
void cell_jobs_clear (struct cell_jobs *jobs);

/* Take the values from the columns, when the simulation has ended. */
void cell_jobs_take (struct cell_jobs *jobs, const tori_workload *workload);

/* The mean of a measure over some of the jobs; not a number if none has it. */
double cell_jobs_mean (const struct cell_jobs *jobs, const bool *among,
                       enum job_measure measure);

#endif

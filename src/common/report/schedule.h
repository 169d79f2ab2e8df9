/* schedule.h - the outcome of a workload, as a log in the Standard Workload
 * Format: the jobs in the order of their submission, with waits, owners, and
 * the meaning of the owners' numbers. A job that was rejected appears as
 * cancelled, without a runtime. */
#ifndef TORI_REPORT_SCHEDULE_H
#define TORI_REPORT_SCHEDULE_H

#include <tori/sim.h>

struct schedule;

/* Begin a schedule for the jobs of a workload, which must outlive it. */
int schedule_create (const char *path, const tori_workload *workload,
                     struct schedule **ret_schedule, tori_error *err);

/* A job has started. */
void schedule_add (struct schedule *schedule, const tori_sim_job *job);

/* Write it. `note` says in the header how the schedule came about. */
int schedule_commit (struct schedule *schedule, const tori_machine *machine,
                     const char *note, tori_error *err);
void schedule_destroy (struct schedule *schedule);

#endif

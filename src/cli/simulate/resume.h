/* resume.h - a simulation that writes a snapshot, or continues from one. */
#ifndef TORI_CLI_RESUME_H
#define TORI_CLI_RESUME_H

#include <tori/sim.h>
#include <tori/snapshot.h>

/* "TIME:FILE", as --snapshot has it. */
struct snapshot_at {
    tori_time time;
    const char *file; /* NULL: no snapshot is written */
};

int snapshot_at_parse (const char *text, struct snapshot_at *ret_at,
                       tori_error *err);

/* Write the snapshot of a simulated scheduler, whose tags are indexes of the
 * workload. Its jobs get the ids and submit times of the workload. */
int snapshot_save (tori_sched *sched, const tori_workload *workload,
                   const char *file, tori_error *err);

/* Whether jobs of a snapshot may be interrupted: some may preempt others, were
 * suspended, or move. */
bool resume_interrupts (const tori_snapshot *snapshot);

/* The workload of a snapshot: its own jobs, then those of the log that arrive
 * later. A job of the snapshot runs as long as the log says if it is in the
 * log, otherwise as long as its estimate. The tags of the snapshot become
 * indexes. Takes over the log. */
int resume_workload (tori_snapshot *snapshot, tori_workload *log,
                     tori_workload *ret_workload, tori_error *err);

#endif

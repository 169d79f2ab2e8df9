/* resume.h - a simulation that writes a snapshot, or continues from one. */
#ifndef TORI_CLI_RESUME_H
#define TORI_CLI_RESUME_H

#include <tori/sim.h>
#include <tori/snapshot.h>

/* "TIME:FILE", as --snapshot has it. */
struct snapshot_at {
    tori_time time;
    const char *file; /* NULL: none is wanted */
};

int snapshot_at_parse (const char *text, struct snapshot_at *ret_at,
                       tori_error *err);

/* Write the snapshot of a simulated scheduler, of which the tags are indexes
 * of the workload: its jobs have the ids, and the times of submission, that
 * they have there. */
int snapshot_save (tori_sched *sched, const tori_workload *workload,
                   const char *file, tori_error *err);

/* Whether jobs of a snapshot may be interrupted: some take the place of others,
 * were suspended, or move. */
bool resume_interrupts (const tori_snapshot *snapshot);

/* The workload of a snapshot: its own jobs, which run as long as the log says
 * where they are in it, and otherwise as long as their estimates; then those
 * of the log that come later. The tags of the snapshot become indexes. The log
 * is taken over. */
int resume_workload (tori_snapshot *snapshot, tori_workload *log,
                     tori_workload *ret_workload, tori_error *err);

#endif

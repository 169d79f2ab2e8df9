/* changes.h - what `tori what-if` changes about a scheduler, as typed. */
#ifndef TORI_REPORT_CHANGES_H
#define TORI_REPORT_CHANGES_H

#include <tori/snapshot.h>

#include "options.h"

struct changes {
    struct strings add, cancel;             /* SPEC; ID */
    struct strings priority, estimate;      /* ID=N; ID=TIME */
    struct strings hold, release;           /* ID */
    struct strings down, drain, up;         /* NODE or BOX */
    struct strings window;                  /* SPEC */
    const tori_snapshot_job *jobs;          /* added like those of `add` */
    size_t njobs;
};

/* An id that no job has, or has had as far as the snapshot knows: for a job
 * that is not there. */
uint64_t id_free (const tori_snapshot *snapshot);

/* Give the snapshot what its scheduler needs for the jobs that are added: an
 * allocator for what nobody has asked for yet, and reservations that are
 * places. The scheduler is that of the snapshot before. */
int changes_admit (const struct changes *changes, const tori_sched *sched,
                   tori_snapshot *snapshot, tori_error *err);

/* Make the windows; and then all other changes. The scheduler is that of the
 * snapshot. An error names the option. */
int changes_windows (const struct changes *changes, tori_sched *sched,
                     const tori_snapshot *snapshot, tori_error *err);
int changes_make (const struct changes *changes, tori_sched *sched,
                  const tori_snapshot *snapshot, tori_error *err);

#endif

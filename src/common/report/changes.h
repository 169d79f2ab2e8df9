/* changes.h - the changes of a what-if question to a scheduler.
 *
 * A change has the name of its kind, and a text with its object:
 *
 *     window     box=0,0,0/8x8x1,from=+1h,until=+3h or count=64,jobs=20,21
 *     cancel     20
 *     priority   20=5
 *     before     20=17
 *     estimate   20=1h30m
 *     hold       20
 *     release    20
 *     up         0,0,0 or a box; and down and drain
 *     add        shape=4x4x2,wiring=torus,estimate=1h,user=anna,queue=short
 *
 * They are made in this order, and within a kind in the order in which they
 * were added.
 */
#ifndef TORI_REPORT_CHANGES_H
#define TORI_REPORT_CHANGES_H

#include <jansson.h>

#include <tori/snapshot.h>

struct change {
    const struct change_kind *kind;
    char *where;   /* its name in errors, such as "--cancel" */
    uint64_t id;   /* of the job to change */
    int64_t value; /* the new priority or estimate, or another id */
    tori_box box; /* the nodes; without dimensions: ... */
    uint32_t count; /* ... so many nodes for a window */
    tori_snapshot_window window; /* the rest of it */
    tori_snapshot_job job;       /* the job to add */
};

struct changes {
    struct change *item;
    size_t n;
};

/* The name of the i-th kind; NULL past the end. */
const char *change_name (size_t i);

/* Add a change to a snapshot. `where` is the option or member of the change,
 * for errors. TORI_INVALID if there is no kind of this name. */
int changes_add (struct changes *changes, const tori_snapshot *snapshot,
                 const char *name, const char *where, const char *text,
                 tori_error *err);

void changes_clear (struct changes *changes);

/* An id that no job has, or has had as far as the snapshot knows. */
uint64_t id_free (const tori_snapshot *snapshot);

/* Extend the snapshot by what the added jobs need: an allocator for requests
 * of a new kind, and planned starts that are places. The scheduler is the one
 * made from the snapshot before. */
int changes_admit (const struct changes *changes, const tori_sched *sched,
                   tori_snapshot *snapshot, tori_error *err);

/* Make the windows; and then all other changes. The scheduler is that of the
 * snapshot. An error names the change. */
int changes_windows (const struct changes *changes, tori_sched *sched,
                     const tori_snapshot *snapshot, tori_error *err);
int changes_make (const struct changes *changes, tori_sched *sched,
                  const tori_snapshot *snapshot, tori_error *err);

/* After that: note the added jobs in the snapshot, for the limits of their
 * users and queues. Only a forecast uses it then. */
int changes_enroll (const struct changes *changes, tori_snapshot *snapshot,
                    tori_error *err);

/* Take the added jobs out of the changes, as a list of submissions; those for
 * another user have a member `user`. NULL without memory. */
json_t *changes_take_jobs (struct changes *changes,
                           const tori_machine *machine);

#endif

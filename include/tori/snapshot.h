/* tori/snapshot.h - a whole scheduler as a value, and as a file.
 *
 *     tori_snapshot *snapshot;
 *     tori_sched *sched;
 *     if (tori_snapshot_read ("morning.json", &snapshot, &err) < 0)
 *         ...
 *     if (tori_snapshot_sched (snapshot, NULL, &sched, &err) < 0)
 *         ...
 *     tori_sched_destroy (sched);
 *     tori_snapshot_destroy (snapshot);
 *
 * A snapshot holds what a scheduler knows: its machine and what is down, its
 * policy, which jobs run and where, which jobs wait, and what was promised to
 * them. A scheduler made from it decides from then on as the first one would
 * have, if that one had just run (tori_sched_adopt says why).
 *
 * A file is one JSON value:
 *
 *     {"tori_snapshot": 1, "machine": "torus:8x8x8", "now": 7200,
 *      "sched": "easy", "order": "submit",
 *      "alloc": {"shape": "first-fit", "count": "mm"},
 *      "down": ["0,1,2"], "drained": ["3,3,3/1x1x2"],
 *      "down_links": ["0,0,1-0,0,2"],
 *      "running": [{"id": 17, "shape": "4x4x2", "wiring": "torus",
 *                   "box": "0,0,0/4x4x2", "start": 100, "end": 3700},
 *                  {"id": 18, "count": 3, "start": 200, "end": 9000,
 *                   "nodes": ["1,2,3", "1,2,4", "1,2,5"], "movable": false}],
 *      "queue": [{"id": 20, "shape": "8x8x4", "wiring": "torus",
 *                 "estimate": 3600, "submit": 120,
 *                 "promise": {"start": 9000, "box": "0,0,0/8x8x4"}}]}
 *
 * Only `machine` is needed. A job that runs needs a place and an `end` or an
 * `estimate`; one that waits a `shape` or a `count`, and an `estimate`. A
 * place is a `box`, a list of `nodes`, or a list of `boxes`, each wired by
 * itself. Times are seconds, from 0 on, or texts: "1h20m", "9:00" (hours and
 * minutes, perhaps seconds), and where a point in time is meant "+1h20m" or
 * "-5m", from `now` on. In memory they are ticks, TORI_SECOND of which make a
 * second.
 *
 * Further members of a job: `fold` (rings: TORI_REQUEST_FOLD), `fixed` (its
 * shape may not be rotated), `wrap` (its box may wrap), `count` beside a shape
 * (how many nodes of it are wanted), `alternatives` (what it takes instead, in
 * order of preference: objects with a `shape` or a `count`, and `wiring`,
 * `fold`, `fixed` and `wrap`), `only` (the nodes and boxes that it may use, if not all), `priority`,
 * `earliest` (it does not start before), `hold` ("user" or another of
 * tori_hold_name), `box_wiring` (of a box that is not wired as `wiring` says,
 * nor need be), `links` (all that it has in the dimensions of a multi-torus
 * where it is wired around links that were down), `requeue` (it waits again when a node fails under it),
 * `repair` (it goes to another place then, if there is one), `checkpoint` (the
 * time between two checkpoints), `done` (the work that was saved before, a
 * part of its estimate), `lost` (how much later than by its estimate it ends,
 * because it was moved), `level` (it may take the place of jobs of a lower
 * one), `preempted` (what becomes of it when another takes its place, one of
 * tori_preempted_name), `suspended` (it was stopped and continues in this
 * place; `saved` is how much of `done` its last checkpoint has), `turn` (see
 * tori_job_spec), `movable`, `promise`, the reservation that it holds, `alias`,
 * its name in another system, such as "slurm:19", and `why`, for which that
 * holds it.
 *
 * Members with other names, or out of place, are ignored: newer versions may
 * have more. They are listed (`unknown`), for the name may be misspelt. Names
 * that begin with an underscore are for remarks, and are not listed.
 *
 * If jobs ask for shapes and for counts, there is an allocator for each. A
 * window has an `id`, a place or a `count`, `from`, `until` and `jobs`, the
 * ids of those that may run there. `places` says that reservations of counts
 * are places (TORI_SCHED_PLACES), as windows and levels require. `move` is
 * what a job loses when it is moved, and `moves` says that jobs are moved to
 * make room (TORI_SCHED_MOVES).
 *
 * A library built without jansson has none of these functions.
 *
 * The queue is in the order of `submit`. A job without one came with the job
 * listed before it. A higher priority goes first.
 */
#ifndef TORI_SNAPSHOT_H
#define TORI_SNAPSHOT_H

#include <stdio.h>

#include <tori/workload.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version that is written; older ones are read as well. */
enum { TORI_SNAPSHOT_VERSION = 1 };

/* At most this many unknown members are listed. */
enum { TORI_SNAPSHOT_UNKNOWN = 8 };

/* A job that runs or waits. */
typedef struct tori_snapshot_job {
    tori_job_spec spec; /* the tag is its id */

    /* Of one that runs: */
    tori_time start;
    tori_placement place;

    /* Of one that waits: */
    tori_time submit; /* -1 if that is not known */
    bool promised;    /* it holds a reservation: when, and where, which is
                         empty for a number of nodes */
    tori_time promised_at;
    tori_placement promised_place;
    tori_request *alternatives; /* those of its spec; and ... */
    uint64_t *only;             /* ... the nodes that it may use, or NULL */
    bool suspended;  /* it continues at `place`, and ... */
    tori_time saved; /* ... how much of `done` is saved */

    char *alias; /* its name in another system, for people; or NULL */
    char *why;   /* of one that is held: why, if somebody has said so; or NULL */
} tori_snapshot_job;

/* A place that is kept free for a time (tori_window). */
typedef struct tori_snapshot_window {
    char *id;
    tori_placement place; /* a box or nodes */
    tori_time from, until;
    uint64_t *tags; /* of jobs that may run there */
    size_t ntags;
    uint64_t count; /* of nodes, if it has no place yet */
} tori_snapshot_window;

/* Snapshots are made by this library alone, so members may be added at the
 * end. All that is in one belongs to it. */
typedef struct tori_snapshot {
    char *name; /* of the file, for messages; or NULL */
    tori_machine *machine;
    tori_time now;
    char *policy;
    tori_order order;
    uint32_t depth, work; /* as in tori_sched_config */
    char *alloc_shape, *alloc_count; /* allocators; NULL: none was named */
    double epsilon; /* of these, as in tori_alloc_config */
    tori_hypercube hypercube;
    tori_noncubic noncubic;
    uint64_t steps;

    tori_snapshot_job *running; /* by their expected end */
    size_t nrunning;
    tori_snapshot_job *queue; /* as listed */
    size_t nqueued;

    uint32_t *down; /* ascending, each once; and so are the others */
    size_t ndown;
    uint32_t *drained;
    size_t ndrained;
    tori_link *down_links;
    size_t ndown_links;

    tori_snapshot_window *windows;
    size_t nwindows;
    bool places; /* reservations of counts are places (TORI_SCHED_PLACES), as
                    they are where there are windows, or allocators for shapes
                    and for counts */
    tori_time move; /* as in tori_sched_config */
    bool moves;     /* jobs are moved to make room (TORI_SCHED_MOVES) */

    /* Members that mean nothing where they are, such as misspelt ones: where,
     * "queue[0].priorty", for the first TORI_SNAPSHOT_UNKNOWN of them. */
    char *unknown[TORI_SNAPSHOT_UNKNOWN];
    size_t nunknown; /* how many there are in all */

    uint64_t spacing; /* of the allocator for shapes, as in tori_alloc_config */
    char *slices;     /* the same; NULL: all */
} tori_snapshot;

/* Read a file, which gzip may have packed; "-" is standard input. TORI_FAILED
 * if it cannot be read, or without memory; TORI_INVALID for a file that is not
 * a snapshot or contradicts itself, with the place: "FILE:LINE: ..." for what
 * is not JSON, "FILE: running[3].box: ..." for the rest. No job may run on a
 * node or link that is down or held by another job, or have fewer nodes than
 * it asked for; none was submitted or started after `now`; ids are unique. */
int tori_snapshot_read (const char *path, tori_snapshot **ret_snapshot,
                        tori_error *err);

/* The same from memory; `name` stands for the file in messages. */
int tori_snapshot_parse (const char *text, size_t size, const char *name,
                         tori_snapshot **ret_snapshot, tori_error *err);

/* The snapshot of a scheduler, which should just have run, its decisions
 * fetched. The driver fills in when jobs were submitted, and what others call
 * them. Fails without memory. */
int tori_snapshot_take (tori_sched *sched, tori_snapshot **ret_snapshot,
                        tori_error *err);
void tori_snapshot_destroy (tori_snapshot *snapshot);

/* Write it as JSON, one job per line. The caller checks the stream for errors.
 * TORI_INVALID for an id that is not a JSON integer (2^63 or more), and
 * TORI_FAILED without memory. */
int tori_snapshot_write (const tori_snapshot *snapshot, FILE *to,
                         tori_error *err);

/* The state of its machine: what is down or drained, and what runs there. The
 * machine of the snapshot must outlive it. */
int tori_snapshot_state (const tori_snapshot *snapshot, tori_state **ret_state,
                         tori_error *err);

/* Make the scheduler that the snapshot describes. A configuration, if not
 * NULL, is used instead of the snapshot's (tori_sched_create), and all
 * promises are void. The tags of jobs are their ids. A job that can never run
 * is rejected by a decision. The machine of the snapshot must outlive the
 * scheduler. TORI_INVALID, with the place in the file, for an unknown policy
 * or allocator, or for a promise that could not have been made. */
int tori_snapshot_sched (const tori_snapshot *snapshot,
                         const tori_sched_config *config,
                         tori_sched **ret_sched, tori_error *err);

#ifdef __cplusplus
}
#endif

#endif

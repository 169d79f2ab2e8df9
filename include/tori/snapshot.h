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
 * policy, which jobs run and where, which jobs wait, and their planned starts.
 * If the scheduler had just run, a scheduler made from the snapshot decides
 * from then on as the first one would have (tori_sched_adopt says why).
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
 *                 "time_limit": 3600, "submit": 120,
 *                 "promise": {"start": 9000, "box": "0,0,0/8x8x4"}}]}
 *
 * Only `machine` is required. A running job needs a place, and an `end` or a
 * `time_limit`. A waiting job needs a `shape` or a `count`, and a
 * `time_limit`. A place is a `box`, a list of `nodes`, or a list of `boxes`,
 * each wired by itself. Times are seconds, from 0 on, or texts: "1h20m",
 * "1:20:30" or "2-12:00:00". For a point in time "9:00" is nine hours after 0,
 * and "+1h20m" and "-5m" count from `now`. In memory, times are ticks, TORI_SECOND of them
 * per second.
 *
 * Further members of a job: `fold` (rings: TORI_REQUEST_FOLD), `fixed` (its
 * shape may not be rotated), `wrap` (its box may wrap), `count` beside a shape
 * (how many nodes of it are wanted), `alternatives` (what it takes instead, in
 * order of preference: objects with a `shape` or a `count`, and `wiring`,
 * `fold`, `fixed` and `wrap`), `patience` (how long after `submit`, or after
 * `earliest`, it does not take them), `only` (the nodes and boxes that it may use,
 * unless it may use all), `priority`, `earliest` (it does not start before
 * this time), `hold` ("user" or another of tori_hold_name), `box_wiring` (the
 * wiring of its box, where that is not and need not be what `wiring` says),
 * `links` (all its links in the dimensions of a multi-torus where it is wired
 * around links that were down), `requeue` (it is requeued when a node fails
 * under it), `repair` (it then goes to another place, if there is one),
 * `checkpoint` (the time between two checkpoints), `done` (the work that was
 * saved earlier, part of its time limit), `lost` (how much later than its
 * time limit it ends, because it was moved), `tier` (it may take the place of
 * jobs of a lower tier), `preempted` (what becomes of it when another job
 * takes its place, one of tori_preempted_name), `suspended` (it was stopped
 * and continues in this place; `saved` is how much of `done` is in its last
 * checkpoint), `turn` (see tori_job_spec), `movable`, `promise` (its
 * planned start), `alias` (its name in another system, such as
 * "slurm:19"), and `why` (the reason for which that system holds it).
 *
 * Members by which a forecast releases held jobs (tori_forecast_by): `user`,
 * `queue`, `after` (a list such as ["ok:12", "any:13"]: the jobs that it waits
 * for), `array` (the id of the first job of its array), `array_limit` (how many
 * of the array may be under way at once) and `array_waits` (it waits for the
 * others). `late` is a job that came after the planned starts were made.
 * Beside the lists of jobs: `queues` (objects with `name`, `priority`,
 * `tier`, `preempted`, the limits `running` and `nodes`, the limits
 * `user_running` and `user_nodes` for each of its users, and `open`: objects
 * with `from` and `until`, the only times at which its jobs start; after the
 * last of these, the week before it repeats), `users` (objects
 * with `name` and `penalty`, what fair share takes from the priority of jobs
 * that are not held), `usage_weight` (what it takes from those of a user who
 * has used all that was used: without it there is no fair share, or it is not
 * known), and `user_limits` (`running` and `nodes` of each user).
 *
 * Members with other names, or in the wrong place, are ignored, because newer
 * versions may have more. They are listed (`unknown`), because the name may be
 * misspelt. Names that begin with an underscore are for remarks and are not
 * listed.
 *
 * If some jobs ask for shapes and others for counts, there is an allocator for
 * each. A member of the list `reservations` has an `id`, a place or a `count`,
 * `from`, `until` and `jobs`: the ids of the jobs that may run there. `places`
 * says that planned starts of counts are places (TORI_SCHED_PLACES), as
 * reservations and tiers require. `move` is the time that a job loses when it
 * is moved. `moves` says that jobs move to make room (TORI_SCHED_MOVES), and
 * `restarts` that a moved job continues from its last checkpoint
 * (TORI_SCHED_RESTARTS).
 * `next_id` is an id that no job has had, nor any higher one. The old names
 * `windows`, `estimate` and `level` are still read, and written beside the
 * others.
 *
 * A library that was built without jansson has none of these functions.
 *
 * The queue is in the order of `submit`. A job without one was submitted
 * together with the job listed before it. A higher priority goes first.
 */
#ifndef TORI_SNAPSHOT_H
#define TORI_SNAPSHOT_H

#include <stdio.h>

#include <tori/forecast.h>
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

    /* If it runs: */
    tori_time start;
    tori_placement place;

    /* If it waits: */
    tori_time submit; /* -1 if it is not known */
    bool promised;    /* it has a planned start: when it starts, and where
                         (empty for a number of nodes) */
    tori_time promised_at;
    tori_placement promised_place;
    tori_request *alternatives; /* those of its spec; and ... */
    uint64_t *only;             /* ... the nodes that it may use, or NULL */
    bool suspended;  /* it continues at `place`, and ... */
    tori_time saved; /* ... how much of `done` is saved */

    char *alias; /* its name in another system, for people; or NULL */
    char *why;   /* if it is held: the given reason; or NULL */

    char *user, *queue; /* for whose limits it counts; or NULL */
    tori_after *after;  /* the jobs that it waits for, ... */
    size_t nafter;      /* ... if they have not ended */
    uint64_t array;     /* jobs of an array have the same number, not 0. At */
    uint32_t array_limit; /* most so many are under way at once (0: any). */
    bool array_waits;     /* It waits for one of the others to end. */
    bool late; /* it came after the planned starts were made: a scheduler
                  learns of it last */
} tori_snapshot_job;

/* The most jobs that run at once, and the most nodes that they have; 0: any
 * number. */
typedef struct tori_snapshot_limits {
    uint64_t running, nodes;
} tori_snapshot_limits;

/* A time at which a queue is open: from the first tick on, until before the
 * last. */
typedef struct tori_snapshot_span {
    tori_time from, until;
} tori_snapshot_span;

/* A queue: the rules for its jobs. */
typedef struct tori_snapshot_queue {
    char *name;
    int64_t priority; /* added to that of each job */
    uint32_t tier;
    tori_preempted preempted;
    tori_snapshot_limits limits; /* of all its jobs together */
    tori_snapshot_limits each;   /* of its jobs of each user */
    tori_snapshot_span *open; /* when its jobs may start, ascending; NULL: at
                                 any time. After the last, the week before its
                                 end repeats. */
    size_t nopen;
} tori_snapshot_queue;

/* A user: what fair share takes from the priorities of the user's jobs that
 * are not held. */
typedef struct tori_snapshot_user {
    char *name;
    int64_t penalty;
} tori_snapshot_user;

/* A place that is kept free for a time (tori_window). */
typedef struct tori_snapshot_window {
    char *id;
    tori_placement place; /* a box or nodes */
    tori_time from, until;
    uint64_t *tags; /* of jobs that may run there */
    size_t ntags;
    uint64_t count; /* of nodes, if it has no place yet */
} tori_snapshot_window;

/* Only this library makes snapshots, so members may be added at the end.
 * Everything in a snapshot belongs to it. */
typedef struct tori_snapshot {
    char *name; /* of the file, for messages; or NULL */
    tori_machine *machine;
    tori_time now;
    char *policy;
    tori_order order;
    uint32_t depth, work; /* as in tori_sched_config */
    char *alloc_shape, *alloc_count; /* allocators; NULL if none was named */
    double epsilon; /* of these, as in tori_alloc_config */
    tori_hypercube hypercube;
    tori_noncubic noncubic;
    uint64_t steps;

    tori_snapshot_job *running; /* by their expected end */
    size_t nrunning;
    tori_snapshot_job *queue; /* as listed */
    size_t nqueued;

    uint32_t *down; /* ascending, each once; the same for the others below */
    size_t ndown;
    uint32_t *drained;
    size_t ndrained;
    tori_link *down_links;
    size_t ndown_links;

    tori_snapshot_window *windows;
    size_t nwindows;
    bool places; /* planned starts of counts are places (TORI_SCHED_PLACES);
                    always so with windows, or with allocators for shapes and
                    for counts */
    tori_time move; /* as in tori_sched_config */
    bool moves;     /* jobs move to make room (TORI_SCHED_MOVES) */
    bool restarts;  /* ... from their last checkpoint (TORI_SCHED_RESTARTS) */

    /* The places of members that mean nothing, such as misspelt ones:
     * "queue[0].priorty", for the first TORI_SNAPSHOT_UNKNOWN of them. */
    char *unknown[TORI_SNAPSHOT_UNKNOWN];
    size_t nunknown; /* how many there are in all */

    uint64_t spacing; /* of the allocator for shapes: see tori_alloc_config */
    char *slices;     /* the same; NULL: all */

    uint64_t next_id; /* no job had this id or a higher one when it was taken;
                         0: not known */

    tori_snapshot_queue *queues; /* the first is for jobs that name none */
    size_t nqueues;
    tori_snapshot_user *users; /* those with a penalty */
    size_t nusers;
    tori_snapshot_limits user_limits; /* of each user */

    /* The program's own among its policies, if any: see tori_snapshot_own.
     * What these point to must outlive the snapshot, and does not belong to
     * it. */
    const tori_alloc_ops *shape_ops, *count_ops;
    void *shape_arg, *count_arg; /* as in tori_alloc_config */
    const tori_order_ops *own_order; /* instead of `order` */

    int64_t usage_weight; /* what fair share takes at most from the priority of
                             a job; 0: there is none, or it is not known */
} tori_snapshot;

/* Allocators and orders of the program's own. A snapshot has them by their
 * names; the program says what it means by these. See tori_alloc_config for
 * `size`. */
typedef struct tori_snapshot_own {
    size_t size;
    const tori_alloc_config *const *allocs; /* each with its `ops` */
    size_t nallocs;
    const tori_order_ops *const *orders;
    size_t norders;
} tori_snapshot_own;

/* Read a file, which may be compressed by gzip; "-" is standard input.
 * TORI_FAILED if it cannot be read, or if memory runs out. TORI_INVALID for a
 * file that is not a snapshot or contradicts itself; the error says where:
 * "FILE:LINE: ..." if it is not JSON, "FILE: running[3].box: ..." otherwise.
 * No job may run on a node or link that is down or held by another job, or
 * have fewer nodes than it asked for. No job was submitted or started after
 * `now`. Ids are unique. */
int tori_snapshot_read (const char *path, tori_snapshot **ret_snapshot,
                        tori_error *err);

/* The same from memory; `name` stands for the file in messages. */
int tori_snapshot_parse (const char *text, size_t size, const char *name,
                         tori_snapshot **ret_snapshot, tori_error *err);

/* The same for a snapshot that may name allocators and orders of the program's
 * own. For the two functions above, such a name is unknown. */
int tori_snapshot_read_own (const char *path, const tori_snapshot_own *own,
                            tori_snapshot **ret_snapshot, tori_error *err);
int tori_snapshot_parse_own (const char *text, size_t size, const char *name,
                             const tori_snapshot_own *own,
                             tori_snapshot **ret_snapshot, tori_error *err);

/* Take the snapshot of a scheduler. It should just have run, and all its
 * decisions should be fetched. The driver fills in when jobs were submitted,
 * and what other systems call them; with an order of your own, the snapshot
 * already has the former. An allocator or an order of your own is in the
 * snapshot, and in a file by its name: tori_snapshot_read_own reads that.
 * Fails only if memory runs out. */
int tori_snapshot_take (tori_sched *sched, tori_snapshot **ret_snapshot,
                        tori_error *err);
void tori_snapshot_destroy (tori_snapshot *snapshot);

/* Whether a job has more nodes than a limit of its user or its queue allows at
 * all, so that it can never start, and which: "the user's limit of 4 nodes".
 * With alternatives the largest request counts. */
bool tori_snapshot_outgrown (const tori_snapshot *snapshot,
                             const tori_snapshot_job *job, char *text,
                             size_t size);

/* Write a snapshot as JSON, one job per line. The caller checks the stream for
 * errors. TORI_INVALID for an id that is not a JSON integer (2^63 or more);
 * TORI_FAILED if memory runs out. */
int tori_snapshot_write (const tori_snapshot *snapshot, FILE *to,
                         tori_error *err);

/* The same into memory. The text ends with a 0 that does not count in its
 * size; the caller frees it with free (). tori_snapshot_parse reads it. */
int tori_snapshot_format (const tori_snapshot *snapshot, char **ret_text,
                          size_t *ret_size, tori_error *err);

/* Make the state of its machine: what is down or drained, and what runs there.
 * The machine of the snapshot must outlive the state. */
int tori_snapshot_state (const tori_snapshot *snapshot, tori_state **ret_state,
                         tori_error *err);

/* Make the scheduler that the snapshot describes. A configuration, if not
 * NULL, is used instead of the snapshot's (tori_sched_create); all planned
 * starts are then void. The tags of jobs are their ids. A decision rejects
 * each job that can never run. The machine of the snapshot must outlive the
 * scheduler. TORI_INVALID, with the place in the file, for an unknown policy
 * or allocator, or for a planned start that could not have been made. */
int tori_snapshot_sched (const tori_snapshot *snapshot,
                         const tori_sched_config *config,
                         tori_sched **ret_sched, tori_error *err);

#ifdef __cplusplus
}
#endif

#endif

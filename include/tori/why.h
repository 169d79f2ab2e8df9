/* tori/why.h - why a job waits, and what would help.
 *
 *     static int show (void *arg, const tori_why *why)
 *     ...
 *     tori_why_each (sched, show, NULL, &err);
 *
 * For every waiting job: the one reason that counts, the evidence for it, and
 * the changes that would start the job now, each by itself.
 *
 * Reasons are checked in this order, and the first that applies is given: the
 * job starts; it is held (held) or may not start yet (not-yet); there is no
 * place for it among what is in service (nodes); fewer nodes are free than it
 * asks for (numerical); they are fragmented: enough are free, but not in such
 * a box (topological); such a box is free, but its links are taken (wiring);
 * it fits, but it may not overtake the jobs before it (order), it would run
 * into a reservation (window), or it would delay a planned start (reserved).
 * Whether it fits is judged at its turn: jobs after it in the queue that start
 * in the same run do not count. If a job makes others give way, all get
 * another turn, and the last one counts: then what has started before is
 * there. The planned start may be that of any other job, also of one after it,
 * which may have started since. `never` is the reason for jobs that were
 * rejected: they do not wait.
 *
 * Moves are tried where enough nodes are free but not in such a box, or where
 * the links of the box are not free. The moves are those of the fewest nodes,
 * as tori_room_make finds them, that delay no planned start and keep off
 * reservations. All jobs together share a limit of steps, so that a long queue
 * is explained in milliseconds. The first jobs of the queue get most of the
 * steps. On a pod there is such a limit for other shapes as well, and
 * everywhere for the jobs whose end is tried out: 48, or 768 for a few jobs.
 *
 * The start of a job is that of tori/forecast.h, so it includes jobs that take
 * the place of others and jobs that become eligible later.
 *
 * Every answer is for the scheduler's current time, after a run at that time.
 * The scheduler itself does not change. If other jobs would have to end or
 * move, the job also starts if that happens before the run. The same holds for
 * a change of its request if jobs may take the place of others (tiers), were
 * suspended, or move to make room, if the largest go first, or if the only
 * planned start of EASY is to be in another place: each such change is tried
 * in a copy of the scheduler, so many for all jobs together that a long queue
 * is explained quickly.
 */
#ifndef TORI_WHY_H
#define TORI_WHY_H

#include <tori/forecast.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A running job that stands in the way. */
typedef struct tori_blocker {
    tori_job job;
    uint64_t tag;
    uint32_t nodes; /* of the place that it holds; 0: only links */
} tori_blocker;

/* The kinds of change. */
typedef enum tori_change {
    TORI_CHANGE_WIRING,   /* another wiring of the same box */
    TORI_CHANGE_SHAPE,    /* another shape with as many nodes; of a `fixed`
                             shape also its sides in another order */
    TORI_CHANGE_COUNT,    /* fewer nodes, but at least half: the largest count or
                             box that starts; of a machine with more than 1,024
                             shapes not all are tried, but the largest free box
                             is */
    TORI_CHANGE_ESTIMATE, /* a shorter time */
    TORI_CHANGE_JOB,      /* another job ends: of those that can do it, the
                             one that loses the least work (its nodes times
                             the time that it has run), then the lowest
                             number; so not one that starts just now */
    TORI_CHANGE_MOVES     /* running jobs move */
} tori_change;

/* "wiring", "shape", "count", "estimate", "job", "moves"; NULL for anything
 * else. */
const char *tori_change_name (tori_change change);

/* A running job that would have to be moved. */
typedef struct tori_help_move {
    tori_job job;
    uint64_t tag;
    const tori_placement *from, *to;
} tori_help_move;

/* A change that starts the job now, if nothing else happens. */
typedef struct tori_help {
    tori_change change;
    tori_job_spec spec; /* what the job would have to ask for */
    tori_job job;       /* for TORI_CHANGE_JOB: the job that would have to
                           end */
    uint64_t tag;
    tori_placement place; /* where it would start; empty if this is not known,
                             as for a count */

    /* For TORI_CHANGE_MOVES: which jobs move, all stopped and then started
     * again (tori_sched_move_all), and how many nodes they have. */
    const tori_help_move *moves;
    size_t nmoves;
    uint64_t nodes;
} tori_help;

/* The most links that are listed. */
enum { TORI_WHY_LINKS = 16 };

/* Why a job waits. Only the library makes it, so members may be added at the
 * end. It is valid during the call. */
typedef struct tori_why {
    tori_job job;
    uint64_t tag;
    const tori_job_spec *spec;
    tori_reason reason;
    const char *aside; /* why a job is set aside (held, not-yet, nodes) or can
                          never run; or NULL */

    uint32_t free;   /* nodes that are free, and that it may use */
    tori_box largest; /* the largest free box, the first of them; ndims of its
                         shape is 0 if there is none */

    /* For a request for a box that does not start: the place that misses the
     * fewest nodes, the first of them, and what is in the way there. Empty if
     * the allocator does not answer with boxes, and for a job that may not use
     * all nodes. With alternatives, the best over all the boxes. */
    tori_placement place;
    uint32_t missing; /* nodes of the place that are not free */
    const tori_blocker *blockers; /* by the nodes that they hold, most first */
    size_t nblockers;
    const tori_link *links; /* of the place that are taken or down: the first
                               of them */
    size_t nlinks;
    const uint32_t *down; /* nodes of the place that are down or drained */
    size_t ndown;

    bool starts; /* it will start, as things are: when, and where (empty where
                    a number of nodes is reserved) */
    tori_time start;
    tori_placement start_place;

    const tori_help *helps;
    size_t nhelps;

    const tori_request *request; /* the one of its requests that the reason and
                                    the place are about: the one that misses
                                    the fewest nodes, the first of them */

    /* For order: the first job in the queue. For reserved: the job with
     * the planned start, if only one has any. Otherwise TORI_NO_JOB. */
    tori_job behind;
    uint64_t behind_tag;
    const char *window; /* for window: the first reservation that it would run
                           into, at `place` if there is one there */

    const tori_placement *suspended; /* for a job that was suspended: the place
                                        where it continues, which `place` is
                                        then, too; otherwise NULL */
    tori_condition condition; /* of its start, from tori_why_by */
    const tori_push *pushes;  /* the jobs that give way at its start */
    size_t npushes;

    /* For a job that still has patience: when that ends, and what it then takes
     * as well; `spec` has no alternatives until then. Otherwise 0. */
    tori_time patient_until;
    const tori_request *later;
    size_t nlater;

    uint32_t kept; /* of the free nodes: those that reservations which have
                      begun keep from it; none of them is in `largest` */
} tori_why;

/* Call `visit` for every waiting job, in the order of the queue. If `visit`
 * returns non-zero, stop and return that value. Returns -1 if memory runs out,
 * and for a time limit that tori_forecast_each refuses. */
int tori_why_each (const tori_sched *sched,
                   int (*visit) (void *arg, const tori_why *why), void *arg,
                   tori_error *err);

/* The same, only for jobs with one of these tags. This searches longer for
 * moves: it is for questions about one job, or a few. */
int tori_why_some (const tori_sched *sched, const uint64_t tags[], size_t n,
                   int (*visit) (void *arg, const tori_why *why), void *arg,
                   tori_error *err);

/* The same with the rules of a snapshot for held jobs, as tori_forecast_by;
 * without tags (NULL), for every waiting job. */
int tori_why_by (const tori_sched *sched, const struct tori_snapshot *rules,
                 const uint64_t tags[], size_t n,
                 int (*visit) (void *arg, const tori_why *why), void *arg,
                 tori_error *err);

/* The reason in a sentence, cut to `size` bytes. */
void tori_why_text (const tori_why *why, const tori_machine *machine,
                    char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif

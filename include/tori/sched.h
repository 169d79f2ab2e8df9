/* tori/sched.h - the scheduler: time comes in, decisions go out.
 *
 * The scheduler has no clock, starts no process and reads no file. Its driver
 * (the simulator, a service, a bridge to another resource manager) tells it
 * what happened and when, calls tori_sched_run, and carries out the decisions:
 *
 *     tori_decision decision = {.size = sizeof decision};
 *     tori_sched_finish (sched, now, job, &err);
 *     tori_sched_submit (sched, now, &spec, &job, &err);
 *     tori_sched_run (sched, now, &err);
 *     while (tori_sched_next (sched, &decision))
 *         ...
 *
 * Time is a whole number of ticks, of whatever length the driver likes. It
 * begins at 0 and never goes back. The same calls give the same decisions.
 *
 * A policy is one algorithm with a depth. The scheduler walks the queue in its
 * order and starts each job that can start. Each of the first `depth` jobs
 * that cannot start gets a planned start: the earliest time and place that the
 * estimates of the running jobs and the planned starts before it allow. A
 * later job may start only where it disturbs no planned start. `fcfs` stops at
 * the first job that cannot start; `backfill` has depth 0, `easy` 1,
 * `conservative` no limit; the configuration may set another depth. For a
 * request by shape, a planned start has a place, with its nodes and links. For
 * a request by count, or with an allocator that does not answer shapes with
 * boxes (mc), it has a number of nodes. If shapes and counts wait in one
 * queue, or with TORI_SCHED_PLACES, a planned start by count also has a place:
 * the nodes that the allocator would give.
 *
 * A reservation (tori_window) is a place that is kept free from one time to
 * another. No job starts that would, by its estimate, run into the
 * reservation, and no start is planned there. Jobs that are already running
 * continue.
 *
 * A job of a higher tier that cannot start in its turn may take the place of
 * running jobs of lower tiers. Once its victims have left, the job must have a
 * place where it disturbs no reservation and no planned start ahead of it in
 * the queue. It takes the victims that lose the least work (nodes times ticks
 * since the last checkpoint; a job that is suspended loses nothing, one that is
 * killed all that it has done), then the fewest. Planned starts after it in the
 * queue that are in its way are put off. There is a decision for every victim,
 * and then one that starts the job. A victim that is requeued keeps its old
 * place in the queue, and the walk over the queue begins again. The search has
 * a limit: tori_decision says whether its answer is proved. A victim whose
 * TORI_MOVE was not fetched yet moves before it goes.
 *
 * A suspended job waits for exactly the place that it had, and loses nothing:
 * all the work it did is `done`. It comes before the queue, so the same happens
 * under every policy. It continues as soon as its nodes and links are free,
 * before any waiting job is looked at: TORI_RESUME; what it has done then
 * counts as saved. Until then its place is kept for it from the time at which
 * that is expected to be free, by the estimates of the running jobs. For jobs
 * of its tier or a lower one this is like a reservation: they do not delay it,
 * and planned starts in its way are put off. A job of a higher tier may start
 * there, or suspend it again. Among suspended jobs those of higher tiers go
 * first, then those that come first in the queue. Reservations bind suspended
 * jobs, too, and nothing is kept for a job that is held or set aside. If a node
 * or link of the place goes down, the job waits for any place and continues
 * from its last checkpoint: TORI_REQUEUE.
 *
 * The scheduler keeps a planned start, with two exceptions. A job of a higher
 * tier may take the place. And only the first `depth` jobs of the queue have
 * planned starts: when a job comes to stand before them (it has a higher
 * priority, is released, or its earliest start has come), the last of them
 * loses its own. Under easy that is the only one, so the former first job may
 * start later than was planned; under conservative it happens to no job.
 * Otherwise a planned start slips only if the driver reports that the machine
 * shrank, or that a job outlived its estimate or got a longer one, or if its
 * time comes and the allocator gives up.
 *
 * Jobs that outlive their estimates do not change the order of the plan. Such
 * a job is expected to end in the next tick. Planned starts that have to wait
 * for it, for urgent or for suspended jobs, or whose time has passed, are put
 * off in the order of the queue:
 * each to the first time, not before its own, at which its place is free
 * beside the running jobs, the reservations, and the planned starts of jobs
 * before it. So no job starts if that delays an earlier one of the queue, and
 * jobs that are planned in the order of the queue start no later than planned
 * by more than the late jobs are late. A job that was to run before an earlier
 * one, in a gap that has become too small, runs after it. Then each job takes
 * an earlier start if there is one.
 *
 * With TORI_SCHED_MOVES, running jobs make room for the first job of the
 * queue. Suppose that no job can start, and that the first job asks for a box
 * that is not there although enough nodes are free. Then tori_room_make says,
 * within a few thousand steps, which jobs to move so that it fits
 * (tori/room.h: all stop, then start in their new places). They are moved if
 * that gains more than it costs. The gain is the nodes of the job times the
 * time until its planned start, or without one until its earliest start by the
 * estimates. The cost is the nodes of the jobs that move times the `move` of
 * the configuration. There is a TORI_MOVE for each, and then one TORI_START.
 * No job moves to where it would run into a reservation or meet another job's
 * planned start, so no planned start is delayed. Jobs with TORI_JOB_STAYS
 * stay, and so do those that started or moved at this very time. A move saves
 * the work of a job: `done` is all it has done, its start is now, and it has
 * lost the time of a move. With TORI_SCHED_RESTARTS only the work up to its
 * last checkpoint is saved: `done` is that, and the rest counts as a cost, by
 * its nodes. For a job with alternatives, only its first request
 * counts. Only allocators that answer with boxes of exactly the shape make
 * room.
 *
 * A job is set aside if nodes or links are down and it would not fit even if
 * nothing ran. It keeps its place in the queue, but no job waits for it and it
 * has no planned start: under easy the first of the other jobs has one, and
 * fcfs continues with the others. The job rejoins the queue in the first run
 * after enough nodes or links are back in service. A drained node counts as
 * down until the driver says otherwise. tori_sched_look says which jobs are
 * set aside and why. The driver decides whether to cancel them.
 *
 * An allocator that searches (exact, ptas) may give up: TORI_GAVE_UP. The
 * scheduler then treats the job as one that does not fit now. The job waits,
 * and the others continue as the policy allows (with fcfs none may overtake
 * it). The allocator is asked again when something has become free, has come
 * up or has left the queue. On an idle machine that may never happen:
 * tori_sched_gave_up names the job, and the driver may cancel it.
 */
#ifndef TORI_SCHED_H
#define TORI_SCHED_H

#include <tori/alloc.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int64_t tori_time;
#define TORI_TIME_MAX INT64_MAX

/* The number of a job in its scheduler: 1, 2, 3 and so on, in the order in
 * which jobs were submitted or adopted. No number is given twice. Once a job
 * has finished, or has been cancelled or killed, calls with its number fail.
 * So a late message about it (such as that it ended, when it had already been
 * killed) never affects another job. */
typedef uint64_t tori_job;

/* The number of a rejected job. */
#define TORI_NO_JOB UINT64_MAX

/* The order in which the queue is walked; submission breaks ties. */
typedef enum tori_order {
    TORI_ORDER_SUBMIT,
    TORI_ORDER_SHORTEST, /* estimate */
    TORI_ORDER_SMALLEST, /* nodes: the fewest that the job would take */
    TORI_ORDER_LARGEST
} tori_order;

/* "submit", "shortest", "smallest", "largest"; NULL for anything else. Parsing
 * fails with TORI_INVALID for any other text. */
const char *tori_order_name (tori_order order);
int tori_order_parse (const char *text, tori_order *ret_order,
                      tori_error *err);

/* A waiting job, as an order of your own sees it. The library fills it in and
 * sets `size`; members may be added at the end. */
typedef struct tori_order_job {
    size_t size;
    uint64_t tag;        /* the driver's own name for the job */
    tori_time now;       /* the time at which the key is asked for */
    tori_time submit;    /* when the job was submitted */
    tori_time estimate;  /* as in tori_job_spec */
    uint64_t nodes;      /* the fewest that the job would take */
    const tori_request *request; /* as tori_sched_spec gives it */
} tori_order_job;

/* Flags of an order. */
enum {
    TORI_ORDER_AGES = 1 /* keys depend on `now`: they are asked for again in
                           every run at a later time */
};

/* An order of the queue of your own: put its address into a tori_sched_config,
 * and the scheduler and the simulator use it like any other. See
 * tori_alloc_config for `size`. The structure and its name must outlive the
 * schedulers made from it, and their copies.
 *
 * Jobs with a lower key go first. Submission breaks ties, and a higher
 * `priority` of a job goes before any key. A job gets its key when it is
 * submitted or adopted and when its estimate is changed. With TORI_ORDER_AGES
 * every waiting job gets a new key in each tori_sched_run at a later time. Jobs
 * that leave their place in the queue by that lose their planned starts, as
 * after tori_sched_set_priority, and the run makes new ones.
 *
 * The name is that of the order in snapshots. It must not be one of
 * tori_order_name. */
typedef struct tori_order_ops {
    size_t size;
    const char *name;

    /* Give the key of a job: any number but NaN. It must depend only on the
     * job and on what `arg` points to, or decisions are not reproducible.
     * Return 0, or -1 with an error; the call of the scheduler that asked then
     * fails with this error and changes nothing. */
    int (*key) (void *arg, const tori_order_job *job, double *ret_key,
                tori_error *err);
    void *arg;
    uint64_t flags; /* TORI_ORDER_AGES (none) */
} tori_order_ops;

typedef struct tori_sched_info {
    const char *name;
    const char *summary;
} tori_sched_info;

/* The i-th policy, or NULL past the end. */
const tori_sched_info *tori_sched_list (size_t i);

typedef struct tori_sched tori_sched;

/* A policy of your own: put its address into a tori_sched_config, and the
 * scheduler and the simulator use it instead of one of tori's. See
 * tori_alloc_config for `size`. The structure and its name must outlive the
 * schedulers made from it, and their copies.
 *
 * The scheduler keeps the queue in its order, knows what runs and what is free,
 * and checks every start. The policy says which jobs start. It plans no starts
 * of the scheduler's: jobs have none, so there are no reservations and no
 * suspended jobs, running jobs do not move to make room, and no job takes the
 * place of others. A snapshot cannot hold such a policy, and tori/why.h does
 * not know its reasons: both refuse with TORI_INVALID. */
typedef struct tori_policy_ops {
    size_t size;
    const char *name;

    /* Decide: start any of the n jobs that may start (`queue`, in its order:
     * those that wait and are not set aside), by tori_sched_start. This is
     * called once in each tori_sched_run, also if no job waits. It may look at
     * the scheduler in every way. It must not run or destroy it. The same
     * function decides for copies, so it must depend only on the scheduler and
     * on what `arg` points to. Return 0, or -1 with an error; the run then
     * fails with this error, and what was started stands. */
    int (*decide) (void *arg, tori_sched *sched, tori_time now,
                   const tori_job queue[], size_t n, tori_error *err);
    void *arg;
} tori_policy_ops;

/* How to make a scheduler; see tori_alloc_config for `size`. A member that is
 * 0 or NULL has the default in parentheses. */
typedef struct tori_sched_config {
    size_t size;
    const char *policy;             /* one of tori_sched_list (easy) */
    const tori_alloc_config *alloc; /* (first-fit, or cube-best on a pod; and
                                       for counts snake-bf, or row-bf) */
    tori_order order;
    uint32_t flags; /* TORI_SCHED_PLACES, ... (none) */
    uint32_t depth; /* how many waiting jobs have a planned start (that of
                       the policy); not for fcfs */
    uint32_t work;  /* how often one run may ask the allocator for a place, or
                       do what takes as long, roughly (no limit): see
                       tori_sched_unfinished */
    const tori_alloc_config *counts; /* the allocator for requests by count,
                                        if `alloc` is for those by shape and
                                        both wait in one queue (none) */
    tori_time move; /* ticks that a job loses when it is moved or repaired
                       (0) */
    const tori_order_ops *own_order; /* an order of your own, instead of
                                        `order` (none) */
    const tori_policy_ops *own_policy; /* a policy of your own, instead of
                                          `policy` (none); without a `depth` */
} tori_sched_config;

/* Flags of a scheduler. */
enum {
    TORI_SCHED_PLACES = 1, /* planned starts of counts have places;
                              reservations need this, and so do jobs with
                              alternatives or with a set of nodes that they
                              may use */
    TORI_SCHED_MOVES = 2,  /* running jobs move to make room when that gains
                              more node-time than it costs */
    TORI_SCHED_RESTARTS = 4 /* a job that moves continues from its last
                               checkpoint: the work after that is lost, and
                               a cost of the move */
};

/* C only: a temporary structure, valid until the end of the enclosing block:
 *
 *     tori_sched_create (machine, TORI_SCHED ("easy", TORI_ALLOC ("mm")), ...)
 */
#define TORI_SCHED(...)                                                       \
    (&(const tori_sched_config){.size = sizeof (tori_sched_config),           \
                                .policy = __VA_ARGS__})

/* Create a scheduler for an idle machine. The configuration may be NULL.
 * TORI_INVALID if there is no such policy, order, flag or allocator. The
 * machine must outlive the scheduler. */
int tori_sched_create (const tori_machine *machine,
                       const tori_sched_config *config,
                       tori_sched **ret_sched, tori_error *err);
void tori_sched_destroy (tori_sched *sched);

/* Copy a scheduler, for the same machine. The copy has the same jobs with the
 * same numbers. They run, wait and have planned starts as they do here. It
 * also has the same decisions that are not yet fetched. Later calls on one do
 * not affect the other. Fails only if memory runs out. */
int tori_sched_copy (const tori_sched *sched, tori_sched **ret_copy,
                     tori_error *err);

/* The complete configuration of a scheduler, and the last time that it was
 * given. The scheduler owns all that the configuration points to. The caller
 * sets its `size`, as for tori_sched_look. */
void tori_sched_get_config (const tori_sched *sched,
                            tori_sched_config *ret_config);
tori_time tori_sched_now (const tori_sched *sched);

/* The reason why a job is held. Values are added at the end. */
typedef enum tori_hold {
    TORI_HOLD_NONE,
    TORI_HOLD_USER,       /* its owner */
    TORI_HOLD_OPERATOR,   /* an operator */
    TORI_HOLD_DEPENDENCY, /* other jobs that have to end first */
    TORI_HOLD_ARRAY,      /* the limit of its array */
    TORI_HOLD_SHARE       /* its user's share or limit is used up */
} tori_hold;

/* "none", "user", "operator", "dependency", "array", "share"; NULL for
 * anything else. */
const char *tori_hold_name (tori_hold hold);

/* The fate of a job when a job of a higher tier takes its place. Values are
 * added at the end. */
typedef enum tori_preempted {
    TORI_PREEMPTED_REQUEUE, /* it is requeued, as by tori_sched_requeue */
    TORI_PREEMPTED_SUSPEND, /* it stops, and continues where it was */
    TORI_PREEMPTED_KILL,    /* it ends */
    TORI_PREEMPTED_NEVER    /* it is never preempted */
} tori_preempted;

/* "requeue", "suspend", "kill", "never"; NULL for anything else. */
const char *tori_preempted_name (tori_preempted preempted);

/* Flags of a job. */
enum {
    TORI_JOB_REQUEUE = 1, /* when a node or link fails under it, it is requeued
                             as by tori_sched_requeue */
    TORI_JOB_REPAIR = 2,  /* ... it moves to a place nearby, if there is one
                             (tori_sched_fail); otherwise as TORI_JOB_REQUEUE
                             says */
    TORI_JOB_STAYS = 4    /* it is not moved while it runs, except to repair
                             it */
};

/* The request and the attributes of a job; see tori_alloc_config for
 * `size`. */
typedef struct tori_job_spec {
    size_t size;
    tori_time estimate;   /* expected run time in ticks, at least 0 */
    uint64_t tag;         /* the driver's own name for the job */
    tori_request request; /* does not grow: tori/alloc.h */
    int64_t priority;   /* a higher one goes first, whatever the order (0) */
    tori_time earliest; /* it does not start before this time (0) */
    uint64_t turn;      /* breaks ties in the order of the queue; a lower one
                           goes first: what tori_sched_spec gave for the job in
                           another scheduler (0: it goes last) */
    uint32_t flags;     /* (none) */
    tori_hold hold;     /* it does not start until it is released (none) */
    tori_time checkpoint; /* ticks between two checkpoints of its work, the
                             first that long after its start (0: none) */
    tori_time done; /* ticks of its work that were saved earlier: only the rest
                       is left to run (0) */
    tori_time lost;     /* of an adopted job: ticks since its start that it
                           lost because it was moved (0) */
    uint32_t level; /* its tier: it may take the place of running jobs of a
                       lower tier (0) */
    tori_preempted preempted; /* what becomes of it when a job of a higher
                                 tier takes its place (requeue) */
    const tori_request *alternatives; /* requests that it accepts instead of
                                         `request`, in order of preference
                                         (none); copied */
    size_t nalternatives; /* at most TORI_MAX_ALTERNATIVES */
    const uint64_t *only; /* the nodes it may use, one bit for each as in
                             tori/room.h (NULL: all); copied */
    tori_time waited; /* ticks since it was submitted, if another scheduler
                         had it before: for its patience, and for an order of
                         your own (0) */
    tori_time patience; /* for so many ticks after it was submitted, or after
                           `earliest` if that is later, only `request` counts;
                           then the alternatives count as well (0) */
} tori_job_spec;

enum { TORI_MAX_ALTERNATIVES = 15 };

/* C only: a temporary structure, valid until the end of the enclosing block:
 *
 *     tori_sched_submit (sched, now, TORI_JOB (.request.count = 30), ...)
 */
#define TORI_JOB(...)                                                         \
    (&(const tori_job_spec){.size = sizeof (tori_job_spec), __VA_ARGS__})

/* All calls with a `now` fail with TORI_INVALID if `now` is earlier than in a
 * previous call, and for a job, node or link that does not exist. A failed
 * call changes nothing and does not advance time, except tori_sched_run. */

/* Submit a job. A job that can never run on this machine, or that asks for no
 * nodes, is not queued. A decision rejects it, and it gets TORI_NO_JOB. Fails
 * if memory runs out, and with TORI_INVALID for a negative time, for a shape
 * of more than TORI_MAX_DIMS dimensions, for an unknown wiring, flag, hold or
 * `preempted` value, and for a tier above 0 if the scheduler plans with
 * numbers of nodes rather than places (set TORI_SCHED_PLACES).
 *
 * If a job may use only some of the nodes, the others are out of service for
 * it. If it has no place among those it may use, it is set aside
 * (TORI_REASON_NODES). TORI_INVALID if the scheduler plans with numbers of
 * nodes rather than places.
 *
 * A job with alternatives is rejected only if none of its requests can ever
 * run. Those that cannot are dropped from its list. It starts with the first
 * request that fits. Its planned start is for the request that could start
 * earliest, or the first of these; when that time comes, it starts with that
 * request. To take the place of other jobs, it uses the first request for
 * which that is possible. TORI_INVALID if there are too many alternatives, or
 * if the scheduler plans with numbers of nodes rather than places.
 *
 * A job with patience waits for its first request at first. In the first run
 * at or after the end of its patience (see tori_sched_wake) it leaves the queue,
 * loses its planned start, and comes back to where it belongs, now with its
 * alternatives. It is as if it were cancelled then and submitted anew, with its
 * old turn. Patience has no effect if the job has no alternatives, or if its
 * first request can never run. */
int tori_sched_submit (tori_sched *sched, tori_time now,
                       const tori_job_spec *spec, tori_job *ret_job,
                       tori_error *err);

/* Take over a job that is already running, as after a restart of the driver.
 * It started at `start`, not after `now`, and holds the nodes and links of
 * `place`. The place is copied, and need not be what the allocator would give.
 * There is no decision for it.
 *
 * To rebuild a scheduler from what another lists (tori_sched_running_jobs and
 * tori_sched_queued_jobs, tori_sched_spec, tori_sched_reservation): adopt the
 * running jobs, in that order; set what is down or drained; submit the waiting
 * jobs, in their order; and give them the planned starts they had, with
 * tori_sched_reserve. If the other scheduler had just run, this one decides
 * from then on as the other would, whatever happens. Without the last step
 * that holds only for fcfs and backfill: the other policies plan anew and may
 * delay planned starts. Adopting a job voids all planned starts.
 *
 * Fails as tori_placement_hold does: with TORI_NOT_NOW if a node or link is
 * not free (a drained node is not, so drain it afterwards). Fails with
 * TORI_INVALID if the start is before 0 or in the future, and as
 * tori_sched_submit does. */
int tori_sched_adopt (tori_sched *sched, tori_time now,
                      const tori_job_spec *spec, tori_time start,
                      const tori_placement *place, tori_job *ret_job,
                      tori_error *err);

/* The same for a suspended job: it waits, and continues only at this place.
 * All the work it did is `done`; `saved` is how much of that is in its last
 * checkpoint. Also TORI_INVALID if more is saved than done, for a place that
 * this machine does not have, and if the scheduler plans with numbers of nodes
 * rather than places. */
int tori_sched_adopt_suspended (tori_sched *sched, tori_time now,
                                const tori_job_spec *spec, tori_time saved,
                                const tori_placement *place, tori_job *ret_job,
                                tori_error *err);

/* A running job has ended: its nodes and links are free again. TORI_INVALID if
 * no job of this number runs, as when it waits or has already ended. */
int tori_sched_finish (tori_sched *sched, tori_time now, tori_job job,
                       tori_error *err);

/* Take a job out of the queue, or end it if it runs. TORI_INVALID if it
 * neither waits nor runs. */
int tori_sched_cancel (tori_sched *sched, tori_time now, tori_job job,
                       tori_error *err);

/* Change a waiting job. It leaves the queue, loses its planned start, and
 * comes back to where it now belongs. TORI_INVALID if there is no such job or
 * value.
 *
 * A job that is held, or whose earliest start has not come, is set aside like
 * one that does not fit. It keeps its turn, but no job waits for it and it has
 * no planned start. It rejoins the queue in the first run at or after its
 * earliest start (see tori_sched_wake). TORI_HOLD_NONE releases a held job. */
int tori_sched_set_priority (tori_sched *sched, tori_time now, tori_job job,
                             int64_t priority, tori_error *err);
int tori_sched_set_hold (tori_sched *sched, tori_time now, tori_job job,
                         tori_hold hold, tori_error *err);
int tori_sched_set_earliest (tori_sched *sched, tori_time now, tori_job job,
                             tori_time earliest, tori_error *err);

/* Change the estimate, also of a running job: it counts from the job's start,
 * less what was `done` before. If the estimate is longer, planned starts
 * before the job's new end become void. */
int tori_sched_set_estimate (tori_sched *sched, tori_time now, tori_job job,
                             tori_time estimate, tori_error *err);

/* A running job was stopped, or could not be started. It is requeued, in its
 * old place in the queue. TORI_INVALID if no job of this number runs.
 *
 * A requeued job continues from its last checkpoint: `done` grows by the run
 * time up to that checkpoint, excluding time lost to moves. Its estimate stays
 * what it was, and so does its place in the order. It is expected to run for
 * the estimate less `done`, but at least one tick. */
int tori_sched_requeue (tori_sched *sched, tori_time now, tori_job job,
                        tori_error *err);

/* Running jobs are now in other places, as after `tori defrag`. Move one, or
 * several together, so that they can swap places. All of them leave before the
 * first arrives: what they held counts as free. Each is expected to end later,
 * by the `move` of the configuration. With TORI_SCHED_RESTARTS it continues
 * from its last checkpoint: its start is now, and `done` is what was saved.
 * Planned starts that meet a job in its new place become void; if they have numbers of nodes, those within the added
 * time do. The places are copied. They have as many nodes as the old ones and
 * the same wiring, but need not be what the allocator would give.
 *
 * TORI_INVALID if no job of such a number runs, if one is given twice, or for
 * a place that it cannot have; TORI_NOT_NOW if a node or link is not free. A
 * drained node is not free, even if the job held it. */
int tori_sched_move (tori_sched *sched, tori_time now, tori_job job,
                     const tori_placement *to, tori_error *err);
int tori_sched_move_all (tori_sched *sched, tori_time now,
                         const tori_job jobs[],
                         const tori_placement *const to[], size_t n,
                         tori_error *err);

/* Drain nodes, in one step. When no job is left on them, a TORI_DRAINED
 * decision with this tag says so. Nodes that return to service before that
 * (tori_sched_set_drained) no longer count. */
int tori_sched_drain (tori_sched *sched, tori_time now,
                      const uint32_t nodes[], size_t n, uint64_t tag,
                      tori_error *err);

/* A reservation. See tori_alloc_config for `size`. */
typedef struct tori_window {
    size_t size;
    const char *name;            /* unique among the reservations */
    tori_time from, until;       /* from < until */
    const tori_placement *place; /* nodes or a box; or NULL: any ... */
    const uint64_t *tags;        /* of jobs that may run there meanwhile */
    size_t ntags;
    uint64_t count; /* ... nodes, this many (ignored if there is a place) */
} tori_window;

/* Keep a place free. For a count, the nodes are chosen now, once and for all.
 * They are in service, and no other reservation keeps them meanwhile. First
 * come those that, by the estimates, no running job holds at `from`, and of
 * these the ones with the lowest ids. Everything is copied. Planned starts
 * that meet the reservation become void, and the next run makes others. A
 * reservation that is over is forgotten. TORI_INVALID if there already is a
 * reservation of this name, if it is already over or ends before it begins,
 * for a place that this machine does not have, for a count of 0 or of more
 * nodes than there are to choose from, and if the scheduler plans with numbers
 * of nodes rather than places (set TORI_SCHED_PLACES). */
int tori_sched_add_window (tori_sched *sched, tori_time now,
                           const tori_window *window, tori_error *err);
int tori_sched_remove_window (tori_sched *sched, tori_time now,
                              const char *name, tori_error *err);

/* One more job may run in a reservation. Admit the job before the next
 * tori_sched_run. TORI_INVALID if there is no reservation of this name. */
int tori_sched_admit (tori_sched *sched, tori_time now, const char *name,
                      uint64_t tag, tori_error *err);

/* The i-th reservation in the order in which they were added; false past the
 * end. Its contents are valid until the next call with a `now`. */
bool tori_sched_window (const tori_sched *sched, size_t i,
                        tori_window *ret_window);

/* The next time at which a run may start a job even if nothing else happens:
 * the earliest start of a job, the end of its patience, or the end of a
 * reservation. False if there is no such time. */
bool tori_sched_wake (const tori_sched *sched, tori_time *ret_time);

/* The first job in the queue, set aside or not; false if no job waits. */
bool tori_sched_head (const tori_sched *sched, tori_job *ret_job,
                      uint64_t *ret_tag);

/* A node or link goes down or comes up. Going down is a failure, as in
 * tori_sched_fail. A drained node keeps its job but takes no other. */
int tori_sched_set_down (tori_sched *sched, tori_time now, uint32_t node,
                         bool down, tori_error *err);
int tori_sched_set_drained (tori_sched *sched, tori_time now, uint32_t node,
                            bool drained, tori_error *err);
int tori_sched_set_link_down (tori_sched *sched, tori_time now,
                              const tori_link *link, bool down,
                              tori_error *err);

/* The same for several nodes in one step, which looks at the planned starts
 * once. A drain that loses all its nodes so is not reported. Nodes that go down
 * together are for tori_sched_fail. */
int tori_sched_set_all_up (tori_sched *sched, tori_time now,
                           const uint32_t nodes[], size_t n, tori_error *err);
int tori_sched_set_all_drained (tori_sched *sched, tori_time now,
                                const uint32_t nodes[], size_t n, bool drained,
                                tori_error *err);

/* Nodes and links fail together. For each running job that holds one of them,
 * a decision says what becomes of it. It is killed, or it is requeued
 * (TORI_JOB_REQUEUE); its other nodes and links are then free at once. With
 * TORI_JOB_REPAIR it moves.
 *
 * The jobs take their turn in the order of tori_sched_running_jobs.
 * tori_room_repair says where each goes (tori/room.h), within a few thousand
 * steps: a box goes to the free place that has the most nodes in common with
 * the old one, and a list of nodes keeps those that are up. A job does not go
 * where it would run into a reservation. It also avoids the nodes of planned
 * starts before its own end, if there is another place. If there is none, the
 * planned starts that it meets become void, since a repair goes first. At
 * depth 1 the one planned start is made anew whenever it is needed, and no
 * repair avoids it. The job starts again from its last checkpoint: `done`
 * grows as after tori_sched_requeue, its start is now, and it has lost the
 * `move` of the configuration. */
int tori_sched_fail (tori_sched *sched, tori_time now, const uint32_t nodes[],
                     size_t n, const tori_link links[], size_t nlinks,
                     tori_error *err);

/* Decide. After a failure (memory runs out, or an allocator of your own gives
 * a wrong answer) nothing is lost: decisions made so far stand, and another
 * call continues.
 *
 * The cost of a run: if nothing has changed since the last run, it looks only
 * at jobs that came since. Otherwise fcfs asks the allocator once, for the
 * first waiting job. backfill and easy ask at most once for every different
 * request that waits, and again for those that a planned start keeps out.
 * After something went down or came up, every different request is asked for
 * once more, on the machine without jobs. conservative plans every waiting
 * job. By count that is cheap: thousands of jobs in milliseconds. By shape,
 * the number of times at which a job must be refused grows with the queue. So
 * the first run takes time nearly proportional to the square of the queue: 0.2
 * seconds for 800 jobs of which hardly any two are alike on torus:16x16x16,
 * two seconds for 3,000. Later runs look only at jobs that may use what became
 * free: at none, if jobs start as planned and end as estimated. */
int tori_sched_run (tori_sched *sched, tori_time now, tori_error *err);

/* Start a waiting job, while the `decide` of a policy of your own runs: at
 * `place`, which is copied, or where the allocator puts it if that is NULL. The
 * place must be one that an answer of the allocator could be: as many nodes,
 * or a box of the shape and wiring. TORI_INVALID for any other place, for a job
 * that does not wait, and at any other time. TORI_NOT_NOW if the job is set
 * aside, if the place is not free, and if the allocator finds none. On failure
 * nothing has changed, and the policy may go on. */
int tori_sched_start (tori_sched *sched, tori_job job,
                      const tori_placement *place, tori_error *err);

typedef enum tori_decision_kind {
    TORI_START,
    TORI_REJECT, /* it can never run; `why` says why not */
    TORI_KILL,   /* it ends: a node or link under it went down, or another
                    job takes its place (`by`) */
    TORI_REQUEUE, /* the same, and it is requeued (TORI_JOB_REQUEUE, or
                     TORI_PREEMPTED_REQUEUE) */
    TORI_DRAINED, /* no job is left on nodes that were drained */
    TORI_MOVE,    /* a running job continues in another place: `place` */
    TORI_SUSPEND, /* a running job stops; it waits, and continues only where it
                     was */
    TORI_RESUME   /* ... it continues there */
} tori_decision_kind;

/* The caller sets `size`, as for tori_sched_look. */
typedef struct tori_decision {
    size_t size;
    tori_decision_kind kind;

    /* For a kill, requeue or move because of a failure: the node that went
     * down, or TORI_NO_NODE and the link. */
    tori_link link;
    uint32_t node;

    bool least; /* for a start in the place of others: it is proved that no
                   other victims lose less */

    tori_job job; /* for a kill, the number that the job had; for a reject
                     or a drain, TORI_NO_JOB */
    uint64_t tag;
    const tori_placement *place; /* for a start or move, or where a job
                                    resumes; valid until the job ends or
                                    moves */
    const char *why; /* for a reject; valid until the next call */
    tori_job by; /* the job for whose sake it is killed, requeued, suspended or
                    moved; otherwise TORI_NO_JOB */
} tori_decision;

/* No node. */
#define TORI_NO_NODE UINT32_MAX

/* The next decision not yet fetched, in the order they were made:
 *
 *     tori_decision decision = {.size = sizeof decision};
 *     while (tori_sched_next (sched, &decision))
 *         ...
 *
 * False if no decision is left. If the size is not set, this is false as well,
 * and the next tori_sched_run fails with TORI_INVALID and names the structure.
 * The same holds for all calls below and above that fill in a structure which
 * begins with its size. */
bool tori_sched_next (tori_sched *sched, tori_decision *ret_decision);

/* The same for up to n decisions at once, into an array. Only the size of the
 * first is set before; the others lie that many bytes apart and get it, too.
 * Returns how many there were: fewer than n if no decision is left. */
size_t tori_sched_fetch (tori_sched *sched, tori_decision ret_decisions[],
                         size_t n);

/* Why a job waits. Values are added at the end. */
typedef enum tori_reason {
    TORI_REASON_UNKNOWN,     /* something has changed since the last run */
    TORI_REASON_STARTS,      /* nothing keeps it: it starts now */
    TORI_REASON_NUMERICAL,   /* not enough free nodes */
    TORI_REASON_TOPOLOGICAL, /* fragmented: enough, but not in such a box */
    TORI_REASON_WIRING,      /* such a box is free, its links are taken */
    TORI_REASON_RESERVED,    /* it would delay another job's planned start */
    TORI_REASON_WINDOW,      /* it would run into a reservation */
    TORI_REASON_ORDER,       /* no job may overtake those before it; or a
                                policy of your own does not start it */
    TORI_REASON_HELD,        /* it is held */
    TORI_REASON_NOT_YET,     /* it may not start before a later time */
    TORI_REASON_NODES,       /* no place among the nodes and links in service
                                that it may use, even if nothing ran */
    TORI_REASON_NEVER,       /* no place even on the whole machine */
    TORI_REASON_GAVE_UP      /* the allocator gave up on it */
} tori_reason;

/* "unknown", "starts", "numerical", "topological", "wiring", "reserved",
 * "window", "order", "held", "not-yet", "nodes", "never", "gave-up"; NULL for
 * anything else. */
const char *tori_reason_name (tori_reason reason);

/* Why the first job of the queue that is not set aside waits, as of the last
 * run: TORI_REASON_NUMERICAL, TORI_REASON_GAVE_UP or, for anything else,
 * TORI_REASON_TOPOLOGICAL. TORI_REASON_UNKNOWN when there is no such job. */
tori_reason tori_sched_blocked (const tori_sched *sched);

/* Whether the last run stopped at the configuration's limit of `work` and left
 * part of the queue for the next: a job that it has not looked at may have
 * TORI_REASON_UNKNOWN. With a limit, a submission never asks the allocator, and
 * the next run looks whether the job has to be set aside. Another run, at the same time or later,
 * continues there. If nothing has happened in between, the decisions are those
 * of a run without a limit. If something has, the run starts again with the
 * first job. */
bool tori_sched_unfinished (const tori_sched *sched);

/* The first job that the allocator gave up on in the last run, if it still
 * waits, and what the allocator said (valid until the next call). False if
 * there is no such job. */
bool tori_sched_gave_up (const tori_sched *sched, tori_job *ret_job,
                         uint64_t *ret_tag, const char **ret_why);

size_t tori_sched_queued (const tori_sched *sched);
size_t tori_sched_running (const tori_sched *sched);
const tori_state *tori_sched_state (const tori_sched *sched);

/* List the waiting jobs in the order of the queue (there are tori_sched_queued
 * of them), and the running jobs by expected end, start and turn
 * (tori_sched_running). The array must have room for all of them. Returns
 * their number. Listing the queue sorts it; the running jobs are only copied.
 */
size_t tori_sched_queued_jobs (const tori_sched *sched, tori_job ret_jobs[]);
size_t tori_sched_running_jobs (const tori_sched *sched, tori_job ret_jobs[]);

/* Which running job is expected to end next, and when; the time is in the past
 * if the job has outlived its estimate. False if nothing runs. */
bool tori_sched_next_end (const tori_sched *sched, tori_time *ret_time,
                          tori_job *ret_job);

typedef enum tori_job_phase {
    TORI_JOB_QUEUED,
    TORI_JOB_RUNNING
} tori_job_phase;

/* The state of a job. */
typedef struct tori_job_info {
    size_t size;
    uint64_t tag;
    tori_job_phase phase;

    /* For a waiting job: why it waits, as of the last run. TOPOLOGICAL also if
     * only links are missing; NODES if it is set aside. With ORDER it is not
     * known whether the job would fit; with RESERVED, whether it still would.
     */
    tori_reason waits;
    const char *aside; /* if it is set aside: why, as a fixed text */

    /* For a running job: */
    tori_time start;
    tori_time end; /* by its estimate; in the past if the job has outlived
                      it */
    const tori_placement *place; /* valid until it ends or moves; otherwise
                                    NULL */

    /* For a suspended job: where it continues, valid while it waits (otherwise
     * NULL), and how much of its `done` is in its last checkpoint. */
    const tori_placement *suspended;
    tori_time saved;
} tori_job_info;

/* Look at a job, in constant time: what is known of it, and its spec as
 * submitted. The spec differs in three ways: the sides of a shape that may be
 * rotated ascend, the count is the number of nodes wanted of the shape, and
 * alternatives that can never run are left out. The caller sets `size` before:
 *
 *     tori_job_info info = {.size = sizeof info};
 *
 * All that the answers point to is valid until the next call with a `now`.
 * False if there is no job of this number; see tori_sched_next for a size that
 * is not set. */
bool tori_sched_look (const tori_sched *sched, tori_job job,
                      tori_job_info *ret_info);
bool tori_sched_spec (const tori_sched *sched, tori_job job,
                      tori_job_spec *ret_spec);

/* The planned start of a queued job, as of the last run. Returns 1 if it has
 * one: when the job starts at the latest if estimates hold and the plan is
 * kept (see above; tori/forecast.h knows more), and where (NULL for a number
 * of nodes). Returns 0 if it has none, and -1 if memory runs out, since easy
 * plans a start only when it is needed or asked for. Another call may succeed.
 */
int tori_sched_reservation (tori_sched *sched, tori_job job,
                            tori_time *ret_start,
                            const tori_placement **ret_place,
                            tori_error *err);

/* The i-th planned start, in the order of time, with its job, time and place
 * as above; false past the end. This computes nothing: a planned start that
 * was not needed yet is not there. These are enough to rebuild a scheduler. */
bool tori_sched_promised (const tori_sched *sched, size_t i, tori_job *ret_job,
                          tori_time *ret_start,
                          const tori_placement **ret_place);

/* Give a queued job the planned start that it had in another scheduler (see
 * tori_sched_adopt). It is kept as if this scheduler had made it, unless its
 * time has passed: then the job gets a new one when its turn comes. The place
 * is copied; it is NULL if tori_sched_reservation gave none. Whether it agrees
 * with the running jobs and with other planned starts is not checked.
 * TORI_INVALID if the policy gives the job no planned start, if the start is
 * before 0, if a place is given where none is needed or missing where one is,
 * and if the place is not on this machine or does not match the request: as
 * many nodes as the allocator gives, in a box of its shape and wiring that
 * wraps only if it may. */
int tori_sched_reserve (tori_sched *sched, tori_job job, tori_time start,
                        const tori_placement *place, tori_error *err);

#ifdef __cplusplus
}
#endif

#endif

/* core.h - the inside of a scheduler, shared by its files:
 *   names.c       the policies and orders by their names
 *   numbers.c     from the number of a job to its slot
 *   order.c       an order of the queue that the program brings along
 *   policy.c      a policy that the program brings along
 *   jobs.c        the jobs, and the list of running ones
 *   sched.c       events and decisions
 *   change.c      changes of existing jobs
 *   moves.c       running jobs that go to other places
 *   patience.c    jobs that first wait for one request, then take others
 *   ineligible.c  jobs that are set aside: held, too early, or without a
 *                 place beside what is down
 *   outages.c     nodes and links that go out of service, and come back
 *   failures.c    nodes and links that fail under jobs
 *   walk.c        one pass over the queue: which jobs start
 *   preempt.c     jobs that take the place of others
 *   suspend.c     jobs that were stopped and continue only where they were,
 *                 before the queue
 *   makeroom.c    jobs that move so that the first in the queue can start
 *   plan.c        planned starts; plan_search.c finds them, and plan_late.c
 *                 puts them off
 *   windows.c     places that are kept free from one time to another
 *   look.c        the jobs as a driver sees them
 *   copy.c        the configuration of a scheduler, and copies of it
 *   probe.c       would a job start if it asked for something else?
 *   restart.c     taking over from another scheduler
 *
 * Nearly all work is asking "does this request fit?" and finding that it does
 * not. Two counters keep the same question from being asked twice. The epoch
 * counts the events that could change the answer (something was released,
 * came up, or left the queue). Within an epoch, a request that did not fit
 * still does not fit (classes.h), nor does a larger one around it. Jobs that
 * were passed over in vain need not be looked at again (waiting.h).
 */
#ifndef TORI_SCHED_CORE_H
#define TORI_SCHED_CORE_H

#include <tori/room.h>
#include <tori/sched.h>

#include "classes.h"
#include "profile.h"
#include "waiting.h"

struct policy {
    tori_sched_info info;
    size_t depth; /* how many waiting jobs have a planned start by default */
    bool stop_at_blocked; /* no job overtakes another */
};

enum phase { QUEUED, RUNNING };

struct job {
    enum phase phase;
    uint32_t class;
    uint32_t asked; /* nodes; a box may have more */
    tori_job number;
    uint64_t tag;
    uint64_t turn; /* breaks ties in the order of the queue */
    int64_t priority;
    int64_t key; /* for an order of the program's own: order.c */
    tori_time submit;
    uint32_t flags;
    tori_hold hold;
    uint32_t level;
    tori_preempted preempted;
    bool suspended;  /* it waits for the place of its class, and ... */
    uint32_t home;   /* ... this class is what it asked for; */
    tori_time saved; /* the work that its last checkpoint has */
    tori_time earliest;
    tori_time patience; /* as in tori_job_spec; 0: it has none. Until it ends,
                         * the class is ... */
    uint32_t first;     /* ... this one, of its first request; then ... */
    uint32_t all;       /* ... that of all of them. It is a member of both. */
    tori_time estimate;
    tori_time checkpoint; /* as in tori_job_spec */
    tori_time done;
    tori_time length;      /* the rest of the estimate, at least 1: an instant
                            * counts */
    tori_time start;       /* for a running job */
    tori_time lost;        /* ... since then, by moves */
    tori_time end;         /* for a running job, by its estimate */
    tori_placement *place; /* for a running job */
    uint64_t walk;         /* for a running job: tori_sched.walks then */

    bool reserved;
    tori_time reserved_at;
    tori_placement *reserved_place; /* NULL for a count of nodes */
    tori_time hope_from, hope_until; /* before its planned start it can start
                                      * only at these times */
    const char *aside;               /* why it is set aside; otherwise NULL */
    tori_reason barred;              /* ... and as a code */
    job_slot next_vacant;            /* for a slot without a job */
};

/* The class of what a job asked for, suspended or not. */
static inline uint32_t home_of (const struct job *job)
{
    return job->suspended ? job->home : job->class;
}

enum { NO_OUTAGES = 1 };

struct running {
    tori_time end;
    job_slot job;
};

struct window;

/* The planned start of a waiting job, or a window. */
struct reservation {
    tori_time from, until;
    job_slot job;
    uint64_t *shadow; /* placement.h; or NULL */
    const struct window *window; /* or NULL: a job's planned start */
    bool doomed; /* it will be void: for plan_bar */
    bool late;   /* it was put off: for plan_put_off */
};

/* A place that an administrator keeps free (a reservation, for the user); or
 * the place of a suspended job, which is `is.job` (suspend.c). */
struct window {
    struct reservation is;
    char *name; /* NULL: the place of a suspended job */
    tori_placement place;
    uint64_t *tags; /* the jobs that may run there */
    size_t ntags;
};

struct made { /* a decision */
    tori_decision_kind kind;
    tori_job job;
    uint64_t tag;
    const tori_placement *place;
    const char *why;
    tori_job by;
    bool least;
    uint32_t node; /* what failed: this, or TORI_NO_NODE and ... */
    tori_link link; /* ... that */
    tori_placement *left; /* a place of its own, because the job has left it */
};

/* Jobs of a class and at least this length do not fit beside the planned
 * start. */
struct barred {
    uint32_t class;
    tori_time length;
};

/* The last search in vain for moves that let the first in the queue start. */
struct asked {
    uint64_t epoch;
    tori_job job;
    size_t running;
    tori_time now;
    bool vain; /* there were no moves, and time alone will not bring any */
};

/* A running job and its new place; after the move, its old place. */
struct transfer {
    job_slot slot;
    tori_placement place;
};

/* Nodes that were drained together and still have jobs. */
struct drain {
    uint64_t tag;
    uint32_t *nodes;
    size_t n;
};

struct tori_sched {
    const tori_machine *machine;
    const struct policy *policy;
    size_t depth; /* how many waiting jobs have a planned start */
    uint32_t flags;
    uint64_t work;  /* how many questions a run may put to the allocator; or
                     * other work that takes as long: sched_worked */
    tori_time move; /* the time that a job loses when it is moved */
    bool by_class; /* a lane for each class: see waiting.h */
    tori_order order;
    const tori_order_ops *own_order; /* or NULL */
    tori_order_ops own; /* the same in its present size */
    tori_time keyed;    /* when keys were last asked for in a run, or -1 */
    const tori_policy_ops *own_policy; /* or NULL */
    tori_policy_ops decides;           /* the same in its present size, */
    struct policy rules;               /* ... and as a policy of ours */
    bool deciding;                     /* ... while it decides */
    tori_alloc *alloc;
    tori_alloc *counts; /* for requests by count, if that is another one */
    bool placed;        /* planned starts have places, not only numbers of
                         * nodes */
    bool sure;          /* what is refused has no place */
    bool lasting;       /* futile searches are remembered: see futile.h */
    bool around;        /* a planned start avoids links that are down */
    tori_state *state;
    tori_time now;

    struct job *jobs;
    size_t njobs, jobs_room;
    job_slot vacant;      /* the first of the free slots, or NO_SLOT */
    tori_job next_number; /* of the next job */
    uint64_t last_turn;   /* the highest */
    struct numbers numbers;

    struct lanes lanes; /* the waiting jobs, except ... */
    struct queue aside; /* ... those that are set aside: ineligible.c */
    uint64_t outages;   /* changes of what is down or drained; NO_OUTAGES: none
                           yet */
    size_t nsuspended;  /* how many of these are suspended */
    tori_time early;    /* when the first of the jobs that are set aside as
                         * too early may start */
    tori_time impatient; /* when the patience of a job ends next, or before */
    struct drain *drains;
    size_t ndrains, drains_room;
    uint64_t reviewed;     /* the lanes are up to date with these outages; */
    uint64_t bare_outages; /* and so is this state, in which nothing runs */
    tori_state *bare;
    struct classes classes;
    struct running *running; /* by end, then start, then turn */
    size_t nrunning, running_room;

    struct made *made;
    size_t nmade, made_room, fetched;

    uint64_t epoch;
    uint32_t *refused; /* classes that the allocator refused in an epoch */
    size_t nrefused, refused_room;
    uint64_t refused_epoch;
    struct barred *barred; /* classes for which a single planned start was in
                            * the way in an epoch */
    size_t nbarred, barred_room;
    uint64_t barred_epoch;
    tori_time gain; /* the latest planned end of what came free unplanned since
                     * the last walk */
    bool let_go;    /* a job gave up its planned start since */
    bool loosened;  /* something came free that was not expected to, or may
                     * have, so that a job may start before its time */
    tori_time plotted; /* when a start was planned last, or -1 */
    uint64_t chances; /* grows with every change that may bring a new victim */
    struct asked asked; /* makeroom.c */
    tori_time overdue;  /* when a job was last found to have outlived its
                         * estimate */
    tori_reason blocked;
    uint64_t walked_epoch; /* the last walk was in this epoch, over ... */
    uint64_t walked;       /* ... the jobs with smaller numbers */
    uint64_t walks; /* how often a walk began again because jobs gave way */
    uint64_t questions; /* put to the allocator in this run, */
    uint64_t steps;     /* ... and steps that are part of no question */
    bool sliced;        /* a search for a planned start may stop at the limit */
    bool unfinished;    /* the last run stopped at its limit */
    bool gave_up;       /* the allocator gave up in the last run, first on this
                         * job */
    tori_job gave_up_job;
    tori_error gave_up_why;

    /* The name of a structure that the caller passed without its size, until
     * tori_sched_run reports it. Calls that only read note it through `self`,
     * perhaps in several threads. */
    const char *unsized;
    tori_sched *self;

    /* The plan, see plan.c. */
    struct reservation *reserved; /* all there are, by their begin */
    size_t nreserved, reserved_room;
    tori_time longest; /* no reservation lasts longer */
    struct window *windows;
    size_t nwindows, windows_room;
    size_t hopes;   /* jobs with a planned start that may start earlier */
    bool strained;  /* planned starts are yet to be put off: no memory, or
                     * something else is at their places now */
    size_t planned; /* entries in front whose planned starts are up to date */
    struct profile profile;
    bool profiled;         /* it is right for the present and the future */
    tori_time profiled_at; /* when it was made */
    tori_state *later;   /* scratch: the running jobs' state at some time */
    tori_state *crowded; /* scratch: a state with reservations blocked */
    tori_state *blank;   /* scratch: nothing runs */
    tori_state *limited; /* scratch: a state as a class sees it */
    uint64_t *shade;     /* scratch: the shadows of planned starts together */
    tori_time crowded_until; /* when the first that is blocked in `crowded`
                              * ends */
    bool crowded_now; /* `crowded` is the present state with all blocked */
};

/* A waiting job: its lane, and its position there. */
struct spot {
    uint32_t lane;
    size_t at;
};

static inline struct entry *entry_at (const tori_sched *sched,
                                      struct spot spot)
{
    return lanes_at (&sched->lanes, spot.lane, spot.at);
}

/* The number of entries before it; with several lanes only whether there are
 * any, because these have at most one planned start, that of the first. */
static inline size_t rank_of (const tori_sched *sched, struct spot spot)
{
    return sched->by_class
               ? lanes_head (&sched->lanes) != entry_at (sched, spot)
               : spot.at;
}

/* Some work was done for each of n jobs or classes, without the allocator: so
 * many of them take about as long as a question. */
enum { SCHED_STEPS = 1024 };

static inline void sched_worked (tori_sched *sched, size_t n)
{
    sched->steps += n;
}

/* Whether a run has used up its questions to the allocator, or as much time as
 * these take. */
static inline bool tired (const tori_sched *sched)
{
    return sched->questions + sched->steps / SCHED_STEPS >= sched->work;
}

/* The allocator for a request. */
static inline tori_alloc *alloc_for (const tori_sched *sched,
                                     const tori_request *request)
{
    return sched->counts && request->shape.ndims == 0 ? sched->counts
                                                      : sched->alloc;
}

static inline struct class *class_of (const tori_sched *sched, uint32_t class)
{
    return &sched->classes.all[class];
}

/* How many nodes a job wants at least. */
static inline int64_t sched_wants (const tori_sched *sched,
                                   const struct job *job)
{
    const struct class *class = class_of (sched, job->class);
    if (class->exact)
        return class->nodes;
    return class->asked_instead < job->asked ? class->asked_instead
                                             : job->asked;
}

/* ---- names.c ---- */

/* The policy of this name; NULL, and TORI_INVALID, if there is none. */
const struct policy *sched_policy (const char *name, tori_error *err);

/* ---- order.c ---- */

struct submission;

/* Take over the order of a configuration. */
int order_init (tori_sched *sched, const tori_sched_config *config,
                tori_error *err);

/* Ask for the key of a job that is submitted or adopted at this time. */
int order_submit (const tori_sched *sched, tori_time now, uint32_t class,
                  struct submission *own, tori_error *err);

/* Ask for the key that a job would have if it were of this class and had this
 * estimate. */
int order_key (const tori_sched *sched, const struct job *job, uint32_t class,
               tori_time estimate, tori_time now, int64_t *ret_key,
               tori_error *err);

/* Bring the queue into the order of the present time. */
int order_review (tori_sched *sched, tori_error *err);

/* ---- policy.c ---- */

/* Take over the policy of a configuration: one of ours, or the program's. */
int policy_init (tori_sched *sched, const tori_sched_config *config,
                 tori_error *err);

/* Let the program's policy decide. */
int policy_decide (tori_sched *sched, tori_error *err);

/* ---- jobs.c ---- */

/* A job as a driver describes it, extended to the present size of the
 * description, and its requests. */
struct submission {
    tori_job_spec spec;
    struct wish wish;
    uint32_t first, all; /* patience_find sets these, ... */
    int64_t key; /* ... order_submit this, ... */
    tori_time submit; /* ... and this */
};

/* Read a description. TORI_INVALID for requests that are not allowed. */
int jobs_read (const tori_sched *sched, const tori_job_spec *spec,
               struct submission *ret_submission, tori_error *err);

/* Room for one more job. */
int jobs_room (tori_sched *sched, tori_error *err);

/* A new job, which is to be queued. There is room. */
job_slot jobs_add (tori_sched *sched, const struct submission *submission,
                   uint32_t class);

/* Take back the job that was added last, as if it had never come. */
void jobs_take_back (tori_sched *sched, job_slot job);

/* A job is gone. */
void jobs_vacate (tori_sched *sched, job_slot job);

/* The job of this number if it is in this phase, otherwise NO_SLOT. */
job_slot jobs_in_phase (const tori_sched *sched, tori_job number,
                        enum phase phase);

/* The entry of a job in the queue. */
struct entry jobs_entry (const tori_sched *sched, job_slot job);

/* The remaining time of a job that has done a part of its estimate before. */
static inline tori_time job_length (tori_time estimate, tori_time done)
{
    return estimate > done ? estimate - done : 1;
}

/* Change the estimate of a job that is in no list. */
void jobs_set_length (struct job *job, tori_time estimate);

/* The work of a running job that is saved: what it had done before, and all up
 * to its last checkpoint. */
tori_time jobs_saved (const tori_sched *sched, const struct job *job);

/* The work of a running job that is done, saved or not; and what is left of it
 * after a move. */
tori_time jobs_worked (const tori_sched *sched, const struct job *job);
tori_time jobs_kept (const tori_sched *sched, const struct job *job);

/* Room for one more running job. */
int running_room (tori_sched *sched, tori_error *err);

/* List a job that runs from `start` on at a place, which it takes over; or
 * remove it from the list. There is room. */
void running_insert (tori_sched *sched, job_slot job, tori_placement *held,
                     tori_time start);
void running_remove (tori_sched *sched, job_slot job);

/* Change the estimate of a running job: list it by its new end. */
void running_set_length (tori_sched *sched, job_slot job, tori_time estimate);

/* A running job loses time: list it by its new end. */
void running_delay (tori_sched *sched, job_slot job, tori_time lost);

/* ---- sched.c ---- */

/* Whether the caller set the size of a structure that is to be filled in. If
 * not, the next tori_sched_run reports it, because most calls that fill in a
 * structure can only return false. */
bool sched_is_sized (const tori_sched *sched, const void *given,
                     const char *type);

/* Whether time may be `now`: TORI_INVALID if it goes back. A call checks that
 * first, and lets time go on when nothing can fail any more. */
int sched_check_time (const tori_sched *sched, tori_time now,
                      tori_error *err);
void sched_advance (tori_sched *sched, tori_time now);

/* Something changed: earlier findings need not hold any more. */
void sched_changed (tori_sched *sched);

/* Room to start a job at a place, also after others have left. The copy in
 * *ret_held takes over the contents of the placement. */
int sched_start_room (tori_sched *sched, const tori_placement *place,
                      tori_placement **ret_held, tori_error *err);

/* Start a waiting job where all has just been found free. `least`: it is
 * proved that as few victims as possible had to go. There is room. */
void sched_start (tori_sched *sched, job_slot job, tori_placement *held,
                  bool least);

/* Put a job into its lane, or aside if it is barred: its class has been
 * weighed. */
int sched_enqueue (tori_sched *sched, job_slot job, tori_error *err);

/* Room for n jobs of a class in its lane and aside: sched_enqueue will succeed
 * then, also after others have left. */
int sched_enqueue_room (tori_sched *sched, uint32_t class, size_t n,
                        tori_error *err);

/* Find the spot in which a job waits that is not set aside. */
struct spot sched_spot (const tori_sched *sched, job_slot job);

/* Take a job that waits out of its lane, or from aside. */
void sched_dequeue (tori_sched *sched, job_slot job);

/* A running job gives back what it holds: it runs no longer. */
void sched_release (tori_sched *sched, job_slot job);

/* A running job has ended, by itself or because it was cancelled or killed. */
void sched_end (tori_sched *sched, job_slot job);

/* Requeue a running job. There is room (sched_enqueue_room), and its class has
 * been weighed or will be. */
void sched_put_back (tori_sched *sched, job_slot job);

/* Decisions about where a job is that were not fetched yet. */
struct news {
    bool starts, resumes, moves;
};

struct news sched_news (const tori_sched *sched, tori_job job);

/* Keep these decisions although the job leaves: its move then owns the place.
 */
void sched_leave_told (tori_sched *sched, tori_job job, tori_placement *place);

/* Room for n more decisions; and make one. */
int sched_need_decisions (tori_sched *sched, size_t n, tori_error *err);
void sched_decide (tori_sched *sched, struct made made);

/* ---- moves.c ---- */

/* A running job as tori/room.h describes it; it may not go to barred nodes. */
tori_room_job sched_mover (const tori_sched *sched, const struct job *job,
                           const uint64_t *barred);

/* All leave, then all arrive; or no job has moved. */
int sched_transfer (tori_sched *sched, const struct transfer transfers[],
                    size_t n, tori_error *err);

/* Give a running job another place, which is blocked already. The old place is
 * returned in `place`, and is free. The job starts now with the rest of its
 * work, and loses the time of a move. */
void sched_resettle (tori_sched *sched, job_slot slot, tori_placement *place,
                     tori_time done);

/* ---- makeroom.c ---- */

/* If no job can start, start the first in the queue in a place that others
 * leave for it: 1, 0 or -1. */
int makeroom_start (tori_sched *sched, tori_error *err);

/* ---- failures.c ---- */

/* TORI_INVALID if there is no such node. */
int sched_check_node (const tori_sched *sched, uint32_t node, tori_error *err);

/* ---- restart.c ---- */

/* Whether a place could be the answer to any request of a waiting job:
 * TORI_INVALID, with an error about the first, if not. */
int sched_check_place (const tori_sched *sched, job_slot slot,
                       const tori_placement *place, tori_error *err);

/* ---- outages.c ---- */

/* Report the drains that are complete, now that a job has left or a node is in
 * service again. If memory runs out, a later call reports them. */
void drains_review (tori_sched *sched);
void drains_clear (tori_sched *sched);

/* ---- look.c ---- */

/* The reason why a job waits that fits among the running jobs: the others in
 * the queue, their planned starts, or a window. */
tori_reason sched_hindrance (const tori_sched *sched, const struct job *job);

/* ---- ineligible.c ---- */

/* Whether a job has to be set aside. Its class has been weighed. */
bool ineligible_bars (const tori_sched *sched, job_slot job);

/* Bring up to date whether a class fits beside what is down. */
int ineligible_weigh (tori_sched *sched, uint32_t class, tori_error *err);

/* Set aside a job that is in no lane yet, or forget that it is. */
int ineligible_insert (tori_sched *sched, job_slot job, tori_error *err);
void ineligible_remove (tori_sched *sched, job_slot job);

/* The class of a job that is submitted: as ineligible_weigh, unless runs have a
 * limit. Then the next run weighs it, and the job is aside until it has. */
int ineligible_meet (tori_sched *sched, uint32_t class, tori_error *err);

/* Set aside the jobs that do not fit any more, and bring back those that may
 * start. After a failure, or 1 if it is tired, a further call goes on. */
int ineligible_review (tori_sched *sched, tori_error *err);

/* ---- patience.c ---- */

/* The class that a submission has at this time (classes_find). */
int patience_find (tori_sched *sched, tori_time now, struct submission *own,
                   uint32_t *ret_class, tori_error *err);

/* When the patience of a job ends. */
tori_time patience_end (const struct job *job);

/* Remember when the patience of a job ends, if it has any. */
void patience_note (tori_sched *sched, const struct job *job);

/* When the patience of a waiting job ends next; TORI_TIME_MAX: of none. */
tori_time patience_wake (const tori_sched *sched);

/* Give the jobs whose patience has ended their alternatives. After a failure a
 * further call goes on. */
int patience_review (tori_sched *sched, tori_error *err);

/* ---- walk.c ---- */

/* A state as a class sees it: without the nodes that it may not use. It is
 * valid until the next question; NULL without memory. */
const tori_state *sched_view (tori_sched *sched, const struct class *class,
                              const tori_state *state, tori_error *err);

/* Whether a job may use all nodes of a place on this machine. */
bool sched_may_use (const tori_sched *sched, job_slot slot,
                    const tori_placement *place);

/* How many free nodes there are that a class may use. */
int64_t sched_free (const tori_sched *sched, const struct class *class);

/* As alloc_try for the first request of a class that fits, and counted. */
int sched_ask (tori_sched *sched, const struct class *class,
               const tori_state *state, tori_placement *ret_place,
               tori_error *err);

/* As alloc_refuses_too, for classes. */
bool sched_refuses_too (const tori_sched *sched, const struct class *smaller,
                        const struct class *larger);

int sched_walk (tori_sched *sched, tori_error *err);

/* All waiting jobs have been looked at: note why the first waits. */
void sched_walked (tori_sched *sched);

/* ---- preempt.c ---- */

/* Whether a search for victims is worth while for a job that cannot start. */
bool preempt_hope (const tori_sched *sched, const struct job *job);

/* Start a job in the place of victims: 1, and the queue and the plan may have
 * changed; 0, or -1. PREEMPT_TIRED: the plan before it is not done (plan_upto).
 */
enum { PREEMPT_TIRED = 2 };
int preempt_start (tori_sched *sched, job_slot job, tori_error *err);

/* ---- suspend.c ---- */

/* A class for a job that is to be suspended at a place, counted as its member.
 * A caller that does not use it sets its members to 0. */
int suspend_class (tori_sched *sched, const struct job *job,
                   const tori_placement *place, uint32_t *ret_class,
                   tori_error *err);

/* Suspend a running job: it waits for the place of this class, with so much of
 * its work saved. There is room. */
void suspend_job (tori_sched *sched, job_slot slot, uint32_t class,
                  tori_time saved);

/* End the suspension of a job that is in no list, if it was suspended. */
void suspend_over (tori_sched *sched, job_slot slot);

/* Continue the suspended jobs that can, and keep the places of the others for
 * them. After a failure a further call goes on. */
int suspend_review (tori_sched *sched, tori_error *err);

/* The place that a suspended job waits for, or NULL. */
const tori_placement *suspend_place (const tori_sched *sched,
                                     const struct job *job);

/* A suspended job cannot continue where it was: it waits for any place. There
 * is room. */
void suspend_lose (tori_sched *sched, job_slot slot);

/* ---- plan.c, plan_search.c ---- */

/* Bring the planned starts of the first `n` entries (as far as the policy's
 * depth goes) up to date, in order. 1: it is tired, and a further call goes on;
 * only if `sliced` is set. */
int plan_upto (tori_sched *sched, size_t n, tori_error *err);

/* Whether as many nodes as a job gets are free now and not in the way of a
 * planned start: 1, 0 or -1. */
int plan_spares (tori_sched *sched, const struct job *job, tori_error *err);

/* How the number of free nodes falls from now on, by the running jobs and the
 * planned starts. */
int plan_falls (tori_sched *sched, struct falls *ret_falls, tori_error *err);

/* Whether a job may start now without disturbing another's planned start: 1
 * and the place, 0, or -1. `hint` is the place that it would get without
 * planned starts; taken over if it serves. If planned starts are numbers of
 * nodes, `hint` may be NULL, and no place is returned. */
int plan_now (tori_sched *sched, struct job *job, tori_placement *hint,
              tori_placement *ret_place, tori_error *err);

/* Whether the place that was planned for a job, for now or earlier, is free
 * and disturbs no other planned start: 1 and a copy of it, 0, or -1. */
int plan_due (tori_sched *sched, const struct job *job,
              tori_placement *ret_place, tori_error *err);

/* Take the planned start of a job out of the profile while the job is changed;
 * or put it back, which cannot fail. */
int plan_take_out (tori_sched *sched, const struct job *job, tori_error *err);
void plan_put_back (tori_sched *sched, const struct job *job);

/* Give a waiting job this planned start, which it keeps until something
 * changes. Takes over the placement on success. */
int plan_restore (tori_sched *sched, job_slot job, tori_time at,
                  tori_placement *place, tori_error *err);

/* Copy the parts of a state that a search reads to another state, which is
 * created if there is none. */
int plan_copy_state (tori_sched *sched, tori_state **to,
                     const tori_state *from, tori_error *err);

/* Something that was to be taken from `begin` to `end` is free then. */
void plan_freed (tori_sched *sched, tori_time begin, tori_time end);

/* Planned starts before `end` are void. */
void plan_drop_before (tori_sched *sched, tori_time end);

/* A running job that was expected to end at `before` has moved, or ends later:
 * planned starts that meet it are void. */
void plan_drop_moved (tori_sched *sched, const struct job *job,
                      tori_time before);

/* The set of nodes where a running job that ends at `end` would run into a
 * window or, if `promises`, meet a planned start that is not doomed. Doomed
 * are the planned starts that need what is down, and those that another job
 * met at its new place until its end. */
void plan_bar (const tori_sched *sched, const struct job *job, tori_time end,
               bool promises, uint64_t set[]);
void plan_doom_broken (tori_sched *sched);
void plan_doom_only (tori_sched *sched, job_slot job);
void plan_doom (tori_sched *sched, const tori_placement *place, tori_time end);

/* Whether a job at a place until `end` meets a planned start that is not
 * doomed. */
bool plan_meets (const tori_sched *sched, const tori_placement *place,
                 tori_time end);

/* The expected start of the first in the queue: its planned start or, if it
 * has none, one computed from the estimates. */
int plan_start (tori_sched *sched, job_slot job, tori_time *ret_start,
                tori_error *err);

/* A job gives up its planned start; or it gets this place instead, from `at`
 * on. */
void plan_forget (tori_sched *sched, job_slot job);
void plan_replace (tori_sched *sched, job_slot job, tori_time at,
                   const tori_placement *place);

/* A job has started, or has given back its nodes but not its place: keep
 * scratch states and profile up to date. */
void plan_started (tori_sched *sched, const struct job *job);
void plan_ended (tori_sched *sched, const struct job *job);

/* All is to be planned again: scratch states are void. */
void plan_changed (tori_sched *sched);

/* Put off the planned starts that cannot be kept, in the order of the queue.
 * After a failure a further call goes on. */
int plan_put_off (tori_sched *sched, tori_error *err);

/* The first time at which the place of a suspended job is free, beside the
 * running jobs and the windows that do not admit it. */
tori_time plan_continues (const tori_sched *sched, job_slot slot);

/* Planned starts that need what went down are void. */
void plan_drop_broken (tori_sched *sched);

void plan_clear (tori_sched *sched);

/* Planned starts that meet a new window are void. */
void plan_drop_met (tori_sched *sched, const struct reservation *by);

/* The places that a job has to avoid even if it sends others away: windows,
 * and planned starts in front of it that meet its time, from the i-th on. NULL
 * past the end; the scratch is the caller's. */
const tori_placement *plan_ahead (const tori_sched *sched, job_slot slot,
                                  size_t *i, tori_placement *scratch);

/* The shadow of a place, or NULL if shadows are not used. */
int plan_shadow (tori_sched *sched, const tori_placement *place,
                 uint64_t **ret_shadow, tori_error *err);

/* ---- windows.c ---- */

/* Whether a job may run in a window; in any window of an administrator; and in
 * the place of any suspended job of a lower level. */
bool window_admits (const tori_sched *sched, const struct window *window,
                    const struct job *job);
bool windows_admit (const tori_sched *sched, const struct job *job);
bool windows_yield (const tori_sched *sched, const struct job *job);

/* Keep the place of a suspended job for it from `from` on, and nothing if that
 * is TORI_TIME_MAX; or nothing any more. */
int windows_keep (tori_sched *sched, job_slot slot, tori_time from,
                  tori_error *err);
void windows_release (tori_sched *sched, job_slot slot);

/* The same as a scheduler did that was left: all plans agree with it. */
int windows_restore (tori_sched *sched, job_slot slot, tori_time from,
                     tori_error *err);

/* Whether a place is kept for a suspended job; from when on, and which. */
bool windows_kept (const tori_sched *sched, job_slot slot,
                   tori_time *ret_from, const tori_placement **ret_place);

/* Whether a job that starts now runs in the time of a window that is not for
 * it; and of any such window. */
bool window_meets (const tori_sched *sched, const struct window *window,
                   const struct job *job);
bool windows_meet (const tori_sched *sched, const struct job *job);

/* When the first window is over; TORI_TIME_MAX if there is none. */
tori_time windows_end (const tori_sched *sched);

/* Forget the windows that are over. */
void windows_expire (tori_sched *sched);
void windows_clear (tori_sched *sched);

#endif

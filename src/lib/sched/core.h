/* core.h - the inside of a scheduler, shared by its files:
 *   names.c    the policies and orders by their names
 *   numbers.c  from the number of a job to where it is kept
 *   jobs.c     the jobs that there are, and those that run
 *   sched.c    events, and decisions
 *   change.c   what a driver changes about existing jobs
 *   moves.c    running jobs that go to other places
 *   ineligible.c    which jobs are set aside: held, too early, or without a
 * place beside what is down outages.c  nodes and links that go out of service,
 * and come back failures.c nodes and links that fail under jobs walk.c     one
 * pass over the queue: which jobs start preempt.c  jobs that take the place of
 * others suspend.c  jobs that were stopped and continue only where they were
 *   makeroom.c which jobs move so that the first in the queue can start
 *   plan.c     reservations: which jobs may start when, and where
 *   windows.c  places that are kept free from one time to another
 *   look.c     what a driver can see of the jobs
 *   copy.c     the configuration of a scheduler, and copies of it
 *   probe.c    what would happen to a job if it asked for something else
 *   restart.c  taking over from another scheduler
 *
 * Nearly all work is asking "does this request fit?" and hearing no. Two
 * counters keep the same question from being asked twice. The epoch counts the
 * events that could turn a no into a yes (something was released, came up, or
 * left the queue). Within an epoch, a request that did not fit still does not
 * fit (classes.h), nor does a larger one around it. Jobs that were passed over
 * in vain need not be looked at again (waiting.h).
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
    size_t depth; /* how many waiting jobs hold a reservation by default */
    bool stop_at_blocked; /* nobody overtakes */
};

enum phase { QUEUED, RUNNING };

struct job {
    enum phase phase;
    uint32_t class;
    uint32_t asked; /* nodes, of which a box may have more */
    tori_job number;
    uint64_t tag;
    uint64_t turn; /* breaks ties in the order of the queue */
    int64_t priority;
    uint32_t flags;
    tori_hold hold;
    uint32_t level;
    tori_preempted preempted;
    bool suspended;  /* it waits for the place of its class, and ... */
    uint32_t home;   /* ... this class is what it asked for; */
    tori_time saved; /* so much of what it has done its last checkpoint has */
    tori_time earliest;
    tori_time estimate;
    tori_time checkpoint; /* as in tori_job_spec */
    tori_time done;
    tori_time length;      /* what is left of the estimate, at least 1: an
                              instant counts */
    tori_time start;       /* of a running job */
    tori_time lost;        /* ... since then, by moves */
    tori_time end;         /* of a running job, by its estimate */
    tori_placement *place; /* of a running job */
    uint64_t walk;         /* of a running job: tori_sched.walks then */

    bool reserved;
    tori_time reserved_at;
    tori_placement *reserved_place; /* NULL for a count of nodes */
    tori_time hope_from, hope_until; /* before its reservation it can start at
                                        none but these times */
    const char *aside;    /* of one that is set aside: why; otherwise NULL */
    tori_reason barred;   /* ... and in one word */
    job_slot next_vacant; /* of a slot without a job */
};

enum { NO_OUTAGES = 1 };

struct running {
    tori_time end;
    job_slot job;
};

struct window;

struct reservation {
    tori_time from, until;
    job_slot job;
    uint64_t *shadow; /* placement.h; or NULL */
    const struct window *window; /* or NULL: it is a job's */
    bool doomed; /* it will be void: for plan_bar */
};

/* A place that is kept free. */
struct window {
    struct reservation is;
    char *name;
    tori_placement place;
    uint64_t *tags; /* of jobs that may run there */
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
    tori_placement *left; /* the place, its own: the job is there no more */
};

/* When moves for the first in the queue were last searched in vain. */
struct asked {
    uint64_t epoch;
    tori_job job;
    size_t running;
    tori_time now;
    bool vain; /* there were no moves, and time alone will not bring any */
};

/* A running job that moves, and where to; afterwards, where it was. */
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
    size_t depth;  /* how many waiting jobs hold a reservation */
    uint32_t flags;
    uint64_t work; /* how often a run may ask the allocator */
    tori_time move; /* what a job loses when it is moved */
    bool by_class; /* a lane for each class: see waiting.h */
    tori_order order;
    tori_alloc *alloc;
    tori_alloc *counts; /* for requests by count, if that is another one */
    bool placed;        /* reservations are places, not numbers of nodes */
    bool lasting;  /* what was searched in vain is kept: see futile.h */
    bool around;   /* a reservation has gone around links that are down */
    tori_state *state;
    tori_time now;

    struct job *jobs;
    size_t njobs, jobs_room;
    job_slot vacant;      /* the first of the free slots, or NO_SLOT */
    tori_job next_number; /* of the next job */
    uint64_t last_turn;   /* the highest */
    struct numbers numbers;

    struct lanes lanes; /* those that wait, but for ... */
    struct queue aside; /* ... those that are set aside: ineligible.c */
    uint64_t outages;   /* changes of what is down or drained; NO_OUTAGES: none
                           yet */
    tori_time early;       /* when the first may start of those that are set
                              aside because it is too early for them */
    struct drain *drains;
    size_t ndrains, drains_room;
    uint64_t reviewed;     /* the lanes are as of these; */
    uint64_t bare_outages; /* and this state is, in which nothing runs */
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
    tori_time gain; /* what came free unplanned since the last walk was
                       planned to be taken until before this time */
    bool let_go;    /* somebody let go of a reservation since */
    uint64_t chances; /* grows with whatever may change who can be sent away */
    struct asked asked; /* makeroom.c */
    tori_time overdue; /* when somebody was last seen outliving his estimate */
    tori_reason blocked;
    uint64_t walked_epoch; /* the last walk was in this epoch, over ... */
    uint64_t walked;       /* ... those with smaller numbers */
    uint64_t walks; /* how often one began again because others gave way */
    uint64_t questions; /* that the allocator was asked in this run */
    bool unfinished;    /* the last run stopped at its limit */
    bool gave_up; /* the allocator did in the last run, first on this job */
    tori_job gave_up_job;
    tori_error gave_up_why;

    /* A structure that the caller handed over without its size, by name, until
     * tori_sched_run reports it. Calls that only look note it through `self`,
     * perhaps in several threads. */
    const char *unsized;
    tori_sched *self;

    /* The plan, see plan.c. */
    struct reservation *reserved; /* all there are, by when they begin */
    size_t nreserved, reserved_room;
    tori_time longest; /* no reservation lasts longer */
    struct window *windows;
    size_t nwindows, windows_room;
    size_t hopes;   /* reservations of jobs that may start earlier */
    size_t planned; /* entries in front whose reservations are up to date */
    struct profile profile;
    bool profiled;         /* it is right: for the present and after that */
    tori_time profiled_at; /* when it was made */
    tori_state *later;   /* scratch: the running jobs' state at some time */
    tori_state *crowded; /* scratch: a state with reservations blocked */
    tori_state *blank;   /* scratch: nothing runs */
    tori_state *limited; /* scratch: a state as a class sees it */
    uint64_t *shade;     /* scratch: what reservations take together */
    tori_time crowded_until; /* when the first that is blocked there ends */
    bool crowded_now;    /* ... namely the present one with all of them */
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

/* How many go before it; where there are several lanes only whether there are
 * any, for they hold at most one reservation, that of the first. */
static inline size_t rank_of (const tori_sched *sched, struct spot spot)
{
    return sched->by_class
               ? lanes_head (&sched->lanes) != entry_at (sched, spot)
               : spot.at;
}

/* Whether a run has asked as often as it may. */
static inline bool tired (const tori_sched *sched)
{
    return sched->questions >= sched->work;
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

/* ---- jobs.c ---- */

/* A job as a driver describes it, as long as our description is, and what it
 * asks for. */
struct submission {
    tori_job_spec spec;
    struct wish wish;
};

/* Read a description. TORI_INVALID for what nobody can ask for. */
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

/* What a job is in the queue. */
struct entry jobs_entry (const tori_sched *sched, job_slot job);

/* How long a job runs that has done a part of its estimate before. */
static inline tori_time job_length (tori_time estimate, tori_time done)
{
    return estimate > done ? estimate - done : 1;
}

/* Another estimate of a job that is in no list. */
void jobs_set_length (struct job *job, tori_time estimate);

/* How much of the work of a running job is saved: what it had done before, and
 * all up to its last checkpoint. */
tori_time jobs_saved (const tori_sched *sched, const struct job *job);

/* How much of it is done, saved or not. */
tori_time jobs_worked (const tori_sched *sched, const struct job *job);

/* Room for one more that runs. */
int running_room (tori_sched *sched, tori_error *err);

/* A job runs from `start` on at a place, which it takes over; or not any more.
 * There is room. */
void running_insert (tori_sched *sched, job_slot job, tori_placement *held,
                     tori_time start);
void running_remove (tori_sched *sched, job_slot job);

/* The length of a job that runs has changed: list it by its new end. */
void running_set_length (tori_sched *sched, job_slot job, tori_time estimate);

/* A job that runs loses time: list it by its new end. */
void running_delay (tori_sched *sched, job_slot job, tori_time lost);

/* ---- sched.c ---- */

/* Whether the caller set the size of a structure that is to be filled in. If
 * not, the next tori_sched_run reports it, since most calls that fill in a
 * structure can only answer no. */
bool sched_is_sized (const tori_sched *sched, const void *given,
                     const char *type);

/* Whether time may be `now`: TORI_INVALID if it goes back. A call checks that
 * first, and lets time go on when nothing can fail any more. */
int sched_check_time (const tori_sched *sched, tori_time now,
                      tori_error *err);
void sched_advance (tori_sched *sched, tori_time now);

/* Something changed: what was found out before need not hold any more. Or only
 * that which the plan has been told of: its profile is right. */
void sched_changed (tori_sched *sched);
void sched_stirred (tori_sched *sched);

/* Room to start a job at a place, also after others have left: in memory of
 * its own, which has then taken over what the placement has. */
int sched_start_room (tori_sched *sched, const tori_placement *place,
                      tori_placement **ret_held, tori_error *err);

/* Start a job that waits where the allocator has just found all free; and
 * whether it is proved that others had to go for it. There is room. */
void sched_start (tori_sched *sched, struct spot spot, tori_placement *held,
                  bool least);

/* Put a job into its lane, or aside if it is barred: its class has been
 * weighed. */
int sched_enqueue (tori_sched *sched, job_slot job, tori_error *err);

/* Room for n jobs of a class in its lane and aside: sched_enqueue will succeed
 * then, also after others have left. */
int sched_enqueue_room (tori_sched *sched, uint32_t class, size_t n,
                        tori_error *err);

/* Where a job waits that is not set aside. */
struct spot sched_spot (const tori_sched *sched, job_slot job);

/* Take a job that waits out of its lane, or from aside. */
void sched_dequeue (tori_sched *sched, job_slot job);

/* A running job gives back what it holds: it runs no longer. */
void sched_release (tori_sched *sched, job_slot job);

/* A running job is over: by itself, or because it was cancelled or killed. */
void sched_end (tori_sched *sched, job_slot job);

/* A running job waits again. There is room (sched_enqueue_room), and its class
 * has been weighed or will be. */
void sched_put_back (tori_sched *sched, job_slot job);

/* What was decided of where a job is, and was not fetched yet. */
struct news {
    bool starts, resumes, moves;
};

struct news sched_news (const tori_sched *sched, tori_job job);

/* ... is no longer news; or it is told all the same, though the job will be
 * gone: its move then has the place, which is the decision's from now on. */
void sched_retract (tori_sched *sched, tori_job job);
void sched_leave_told (tori_sched *sched, tori_job job, tori_placement *place);

/* Room for n more decisions; and make one. */
int sched_need_decisions (tori_sched *sched, size_t n, tori_error *err);
void sched_decide (tori_sched *sched, struct made made);

/* ---- moves.c ---- */

/* A running job that may go where it is not barred, as tori/room.h has it. */
tori_room_job sched_mover (const tori_sched *sched, const struct job *job,
                           const uint64_t *barred);

/* All leave, then all arrive; or nobody has moved. */
int sched_transfer (tori_sched *sched, const struct transfer transfers[],
                    size_t n, tori_error *err);

/* Let a running job have another place, which is blocked already. Its old one
 * is left in its stead, and free from now on. It starts now with what it has
 * not done, and loses a move. */
void sched_resettle (tori_sched *sched, job_slot slot, tori_placement *place,
                     tori_time done);

/* ---- makeroom.c ---- */

/* If nobody can start, start the first in the queue in a place that others
 * leave for it: 1, 0 or -1. */
int makeroom_start (tori_sched *sched, tori_error *err);

/* ---- failures.c ---- */

/* TORI_INVALID if there is no such node. */
int sched_check_node (const tori_sched *sched, uint32_t node, tori_error *err);

/* ---- outages.c ---- */


/* Say which drains are complete, now that a job has left or a node is in
 * service again. A failure for memory only puts it off. */
void drains_review (tori_sched *sched);
void drains_clear (tori_sched *sched);

/* ---- look.c ---- */

/* What keeps a job that fits among those that run: the others in the queue,
 * their reservations, or a window. */
tori_reason sched_hindrance (const tori_sched *sched, const struct job *job);

/* ---- ineligible.c ---- */

/* Whether a job has to be set aside. Its class has been weighed. */
bool ineligible_bars (const tori_sched *sched, job_slot job);

/* Bring up to date whether a class fits beside what is down. */
int ineligible_weigh (tori_sched *sched, uint32_t class, tori_error *err);

/* Set aside a job that is in no lane yet, or forget that it is. */
int ineligible_insert (tori_sched *sched, job_slot job, tori_error *err);
void ineligible_remove (tori_sched *sched, job_slot job);

/* Set aside who does not fit any more, and bring back who may start. After a
 * failure a further call goes on. */
int ineligible_review (tori_sched *sched, tori_error *err);

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

/* As alloc_try for the first that fits of what a class asks for, and
 * counted. */
int sched_ask (tori_sched *sched, const struct class *class,
               const tori_state *state, tori_placement *ret_place,
               tori_error *err);

/* As alloc_refuses_too, of classes. */
bool sched_refuses_too (const tori_sched *sched, const struct class *smaller,
                        const struct class *larger);

int sched_walk (tori_sched *sched, tori_error *err);

/* ---- preempt.c ---- */

/* Whether a job that cannot start may be worth a search for others that it can
 * send away. */
bool preempt_hope (const tori_sched *sched, const struct job *job);

/* Start a job that cannot start in the place of others: 1, and who waits and
 * what is reserved may have changed; 0, or -1. */
int preempt_start (tori_sched *sched, struct spot spot, tori_error *err);

/* ---- suspend.c ---- */

/* A class for a job that is to be suspended at a place; it counts as a member.
 * Whoever does not use it says that it has none. */
int suspend_class (tori_sched *sched, const struct job *job,
                   const tori_placement *place, uint32_t *ret_class,
                   tori_error *err);

/* A running job waits for its place: that of this class. So much of its work
 * is saved. There is room. */
void suspend_job (tori_sched *sched, job_slot slot, uint32_t class,
                  tori_time saved);

/* It does so no longer, if it did: it is in no list. */
void suspend_over (tori_sched *sched, struct job *job);

/* The place that it waits for, or NULL. */
const tori_placement *suspend_place (const tori_sched *sched,
                                     const struct job *job);

/* A job cannot continue where it was: it waits for any place. There is
 * room. */
void suspend_lose (tori_sched *sched, job_slot slot);

/* ---- plan.c ---- */

/* Bring the reservations of the first `n` entries (as far as the policy's
 * depth goes) up to date, in order. */
int plan_upto (tori_sched *sched, size_t n, tori_error *err);

/* Whether as many nodes as a job gets are free now and in no reservation that
 * is in its way: 1, 0 or -1. */
int plan_spares (tori_sched *sched, const struct job *job, tori_error *err);

/* Whether a job may start now without disturbing a reservation other than
 * its own: 1 and where, 0, or -1. `hint` is where it would go if there were
 * no reservations; taken over if it serves. Where reservations are numbers of
 * nodes it may be NULL, and nothing is returned but whether. */
int plan_now (tori_sched *sched, struct job *job, tori_placement *hint,
              tori_placement *ret_place, tori_error *err);

/* Whether the partition that a job had reserved for now or earlier is free
 * and disturbs no other reservation: 1 and a copy of it, 0, or -1. */
int plan_due (tori_sched *sched, const struct job *job,
              tori_placement *ret_place, tori_error *err);

/* Take the reservation that a job has out of the profile, for as long as the
 * job is not what it was; or put it back, which cannot fail. */
int plan_take_out (tori_sched *sched, const struct job *job, tori_error *err);
void plan_put_back (tori_sched *sched, const struct job *job);

/* Give a job that waits this reservation, and let it keep it until something
 * changes. Takes over the placement on success. */
int plan_restore (tori_sched *sched, job_slot job, tori_time at,
                  tori_placement *place, tori_error *err);

/* Copy what a search looks at to a state that is created if there is none. */
int plan_copy_state (tori_sched *sched, tori_state **to,
                     const tori_state *from, tori_error *err);

/* Something that was to be taken from `begin` to `end` is free then. */
void plan_freed (tori_sched *sched, tori_time begin, tori_time end);

/* Reservations that begin before `end` are void. */
void plan_drop_before (tori_sched *sched, tori_time end);

/* A running job that was expected to end then is somewhere else, or ends
 * later: reservations that meet it are void. */
void plan_drop_moved (tori_sched *sched, const struct job *job,
                      tori_time before);

/* The set of nodes where a running job that ends then would run into a window
 * or, if `promises`, meet a reservation that is not doomed. These are the
 * reservations that need what is down, and those that another job met at its
 * new place until its end. */
void plan_bar (const tori_sched *sched, const struct job *job, tori_time end,
               bool promises, uint64_t set[]);
void plan_doom_broken (tori_sched *sched);
void plan_doom_only (tori_sched *sched, job_slot job);
void plan_doom (tori_sched *sched, const tori_placement *place, tori_time end);

/* Whether who is at a place until then meets a reservation that is not
 * doomed. */
bool plan_meets (const tori_sched *sched, const tori_placement *place,
                 tori_time end);

/* When the first in the queue is expected to start: its reservation or, where
 * it has none, what the estimates say. */
int plan_start (tori_sched *sched, job_slot job, tori_time *ret_start,
                tori_error *err);

/* A job gives up its reservation; or it takes this place instead, from `at`
 * on. */
void plan_forget (tori_sched *sched, job_slot job);
void plan_replace (tori_sched *sched, job_slot job, tori_time at,
                   const tori_placement *place);

/* A job has started, or one that ran has given back its nodes but not its
 * place: keep scratch states and profile in line. */
void plan_started (tori_sched *sched, const struct job *job);
void plan_ended (tori_sched *sched, const struct job *job);

/* Everyone is to be planned again: scratch states are void. */
void plan_changed (tori_sched *sched);

/* Reservations that need what went down are void. */
void plan_drop_broken (tori_sched *sched);

void plan_clear (tori_sched *sched);

/* Reservations that a new one, of a window, meets are void. */
void plan_drop_met (tori_sched *sched, const struct reservation *by);

/* What a job has to keep clear of even if it sends others away: the places of
 * windows and of reservations in front of it, as far as they meet its time,
 * from the i-th on. NULL past the end; the scratch is the caller's. */
const tori_placement *plan_ahead (const tori_sched *sched, job_slot slot,
                                  size_t *i, tori_placement *scratch);

/* The shadow of a place, where it is of use. */
int plan_shadow (tori_sched *sched, const tori_placement *place,
                 uint64_t **ret_shadow, tori_error *err);

/* ---- windows.c ---- */

/* Whether a job may run in a window; and in any at all. */
bool window_admits (const struct window *window, uint64_t tag);
bool windows_admit (const tori_sched *sched, uint64_t tag);

/* Whether a job that starts now runs in the time of a window that is not for
 * it; and of any at all. */
bool window_meets (const tori_sched *sched, const struct window *window,
                   const struct job *job);
bool windows_meet (const tori_sched *sched, const struct job *job);

/* When the first window is over; TORI_TIME_MAX if there is none. */
tori_time windows_end (const tori_sched *sched);

/* Forget the windows that are over. */
void windows_expire (tori_sched *sched);
void window_clear (struct window *window);
void windows_clear (tori_sched *sched);

#endif

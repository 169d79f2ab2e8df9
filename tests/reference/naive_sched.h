/* naive_sched.h - the policies from their definitions, as slow as they are
 * plain.
 *
 * There is no profile, no counter of what is known and no scratch state that
 * lives on: every question is put to a model of the machine that is filled
 * from nothing for it. Jobs are known by their tags, 0, 1, 2, ...
 *
 * The rules, beyond those of tori/sched.h. A job is expected to run for its
 * estimate, at least for one tick; one that has outlived it ends in one tick.
 * A reservation begins when a running job or another reservation ends. It
 * stands until the plan is revised: in the first run after a job ended or was
 * cancelled, a node or link changed, a running job outlived its estimate, or a
 * job went in front of one that holds a reservation. A revised plan gives the
 * first in the queue of `easy` a new reservation. Those of `conservative` get
 * one in the order of the queue: a new one if they had none or if what it
 * needs is down; else an earlier one if there is one, which is looked for
 * before the time until which anything that came free since the last run had
 * been planned to be taken. Thereafter all are asked once more whether they
 * can start, until none can.
 *
 * Before that, reservations that cannot be kept are put off: because their
 * time has passed, or those who run are late. In the order of the queue each
 * goes to the first time, not before its own, at which its place is free (or
 * there are so many nodes) beside those who run, the windows, and the
 * reservations of jobs in front of it. So none is put off for a job after it.
 * One that is put off holds nothing in the meantime: an earlier one is looked
 * for until its end.
 *
 * If a job has several requests, the impossible ones are dropped, and the
 * first that has a place is taken: now, and at each time that a reservation
 * may begin. To a job that may use only some nodes all others are never free.
 *
 * A job that is held, may not start yet, or has no place on the machine with
 * all that is down or drained, even if nothing ran, is set aside: when it is
 * submitted or changed, and in every run from the beginning. For the others it
 * is as if it were not there. It loses its reservation, and when it has a
 * place again it is as if it had just been submitted, but for its place in the
 * queue.
 *
 * A job that is changed while it waits leaves the queue as if it were
 * cancelled, and comes again with its old number. One that runs and waits
 * again ends, and comes again in the same way; it has done as much more as its
 * last checkpoint has of it. If the estimate of a running job gets longer,
 * reservations that begin before its new end are void.
 *
 * If nodes and links fail, reservations that need them are void first. Then
 * the jobs there have their turns, by end, start and number: one that is
 * to be repaired goes where the most nodes are that it had, or to the nodes
 * with which its distances are least, off windows that it would run into and
 * off reservations that begin before its new end, or failing that off windows
 * alone. Reservations that it meets are void. All others go away, and when all
 * have had their turn they are killed, or requeued.
 *
 * With moves, when no job can start, the first in the queue is looked at: if
 * it asks for a shape that has no place though so many nodes are free, running
 * jobs are moved, the fewest nodes, then the fewest jobs, off windows that
 * they would run into and off what is reserved for others until their new end.
 * That is done if the nodes of the job times the time to its reservation, or
 * without one to its earliest start, are more than the nodes of those who move
 * times what a move costs. They start anew with what is left of their work.
 * Jobs that started at this very time stay. Then all are asked again.
 *
 * One that is moved ends later, by what a move costs. Reservations that begin
 * before its new end are void if they have something in common with its new
 * place; if they are numbers, if they end after its old one.
 *
 * A window is like the reservation of a job that never starts: for all but the
 * one job that may run there. When it comes, reservations that have a node in
 * common with it at some time are void. A reservation may begin when a window
 * ends. The plan is revised when one comes, goes or is over.
 *
 * A job of a higher level that cannot start in its turn takes the place of
 * others, if it has one when some of a lower level have gone: on nodes and
 * links that are free, or theirs, and not of a window or of a reservation in
 * front of it that meets its time. For a shape every box is looked at, and the
 * jobs in its way: those that lose least, then the fewest, then the first box
 * (by origin, then rotation). For a count every set, and of those that lose
 * least and have the fewest, the one without the last job (by end, start and
 * number), then without the last but one, and so on. When they have gone, the
 * allocator says where the job goes; if nowhere, no job goes. It may go around
 * links that are down, where a box was looked at as the rule wires it: then
 * jobs that are not in its way there stay. Reservations of others there are
 * put off, or void if only the first in the queue has one. The plan is revised,
 * and the walk begins anew.
 *
 * A job that gives way and is to be suspended has done all that it has worked.
 * It takes no other place than it had until it starts there, or until
 * something of it goes down: then it has done what its last checkpoint has,
 * and takes any place. If it gives way before its start was fetched, it waits
 * as if it had not started.
 *
 * Jobs that are suspended, and not set aside, are not in the queue. Before
 * each walk they are asked one after another, those of a higher level first,
 * then in the order of the queue. One whose place is free starts there, if it
 * has nothing in common with a window or with the places kept for those before
 * it, in the time that it runs. For another the place is kept from the first
 * time on at which that will be so: no job of its level or below takes it in
 * that time, other than suspended jobs before it. Then one of a level above 0
 * may take the place of others. When what is kept changes, reservations are
 * put off and the plan is revised. When a job of a level above 0 starts while
 * others are suspended, all that begins anew.
 */
#ifndef TORI_TESTS_NAIVE_SCHED_H
#define TORI_TESTS_NAIVE_SCHED_H

#include <tori/sched.h>

#include "naive_alloc.h"

enum { NAIVE_TAGS = 256 };

enum naive_phase { NAIVE_GONE, NAIVE_QUEUED, NAIVE_RUNNING };

struct naive_job {
    enum naive_phase phase;
    tori_job_spec spec;
    uint64_t number; /* of the submission */
    tori_time submit;
    bool patient; /* it takes no alternatives yet */
    tori_time start; /* of a running job */
    tori_time end;   /* of a running job, by its estimate */
    tori_time lost;  /* ... by moves */
    tori_placement place;
    bool suspended; /* it takes no other place than ... */
    tori_placement kept;
    tori_time saved; /* what its last checkpoint has of what it has done */
    bool held;       /* its place is kept for it in [held_from, held_until) */
    tori_time held_from, held_until;
    bool aside;
    bool reserved;
    tori_time reserved_at;
    tori_placement reserved_place; /* by shape */
};

struct naive_window {
    tori_time from, until;
    tori_placement place;
    uint64_t tag; /* of the one job that may run there */
    bool gone;
};

struct naive_decision {
    tori_decision_kind kind;
    uint64_t tag;
    uint64_t by; /* whose place it takes, or NAIVE_TAGS */
    bool least;  /* of a start: others had to go */
    tori_placement place; /* of a start; belongs to the job */
};

struct naive_sched {
    const char *alloc;
    const char *counts; /* of requests by count, or NULL; may be set before the
                           first job, with ... */
    tori_time move; /* ... what a move costs, and ... */
    bool moves;     /* ... whether jobs move to make room, and ... */
    bool places; /* ... which says that reservations are places */
    unsigned takes;
    tori_order order;
    size_t depth; /* may be set before the first job */
    bool stop_at_blocked;
    bool every_tick; /* try all times for a reservation, not only ends */
    struct naive *machine; /* what is down; the owners are scratch */
    tori_time now;
    bool revise;
    tori_time overdue; /* when somebody was last found to be so */
    tori_time gain; /* what came free was planned to be taken until then */
    struct naive_job jobs[NAIVE_TAGS];
    size_t njobs;
    struct naive_window windows[NAIVE_TAGS];
    size_t nwindows;
    struct naive_decision made[8 * NAIVE_TAGS];
    size_t nmade, fetched;
};

/* NULL for a policy or an allocator without a definition here. */
struct naive_sched *naive_sched_create (const tori_machine *machine,
                                        const char *policy, tori_order order,
                                        const char *alloc);
void naive_sched_destroy (struct naive_sched *sched);

/* As in tori/sched.h. Jobs are submitted in the order of their tags. */
void naive_sched_submit (struct naive_sched *sched, tori_time now,
                         const tori_job_spec *spec);
void naive_sched_end (struct naive_sched *sched, tori_time now, uint64_t tag);
void naive_sched_set_node (struct naive_sched *sched, tori_time now,
                           uint32_t node, bool drain, bool value);
/* Several fail at once. */
void naive_sched_fail (struct naive_sched *sched, tori_time now,
                       const uint32_t nodes[], size_t n,
                       const tori_link links[], size_t nlinks);
void naive_sched_set_link (struct naive_sched *sched, tori_time now,
                           const tori_link *link, bool down);
/* Changes of a job that waits, by its tag; the last also of one that runs. */
void naive_sched_set_priority (struct naive_sched *sched, tori_time now,
                               uint64_t tag, int64_t priority);
void naive_sched_set_hold (struct naive_sched *sched, tori_time now,
                           uint64_t tag, tori_hold hold);
void naive_sched_set_earliest (struct naive_sched *sched, tori_time now,
                               uint64_t tag, tori_time earliest);
void naive_sched_set_estimate (struct naive_sched *sched, tori_time now,
                               uint64_t tag, tori_time estimate);

/* The nodes of a window of a count: of those in service that no other window
 * keeps, first those that nobody holds at its beginning, then by id. False if
 * there are too few. The caller clears the place. */
bool naive_sched_choose (struct naive_sched *sched, tori_time now,
                         uint64_t count, tori_time from, tori_time until,
                         tori_placement *ret_place);

/* A window for all but one job, by its tag; the number is returned. Or it goes
 * away. */
size_t naive_sched_add_window (struct naive_sched *sched, tori_time now,
                               const tori_placement *place, tori_time from,
                               tori_time until, uint64_t tag);
void naive_sched_remove_window (struct naive_sched *sched, tori_time now,
                                size_t window);

/* Jobs that run are elsewhere, by their tags. */
void naive_sched_move (struct naive_sched *sched, tori_time now,
                       const uint64_t tags[],
                       const tori_placement *const to[], size_t n);

/* One that runs waits again. */
void naive_sched_requeue (struct naive_sched *sched, tori_time now,
                          uint64_t tag);
void naive_sched_run (struct naive_sched *sched, tori_time now);
bool naive_sched_next (struct naive_sched *sched,
                       struct naive_decision *ret_decision);

#endif

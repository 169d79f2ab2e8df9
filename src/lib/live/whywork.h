/* whywork.h - shared by the parts of an explanation: why.c asks, evidence.c
 * looks at the machine, remedies.c names changes, whyshapes.c shapes for them,
 * whymoves.c moves of others, and whytrial.c tries them out. */
#ifndef TORI_LIVE_WHYWORK_H
#define TORI_LIVE_WHYWORK_H

#include <tori/room.h>
#include <tori/why.h>

#include "missing.h"

/* The effect of a change: the jobs that start, and their places. */
struct upshot {
    tori_job *started;
    tori_placement *place;
    size_t n;
    bool checked; /* the same start if the change comes before the run */
};

/* Moves that make room for a request, and their effect. They serve all jobs
 * that ask for the same thing, have no planned start (or are the same job),
 * and keep off the same places. */
struct moving {
    size_t evidence; /* of the request */
    tori_job planned; /* the job, if it has a planned start, or TORI_NO_JOB */
    size_t off;       /* how many of the kept places it keeps off */
    tori_room room;
    tori_help_move *moves;
    struct upshot after;
};

/* Evidence for all jobs with the same request; or for a job that was suspended
 * and continues only in its place. */
struct evidence {
    tori_request request;
    const tori_placement *resumes; /* or NULL */
    tori_placement place;
    uint32_t missing;
    tori_blocker *blockers;
    size_t nblockers;
    tori_link links[TORI_WHY_LINKS];
    size_t nlinks;
    uint32_t *down;
    size_t ndown;
};

/* The effect of the end of a running job. */
struct ending {
    size_t i; /* of `running` */
    uint64_t work; /* that is lost */
    tori_job job;
    struct upshot after;
    bool known;
};

/* The places that running jobs avoid when they move: see whymoves.c. */
struct keeping;

struct whywork {
    const struct tori_snapshot *rules; /* of holds, or NULL */
    size_t next_rule; /* the job of its queue that is looked at next */
    tori_sched *before;
    tori_sched *after; /* a copy that has run */
    bool decided;      /* ... and something was decided or planned then */
    bool delicate; /* jobs may make others give way: a change that starts a job
                      may be for nothing */
    int stirs; /* whether a change of a request may change what others get */
    size_t trials; /* left for changes of requests */
    const tori_state *state;
    const tori_machine *machine;
    tori_time now;
    tori_job *begun; /* jobs that start in the last walk of the run, in the
                        order of the queue */
    size_t nbegun, begun_room;
    size_t passed;    /* those of them before the present job */
    tori_state *turn; /* the machine at the turn of that job, if any begin */

    tori_job *running;
    tori_job_info *info; /* of these */
    size_t nrunning;

    tori_job head; /* the first that waits and is not set aside */
    uint64_t head_tag;
    size_t nreserved; /* how many have a planned start */

    struct missing missing;
    tori_state *open; /* without the nodes of reservations that have begun;
                         NULL: there are none of these */
    tori_box largest;
    bool plain; /* shapes are answered with boxes of these sides */
    bool sided; /* ... or with slices */

    struct evidence *evidence;
    size_t nevidence, evidence_room;

    struct moving *moving;
    size_t nmoving, moving_room;

    struct ending *endings; /* of the jobs that ran before the run, in the
                               order in which they are proposed */
    size_t nendings;
    tori_state *spare;      /* the machine, to take a job out of it */
    size_t fits_left;       /* questions whether a job fits without another */
    size_t tries;           /* copies in which something may still be tried */
    struct keeping *keeping; /* made when it is needed */
    uint64_t steps;          /* left for moves ... */
    uint64_t steps_each;     /* ... and for one request */
    uint64_t asks;           /* left for other shapes */
    tori_shape *shapes; /* of the machine, sides in ascending order: the most
                           nodes first, then the shortest of the longest
                           sides */
    size_t nshapes;
    bool all_shapes; /* there are no others */
    signed char *fits; /* whether a shape has a place now, by wiring, fold and
                        * wrap: 0 not asked yet, 1 yes, -1 no */

    tori_time *freed; /* when planned starts and windows begin,
                       * ascending */
    size_t nfreed;
};

/* ---- evidence.c ---- */

/* The evidence for a request, which is kept, but may lie elsewhere after the
 * next call; NULL without memory. */
struct evidence *evidence_for (struct whywork *work,
                               const tori_request *request, tori_error *err);
struct evidence *evidence_of_place (struct whywork *work,
                                    const tori_placement *place,
                                    tori_error *err);
void evidence_clear (struct whywork *work);

/* ---- whytrial.c ---- */

/* How many changes of requests may be tried out: for all jobs together, or for
 * a few. */
void trials_allow (struct whywork *work, bool few);

/* Make a change in a copy. */
typedef int trial_fn (tori_sched *copy, void *arg, tori_error *err);

/* Make a change after the run, and run again: the jobs that start then. Fails
 * as the change does. In any case the caller clears the upshot. */
int trial_make (struct whywork *work, trial_fn *change, void *arg,
                struct upshot *ret_upshot, tori_error *err);
void upshot_clear (struct upshot *upshot);

/* Whether a job starts, also if the same change comes before the run: 1, 0 or
 * -1. */
int trial_starts (struct whywork *work, tori_job job, trial_fn *change,
                  void *arg, struct upshot *upshot, tori_error *err);

/* Whether a job starts, and its place: 1, 0 or -1. */
int upshot_find (const struct upshot *upshot, tori_job job,
                 tori_placement *ret_place, tori_error *err);

/* Whether a waiting job starts if it asks for something else, and its place:
 * 1, 0 or -1. */
int trial_request (struct whywork *work, tori_job job,
                   const tori_job_spec *spec, tori_placement *ret_place,
                   tori_error *err);

/* ---- remedies.c ---- */

enum { MAX_HELPS = 6 };

/* How many endings and moves may be tried out: for all jobs together, or for a
 * few. */
void tries_allow (struct whywork *work, bool few);

/* List the running jobs in the order in which their ends are proposed. Those
 * that start only now are left out. */
int endings_list (struct whywork *work, tori_error *err);

/* How many other shapes may be asked for: for all jobs together, or for a
 * few. */
void shapes_allow (struct whywork *work, bool few);

/* Whether a job starts after a change that was made; if so, the help that
 * describes it. */
struct tried_change {
    trial_fn *change;
    void *arg;
    struct upshot *upshot;
};
int help_from (struct whywork *work, const struct tried_change *trial,
               const tori_why *why, tori_change change, tori_help *ret_help,
               tori_error *err);

/* The changes that would start a waiting job, the first of each kind. Returns
 * how many, or -1. */
int remedies_find (struct whywork *work, const tori_why *why,
                   tori_help ret_helps[MAX_HELPS], tori_error *err);
void remedies_clear (struct whywork *work);

/* ---- whyshapes.c ---- */

/* List the shapes that are asked for; of a pod, up to those of a box of all
 * its cubes. The largest free box is known. */
int shapes_list (struct whywork *work, tori_error *err);

/* ---- whymoves.c ---- */

/* Moves of running jobs that start a job: 1, 0 or -1. */
int moves_ask (struct whywork *work, const tori_why *why, tori_help *ret_help,
               tori_error *err);
void moving_clear (struct whywork *work);
void keeping_destroy (struct keeping *keeping);

/* How long moves may be searched for: longer for a few jobs alone. */
void moves_allow (struct whywork *work, bool few);

#endif

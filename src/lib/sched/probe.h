/* probe.h - would a waiting job start if it asked for something else? For
 * tori/why.h.
 *
 * When a scheduler has just run, no job is left that can start. So whether a
 * changed job could start is a question about this job alone. It is answered
 * as walk.c would answer it, without a walk. Only remembered findings change,
 * so a scheduler can be asked any number of questions, one after another. */
#ifndef TORI_SCHED_PROBE_H
#define TORI_SCHED_PROBE_H

#include <tori/sched.h>

/* Whether a changed request may change what others get, so that the answer of
 * probe_start has to be tried out: 1, 0 or -1. The only planned start may get
 * another place, because jobs have started since it was planned. If the
 * largest goes first, or in an order of the program's own, a job that asks for less goes after others: they may
 * take its place, or plan with what was planned for it. */
int probe_stirs (const tori_sched *sched, tori_error *err);

/* Whether a waiting job would start now if it were as the spec says, at the
 * position in the queue that this gives it; the others stay as they are. 1 and
 * the place (empty if it is not known, as for a count), 0, or -1. Its own
 * planned start neither binds it nor is in its way. */
int probe_start (tori_sched *sched, tori_job job, const tori_job_spec *spec,
                 tori_placement *ret_place, tori_error *err);

/* Whether a request has a place in the present state, whatever the order of
 * the queue: 1, 0 or -1. */
int probe_fits (tori_sched *sched, const tori_request *request,
                tori_error *err);

/* Whether a waiting job has a place in this state of the machine, windows and
 * the order of the queue aside: 1, 0 or -1. Giving up counts as 0. */
int probe_fits_in (tori_sched *sched, tori_job job, const tori_state *state,
                   tori_error *err);

/* Reasons found for jobs with the same request. Zeroed, it has none. They
 * hold as long as the scheduler does not change. */
enum { PROBE_MEMO = 128 };
struct probe_memo {
    struct {
        uint32_t class;
        uint64_t windows; /* a hash of those that it has to avoid, or 0 */
        int found;
    } known[PROBE_MEMO];
    size_t n;
};

/* Why a job waits. `turn` is the machine as it was at its turn, if later jobs
 * have started in the same run; or NULL. A job that fitted then did not wait
 * for nodes. With a memo, or NULL, jobs with the same request are looked at
 * once; when it is full, further jobs have the reason of tori_sched_look. */
int probe_reason (tori_sched *sched, tori_job job, const tori_state *turn,
                  struct probe_memo *memo, tori_reason *ret_reason,
                  tori_error *err);

/* When a running job would end by its time limit if it moved now: with
 * TORI_SCHED_RESTARTS it does again what its last checkpoint does not have. */
tori_time probe_moved_end (const tori_sched *sched, tori_job job);

/* Keep those of n jobs that run and have started since the last preemption,
 * after which all waiting jobs were looked at again: each once, in the order
 * of the queue. Returns how many. */
size_t probe_last_started (const tori_sched *sched, tori_job jobs[], size_t n);

/* Whether the turn of a comes before that of b; false if one is not there. */
bool probe_goes_before (const tori_sched *sched, tori_job a, tori_job b);

/* Whether shapes are answered with boxes or slices of just these sides, and
 * whether with boxes. */
bool probe_plain_sides (const tori_sched *sched);
bool probe_plain_boxes (const tori_sched *sched);

#endif

/* probe.h - what would happen to a waiting job if it asked for something else:
 * for tori/why.h.
 *
 * When a scheduler has just run, no job is left that can start. So whether a
 * changed job could start is a question about this job alone. It is answered
 * as walk.c would answer it, without a walk. Nothing changes except what is
 * known, so a scheduler can be asked any number of questions, one after
 * another.
 */
#ifndef TORI_SCHED_PROBE_H
#define TORI_SCHED_PROBE_H

#include <tori/sched.h>

/* Whether a request that changes may change what others get, so that what
 * probe_start says has to be tried out: 1, 0 or -1. The only reservation may be
 * planned for another place, because jobs have started since it was. Where the
 * largest goes first, a job that asks for less goes after others: they may take
 * its place, or plan with what it had reserved. */
int probe_stirs (const tori_sched *sched, tori_error *err);

/* Whether a job that waits would start now if it were as the spec says, at the
 * place in the queue that this gives it; the others stay as they are. 1 and
 * where (nowhere if that is not known, as for a count), 0, or -1. What was
 * promised to it does not bind it, nor is it in its way. */
int probe_start (tori_sched *sched, tori_job job, const tori_job_spec *spec,
                 tori_placement *ret_place, tori_error *err);

/* Whether a request has a place in the present state, whoever goes first: 1, 0
 * or -1. */
int probe_fits (tori_sched *sched, const tori_request *request,
                tori_error *err);

/* Why a job that waits does. `turn` is the machine as it was at its turn, if
 * others after it have started in the same run; or NULL. One that fitted then
 * was not kept by a lack of nodes. */
int probe_reason (tori_sched *sched, tori_job job, const tori_state *turn,
                  tori_reason *ret_reason, tori_error *err);

/* Of n jobs, keep those that run and started after the last time that others
 * had to give way, so that all that wait were looked at again: each once, in
 * the order of the queue. Returns how many. */
size_t probe_last_started (const tori_sched *sched, tori_job jobs[], size_t n);

/* Whether the turn of a comes before that of b; false if one is not there. */
bool probe_goes_before (const tori_sched *sched, tori_job a, tori_job b);

/* Whether shapes are answered with boxes or slices of just these sides, and
 * whether with boxes. */
bool probe_plain_sides (const tori_sched *sched);
bool probe_plain_boxes (const tori_sched *sched);

#endif

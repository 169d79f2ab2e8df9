/* tori/plan.h - off-line plans: jobs that are all known beforehand.
 *
 * After Gupta and Srimani, "Job Scheduling for Torus Connected Networks",
 * 1997. Times are exact numbers (tori/exact.h).
 */
#ifndef TORI_PLAN_H
#define TORI_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tori/exact.h>
#include <tori/machine.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- preemptive plans ----
 *
 *     tori_preemptive plan;
 *     if (tori_preemptive_plan (machine, job, n, deadline, &plan, &err) < 0)
 *         ...
 *     if (plan.feasible)
 *         ... plan.segment[0] to plan.segment[plan.segments - 1] ...
 *     tori_preemptive_clear (&plan);
 *
 * A job may be stopped and go on later in another place. No two jobs that run
 * at the same time share a link: the subtori lie along the diagonal. One of
 * dimension d at position p has the nodes whose coordinates are all from p to
 * p + d - 1, and the whole rings through them; so the dimensions of the jobs
 * that run at one time add up to the shortest side of the machine at the most.
 *
 * Each dimension must divide the next larger one among the jobs, as powers of
 * two do; it need not divide the machine. Without that the problem is that of
 * packing bins. With it the answers are exact: if there is any plan that meets
 * the deadline, tori_preemptive_plan finds one, with fewer preemptions than
 * jobs, and tori_preemptive_least is the least deadline that can be met. It
 * takes O(n log m) time for the former, O(n log n) and a few passes over the
 * jobs for the latter. doc/preemptive.md has the proofs.
 *
 * All functions fail with TORI_INVALID for bad jobs and for times that do not
 * fit (tori/exact.h), TORI_NEVER for a machine or a job as below, TORI_FAILED
 * without memory.
 */

/* A job for a subtorus of `dimension` nodes in every dimension of the
 * machine. The time is positive. */
typedef struct tori_preemptive_job {
    uint32_t dimension;
    tori_exact time;
} tori_preemptive_job;

/* A job runs at positions first to first + size - 1, from start to finish:
 * ticks, of which tori_preemptive.unit are a unit of time. */
typedef struct tori_segment {
    size_t job;
    uint32_t first;
    uint32_t size;
    tori_wide start;
    tori_wide finish;
} tori_segment;

typedef struct tori_preemptive {
    bool feasible;
    tori_exact finish; /* when the last job ends */
    tori_wide unit;
    size_t preemptions;
    tori_segment *segment; /* in the order of jobs, then of time */
    size_t segments;
    size_t failed; /* if not feasible: the first job that found no place, the
                      larger dimensions first and then in the given order */
} tori_preemptive;

/* The m of the machine, its shortest side. TORI_NEVER if the machine has no
 * link-disjoint subtori: one dimension only, or a dimension that is no torus.
 */
int tori_preemptive_side (const tori_machine *machine, uint32_t *ret_side,
                          tori_error *err);

/* Whether the jobs can be planned, given time. If not, the first bad one:
 * TORI_NEVER if it is larger than the machine, else TORI_INVALID. If it is the
 * machine that is bad, *ret_bad is n. */
int tori_preemptive_check (const tori_machine *machine,
                           const tori_preemptive_job job[], size_t n,
                           size_t *ret_bad, tori_error *err);

/* A plan that ends at the deadline or before, by Gupta and Srimani's
 * algorithm; or not feasible, because there is none. */
int tori_preemptive_plan (const tori_machine *machine,
                          const tori_preemptive_job job[], size_t n,
                          tori_exact deadline, tori_preemptive *ret_plan,
                          tori_error *err);
void tori_preemptive_clear (tori_preemptive *plan);

/* The least time in which all jobs can be done. */
int tori_preemptive_least (const tori_machine *machine,
                           const tori_preemptive_job job[], size_t n,
                           tori_exact *ret_finish, tori_error *err);

/* What no plan can be shorter than, for reasons that are plain to see: the
 * longest job, and the work divided by the machine. For each dimension only
 * the jobs that are as large or larger count, and as much of the machine as
 * they can use. */
typedef struct tori_preemptive_bound {
    tori_exact longest;
    tori_exact area;
} tori_preemptive_bound;

int tori_preemptive_bounds (const tori_machine *machine,
                            const tori_preemptive_job job[], size_t n,
                            tori_preemptive_bound *ret_bound, tori_error *err);

#ifdef __cplusplus
}
#endif

#endif

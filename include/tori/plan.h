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
 *         ... plan.segment[0 .. plan.segments-1] ...
 *     tori_preemptive_clear (&plan);
 *
 * A job may be stopped and go on later in another place. No two jobs that run
 * at the same time share a link.
 */

/* The m of the machine, its shortest side: dimensions of jobs that run at the
 * same time add up to m at the most. TORI_NEVER if the machine has no
 * link-disjoint subtori: one dimension only, or a dimension that is no torus.
 */
int tori_preemptive_side (const tori_machine *machine, uint32_t *ret_side,
                          tori_error *err);

/* A job for a subtorus of `dimension` nodes in every dimension of the
 * machine. The time is positive. */
typedef struct tori_preemptive_job {
    uint32_t dimension;
    tori_exact time;
} tori_preemptive_job;

#ifdef __cplusplus
}
#endif

#endif

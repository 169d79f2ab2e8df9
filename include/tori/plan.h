/* tori/plan.h - plans for jobs that are all known in advance.
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
#include <tori/subtorus.h>

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
 * that run at the same time add up to at most the shortest side of the
 * machine. In two dimensions no plan without shared links can do more. In
 * three and more there are link-disjoint subtori off the diagonal, and the
 * answers are only the best along the diagonal.
 *
 * Each dimension must divide the next larger one among the jobs, as powers of
 * two do; it need not divide the machine. Without that the problem is a linear
 * program, which is not solved here. With it the answers are exact: if there
 * is any plan along the diagonal that meets the deadline, tori_preemptive_plan
 * finds one, with fewer preemptions than jobs, and tori_preemptive_least is
 * the least deadline that can be met so. It takes O(n log m) time for the
 * former, O(n log n) and a few passes over the jobs for the latter.
 * doc/preemptive.md has the proofs.
 *
 * All functions fail with TORI_INVALID for bad jobs and for times that do not
 * fit or are not numbers (tori/exact.h), TORI_NEVER for a machine or a job as
 * below, TORI_FAILED without memory.
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
 * link-disjoint subtori: one dimension only, or a dimension that is not a
 * torus.
 */
int tori_preemptive_side (const tori_machine *machine, uint32_t *ret_side,
                          tori_error *err);

/* Whether the jobs can be planned, given time. If not, the first bad one:
 * TORI_NEVER if it is larger than the machine, else TORI_INVALID, as for the
 * one with which the common denominator of the times no longer fits. If it is
 * the machine that is bad, *ret_bad is n. So *ret_bad is written on failure,
 * and only then. */
int tori_preemptive_check (const tori_machine *machine,
                           const tori_preemptive_job job[], size_t n,
                           size_t *ret_bad, tori_error *err);

/* A plan that ends at the deadline or before, by Gupta and Srimani's
 * algorithm; or, not feasible, the proof that there is no such plan along the
 * diagonal. The caller clears it in either case. */
int tori_preemptive_plan (const tori_machine *machine,
                          const tori_preemptive_job job[], size_t n,
                          tori_exact deadline, tori_preemptive *ret_plan,
                          tori_error *err);
void tori_preemptive_clear (tori_preemptive *plan);

/* The least time in which all jobs can be done along the diagonal. */
int tori_preemptive_least (const tori_machine *machine,
                           const tori_preemptive_job job[], size_t n,
                           tori_exact *ret_finish, tori_error *err);

/* Simple lower bounds for plans along the diagonal: the longest job, and the
 * work divided by the machine. For each dimension only the jobs that are as
 * large or larger count, and as much of the machine as they can use. */
typedef struct tori_preemptive_bound {
    tori_exact longest;
    tori_exact area;
} tori_preemptive_bound;

int tori_preemptive_bounds (const tori_machine *machine,
                            const tori_preemptive_job job[], size_t n,
                            tori_preemptive_bound *ret_bound, tori_error *err);

/* ---- plans with contention ----
 *
 *     tori_contention *plan;
 *     if (tori_contention_create (machine, job, n, NULL, &plan, &err) < 0)
 *         ...
 *     for (size_t i = 0; i < n; i++)
 *         ... tori_contention_at (plan, i) ...
 *     tori_contention_destroy (plan);
 *
 * Jobs run on interleaved subtori (tori/subtorus.h), not stopped and never
 * moved, and may share links; then they delay each other. If two jobs share
 * links of a dimension and overlap for a time D, each takes longer by D times
 * the share that the other has of the nodes of a ring in that dimension.
 *
 * Jobs are taken in the order of their size, the largest first, then as they
 * come. Each starts as early as a subtorus of its shape is free, and not
 * before the one taken before it, on the free one with the least load, which
 * is the delay that it will have from the jobs that are running; the first of
 * those by offset. What it adds to them they end later. It overlaps with them
 * for the time that it asks for, without its delay, or until they end by what
 * is known so far. That is algorithm CNP_Alloc of the paper, and for equal
 * sides and two dimensions the same plan; here sides may differ, and machines
 * have any number of dimensions.
 *
 * Times are compared exactly, up to a chance of 2^-61 that two which agree in
 * all digits that count are taken for equal and are not; and as long as 1,024
 * bits are enough to be sure, which tori_contention_is_exact tells. Of a plan
 * that is not exact, some times too close to be told apart were taken as they
 * look in these bits (doc/contention.md). Times are given as doubles, rounded;
 * as decimals with as many places as leave the makespan 18 digits, exact if
 * these are enough; and as fractions where they fit 128 bits.
 */

typedef struct tori_contention_job {
    tori_shape shape; /* sides are powers of two */
    tori_exact time;  /* positive */
} tori_contention_job;

/* Whether a job can be planned on this machine: 0, or -1 with TORI_INVALID for
 * a side that is not a power of two, for a time that is not a positive number,
 * and for a machine with a side that is not a power of two, or as
 * tori_subtorus_check says; TORI_NEVER for a job with more than 2^24 lines of
 * places, which only machines with very many dimensions have. With NULL for
 * the job: whether any job can be planned. */
int tori_contention_check (const tori_machine *machine,
                           const tori_contention_job *job, tori_error *err);

/* Looking for a better order of the jobs: `steps` orders are tried, each a
 * change of the best so far, and the plan is never worse than without. Larger
 * jobs still come before smaller ones. The same seed and steps give the same
 * plan. If `enough` is not NULL it is asked before every step, and the search
 * ends when it returns true. */
typedef struct tori_contention_search {
    uint64_t steps;
    uint64_t seed;
    bool (*enough) (void *arg);
    void *arg;
} tori_contention_search;

typedef struct tori_contention tori_contention;

/* Plan the jobs, which are checked first; `search` may be NULL. TORI_INVALID
 * without a job, TORI_FAILED without memory. The jobs and the machine need not
 * outlive the plan.
 */
int tori_contention_create (const tori_machine *machine,
                            const tori_contention_job job[], size_t n,
                            const tori_contention_search *search,
                            tori_contention **ret_plan, tori_error *err);
void tori_contention_destroy (tori_contention *plan);

typedef struct tori_contention_place {
    tori_subtorus subtorus;
    size_t order; /* which one it was, from 0, of those taken */
    double time;
    double start;
    double finish;
} tori_contention_place;

/* Where job i goes, 0 to n - 1 as they were given, and when (all 0 for another
 * i); when the last one ends. */
tori_contention_place tori_contention_at (const tori_contention *plan,
                                          size_t i);
double tori_contention_makespan (const tori_contention *plan);

/* Whether every comparison that the plan rests on is that of exact numbers. */
bool tori_contention_is_exact (const tori_contention *plan);

/* The makespan before the search for a better order. */
double tori_contention_first (const tori_contention *plan);

/* Lower bounds for any plan of these jobs: the longest job; node-time over
 * nodes; and the least time in which the nodes could do the jobs if there were
 * no contention and jobs could be stopped, which is at least as long as both.
 * (Where that does not fit 128 bits it is the longer of both.)
 */
typedef struct tori_contention_bound {
    double longest;
    double area;
    double contention_free;
} tori_contention_bound;

tori_contention_bound tori_contention_bounds (const tori_contention *plan);

/* The same as text; empty if there is no such job or number. */
typedef enum tori_contention_number {
    TORI_CONTENTION_TIME,
    TORI_CONTENTION_START,
    TORI_CONTENTION_FINISH,
    TORI_CONTENTION_MAKESPAN, /* of the plan: the job does not matter */
    TORI_CONTENTION_LONGEST,
    TORI_CONTENTION_AREA,
    TORI_CONTENTION_FREE
} tori_contention_number;

enum { TORI_CONTENTION_TEXT = 128 };
void tori_contention_text (const tori_contention *plan,
                           tori_contention_number which, size_t i,
                           char text[TORI_CONTENTION_TEXT]);

/* The same as an exact number: false if it is not known as one, or does not
 * fit. Only the starts, the finishes and the makespan, and only if all times
 * are decimals or fractions that end in binary, such as 5/8. */
bool tori_contention_exact (const tori_contention *plan,
                            tori_contention_number which, size_t i,
                            tori_exact *ret_number);

#ifdef __cplusplus
}
#endif

#endif

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
 * A job may be stopped and continued later in another place. No two jobs that
 * run at the same time share a link: their subtori lie along the diagonal. A
 * subtorus of dimension d at position p has the nodes whose coordinates are
 * all from p to p + d - 1, and the whole rings through them. So the dimensions
 * of the jobs that run at the same time add up to at most the shortest side of
 * the machine. In two dimensions no plan without shared links can do better.
 * In three or more there are link-disjoint subtori off the diagonal, so the
 * answers are only the best along the diagonal.
 *
 * The answers are exact: if any plan along the diagonal meets the deadline,
 * tori_preemptive_plan finds one. tori_preemptive_least finds the least
 * deadline that such a plan can meet. If each dimension among the jobs divides
 * the next larger one, as powers of two do, the former takes O(n log m) time
 * and makes fewer preemptions than jobs, and the latter takes O(n log n) and a
 * few passes over the jobs. Other dimensions take a linear program for each of
 * them. Its size grows with the number of different dimensions, not with that
 * of jobs. doc/experiments/preemptive.md has the proofs.
 *
 * All functions fail with TORI_INVALID for bad jobs and for times that do not
 * fit or are not numbers (tori/exact.h), with TORI_NEVER for a machine or a
 * job as below, and with TORI_FAILED if memory runs out.
 */

/* A job for a subtorus of `dimension` nodes in every dimension of the
 * machine. A job whose time is 0 is done at once, and has no segment. */
typedef struct tori_preemptive_job {
    uint32_t dimension;
    tori_exact time;
} tori_preemptive_job;

/* A job runs at positions first to first + size - 1, from start to finish.
 * These are in ticks; tori_preemptive.unit ticks are one unit of time. */
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
    size_t failed; /* if not feasible: the first job that found no place,
                      larger dimensions first, then in the given order */
    size_t stages; /* how many sets of dimensions run, one after the other, if
                      a linear program was needed; else 0 */
} tori_preemptive;

/* The m of the machine: its shortest side. TORI_NEVER if the machine has no
 * link-disjoint subtori, because it has only one dimension, or one that is not
 * a torus.
 */
int tori_preemptive_side (const tori_machine *machine, uint32_t *ret_side,
                          tori_error *err);

/* Whether the jobs can be planned, given enough time. If not, *ret_bad is the
 * first bad job: TORI_NEVER if it is larger than the machine, otherwise
 * TORI_INVALID. That includes the first job with which the common denominator
 * of the times no longer fits. If the machine itself is bad, *ret_bad is n.
 * *ret_bad is written only on failure. */
int tori_preemptive_check (const tori_machine *machine,
                           const tori_preemptive_job job[], size_t n,
                           size_t *ret_bad, tori_error *err);

/* Make a plan that ends at the deadline or before: by Gupta and Srimani's
 * algorithm if each dimension divides the next larger one, else the one that
 * ends as early as possible. A plan that is not `feasible` is the proof that there is no such
 * plan along the diagonal. The caller clears it in either case. */
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
 * work divided by the machine. The second is taken for each dimension: only
 * jobs at least as large count, and only as much of the machine as they can
 * use. */
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
 * Jobs run on interleaved subtori (tori/subtorus.h). They are never stopped or
 * moved. They may share links, and then delay each other. If two jobs share
 * links of a dimension and overlap for a time D, each takes longer by D times
 * the other's share of the nodes of a ring in that dimension.
 *
 * Jobs are taken by size, the largest first, then in the given order. Each
 * starts as soon as a subtorus of its shape is free, but not before the job
 * taken before it. It gets the free subtorus with the least load, or the first
 * of these by offset. The load is the delay that it will have from the running
 * jobs. The delay that it adds to those jobs makes them end later. It overlaps
 * with each of them for the time that it asks for, without its own delay, or
 * until that job ends by what is known so far. This is algorithm CNP_Alloc of
 * the paper. For equal sides and two dimensions it gives the same plan; here
 * sides may differ, and machines have any number of dimensions.
 *
 * A job whose time is 0 starts and ends at 0. It takes no nodes or links, so
 * its offset, which is 0, says nothing. Such jobs are the first in the order,
 * and do not count among the jobs of a search.
 *
 * Times are compared exactly, with two limits. There is a chance of 2^-61 that
 * two times that agree in all digits that count are taken for equal and are
 * not. And 1,024 bits must be enough to be sure; tori_contention_is_exact says
 * whether they were. In a plan that is not exact, some times were too close to
 * tell apart and were taken as they look in these bits (doc/experiments/contention.md).
 * Times are given as rounded doubles; as decimals with as many places as leave
 * the makespan 18 digits, exact if these are enough; and as fractions where
 * they fit 128 bits.
 */

typedef struct tori_contention_job {
    tori_shape shape; /* sides are the machine's over powers of two */
    tori_exact time;  /* 0 or more */
} tori_contention_job;

/* Check whether a job can be planned on this machine. Returns 0, or -1 with
 * TORI_INVALID for a side that is not the machine's divided by a power of two,
 * and for a time that is negative or not a number.
 * Also fails as tori_subtorus_check does, and with TORI_NEVER for a job with
 * more than 2^24 lines of places, which only machines with very many
 * dimensions have. If the job is NULL: whether any job can be planned. */
int tori_contention_check (const tori_machine *machine,
                           const tori_contention_job *job, tori_error *err);

/* A search for a shorter plan. The plan is never longer than without the
 * search, and the same seed and steps give the same plan. If `enough` is not
 * NULL, it is called before every step, and the search ends when it returns
 * true.
 *
 * Up to TORI_CONTENTION_BRANCH jobs are searched by branch and bound over all
 * plans that start jobs at events: at time 0 or at the end of another job, in
 * any order and at any place. A step starts a job or lets an event pass. If
 * the search ends by itself, tori_contention_is_least is true. A start between
 * two events can make a plan still shorter (doc/experiments/contention.md).
 * After 1,000 steps every other one, up to 20,000 of them, tries another order
 * as for more jobs, and begins anew, with the next seed, after each 2,000: of
 * many jobs, branch and bound alone may stay for long where there is no good
 * plan. The shorter plan of both counts. More steps never give a longer one.
 *
 * For more jobs, a step tries another order of the jobs, a change to the best
 * so far. Larger jobs still come before smaller ones.
 *
 * With `own_delay`, also without steps, a job overlaps with others until it
 * ends: for the time that it asks for and its own delay. Delays then grow
 * faster than the jobs' times. TORI_INVALID if a time does not fit 512 bits
 * any more. */
enum { TORI_CONTENTION_BRANCH = 16 };

typedef struct tori_contention_search {
    uint64_t steps;
    uint64_t seed;
    bool (*enough) (void *arg);
    void *arg;
    bool own_delay;
} tori_contention_search;

typedef struct tori_contention tori_contention;

/* Plan the jobs, after checking them. `search` may be NULL. TORI_INVALID if
 * there are no jobs; TORI_FAILED if memory runs out. The jobs and the machine
 * need not outlive the plan.
 */
int tori_contention_create (const tori_machine *machine,
                            const tori_contention_job job[], size_t n,
                            const tori_contention_search *search,
                            tori_contention **ret_plan, tori_error *err);
void tori_contention_destroy (tori_contention *plan);

typedef struct tori_contention_place {
    tori_subtorus subtorus;
    size_t order; /* its position, from 0, in the order in which jobs were
                     taken */
    double time;
    double start;
    double finish;
} tori_contention_place;

/* The place and times of job i; i is 0 to n - 1 in the given order (all 0 for
 * any other i). And the end of the last job. */
tori_contention_place tori_contention_at (const tori_contention *plan,
                                          size_t i);
double tori_contention_makespan (const tori_contention *plan);

/* Whether every comparison that the plan rests on was exact. */
bool tori_contention_is_exact (const tori_contention *plan);

/* Whether no plan that starts jobs at events is shorter: the search has tried
 * them all. */
bool tori_contention_is_least (const tori_contention *plan);

/* The makespan before the search. */
double tori_contention_first (const tori_contention *plan);

/* Lower bounds for any plan of these jobs: the longest job; node-time over
 * nodes; and the least time in which the nodes could do the jobs if there were
 * no contention and jobs could be stopped. The last is at least as long as the
 * other two. (If it does not fit 128 bits, it is the longer of these.)
 * `events` is a bound for plans that start jobs at events, by the search, or
 * the same as contention_free.
 */
typedef struct tori_contention_bound {
    double longest;
    double area;
    double contention_free;
    double events;
} tori_contention_bound;

tori_contention_bound tori_contention_bounds (const tori_contention *plan);

/* The same numbers as text; empty if there is no such job or number. */
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

/* The same as an exact number; false if it is not known exactly, or does not
 * fit. Only starts, finishes and the makespan can be had this way, and only if
 * all times are decimals or fractions that end in binary, such as 5/8. */
bool tori_contention_exact (const tori_contention *plan,
                            tori_contention_number which, size_t i,
                            tori_exact *ret_number);

#ifdef __cplusplus
}
#endif

#endif

/* greedy.h - the greedy plan with contention, for one order of the jobs.
 *
 * CNP_Alloc of Gupta and Srimani, "Job Scheduling for Torus Connected
 * Networks", 1997, for any number of dimensions and shapes whose sides are
 * powers of two. Jobs are taken one by one. A job starts as early as a
 * subtorus of its shape is free, though not before the job taken before it, on
 * the one where its load is the least, the first of these in row-major order.
 *
 * Loads. The paper treats a running job as many jobs of the size of the one
 * that is placed, and divides what each of them adds by the number of subtori
 * that can share a link. That comes to a rule for two jobs: if they share
 * links of a dimension, and overlap for a time D, each is delayed by D divided
 * by the stride of the other in that dimension - by the share that the other
 * has of the nodes of the ring. (A job of 4x4 on 8x8 has stride 2; as jobs of
 * 2x2 it is two of them to a ring, each adding D/4: D/2.) The rule asks
 * neither for equal sides nor for an order of sizes. The overlap is counted
 * from the start of the new job, over the time that it asks for, or until the
 * other one ends as far as is known by then.
 *
 * What is looked at. Jobs of a shape whose rings of a dimension are the same
 * are a crowd. The load of a place is the sum of a line for each dimension,
 * and a line the sum over some crowds, so lines are summed up once, when a
 * free place first asks. Where few places are free, as most of the time, a job
 * looks at the jobs that it might meet and no others. Where many are, crowds
 * are kept in order with partial sums (running.h), so that a line costs the
 * logarithm of its length.
 */
#ifndef TORI_PLAN_GREEDY_H
#define TORI_PLAN_GREEDY_H

#include <tori/plan.h>

#include "planform.h"
#include "value.h"

/* What is planned. */
struct problem {
    int ndims;
    size_t n;
    const tori_contention_job *job;
    uint32_t *form_of; /* a job */
    struct form *form;
    size_t forms;
};

int problem_init (struct problem *problem, const tori_machine *machine,
                  const tori_contention_job job[], size_t n, tori_error *err);
void problem_clear (struct problem *problem);

struct greedy;

/* Room for plans of this problem, with values of `words` or as many more as
 * leave 64 bits behind the point. The problem must stay. */
int greedy_create (const struct problem *problem, int words,
                   struct greedy **ret_greedy, tori_error *err);
void greedy_destroy (struct greedy *greedy);

/* Make the plan for an order of the jobs. 0, or -1 without memory. If a
 * comparison is not clear, greedy_scale (greedy)->unclear is set: a strict run
 * ends there, another takes what looks smaller and goes on. */
int greedy_run (struct greedy *greedy, const uint32_t order[], bool strict,
                tori_error *err);

/* What came out. Values are the greedy's. */
const struct scale *greedy_scale (const struct greedy *greedy);
uint32_t greedy_place (const struct greedy *greedy, size_t job);
const uint64_t *greedy_time (const struct greedy *greedy, size_t job);
const uint64_t *greedy_start (const struct greedy *greedy, size_t job);
const uint64_t *greedy_finish (const struct greedy *greedy, size_t job);
const uint64_t *greedy_makespan (const struct greedy *greedy);

/* How far off any of the times can be, in units of the scale. */
double greedy_bound (const struct greedy *greedy);

#endif

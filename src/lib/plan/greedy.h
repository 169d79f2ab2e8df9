/* greedy.h - the greedy plan with contention, for one order of the jobs.
 *
 * CNP_Alloc of Gupta and Srimani, "Job Scheduling for Torus Connected
 * Networks", 1997, for any number of dimensions and shapes whose sides are
 * powers of two. Jobs are taken one by one. A job starts as soon as a subtorus
 * of its shape is free, but not before the job taken before it. It gets the
 * subtorus where its load is least, the first of these in row-major order.
 *
 * Loads. The paper treats a running job as many jobs of the size of the one
 * that is placed, and divides what each of them adds by the number of subtori
 * that can share a link. That amounts to a rule for two jobs: if they share
 * links of a dimension and overlap for a time D, each is delayed by D divided
 * by the stride of the other in that dimension, that is, by D times the share
 * of the ring's nodes that the other has. (A job of 4x4 on 8x8 has stride 2.
 * As jobs of 2x2 it is two of them on a ring, each adding D/4: D/2 in all.)
 * The rule needs neither equal sides nor an order of sizes. The overlap is
 * counted from the start of the new job, over the time that it asks for, or
 * until the other job ends by what is known then.
 *
 * The examination: jobs of a shape whose rings of a dimension are the same
 * are a crowd. The load of a place is the sum of a line for each dimension,
 * and a line is the sum over some crowds. So lines are summed up once, when a
 * free place first needs them. If few places are free, as most of the time, a
 * job looks only at the jobs that it might meet. If many are, crowds are
 * kept in order with partial sums (running.h), so that a line costs the
 * logarithm of its length.
 */
#ifndef TORI_PLAN_GREEDY_H
#define TORI_PLAN_GREEDY_H

#include <tori/plan.h>

#include "planform.h"
#include "value.h"

/* The jobs to plan, and their forms. */
struct problem {
    int ndims;
    size_t n;
    const tori_contention_job *job;
    uint32_t *form_of; /* a job */
    struct form *form;
    size_t forms;
    bool any_order; /* a smaller job may start before a larger one */
    bool own_delay; /* a new job overlaps with others for its own delay, too */
};

int problem_init (struct problem *problem, const tori_machine *machine,
                  const tori_contention_job job[], size_t n, tori_error *err);
void problem_clear (struct problem *problem);

/* The order in which jobs start, and where and when. Without `place`, each job
 * takes the place with the least load as soon as there is one. Otherwise it
 * takes the given place when the job `after` has ended; NO_JOB: at once. */
struct turns {
    uint32_t *job;
    uint32_t *place;
    uint32_t *after;
};

#define NO_JOB UINT32_MAX

struct greedy;

/* Room for plans of this problem, with values of `words` or as many more as
 * leave 64 bits after the point. The problem must stay. */
int greedy_create (const struct problem *problem, int words,
                   struct greedy **ret_greedy, tori_error *err);
void greedy_destroy (struct greedy *greedy);

/* Make the plan of these turns. 0, or -1 without memory. If a
 * comparison is not clear, greedy_scale (greedy)->unclear is set: a strict run
 * ends there, another takes the value that looks smaller and goes on. */
int greedy_run (struct greedy *greedy, const struct turns *turns, bool strict,
                tori_error *err);

/* The results. Values belong to the greedy. */
const struct scale *greedy_scale (const struct greedy *greedy);
uint32_t greedy_place (const struct greedy *greedy, size_t job);
const uint64_t *greedy_time (const struct greedy *greedy, size_t job);
const uint64_t *greedy_start (const struct greedy *greedy, size_t job);
const uint64_t *greedy_finish (const struct greedy *greedy, size_t job);
const uint64_t *greedy_makespan (const struct greedy *greedy);

/* Whether the plan ended early, because a time that counts its own delay needs
 * more words. */
bool greedy_overflows (const struct greedy *greedy);

/* The largest error of the times, in units of the scale. */
double greedy_bound (const struct greedy *greedy);

/* A search for an order whose plan is shorter, judged by values of the fewest
 * words; they are the same on every machine, and so is the search. The jobs
 * come by size in `order`, which each step leaves or changes to one that is no
 * longer; problem and order must stay. With a `lap` above 0 the search begins
 * anew after so many steps, with the next seed. */
struct order_search;

int order_search_create (const struct problem *problem, uint64_t seed,
                         uint64_t lap, uint32_t order[],
                         struct order_search **ret_search, tori_error *err);
void order_search_destroy (struct order_search *search);

/* Whether there is another order at all. Otherwise make no step. */
bool order_search_can (const struct order_search *search);
int order_search_step (struct order_search *search, tori_error *err);

#endif

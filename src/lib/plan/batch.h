/* batch.h - the jobs of a preemptive plan, in ticks, by dimension.
 *
 * All times are brought to a common unit, so that a plan is made of integers:
 * it only ever adds and subtracts times. Jobs of equal dimension form a class.
 * If each dimension divides the next larger one, the batch is chained: there
 * are few classes, however many jobs, and the least time is found directly
 * (least.c). Otherwise it takes a linear program (stages.h). Jobs that take no
 * time are left out. */
#ifndef TORI_PLAN_BATCH_H
#define TORI_PLAN_BATCH_H

#include <tori/plan.h>

/* Jobs of one dimension: order[begin] to order[end - 1]. Together with the
 * larger ones they cannot use more than `room`, the largest sum of such
 * dimensions that the machine's side has. */
struct batch_class {
    uint32_t dimension;
    uint32_t room;
    size_t begin;
    size_t end;
};

struct batch {
    uint32_t side;
    size_t n; /* jobs that take time */
    size_t *order;   /* indexes of jobs, largest dimension first, then as
                        they came */
    tori_wide *time; /* in that order, in ticks */
    tori_wide unit;  /* ticks in a unit of time */
    struct batch_class *class; /* the largest dimension first */
    int classes;
    bool chained;
};

/* TORI_INVALID for a time that is negative, or not a number. */
int time_check (tori_exact time, tori_error *err);

/* The times of all jobs, and `also` (den 1 if there is none), are whole
 * numbers of ticks. TORI_INVALID if that does not fit, or for a job as in
 * tori_preemptive_check. */
int batch_create (const tori_machine *machine, const tori_preemptive_job job[],
                  size_t n, tori_exact also, struct batch *ret_batch,
                  tori_error *err);
void batch_clear (struct batch *batch);

/* The same for any number of positions. */
int batch_create_side (uint32_t side, const tori_preemptive_job job[],
                       size_t n, tori_exact also, struct batch *ret_batch,
                       tori_error *err);

/* Whether sums over jobs fit: their times on all of their positions, times the
 * side squared, bound every sum of batch_least. */
int batch_check_sums (const struct batch *batch, tori_error *err);

/* TORI_INVALID: the numbers do not fit. */
int batch_too_fine (tori_error *err);

/* The times, those of each class the longest first, to be freed; NULL without
 * memory. */
tori_wide *batch_sort_times (const struct batch *batch);

/* The smallest dimension, of a chained batch with a job: only multiples of it matter among all positions. */
static inline uint32_t batch_grain (const struct batch *batch)
{
    return batch->class[batch->classes - 1].dimension;
}

/* The least time in which the jobs can be done, in ticks, which need not be
 * whole. TORI_INVALID if the numbers do not fit. `ret_rounds`, if not NULL: the
 * number of passes over all jobs of a chained batch. */
int batch_least (const struct batch *batch, tori_exact *ret_ticks,
                 unsigned *ret_rounds, tori_error *err);

#endif

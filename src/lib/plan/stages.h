/* stages.h - the least time of jobs of any dimensions.
 *
 * A mix tells how many jobs of each dimension run at the same time; it fits if
 * their dimensions add up to at most the side. A plan is a sequence of stages,
 * and a stage is a mix for some time. The shortest sequence is a linear
 * program whose variables are the times of all mixes that fit. There are far
 * too many to list. So it begins with few, and a knapsack problem finds one
 * that helps, again and again, until none does.
 *
 * Which job of a class runs when is left for later. Jobs of a class fit into
 * its places if and only if, for every h, the h longest together take no more
 * time than min (h, places) adds up to over all stages. Only such sums are
 * rows of the program, and only those that would be violated without. So there
 * are hardly more rows than dimensions, however many jobs. The numbers are
 * exact (simplex.h). doc/experiments/preemptive.md has the proofs. */
#ifndef TORI_PLAN_STAGES_H
#define TORI_PLAN_STAGES_H

#include "batch.h"

struct stages {
    size_t n;
    int classes;
    uint32_t *count; /* jobs of each class, stage by stage; in lexical order,
                        so that the largest jobs move least */
    tori_wide *time; /* in ticks, times den */
    tori_wide den;
    tori_wide total; /* of all times */
    size_t rows;     /* of the program: no fewer than stages */
};

/* The shortest for the jobs of a batch, chained or not, which has a job.
 * TORI_INVALID if numbers do not fit. */
int stages_create (const struct batch *batch, struct stages *ret_stages,
                   tori_error *err);
void stages_clear (struct stages *stages);

static inline const uint32_t *stages_mix (const struct stages *stages,
                                          size_t i)
{
    return stages->count + i * (size_t)stages->classes;
}

#endif

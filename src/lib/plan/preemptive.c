/* preemptive.c - the feasibility algorithm of Gupta and Srimani, 1997, section
 * 3: jobs in the order of decreasing dimension, each on the one or two
 * intervals of the profile whose time left is just below and just above its
 * own. */
#include <stdlib.h>

#include "batch.h"
#include "stairs.h"

struct preemptive_plan {
    const struct batch *batch;
    tori_wide deadline;
    uint32_t grain; /* positions in a cell of the stairs */
    struct stairs *stairs;
    tori_segment *segment; /* two for each job; size 0: none */
};

/* Run the job at the left end of an interval, from its first free time. */
static void run_job (struct preemptive_plan *p, size_t i, int part,
                     uint32_t cell, uint32_t dimension, tori_wide time)
{
    size_t job = p->batch->order[i];
    tori_wide start = p->deadline - stairs_left (p->stairs, cell);
    p->segment[2 * job + (size_t)part] = (tori_segment){
        .job = job,
        .first = cell * p->grain,
        .size = dimension,
        .start = start,
        .finish = start + time,
    };
}

/* Step 1: there is no such interval. Step 3: an interval has exactly the time.
 * Otherwise the job takes all of the interval before, and the rest from this
 * one (step 4); nothing, if there is none before (step 2). The later segment
 * is the second. */
static bool schedule_job (struct preemptive_plan *p, size_t i,
                          uint32_t dimension)
{
    struct stairs *stairs = p->stairs;
    tori_wide time = p->batch->time[i], left;
    uint32_t width = dimension / p->grain, before;
    uint32_t at = stairs_find (stairs, time);
    if (at == STAIRS_NONE)
        return false;
    left = stairs_left (stairs, at);
    if (left == time) {
        run_job (p, i, 0, at, dimension, time);
        stairs_use_up (stairs, at, width);
        return true;
    }
    before = stairs_before (stairs, at);
    if (before != STAIRS_NONE) {
        tori_wide all = stairs_left (stairs, before);
        run_job (p, i, 1, before, dimension, all);
        stairs_use_up (stairs, before, width);
        time -= all;
    }
    run_job (p, i, 0, at, dimension, time);
    stairs_split (stairs, at, width, left - time);
    return true;
}

/* Returns the first job of the batch that cannot be scheduled, or their
 * number. */
static size_t schedule_all (struct preemptive_plan *p)
{
    const struct batch *batch = p->batch;
    for (int k = 0; k < batch->classes; k++) {
        const struct batch_class *class = &batch->class[k];
        stairs_extend (p->stairs, class->room / p->grain, p->deadline);
        for (size_t i = class->begin; i < class->end; i++)
            if (!schedule_job (p, i, class->dimension))
                return i;
    }
    return batch->n;
}

/* Close the gaps, and find the last end. */
static void collect_segments (struct preemptive_plan *p, tori_preemptive *plan)
{
    tori_wide finish = 0;
    for (size_t i = 0; i < 2 * p->batch->n; i++)
        if (p->segment[i].size) {
            if (p->segment[i].finish > finish)
                finish = p->segment[i].finish;
            p->segment[plan->segments++] = p->segment[i];
        }
    plan->segment = p->segment;
    p->segment = NULL;
    plan->preemptions = plan->segments - p->batch->n;
    plan->finish = tori_exact_make (finish, plan->unit);
}

static int make_plan (const struct batch *batch, tori_wide deadline,
                      tori_preemptive *ret_plan, tori_error *err)
{
    tori_preemptive plan = {.finish = {0, 1}, .unit = batch->unit};
    struct preemptive_plan p = {
        .batch = batch, .deadline = deadline, .grain = batch_grain (batch)};
    int status = -1;
    size_t done;
    p.stairs = stairs_create (batch->side / p.grain);
    p.segment = calloc (batch->n, 2 * sizeof *p.segment);
    if (!p.stairs || !p.segment) {
        tori_error_nomem (err);
        goto cleanup;
    }
    done = schedule_all (&p);
    plan.feasible = done == batch->n;
    if (plan.feasible)
        collect_segments (&p, &plan);
    else
        plan.failed = batch->order[done];
    *ret_plan = plan;
    status = 0;
cleanup:
    stairs_destroy (p.stairs);
    free (p.segment);
    return status;
}

int tori_preemptive_plan (const tori_machine *machine,
                          const tori_preemptive_job job[], size_t n,
                          tori_exact deadline, tori_preemptive *ret_plan,
                          tori_error *err)
{
    struct batch batch;
    tori_wide ticks;
    int status;
    if (deadline.den <= 0)
        return tori_error_set (err, TORI_INVALID,
                               "the deadline is not a number: its denominator "
                               "is not positive");
    if (batch_create (machine, job, n, deadline, &batch, err) < 0)
        return -1;
    if (__builtin_mul_overflow (deadline.num, batch.unit / deadline.den,
                                &ticks))
        status = tori_error_set (err, TORI_INVALID,
                                 "the deadline is too long for exact numbers "
                                 "of 128 bits");
    else
        status = make_plan (&batch, ticks, ret_plan, err);
    batch_clear (&batch);
    return status;
}

void tori_preemptive_clear (tori_preemptive *plan)
{
    if (!plan)
        return;
    free (plan->segment);
    *plan = (tori_preemptive){0};
}

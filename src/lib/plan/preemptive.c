/* preemptive.c - plans by a deadline.
 *
 * If each dimension divides the next larger one, this is the feasibility
 * algorithm of Gupta and Srimani, 1997, section 3: jobs in the order of
 * decreasing dimension, each on the one or two intervals of the profile whose
 * time left is just below and just above its own. For other dimensions it does
 * not hold. Their plan is the shortest one, by a linear program (stages.h). */
#include <stdlib.h>

#include "batch.h"
#include "lanes.h"
#include "stages.h"
#include "stairs.h"
#include "wide.h"

/* ---- dimensions that divide each other ---- */

struct preemptive_plan {
    const struct batch *batch;
    tori_wide deadline;
    uint32_t grain; /* positions in a cell of the stairs */
    struct stairs *stairs;
    tori_segment *segment; /* two for each job; size 0: none */
};

/* A job runs at the left end of an interval, from its first free time. */
static bool schedule_job (struct preemptive_plan *p, size_t i,
                          uint32_t dimension)
{
    size_t job = p->batch->order[i];
    struct stair_part part[2];
    int parts = stairs_place (p->stairs, dimension / p->grain,
                              p->batch->time[i], part);
    for (int k = 0; k < parts; k++) {
        tori_wide start = p->deadline - part[k].left;
        p->segment[2 * job + (size_t)k] = (tori_segment){
            .job = job,
            .first = part[k].cell * p->grain,
            .size = dimension,
            .start = start,
            .finish = start + part[k].time,
        };
    }
    return parts > 0;
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

/* Close the gaps. */
static void collect_segments (struct preemptive_plan *p, size_t jobs,
                              tori_preemptive *plan)
{
    for (size_t i = 0; i < 2 * jobs; i++)
        if (p->segment[i].size)
            p->segment[plan->segments++] = p->segment[i];
    plan->segment = p->segment;
    p->segment = NULL;
}

static int plan_chain (const struct batch *batch, size_t jobs,
                       tori_wide deadline, tori_preemptive *plan,
                       tori_error *err)
{
    struct preemptive_plan p = {
        .batch = batch, .deadline = deadline, .grain = batch_grain (batch)};
    int status = -1;
    size_t done;
    p.stairs = stairs_create (batch->side / p.grain);
    p.segment = calloc (jobs, 2 * sizeof *p.segment);
    if (!p.stairs || !p.segment) {
        tori_error_nomem (err);
        goto cleanup;
    }
    done = schedule_all (&p);
    plan->feasible = done == batch->n;
    if (plan->feasible)
        collect_segments (&p, jobs, plan);
    else
        plan->failed = batch->order[done];
    status = 0;
cleanup:
    stairs_destroy (p.stairs);
    free (p.segment);
    return status;
}

/* ---- other dimensions ---- */

/* Whether the first jobs of the batch, alone, can be done in time. Returns 1,
 * 0 or -1. */
static int meets_deadline (const struct batch *batch, size_t jobs,
                           tori_wide deadline, tori_error *err)
{
    struct batch part = *batch;
    tori_exact least;
    int status;
    part.n = jobs;
    part.class = calloc ((size_t)batch->classes, sizeof *part.class);
    if (!part.class)
        return tori_error_nomem (err);
    for (part.classes = 0; batch->class[part.classes].begin < jobs;
         part.classes++) {
        part.class[part.classes] = batch->class[part.classes];
        if (part.class[part.classes].end >= jobs) {
            part.class[part.classes++].end = jobs;
            break;
        }
    }
    status = batch_least (&part, &least, NULL, err);
    free (part.class);
    if (status < 0)
        return -1;
    return tori_exact_compare (least, (tori_exact){deadline, 1}) <= 0;
}

/* The first job with which the deadline cannot be met, by bisection: more jobs
 * never need less time. */
static int find_failed (const struct batch *batch, tori_wide deadline,
                        size_t *ret_failed, tori_error *err)
{
    size_t met = 0, missed = batch->n;
    while (missed - met > 1) {
        size_t middle = met + (missed - met) / 2;
        int meets = meets_deadline (batch, middle, deadline, err);
        if (meets < 0)
            return -1;
        *(meets ? &met : &missed) = middle;
    }
    *ret_failed = batch->order[met];
    return 0;
}

static int plan_stages (const struct batch *batch, tori_wide deadline,
                        tori_preemptive *plan, tori_error *err)
{
    struct stages stages;
    int status = 0;
    if (batch_check_sums (batch, err) < 0
        || stages_create (batch, &stages, err) < 0)
        return -1;
    plan->feasible
        = tori_exact_compare ((tori_exact){stages.total, stages.den},
                              (tori_exact){deadline, 1})
          <= 0;
    if (!plan->feasible)
        status = find_failed (batch, deadline, &plan->failed, err);
    else if (wide_mul_overflow (plan->unit, stages.den, &plan->unit))
        status = batch_too_fine (err);
    else
        status = lanes_fill (batch, &stages, &plan->segment, &plan->segments,
                             err);
    plan->stages = plan->feasible ? stages.n : 0;
    stages_clear (&stages);
    return status;
}

/* ---- all ---- */

static void sum_up (const struct batch *batch, tori_preemptive *plan)
{
    tori_wide finish = 0;
    for (size_t i = 0; i < plan->segments; i++)
        if (plan->segment[i].finish > finish)
            finish = plan->segment[i].finish;
    plan->finish = tori_exact_make (finish, plan->unit);
    plan->preemptions = plan->feasible ? plan->segments - batch->n : 0;
}

/* Jobs that take no time only need a deadline that is not in the past. */
static int make_plan (const struct batch *batch, size_t jobs,
                      tori_wide deadline, tori_preemptive *ret_plan,
                      tori_error *err)
{
    tori_preemptive plan = {.unit = batch->unit};
    int status = 0;
    if (!batch->n)
        plan.feasible = deadline >= 0;
    else if (batch->chained)
        status = plan_chain (batch, jobs, deadline, &plan, err);
    else
        status = plan_stages (batch, deadline, &plan, err);
    if (status == 0) {
        sum_up (batch, &plan);
        *ret_plan = plan;
    }
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
    if (wide_mul_overflow (deadline.num, batch.unit / deadline.den,
                                &ticks))
        status = tori_error_set (err, TORI_INVALID,
                                 "the deadline is too long for exact numbers "
                                 "of 128 bits");
    else
        status = make_plan (&batch, n, ticks, ret_plan, err);
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

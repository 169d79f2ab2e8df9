/* least.c - the least time in which a batch can be done.
 *
 * If it is not chained, stages.h does that. Otherwise
 * doc/experiments/preemptive.md proves what is used here. For a time T, the profile that
 * the larger jobs leave is a list of levels, times left in decreasing order,
 * that many units of the present dimension each. A class of jobs fits if and
 * only if, for every h, its h longest jobs together take no more than the h
 * highest units have. A job of length t then replaces a unit that has no less
 * than t, and the next, which has less, by one that has what they have
 * together without t.
 *
 * As a function of T, a sum of the h highest units is concave, and every level
 * is known as a line that touches it: value + slope * (T' - T) is never less
 * than the true value at T'. So if the h longest jobs do not fit at T, no time
 * fits that is less than the one at which that line meets their length. It is
 * the next T: from below, never beyond the least time, which is reached after
 * a few rounds because it is one of those meeting points. This is Newton's
 * method on a concave function, and it ends exactly.
 *
 * Longest jobs first, a class is done in linear time with two stacks: levels
 * that are no less than the present job, and those that are. */
#include <stdlib.h>

#include "batch.h"
#include "stages.h"

struct least_level {
    tori_wide left; /* in ticks, times the denominator of T */
    int64_t slope;
    uint32_t units;
};

/* A time under trial, in ticks. */
struct least_trial {
    const struct batch *batch;
    const tori_wide *time; /* by class, the longest first */
    tori_exact now;
    struct least_level
        *high; /* no less than the present job, the highest first */
    size_t highs;
    struct least_level *low; /* the rest, the highest last */
    size_t lows;
};

/* Levels are at most as many as units of the smallest dimension, and one more
 * a job and class. */
static size_t levels_room (const struct batch *batch)
{
    size_t units = batch->side / batch_grain (batch);
    size_t most = batch->n + (size_t)batch->classes;
    return (units < most ? units : most) + 2;
}

/* ---- the profile that a class finds ---- */

/* Each unit becomes `parts` smaller ones, and after the highest come those
 * that only the smaller dimension can use. */
static void refine_levels (struct least_trial *trial, uint32_t parts,
                           uint32_t more)
{
    for (size_t i = 0; i < trial->lows; i++)
        trial->low[i].units *= parts;
    if (more)
        trial->low[trial->lows++] =
            (struct least_level){trial->now.num, 1, more};
}

static void enter_class (struct least_trial *trial, int k)
{
    const struct batch_class *class = &trial->batch->class[k];
    uint32_t before = k ? class[-1].dimension : class->dimension;
    uint32_t room = k ? class[-1].room : 0;
    refine_levels (trial, before / class->dimension,
                   (class->room - room) / class->dimension);
}

/* ---- whether it fits ---- */

/* Sums over the h highest units and the h longest jobs. */
struct least_sums {
    tori_wide left;
    tori_wide slope;
    tori_wide needed;
};

/* The time at which the line of these units meets what is needed: their value
 * at T = 0 is a whole number. */
static tori_exact meeting_time (const struct least_trial *trial,
                                const struct least_sums *sums)
{
    tori_exact now = trial->now;
    tori_wide at_zero = (sums->left - sums->slope * now.num) / now.den;
    return (tori_exact){sums->needed / now.den - at_zero, sums->slope};
}

static void raise_to (tori_exact *time, tori_exact to)
{
    if (to.num * time->den > time->num * to.den)
        *time = to;
}

/* Whether all of a class fit; if not, *next is raised to the least time that
 * this allows. */
static bool class_fits (const struct least_trial *trial, int k,
                        tori_exact *next)
{
    const struct batch_class *class = &trial->batch->class[k];
    const struct least_level *level = trial->low + trial->lows;
    struct least_sums sums = {0};
    uint32_t units = 0;
    bool fits = true;
    for (size_t i = class->begin; i < class->end; i++) {
        while (!units && level > trial->low)
            units = (--level)->units;
        if (units) {
            units--;
            sums.left += level->left;
            sums.slope += level->slope;
        }
        sums.needed += trial->time[i] * trial->now.den;
        if (sums.needed > sums.left
            && (units || i + 1 == class->end || level > trial->low)) {
            fits = false;
            raise_to (next, meeting_time (trial, &sums));
        }
    }
    return fits;
}

/* ---- the profile that it leaves ---- */

static struct least_level take_unit (struct least_level *stack, size_t *n)
{
    struct least_level unit = {0};
    if (*n) {
        unit = stack[*n - 1];
        if (--stack[*n - 1].units == 0)
            --*n;
    }
    return unit;
}

static void leave_class (struct least_trial *trial, int k)
{
    const struct batch_class *class = &trial->batch->class[k];
    for (size_t i = class->begin; i < class->end; i++) {
        tori_wide time = trial->time[i] * trial->now.den;
        struct least_level high, low;
        while (trial->lows && trial->low[trial->lows - 1].left >= time)
            trial->high[trial->highs++] = trial->low[--trial->lows];
        high = take_unit (trial->high, &trial->highs);
        low = take_unit (trial->low, &trial->lows);
        trial->low[trial->lows++] = (struct least_level){
            high.left + low.left - time, high.slope + low.slope, 1};
    }
    while (trial->highs)
        trial->low[trial->lows++] = trial->high[--trial->highs];
}

/* Whether everything fits in the present time; if not, the next one. */
static bool try_time (struct least_trial *trial)
{
    tori_exact next = trial->now;
    trial->highs = trial->lows = 0;
    for (int k = 0; k < trial->batch->classes; k++) {
        enter_class (trial, k);
        if (!class_fits (trial, k, &next)) {
            trial->now = tori_exact_make (next.num, next.den);
            return false;
        }
        if (k + 1 < trial->batch->classes)
            leave_class (trial, k);
    }
    return true;
}

/* ---- the first time ---- */

static tori_exact longest_of (const struct batch *batch)
{
    tori_exact most = {0, 1};
    for (size_t i = 0; i < batch->n; i++)
        if (batch->time[i] > most.num)
            most.num = batch->time[i];
    return most;
}

static tori_exact area_of (const struct batch *batch)
{
    tori_exact most = {0, 1};
    tori_wide work = 0;
    for (int k = 0; k < batch->classes; k++) {
        const struct batch_class *class = &batch->class[k];
        for (size_t i = class->begin; i < class->end; i++)
            work += batch->time[i] * class->dimension;
        raise_to (&most, (tori_exact){work, class->room});
    }
    return tori_exact_make (most.num, most.den);
}

static int least_of_chain (const struct batch *batch, tori_exact *ret_ticks,
                           unsigned *ret_rounds, tori_error *err)
{
    size_t room = levels_room (batch);
    tori_wide *time = batch_sort_times (batch);
    struct least_trial trial = {.batch = batch, .time = time};
    int status = -1;
    trial.high = calloc (room, sizeof *trial.high);
    trial.low = calloc (room, sizeof *trial.low);
    if (!time || !trial.high || !trial.low) {
        tori_error_nomem (err);
        goto cleanup;
    }
    trial.now = longest_of (batch);
    raise_to (&trial.now, area_of (batch));
    for (*ret_rounds = 1; !try_time (&trial);)
        ++*ret_rounds;
    *ret_ticks = trial.now;
    status = 0;
cleanup:
    free (time);
    free (trial.high);
    free (trial.low);
    return status;
}

static int least_of_mixes (const struct batch *batch, tori_exact *ret_ticks,
                           tori_error *err)
{
    struct stages stages;
    if (stages_create (batch, &stages, err) < 0)
        return -1;
    *ret_ticks = tori_exact_make (stages.total, stages.den);
    stages_clear (&stages);
    return 0;
}

int batch_least (const struct batch *batch, tori_exact *ret_ticks,
                 unsigned *ret_rounds, tori_error *err)
{
    unsigned rounds = 0;
    if (batch_check_sums (batch, err) < 0)
        return -1;
    if (!batch->n)
        *ret_ticks = (tori_exact){0, 1};
    else if ((batch->chained ? least_of_chain (batch, ret_ticks, &rounds, err)
                             : least_of_mixes (batch, ret_ticks, err))
             < 0)
        return -1;
    if (ret_rounds)
        *ret_rounds = rounds;
    return 0;
}

/* ---- in units of time ---- */

/* Ticks are small, so the product of the denominators usually fits, but not
 * always. */
static int in_units (tori_exact ticks, tori_wide unit, tori_exact *ret_time,
                     tori_error *err)
{
    return tori_exact_mul (ticks, (tori_exact){1, unit}, ret_time, err);
}

int tori_preemptive_least (const tori_machine *machine,
                           const tori_preemptive_job job[], size_t n,
                           tori_exact *ret_finish, tori_error *err)
{
    struct batch batch;
    tori_exact ticks;
    int status;
    if (batch_create (machine, job, n, (tori_exact){0, 1}, &batch, err) < 0)
        return -1;
    status = batch_least (&batch, &ticks, NULL, err);
    if (status == 0)
        status = in_units (ticks, batch.unit, ret_finish, err);
    batch_clear (&batch);
    return status;
}

int tori_preemptive_bounds (const tori_machine *machine,
                            const tori_preemptive_job job[], size_t n,
                            tori_preemptive_bound *ret_bound, tori_error *err)
{
    struct batch batch;
    tori_preemptive_bound bound;
    int status;
    if (batch_create (machine, job, n, (tori_exact){0, 1}, &batch, err) < 0)
        return -1;
    status = batch_check_sums (&batch, err);
    if (status == 0)
        status =
            in_units (longest_of (&batch), batch.unit, &bound.longest, err);
    if (status == 0)
        status = in_units (area_of (&batch), batch.unit, &bound.area, err);
    if (status == 0)
        *ret_bound = bound;
    batch_clear (&batch);
    return status;
}

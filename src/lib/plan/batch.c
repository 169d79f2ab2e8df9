#include "batch.h"

#include <stdlib.h>

/* ---- dimensions that divide each other ---- */

/* Those seen so far, the largest first. */
struct chain {
    uint32_t dimension[BATCH_CLASSES];
    int n;
};

static int chain_find (const struct chain *chain, uint32_t dimension)
{
    int i = 0;
    while (i < chain->n && chain->dimension[i] > dimension)
        i++;
    return i;
}

static bool chain_has (const struct chain *chain, int at, uint32_t dimension)
{
    return at < chain->n && chain->dimension[at] == dimension;
}

static int report_mismatch (uint32_t small, uint32_t large, tori_error *err)
{
    return tori_error_set (err, TORI_INVALID,
                           "dimension %u does not divide %u, the dimension of "
                           "another job: in a preemptive plan each must "
                           "divide the next larger",
                           small, large);
}

/* Each divides the next, so there are never too many. */
static int chain_add (struct chain *chain, uint32_t dimension, tori_error *err)
{
    int at = chain_find (chain, dimension);
    if (chain_has (chain, at, dimension))
        return 0;
    if (at > 0 && chain->dimension[at - 1] % dimension)
        return report_mismatch (dimension, chain->dimension[at - 1], err);
    if (at < chain->n && dimension % chain->dimension[at])
        return report_mismatch (chain->dimension[at], dimension, err);
    for (int i = chain->n++; i > at; i--)
        chain->dimension[i] = chain->dimension[i - 1];
    chain->dimension[at] = dimension;
    return 0;
}

int time_check (tori_exact time, tori_error *err)
{
    if (time.den <= 0)
        return tori_error_set (err, TORI_INVALID,
                               "the time is not a number: its denominator is "
                               "not positive");
    if (time.num <= 0)
        return tori_error_set (err, TORI_INVALID, "the time is not positive");
    return 0;
}

static int check_job (const tori_preemptive_job *job, uint32_t side,
                      struct chain *chain, tori_error *err)
{
    if (job->dimension == 0)
        return tori_error_set (err, TORI_INVALID,
                               "dimension 0: expected 1 or more");
    if (time_check (job->time, err) < 0)
        return -1;
    if (job->dimension > side)
        return tori_error_set (err, TORI_NEVER,
                               "dimension %u is larger than the machine, "
                               "whose shortest side is %u",
                               job->dimension, side);
    return chain_add (chain, job->dimension, err);
}

static int check_jobs (const tori_preemptive_job job[], size_t n,
                       uint32_t side, struct chain *chain, size_t *ret_bad,
                       tori_error *err)
{
    chain->n = 0;
    for (size_t i = 0; i < n; i++)
        if (check_job (&job[i], side, chain, err) < 0) {
            *ret_bad = i;
            return -1;
        }
    return 0;
}

int tori_preemptive_side (const tori_machine *machine, uint32_t *ret_side,
                          tori_error *err)
{
    int ndims = tori_machine_ndims (machine);
    uint32_t side = UINT32_MAX;
    if (ndims < 2)
        return tori_error_set (err, TORI_NEVER,
                               "a single ring has no link-disjoint subtori: "
                               "the machine needs 2 dimensions or more");
    for (int d = 0; d < ndims; d++) {
        uint32_t size = tori_machine_size (machine, d);
        if (tori_machine_kind (machine, d) != TORI_TORUS)
            return tori_error_set (err, TORI_NEVER,
                                   "dimension %d of the machine is not a torus, "
                                   "so it has no subtori",
                                   d);
        if (size < side)
            side = size;
    }
    *ret_side = side;
    return 0;
}

static int too_fine (tori_error *err)
{
    return tori_error_set (err, TORI_INVALID,
                           "the times are too long and have too large a "
                           "common denominator for exact numbers of 128 bits");
}

/* The common unit of all times. Denominators repeat, which spares divisions.
 * *ret_bad is the job with which it does not fit. */
static int find_unit (const tori_preemptive_job job[], size_t n,
                      tori_exact also, tori_wide *ret_unit, size_t *ret_bad,
                      tori_error *err)
{
    tori_wide unit = also.den, last = 1;
    for (size_t i = 0; i < n; i++) {
        if (job[i].time.den == last)
            continue;
        last = job[i].time.den;
        if (tori_wide_lcm (unit, last, &unit, NULL) < 0) {
            *ret_bad = i;
            return too_fine (err);
        }
    }
    *ret_unit = unit;
    return 0;
}

int tori_preemptive_check (const tori_machine *machine,
                           const tori_preemptive_job job[], size_t n,
                           size_t *ret_bad, tori_error *err)
{
    struct chain chain;
    tori_wide unit;
    uint32_t side;
    size_t bad = n;
    int status = tori_preemptive_side (machine, &side, err);
    if (status == 0)
        status = check_jobs (job, n, side, &chain, &bad, err);
    if (status == 0)
        status = find_unit (job, n, (tori_exact){0, 1}, &unit, &bad, err);
    if (status < 0)
        *ret_bad = bad;
    return status;
}

/* ---- classes ---- */

static void make_classes (struct batch *batch, const struct chain *chain)
{
    batch->classes = chain->n;
    for (int k = 0; k < chain->n; k++) {
        uint32_t dimension = chain->dimension[k];
        batch->class[k] = (struct batch_class){
            .dimension = dimension,
            .room = batch->side - batch->side % dimension};
    }
}

/* Sort jobs by class, stably: count, then deal out. */
static void fill_order (struct batch *batch, const struct chain *chain,
                        const tori_preemptive_job job[])
{
    size_t at = 0;
    for (size_t i = 0; i < batch->n; i++)
        batch->class[chain_find (chain, job[i].dimension)].end++;
    for (int k = 0; k < batch->classes; k++) {
        batch->class[k].begin = at;
        at += batch->class[k].end;
        batch->class[k].end = batch->class[k].begin;
    }
    for (size_t i = 0; i < batch->n; i++) {
        int k = chain_find (chain, job[i].dimension);
        batch->order[batch->class[k].end++] = i;
    }
}

/* ---- ticks ---- */

static int fill_times (struct batch *batch, const tori_preemptive_job job[],
                       tori_error *err)
{
    tori_wide den = 1, ticks = batch->unit;
    for (size_t i = 0; i < batch->n; i++) {
        const tori_preemptive_job *j = &job[batch->order[i]];
        if (j->time.den != den) {
            den = j->time.den;
            ticks = batch->unit / den;
        }
        if (__builtin_mul_overflow (j->time.num, ticks, &batch->time[i]))
            return too_fine (err);
    }
    return 0;
}

int batch_check_sums (const struct batch *batch, tori_error *err)
{
    tori_wide most = TORI_WIDE_MAX / batch->side / batch->side / 2;
    tori_wide total = 0;
    for (int k = 0; k < batch->classes; k++)
        for (size_t i = batch->class[k].begin; i < batch->class[k].end; i++) {
            tori_wide work;
            if (__builtin_mul_overflow (batch->time[i],
                                        batch->class[k].dimension, &work)
                || __builtin_add_overflow (total, work, &total)
                || total > most)
                return too_fine (err);
        }
    return 0;
}

int batch_create_side (uint32_t side, const tori_preemptive_job job[],
                       size_t n, tori_exact also, struct batch *ret_batch,
                       tori_error *err)
{
    struct batch batch = {.side = side, .n = n};
    struct chain chain;
    size_t bad;
    if (!n)
        return tori_error_set (err, TORI_INVALID, "no job");
    if (check_jobs (job, n, side, &chain, &bad, err) < 0)
        return -1;
    if (find_unit (job, n, also, &batch.unit, &bad, err) < 0)
        return -1;
    batch.order = calloc (n + 1, sizeof *batch.order);
    batch.time = calloc (n + 1, sizeof *batch.time);
    if (!batch.order || !batch.time) {
        batch_clear (&batch);
        return tori_error_nomem (err);
    }
    make_classes (&batch, &chain);
    fill_order (&batch, &chain, job);
    if (fill_times (&batch, job, err) < 0) {
        batch_clear (&batch);
        return -1;
    }
    *ret_batch = batch;
    return 0;
}

int batch_create (const tori_machine *machine, const tori_preemptive_job job[],
                  size_t n, tori_exact also, struct batch *ret_batch,
                  tori_error *err)
{
    uint32_t side;
    if (tori_preemptive_side (machine, &side, err) < 0)
        return -1;
    return batch_create_side (side, job, n, also, ret_batch, err);
}

void batch_clear (struct batch *batch)
{
    free (batch->order);
    free (batch->time);
    *batch = (struct batch){0};
}

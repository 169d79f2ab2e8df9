#include "batch.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "wide.h"

int time_check (tori_exact time, tori_error *err)
{
    if (time.den <= 0)
        return tori_error_set (err, TORI_INVALID,
                               "the time is not a number: its denominator is "
                               "not positive");
    if (time.num < 0)
        return tori_error_set (err, TORI_INVALID, "the time is negative");
    return 0;
}

static int check_job (const tori_preemptive_job *job, uint32_t side,
                      tori_error *err)
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
    return 0;
}

static int check_jobs (const tori_preemptive_job job[], size_t n,
                       uint32_t side, size_t *ret_bad, tori_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (check_job (&job[i], side, err) < 0) {
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

int batch_too_fine (tori_error *err)
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
            return batch_too_fine (err);
        }
    }
    *ret_unit = unit;
    return 0;
}

int tori_preemptive_check (const tori_machine *machine,
                           const tori_preemptive_job job[], size_t n,
                           size_t *ret_bad, tori_error *err)
{
    tori_wide unit;
    uint32_t side;
    size_t bad = n;
    int status = tori_preemptive_side (machine, &side, err);
    if (status == 0)
        status = check_jobs (job, n, side, &bad, err);
    if (status == 0)
        status = find_unit (job, n, (tori_exact){0, 1}, &unit, &bad, err);
    if (status < 0)
        *ret_bad = bad;
    return status;
}

/* ---- classes ---- */

/* The first class whose dimension is no larger. */
static int find_class (const struct batch *batch, uint32_t dimension)
{
    int low = 0, high = batch->classes;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (batch->class[middle].dimension > dimension)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int add_class (struct batch *batch, size_t *room, uint32_t dimension,
                      tori_error *err)
{
    int at = find_class (batch, dimension);
    struct batch_class *more;
    if (at < batch->classes && batch->class[at].dimension == dimension)
        return 0;
    more = array_room (batch->class, room, (size_t)batch->classes + 1,
                       sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    batch->class = more;
    memmove (more + at + 1, more + at,
             (size_t)(batch->classes++ - at) * sizeof *more);
    more[at] = (struct batch_class){
        .dimension = dimension, .room = batch->side - batch->side % dimension};
    return 0;
}

static bool divide_each_other (const struct batch *batch)
{
    for (int k = 1; k < batch->classes; k++)
        if (batch->class[k - 1].dimension % batch->class[k].dimension)
            return false;
    return true;
}

/* The largest sum of dimensions that fits, of each class and those before. */
static int find_rooms (struct batch *batch, tori_error *err)
{
    uint32_t side = batch->side;
    bool *sum = calloc ((size_t)side + 1, sizeof *sum);
    if (!sum)
        return tori_error_nomem (err);
    sum[0] = true;
    for (int k = 0; k < batch->classes; k++) {
        struct batch_class *class = &batch->class[k];
        for (uint32_t w = class->dimension; w <= side; w++)
            sum[w] |= sum[w - class->dimension];
        for (class->room = side; !sum[class->room];)
            class->room--;
    }
    free (sum);
    return 0;
}

static int make_classes (struct batch *batch, const tori_preemptive_job job[],
                         size_t n, tori_error *err)
{
    size_t room = 0;
    for (size_t i = 0; i < n; i++)
        if (job[i].time.num
            && add_class (batch, &room, job[i].dimension, err) < 0)
            return -1;
    batch->chained = divide_each_other (batch);
    return batch->chained ? 0 : find_rooms (batch, err);
}

/* Sort jobs by class, stably: count, then deal out. */
static void fill_order (struct batch *batch, const tori_preemptive_job job[],
                        size_t n)
{
    size_t at = 0;
    for (size_t i = 0; i < n; i++)
        if (job[i].time.num)
            batch->class[find_class (batch, job[i].dimension)].end++;
    for (int k = 0; k < batch->classes; k++) {
        batch->class[k].begin = at;
        at += batch->class[k].end;
        batch->class[k].end = batch->class[k].begin;
    }
    for (size_t i = 0; i < n; i++)
        if (job[i].time.num) {
            int k = find_class (batch, job[i].dimension);
            batch->order[batch->class[k].end++] = i;
        }
    batch->n = at;
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
        if (wide_mul_overflow (j->time.num, ticks, &batch->time[i]))
            return batch_too_fine (err);
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
            if (wide_mul_overflow (batch->time[i],
                                   batch->class[k].dimension, &work)
                || __builtin_add_overflow (total, work, &total)
                || total > most)
                return batch_too_fine (err);
        }
    return 0;
}

int batch_create_side (uint32_t side, const tori_preemptive_job job[],
                       size_t n, tori_exact also, struct batch *ret_batch,
                       tori_error *err)
{
    struct batch batch = {.side = side};
    size_t bad;
    if (!n)
        return tori_error_set (err, TORI_INVALID, "no job");
    if (check_jobs (job, n, side, &bad, err) < 0)
        return -1;
    if (find_unit (job, n, also, &batch.unit, &bad, err) < 0)
        return -1;
    batch.order = calloc (n, sizeof *batch.order);
    batch.time = calloc (n, sizeof *batch.time);
    if (!batch.order || !batch.time) {
        tori_error_nomem (err);
        goto failed;
    }
    if (make_classes (&batch, job, n, err) < 0)
        goto failed;
    fill_order (&batch, job, n);
    if (fill_times (&batch, job, err) < 0)
        goto failed;
    *ret_batch = batch;
    return 0;
failed:
    batch_clear (&batch);
    return -1;
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
    free (batch->class);
    *batch = (struct batch){0};
}

static int compare_descending (const void *a, const void *b)
{
    tori_wide x = *(const tori_wide *)a, y = *(const tori_wide *)b;
    return (x < y) - (x > y);
}

tori_wide *batch_sort_times (const struct batch *batch)
{
    tori_wide *time = calloc (batch->n + 1, sizeof *time);
    if (!time)
        return NULL;
    if (batch->n)
        memcpy (time, batch->time, batch->n * sizeof *time);
    for (int k = 0; k < batch->classes; k++) {
        const struct batch_class *class = &batch->class[k];
        qsort (time + class->begin, class->end - class->begin, sizeof *time,
               compare_descending);
    }
    return time;
}

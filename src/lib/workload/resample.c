#include "resample.h"

#include <stdlib.h>

#include "array.h"

/* The first job of each block, and the end of the last one. */
static size_t *find_blocks (const tori_workload *work, tori_time length,
                            size_t blocks)
{
    tori_time first = work->jobs[0].submit;
    size_t *begin = calloc (blocks + 1, sizeof *begin);
    size_t job = 0;
    for (size_t b = 0; begin && b <= blocks; b++) {
        tori_time from = first + (tori_time)b * length;
        while (job < work->n && work->jobs[job].submit < from)
            job++;
        begin[b] = job;
    }
    return begin;
}

struct drawn_log {
    tori_work *jobs;
    size_t n, room;
};

/* Add the jobs of a block, `later` than they were. */
static int add_block (struct drawn_log *sample, const tori_work *jobs, size_t n,
                      tori_time later, tori_error *err)
{
    tori_work *more = array_room (sample->jobs, &sample->room,
                                  sample->n + n + 1, sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    sample->jobs = more;
    for (size_t i = 0; i < n; i++) {
        more[sample->n] = jobs[i];
        more[sample->n].submit += later;
        more[sample->n].id = (int64_t)sample->n + 1;
        sample->n++;
    }
    return 0;
}

static int draw_blocks (const tori_workload *work, const size_t begin[],
                        size_t blocks, tori_time length, struct rng *rng,
                        struct drawn_log *sample, tori_error *err)
{
    for (size_t b = 0; b < blocks; b++) {
        size_t from = rng_below (rng, blocks);
        tori_time later = ((tori_time)b - (tori_time)from) * length;
        if (add_block (sample, &work->jobs[begin[from]],
                       begin[from + 1] - begin[from], later, err)
            < 0)
            return -1;
    }
    return 0;
}

int resample_blocks (tori_workload *work, tori_time length, const char *name,
                     struct rng *rng, tori_error *err)
{
    tori_time span
        = work->n > 0
              ? work->jobs[work->n - 1].submit - work->jobs[0].submit
              : 0;
    size_t blocks = (size_t)(span / length), *begin;
    struct drawn_log sample = {0};
    int status;
    if (blocks < 2)
        return tori_error_set (err, TORI_INVALID,
                               "resample: the jobs of %s arrive within %.0f s, "
                               "which is less than two blocks of %.0f s",
                               name, (double)span / (double)TORI_SECOND,
                               (double)length / (double)TORI_SECOND);
    begin = find_blocks (work, length, blocks);
    status = begin ? draw_blocks (work, begin, blocks, length, rng, &sample,
                                  err)
                   : tori_error_nomem (err);
    if (status == 0 && sample.n == 0)
        status = tori_error_set (err, TORI_INVALID,
                                 "resample: the blocks of %s that were drawn "
                                 "have no jobs",
                                 name);
    if (status == 0) {
        work->rest = work->n - begin[blocks];
        work->blocks = blocks;
        free (work->jobs);
        work->jobs = sample.jobs;
        work->n = sample.n;
    } else {
        free (sample.jobs);
    }
    free (begin);
    return status;
}

#include "workcheck.h"

#include <inttypes.h>

static int refuse (const char *name, const tori_work *job, const char *what,
                   tori_error *err)
{
    return tori_error_set (err, TORI_INVALID, "%s%sjob %" PRId64 ": %s",
                           name ? name : "", name ? ": " : "", job->id, what);
}

/* By its estimate, or by its runtime where somebody makes that longer. */
static uint64_t length_of (const tori_work *job)
{
    return (uint64_t)(job->estimate > job->runtime ? job->estimate
                                                   : job->runtime);
}

int workload_check (const tori_workload *work, const char *name,
                    tori_error *err)
{
    const uint64_t most = TORI_TIME_MAX / 2;
    uint64_t lengths = 0;
    for (size_t i = 0; i < work->n; i++) {
        const tori_work *job = &work->jobs[i];
        if (job->submit < 0 || job->runtime < 0 || job->estimate < 0)
            return refuse (name, job, "a negative time", err);
        if (i > 0 && job->submit < job[-1].submit)
            return refuse (name, job, "submitted before the job in front of "
                                      "it", err);
        lengths += length_of (job);
        if (lengths > most || (uint64_t)job->submit > most - lengths)
            return tori_error_set (
                err, TORI_INVALID,
                "%s%sjob %" PRId64 ": the times of the jobs up to this one "
                "add up to more than %" PRIu64 " seconds",
                name ? name : "", name ? ": " : "", job->id,
                most / (uint64_t)TORI_SECOND);
    }
    return 0;
}

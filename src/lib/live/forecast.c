/* forecast.c - the future: a copy of the scheduler runs forward, by the rules
 * of the simulator. At each instant jobs end first, then the scheduler runs,
 * and again if a job with nothing left to do ended at that instant. */
#include <tori/forecast.h>

#include <inttypes.h>
#include <stdlib.h>

#include <tori/workload.h>

/* The limit of a job's length, and of its start. */
#define LONGEST (TORI_TIME_MAX / 2)

struct future {
    tori_sched *sched;
    tori_time now;
    tori_job *jobs; /* scratch, with room for all of them */
    size_t room;
    size_t ending; /* so many of `jobs` end as soon as they start */
    void (*visit) (void *arg, const tori_forecast *it);
    void *arg;
};

/* ---- limits ---- */

static int check_limits (struct future *future, tori_error *err)
{
    size_t n = tori_sched_running_jobs (future->sched, future->jobs);
    n += tori_sched_queued_jobs (future->sched, future->jobs + n);
    for (size_t i = 0; i < n; i++) {
        tori_job_spec spec = {.size = sizeof spec};
        tori_sched_spec (future->sched, future->jobs[i], &spec);
        if (spec.estimate > LONGEST)
            return tori_error_set (
                err, TORI_INVALID,
                "job %" PRIu64 ": a time limit of more than %" PRId64
                " seconds",
                spec.tag, LONGEST / TORI_SECOND);
    }
    return 0;
}

/* Decisions that were made before are not part of the future. */
static void skip_decisions (tori_sched *sched)
{
    tori_decision decision = {.size = sizeof decision};
    while (tori_sched_next (sched, &decision))
        ;
}

/* ---- one instant ---- */

static bool ends_at_once (const tori_sched *sched, tori_job job)
{
    tori_job_spec spec = {.size = sizeof spec};
    return tori_sched_spec (sched, job, &spec) && spec.estimate <= spec.done;
}

/* Jobs that, according to the scheduler, started at this very time. */
static void list_started (struct future *future)
{
    size_t n = tori_sched_running_jobs (future->sched, future->jobs);
    for (size_t i = 0; i < n; i++) {
        tori_job_info info = {.size = sizeof info};
        tori_sched_look (future->sched, future->jobs[i], &info);
        if (info.start == future->now
            && ends_at_once (future->sched, future->jobs[i]))
            future->jobs[future->ending++] = future->jobs[i];
    }
}

/* Report a job that starts now, unless it had to give way at once. */
static void note_start (struct future *future, tori_job job)
{
    tori_job_info info = {.size = sizeof info};
    if (!tori_sched_look (future->sched, job, &info) || !info.place)
        return;
    future->visit (future->arg, &(tori_forecast){job, info.tag, future->now,
                                                 info.place});
    if (ends_at_once (future->sched, job) && future->ending < future->room)
        future->jobs[future->ending++] = job;
}

static int run_once (struct future *future, tori_error *err)
{
    tori_decision decision = {.size = sizeof decision};
    do {
        if (tori_sched_run (future->sched, future->now, err) < 0)
            return -1;
        while (tori_sched_next (future->sched, &decision))
            if (decision.kind == TORI_START || decision.kind == TORI_RESUME)
                note_start (future, decision.job);
    } while (tori_sched_unfinished (future->sched));
    return 0;
}

static int run_instant (struct future *future, tori_error *err)
{
    while (run_once (future, err) == 0) {
        if (future->ending == 0)
            return 0;
        while (future->ending > 0)
            (void)tori_sched_finish (future->sched, future->now,
                                     future->jobs[--future->ending], NULL);
    }
    return -1;
}

/* ---- from one to the next ---- */

/* The time of the next event: a job is expected to end, or may start at last.
 * False if there is none. */
static bool next_time (const struct future *future, tori_time *ret_time)
{
    tori_time end = TORI_TIME_MAX, wake = TORI_TIME_MAX;
    tori_job job;
    bool ends = tori_sched_next_end (future->sched, &end, &job);
    if (!tori_sched_wake (future->sched, &wake) && !ends)
        return false;
    if (ends && end <= future->now)
        end = future->now + 1;
    *ret_time = end < wake ? end : wake;
    return *ret_time <= LONGEST;
}

/* Let time pass until then, and end the jobs that are expected to end. */
static bool pass_time (struct future *future)
{
    tori_time end;
    tori_job job;
    if (tori_sched_queued (future->sched) == 0
        || !next_time (future, &future->now))
        return false;
    while (tori_sched_next_end (future->sched, &end, &job)
           && end <= future->now)
        (void)tori_sched_finish (future->sched, future->now, job, NULL);
    return true;
}

static int run_forward (struct future *future, tori_error *err)
{
    if (check_limits (future, err) < 0)
        return -1;
    list_started (future);
    do {
        if (run_instant (future, err) < 0)
            return -1;
    } while (pass_time (future));
    return 0;
}

int tori_forecast_each (const tori_sched *sched,
                        void (*visit) (void *arg, const tori_forecast *it),
                        void *arg, tori_error *err)
{
    struct future future = {.now = tori_sched_now (sched),
                            .visit = visit,
                            .arg = arg};
    int status = -1;
    if (tori_sched_copy (sched, &future.sched, err) < 0)
        return -1;
    skip_decisions (future.sched);
    future.room = tori_sched_queued (sched) + tori_sched_running (sched);
    future.jobs = calloc (future.room + 1, sizeof *future.jobs);
    if (future.jobs)
        status = run_forward (&future, err);
    else
        tori_error_nomem (err);
    free (future.jobs);
    tori_sched_destroy (future.sched);
    return status;
}

/* forecast.c - the future: a copy of the scheduler runs forward, by the rules
 * of the simulator. At each instant jobs end first, then held jobs are released
 * (holds.h), then the scheduler runs, and again if a job with nothing left to
 * do ended at that instant. */
#include <tori/forecast.h>

#include <inttypes.h>
#include <stdlib.h>

#include <tori/workload.h>

#include "array.h"
#include "holds.h"

/* The limit of a job's length, and of its start. */
#define LONGEST (TORI_TIME_MAX / 2)

/* If queues open and close for so long without letting a job start, they never
 * will: their hours are those of a week. */
#define QUIET (8 * 24 * 3600 * TORI_SECOND)

/* A job that gives way to another. */
struct push_by {
    tori_push push;
    tori_job by;
};

struct future {
    tori_sched *sched;
    struct holds *holds; /* or NULL: there are no rules */
    tori_time now;
    tori_time busy; /* the last time with a job that ran or was due */
    tori_job *jobs; /* scratch, with room for all of them */
    size_t room;
    size_t ending; /* so many of `jobs` end as soon as they start */
    struct push_by *victims; /* of the run, by their decisions */
    size_t nvictims, victims_room;
    tori_push *pushes; /* of one job: scratch, with as much room */
    size_t pushes_room;
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

const char *tori_push_name (tori_decision_kind how)
{
    return how == TORI_KILL      ? "killed"
           : how == TORI_REQUEUE ? "requeued"
           : how == TORI_SUSPEND ? "suspended"
           : how == TORI_MOVE    ? "moved"
                                 : NULL;
}

static int note_victim (struct future *future, const tori_decision *it,
                        tori_error *err)
{
    size_t n = future->nvictims;
    struct push_by *more;
    tori_push *pushes;
    if (it->by == TORI_NO_JOB || !tori_push_name (it->kind))
        return 0;
    more = array_room (future->victims, &future->victims_room, n + 1,
                       sizeof *more);
    future->victims = more ? more : future->victims;
    pushes = array_room (future->pushes, &future->pushes_room, n + 1,
                         sizeof *pushes);
    future->pushes = pushes ? pushes : future->pushes;
    if (!more || !pushes)
        return tori_error_nomem (err);
    more[future->nvictims++]
        = (struct push_by){{it->tag, it->kind}, it->by};
    return 0;
}

/* The jobs that gave way to this one. */
static size_t list_pushes (struct future *future, tori_job job)
{
    size_t n = 0;
    for (size_t i = 0; i < future->nvictims; i++)
        if (future->victims[i].by == job)
            future->pushes[n++] = future->victims[i].push;
    return n;
}

/* Report a job that starts now, unless it had to give way at once. */
static void note_start (struct future *future, tori_job job)
{
    tori_job_info info = {.size = sizeof info};
    tori_forecast it = {.job = job, .start = future->now};
    if (!tori_sched_look (future->sched, job, &info) || !info.place)
        return;
    it.tag = info.tag;
    it.place = info.place;
    it.condition = holds_condition (future->holds, info.tag);
    it.npushes = list_pushes (future, job);
    it.pushes = future->pushes;
    future->visit (future->arg, &it);
    if (ends_at_once (future->sched, job) && future->ending < future->room)
        future->jobs[future->ending++] = job;
}

static int note_decision (struct future *future, const tori_decision *it,
                          tori_error *err)
{
    holds_stir (future->holds);
    if (note_victim (future, it, err) < 0)
        return -1;
    if (it->kind == TORI_START || it->kind == TORI_RESUME)
        note_start (future, it->job);
    return it->kind == TORI_KILL
               ? holds_end (future->holds, it->tag, true, err)
               : 0;
}

/* Decisions may release further jobs. */
static int run_once (struct future *future, tori_error *err)
{
    tori_decision decision = {.size = sizeof decision};
    int changed = holds_settle (future->holds, future->now, err);
    if (changed < 0)
        return -1;
    future->nvictims = 0;
    do {
        if (tori_sched_run (future->sched, future->now, err) < 0)
            return -1;
        while (tori_sched_next (future->sched, &decision))
            if (note_decision (future, &decision, err) < 0)
                return -1;
        changed = holds_settle (future->holds, future->now, err);
        if (changed < 0)
            return -1;
    } while (changed || tori_sched_unfinished (future->sched));
    return 0;
}

static int end_job (struct future *future, tori_job job, tori_error *err)
{
    tori_job_info info = {.size = sizeof info};
    bool known = tori_sched_look (future->sched, job, &info);
    (void)tori_sched_finish (future->sched, future->now, job, NULL);
    return known ? holds_end (future->holds, info.tag, false, err) : 0;
}

static int run_instant (struct future *future, tori_error *err)
{
    while (run_once (future, err) == 0) {
        if (future->ending == 0)
            return 0;
        while (future->ending > 0)
            if (end_job (future, future->jobs[--future->ending], err) < 0)
                return -1;
    }
    return -1;
}

/* ---- from one to the next ---- */

/* The time of the next event: a job is expected to end, or may start at last,
 * or a queue opens or closes. False if there is none. */
static bool next_time (struct future *future, tori_time *ret_time)
{
    tori_time end = TORI_TIME_MAX, wake = TORI_TIME_MAX;
    tori_time opens = holds_wake (future->holds);
    tori_job job;
    bool ends = tori_sched_next_end (future->sched, &end, &job);
    if (tori_sched_wake (future->sched, &wake) || ends)
        future->busy = future->now;
    else if (opens - future->busy > QUIET)
        return false;
    if (ends && end <= future->now)
        end = future->now + 1;
    *ret_time = end < wake ? end : wake;
    *ret_time = opens < *ret_time ? opens : *ret_time;
    return *ret_time <= LONGEST;
}

/* Let time pass until then, and end the jobs that are expected to end: 1; 0 if
 * nothing is left to happen; or -1. */
static int pass_time (struct future *future, tori_error *err)
{
    tori_time end;
    tori_job job;
    if (tori_sched_queued (future->sched) == 0
        || !next_time (future, &future->now))
        return 0;
    while (tori_sched_next_end (future->sched, &end, &job)
           && end <= future->now)
        if (end_job (future, job, err) < 0)
            return -1;
    return 1;
}

static int run_forward (struct future *future, tori_error *err)
{
    int more;
    if (check_limits (future, err) < 0)
        return -1;
    list_started (future);
    do {
        if (run_instant (future, err) < 0)
            return -1;
        more = pass_time (future, err);
    } while (more > 0);
    return more;
}

static int open_future (struct future *future, const tori_snapshot *rules,
                        tori_error *err)
{
    future->jobs = calloc (future->room + 1, sizeof *future->jobs);
    if (!future->jobs)
        return tori_error_nomem (err);
    return rules ? holds_open (rules, future->sched, &future->holds, err) : 0;
}

int tori_forecast_by (const tori_sched *sched, const tori_snapshot *rules,
                      void (*visit) (void *arg, const tori_forecast *it),
                      void *arg, tori_error *err)
{
    struct future future = {.now = tori_sched_now (sched),
                            .busy = tori_sched_now (sched),
                            .visit = visit,
                            .arg = arg};
    int status = -1;
    if (tori_sched_copy (sched, &future.sched, err) < 0)
        return -1;
    skip_decisions (future.sched);
    future.room = tori_sched_queued (sched) + tori_sched_running (sched);
    if (open_future (&future, rules, err) == 0)
        status = run_forward (&future, err);
    holds_destroy (future.holds);
    free (future.jobs);
    free (future.victims);
    free (future.pushes);
    tori_sched_destroy (future.sched);
    return status;
}

int tori_forecast_each (const tori_sched *sched,
                        void (*visit) (void *arg, const tori_forecast *it),
                        void *arg, tori_error *err)
{
    return tori_forecast_by (sched, NULL, visit, arg, err);
}

#include <tori/forecast.h>

/* Whatever was decided before is no news. */
static void skip_decisions (tori_sched *sched)
{
    tori_decision decision = {.size = sizeof decision};
    while (tori_sched_next (sched, &decision))
        ;
}

/* Tell of those that start now. */
static void tell (tori_sched *sched, tori_time now,
                  void (*visit) (void *arg, const tori_forecast *it),
                  void *arg)
{
    tori_decision decision = {.size = sizeof decision};
    while (tori_sched_next (sched, &decision))
        if (decision.kind == TORI_START || decision.kind == TORI_RESUME)
            visit (arg, &(tori_forecast){decision.job, decision.tag, now,
                                         decision.place});
}

/* When something happens next: somebody is expected to end, or may start at
 * last. False if nothing does. */
static bool next_time (const tori_sched *sched, tori_time now,
                       tori_time *ret_time)
{
    tori_time end = TORI_TIME_MAX, wake = TORI_TIME_MAX;
    tori_job job;
    bool ends = tori_sched_next_end (sched, &end, &job);
    bool wakes = tori_sched_wake (sched, &wake);
    if (now == TORI_TIME_MAX || (!ends && !wakes))
        return false;
    if (ends && end <= now)
        end = now + 1;
    *ret_time = end < wake ? end : wake;
    return true;
}

/* Let time go on until then, and end those who are expected to. */
static bool end_next (tori_sched *sched, tori_time *now)
{
    tori_time end;
    tori_job job;
    if (!next_time (sched, *now, now))
        return false;
    while (tori_sched_next_end (sched, &end, &job) && end <= *now)
        (void)tori_sched_finish (sched, *now, job, NULL);
    return true;
}

int tori_forecast_each (const tori_sched *sched,
                        void (*visit) (void *arg, const tori_forecast *it),
                        void *arg, tori_error *err)
{
    tori_time now = tori_sched_now (sched);
    tori_sched *copy;
    int status;
    if (tori_sched_copy (sched, &copy, err) < 0)
        return -1;
    skip_decisions (copy);
    do {
        status = tori_sched_run (copy, now, err);
        tell (copy, now, visit, arg);
    } while (status == 0
             && (tori_sched_unfinished (copy)
                 || (tori_sched_queued (copy) > 0 && end_next (copy, &now))));
    tori_sched_destroy (copy);
    return status;
}

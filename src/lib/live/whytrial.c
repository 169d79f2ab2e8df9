/* whytrial.c - the effect of a change, tried out in a copy of the scheduler.
 *
 * A change helps if the job then starts whether the change comes before the
 * run or after it: a snapshot may be edited, or a service that has run be
 * asked. */
#include <stdlib.h>

#include "whywork.h"

/* So many changes of requests are tried out for all jobs together; for a few
 * jobs, so many times as many. */
enum { TRIALS = 64, LONGER = 16 };

void trials_allow (struct whywork *work, bool few)
{
    work->trials = few ? LONGER * TRIALS : TRIALS;
}

/* ---- the jobs that start ---- */

static void skip_decisions (tori_sched *sched)
{
    tori_decision decision = {.size = sizeof decision};
    while (tori_sched_next (sched, &decision))
        ;
}

static bool is_start (const tori_decision *decision)
{
    return decision->kind == TORI_START || decision->kind == TORI_RESUME;
}

/* Keep those jobs that still run: another job may have taken their place at
 * once. */
static int keep_running (struct upshot *upshot, const tori_sched *copy,
                         tori_error *err)
{
    size_t n = upshot->n;
    upshot->n = 0;
    for (size_t i = 0; i < n; i++) {
        tori_job_info info = {.size = sizeof info};
        if (!tori_sched_look (copy, upshot->started[i], &info) || !info.place)
            continue;
        if (tori_placement_copy (&upshot->place[upshot->n], info.place, err)
            < 0)
            return -1;
        upshot->started[upshot->n++] = upshot->started[i];
    }
    return 0;
}

/* Run a copy, and note the jobs that start in it. */
static int note_upshot (struct upshot *upshot, tori_sched *copy,
                        tori_error *err)
{
    size_t room = tori_sched_queued (copy) + tori_sched_running (copy);
    tori_decision decision = {.size = sizeof decision};
    upshot->started = calloc (room + 1, sizeof *upshot->started);
    upshot->place = calloc (room + 1, sizeof *upshot->place);
    if (!upshot->started || !upshot->place)
        return tori_error_nomem (err);
    do {
        if (tori_sched_run (copy, tori_sched_now (copy), err) < 0)
            return -1;
        while (tori_sched_next (copy, &decision))
            if (is_start (&decision) && upshot->n < room)
                upshot->started[upshot->n++] = decision.job;
    } while (tori_sched_unfinished (copy));
    return keep_running (upshot, copy, err);
}

void upshot_clear (struct upshot *upshot)
{
    for (size_t i = 0; i < upshot->n; i++)
        tori_placement_clear (&upshot->place[i]);
    free (upshot->started);
    free (upshot->place);
    *upshot = (struct upshot){0};
}

/* The index of a job in the list, or its end. */
static size_t index_of (const struct upshot *upshot, tori_job job)
{
    size_t i = 0;
    while (i < upshot->n && upshot->started[i] != job)
        i++;
    return i;
}

int upshot_find (const struct upshot *upshot, tori_job job,
                 tori_placement *ret_place, tori_error *err)
{
    size_t i = index_of (upshot, job);
    if (i == upshot->n)
        return 0;
    return tori_placement_copy (ret_place, &upshot->place[i], err) < 0 ? -1
                                                                       : 1;
}

/* ---- trials ---- */

static int try_in (const tori_sched *sched, trial_fn *change, void *arg,
                   struct upshot *ret_upshot, tori_error *err)
{
    tori_sched *copy;
    int status;
    if (tori_sched_copy (sched, &copy, err) < 0)
        return -1;
    skip_decisions (copy);
    status = change (copy, arg, err);
    if (status == 0)
        status = note_upshot (ret_upshot, copy, err);
    tori_sched_destroy (copy);
    return status;
}

/* Forget those that do not start in another trial. */
static void keep_common (struct upshot *upshot, const struct upshot *other)
{
    size_t n = upshot->n;
    upshot->n = 0;
    for (size_t i = 0; i < n; i++) {
        if (index_of (other, upshot->started[i]) == other->n) {
            tori_placement_clear (&upshot->place[i]);
            continue;
        }
        upshot->started[upshot->n] = upshot->started[i];
        upshot->place[upshot->n++] = upshot->place[i];
    }
}

int trial_make (struct whywork *work, trial_fn *change, void *arg,
                struct upshot *ret_upshot, tori_error *err)
{
    return try_in (work->after, change, arg, ret_upshot, err);
}

/* A change of jobs that start only in the run cannot be made before it. */
static int try_before (struct whywork *work, trial_fn *change, void *arg,
                       struct upshot *upshot, tori_error *err)
{
    struct upshot other = {0};
    tori_error why = {0};
    int status = try_in (work->before, change, arg, &other, &why);
    bool failed = status < 0 && why.status == TORI_FAILED;
    if (failed && err)
        *err = why;
    if (status == 0 || why.status == TORI_NOT_NOW)
        keep_common (upshot, &other);
    upshot_clear (&other);
    return failed ? -1 : 0;
}

int trial_starts (struct whywork *work, tori_job job, trial_fn *change,
                  void *arg, struct upshot *upshot, tori_error *err)
{
    if (work->decided && !upshot->checked
        && index_of (upshot, job) < upshot->n) {
        upshot->checked = true;
        if (try_before (work, change, arg, upshot, err) < 0)
            return -1;
    }
    return index_of (upshot, job) < upshot->n;
}

/* ---- another request ---- */

struct instead {
    tori_job job;
    const tori_job_spec *spec;
    tori_job number; /* the number of its copy: the same in all copies */
};

static int ask_instead (tori_sched *copy, void *arg, tori_error *err)
{
    struct instead *it = arg;
    tori_time now = tori_sched_now (copy);
    return tori_sched_cancel (copy, now, it->job, err) < 0
               ? -1
               : tori_sched_submit (copy, now, it->spec, &it->number, err);
}

int trial_request (struct whywork *work, tori_job job,
                   const tori_job_spec *spec, tori_placement *ret_place,
                   tori_error *err)
{
    struct instead it = {job, spec, TORI_NO_JOB};
    struct upshot upshot = {0};
    int found;
    if (work->trials == 0)
        return 0;
    work->trials--;
    found = trial_make (work, ask_instead, &it, &upshot, err);
    if (found == 0)
        found = trial_starts (work, it.number, ask_instead, &it, &upshot, err);
    if (found > 0)
        found = upshot_find (&upshot, it.number, ret_place, err);
    upshot_clear (&upshot);
    return found;
}

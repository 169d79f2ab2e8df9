#include "resume.h"

#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "outfile.h"
#include "timeunit.h"

/* ---- writing ---- */

int snapshot_at_parse (const char *text, struct snapshot_at *ret_at,
                       tori_error *err)
{
    const char *colon = find_time_end (text);
    char time[32];
    if (!colon || !colon[1] || (size_t)(colon - text) >= sizeof time)
        return tori_error_set (err, TORI_INVALID,
                               "--snapshot: '%.60s': expected TIME:FILE",
                               text);
    memcpy (time, text, (size_t)(colon - text));
    time[colon - text] = '\0';
    ret_at->file = colon + 1;
    return moment_of ("--snapshot", time, &ret_at->time, err);
}

static void rename_jobs (tori_snapshot_job *jobs, size_t n,
                         const tori_workload *workload)
{
    for (size_t i = 0; i < n; i++) {
        const tori_work *work = &workload->jobs[jobs[i].spec.tag];
        jobs[i].spec.tag = (uint64_t)work->id;
        jobs[i].submit = work->submit;
    }
}

static int write_file (const tori_snapshot *snapshot, const char *file,
                       tori_error *err)
{
    struct outfile *out;
    if (outfile_create_packed (file, &out, err) < 0)
        return -1;
    return outfile_end (
        out, tori_snapshot_write (snapshot, outfile_stream (out), err), err);
}

/* Jobs that a reservation admits have numbers of the simulator. */
static void rename_admitted (tori_snapshot *snapshot,
                             const tori_workload *workload)
{
    for (size_t i = 0; i < snapshot->nwindows; i++) {
        tori_snapshot_window *window = &snapshot->windows[i];
        for (size_t k = 0; k < window->ntags; k++)
            window->tags[k] = (uint64_t)workload->jobs[window->tags[k]].id;
    }
}

int snapshot_save (tori_sched *sched, const tori_workload *workload,
                   const char *file, tori_error *err)
{
    tori_snapshot *snapshot;
    int status;
    if (tori_snapshot_take (sched, &snapshot, err) < 0)
        return -1;
    rename_jobs (snapshot->running, snapshot->nrunning, workload);
    rename_jobs (snapshot->queue, snapshot->nqueued, workload);
    rename_admitted (snapshot, workload);
    status = write_file (snapshot, file, err);
    tori_snapshot_destroy (snapshot);
    return status;
}

/* ---- continuing ---- */

/* A job of the snapshot, and its entry in the workload. */
struct resumed {
    tori_snapshot_job *job;
    tori_work work;
    size_t i; /* its index in the snapshot, running jobs first */
};

static int compare_resumed (const void *a, const void *b)
{
    const struct resumed *x = a, *y = b;
    if (x->work.submit != y->work.submit)
        return x->work.submit < y->work.submit ? -1 : 1;
    return x->i < y->i ? -1 : 1;
}

static tori_work work_of (const tori_snapshot_job *job, tori_time submit)
{
    return (tori_work){
        .id = (int64_t)job->spec.tag,
        .submit = job->submit >= 0 && job->submit < submit ? job->submit
                                                           : submit,
        .runtime = job->spec.estimate,
        .estimate = job->spec.estimate,
        .asked = job->spec.request.count
                     ? job->spec.request.count
                     : (uint32_t)tori_request_nodes (&job->spec.request),
        .request = job->spec.request,
        .owner = TORI_NO_OWNER,
    };
}

static bool any_interrupts (const tori_snapshot_job *jobs, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (jobs[i].spec.level > 0 || jobs[i].suspended)
            return true;
    return false;
}

bool resume_interrupts (const tori_snapshot *snapshot)
{
    return snapshot->moves
           || any_interrupts (snapshot->running, snapshot->nrunning)
           || any_interrupts (snapshot->queue, snapshot->nqueued);
}

static size_t list_resumed (tori_snapshot *snapshot, struct resumed *all)
{
    size_t n = 0;
    for (size_t i = 0; i < snapshot->nrunning; i++, n++)
        all[n] = (struct resumed){
            &snapshot->running[i],
            work_of (&snapshot->running[i], snapshot->running[i].start), n};
    for (size_t i = 0; i < snapshot->nqueued; i++, n++)
        all[n] = (struct resumed){
            &snapshot->queue[i],
            work_of (&snapshot->queue[i], snapshot->now), n};
    qsort (all, n, sizeof *all, compare_resumed);
    return n;
}

static int compare_ids (const void *a, const void *b)
{
    const tori_work *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static int compare_submits (const void *a, const void *b)
{
    const tori_work *x = a, *y = b;
    if (x->submit != y->submit)
        return x->submit < y->submit ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

/* Take the run times and owners of jobs in the snapshot from the log. */
static void use_log (struct resumed *all, size_t n, tori_workload *log)
{
    qsort (log->jobs, log->n, sizeof *log->jobs, compare_ids);
    for (size_t i = 0; i < n; i++) {
        const tori_work *found
            = bsearch (&all[i].work, log->jobs, log->n, sizeof *log->jobs,
                       compare_ids);
        if (found) {
            all[i].work.runtime = found->runtime;
            all[i].work.owner = found->owner;
        }
    }
    qsort (log->jobs, log->n, sizeof *log->jobs, compare_submits);
}

/* An entry of the workload by the id of its job. */
struct numbered {
    uint64_t id;
    size_t i;
};

static int compare_numbered (const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return (x->i > y->i) - (x->i < y->i);
}

static int find_numbered (const void *id, const void *entry)
{
    uint64_t x = *(const uint64_t *)id;
    const struct numbered *y = entry;
    return (x > y->id) - (x < y->id);
}

/* In a simulation the number of a job is its index in the workload. An id of
 * a job that does not come is left out. */
static void number_admitted (tori_snapshot_window *window,
                             const struct numbered *all, size_t n)
{
    size_t known = 0;
    for (size_t i = 0; i < window->ntags; i++) {
        const struct numbered *job = bsearch (&window->tags[i], all, n,
                                              sizeof *all, find_numbered);
        if (job)
            window->tags[known++] = job->i;
    }
    window->ntags = known;
}

/* Ids are unique in a snapshot; a later job with the id of one there is not
 * the job that a reservation means. */
static int number_reservations (tori_snapshot *snapshot, const tori_work *jobs,
                                size_t n, tori_error *err)
{
    struct numbered *all;
    size_t different = 0;
    if (snapshot->nwindows == 0)
        return 0;
    all = calloc (n + 1, sizeof *all);
    if (!all)
        return tori_error_nomem (err);
    for (size_t i = 0; i < n; i++)
        all[i] = (struct numbered){(uint64_t)jobs[i].id, i};
    qsort (all, n, sizeof *all, compare_numbered);
    for (size_t i = 0; i < n; i++)
        if (different == 0 || all[i].id != all[different - 1].id)
            all[different++] = all[i];
    for (size_t i = 0; i < snapshot->nwindows; i++)
        number_admitted (&snapshot->windows[i], all, different);
    free (all);
    return 0;
}

int resume_workload (tori_snapshot *snapshot, tori_workload *log,
                     tori_workload *ret_workload, tori_error *err)
{
    size_t n = snapshot->nrunning + snapshot->nqueued;
    struct resumed *all = calloc (n + 1, sizeof *all);
    tori_work *jobs = calloc (n + log->n + 1, sizeof *jobs);
    if (!all || !jobs) {
        free (all);
        free (jobs);
        return tori_error_nomem (err);
    }
    n = list_resumed (snapshot, all);
    if (log->n > 0)
        use_log (all, n, log);
    for (size_t i = 0; i < n; i++) {
        jobs[i] = all[i].work;
        all[i].job->spec.tag = i;
    }
    for (size_t i = 0; i < log->n; i++)
        if (log->jobs[i].submit > snapshot->now)
            jobs[n++] = log->jobs[i];
    free (all);
    if (number_reservations (snapshot, jobs, n, err) < 0) {
        free (jobs);
        return -1;
    }
    free (log->jobs);
    *ret_workload = *log;
    ret_workload->jobs = jobs;
    ret_workload->n = n;
    return 0;
}

/* runs.c - the times that a job has had its nodes.
 *
 * A job that was requeued, moved or suspended has run several times. Its last
 * start alone does not tell what it has used, nor does the time from its first
 * start to its end. Nothing is decided by these times, and they are not in the
 * hash of the state. */
#include <stdlib.h>
#include <string.h>

#include "job.h"
#include "shortage.h"

/* A job that is preempted all day would have any number of them: older ones are
 * added up. */
enum { RUNS = 20 };

static double in_seconds (tori_time time)
{
    return (double)time / (double)TORI_SECOND;
}

static tori_time start_of_run (const struct service_job *job)
{
    return job->since > job->start ? job->since : job->start;
}

/* The two oldest become one. */
static void merge_oldest (struct service_job *job)
{
    struct job_run *runs = job->runs;
    runs[0].end = runs[1].end;
    runs[0].elapsed += runs[1].elapsed;
    runs[0].node_seconds += runs[1].node_seconds;
    job->nruns--;
    memmove (runs + 1, runs + 2, (job->nruns - 1) * sizeof *runs);
}

static int make_room (struct service_job *job, tori_error *err)
{
    if (!job->runs)
        job->runs = calloc (RUNS, sizeof *job->runs);
    if (!job->runs)
        return tori_error_nomem (err);
    if (job->nruns == RUNS)
        merge_oldest (job);
    return 0;
}

int job_end_run (struct service_job *job, tori_time end, tori_error *err)
{
    tori_time start = start_of_run (job);
    if (make_room (job, err) < 0)
        return -1;
    if (end < start)
        end = start;
    job->runs[job->nruns++] = (struct job_run){
        .start = start,
        .end = end,
        .elapsed = end - start,
        .node_seconds = in_seconds (end - start) * job->place.count};
    return 0;
}

double job_used (const struct service_job *job)
{
    double all = 0;
    for (size_t i = 0; i < job->nruns; i++)
        all += job->runs[i].node_seconds;
    if (job->nruns == 0 && job->place.count > 0 && job->start >= 0)
        all = in_seconds (job->end - job->start) * job->place.count;
    return all;
}

/* ---- as JSON ---- */

json_t *job_runs_json (const struct service_job *job)
{
    json_t *list = json_array ();
    for (size_t i = 0; i < job->nruns; i++) {
        const struct job_run *run = &job->runs[i];
        json_array_append_new (
            list, json_pack ("{s:f, s:f, s:f, s:f}", "start",
                             in_seconds (run->start), "end",
                             in_seconds (run->end), "elapsed",
                             in_seconds (run->elapsed), "node_seconds",
                             run->node_seconds));
    }
    if (job->state == JOB_RUNNING)
        json_array_append_new (
            list,
            json_pack ("{s:f}", "start", in_seconds (start_of_run (job))));
    return list;
}

json_t *job_runs_save (const struct service_job *job)
{
    json_t *list = job->nruns > 0 ? json_array () : NULL;
    for (size_t i = 0; i < job->nruns; i++) {
        const struct job_run *run = &job->runs[i];
        json_array_append_new (
            list, json_pack ("[I, I, I, f]", (json_int_t)run->start,
                             (json_int_t)run->end, (json_int_t)run->elapsed,
                             run->node_seconds));
    }
    return list;
}

int job_runs_load (struct service_job *job, const json_t *saved,
                   tori_error *err)
{
    for (size_t i = 0; i < json_array_size (saved); i++) {
        json_int_t start, end, elapsed;
        double node_seconds;
        if (json_unpack (json_array_get (saved, i), "[I, I, I, F]", &start,
                         &end, &elapsed, &node_seconds)
            < 0)
            return tori_error_set (err, TORI_INVALID, "not a run of a job");
        if (make_room (job, err) < 0)
            return -1;
        job->runs[job->nruns++]
            = (struct job_run){start, end, elapsed, node_seconds};
    }
    return 0;
}

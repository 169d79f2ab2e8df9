#include "measure.h"

#include <stdlib.h>

#include "job_columns.h"

enum { BOUND_SECONDS = 10 }; /* of the bounded slowdown */

static double seconds_of (tori_time ticks)
{
    return (double)ticks / (double)TORI_SECOND;
}

int measures_create (struct measures *measures, const tori_sim_config *config,
                     const tori_workload *workload, tori_error *err)
{
    size_t n = workload->n ? workload->n : 1;
    *measures = (struct measures){.config = config, .workload = workload};
    job_columns_begin (config->columns, workload->n);
    measures->response = malloc (n * sizeof *measures->response);
    measures->wait = malloc (n * sizeof *measures->wait);
    measures->slowdown = malloc (n * sizeof *measures->slowdown);
    measures->bounded = malloc (n * sizeof *measures->bounded);
    measures->idle = malloc (n * sizeof *measures->idle);
    if (!measures->response || !measures->wait || !measures->slowdown
        || !measures->bounded || !measures->idle)
        return tori_error_nomem (err);
    for (size_t i = 0; i < n; i++)
        measures->idle[i] = -1;
    if (config->network) {
        measures->stretch = malloc (n * sizeof *measures->stretch);
        if (!measures->stretch)
            return tori_error_nomem (err);
    }
    return 0;
}

void measures_clear (struct measures *measures)
{
    free (measures->response);
    free (measures->wait);
    free (measures->slowdown);
    free (measures->bounded);
    free (measures->stretch);
    free (measures->idle);
}

static int add_pairs (struct measures *measures, const tori_sim_job *job,
                      tori_error *err)
{
    const tori_placement *place = job->place;
    double pairs = (double)place->count * (double)(place->count - 1) / 2;
    uint64_t sum;
    if (measures->config->no_pairwise || place->count < 2)
        return 0;
    if (tori_placement_pairwise (place, measures->config->machine, &sum, err)
        < 0)
        return -1;
    measures->pairwise += (double)sum;
    measures->average += (double)sum / pairs;
    measures->with_pairs++;
    measures->last.work = job->work;
    measures->last.pairwise = sum;
    return 0;
}

tori_time measures_inside (const struct measures *measures, tori_time begin,
                           tori_time end)
{
    const tori_sim_window *window = measures->config->window;
    if (window && begin < window->begin)
        begin = window->begin;
    if (window && end > window->end)
        end = window->end;
    return begin < end ? end - begin : 0;
}

tori_time measures_span (const struct measures *measures, tori_time span)
{
    const tori_sim_window *window = measures->config->window;
    return window ? window->end - window->begin : span;
}

bool measures_counts (const struct measures *measures, const tori_work *work)
{
    const tori_sim_window *window = measures->config->window;
    return !window
           || (work->submit >= window->begin && work->submit < window->end);
}

double measure_ratio (double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

static void add_class (tori_sim_class *class, const tori_sim_job *job)
{
    class->jobs++;
    class->wait += seconds_of (job->waited);
    class->response += seconds_of (job->finish - job->work->submit);
}

static tori_sim_class class_means (const tori_sim_class *sums)
{
    double n = (double)sums->jobs;
    return (tori_sim_class){sums->jobs, measure_ratio (sums->wait, n),
                            measure_ratio (sums->response, n)};
}

static node_time work_of (const tori_work *work)
{
    return (node_time)work->asked * (uint64_t)work->runtime;
}

static int add_sample (struct measures *measures, const tori_sim_job *job,
                       tori_error *err)
{
    const tori_work *work = job->work;
    double response = seconds_of (job->finish - work->submit);
    double runtime = seconds_of (work->runtime);
    double bounded = runtime < BOUND_SECONDS ? BOUND_SECONDS : runtime;
    size_t i = measures->n++;
    measures->response[i] = response;
    measures->wait[i] = seconds_of (job->waited);
    measures->bounded[i] = response < bounded ? 1 : response / bounded;
    if (work->runtime > 0 && measures->stretch)
        measures->stretch[measures->with_runtime] =
            seconds_of (job->finish - job->start) / runtime;
    if (work->runtime > 0)
        measures->slowdown[measures->with_runtime++] = response / runtime;
    add_class (&measures->class[job->level > 0], job);
    measures->numerical += seconds_of (job->numerical);
    measures->topological += seconds_of (job->topological);
    measures->offered += work_of (work);
    return add_pairs (measures, job, err);
}

void measures_hold (struct measures *measures, uint32_t asked, uint32_t held,
                    tori_time had, tori_time inside)
{
    measures->ran += (node_time)asked * (uint64_t)had;
    measures->asked += (node_time)asked * (uint64_t)inside;
    measures->held += (node_time)held * (uint64_t)inside;
}

int measures_add (struct measures *measures, const tori_sim_job *job,
                  tori_error *err)
{
    const tori_work *work = job->work;
    measures->done += work_of (work);
    measures->idle[work - measures->workload->jobs]
        = job->finish - work->submit - job->ran;
    return measures_counts (measures, work) ? add_sample (measures, job, err)
                                            : 0;
}

int measures_stop (const tori_error *why, tori_error *err)
{
    if (why->status == TORI_OK)
        return tori_error_set (err, TORI_FAILED,
                               "the simulation was stopped");
    return tori_error_set (err, why->status, "%s", why->text);
}

int measures_tell (const struct measures *measures, const tori_sim_job *job,
                   tori_error *err)
{
    const tori_sim_config *config = measures->config;
    tori_error own;
    if (job_columns_add (config, (size_t)(job->work - measures->workload->jobs),
                         job,
                         measures->last.work == job->work
                             ? &measures->last.pairwise
                             : NULL,
                         err)
        < 0)
        return -1;
    if (!config->on_start)
        return 0;
    own = (tori_error){0};
    return config->on_start (config->arg, job, &own) == 0
               ? 0
               : measures_stop (&own, err);
}

int measures_tell_rejected (struct measures *measures, const tori_work *work,
                            const char *why, tori_error *err)
{
    const tori_sim_config *config = measures->config;
    if (work->asked <= tori_machine_nodes (config->machine))
        measures->refused += work_of (work);
    if (config->on_reject)
        config->on_reject (config->arg, work, why);
    return job_columns_reject (config->columns,
                               (size_t)(work - measures->workload->jobs), why,
                               err);
}

void measures_tell_run (const struct measures *measures,
                        const tori_work *work, tori_time begin, tori_time end,
                        tori_time ran)
{
    const tori_sim_config *config = measures->config;
    if (config->on_run)
        config->on_run (config->arg, work, begin, end, ran);
}

/* The load of the jobs that were not rejected. In a window, only jobs that ran
 * count as offered. */
static double accepted_load (const struct measures *measures,
                             const tori_workload *workload, double offered)
{
    uint32_t nodes = tori_machine_nodes (measures->config->machine);
    node_time all = 0;
    if (measures->config->window || measures->refused == 0)
        return offered;
    for (size_t i = 0; i < workload->n; i++)
        if (workload->jobs[i].asked <= nodes)
            all += work_of (&workload->jobs[i]);
    return offered * (double)(all - measures->refused) / (double)all;
}

void measures_conclude (struct measures *measures,
                        const tori_workload *workload, tori_time span,
                        tori_sim_result *result)
{
    const tori_machine *machine = measures->config->machine;
    double n = (double)measures->n;
    double nodes = tori_machine_nodes (machine);
    double held = (double)measures->held;
    double whole = nodes * (double)measures_span (measures, span);
    result->jobs = measures->n;
    result->placeable
        = measure_ratio ((double)workload->n - (double)result->rejected,
                         (double)workload->n);
    result->makespan = seconds_of (span);
    result->offered
        = measures->config->window
              ? measure_ratio ((double)measures->offered, whole)
              : tori_workload_offered (workload, machine);
    result->accepted = accepted_load (measures, workload, result->offered);
    result->utilization = measure_ratio ((double)measures->asked, whole);
    result->held = measure_ratio (held, whole);
    result->goodput
        = measure_ratio ((double)measures->done, nodes * (double)span);
    result->lost = ((double)measures->ran - (double)measures->done)
                   / (double)TORI_SECOND;
    result->response = summarise (measures->response, measures->n);
    result->wait = summarise (measures->wait, measures->n);
    result->slowdown
        = summarise (measures->slowdown, measures->with_runtime);
    result->bounded_slowdown = summarise (measures->bounded, measures->n);
    result->zero_runtime = measures->n - measures->with_runtime;
    if (measures->stretch)
        result->stretch
            = summarise (measures->stretch, measures->with_runtime);
    result->urgent = class_means (&measures->class[1]);
    result->others = class_means (&measures->class[0]);
    result->numerical = measure_ratio (measures->numerical, n);
    result->topological = measure_ratio (measures->topological, n);
    result->pairwise = measure_ratio (measures->pairwise, n);
    result->average
        = measure_ratio (measures->average, (double)measures->with_pairs);
    result->internal_fragmentation
        = measure_ratio ((double)(measures->held - measures->asked), held);
    measures_trend (measures, result);
}

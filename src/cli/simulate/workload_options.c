#include "workload_options.h"

#include <string.h>

#include "duration.h"

enum { MODEL_JOBS = 10000 };

const char *workload_log (const struct workload_options *work)
{
    return work->trace ? work->trace : work->jobs_csv;
}

/* A log has neither a model nor a number of jobs to make. */
const char *workload_model (const void *values, const void *slot)
{
    const struct workload_options *work =
        (const void *)((const char *)slot
                       - offsetof (struct workload_options, model));
    return workload_log (work) ? NULL : "lublin";
}

const char *workload_jobs (const void *values, const void *slot)
{
    const struct workload_options *work =
        (const void *)((const char *)slot
                       - offsetof (struct workload_options, jobs));
    return workload_log (work) ? NULL : "10000";
}

/* Time sharing has no queue. */
const char *workload_first_order (const void *values, const void *slot)
{
    const struct workload_options *work =
        (const void *)((const char *)slot
                       - offsetof (struct workload_options, order));
    const char *sched = scheduler_names ((size_t)work->sched);
    return sched && !strcmp (sched, "gang") ? NULL : order_names (0);
}

int load_check (struct fraction typed, double most, tori_error *err)
{
    double load = typed.den ? fraction_value (typed) : 0;
    if (load <= most)
        return 0;
    return tori_error_set (err, TORI_INVALID,
                           "--load: %g is a load of %g %%, and the most is "
                           "%g; %g %% is %g",
                           load, 100 * load, most, load, load / 100);
}

int resample_parse (const char *text, void *to, tori_error *err)
{
    tori_time time;
    if (duration_parse (text, &time, err) < 0)
        return -1;
    return time > 0 ? 0
                    : tori_error_set (err, TORI_INVALID,
                                      "expected a time above 0, such as 7d, "
                                      "not '%.40s'",
                                      text);
}

int workload_options_check (const struct workload_options *work,
                            tori_error *err)
{
    if (work->trace && work->model >= 0)
        return tori_error_set (err, TORI_INVALID,
                               "--trace and --model exclude each other");
    if (workload_log (work) && work->jobs)
        return tori_error_set (err, TORI_INVALID,
                               "--jobs is for a model; a log has --limit");
    if (workload_log (work) && work->durations)
        return tori_error_set (err, TORI_INVALID,
                               "--durations is for a model; a log has run "
                               "times");
    if (workload_log (work) && work->service)
        return tori_error_set (err, TORI_INVALID,
                               "--service is for a model; a log has run "
                               "times");
    if (!workload_log (work) && work->size_from)
        return tori_error_set (err, TORI_INVALID,
                               "--size-from is for a log; a model has no "
                               "fields");
    return load_check (work->load, WORK_MOST_LOAD, err);
}

void workload_look (struct workload_options *work)
{
    const char *log = workload_log (work);
    work->given = log ? tori_workload_given (log) : 0;
}

tori_order workload_order (const struct workload_options *work)
{
    return work->order < 0 ? (tori_order)0 : (tori_order)work->order;
}

static const char *model_of (const struct workload_options *work)
{
    return work->model < 0 ? "lublin" : model_names ((size_t)work->model);
}

const char *workload_name (const struct workload_options *work)
{
    const char *log = workload_log (work);
    return log ? log : model_of (work);
}

int workload_load (const struct workload_options *work,
                   const tori_machine *machine, tori_workload_options how,
                   tori_workload *ret_workload, tori_error *err)
{
    how.load = work->load.den ? fraction_value (work->load) : 0;
    how.scale_num = work->scale.den ? work->scale.num : 1;
    how.scale_den = work->scale.den ? work->scale.den : 1;
    how.procs_per_node = work->procs_per_node;
    how.limit = (size_t)work->limit;
    how.keep = work->keep;
    how.size_from = work->size_from;
    if (work->resample && duration_parse (work->resample, &how.resample, err) < 0)
        return -1;
    how.strict = work->strict;
    how.seed = (uint64_t)work->seed;
    how.jobs = work->jobs ? (size_t)work->jobs : MODEL_JOBS;
    how.durations = work->durations;
    how.service = work->service;
    if (workload_log (work))
        return tori_workload_read (workload_log (work), machine, &how,
                                   ret_workload, err);
    return tori_workload_model (model_of (work), machine, &how, ret_workload,
                                err);
}

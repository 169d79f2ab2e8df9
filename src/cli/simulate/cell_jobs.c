#include "cell_jobs.h"

#include <math.h>
#include <stdlib.h>

static void clear_columns (tori_sim_columns *columns)
{
    free (columns->fate);
    free (columns->finish);
    free (columns->waited);
    free (columns->nodes);
    free (columns->pairwise);
    *columns = (tori_sim_columns){0};
}

void cell_jobs_clear (struct cell_jobs *jobs)
{
    clear_columns (&jobs->columns);
    free (jobs->ran);
    free (jobs->hopeless);
    free (jobs->fate);
    free (jobs->group);
    for (size_t m = 0; m < JOB_MEASURES; m++)
        free (jobs->value[m]);
    *jobs = (struct cell_jobs){0};
}

int cell_jobs_create (struct cell_jobs *jobs, size_t n, bool distances,
                      tori_error *err)
{
    tori_sim_columns *columns = &jobs->columns;
    bool has_all;
    *jobs = (struct cell_jobs){.n = n};
    *columns = (tori_sim_columns){
        .size = sizeof *columns,
        .fate = calloc (n + 1, sizeof *columns->fate),
        .finish = calloc (n + 1, sizeof *columns->finish),
        .waited = calloc (n + 1, sizeof *columns->waited),
        .nodes = calloc (n + 1, sizeof *columns->nodes),
        .pairwise
        = distances ? calloc (n + 1, sizeof *columns->pairwise) : NULL};
    jobs->ran = calloc (n + 1, sizeof *jobs->ran);
    jobs->hopeless = calloc (n + 1, sizeof *jobs->hopeless);
    has_all = jobs->ran && jobs->hopeless && columns->fate && columns->finish && columns->waited
              && columns->nodes && (columns->pairwise || !distances);
    for (size_t m = 0; m < JOB_MEASURES; m++) {
        jobs->value[m] = calloc (n + 1, sizeof *jobs->value[m]);
        has_all = has_all && jobs->value[m];
    }
    return has_all ? 0 : tori_error_nomem (err);
}

static double seconds_of (tori_time time)
{
    return (double)time / (double)TORI_SECOND;
}

/* As tori_sim_result has it: over at least 10 s, and at least 1. */
static double bounded_slowdown (double response, double runtime)
{
    double bounded = runtime < 10 ? 10 : runtime;
    return response < bounded ? 1 : response / bounded;
}

void cell_jobs_take (struct cell_jobs *jobs, const tori_workload *workload)
{
    const tori_sim_columns *columns = &jobs->columns;
    for (size_t i = 0; i < jobs->n; i++) {
        const tori_work *work = &workload->jobs[i];
        double response = seconds_of (columns->finish[i] - work->submit);
        double nodes = columns->nodes[i];
        jobs->ran[i] = columns->fate[i] == TORI_FATE_DONE;
        jobs->value[JOB_RESPONSE][i] = response;
        jobs->value[JOB_WAIT][i] = seconds_of (columns->waited[i]);
        jobs->value[JOB_BOUNDED_SLOWDOWN][i]
            = bounded_slowdown (response, seconds_of (work->runtime));
        jobs->value[JOB_DISTANCE][i]
            = nodes < 2 || !columns->pairwise
                  ? NAN
                  : (double)columns->pairwise[i] / (nodes * (nodes - 1) / 2);
    }
    jobs->fate = columns->fate;
    jobs->columns.fate = NULL;
    clear_columns (&jobs->columns);
}

double cell_jobs_mean (const struct cell_jobs *jobs, const bool *among,
                       enum job_measure measure)
{
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < jobs->n; i++)
        if (among[i] && !isnan (jobs->value[measure][i])) {
            sum += jobs->value[measure][i];
            n++;
        }
    return n > 0 ? sum / (double)n : NAN;
}

#include "tally.h"

#include <stdbool.h>
#include <string.h>

#include <tori/workload.h>

#include "job.h"

const double wait_bounds[BUCKETS]
    = {1, 10, 60, 300, 900, 3600, 14400, 43200, 86400, 604800};
const uint32_t size_bounds[SIZES - 1] = {1, 8, 64, 512};
const char *const size_names[SIZES]
    = {"1", "2-8", "9-64", "65-512", "513 and more"};

void histogram_add (struct histogram *histogram, const double bounds[],
                    double value)
{
    for (int i = 0; i < BUCKETS; i++)
        histogram->upto[i] += value <= bounds[i];
    histogram->upto[BUCKETS]++;
    histogram->sum += value;
}

static double in_seconds (tori_time time)
{
    return (double)time / TORI_SECOND;
}

static void add_start (struct job_tally *tally, const struct service_job *job)
{
    int size = 0;
    if (job->attempt > 1)
        return; /* it waited for the first one */
    while (size < SIZES - 1 && job->place.count > size_bounds[size])
        size++;
    histogram_add (&tally->waits[size], wait_bounds,
                   in_seconds (job->start - job->submit));
}

static void add_end (struct job_tally *tally, const struct service_job *job)
{
    bool well = job->status == 0;
    *(well ? &tally->ended_well : &tally->ended_badly) += 1;
    *(well ? &tally->good : &tally->bad) += job_used (job);
}

void tally_event (struct job_tally *tally, const char *event,
                  const struct service_job *job)
{
    if (!strcmp (event, "submitted"))
        tally->submitted++;
    else if (!strcmp (event, "started"))
        add_start (tally, job);
    else if (!strcmp (event, "ended"))
        add_end (tally, job);
}

/* trend.c - whether waits and the backlog grew over a run.
 *
 * In a run of a saturated machine, waits tell how long the run was. The length
 * of the queue at its end does not show that: it wanders. So the run is cut
 * into batches, long enough to be nearly independent (B. Schmeiser, Batch Size
 * Effects in the Analysis of Simulation Output, 1982), and a rank test looks
 * for a trend of their means. doc/algorithms.md has the definition. */
#include <math.h>

#include "measure.h"

enum {
    LEAST_JOBS = 100, /* fewer show nothing */
    MANY_JOBS = 2000, /* for so many jobs ... */
    MOST = 20,        /* ... there are so many batches, */
    FEW = 10,         /* and otherwise these */
    INSTANTS = 1000   /* of the backlog */
};

static const double one_in_twenty = 1.6449; /* of a normal distribution */
static const double least_growth = 0.01;    /* see backlog_growth */
static const double never_short = 0.1;      /* see backlog_least */

/* Mann and Kendall's: how many later values are above earlier ones, less those
 * that are below, as a multiple of the standard deviation that it has without
 * a trend. With the corrections for ties and for continuity. */
static double trend_of (const double values[], int n)
{
    int score = 0;
    double spread = n * (n - 1.0) * (2 * n + 5);
    for (int i = 0; i < n; i++) {
        int others = 0;
        for (int j = 0; j < n; j++) {
            others += j != i && values[j] == values[i];
            if (j > i)
                score += (values[j] > values[i]) - (values[j] < values[i]);
        }
        spread -= others * (2 * (others + 1) + 5.0);
    }
    if (spread <= 0)
        return 0;
    return (score - (score > 0) + (score < 0)) / sqrt (spread / 18);
}

/* Sen's: the median of the slopes of all pairs. */
static double slope_of (const double values[], int n)
{
    double slopes[MOST * (MOST - 1) / 2];
    size_t k = 0;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            slopes[k++] = (values[j] - values[i]) / (j - i);
    return summarise (slopes, k).p50;
}

/* When the measured jobs were submitted. */
struct submissions {
    tori_time begin, length;
};

/* The mean waits of batches of the measured jobs, in their order, and when
 * these jobs were submitted. */
static struct submissions average_waits (const struct measures *measures,
                                         int batches, double ret_mean[])
{
    const tori_workload *workload = measures->workload;
    struct submissions span = {0};
    size_t seen = 0, jobs[MOST] = {0};
    node_time sum[MOST] = {0};
    for (size_t i = 0; i < workload->n; i++) {
        const tori_work *work = &workload->jobs[i];
        size_t batch;
        if (measures->idle[i] < 0 || !measures_counts (measures, work))
            continue;
        if (seen == 0)
            span.begin = work->submit;
        span.length = work->submit - span.begin;
        batch = seen++ * (size_t)batches / measures->n;
        sum[batch] += (node_time)measures->idle[i];
        jobs[batch]++;
    }
    for (int i = 0; i < batches; i++)
        ret_mean[i] = (double)sum[i] / (double)jobs[i];
    return span;
}

/* The first instant that is not before a time. The last is at the end of the
 * span. */
static size_t instant_from (const struct submissions *span, tori_time time)
{
    node_time since;
    if (time <= span->begin)
        return 0;
    since = (node_time)(time - span->begin);
    if (since > (node_time)span->length)
        return INSTANTS;
    return (size_t)((since * INSTANTS + (node_time)span->length - 1)
                    / (node_time)span->length)
           - 1;
}

/* The work of jobs that wait, at each instant; one more is for jobs that wait
 * until later. */
static void list_backlog (const struct measures *measures,
                          const struct submissions *span,
                          node_time work[INSTANTS + 1])
{
    for (size_t i = 0; i < measures->workload->n; i++) {
        const tori_work *job = &measures->workload->jobs[i];
        node_time own = (node_time)job->asked * (uint64_t)job->runtime;
        if (measures->idle[i] <= 0)
            continue;
        work[instant_from (span, job->submit)] += own;
        work[instant_from (span, job->submit + measures->idle[i])] -= own;
    }
    for (int i = 1; i < INSTANTS; i++)
        work[i] += work[i - 1];
}

/* The mean backlogs of batches of instants, and the least backlog as a part of
 * the mean. */
static double average_backlogs (const struct measures *measures,
                                const struct submissions *span, int batches,
                                double ret_mean[])
{
    node_time work[INSTANTS + 1] = {0}, all = 0, least;
    int each = INSTANTS / batches;
    list_backlog (measures, span, work);
    least = work[INSTANTS - 1];
    for (int i = 0; i < batches; i++) {
        node_time sum = 0;
        for (int k = i * each; k < (i + 1) * each; k++) {
            sum += work[k];
            if (k >= INSTANTS / 10 && work[k] < least)
                least = work[k];
        }
        all += sum;
        ret_mean[i] = (double)sum / each;
    }
    return measure_ratio ((double)least, (double)all / INSTANTS);
}

void measures_trend (const struct measures *measures, tori_sim_result *result)
{
    double nodes = tori_machine_nodes (measures->config->machine);
    double waits[MOST], backlogs[MOST];
    int batches = measures->n < MANY_JOBS ? FEW : MOST;
    struct submissions span;
    if (measures->n < LEAST_JOBS)
        return;
    span = average_waits (measures, batches, waits);
    if (span.length == 0)
        return;
    result->backlog_least
        = average_backlogs (measures, &span, batches, backlogs);
    result->wait_trend = trend_of (waits, batches);
    result->backlog_trend = trend_of (backlogs, batches);
    result->backlog_growth = slope_of (backlogs, batches) * batches
                             / (nodes * (double)span.length);
    result->saturated = (result->wait_trend > one_in_twenty
                         && result->backlog_trend > one_in_twenty
                         && result->backlog_growth >= least_growth)
                        || result->backlog_least > never_short;
}

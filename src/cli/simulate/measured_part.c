#include "measured_part.h"

#include <string.h>

#include "duration.h"
#include "number.h"

/* A part at the begin or the end of a run: a time, or else a number or a share
 * of its jobs. */
struct edge {
    tori_time time;
    uint64_t jobs;
    struct fraction share;
};

static int refuse_edge (const char *text, tori_error *err)
{
    return tori_error_set (err, TORI_INVALID,
                           "expected a time, a share or a number of jobs, "
                           "such as 7d, 10%% or 500jobs, not '%.40s'",
                           text);
}

/* "10%" */
static int read_share (const char *text, struct edge *edge, tori_error *err)
{
    char number[32];
    size_t n = strlen (text) - 1;
    if (n >= sizeof number)
        return refuse_edge (text, err);
    memcpy (number, text, n);
    number[n] = '\0';
    if (fraction_parse (number, "share", &edge->share, NULL) < 0
        || edge->share.num < 0 || fraction_value (edge->share) >= 100)
        return refuse_edge (text, err);
    return 0;
}

static int read_edge (const char *text, struct edge *ret_edge, tori_error *err)
{
    const char *at = text;
    size_t n = strlen (text);
    *ret_edge = (struct edge){0};
    if (n > 1 && text[n - 1] == '%')
        return read_share (text, ret_edge, err);
    if (number_scan (&at, INT64_MAX, &ret_edge->jobs)
        && (strcmp (at, "jobs") == 0 || strcmp (at, "job") == 0))
        return 0;
    ret_edge->jobs = 0;
    /* A form with two meanings is refused with both. */
    if (text[strspn (text, "0123456789:")] == '\0' && strchr (text, ':'))
        return duration_parse (text, &ret_edge->time, err);
    if (duration_parse (text, &ret_edge->time, NULL) < 0
        || ret_edge->time < 0)
        return refuse_edge (text, err);
    return 0;
}

int measured_part_parse (const char *text, void *to, tori_error *err)
{
    struct edge edge;
    return read_edge (text, &edge, err);
}

/* How many of n jobs are in an edge that is not a time. */
static size_t jobs_in (const struct edge *edge, size_t n)
{
    if (edge->share.den)
        return (size_t)(fraction_value (edge->share) / 100 * (double)n);
    return edge->jobs < n ? (size_t)edge->jobs : n;
}

static int refuse_part (tori_error *err)
{
    return tori_error_set (err, TORI_INVALID,
                           "--warm-up and --cool-down leave no job that is "
                           "measured");
}

int measured_part_window (const struct measured_part *part,
                          const tori_workload *workload,
                          tori_sim_window *ret_window, tori_error *err)
{
    struct edge first = {0}, last = {0};
    size_t n = workload->n, before, after;
    const tori_work *jobs = workload->jobs;
    tori_sim_window window = {.size = sizeof window};
    if ((part->warm_up && read_edge (part->warm_up, &first, err) < 0)
        || (part->cool_down && read_edge (part->cool_down, &last, err) < 0))
        return -1;
    before = jobs_in (&first, n);
    after = jobs_in (&last, n);
    if (before + after >= n)
        return refuse_part (err);
    window.begin = number_sum (jobs[before].submit, first.time);
    window.end = after > 0 ? jobs[n - after].submit
                           : number_sum (jobs[n - 1].submit, 1);
    window.end -= last.time;
    if (window.end <= window.begin
        || measured_part_jobs (&window, workload) == 0)
        return refuse_part (err);
    *ret_window = window;
    return 0;
}

size_t measured_part_jobs (const tori_sim_window *window,
                           const tori_workload *workload)
{
    size_t n = 0;
    for (size_t i = 0; i < workload->n; i++)
        n += measured_part_has (window, &workload->jobs[i]);
    return n;
}

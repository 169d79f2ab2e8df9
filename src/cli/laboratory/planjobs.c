#include "planjobs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "lines.h"
#include "number.h"

static int add_shape (struct planjobs *jobs, const char *text,
                      struct planjob *job, tori_error *err)
{
    tori_shape *more = array_room (jobs->shape, &jobs->shape_room,
                                   jobs->shapes + 1, sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    jobs->shape = more;
    if (tori_shape_parse (text, &jobs->shape[jobs->shapes], err) < 0)
        return -1;
    job->dimension = 0;
    job->shape = (uint32_t)jobs->shapes++;
    return 0;
}

static int parse_dimension (struct planjobs *jobs, const char *text,
                            struct planjob *job, tori_error *err)
{
    const char *p = text;
    uint64_t dimension;
    if (number_scan (&p, TORI_MAX_NODES, &dimension) && dimension && !*p) {
        job->dimension = (uint32_t)dimension;
        return 0;
    }
    if (text[strspn (text, "0")] && !text[strspn (text, "0123456789")])
        return tori_error_set (err, TORI_NEVER,
                               "dimension %.60s is larger than any machine",
                               text);
    if (strchr (text, 'x'))
        return add_shape (jobs, text, job, err);
    return tori_error_set (err, TORI_INVALID,
                           "dimension: '%.60s' is neither a positive whole "
                           "number nor a shape such as 4x2",
                           text);
}

static int parse_time (const char *text, tori_exact *ret_time, tori_error *err)
{
    tori_exact time;
    if (tori_exact_parse (text, "time", &time, err) < 0)
        return -1;
    if (time.num < 0)
        return tori_error_set (err, TORI_INVALID,
                               "time: %.60s is negative", text);
    *ret_time = time;
    return 0;
}

/* End the text after its first word; returns the rest. */
static char *cut_word (char *text)
{
    char *rest = text + strcspn (text, " \t");
    if (*rest)
        *rest++ = '\0';
    return rest + strspn (rest, " \t");
}

static int parse_job (struct planjobs *jobs, char *text, struct planjob *job,
                      tori_error *err)
{
    char *time = cut_word (text), *rest = cut_word (time);
    if (!*time || *rest)
        return tori_error_set (
            err, TORI_INVALID, "%s '%.60s': expected DIMENSION TIME",
            *time ? "unexpected" : "only", *time ? rest : text);
    if (parse_dimension (jobs, text, job, err) < 0)
        return -1;
    return parse_time (time, &job->time, err);
}

static int add_job (void *arg, char *text, size_t line, tori_error *err)
{
    struct planjobs *jobs = arg;
    struct planjob *more =
        array_room (jobs->job, &jobs->room, jobs->n + 1, sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    jobs->job = more;
    more[jobs->n] = (struct planjob){.line = line};
    if (parse_job (jobs, text, &more[jobs->n], err) < 0)
        return -1;
    jobs->n++;
    return 0;
}

int planjobs_read (const char *path, struct planjobs *ret_jobs,
                   tori_error *err)
{
    struct planjobs jobs = {.name = strdup (path)};
    int status = jobs.name ? lines_each (path, add_job, &jobs, err)
                           : tori_error_nomem (err);
    if (status == 0 && !jobs.n)
        status = tori_error_set (err, TORI_INVALID,
                                 "%s: no job; expected one per line: "
                                 "DIMENSION TIME",
                                 jobs.name);
    if (status < 0)
        planjobs_clear (&jobs);
    else
        *ret_jobs = jobs;
    return status;
}

void planjobs_clear (struct planjobs *jobs)
{
    free (jobs->name);
    free (jobs->job);
    free (jobs->shape);
    *jobs = (struct planjobs){0};
}

int planjobs_error (const struct planjobs *jobs, size_t i, tori_error *err)
{
    if (err) {
        tori_error inner = *err;
        tori_error_set (err, inner.status, "%s:%zu: %s", jobs->name,
                        jobs->job[i].line, inner.text);
    }
    return -1;
}

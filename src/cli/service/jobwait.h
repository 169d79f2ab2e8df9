/* jobwait.h - wait until jobs of a running torid have ended. */
#ifndef TORI_CLI_JOBWAIT_H
#define TORI_CLI_JOBWAIT_H

#include <jansson.h>

#include <tori/error.h>
#include <tori/workload.h>

/* A torid that does not answer, as while it is restarted, and how long it is
 * asked again. Commands that wait have a row for it, for values that hold
 * `patience`. */
#define USUAL_PATIENCE (120 * TORI_SECOND)
#define OPTION_ROW_PATIENCE(values)                                         \
    {                                                                       \
        .name = "patience", .kind = OPTION_PARSED,                          \
        OPTION_AT (values, patience), .value = "TIME", .fallback = "2m",    \
        .parse = parse_patience,                                            \
        .help = "how long to try again while torid does not answer, as when " \
                "it is restarted; 0: not at all"                            \
    }
int parse_patience (const char *text, void *to, tori_error *err);

/* Wait for all of a list of ids. The jobs are appended to `ended` as they were
 * then, unless that is NULL. How jobs ended that have no exit status is told on
 * standard error. The highest status of the jobs, or -1. */
int wait_for_all (const char *socket, tori_time patience, const json_t *ids,
                  json_t *ended, tori_error *err);

/* Fetch a job. While torid does not answer, say so on standard error, once, and
 * try again. */
int job_fetch_patiently (const char *socket, tori_time patience,
                         json_int_t id, json_t **ret_job, tori_error *err);

/* Sleep for a while: longer from time to time. Begin with 0. */
void pause_longer (unsigned *microseconds);

#endif

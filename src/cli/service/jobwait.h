/* jobwait.h - wait until jobs of a running torid have ended. */
#ifndef TORI_CLI_JOBWAIT_H
#define TORI_CLI_JOBWAIT_H

#include <jansson.h>

#include <tori/error.h>
#include <tori/workload.h>

/* How long to retry while torid does not answer, for example during a restart.
 * Commands that wait have a row for it, for values that hold `patience`. */
#define USUAL_PATIENCE (120 * TORI_SECOND)
#define OPTION_ROW_PATIENCE(values)                                         \
    {                                                                       \
        .name = "patience", .kind = OPTION_PARSED,                          \
        OPTION_AT (values, patience), .value = "DURATION", .fallback = "2m", \
        .parse = parse_patience,                                            \
        .help = "how long to try again while torid does not answer, as when " \
                "it is restarted; 0: not at all"                            \
    }
int parse_patience (const char *text, void *to, tori_error *err);

/* Wait for all of a list of ids. The jobs are appended to `ended` as they are
 * after their end, unless it is NULL. The end of a job without an exit status
 * is reported on standard error. Returns the highest status of the jobs, or
 * -1. */
int wait_for_all (const char *socket, tori_time patience, const json_t *ids,
                  json_t *ended, tori_error *err);

/* Fetch a job. While torid does not answer, report that once on standard error
 * and retry. */
int job_fetch_patiently (const char *socket, tori_time patience,
                         json_int_t id, json_t **ret_job, tori_error *err);

/* Sleep, a little longer with each call. Begin with 0. */
void pause_longer (unsigned *microseconds);

#endif

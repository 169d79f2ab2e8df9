/* jobwait.h - wait until jobs of a running torid have ended. */
#ifndef TORI_CLI_JOBWAIT_H
#define TORI_CLI_JOBWAIT_H

#include <jansson.h>

#include <tori/error.h>

/* Wait for all of a list of ids. The jobs are appended to `ended` as they were
 * then, unless that is NULL. A torid that goes away is given half a minute to
 * come back. How jobs ended that have no exit status is told on standard error.
 * The highest status of the jobs, or -1. */
int wait_for_all (const char *socket, const json_t *ids, json_t *ended,
                  tori_error *err);

/* Fetch a job; while torid does not answer, try again for half a minute. */
int job_fetch_patiently (const char *socket, json_int_t id, json_t **ret_job,
                         tori_error *err);

/* Sleep for a while: longer from time to time. Begin with 0. */
void pause_longer (unsigned *microseconds);

#endif

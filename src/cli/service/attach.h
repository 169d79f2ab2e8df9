/* attach.h - a job that has the standard input, output and error of this
 * process, as 'tori run' gives it.
 *
 * The job's first program is 'tori run' itself. It finds this process by the
 * name of a socket in TORI_RUN, gets the three files from here, and starts the
 * job's own program. So the job has to run on this host, as the same user. */
#ifndef TORI_CLI_ATTACH_H
#define TORI_CLI_ATTACH_H

#include <stdbool.h>

#include <jansson.h>

#include <tori/error.h>

/* The descriptors of the socket, and of signals. */
struct attach_ends {
    int listener, signals;
};

/* Open the socket, and let a submission use it. From now on SIGINT, SIGTERM and
 * SIGHUP are for attach_wait: a job that was submitted is not left behind. */
int attach_open (json_t *job, struct attach_ends *ret_ends, tori_error *err);
void attach_close (struct attach_ends ends);

/* Wait until the job has ended, and return its exit status, or -1. With `pty`
 * it has a terminal of its own, with which this one is connected. The signals
 * cancel the job. */
int attach_wait (const char *socket, json_int_t id, struct attach_ends ends,
                 bool pty, tori_error *err);

/* Whether this process is the beginning of such a job; and if so, run the
 * job's program: its exit status, or -1 if it could not begin. */
bool attach_is_job (void);
int attach_run (const char *const words[], size_t n, tori_error *err);

#endif

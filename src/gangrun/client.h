/* client.h - speak to a run that listens, if it is this user's or root's. */
#ifndef TORI_GANGRUN_CLIENT_H
#define TORI_GANGRUN_CLIENT_H

#include <stdbool.h>

#include "spec.h"

/* Whether standard input is open and may have something in it. */
bool client_has_input (void);

/* Have a job run by the run that listens at `path`; what it prints goes to
 * standard output and error, and if it has input that comes from standard
 * input. A terminal is read only in the foreground. Returns its exit status,
 * or -1: TORI_FAILED if nobody listens or the run ends before the job does,
 * TORI_NEVER for a job larger than the machine. */
int client_submit (const char *path, const struct spec *spec, tori_error *err);

/* Have the run stop: when its jobs have ended, or now, and they are killed.
 * Returns 0 when it has; TORI_FAILED as above. */
int client_stop (const char *path, bool now, tori_error *err);

/* How the run is: a JSON object, as doc/gang.md has it, added to *ret_text.
 * TORI_FAILED if nobody listens, or nobody answers within some seconds. */
int client_status (const char *path, struct bytes *ret_text, tori_error *err);

/* A socket address; TORI_INVALID if the path is too long for one. */
struct sockaddr_un;
int client_address (const char *path, struct sockaddr_un *ret_address,
                    tori_error *err);

#endif

/* client.h - speak to a run that listens, if it is this user's or root's. */
#ifndef TORI_GANGRUN_CLIENT_H
#define TORI_GANGRUN_CLIENT_H

#include <stdbool.h>

#include "frame.h"
#include "spec.h"

/* Whether standard input is open and may have something in it. */
bool client_has_input (void);

/* The size of the terminal that is standard input, as the pty of a spec; 0 if
 * standard input is not a terminal. */
int64_t client_terminal (void);

/* Have a job run by the run that listens at `path`; what it prints goes to
 * standard output and error, and its input, if it reads any, comes from
 * standard input. A terminal is read only in the foreground; for a job with a
 * terminal of its own it is passed on key by key. Returns its exit status, or
 * -1: TORI_FAILED if no run listens or the run ends before the job does,
 * TORI_NEVER for a job larger than the machine. */
int client_submit (const char *path, const struct spec *spec, tori_error *err);

/* Have the run do something: FRAME_STOP with 1 kills its jobs, with 0 waits
 * for them; FRAME_CANCEL kills the job of this number, and FRAME_WAIT waits
 * for it. Returns 0 when it has, or the job is being killed, or the status of
 * the job that was waited for; TORI_FAILED as above, TORI_INVALID if there is
 * no such job. */
int client_tell (const char *path, enum frame_kind kind, int64_t number,
                 tori_error *err);

/* Ask the run. FRAME_ASK returns its state, a JSON object as in doc/gang.md,
 * and with number 1 includes jobs that have ended. FRAME_LOGS returns the
 * files that the job of this number prints to. The answer is added to
 * *ret_text. TORI_FAILED if no run listens, or none answers within some
 * seconds. */
int client_ask (const char *path, enum frame_kind kind, int64_t number,
                struct bytes *ret_text, tori_error *err);

/* A socket address; TORI_INVALID if the path is too long for one. */
struct sockaddr_un;
int client_address (const char *path, struct sockaddr_un *ret_address,
                    tori_error *err);

#endif

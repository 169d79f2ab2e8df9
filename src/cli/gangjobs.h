/* gangjobs.h - jobs for 'tori gang run', 'submit' and 'pipe'. */
#ifndef TORI_CLI_GANGJOBS_H
#define TORI_CLI_GANGJOBS_H

#include "config.h"
#include "options.h"

/* A job file: a job a line. */
int gangjobs_read (const char *path, struct joblist *list, tori_error *err);

/* TORI_INVALID if there is no job in it. */
int gangjobs_expect (const struct joblist *list, tori_error *err);

/* The socket to use if none is named: $TORI_GANG_SOCKET. */
int gangjobs_socket (const char *given, const char **ret_path,
                     tori_error *err);

#endif

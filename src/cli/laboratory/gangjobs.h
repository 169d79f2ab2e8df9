/* gangjobs.h - shared code of the commands that talk to a gang run. */
#ifndef TORI_CLI_GANGJOBS_H
#define TORI_CLI_GANGJOBS_H

#include "config.h"
#include "options.h"

/* Read a job file, one job per line, for joblist_write. */
int gangjobs_read (const char *path, struct bytes *jobs, tori_error *err);

/* TORI_INVALID for a job whose processes would not find each other: an MPI
 * program of several processes that is in a pipe, or that --mpi claims to be
 * of another MPI than it is. */
int gangjobs_check_mpi (const struct spec *spec, tori_error *err);

/* A row of options: the socket, a `const char *socket` of the values. */
#define GANGJOBS_SOCKET(type)                                                \
    {"socket", OPTION_STRING, offsetof (type, socket), "PATH",               \
     .help = "where the run listens; $TORI_GANG_SOCKET if not given"}

/* A row of options: the job, a `const char *id` of the values. */
#define GANGJOBS_ID(type)                                                    \
    {"id", OPTION_STRING, offsetof (type, id), "ID", .operand = true,        \
     .required = true, .help = "the number of a job"}

/* The socket to use, and the number of the job. */
int gangjobs_name (const char *socket, const char *id, const char **ret_path,
                   int64_t *ret_id, tori_error *err);

/* The socket to use if none is named: $TORI_GANG_SOCKET. */
int gangjobs_socket (const char *given, const char **ret_path,
                     tori_error *err);

#endif

/* gangjobs.h - what the commands have in common that speak to a run. */
#ifndef TORI_CLI_GANGJOBS_H
#define TORI_CLI_GANGJOBS_H

#include "config.h"
#include "options.h"

/* A job file: one job per line. */
int gangjobs_read (const char *path, struct joblist *list, tori_error *err);

/* TORI_INVALID if there is no job in it. */
int gangjobs_expect (const struct joblist *list, tori_error *err);

/* A row of options: the socket, a `const char *socket` of the values. */
#define GANGJOBS_SOCKET(type)                                                \
    {"socket", OPTION_STRING, offsetof (type, socket), "PATH",               \
     .help = "where the run listens; $TORI_GANG_SOCKET if not given"}

/* The socket to use if none is named: $TORI_GANG_SOCKET. */
int gangjobs_socket (const char *given, const char **ret_path,
                     tori_error *err);

#endif

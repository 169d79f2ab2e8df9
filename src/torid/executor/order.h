/* order.h - an order to an executor to start a job. */
#ifndef TORI_EXECUTOR_ORDER_H
#define TORI_EXECUTOR_ORDER_H

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "attempt.h"

/* The members of a message; all of them belong to the order. */
struct order {
    struct attempt which;
    char **argv;    /* of the program */
    char **environ; /* NAME=VALUE */
    char *dir;      /* its directory: absolute */
    char *in, *out, *err; /* files, from there on; NULL: none, none, out */
    char *hosts;    /* the text of the file of that name */
    char *script;   /* the same; argv[0] is its path; NULL: there is none */
    bool other;     /* it runs as another user: */
    char *user;
    uid_t uid;
    gid_t gid;
    double limit; /* time limit in seconds; 0: none */
    double warn;  /* seconds before the limit it gets ... */
    int warning;  /* ... this signal; 0: none */
    double grace; /* seconds from SIGTERM to SIGKILL when the limit is over */
    char *badge;  /* its guard's badge (badge.h), or NULL */
    double patience; /* seconds within which it has to begin; 0: any */
    rlim_t files;    /* files that it may have open, unless it asks for more */
    json_t *message; /* the source of the rest: */
    char *hosts_path;
};

/* Read an order. TORI_INVALID names what is missing or wrong; any other
 * failure is not the job's. `hosts` is the path of the file with the hosts,
 * for its environment; a script is beside it. */
int order_read (json_t *message, const char *hosts,
                struct order *ret_order, tori_error *err);
void order_clear (struct order *order);

/* Find the user, and the members that depend on it: the directory, if the
 * order names none, and the environment. Looking up a name may take long, so
 * the job's own process does this. Failures are as above. */
int order_settle (struct order *order, tori_error *err);

#endif

/* guard.h - a process that keeps one job, and outlives the process that
 * started it.
 *
 * The guard is the parent of the program, adopts all processes that the
 * program leaves, enforces its time limit, and writes down how it ended
 * (attempt.h). It takes orders as signals with a value, which need no
 * connection that could be lost. If the guard is killed, the program dies with
 * it.
 */
#ifndef TORI_EXECUTOR_GUARD_H
#define TORI_EXECUTOR_GUARD_H

#include "order.h"

enum guard_wish {
    GUARD_STOP,    /* send the program a signal, and kill it after a while */
    GUARD_SUSPEND, /* stop all of its processes */
    GUARD_RESUME,
    GUARD_LIMIT, /* change how long the program may run in all */
    GUARD_WISHES
};

struct guard_request {
    enum guard_wish wish;
    int signal;     /* for GUARD_STOP */
    double seconds; /* for GUARD_STOP: until the program is killed; for
                       GUARD_LIMIT: its limit, rounded up to whole seconds */
};

/* Start the guard of an attempt with this directory and lock; the lock is
 * closed in any case. *ret_news becomes readable when the program begins, and
 * ends when the guard is gone. Returns the guard's process number, or -1. */
pid_t guard_start (struct order *order, int dir, int lock,
                   int *ret_news, tori_error *err);

/* Send a guard a request, by a descriptor of its process. False if it has
 * gone. */
bool guard_tell (int guard, struct guard_request request);

#endif

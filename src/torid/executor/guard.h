/* guard.h - a process that keeps one job, and outlives the process that
 * started it.
 *
 * The guard is the parent of the program, adopts all that the program leaves
 * behind, enforces its time limit, and writes down how it ended (attempt.h).
 * It takes orders as signals with a value, which need no connection that could
 * be lost. If the guard is killed, the program dies with it.
 */
#ifndef TORI_EXECUTOR_GUARD_H
#define TORI_EXECUTOR_GUARD_H

#include "order.h"

enum guard_wish {
    GUARD_STOP,    /* send the program a signal, and kill it after a while */
    GUARD_SUSPEND, /* stop all of its processes */
    GUARD_RESUME
};

/* Start the guard of an attempt whose directory and lock these are; the lock
 * is closed in any case. *ret_news becomes readable when the program begins,
 * and is at its end when the guard is gone. Returns the guard's process
 * number, or -1. */
pid_t guard_start (struct order *order, int dir, int lock,
                   int *ret_news, tori_error *err);

/* Tell a guard what to do, by a descriptor of its process. `signal` and
 * `grace`, in seconds, are for GUARD_STOP. False if it has gone. */
bool guard_tell (int guard, enum guard_wish wish, int signal,
                 uint32_t grace);

#endif

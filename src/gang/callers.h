/* callers.h - lets in those who connect to a port and prove that they know a
 * key (handshake.h).
 *
 * Anybody can connect. Callers are heard together, as their bytes come, so
 * that one that sends nothing, or is stopped, delays no other. There are at
 * most CALLERS_MOST at a time: then the oldest is sent away, once it has had
 * CALLERS_PATIENCE; callers that know the key are quicker.
 */
#ifndef TORI_GANGRUN_CALLERS_H
#define TORI_GANGRUN_CALLERS_H

#include <poll.h>
#include <signal.h>
#include <stddef.h>

#include "handshake.h"

enum { CALLERS_MOST = 256, CALLERS_PATIENCE = 2000 /* milliseconds */ };

struct callers {
    int fd; /* listens */
    struct run_key key;
    bool (*wants) (const void *arg, const struct hello *hello); /* NULL: all */
    const void *arg;
    char why[HANDSHAKE_WHY]; /* the last one was sent away; empty: none was */
    struct caller *caller;   /* not let in yet, the oldest first */
    size_t n, room;
    struct pollfd *poll;
    size_t poll_room;
};

/* Wait until something happens, so many milliseconds at the most, or without
 * limit if that is -1; signals that `mask` lets through count, too. Returns
 * the connection of a caller that is let in, or -1 if there is none yet. */
int callers_wait (struct callers *callers, const sigset_t *mask,
                  int milliseconds, struct hello *ret_hello);
void callers_clear (struct callers *callers);

/* Milliseconds, of a clock that is never set. */
int64_t callers_now (void);

#endif

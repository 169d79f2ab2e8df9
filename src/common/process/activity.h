/* activity.h - what a process and everything it has started are doing.
 *
 * Nothing reports when a process goes to sleep or wakes up, so we have to
 * look: which processes are there, how much processor time each has used, and
 * whether a thread could run. If two looks have the same mark and both were
 * still, no process has run in between, however briefly: the kernel counts in
 * nanoseconds.
 *
 * A look costs some system calls per process. It needs the lists of children
 * in /proc (CONFIG_PROC_CHILDREN); without them no process is ever seen
 * asleep.
 */
#ifndef TORI_PROCESS_ACTIVITY_H
#define TORI_PROCESS_ACTIVITY_H

#include <stdint.h>

#include "family.h"

/* Zeroed, it can be used again and again; the caller keeps it for life. */
struct look {
    uint64_t mark;
    bool still; /* no thread is running or could run */
    struct kin stopped; /* by a signal */
};

/* Look at all descendants of a process, itself left out. */
void look_over (pid_t top, struct look *look);

/* The state of the threads of a process: 'R' if one runs or could run, 'D' if
 * one waits in the kernel and no signal reaches it, else 0. */
char look_state (pid_t pid);

/* Processor time used by a process in nanoseconds, -1 if there is none. */
int64_t look_used (pid_t pid);

#endif

/* family.h - everything that a process has started, however it hides.
 *
 * A process that calls prctl (PR_SET_CHILD_SUBREAPER) becomes the parent of
 * every descendant whose own parent has gone. So everything it has started can
 * be found from it, whatever sessions and groups they have made. There is no
 * call that lists them: /proc is read.
 */
#ifndef TORI_PROCESS_FAMILY_H
#define TORI_PROCESS_FAMILY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A process by its number and its start time (maker.h): a number alone may
 * have passed to another process since it was read. */
struct relative {
    pid_t pid;
    uint64_t start;
};

/* Send a signal to it. False if it has gone, or the caller may not. */
bool relative_signal (struct relative one, int signal);

/* Send a signal to all descendants of a process, those that come up
 * meanwhile included. Returns how many there were. */
int family_signal (pid_t top, int signal);

/* Processes. Zeroed, there are none. */
struct kin {
    struct relative *one;
    size_t n, room;
    bool cut; /* there was no memory for all */
};

/* Add one to them. */
void kin_add (struct kin *kin, struct relative one);
bool kin_has (const struct kin *kin, pid_t pid);

/* The same as family_signal; `kin` is who got it, if not NULL. */
int family_gather (pid_t top, int signal, struct kin *kin);

/* Add the children of the caller. waitid would tell only of dead ones. */
void family_children (struct kin *kin);

/* Kill the children of the caller, a subreaper, that are not among these, and
 * all that descends from them, until there are none: who looked after them was
 * killed. */
void family_end_strays (const struct kin *known);

/* Kill all descendants of the caller, a subreaper, and wait until they are
 * gone. They are stopped first, so that none can start others meanwhile. A
 * file system that does not answer keeps its processes: SIGCHLD wakes the
 * caller when one has gone, and meanwhile it sleeps. */
void family_end (void);

#endif

/* cage.h - stop, continue and end all processes of a share at once.
 *
 * If a control group can be made (version 2, with cgroup.freeze) the
 * processes are put into one, and the kernel stops all of them by one write,
 * which they cannot see. Elsewhere they get SIGSTOP and SIGCONT: first the
 * process group, by one call, then those that have left it. Those that
 * another program had stopped before are not continued.
 */
#ifndef TORI_PROCESS_CAGE_H
#define TORI_PROCESS_CAGE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <tori/error.h>

#include "activity.h"

enum cage_kind { CAGE_AUTO, CAGE_CGROUP, CAGE_SIGNAL };

struct cage {
    bool cgroup;
    char dir[PATH_MAX];
    int freeze; /* a file, or -1 */
    pid_t group;
    struct look seen; /* before they got SIGSTOP, */
    struct kin got;   /* and who did */
};

/* The names of the kinds, NULL past the end. */
const char *cage_kind_name (size_t i);

/* A closed cage for what the calling process starts. Signals take over where
 * there is no control group, unless the kind is CAGE_CGROUP: then -1. */
int cage_open (struct cage *cage, enum cage_kind kind);

/* Called by the child before it becomes the program: it stays there until the
 * cage is opened by cage_continue. False with errno if it is not in the cage:
 * then it could not be stopped. */
bool cage_enter (const struct cage *cage);

void cage_stop (struct cage *cage);
void cage_continue (struct cage *cage);

/* Kill everything and wait until it is gone. Returns the processor time that
 * it has used, in nanoseconds: that of the control group, else that of all who
 * were waited for. */
int64_t cage_end (struct cage *cage);

/* The processor time, in nanoseconds, that all in the cage of another process
 * have used so far: by its control group, or of those that are there and those
 * that were waited for there. */
int64_t cage_used (pid_t maker);

/* Whether a control group can be made here: 0, or -1 with TORI_FAILED and why
 * not. */
int cage_try (tori_error *err);

/* Kill and remove what processes that made cages, and have been killed, have
 * left of them (maker.h), and of their folders (scratch.h). Only groups within
 * the caller's own are seen. */
void cages_sweep (void);

#endif

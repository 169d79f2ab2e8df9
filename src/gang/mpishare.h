/* mpishare.h - a job that is an MPI program.
 *
 * MPI brings its own launcher, mpiexec, which reaches other hosts through a
 * program in place of ssh. Here processes of the job are its hosts: the first
 * process runs mpiexec, the others wait for the command that mpiexec wants to
 * run on their "host", and become that. So every process that MPI starts is in
 * the cages of the job, and is stopped and continued with it.
 *
 *     process 0: --share, mpiexec, agents, the proxy of tori-0
 *     process i: --share, which becomes the proxy of tori-i
 *
 * For MPICH every process is a host. Open MPI would not use shared memory
 * then. So it has one host, and one daemon, for all processes that are on one;
 * the daemon is in the first of them. It starts its children as it always
 * does, but a child that belongs to another process of the job only stands for
 * it: that process runs the program, and reports to the child how it ended.
 *
 * TORI_MEET says where they meet, "ADDRESS PORT KEY": a socket that the first
 * process finds open as its descriptor 3. A process that connects proves the
 * key first (handshake.h), which is never sent: every rank derives it from the
 * key of the run. mpiexec sends its environment to other hosts, so it does not
 * have TORI_MEET. TORI_HUB names the first process, where the processes that
 * mpiexec starts find it.
 */
#ifndef TORI_GANGRUN_MPISHARE_H
#define TORI_GANGRUN_MPISHARE_H

#include <stdint.h>

#include "handshake.h"

enum { MEET_FD = 3 };

struct meet {
    uint16_t port;
    struct run_key key;
};

/* The longest text of TORI_MEET. */
enum { MEET_TEXT = 128 };
void meet_format (const struct meet *meet, const char *address,
                  char text[MEET_TEXT]);

/* tori-gang --share KIND PROGRAM [ARGUMENT...]: its exit status. */
int mpishare_run (int argc, char **argv);

/* tori-gang --agent HOST COMMAND...: mpiexec calls it in place of ssh. */
int mpishare_agent (int argc, char **argv);

/* tori-gang --local PROGRAM [ARGUMENT...]: the mpiexec of Open MPI starts it.
 * There is one daemon for all processes of a host, so this process is the
 * daemon's child and the process of the job runs the program for it. */
int mpishare_local (char **argv);

/* tori-gang --program PROGRAM [ARGUMENT...]: mpiexec starts it everywhere. It
 * becomes the program, with the output of its process of the job. */
int mpishare_program (char **argv);

#endif

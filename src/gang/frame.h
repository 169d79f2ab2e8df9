/* frame.h - the frames that go over the socket of a run.
 *
 * The client sends one frame: a job, or whatever else it wants. If the job is
 * to read input, frames with the input follow; the last of them is empty. They
 * stay in the socket until they are wanted. The run sends back frames with the
 * job's output, then one with its status, or the reason why it cannot run. A
 * client that goes away takes its job with it. A client whose job is detached
 * gets its number, and then a status. A client that waits for a job gets its
 * status when it has ended. A client that stops the run gets one when it has
 * stopped, and a client that asks something gets the answer.
 */
#ifndef TORI_GANGRUN_FRAME_H
#define TORI_GANGRUN_FRAME_H

#include <stdint.h>

enum frame_kind {
    FRAME_JOB,    /* spec_pack */
    FRAME_IN,     /* bytes, none at the end */
    FRAME_SIZE,   /* among them: a number, the size of the terminal, as the pty
                     of a spec */
    FRAME_OUT,    /* bytes */
    FRAME_ERR,    /* bytes */
    FRAME_STATUS, /* a number: the job's exit status; a text: why it was
                     killed, or "" */
    FRAME_REFUSED, /* a number: a tori_status; a text */
    FRAME_STOP,    /* a number: 1 to kill jobs, 0 to wait for them */
    FRAME_ASK,     /* a number: 1 to include jobs that have ended; asks for the
                      state of the run */
    FRAME_CANCEL,  /* a number: a job to kill */
    FRAME_WAIT,    /* a number: a job; the status follows at its end */
    FRAME_LOGS,    /* a number: a job; asks which files it prints to */
    FRAME_TOLD     /* the state of the run: JSON from inquiry_write; the files
                      of a job: a number, 1 if it has ended, and their paths */
};

struct frame {
    uint32_t kind;
    uint32_t bytes; /* after it */
};

/* The most that a FRAME_IN carries: small enough for MPI to send at once. */
enum { FRAME_IN_MAX = 4096 };

#endif

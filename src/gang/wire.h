/* wire.h - the messages of ranks: a header, and bytes after it.
 *
 * The messages of the tree, and the orders that follow from them, go only from
 * a node to its supernode or its subnodes: an order to a partition is handed
 * down from node to node to the processors. The output and the end of
 * processes do not concern scheduling, and go straight to the rank that wants
 * them.
 */
#ifndef TORI_GANGRUN_WIRE_H
#define TORI_GANGRUN_WIRE_H

#include <tori/gang.h>

#include "bytes.h"
#include "runclock.h"

enum wire_kind {
    /* of the present era only; between relatives */
    WIRE_TREE,   /* tree; the job after an add_task */
    WIRE_LAUNCH, /* task, node, relay; status: its mpi_kind; stream: the port
                    where its processes meet; the job: start your share */
    WIRE_TURN,   /* task, relay, time: run the share in this slot */
    WIRE_END,    /* task, relay: kill your share */
    WIRE_FORGET, /* task, relay: the job has ended everywhere */
    WIRE_SLEEP,  /* task, relay: continue your share until it wakes up */
    WIRE_AWAKE,  /* task, relay: stop it, it will have turns again */
    WIRE_REST,   /* task, status: a share rests, or does not any more;
                    straight to the host of the job's node */
    /* straight */
    WIRE_EXIT,   /* task, index, status, the time used; stream: 1 if it was
                    resting in this era: to the host of the job's node */
    WIRE_PLACED, /* task, node: to rank 0 */
    WIRE_ENDED,  /* task, status, the first turn, how many, and the time used:
                    to rank 0 */
    WIRE_CANCEL, /* task: from rank 0 to the host of the job's node */
    WIRE_OUTPUT, /* task, index, stream; whole lines, or a part of one that is
                    very long: to rank 0 */
    WIRE_INPUT,  /* the same; no bytes at the end: to the rank of the first
                    process of the next stage */
    WIRE_SIZE,   /* task, status: the terminal has another size: to the rank of
                    the process */
    WIRE_CREDIT, /* task, stream, status: bytes that are written; below 0: no
                    more are wanted. Stream 0 is the input of a client for a
                    job: to rank 0, at first with none, so that it begins to
                    send */
    WIRE_STOP,   /* to rank 0: a user wants the run to end */
    WIRE_ALONE,  /* to rank 0: mpirun is gone */
    WIRE_FALLEN, /* index: a rank that cannot be reached; to rank 0 */
    WIRE_TICK,   /* time: asks for the time; to the rank above */
    WIRE_TOCK,   /* the same time, the agreed time, its error; the state of the
                    clock (PACKED_CLOCK): the answer */
    WIRE_CLOCK,  /* the clock of a rank (PACKED_REPORT): to rank 0 */
    WIRE_SWITCH, /* task, times: a share was stopped or continued */
    WIRE_ASLEEP, /* task: the job has left its queue; to rank 0 */
    WIRE_ASK,    /* task: a question of this number: in which state are the
                    jobs whose node you host, at this time? */
    WIRE_TOLD,   /* task: the number; their states (PACKED_STATE): to rank 0 */
    /* a rank has died: from rank 0 */
    WIRE_ERA,   /* a byte a rank, 1 if it is dead: begin again */
    WIRE_READY, /* to rank 0; the jobs whose node is here (PACKED_TASK) */
    WIRE_GO,    /* all are ready */
    WIRE_QUIT,  /* status */
    WIRE_KINDS
};

static inline bool wire_is_of_era (enum wire_kind kind)
{
    return kind < WIRE_EXIT;
}

struct wire {
    enum wire_kind kind;
    uint32_t era;
    uint32_t from;  /* set by peers_send */
    uint32_t bytes; /* after the header */
    uint64_t task;
    uint32_t node;  /* where the task is */
    uint32_t relay; /* whose processors are meant */
    uint32_t index; /* of a process of the job */
    uint32_t stream; /* 1 or 2; or a flag */
    int64_t status;
    int64_t time[3];
    tori_gang_message tree;
};

/* ---- as it is sent ---- */

/* The members of a structure in the order of its table (wire.c), each in
 * little-endian order, without padding. Whole numbers below zero are their
 * two's complement; a double is the bits of IEEE 754's binary64, a bool a
 * byte.
 *
 * The bytes after a header are texts and numbers in words (bytes.h), a byte a
 * rank, what processes print or read, or packed structures one after another.
 */
enum packed {
    PACKED_HEADER, /* struct wire */
    PACKED_CLOCK,  /* struct runclock_state */
    PACKED_REPORT, /* struct clock_report */
    PACKED_STATE,  /* struct job_state */
    PACKED_TASK,   /* uint64_t, the id of a job */
    PACKED_KINDS
};
enum {
    WIRE_HEADER = 15 * 4 + 11 * 8 + 1 + 4 * TORI_MAX_DIMS,
    PACKED_MOST = WIRE_HEADER
};

/* The first rank's knowledge about the clock of another. */
struct clock_report {
    struct runclock_state state;
    uint32_t jumps, rank;
};

/* The state of a job, as reported by the rank that hosts its node; other ranks
 * report only the processor time of their processes. */
enum job_is {
    JOB_WAITING, /* it has no partition */
    JOB_READY,   /* it is in its queue */
    JOB_RUNNING, /* it has its turn */
    JOB_ASLEEP,
    JOB_ENDING,
    JOB_UNKNOWN
};
struct job_state {
    uint64_t task;
    enum job_is state; /* unknown: from another rank */
    int64_t used;
    int64_t since;
    int64_t first_turn; /* 0: there was none */
    int64_t turns;
};

/* How many bytes it has. */
size_t packed_size (enum packed kind);
void packed_write (enum packed kind, const void *of, unsigned char *to);
/* Bytes between the members become zero. */
void packed_read (enum packed kind, const unsigned char *from, void *ret_of);

/* Several, one after another: add one; read the i-th among n bytes, if there
 * is one. */
int packed_add (struct bytes *bytes, enum packed kind, const void *of,
                 tori_error *err);
bool packed_get (const char *data, size_t n, enum packed kind, size_t i,
                  void *ret_of);

/* A number of so many bytes, the lowest first. */
void number_put (unsigned char *to, uint64_t value, size_t width);
uint64_t number_get (const unsigned char *from, size_t width);

#endif

/* wire.h - what ranks send each other: a header, and bytes after it.
 *
 * The messages of the tree, and the orders that follow from them, go only from
 * a node to its supernode or its subnodes: an order to a partition is handed
 * down from node to node to the processors. What processes print, and how they
 * end, does not concern scheduling and goes straight to where it is wanted.
 */
#ifndef TORI_GANGRUN_WIRE_H
#define TORI_GANGRUN_WIRE_H

#include <tori/gang.h>

enum wire_kind {
    /* of the present era only; between relatives */
    WIRE_TREE,   /* tree; the job behind an add_task */
    WIRE_LAUNCH, /* task, node, relay; the job: start your share */
    WIRE_TURN,   /* task, relay, time: run the share in this slot */
    WIRE_END,    /* task, relay: kill your share */
    WIRE_FORGET, /* task, relay: the job has ended everywhere */
    WIRE_SLEEP,  /* task, relay: let your share go until it wakes up */
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
    WIRE_CREDIT, /* task, stream, status: bytes that are through; below 0:
                    nobody wants more. Stream 0 is what a client gives a job
                    to read: to rank 0, at first with none, so that it begins
                    to send */
    WIRE_STOP,   /* to rank 0: somebody wants the run to end */
    WIRE_ALONE,  /* to rank 0: mpirun is gone */
    WIRE_FALLEN, /* index: a rank that cannot be reached; to rank 0 */
    WIRE_TICK,   /* time: what time is it? To the rank above */
    WIRE_TOCK,   /* the same time, the agreed time, its error; what is known of
                    the clock: the answer */
    WIRE_CLOCK,  /* what is known of the clock of a rank: to rank 0 */
    WIRE_SWITCH, /* task, times: a share was stopped or continued */
    WIRE_ASLEEP, /* task: the job has left its queue; to rank 0 */
    WIRE_ASK,    /* task: a question of this number: how did the jobs do at
                    this time whose node is with you? */
    WIRE_TOLD,   /* task: the number; their states: to rank 0 */
    /* a rank has died: from rank 0 */
    WIRE_ERA,    /* a byte a rank, 1 if it is dead: begin again */
    WIRE_READY,  /* to rank 0; ids of the jobs whose node is here */
    WIRE_GO,     /* all are ready */
    WIRE_QUIT,   /* status */
    WIRE_KINDS
};

static inline bool wire_is_of_era (enum wire_kind kind)
{
    return kind < WIRE_EXIT;
}

struct wire {
    enum wire_kind kind;
    uint32_t era;
    uint32_t from;  /* set by the link */
    uint32_t bytes; /* behind */
    uint64_t task;
    uint32_t node;  /* of the task */
    uint32_t relay; /* whose processors are meant */
    uint32_t index; /* of a process of the job */
    uint32_t stream; /* 1 or 2; or a flag */
    int64_t status;
    int64_t time[3];
    tori_gang_message tree;
};

#endif

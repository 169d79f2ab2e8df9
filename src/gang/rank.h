/* rank.h - a rank of a run: a processor of the machine, and the nodes of the
 * tree whose first processor it is.
 *
 * A message comes in, or a slot begins, or a descriptor is ready; everything
 * else follows from that, in one thread. A rank sends messages to itself as to
 * others, so that handlers never nest.
 *
 * Time. Slots are counted from the epoch by the time that all ranks agree on,
 * which is the monotonic clock of the first (runclock.h). The tree is ahead of
 * the clock by `lead`: nodes decide a little before a slot begins, and what
 * they decide travels while the slot before it ends. When it begins every
 * processor knows what to do.
 *
 * Eras. A rank that dies takes its nodes with it. Rank 0 then begins a new
 * era: every rank drops its nodes and kills its shares of jobs that had a
 * process on the dead one; when all have done so, the nodes are made anew,
 * those of the dead rank by the next processor of the same partition, and the
 * jobs that are left come back into their queues. Messages of an earlier era
 * are dropped. Partitions with a dead processor take no new jobs.
 *
 * Sleep. The warden of a process reports whether it did anything in its turn.
 * When no process of a job did, the host of the job's node takes the job out
 * of the queue, and the processes are continued, so that they can wake up:
 * they use no time. When one of them wakes up, all are stopped again, and the
 * job comes back into the queue.
 */
#ifndef TORI_GANGRUN_RANK_H
#define TORI_GANGRUN_RANK_H

#include <poll.h>
#include <stdbool.h>

#include "config.h"
#include "heap.h"
#include "mpikind.h"
#include "mpishare.h"
#include "peers.h"
#include "runclock.h"
#include "warden.h"

struct share;
struct front;
struct rank;

/* A job as this rank knows it. */
struct task {
    uint64_t id;   /* its number, and in the upper half the number of its
                      attempt */
    uint32_t node; /* TORI_GANG_NONE while it is looking for one */
    struct spec *spec;
    struct share *share; /* the process here; NULL if there is none */
    enum mpi_kind mpi;   /* of its program */
    uint16_t port;       /* where the processes of an MPI program meet */
    int door;            /* the listening socket, where the job's node is,
                            until its first process has it; -1: none */
    int no_door;         /* why there is no socket, an error number; 0: no
                            error */
    bool had_share;
    /* On the rank that hosts the job's node: */
    bool owned;
    bool ending;
    uint32_t left; /* processes that have not ended */
    uint32_t resting; /* of these: did nothing in their last turn */
    bool asleep;      /* all of them rest, and the job has left its queue */
    int status;
    int64_t turns;             /* slots that it was given */
    int64_t first_turn;        /* when the first began */
    struct span {
        int64_t from, until;
    } turn, before; /* the last, which may not have begun, and the one before;
                       slots that touch are one */
    int64_t since;  /* when it was placed, fell asleep, woke up or
                       began to end */
    int64_t used;   /* processor time of processes that have
                       ended */
};

/* Descriptors to wait for, and what to do when they are ready. */
struct watch {
    struct pollfd *fd;
    struct watcher {
        void (*ready) (struct rank *rank, void *arg, short events);
        void *arg;
    } *watcher;
    size_t n, room, watcher_room;
};

struct rank {
    const struct config *config;
    struct peers *peers;
    struct card *card; /* a rank */
    struct run_key key; /* of the run */
    int keeper;
    uint32_t self, size;
    bool by_signals; /* processes are stopped by signals here, not by control
                        groups */

    tori_machine *machine;
    tori_gang_tree *tree;
    uint32_t nodes;
    uint32_t *host;         /* a node: its rank, TORI_GANG_NONE if all dead */
    uint32_t *most;         /* a node: the largest partition without a death */
    tori_gang_node **node;  /* NULL if not hosted here */
    bool *dead;             /* a rank */
    uint32_t era;
    bool halted; /* between an era and its beginning */

    struct runclock clock;
    int64_t latest; /* the latest time that rank_now has returned */
    int64_t ask;    /* when to ask for the time next, by the local clock */
    uint32_t told;  /* number of answers so far */
    int64_t epoch;
    int64_t lead;
    struct heap wakes;
    tori_gang_outbox out;

    struct bytes early; /* input for processes that are not started yet */
    struct task **task;
    size_t tasks, task_room;
    struct front *front; /* of rank 0 */
    struct watch watch;
    int signals; /* a signalfd */
    bool quit;
    int status;
    tori_error err; /* why it cannot go on; its status is TORI_OK if it can */
};

/* An action of a rank either succeeds or ends the rank, as when memory runs
 * out. So errors are not passed on: they are kept here, nothing is sent any
 * more, and the rank ends with the step. */
static inline bool rank_failed (const struct rank *rank)
{
    return rank->err.status != TORI_OK;
}

/* Handle a message and the `wire->bytes` bytes that came with it. Every kind
 * of message has a handler: the table is in rank_messages.c. */
typedef void rank_handler (struct rank *rank, const struct wire *wire,
                           const char *data);

/* The whole life of a rank; its exit status. */
int rank_run (int keeper, void *config);

/* ---- for the parts of a rank ---- */

void rank_send (struct rank *rank, uint32_t to, const struct wire *wire,
                const void *data);
void rank_watch (struct rank *rank, int fd, short events,
                 void (*ready) (struct rank *rank, void *arg, short events),
                 void *arg);

/* Whether that many more descriptors than this one can be open, with some left
 * for clients that ask for the state of the run, or stop it. The lowest free
 * descriptor is given, so a high one shows how many are in use. */
bool rank_has_room (int fd, int more);

struct task *task_find (const struct rank *rank, uint64_t id);
/* NULL if it fails. */
struct task *task_add (struct rank *rank, uint64_t id, const void *spec,
                       size_t n);
void task_remove (struct rank *rank, struct task *task);
/* It was placed, sleeps, is awake or is to end from now on, and its turn so
 * far is over. */
void task_changed (struct rank *rank, struct task *task);

/* The agreed time. On the first rank it is the time of its clock. */
int64_t rank_now (struct rank *rank);

static inline int64_t slot_time (const struct rank *rank, int64_t slot)
{
    return rank->epoch + slot * rank->config->slot;
}

#endif

/* tori/gang.h - time-space sharing: the distributed queue tree.
 *
 * Jobs share the machine in time and in space, without a central scheduler.
 * The machine is halved, and each half is halved again, down to single
 * processors. The partitions form a tree: every partition is a node of the
 * tree and has a run queue. A process is a gang of threads on all processors
 * of a partition. In a time slot it has its partition to itself. (Hori et al.,
 * "Time Space Sharing Scheduling and Architectural Support", 1995.)
 *
 * The front. In a pass of a node, first each process of its own queue runs for
 * one slot on the whole partition. Then its subnodes run side by side for the
 * rest of the pass. A pass lasts as long as the node's own queue plus the
 * longest pass of a subnode. A subnode with a shorter pass begins again at its
 * own top, as often as fits, and is cut off where the pass above it ends.
 * Every queue remembers whose turn is next. So every process runs at least
 * once while the root makes one pass. The number of slots in that pass is the
 * height of the tree.
 *
 * A node is a state machine: a message comes in, messages go out. It knows its
 * supernode and its subnodes by number and by what they told it, and nothing
 * else. Its only clock is the number of the current slot, which its host tells
 * it. A transport delivers the messages:
 *
 *     tori_gang_outbox out = {0};
 *     if (tori_gang_node_handle (node, slot, &message, &out, &err) < 0)
 *         ...
 *     for (size_t i = 0; i < out.n; i++)
 *         deliver (&out.item[i]);
 *     out.n = 0;
 *
 * Messages to TORI_GANG_HOST are orders to the host of the node that sent
 * them: run a process, or take note of one. A wake is a message from a node to
 * itself, to be delivered when its slot begins. Everything else goes to a
 * relative in the tree. Messages between two nodes must arrive once each, in
 * the order in which they were sent. How long they take does not matter for
 * safety: if all hosts agree on the time, a processor never has two processes
 * in a slot.
 *
 * tori_gang_world below is a transport within one program, with a simulated
 * clock and simulated processes.
 */
#ifndef TORI_GANG_H
#define TORI_GANG_H

#include <tori/drain.h>
#include <tori/machine.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the tree ---- */

#define TORI_GANG_NONE UINT32_MAX       /* no node: above the root */
#define TORI_GANG_HOST (UINT32_MAX - 1) /* the host of the sender */
#define TORI_GANG_FOREVER INT64_MAX     /* a slot that never comes */

enum { TORI_GANG_MAX_DEGREE = 1024, TORI_GANG_MAX_SHARES = 1000 };

typedef struct tori_gang_tree tori_gang_tree;

/* A node's place in the tree. Nodes are numbered level by level, from 0 for
 * the root. The subnodes of a node are consecutive. */
typedef struct tori_gang_place {
    uint32_t parent;   /* TORI_GANG_NONE for the root */
    uint32_t first;    /* subnode; any value if there are none */
    uint32_t children;
    uint32_t level;    /* 0 for the root */
    uint32_t size;     /* processors of the partition */
    tori_box box;      /* the partition */
} tori_gang_place;

/* Create the tree of a machine. A partition with more than `leaf` processors
 * is split into `degree` parts, or into fewer if it has no more processors.
 * For each prime factor of the degree, smallest first, every part is cut
 * across its longest side (the first of equal ones) into that many pieces.
 * Their lengths differ by at most one, the longer ones first. Degree 2 halves
 * a partition; degree 4 quarters a square. TORI_INVALID for a degree below 2
 * or above TORI_GANG_MAX_DEGREE, or a leaf of 0. The machine must outlive the
 * tree. */
int tori_gang_tree_create (const tori_machine *machine, uint32_t degree,
                           uint32_t leaf, tori_gang_tree **ret_tree,
                           tori_error *err);
void tori_gang_tree_destroy (tori_gang_tree *tree);

/* The machine of a tree, its number of nodes and levels, and the place of a
 * node. If there is no such node, the place has no processors. */
const tori_machine *tori_gang_tree_machine (const tori_gang_tree *tree);
uint32_t tori_gang_tree_nodes (const tori_gang_tree *tree);
uint32_t tori_gang_tree_levels (const tori_gang_tree *tree);
void tori_gang_tree_place (const tori_gang_tree *tree, uint32_t node,
                           tori_gang_place *ret_place);

/* The processor that hosts a node: the first of its partition. TORI_GANG_NONE
 * if there is no such node. */
uint32_t tori_gang_tree_host (const tori_gang_tree *tree, uint32_t node);

/* The cost of a switch in the network of each node's partition, in cycles, by
 * the model of tori/drain.h: the time to drain it, at most Dmax Lmax + Dmax
 * Hmax, to save the routers, and to restore those of the next process. The
 * cost grows with the partition: Dmax is its diameter, and a router of a
 * larger partition may have more links to save. The work of the kernels is not
 * included. `net` and `drain` may be NULL for the defaults. ret_cycles has
 * room for every node. TORI_INVALID for an impossible network, or if the tree
 * has open partitions. */
int tori_gang_switch_cycles (const tori_gang_tree *tree,
                             const tori_net_config *net,
                             const tori_drain_config *drain,
                             uint64_t ret_cycles[], tori_error *err);

/* ---- messages ---- */

/* The needs of a process: `count` processors, at least one. If the shape has
 * dimensions, a box of this shape must fit the partition, rotated in any way
 * unless `fixed`. */
typedef struct tori_gang_need {
    uint32_t count;
    bool fixed;
    tori_shape shape;
} tori_gang_need;

/* Whether the whole machine is large enough. */
bool tori_gang_tree_holds (const tori_gang_tree *tree,
                           const tori_gang_need *need);

typedef enum tori_gang_kind {
    /* down the tree, from the host to the root: find a partition for this
     * process */
    TORI_GANG_ADD_TASK,
    /* up: the work of the sender's branch has changed */
    TORI_GANG_LOAD,
    /* down: your partition is yours until slot `end`; from the host to the
     * root once, with no end */
    TORI_GANG_ACTIVATE,
    /* from the host: a process has ended, or has gone to sleep, and leaves the
     * queue; nothing happens if it is not in the queue */
    TORI_GANG_DONE,
    TORI_GANG_SUSPEND,
    /* from the host: a process that belongs to this node comes (back) into the
     * queue; nothing happens if it is already there */
    TORI_GANG_RESUME,
    /* to itself: to be delivered when `slot` begins */
    TORI_GANG_WAKE,
    /* to the host: the process now belongs to the sender's queue */
    TORI_GANG_PLACED,
    /* to the host: the processors of the sender's partition run the process
     * for the rest of `slot` */
    TORI_GANG_RUN
} tori_gang_kind;

/* "add_task", "load", ...; NULL for anything else. */
const char *tori_gang_kind_name (tori_gang_kind kind);

typedef struct tori_gang_message {
    tori_gang_kind kind;
    uint32_t from, to;   /* nodes; TORI_GANG_HOST */
    uint64_t task;       /* the host's name for the process */
    int64_t slot;        /* of a wake, of a run */
    int64_t end;         /* of an activation: the first slot not granted */
    uint64_t seen;       /* of an activation: how many loads came before it */
    uint64_t load;       /* load: processors needed to run all at once */
    uint64_t accepted;   /* load: processors asked for by all add_task seen */
    uint32_t height;     /* load: slots of a pass */
    uint32_t shares;     /* of add_task, resume: turns in a pass; 0 is 1 */
    tori_gang_need need; /* of add_task */
} tori_gang_message;

/* Messages that a node sends, in order. A zeroed outbox is empty. */
typedef struct tori_gang_outbox {
    tori_gang_message *item;
    size_t n;
    size_t room;
} tori_gang_outbox;

/* Release the memory of an outbox and empty it. It can be used again. */
void tori_gang_outbox_clear (tori_gang_outbox *out);

/* ---- a node ---- */

/* The policy for new processes. At each node that has large enough subnodes, a
 * process goes to the best of these, the first if several are best.
 *   lightest     the fewest virtual processors a processor of its partition
 *                (Hori et al., Figure 5)
 *   lowest       the least height, then the lightest
 *   round-robin  each in turn
 * A process stays where it was put. */
typedef struct tori_gang_policy_info {
    const char *name;
    const char *summary;
} tori_gang_policy_info;

/* The i-th policy, or NULL past the end. */
const tori_gang_policy_info *tori_gang_policy_list (size_t i);

typedef struct tori_gang_node tori_gang_node;

/* Create a node of a tree with an empty queue and no slots of its own. It
 * copies what it needs from the tree. TORI_INVALID for an unknown policy, and
 * for a node outside the tree. */
int tori_gang_node_create (const tori_gang_tree *tree, uint32_t node,
                           const char *policy, tori_gang_node **ret_node,
                           tori_error *err);
void tori_gang_node_destroy (tori_gang_node *node);

/* Handle a message in slot `slot` and append the messages that follow from it
 * to `out`. Slots never go back. On failure nothing has changed. TORI_FAILED
 * if memory runs out; TORI_INVALID for a message that is not for this node or
 * of a kind that is for hosts, for a process without processors, and for one
 * with more than TORI_GANG_MAX_SHARES shares; TORI_NEVER for a process larger
 * than the partition. */
int tori_gang_node_handle (tori_gang_node *node, int64_t slot,
                           const tori_gang_message *message,
                           tori_gang_outbox *out, tori_error *err);

/* Let the i-th subnode take no new process of more than `most` processors,
 * because the host knows that part of its partition is down. With 0 it takes
 * no processes at all. Nothing happens if there is no such subnode. */
void tori_gang_node_limit (tori_gang_node *node, uint32_t i, uint32_t most);

/* The queue: its length, and the i-th process, counted from the next one to
 * run; 0 if there is no such process. A process with several shares is there
 * once for each. */
size_t tori_gang_node_length (const tori_gang_node *node);
uint64_t tori_gang_node_task (const tori_gang_node *node, size_t i);

/* Virtual processors of the branch, and slots of a pass, as far as the node
 * knows. */
uint64_t tori_gang_node_load (const tori_gang_node *node);
uint32_t tori_gang_node_height (const tori_gang_node *node);

/* ---- a tree in one program, with a simulated clock ---- */

typedef struct tori_gang_world tori_gang_world;

/* A process runs on the partition of a node. */
typedef struct tori_gang_turn {
    uint32_t node;
    uint32_t task;
    int64_t slot;
    int64_t begin, end; /* useful time, after the switch */
} tori_gang_turn;

/* See tori_alloc_config for `size`. */
typedef struct tori_gang_config {
    size_t size;
    const tori_gang_tree *tree; /* outlives the world */
    const char *policy;         /* NULL: lightest */
    int64_t slot;               /* ticks, at least 1 */
    int64_t hop;         /* ticks that a message takes to a relative */
    int64_t switch_cost; /* ticks at the start of a turn that do nothing,
                            unless the process ran in the slot before */
    const int64_t *switch_more; /* of each node: ticks to add to these; NULL
                                   for none; outlives the world */

    /* Called, if not NULL, when a process has its partition, when it first
     * runs, in each of its turns, and when it has ended. With on_turn, every
     * slot is simulated; without it, slots in which nothing changes are
     * skipped. The callbacks may query the world, but not change it. */
    void (*on_place) (void *arg, uint32_t task, uint32_t node, int64_t time);
    void (*on_start) (void *arg, uint32_t task, int64_t time);
    void (*on_turn) (void *arg, const tori_gang_turn *turn);
    void (*on_finish) (void *arg, uint32_t task, int64_t time);
    void *arg;
} tori_gang_config;

/* Create a world at time 0, the start of slot 0. A switch plus the time of a
 * message from the root to the last level must take less than a slot, or it is
 * TORI_INVALID: a process at the bottom may have only one slot in a pass. */
int tori_gang_world_create (const tori_gang_config *config,
                            tori_gang_world **ret_world, tori_error *err);
void tori_gang_world_destroy (tori_gang_world *world);

/* Add a process that arrives at `time` and needs `runtime` ticks of its
 * partition (TORI_GANG_FOREVER: it never ends). Processes are numbered 0, 1,
 * ... in the order of these calls. TORI_INVALID for a time before the last
 * event handled, for a negative runtime and for no processors; TORI_NEVER if
 * the process is larger than the machine. */
int tori_gang_world_add (tori_gang_world *world, int64_t time,
                         const tori_gang_need *need, int64_t runtime,
                         uint32_t *ret_task, tori_error *err);

/* The same, but put the process into a node's queue now, instead of looking
 * for a partition. TORI_INVALID for a node outside the tree. */
int tori_gang_world_put (tori_gang_world *world, uint32_t node,
                         int64_t runtime, uint32_t *ret_task, tori_error *err);

/* A process goes to sleep at `time`, or wakes up. Nothing happens to a process
 * that has no partition yet, or has ended. TORI_INVALID for a process that was
 * never added, and for the time as above. */
int tori_gang_world_suspend (tori_gang_world *world, int64_t time,
                             uint32_t task, tori_error *err);
int tori_gang_world_resume (tori_gang_world *world, int64_t time,
                            uint32_t task, tori_error *err);

/* Let time pass: simulate everything that happens before `until`. The first
 * call starts the root. At each instant, processes end first, then messages
 * arrive, then processes arrive or sleep, then slots begin. After a failure
 * the world can only be destroyed. */
int tori_gang_world_run (tori_gang_world *world, int64_t until,
                         tori_error *err);

/* The time that a process has left to run at `time`, in ticks. All that
 * happens before `time` must have been simulated. 0 if there is no such
 * process. */
int64_t tori_gang_world_left (const tori_gang_world *world, uint32_t task,
                              int64_t time);

/* Messages that a node has sent and received so far, including those from its
 * host, but not wakes and orders; 0 if there is no such node. */
uint64_t tori_gang_world_messages (const tori_gang_world *world,
                                   uint32_t node);
/* Turns of all processes so far, and those that began with a switch. */
uint64_t tori_gang_world_turns (const tori_gang_world *world);
uint64_t tori_gang_world_switches (const tori_gang_world *world);

/* ---- the movement of the front ---- */

typedef struct tori_gang_cell {
    uint32_t node;    /* TORI_GANG_NONE: idle */
    uint32_t process; /* the i-th of its queue */
} tori_gang_cell;

/* The number of slots in a pass of the root: the longest sum of lengths from
 * the root to a leaf. */
size_t tori_gang_period (const tori_gang_tree *tree, const uint32_t lengths[]);

/* The process of each processor in the first `slots` slots if node i of the
 * tree has lengths[i] processes: ret_cells[slot * processors + processor].
 * Fails only if memory runs out. */
int tori_gang_table (const tori_gang_tree *tree, const uint32_t lengths[],
                     size_t slots, tori_gang_cell ret_cells[],
                     tori_error *err);

#ifdef __cplusplus
}
#endif

#endif

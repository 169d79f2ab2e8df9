/* queue_tree.c - the queue tree in one program.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "queue_tree.h"

#include <stdlib.h>

#include "array.h"

struct queue_tree {
    tori_gang_tree *tree;
    tori_gang_node **node;
    uint32_t nodes;
    queue_tree_fn *run;
    void *arg;
    int64_t slot;
    tori_gang_outbox out;    /* of the node that was called last */
    tori_gang_message *mail; /* messages under way, from `read` on */
    size_t read, sent, mail_room;
    int64_t *wakes;   /* by node: the slot that it waits for */
    uint32_t *usable; /* by node: how many nodes of the machine are usable */
    uint32_t placed;  /* where the last process went */
};

/* ---- messages ---- */

static int post_message (struct queue_tree *queues,
                         const tori_gang_message *message, tori_error *err)
{
    tori_gang_message *more = array_room (queues->mail, &queues->mail_room,
                                          queues->sent + 1, sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    queues->mail = more;
    queues->mail[queues->sent++] = *message;
    return 0;
}

/* Handle a message of a node. */
static int dispatch_message (struct queue_tree *queues,
                             const tori_gang_message *message, tori_error *err)
{
    switch (message->kind) {
    case TORI_GANG_WAKE:
        queues->wakes[message->to] = message->slot;
        return 0;
    case TORI_GANG_RUN:
        queues->run (queues->arg, message->task);
        return 0;
    case TORI_GANG_PLACED:
        queues->placed = message->from;
        return 0;
    default:
        return post_message (queues, message, err);
    }
}

static int handle_message (struct queue_tree *queues,
                           const tori_gang_message *message, tori_error *err)
{
    queues->out.n = 0;
    if (tori_gang_node_handle (queues->node[message->to], queues->slot,
                               message, &queues->out, err)
        < 0)
        return -1;
    for (size_t i = 0; i < queues->out.n; i++)
        if (dispatch_message (queues, &queues->out.item[i], err) < 0)
            return -1;
    return 0;
}

/* Send a node a message, and all messages that follow from it. */
static int tell_node (struct queue_tree *queues, tori_gang_message message,
                      tori_error *err)
{
    int status = handle_message (queues, &message, err);
    while (status == 0 && queues->read < queues->sent) {
        message = queues->mail[queues->read++];
        status = handle_message (queues, &message, err);
    }
    queues->read = queues->sent = 0;
    return status;
}

/* ---- the tree ---- */

static int make_nodes (struct queue_tree *queues, tori_error *err)
{
    queues->nodes = tori_gang_tree_nodes (queues->tree);
    queues->node = calloc (queues->nodes, sizeof *queues->node);
    queues->wakes = malloc (queues->nodes * sizeof *queues->wakes);
    queues->usable = malloc (queues->nodes * sizeof *queues->usable);
    if (!queues->node || !queues->wakes || !queues->usable)
        return tori_error_nomem (err);
    for (uint32_t i = 0; i < queues->nodes; i++) {
        queues->wakes[i] = -1;
        if (tori_gang_node_create (queues->tree, i, "lowest", &queues->node[i],
                                   err)
            < 0)
            return -1;
    }
    return tell_node (queues,
                      (tori_gang_message){.kind = TORI_GANG_ACTIVATE,
                                          .from = TORI_GANG_HOST,
                                          .end = TORI_GANG_FOREVER},
                      err);
}

int queue_tree_create (const tori_machine *machine, queue_tree_fn *run,
                       void *arg, struct queue_tree **ret_tree,
                       tori_error *err)
{
    struct queue_tree *queues = calloc (1, sizeof *queues);
    if (!queues)
        return tori_error_nomem (err);
    queues->run = run;
    queues->arg = arg;
    if (tori_gang_tree_create (machine, 2, 1, &queues->tree, err) < 0
        || make_nodes (queues, err) < 0) {
        queue_tree_destroy (queues);
        return -1;
    }
    *ret_tree = queues;
    return 0;
}

void queue_tree_destroy (struct queue_tree *queues)
{
    if (!queues)
        return;
    for (uint32_t i = 0; queues->node && i < queues->nodes; i++)
        tori_gang_node_destroy (queues->node[i]);
    free (queues->node);
    free (queues->wakes);
    free (queues->usable);
    free (queues->mail);
    tori_gang_outbox_clear (&queues->out);
    tori_gang_tree_destroy (queues->tree);
    free (queues);
}

uint32_t queue_tree_partitions (const struct queue_tree *queues)
{
    return queues->nodes;
}

tori_box queue_tree_box (const struct queue_tree *queues, uint32_t partition)
{
    tori_gang_place place;
    tori_gang_tree_place (queues->tree, partition, &place);
    return place.box;
}

uint32_t queue_tree_height (const struct queue_tree *queues)
{
    return tori_gang_node_height (queues->node[0]);
}

/* Leaves are single nodes, and come after the nodes above them. */
void queue_tree_limit (struct queue_tree *queues, const bool usable[])
{
    const tori_machine *machine = tori_gang_tree_machine (queues->tree);
    tori_gang_place place;
    uint32_t id;
    for (uint32_t i = queues->nodes; i-- > 0;) {
        tori_gang_tree_place (queues->tree, i, &place);
        queues->usable[i] = 0;
        if (place.children == 0) {
            tori_box_nodes (machine, &place.box, &id);
            queues->usable[i] = usable[id];
        }
        for (uint32_t k = 0; k < place.children; k++) {
            uint32_t most = queues->usable[place.first + k];
            queues->usable[i] += most;
            tori_gang_node_limit (queues->node[i], k, most);
        }
    }
}

/* ---- processes ---- */

bool queue_tree_hold (const struct queue_tree *queues,
                      const tori_gang_need *need)
{
    return need->count > 0 && tori_gang_tree_holds (queues->tree, need);
}

int queue_tree_add (struct queue_tree *queues, uint64_t task,
                    const tori_gang_need *need, uint32_t *ret_partition,
                    tori_error *err)
{
    if (tell_node (queues,
                   (tori_gang_message){.kind = TORI_GANG_ADD_TASK,
                                       .from = TORI_GANG_HOST,
                                       .task = task,
                                       .need = *need},
                   err)
        < 0)
        return -1;
    *ret_partition = queues->placed;
    return 0;
}

static int tell_of (struct queue_tree *queues, tori_gang_kind kind,
                    uint64_t task, uint32_t partition, tori_error *err)
{
    return tell_node (queues,
                      (tori_gang_message){.kind = kind,
                                          .from = TORI_GANG_HOST,
                                          .to = partition,
                                          .task = task},
                      err);
}

int queue_tree_put (struct queue_tree *queues, uint64_t task,
                    uint32_t partition, tori_error *err)
{
    return tell_of (queues, TORI_GANG_RESUME, task, partition, err);
}

int queue_tree_leave (struct queue_tree *queues, uint64_t task,
                      uint32_t partition, tori_error *err)
{
    return tell_of (queues, TORI_GANG_DONE, task, partition, err);
}

/* The nodes above come first, so that those below know their slots. */
int queue_tree_next (struct queue_tree *queues, tori_error *err)
{
    queues->slot++;
    for (uint32_t i = 0; i < queues->nodes; i++)
        if (queues->wakes[i] == queues->slot
            && tell_node (queues,
                          (tori_gang_message){.kind = TORI_GANG_WAKE,
                                              .from = i,
                                              .to = i,
                                              .slot = queues->slot},
                          err)
                   < 0)
            return -1;
    return 0;
}

/* turns.c - the queue tree in one program.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "turns.h"

#include <stdlib.h>

#include "array.h"

struct turns {
    tori_gang_tree *tree;
    tori_gang_node **node;
    uint32_t nodes;
    turns_fn *run;
    void *arg;
    int64_t slot;
    tori_gang_outbox out;        /* of the node that was just told something */
    tori_gang_message *mail;     /* on its way, from `read` on */
    size_t read, sent, mail_room;
    int64_t *wakes;              /* by node: the slot that it waits for */
    uint32_t *usable;            /* by node: how many of the machine's are */
    uint32_t placed;             /* where the last process went */
};

/* ---- messages ---- */

static int post (struct turns *turns, const tori_gang_message *message,
                 tori_error *err)
{
    tori_gang_message *more = array_room (turns->mail, &turns->mail_room,
                                          turns->sent + 1, sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    turns->mail = more;
    turns->mail[turns->sent++] = *message;
    return 0;
}

/* What a node sends. */
static int dispatch (struct turns *turns, const tori_gang_message *message,
                     tori_error *err)
{
    switch (message->kind) {
    case TORI_GANG_WAKE:
        turns->wakes[message->to] = message->slot;
        return 0;
    case TORI_GANG_RUN:
        turns->run (turns->arg, message->task);
        return 0;
    case TORI_GANG_PLACED:
        turns->placed = message->from;
        return 0;
    default:
        return post (turns, message, err);
    }
}

static int handle (struct turns *turns, const tori_gang_message *message,
                   tori_error *err)
{
    turns->out.n = 0;
    if (tori_gang_node_handle (turns->node[message->to], turns->slot, message,
                               &turns->out, err)
        < 0)
        return -1;
    for (size_t i = 0; i < turns->out.n; i++)
        if (dispatch (turns, &turns->out.item[i], err) < 0)
            return -1;
    return 0;
}

/* Tell a node something, and everybody what follows from it. */
static int tell (struct turns *turns, tori_gang_message message,
                 tori_error *err)
{
    int status = handle (turns, &message, err);
    while (status == 0 && turns->read < turns->sent) {
        message = turns->mail[turns->read++];
        status = handle (turns, &message, err);
    }
    turns->read = turns->sent = 0;
    return status;
}

/* ---- the tree ---- */

static int make_nodes (struct turns *turns, tori_error *err)
{
    turns->nodes = tori_gang_tree_nodes (turns->tree);
    turns->node = calloc (turns->nodes, sizeof *turns->node);
    turns->wakes = malloc (turns->nodes * sizeof *turns->wakes);
    turns->usable = malloc (turns->nodes * sizeof *turns->usable);
    if (!turns->node || !turns->wakes || !turns->usable)
        return tori_error_nomem (err);
    for (uint32_t i = 0; i < turns->nodes; i++) {
        turns->wakes[i] = -1;
        if (tori_gang_node_create (turns->tree, i, "lowest", &turns->node[i],
                                   err)
            < 0)
            return -1;
    }
    return tell (turns,
                 (tori_gang_message){.kind = TORI_GANG_ACTIVATE,
                                     .from = TORI_GANG_HOST,
                                     .end = TORI_GANG_FOREVER},
                 err);
}

int turns_create (const tori_machine *machine, turns_fn *run, void *arg,
                  struct turns **ret_turns, tori_error *err)
{
    struct turns *turns = calloc (1, sizeof *turns);
    if (!turns)
        return tori_error_nomem (err);
    turns->run = run;
    turns->arg = arg;
    if (tori_gang_tree_create (machine, 2, 1, &turns->tree, err) < 0
        || make_nodes (turns, err) < 0) {
        turns_destroy (turns);
        return -1;
    }
    *ret_turns = turns;
    return 0;
}

void turns_destroy (struct turns *turns)
{
    if (!turns)
        return;
    for (uint32_t i = 0; turns->node && i < turns->nodes; i++)
        tori_gang_node_destroy (turns->node[i]);
    free (turns->node);
    free (turns->wakes);
    free (turns->usable);
    free (turns->mail);
    tori_gang_outbox_clear (&turns->out);
    tori_gang_tree_destroy (turns->tree);
    free (turns);
}

uint32_t turns_partitions (const struct turns *turns)
{
    return turns->nodes;
}

tori_box turns_box (const struct turns *turns, uint32_t partition)
{
    tori_gang_place place;
    tori_gang_tree_place (turns->tree, partition, &place);
    return place.box;
}

uint32_t turns_height (const struct turns *turns)
{
    return tori_gang_node_height (turns->node[0]);
}

/* Leaves are single nodes, and come after what is above them. */
void turns_limit (struct turns *turns, const bool usable[])
{
    const tori_machine *machine = tori_gang_tree_machine (turns->tree);
    tori_gang_place place;
    uint32_t id;
    for (uint32_t i = turns->nodes; i-- > 0;) {
        tori_gang_tree_place (turns->tree, i, &place);
        turns->usable[i] = 0;
        if (place.children == 0) {
            tori_box_nodes (machine, &place.box, &id);
            turns->usable[i] = usable[id];
        }
        for (uint32_t k = 0; k < place.children; k++) {
            uint32_t most = turns->usable[place.first + k];
            turns->usable[i] += most;
            tori_gang_node_limit (turns->node[i], k, most);
        }
    }
}

/* ---- processes ---- */

bool turns_hold (const struct turns *turns, const tori_gang_need *need)
{
    return need->count > 0 && tori_gang_tree_holds (turns->tree, need);
}

int turns_add (struct turns *turns, uint64_t task, const tori_gang_need *need,
               uint32_t *ret_partition, tori_error *err)
{
    if (tell (turns,
              (tori_gang_message){.kind = TORI_GANG_ADD_TASK,
                                  .from = TORI_GANG_HOST,
                                  .task = task,
                                  .need = *need},
              err)
        < 0)
        return -1;
    *ret_partition = turns->placed;
    return 0;
}

static int tell_of (struct turns *turns, tori_gang_kind kind, uint64_t task,
                    uint32_t partition, tori_error *err)
{
    return tell (turns,
                 (tori_gang_message){.kind = kind,
                                     .from = TORI_GANG_HOST,
                                     .to = partition,
                                     .task = task},
                 err);
}

int turns_put (struct turns *turns, uint64_t task, uint32_t partition,
               tori_error *err)
{
    return tell_of (turns, TORI_GANG_RESUME, task, partition, err);
}

int turns_leave (struct turns *turns, uint64_t task, uint32_t partition,
                 tori_error *err)
{
    return tell_of (turns, TORI_GANG_DONE, task, partition, err);
}

/* Those above come first, so that those below know what they have. */
int turns_next (struct turns *turns, tori_error *err)
{
    turns->slot++;
    for (uint32_t i = 0; i < turns->nodes; i++)
        if (turns->wakes[i] == turns->slot
            && tell (turns,
                     (tori_gang_message){.kind = TORI_GANG_WAKE,
                                         .from = i,
                                         .to = i,
                                         .slot = turns->slot},
                     err)
                   < 0)
            return -1;
    return 0;
}

#include "node.h"

#include <stdlib.h>

#include "array.h"
#include "branch.h"
#include "tree.h"

/* A message being handled. The outbox has room for all answers to it, so that
 * nothing fails once the node has begun to change. */
struct turn {
    tori_gang_node *node;
    int64_t slot;
    const tori_gang_message *message;
    tori_gang_outbox *out;
};

/* ---- outgoing messages ---- */

enum { OWN_MESSAGES = 8 }; /* besides two to each subnode */

static int reserve_outbox (const tori_gang_node *node, tori_gang_outbox *out,
                           tori_error *err)
{
    size_t need = out->n + 2 * (size_t)node->children + OWN_MESSAGES;
    tori_gang_message *more = array_room (out->item, &out->room, need,
                                          sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    out->item = more;
    return 0;
}

static tori_gang_message *send_message (const struct turn *t,
                                        tori_gang_kind kind, uint32_t to)
{
    tori_gang_message *message = &t->out->item[t->out->n++];
    *message = (tori_gang_message){
        .kind = kind, .from = t->node->id, .to = to};
    return message;
}

static void send_wake (const struct turn *t, int64_t slot)
{
    t->node->wake = slot;
    if (slot < t->node->end) /* otherwise the supernode decides */
        send_message (t, TORI_GANG_WAKE, t->node->id)->slot = slot;
}

/* ---- the branch ---- */

uint32_t node_depth (const tori_gang_node *node)
{
    uint32_t depth = 0;
    for (uint32_t i = 0; i < node->children; i++)
        if (node->child[i].height > depth)
            depth = node->child[i].height;
    return depth;
}

uint32_t tori_gang_node_height (const tori_gang_node *node)
{
    return (uint32_t)node->queue.n + node_depth (node);
}

uint64_t tori_gang_node_load (const tori_gang_node *node)
{
    uint64_t load = (uint64_t)node->queue.n * node->size;
    for (uint32_t i = 0; i < node->children; i++)
        load += child_load (&node->child[i]);
    return load;
}

static void report_load (const struct turn *t)
{
    tori_gang_node *node = t->node;
    uint64_t load = tori_gang_node_load (node);
    uint32_t height = tori_gang_node_height (node);
    tori_gang_message *message;
    if (node->parent == TORI_GANG_NONE
        || (load == node->told_load && height == node->told_height))
        return;
    message = send_message (t, TORI_GANG_LOAD, node->parent);
    message->load = node->told_load = load;
    message->height = node->told_height = height;
    message->accepted = node->accepted;
    node->said++;
    if (height == 0)
        node->given_back = node->said;
}

/* ---- the front ---- */

static void run_own (const struct turn *t)
{
    tori_gang_node *node = t->node;
    tori_gang_message *message;
    node->phase = GANG_OWN;
    node->task = runqueue_at (&node->queue, 0);
    node->running = t->slot;
    runqueue_turn (&node->queue, 1);
    node->turns--;
    message = send_message (t, TORI_GANG_RUN, TORI_GANG_HOST);
    message->task = node->task;
    message->slot = t->slot;
    send_wake (t, t->slot + 1);
}

static void activate_child (const struct turn *t, const struct child *child)
{
    tori_gang_message *message =
        send_message (t, TORI_GANG_ACTIVATE, child->id);
    message->end = t->node->below;
    message->seen = child->seen;
}

static bool go_below (const struct turn *t)
{
    tori_gang_node *node = t->node;
    uint32_t depth = node_depth (node);
    if (depth == 0)
        return false;
    node->phase = GANG_BELOW;
    node->below = t->slot + depth < node->end ? t->slot + depth : node->end;
    for (uint32_t i = 0; i < node->children; i++)
        if (node->child[i].height > 0)
            activate_child (t, &node->child[i]);
    send_wake (t, node->below);
    return true;
}

static void begin_pass (const struct turn *t)
{
    tori_gang_node *node = t->node;
    node->turns = node->queue.n;
    if (node->turns > 0)
        run_own (t);
    else if (!go_below (t))
        node->phase = node->parent == TORI_GANG_NONE ? GANG_IDLE : GANG_OFF;
}

/* Decide the next step. The subnodes, if they were at work, are not any
 * more. */
static void decide_next (const struct turn *t)
{
    tori_gang_node *node = t->node;
    if (t->slot >= node->end)
        node->phase = GANG_OFF;
    else if (node->phase == GANG_OWN && node->turns > 0)
        run_own (t);
    else if (node->phase != GANG_OWN || !go_below (t))
        begin_pass (t);
}

/* The branch has changed. */
static void branch_changed (const struct turn *t)
{
    tori_gang_node *node = t->node;
    uint32_t height = tori_gang_node_height (node);
    report_load (t);
    if (node->phase == GANG_IDLE && height > 0)
        begin_pass (t);
    else if (height == 0 && node->phase != GANG_IDLE)
        node->phase = node->parent == TORI_GANG_NONE && t->slot < node->end
                          ? GANG_IDLE
                          : GANG_OFF;
}

/* ---- incoming messages ---- */

static bool holds_need (const tori_gang_need *need, const struct child *child)
{
    return need->count <= child->most
           && need_fits (need, child->size, &child->shape);
}

/* The subnode for a new process, or `children` if none is large enough. */
static uint32_t choose_subnode (const tori_gang_node *node,
                                const tori_gang_need *need)
{
    uint32_t best = node->children;
    for (uint32_t i = 0; i < node->children; i++)
        if (holds_need (need, &node->child[i])
            && (best == node->children
                || node->policy->better (node, i, best)))
            best = i;
    return best;
}

static uint32_t shares_of (const struct turn *t)
{
    return t->message->shares ? t->message->shares : 1;
}

/* The load that the process adds, as far as that is known. */
static uint64_t asked_by (const struct turn *t)
{
    return (uint64_t)t->message->need.count * shares_of (t);
}

/* All or nothing. */
static int enqueue_task (const struct turn *t, tori_error *err)
{
    struct runqueue *queue = &t->node->queue;
    uint32_t shares = shares_of (t);
    if (runqueue_room (queue, shares, err) < 0)
        return -1;
    while (shares-- > 0)
        runqueue_add (queue, t->message->task);
    return 0;
}

static void forward_message (const struct turn *t, uint32_t i)
{
    tori_gang_node *node = t->node;
    tori_gang_message *message =
        send_message (t, TORI_GANG_ADD_TASK, node->child[i].id);
    message->task = t->message->task;
    message->need = t->message->need;
    message->shares = t->message->shares;
    node->child[i].sent += asked_by (t);
    node->after = (i + 1) % node->children;
}

static int on_add_task (const struct turn *t, tori_error *err)
{
    tori_gang_node *node = t->node;
    const tori_gang_need *need = &t->message->need;
    uint32_t i;
    if (need_check (need, err) < 0)
        return -1;
    i = choose_subnode (node, need);
    if (i < node->children) {
        forward_message (t, i);
    } else {
        if (!need_fits (need, node->size, &node->shape))
            return tori_error_set (err, TORI_NEVER,
                                   "larger than the machine");
        if (enqueue_task (t, err) < 0)
            return -1;
        send_message (t, TORI_GANG_PLACED, TORI_GANG_HOST)->task =
            t->message->task;
    }
    node->told_load += asked_by (t);
    node->accepted += asked_by (t);
    branch_changed (t);
    return 0;
}

static int on_resume (const struct turn *t, tori_error *err)
{
    struct runqueue *queue = &t->node->queue;
    if (runqueue_find (queue, t->message->task) < queue->n)
        return 0;
    if (enqueue_task (t, err) < 0)
        return -1;
    branch_changed (t);
    return 0;
}

/* The rest of the slot of a process that leaves goes to the next one. */
static int on_leave (const struct turn *t, tori_error *err)
{
    tori_gang_node *node = t->node;
    struct runqueue *queue = &node->queue;
    size_t turns = runqueue_find (queue, t->message->task);
    bool ran = node->phase == GANG_OWN && node->running == t->slot
               && node->task == t->message->task;
    (void)err;
    if (turns == queue->n)
        return 0;
    for (; turns < queue->n;
         turns = runqueue_find (queue, t->message->task)) {
        runqueue_remove (queue, turns);
        if (turns < node->turns)
            node->turns--;
    }
    branch_changed (t);
    if (ran && node->phase == GANG_OWN)
        decide_next (t);
    return 0;
}

static struct child *find_child (tori_gang_node *node, uint32_t id)
{
    uint32_t i = node->children ? id - node->child[0].id : 0;
    return i < node->children ? &node->child[i] : NULL;
}

/* While the subnodes are at work, one that has something to do again gets the
 * rest of the slots; when none has, the pass is over. */
static int on_load (const struct turn *t, tori_error *err)
{
    tori_gang_node *node = t->node;
    const tori_gang_message *message = t->message;
    struct child *child = find_child (node, message->from);
    bool below = node->phase == GANG_BELOW && t->slot < node->below, was_empty;
    if (!child)
        return tori_error_set (err, TORI_INVALID,
                               "a load from node %u, which is not a subnode "
                               "of %u",
                               message->from, node->id);
    was_empty = child->height == 0;
    child->load = message->load;
    child->height = message->height;
    child->accepted = message->accepted;
    child->seen++;
    if (below && was_empty && child->height > 0)
        activate_child (t, child);
    branch_changed (t);
    if (below && node->phase == GANG_BELOW && node_depth (node) == 0)
        begin_pass (t);
    return 0;
}

static int on_activate (const struct turn *t, tori_error *err)
{
    tori_gang_node *node = t->node;
    bool over = node->phase == GANG_OFF || t->slot >= node->end;
    (void)err;
    if (t->message->seen < node->given_back)
        return 0;
    node->end = t->message->end;
    if (over && t->slot < node->end)
        begin_pass (t);
    return 0;
}

static int on_wake (const struct turn *t, tori_error *err)
{
    tori_gang_node *node = t->node;
    (void)err;
    if (t->message->slot == node->wake
        && (node->phase == GANG_OWN || node->phase == GANG_BELOW))
        decide_next (t);
    return 0;
}

static const struct {
    const char *name;
    int (*handle) (const struct turn *t, tori_error *err);
} kinds[] = {
    [TORI_GANG_ADD_TASK] = {"add_task", on_add_task},
    [TORI_GANG_LOAD] = {"load", on_load},
    [TORI_GANG_ACTIVATE] = {"activate", on_activate},
    [TORI_GANG_DONE] = {"done", on_leave},
    [TORI_GANG_SUSPEND] = {"suspend", on_leave},
    [TORI_GANG_RESUME] = {"resume", on_resume},
    [TORI_GANG_WAKE] = {"wake", on_wake},
    [TORI_GANG_PLACED] = {"placed", NULL},
    [TORI_GANG_RUN] = {"run", NULL},
};

enum { NKINDS = sizeof kinds / sizeof kinds[0] };

const char *tori_gang_kind_name (tori_gang_kind kind)
{
    return (unsigned)kind < NKINDS ? kinds[kind].name : NULL;
}

int tori_gang_node_handle (tori_gang_node *node, int64_t slot,
                           const tori_gang_message *message,
                           tori_gang_outbox *out, tori_error *err)
{
    struct turn t = {node, slot, message, out};
    if (message->to != node->id || (unsigned)message->kind >= NKINDS
        || !kinds[message->kind].handle)
        return tori_error_set (err, TORI_INVALID,
                               "a message of kind %u to node %u, which is not "
                               "for node %u",
                               (unsigned)message->kind, message->to, node->id);
    if (message->shares > TORI_GANG_MAX_SHARES)
        return tori_error_set (err, TORI_INVALID,
                               "a process of more than %d shares",
                               TORI_GANG_MAX_SHARES);
    if (reserve_outbox (node, out, err) < 0)
        return -1;
    return kinds[message->kind].handle (&t, err);
}

void tori_gang_outbox_clear (tori_gang_outbox *out)
{
    if (!out)
        return;
    free (out->item);
    *out = (tori_gang_outbox){0};
}

/* ---- a node itself ---- */

int tori_gang_node_create (const tori_gang_tree *tree, uint32_t id,
                           const char *policy, tori_gang_node **ret_node,
                           tori_error *err)
{
    const struct gang_policy *found = policy_find (policy, err);
    tori_gang_place place;
    tori_gang_node *node;
    if (!found)
        return -1;
    if (id >= tree->n)
        return tori_error_set (err, TORI_INVALID,
                               "node %u of a tree of %u nodes", id, tree->n);
    tori_gang_tree_place (tree, id, &place);
    node = calloc (1, sizeof *node + place.children * sizeof *node->child);
    if (!node)
        return tori_error_nomem (err);
    node->id = id;
    node->parent = place.parent;
    node->size = place.size;
    node->shape = place.box.shape;
    node->policy = found;
    node->running = -1;
    node->children = place.children;
    for (uint32_t i = 0; i < node->children; i++) {
        tori_gang_place below;
        tori_gang_tree_place (tree, place.first + i, &below);
        node->child[i].id = place.first + i;
        node->child[i].size = node->child[i].most = below.size;
        node->child[i].shape = below.box.shape;
    }
    *ret_node = node;
    return 0;
}

void tori_gang_node_destroy (tori_gang_node *node)
{
    if (!node)
        return;
    free (node->queue.task);
    free (node);
}

void tori_gang_node_limit (tori_gang_node *node, uint32_t i, uint32_t most)
{
    if (i < node->children)
        node->child[i].most = most;
}

size_t tori_gang_node_length (const tori_gang_node *node)
{
    return node->queue.n;
}

uint64_t tori_gang_node_task (const tori_gang_node *node, size_t i)
{
    return i < node->queue.n ? runqueue_at (&node->queue, i) : 0;
}

/* world.c - nodes in one program.
 *
 * Messages wait in a heap until they arrive. The host is simulated here, too:
 * a process has a number of ticks to run, a turn takes some off, and when none
 * are left the node gets a done message as it would from a real one. */
#include "world.h"

#include <stdlib.h>

#include "array.h"
#include "tree.h"
#include "sized.h"

/* ---- accounts ---- */

static struct tally *tally_of (tori_gang_world *world, uint32_t node)
{
    struct tally *tally = &world->tally[node];
    if (tally->pass != world->pass.number) {
        tally->pass = world->pass.number;
        tally->pass_messages = tally->pass_turns = 0;
        tally->pass_useful = 0;
    }
    return tally;
}

static void count_message (tori_gang_world *world, uint32_t node)
{
    struct tally *tally = tally_of (world, node);
    tally->messages++;
    tally->pass_messages++;
}

/* ---- processes ---- */

static void first_turn (tori_gang_world *world, uint32_t number)
{
    world->task[number].ran = true;
    if (world->config.on_start)
        world->config.on_start (world->config.arg, number, world->now);
}

static int take_turn (tori_gang_world *world, uint32_t node, uint32_t number,
                      int64_t slot, tori_error *err)
{
    struct task *task = &world->task[number];
    struct tally *tally = tally_of (world, node);
    int64_t slot_end = (slot + 1) * world->config.slot;
    bool switched = task->until != world->now || !task->ran;
    tori_gang_turn turn = {node, number, slot, world->now, slot_end};
    task_settle (task, world->now);
    if (switched)
        turn.begin += world_switch (world, node);
    if (turn.begin > slot_end)
        turn.begin = slot_end;
    if (task->left < slot_end - turn.begin)
        turn.end = turn.begin + task->left;
    if (!task->ran)
        first_turn (world, number);
    task->from = turn.begin;
    task->until = turn.end;
    tally->pass_turns++;
    tally->pass_useful += turn.end - turn.begin;
    world->turns++;
    world->switches += switched;
    world->pass.turns++;
    world->pass.switches += switched;
    if (world->config.on_turn)
        world->config.on_turn (world->config.arg, &turn);
    if (task->left == turn.end - turn.begin)
        return agenda_finish (&world->agenda, turn.end, number, err);
    return 0;
}

/* ---- messages ---- */

static int deliver_message (tori_gang_world *world,
                            const tori_gang_message *message, tori_error *err);

static int wait_for (tori_gang_world *world, uint32_t node, int64_t slot,
                     tori_error *err)
{
    return agenda_slot (&world->agenda, slot * world->config.slot, node, err);
}

/* Send a message of a node. */
static int dispatch_message (tori_gang_world *world,
                             const tori_gang_message *message, tori_error *err)
{
    const tori_gang_config *config = &world->config;
    if (message->kind == TORI_GANG_WAKE)
        return wait_for (world, message->to, message->slot, err);
    if (message->kind == TORI_GANG_RUN)
        return take_turn (world, message->from, (uint32_t)message->task,
                          message->slot, err);
    if (message->kind == TORI_GANG_PLACED) {
        world->task[message->task].node = message->from;
        if (config->on_place)
            config->on_place (config->arg, (uint32_t)message->task,
                              message->from, world->now);
        return 0;
    }
    count_message (world, message->from);
    return agenda_message (&world->agenda, world->now + config->hop, message,
                           err);
}

static int need_node (tori_gang_world *world, uint32_t node, tori_error *err)
{
    return world->node[node]
               ? 0
               : tori_gang_node_create (world->tree, node,
                                        world->config.policy,
                                        &world->node[node], err);
}

static int deliver_message (tori_gang_world *world,
                            const tori_gang_message *message, tori_error *err)
{
    uint32_t to = message->to;
    if (need_node (world, to, err) < 0)
        return -1;
    if (message->kind != TORI_GANG_WAKE)
        count_message (world, to);
    if (message->kind != TORI_GANG_WAKE && message->kind != TORI_GANG_ACTIVATE)
        world->pass.changed = true;
    if (tori_gang_node_handle (world->node[to], world->slot, message,
                               &world->out, err)
        < 0)
        return -1;
    for (size_t i = 0; i < world->out.n; i++)
        if (dispatch_message (world, &world->out.item[i], err) < 0)
            return -1;
    world->out.n = 0;
    return 0;
}

/* ---- events ---- */

/* The turn may have been cut short after this event was planned. */
static int on_finish (tori_gang_world *world, uint32_t number, tori_error *err)
{
    struct task *task = &world->task[number];
    tori_gang_message message = {.kind = TORI_GANG_DONE,
                                 .from = TORI_GANG_HOST,
                                 .to = task->node,
                                 .task = number};
    if (task->ended || task->until != world->now
        || task->left != task->until - task->from)
        return 0;
    task_settle (task, world->now);
    task->ended = true;
    if (world->config.on_finish)
        world->config.on_finish (world->config.arg, number, world->now);
    return deliver_message (world, &message, err);
}

static int on_outside (tori_gang_world *world, tori_gang_message *message,
                       tori_error *err)
{
    if (message->kind == TORI_GANG_SUSPEND
        || message->kind == TORI_GANG_RESUME) {
        struct task *task = &world->task[message->task];
        if (task->node == TORI_GANG_NONE || task->ended)
            return 0;
        message->to = task->node;
        task_settle (task, world->now);
    }
    return deliver_message (world, message, err);
}

/* A slot begins for a node. If the root begins a pass, time may leap. */
static int on_slot (tori_gang_world *world, uint32_t to, int64_t until,
                    tori_error *err)
{
    tori_gang_node *node = world->node[to];
    tori_gang_message message = {.kind = TORI_GANG_WAKE,
                                 .from = to,
                                 .to = to,
                                 .slot = world->slot};
    if (to == 0 && message.slot == node->wake && node_at_top (node)) {
        int64_t leap = world_new_pass (world, until);
        if (leap > 0) {
            node->wake += leap;
            return wait_for (world, to, node->wake, err);
        }
    }
    return deliver_message (world, &message, err);
}

static int on_item (tori_gang_world *world, struct agenda_item *item,
                    int64_t until, tori_error *err)
{
    if (world->now != item->time)
        world->slot = item->time / world->config.slot;
    world->now = item->time;
    switch (item->what) {
    case FINISH:
        return on_finish (world, item->number, err);
    case OUTSIDE:
        return on_outside (world, &item->message, err);
    case SLOT:
        return on_slot (world, item->number, until, err);
    default:
        return deliver_message (world, &item->message, err);
    }
}

static int start_root (tori_gang_world *world, tori_error *err)
{
    tori_gang_message message = {.kind = TORI_GANG_ACTIVATE,
                                 .from = TORI_GANG_HOST,
                                 .end = TORI_GANG_FOREVER};
    world->started = true;
    return agenda_outside (&world->agenda, world->now, &message, err);
}

int tori_gang_world_run (tori_gang_world *world, int64_t until,
                         tori_error *err)
{
    struct agenda_item item = {.time = world->now};
    if (until > MAX_TIME)
        until = MAX_TIME;
    if (!world->started && start_root (world, err) < 0)
        return -1;
    while (agenda_next (&world->agenda, until, &item))
        if (on_item (world, &item, until, err) < 0)
            return -1;
    return 0;
}

/* ---- a world itself ---- */

/* The highest cost of any switch; -1 if one is negative or longer than all
 * slots. */
static int64_t dearest_switch (const tori_gang_config *config)
{
    int64_t most = 0;
    if (config->switch_cost < 0)
        return -1;
    for (uint32_t i = 0;
         config->switch_more && i < tori_gang_tree_nodes (config->tree); i++) {
        if (config->switch_more[i] < 0 || config->switch_more[i] > MAX_TIME)
            return -1;
        if (config->switch_more[i] > most)
            most = config->switch_more[i];
    }
    return config->switch_cost < MAX_TIME ? config->switch_cost + most : -1;
}

/* A process at the bottom may have one slot in a pass, and is informed a hop
 * per level late: some of the slot must be left. */
static int check_config (const tori_gang_config *config, tori_error *err)
{
    int64_t hops = tori_gang_tree_levels (config->tree) - 1;
    int64_t cost = dearest_switch (config);
    if (config->slot < 1 || config->slot > MAX_TIME)
        return tori_error_set (err, TORI_INVALID,
                               "a slot is at least one tick long");
    if (cost < 0 || config->hop < 0 || cost >= config->slot
        || (hops > 0 && config->hop > (config->slot - cost - 1) / hops))
        return tori_error_set (err, TORI_INVALID,
                               "a switch of %lld ticks and %lld hops of %lld "
                               "down the tree do not fit a slot of %lld",
                               (long long)cost, (long long)hops,
                               (long long)config->hop,
                               (long long)config->slot);
    return 0;
}

int tori_gang_world_create (const tori_gang_config *config,
                            tori_gang_world **ret_world, tori_error *err)
{
    tori_gang_config own;
    tori_gang_world *world;
    if (SIZED_COPY (tori_gang_config, &own, config, err) < 0
        || check_config (&own, err) < 0)
        return -1;
    world = calloc (1, sizeof *world);
    if (!world)
        return tori_error_nomem (err);
    world->config = own;
    if (!own.policy)
        world->config.policy = tori_gang_policy_list (0)->name;
    world->tree = own.tree;
    world->nodes = tori_gang_tree_nodes (own.tree);
    world->node = calloc (world->nodes, sizeof *world->node);
    world->tally = calloc (world->nodes, sizeof *world->tally);
    if (!world->node || !world->tally) {
        tori_error_nomem (err);
        goto fail;
    }
    if (need_node (world, 0, err) < 0)
        goto fail;
    *ret_world = world;
    return 0;
fail:
    tori_gang_world_destroy (world);
    return -1;
}

void tori_gang_world_destroy (tori_gang_world *world)
{
    if (!world)
        return;
    for (uint32_t i = 0; world->node && i < world->nodes; i++)
        tori_gang_node_destroy (world->node[i]);
    free (world->node);
    free (world->tally);
    free (world->task);
    agenda_clear (&world->agenda);
    tori_gang_outbox_clear (&world->out);
    free (world);
}

/* ---- events from outside ---- */

/* Prepare process number world->tasks. */
static int new_task (tori_gang_world *world, int64_t runtime, tori_error *err)
{
    struct task *more = array_room (world->task, &world->task_room,
                                    world->tasks + 1, sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    world->task = more;
    if (runtime < 0 || (runtime > MAX_TIME && runtime != TORI_GANG_FOREVER))
        return tori_error_set (err, TORI_INVALID,
                               "a process runs for no negative time");
    world->task[world->tasks]
        = (struct task){.node = TORI_GANG_NONE, .left = runtime};
    return 0;
}

static int from_outside (tori_gang_world *world, int64_t time,
                         const tori_gang_message *message, tori_error *err)
{
    if (time < world->now || time > MAX_TIME)
        return tori_error_set (err, TORI_INVALID,
                               "a time in the past, or too far in the future");
    return agenda_outside (&world->agenda, time, message, err);
}

int tori_gang_world_add (tori_gang_world *world, int64_t time,
                         const tori_gang_need *need, int64_t runtime,
                         uint32_t *ret_task, tori_error *err)
{
    tori_gang_message message = {.kind = TORI_GANG_ADD_TASK,
                                 .from = TORI_GANG_HOST,
                                 .task = world->tasks,
                                 .need = *need};
    if (need_check (need, err) < 0)
        return -1;
    if (!tori_gang_tree_holds (world->tree, need))
        return tori_error_set (err, TORI_NEVER, "larger than the machine");
    if (new_task (world, runtime, err) < 0
        || from_outside (world, time, &message, err) < 0)
        return -1;
    *ret_task = (uint32_t)world->tasks++;
    return 0;
}

int tori_gang_world_put (tori_gang_world *world, uint32_t node,
                         int64_t runtime, uint32_t *ret_task, tori_error *err)
{
    tori_gang_message message = {.kind = TORI_GANG_RESUME,
                                 .from = TORI_GANG_HOST,
                                 .to = node,
                                 .task = world->tasks};
    if (node >= world->nodes)
        return tori_error_set (err, TORI_INVALID,
                               "node %u of a tree of %u nodes", node,
                               world->nodes);
    if (new_task (world, runtime, err) < 0)
        return -1;
    world->task[world->tasks].node = node;
    if (deliver_message (world, &message, err) < 0)
        return -1;
    *ret_task = (uint32_t)world->tasks++;
    return 0;
}

static int sleep_or_wake (tori_gang_world *world, int64_t time, uint32_t task,
                          tori_gang_kind kind, tori_error *err)
{
    tori_gang_message message
        = {.kind = kind, .from = TORI_GANG_HOST, .task = task};
    if (task >= world->tasks)
        return tori_error_set (err, TORI_INVALID, "there is no process %u",
                               task);
    return from_outside (world, time, &message, err);
}

int tori_gang_world_suspend (tori_gang_world *world, int64_t time,
                             uint32_t task, tori_error *err)
{
    return sleep_or_wake (world, time, task, TORI_GANG_SUSPEND, err);
}

int tori_gang_world_resume (tori_gang_world *world, int64_t time,
                            uint32_t task, tori_error *err)
{
    return sleep_or_wake (world, time, task, TORI_GANG_RESUME, err);
}

int64_t tori_gang_world_left (const tori_gang_world *world, uint32_t task,
                              int64_t time)
{
    struct task at;
    if (task >= world->tasks)
        return 0;
    at = world->task[task];
    task_settle (&at, time);
    return at.left;
}

uint64_t tori_gang_world_messages (const tori_gang_world *world, uint32_t node)
{
    return node < world->nodes ? world->tally[node].messages : 0;
}

uint64_t tori_gang_world_turns (const tori_gang_world *world)
{
    return world->turns;
}

uint64_t tori_gang_world_switches (const tori_gang_world *world)
{
    return world->switches;
}

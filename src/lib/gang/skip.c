/* skip.c - passes in which nothing happens.
 *
 * While no process comes, goes or sleeps, every pass of the root is the same
 * except for the order of turns: each queue has as many turns in it as it had
 * in the last one. A trace of a year is millions of slots with some thousand
 * events between, so whole passes are taken at once: as many as end before an
 * event from outside and in which no process ends.
 *
 * Whether a process runs on without a switch, from the last slot of a pass
 * into the next, is the same as in the last pass if that one and the one
 * before it were alike. So two passes without changes must have been
 * simulated. */
#include "world.h"

/* Ticks of a process times the length of a queue. */
__extension__ typedef __int128 wide;

/* The number of passes before one of the processes of a queue ends. A process
 * that is alone may keep its partition from slot to slot; of several none ever
 * does. */
static int64_t passes_of_queue (const tori_gang_world *world,
                                const tori_gang_node *node,
                                const struct tally *tally)
{
    const struct runqueue *queue = &node->queue;
    int64_t useful = world->config.slot - world_switch (world, node->id);
    wide least = INT64_MAX;
    for (size_t i = 0; i < queue->n; i++) {
        int64_t left = world->task[runqueue_at (queue, i)].left;
        wide passes;
        if (left == TORI_GANG_FOREVER)
            continue;
        if (queue->n == 1)
            passes = (left - 1) / tally->pass_useful;
        else
            passes = ((wide)((left - 1) / useful) * queue->n + i)
                     / tally->pass_turns;
        if (passes < least)
            least = passes;
    }
    return (int64_t)least;
}

static void settle_queue (tori_gang_world *world, const tori_gang_node *node)
{
    for (size_t i = 0; i < node->queue.n; i++)
        task_settle (&world->task[node->queue.task[i]], world->now);
}

/* The number of passes in which nothing happens. */
static int64_t quiet_passes (tori_gang_world *world, int64_t slots,
                             int64_t until)
{
    int64_t next = agenda_next_outside (&world->agenda), passes;
    if (until < next)
        next = until;
    passes = (next - world->now) / (slots * world->config.slot);
    for (uint32_t i = 0; i < world->nodes && passes > 0; i++) {
        const tori_gang_node *node = world->node[i];
        const struct tally *tally = &world->tally[i];
        int64_t most;
        if (!node || node->queue.n == 0)
            continue;
        if (tally->pass != world->pass.number || tally->pass_useful == 0)
            return 0;
        settle_queue (world, node);
        most = passes_of_queue (world, node, tally);
        if (most < passes)
            passes = most;
    }
    return passes;
}

static void give_ticks (struct task *task, int64_t ticks, int64_t later)
{
    if (task->left != TORI_GANG_FOREVER)
        task->left -= ticks;
    task->from += later;
    task->until += later;
}

/* The process that had the last turn keeps its partition if it happens to be
 * alone after the leap: the time of its end goes to the process that has the
 * partition then. */
static void hand_over (tori_gang_world *world, const struct runqueue *queue,
                       uint64_t turns)
{
    size_t n = queue->n, last = (size_t)((turns + n - 1) % n);
    struct task *then = &world->task[runqueue_at (queue, last)];
    struct task *now = &world->task[runqueue_at (queue, n - 1)];
    int64_t until = then->until;
    then->from = then->until = now->until;
    now->from = now->until = until;
}

static void leap_queue (tori_gang_world *world, tori_gang_node *node,
                        const struct tally *tally, int64_t passes,
                        int64_t later)
{
    struct runqueue *queue = &node->queue;
    int64_t useful = world->config.slot - world_switch (world, node->id);
    uint64_t turns = (uint64_t)passes * tally->pass_turns;
    hand_over (world, queue, turns);
    for (size_t i = 0; i < queue->n; i++) {
        struct task *task = &world->task[runqueue_at (queue, i)];
        if (queue->n == 1)
            give_ticks (task, passes * tally->pass_useful, later);
        else
            give_ticks (task,
                        (int64_t)(turns / queue->n + (i < turns % queue->n))
                            * useful,
                        later);
    }
    runqueue_turn (queue, turns);
}

static void leap_passes (tori_gang_world *world, int64_t passes, int64_t later)
{
    for (uint32_t i = 0; i < world->nodes; i++) {
        struct tally *tally = &world->tally[i];
        if (tally->pass != world->pass.number)
            continue;
        tally->messages += (uint64_t)passes * tally->pass_messages;
        if (world->node[i]->queue.n > 0)
            leap_queue (world, world->node[i], tally, passes, later);
    }
    world->turns += (uint64_t)passes * world->pass.turns;
    world->switches += (uint64_t)passes * world->pass.switches;
    world->pass.begin += later;
}

int64_t world_new_pass (tori_gang_world *world, int64_t until)
{
    struct pass *pass = &world->pass;
    int64_t slots = (world->now - pass->begin) / world->config.slot;
    int64_t passes = 0;
    if (!pass->changed && pass->unchanged > 0 && slots > 0
        && world->config.hop == 0 && !world->config.on_turn)
        passes = quiet_passes (world, slots, until);
    if (passes > 0) {
        leap_passes (world, passes, passes * slots * world->config.slot);
        return passes * slots;
    }
    *pass = (struct pass){.number = pass->number + 1,
                          .begin = world->now,
                          .unchanged
                          = pass->changed ? 0 : pass->unchanged + 1};
    return 0;
}

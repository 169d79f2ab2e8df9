#include "rank_parts.h"

#include <signal.h>
#include <string.h>

#include "rankshare.h"

/* An earlier stage whose reader has gone did nothing wrong. */
static int status_that_counts (const struct task *task,
                               const struct wire *wire)
{
    uint32_t in_stage;
    size_t stage = spec_stage_of (task->spec, wire->index, &in_stage);
    bool harmless =
        wire->status == 128 + SIGPIPE && stage + 1 < task->spec->stages;
    return harmless ? 0 : (int)wire->status;
}

void task_relay_end (struct rank *rank, struct task *task)
{
    struct wire wire = {
        .kind = WIRE_END, .task = task->id, .relay = task->node};
    shares_order (rank, &wire, NULL);
}

void task_launch (struct rank *rank, struct task *task)
{
    struct wire wire = {.kind = WIRE_LAUNCH,
                        .task = task->id,
                        .node = task->node,
                        .relay = task->node,
                        .status = task->mpi,
                        .stream = task->port};
    struct bytes bytes = {0};
    spec_pack (task->spec, &bytes, &rank->err);
    wire.bytes = (uint32_t)bytes.n;
    shares_order (rank, &wire, bytes.data);
    bytes_clear (&bytes);
}

static void end_task (struct rank *rank, struct task *task)
{
    if (task->ending)
        return;
    task->ending = true;
    task_changed (rank, task);
    task_relay_end (rank, task);
}

/* Send to the job's node, which is hosted here. */
void task_tell_node (struct rank *rank, const struct task *task,
                     tori_gang_kind kind)
{
    struct wire wire = {.kind = WIRE_TREE};
    wire.tree = (tori_gang_message){.kind = kind,
                                    .from = TORI_GANG_HOST,
                                    .to = task->node,
                                    .task = task->id,
                                    .shares = (uint32_t)task->spec->shares};
    rank_send (rank, rank->self, &wire, NULL);
}

/* When all of its processes rest, the job leaves the queue; when one does not,
 * the job comes back. The order follows the message to the node. So the node's
 * previous turn comes before the order, and its next turn after it. */
static void sleep_or_wake (struct rank *rank, struct task *task)
{
    bool asleep = task->resting == task->left && !task->ending;
    struct wire order = {.kind = asleep ? WIRE_SLEEP : WIRE_AWAKE,
                         .task = task->id,
                         .relay = task->node};
    struct wire news = {.kind = WIRE_ASLEEP, .task = task->id};
    if (task->asleep == asleep)
        return;
    task->asleep = asleep;
    task_changed (rank, task);
    task_tell_node (rank, task, asleep ? TORI_GANG_SUSPEND : TORI_GANG_RESUME);
    rank_send (rank, rank->self, &order, NULL);
    if (asleep && *rank->config->report)
        rank_send (rank, 0, &news, NULL);
}

void owner_rest (struct rank *rank, const struct wire *wire, const char *data)
{
    struct task *task = task_find (rank, wire->task);
    if (!task || !task->owned || task->left == 0)
        return;
    if (wire->status)
        task->resting++;
    else if (task->resting > 0)
        task->resting--;
    sleep_or_wake (rank, task);
}

static void task_done (struct rank *rank, struct task *task)
{
    struct wire ended = {.kind = WIRE_ENDED,
                         .task = task->id,
                         .status = task->status,
                         .time = {task->first_turn, task->turns, task->used}};
    struct wire forget = {
        .kind = WIRE_FORGET, .task = task->id, .relay = task->node};
    task_tell_node (rank, task, TORI_GANG_DONE);
    rank_send (rank, 0, &ended, NULL);
    rank_send (rank, rank->self, &forget, NULL);
}

/* The first failure ends the job. Processes that rested in an earlier era are
 * not counted any more. */
void owner_exit (struct rank *rank, const struct wire *wire, const char *data)
{
    struct task *task = task_find (rank, wire->task);
    int status;
    if (!task || !task->owned || task->left == 0)
        return;
    task->used += wire->time[0];
    if (wire->stream && wire->era == rank->era && task->resting > 0)
        task->resting--;
    status = status_that_counts (task, wire);
    if (status != 0 && !task->ending) {
        task->status = status;
        if (task->left > 1)
            end_task (rank, task);
    }
    if (--task->left == 0)
        task_done (rank, task);
    else
        sleep_or_wake (rank, task);
}

void owner_cancel (struct rank *rank, const struct wire *wire,
                   const char *data)
{
    struct task *task = task_find (rank, wire->task);
    if (!task || !task->owned || task->ending)
        return;
    task->status = 128 + SIGKILL;
    end_task (rank, task);
}

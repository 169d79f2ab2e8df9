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

int task_relay_end (struct rank *rank, struct task *task, tori_error *err)
{
    struct wire wire = {
        .kind = WIRE_END, .task = task->id, .relay = task->node};
    return shares_order (rank, &wire, NULL, err);
}

int task_launch (struct rank *rank, struct task *task, tori_error *err)
{
    struct wire wire = {.kind = WIRE_LAUNCH,
                        .task = task->id,
                        .node = task->node,
                        .relay = task->node,
                        .status = task->mpi,
                        .stream = task->meet.port};
    struct bytes bytes = {0};
    int status = spec_pack (task->spec, &bytes, err);
    wire.bytes = (uint32_t)bytes.n;
    memcpy (wire.time, task->meet.key, sizeof task->meet.key);
    if (status == 0)
        status = shares_order (rank, &wire, bytes.data, err);
    bytes_clear (&bytes);
    return status;
}

static int end_task (struct rank *rank, struct task *task, tori_error *err)
{
    if (task->ending)
        return 0;
    task->ending = true;
    task_changed (rank, task);
    return task_relay_end (rank, task, err);
}

/* To the node of the job, which is here. */
int task_tell_node (struct rank *rank, const struct task *task,
                    tori_gang_kind kind, tori_error *err)
{
    struct wire wire = {.kind = WIRE_TREE};
    wire.tree = (tori_gang_message){.kind = kind,
                                    .from = TORI_GANG_HOST,
                                    .to = task->node,
                                    .task = task->id,
                                    .shares = (uint32_t)task->spec->shares};
    return rank_send (rank, rank->self, &wire, NULL, err);
}

/* All of its processes rest: the job leaves the queue. One does not: it comes
 * back. The order follows the message to the node, so that the turn that the
 * node gave before comes before it, too, and the next one behind it. */
static int sleep_or_wake (struct rank *rank, struct task *task,
                          tori_error *err)
{
    bool asleep = task->resting == task->left && !task->ending;
    struct wire order = {.kind = asleep ? WIRE_SLEEP : WIRE_AWAKE,
                         .task = task->id,
                         .relay = task->node};
    struct wire news = {.kind = WIRE_ASLEEP, .task = task->id};
    if (task->asleep == asleep)
        return 0;
    task->asleep = asleep;
    task_changed (rank, task);
    if (task_tell_node (rank, task,
                        asleep ? TORI_GANG_SUSPEND : TORI_GANG_RESUME, err)
            < 0
        || rank_send (rank, rank->self, &order, NULL, err) < 0)
        return -1;
    return asleep && *rank->config->report
               ? rank_send (rank, 0, &news, NULL, err)
               : 0;
}

int owner_rest (struct rank *rank, const struct wire *wire, const char *data,
                tori_error *err)
{
    struct task *task = task_find (rank, wire->task);
    if (!task || !task->owned || task->left == 0)
        return 0;
    if (wire->status)
        task->resting++;
    else if (task->resting > 0)
        task->resting--;
    return sleep_or_wake (rank, task, err);
}

static int task_done (struct rank *rank, struct task *task, tori_error *err)
{
    struct wire ended = {.kind = WIRE_ENDED,
                         .task = task->id,
                         .status = task->status,
                         .time = {task->first_turn, task->turns, task->used}};
    struct wire forget = {
        .kind = WIRE_FORGET, .task = task->id, .relay = task->node};
    if (task_tell_node (rank, task, TORI_GANG_DONE, err) < 0
        || rank_send (rank, 0, &ended, NULL, err) < 0)
        return -1;
    return rank_send (rank, rank->self, &forget, NULL, err);
}

/* The first failure ends the job. Who rested in an earlier era is not counted
 * any more. */
int owner_exit (struct rank *rank, const struct wire *wire, const char *data,
                tori_error *err)
{
    struct task *task = task_find (rank, wire->task);
    int status;
    if (!task || !task->owned || task->left == 0)
        return 0;
    task->used += wire->time[0];
    if (wire->stream && wire->era == rank->era && task->resting > 0)
        task->resting--;
    status = status_that_counts (task, wire);
    if (status != 0 && !task->ending) {
        task->status = status;
        if (task->left > 1 && end_task (rank, task, err) < 0)
            return -1;
    }
    return --task->left == 0 ? task_done (rank, task, err)
                             : sleep_or_wake (rank, task, err);
}

int owner_cancel (struct rank *rank, const struct wire *wire, const char *data,
                  tori_error *err)
{
    struct task *task = task_find (rank, wire->task);
    if (!task || !task->owned || task->ending)
        return 0;
    task->status = 128 + SIGKILL;
    return end_task (rank, task, err);
}

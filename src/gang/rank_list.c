#include "rank_parts.h"

#include <stdlib.h>
#include <unistd.h>

#include "array.h"
#include "shareproc.h"

struct task *task_find (const struct rank *rank, uint64_t id)
{
    for (size_t i = 0; i < rank->tasks; i++)
        if (rank->task[i]->id == id)
            return rank->task[i];
    return NULL;
}

struct task *task_add (struct rank *rank, uint64_t id, const void *spec,
                       size_t n)
{
    struct task *task = calloc (1, sizeof *task);
    struct task **more = array_room (rank->task, &rank->task_room,
                                     rank->tasks + 1, sizeof *more);
    if (more)
        rank->task = more;
    if (!task || !more) {
        free (task);
        tori_error_nomem (&rank->err);
        return NULL;
    }
    *task = (struct task){.id = id, .node = TORI_GANG_NONE, .door = -1};
    if (spec_unpack (spec, n, &task->spec, &rank->err) < 0) {
        free (task);
        return NULL;
    }
    return more[rank->tasks++] = task;
}

void task_remove (struct rank *rank, struct task *task)
{
    for (size_t i = 0; i < rank->tasks; i++)
        if (rank->task[i] == task) {
            rank->task[i] = rank->task[--rank->tasks];
            break;
        }
    share_destroy (rank, task->share);
    if (task->door >= 0)
        close (task->door);
    spec_destroy (task->spec);
    free (task);
}

void task_changed (struct rank *rank, struct task *task)
{
    struct span *turn = &task->turn;
    task->since = rank_now (rank);
    if (turn->until > task->since)
        turn->until = task->since;
    if (turn->from > task->since)
        *turn = task->before;
}

/* suspension.c - jobs of Slurm that torid has suspended.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "bridge.h"

#include <string.h>
#include <time.h>

static int apply_order (const struct slurm_task *task, bool freeze)
{
    tori_error err = {0};
    int status;
    if (task_sleeps (task) == freeze)
        return 0;
    status = control_freeze (task, freeze, &err);
    if (status < 0)
        bridge_complain (task->name,
                         freeze ? "cannot be suspended" : "cannot be resumed",
                         err.text);
    return status;
}

int bridge_freeze (struct bridge *bridge, const struct slurm_task *task,
                   bool freeze)
{
    json_t *entry = json_object_get (bridge->told, task->key);
    json_object_set_new (entry, "frozen", json_boolean (freeze));
    json_object_set_new (entry, "ordered",
                         json_integer ((json_int_t)time (NULL)));
    return apply_order (task, freeze);
}

void bridge_keep_in_mind (json_t *entry, const json_t *known)
{
    json_object_set (entry, "frozen", json_object_get (known, "frozen"));
    json_object_set (entry, "ordered", json_object_get (known, "ordered"));
}

/* The nodes of a suspended job are for others, always. But a job that was
 * resumed a while ago and is suspended now was suspended by an operator. */
void bridge_keep (struct bridge *bridge, const struct slurm_task *task,
                  const json_t *known)
{
    const json_t *frozen = json_object_get (known, "frozen");
    double ordered = json_number_value (json_object_get (known, "ordered"));
    if (json_is_true (frozen)
        || (frozen && (double)time (NULL) - ordered < bridge->patience))
        apply_order (task, json_is_true (frozen));
}

/* ---- without torid ---- */

struct room {
    const struct bridge *bridge;
    unsigned char *busy; /* by id: a job runs there */
    bool taken;
};

static void take_node (void *arg, uint32_t id)
{
    struct room *room = arg;
    room->taken |= room->busy[id];
    room->busy[id] = 1;
}

static void look_at_node (void *arg, uint32_t id)
{
    struct room *room = arg;
    room->taken |= room->busy[id];
}

static void take_running (void *arg, const struct slurm_task *task)
{
    struct room *room = arg;
    if (task_has_nodes (task) && !task_sleeps (task))
        nodemap_each (room->bridge->map, task->record->nodes, take_node, room);
}

static void thaw_task (void *arg, const struct slurm_task *task)
{
    struct room *room = arg;
    json_t *entry = json_object_get (room->bridge->told, task->key);
    bool frozen = json_is_true (json_object_get (entry, "frozen"));
    if (!task_sleeps (task) || !task_is_ours (task)
        || (!frozen && !room->bridge->sharing && !room->bridge->left))
        return;
    room->taken = false;
    nodemap_each (room->bridge->map, task->record->nodes, look_at_node, room);
    if (room->taken || apply_order (task, false) != 0)
        return;
    json_object_set_new (entry, "frozen", json_false ());
    nodemap_each (room->bridge->map, task->record->nodes, take_node, room);
}

void bridge_thaw (struct bridge *bridge)
{
    struct room room = {.bridge = bridge, .busy = bridge->news};
    memset (room.busy, 0, bridge->map->n);
    tasks_each (bridge->jobs, bridge->ranks.in_turn, take_running, &room);
    bridge_each (bridge, thaw_task, &room);
}

/* node_states.c - nodes of Slurm that are out of service.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "node_states.h"

#include <string.h>

/* ---- as they are ---- */

static void drain_node (void *arg, uint32_t id)
{
    struct bridge *bridge = arg;
    if (bridge->news[id] < NODE_DRAINED)
        bridge->news[id] = NODE_DRAINED;
}

static void spare_node (void *arg, uint32_t id)
{
    struct bridge *bridge = arg;
    if (bridge->news[id] == NODE_DOWN)
        bridge->news[id] = NODE_DRAINED;
}

/* torid knows from a reservation that nodes with a job of others are not
 * available. A node that is down under one of torid's jobs is only drained as
 * long as Slurm lets the job run: torid would end it. */
static void see_job (void *arg, const struct slurm_task *task)
{
    struct bridge *bridge = arg;
    bool ours = bridge_owns (bridge, task);
    if (task_has_nodes (task) && (ours || bridge->sharing))
        nodemap_each (bridge->map, task->record->nodes,
                      ours ? spare_node : drain_node, bridge);
}

/* A slurmctld that has just begun does not know its nodes yet. Nodes that a
 * reservation keeps free are not drained. Slurm powers up a node that a job
 * gets, but not while the node is powered down. */
static enum node_state state_of (uint32_t state, bool covered)
{
    static const uint32_t closed =
        NODE_STATE_DRAIN | NODE_STATE_FAIL | NODE_STATE_NO_RESPOND
        | NODE_STATE_POWERING_DOWN | NODE_STATE_REBOOT_ISSUED;
    static const uint32_t reserved = NODE_STATE_MAINT | NODE_STATE_RES;
    uint32_t base = state & NODE_STATE_BASE;
    if (base == NODE_STATE_DOWN)
        return NODE_DOWN;
    return state & closed || (state & reserved && !covered)
                   || (base != NODE_STATE_IDLE && base != NODE_STATE_ALLOCATED
                       && base != NODE_STATE_MIXED)
               ? NODE_DRAINED
               : NODE_UP;
}

/* Why it is out of service, as an administrator or slurmctld has noted. */
static void see_node (struct bridge *bridge, uint32_t id,
                      const node_info_t *node)
{
    char name[TORI_TEXT_MAX];
    bridge->news[id] =
        (unsigned char)state_of (node->node_state, bridge->covered[id]);
    if (bridge->news[id] == NODE_UP || !node->reason || !*node->reason)
        return;
    tori_node_format (bridge->map->machine, id, name);
    json_object_set_new (bridge->reasons, name, lines_text (node->reason));
}

void node_states_see (struct bridge *bridge)
{
    json_object_clear (bridge->reasons);
    memset (bridge->news, NODE_DRAINED, bridge->map->n);
    for (uint32_t i = 0; i < bridge->nodes->record_count; i++) {
        const node_info_t *node = &bridge->nodes->node_array[i];
        int64_t id = node->name ? nodemap_id (bridge->map, node->name) : -1;
        if (id >= 0)
            see_node (bridge, (uint32_t)id, node);
    }
    tasks_each_placed (bridge->jobs, bridge->ranks.in_turn, see_job, bridge);
}

/* ---- as torid knows them ---- */

static void say_node (struct bridge *bridge, uint32_t id, const char *state)
{
    char text[TORI_TEXT_MAX];
    tori_node_format (bridge->map->machine, id, text);
    bridge_say (bridge, json_pack ("{s:s, s:s, s:s, s:O*}", "is", "node",
                                   "node", text, "state", state, "why",
                                   json_object_get (bridge->reasons, text)));
}

/* Whether torid knows why a node is out of service; note that it does. */
static bool is_explained (struct bridge *bridge, uint32_t id)
{
    char name[TORI_TEXT_MAX];
    json_t *is, *was;
    bool same;
    tori_node_format (bridge->map->machine, id, name);
    is = json_object_get (bridge->reasons, name);
    was = json_object_get (bridge->explained, name);
    same = !is || json_equal (is, was);
    if (is)
        json_object_set (bridge->explained, name, is);
    else
        json_object_del (bridge->explained, name);
    return same;
}

/* A node may be down and drained at once, so the earlier state is taken back
 * first. */
static void say_state (struct bridge *bridge, uint32_t id)
{
    enum node_state was = bridge->node_states[id], is = bridge->news[id];
    bool known = is == NODE_UP || is_explained (bridge, id);
    if (was == is && known)
        return;
    if (is == NODE_DOWN)
        say_node (bridge, id, "down");
    if (is == NODE_DRAINED)
        say_node (bridge, id, "drain");
    if (is != NODE_DOWN && was != NODE_UP && was != NODE_DRAINED)
        say_node (bridge, id, "up");
    if (is != NODE_DRAINED && was != NODE_UP && was != NODE_DOWN)
        say_node (bridge, id, "resume");
    bridge->node_states[id] = (unsigned char)is;
}

/* Nodes that are down from the beginning are reported in full only when torid
 * knows which jobs went with them. */
void node_states_say_drains (struct bridge *bridge)
{
    for (uint32_t i = 0; i < bridge->map->n; i++)
        if (bridge->news[i] == NODE_DRAINED) {
            say_state (bridge, i);
        } else if (bridge->news[i] == NODE_DOWN
                   && bridge->node_states[i] == NODE_UNKNOWN) {
            say_node (bridge, i, "drain");
            bridge->node_states[i] = NODE_DRAINED;
        }
}

void node_states_say_down (void *arg, uint32_t id)
{
    struct bridge *bridge = arg;
    if (bridge->news[id] == NODE_DOWN)
        say_state (bridge, id);
}

void node_states_say (struct bridge *bridge)
{
    for (uint32_t i = 0; i < bridge->map->n; i++)
        say_state (bridge, i);
}

/* bridge.c - how things are in Slurm, for torid.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "bridge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int bridge_begin (struct bridge *bridge, tori_error *err)
{
    bridge->told = json_object ();
    bridge->todo = json_array ();
    bridge->fates = calloc (bridge->map->n, 1);
    bridge->news = calloc (bridge->map->n, 1);
    return bridge->told && bridge->todo && bridge->fates && bridge->news
               ? 0
               : tori_error_nomem (err);
}

void bridge_clear (struct bridge *bridge)
{
    json_decref (bridge->told);
    json_decref (bridge->todo);
    free (bridge->fates);
    free (bridge->news);
    slurm_free_job_info_msg (bridge->jobs);
    slurm_free_node_info_msg (bridge->nodes);
    lines_clear (&bridge->lines);
}

void bridge_say (struct bridge *bridge, json_t *message)
{
    if (bridge->alone)
        json_decref (message);
    else if (!lines_try (message))
        bridge->alone = true;
}

void bridge_forget (struct bridge *bridge, const char *key)
{
    json_object_del (bridge->told, key);
}

/* ---- which jobs ---- */

static bool is_listed (const char *list, const char *name)
{
    size_t n = strlen (name);
    for (const char *at = list; at; at = strchr (at, ',')) {
        at += *at == ',';
        if (!strncmp (at, name, n) && (at[n] == ',' || !at[n]))
            return true;
    }
    return false;
}

static bool is_watched (const struct bridge *bridge,
                        const slurm_job_info_t *record)
{
    return !bridge->partitions
           || (record->partition
               && is_listed (bridge->partitions, record->partition));
}

struct visit {
    const struct bridge *bridge;
    task_fn *each;
    void *arg;
};

static void visit_watched (void *arg, const struct slurm_task *task)
{
    struct visit *visit = arg;
    if (is_watched (visit->bridge, task->record))
        visit->each (visit->arg, task);
}

void bridge_each (const struct bridge *bridge, task_fn *each, void *arg)
{
    struct visit visit = {bridge, each, arg};
    tasks_each (bridge->jobs, visit_watched, &visit);
}

/* ---- jobs ---- */

static json_t *about (const char *is, const struct slurm_task *task)
{
    return json_pack ("{s:s, s:s}", "is", is, "key", task->key);
}

static void complain (const struct slurm_task *task, const char *what,
                      const char *why)
{
    fprintf (stderr, "tori-slurm: job %s: %s: %s\n", task->name, what, why);
}

/* What differs from what torid knows; with no `known`, everything. */
static void say_change (struct bridge *bridge, const struct slurm_task *task,
                        const json_t *known, const char *key, json_t *value)
{
    json_t *message;
    if (!json_equal (json_object_get (known, key), value)) {
        message = about ("change", task);
        json_object_set (message, key, value);
        bridge_say (bridge, message);
    }
    json_decref (value);
}

static void say_changes (struct bridge *bridge, const struct slurm_task *task,
                         const json_t *known)
{
    bool waits = task->phase == PHASE_WAITING;
    say_change (bridge, task, known, "estimate",
                json_integer (task_estimate (task, bridge->estimate)));
    if (waits)
        say_change (bridge, task, known, "priority",
                    json_integer (task_priority (task)));
    if (waits || task->phase == PHASE_HELD)
        say_change (bridge, task, known, "hold", json_boolean (!waits));
}

/* What cannot be understood is not refused for good: its user may change it.
 */
static bool submit (struct bridge *bridge, const struct slurm_task *task)
{
    tori_error err = {0};
    json_t *message = task_submission (task, bridge->estimate, &err);
    char text[sizeof err.text + 8];
    if (message) {
        bridge_say (bridge, message);
        return true;
    }
    snprintf (text, sizeof text, "tori: %s", err.text);
    if (!task->record->admin_comment
        || strcmp (text, task->record->admin_comment))
        control_note (task, text, &err);
    return false;
}

/* Released, but its nodes are not to be had: it is placed anew. */
static void take_back (struct bridge *bridge, const struct slurm_task *task)
{
    tori_error err = {0};
    json_t *message;
    if (control_hold (task, &err) != 0) {
        complain (task, "cannot be held", err.text);
        return;
    }
    message = task_message ("failed", task);
    json_object_set_new (message, "retry", json_true ());
    json_object_set_new (message, "why",
                         json_string (task->phase == PHASE_REVOKED
                                          ? "it was held in Slurm"
                                          : "Slurm did not start it"));
    bridge_say (bridge, message);
}

static void hold_again (struct bridge *bridge, const struct slurm_task *task)
{
    tori_error err = {0};
    if (task->phase == PHASE_REQUEUED)
        bridge_say (bridge, task_ending (task));
    if (control_hold (task, &err) != 0)
        complain (task, "cannot be held", err.text);
}

static bool is_overdue (const struct bridge *bridge, const json_t *known)
{
    double since = json_number_value (json_object_get (known, "since"));
    return known && difftime (time (NULL), (time_t)since) > bridge->patience;
}

/* The job has come to another phase, or this program has just begun. */
static void say_phase (struct bridge *bridge, const struct slurm_task *task)
{
    switch (task->phase) {
    case PHASE_RUNNING:
        bridge_say (bridge, task_message ("started", task));
        break;
    case PHASE_ENDED:
        bridge_say (bridge, task_ending (task));
        break;
    case PHASE_STRAY:
        if (task->tag.job > 0)
            bridge_say (bridge, task_ending (task));
        bridge_say (bridge, about ("cancel", task));
        break;
    case PHASE_DROPPED:
        bridge_say (bridge, about ("cancel", task));
        break;
    default:
        break;
    }
}

static bool was_sent (const json_t *known)
{
    return json_is_true (json_object_get (known, "sent"));
}

static void note (struct bridge *bridge, const struct slurm_task *task,
                  const json_t *known, bool same)
{
    json_t *since = json_object_get (known, "since");
    json_t *entry = json_pack (
        "{s:i, s:I, s:I, s:b, s:b}", "phase", (int)task->phase, "estimate",
        task_estimate (task, bridge->estimate), "priority",
        task_priority (task), "hold", task->phase == PHASE_HELD, "sent",
        was_sent (known) || task->phase != PHASE_HELD);
    if (same)
        json_object_set (entry, "since", since);
    else
        json_object_set_new (entry, "since",
                             json_integer ((json_int_t)time (NULL)));
    if (task_is_ours (task) && task->phase < PHASE_ENDED)
        json_object_set_new (entry, "attempt", task_message ("", task));
    json_object_set_new (bridge->next, task->key, entry);
}

/* A slurmctld that was killed may have forgotten that it was released. */
static void check_lost (struct bridge *bridge, const json_t *known)
{
    json_t *message = json_object_get (known, "attempt");
    if (!message)
        return;
    json_object_set_new (message, "is", json_string ("failed"));
    json_object_set_new (message, "retry", json_true ());
    json_object_set_new (message, "why",
                         json_string ("Slurm has lost its release"));
    bridge_say (bridge, json_incref (message));
}

static void look_at (void *arg, const struct slurm_task *task)
{
    struct bridge *bridge = arg;
    json_t *known = json_object_get (bridge->told, task->key);
    bool same = known
                && json_integer_value (json_object_get (known, "phase"))
                       == (json_int_t)task->phase;
    if (task->phase == PHASE_REQUEUED || task->phase == PHASE_LOOSE) {
        hold_again (bridge, task);
        if (known)
            json_object_set (bridge->next, task->key, known);
        return;
    }
    if (task->phase == PHASE_WAITING)
        check_lost (bridge, known);
    if (task->phase == PHASE_REVOKED
        || (task->phase == PHASE_RELEASED && same
            && is_overdue (bridge, known))) {
        take_back (bridge, task);
        return;
    }
    if (task->phase == PHASE_WAITING && !was_sent (known)
        && !submit (bridge, task))
        return;
    if (!same)
        say_phase (bridge, task);
    if (task->phase <= PHASE_RUNNING && (was_sent (known) || !bridge->begun))
        say_changes (bridge, task, known);
    note (bridge, task, known, same);
}

/* ---- nodes ---- */

static void block (void *arg, uint32_t id)
{
    struct bridge *bridge = arg;
    if (bridge->news[id] < NODE_DRAINED)
        bridge->news[id] = NODE_DRAINED;
}

static void spare (void *arg, uint32_t id)
{
    struct bridge *bridge = arg;
    if (bridge->news[id] == NODE_DOWN)
        bridge->news[id] = NODE_DRAINED;
}

/* Nodes that have a job of somebody else are not for torid. And a node that is
 * down under one of torid's is only drained as long as Slurm lets the job run:
 * torid would end it. */
static void see_job (void *arg, const struct slurm_task *task)
{
    struct bridge *bridge = arg;
    bool ours = task_is_ours (task) && is_watched (bridge, task->record);
    if (task_has_nodes (task))
        nodemap_each (bridge->map, task->record->nodes, ours ? spare : block,
                      bridge);
}

/* A slurmctld that has just begun does not know its nodes yet. */
static enum node_fate fate_of (uint32_t state)
{
    static const uint32_t closed =
        NODE_STATE_DRAIN | NODE_STATE_FAIL | NODE_STATE_NO_RESPOND
        | NODE_STATE_MAINT | NODE_STATE_RES | NODE_STATE_POWERED_DOWN
        | NODE_STATE_POWERING_DOWN | NODE_STATE_REBOOT_ISSUED;
    uint32_t base = state & NODE_STATE_BASE;
    if (base == NODE_STATE_DOWN)
        return NODE_DOWN;
    return state & closed
                   || (base != NODE_STATE_IDLE && base != NODE_STATE_ALLOCATED
                       && base != NODE_STATE_MIXED)
               ? NODE_DRAINED
               : NODE_UP;
}

static void see_nodes (struct bridge *bridge)
{
    memset (bridge->news, NODE_DRAINED, bridge->map->n);
    for (uint32_t i = 0; i < bridge->nodes->record_count; i++) {
        const node_info_t *node = &bridge->nodes->node_array[i];
        int64_t id = node->name ? nodemap_id (bridge->map, node->name) : -1;
        if (id >= 0)
            bridge->news[id] = (unsigned char)fate_of (node->node_state);
    }
    tasks_each (bridge->jobs, see_job, bridge);
}

static void say_node (struct bridge *bridge, uint32_t id, const char *state)
{
    char text[TORI_TEXT_MAX];
    tori_node_format (bridge->map->machine, id, text);
    bridge_say (bridge, json_pack ("{s:s, s:s, s:s}", "is", "node", "node",
                                   text, "state", state));
}

/* A node may be down and drained at once, so what was is taken back first. */
static void say_fate (struct bridge *bridge, uint32_t id)
{
    enum node_fate was = bridge->fates[id], is = bridge->news[id];
    if (was == is)
        return;
    if (is == NODE_DOWN)
        say_node (bridge, id, "down");
    if (is == NODE_DRAINED)
        say_node (bridge, id, "drain");
    if (is != NODE_DOWN && was != NODE_UP && was != NODE_DRAINED)
        say_node (bridge, id, "up");
    if (is != NODE_DRAINED && was != NODE_UP && was != NODE_DOWN)
        say_node (bridge, id, "resume");
    bridge->fates[id] = (unsigned char)is;
}

/* ---- all of it ---- */

/* Nodes are asked for first and told last, so that a job that a node took
 * along is known to be over when the node is said to be down. */
int bridge_look (struct bridge *bridge, tori_error *err)
{
    int status = control_nodes (&bridge->nodes, err);
    if (status == 0)
        status = control_jobs (&bridge->jobs, err);
    if (status != 0)
        return status;
    bridge->next = json_object ();
    bridge_each (bridge, look_at, bridge);
    json_decref (bridge->told);
    bridge->told = bridge->next;
    see_nodes (bridge);
    for (uint32_t i = 0; i < bridge->map->n; i++)
        say_fate (bridge, i);
    bridge->begun = true;
    return 0;
}

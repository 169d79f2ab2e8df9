/* orders.c - what torid wants done in Slurm.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bridge.h"

/* ---- finding a job ---- */

struct lookup {
    const char *key;
    bool found;
    struct slurm_task task;
};

static void compare (void *arg, const struct slurm_task *task)
{
    struct lookup *hunt = arg;
    if (!strcmp (task->key, hunt->key)) {
        hunt->found = true;
        hunt->task = *task;
    }
}

/* The job that an order is about, if Slurm has it. */
static const struct slurm_task *find (const struct bridge *bridge,
                                      const json_t *order, struct lookup *hunt)
{
    *hunt = (struct lookup){
        .key = json_string_value (json_object_get (order, "key"))};
    if (hunt->key)
        bridge_each (bridge, compare, hunt);
    return hunt->found ? &hunt->task : NULL;
}

static json_int_t number (const json_t *order, const char *key)
{
    return json_integer_value (json_object_get (order, key));
}

static json_t *answer (const char *is, const json_t *order)
{
    return json_pack ("{s:s, s:I, s:I}", "is", is, "job",
                      number (order, "job"), "attempt",
                      number (order, "attempt"));
}

/* ---- starting ---- */

static int fail (struct bridge *bridge, const json_t *order, bool retry,
                 const char *why)
{
    json_t *message = answer ("failed", order);
    json_object_set_new (message, "retry", json_boolean (retry));
    json_object_set_new (message, "why", json_string (why));
    bridge_say (bridge, message);
    return 0;
}

static int release (struct bridge *bridge, const json_t *order,
                    const struct slurm_task *task)
{
    struct tag tag = {number (order, "job"), number (order, "attempt"),
                      task->record->restart_cnt, task->record->submit_time};
    char mark[TASK_TEXT];
    char *nodes = nodemap_hosts (bridge->map, json_object_get (order, "ids"));
    tori_error err = {0};
    int status = -1;
    tag_format (&tag, mark);
    if (nodes)
        status = control_release (task, nodes, mark, &err);
    else
        tori_error_set (&err, TORI_INVALID, "it has nodes without a name");
    free (nodes);
    if (status < 0)
        fail (bridge, order, true, err.text);
    return status > 0;
}

static bool is_started (const struct slurm_task *task, const json_t *order)
{
    return task_is_ours (task) && task->tag.job == number (order, "job")
           && task->tag.attempt == number (order, "attempt");
}

/* One that was started before is answered with what is known of it. */
static int start (struct bridge *bridge, const json_t *order)
{
    struct lookup hunt;
    const struct slurm_task *task = find (bridge, order, &hunt);
    if (!hunt.key)
        return fail (bridge, order, false, "it was not submitted to Slurm");
    if (!task)
        return fail (bridge, order, false, "Slurm does not have it any more");
    if (is_started (task, order)) {
        bridge_forget (bridge, task->key);
        return 0;
    }
    if (task->phase != PHASE_WAITING)
        return fail (bridge, order, true,
                     task->phase == PHASE_HELD ? "it is held in Slurm"
                                               : "Slurm has placed it");
    return release (bridge, order, task);
}

/* ---- the others ---- */

static int stop (struct bridge *bridge, const json_t *order)
{
    struct lookup hunt;
    const struct slurm_task *task = find (bridge, order, &hunt);
    tori_error err = {0};
    json_t *message;
    int status;
    if (task && is_started (task, order)) {
        status = control_cancel (task, &err);
        if (status < 0)
            fprintf (stderr, "tori-slurm: job %s: cannot be stopped: %s\n",
                     task->name, err.text);
        return status > 0;
    }
    message = answer ("ended", order);
    json_object_set_new (message, "status", json_null ());
    json_object_set_new (message, "signal", json_integer (SIGKILL));
    bridge_say (bridge, message);
    return 0;
}

/* It will not start here. If it waits, it is over in Slurm, too, with the
 * reason in its comment. */
static int decline (struct bridge *bridge, const json_t *order)
{
    struct lookup hunt;
    const struct slurm_task *task = find (bridge, order, &hunt);
    const char *why = json_string_value (json_object_get (order, "why"));
    char text[512];
    tori_error err = {0};
    if (!task || (task->phase != PHASE_WAITING && task->phase != PHASE_HELD))
        return 0;
    snprintf (text, sizeof text, "tori: %s", why ? why : "it was refused");
    if (control_note (task, text, &err) > 0 || control_cancel (task, &err) > 0)
        return 1;
    return 0;
}

static void add_running (void *arg, const struct slurm_task *task)
{
    if (task_is_ours (task) && task->phase != PHASE_ENDED
        && task->phase != PHASE_REVOKED)
        json_array_append_new (arg, task_message ("running", task));
}

static int list (struct bridge *bridge, const json_t *order)
{
    json_t *jobs = json_array ();
    bridge_each (bridge, add_running, jobs);
    bridge_say (bridge,
                json_pack ("{s:s, s:o}", "is", "running", "jobs", jobs));
    return 0;
}

int bridge_obey (struct bridge *bridge, const json_t *order)
{
    static const struct {
        const char *what;
        int (*obey) (struct bridge *, const json_t *);
    } all[] = {{"start", start},
               {"stop", stop},
               {"decline", decline},
               {"list", list}};
    const char *what = json_string_value (json_object_get (order, "do"));
    for (size_t i = 0; what && i < sizeof all / sizeof all[0]; i++)
        if (!strcmp (what, all[i].what))
            return all[i].obey (bridge, order);
    return 0;
}

/* ---- without torid ---- */

static void let_go (void *arg, const struct slurm_task *task)
{
    char mark[] = "tori:open";
    tori_error err = {0};
    if (task->phase == PHASE_WAITING
        && control_release (task, NULL, mark, &err) != 0)
        fprintf (stderr, "tori-slurm: job %s: cannot be released: %s\n",
                 task->name, err.text);
}

void bridge_open (struct bridge *bridge)
{
    bridge_each (bridge, let_go, NULL);
}

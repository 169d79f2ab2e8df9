/* orders.c - carries out torid's orders in Slurm.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dependency.h"
#include "number.h"
#include "remark.h"

/* ---- finding a job ---- */

struct lookup {
    const char *key;
    bool found;
    struct slurm_task task;
};

static void compare_key (void *arg, const struct slurm_task *task)
{
    struct lookup *hunt = arg;
    if (!strcmp (task->key, hunt->key)) {
        hunt->found = true;
        hunt->task = *task;
    }
}

/* The job of an order, if Slurm has it. */
static const struct slurm_task *find_job (const struct bridge *bridge,
                                          const json_t *order,
                                          struct lookup *hunt)
{
    *hunt = (struct lookup){
        .key = json_string_value (json_object_get (order, "key"))};
    if (hunt->key)
        bridge_each_of (bridge, hunt->key, compare_key, hunt);
    return hunt->found ? &hunt->task : NULL;
}

static json_int_t read_number (const json_t *order, const char *key)
{
    return json_integer_value (json_object_get (order, key));
}

static json_t *make_answer (const char *is, const json_t *order)
{
    return json_pack ("{s:s, s:I, s:I, s:O*}", "is", is, "job",
                      read_number (order, "job"), "attempt",
                      read_number (order, "attempt"), "key",
                      json_object_get (order, "key"));
}

/* ---- starting ---- */

static int fail_start (struct bridge *bridge, const json_t *order, bool retry,
                       const char *why)
{
    json_t *message = make_answer ("failed", order);
    json_object_set_new (message, "retry", json_boolean (retry));
    json_object_set_new (message, "why", json_string (why));
    bridge_say (bridge, message);
    return 0;
}

/* The job may start only later, because Slurm does not let it: torid could not
 * learn that while it started it. */
static int fail_held (struct bridge *bridge, const json_t *order,
                      const struct slurm_task *task)
{
    json_t *message = make_answer ("failed", order);
    char why[TASK_TEXT];
    task_bar (task, why);
    json_object_update_new (message,
                            json_pack ("{s:b, s:b, s:s}", "retry", 1, "hold",
                                       1, "why", why));
    bridge_say (bridge, message);
    return 0;
}

static int release_job (struct bridge *bridge, const json_t *order,
                        const struct slurm_task *task)
{
    struct tag tag = task_tag (task, read_number (order, "job"),
                               read_number (order, "attempt"));
    char mark[TASK_TEXT];
    const json_t *ids = json_object_get (order, "ids");
    char *nodes = nodemap_hosts (bridge->map, ids);
    tori_error err = {0};
    int status = -1;
    tag_format (&tag, mark);
    if (nodes)
        status = control_release (task, nodes, bridge_likes (bridge, task, ids),
                                  mark, &err);
    else
        tori_error_set (&err, TORI_INVALID, "it has nodes without a name");
    free (nodes);
    if (status < 0)
        fail_start (bridge, order, true, err.text);
    if (status == 0)
        bridge_note_release (bridge, task, &tag);
    return status > 0;
}

static bool is_tagged (const struct slurm_task *task, const json_t *order)
{
    return task->tag.job == read_number (order, "job")
           && task->tag.attempt == read_number (order, "attempt");
}

static bool is_started (const struct slurm_task *task, const json_t *order)
{
    return task_is_ours (task) && is_tagged (task, order);
}

/* Its user may have changed it while torid decided: then torid learns of the
 * change after this. */
static bool is_wanted (const struct slurm_task *task, const json_t *order)
{
    json_t *size = task_size (task);
    const json_t *is = json_object_get (size, "shape");
    const json_t *was = json_object_get (order, "shape");
    bool wanted = (is || was ? json_equal (is, was) : true)
                  && json_array_size (json_object_get (order, "ids"))
                         == tori_request_nodes (&task->ask);
    json_decref (size);
    return wanted;
}

/* A job that was started before is answered with its state. */
static int obey_start (struct bridge *bridge, const json_t *order)
{
    struct lookup hunt;
    const struct slurm_task *task = find_job (bridge, order, &hunt);
    tori_error err = {0};
    if (!hunt.key)
        return fail_start (bridge, order, false,
                           "it was not submitted to Slurm");
    if (!task)
        return fail_start (bridge, order, false,
                           bridge_send_off (bridge, hunt.key)
                               ? "it has another partition"
                               : "Slurm does not have it any more");
    if (is_started (task, order)) {
        bridge_forget (bridge, task->key);
        return 0;
    }
    if (task->phase == PHASE_ENDED || task->phase == PHASE_DROPPED)
        return fail_start (bridge, order, false, "it is over in Slurm");
    if (task->phase == PHASE_REQUEUED)
        return 1; /* in a moment it waits */
    if (task->phase == PHASE_HELD)
        return fail_held (bridge, order, task);
    if (task->phase != PHASE_WAITING)
        return fail_start (bridge, order, true, "Slurm has placed it");
    if (!is_wanted (task, order)) {
        json_object_del (json_object_get (bridge->told, task->key), "size");
        return fail_start (bridge, order, true,
                           "it asks for something else now");
    }
    if (!bridge_has (bridge, task, json_object_get (order, "ids")))
        return bridge_renew (task, &err) > 0
                   ? 1
                   : fail_start (bridge, order, false,
                                 "it has another partition");
    return release_job (bridge, order, task);
}

/* ---- the others ---- */

/* A job that will run again waits in Slurm; torid learns that it has left its
 * nodes when it does. */
static int leave_nodes (struct bridge *bridge, const struct slurm_task *task,
                        bool again)
{
    tori_error err = {0};
    int status = -1;
    if (again && task->phase == PHASE_RELEASED)
        return bridge_take_back (bridge, task, "it goes elsewhere") > 0;
    if (again && task->phase == PHASE_LEAVING)
        return 0;
    if (again && task->phase == PHASE_RUNNING)
        status = control_requeue (task, &err);
    if (status < 0)
        status = control_cancel (task, &err);
    if (status < 0)
        bridge_complain (task->name, "cannot be stopped", err.text);
    return status > 0;
}

static int obey_stop (struct bridge *bridge, const json_t *order)
{
    struct lookup hunt;
    const struct slurm_task *task = find_job (bridge, order, &hunt);
    json_t *message;
    if (task && is_started (task, order)
        && json_is_true (json_object_get (order, "over"))) {
        bridge_bury (bridge, task->key);
        return 0;
    }
    if (task && is_started (task, order))
        return leave_nodes (bridge, task,
                            json_is_true (json_object_get (order, "again")));
    if (task && task->phase == PHASE_REQUEUED && is_tagged (task, order))
        return 0; /* bridge_look will report it */
    message = make_answer ("ended", order);
    json_object_set_new (message, "status", json_null ());
    json_object_set_new (message, "signal", json_integer (SIGKILL));
    bridge_say (bridge, message);
    if (task) /* if it waits, is it to start again? */
        bridge_forget (bridge, task->key);
    return 0;
}

/* A job that Slurm has not started yet cannot be suspended: torid starts it
 * again when its turn comes. If Slurm has started it meanwhile, it is
 * suspended in the next look. */
static int suspend_or_resume (struct bridge *bridge, const json_t *order,
                              bool frozen)
{
    struct lookup hunt;
    const struct slurm_task *task = find_job (bridge, order, &hunt);
    if (!task || !is_started (task, order))
        return 0;
    if (task->phase == PHASE_RUNNING)
        return bridge_freeze (bridge, task, frozen) > 0;
    if (task->phase == PHASE_RELEASED && frozen)
        return bridge_take_back (bridge, task, "it has to wait") != 0;
    return 0;
}

static int obey_suspend (struct bridge *bridge, const json_t *order)
{
    return suspend_or_resume (bridge, order, true);
}

static int obey_resume (struct bridge *bridge, const json_t *order)
{
    return suspend_or_resume (bridge, order, false);
}

/* torid hears the limit that Slurm has after that, with the next look: it is
 * in whole minutes, or the old one if Slurm refuses another. */
static int obey_limit (struct bridge *bridge, const json_t *order)
{
    struct lookup hunt;
    const struct slurm_task *task = find_job (bridge, order, &hunt);
    double seconds = json_number_value (json_object_get (order, "limit"));
    tori_error err = {0};
    int status;
    if (!task || !is_started (task, order))
        return 0;
    status = control_limit (
        task, (uint32_t)number_clamp (ceil (seconds / 60), 1, INT32_MAX),
        &err);
    if (status < 0)
        bridge_complain (task->name, "its limit cannot be changed", err.text);
    if (status <= 0)
        json_object_del (json_object_get (bridge->told, task->key),
                         "time_limit");
    return status > 0;
}

static bool is_waiting (const struct slurm_task *task)
{
    return task->phase == PHASE_WAITING || task->phase == PHASE_HELD;
}

/* It is over in Slurm, too, with the reason in its comment. */
static int refuse_job (const struct slurm_task *task, const char *why)
{
    char text[512];
    tori_error err = {0};
    snprintf (text, sizeof text, "tori: %s", why ? why : "it was refused");
    if (control_note (task, text, text + 6, &err) > 0
        || control_cancel (task, &err) > 0)
        return 1;
    bridge_decline (task->name, text + 6);
    return 0;
}

/* Its key stands for a job that is over, so it is submitted with another. But
 * a job that was never released, as far as slurmctld remembers, has run
 * before, and does so again only if another job needs it. */
static int obey_renew (struct bridge *bridge, const json_t *order)
{
    struct lookup hunt;
    const struct slurm_task *task = find_job (bridge, order, &hunt);
    tori_error err = {0};
    char mark[TASK_TEXT];
    struct tag tag;
    if (!task || !is_waiting (task))
        return 0;
    if (task->tag.submit == 0 && !dependency_on (bridge->jobs, task->record))
        return refuse_job (task, "it has ended; slurmctld had forgotten that");
    tag = task_tag (task, 0, 0);
    tag.life++;
    tag_format (&tag, mark);
    return control_note (task, mark, NULL, &err) > 0;
}

/* torid has gone back to a state before it started this: the job belongs to
 * Slurm alone now, and its nodes are reported to torid, like those of other
 * jobs of Slurm. */
static int obey_disown (struct bridge *bridge, const json_t *order)
{
    struct lookup hunt;
    const struct slurm_task *task = find_job (bridge, order, &hunt);
    tori_error err = {0};
    char mark[TASK_TEXT];
    struct tag tag;
    if (!task || !is_started (task, order))
        return 0;
    tag = task_tag (task, 0, 0);
    tag_format (&tag, mark);
    return control_note (task, mark, NULL, &err) > 0;
}

/* It will not start here. */
static int obey_decline (struct bridge *bridge, const json_t *order)
{
    struct lookup hunt;
    const struct slurm_task *task = find_job (bridge, order, &hunt);
    const char *why = json_string_value (json_object_get (order, "why"));
    if (task && is_waiting (task))
        return refuse_job (task, why);
    bridge_decline (json_string_value (json_object_get (order, "key")), why);
    return 0;
}

static void add_running (void *arg, const struct slurm_task *task)
{
    if ((task->phase == PHASE_REQUEUED && task->tag.job > 0)
        || (task_is_ours (task) && task->phase != PHASE_ENDED
            && task->phase != PHASE_REVOKED))
        json_array_append_new (arg, task_message ("running", task));
}

static void add_waiting (void *arg, const struct slurm_task *task)
{
    if (is_waiting (task))
        json_array_append_new (arg, json_string (task->key));
}

static int obey_list (struct bridge *bridge, const json_t *order)
{
    json_t *jobs = json_array (), *keys = json_array ();
    bridge_each (bridge, add_running, jobs);
    bridge_each (bridge, add_waiting, keys);
    bridge_say (bridge, json_pack ("{s:s, s:o, s:o}", "is", "running", "jobs",
                                   jobs, "waiting", keys));
    return 0;
}

int bridge_obey (struct bridge *bridge, const json_t *order)
{
    static const struct {
        const char *what;
        int (*obey) (struct bridge *, const json_t *);
    } all[] = {{"start", obey_start},     {"stop", obey_stop},
               {"suspend", obey_suspend}, {"resume", obey_resume},
               {"decline", obey_decline}, {"remark", remark_hear},
               {"renew", obey_renew},     {"disown", obey_disown},
               {"limit", obey_limit},     {"list", obey_list}};
    const char *what = json_string_value (json_object_get (order, "do"));
    for (size_t i = 0; what && i < sizeof all / sizeof all[0]; i++)
        if (!strcmp (what, all[i].what))
            return all[i].obey (bridge, order);
    return 0;
}

/* ---- without torid ---- */

struct opening {
    const struct slurm_watch *held; /* by the plugin */
    bool left;                      /* something to look after */
};

/* In partitions where the plugin does not hold jobs, those that a user holds
 * are left alone. */
static bool is_ours_to_free (const struct slurm_watch *held,
                             const struct slurm_task *task)
{
    size_t watched, others;
    slurm_watch_count (held, task->record->partition, &watched, &others);
    return task->phase == PHASE_WAITING
           && (watched > 0 || task->tag.submit > 0);
}

static void let_go (void *arg, const struct slurm_task *task)
{
    struct opening *opening = arg;
    struct tag tag = task_tag (task, 0, 0);
    char mark[TASK_TEXT];
    tori_error err = {0};
    bool held = is_ours_to_free (opening->held, task);
    tag_format (&tag, mark);
    if (held && control_release (task, NULL, true, mark, &err) != 0)
        fprintf (stderr, "tori-slurm: job %s: cannot be released: %s\n",
                 task->name, err.text);
    opening->left |= held || task->phase == PHASE_RELEASED
                     || task->phase == PHASE_REVOKED
                     || task->phase == PHASE_REQUEUED
                     || (task_is_ours (task) && task_sleeps (task));
}

bool bridge_open (struct bridge *bridge, const struct slurm_watch *held)
{
    struct opening opening = {held, false};
    bridge_thaw (bridge);
    bridge_each (bridge, let_go, &opening);
    return opening.left;
}

/* bridge.c - how things are in Slurm, for torid.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "kinds.h"
#include "node_states.h"
#include "priority.h"
#include "remark.h"
#include "reserved.h"
#include "standby.h"
#include "survey.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int bridge_begin (struct bridge *bridge, tori_error *err)
{
    bridge->told = json_object ();
    bridge->orders = json_array ();
    bridge->changed = json_object ();
    bridge->remarks = json_object ();
    bridge->node_states = calloc (bridge->map->n, 1);
    bridge->news = calloc (bridge->map->n, 1);
    bridge->covered = calloc (bridge->map->n, 1);
    bridge->reasons = json_object ();
    bridge->explained = json_object ();
    bridge->fits = slurm_fits_create ();
    bridge->users = user_names_create ();
    return bridge->fits && bridge->users && bridge->told && bridge->orders
                   && bridge->changed && bridge->remarks
                   && bridge->node_states && bridge->news && bridge->covered
                   && bridge->reasons && bridge->explained
               ? 0
               : tori_error_nomem (err);
}

void bridge_clear (struct bridge *bridge)
{
    json_decref (bridge->told);
    json_decref (bridge->orders);
    json_decref (bridge->changed);
    json_decref (bridge->remarks);
    free (bridge->node_states);
    free (bridge->news);
    free (bridge->covered);
    json_decref (bridge->reasons);
    json_decref (bridge->explained);
    kinds_remove (bridge);
    slurm_free_job_info_msg (bridge->jobs);
    slurm_free_node_info_msg (bridge->nodes);
    slurm_free_reservation_info_msg (bridge->reserved);
    slurm_free_partition_info_msg (bridge->partitions);
    slurm_parts_clear (&bridge->parts);
    slurm_fits_destroy (bridge->fits);
    user_names_destroy (bridge->users);
    json_decref (bridge->faults);
    json_decref (bridge->windows);
    lines_clear (&bridge->lines);
    if (bridge->wake >= 0)
        close (bridge->wake);
}

void bridge_say (struct bridge *bridge, json_t *message)
{
    if (bridge->alone)
        json_decref (message);
    else if (bridge->hear)
        bridge->hear (bridge->hearer, message);
    else if (!lines_try (message))
        bridge->alone = true;
}

void bridge_forget (struct bridge *bridge, const char *key)
{
    json_object_del (bridge->told, key);
}

void bridge_bury (struct bridge *bridge, const char *key)
{
    json_object_set_new (bridge->told, key,
                         json_pack ("{s:i, s:b}", "phase", (int)PHASE_ENDED,
                                    "sent", 1));
}

/* ---- which jobs ---- */

static bool is_watched (const struct bridge *bridge,
                        const slurm_job_info_t *record)
{
    size_t watched, others;
    slurm_watch_count (bridge->watch, record->partition, &watched, &others);
    return watched > 0;
}

struct visit {
    const struct bridge *bridge;
    task_fn *each;
    void *arg;
};

/* A job that asks for more nodes than its partition has, or than have what it
 * asks for, is held until one of the two changes: it is not lost if an
 * administrator takes nodes away for a while. */
static void visit_watched (void *arg, const struct slurm_task *task)
{
    struct visit *visit = arg;
    struct slurm_task own = *task;
    const char *bar;
    if (own.phase == PHASE_WAITING
        && bridge_room (visit->bridge, task, &bar, NULL) < 0) {
        own.phase = PHASE_HELD;
        own.bar = bar;
    }
    if (own.phase == PHASE_WAITING && own.ruled)
        bridge_reshape (visit->bridge, &own);
    if (is_watched (visit->bridge, task->record))
        visit->each (visit->arg, &own);
}

void bridge_each (const struct bridge *bridge, task_fn *each, void *arg)
{
    struct visit visit = {bridge, each, arg};
    tasks_each (bridge->jobs, bridge->ranks.in_turn, visit_watched, &visit);
}

void bridge_each_of (const struct bridge *bridge, const char *key,
                     task_fn *each, void *arg)
{
    struct visit visit = {bridge, each, arg};
    tasks_each_of (bridge->jobs, bridge->ranks.in_turn, key, visit_watched,
                   &visit);
}

bool bridge_owns (const struct bridge *bridge, const struct slurm_task *task)
{
    return (bridge->shadow || task_is_ours (task))
           && is_watched (bridge, task->record);
}

/* ---- one job ---- */

/* A key begins with the name that the job has in Slurm. */
void bridge_complain (const char *name, const char *what, const char *why)
{
    fprintf (stderr, "tori-slurm: job %.*s: %s: %s\n",
             (int)strcspn (name, "."), name, what, why);
}

void bridge_decline (const char *name, const char *why)
{
    if (!why || strcmp (why, "cancelled") != 0)
        bridge_complain (name ? name : "?", "declined",
                         why ? why : "no reason");
}

/* Before the next look, slurmctld may be killed, and forget it again. */
void bridge_note_release (struct bridge *bridge,
                          const struct slurm_task *task, const struct tag *tag)
{
    struct slurm_task own = *task;
    json_t *known = json_object_get (bridge->told, task->key);
    own.tag = *tag;
    bridge->waiting -= bridge->waiting > 0;
    if (!known)
        return;
    json_object_update_new (
        known, json_pack ("{s:i, s:b, s:I, s:o}", "phase", PHASE_RELEASED,
                          "sent", 1, "since", (json_int_t)time (NULL),
                          "attempt", task_message ("", &own)));
}

int bridge_renew (const struct slurm_task *task, tori_error *err)
{
    struct tag tag = task_tag (task, 0, 0);
    char mark[TASK_TEXT];
    tag.life++;
    tag_format (&tag, mark);
    return control_ask (task, mark, err);
}

struct departure {
    const char *key;
    const struct bridge *bridge;
    bool found;
};

/* It waits in another partition. If it comes back, it is another job for
 * torid: this one is over there. */
static void send_off (void *arg, const struct slurm_task *task)
{
    struct departure *hunt = arg;
    tori_error err = {0};
    if (strcmp (task->key, hunt->key)
        || is_watched (hunt->bridge, task->record)
        || (task->record->job_state & JOB_STATE_BASE) != JOB_PENDING)
        return;
    hunt->found = true;
    if (bridge_renew (task, &err) != 0)
        bridge_complain (task->name, "cannot be marked", err.text);
}

bool bridge_send_off (const struct bridge *bridge, const char *key)
{
    struct departure hunt = {key, bridge, false};
    tasks_each_of (bridge->jobs, bridge->ranks.in_turn, key, send_off, &hunt);
    return hunt.found;
}

/* Slurm has lost the whole job. One that waited may also have another
 * partition now. */
static void say_gone (struct bridge *bridge, const char *key,
                      const json_t *known)
{
    json_t *attempt = json_object_get (known, "attempt");
    json_t *message = attempt ? json_copy (attempt) : json_object ();
    bridge_send_off (bridge, key);
    json_object_set_new (message, "is",
                         json_string (attempt ? "ended" : "cancel"));
    json_object_set_new (message, "key", json_string (key));
    if (attempt)
        json_object_update_new (
            message, json_pack ("{s:n, s:i, s:s}", "status", "signal", SIGKILL,
                                "why", "Slurm has lost the job"));
    bridge_say (bridge, message);
}

/* Jobs that Slurm still has were taken out of what torid knows. */
static void check_gone (struct bridge *bridge)
{
    const char *key;
    json_t *known;
    json_object_foreach (bridge->told, key, known)
    {
        json_t *phase = json_object_get (known, "phase");
        if (bridge_was_sent (known)
            && json_integer_value (phase) < PHASE_ENDED)
            say_gone (bridge, key, known);
    }
}

/* ---- all of it ---- */

/* slurmctld pays for each question, also if nothing has changed. Jobs come and
 * end all the time, nodes fail seldom, and partitions and reservations are
 * changed by hand. So these are asked for less often: after so many beats, or
 * so many seconds if that is sooner. A released job that Slurm has not started
 * is a sign that something has changed. */
static bool is_due (struct bridge *bridge, enum bridge_question question)
{
    static const struct {
        double beats, seconds;
    } all[] = {[ASK_NODES] = {8, 4},
               [ASK_RESERVATIONS] = {8, 4},
               [ASK_PARTITIONS] = {16, 8}};
    double period = all[question].beats * bridge->beat;
    double now = standby_clock (), *last = &bridge->asked_at[question];
    if (period > all[question].seconds)
        period = all[question].seconds;
    if (*last > 0 && !bridge->doubt && now - *last < period)
        return false;
    *last = now;
    return true;
}

int bridge_load (struct bridge *bridge, tori_error *err)
{
    const partition_info_msg_t *before = bridge->partitions;
    const node_info_msg_t *nodes = bridge->nodes;
    user_names_turn (bridge->users);
    int status = !nodes || is_due (bridge, ASK_NODES)
                     ? control_nodes (&bridge->nodes, err)
                     : 0;
    if (status == 0 && (!before || is_due (bridge, ASK_PARTITIONS)))
        status = control_partitions (&bridge->partitions, err);
    if (status == 0 && bridge->partitions != before)
        status = slurm_parts_read (&bridge->parts, bridge->map,
                                   bridge->partitions, bridge->nodes, err);
    if (status == 0
        && (bridge->partitions != before || bridge->nodes != nodes))
        slurm_fits_renew (bridge->fits, bridge->map, &bridge->parts,
                          bridge->nodes);
    if (status == 0 && bridge->partitions != before) {
        bridge->ranks.known = false; /* slurm.conf may be another one */
        status = survey (bridge, err);
    }
    if (status == 0)
        status = control_jobs (&bridge->jobs, err);
    if (status == 0)
        json_object_clear (bridge->changed);
    if (status == 0
        && (!bridge->reserved || is_due (bridge, ASK_RESERVATIONS)))
        status = control_reservations (&bridge->reserved, err);
    if (status == 0)
        bridge->doubt = false;
    return status;
}

/* Nodes are asked for first. Drained nodes are reported before the jobs, and
 * the others last, so that torid knows that a job is over when its node is
 * reported down; except for jobs that run again. */
int bridge_look (struct bridge *bridge, tori_error *err)
{
    int status = bridge_load (bridge, err);
    if (status != 0)
        return status;
    kinds_share (bridge);
    bridge->again = bridge->leaving = false;
    bridge->waiting = 0;
    priority_prepare (bridge);
    reserved_tell (bridge);
    node_states_see (bridge);
    node_states_say_drains (bridge);
    bridge->next = json_object ();
    bridge_each (bridge, bridge_reconcile, bridge);
    check_gone (bridge);
    json_decref (bridge->told);
    bridge->told = bridge->next;
    remarks_tidy (bridge);
    node_states_say (bridge);
    bridge->begun = true;
    return 0;
}

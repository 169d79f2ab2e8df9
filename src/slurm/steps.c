/* steps.c - the steps that reconcile.h chooses for a job of Slurm, one by one.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "dependency.h"
#include "node_states.h"
#include "number.h"
#include "priority.h"
#include "reconcile.h"
#include "remark.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "slurm_ask.h"

/* ---- messages and holds ---- */

static json_t *make_message (const char *is, const struct slurm_task *task)
{
    return json_pack ("{s:s, s:s}", "is", is, "key", task->key);
}

/* Say a member that differs from what torid knows; without `known`, any. */
static void say_change (struct bridge *bridge, const struct slurm_task *task,
                        const json_t *known, const char *key, json_t *value)
{
    json_t *message;
    if (!json_equal (json_object_get (known, key), value)) {
        message = make_message ("change", task);
        json_object_set (message, key, value);
        bridge_say (bridge, message);
    }
    json_decref (value);
}

static void say_size (struct bridge *bridge, const struct slurm_task *task,
                      const json_t *known)
{
    json_t *size = task_size (task), *message;
    if (!json_equal (json_object_get (known, "size"), size)) {
        message = make_message ("change", task);
        json_object_update (message, size);
        bridge_say (bridge, message);
    }
    json_decref (size);
}

static void say_hold (struct bridge *bridge, const struct slurm_task *task,
                      const json_t *known)
{
    bool held = task->phase == PHASE_HELD;
    const char *was = json_string_value (json_object_get (known, "bar"));
    const json_t *hold = json_object_get (known, "hold");
    char bar[TASK_TEXT];
    json_t *message;
    task_bar (task, bar);
    if (hold && json_is_true (hold) == held && !strcmp (was ? was : "", bar))
        return;
    message = make_message ("change", task);
    json_object_set_new (message, "hold", json_boolean (held));
    if (held)
        json_object_set_new (message, "why", json_string (bar));
    bridge_say (bridge, message);
}

static void say_changes (struct bridge *bridge, const struct slurm_task *task,
                         const json_t *known)
{
    bool waits = task->phase == PHASE_WAITING;
    say_change (bridge, task, known, "time_limit",
                json_integer (task_estimate (task, bridge->estimate)));
    if (waits) {
        say_change (bridge, task, known, "priority",
                    json_integer (priority_of (bridge, task, known)));
        say_size (bridge, task, known);
    }
    if (waits || task->phase == PHASE_HELD)
        say_hold (bridge, task, known);
}

/* Write into the job's comment, once, why it cannot be submitted to torid;
 * unless another text has to be there. */
static void explain_refusal (const struct slurm_task *task,
                             const tori_error *why)
{
    char text[sizeof why->text + 8];
    tori_error err;
    snprintf (text, sizeof text, "tori: %s", why->text);
    if (task->tag.submit == 0
        && (!task->record->admin_comment
            || strcmp (text, task->record->admin_comment)))
        control_note (task, text, why->text, &err);
}

/* A job that came past the plugin, and asks for a number of nodes, gets the
 * shape that the plugin would have given it: false if there is none. torid is
 * informed when the comment of the job has the shape. */
static bool give_shape (struct bridge *bridge, const struct slurm_task *task)
{
    tori_request request = task->ask;
    tori_error err = {0};
    char *comment;
    if (task->ruled || !slurm_watch_shape (bridge->watch, &request))
        return false;
    comment = slurm_ask_comment (&request, bridge->watch->shaping,
                                 bridge->watch->boxes, task->record->comment);
    if (comment && task->speaks
        && control_shape (task, comment,
                          (uint32_t)tori_request_nodes (&request), &err)
               < 0)
        explain_refusal (task, &err);
    free (comment);
    return true;
}

static int hold_task_as (const struct slurm_task *task, const struct tag *tag,
                         time_t begin)
{
    char mark[TASK_TEXT];
    tori_error err = {0};
    int status;
    tag_format (tag, mark);
    status = control_hold (task, mark, begin, &err);
    if (status != 0)
        bridge_complain (task->name, "cannot be held", err.text);
    return status;
}

static int hold_task (const struct slurm_task *task)
{
    struct tag tag = task_tag (task, 0, 0);
    return hold_task_as (task, &tag, time (NULL));
}

/* The job is not over: torid requeues it. */
static void say_failed (struct bridge *bridge, json_t *message,
                        const char *why)
{
    json_object_set_new (message, "is", json_string ("failed"));
    json_object_set_new (message, "retry", json_true ());
    json_object_set_new (message, "why", json_string (why));
    bridge_say (bridge, message);
}

int bridge_take_back (struct bridge *bridge, const struct slurm_task *task,
                      const char *why)
{
    int status = hold_task (task);
    if (status == 0) {
        bridge_forget (bridge, task->key);
        say_failed (bridge, task_message ("failed", task), why);
    }
    return status;
}

/* ---- what Slurm does not start ---- */

/* Whether a job that waits for this would keep its nodes idle until other jobs
 * are done: licenses, and limits of partitions, associations and QOS. The
 * other reasons are about nodes, or Slurm has not looked at the job yet. */
static bool is_limit (uint32_t reason)
{
    switch (reason) {
    case WAIT_NO_REASON:
    case WAIT_PRIORITY:
    case WAIT_DEPENDENCY:
    case WAIT_RESOURCES:
    case WAIT_HELD:
    case WAIT_HELD_USER:
    case WAIT_TIME:
    case WAIT_RESERVATION:
    case WAIT_NODE_NOT_AVAIL:
    case WAIT_CLEANING:
    case WAIT_PROLOG:
    case WAIT_ARRAY_TASK_LIMIT:
    case FAIL_DEFER:
    case FAIL_DOWN_NODE:
    case FAIL_BAD_CONSTRAINTS:
    case FAIL_SYSTEM:
    case FAIL_LAUNCH:
    case FAIL_EXIT_CODE:
    case FAIL_TIMEOUT:
        return false;
    default:
        return true;
    }
}

/* Whether it can never start there: Slurm itself has held it, or no node of
 * the partition fits its constraints. */
static bool is_never (const struct slurm_task *task)
{
    uint32_t reason = task->record->state_reason;
    if (task->phase == PHASE_RELEASED)
        return reason == WAIT_PART_CONFIG;
    return task->phase == PHASE_REVOKED && reason != WAIT_HELD
           && reason != WAIT_HELD_USER;
}

static bool is_stalled (const struct slurm_task *task)
{
    return is_never (task)
           || (task->phase == PHASE_RELEASED
               && is_limit (task->record->state_reason));
}

/* torid holds it, so that its nodes are free: until its request changes if it
 * can never start, otherwise for a while. */
static bool set_aside (struct bridge *bridge, const struct slurm_task *task,
                       json_t *known)
{
    bool never = is_never (task);
    struct tag tag = task_tag (task, 0, 0);
    json_t *message = task_message ("failed", task);
    char why[TASK_REASON + 40];
    tag.want = never ? task_want (task->record) : 0;
    task_reason (task->record, tag.reason);
    snprintf (why, sizeof why, "Slurm %s it: %s",
              never ? "can never start" : "does not start", tag.reason);
    if (hold_task_as (task, &tag,
                 time (NULL) + (never ? 0 : number_clamp (bridge->patience, 0,
                                           UINT32_MAX)))
        != 0) {
        json_decref (message);
        return true;
    }
    bridge_complain (task->name, "held", why);
    json_object_set_new (message, "hold", json_true ());
    say_failed (bridge, message, why);
    return true;
}

static bool is_overdue (const struct bridge *bridge, const json_t *known)
{
    double since = json_number_value (json_object_get (known, "since"));
    return known && (double)time (NULL) - since > bridge->patience;
}

bool bridge_was_sent (const json_t *known)
{
    return json_is_true (json_object_get (known, "sent"));
}

/* Jobs in other phases than these are not noted. */
static enum torid_knows read_known (const json_t *known)
{
    static const enum torid_knows by_phase[]
        = {[PHASE_HELD] = KNOWS_HELD,         [PHASE_WAITING] = KNOWS_WAITING,
           [PHASE_RELEASED] = KNOWS_RELEASED, [PHASE_RUNNING] = KNOWS_RUNNING,
           [PHASE_LEAVING] = KNOWS_LEAVING,   [PHASE_ENDED] = KNOWS_ENDED,
           [PHASE_STRAY] = KNOWS_STRAY,       [PHASE_DROPPED] = KNOWS_DROPPED};
    const json_t *phase = json_object_get (known, "phase");
    return bridge_was_sent (known) ? by_phase[json_integer_value (phase)]
                                   : KNOWS_NOTHING;
}

/* Whether torid may know of it already, also from an earlier tori-slurm. */
static bool is_old (const struct bridge *bridge, const struct slurm_task *task,
                    const json_t *known)
{
    return bridge_was_sent (known)
           || json_is_true (json_object_get (known, "old")) || !bridge->begun
           || task->tag.submit > 0;
}

static bool is_known_phase (const struct slurm_task *task,
                            const json_t *known)
{
    return known
           && json_integer_value (json_object_get (known, "phase"))
                  == (json_int_t)task->phase;
}

/* A released job starts at once, unless something keeps it from that. */
static void doubt_release (struct bridge *bridge,
                           const struct slurm_task *task, const json_t *known)
{
    if (task->phase == PHASE_RELEASED && is_known_phase (task, known))
        bridge->doubt = true;
}

/* A job that has ended does not change any more. */
static bool is_settled (const struct slurm_task *task, const json_t *known)
{
    return (task->phase == PHASE_ENDED || task->phase == PHASE_DROPPED)
           && is_known_phase (task, known);
}

static void note_told (struct bridge *bridge, const struct slurm_task *task,
                       const json_t *known)
{
    const struct slurm_part *part = bridge_part (bridge, task);
    json_t *since = json_object_get (known, "since"), *entry;
    char bar[TASK_TEXT];
    task_bar (task, bar);
    entry = json_pack (
        "{s:i, s:I, s:I, s:b, s:s, s:b, s:b, s:b}", "phase", (int)task->phase,
        "time_limit", task_estimate (task, bridge->estimate), "priority",
        priority_of (bridge, task, known), "hold", task->phase == PHASE_HELD,
        "bar", bar, "sent",
        bridge_was_sent (known) || task->phase != PHASE_HELD, "old",
        is_old (bridge, task, known), "boxes", task->boxes);
    if (is_known_phase (task, known))
        json_object_set (entry, "since", since);
    else
        json_object_set_new (entry, "since",
                             json_integer ((json_int_t)time (NULL)));
    if (task->phase == PHASE_WAITING)
        json_object_set_new (entry, "size", task_size (task));
    else
        json_object_set (entry, "size", json_object_get (known, "size"));
    json_object_set (entry, "only",
                     task->phase == PHASE_WAITING && part
                         ? part->only
                         : json_object_get (known, "only"));
    if (task_is_ours (task) && task->phase < PHASE_ENDED)
        json_object_set_new (entry, "attempt", task_message ("", task));
    priority_note (entry, known);
    if (task->phase == PHASE_RUNNING)
        bridge_keep_in_mind (entry, known);
    json_object_set_new (bridge->next, task->key, entry);
}

/* Another job waits for its success, so it runs again, as it would without
 * torid: as another job there. That waits for a moment, until the others that
 * have ended, and that no job needs, are cancelled. */
static void revive_task (const struct slurm_task *task, json_t *known)
{
    enum { SECONDS = 2 };
    struct tag tag = task_tag (task, 0, 0);
    time_t now = time (NULL);
    tori_error err = {0};
    json_t *held = json_object_get (known, "held");
    if (task->phase == PHASE_RUNNING)
        control_requeue (task, &err);
    else if (task->tag.job > 0 && task->phase != PHASE_LEAVING)
        hold_task (task);
    if (task->tag.job > 0 || !held) {
        json_object_set_new (known, "held", json_integer ((json_int_t)now));
        return;
    }
    if (difftime (now, (time_t)json_integer_value (held)) < SECONDS)
        return;
    tag.life++;
    if (hold_task_as (task, &tag, now) == 0)
        bridge_complain (task->name, "runs again",
                         "slurmctld had forgotten its end, and another job "
                         "depends on that");
}

/* ---- steps ---- */

/* Each is one of reconcile.h: false if it is the last. */
typedef bool step_fn (struct bridge *, const struct slurm_task *,
                      json_t *known);

static bool bury_task (struct bridge *bridge, const struct slurm_task *task,
                       json_t *known)
{
    tori_error err = {0};
    if (task_repeats (task) && dependency_on (bridge->jobs, task->record))
        revive_task (task, known);
    else
        bridge_complain (task->name, "cancelled",
                         control_cancel (task, &err) == 0
                             ? "it has ended, and slurmctld had forgotten that"
                             : err.text);
    return false;
}

static bool hold_again (struct bridge *bridge, const struct slurm_task *task,
                        json_t *known)
{
    hold_task (task);
    return false;
}

/* A slurmd that has ended a job accepts no order to start it that was given in
 * the same second. Slurm itself would wait for two minutes. */
static bool is_fresh (const struct slurm_task *task)
{
    enum { SECONDS = 2 };
    return difftime (time (NULL), task->record->submit_time) < SECONDS;
}

/* A failed node is reported to torid first, so that it can repair the place of
 * the job. If torid had not started it, its job there is over, and this is
 * another one. */
static bool requeue_task (struct bridge *bridge,
                          const struct slurm_task *task, json_t *known)
{
    struct tag tag = task_tag (task, 0, 0);
    if (is_fresh (task))
        return true;
    if (task->tag.job > 0) {
        nodemap_each (bridge->map, task->record->req_nodes,
                      node_states_say_down, bridge);
        say_failed (bridge, task_message ("failed", task),
                    "requeued by Slurm");
    } else {
        bridge_say (bridge, make_message ("cancel", task));
        tag.life++;
    }
    hold_task_as (task, &tag, time (NULL));
    return true;
}

static bool shape_task (struct bridge *bridge, const struct slurm_task *task,
                        json_t *known)
{
    return !give_shape (bridge, task);
}

static bool rank_task (struct bridge *bridge, const struct slurm_task *task,
                       json_t *known)
{
    return !priority_ask (bridge, task, known);
}

static bool say_lost (struct bridge *bridge, const struct slurm_task *task,
                      json_t *known)
{
    json_t *attempt = json_object_get (known, "attempt");
    if (attempt)
        say_failed (bridge, json_incref (attempt),
                    "Slurm has lost its release");
    return true;
}

/* Whether the nodes of its partition are not those that torid knows. */
static bool is_misplaced (const struct bridge *bridge,
                          const struct slurm_task *task, const json_t *known)
{
    const struct slurm_part *part = bridge_part (bridge, task);
    const json_t *was = json_object_get (known, "only");
    const json_t *is = part ? part->only : NULL;
    return json_object_get (known, "size") && part && (was || is)
           && !json_equal (was, is);
}

/* Whether it asks for another box, and other boxes would do, or would have
 * done: torid can change the box alone. */
static bool is_rechosen (const struct slurm_task *task, const json_t *known)
{
    const json_t *was = json_object_get (known, "size");
    bool before = json_is_true (json_object_get (known, "boxes"));
    json_t *size;
    bool changed;
    if (!was || before != task->boxes || !before)
        return was && before != task->boxes;
    size = task_size (task);
    changed = !json_equal (was, size);
    json_decref (size);
    return changed;
}

/* torid forgets it, or did so when Slurm placed it, and it is submitted
 * anew. */
static bool renew_task (struct bridge *bridge, const struct slurm_task *task,
                        json_t *known)
{
    tori_error err = {0};
    if (read_known (known) != KNOWS_STRAY
        && !is_misplaced (bridge, task, known) && !is_rechosen (task, known))
        return true;
    if (task->speaks && bridge_renew (task, &err) != 0)
        bridge_complain (task->name, "cannot be marked", err.text);
    return false;
}

static bool take_back (struct bridge *bridge, const struct slurm_task *task,
                       json_t *known)
{
    bridge_take_back (bridge, task,
                      task->phase == PHASE_REVOKED ? "it was held in Slurm"
                                                   : "Slurm did not start it");
    return true;
}

static bool submit_task (struct bridge *bridge, const struct slurm_task *task,
                         json_t *known)
{
    json_t *message = bridge_submission (bridge, task, known);
    if (message)
        bridge_say (bridge, message);
    else if (!known) /* it is as old in the next look */
        json_object_set_new (bridge->next, task->key,
                             json_pack ("{s:i, s:b}", "phase",
                                        (int)task->phase, "old",
                                        is_old (bridge, task, NULL)));
    return message != NULL;
}

static bool say_start (struct bridge *bridge, const struct slurm_task *task,
                       json_t *known)
{
    bridge_say (bridge, task_start (task));
    return true;
}

static bool say_end (struct bridge *bridge, const struct slurm_task *task,
                     json_t *known)
{
    bridge_say (bridge, task_ending (task));
    return true;
}

static bool say_cancel (struct bridge *bridge, const struct slurm_task *task,
                        json_t *known)
{
    bridge_say (bridge, make_message ("cancel", task));
    return true;
}

/* Slurm has started a job that torid has or had: it gets a tag, by which it is
 * known if it is requeued, and which does not name the job of torid that is
 * over. Otherwise its nodes would count as left while it leaves them. */
static void mark_stray (const struct slurm_task *task, const json_t *known)
{
    bool unmarked = bridge_was_sent (known) && task->tag.submit == 0;
    struct tag tag = task_tag (task, 0, 0);
    char mark[TASK_TEXT];
    tori_error err = {0};
    if (!task_has_nodes (task) || (task->tag.job == 0 && !unmarked))
        return;
    tag_format (&tag, mark);
    if (control_note (task, mark, NULL, &err) != 0)
        bridge_complain (task->name, "cannot be marked", err.text);
}

static bool say_stray (struct bridge *bridge, const struct slurm_task *task,
                       json_t *known)
{
    mark_stray (task, known);
    if (task->tag.job > 0)
        say_end (bridge, task, known);
    return say_cancel (bridge, task, known);
}

static bool say_news (struct bridge *bridge, const struct slurm_task *task,
                      json_t *known)
{
    if (is_old (bridge, task, known))
        say_changes (bridge, task, known);
    return true;
}

static bool show_remark (struct bridge *bridge, const struct slurm_task *task,
                         json_t *known)
{
    remark_show (bridge, task);
    return true;
}

static bool keep_frozen (struct bridge *bridge, const struct slurm_task *task,
                         json_t *known)
{
    bridge_keep (bridge, task, known);
    return true;
}

static bool note_task (struct bridge *bridge, const struct slurm_task *task,
                       json_t *known)
{
    doubt_release (bridge, task, known);
    bridge->leaving |= task->phase == PHASE_LEAVING;
    bridge->waiting += task->phase == PHASE_WAITING;
    if (is_settled (task, known))
        return false;
    note_told (bridge, task, known);
    return true;
}

/* ---- one job ---- */

/* torid has it, and it waits in Slurm as if it had been released: its nice
 * value changed, and slurmctld has tried to start it meanwhile. A job that got
 * its nodes by hand may start; and so may all when torid is gone. */
static bool has_slipped (const struct bridge *bridge,
                         const struct slurm_task *task, const json_t *known)
{
    const char *nodes = task->record->req_nodes;
    return !bridge->alone && task->phase == PHASE_HELD
           && task->record->priority != 0
           && (bridge_was_sent (known) || *task->tag.reason)
           && !(nodes && *nodes);
}

static enum slurm_says read_task (const struct bridge *bridge,
                                  const struct slurm_task *task,
                                  const json_t *known)
{
    static const enum slurm_says by_phase[]
        = {[PHASE_HELD] = SAYS_HELD,         [PHASE_WAITING] = SAYS_WAITING,
           [PHASE_RELEASED] = SAYS_RELEASED, [PHASE_REVOKED] = SAYS_REVOKED,
           [PHASE_RUNNING] = SAYS_RUNNING,   [PHASE_LEAVING] = SAYS_LEAVING,
           [PHASE_ENDED] = SAYS_ENDED,       [PHASE_REQUEUED] = SAYS_REQUEUED,
           [PHASE_LOOSE] = SAYS_LOOSE,       [PHASE_STRAY] = SAYS_STRAY,
           [PHASE_DROPPED] = SAYS_DROPPED};
    if (has_slipped (bridge, task, known))
        return SAYS_SLIPPED;
    if (is_stalled (task))
        return SAYS_STALLED;
    if (task->phase == PHASE_RELEASED && is_overdue (bridge, known))
        return SAYS_OVERDUE;
    return by_phase[task->phase];
}

void bridge_reconcile (void *arg, const struct slurm_task *task)
{
    static step_fn *const act[RECONCILE_STEPS]
        = {[STEP_BURY] = bury_task,         [STEP_HOLD] = hold_again,
           [STEP_REQUEUE] = requeue_task,   [STEP_SHAPE] = shape_task,
           [STEP_RANK] = rank_task,         [STEP_SAY_LOST] = say_lost,
           [STEP_RENEW] = renew_task,       [STEP_SET_ASIDE] = set_aside,
           [STEP_TAKE_BACK] = take_back,    [STEP_SUBMIT] = submit_task,
           [STEP_SAY_START] = say_start,    [STEP_SAY_END] = say_end,
           [STEP_SAY_CANCEL] = say_cancel,  [STEP_SAY_STRAY] = say_stray,
           [STEP_SAY_CHANGES] = say_news,   [STEP_REMARK] = show_remark,
           [STEP_KEEP_FROZEN] = keep_frozen, [STEP_NOTE] = note_task};
    struct bridge *bridge = arg;
    json_t *known = json_incref (json_object_get (bridge->told, task->key));
    unsigned steps
        = reconcile (read_known (known), read_task (bridge, task, known));
    bool more = true;
    tori_error err = {0};
    if (task->mistaken && task->speaks)
        control_hand_back (task, &err); /* else it is tried in the next look */
    json_object_del (bridge->told, task->key);
    for (unsigned i = 0; more && i < RECONCILE_STEPS; i++)
        more = !(steps & 1U << i) || act[i](bridge, task, known);
    if (!more && known)
        json_object_set (bridge->next, task->key, known);
    json_decref (known);
}

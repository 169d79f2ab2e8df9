/* task.c - what Slurm says of a job.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "task.h"

#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "dependency.h"
#include "number.h"
#include "slurm_ask.h"

/* ---- tags ---- */

static bool scan_mark (const char **text, const char *mark)
{
    size_t n = strlen (mark);
    if (strncmp (*text, mark, n))
        return false;
    *text += n;
    return true;
}

struct tag tag_parse (const char *text)
{
    uint64_t job, attempt, restart, submit;
    if (text && scan_mark (&text, "tori:")
        && number_scan (&text, INT64_MAX, &job) && scan_mark (&text, ".")
        && number_scan (&text, INT64_MAX, &attempt) && scan_mark (&text, ".")
        && number_scan (&text, UINT16_MAX, &restart) && scan_mark (&text, ".")
        && number_scan (&text, INT64_MAX, &submit))
        return (struct tag){(int64_t)job, (int64_t)attempt, (int64_t)restart,
                            (int64_t)submit};
    return (struct tag){0};
}

void tag_format (const struct tag *tag, char text[TASK_TEXT])
{
    snprintf (text, TASK_TEXT, "tori:%lld.%lld.%lld.%lld", (long long)tag->job,
              (long long)tag->attempt, (long long)tag->restart,
              (long long)tag->submit);
}

/* ---- phases ---- */

struct outlook {
    const job_info_msg_t *all;
    time_t now;
};

static bool is_eligible (const struct outlook *jobs,
                         const slurm_job_info_t *record)
{
    return record->eligible_time <= jobs->now
           && dependency_met (jobs->all, record);
}

/* Slurm gives a held job a priority when its nice value changes. */
static bool is_loose (const slurm_job_info_t *record)
{
    return record->priority != 0
           && (record->state_reason == WAIT_HELD
               || record->state_reason == WAIT_HELD_USER);
}

static enum task_phase pending_phase (const struct outlook *jobs,
                                      const struct slurm_task *task)
{
    const slurm_job_info_t *record = task->record;
    if (task->tag.job > 0 && !task_is_ours (task))
        return PHASE_REQUEUED;
    if (task->tag.job > 0)
        return record->priority == 0 ? PHASE_REVOKED : PHASE_RELEASED;
    if (is_loose (record))
        return PHASE_LOOSE;
    return record->priority == 0 && is_eligible (jobs, record) ? PHASE_WAITING
                                                               : PHASE_HELD;
}

static enum task_phase phase_of (const struct outlook *jobs,
                                 const struct slurm_task *task)
{
    uint32_t state = task->record->job_state;
    uint32_t base = state & JOB_STATE_BASE;
    if (state & JOB_COMPLETING)
        return task_is_ours (task) ? PHASE_LEAVING : PHASE_STRAY;
    if (base == JOB_PENDING)
        return pending_phase (jobs, task);
    if (base == JOB_RUNNING || base == JOB_SUSPENDED)
        return task_is_ours (task) ? PHASE_RUNNING : PHASE_STRAY;
    return task->tag.job > 0 ? PHASE_ENDED : PHASE_DROPPED;
}

/* One that Slurm requeues counts as restarted before it has left its nodes. */
bool task_is_ours (const struct slurm_task *task)
{
    return task->tag.job > 0
           && (task->tag.restart == task->record->restart_cnt
               || (task->record->job_state & JOB_COMPLETING));
}

bool task_has_nodes (const struct slurm_task *task)
{
    uint32_t state = task->record->job_state;
    uint32_t base = state & JOB_STATE_BASE;
    return (state & JOB_COMPLETING) || base == JOB_RUNNING
           || base == JOB_SUSPENDED;
}

/* ---- tasks ---- */

static void format_key (const char *name, int64_t restart, int64_t submit,
                        char key[TASK_TEXT])
{
    snprintf (key, TASK_TEXT, "%.*s.%u.%lld", TASK_TEXT / 2, name,
              (unsigned)restart, (long long)submit);
}

/* Parts of a heterogeneous job are placed by Slurm. */
static void tell_task (const struct outlook *jobs, struct slurm_task *task,
                       const char *name, task_fn *each, void *arg)
{
    snprintf (task->name, sizeof task->name, "%s", name);
    format_key (name, task->record->restart_cnt, task->record->submit_time,
                task->key);
    task->phase = phase_of (jobs, task);
    if (task->record->het_job_id == 0 || task_has_nodes (task))
        each (arg, task);
}

/* One range of "0-9:2,12%3". */
static bool scan_range (const char **text, uint64_t *ret_first,
                        uint64_t *ret_last, uint64_t *ret_step)
{
    *ret_step = 1;
    if (!number_scan (text, UINT32_MAX, ret_first))
        return false;
    *ret_last = *ret_first;
    if (scan_mark (text, "-") && !number_scan (text, UINT32_MAX, ret_last))
        return false;
    if (scan_mark (text, ":") && !number_scan (text, UINT32_MAX, ret_step))
        return false;
    return *ret_step > 0;
}

static void each_of_array (const struct outlook *jobs, struct slurm_task *task,
                           task_fn *each, void *arg)
{
    const char *text = task->record->array_task_str;
    uint64_t first, last, step;
    char name[TASK_TEXT];
    do {
        if (!scan_range (&text, &first, &last, &step))
            return;
        for (uint64_t i = first; i <= last; i += step) {
            snprintf (name, sizeof name, "%u_%u",
                      (unsigned)task->record->array_job_id, (unsigned)i);
            tell_task (jobs, task, name, each, arg);
        }
    } while (scan_mark (&text, ","));
}

static void each_of (const struct outlook *jobs,
                     const slurm_job_info_t *record, task_fn *each, void *arg)
{
    struct slurm_task task = {.record = record,
                              .tag = tag_parse (record->admin_comment)};
    char name[TASK_TEXT];
    if (record->array_task_str && *record->array_task_str) {
        each_of_array (jobs, &task, each, arg);
        return;
    }
    if (record->array_job_id && record->array_task_id != NO_VAL)
        snprintf (name, sizeof name, "%u_%u", (unsigned)record->array_job_id,
                  (unsigned)record->array_task_id);
    else
        snprintf (name, sizeof name, "%u", (unsigned)record->job_id);
    tell_task (jobs, &task, name, each, arg);
}

void tasks_each (const job_info_msg_t *all, task_fn *each, void *arg)
{
    struct outlook jobs = {all, time (NULL)};
    for (uint32_t i = 0; all && i < all->record_count; i++)
        each_of (&jobs, &all->job_array[i], each, arg);
}

/* ---- submissions ---- */

/* Slurm's priority is 0 while a job is held; what its user and the operators
 * say of it is in `nice`. */
json_int_t task_priority (const struct slurm_task *task)
{
    return (json_int_t)NICE_OFFSET - (json_int_t)task->record->nice;
}

json_int_t task_estimate (const struct slurm_task *task, json_int_t otherwise)
{
    uint32_t limit = task->record->time_limit;
    return limit == NO_VAL || limit == INFINITE ? otherwise
                                                : (json_int_t)limit * 60;
}

/* Its shape and wiring, as its comment says; or its number of nodes. */
static int add_size (json_t *message, const slurm_job_info_t *record,
                     tori_error *err)
{
    char shape[TORI_TEXT_MAX];
    tori_request ask;
    if (slurm_ask_parse (record->comment, record->num_nodes, &ask, err) < 0)
        return -1;
    if (ask.shape.ndims == 0)
        return json_object_set_new (message, "count",
                                    json_integer (ask.count));
    tori_shape_format (&ask.shape, shape);
    json_object_set_new (message, "shape", json_string (shape));
    if (ask.wiring != TORI_WIRE_NONE)
        json_object_set_new (message, "wiring",
                             json_string (tori_wiring_name (ask.wiring)));
    return 0;
}

static json_t *user_of (const slurm_job_info_t *record)
{
    const struct passwd *user = getpwuid (record->user_id);
    return user ? json_string (user->pw_name)
                : json_sprintf ("%u", (unsigned)record->user_id);
}

json_t *task_submission (const struct slurm_task *task, json_int_t otherwise,
                         tori_error *err)
{
    const slurm_job_info_t *record = task->record;
    json_t *message = json_pack (
        "{s:s, s:s, s:o, s:s, s:I, s:I, s:s}", "is", "submit", "key",
        task->key, "user", user_of (record), "name",
        record->name ? record->name : "", "estimate",
        task_estimate (task, otherwise), "priority", task_priority (task),
        "on_failure", "kill"); /* Slurm has its own way to run it again */
    if (add_size (message, record, err) < 0) {
        json_decref (message);
        return NULL;
    }
    return message;
}

/* ---- attempts ---- */

json_t *task_message (const char *is, const struct slurm_task *task)
{
    char key[TASK_TEXT];
    format_key (task->name, task->tag.restart, task->tag.submit, key);
    return json_pack ("{s:s, s:s, s:I, s:I}", "is", is, "key", key, "job",
                      (json_int_t)task->tag.job, "attempt",
                      (json_int_t)task->tag.attempt);
}

static const char *why_of (uint32_t base)
{
    switch (base) {
    case JOB_CANCELLED:
        return "cancelled";
    case JOB_TIMEOUT:
    case JOB_DEADLINE:
        return "time limit";
    case JOB_NODE_FAIL:
    case JOB_BOOT_FAIL:
        return "node failure";
    case JOB_PREEMPTED:
        return "preempted";
    case JOB_OOM:
        return "out of memory";
    case JOB_PENDING:
    case JOB_RUNNING:
        return "requeued by Slurm";
    default:
        return NULL;
    }
}

json_t *task_ending (const struct slurm_task *task)
{
    int code = (int)task->record->exit_code;
    const char *why = why_of (task->record->job_state & JOB_STATE_BASE);
    bool signalled = WIFSIGNALED (code) || (why && code == 0);
    json_t *message = task_message ("ended", task);
    json_object_set_new (message, "status",
                         signalled ? json_null ()
                                   : json_integer (WEXITSTATUS (code)));
    json_object_set_new (message, "signal",
                         !signalled ? json_null ()
                         : code     ? json_integer (WTERMSIG (code))
                                    : json_integer (SIGTERM));
    if (why)
        json_object_set_new (message, "why", json_string (why));
    else
        json_object_set_new (message, "at",
                             json_integer (task->record->end_time));
    return message;
}

/* task.c - the state of a job in Slurm.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "task.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "dependency.h"
#include "jobmembers.h"
#include "jsonlines.h"
#include "number.h"
#include "slurm_ask.h"
#include "throttle.h"
#include "versions.h"

/* ---- tags ---- */

static bool scan_mark (const char **text, const char *mark)
{
    size_t n = strlen (mark);
    if (strncmp (*text, mark, n))
        return false;
    *text += n;
    return true;
}

/* One word, which is not an answer (priority.c). */
static void scan_reason (const char *text, char reason[TASK_REASON])
{
    size_t n = strcspn (text, " ");
    if (!memchr (text, '=', n))
        snprintf (reason, TASK_REASON, "%.*s", (int)n, text);
}

static struct tag parse_tag (const char *text)
{
    uint64_t job, attempt, restart, submit, life, want = 0;
    if (text && scan_mark (&text, "tori:")
        && number_scan (&text, INT64_MAX, &job) && scan_mark (&text, ".")
        && number_scan (&text, INT64_MAX, &attempt) && scan_mark (&text, ".")
        && number_scan (&text, UINT16_MAX, &restart) && scan_mark (&text, ".")
        && number_scan (&text, INT64_MAX, &submit) && scan_mark (&text, ".")
        && number_scan (&text, INT64_MAX, &life)) {
        struct tag tag = {(int64_t)job, (int64_t)attempt, (int64_t)restart,
                          (int64_t)submit, (int64_t)life};
        if (scan_mark (&text, ".") && number_scan (&text, INT64_MAX, &want))
            tag.want = (int64_t)want;
        if (scan_mark (&text, " "))
            scan_reason (text, tag.reason);
        return tag;
    }
    return (struct tag){0};
}

void tag_format (const struct tag *tag, char text[TASK_TEXT])
{
    char want[32] = "";
    if (tag->want)
        snprintf (want, sizeof want, ".%lld", (long long)tag->want);
    snprintf (text, TASK_TEXT, "tori:%lld.%lld.%lld.%lld.%lld%s%s%s",
              (long long)tag->job, (long long)tag->attempt,
              (long long)tag->restart, (long long)tag->submit,
              (long long)tag->life, want, *tag->reason ? " " : "",
              tag->reason);
}

/* For a job that was never released, as Slurm counts. */
struct tag task_tag (const struct slurm_task *task, int64_t job,
                     int64_t attempt)
{
    const slurm_job_info_t *record = task->record;
    bool known = task->tag.submit > 0;
    return (struct tag){job, attempt, record->restart_cnt,
                        known ? task->tag.submit : record->submit_time,
                        known ? task->tag.life : record->restart_cnt};
}

/* ---- what Slurm has against it ---- */

static void mix_bytes (uint64_t *hash, const void *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        *hash = (*hash ^ ((const unsigned char *)bytes)[i])
                * UINT64_C (1099511628211);
}

/* Without its place, and its time limit. */
int64_t task_want (const slurm_job_info_t *record)
{
    const uint64_t numbers[]
        = {record->num_nodes,     record->num_cpus,    record->num_tasks,
           record->cpus_per_task, record->pn_min_cpus, record->pn_min_memory,
           record->pn_min_tmp_disk, record->ntasks_per_node,
           record->ntasks_per_socket, record->ntasks_per_core,
           record->sockets_per_node, record->cores_per_socket,
           record->threads_per_core};
    const char *const texts[]
        = {record->partition,     record->features,      record->tres_per_job,
           record->tres_per_node, record->tres_per_socket,
           record->tres_per_task, record->cpus_per_tres, record->mem_per_tres,
           record->prefer,        record->exc_nodes};
    uint64_t hash = UINT64_C (14695981039346656037);
    mix_bytes (&hash, numbers, sizeof numbers);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        mix_bytes (&hash, texts[i] ? texts[i] : "",
                   texts[i] ? strlen (texts[i]) + 1 : 1);
    return (int64_t)(hash % UINT32_MAX + 1);
}

void task_reason (const slurm_job_info_t *record, char reason[TASK_REASON])
{
    reason[0] = 0;
    scan_reason (slurm_job_state_reason_string (record->state_reason),
                 reason);
}

/* ---- phases ---- */

struct outlook {
    const job_info_msg_t *all;
    time_t now;
    bool in_turn;
    struct throttles *throttles;
};

/* Slurm gives a held job a priority when its nice value changes. */
static bool is_loose (const slurm_job_info_t *record)
{
    return record->priority != 0
           && (record->state_reason == WAIT_HELD
               || record->state_reason == WAIT_HELD_USER);
}

/* Slurm holds a job itself if it could not be launched: that is placed again
 * elsewhere. */
static bool is_requeued_to_hold (const struct slurm_task *task)
{
    static const char held[] = "job requeued in ";
    const char *why = task->record->state_desc;
    return why && !strncmp (why, held, sizeof held - 1)
           && task->record->priority == 0
           && strcmp (task->tag.reason, TASK_AGAIN) != 0;
}

bool task_is_kept (const struct slurm_task *task)
{
    if (task->phase == PHASE_REQUEUED)
        return is_requeued_to_hold (task);
    return task->record->state_reason == WAIT_HELD && !task->mistaken;
}

/* A scheduler that goes through all jobs in turn gives the reason why a
 * released task does not start to all of its array. To those that are held it
 * gives another one next time, that an administrator holds them. Once a task
 * of its array was released, nobody can tell one from the other. */
static bool is_mistaken (const struct outlook *jobs,
                         const struct slurm_task *task)
{
    const slurm_job_info_t *record = task->record;
    if (!jobs->in_turn || record->array_job_id == 0 || record->priority != 0
        || record->state_reason != WAIT_HELD || task->tag.job > 0
        || (record->job_state & JOB_STATE_BASE) != JOB_PENDING)
        return false;
    for (uint32_t i = 0; i < jobs->all->record_count; i++) {
        const slurm_job_info_t *other = &jobs->all->job_array[i];
        if (other != record && other->array_job_id == record->array_job_id
            && parse_tag (other->admin_comment).submit > 0)
            return true;
    }
    return false;
}

static const char never[] = "Slurm can never start it";
static const char later[] = "Slurm does not start it";

/* Slurm itself has tried it since: somebody has released it, so it is wanted
 * anew. A hold gives it another reason. */
static bool is_tried_anew (const slurm_job_info_t *record)
{
    return record->priority == 0
           && record->state_reason == FAIL_BAD_CONSTRAINTS;
}

/* Why torid may not place a job that it has not released, or NULL. */
static const char *bar_of (const struct outlook *jobs,
                           const struct slurm_task *task)
{
    const slurm_job_info_t *record = task->record;
    if (record->state_reason == WAIT_HELD && !task->mistaken)
        return "an administrator holds it in Slurm";
    if (task->tag.want && task->tag.want == task_want (record)
        && !is_tried_anew (record))
        return never;
    if (record->priority != 0)
        return "it was released in Slurm";
    if (task->odd)
        return "its comment in Slurm is not understood";
    if (slurm_ask_held (record->comment))
        return "its user holds it in Slurm";
    if (record->eligible_time > jobs->now)
        return *task->tag.reason ? later : "its time in Slurm has not come";
    if (!dependency_met (jobs->all, record))
        return "it waits for other jobs of Slurm";
    return throttles_pass (jobs->throttles, record)
               ? NULL
               : "others of its array run first";
}

void task_bar (const struct slurm_task *task, char text[TASK_TEXT])
{
    bool said = task->bar == never || task->bar == later;
    snprintf (text, TASK_TEXT, "%.60s%s%s", task->bar ? task->bar : "",
              said ? ": " : "", said ? task->tag.reason : "");
}

static enum task_phase pending_phase (const struct outlook *jobs,
                                      struct slurm_task *task)
{
    const slurm_job_info_t *record = task->record;
    if (task->tag.job > 0 && !task_is_ours (task))
        return PHASE_REQUEUED;
    if (task->tag.job > 0)
        return record->priority == 0 ? PHASE_REVOKED : PHASE_RELEASED;
    if (record->resv_name && *record->resv_name)
        return PHASE_STRAY;
    if (task->tag.submit > 0 && task->tag.restart != record->restart_cnt)
        return PHASE_REQUEUED;
    if (is_loose (record))
        return PHASE_LOOSE;
    task->bar = bar_of (jobs, task);
    return task->bar ? PHASE_HELD : PHASE_WAITING;
}

static enum task_phase phase_of (const struct outlook *jobs,
                                 struct slurm_task *task)
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

/* A job that Slurm requeues counts as restarted before it has left its
 * nodes. */
bool task_is_ours (const struct slurm_task *task)
{
    return task->tag.job > 0
           && (task->tag.restart == task->record->restart_cnt
               || (task->record->job_state & JOB_COMPLETING));
}

bool task_sleeps (const struct slurm_task *task)
{
    return (task->record->job_state & JOB_STATE_BASE) == JOB_SUSPENDED;
}

bool task_repeats (const struct slurm_task *task)
{
    return task->record->batch_flag && task->record->requeue;
}

static bool has_nodes (const slurm_job_info_t *record, uint64_t number)
{
    uint32_t base = record->job_state & JOB_STATE_BASE;
    return (record->job_state & JOB_COMPLETING) || base == JOB_RUNNING
           || base == JOB_SUSPENDED;
}

bool task_has_nodes (const struct slurm_task *task)
{
    return has_nodes (task->record, 0);
}

/* ---- tasks ---- */

static void set_key (struct slurm_task *task)
{
    struct tag tag = task_tag (task, 0, 0);
    snprintf (task->key, sizeof task->key, "%.*s.%lld.%lld", TASK_TEXT / 2,
              task->name, (long long)tag.life, (long long)tag.submit);
}

/* Parts of a heterogeneous job are placed by Slurm. */
static void tell_task (const struct outlook *jobs, struct slurm_task *task,
                       const char *name, task_fn *each, void *arg)
{
    snprintf (task->name, sizeof task->name, "%s", name);
    set_key (task);
    task->bar = NULL;
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
            task->speaks = false;
        }
    } while (scan_mark (&text, ","));
}

static void each_of (const struct outlook *jobs,
                     const slurm_job_info_t *record, task_fn *each, void *arg)
{
    struct slurm_task task = {.record = record,
                              .speaks = true,
                              .tag = parse_tag (record->admin_comment)};
    char name[TASK_TEXT];
    task.mistaken = is_mistaken (jobs, &task);
    task.odd = slurm_ask_parse (record->comment, record->num_nodes, &task.ask,
                                NULL)
               < 0;
    task.ruled = slurm_ask_ruled (record->comment);
    task.boxes = slurm_ask_boxes (record->comment);
    if (record->array_task_str && *record->array_task_str) {
        each_of_array (jobs, &task, each, arg);
        return;
    }
    if (record->array_job_id && record->array_task_id != NO_VAL)
        snprintf (name, sizeof name, "%u_%u", (unsigned)record->array_job_id,
                  (unsigned)record->array_task_id);
    else
        snprintf (name, sizeof name, "%u",
                  (unsigned)slurm_job_number (record));
    tell_task (jobs, &task, name, each, arg);
}

/* Whether a record is one of those that are looked at. */
typedef bool pick_fn (const slurm_job_info_t *record, uint64_t number);

static void visit_tasks (const job_info_msg_t *all, bool in_turn,
                         pick_fn *pick, uint64_t number, task_fn *each,
                         void *arg)
{
    struct throttles throttles = {0};
    struct outlook jobs = {all, time (NULL), in_turn, &throttles};
    throttles_count (&throttles, all);
    for (uint32_t i = 0; all && i < all->record_count; i++)
        if (!pick || pick (&all->job_array[i], number))
            each_of (&jobs, &all->job_array[i], each, arg);
    throttles_clear (&throttles);
}

void tasks_each (const job_info_msg_t *all, bool in_turn, task_fn *each,
                 void *arg)
{
    visit_tasks (all, in_turn, NULL, 0, each, arg);
}

void tasks_each_placed (const job_info_msg_t *all, bool in_turn, task_fn *each,
                        void *arg)
{
    visit_tasks (all, in_turn, has_nodes, 0, each, arg);
}

static bool is_numbered (const slurm_job_info_t *record, uint64_t number)
{
    return slurm_job_number (record) == number
           || record->array_job_id == number;
}

void tasks_each_of (const job_info_msg_t *all, bool in_turn, const char *key,
                    task_fn *each, void *arg)
{
    uint64_t number;
    if (number_scan (&key, UINT32_MAX, &number))
        visit_tasks (all, in_turn, is_numbered, number, each, arg);
}

/* ---- submissions ---- */

json_int_t task_estimate (const struct slurm_task *task, json_int_t otherwise)
{
    uint32_t limit = task->record->time_limit;
    return limit == NO_VAL || limit == INFINITE ? otherwise
                                                : (json_int_t)limit * 60;
}

/* Its shape and wiring, or its number of nodes. */
json_t *task_size (const struct slurm_task *task)
{
    bool wired = task->ask.wiring != TORI_WIRE_NONE;
    char shape[TORI_TEXT_MAX];
    if (task->ask.shape.ndims == 0)
        return json_pack ("{s:I}", JOB_KEY (count),
                          (json_int_t)task->ask.count);
    tori_shape_format (&task->ask.shape, shape);
    return json_pack ("{s:s, s:s*}", JOB_KEY (shape), shape, JOB_KEY (wiring),
                      wired ? tori_wiring_name (task->ask.wiring) : NULL);
}

/* How it may be treated while it runs. */
static void add_options (json_t *message, const struct slurm_task *task)
{
    if (task_repeats (task)) {
        json_object_set_new (message, JOB_KEY (on_failure),
                             json_string ("repair"));
        return;
    }
    json_object_set_new (message, JOB_KEY (on_failure), json_string ("kill"));
    json_object_set_new (message, JOB_KEY (preempted), json_string ("never"));
    json_object_set_new (message, JOB_KEY (movable), json_false ());
}

/* Other boxes of as many nodes, the most compact first. */
static void add_boxes (json_t *message, const struct slurm_task *task,
                       const tori_machine *machine)
{
    tori_shape shapes[TORI_MAX_ALTERNATIVES];
    size_t n = tori_shape_others (machine, &task->ask.shape,
                                  tori_request_nodes (&task->ask), shapes,
                                  TORI_MAX_ALTERNATIVES);
    json_t *list = json_array ();
    for (size_t i = 0; i < n; i++) {
        struct slurm_task other = *task;
        other.ask.shape = shapes[i];
        json_array_append_new (list, task_size (&other));
    }
    if (n > 0)
        json_object_set (message, JOB_KEY (alternatives), list);
    json_decref (list);
}

/* How long it waits for its box, and what it takes then. */
static void add_patience (json_t *message, const struct slurm_task *task)
{
    int64_t patience = slurm_ask_patience (task->record->comment);
    if (patience == 0)
        return;
    json_object_set_new (message, JOB_KEY (patience),
                         json_real ((double)patience / TORI_SECOND));
    json_object_set_new (
        message, JOB_KEY (alternatives),
        json_pack ("[{s:I}]", JOB_KEY (count),
                   (json_int_t)tori_request_nodes (&task->ask)));
}

json_t *task_submission (const struct slurm_task *task, const char *user,
                         const tori_machine *machine, json_int_t priority,
                         json_int_t otherwise)
{
    const slurm_job_info_t *record = task->record;
    json_t *size = task_size (task);
    json_t *message = json_pack (
        "{s:s, s:s, s:I, s:o, s:s, s:o, s:s*, s:I, s:I}", "is", "submit",
        "key", task->key, "submit",
        (json_int_t)task_tag (task, 0, 0).submit, JOB_KEY (alias),
        json_sprintf ("slurm:%s", task->name), "user", user,
        JOB_KEY (name), lines_text (record->name ? record->name : ""),
        JOB_KEY (queue), record->partition, JOB_KEY (time_limit),
        task_estimate (task, otherwise), JOB_KEY (priority), priority);
    add_options (message, task);
    add_patience (message, task);
    if (task->boxes && task->ask.shape.ndims > 0)
        add_boxes (message, task, machine);
    json_object_update (message, size);
    json_decref (size);
    return message;
}

/* ---- attempts ---- */

json_t *task_message (const char *is, const struct slurm_task *task)
{
    return json_pack ("{s:s, s:s, s:I, s:I}", "is", is, "key", task->key,
                      "job", (json_int_t)task->tag.job, "attempt",
                      (json_int_t)task->tag.attempt);
}

json_t *task_start (const struct slurm_task *task)
{
    json_t *message = task_message ("started", task);
    json_object_set_new (message, "at",
                         json_integer (task->record->start_time));
    return message;
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

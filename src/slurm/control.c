/* control.c - requests to slurmctld.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "control.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "slurm_ask.h"
#include "versions.h"

/* Errors of the system, of the connection and of sockets, and those of a
 * slurmctld that is not in charge: the request was not refused. */
static bool is_away (int code)
{
    return code < SLURM_NO_CHANGE_IN_DATA
           || (code >= SLURM_SOCKET_ERRORS
               && code <= SLURM_PROTOCOL_SOCKET_ZERO_BYTES_SENT)
           || code == ESLURM_IN_STANDBY_MODE
           || code == ESLURM_IN_STANDBY_USE_BACKUP;
}

static int judge_code (int code, tori_error *err)
{
    tori_error_set (err, TORI_FAILED, "%s", slurm_strerror (code));
    return is_away (code) ? 1 : -1;
}

/* Whether there is something new; some calls return the error, others set
 * errno. */
static int judge_load (int status, tori_error *err)
{
    int code = status > 0 ? status : errno;
    if (status == 0)
        return 0;
    return code == SLURM_NO_CHANGE_IN_DATA ? 0 : judge_code (code, err);
}

int control_jobs (job_info_msg_t **msg, tori_error *err)
{
    job_info_msg_t *news = NULL;
    time_t since = *msg ? (*msg)->last_update : 0;
    int status = judge_load (slurm_load_jobs (since, &news, SHOW_ALL), err);
    if (!news)
        return *msg ? status : 1;
    slurm_free_job_info_msg (*msg);
    *msg = news;
    return 0;
}

/* The end of powering down is no change for slurmctld. */
static bool has_powering (const node_info_msg_t *msg)
{
    for (uint32_t i = 0; i < msg->record_count; i++)
        if (msg->node_array[i].node_state & NODE_STATE_POWERING_DOWN)
            return true;
    return false;
}

int control_nodes (node_info_msg_t **msg, tori_error *err)
{
    node_info_msg_t *news = NULL;
    time_t since = *msg && !has_powering (*msg) ? (*msg)->last_update : 0;
    int status = judge_load (slurm_load_node (since, &news, SHOW_ALL), err);
    if (!news)
        return *msg ? status : 1;
    slurm_free_node_info_msg (*msg);
    *msg = news;
    return 0;
}

int control_partitions (partition_info_msg_t **msg, tori_error *err)
{
    partition_info_msg_t *news = NULL;
    time_t since = *msg ? (*msg)->last_update : 0;
    int status
        = judge_load (slurm_load_partitions (since, &news, SHOW_ALL), err);
    if (!news)
        return *msg ? status : 1;
    slurm_free_partition_info_msg (*msg);
    *msg = news;
    return 0;
}

int control_reservations (reserve_info_msg_t **msg, tori_error *err)
{
    reserve_info_msg_t *news = NULL;
    time_t since = *msg ? (*msg)->last_update : 0;
    int status = judge_load (slurm_load_reservations (since, &news), err);
    if (!news)
        return *msg ? status : 1;
    slurm_free_reservation_info_msg (*msg);
    *msg = news;
    return 0;
}

bool control_answers (void)
{
    return slurm_ping (0) == 0;
}

int control_state (char **ret_folder, tori_error *err)
{
    slurm_conf_t *conf = NULL;
    if (slurm_load_ctl_conf (0, &conf) != 0)
        return judge_code (errno, err);
    *ret_folder = strdup (conf->state_save_location ? conf->state_save_location
                                                    : "");
    slurm_free_ctl_conf (conf);
    return *ret_folder ? 0 : tori_error_nomem (err);
}

int control_user (uid_t *ret_user, char **ret_name, tori_error *err)
{
    slurm_conf_t *conf = NULL;
    if (slurm_load_ctl_conf (0, &conf) != 0)
        return judge_code (errno, err);
    *ret_user = conf->slurm_user_id;
    *ret_name = conf->slurm_user_name ? strdup (conf->slurm_user_name) : NULL;
    slurm_free_ctl_conf (conf);
    return 0;
}

/* Slurm 25.05 and later tell their topology.yaml, which names all kinds of
 * topologies; a torus3d that is used has a list. */
bool control_has_torus (void)
{
    bool has = false;
#if SLURM_IS_SINCE(25, 5)
    topo_config_response_msg_t *topology = NULL;
    if (slurm_load_topo_config (&topology) == 0 && topology) {
        has = topology->config && strstr (topology->config, "toruses:");
        slurm_free_topo_config_msg (topology);
    }
#endif
    return has;
}

/* ---- sharing ---- */

static int check_partition (const partition_info_t *partition, uint32_t *most,
                            tori_error *err)
{
    uint32_t share = partition->max_share;
    if (!(share & SHARED_FORCE) || (share & ~SHARED_FORCE) < 2)
        return tori_error_set (err, TORI_FAILED,
                               "partition %s does not share its nodes: it "
                               "needs OverSubscribe=FORCE:2 or more",
                               partition->name);
    share &= ~(uint32_t)SHARED_FORCE;
    if (*most == 0 || share < *most)
        *most = share;
    return 0;
}

static int check_partitions (const partition_info_msg_t *msg,
                             const struct slurm_watch *watch,
                             uint32_t *ret_most, tori_error *err)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < msg->record_count; i++) {
        const partition_info_t *one = &msg->partition_array[i];
        size_t watched = 1, others;
        if (watch->partitions)
            slurm_watch_count (watch, one->name, &watched, &others);
        if (watched > 0 && check_partition (one, &most, err) < 0)
            return -1;
    }
    *ret_most = most;
    return most > 0 ? 0
                    : tori_error_set (err, TORI_FAILED,
                                      "there is no such partition");
}

/* Slurm must not take turns itself. */
static int check_conf (tori_error *err)
{
    slurm_conf_t *conf = NULL;
    bool gang;
    if (slurm_load_ctl_conf (0, &conf) != 0)
        return judge_code (errno, err);
    gang = conf->preempt_mode & PREEMPT_MODE_GANG;
    slurm_free_ctl_conf (conf);
    return gang ? tori_error_set (err, TORI_FAILED,
                                  "Slurm takes turns itself: PreemptMode=GANG")
                : 0;
}

int control_shares (const struct slurm_watch *watch, uint32_t *ret_most,
                    tori_error *err)
{
    partition_info_msg_t *msg = NULL;
    int status = check_conf (err);
    if (status != 0)
        return status;
    if (slurm_load_partitions (0, &msg, SHOW_ALL) != 0)
        return judge_code (errno, err);
    status = check_partitions (msg, watch, ret_most, err);
    slurm_free_partition_info_msg (msg);
    return status;
}

/* ---- jobs ---- */

/* The result of a request, by its status and the answer for each task. */
static int code_of (int status, job_array_resp_msg_t *answers)
{
    int code = status < 0 ? errno : status;
    for (uint32_t i = 0; answers && i < answers->job_array_count; i++)
        if (code == 0)
            code = (int)answers->error_code[i];
    if (answers)
        slurm_free_job_array_resp (answers);
    return code;
}

static int judge_answers (int status, job_array_resp_msg_t *answers,
                          tori_error *err)
{
    int code = code_of (status, answers);
    return code == 0 ? 0 : judge_code (code, err);
}

/* Every member that is not set stays as it is. A job that its partition does
 * not let start is changed all the same: its reason shows that. */
static int update_named (job_desc_msg_t *job, char *name, tori_error *err)
{
    job_array_resp_msg_t *answers = NULL;
    int code;
    job->job_id_str = name;
    code = slurm_update_job2 (job, &answers);
    code = code_of (code, answers);
    return code == 0 || code == ESLURM_REQUESTED_PART_CONFIG_UNAVAILABLE
               ? 0
               : judge_code (code, err);
}

static int update_task (job_desc_msg_t *job, const struct slurm_task *task,
                        tori_error *err)
{
    char name[TASK_TEXT];
    snprintf (name, sizeof name, "%s", task->name);
    return update_named (job, name, err);
}

int control_release (const struct slurm_task *task, char *nodes, bool liked,
                     char *mark, tori_error *err)
{
    char none[] = "";
    const char *said = task->record->comment;
    char *own = said ? slurm_ask_remark (said, NULL) : NULL;
    uint32_t asked = (uint32_t)tori_request_nodes (&task->ask);
    job_desc_msg_t job;
    int status;
    slurm_init_job_desc_msg (&job);
    job.req_nodes = nodes;
    if (nodes && task->record->max_nodes > asked)
        job.max_nodes = asked; /* Slurm would add some, up to that */
    if (!liked)
        job.prefer = none;
    job.priority = INFINITE;
    job.admin_comment = mark;
    if (own && strcmp (own, said))
        job.comment = own;
    status = update_task (&job, task, err);
    free (own);
    return status;
}

/* Naming all of these tasks at once does not make jobs of them. */
static int update_record (job_desc_msg_t *job, const struct slurm_task *task,
                          tori_error *err)
{
    const char *tasks = task->record->array_task_str;
    char *name;
    int status;
    if (!tasks || !*tasks)
        return update_task (job, task, err);
    if (asprintf (&name, "%u_[%.*s]", (unsigned)task->record->array_job_id,
                  (int)strcspn (tasks, "%"), tasks)
        < 0)
        return tori_error_nomem (err);
    status = update_named (job, name, err);
    free (name);
    return status;
}

int control_ask (const struct slurm_task *task, char *text, tori_error *err)
{
    job_desc_msg_t job;
    slurm_init_job_desc_msg (&job);
    job.admin_comment = text;
    return update_record (&job, task, err);
}

int control_hand_back (const struct slurm_task *task, tori_error *err)
{
    job_desc_msg_t job;
    slurm_init_job_desc_msg (&job);
    job.priority = 0;
    job.alloc_sid = ALLOC_SID_USER_HOLD;
    return update_record (&job, task, err);
}

int control_comment (const struct slurm_task *task, char *comment,
                     tori_error *err)
{
    return control_shape (task, comment, NO_VAL, err);
}

int control_shape (const struct slurm_task *task, char *comment,
                   uint32_t nodes, tori_error *err)
{
    job_desc_msg_t job;
    slurm_init_job_desc_msg (&job);
    job.comment = comment;
    job.min_nodes = job.max_nodes = nodes;
    return update_record (&job, task, err);
}

int control_hold (const struct slurm_task *task, char *mark, time_t begin,
                  tori_error *err)
{
    char none[] = "";
    job_desc_msg_t job;
    slurm_init_job_desc_msg (&job);
    job.req_nodes = none;
    job.priority = 0;
    job.alloc_sid = task_is_kept (task) ? ALLOC_SID_ADMIN_HOLD
                                        : ALLOC_SID_USER_HOLD;
    job.admin_comment = mark;
    job.begin_time = begin; /* requeued jobs wait for some minutes */
    return update_task (&job, task, err);
}

int control_note (const struct slurm_task *task, char *text,
                  const char *remark, tori_error *err)
{
    job_desc_msg_t job;
    int status;
    slurm_init_job_desc_msg (&job);
    job.admin_comment = text;
    if (remark)
        job.comment = slurm_ask_remark (task->record->comment, remark);
    status = update_task (&job, task, err);
    free (job.comment);
    return status;
}

int control_limit (const struct slurm_task *task, uint32_t minutes,
                   tori_error *err)
{
    job_desc_msg_t job;
    slurm_init_job_desc_msg (&job);
    job.time_limit = minutes;
    return update_task (&job, task, err);
}

/* These take the name of a job; the calls that take its number are others
 * since Slurm 26.05. */
int control_freeze (const struct slurm_task *task, bool freeze,
                    tori_error *err)
{
    job_array_resp_msg_t *answers = NULL;
    char name[TASK_TEXT];
    int status;
    snprintf (name, sizeof name, "%s", task->name);
    status = freeze ? slurm_suspend2 (name, &answers)
                    : slurm_resume2 (name, &answers);
    return judge_answers (status, answers, err);
}

int control_requeue (const struct slurm_task *task, tori_error *err)
{
    job_array_resp_msg_t *answers = NULL;
    struct tag tag = task->tag;
    char name[TASK_TEXT], mark[TASK_TEXT];
    int status;
    snprintf (tag.reason, sizeof tag.reason, "%s", TASK_AGAIN);
    tag_format (&tag, mark);
    status = control_note (task, mark, NULL, err);
    if (status != 0)
        return status;
    snprintf (name, sizeof name, "%s", task->name);
    status = slurm_requeue2 (name, JOB_REQUEUE_HOLD, &answers);
    return judge_answers (status, answers, err);
}

int control_cancel (const struct slurm_task *task, tori_error *err)
{
    if (slurm_kill_job2 (task->name, SIGKILL, 0, NULL) == 0
        || errno == ESLURM_ALREADY_DONE || errno == ESLURM_INVALID_JOB_ID)
        return 0;
    return judge_code (errno, err);
}

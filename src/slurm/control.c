/* control.c - requests to slurmctld.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "control.h"

#include <errno.h>
#include <signal.h>

#include <slurm/slurm_errno.h>

/* Errors of the system, of the connection and of sockets, and those of one
 * that is not in charge: it has not refused what was asked. */
static bool is_away (int code)
{
    return code < SLURM_NO_CHANGE_IN_DATA
           || (code >= SLURM_PROTOCOL_SOCKET_IMPL_ZERO_RECV_LENGTH
               && code <= SLURM_PROTOCOL_SOCKET_ZERO_BYTES_SENT)
           || code == ESLURM_IN_STANDBY_MODE
           || code == ESLURM_IN_STANDBY_USE_BACKUP;
}

static int verdict (int code, tori_error *err)
{
    tori_error_set (err, TORI_FAILED, "%s", slurm_strerror (code));
    return is_away (code) ? 1 : -1;
}

/* Whether there is news; some return the error, others set errno. */
static int judge_load (int status, tori_error *err)
{
    int code = status > 0 ? status : errno;
    if (status == 0)
        return 0;
    return code == SLURM_NO_CHANGE_IN_DATA ? 0 : verdict (code, err);
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

int control_nodes (node_info_msg_t **msg, tori_error *err)
{
    node_info_msg_t *news = NULL;
    time_t since = *msg ? (*msg)->last_update : 0;
    int status = judge_load (slurm_load_node (since, &news, SHOW_ALL), err);
    if (!news)
        return *msg ? status : 1;
    slurm_free_node_info_msg (*msg);
    *msg = news;
    return 0;
}

/* Every member that is not set stays as it is. */
static int update (job_desc_msg_t *job, const struct slurm_task *task,
                   tori_error *err)
{
    job_array_resp_msg_t *answers = NULL;
    char name[TASK_TEXT];
    int code;
    snprintf (name, sizeof name, "%s", task->name);
    job->job_id_str = name;
    code = slurm_update_job2 (job, &answers) < 0 ? errno : 0;
    for (uint32_t i = 0; answers && i < answers->job_array_count; i++)
        if (code == 0)
            code = (int)answers->error_code[i];
    if (answers)
        slurm_free_job_array_resp (answers);
    return code == 0 ? 0 : verdict (code, err);
}

int control_release (const struct slurm_task *task, char *nodes, char *mark,
                     tori_error *err)
{
    job_desc_msg_t job;
    slurm_init_job_desc_msg (&job);
    job.req_nodes = nodes;
    job.priority = INFINITE;
    job.admin_comment = mark;
    return update (&job, task, err);
}

int control_hold (const struct slurm_task *task, tori_error *err)
{
    char none[] = "", mark[] = "tori:";
    job_desc_msg_t job;
    slurm_init_job_desc_msg (&job);
    job.req_nodes = none;
    job.priority = 0;
    job.admin_comment = mark;
    job.begin_time = time (NULL); /* requeued jobs wait for some minutes */
    return update (&job, task, err);
}

int control_note (const struct slurm_task *task, char *text, tori_error *err)
{
    job_desc_msg_t job;
    slurm_init_job_desc_msg (&job);
    job.admin_comment = text;
    return update (&job, task, err);
}

int control_cancel (const struct slurm_task *task, tori_error *err)
{
    if (slurm_kill_job2 (task->name, SIGKILL, 0, NULL) == 0
        || errno == ESLURM_ALREADY_DONE || errno == ESLURM_INVALID_JOB_ID)
        return 0;
    return verdict (errno, err);
}

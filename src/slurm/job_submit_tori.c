/* A plugin of Slurm, job_submit/tori: jobs of the partitions that tori places
 * are held when they are submitted, and stay so until tori-slurm has a place
 * for them. A job that the machine can never hold is refused at once.
 *
 * slurmctld loads it. It sees public types only: a job's record is private,
 * but slurmctld itself turns one into a description. The version of a plugin
 * must be that of slurmctld, so it is compiled on site.
 *
 * This program is free software; you can redistribute it and/or modify it
 * under the terms of the GNU General Public License as published by the Free
 * Software Foundation; either version 2 of the License, or (at your option)
 * any later version.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include <slurm/spank.h>

#include "controller.h"
#include "kinds.h"
#include "slurm_ask.h"
#include "slurm_wake.h"
#include "slurm_watch.h"
#include "versions.h"

/* ---- what slurmctld has, and no header declares ---- */

extern slurm_conf_t slurm_conf __attribute__ ((weak));
extern char *default_part_name __attribute__ ((weak));
char *slurm_xstrdup (const char *text);
void slurm_xfree (void **memory);
job_desc_msg_t *copy_job_record_to_job_desc (const void *record);
void slurm_free_job_desc_msg (job_desc_msg_t *job);
uint32_t priority_g_set (uint32_t last, void *record) __attribute__ ((weak));
void schedule (bool full_queue) __attribute__ ((weak));

/* ---- what slurmctld looks for ---- */

extern const char plugin_name[], plugin_type[];
extern const uint32_t plugin_version;
int init (void);
int fini (void);
int job_submit (job_desc_msg_t *job, uint32_t uid, char **ret_text);
#if SLURM_IS_SINCE(23, 2)
#define MODIFY_TEXT , char **ret_text
#define MODIFY_TEXT_OR_NULL ret_text
#else /* it cannot say why */
#define MODIFY_TEXT
#define MODIFY_TEXT_OR_NULL NULL
#endif
int job_modify (job_desc_msg_t *job, const void *record,
                uint32_t uid MODIFY_TEXT);

const char plugin_name[] = "Jobs wait until tori has a place for them";
const char plugin_type[] = "job_submit/tori";
const uint32_t plugin_version = SLURM_VERSION_NUMBER;

/* ---- its file ---- */

/* tori.conf beside slurm.conf. It is small, and read for every job, so that
 * it may change at any time and nothing is kept. */
static int read_watch (struct slurm_watch *ret_watch, tori_error *err)
{
    const char *conf = &slurm_conf ? slurm_conf.slurm_conf : NULL;
    const char *slash = conf ? strrchr (conf, '/') : NULL;
    char path[4096];
    if (!slash)
        return tori_error_set (err, TORI_FAILED,
                               "cannot tell where slurm.conf is");
    snprintf (path, sizeof path, "%.*s/tori.conf", (int)(slash - conf), conf);
    return slurm_watch_read (path, ret_watch, err);
}

/* A bad file must not stop the cluster: jobs go to Slurm's own placement, and
 * its log says why. */
static bool have_watch (struct slurm_watch *ret_watch)
{
    tori_error err;
    if (read_watch (ret_watch, &err) == 0)
        return true;
    slurm_error ("job_submit/tori: %s; jobs are not held", err.text);
    return false;
}

/* slurmctld would end without its plugin. The log has a mistake now, and again
 * for each job. */
int init (void)
{
    struct slurm_watch watch;
    if (have_watch (&watch))
        slurm_watch_clear (&watch);
    return SLURM_SUCCESS;
}

int fini (void)
{
    return SLURM_SUCCESS;
}

/* ---- what is allowed ---- */

static int deny_job (int code, const char *text, char **ret_text)
{
    slurm_info ("job_submit/tori: %s", text);
    if (ret_text && !*ret_text)
        *ret_text = slurm_xstrdup (text);
    return code;
}

static bool is_watched (const struct slurm_watch *watch, const char *list)
{
    size_t watched, others;
    slurm_watch_count (watch, list, &watched, &others);
    return watched > 0;
}

static bool is_mixed (const struct slurm_watch *watch, const char *list)
{
    size_t watched, others;
    slurm_watch_count (watch, list, &watched, &others);
    return watched > 0 && others > 0;
}

/* tori-slurm is the user of slurmctld, or root. */
static bool is_trusted (uint32_t uid)
{
    return uid == 0 || (&slurm_conf && uid == slurm_conf.slurm_user_id);
}

static bool is_list (const char *nodes)
{
    return nodes && *nodes;
}

/* The nodes of a reservation are kept free by tori, so Slurm may place jobs
 * there. */
static bool is_reserved (const job_desc_msg_t *job)
{
    return job->reservation && *job->reservation;
}

static uint32_t nodes_of (const job_desc_msg_t *job)
{
    return job->min_nodes == NO_VAL ? 0 : job->min_nodes;
}

static int refuse_job (const tori_error *err, char **ret_text)
{
    return deny_job (err->status == TORI_INVALID
                         ? ESLURM_INVALID_NODE_COUNT
                         : ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE,
                     err->text, ret_text);
}

/* ---- tasks ---- */

/* Newer commands give the tasks of each node alone. */
static uint32_t tasks_of (const job_desc_msg_t *job, uint32_t nodes)
{
    bool counts = job->num_tasks != NO_VAL && job->num_tasks > 0;
    bool each = job->ntasks_per_node != NO_VAL16 && job->ntasks_per_node > 0;
    return counts             ? job->num_tasks
           : each && nodes > 0 ? job->ntasks_per_node * nodes
                               : 1;
}

/* How many nodes its tasks need at least; 0: one is enough, as far as is
 * known. */
static int count_nodes (const job_desc_msg_t *job, uint32_t tasks,
                        uint32_t *ret_nodes, tori_error *err)
{
    uint32_t each = job->cpus_per_task == NO_VAL16 ? 1 : job->cpus_per_task;
    uint32_t most = UINT32_MAX, cpus;
    *ret_nodes = 0;
    if (job->ntasks_per_node != NO_VAL16 && job->ntasks_per_node > 0)
        most = job->ntasks_per_node;
    cpus = (job->overcommit == NO_VAL8 || job->overcommit == 0)
                   && (tasks > 1 || each > 1)
               ? controller_cpus ()
               : 0;
    if (cpus > 0 && each > cpus)
        return tori_error_set (err, TORI_NEVER,
                               "a task asks for %u processors, but no node "
                               "has more than %u",
                               each, cpus);
    if (cpus > 0 && each > 0 && cpus / each < most)
        most = cpus / each;
    *ret_nodes = tasks / most + (tasks % most > 0);
    return 0;
}

/* From these, sbatch makes a number of tasks if none is given. */
static bool has_sockets (const job_desc_msg_t *job)
{
    return job->sockets_per_node != NO_VAL16
           || job->cores_per_socket != NO_VAL16
           || job->threads_per_core != NO_VAL16;
}

/* Whether a job with so many nodes has room for its tasks. */
static int check_tasks (const job_desc_msg_t *job, uint32_t tasks,
                        uint32_t needed, uint64_t nodes, tori_error *err)
{
    return needed <= nodes
               ? 0
               : tori_error_set (err, TORI_INVALID,
                                 "the %u tasks of the job%s need %u nodes, "
                                 "but it asks for %llu",
                                 tasks,
                                 has_sockets (job)
                                     ? ", which Slurm makes of sockets, cores "
                                       "and threads if -n is not given,"
                                     : "",
                                 needed, (unsigned long long)nodes);
}

/* ---- partitions ---- */

/* Whether the machine, and the partitions that are listed, could hold it.
 * `asked`: how many nodes the rule made a box of, or 0. */
static int check_room (const struct slurm_watch *watch,
                       const tori_request *request, uint32_t asked,
                       const char *partitions, tori_error *err)
{
    uint32_t most = controller_part (partitions).nodes;
    if (slurm_watch_check (watch, request, err) < 0)
        return -1;
    return most > 0 ? slurm_ask_room (request, asked, partitions, most, err)
                    : 0;
}

/* Whether MaxNodes of its partitions lets it have so many nodes. A QOS may let
 * it have more than that, which Slurm knows. */
static int check_most (const job_desc_msg_t *job, const tori_request *request,
                       bool ruled, const char *partitions, tori_error *err)
{
    uint32_t most = controller_part (partitions).most;
    uint64_t nodes = tori_request_nodes (request);
    if (most == 0 || nodes <= most || job->qos)
        return 0;
    if (!ruled || nodes == nodes_of (job))
        return tori_error_set (err, TORI_NEVER,
                               "partition %.80s lets a job have at most %u "
                               "nodes, but the job asks for %llu",
                               partitions, most, (unsigned long long)nodes);
    return tori_error_set (err, TORI_NEVER,
                           "partition %.80s lets a job have at most %u nodes, "
                           "but a box for %u nodes has %llu",
                           partitions, most, nodes_of (job),
                           (unsigned long long)nodes);
}

/* The job's needs of each node, as Slurm will have them in its record. */
static slurm_job_info_t record_of (const job_desc_msg_t *job)
{
    return (slurm_job_info_t){.features = job->features,
                              .exc_nodes = job->exc_nodes,
                              .pn_min_cpus = job->pn_min_cpus,
                              .pn_min_memory = job->pn_min_memory,
                              .pn_min_tmp_disk = job->pn_min_tmp_disk,
                              .num_tasks = job->num_tasks,
                              .num_cpus = job->min_cpus,
                              .cpus_per_task = job->cpus_per_task,
                              .ntasks_per_node = job->ntasks_per_node,
                              .sockets_per_node = job->sockets_per_node,
                              .cores_per_socket = job->cores_per_socket,
                              .threads_per_core = job->threads_per_core,
                              .tres_per_node = job->tres_per_node,
                              .tres_per_task = job->tres_per_task,
                              .tres_per_socket = job->tres_per_socket,
                              .tres_per_job = job->tres_per_job,
                              .cpus_per_tres = job->cpus_per_tres,
                              .mem_per_tres = job->mem_per_tres};
}

/* Whether enough nodes have what it asks for, by the file of tori-slurm. */
static int check_kinds (const job_desc_msg_t *job, const tori_request *request,
                        const char *partitions, tori_error *err)
{
    const char *folder = &slurm_conf ? slurm_conf.state_save_location : NULL;
    slurm_job_info_t record = record_of (job);
    struct slurm_task task = {.record = &record, .ask = *request};
    struct needs needs;
    char path[4096];
    if (!folder)
        return 0;
    snprintf (path, sizeof path, "%s/" KINDS_FILE, folder);
    needs_read (&task, &needs);
    return kinds_check (path, partitions, &needs, nodes_of (job), err);
}

/* ---- submissions ---- */

/* The comment gets the shape that the site's rule has made of a number of
 * nodes. */
static void set_comment (const struct slurm_watch *watch, job_desc_msg_t *job,
                         const tori_request *request)
{
    char *comment = slurm_ask_comment (request, watch->shaping, watch->boxes,
                                       job->comment);
    if (!comment)
        return;
    slurm_xfree ((void **)&job->comment);
    job->comment = slurm_xstrdup (comment);
    free (comment);
}

/* Its request: a shape, or a number of nodes, which its tasks may raise as far
 * as it allows. */
static int read_size (job_desc_msg_t *job, tori_request *request,
                      tori_error *err)
{
    uint32_t nodes = nodes_of (job), needed, tasks;
    if (slurm_ask_parse (job->comment, nodes, request, err) < 0)
        return -1;
    tasks = tasks_of (job, (uint32_t)tori_request_nodes (request));
    if (count_nodes (job, tasks, &needed, err) < 0)
        return -1;
    if (request->shape.ndims > 0)
        return check_tasks (job, tasks, needed, tori_request_nodes (request),
                            err);
    if (needed <= request->count)
        return 0;
    if (job->max_nodes != NO_VAL && job->max_nodes > 0
        && check_tasks (job, tasks, needed, job->max_nodes, err) < 0)
        return -1;
    request->count = needed;
    job->min_nodes = needed;
    return 0;
}

/* A box has so many nodes. Its processors and tasks are those of a job that
 * asks for this number: sbatch counts them for a single node if it is not
 * given. */
static void set_box (job_desc_msg_t *job, uint32_t nodes)
{
    bool each = job->ntasks_per_node != NO_VAL16 && job->ntasks_per_node > 0;
    bool shared = job->overcommit != NO_VAL8 && job->overcommit > 0;
    uint32_t per_task = job->cpus_per_task == NO_VAL16 ? 1 : job->cpus_per_task;
    uint32_t tasks, cpus;
    if (each && nodes_of (job) <= 1 && job->num_tasks == job->ntasks_per_node)
        job->num_tasks *= nodes;
    tasks = tasks_of (job, nodes);
    cpus = shared ? nodes : (tasks > nodes ? tasks : nodes) * per_task;
    if (job->min_cpus == NO_VAL || job->min_cpus < cpus)
        job->min_cpus = cpus;
    job->min_nodes = job->max_nodes = nodes;
}

/* A job that gives a number of nodes gets a shape, if the site has a rule for
 * it. A job that gives a shape need not give the number of nodes. */
static int check_size (const struct slurm_watch *watch, job_desc_msg_t *job,
                       const char *partitions, char **ret_text)
{
    tori_request request;
    tori_error err;
    bool ruled;
    if (read_size (job, &request, &err) < 0)
        return refuse_job (&err, ret_text);
    ruled = nodes_of (job) > 0 && slurm_watch_shape (watch, &request);
    if (check_room (watch, &request, ruled ? nodes_of (job) : 0, partitions,
                    &err)
            < 0
        || check_most (job, &request, ruled, partitions, &err) < 0
        || check_kinds (job, &request, partitions, &err) < 0)
        return refuse_job (&err, ret_text);
    if (ruled)
        set_comment (watch, job, &request);
    if (request.shape.ndims > 0)
        set_box (job, (uint32_t)tori_request_nodes (&request));
    return SLURM_SUCCESS;
}

/* ---- options that tori does not follow ---- */

static bool is_heterogeneous (const job_desc_msg_t *job)
{
    return job->het_job_offset != NO_VAL;
}

/* The library sets the session of a job that it submits, but not of one that
 * it only asks about. */
static bool is_question (const job_desc_msg_t *job)
{
    return job->alloc_sid == NO_VAL;
}

static bool has_switches (const job_desc_msg_t *job)
{
    return job->req_switch != NO_VAL && job->req_switch > 0;
}

static bool is_contiguous (const job_desc_msg_t *job)
{
    return job->contiguous != NO_VAL16 && job->contiguous > 0;
}

static bool is_spread (const job_desc_msg_t *job)
{
    return job->bitflags != NO_VAL64 && (job->bitflags & SPREAD_JOB);
}

/* Counts, or features of which all nodes have the same. */
static bool has_counts (const job_desc_msg_t *job)
{
    return (job->features && strpbrk (job->features, "[]*"))
           || (job->prefer && strpbrk (job->prefer, "[]*"));
}

static bool has_batch_features (const job_desc_msg_t *job)
{
    return is_list (job->batch_features);
}

static bool has_segments (const job_desc_msg_t *job)
{
#if SLURM_IS_SINCE(24, 5)
    return job->segment_size != NO_VAL16 && job->segment_size > 0;
#else
    return false;
#endif
}

/* With seconds, it is the command that waits. */
static bool is_immediate (const job_desc_msg_t *job)
{
    return job->immediate == 1;
}

static const struct {
    bool (*asks) (const job_desc_msg_t *job);
    const char *text;
    bool later; /* a job that waits may be changed to ask for it, too */
} refusals[] = {
    {is_heterogeneous, "tori places no heterogeneous jobs: submit their parts "
                       "as jobs of their own"},
    {is_question,
     "only tori knows when a job of this partition would start: --test-only "
     "cannot be used, but tori submit --test-only --time TIME --shape SHAPE "
     "-- true can"},
    {is_immediate, "jobs of this partition wait for tori: --immediate cannot "
                   "be used, but with seconds it can, such as --immediate=9"},
    {has_switches, "tori places by the links of nodes: --switches cannot be "
                   "used, but --comment=tori:shape=SHAPE can", true},
    {has_segments, "tori places by the links of nodes: --segment cannot be "
                   "used, but --comment=tori:shape=SHAPE can"},
    {is_contiguous, "tori places by the links of nodes: --contiguous cannot "
                    "be used, but --comment=tori:shape=SHAPE can", true},
    {has_counts, "tori looks for nodes that all have what the job asks for: "
                 "--constraint and --prefer cannot have counts or brackets, "
                 "but & and | can be used", true},
    {has_batch_features, "tori looks for nodes that all have what the job "
                         "asks for: --batch cannot be used", true},
    {is_spread, "tori chooses the nodes of this partition: --spread-job "
                "cannot be used"},
};

/* Why a submission, or later a change, asks for what cannot be had, or NULL. */
static const char *find_refusal (const job_desc_msg_t *job, bool later)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        if ((!later || refusals[i].later) && refusals[i].asks (job))
            return refusals[i].text;
    return NULL;
}

static int check_job (const struct slurm_watch *watch, job_desc_msg_t *job,
                      const char *partitions, char **ret_text)
{
    const char *text = find_refusal (job, false);
    if (text)
        return deny_job (ESLURM_NOT_SUPPORTED, text, ret_text);
    if (is_mixed (watch, partitions))
        return deny_job (
            ESLURM_INVALID_PARTITION_NAME,
            "a partition that tori places cannot be named together "
            "with others",
            ret_text);
    if (is_list (job->req_nodes))
        return deny_job (
            ESLURM_INVALID_NODE_NAME,
            "tori chooses the nodes of this partition: --nodelist "
            "cannot be used, but --exclude can",
            ret_text);
    return check_size (watch, job, partitions, ret_text);
}

/* All jobs of these partitions are held in Slurm. A hold of the user is a word
 * in the comment. */
static void set_hold (job_desc_msg_t *job, const char *comment, bool hold)
{
    char *text = slurm_ask_hold (comment, hold);
    if (!text)
        return;
    slurm_xfree ((void **)&job->comment);
    job->comment = slurm_xstrdup (text);
    free (text);
}

int job_submit (job_desc_msg_t *job, uint32_t uid, char **ret_text)
{
    const char *partitions = job->partition;
    struct slurm_watch watch;
    int status = SLURM_SUCCESS;
    if (!partitions && &default_part_name)
        partitions = default_part_name;
    if (!have_watch (&watch))
        return SLURM_SUCCESS;
    if (is_watched (&watch, partitions) && !is_reserved (job)) {
        status = check_job (&watch, job, partitions, ret_text);
        if (status == SLURM_SUCCESS && job->priority == 0)
            set_hold (job, job->comment, true);
        if (status == SLURM_SUCCESS) {
            job->priority = 0;
            if (&slurm_conf)
                slurm_wake (slurm_conf.state_save_location, NEWS_JOB);
        }
    }
    slurm_watch_clear (&watch);
    return status;
}

/* ---- changes ---- */

/* All strings of the environment are in one block, the block of the first; a
 * description from elsewhere has a block for each. */
static void free_copy (job_desc_msg_t *copy)
{
    if (copy->environment) {
        slurm_xfree ((void **)&copy->environment[0]);
        slurm_xfree ((void **)&copy->environment);
        copy->env_size = 0;
    }
    slurm_free_job_desc_msg (copy);
}

/* As much for each node as before, if it is not given. */
static void scale_amount (uint32_t *much, uint32_t was, uint32_t nodes,
                          uint32_t nodes_before)
{
    if (*much == NO_VAL && was != NO_VAL && was > 0 && nodes_before > 0)
        *much = (uint32_t)(((uint64_t)was * nodes + nodes_before - 1)
                           / nodes_before);
}

static void set_nodes (job_desc_msg_t *job, const job_desc_msg_t *was,
                       uint32_t nodes)
{
    job->min_nodes = job->max_nodes = nodes;
    scale_amount (&job->min_cpus, was->min_cpus, nodes, nodes_of (was));
    scale_amount (&job->num_tasks, was->num_tasks, nodes, nodes_of (was));
}

/* Another shape brings its number of nodes along, unless that is given. */
static int check_shape (const struct slurm_watch *watch, job_desc_msg_t *job,
                        const job_desc_msg_t *was, char **ret_text)
{
    const char *comment = job->comment ? job->comment : was->comment;
    bool told = !job->comment || job->min_nodes != NO_VAL;
    uint32_t nodes = nodes_of (job->min_nodes == NO_VAL ? was : job);
    tori_request request;
    tori_error err;
    if (slurm_ask_parse (comment, told ? nodes : 0, &request, &err) < 0)
        return refuse_job (&err, ret_text);
    if (job->comment && slurm_ask_patience (job->comment)
        && slurm_ask_patience (job->comment)
               != slurm_ask_patience (was->comment))
        return deny_job (ESLURM_ACCESS_DENIED,
                         "how long a job waits for its shape is said when it "
                         "is submitted",
                         ret_text);
    if (request.shape.ndims == 0)
        request.count = nodes;
    if (check_room (watch, &request, 0,
                    job->partition ? job->partition : was->partition, &err)
        < 0)
        return refuse_job (&err, ret_text);
    if (!told && request.shape.ndims > 0)
        set_nodes (job, was, (uint32_t)tori_request_nodes (&request));
    return SLURM_SUCCESS;
}

/* Whether a change of the priority is a hold by the user of a job that waits,
 * or its end; the job stays held in Slurm. */
static bool takes_hold (job_desc_msg_t *job, const job_desc_msg_t *was)
{
    bool hold = job->priority == 0;
    if (was->priority != 0 || (!hold && !slurm_ask_held (was->comment)))
        return false;
    set_hold (job, job->comment ? job->comment : was->comment, hold);
    job->priority = NO_VAL;
    return true;
}

/* `was` is the job as it is. */
static int check_change (const struct slurm_watch *watch, job_desc_msg_t *job,
                         const job_desc_msg_t *was, char **ret_text)
{
    const char *text = find_refusal (job, true);
    if (!is_watched (watch, was->partition)
        || (is_reserved (was) && !job->reservation))
        return SLURM_SUCCESS;
    if (job->priority == NO_VAL && job->comment
        && slurm_ask_held (was->comment))
        set_hold (job, job->comment, true);
    if (job->priority != NO_VAL && !takes_hold (job, was))
        return deny_job (ESLURM_ACCESS_DENIED,
                         "jobs of this partition are released by tori",
                         ret_text);
    if (job->nice != NO_VAL && was->priority == 0)
        return deny_job (ESLURM_ACCESS_DENIED,
                         "another nice value would release the job", ret_text);
    if (job->req_nodes)
        return deny_job (ESLURM_ACCESS_DENIED,
                         "tori chooses the nodes of this partition", ret_text);
    if (job->reservation)
        return deny_job (ESLURM_ACCESS_DENIED,
                         "a job of this partition stays with or without its "
                         "reservation: submit it again",
                         ret_text);
    if (text && !job->partition)
        return deny_job (ESLURM_NOT_SUPPORTED, text, ret_text);
    return check_shape (watch, job, was, ret_text);
}

/* Only some changes matter here: others cost nothing. */
static bool is_relevant (const job_desc_msg_t *job)
{
    return job->priority != NO_VAL || job->nice != NO_VAL
           || job->min_nodes != NO_VAL || job->req_nodes || job->comment
           || job->reservation || job->partition
           || find_refusal (job, true);
}

/* It goes to a partition that tori does not place: it need not wait for tori,
 * and the reason for waiting is removed from its comment. */
static void let_go (const struct slurm_watch *watch, job_desc_msg_t *job,
                    const job_desc_msg_t *was)
{
    const char *said = job->comment ? job->comment : was->comment;
    char *own;
    if (!job->partition || was->priority != 0 || is_reserved (was)
        || !is_watched (watch, was->partition))
        return;
    if (slurm_ask_held (said)) {
        set_hold (job, said, false);
        said = job->comment;
    } else
        job->priority = INFINITE;
    own = said ? slurm_ask_remark (said, NULL) : NULL;
    if (own && strcmp (own, said)) {
        slurm_xfree ((void **)&job->comment);
        job->comment = slurm_xstrdup (own);
    }
    free (own);
}

static int check_user (const struct slurm_watch *watch, job_desc_msg_t *job,
                       const void *record, char **ret_text)
{
    job_desc_msg_t *was;
    int status;
    if (is_watched (watch, job->partition))
        return deny_job (
            ESLURM_ACCESS_DENIED,
            "a job cannot be moved to a partition that tori places: "
            "submit it there",
            ret_text);
    if (!is_relevant (job))
        return SLURM_SUCCESS;
    was = copy_job_record_to_job_desc (record);
    status = check_change (watch, job, was, ret_text);
    if (status == SLURM_SUCCESS)
        let_go (watch, job, was);
    free_copy (was);
    return status;
}

/* tori-slurm asks what priority Slurm would give to a job that is held. */
static void answer_priority (job_desc_msg_t *job, const void *record)
{
    static const char question[] = "priority=?";
    char *comment = job->admin_comment, *text;
    char *at = comment ? strstr (comment, question) : NULL;
    const char *type = &slurm_conf ? slurm_conf.priority_type : NULL;
    if (!at || !type || !strstr (type, "multifactor") || !&priority_g_set
        || asprintf (&text, "%.*spriority=%u%s", (int)(at - comment), comment,
                     priority_g_set (0, (void *)(uintptr_t)record),
                     at + sizeof question - 1)
               < 0)
        return;
    slurm_xfree ((void **)&job->admin_comment);
    job->admin_comment = slurm_xstrdup (text);
    free (text);
}

/* slurmctld looks for jobs to start once per second. When tori-slurm releases
 * one, its scheduler is woken, and waits only for the end of this change. */
static void wake_scheduler (const job_desc_msg_t *job)
{
    if (job->priority == INFINITE && is_list (job->req_nodes) && &schedule)
        schedule (false);
}

/* A comment with a remark is from tori-slurm, and its user may have changed the
 * rest since tori-slurm read it: that stays as it is now. With another number
 * of nodes, the shape is meant to be another. */
static void keep_words (job_desc_msg_t *job, const void *record)
{
    job_desc_msg_t *was;
    char *text = slurm_ask_renew (NULL, job->comment);
    bool remarks = text && job->min_nodes == NO_VAL;
    free (text);
    if (!remarks)
        return;
    was = copy_job_record_to_job_desc (record);
    text = slurm_ask_renew (was->comment, job->comment);
    if (text) {
        slurm_xfree ((void **)&job->comment);
        job->comment = slurm_xstrdup (text);
    }
    free (text);
    free_copy (was);
}

int job_modify (job_desc_msg_t *job, const void *record,
                uint32_t uid MODIFY_TEXT)
{
    struct slurm_watch watch;
    int status;
    if (is_trusted (uid)) {
        keep_words (job, record);
        answer_priority (job, record);
        wake_scheduler (job);
    }
    if (is_trusted (uid) || !have_watch (&watch))
        return SLURM_SUCCESS;
    status = check_user (&watch, job, record, MODIFY_TEXT_OR_NULL);
    slurm_watch_clear (&watch);
    return status;
}

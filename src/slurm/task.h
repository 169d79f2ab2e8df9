/* task.h - a job of Slurm, or one task of an array, as torid sees it.
 *
 * All that has to outlive this program is in Slurm: the update that releases a
 * job also writes its tag, "tori:JOB.ATTEMPT.RESTART.SUBMIT.LIFE", into the
 * comment of the administrator. So the tag identifies a job that was released
 * by torid's order, and the count of its restarts a job that Slurm has
 * requeued since. The time of its submission distinguishes jobs to which Slurm
 * gave the same number, as it does when it has lost its state.
 *
 * A job that runs again is the same job of torid, so it keeps its key, which
 * has the time of its first submission and its life. While it waits, JOB and
 * ATTEMPT are 0. If torid's job is over by then, it gets another life. So it
 * does if it ran without torid's order, as the count of its restarts tells.
 *
 * If Slurm did not start a job where torid had put it, the tag has the reason
 * as well: "tori:0.0.0.SUBMIT.LIFE.WANT BadConstraints".
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TORI_SLURM_TASK_H
#define TORI_SLURM_TASK_H

#include <stdbool.h>
#include <time.h>

#include <jansson.h>
#include <slurm/slurm.h>
#include <tori/alloc.h>

enum { TASK_TEXT = 128, TASK_REASON = 40 };

struct tag {
    int64_t job, attempt, restart; /* job 0: torid has not released it */
    int64_t submit, life;          /* of its key; submit 0: not yet */
    int64_t want;             /* task_want, if Slurm can never start that */
    char reason[TASK_REASON]; /* why Slurm did not start it, or "" */
};

void tag_format (const struct tag *tag, char text[TASK_TEXT]);

enum task_phase {
    PHASE_HELD,     /* not for torid: task_bar has the reason */
    PHASE_WAITING,  /* held for torid to place it */
    PHASE_RELEASED, /* by torid; Slurm has not started it yet */
    PHASE_REVOKED,  /* released, and held again by a user */
    PHASE_RUNNING,
    PHASE_LEAVING, /* its nodes are not free yet */
    PHASE_ENDED,
    PHASE_REQUEUED, /* by Slurm, after torid or Slurm has started it */
    PHASE_LOOSE,    /* held, but with a priority: its nice value changed */
    PHASE_STRAY,    /* Slurm places it: it runs, and torid has not started it,
                       or it waits for a reservation */
    PHASE_DROPPED   /* over, and torid has not started it */
};

struct slurm_task {
    const slurm_job_info_t *record;
    char name[TASK_TEXT]; /* as Slurm knows it: "12" or "12_3" */
    char key[TASK_TEXT];  /* as torid does: with life and submission */
    struct tag tag;
    enum task_phase phase;
    const char *bar;  /* for a held job: why, or NULL */
    tori_request ask; /* its request */
    bool ruled;       /* its shape comes from the rule of tori.conf */
    bool boxes;       /* other boxes of as many nodes will do, too */
    bool odd;         /* its comment is not understood */
    bool speaks;   /* for its record: the first of the tasks that share one */
    bool mistaken; /* Slurm itself says that an administrator holds it */
};

/* Call a function for every job, and for every task of an array whether or not
 * it is a job of its own yet. `in_turn`: Slurm's scheduler goes through all
 * jobs, also those that are held (sched/builtin). */
typedef void task_fn (void *arg, const struct slurm_task *task);
void tasks_each (const job_info_msg_t *all, bool in_turn, task_fn *each,
                 void *arg);

/* The same for those that hold nodes, and for those whose key may be this one:
 * Slurm keeps jobs that have ended for a while, and may have many. */
void tasks_each_placed (const job_info_msg_t *all, bool in_turn, task_fn *each,
                        void *arg);
void tasks_each_of (const job_info_msg_t *all, bool in_turn, const char *key,
                    task_fn *each, void *arg);

/* Whether it holds nodes, and whether torid has given it these. */
bool task_has_nodes (const struct slurm_task *task);
bool task_is_ours (const struct slurm_task *task);

/* Whether an administrator holds it. Holds of job_submit/tori and of this
 * program are user holds in Slurm. So are those of `scontrol requeuehold`, but
 * this program marks a job that it requeues itself with TASK_AGAIN, as the
 * reason of its tag. */
#define TASK_AGAIN "again"
bool task_is_kept (const struct slurm_task *task);

/* Why it is not for torid to place, if it is not. */
void task_bar (const struct slurm_task *task, char text[TASK_TEXT]);

/* Whether it is suspended, and whether Slurm can run it again: batch jobs that
 * allow it. */
bool task_sleeps (const struct slurm_task *task);
bool task_repeats (const struct slurm_task *task);

/* The tag of a job that waits to run again, or of a job that runs as this
 * attempt (0: of no job). */
struct tag task_tag (const struct slurm_task *task, int64_t job,
                     int64_t attempt);

/* Its requirements for nodes, as a number that is not 0; and Slurm's reason
 * why it waits. */
int64_t task_want (const slurm_job_info_t *record);
void task_reason (const slurm_job_info_t *record, char reason[TASK_REASON]);

/* The members for torid; `user` is whose it is. `otherwise` is the estimate, in seconds, for a job
 * without a limit. */
json_int_t task_estimate (const struct slurm_task *task, json_int_t otherwise);

/* Its request, as members of a message; and the submission, with what it takes
 * instead on this machine. */
json_t *task_size (const struct slurm_task *task);
json_t *task_submission (const struct slurm_task *task, const char *user,
                         const tori_machine *machine, json_int_t priority,
                         json_int_t otherwise);

/* A message about the attempt in its tag. The key tells torid whether that
 * attempt is its own: numbers begin anew after its state was removed. */
json_t *task_message (const char *is, const struct slurm_task *task);

/* The message that it runs, and since when. */
json_t *task_start (const struct slurm_task *task);

/* The message of its end: `is` "ended", with status, signal, time and a
 * reason. */
json_t *task_ending (const struct slurm_task *task);

#endif

/* task.h - a job of Slurm, or one task of an array, as torid sees it.
 *
 * All that has to outlive this program is in Slurm: the update that releases a
 * job also writes its tag, "tori:JOB.ATTEMPT.RESTART.SUBMIT.LIFE", into the
 * comment of the administrator. So a job that was released by torid's order is
 * known by it, and one that Slurm has requeued since by the count of its
 * restarts. The time of its submission tells jobs apart to which Slurm gave
 * the same number, as it does when it has lost its state.
 *
 * One that runs again is the same job of torid, so it keeps its key, which has
 * the time of its first submission and its life. While it waits, JOB and
 * ATTEMPT are 0. If torid's job is over by then, it gets another life.
 *
 * One that Slurm did not start where torid had put it has the reason there as
 * well: "tori:0.0.0.SUBMIT.LIFE.WANT BadConstraints".
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
    char reason[TASK_REASON]; /* for which Slurm did not start it, or "" */
};

struct tag tag_parse (const char *text);
void tag_format (const struct tag *tag, char text[TASK_TEXT]);

enum task_phase {
    PHASE_HELD,     /* not for torid: task_bar says why */
    PHASE_WAITING,  /* held for torid to place it */
    PHASE_RELEASED, /* by torid; Slurm has not started it yet */
    PHASE_REVOKED,  /* released, and held again by somebody */
    PHASE_RUNNING,
    PHASE_LEAVING, /* its nodes are not free yet */
    PHASE_ENDED,
    PHASE_REQUEUED, /* by Slurm, after torid has started it */
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
    const char *bar; /* of one that is held: why, or NULL */
    tori_request ask; /* what it asks for */
    bool odd;         /* its comment is not understood */
    bool speaks; /* for its record: of tasks that share one, the first does */
};

/* Call a function for every job, and for every task of an array whether or not
 * it is a job of its own yet. */
typedef void task_fn (void *arg, const struct slurm_task *task);
void tasks_each (const job_info_msg_t *all, task_fn *each, void *arg);

/* Whether it holds nodes, and whether torid has given it these. */
bool task_has_nodes (const struct slurm_task *task);
bool task_is_ours (const struct slurm_task *task);

/* Whether an administrator holds it. Holds of job_submit/tori and of this
 * program are, for Slurm, those of its user. */
bool task_is_kept (const struct slurm_task *task);

/* Why it is not for torid to place, if it is not. */
void task_bar (const struct slurm_task *task, char text[TASK_TEXT]);

/* Whether it is suspended, and whether Slurm can run it again: batch jobs that
 * allow it. */
bool task_sleeps (const struct slurm_task *task);
bool task_repeats (const struct slurm_task *task);

/* The tag of one that waits to run again, or of one that runs as this attempt
 * (0: of no job). */
struct tag task_tag (const struct slurm_task *task, int64_t job,
                     int64_t attempt);

/* What it wants of its nodes, as a number that is not 0; and Slurm's word for
 * why it waits. */
int64_t task_want (const slurm_job_info_t *record);
void task_reason (const slurm_job_info_t *record, char reason[TASK_REASON]);

/* What torid is told of it. `otherwise` is the estimate, in seconds, of one
 * that has no limit. */
json_int_t task_estimate (const struct slurm_task *task, json_int_t otherwise);

/* What it asks for, as members of a message; and the submission. */
json_t *task_size (const struct slurm_task *task);
json_t *task_submission (const struct slurm_task *task, json_int_t priority,
                         json_int_t otherwise);

/* A message about the attempt that its tag names. The key tells torid whether
 * that is one of its own: numbers begin anew where its state was removed. */
json_t *task_message (const char *is, const struct slurm_task *task);

/* That it runs, and since when. */
json_t *task_start (const struct slurm_task *task);

/* How it ended: `is` "ended", with status, signal, time and a word why. */
json_t *task_ending (const struct slurm_task *task);

#endif

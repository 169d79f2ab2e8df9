/* job.h - a job as the service knows it. */
#ifndef TORI_SERVICE_JOB_H
#define TORI_SERVICE_JOB_H

#include <jansson.h>

#include <tori/forecast.h>

#include "attempt_state.h"
#include "jobmembers.h"

enum job_state { JOB_QUEUED, JOB_RUNNING, JOB_ENDED };

struct after {
    uint64_t id;
    tori_after_kind kind;
};

/* The jobs that a job, or each job of an array, waited for when it was
 * submitted, by id. An array shares one list. */
struct after_list {
    size_t refs, jobs;    /* users of the list; jobs that have it */
    uint64_t first, last; /* the ids of those that had it first */
    size_t n;
    struct after all[];
};

/* With room for so many, or NULL without memory; and one user less. */
struct after_list *after_make (size_t n);
void after_drop (struct after_list *list);

void after_sort (struct after_list *list);

/* The position of the first entry with this id or a higher one. */
size_t after_find (const struct after_list *list, uint64_t id);

/* The limit that a job waits for. */
enum limit {
    LIMIT_NONE,
    LIMIT_USER_JOBS,
    LIMIT_USER_NODES,
    LIMIT_QUEUE_JOBS,
    LIMIT_QUEUE_NODES,
    LIMIT_PAIR_JOBS, /* of a user in a queue */
    LIMIT_PAIR_NODES,
    LIMIT_HOURS /* the queue is closed now */
};

/* How a job counts for its user and its queue. */
struct presence {
    int64_t queued, running, nodes;
    int64_t suspended; /* of those that run */
    int64_t kept; /* nodes of a suspended job, which it may get back */
};

/* A time that a job has had its nodes; or several, if there were many. */
struct job_run {
    tori_time start, end;
    tori_time elapsed; /* less than that if it was not there in between */
    double node_seconds;
};

struct stored;

struct service_job {
    uint64_t id;
    char *user;
    json_t *live;        /* what became of it elsewhere (shadow.c), or NULL */
    char *key;           /* in the queue of the executor, or NULL */
    struct job_ask *ask; /* the submission; */
    struct stored *stored; /* what it takes (stored.c), until it has ended */
    tori_job number;       /* in the scheduler, until it has ended */
    enum job_state state;
    uint32_t attempt;  /* starts so far */
    uint32_t epoch;    /* of the last one; 0: none, or before there were any */
    uint32_t tries;    /* of these, that have failed since one began */
    uint32_t requeues; /* because the machine failed under it */
    enum attempt_state life; /* of the last one */
    bool unlisted;  /* the executor was asked for its list before the last
                       attempt was ordered */
    bool cancelled; /* by its user, when the executor had the last attempt */
    bool suspended; /* it waits to continue where it was */
    tori_time submit, start, end;
    tori_time since; /* for a running job: the scheduler counts from then on */
    tori_time done, lost, saved; /* as in tori/sched.h */
    tori_placement place;        /* if it runs, ran, or is suspended */
    tori_placement left; /* where an attempt that is leaving has its nodes */
    bool planned;        /* it has a planned start: */
    tori_time planned_at;
    tori_placement planned_place; /* empty for a number of nodes */
    uint64_t seen;                /* planned_starts.c */
    int status, signal;           /* if it has ended; -1: none */
    bool unknown; /* it has ended, and there is no telling how */
    char *why; /* the reason if it did not end by itself, or if it is held by
                  the executor or suspended by its user; or NULL */
    char *requeue_reason; /* why it was last requeued, or NULL */
    char *move_reason;    /* why it was last moved, or NULL */
    char *stop_reason;    /* the reason given when it was cancelled or
                             suspended, or NULL */
    struct job_run *runs; /* runs.c, once it has run more than once */
    size_t nruns;

    bool held;                /* by its user */
    struct after_list *after; /* or NULL; so many have not ended yet: */
    size_t nafter;
    struct after_list **waiters; /* lists of jobs that wait for it, by id; so
                                    many of them are not used any more: */
    size_t nwaiters, waiters_room, gone;
    bool releasing;       /* it has ended, and not all of them know */
    uint64_t array;       /* the id of the first of its array, or 0 */
    uint32_t index;       /* in that */
    uint32_t array_limit; /* how many of it may be under way at once; 0: any */
    bool waits_for_array; /* it waits for others of the array */
    uint64_t mark;        /* job_hash when it was last looked at */
    int64_t nodes;        /* that it may get at most */
    tori_time earliest;   /* it does not start before */
    enum limit limit;     /* see limit_queue.c */
    struct limit_row *row; /* that it is in, or NULL: */
    int64_t rank;          /* by this priority */
    uint64_t looked;       /* the last review that reached it: limit_queue.c */
    struct presence counted;
    int64_t priority; /* as the scheduler has it */
};

/* Frees it and all that it has. NULL is allowed. */
void job_destroy (struct service_job *job);

/* One job less has what its submission takes: whether it was the last one.
 * NULL is allowed. */
bool stored_drop (struct stored *stored);

/* Note a copy of why it ended or is held, or of why it was requeued, moved or
 * stopped. NULL is allowed. */
int job_say_why (struct service_job *job, const char *why, tori_error *err);
int job_say_requeued (struct service_job *job, const char *why,
                      tori_error *err);
int job_say_moved (struct service_job *job, const char *why, tori_error *err);
int job_say_stopped (struct service_job *job, const char *why,
                     tori_error *err);

/* It runs, and loses its nodes. An end need not be noted if it is the first:
 * the job has its start and its end. */
int job_end_run (struct service_job *job, tori_time end, tori_error *err);

/* The node-seconds of a job that has ended. */
double job_used (const struct service_job *job);

/* The runs of a job that has had more than one, with the current one, which has
 * no end; NULL without memory. Save them (NULL: none), and load them. */
json_t *job_runs_json (const struct service_job *job);
json_t *job_runs_save (const struct service_job *job);
int job_runs_load (struct service_job *job, const json_t *saved,
                   tori_error *err);

/* Whether it ended before a time, and can be forgotten. */
bool job_is_past (const struct service_job *job, tori_time before);

/* The jobs there are, by id. Zeroed, there are none. */
struct job_table {
    struct service_job **all;
    size_t n, room;
};

/* Add one with a higher id than all others; there is no way back. */
int job_table_add (struct job_table *jobs, struct service_job *job,
                   tori_error *err);

/* The one of this id, or NULL. */
struct service_job *job_table_find (const struct job_table *jobs, uint64_t id);

/* The position of the first with this id or a higher one. */
size_t job_table_from (const struct job_table *jobs, uint64_t id);

/* Forget those that ended before a time. */
void job_table_prune (struct job_table *jobs, tori_time before);
void job_table_clear (struct job_table *jobs);

/* Why it is held back, as the scheduler has it. */
tori_hold job_hold (const struct service_job *job);

/* A place: {"box": ...} or {"nodes": [...]}, of several boxes and on a pod all
 * that there is to know of it; NULL without memory. */
json_t *place_json (const tori_machine *machine, const tori_placement *place);

/* The same with all that there is to know of it, and back. */
json_t *place_save (const tori_machine *machine, const tori_placement *place);
int place_load (const json_t *saved, const tori_machine *machine,
                tori_placement *ret_place, tori_error *err);

/* Whether a job may be folded. */
bool spec_folds (const tori_job_spec *spec);

/* A member that is seconds; `otherwise` if there is none. */
tori_time seconds_read (const json_t *message, const char *key,
                        tori_time otherwise);

/* Set the members of the submission that have this flag (jobmembers.h), as
 * they hold for this job: in the names of files, %j is the id, %A that of the
 * first job of its array, %a the index in that, and %% is one %. */
void job_set_members (json_t *to, const struct service_job *job,
                      unsigned flag);

/* The public part of a job as JSON, with the reason why it waits, or NULL; NULL
 * without memory. If there is no machine, the start and the place, which may be
 * long, are left out. */
json_t *job_json (const struct service_job *job, const tori_machine *machine,
                  const char *reason);

/* All of it, and back: NULL without memory, or if it is not one. A submission
 * that is not there is left to the caller. A list that
 * was written before, for one of the same array, is not written again; *last
 * is the last one, which the caller has no part of. */
json_t *job_save (const struct service_job *job, const tori_machine *machine,
                  const struct after_list **last);
struct service_job *job_load (const json_t *saved, const tori_machine *machine,
                              struct after_list **last, tori_error *err);

/* Stir another value into a number that stands for several. */
uint64_t hash_mix (uint64_t hash, uint64_t value);

uint64_t place_hash (uint64_t hash, const tori_placement *place);

/* A number by which two states of it differ. */
uint64_t job_hash (const struct service_job *job);

#endif

/* bridge.h - the state of tori-slurm, and how it keeps torid informed.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TORI_SLURM_BRIDGE_H
#define TORI_SLURM_BRIDGE_H

#include "control.h"
#include "fits.h"
#include "jsonlines.h"
#include "nodemap.h"
#include "slurm_watch.h"
#include "user_names.h"

/* Changes of comments with each look: slurmctld has to serve others, too. */
enum { BRIDGE_CHANGES = 10 };

enum node_state { NODE_UNKNOWN, NODE_UP, NODE_DRAINED, NODE_DOWN };

enum bridge_question {
    ASK_NODES,
    ASK_RESERVATIONS,
    ASK_PARTITIONS,
    BRIDGE_QUESTIONS
};

struct bridge {
    const struct nodemap *map;
    const struct slurm_watch *watch; /* the partitions, and their rule */
    const char *conf; /* the file with these, which the plugin reads; or NULL */
    json_int_t estimate;             /* for jobs without a limit, in seconds */
    double patience; /* seconds within which a released job has to
                        start */
    job_info_msg_t *jobs;
    node_info_msg_t *nodes;
    reserve_info_msg_t *reserved;
    partition_info_msg_t *partitions;
    struct slurm_parts parts; /* the same, by nodes of the machine */
    struct slurm_fits *fits;  /* ... and by what jobs ask of nodes */
    json_t *windows; /* reservations and jobs of others, as torid knows them */
    unsigned char *covered; /* by id: nodes that are reserved or used by others
                               now */
    json_t *reasons;   /* by node: why it is out of service, if that is known;
                          ... */
    json_t *explained; /* ... and as reported to torid */
    json_t *told;      /* by key: each job as reported to torid */
    json_t *next;         /* the same, while jobs are looked at */
    unsigned char *node_states; /* by id: states of nodes, as reported to torid
                                   ... */
    unsigned char *news;  /* ... and as they are */
    struct lines lines;
    json_t *orders;  /* that have not been carried out yet */
    json_t *changed; /* by key: jobs that orders changed since the last look */
    json_t *remarks; /* by key: why jobs wait, as last sent by torid ... */
    bool remarked;   /* ... if it has sent any */
    int changes;     /* of comments, in this look */
    struct {
        bool known, computed; /* whether Slurm computes priorities, if that is
                                 known ... */
        bool in_turn;         /* ... or goes through all jobs in turn */
        double age, oldest;   /* the weight of age, and the age that counts
                                 most */
        json_int_t every;     /* seconds until it is asked again; 0: never */
    } ranks;
    struct {
        char *path; /* of the file for the plugin; NULL: not known yet */
        double confirmed;
        uint64_t digest;
        bool written, failed;
    } kinds;
    json_t *faults; /* mistakes in the description of Slurm, as reported
                       last */
    struct user_names *users;
    bool serves;    /* it has begun its work */
    bool shadow;  /* Slurm places; torid only watches ... */
    bool asked;   /* ... and has asked for the present state ... */
    time_t since; /* ... from this time on */
    bool begun;   /* everything was reported to torid once */
    double beat;  /* seconds between looks: --every */
    double asked_at[BRIDGE_QUESTIONS]; /* as standby_clock counts; 0: never */
    bool doubt;   /* the next look is at everything */
    bool again;   /* the next look is due: slurmctld has answered a question */
    int wake;     /* where slurmctld gives notice of news (slurm_wake.h), or
                     -1 */
    bool wakes;   /* it does so for all jobs that come and end */
    bool leaving; /* a job of torid's is about to leave its nodes */
    size_t waiting; /* jobs that torid has and has not released */
    bool alone;   /* torid is gone, or ... */
    bool hangs;   /* ... there, but silent */
    bool left;    /* ... and so is the tori-slurm that spoke to it, and knew
                     which jobs torid has suspended */
    void (*hear) (void *hearer, json_t *message); /* takes torid's place, or */
    void *hearer;                                 /* NULL */
    bool sharing; /* jobs take turns: gang.h */
};

int bridge_begin (struct bridge *bridge, tori_error *err);
void bridge_clear (struct bridge *bridge);

/* Ask Slurm for its state, and report changes to torid; returns as
 * control.h. */
int bridge_look (struct bridge *bridge, tori_error *err);

/* Its first part: ask Slurm. */
int bridge_load (struct bridge *bridge, tori_error *err);

/* Whether torid has started it or, in a shadow, knows of it. */
bool bridge_owns (const struct bridge *bridge, const struct slurm_task *task);

/* Call a function for every task of the watched partitions, or for those whose
 * key may be this one. */
void bridge_each (const struct bridge *bridge, task_fn *each, void *arg);
void bridge_each_of (const struct bridge *bridge, const char *key,
                     task_fn *each, void *arg);

/* Send a message, if anything listens. */
void bridge_say (struct bridge *bridge, json_t *message);

/* Report it again with the next look at Slurm. */
void bridge_forget (struct bridge *bridge, const char *key);

/* It has ended well, as torid knows, and slurmctld had forgotten that: it does
 * not run again, unless another job waits for its success. */
void bridge_bury (struct bridge *bridge, const char *key);

/* A waiting job has another partition now, which is not watched: true, and it
 * has another key if it comes back. */
bool bridge_send_off (const struct bridge *bridge, const char *key);

/* The partition that a job may use, with those of its nodes that have what the
 * job asks for, or NULL if it is not known; whether these are as many as the
 * job asks for, or TORI_NEVER, also in short; and whether all nodes of a list
 * of ids are among them. */
const struct slurm_part *bridge_part (const struct bridge *bridge,
                                      const struct slurm_task *task);
int bridge_room (const struct bridge *bridge, const struct slurm_task *task,
                 const char **ret_bar, tori_error *err);
bool bridge_has (const struct bridge *bridge, const struct slurm_task *task,
                 const json_t *ids);

/* Give a job whose shape the rule of tori.conf has chosen one that has a place
 * among these nodes, or their number. */
void bridge_reshape (const struct bridge *bridge, struct slurm_task *task);

/* Whether nodes are as a job prefers them. */
bool bridge_likes (const struct bridge *bridge, const struct slurm_task *task,
                   const json_t *ids);

/* The submission of a job, with the nodes that it may use if these are not
 * all. NULL while the name of its user is not known. */
json_t *bridge_submission (const struct bridge *bridge,
                           const struct slurm_task *task, const json_t *known);

/* Make a waiting job, or the tasks that share its record, another one for
 * torid, with another key; returns as control.h. */
int bridge_renew (const struct slurm_task *task, tori_error *err);

/* Keep in mind that a job was released, with this tag, since the last look. */
void bridge_note_release (struct bridge *bridge,
                          const struct slurm_task *task,
                          const struct tag *tag);

/* Print what went wrong with a job, by its name or key; and why torid has
 * declined it, unless somebody has cancelled it. */
void bridge_complain (const char *name, const char *what, const char *why);
void bridge_decline (const char *name, const char *why);

/* ---- steps.c ---- */

/* Compare what torid knows of a job with what Slurm says of it, and do what
 * follows from both: `arg` is the bridge. */
void bridge_reconcile (void *arg, const struct slurm_task *task);

/* Whether torid was told of a job: `known` is its entry in `told`. */
bool bridge_was_sent (const json_t *known);

/* A released job whose nodes are not available, or not for it, is held, and
 * placed anew. Returns as control.h. */
int bridge_take_back (struct bridge *bridge, const struct slurm_task *task,
                      const char *why);

/* ---- suspension.c ---- */

/* Suspend a job that runs, or let it continue, and keep it so: a slurmctld
 * that was killed may have forgotten. As control.h. */
int bridge_freeze (struct bridge *bridge, const struct slurm_task *task,
                   bool freeze);

/* Keep the job as it was ordered to be; called whenever a running job is
 * looked at. Members to remember go from one entry of `told` to the next. */
void bridge_keep (struct bridge *bridge, const struct slurm_task *task,
                  const json_t *known);
void bridge_keep_in_mind (json_t *entry, const json_t *known);

/* torid is gone: resume all jobs that it has suspended, each when no other job
 * runs on its nodes. */
void bridge_thaw (struct bridge *bridge);

/* ---- orders.c ---- */

/* Carry out one of torid's orders: 0, or 1 to try again later. */
int bridge_obey (struct bridge *bridge, const json_t *order);

/* Let Slurm place all waiting jobs that were held by the plugin, which holds
 * in these partitions now, or by torid. True if some of them still need
 * attention. */
bool bridge_open (struct bridge *bridge, const struct slurm_watch *held);

#endif

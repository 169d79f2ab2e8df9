/* service.h - the service as a state machine: it has no clock, reads no file
 * and has no connections.
 *
 *     service_do (service, now, input, &reply, &err);
 *     service_decide (service, now, &err);
 *     while (service_next (service, &effect))
 *         ...
 *
 * An input is a JSON object: a request of a user, or a report of an executor.
 * It is answered at once, but the answer must not be sent before the effects
 * are on disk: records for the journal, in order. Orders for the executor and
 * events for watchers come out along with them, and are carried out when the
 * records are safe. Changes by users and operators come out, too, for those
 * who ask later.
 *
 * Inputs are records, and so are decisions: a job that was started somewhere
 * stays there when the journal is read again (service_replay), whatever this
 * version or another policy would decide. After the decisions comes a number
 * that stands for the whole state. A replay that arrives at another number
 * fails.
 *
 * Inputs, each with "user", the name of the one who asks; "root" says that
 * this user may change nodes and the jobs of others:
 *
 *     {"in": "submit", "jobs": [...], "key": ..., "groups": "a b"}
 *     {"in": "cancel", "id": 17}
 *     {"in": "change", "id": 17, "priority": 5}  or "estimate": 60, or
 *                     "hold": true, or "shape": "4x4", "wiring": "torus"
 *     {"in": "suspend", "id": 17}              until "hold" is false
 *     {"in": "requeue", "id": 17, "why": ...}
 *     {"in": "node", "node": "1,2,3", "state": "drain", "why": ...} or resume,
 *                                                         down, up
 *     {"in": "window", "from": T, "until": T, "box": ..., "jobs": [...],
 *      "name": ...} or "nodes", or "count"; {"in": "unwindow", "id": 3}
 *     {"in": "policy", "policy": {...}}        see service_set_policy
 *     {"in": "end-unknown", "id": 17}
 *     {"in": "origin", "identity": "...", "epoch": 2, "highest": 17}
 *     {"in": "link", "link": "0,0,1-0,0,2", "state": "down"} or up
 *     {"in": "executor", "is": "ended", ...}   see doc/executors.md
 */
#ifndef TORI_SERVICE_SERVICE_H
#define TORI_SERVICE_SERVICE_H

#include <jansson.h>

#include <tori/sched.h>
#include <tori/snapshot.h>

struct service;

/* For a machine that belongs to the caller, with nothing on it. */
int service_create (const tori_machine *machine,
                    const tori_sched_config *config,
                    struct service **ret_service, tori_error *err);
void service_destroy (struct service *service);

/* An answer: a status of HTTP and a body, which the caller releases. */
struct reply {
    int code;
    json_t *body;
};

/* Take an input. A refused input changes nothing, and the reply says why, as
 * {"error": {"code": ..., "message": ...}}. -1 without memory; the service
 * must not be used any further then, but made again from its journal. */
int service_do (struct service *service, tori_time now, const json_t *input,
                struct reply *ret_reply, tori_error *err);

/* Let the scheduler decide. */
int service_decide (struct service *service, tori_time now, tori_error *err);

/* When to decide again though nothing happens; TORI_TIME_MAX: never. */
tori_time service_wake (const struct service *service);

/* A change is an entry of the record of changes (audit.c). */
enum effect_kind { EFFECT_RECORD, EFFECT_ORDER, EFFECT_EVENT, EFFECT_CHANGE };

struct effect {
    enum effect_kind kind;
    json_t *value; /* the caller releases it */
};

/* The next effect not yet fetched; false if there is none. */
bool service_next (struct service *service, struct effect *ret_effect);

/* An order as the executor reads it, to be freed; NULL without memory. Until it
 * is written, it shares what was submitted with the orders of other jobs. */
char *service_write_order (const json_t *order);

/* Say whether a client watches jobs that have not ended. If not, there are no
 * such events: they cost as much as the submission of a job. At first there
 * are. */
void service_watch (struct service *service, bool watched);

/* Orders for an executor that has just come: what to ask it, and what it may
 * not have heard. */
int service_greet (struct service *service, tori_error *err);

/* The most bytes that the executor takes; 0: any. A job that has more is
 * refused. */
struct order_limits {
    size_t line;  /* of an order */
    size_t word;  /* of a word of a command, or of a variable, NAME=VALUE */
    size_t words; /* of all of them, with 9 bytes more for each */
};
void service_limit_orders (struct service *service,
                           struct order_limits limits);

/* ---- beside another scheduler ---- */

/* Be a shadow: decide for the jobs of another scheduler, and start nothing.
 * Only an executor is heard, who reports what the other one does
 * (doc/executors.md). Call it before anything else. */
int service_shadow (struct service *service, tori_error *err);

/* Whether it is one. It has a clock of its own then: instead of
 * service_decide, service_catch_up goes on to the time up to which everything
 * is known, in at most `most` steps. */
bool service_lags (const struct service *service);
int service_catch_up (struct service *service, size_t most, bool *ret_more,
                      tori_error *err);

/* How the two compare in sum, and at most `limit` jobs with ids above `after`
 * that differ. NULL without memory. */
json_t *service_differences (const struct service *service, uint64_t after,
                             size_t limit);

/* ---- policy ---- */

/* How much there may be at once; 0: no limit. */
struct service_limits {
    int64_t queued;  /* jobs that wait */
    int64_t running; /* jobs that run */
    int64_t nodes;   /* the nodes of jobs that run */
    int64_t rate;    /* submissions within a minute of the clock */
};

struct service_queue {
    const char *name;
    int64_t priority;         /* added to that of each of its jobs */
    tori_time max_estimate;   /* of a job; 0: any */
    int64_t max_nodes;        /* of a job; 0: any */
    int64_t level;            /* preemption tier of its jobs */
    tori_preempted preempted; /* what preemption does: tori_job_spec */
    struct service_limits limits; /* of all its jobs together, ... */
    struct service_limits user;   /* ... and of those of each user: running
                                     jobs and nodes */
    /* NULL: any. Words with blanks between. */
    const char *allow, *deny; /* users and @groups that may, and may not,
                                 submit to it; deny counts more */
    const char *nodes;        /* nodes and boxes that its jobs run on */
    const char *hours;        /* when its jobs may start: hours.h */
};

/* Zeroed, there is one queue, "default", no limit, and usage does not
 * matter. */
struct service_policy {
    tori_time half_life; /* after which usage counts half; 0: no fair share */
    int64_t weight;      /* what is taken from the priority of the jobs of a
                            user to whom all usage belongs */
    int64_t requeues;  /* how often a job starts again after a failure of the
                          machine; 0: always */
    tori_time history; /* how long a job that has ended is known; 0: always */
    int64_t jobs;      /* that wait or run, of all users; 0: any number, and */
    int64_t array, after; /* ... of an array, and that a job waits for */
    int64_t batch; /* jobs of a request that submits several, with those of
                      their arrays; 0: any number */
    int64_t stored; /* MiB of the submissions of a user's jobs that have not
                       ended; 0: any number */
    struct service_limits user; /* of each user */
    const struct service_queue *queues; /* the first is for jobs that name
                                           none */
    size_t nqueues;
    const char *const *accounts; /* "NAME SHARES USER...": share_accounts.c */
    size_t naccounts;
};

/* Change the policy, from now on. It is copied, recorded as an input if it is
 * another than before, and kept with everything else. TORI_INVALID if it makes
 * no sense: the error says what. */
int service_set_policy (struct service *service, tori_time now,
                        const struct service_policy *policy, tori_error *err);

/* The policy in force; valid until it is changed. */
const struct service_policy *service_policy (const struct service *service);

/* The machine that the records are of, by its name; NULL if they do not say.
 * Another one may do as well, if all that they place is there. */
const char *service_home (const struct service *service);

/* ---- which state it is ---- */

enum { SERVICE_IDENTITY = 33 }; /* 32 hexadecimal digits */

/* The identity and the epoch of the state (origin.c); NULL and 0 before it has
 * one. */
const char *service_identity (const struct service *service);
uint32_t service_epoch (const struct service *service);

/* The number that the next job gets. */
uint64_t service_next_id (const struct service *service);

/* Another epoch begins, and the next job gets a number above `highest`. `why`
 * is for the record of changes, and may be NULL. */
int service_begin_epoch (struct service *service, tori_time now,
                         const char *identity, uint32_t epoch,
                         uint64_t highest, const char *why, tori_error *err);

/* Processes that an executor has, and this state knows nothing of
 * (strangers.c): how many there are, and a list of them. */
size_t service_strangers (const struct service *service);
json_t *service_strangers_json (const struct service *service);

/* ---- keeping ---- */

/* All of it as a text, in pieces; -1 without memory, or if `put` fails. It
 * allocates by Jansson alone, and changes nothing. */
int service_write (const struct service *service, json_dump_callback_t put,
                   void *arg);

/* The same in one piece, which the caller frees; NULL without memory. */
char *service_save (const struct service *service, size_t *ret_n);

/* Go on from such a text, with a service that was just created. TORI_INVALID
 * if it is not one of this machine. */
int service_load (struct service *service, const char *text, size_t n,
                  tori_error *err);

/* Carry out a record of the journal again. TORI_INVALID if it does not fit the
 * state. */
int service_replay (struct service *service, const json_t *record,
                    tori_error *err);

/* All has been loaded and replayed: make the scheduler, which decides
 * nothing before. Called by itself where it is needed, but those who look
 * should call it. */
int service_ready (struct service *service, tori_error *err);

/* ---- looking ---- */

tori_sched *service_sched (const struct service *service);
tori_time service_now (const struct service *service);

/* Read the i-th submission of a list; the caller releases it by job_ask_drop.
 * With `strict`, also refuse likely mistakes, such as unknown members. */
struct job_ask;
int ask_read (const struct service *service, json_t *members, size_t i,
              bool strict, struct job_ask **ret_ask, tori_error *err);

/* The key of a job that waits, in the queue of the executor; NULL if it is not
 * from there, or does not wait. */
const char *service_key (const struct service *service, uint64_t id);

/* A job, or NULL; new references. */
json_t *service_job (const struct service *service, uint64_t id);

/* Leave out what was submitted of a job in this form, the largest members
 * first, until at most so many bytes of that are left. */
void service_trim (json_t *job, int64_t most);

/* Add the `map` to a job in the form of service_job, if it may be folded; it
 * may have ended long ago. service_job does this itself. */
void service_set_map (const struct service *service, json_t *job);

/* Leave the members of a submission that are very long out of a job in the
 * form of service_job, and name them in `left_out`: lists, events and answers
 * to changes must be short. */
void service_leave_out (json_t *job);

/* Which jobs are looked for; NULL: any. */
struct job_filter {
    const char *state, *user;
    const char *alias; /* in the queue of the executor */
};

/* At most `limit` such jobs with ids above `after`, without members that are
 * very long, and with their positions in the queue; *ret_more says whether there
 * are others. */
json_t *service_jobs (struct service *service,
                      const struct job_filter *filter, uint64_t after,
                      size_t limit, bool *ret_more);

/* The scheduler as it is, with what others call its jobs, and the rules by
 * which held jobs are released. */
int service_snapshot (const struct service *service,
                      tori_snapshot **ret_snapshot, tori_error *err);

/* The same with a list of inputs "submit" carried out, each of one job, also by
 * a shadow, though nothing is decided: their jobs are late (tori_snapshot_job).
 * If one is refused, 1 and a reply, with its index. The service must not be
 * used any further: this is for a copy of the process. */
int service_snapshot_with (struct service *service, const json_t *inputs,
                           tori_snapshot **ret_snapshot,
                           struct reply *ret_reply, tori_error *err);

/* The users: what they have, their usage in node-seconds as of the last whole
 * minute, their share of all usage, and what it takes from the priority of
 * their jobs. */
json_t *service_users (const struct service *service);

/* The accounts of the policy, in its order, and that of all other users: their
 * shares, the part of all usage that these are, and their usage. Empty if the
 * policy has none. */
json_t *service_accounts (const struct service *service);

/* The name of the account of a user; NULL if the policy has no accounts. */
json_t *service_account (const struct service *service, const char *user);

/* The load of a user or a queue now: jobs that wait, run and are suspended, and
 * the nodes of those that run. */
struct service_load {
    const char *name;
    int64_t queued, running, suspended, nodes;
};

/* Those users or queues with jobs that have most, the busiest first, and after
 * them all others together, as "other": how many rows. Names are good until
 * the next input. */
enum { SERVICE_LOADS = 20 };
size_t service_loads (const struct service *service, bool queues,
                      struct service_load ret_loads[SERVICE_LOADS + 1]);

/* The queues, in the order of the policy: their rules and their jobs. NULL
 * without memory. */
json_t *service_queues (const struct service *service);

/* The reason given when a node was drained or taken down, or NULL. */
const char *service_remark (const struct service *service, uint32_t node);

/* The links that are down, each with the reason; a new reference. */
json_t *service_links (const struct service *service);

/* How many jobs wait, run, are suspended, and have ended lately: each is
 * counted once. */
struct job_counts {
    size_t queued, running, suspended, ended;
};
struct job_counts service_count (const struct service *service);

/* Sums over all jobs so far: tally.h. */
struct job_tally;
const struct job_tally *service_tally (const struct service *service);

/* The list of reservations. */
json_t *service_reservations (const struct service *service);

/* Set the number of the reservation that keeps each node now, the lowest; other
 * entries stay as they are. False without memory. */
bool service_reserved (const struct service *service, uint64_t *ids);

/* The groups that reservations name, such as " @physics @guests"; the caller
 * frees the text. NULL without memory. */
char *service_reserved_groups (const struct service *service);

/* When the oldest job that waits was submitted; -1 if none does. */
tori_time service_oldest (const struct service *service);

#endif

/* service_internal.h - the inside of the service, shared by its files:
 *   service.c         inputs and their effects
 *   service_snapshot.c  the scheduler with the rules for held jobs
 *   submission.c      reads a submission; strict.c refuses unlikely ones
 *   change.c          changes what a job asks for
 *   job.c             jobs; stored.c: how much of them is kept in memory
 *   runs.c            the times that a job has had its nodes
 *   attempts.c        reports of the executor; attempt_state.c: the table
 *   orders.c          orders to the executor
 *   strangers.c       processes that this state has not started
 *   external_queue.c  executors that have a queue of their own
 *   audit.c           the record of changes
 *   nodes.c           nodes and links
 *   reservations.c    nodes that an administrator keeps free
 *   dependents.c      dependencies and arrays
 *   policy.c          settings
 *   queues.c          named queues
 *   account.c         jobs and nodes of a user or a queue; usage.c: over time
 *   share_accounts.c  accounts of users, with shares
 *   tally.c           sums for the metrics
 *   limits.c          limits of users; limit_queue.c: jobs that wait for them
 *   hours.c           times of the week, at which a queue is open
 *   core.c            the scheduler; folded.c: places of folded jobs
 *   decisions.c       its decisions; planned_starts.c: its plans
 *   moves.c           moves that an operator orders
 *   list.c            pages of jobs; past.c: jobs that have ended
 *   shadow.c          beside another scheduler
 *   origin.c          the identity of this state
 *   record.c          saving, loading and replaying
 *   shortage.c        JSON for which memory ran out
 */
#ifndef TORI_SERVICE_SERVICE_INTERNAL_H
#define TORI_SERVICE_SERVICE_INTERNAL_H

#include <tori/snapshot.h>

#include "account.h"
#include "service.h"
#include "tally.h"
#include "job.h"

/* A job has ended. The jobs that wait for it, from id `next` on, have not been
 * released. */
struct release {
    uint64_t id, next;
};

struct service {
    const tori_machine *machine;
    tori_sched *sched;
    bool stale;          /* sched does not match the jobs */
    bool restless;       /* sched has changed since its last run */
    tori_time now;
    struct job_table jobs;
    uint64_t next_id;
    char identity[SERVICE_IDENTITY]; /* empty: it has none, and ... */
    uint32_t epoch;                  /* ... 0 */
    bool unheard;      /* what an executor has is not known: nothing starts */
    bool unsure;       /* ... and attempts that it lacks may have ended in any
                          way; false in journals from before this was */
    json_t *strangers; /* by name: processes not started here; or NULL */
    json_t *ending;    /* those of them that an operator has ended; or NULL */
    json_t *disowned;  /* by key: attempts that the executor was last told to
                          look after, and may not have heard; or NULL */
    uint64_t hash;     /* the sum of the marks of all jobs and so on */
    struct accounts users, queues;
    struct accounts pairs; /* "QUEUE USER": jobs and nodes of a user in a queue;
                              they follow from the jobs, and have no hash */
    struct service_policy policy;
    json_t *policy_json;  /* what it was read from, or NULL */
    json_t *home; /* the machine that records are of; NULL: they do not say */
    uint64_t policy_mark; /* of that */
    bool unsettled;     /* the limit queue may change: limit_queue.c */
    struct limit_row **rows;
    size_t nrows, rows_room;
    uint64_t *open; /* ids of jobs that the limits admit, or new ones */
    size_t nopen, open_room;
    uint64_t looks; /* reviews of the limit queue so far */
    tori_time limit_change_at; /* the time of its next change */
    tori_time hours_change_at; /* ... by the hours of a queue that jobs wait
                                  in, or 0 */
    unsigned char *nodes; /* which are down or drained: nodes.c; and ... */
    tori_link *links;     /* ... the links that are down */
    size_t nlinks, links_room;
    unsigned *pending_release; /* by node: attempts that are leaving it; ... */
    size_t npending, wired;    /* ... how many there are, and how many of them
                                  have links: attempts.c */
    uint64_t *due; /* ids of jobs that run as soon as all is decided */
    size_t ndue, due_room;
    struct node_reservation *reservations; /* reservations.c */
    size_t nreservations, reservations_room;
    uint64_t last_reservation; /* the number that was given last */
    json_t *chosen;          /* what is recorded with this input, or NULL */
    uint64_t *planned;       /* ids of jobs with planned starts */
    size_t nplanned, planned_room;
    uint64_t round;       /* reviews so far: planned_starts.c */
    struct release *releases; /* dependents.c; so many are done: */
    size_t released, nreleases, releases_room;
    struct order_limits order_most;
    json_t *keys;       /* "USER KEY": the ids that were given for it, ... */
    json_t *asked;      /* ... and a hash of what was asked for */
    json_t *remarks;    /* node or link: why it is out of service; or
                           NULL */
    bool replaying;     /* effects are known already */
    bool stirred;       /* something was recorded since the last hash */
    bool unwatched;     /* see service_watch */
    struct position *positions; /* in the queue, by id (list.c), or NULL; */
    size_t npositions;          /* as of ... */
    uint64_t ranked_hash; /* ... this state ... */
    tori_time ranked_at;  /* ... at this time */
    struct job_tally tally;
    struct shadow *shadow; /* or NULL: jobs are started */
    char *refusal;      /* why the scheduler has just rejected a job */

    struct effect *out;
    size_t nout, out_room, fetched;
    bool nomem; /* an effect was lost */
};

/* ---- service.c ---- */

/* The state of a job has changed. */
void service_touch (struct service *service, struct service_job *job);

/* An effect; takes over the value. Without memory `nomem` is set. */
void service_put (struct service *service, enum effect_kind kind,
                  json_t *value);

/* An event: what has become of a job. */
void service_tell (struct service *service, const char *event,
                   const struct service_job *job);

/* A job is over. `why` may be NULL. */
int service_end (struct service *service, struct service_job *job, int status,
                 int signal, const char *why, tori_error *err);

/* A reply that refuses. */
int refuse (struct reply *reply, int code, const char *name, const char *fmt,
            ...) __attribute__ ((format (printf, 4, 5)));

/* The same with an error of those who asked. Memory that is missing is not
 * their fault: -1. */
int refuse_error (const tori_error *why, struct reply *reply,
                  tori_error *err);

/* An input: 0, and it is recorded; 1, and nothing has changed; or -1. */
typedef int input_fn (struct service *, const json_t *, struct reply *,
                      tori_error *);

input_fn do_cancel;

/* Read the reason of an input: 0, or 1 and a reply. Without one, it is left as
 * it is. */
int read_reason (const struct service *service, const json_t *input,
                 const char **reason, struct reply *reply);

/* The job that an input is about, if it exists and the user may change it:
 * otherwise NULL and a reply. */
struct service_job *find_own (struct service *service, const json_t *input,
                              struct reply *reply);

/* Why a job waits, as 'tori why' says it: the name of the reason, or NULL for
 * a job that does not wait. With a memo (probe.h), jobs with the same request
 * are looked at once. */
struct probe_memo;
const char *job_reason (const struct service *service,
                        const struct service_job *job,
                        struct probe_memo *memo);

/* Reply with the job as it is now; 0. */
int reply_job (struct service *service, const struct service_job *job,
               struct reply *reply);

/* It is that time now, if that is later. */
int service_advance (struct service *service, tori_time now, tori_error *err);

/* ---- reservations.c ---- */

input_fn do_reserve, do_unreserve;

/* The reservation that an input removes, or has made. */
json_t *reservations_look (const struct service *service,
                           const json_t *input);

/* All reservations of the executor, as it knows them now. */
input_fn do_reservations;

/* Forget reservations that are over, and go on to the next times of those that
 * come again. */
int reservations_expire (struct service *service, tori_error *err);
void reservations_clear (struct service *service);

/* The user of an input has submitted the jobs from `first` on, which may run
 * in the reservations for this user. */
int reservations_follow (struct service *service, const json_t *input,
                         uint64_t first, tori_error *err);

/* Users may be in other accounts now. */
int reservations_review (struct service *service, tori_error *err);

/* Give all reservations to a new scheduler. */
int reservations_tell (struct service *service, tori_error *err);

json_t *reservations_save (const struct service *service);
int reservations_load (struct service *service, const json_t *all,
                       tori_error *err);

/* ---- core.c ---- */

/* Let it decide, and act on that. */
int core_run (struct service *service, tori_error *err);

/* Make the scheduler, if it is stale. */
int core_make (struct service *service, tori_error *err);

/* Tell the scheduler of a job; and once more, as what it is now. */
int core_put (struct service *service, struct service_job *job,
              tori_error *err);
int core_put_back (struct service *service, struct service_job *job,
                   tori_error *err);

/* A job leaves, or changes. While a journal is read again that is left to
 * core_make. */
int core_cancel (struct service *service, struct service_job *job,
                 tori_error *err);
/* Whether the scheduler has it waiting. */
bool core_waits (const struct service *service, const struct service_job *job);
int core_set_hold (struct service *service, struct service_job *job,
                   tori_hold hold, tori_error *err);
int core_set_priority (struct service *service, struct service_job *job,
                       int64_t priority, tori_error *err);
int core_set_estimate (struct service *service, struct service_job *job,
                       tori_time estimate, tori_error *err);

/* ---- decisions.c ---- */

/* Fetch what the scheduler has decided, and act on it. */
int service_collect (struct service *service, tori_error *err);

/* Act on what was decided before. */
int decision_follow (struct service *service, const char *name,
                     const json_t *record, tori_error *err);

/* Let a job that waits run where it has run since a time elsewhere; it waits
 * on if that cannot be. */
int decision_adopt (struct service *service, struct service_job *job,
                    const tori_placement *place, tori_time start,
                    tori_error *err);

/* How much of the work of a running job its last checkpoint has. */
tori_time decision_saved (const struct service *service,
                          const struct service_job *job);

/* A running job goes to another place, where it continues from its last
 * checkpoint: by this input, and after the time that is lost. */
struct moved {
    const tori_placement *to;
    const json_t *by;
    const char *reason;
    tori_time lost;
};
int decision_move (struct service *service, struct service_job *job,
                   const struct moved *how, tori_error *err);

/* A user suspends or requeues a job that runs. */
input_fn do_suspend, do_requeue;

/* ---- moves.c ---- */

input_fn do_move;

/* ---- planned_starts.c ---- */

/* List the planned starts that are new, changed or void since the last review,
 * for planned_starts_follow. NULL without memory. */
json_t *planned_starts_review (struct service *service, tori_error *err);
int planned_starts_follow (struct service *service, const json_t *changes,
                           tori_error *err);

/* Give all planned starts to a new scheduler. */
int planned_starts_tell (struct service *service, tori_error *err);

/* A job has started, or does not need its planned start any more. */
void planned_start_void (struct service_job *job);

/* ---- folded.c ---- */

/* List the nodes of a job that may be folded, row-major in the shape it asks
 * for, by coordinates or by id. NULL for other jobs, and with an error without
 * memory. */
json_t *folded_map (const struct service *service, const tori_job_spec *spec,
                    const tori_placement *place, bool coords,
                    tori_error *err);

/* ---- orders.c ---- */

void order_start (struct service *service, struct service_job *job);

/* Refuse the i-th job of a submission if its order would be longer than the
 * executor takes: 1 and a reply, else 0. */
int order_check (const struct service *service, const struct job_ask *ask,
                 size_t i, struct reply *reply);

/* How an attempt is to end: by this signal, and SIGKILL after so many seconds.
 * `again`: there will be another attempt; `over`: it has ended well before. */
struct leave {
    int signal, grace;
    bool again, over;
};
void order_stop (struct service *service, const struct service_job *job,
                 struct leave how);
void order_freeze (struct service *service, const struct service_job *job,
                   bool freeze);
void order_limit (struct service *service, const struct service_job *job);
void order_forget (struct service *service, const json_t *input);
void order_list (struct service *service);

/* This state knows nothing of an attempt of a job of the executor's queue. */
void order_disown (struct service *service, const json_t *attempt);

/* ---- origin.c ---- */

input_fn do_origin;

/* Save the identity and the epoch (NULL if there are none), and load them. */
json_t *origin_save (const struct service *service);
int origin_take (struct service *service, const json_t *value,
                 tori_error *err);

/* Jobs get higher numbers than this one from now on. */
void origin_skip (struct service *service, const json_t *highest);

/* The identity and the epoch of an attempt in one word: what executors keep
 * with it. */
enum { STATE_WORD = SERVICE_IDENTITY + 12 };
void origin_word (const struct service *service, uint32_t epoch,
                  char to[STATE_WORD]);

/* ---- strangers.c ---- */

input_fn do_end_unknown;

/* The processes that an executor lists: those that are not known here are
 * strangers. */
int strangers_review (struct service *service, const json_t *jobs,
                      tori_error *err);

/* One may have ended: 0, or 1 if it is not one of them; or -1. */
int strangers_leave (struct service *service, const json_t *input,
                     tori_error *err);

int strangers_load (struct service *service, json_t *saved, tori_error *err);

/* ---- attempts.c ---- */

/* Whether a process that an executor lists was ordered by this state, and not
 * by a later state that was lost. */
bool attempt_is_own (struct service *service, const json_t *one);

/* Note that a job runs now. attempt_send_due, called when all is decided,
 * orders its attempt if its nodes are empty. Otherwise the order waits until
 * other attempts have left them. */
void attempt_due (struct service *service, const struct service_job *job);
void attempt_send_due (struct service *service);

/* A job is suspended: its attempt stops for a while. */
void attempt_suspend (struct service *service, struct service_job *job);

/* A user cancels a job that runs: true if it ends when its attempt has, false
 * if there is no attempt. */
bool attempt_cancel (struct service *service, struct service_job *job);

/* The time limit of a job has changed: its attempt, if there is one, learns
 * that. */
void attempt_limit (struct service *service, const struct service_job *job);

/* A job leaves its place: its attempt, if there is one, has to end. */
int attempt_leave (struct service *service, struct service_job *job,
                   struct leave how, tori_error *err);

/* No attempt begins on the nodes that this one is leaving. Also called when a
 * job was loaded. */
void attempt_close_nodes (struct service *service,
                          const struct service_job *job);

input_fn do_executor;

/* ---- audit.c ---- */

/* The subject of an input, as it is before the input; a new reference, or NULL
 * if the input is not recorded there. */
json_t *audit_look (const struct service *service, const json_t *input);

/* Note that the input was carried out. `was` is how it was before. */
void audit_note (struct service *service, const json_t *input, json_t *was);

/* Note that a job moves, by an input of an operator, or, with NULL, by a
 * decision. It still has its old place. */
void audit_move (struct service *service, const struct service_job *job,
                 const tori_placement *to, const json_t *input,
                 const char *why);

/* Note what torid itself does to a job that is in this state: requeue, kill,
 * suspend, resume or end it. */
void audit_deed (struct service *service, const struct service_job *job,
                 const char *what, const char *why);

/* ---- nodes.c ---- */

input_fn do_node, do_link;

/* How many of the nodes that an input names, or whether its link, are out of
 * service, and why. */
json_t *nodes_look (const struct service *service, const json_t *input);

/* Give the states of nodes and links to a new scheduler. */
int nodes_tell (struct service *service, tori_error *err);

/* A stranger has a node, or, with NULL, none has; and whether one has. */
int node_set_stranger (struct service *service, uint32_t node,
                       const json_t *stranger, tori_error *err);
bool node_has_stranger (const struct service *service, uint32_t node);

json_t *nodes_save (const struct service *service);
int nodes_load (struct service *service, const json_t *list, tori_error *err);

/* ---- external_queue.c ---- */

/* Take a report of the executor about its own queue, nodes, links or
 * reservations. False if the input is none of these. */
bool do_external (struct service *service, const json_t *input,
                  struct reply *reply, int *ret_status, tori_error *err);

/* The key of an executor's submission; NULL for other inputs. */
const char *external_key (const json_t *input);

/* The first job of such a key, or NULL. */
struct service_job *external_job (const struct service *service,
                                  const char *key);

/* Tell the executor that a job of its queue will not start. */
void external_decline (struct service *service, const char *key,
                       const char *why);

/* Whether a job that is over was ended here: it never started, or was
 * cancelled while the executor had no attempt of it. */
bool external_is_unwanted (const struct service_job *job);

/* ---- shadow.c ---- */

input_fn do_tick;
void shadow_destroy (struct shadow *shadow);

/* Time passes by ticks alone; otherwise it is `now`. And whether an input of
 * this name is taken. */
tori_time shadow_clock (const struct service *service, const char *in,
                        tori_time now);
bool shadow_takes (const char *in);

/* Save the state of the shadow without the jobs (NULL if there is no
 * shadow), and load it. */
json_t *shadow_save (const struct shadow *shadow);
int shadow_load (struct service *service, json_t *saved, tori_error *err);

/* A word of the reporter: 0 if it is news, else 1; or -1. */
int shadow_hear (struct service *service, const json_t *message,
                 tori_error *err);

/* A job has started, here or there: an event if it differs. */
void shadow_compare (struct service *service, const struct service_job *job);

/* ---- submission.c ---- */

input_fn do_submit;

/* Hand a job to the scheduler, if it listens: 0; 1 and a reply if it can never
 * run here; or -1. */
int submission_enter (struct service *service, const tori_job_spec *spec,
                      tori_job *ret_number, struct reply *reply,
                      tori_error *err);

/* ---- change.c ---- */

input_fn do_change;

/* ---- strict.c ---- */

/* Refuse a time limit that cannot have been meant; TORI_INVALID. */
int strict_estimate (const struct member_of *of, tori_time estimate,
                     tori_error *err);

/* Refuse a name that is too long: it is in every list. */
int strict_name (const struct member_of *of, const char *name,
                 tori_error *err);

/* ---- policy.c ---- */

input_fn do_policy;

/* Go by a policy that was recorded or saved; and by none. */
int policy_take (struct service *service, json_t *value, tori_error *err);
void policy_drop (struct service *service);

/* The name of the machine, for records; and that of a record. */
json_t *home_make (const struct service *service);
void home_take (struct service *service, json_t *name);

/* ---- queues.c ---- */

/* The queue of this name, or NULL; and the name of a job's. */
const struct service_queue *policy_queue (const struct service *service,
                                          const char *name);
const char *job_queue_name (const struct service_job *job);

/* The nodes that a job may get at most. */
int64_t spec_nodes (const tori_job_spec *spec);

/* Apply the settings of its queue to a submission: 0; 1 and a reply if the
 * queue does not take it; or -1. */
int queue_enter (struct service *service, const json_t *input,
                 struct job_ask *ask, struct reply *reply, tori_error *err);

/* Whether words, with blanks between, include this one of n bytes. */
bool words_include (const char *words, const char *word, size_t n);

/* Check that the nodes of the queues of a policy exist. */
int queues_check_nodes (const struct service *service, const json_t *policy,
                        tori_error *err);

/* Whether a job names nodes only because its queue does. */
bool queue_gave_nodes (const struct service *service,
                       const struct service_job *job);

/* Whether a queue takes one more waiting job: 0, or 1 and a reply. */
int limits_queue (const struct service *service, const json_t *input,
                  const char *queue, struct reply *reply);

/* Check these parts of a job that is there, and is to be like this: 0, or 1
 * and a reply. Submissions and changes pass the same checks; a replay accepts
 * what was accepted before. */
enum ask_part {
    ASK_PRIORITY = 1,
    ASK_TIER = 2, /* preemption tier */
    ASK_TIME = 4,
    ASK_SIZE = 8,
    ASK_ACCESS = 16, /* that the queue takes jobs of this user */
    ASK_ALL = 31
};
int change_check (const struct service *service, const struct service_job *job,
                  const json_t *input, const tori_job_spec *spec, int parts,
                  struct reply *reply);

/* ---- share_accounts.c ---- */

enum { ACCOUNT_NAME = 64 };

/* TORI_INVALID if the texts of the accounts of a policy make no sense. */
int policy_check_accounts (const struct service_policy *policy,
                           tori_error *err);

/* Which account a user is in, and which has a name of n bytes; naccounts is
 * that of all others, or none. And the name of one. */
size_t policy_account (const struct service_policy *policy, const char *user);
size_t policy_find_account (const struct service_policy *policy,
                            const char *name, size_t n);
void policy_account_name (const struct service_policy *policy, size_t i,
                          char name[ACCOUNT_NAME]);

/* The usage of each account, which the caller frees, and of all; NULL without
 * memory. And the part of the weight that a user loses by that, in percent. */
double *accounts_sum (const struct service *service, double *ret_total);
double account_penalty (const struct service *service,
                        const struct account *user, const double *used,
                        double total);

/* ---- usage.c ---- */

/* It is that time now, if that is later. */
int usage_advance (struct service *service, tori_time now, tori_error *err);

/* When priorities will be others though nothing happens, or TORI_TIME_MAX. */
tori_time usage_wake (const struct service *service);

/* Count a job as what it is now; and as nothing, because it goes. */
void usage_count (struct service *service, struct service_job *job);
void usage_uncount (struct service *service, struct service_job *job);

/* A job that is counted as running has ended before now: what was counted
 * since then was not used. */
void usage_give_back (struct service *service, const struct service_job *job);

/* A user has submitted something to a queue. */
void usage_submitted (struct service *service, const char *user,
                      const char *queue);

/* Accounts were loaded. */
void usage_mark (struct service *service);

/* The priority of a waiting job: its own plus that of its queue, less the
 * penalty for its user's usage. usage_priority, for the scheduler, leaves out
 * the penalty while the job is held, because it changes every minute. */
int64_t usage_effective (const struct service *service,
                         const struct service_job *job);
int64_t usage_priority (const struct service *service,
                        const struct service_job *job);

/* Tell the scheduler if that has changed: of a job, and of all. */
int usage_review (struct service *service, struct service_job *job,
                  tori_error *err);
int usage_rank (struct service *service, tori_error *err);

/* ---- stored.c ---- */

/* Estimate the bytes that a value takes in memory. */
int64_t stored_bytes (const json_t *value);

/* The same for a submission, with what is kept beside it. */
int64_t submission_bytes (const struct job_ask *ask);

/* Count the submission of a job that has not ended; of an ended one, drop the
 * parts that are not needed any more. stored_leave stops counting it, and
 * returns whether the job was the last to share it. */
void stored_follow (struct service *service, struct service_job *job);
bool stored_leave (struct service *service, struct service_job *job);

/* How many bytes more it takes with another submission; and count that, once it
 * has it. */
int64_t stored_growth (const struct service_job *job,
                       const struct job_ask *then);
void stored_change (struct service *service, struct service_job *job);

/* ---- limits.c ---- */

/* Whether an input is an operator's. */
bool is_operator (const json_t *input);

/* Check whether a user may have a priority, a number of nodes, one more
 * submission, and n more jobs: 0, or 1 and a reply. Operators may submit any
 * number. */
int limits_priority (const json_t *input, int64_t priority,
                     struct reply *reply);
int limits_nodes (const struct service *service, const json_t *input,
                  int64_t nodes, struct reply *reply);
int limits_rate (const struct service *service, const json_t *input,
                 struct reply *reply);
int limits_enter (struct service *service, const json_t *input,
                  const struct job_ask *ask, int64_t n, struct reply *reply);

/* Check what a user's jobs store after a change of one of them. */
int limits_change (const struct service *service, const json_t *input,
                   const struct service_job *job, const struct job_ask *then,
                   struct reply *reply);

/* Check the size of an array and the number of jobs that it waits for, also
 * for operators: that bounds the cost of a request. */
int limits_request (const struct service *service, const json_t *input,
                    int64_t array, int64_t after, struct reply *reply);

/* The same for the jobs of a request so far, or at least. */
int limits_batch (const struct service *service, const json_t *input,
                  int64_t n, struct reply *reply);

/* It was accepted. */
void limits_count (struct service *service, const json_t *input);

/* ---- limit_queue.c ---- */

/* Hold back exactly the jobs that would exceed a limit. */
int limit_queue_review (struct service *service, tori_error *err);

/* Update the limit queue after a change of a job (limit_queue_follow) or of
 * the limits (limit_queue_rebuild), drop empty rows (limit_queue_tidy), and
 * remove a job or all. */
void limit_queue_follow (struct service *service, struct service_job *job);
int limit_queue_rebuild (struct service *service, tori_error *err);
void limit_queue_tidy (struct service *service);
void limit_queue_leave (struct service *service, struct service_job *job);
void limit_queue_clear (struct service *service);

enum { LIMIT_TEXT = 200 };

/* When the hours of a queue may let jobs start, or TORI_TIME_MAX. */
tori_time limit_queue_wake (const struct service *service);

/* The account of a user in a queue: its name. */
enum { PAIR_NAME = 600 };
void pair_name (const char *queue, const char *user, char name[PAIR_NAME]);

/* The limit that a waiting job exceeds alone: it never starts, because the
 * limit was lowered or an operator submitted it. LIMIT_NONE for a held job. */
enum limit limit_outgrown (const struct service *service,
                           const struct service_job *job);

/* "the user's limit of 64 nodes": the limit that it exceeds alone, or that it
 * waits for; empty if there is none. */
void limit_text (const struct service *service, const struct service_job *job,
                 char text[LIMIT_TEXT]);

/* ---- past.c ---- */

/* A minute begins: forget jobs that ended long ago, and their keys. */
int past_leave (struct service *service, tori_error *err);

/* ---- dependents.c ---- */

/* Tell the scheduler if that has changed. */
int hold_review (struct service *service, struct service_job *job,
                 tori_error *err);

/* Read "ok:17" and the like into a list, which stays untouched if there is
 * nothing to wait for: 0; 1 and a reply if it is invalid; or -1. */
int after_read (const struct service *service, const json_t *words,
                struct after_list **ret_list, struct reply *reply,
                tori_error *err);

/* Note what a job waits for, and that it does not any more. */
int dependents_add (struct service *service, struct service_job *job,
                    tori_error *err);
void dependents_remove (struct service *service, struct service_job *job);

/* A job has ended: those that wait for it are told by and by, a job at a time.
 * One end may bring about any number of others. */
int dependents_release (struct service *service, struct service_job *ended,
                        tori_error *err);

/* So many steps are taken at once; the others are for the next decision. */
enum { RELEASES = 250 };

/* Whether jobs wait to be released; and take at most `most` steps. */
bool releases_wait (const struct service *service);
int releases_go (struct service *service, size_t most, size_t *ret_n,
                 tori_error *err);

/* The same when a record is read again, which says how many; old ones do not,
 * and meant all. */
int releases_follow (struct service *service, const json_t *record,
                     tori_error *err);

/* Save the releases that are left (NULL: none), and load them. */
json_t *releases_save (const struct service *service);
int releases_load (struct service *service, const json_t *list,
                   tori_error *err);

#endif

/* tori/sim.h - replay a workload through the scheduler.
 *
 * The simulator is a driver of tori/sched.h with a clock of its own. At each
 * instant, jobs finish first (in the order of their starts). Then nodes and
 * links fail or are repaired. Then jobs arrive, in log order. Then the
 * scheduler runs once, and again if a job of length zero ended at that
 * instant.
 */
#ifndef TORI_SIM_H
#define TORI_SIM_H

#include <tori/drain.h>
#include <tori/workload.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A job that has ended, as reported in the order of starts. A job that was
 * stopped and started again has the start and the place of its last run. */
typedef struct tori_sim_job {
    const tori_work *work;
    tori_time start;
    tori_time finish;
    const tori_placement *place; /* valid during the call */
    tori_time numerical;         /* waiting while the head lacked nodes */
    tori_time topological;       /* waiting while the head lacked a box */
    tori_time waited; /* in the queue: before its start, and each time that it
                         was stopped */
    tori_time ran;    /* in all its runs */
    uint32_t starts;  /* how often it was started */
    uint32_t moves;   /* how often it moved while it ran */
    uint32_t level;   /* its tier; 1: it is urgent */
    bool killed;      /* it ended before its work was done */
    const char *why;  /* if it was killed: why, as a fixed text; else NULL */
} tori_sim_job;

/* A network whose links jobs share: tori/fluid.h. The runtime of a job in the
 * log then says how much it has to send: as much as it could send in that time
 * if only its own nodes limited it. When it really ends depends on where it
 * runs and on the jobs around it. Estimates do not change, and jobs may
 * outlive them. A tick of the network is a tick here. See tori_alloc_config for
 * `size`. */
typedef struct tori_sim_network {
    size_t size;
    int pattern;         /* tori/pattern.h */
    uint32_t rounds;     /* how often jobs repeat it; 0: once */
    uint32_t link, node; /* what a link carries, what a node sends; 0: 1 */
    uint64_t seed;       /* of a random pattern; jobs differ in it */
} tori_sim_network;

/* The network's part of the cost of a switch (tori_gang_switch_cycles). A
 * member that is 0 has the value in parentheses. See tori_alloc_config for
 * `size`. */
typedef struct tori_sim_preempt {
    size_t size;
    const tori_net_config *net; /* (the defaults) */
    const tori_drain_config *drain; /* (the defaults) */
    uint64_t clock; /* cycles per second (50,000,000) */
} tori_sim_preempt;

/* How `gang` shares time: tori/gang.h. Times are in ticks; a member that is 0
 * has the value in parentheses. See tori_alloc_config for `size`. */
typedef struct tori_sim_gang {
    size_t size;
    const char *policy;  /* where jobs go (lightest) */
    tori_time slot;      /* (a second) */
    tori_time switch_cost; /* of any turn that does not just continue the last
                              one */
    const tori_sim_preempt *preempt; /* what the network adds; NULL: nothing */
    tori_time hop;       /* the time that a message takes to a relative in the
                            tree */
    uint32_t degree;     /* (2) */
    uint32_t leaf;       /* processors of the smallest partition (1) */

    /* The measurements are written here, if not NULL. */
    struct tori_sim_gang_result *result;
} tori_sim_gang;

typedef struct tori_sim_gang_result {
    uint64_t turns;    /* of all jobs */
    uint64_t switches; /* turns that did not just continue the last one */
    tori_time switch_least, switch_most; /* what one cost, by the partition */
    uint64_t messages; /* of all nodes of the tree; of the root; and of the */
    uint64_t root;     /* busiest */
    uint64_t busiest;
    uint32_t busiest_node;
} tori_sim_gang_result;

/* A node or link goes down, or comes up again. */
typedef struct tori_sim_outage {
    tori_time time;
    uint32_t node;  /* or TORI_NO_NODE, and ... */
    tori_link link; /* ... this */
    bool down;
} tori_sim_outage;

/* The fate of a running job when a node or link fails under it. */
typedef enum tori_on_failure {
    TORI_ON_FAILURE_REQUEUE, /* it is requeued, in its old turn */
    TORI_ON_FAILURE_KILL,
    TORI_ON_FAILURE_REPAIR /* it continues in a place nearby, or if there is
                              none it is requeued */
} tori_on_failure;

/* Interruptions of jobs, and their effects. A member that is 0 has the value
 * in parentheses. See tori_alloc_config for `size`.
 *
 * Failures come from a list, or at random: each node fails after an
 * exponentially distributed time of mean `mtbf`, and is back after one of mean
 * `mttr`. At time 0 all nodes are up. The failures do not depend on the jobs
 * or on the policy: with the same seed, every policy meets the same failures.
 * Nodes that are down in `initial` stay down. With `resume`, what is down at
 * that time is what is down there, and later failures are those of a
 * simulation that began at time 0. */
typedef struct tori_sim_interrupts {
    size_t size;
    const tori_sim_outage *outages; /* in the order of their times */
    size_t noutages;
    tori_time mtbf;     /* of a node; not with a list (no failures) */
    tori_time mttr;     /* at least 1 if there is an mtbf */
    uint64_t seed;
    tori_on_failure on_failure;
    tori_time checkpoint; /* of all jobs: see tori_job_spec (none) */
    uint32_t restarts;  /* how often a job is started again after a failure;
                           the next failure kills it (100) */
    tori_preempted preempted; /* what becomes of jobs that are not urgent when
                                 an urgent one needs their place (requeue) */
    double urgent;      /* the share of jobs that are urgent, chosen at random
                           (0): they have tier 1 and go first in the queue */
    tori_time late;     /* the scheduler hears of the end of a run so much
                           after it, and until then its nodes are held (0) */
    double late_share;  /* ... of this share of the jobs, chosen at random
                           (1) */
} tori_sim_interrupts;

/* The part of a replay that is measured. A run begins with an empty machine
 * and ends with the last job, so it is not in its steady state at either end.
 * See tori_alloc_config for `size`. */
typedef struct tori_sim_window {
    size_t size;
    tori_time begin, end;
} tori_sim_window;

/* A look at the scheduler at some time, after all that happens at that time.
 * `on_look` gets a copy that has just run; its job tags are workload indexes.
 * If `on_look` returns non-zero, the simulation stops, as for on_start. See
 * tori_alloc_config for `size`. */
typedef struct tori_sim_look {
    size_t size;
    tori_time at;
    int (*on_look) (void *arg, tori_sched *sched, tori_error *err);
} tori_sim_look;

/* The fate of a job of the workload. */
typedef enum tori_fate {
    TORI_FATE_NONE,     /* not measured: it ran before the simulation began */
    TORI_FATE_DONE,     /* it ran to its end */
    TORI_FATE_KILLED,   /* it was started, but ended before its work was done */
    TORI_FATE_REJECTED  /* it can never run here, or was still waiting when
                           nothing else happened */
} tori_fate;

/* "none", "done", "killed", "rejected"; NULL for anything else. */
const char *tori_fate_name (tori_fate fate);

/* Texts, each with its final 0, one after another; the first is empty. All
 * zero: none yet. The library adds to them, and the caller clears them. */
typedef struct tori_sim_texts {
    char *bytes;
    size_t n; /* bytes in use */
    size_t room;
} tori_sim_texts;

void tori_sim_texts_clear (tori_sim_texts *texts);

/* The fate of every job, as columns: arrays of the caller's, each with room for
 * all jobs of the workload and in their order, or NULL for what is not wanted.
 * The members are those of tori_sim_job. Times are -1 and numbers 0
 * for jobs that were never started. See tori_alloc_config for `size`. */
typedef struct tori_sim_columns {
    size_t size;
    uint8_t *fate; /* a tori_fate */
    tori_time *start;
    tori_time *finish;
    tori_time *waited;
    tori_time *ran;
    uint32_t *starts;
    uint32_t *moves;
    uint32_t *nodes;    /* that it held */
    uint64_t *pairwise; /* the sum of distances over pairs of these */

    /* Columns of texts: each element says where in texts->bytes its text
     * begins; 0 for no text. TORI_INVALID without `texts`. */
    uint64_t *placement; /* its last place: a box as "0,0,0/4x4x2", several of
                            them with spaces between, or nodes as "0-3 8" */
    uint64_t *reason;    /* why it was killed or rejected */
    tori_sim_texts *texts;
} tori_sim_columns;

/* Alternatives of jobs that ask for a shape (tori_job_spec), in this order. */
enum {
    TORI_SIM_OR_BOXES = 1, /* boxes of as many nodes, or up to an eighth more
                              than the job needs: tori_shape_others */
    TORI_SIM_OR_COUNT = 2  /* any nodes, as many as it needs */
};

/* See tori_alloc_config for `size`. */
typedef struct tori_sim_config {
    size_t size;
    const tori_machine *machine;
    const tori_sched_config *sched; /* the policy may also be `gang`: see
                                       below; NULL for the defaults of
                                       tori/sched.h */

    /* Called for each job, in the order of starts, once it and all that
     * started before it have ended. If it returns non-zero, the simulation
     * stops and fails with what the callback put into `err`, or with
     * TORI_FAILED if it put nothing there. `err` is never NULL. This callback
     * and those below may call the library, but must not change the workload
     * or `initial`. May be NULL. */
    int (*on_start) (void *arg, const tori_sim_job *job, tori_error *err);

    /* Called as each job finishes, in the order of finishes. May be NULL. */
    void (*on_finish) (void *arg, const tori_work *work);

    /* Called for each job that is rejected, with the reason. May be NULL. */
    void (*on_reject) (void *arg, const tori_work *work, const char *why);

    /* Called when an allocator that searches gives up on a job, with what it
     * says. The simulation then fails with TORI_GAVE_UP. May be NULL. */
    void (*on_gave_up) (void *arg, const tori_work *work, const char *why);

    /* Called now and then with the number of jobs finished. May be NULL. */
    void (*on_progress) (void *arg, size_t finished, size_t total);
    void *arg;

    const tori_state *initial; /* nodes and links down from the start; NULL */
    bool no_pairwise;          /* do not measure distances */
    const tori_sim_network *network; /* NULL: jobs take the time in the log */
    const tori_sim_gang *gang; /* of `gang`; NULL for the defaults */
    const tori_sim_window *window; /* NULL: measure everything */
    const tori_sim_look *look; /* NULL: none; not with gang */

    /* Continue from this scheduler, which is copied; NULL: from an idle
     * machine. It replaces `sched` and `initial`, and belongs to a machine
     * like `machine`. The tags of its jobs are the indexes of the first jobs
     * of the workload. Its running jobs end when their runtime has passed
     * since their start, but not before now; they are not measured. Its
     * suspended jobs are: they have been started once, and have run for what
     * they have done. So are its running jobs once they are suspended, or
     * requeued for another job or after a failure. Not with gang or a network.
     */
    const tori_sched *resume;

    /* Called as each job starts, in the order of the decisions, with its
     * place. It can stop the simulation as on_start can. Not with gang. May be
     * NULL. */
    int (*on_place) (void *arg, const tori_work *work,
                     const tori_placement *place, tori_error *err);

    /* NULL: nothing fails. Not with gang or a network. */
    const tori_sim_interrupts *interrupts;

    /* Called as each run of a job ends, with its begin and end, and how much
     * of that time it really ran: less than all of it only with gang. Not for
     * runs that began before the simulation (`resume`). May be NULL. */
    void (*on_run) (void *arg, const tori_work *work, tori_time begin,
                    tori_time end, tori_time ran);

    /* Called before time passes from `now` to `until`, with the scheduler as
     * it is in between; its job tags are workload indexes. It can stop the
     * simulation as on_start can. Not with gang. May be NULL. */
    int (*on_pass) (void *arg, const tori_sched *sched, tori_time now,
                    tori_time until, tori_error *err);

    const tori_sim_columns *columns; /* filled in; NULL: none. If the
                                        simulation fails, what they hold is
                                        not specified */

    /* Looked at whenever time passes (with gang, when a job comes): once it is
     * not 0, the simulation stops and fails with TORI_FAILED. A callback, a
     * handler of a signal or another thread may set it. NULL: it runs to its
     * end. */
    const volatile int *stop;

    /* The size of the caller's tori_sim_result, so that it can grow: sizeof
     * (tori_sim_result). As much is filled in; what a newer header has beyond
     * that is 0. 0: the members up to `accepted`, as in 0.1. TORI_INVALID for
     * anything smaller. */
    size_t result_size;

    /* TORI_SIM_OR_BOXES, ...: what jobs by shape take if their own shape has
     * no place (0: nothing). The scheduler needs TORI_SCHED_PLACES and, for
     * counts, an allocator of these. Not with gang or `resume`. */
    uint64_t instead;
    tori_time patience; /* how long jobs wait for their own shape before they
                           take anything else: tori_job_spec (0) */
} tori_sim_config;

/* A sample in numbers: the mean, percentiles by nearest rank, the largest.
 * Times are in seconds. All are 0 if there are no jobs. */
typedef struct tori_summary {
    double mean, p50, p90, p99, max;
} tori_summary;

/* Means over some of the jobs, in seconds. */
typedef struct tori_sim_class {
    size_t jobs;
    double wait, response;
} tori_sim_class;

/* Members are only ever added at the end: see `result_size` of
 * tori_sim_config.
 *
 * Utilization counts the nodes that jobs asked for; `held` counts those that
 * they had, which may be more. Both are parts of the node-time from the first
 * submission to the last finish. With a window they are parts of the window's
 * node-time. The offered load, external fragmentation and the counts of the
 * queue tree are then also for the window. Job statistics then cover the jobs
 * submitted within it, from its begin to before its end, however long they
 * took.
 *
 * Jobs that are killed count in the node-time that was used, but not among the
 * jobs, nor in their response times. */
typedef struct tori_sim_result {
    size_t jobs;     /* that ran to their end */
    size_t rejected; /* that can never run here, inside the window or not */
    double utilization;
    double held;
    double offered;
    double makespan; /* first submission to last finish, seconds */
    tori_summary response;
    tori_summary wait;
    tori_summary slowdown; /* response over runtime, for runtimes above 0 */
    tori_summary bounded_slowdown; /* of all jobs: response over runtime, or
                                      over 10 s if that is more; at least 1. It
                                      is never above a job's slowdown, but jobs
                                      without a runtime may raise the mean */
    size_t zero_runtime; /* jobs without a runtime */
    double numerical; /* mean delay per job while the head lacked nodes */
    double topological;
    double pairwise; /* mean over jobs of the sum over pairs of nodes */
    double average;  /* mean over jobs of two or more nodes */
    double internal_fragmentation; /* node-time held but not asked for, of
                                      that held */
    double external_fragmentation; /* node-time free while the head of the
                                      queue had enough nodes but no box, of
                                      all */
    uint64_t events;

    /* With a network: the time that jobs ran over their runtime in the log,
     * for jobs with a runtime above 0; and the messages sent. */
    tori_summary stretch;
    uint64_t messages;

    /* The work of the jobs that ran to their end, as a part of the node-time
     * from the first submission to the last finish; and the node-time that jobs
     * ran beyond that, in seconds: work that was repeated, or done for nothing.
     * Both are of the whole run, also with a window. */
    double goodput;
    double lost;

    /* How often each interrupt happened in the whole run: */
    uint64_t failures; /* nodes and links that went down */
    uint64_t killed;   /* jobs that did not run to their end */
    uint64_t requeues; /* jobs stopped, and put back into the queue */
    uint64_t repairs;  /* jobs that moved when something failed */
    uint64_t moves;    /* jobs that moved to make room */
    uint64_t suspensions; /* jobs stopped, to continue where they were */

    /* For the jobs that ran to their end, if a share of them is urgent. */
    tori_sim_class urgent, others;

    double placeable; /* the part of all jobs that was not rejected */
    double accepted;  /* the offered load without the jobs that were rejected */

    /* Whether waits and the backlog grew over the run: doc/algorithms.md, "How
     * saturation is seen". All 0 if fewer than 100 jobs are in `jobs`. */
    double wait_trend;     /* Mann and Kendall's z of batch means of waits */
    double backlog_trend;  /* ... of the backlog, in node-time */
    double backlog_growth; /* Sen's slope of these means, times the length of
                              the run: as a part of what the machine could do
                              in it */
    double backlog_least;  /* after the first tenth of the run, as a part of
                              the mean backlog */
    size_t saturated; /* 1: waits and the backlog grew, or the queue was never
                         short again; waits tell how long the run is. Else 0 */
} tori_sim_result;

/* For programs that were built with 0.1, whose result has no `saturated`:
 * whether it took longer to empty the queue than the longest job and a tenth
 * of the time in which jobs were submitted. Others use `saturated`, which sees
 * more. */
bool tori_sim_is_saturated (const tori_workload *workload,
                            const tori_sim_result *result);

/* 1 if a job can hardly ever finish with these failures at random, 0 if not,
 * -1 and TORI_INVALID for interrupts without a size. It is so if a node
 * fails in more than 99 of 100 of its runs (with checkpoints, of the times
 * between them), or in so many moments too few nodes are up. The response of
 * such a job tells more about luck than about the policy. */
int tori_sim_is_hopeless (const tori_machine *machine,
                          const tori_sim_interrupts *interrupts,
                          const tori_work *work, tori_error *err);

/* The policies: those of tori/sched.h, and `gang`, which shares time and is
 * not such a scheduler. With gang, a job goes at once to the smallest
 * partition of the queue tree that holds it. It runs there in slots, which are
 * counted from the first submission, from its first slot (`start`) to its
 * last. The order, the allocator and the delays by
 * cause then have no meaning; on_start is called, in the order of starts, when
 * all jobs have ended. NULL past the end. */
const tori_sched_info *tori_sim_policy_list (size_t i);

/* Replay the workload. The replay ends with the last job, whatever would fail
 * later. If jobs still wait when nothing runs and nothing more arrives, they
 * are rejected, or killed if they ran before. That happens after the last
 * listed failure, or after 1,000 times the `mttr`.
 *
 * TORI_INVALID for an unknown policy or allocator; for interrupts that are not
 * as above, or that come with what they exclude; for a window that begins
 * before 0 or ends before it begins; and, with gang, for requests that reserve
 * links and for a machine with anything down. Also TORI_INVALID, with the
 * job's id, for jobs that are not in the order of submission, for times below
 * 0, and for times that add up to more than half of TORI_TIME_MAX, as in
 * tori_workload_read.
 */
int tori_sim_run (const tori_sim_config *config,
                  const tori_workload *workload, tori_sim_result *ret_result,
                  tori_error *err);

#ifdef __cplusplus
}
#endif

#endif

/* sim_run.h - one simulation, as the options of `tori sim` describe it.
 *
 * The command runs it once, or once per seed; a sweep runs thousands. The
 * option table of the command (cmd_sim.c) reads the options; this file checks
 * them and runs the simulation.
 */
#ifndef TORI_CLI_SIM_RUN_H
#define TORI_CLI_SIM_RUN_H

#include <tori/sim.h>
#include <tori/snapshot.h>

#include "emit.h"
#include "groups.h"
#include "interrupts.h"
#include "joblog.h"
#include "measured_part.h"
#include "sim_watch.h"
#include "resume.h"
#include "schedule.h"
#include "sharing.h"
#include "machine_options.h"
#include "sparkline.h"
#include "terminal.h"
#include "tuning.h"
#include "workload_options.h"

/* As typed. */
struct sim_values {
    struct machine_options site;
    struct workload_options work;
    const char *alloc;
    struct tuning tuning;
    struct sharing sharing;
    struct interrupts interrupts;
    struct measured_part part;
    int wiring;
    int fold;
    struct fraction torus_fraction;
    struct fraction count_fraction;
    int shapes;
    int instead; /* TORI_SIM_OR_BOXES, ...; -1: none */
    const char *patience; /* or NULL */
    int estimates;
    int at_limit;
    bool no_rotate;
    int network;
    int pattern;
    int64_t rounds;
    struct fraction inject;
    bool json;
    const char *log;
    int log_format;
    const char *out_swf;
    const char *snapshot;
    const char *from;
    bool timing;
    bool watch;
    const char *speed;
    bool no_distance;
    int64_t seeds;
    int64_t workers;
    int by; /* group_names; -1: no groups */
};

/* The defaults of options: see `otherwise` of struct option. */
const char *used_alloc (const void *values, const void *slot);
const char *used_shapes (const void *values, const void *slot);
const char *used_estimates (const void *values, const void *slot);

const tori_alloc_info *allocator_of (const struct sim_values *v);

/* The allocator of counts, if shapes have another; or NULL. */
const tori_alloc_info *counts_of (const struct sim_values *v);
tori_shaping shaping_of (const struct sim_values *v);
tori_estimates estimates_of (const struct sim_values *v);
bool shares_time (const struct sim_values *v);

/* Alternatives of jobs to their shape: TORI_SIM_OR_BOXES, ... */
uint32_t instead_of (const struct sim_values *v);

/* How long they wait for it first. */
tori_time patience_of (const struct sim_values *v);

/* The traffic of jobs, if there are messages. */
tori_sim_network network_of (const struct sim_values *v, uint64_t seed);

/* Refuse options that contradict each other; the error names the first
 * conflict. */
int sim_run_check (const struct sim_values *v, tori_error *err);

/* Whether the machine takes the policy and the model of the network, by a
 * simulation without jobs: 0; 1 and `why`; or -1. */
int sim_run_suits (const struct sim_values *v, tori_error *why,
                   tori_error *err);

/* Why jobs were rejected, and how many for each reason. There are fewer
 * different reasons than room. */
enum { MAX_REASONS = 16 };

struct reasons {
    struct {
        const char *why;
        size_t n;
    } all[MAX_REASONS];
    size_t n;
};

/* As an object: the number of jobs by reason. */
void reasons_emit (struct emit *e, const char *key,
                   const struct reasons *reasons);

struct sim_run {
    const struct sim_values *values;
    tori_snapshot *from; /* or NULL */
    tori_sched *resume;  /* its scheduler */
    struct snapshot_at snapshot;
    const struct site *site;
    uint64_t seed;
    tori_sim_interrupts interrupts;
    bool alone; /* no other replay runs at the same time */
    tori_workload workload;
    tori_sim_window window; /* with a warm-up or a cool-down */
    size_t measured;        /* jobs in it, or all */
    size_t too_large; /* jobs that ask for more nodes than the machine has */
    uint32_t largest; /* the most nodes that a job asks for */
    bool links;                /* some job reserves links */
    struct joblog *log;        /* or NULL */
    FILE *log_to;              /* written instead of the file; or NULL */
    const tori_sim_columns *columns; /* of its jobs; or NULL */
    struct schedule *schedule; /* or NULL */
    struct sim_watch *watch;       /* or NULL */
    struct progress progress;
    struct reasons reasons;
    struct {
        bool happened;
        int64_t job; /* its number in the log */
        uint32_t nodes;
        char why[TORI_ERROR_TEXT];
    } gave_up;
    tori_sim_result result;
    struct job_groups groups; /* if asked for */
    tori_sim_class steady; /* jobs that are not hopeless, if there are others */
    size_t hopeless, hopeless_ran; /* the others; those that finished yet */
    struct sparkline busy; /* only if `alone` */
    double seconds;
};

/* Read or make the jobs and their interruptions; then run. Call sim_run_clear
 * afterwards, also on failure. */
int sim_run_load (struct sim_run *replay, tori_error *err);

int sim_run_execute (struct sim_run *replay, tori_error *err);
void sim_run_clear (struct sim_run *replay);

/* Whether a part of the jobs is not measured. */
bool sim_run_has_window (const struct sim_run *replay);

/* How many jobs can hardly ever finish, and the first of them: a node fails in
 * more than 99 of 100 of their runs, or in so many moments too few nodes are
 * up. Their responses tell more about luck than about the policy. */
size_t sim_run_hopeless (const struct sim_run *replay,
                         const tori_work **ret_first);
bool sim_run_is_hopeless (const struct sim_run *replay,
                          const tori_work *work);

/* Run, and keep the jobs one by one in `jobs`, which may be NULL; those that
 * are hopeless do not count as run there. Also make the groups. */
int sim_run_jobs (struct sim_run *replay, struct cell_jobs *jobs,
                  int (*execute) (struct sim_run *replay, tori_error *err),
                  tori_error *err);

/* Jobs that have a shape in the log and ask for a count; 0 for a model. */
size_t sim_run_unshaped (const struct sim_run *replay);

/* Whether jobs may be interrupted, by the options or by the snapshot. */
bool sim_run_interrupts (const struct sim_run *replay);

#endif

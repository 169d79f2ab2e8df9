/* measure.h - the measures of jobs, one after another. */
#ifndef TORI_SIM_MEASURE_H
#define TORI_SIM_MEASURE_H

#include <tori/sim.h>

/* Node-time in ticks, exactly: 2^24 nodes for a year is beyond 64 bits. */
__extension__ typedef unsigned __int128 node_time;

struct measures {
    const tori_sim_config *config;
    const tori_workload *workload;
    double *response, *wait, *slowdown, *bounded;
    double *stretch; /* with a network */
    tori_time *idle; /* by job of the workload: how long it did not run between
                        its submission and its end; -1: it did not end */
    size_t n, with_runtime, with_pairs;
    struct { /* the job whose distances were added last */
        const tori_work *work;
        uint64_t pairwise;
    } last;
    double numerical, topological, pairwise, average;
    node_time asked, held, offered;
    tori_sim_class class[2]; /* sums, by level */
    node_time ran;     /* by all jobs, in the window or not */
    node_time done;    /* work of jobs that ran to their end */
    node_time refused; /* work of jobs that were rejected, if they are no
                          larger than the machine */
};

/* Room for all jobs. measures_clear is needed in any case. */
int measures_create (struct measures *measures, const tori_sim_config *config,
                     const tori_workload *workload, tori_error *err);
void measures_clear (struct measures *measures);

/* Count nodes that a job asked for and held for a time, and for how much of it
 * in the window. */
void measures_hold (struct measures *measures, uint32_t asked, uint32_t held,
                    tori_time had, tori_time inside);

/* Count a job that ran to its end. */
int measures_add (struct measures *measures, const tori_sim_job *job,
                  tori_error *err);

/* Fill in the columns of a job and call on_start for it, if these are set: -1
 * if it stops the simulation. */
int measures_tell (const struct measures *measures, const tori_sim_job *job,
                   tori_error *err);

/* The same for a job that is rejected, with on_reject. */
int measures_tell_rejected (struct measures *measures, const tori_work *work,
                            const char *why, tori_error *err);

/* Call on_run for a run, if it is set. */
void measures_tell_run (const struct measures *measures,
                        const tori_work *work, tori_time begin, tori_time end,
                        tori_time ran);

/* A callback has stopped the simulation. It had an error of its own, because
 * the caller may have passed none, and the caller's is only written if the
 * simulation fails. Returns -1. */
int measures_stop (const tori_error *why, tori_error *err);

/* The part of the time from `begin` to `end` that is in the window. */
tori_time measures_inside (const struct measures *measures, tori_time begin,
                           tori_time end);

/* The time that ratios refer to: the window, or else this span. */
tori_time measures_span (const struct measures *measures, tori_time span);

/* Fill in the results for the jobs of a workload; the span is from the first
 * submission to the last finish. The samples are reordered. */
void measures_conclude (struct measures *measures,
                        const tori_workload *workload, tori_time span,
                        tori_sim_result *result);

/* Whether a job is measured: it was submitted in the window, if there is
 * one. */
bool measures_counts (const struct measures *measures, const tori_work *work);

/* The result of a caller that says nothing of its size. */
enum {
    FIRST_RESULT = offsetof (tori_sim_result, accepted) + sizeof (double)
};

/* ---- trend.c ---- */

/* Fill in the trends of waits and of the backlog, and `saturated`. */
void measures_trend (const struct measures *measures, tori_sim_result *result);

/* 0 if there is no whole. */
double measure_ratio (double part, double whole);

/* Summarise n values, which are reordered. A percentile p is the value of
 * rank ceil (p/100 * n) in ascending order (nearest rank). */
tori_summary summarise (double *values, size_t n);

/* ---- timeshare.c: a workload on the queue tree ---- */

extern const tori_sched_info gang_info;

/* tori_sim_run for the policy `gang`. */
int timeshare_run (const tori_sim_config *config,
                   const tori_workload *workload, tori_sim_result *ret_result,
                   tori_error *err);

#endif

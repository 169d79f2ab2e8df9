/* tori/decide.h - the situation and decision experiment.
 *
 * How good are an allocator's decisions, and how good are the situations that
 * they lead to? One allocator, the situation algorithm, places the jobs of a
 * workload. Whenever a job is about to start, every decision algorithm is
 * asked where it would put that job. The sum of pairwise distances in its
 * answer is recorded, but only the situation algorithm's answer is carried out
 * (Bender et al., "Communication-Aware Processor Allocation for
 * Supercomputers: Finding Point Sets of Small Average Distance", 2005, section
 * 5).
 *
 *     double row[2];
 *     tori_decide_config config = {.size = sizeof config, .machine = machine,
 *                                  .sched = &fcfs, .allocs = allocs,
 *                                  .nallocs = 2};
 *     if (tori_decide_row (&config, 0, &workload, row, &result, &err) < 0)
 *         ...
 *
 * A row takes one pass over the workload, however many decision algorithms
 * there are. Rows share only what they read, so several threads may compute
 * them.
 */
#ifndef TORI_DECIDE_H
#define TORI_DECIDE_H

#include <tori/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

/* See tori_alloc_config for `size`. */
typedef struct tori_decide_config {
    size_t size;
    const tori_machine *machine;
    const tori_sched_config *sched; /* its allocator does not matter; NULL for
                                       the defaults of tori/sched.h */
    const tori_alloc_config *const *allocs; /* each must take a count; their
                                               `search` is not filled in */
    size_t nallocs;

    /* Called after each job with the number of jobs decided in this row. May
     * be NULL. */
    void (*on_progress) (void *arg, size_t decided, size_t total);
    void *arg;

    const tori_state *initial; /* nodes down from the start; NULL */
} tori_decide_config;

/* Compute the row of a situation algorithm, allocs[situation]. For each of
 * `allocs` it holds the mean, over the jobs that ran, of the sum of distances
 * over unordered pairs of the nodes that it chose; 0 if no job ran. The
 * situation algorithm's own entry is what tori_sim_run measures as `pairwise`.
 * All requests of the workload must have a count. If they also have a shape,
 * it is for allocators that take both (mc); the others are asked for the
 * count. `ret_result` gets the members up to `accepted` of the simulation of
 * the situation algorithm, and may be NULL. TORI_INVALID for an allocator that
 * is unknown or takes no count, and for a request without a count.
 * TORI_GAVE_UP if an allocator that searches gives up; the text then names the
 * allocator and, if that was only asked, the job. */
int tori_decide_row (const tori_decide_config *config, size_t situation,
                     const tori_workload *workload, double ret_row[],
                     tori_sim_result *ret_result, tori_error *err);

/* The decisions of one of the allocators in a row. */
typedef struct tori_decide_cell {
    double mean;     /* as above, over the jobs that it decided */
    size_t left_out; /* jobs that it gave up on; 0 for the situation
                        algorithm */
    double common;   /* the mean over the jobs that all of them decided */
} tori_decide_cell;

/* The same row where allocators may give up. An allocator that is only asked
 * then leaves out this job. Means over different jobs cannot be compared;
 * those over the `ret_common` jobs that no allocator left out can. If the
 * situation algorithm gives up, nothing more can be placed: TORI_GAVE_UP. */
int tori_decide_cells (const tori_decide_config *config, size_t situation,
                       const tori_workload *workload,
                       tori_decide_cell ret_row[], size_t *ret_common,
                       tori_sim_result *ret_result, tori_error *err);

#ifdef __cplusplus
}
#endif

#endif

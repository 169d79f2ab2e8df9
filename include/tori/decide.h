/* tori/decide.h - the situation and decision experiment.
 *
 * How good are an allocator's decisions, and how good are the situations that
 * they lead to? One allocator, the situation algorithm, places the jobs of a
 * workload. Whenever a job is about to start, every decision algorithm is
 * asked where it would put that job. Its sum of pairwise distances is
 * recorded, but only the situation algorithm's answer is carried out (Bender
 * et al., "Communication-Aware Processor Allocation for Supercomputers:
 * Finding Point Sets of Small Average Distance", 2005, section 5).
 *
 *     double row[2];
 *     tori_decide_config config = {.size = sizeof config, .machine = machine,
 *                                  .sched = &fcfs, .allocs = allocs,
 *                                  .nallocs = 2};
 *     if (tori_decide_row (&config, 0, &workload, row, &result, &err) < 0)
 *         ...
 *
 * A row is one pass over the workload, whatever the number of decision
 * algorithms. Rows share only what they read, so several threads may compute
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
    const tori_sched_config *sched; /* whatever its allocator is; NULL for the
                                       defaults of tori/sched.h */
    const tori_alloc_config *const *allocs; /* all of them take a count; their
                                               `search` is not filled in */
    size_t nallocs;

    /* Called with the number of jobs decided in this row, after each. May be
     * NULL. */
    void (*on_progress) (void *arg, size_t decided, size_t total);
    void *arg;

    const tori_state *initial; /* nodes down from the start; NULL */
} tori_decide_config;

/* Compute the row of a situation algorithm, allocs[situation]: for each of
 * `allocs` the mean, over the jobs that ran, of the sum of distances over
 * unordered pairs of the nodes that it chose; 0 if none ran. Its own is what
 * tori_sim_run measures as `pairwise`. All requests of the workload have a
 * count. A shape that they have as well is for allocators that take both (mc);
 * the others are asked for the count. `ret_result` is the simulation of the
 * situation algorithm and may be NULL. TORI_INVALID for an allocator that is
 * unknown or takes no count, or a request without one. TORI_GAVE_UP where an
 * allocator that searches does so; the text then names the allocator, and the
 * job where it was only asked. */
int tori_decide_row (const tori_decide_config *config, size_t situation,
                     const tori_workload *workload, double ret_row[],
                     tori_sim_result *ret_result, tori_error *err);

/* What one of the allocators decided in a row. */
typedef struct tori_decide_cell {
    double mean;     /* as above, over the jobs that it decided */
    size_t left_out; /* jobs that it gave up; 0 for the situation's own */
    double common;   /* the mean over the jobs that all of them decided */
} tori_decide_cell;

/* The same row where allocators may give up. One that is only asked then
 * leaves out this job. Means over different jobs do not compare; those over
 * the `ret_common` jobs that none left out do. Where the situation's own gives
 * up, nothing more can be placed: TORI_GAVE_UP. */
int tori_decide_cells (const tori_decide_config *config, size_t situation,
                       const tori_workload *workload,
                       tori_decide_cell ret_row[], size_t *ret_common,
                       tori_sim_result *ret_result, tori_error *err);

#ifdef __cplusplus
}
#endif

#endif

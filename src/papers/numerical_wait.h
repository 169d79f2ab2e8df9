/* numerical_wait.h - how long jobs wait because nodes are missing, by the
 * nodes that they need at the start rather than by those that they ask for.
 *
 * A strategy may need more nodes to be free than the job asks for, as when
 * sides are rounded up. The simulator counts a wait as numerical while fewer
 * nodes are free than the first job of the queue asks for. Here the same is
 * done with the number of nodes that the job needs. This works only for first
 * come, first served, where starts, finishes and the nodes held determine
 * everything.
 */
#ifndef TORI_PAPERS_NUMERICAL_WAIT_H
#define TORI_PAPERS_NUMERICAL_WAIT_H

#include <tori/sim.h>

struct numerical_wait_job {
    tori_time submit, start, finish;
    uint32_t need; /* nodes that must be free at the start */
    uint32_t held; /* nodes that it has while it runs */
};

/* The sum over all jobs, which are in the order of submission and start in
 * this order, of the time in which they waited and the first of the queue
 * needed more nodes than were free, of a machine with that many. -1 without
 * memory. */
int numerical_wait_sum (const struct numerical_wait_job job[], size_t n,
                        uint32_t nodes, tori_time *ret_sum, tori_error *err);

#endif

/* optimal_cluster.h - k points of an unbounded grid with the least sum of
 * distances.
 *
 * The unconstrained problem of Bender et al., "Communication-Aware Processor
 * Allocation for Supercomputers", 2005, Figure 2, solved by trying every
 * partition of k into heights of columns. Proof that these are enough:
 *
 * - Columns in use are neighbours, or moving a side closer would gain. In a
 *   best set no point can be replaced by one between it and the set's median,
 *   so heights fall from the median's column to both sides.
 * - Whatever the heights are, rows cost least if every column is a run of
 *   points about row 0, from -(h - 1) / 2 to h / 2 rounded down: for each pair
 *   of columns, then, the one is centred in the other as far as parity
 *   allows. With p and q points, u and v of them at or below a line less p/2
 *   and q/2, the pairs across the line are p q / 2 - 2 u v; u takes each of
 *   its values on some line, so by the rearrangement inequality the sum is
 *   least if |u| and |v| grow together, which is when both are centred.
 * - So the sum of y-distances depends on the heights alone, and that of
 *   x-distances on their order, of which all are tried that fall to both
 *   sides.
 */
#ifndef TORI_PAPERS_OPTIMAL_CLUSTER_H
#define TORI_PAPERS_OPTIMAL_CLUSTER_H

#include <stdbool.h>
#include <stdint.h>

enum { CLUSTER_MOST = 64 };

struct optimal_cluster {
    uint32_t k;
    uint64_t sum;
    uint32_t columns;
    uint32_t height[CLUSTER_MOST]; /* from left to right */
};

/* An optimal cluster of k points, 1 <= k <= CLUSTER_MOST; their number grows
 * like that of partitions, so 60 take seconds. */
struct optimal_cluster optimal_cluster_find (uint32_t k);

/* Whether there is a point in this column and row. */
bool optimal_cluster_has (const struct optimal_cluster *best, uint32_t column,
                          int32_t row);

/* A square in which some best set lies, if one has this sum: with more
 * columns or rows every set of k points is above it. Its side. */
uint32_t optimal_cluster_side (uint32_t k, uint64_t sum);

#endif

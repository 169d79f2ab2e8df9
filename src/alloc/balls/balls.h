/* balls.h - the pairwise sum of the k free nodes nearest to any centre.
 *
 * MM asks this for every node of the machine as the centre. The k nearest are
 * a ball, less some of its surface: all nodes nearer than a radius r, and of
 * those at r the ones of the lowest ids. A sum of distances adds up over the
 * dimensions, and what one dimension adds follows from its histogram: how many
 * of the nodes have which coordinate. The nodes of a ball that share one
 * coordinate are a ball in the other dimensions, around the centre, with the
 * radius that is left. So for every dimension a table holds how many free
 * nodes there are in the balls across it, around every node, of every radius.
 *
 * The tables are made dimension by dimension. With c(x, r) counted in some
 * dimensions, one more dimension makes
 *
 *     before(x, r) = c(x, r) + before(x-1, r-1)
 *     beyond(x, r) = c(x, r) + beyond(x+1, r-1)
 *     all(x, r) = before(x, r) + beyond(x+1, r-1)
 *
 * where the radii are consecutive in memory, so each line is an addition of
 * vectors whatever the dimension and however short its side. Where a dimension
 * wraps, x goes round, no farther than half way.
 *
 * Lowest ids means lowest coordinate of the first dimension first, so of the
 * surface there are taken whole slices across the first dimension, then a
 * part of one more. The first dimension is the last to be put into the tables
 * of the others: `before` and `beyond` then count what of a ball is on one
 * side of a slice. The part of the one slice is walked node by node, with the
 * surface where this does not do (a ball that meets itself round the first
 * dimension, tables too large for memory).
 *
 * One centre costs about the sum of the machine's sides, whatever k is.
 */
#ifndef TORI_ALLOC_BALLS_H
#define TORI_ALLOC_BALLS_H

#include <tori/alloc.h>

struct balls;

int balls_create (const tori_machine *machine, struct balls **ret_balls,
                  tori_error *err);
void balls_destroy (struct balls *balls);

/* Look for k free nodes, 1 <= k <= free nodes, in this state, which must not
 * change until they are taken. 1 if counts are in tables, 0 if these would be too
 * large and every ball is walked, -1 without memory. */
int balls_start (struct balls *balls, const tori_state *state, uint32_t k,
                 tori_error *err);

/* The same for those who only take: nothing is counted before. */
void balls_set (struct balls *balls, const tori_state *state, uint32_t k);

/* The sum of distances over pairs of the k free nodes nearest to a node, ties
 * by id. */
uint64_t balls_pairwise (struct balls *balls, uint32_t centre);

/* A centre whose nearest are not far in sum: good to begin with. */
uint32_t balls_promising (const struct balls *balls);

/* These nodes, in ascending order. -1 without memory. */
int balls_take (struct balls *balls, uint32_t centre, uint32_t ret_nodes[],
                tori_error *err);

#endif

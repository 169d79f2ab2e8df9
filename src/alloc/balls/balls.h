/* balls.h - the k free nodes nearest to the best centre of a machine.
 *
 * MM asks every node of a machine as the centre. The k nearest are a ball,
 * less some of its surface: all nodes nearer than a radius r, and of those at
 * r the ones of the lowest ids. A sum of distances adds up over the
 * dimensions, and what one adds follows from its histogram: a step that c of
 * the k nodes are behind is taken by c (k - c) pairs. Slices of a ball are
 * balls with one dimension less, so rows of counts of those (ballrows.h) give
 * every histogram in as many steps as the ball is wide, whatever k is.
 *
 * Lowest ids means lowest coordinate of the first dimension first, so of the
 * surface there are taken whole slices across the first dimension, then a part
 * of one more. What is on one side of a slice is in rows, too; the part of the
 * one slice is walked node by node.
 *
 * The dimensions are gone through one after the other, the first one first:
 * that gives the radii, too. Time grows with nodes times radii, memory with
 * nodes, and with the radius times the nodes of a slice.
 */
#ifndef TORI_ALLOC_BALLS_H
#define TORI_ALLOC_BALLS_H

#include <tori/alloc.h>

struct balls;

/* For machines of two dimensions and more that are longer than 1. */
int balls_create (const tori_machine *machine, struct balls **ret_balls,
                  tori_error *err);
void balls_destroy (struct balls *balls);

/* Find the k free nodes, 1 < k < free nodes, that are nearest to the first
 * centre of the least sum over pairs; ties in distance go to the lower id. The
 * centres are a set of nodes. 1 and the nodes in ascending order; 0 if rows
 * would take too much memory; -1 without memory. */
int balls_find (struct balls *balls, const tori_state *state, uint32_t k,
                const uint64_t *centres, uint32_t ret_nodes[],
                tori_error *err);

/* The k free nodes nearest to a node, in ascending order. */
void balls_take (const struct balls *balls, const tori_state *state,
                 uint32_t k, uint32_t centre, uint32_t ret_nodes[]);

#endif

/* balls.h - the k free nodes nearest to the best centre of a machine.
 *
 * MM tries every node of a machine as the centre. The k nearest are a ball
 * without part of its surface: all nodes nearer than a radius r, and of those
 * at r the ones with the lowest ids. A sum of distances adds up over the
 * dimensions, and the share of each follows from its histogram: if c of the k
 * nodes are after a step, c (k - c) pairs take that step. Slices of a ball are
 * balls with one dimension less, so rows of counts of those (ballrows.h) give
 * every histogram in as many steps as the ball is wide, whatever k is.
 *
 * Lowest ids means the lowest coordinate of the first dimension first. So
 * whole slices of the surface across the first dimension are taken, then part
 * of one more. The sums over one side of a slice are in rows, too; the part of
 * the one slice is walked node by node.
 *
 * The dimensions are handled one after the other, the first one first; that
 * also gives the radii. Time grows with nodes times radii, memory with nodes,
 * and with the radius times the nodes of a slice. */
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

/* The same for all centres: weigh the k nodes nearest to each. The price of a
 * node is that of its coordinates in all dimensions that are longer than 1;
 * `prices` may be NULL. */
struct ball_weight {
    uint64_t sum; /* over pairs */
    uint64_t price;
    uint32_t radius, rest; /* nearer than the radius, and so many at it */
};

int balls_weigh (struct balls *balls, const tori_state *state, uint32_t k,
                 const uint64_t *centres, const uint64_t *const prices[],
                 tori_error *err);

/* Results of the last weighing: the weight of a centre; the first centre of
 * the least sum among some of them; and the nodes nearest to a centre, in
 * ascending order. */
struct ball_weight balls_weight (const struct balls *balls, uint32_t centre);
uint32_t balls_best (const struct balls *balls, const uint64_t *among);
void balls_nearest (const struct balls *balls, const tori_state *state,
                    uint32_t centre, uint32_t ret_nodes[]);

/* The k free nodes nearest to a node, in ascending order. */
void balls_take (const struct balls *balls, const tori_state *state,
                 uint32_t k, uint32_t centre, uint32_t ret_nodes[]);

#endif

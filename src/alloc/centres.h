/* centres.h - the best centre of all, on machines of up to three dimensions.
 *
 * The same counts as in balls.h, but for eight neighbouring centres at once:
 * the last dimension lies across the lanes of vectors. What is the same for
 * all centres is a loop over vectors:
 *
 *  - Counts across every dimension, radius after radius, until every centre
 *    has k free nodes around it.
 *  - The pairwise sum of all that is nearer than the radius r, from the number
 *    of nodes behind each step away from the centre, and with it a bound: m
 *    more nodes come from the distance r, and each is as far from what is
 *    nearer as the best spot at this distance is at least.
 *  - For centres whose bound is below the best so far, the m nodes in the
 *    order of ids, eight centres side by side, and the sum.
 */
#ifndef TORI_ALLOC_CENTRES_H
#define TORI_ALLOC_CENTRES_H

#include <tori/alloc.h>

struct centres;

int centres_create (const tori_machine *machine, struct centres **ret_centres,
                    tori_error *err);
void centres_destroy (struct centres *centres);

/* Find the first centre of the least pairwise sum of its k nearest free nodes
 * (ties by id), 1 <= k <= free nodes, among the free nodes, or if `occurs` is
 * not NULL, among the nodes all of whose coordinates occur; these are flags
 * of all coordinates, dimension after dimension. 1 and *ret_centre; 0 if the
 * machine or the request does not suit: more than three dimensions longer
 * than 1, 2^16 - 1 nodes or more asked for, balls that meet themselves round
 * a torus, or half a GiB of tables. -1 without memory. */
int centres_find (struct centres *centres, const tori_state *state, uint32_t k,
                  const bool *occurs, uint32_t *ret_centre, tori_error *err);

#endif

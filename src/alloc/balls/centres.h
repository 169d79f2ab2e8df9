/* centres.h - the best centre of all, on machines of up to three dimensions.
 *
 * The same counts as in balls.h, but for eight neighbouring centres at once:
 * the last dimension lies across the lanes of vectors. What is the same for
 * all centres is a loop over vectors:
 *
 *  - Counts across every dimension, radius after radius, each centre until it
 *    has k free nodes around it (levels.h).
 *  - Centres that see only free nodes, as one before them does, are left out
 *    (twins.h).
 *  - Of the others a bound on the pairwise sum, from what the counts tell of
 *    the k nodes in each dimension (bounds.c).
 *  - For centres whose bound is below the best so far, the nodes at the radius
 *    in the order of ids, eight centres side by side (surface.c), and the sum.
 */
#ifndef TORI_ALLOC_CENTRES_H
#define TORI_ALLOC_CENTRES_H

#include "balls.h"

struct centres;

int centres_create (const tori_machine *machine, struct centres **ret_centres,
                    tori_error *err);
void centres_destroy (struct centres *centres);

/* Find the first centre of the least pairwise sum of its k nearest free nodes
 * (ties by id), 1 <= k <= free nodes, among the free nodes, or if `occurs` is
 * not NULL, among the nodes all of whose coordinates occur; these are flags
 * of all coordinates, dimension after dimension. `balls` are set for the same;
 * they are asked for what does not fit tables. 1 and *ret_centre; 0 if the
 * machine or the request does not suit: more than three dimensions longer
 * than 1, 2^16 - 1 nodes or more asked for, or half a GiB of tables. -1
 * without memory. */
int centres_find (struct centres *centres, const tori_state *state, uint32_t k,
                  const bool *occurs, struct balls *balls,
                  uint32_t *ret_centre, tori_error *err);

/* Whether all coordinates of a node occur. */
bool centres_has (const tori_machine *machine, const bool *occurs,
                  uint32_t node);

#endif

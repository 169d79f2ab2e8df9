/* shells.h - the k free nodes of the lowest shells around the best centre.
 *
 * Shell 0 around a node is a box, the core: of side a in a dimension, it
 * begins (a - 1) / 2 before the node, rounded down, so that an even side has
 * its longer half behind it. The nodes that the core has only once it grows by
 * s on every side are shell s. Boxes are cut off at the edges of mesh
 * dimensions and go round torus dimensions.
 *
 * The k nodes of the lowest shells cost the sum of their shells. With c(s)
 * free nodes in the box of size s, k - c(s) of the k lie beyond s as long as
 * that is positive, so the cost is
 *
 *     max (0, k - c(0)) + max (0, k - c(1)) + max (0, k - c(2)) + ...
 *
 * whose terms never grow. The sum so far is a bound, and a centre is given up
 * when it can no longer be the best. Counts come from a table of sums. The
 * part that the corners of a box share for all centres of a row is added up
 * once, so a centre takes two reads, or three round a ring.
 */
#ifndef TORI_ALLOC_SHELLS_H
#define TORI_ALLOC_SHELLS_H

#include <tori/alloc.h>

struct shells;

int shells_create (const tori_machine *machine, void **ret_shells,
                   tori_error *err);
void shells_destroy (void *shells);

/* Look for k free nodes, 1 <= k <= free nodes, in this state, which must not
 * change until they are taken. */
void shells_start (struct shells *shells, const tori_state *state,
                   uint32_t k);

/* Try every free node as the centre with this core, which is nowhere longer
 * than the machine. The least cost is kept; of several, that of the first
 * node, and of its cores the one tried first. -1 without memory. */
int shells_try (struct shells *shells, const tori_shape *core,
                tori_error *err);

/* After at least one core: the k nodes of the lowest shells, then ids, around
 * the best centre; in ascending order. */
void shells_take (struct shells *shells, uint32_t ret_nodes[]);

#endif

/* barter.h - swaps of one chosen node for a free one, while they help.
 *
 * With F the free nodes of a machine and S those chosen of them,
 *
 *     J(S) = close w(S) + rest w(F - S) + edge E(S, F - S)
 *
 * where w is the sum of distances over pairs, and E counts the pairs of
 * neighbours of which one is chosen and the other is not. Distances add up
 * over the dimensions. So the distance of a node from all free nodes, its
 * price P, and from all chosen ones, D, are sums over tables by coordinate,
 * and
 *
 *     w(F - S) = w(F) - (the sum of P over S) + w(S).
 *
 * Giving up p for q changes w(S) by D(q) - D(p) - d(p, q), where p and q are
 * no farther apart than the sum of their distances from some centre. So only
 * pairs that may be as good as the best so far are examined.
 */
#ifndef TORI_ALLOC_BARTER_H
#define TORI_ALLOC_BARTER_H

#include "ballspace.h"
#include "cloud.h"

struct barter;

struct barter_terms {
    uint32_t close, rest;
    uint64_t edge;
};

int barter_create (const tori_machine *machine, struct barter **ret_barter,
                   tori_error *err);
void barter_destroy (struct barter *barter);

/* Begin with the free nodes of a state. -1 without memory. */
int barter_start (struct barter *barter, const tori_state *state,
                  tori_error *err);

/* The following are about these nodes. The price of a coordinate, by the
 * dimensions of ballspace.h, and the neighbours of all nodes, as in
 * ballface.h: */
const uint64_t *barter_prices (const struct barter *barter, int axis);
const uint64_t *barter_beside (const struct barter *barter);

/* J from w(S), the sum of P over S, and E. */
wide barter_cost (const struct barter *barter,
                  const struct barter_terms *terms, wide sum, wide price,
                  uint64_t edges);

/* No limit. */
#define BARTER_ANY ((wide)1 << 120)

struct barter_result {
    wide sum;  /* w(S) */
    wide cost; /* J(S) */
};

/* The cost of k nodes. */
struct barter_result barter_weigh (struct barter *barter,
                                   const struct barter_terms *terms,
                                   uint32_t k, const uint32_t nodes[]);

/* From k nodes in ascending order make the swap that lowers J most, among
 * those after which w(S) is at most `limit`, until none lowers it. Ties go to
 * the swap that gives up the lowest id, then to the one that takes the
 * lowest. */
struct barter_result barter_improve (struct barter *barter,
                                     const struct barter_terms *terms,
                                     uint32_t k, wide limit, uint32_t nodes[]);

#endif

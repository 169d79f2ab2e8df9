/* pairs.h - all sets of k points up to a sum, by the distances of pairs.
 *
 * Branch and bound on which points a set has. Say that some are chosen, and r
 * are missing. Each of these has its distances to the chosen ones; and its
 * distances to the r - 1 others are no less than to the r - 1 open points
 * nearest to it, of which half is its share. The r points of the least such
 * prices bound the sum of every set with the chosen ones. A point that would
 * cost too much is left out, and one that cannot be done without is chosen.
 *
 * That knows nothing of dimensions: it is as good in twenty as in two, where
 * exact.h sees less and less the more there are. In two or three, and where
 * many sets are equally good, exact.h is better.
 *
 * Of points at one place, a set has the first ones.
 */
#ifndef TORI_ALLOC_PAIRS_H
#define TORI_ALLOC_PAIRS_H

#include "cuts.h"

/* The table of distances has a row a point. */
enum { PAIRS_MOST = 2048 };

struct pairs;

/* Told of a set with a sum of at most pairs->limit, by marks; it may lower the
 * limit. 0 to go on, 1 for no more, -1 on errors. */
typedef int pairs_fn (void *arg, struct pairs *pairs, const uint8_t marks[],
                      wide sum, tori_error *err);

struct pairs {
    uint32_t n, k;
    wide limit;
    bool with_first; /* of sets with the first point only */
    uint64_t steps, budget; /* additions */
    pairs_fn *on_set;
    void (*on_node) (void *arg, uint64_t steps); /* now and then; NULL */
    void *arg;
    uint64_t nodes;

    wide *apart;      /* distances, n a row */
    uint32_t *order;  /* of every point the others, the nearest first */
    wide *near;       /* how far these are */
    uint32_t *behind; /* the next point at the same place, or n */
    struct pairs_offer *offers; /* room: the open points, cheapest first */
    struct pairs_level *levels; /* from the root to the set at hand */
    size_t nlevels, room;
};

/* For a cloud of up to PAIRS_MOST points, 1 <= k <= n. -1 without memory. */
int pairs_create (const struct cloud *cloud, size_t k, struct pairs *ret_pairs,
                  tori_error *err);
void pairs_clear (struct pairs *pairs);

/* Tell on_set of all sets. 0, 1 if it wanted no more or the budget is spent
 * (steps > budget), -1 on errors. */
int pairs_search (struct pairs *pairs, tori_error *err);

#endif

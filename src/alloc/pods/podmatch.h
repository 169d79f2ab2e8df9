/* podmatch.h - which cubes the pieces of a slice lie in.
 *
 * Every piece lies in a cube of its own. Cubes come one after the other, in
 * the order in which they are liked; one is taken if the pieces can still be
 * given to the cubes taken so far, some of them perhaps to others than before.
 * Sets of cubes that can be matched with pieces are independent sets of a
 * matroid (Edmonds and Fulkerson, "Transversals and Matroid Partition", 1965),
 * so this finds a set if there is one, and the most liked: the one with the
 * least sum of any weights by which the cubes are in order.
 */
#ifndef TORI_ALLOC_PODS_PODMATCH_H
#define TORI_ALLOC_PODS_PODMATCH_H

#include "podcut.h"

struct podmatch {
    const struct podspace *space;
    const struct podpattern *pattern;
    const tori_state *state; /* whose links are looked at; NULL: all are up */

    uint32_t *slot;               /* the cubes, type after type */
    uint32_t *start;              /* of each type: its first */
    uint32_t *used;               /* of each type: how many it has */
    uint32_t *from, *via, *queue; /* of each type: a search */
    uint32_t *seen;               /* of each type: the last search there */
    uint32_t search;              /* its number */
    uint32_t *memory;             /* of all of these */
};

int podmatch_create (struct podmatch *ret_match, const struct podspace *space,
                     const struct podpattern *pattern, tori_error *err);
void podmatch_clear (struct podmatch *match);

/* Whether the pieces of the pattern find room in n cubes; then match->slot has
 * theirs, those of each type in ascending order. */
bool podmatch_find (struct podmatch *match, const tori_state *state,
                    const uint32_t order[], uint32_t n);

#endif

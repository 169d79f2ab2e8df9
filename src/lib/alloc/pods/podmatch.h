/* podmatch.h - which cubes the pieces of a slice lie in.
 *
 * Every piece lies in a cube of its own. Cubes come one after the other, in
 * order of preference. A cube is taken if pieces can still be given to all
 * cubes taken so far, some perhaps to other cubes than before. Sets of cubes
 * that can be matched with pieces are independent sets of a matroid (Edmonds
 * and Fulkerson, "Transversals and Matroid Partition", 1965), so this finds a
 * set if there is one, and the preferred one: the set with the least sum of
 * any weights by which the cubes are ordered.
 */
#ifndef TORI_ALLOC_PODS_PODMATCH_H
#define TORI_ALLOC_PODS_PODMATCH_H

#include "podrooms.h"

struct podmatch {
    const struct podtype *type; /* of the cut */
    uint32_t ntypes;
    const uint64_t **set; /* of each type: cubes with room */
    size_t words;         /* of a set */

    uint32_t *slot;               /* the cubes, type after type */
    uint32_t *start;              /* of each type: its first */
    uint32_t *used;               /* of each type: how many it has */
    uint32_t *from, *via, *queue; /* of each type: a search */
    uint32_t *seen;               /* of each type: the last search there */
    uint32_t search;              /* its number */
    uint32_t *memory;             /* of all of these */
};

/* For so many cubes. */
int podmatch_create (struct podmatch *ret_match, uint32_t cubes,
                     tori_error *err);
void podmatch_clear (struct podmatch *match);

/* Begin with a cut: false if some of its pieces have no room, each type by
 * itself. (Who has other sets sets them, and types and words.) Then find cubes
 * for all of them: match->slot has theirs, as places in the order of the
 * rooms. */
bool podmatch_begin (struct podmatch *match, struct podrooms *rooms,
                     const struct podcut *cut);
bool podmatch_find (struct podmatch *match);

#endif

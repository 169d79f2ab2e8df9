/* podmatch.h - the cubes for the pieces of a slice.
 *
 * Every piece lies in a cube of its own. Cubes come one after the other, in
 * order of preference. A cube is taken if pieces can still be given to all
 * cubes taken so far, some perhaps to other cubes than before. Sets of cubes
 * that can be matched with pieces are independent sets of a matroid (Edmonds
 * and Fulkerson, "Transversals and Matroid Partition", 1965), so this finds a
 * set if there is one, and the preferred one: the set with the least sum of
 * any weights by which the cubes are ordered. Cubes that are alike can be taken
 * together: that is enough to know whether there is a set, and its weight. */
#ifndef TORI_ALLOC_PODS_PODMATCH_H
#define TORI_ALLOC_PODS_PODMATCH_H

#include "podrooms.h"

struct podmatch {
    const struct podtype *type; /* of the cut */
    uint32_t ntypes;
    const uint64_t **set; /* per type: cubes or kinds with room */
    size_t words;         /* of a set */

    /* What is matched, by its index: cubes, or kinds of cubes. The sets have
     * indexes, too; for cubes that are members of kinds, those of the kinds. */
    uint32_t items;
    const uint32_t *alike; /* by kind: its cubes; NULL: one each */
    const uint32_t *kind;  /* by cube: its kind; NULL: itself */

    uint32_t *slot;               /* the items, type after type */
    uint32_t *amount;             /* per slot: how many cubes of that kind */
    uint32_t *start;              /* per type: its first slot */
    uint32_t *used;               /* per type: the number of its slots */
    uint32_t *full;               /* per type: the number of its cubes */
    uint32_t *from, *via, *queue; /* per type: for a search */
    uint32_t *memory;             /* of all of these */

    /* Sets of types. A type is open until a search shows that it is full for
     * good. */
    size_t type_words;
    uint64_t *fit;   /* per slot: the types that its cube fits */
    uint64_t *reach; /* per type: those that its cubes fit, or fitted */
    uint64_t *open, *unseen, *spare, *fits;
    size_t fit_room, reach_room;
};

/* For so many cubes. */
int podmatch_create (struct podmatch *ret_match, uint32_t cubes,
                     tori_error *err);
void podmatch_clear (struct podmatch *match);

/* Begin with a cut: false if some of its pieces have no room, each type by
 * itself. Kinds are to be matched then; after podmatch_take_cubes, their cubes
 * in the order of the rooms. (A caller with sets of its own sets all members
 * up to `kind` instead.) */
bool podmatch_begin (struct podmatch *match, struct podrooms *rooms,
                     const struct podcut *cut);
void podmatch_take_cubes (struct podmatch *match,
                          const struct podrooms *rooms);

/* Find cubes for all pieces: 1, 0 if there are none, or -1 without memory.
 * match->slot has their items. */
int podmatch_find (struct podmatch *match, tori_error *err);

#endif

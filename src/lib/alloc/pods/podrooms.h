/* podrooms.h - the cubes of a pod that have room for a piece.
 *
 * The cubes that are not full are put in order of preference. Those that have
 * room for a piece are a set of indexes in that order. It is computed when it
 * is first asked for, since many cuts have the same pieces. */
#ifndef TORI_ALLOC_PODS_PODROOMS_H
#define TORI_ALLOC_PODS_PODROOMS_H

#include "podplan.h"

struct podrooms {
    struct podspace *space;
    const struct podplan *plan;
    const tori_state *state; /* for its links; NULL: all are up */

    bool by_count;   /* the order: by free nodes */
    uint32_t n;      /* cubes that are not full */
    uint32_t *order; /* these cubes, by number or by free nodes */
    uint64_t *free;  /* their free nodes, space->words each */
    uint32_t *count; /* the number of these nodes */
    uint32_t empty;  /* by free nodes: empty cubes are here and after; or n */
    uint32_t *many;  /* for any number of nodes: cubes with as many or more */
    uint32_t *least; /* ... and the fewest nodes of one of them; UINT32_MAX */

    size_t words;  /* of a set of cubes */
    uint64_t *set; /* per piece of the plan */
    uint32_t *seen; /* per piece: the last look in which it was made */
    uint32_t look;  /* the number of this one */
    size_t set_room, seen_room;
};

int podrooms_create (struct podrooms *ret_rooms, struct podspace *space,
                     tori_error *err);
void podrooms_clear (struct podrooms *rooms);

/* Prepare a pod for a plan: by free nodes, or by number. */
int podrooms_look (struct podrooms *rooms, const struct podplan *plan,
                   const tori_state *state, uint32_t pod, bool by_count,
                   tori_error *err);

/* The cubes with room for a piece, as indexes in the order. */
const uint64_t *podrooms_of (struct podrooms *rooms, uint32_t piece);

#endif

/* podrooms.h - the cubes of a pod that have room for a piece.
 *
 * The cubes that are not full are put in order of preference. Many of them are
 * alike: the same nodes are free. So there are few kinds of cubes, and those
 * that have room for a piece are a set of kinds. It is computed when it is
 * first asked for, since many cuts have the same pieces. */
#ifndef TORI_ALLOC_PODS_PODROOMS_H
#define TORI_ALLOC_PODS_PODROOMS_H

#include "podplan.h"

struct podrooms {
    struct podspace *space;
    const struct podplan *plan;
    const tori_state *state; /* for its links; NULL: all are up */

    bool by_count;    /* the order: by free nodes */
    uint32_t n;       /* cubes that are not full */
    uint32_t *order;  /* these cubes, by number or by free nodes */
    uint32_t *many;   /* for any number of nodes: cubes with as many or more */
    uint32_t *least;  /* ... and the fewest nodes of one; UINT32_MAX */
    uint64_t changes; /* of the space, as of this order */

    /* Kinds of cubes, in the order of the first of each. If links are down,
     * each cube is a kind of its own. */
    uint32_t kinds;
    uint32_t *kind;  /* by cube, in the order */
    uint64_t *free;  /* the free nodes of a kind, space->words each */
    uint32_t *count; /* the number of these nodes */
    uint32_t *alike; /* the cubes of this kind */
    uint32_t *first; /* the first of them */
    uint32_t *table; /* kinds by their hash */
    size_t ntable;

    size_t words;    /* of a set of kinds */
    uint64_t *set;   /* per piece of the plan */
    uint32_t *total; /* per piece: the cubes of these kinds */
    uint32_t *seen;  /* per piece: the last look in which it was made */
    uint32_t look;   /* the number of this one */
    size_t set_room, seen_room, total_room;
};

int podrooms_create (struct podrooms *ret_rooms, struct podspace *space,
                     tori_error *err);
void podrooms_clear (struct podrooms *rooms);

/* Prepare a pod for a plan: by free nodes, or by number. */
int podrooms_look (struct podrooms *rooms, const struct podplan *plan,
                   const tori_state *state, uint32_t pod, bool by_count,
                   tori_error *err);

/* The kinds of cubes with room for a piece. */
const uint64_t *podrooms_of (struct podrooms *rooms, uint32_t piece);

#endif

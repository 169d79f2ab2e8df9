/* podlists.h - the offers for a piece, as long as no job is away.
 *
 * A question asks for the offers of the same pieces again and again: for every
 * bound, and for every job that is pushed away. Only a few cubes differ from
 * what they were at first, those of jobs that are away and of pieces that are
 * placed. So the offers of the first state are made once, and others are made
 * of them. */
#ifndef TORI_ROOM_PODLISTS_H
#define TORI_ROOM_PODLISTS_H

#include "podcrowd.h"
#include "podplan.h"

/* A cube for a piece. */
struct podoffer {
    uint64_t share, weight; /* of the jobs in its way */
    uint32_t left;          /* nodes that are free there */
    uint32_t cube;
};

struct podlist {
    uint32_t pod;
    struct podpiece piece;
    struct podoffer *offer; /* in order; NULL: not made yet */
    uint32_t n;
};

struct podlists {
    struct podlist *list;
    uint64_t *mask; /* per list: the nodes of its piece */
    size_t n, list_room, mask_room;
    uint32_t *table; /* lists by their hash */
    size_t ntable;
};

/* The list of a piece of a plan in a pod, new or not; NULL without memory. It
 * is valid until the next call, its offers until podlists_clear. */
struct podlist *podlists_get (struct podlists *lists,
                              const struct podplan *plan, size_t words,
                              uint32_t pod, uint32_t piece);
void podlists_clear (struct podlists *lists);

#endif

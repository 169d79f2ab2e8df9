/* podhunt.h - from a place for a slice to a new place for everybody in its
 * way.
 *
 * As move_search.h, for pods: whoever is in the way of the request has to
 * move, and whoever is in the way of one who moves, the largest that has no
 * place yet first. A slice has too many places to list them. So a place is
 * chosen piece by piece, each type of piece from the cubes that it finds room
 * in, by what it pushes away there, and given up as soon as that costs too
 * much. What a place costs at least is known before: a job in several cubes
 * counts in each with its share.
 *
 * In a hurry, one place is tried for each cut, in cubes that push away the
 * least at the moment, and places that push away nobody go first.
 *
 * Cubes that are alike are all the same to a piece: one of them is tried. Two
 * jobs that ask for the same may change their places (unless jobs move one
 * after another): of two that are placed one after the other, one order is
 * tried, by where they are cut.
 */
#ifndef TORI_ROOM_PODHUNT_H
#define TORI_ROOM_PODHUNT_H

#include "move_search.h"
#include "podoffers.h"

/* Pieces of a cut that lie alike. */
struct podnext {
    uint32_t piece, need;
    uint32_t start; /* where their cubes are in the list */
    uint32_t spare; /* cubes beyond need */
    uint64_t rest;  /* the least share of these and all after them */
};

/* Which piece is next: the n-th of its type, from the i-th offer on. */
struct podturn {
    uint32_t type, n, from;
    uint64_t share; /* of those that have cubes */
};

/* Whose place is looked for, and where it is. */
struct podlevel {
    size_t mover, known; /* who, of how many that were known then */
    bool calm;           /* nobody is to be pushed away */
    uint64_t cost;       /* of all of them */
    struct podforms forms;
    struct podplans plans; /* a plan is kept as long as it is in use here */
    const struct podplan *plan;
    size_t cut;
    struct podoffers offers;
    struct podnext *type; /* of the cut, and one more */
    size_t type_room;
    uint32_t *cube; /* of each piece of the cut, type after type */
    bool *used;     /* by cube of the pod */
};

struct podhunt {
    struct podcrowd crowd;
    const tori_state *before; /* as it was given */
    const tori_request *request;
    tori_room_config config;
    struct mover *mover; /* as in a hunt, but their places are in levels */
    size_t movers;
    struct podlevel *level; /* by depth */
    size_t depth;
    struct podassign assign;
    uint64_t *floor; /* by pod and cut of the request: the least share */
    uint64_t cost;  /* of all movers */
    uint64_t bound; /* no more */
    uint64_t next;  /* the least that exceeded it */
    uint64_t patience; /* places to try, by mover; 0: all */
    uint64_t tries;
    bool amortize; /* in a hurry, cubes are taken by shares, not by weights */
    uint64_t picks;
    uint64_t spent, limit; /* steps */
    tori_room best;        /* the last answer */
    uint64_t best_cost;
    tori_error *err;
};

int podhunt_open (struct podhunt *hunt, const tori_state *state,
                  const tori_room_job jobs[], size_t n,
                  const tori_request *request, const tori_room_config *config,
                  tori_error *err);
void podhunt_close (struct podhunt *hunt);

/* Hunt within the bound: 1 at the first answer. 0 if there is none, or the
 * steps are spent; -1 without memory. With patience, all answers are taken that
 * are found, each cheaper than the last, and it returns 0. */
int podhunt_run (struct podhunt *hunt);

#endif

/* podhunt.h - from a place for a slice to new places for all jobs in its way.
 *
 * As move_search.h, for pods: the jobs in the way of the request have to move,
 * and the jobs in the way of those that move, the largest without a place
 * first. A slice has too many places to list them. So a place is chosen piece
 * by piece, each type of piece from the cubes that have room for it, by the
 * jobs that it pushes away there, and given up as soon as that costs too much.
 * A lower bound of a place's cost is known before: a job in several cubes
 * counts in each with its share.
 *
 * In a hurry, one place is tried for each cut, in cubes that push away the
 * least at the moment, and places that push no job away go first.
 *
 * Cubes that are alike are all the same to a piece: one of them is tried. Two
 * jobs that ask for the same thing may swap places (unless jobs move one after
 * another): of two that are placed in succession, only one order is tried, by
 * the positions of their cuts. */
#ifndef TORI_ROOM_PODHUNT_H
#define TORI_ROOM_PODHUNT_H

#include "move_search.h"
#include "podoffers.h"

/* Pieces of a cut that lie alike. */
struct podnext {
    uint32_t piece, need;
    uint32_t start; /* the index of their cubes in the list */
    uint32_t spare; /* cubes beyond need */
    uint64_t rest;  /* the least share of these and all after them */
};

/* The next piece: the n-th of its type, from the i-th offer on. */
struct podturn {
    uint32_t type, n, from;
    uint64_t share; /* of those that have cubes */
};

/* A mover whose place is searched, and the place. */
struct podlevel {
    size_t mover, known; /* the mover, and how many there were then */
    bool calm;           /* no job is to be pushed away */
    uint64_t cost;       /* of all of them */
    struct podforms forms;
    struct podplans plans; /* a plan is kept as long as it is in use here */
    const struct podplan *plan;
    size_t cut;
    struct podoffers offers;
    struct podnext *type; /* of the cut, and one more */
    size_t type_room;
    uint32_t *cube; /* for each piece of the cut, type after type */
    bool *used;     /* by cube of the pod */
};

struct podhunt {
    struct podcrowd crowd;
    struct podlists lists;
    const tori_state *before; /* the caller's */
    const tori_request *request;
    tori_room_config config;
    struct mover *mover; /* as in move_search.h, but their places are in
                          * levels */
    size_t movers;
    struct podlevel *level; /* by depth */
    size_t depth;
    struct podassign assign;
    uint64_t *floor; /* by pod and cut of the request: the least share */
    size_t floors;
    uint64_t cost;  /* of all movers */
    uint64_t bound; /* of the cost */
    uint64_t next;  /* the least cost that exceeded it */
    uint64_t patience; /* places to try, by mover; 0: all */
    uint64_t tries;
    bool amortize; /* in a hurry, cubes are taken by shares, not by weights */
    uint64_t picks;
    struct steps steps;
    tori_room best;        /* the last answer */
    uint64_t best_cost;
    tori_error *err;
};

int podhunt_open (struct podhunt *hunt, const tori_state *state,
                  const tori_room_job jobs[], size_t n,
                  const tori_request *request, const tori_room_config *config,
                  tori_error *err);
void podhunt_close (struct podhunt *hunt);

/* Search within the bound: 1 at the first answer. 0 if there is none, or the
 * steps are spent; -1 without memory. With patience, all answers are taken
 * that are found, each cheaper than the last, and it returns 0. */
/* The next run is to prove something: without patience, and without what runs
 * with patience have noted. */
void podhunt_prove (struct podhunt *hunt);

int podhunt_run (struct podhunt *hunt);

#endif

/* move_search.h - from a place for a request to new places for all jobs in its
 * way.
 *
 * Every job in the way of the request has to move, and every job in the way of
 * one that moves, and so on. This is a depth-first search for places for all
 * of them, within a bound on the cost: nodes first, then moves. It takes one
 * job after another, always the largest that has no place yet. It tries the
 * places of that job in the order of what they cost by pushing others away.
 *
 * No other job needs to move, whatever the order: a job whose old place no
 * mover needs may stay there. Jobs that hold lists of nodes never push others
 * away. They take the nodes that are left, and it does not matter to the
 * others which. So a search over places of boxes alone finds the least cost.
 *
 * Two jobs that ask for the same thing may swap places (unless jobs move one
 * after another). So of two such jobs that are placed in succession, only one
 * order is tried. */
#ifndef TORI_ROOM_MOVE_SEARCH_H
#define TORI_ROOM_MOVE_SEARCH_H

#include "occupancy.h"
#include "spots.h"
#include "rounds.h"

#define NO_COST UINT64_MAX

/* A mover needs a place: the first is the request, the others are jobs. */
struct mover {
    uint32_t job; /* NO_OWNER: the request */
    bool placed;
    tori_placement to; /* a box, with no memory of its own */
};

struct move_search {
    struct occupancy ground;
    const tori_state *before; /* the caller's */
    tori_room_config config;
    tori_alloc *loose; /* for lists of nodes */
    struct mover *mover;
    size_t movers;
    bool *seen;          /* by mover, for a walk over them */
    struct spots *level; /* by depth */
    size_t depth;
    uint64_t cost;         /* of all movers */
    uint64_t bound;        /* of the cost */
    uint64_t next;         /* the least cost that exceeded it */
    bool proving;          /* `next` is wanted */
    uint64_t tries;        /* places that may still be tried */
    struct steps steps;
    tori_room room;        /* the last answer */
};

/* Nodes, then moves, as one number. */
static inline uint64_t toll_cost (const struct toll *toll)
{
    return toll->weight << 32 | toll->jobs;
}

static inline uint64_t cost_nodes (uint64_t cost)
{
    return cost >> 32;
}

static inline bool move_search_spent (struct move_search *hunt)
{
    return steps_over (&hunt->steps);
}

int move_search_open (struct move_search *hunt, const tori_state *state,
                      const tori_room_job jobs[], size_t n,
                      const tori_room_config *config, tori_error *err);
void move_search_close (struct move_search *hunt);

/* Search with the request in one of `spots`. 1, and the answer is in `room`; 0
 * if there is none within the bound, or the steps are spent; -1 without
 * memory. */
int move_search_from (struct move_search *hunt, const struct spots *spots,
                      size_t i, tori_wiring wiring, tori_error *err);

/* The answer without its moves released; empty afterwards. */
tori_room move_search_take (struct move_search *hunt);

#endif

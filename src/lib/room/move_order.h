/* move_order.h - an order for jobs to move in once boxes have places, and
 * nodes for those that hold lists of nodes.
 *
 * If jobs move one after another, a box moves as soon as its new place is
 * clear. That never hinders another job, because no other job needs this
 * place. A list takes nodes that are in no job's new place. Which of them it
 * takes does not matter to the others, but which list goes first may matter
 * when few nodes are free. So the search is only over the order of lists. */
#ifndef TORI_ROOM_MOVE_ORDER_H
#define TORI_ROOM_MOVE_ORDER_H

#include "rounds.h"

struct move_order {
    const tori_room_job *job;
    tori_alloc *loose;
    const tori_placement *target;
    tori_room_move *move; /* boxes have their places */
    size_t n;
    struct steps *steps;
    uint64_t *shut; /* empty: see state_bar */

    /* for an order: */
    tori_state *state, *view;
    size_t *order; /* the moves in turn */
    size_t done;
    bool *moved; /* by move */
};

/* Nodes for lists, all at once, in the state where all boxes are in their new
 * places: 1, or 0 if there are too few, -1 without memory. */
int move_order_scatter (struct move_order *convoy, tori_state *after,
                        tori_error *err);

/* Put the moves in an order in which each can be made, from the state
 * `before`: 1, or 0 if there is none, or the steps are spent; -1 without
 * memory. */
int move_order_find (struct move_order *convoy, const tori_state *before,
                     tori_error *err);

#endif

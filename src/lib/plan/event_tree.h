/* event_tree.h - the tree of choices that event_search.h searches, for its two
 * files: event_search.c makes the tree of a problem and reads its result, and
 * event_tree.c searches it. */
#ifndef TORI_PLAN_EVENT_TREE_H
#define TORI_PLAN_EVENT_TREE_H

#include "event_search.h"

typedef tori_wide ticks;

/* A job as the search sees it: the largest first, then the longest. A place is
 * a word with a field for each dimension of the machine. Its offset in the
 * dimension is in the low bits of the field; `mask` has these bits. */
struct branch_job {
    uint32_t job;
    uint32_t mask;
    const struct form *form;
    ticks time;
    unsigned type; /* the first member of this shape and time */
};

struct active {
    unsigned member;
    uint32_t place;
    ticks finish;
};

enum { NO_MEMBER = UINT8_MAX };

/* States after an event that have been searched. A state is only known by its
 * hash: for two different ones, the chance to agree is 2^-128. */
struct memory {
    uint64_t key[2];
    ticks now;
};
enum { MEMORY_BITS = 18 };

struct event_tree {
    const struct problem *problem;
    size_t n;
    struct branch_job member[EVENT_SEARCH_MOST];
    struct scale scale; /* of ticks, after `unit` */
    tori_wide unit;
    uint32_t field[TORI_MAX_DIMS];
    int longest; /* bits of an offset */
    uint8_t dim_of[32];  /* by bit of a place */
    uint32_t below[32];  /* the lower bits of the same field */
    uint32_t twin_of[TORI_MAX_DIMS]; /* dimensions it can change with */

    const tori_contention_search *search;
    uint64_t steps;
    bool over;
    ticks best;
    ticks open; /* the least bound of choices that were not tried */
    struct active *pool;
    struct start_choice *choice;
    size_t choices, room;
    struct memory *memory;

    struct start {
        unsigned member, event;
        uint32_t place;
    } path[EVENT_SEARCH_MOST], least[EVENT_SEARCH_MOST];
    bool found;
};

/* Search it, from its root on: `best`, `open`, `over`, `found` and `least`
 * have the result. */
int event_tree_search (struct event_tree *b, tori_error *err);

#endif

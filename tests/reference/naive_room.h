/* naive_room.h - the questions of tori/room.h, by their definitions: every set
 * of jobs, every place, every order, in the naive model of a state.
 */
#ifndef TORI_TESTS_NAIVE_ROOM_H
#define TORI_TESTS_NAIVE_ROOM_H

#include <tori/room.h>

#include "naive_alloc.h"

/* The model holds the places of the jobs, each for the owner of its number. */
struct naive_room {
    struct naive *naive;
    const tori_room_job *job;
    size_t n;
    const tori_request *request;
    const uint64_t *barred; /* from the request */
    bool live;
    size_t moves;  /* the most */
    uint64_t left; /* places to look at before this gives up */
};

/* The least: of moves by nodes, of victims by work, then by jobs. */
struct naive_least {
    bool found;
    uint64_t weight;
    size_t jobs;
};

/* False if it gave up. The model is as before. */
bool naive_moves (struct naive_room *room, struct naive_least *ret_least);
bool naive_victims (struct naive_room *room, struct naive_least *ret_least);

/* The request of the job, if it has to find another place. */
tori_request naive_job_request (const tori_room_job *job);

/* Whether a place has none of these nodes. */
bool naive_may_go (const struct naive *naive, const uint64_t *barred,
                   const tori_placement *place);

/* The first box of those that share the most nodes with the place of job 0;
 * false if there is none. */
bool naive_shift (struct naive_room *room, tori_placement *ret_place,
                  uint64_t *ret_new);

/* The sum of the distances between the nodes of a list. */
uint64_t naive_sum (const tori_machine *machine, const tori_placement *place);

/* The least sum of distances between the nodes of job 0 when those that are
 * down are replaced; false if too few are free. */
bool naive_patch (struct naive_room *room, uint64_t *ret_sum);

#endif

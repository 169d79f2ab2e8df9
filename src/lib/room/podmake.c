/* podmake.c - the fewest moves after which a slice fits in a pod. */
#include <stdlib.h>

#include "marks.h"
#include "podhunt.h"
#include "podroom.h"

enum { TRIES_A_JOB = 4, ROUNDS = 24 };

struct podmaking {
    struct podhunt hunt;
    uint64_t floor; /* no answer costs less: proved */
};

/* Search within the least cost that the last search exceeded. */
static int prove_answer (struct podmaking *making)
{
    struct podhunt *hunt = &making->hunt;
    int found = 0;
    hunt->limit = hunt->config.steps / 2 + 1;
    while (found == 0 && hunt->spent < hunt->limit
           && making->floor != NO_COST) {
        hunt->bound = making->floor;
        found = podhunt_run (hunt);
        if (found == 0 && hunt->spent < hunt->limit)
            making->floor = hunt->next;
    }
    return found;
}

/* Raise the bound by half in every round, until there is an answer; then
 * search for cheaper ones. */
static int improve_answer (struct podmaking *making)
{
    struct podhunt *hunt = &making->hunt;
    uint64_t nodes = cost_nodes (making->floor);
    hunt->limit = hunt->config.steps;
    for (int round = 0; round < ROUNDS && hunt->spent < hunt->limit; round++) {
        hunt->bound = hunt->best_cost - 1;
        if (hunt->best_cost == NO_COST && nodes < UINT32_MAX)
            hunt->bound = nodes << 32 | UINT32_MAX;
        hunt->amortize = round % 2;
        hunt->patience = (uint64_t)TRIES_A_JOB << round / 2;
        if (podhunt_run (hunt) < 0)
            return -1;
        nodes += round % 2 * (nodes / 2 + 1);
    }
    return 0;
}

/* If too few nodes are free, moves do not change that. */
static int make_room (struct podmaking *making)
{
    struct podhunt *hunt = &making->hunt;
    int found;
    if (tori_request_nodes (hunt->request)
        > tori_state_free_count (hunt->before))
        making->floor = NO_COST;
    found = prove_answer (making);
    if (found == 0 && making->floor != NO_COST)
        found = improve_answer (making);
    return found < 0 ? -1 : 0;
}

static void conclude_answer (struct podmaking *making, tori_room *ret_room)
{
    struct podhunt *hunt = &making->hunt;
    tori_room room = hunt->best;
    hunt->best = (tori_room){0};
    room.least = room.found ? hunt->best_cost <= making->floor
                            : making->floor == NO_COST;
    room.bound = making->floor == NO_COST ? 0 : cost_nodes (making->floor);
    if (room.least && room.found)
        room.bound = room.nodes;
    room.steps = hunt->spent;
    *ret_room = room;
}

int podroom_make (const tori_state *state, const tori_room_job jobs[],
                  size_t n, const tori_request *request,
                  const tori_room_config *config, tori_room *ret_room,
                  tori_error *err)
{
    struct podmaking making = {0};
    int status = podhunt_open (&making.hunt, state, jobs, n, request, config,
                               err);
    if (status == 0)
        status = make_room (&making);
    if (status == 0)
        conclude_answer (&making, ret_room);
    podhunt_close (&making.hunt);
    return status;
}

/* podmake.c - the fewest moves after which a slice fits in a pod. */
#include <stdlib.h>

#include "marks.h"
#include "podhunt.h"
#include "podroom.h"

enum { TRIES_A_JOB = 4, TURNS = 24 };

struct podmaking {
    struct podhunt hunt;
    uint64_t floor; /* no answer costs less: proved */
};

/* Search within the least cost that the last search exceeded. */
static int prove_answer (struct podmaking *making)
{
    struct podhunt *hunt = &making->hunt;
    int found = 0;
    podhunt_prove (hunt);
    while (found == 0 && !steps_over (&hunt->steps)
           && making->floor < hunt->best_cost) {
        hunt->bound = making->floor;
        found = podhunt_run (hunt);
        if (found == 0 && !steps_over (&hunt->steps))
            making->floor = hunt->next;
    }
    return found;
}

/* Raise the bound by half in every turn, until there is an answer; then search
 * for cheaper ones. In later rounds of the search, longer. */
static int improve_answer (struct podmaking *making, int round)
{
    struct podhunt *hunt = &making->hunt;
    uint64_t nodes = cost_nodes (making->floor);
    steps_improve (&hunt->steps);
    for (int turn = 0; turn < TURNS && !steps_over (&hunt->steps); turn++) {
        hunt->bound = hunt->best_cost - 1;
        if (hunt->best_cost == NO_COST && nodes < UINT32_MAX)
            hunt->bound = nodes << 32 | UINT32_MAX;
        hunt->amortize = turn % 2;
        hunt->patience = (uint64_t)TRIES_A_JOB << (turn / 2 + round);
        if (podhunt_run (hunt) < 0)
            return -1;
        nodes += turn % 2 * (nodes / 2 + 1);
    }
    return 0;
}

static bool is_proved (const struct podmaking *making)
{
    return making->floor == NO_COST || making->hunt.best_cost <= making->floor;
}

/* If too few nodes are free, moves do not change that. */
static int make_room (struct podmaking *making)
{
    struct podhunt *hunt = &making->hunt;
    int found = 0, round = 0;
    steps_open (&hunt->steps, &hunt->config, &hunt->best, &making->floor);
    steps_start (&hunt->steps);
    if (tori_request_nodes (hunt->request)
        > tori_state_free_count (hunt->before))
        making->floor = NO_COST;
    do {
        found = prove_answer (making);
        if (found == 0 && !is_proved (making))
            found = improve_answer (making, round++);
    } while (found == 0 && !is_proved (making) && steps_next (&hunt->steps));
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
    room.steps = hunt->steps.spent;
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

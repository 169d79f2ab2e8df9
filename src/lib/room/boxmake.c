/* boxmake.c - the fewest moves after which a box or a count fits.
 *
 * Every place of the request has a price: the jobs that have to leave it. At
 * first only the number of nodes is known; their owners are found when the
 * place is tried. The cheapest place is tried first, within its price alone;
 * if the jobs that leave it cannot be placed within that, the least cost that
 * would have exceeded it is its new price. The first answer is then the
 * cheapest of all, and until there is one, the lowest price is a bound for all
 * answers.
 *
 * When half of the steps of a round (rounds.h) are spent, the search leaves the
 * proof: the places are tried in turn with a growing bound and a few tries
 * each. In the next round, the proof goes on where it was left. At the end the
 * cheapest answer is given beside the bound. */
#include <stdlib.h>

#include "ask.h"
#include "blockers.h"
#include "boxscan.h"
#include "heap.h"
#include "marks.h"
#include "move_search.h"
#include "occupancy.h"
#include "placement.h"

enum { NODES_A_STEP = 64, PLACES_A_STEP = 8 };
enum { TRIES_A_JOB = 4 };

struct making {
    struct move_search hunt;
    const tori_request *request;
    struct blockers crowd;
    struct spots targets; /* with a lower bound of their costs */
    bool *priced;         /* by target: the bound is its price */
    bool all;             /* all places were found */
    struct heap prices;   /* targets whose search may still have an answer */
    bool over;            /* there is nothing left to prove */
    uint64_t cheapest;    /* the lowest price of all */
    uint64_t floor; /* no answer costs less: proved */
    tori_room best;
    uint64_t best_cost;
    int status;
    tori_error *err;
};

/* ---- places of the request ---- */

static bool add_target (void *arg, const tori_box *box)
{
    struct making *making = arg;
    struct occupancy *ground = &making->hunt.ground;
    struct toll toll = {0};
    int counted =
        blockers_count (&making->crowd, ground, &box->shape, making->err);
    if (counted > 0)
        making->hunt.steps.spent += ground->machine->nodes / NODES_A_STEP;
    if (counted >= 0) {
        uint32_t origin = tori_machine_id (ground->machine, box->origin);
        toll.weight = making->crowd.held[origin];
        toll.jobs = toll.weight > 0;
        counted = spots_add (&making->targets, ground->machine, box,
                             toll_cost (&toll), making->err);
    }
    making->status = counted;
    making->hunt.steps.spent += making->targets.n % PLACES_A_STEP == 0;
    making->all = !move_search_spent (&making->hunt);
    return counted < 0 || !making->all;
}

static int find_targets (struct making *making, tori_error *err)
{
    struct occupancy *ground = &making->hunt.ground;
    int status;
    making->all = true;
    (void)occupancy_lift (ground, UINT64_MAX);
    status = occupancy_bar (ground, making->hunt.config.barred, err);
    if (status == 0)
        status =
            occupancy_each (ground, making->request, add_target, making, err);
    (void)occupancy_bar (ground, NULL, NULL);
    if (occupancy_lower (ground, UINT64_MAX, err) < 0 || status < 0
        || making->status < 0)
        return -1;
    spots_sort (&making->targets);
    making->priced = calloc (making->targets.n + 1, sizeof *making->priced);
    return making->priced ? 0 : tori_error_nomem (err);
}

/* The price of a target; NO_COST if it takes too many moves. */
static uint64_t price_target (struct making *making, size_t i)
{
    struct move_search *hunt = &making->hunt;
    struct room_spot *spot = &making->targets.spot[i];
    struct toll toll;
    tori_box box;
    if (making->priced[i])
        return spot->cost;
    box = spots_box (&making->targets, hunt->ground.machine, i);
    hunt->steps.spent += 1 + tori_shape_volume (&box.shape) / NODES_A_STEP;
    (void)occupancy_toll (&hunt->ground, &box, making->request->wiring,
                          UINT64_MAX, &toll);
    making->priced[i] = true;
    spot->cost = toll.jobs > hunt->config.moves ? NO_COST : toll_cost (&toll);
    return spot->cost;
}

/* ---- with proof ---- */

static uint64_t answer_cost (const tori_room *room)
{
    return room->nodes << 32 | room->n;
}

static void keep_best (struct making *making)
{
    tori_room_clear (&making->best);
    making->best = move_search_take (&making->hunt);
    making->best_cost = answer_cost (&making->best);
}

static int move_search_target (struct making *making, size_t i, uint64_t bound,
                               tori_error *err)
{
    making->hunt.bound = bound;
    return move_search_from (&making->hunt, &making->targets, i,
                             making->request->wiring, err);
}

static bool is_proved (const struct making *making)
{
    return making->floor == NO_COST || making->best_cost <= making->floor;
}

/* Take the cheapest target from the heap, and try it: 0 to go on. */
static int try_cheapest (struct making *making, tori_error *err)
{
    struct heap *prices = &making->prices;
    struct event event = heap_pop (prices);
    uint64_t cost = price_target (making, event.what);
    int found;
    making->floor = (uint64_t)event.time;
    if (is_proved (making))
        return heap_push (prices, event.time, event.what, err);
    if (cost == NO_COST)
        return 0;
    if (cost > making->floor)
        return heap_push (prices, (int64_t)cost, event.what, err);
    if (making->cheapest == NO_COST)
        making->cheapest = cost;
    found = move_search_target (making, event.what, making->floor, err);
    if (found > 0)
        keep_best (making);
    if (found == 0 && move_search_spent (&making->hunt)) /* in the middle */
        return heap_push (prices, event.time, event.what, err);
    if (found == 0 && making->hunt.next != NO_COST)
        return heap_push (prices, (int64_t)making->hunt.next, event.what, err);
    return found;
}

static int list_prices (struct making *making, tori_error *err)
{
    int status = 0;
    for (size_t i = 0; i < making->targets.n && status == 0; i++)
        status = heap_push (&making->prices,
                            (int64_t)making->targets.spot[i].cost, i, err);
    return status;
}

/* An answer without proof that costs no more than the next target is
 * proved. */
static int prove_answer (struct making *making, tori_error *err)
{
    int found = 0;
    making->hunt.proving = true;
    making->hunt.tries = UINT64_MAX;
    while (found == 0 && making->prices.n > 0 && !is_proved (making)
           && !move_search_spent (&making->hunt))
        found = try_cheapest (making, err);
    if (found == 0 && making->prices.n == 0)
        making->floor = making->best_cost; /* there is no other answer */
    making->over = is_proved (making);
    return found;
}

/* ---- without proof ---- */

/* The bound for a target: its price, half as much again, anything. */
static uint64_t bound_for (const struct making *making, uint64_t cost,
                           int turn)
{
    uint64_t most = making->best_cost - 1, bound = cost;
    if (turn > 0)
        bound += cost_nodes (cost) / 2 << 32 | UINT32_MAX;
    return turn < 2 && bound < most ? bound : most;
}

static int try_target (struct making *making, size_t i, int turn, int round,
                       tori_error *err)
{
    struct move_search *hunt = &making->hunt;
    uint64_t cost;
    int found;
    if (making->targets.spot[i].cost >= making->best_cost)
        return 0;
    cost = price_target (making, i);
    if (cost >= making->best_cost)
        return 0;
    hunt->tries = TRIES_A_JOB * (1 + (cost & UINT32_MAX)) << (turn + round);
    found =
        move_search_target (making, i, bound_for (making, cost, turn), err);
    if (found > 0)
        keep_best (making);
    return found < 0 ? -1 : 0;
}

/* In later rounds of the search, longer. */
static int improve_answer (struct making *making, int round, tori_error *err)
{
    steps_improve (&making->hunt.steps);
    making->hunt.proving = false;
    for (int turn = 0; turn < 3; turn++)
        for (size_t i = 0; i < making->targets.n; i++) {
            if (move_search_spent (&making->hunt))
                return 0;
            if (try_target (making, i, turn, round, err) < 0)
                return -1;
        }
    return 0;
}

/* ---- the answer ---- */

/* A list that is barred from nodes takes the nodes that mm gives it, and may
 * fail although other nodes, or pushing another job away, would have done.
 * Then only the prices of places are proved. */
static bool has_barred_list (const struct occupancy *ground)
{
    for (uint32_t j = 0; j < ground->n; j++)
        if (!ground->stays[j] && !ground->job[j].place->nboxes
            && ground->job[j].barred)
            return true;
    return false;
}

/* If not all places were tried, at least one job has to move. */
static uint64_t lightest_move (const struct occupancy *ground)
{
    struct toll least = {UINT32_MAX, 1};
    for (uint32_t j = 0; j < ground->n; j++)
        if (!ground->stays[j] && ground->weight[j] < least.weight)
            least.weight = ground->weight[j];
    return toll_cost (&least);
}

/* One round: 1 if nothing is left to do. */
static int search_round (struct making *making, int round, tori_error *err)
{
    int found = making->all ? prove_answer (making, err) : 0;
    if (making->cheapest < making->floor
        && has_barred_list (&making->hunt.ground))
        making->floor = making->cheapest;
    if (found != 0 || is_proved (making))
        return found < 0 ? -1 : 1;
    if (improve_answer (making, round, err) < 0)
        return -1;
    return making->over || !steps_next (&making->hunt.steps);
}

static int search_answer (struct making *making, tori_error *err)
{
    int done = find_targets (making, err);
    making->floor = lightest_move (&making->hunt.ground);
    steps_start (&making->hunt.steps);
    if (done == 0)
        done = list_prices (making, err);
    for (int round = 0; done == 0; round++)
        done = search_round (making, round, err);
    return done < 0 ? -1 : 0;
}

static void conclude_answer (struct making *making, tori_room *ret_room)
{
    tori_room room = making->best;
    making->best = (tori_room){0};
    room.least = room.found ? answer_cost (&room) <= making->floor
                            : making->floor == NO_COST;
    room.bound = making->floor == NO_COST ? 0 : cost_nodes (making->floor);
    if (room.least && room.found)
        room.bound = room.nodes;
    room.steps = making->hunt.steps.spent;
    *ret_room = room;
}

/* A request that fits already goes where first-fit would place it. */
static int fits_already (struct making *making, tori_error *err)
{
    struct occupancy *ground = &making->hunt.ground;
    tori_box box;
    int found = occupancy_bar (ground, making->hunt.config.barred, err);
    boxscan_by_rule (ground->scan, false);
    if (found == 0)
        found = boxscan_first (ground->scan, ground->state, making->request,
                               true, &box, err);
    boxscan_by_rule (ground->scan, true);
    if (found > 0) {
        making->best.place = placement_of_box (&box, making->request->wiring);
        if (tori_placement_wire (&making->best.place, ground->state, err) < 0)
            found = -1;
    }
    (void)occupancy_bar (ground, NULL, NULL);
    making->best.found = found > 0;
    return found;
}

/* A count fits if so many nodes are free: moves do not change that. */
static int fit_count (struct making *making, tori_error *err)
{
    struct move_search *hunt = &making->hunt;
    tori_state *state = hunt->ground.state;
    int found = occupancy_bar (&hunt->ground, hunt->config.barred, err);
    if (found == 0
        && making->request->count <= tori_state_free_count (state))
        found = alloc_try_once (hunt->loose, state, making->request,
                                &making->best.place, err);
    making->best.found = found > 0;
    making->floor = found > 0 ? 0 : NO_COST;
    return found < 0 ? -1 : 0;
}

static int make_room (struct making *making, tori_error *err)
{
    int found;
    if (!making->request->shape.ndims)
        return fit_count (making, err);
    found = fits_already (making, err);
    return found ? (found < 0 ? -1 : 0) : search_answer (making, err);
}

int boxroom_make (const tori_state *state, const tori_room_job jobs[],
                  size_t n, const tori_request *request,
                  const tori_room_config *config, tori_room *ret_room,
                  tori_error *err)
{
    struct making making
        = {.request = request,
           .cheapest = NO_COST,
           .best_cost = NO_COST,
           .err = err};
    int status = move_search_open (&making.hunt, state, jobs, n, config, err);
    if (status == 0) {
        steps_open (&making.hunt.steps, &making.hunt.config, &making.best,
                    &making.floor);
        status = make_room (&making, err);
    }
    if (status == 0)
        conclude_answer (&making, ret_room);
    tori_room_clear (&making.best);
    spots_clear (&making.targets);
    blockers_clear (&making.crowd);
    heap_clear (&making.prices);
    free (making.priced);
    move_search_close (&making.hunt);
    return status;
}

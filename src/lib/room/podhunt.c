#include "podhunt.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "compare.h"
#include "move_order.h"
#include "marks.h"
#include "placement.h"

#define NO_CUBE UINT32_MAX

enum { CUBES_A_STEP = 64, CUTS_A_STEP = 16, PICKS_A_STEP = 16 };

int podhunt_open (struct podhunt *hunt, const tori_state *state,
                  const tori_room_job jobs[], size_t n,
                  const tori_request *request, const tori_room_config *config,
                  tori_error *err)
{
    *hunt = (struct podhunt){.before = state,
                             .request = request,
                             .best_cost = NO_COST,
                             .err = err};
    if (room_configure (config, &hunt->config, err) < 0
        || podcrowd_open (&hunt->crowd, state, jobs, n, hunt->config.barred,
                          err)
               < 0)
        return -1;
    hunt->crowd.space.aligned = hunt->config.slices;
    hunt->mover = calloc (n + 1, sizeof *hunt->mover);
    hunt->level = calloc (n + 1, sizeof *hunt->level);
    if (!hunt->mover || !hunt->level)
        return tori_error_nomem (err);
    return podassign_create (&hunt->assign, hunt->crowd.space.cubes, err);
}

static void level_clear (struct podlevel *level)
{
    podplans_clear (&level->plans);
    free (level->forms.form);
    podoffers_clear (&level->offers);
    free (level->type);
    free (level->cube);
    free (level->used);
}

void podhunt_close (struct podhunt *hunt)
{
    for (size_t i = 0; hunt->level && i <= hunt->crowd.ground.n; i++)
        level_clear (&hunt->level[i]);
    free (hunt->level);
    free (hunt->mover);
    free (hunt->floor);
    podassign_clear (&hunt->assign);
    podlists_clear (&hunt->lists);
    tori_room_clear (&hunt->best);
    podcrowd_close (&hunt->crowd);
}

static bool is_over (struct podhunt *hunt)
{
    return hunt->tries == 0 || steps_over (&hunt->steps);
}

static bool is_live (const struct podhunt *hunt)
{
    return hunt->config.flags & TORI_ROOM_LIVE;
}

static void note_exceeded (struct podhunt *hunt, uint64_t cost)
{
    if (cost < hunt->next)
        hunt->next = cost;
}

static uint64_t cost_of (uint64_t nodes)
{
    return toll_cost (&(struct toll){nodes, nodes > 0});
}

/* ---- every mover has a place ---- */

/* The cubes of each type in ascending order. */
static int place_level (struct podhunt *hunt, struct podlevel *level,
                        tori_placement *ret_place)
{
    for (uint32_t t = 0; t < level->plan->cut[level->cut].ntypes; t++)
        qsort (level->cube + level->type[t].start, level->type[t].need,
               sizeof *level->cube, compare_ids);
    hunt->crowd.space.pod = level->offers.pod;
    return podplan_lay (level->plan, &hunt->crowd.space,
                        &level->plan->cut[level->cut], level->cube, ret_place,
                        hunt->err);
}

static int by_job (const void *a, const void *b)
{
    const tori_room_move *x = a, *y = b;
    return (x->job > y->job) - (x->job < y->job);
}

static int list_moves (struct podhunt *hunt, tori_room *room)
{
    room->moves = calloc (hunt->movers, sizeof *room->moves);
    if (!room->moves)
        return tori_error_nomem (hunt->err);
    for (size_t i = 1; i < hunt->depth; i++) {
        struct podlevel *level = &hunt->level[i];
        tori_room_move *move = &room->moves[room->n++];
        move->job = hunt->mover[level->mover].job;
        if (place_level (hunt, level, &move->to) < 0)
            return -1;
    }
    qsort (room->moves, room->n, sizeof *room->moves, by_job);
    return place_level (hunt, &hunt->level[0], &room->place);
}

/* 1, or 0 if there is no order for the moves. */
static int put_in_order (struct podhunt *hunt, tori_room *room)
{
    struct move_order convoy = {.job = hunt->crowd.ground.job,
                                .target = &room->place,
                                .move = room->moves,
                                .n = room->n,
                                .steps = &hunt->steps};
    return is_live (hunt) ? move_order_find (&convoy, hunt->before, hunt->err)
                          : 1;
}

/* From now on, only cheaper answers count. */
static int accept_answer (struct podhunt *hunt)
{
    tori_room room = {.found = true, .nodes = cost_nodes (hunt->cost)};
    int done = list_moves (hunt, &room);
    if (done == 0)
        done = put_in_order (hunt, &room);
    if (done <= 0) {
        tori_room_clear (&room);
        return done;
    }
    tori_room_clear (&hunt->best);
    hunt->best = room;
    hunt->best_cost = hunt->cost;
    hunt->bound = hunt->cost - 1;
    return hunt->patience == 0;
}

/* ---- a piece after the other ---- */

static int search_deeper (struct podhunt *hunt);
static int go_on (struct podhunt *hunt, struct podlevel *level,
                  struct podturn turn);

/* Settle a mover, and go on with the others. Each place of the request has
 * tries of its own. */
static int settle_mover (struct podhunt *hunt, struct podlevel *level)
{
    int found;
    if (hunt->patience == 0)
        hunt->tries = UINT64_MAX;
    else if (level->mover == 0)
        hunt->tries = hunt->patience * hunt->movers;
    else
        hunt->tries--;
    hunt->mover[level->mover].placed = true;
    found = search_deeper (hunt);
    hunt->mover[level->mover].placed = false;
    if (level->mover == 0)
        hunt->tries = 1;
    return found;
}

/* Push away the jobs in the way of a piece. */
static void push_away (struct podhunt *hunt, uint32_t cube,
                       const uint64_t mask[])
{
    struct podcrowd *crowd = &hunt->crowd;
    for (size_t t = crowd->first[cube]; t < crowd->first[cube + 1]; t++)
        if (podtenant_hinders (crowd, t, mask)) {
            uint32_t job = crowd->tenant[t].job;
            hunt->mover[hunt->movers++] = (struct mover){.job = job};
            hunt->cost += cost_of (crowd->ground.weight[job]);
            podcrowd_take_off (crowd, job);
        }
}

static void come_back (struct podhunt *hunt, size_t known)
{
    while (hunt->movers > known)
        podcrowd_put_back (&hunt->crowd, hunt->mover[--hunt->movers].job);
}

static bool is_too_much (struct podhunt *hunt, const struct podlevel *level)
{
    if (hunt->cost > hunt->bound) {
        note_exceeded (hunt, hunt->cost);
        return true;
    }
    return hunt->movers - 1 > hunt->config.moves
           || (level->calm && hunt->movers > level->known);
}

/* Put a piece in a cube, and go on with the next. */
static int take_cube (struct podhunt *hunt, struct podlevel *level,
                      const struct podturn *next, uint32_t cube)
{
    size_t words = hunt->crowd.space.words, known = hunt->movers;
    const uint64_t *mask
        = level->plan->mask + level->type[next->type].piece * words;
    uint32_t at = level->offers.pod * hunt->crowd.space.cubes + cube;
    uint64_t *free = hunt->crowd.free + at * words, cost = hunt->cost;
    int found;
    level->used[cube] = true;
    level->cube[level->type[next->type].start + next->n - 1] = cube;
    push_away (hunt, at, mask);
    hunt->steps.spent += ++hunt->picks % PICKS_A_STEP == 0;
    hunt->crowd.changes[at]++;
    for (size_t w = 0; w < words; w++)
        free[w] &= ~mask[w];
    found = is_too_much (hunt, level) ? 0 : go_on (hunt, level, *next);
    for (size_t w = 0; w < words; w++)
        free[w] |= mask[w];
    hunt->crowd.changes[at]--;
    come_back (hunt, known);
    hunt->cost = cost;
    level->used[cube] = false;
    return found;
}

/* Whether the place of an earlier mover with the same request comes later: see
 * podhunt.h. */
static bool goes_before (const struct podhunt *hunt,
                         const struct podlevel *level, uint32_t cube)
{
    const struct podlevel *other = level - 1;
    if (is_live (hunt) || level->mover == 0 || other->mover == 0
        || level->mover >= other->known
        || level->offers.barred != other->offers.barred
        || !podforms_same (&level->forms, &other->forms))
        return false;
    if (level->offers.pod != other->offers.pod)
        return level->offers.pod < other->offers.pod;
    if (level->cut != other->cut)
        return level->cut < other->cut;
    return level->plan->cut[level->cut].pieces == 1 && cube < other->cube[0];
}

/* Whether a cube like this one was tried in vain. */
static bool is_vain (const struct podhunt *hunt, const struct podlevel *level,
                     uint32_t last, uint32_t cube)
{
    uint32_t first = level->offers.pod * hunt->crowd.space.cubes;
    return last != NO_CUBE
           && podcrowd_alike (&hunt->crowd, first + cube, first + last,
                              is_live (hunt));
}

/* Whether a place of at least this cost is within the bound. */
static bool is_within (struct podhunt *hunt, const struct podlevel *level,
                       uint64_t least)
{
    uint64_t cost = level->cost + cost_of (least);
    if (cost > hunt->bound)
        note_exceeded (hunt, cost);
    return cost <= hunt->bound;
}

/* Try all cubes in turn. */
static int pick_cube (struct podhunt *hunt, struct podlevel *level,
                      const struct podturn *turn)
{
    const struct podnext *type = &level->type[turn->type];
    const struct podoffer *offer = podoffers_of (&level->offers, type->piece);
    uint32_t last = NO_CUBE;
    for (uint32_t i = turn->from; i < level->offers.n[type->piece]; i++) {
        struct podturn next = {turn->type, turn->n + 1, i + 1,
                               turn->share + offer[i].share};
        uint64_t least = turn->share + offer[i].share * (type->need - turn->n)
                         + level->type[turn->type + 1].rest;
        int found;
        if (!is_within (hunt, level, least))
            return 0;
        if (level->used[offer[i].cube]
            || goes_before (hunt, level, offer[i].cube)
            || is_vain (hunt, level, last, offer[i].cube))
            continue;
        found = take_cube (hunt, level, &next, offer[i].cube);
        if (found || is_over (hunt))
            return found;
        last = offer[i].cube;
    }
    return 0;
}

static int go_on (struct podhunt *hunt, struct podlevel *level,
                  struct podturn turn)
{
    uint32_t ntypes = level->plan->cut[level->cut].ntypes;
    if (turn.n == level->type[turn.type].need) {
        turn.type++;
        turn.n = turn.from = 0;
    }
    if (turn.type == ntypes)
        return settle_mover (hunt, level);
    if (hunt->patience == 0)
        return pick_cube (hunt, level, &turn);
    turn.n++;
    return take_cube (hunt, level, &turn,
                      level->cube[level->type[turn.type].start + turn.n - 1]);
}

/* ---- all cuts ---- */

/* Insert a type after those that have as few cubes to spare. */
static void insert_type (struct podnext type[], uint32_t n,
                         const struct podnext *more)
{
    for (; n > 0 && type[n - 1].spare > more->spare; n--)
        type[n] = type[n - 1];
    type[n] = *more;
}

/* The least share of each type and all after it. */
static void sum_shares (struct podlevel *level, uint32_t ntypes)
{
    level->type[ntypes].rest = 0;
    for (uint32_t t = ntypes; t-- > 0;) {
        struct podnext *type = &level->type[t];
        const struct podoffer *offer
            = podoffers_of (&level->offers, type->piece);
        type->rest = level->type[t + 1].rest;
        for (uint32_t i = 0; i < type->need; i++)
            type->rest += offer[i].share;
    }
}

/* The types of a cut, those with the fewest cubes to spare first: 1, 0 if some
 * have too few, or -1. */
static int list_types (struct podhunt *hunt, struct podlevel *level,
                       const struct podcut *cut)
{
    uint32_t start = 0;
    for (uint32_t t = 0; t < cut->ntypes; t++) {
        const struct podtype *type = level->plan->type + cut->first + t;
        int asked = podoffers_ask (&level->offers, type->piece, hunt->err);
        uint32_t n = level->offers.n[type->piece];
        if (asked < 0)
            return -1;
        if (asked > 0)
            hunt->steps.spent += 1 + hunt->crowd.space.cubes / CUBES_A_STEP;
        if (n < type->need)
            return 0;
        insert_type (level->type, t,
                     &(struct podnext){.piece = type->piece,
                                       .need = type->need,
                                       .start = start,
                                       .spare = n - type->need});
        start += type->need;
    }
    sum_shares (level, cut->ntypes);
    return 1;
}

/* The least cost of the request in a cut does not change (NO_COST: it has no
 * place): if it is known to be too much, nothing more is asked. */
static void note_floor (struct podhunt *hunt, const struct podlevel *level,
                        uint64_t least)
{
    if (level->mover == 0)
        hunt->floor[level->offers.pod * level->plan->ncuts + level->cut]
            = least;
}

static bool is_worth_while (struct podhunt *hunt,
                            const struct podlevel *level)
{
    uint64_t least;
    if (level->mover > 0)
        return true;
    least = hunt->floor[level->offers.pod * level->plan->ncuts + level->cut];
    return least != NO_COST && is_within (hunt, level, least);
}

/* Cubes for all pieces of a cut, each its own: 1, 0 if there are none within
 * the bound, or -1. */
static int assign_cubes (struct podhunt *hunt, struct podlevel *level,
                         const struct podcut *cut)
{
    bool shares = hunt->patience == 0 || hunt->amortize;
    uint64_t most = UINT64_MAX, least;
    int found;
    if (!is_within (hunt, level, level->type[0].rest))
        return 0;
    if (hunt->patience)
        most = cost_nodes (hunt->bound) - cost_nodes (level->cost);
    hunt->steps.spent++;
    found = podassign_find (&hunt->assign, &level->offers, cut,
                            level->calm ? 0 : most, shares, level->cube,
                            &least, hunt->err);
    if (found == 0 && hunt->patience == 0)
        note_floor (hunt, level, NO_COST);
    if (found <= 0 || !shares)
        return found;
    note_floor (hunt, level, least);
    return is_within (hunt, level, least);
}

static int try_cuts (struct podhunt *hunt, struct podlevel *level)
{
    const struct podplan *plan = level->plan;
    int found = podoffers_begin (&level->offers, hunt->err);
    for (size_t i = 0; i < plan->ncuts && found == 0 && !is_over (hunt);
         i++) {
        level->cut = i;
        hunt->steps.spent += i % CUTS_A_STEP == 0;
        if (!is_worth_while (hunt, level))
            continue;
        found = list_types (hunt, level, &plan->cut[i]);
        if (found > 0)
            found = assign_cubes (hunt, level, &plan->cut[i]);
        if (found > 0)
            found = go_on (hunt, level, (struct podturn){0});
    }
    return found;
}

static int try_pods (struct podhunt *hunt, struct podlevel *level)
{
    int found = 0;
    for (uint32_t pod = 0;
         pod < hunt->crowd.space.pods && found == 0 && !is_over (hunt);
         pod++) {
        level->offers.pod = pod;
        found = try_cuts (hunt, level);
    }
    return found;
}

/* ---- the next mover without a place ---- */

/* The largest, then the first of the list; the number of movers if there is
 * none. */
static size_t choose_mover (const struct podhunt *hunt)
{
    const uint64_t *weight = hunt->crowd.ground.weight;
    size_t best = hunt->movers;
    for (size_t i = 1; i < hunt->movers; i++) {
        uint32_t job = hunt->mover[i].job, other;
        if (hunt->mover[i].placed)
            continue;
        other = best < hunt->movers ? hunt->mover[best].job : NO_OWNER;
        if (other == NO_OWNER || weight[job] > weight[other]
            || (weight[job] == weight[other] && job < other))
            best = i;
    }
    return hunt->mover[0].placed ? best : 0;
}

/* The request of a mover. A folded one keeps its sides. */
static tori_request request_of (const struct podhunt *hunt, size_t i)
{
    const struct occupancy *ground = &hunt->crowd.ground;
    const tori_room_job *job;
    tori_request request;
    if (i == 0)
        return *hunt->request;
    job = &ground->job[hunt->mover[i].job];
    request = (tori_request){.wiring = job->place->wiring,
                             .fixed = job->fixed
                                      || job->place->wiring
                                             >= TORI_WIRE_MIXED};
    (void)tori_placement_shape (job->place, ground->machine, &request.shape);
    return request;
}

static int make_level (struct podhunt *hunt, struct podlevel *level)
{
    size_t cubes = hunt->crowd.space.cubes;
    struct podnext *type
        = array_room (level->type, &level->type_room,
                      level->plan->most_types + (size_t)1, sizeof *type);
    level->type = type ? type : level->type;
    if (!level->cube)
        level->cube = calloc (cubes, sizeof *level->cube);
    if (!level->used)
        level->used = calloc (cubes, sizeof *level->used);
    level->offers.crowd = &hunt->crowd;
    level->offers.lists = &hunt->lists;
    level->offers.plan = level->plan;
    level->offers.state = hunt->before;
    return type && level->cube && level->used ? 0
                                              : tori_error_nomem (hunt->err);
}

static int make_plan (struct podhunt *hunt, struct podlevel *level)
{
    tori_request request = request_of (hunt, level->mover);
    bool linked = hunt->before->links_down > 0
                  && request.wiring != TORI_WIRE_NONE;
    level->forms.n = 0;
    if (podforms_add (&level->forms, &request, hunt->err) < 0)
        return -1;
    level->plan = podplans_get (&level->plans, &hunt->crowd.space,
                                &level->forms, linked);
    return level->plan ? make_level (hunt, level)
                       : tori_error_nomem (hunt->err);
}

static int make_floor (struct podhunt *hunt, const struct podlevel *level)
{
    if (!hunt->floor) {
        hunt->floors = hunt->crowd.space.pods * level->plan->ncuts + 1;
        hunt->floor = calloc (hunt->floors, sizeof *hunt->floor);
    }
    return hunt->floor ? 0 : tori_error_nomem (hunt->err);
}

static int search_deeper (struct podhunt *hunt)
{
    struct podlevel *level = &hunt->level[hunt->depth];
    size_t i = choose_mover (hunt);
    int found;
    if (i == hunt->movers)
        return accept_answer (hunt);
    level->mover = i;
    level->known = hunt->movers;
    level->cost = hunt->cost;
    level->offers.barred = i > 0
                               ? hunt->crowd.ground.job[hunt->mover[i].job].barred
                               : hunt->config.barred;
    if (make_plan (hunt, level) < 0 || make_floor (hunt, level) < 0)
        return -1;
    hunt->depth++;
    level->calm = hunt->patience && i > 0;
    found = try_pods (hunt, level);
    if (level->calm && found == 0) {
        level->calm = false;
        found = try_pods (hunt, level);
    }
    hunt->depth--;
    return found;
}

void podhunt_prove (struct podhunt *hunt)
{
    if (hunt->patience > 0 && hunt->floor)
        memset (hunt->floor, 0, hunt->floors * sizeof *hunt->floor);
    hunt->patience = 0;
    hunt->amortize = false;
}

int podhunt_run (struct podhunt *hunt)
{
    hunt->movers = 1;
    hunt->mover[0] = (struct mover){.job = NO_OWNER};
    hunt->next = NO_COST;
    hunt->cost = 0;
    hunt->tries = 1;
    return search_deeper (hunt);
}

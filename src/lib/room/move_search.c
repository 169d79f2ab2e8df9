#include "move_search.h"

#include <stdlib.h>
#include <string.h>

#include "move_order.h"
#include "marks.h"
#include "placement.h"

enum { NODES_A_STEP = 512, PLACES_A_STEP = 16 };

/* Without a proof, so many places that push no job away are enough. */
enum { ENOUGH = 4096 };

int move_search_open (struct move_search *hunt, const tori_state *state,
                      const tori_room_job jobs[], size_t n,
                      const tori_room_config *config, tori_error *err)
{
    *hunt = (struct move_search){.before = state};
    if (room_configure (config, &hunt->config, err) < 0
        || occupancy_open (&hunt->ground, state, jobs, n, err) < 0)
        return -1;
    for (size_t j = 0; j < n; j++)
        if (jobs[j].place->nboxes > 1)
            hunt->ground.stays[j] = true;
    hunt->mover = calloc (n + 1, sizeof *hunt->mover);
    hunt->level = calloc (n + 1, sizeof *hunt->level);
    hunt->seen = calloc (n + 1, sizeof *hunt->seen);
    if (!hunt->mover || !hunt->level || !hunt->seen)
        return tori_error_nomem (err);
    return tori_alloc_create (hunt->ground.machine, TORI_ALLOC ("mm"),
                              &hunt->loose, err);
}

void move_search_close (struct move_search *hunt)
{
    for (size_t i = 0; hunt->level && i <= hunt->ground.n; i++)
        spots_clear (&hunt->level[i]);
    free (hunt->level);
    free (hunt->mover);
    free (hunt->seen);
    tori_alloc_destroy (hunt->loose);
    tori_room_clear (&hunt->room);
    occupancy_close (&hunt->ground);
}

tori_room move_search_take (struct move_search *hunt)
{
    tori_room room = hunt->room;
    hunt->room = (tori_room){0};
    return room;
}

/* ---- every mover has a place ---- */

static int by_job (const void *a, const void *b)
{
    const tori_room_move *x = a, *y = b;
    return (x->job > y->job) - (x->job < y->job);
}

/* The moves by job; places of lists are still empty. */
static int list_moves (struct move_search *hunt, tori_room *room,
                       tori_error *err)
{
    size_t n = hunt->movers - 1;
    room->moves = calloc (n + 1, sizeof *room->moves);
    if (!room->moves)
        return tori_error_nomem (err);
    for (size_t i = 0; i < n; i++) {
        const struct mover *mover = &hunt->mover[i + 1];
        room->moves[i].job = mover->job;
        if (mover->placed)
            room->moves[i].to = mover->to;
    }
    room->n = n;
    qsort (room->moves, n, sizeof *room->moves, by_job);
    return 0;
}

static int arrange_moves (struct move_search *hunt, tori_room *room,
                          tori_error *err)
{
    struct move_order convoy = {.job = hunt->ground.job,
                                .loose = hunt->loose,
                                .target = &room->place,
                                .move = room->moves,
                                .n = room->n,
                                .steps = &hunt->steps,
                                .shut = hunt->ground.shut};
    return hunt->config.flags & TORI_ROOM_LIVE
               ? move_order_find (&convoy, hunt->before, err)
               : move_order_scatter (&convoy, hunt->ground.state, err);
}

static int accept_answer (struct move_search *hunt, tori_error *err)
{
    tori_room room = {.found = true,
                      .place = hunt->mover[0].to,
                      .nodes = cost_nodes (hunt->cost)};
    int done = list_moves (hunt, &room, err);
    if (done == 0)
        done = arrange_moves (hunt, &room, err);
    if (done <= 0) {
        tori_room_clear (&room);
        return done;
    }
    tori_room_clear (&hunt->room);
    hunt->room = room;
    return 1;
}

/* ---- the next mover without a place ---- */

/* The largest box, then the first of the list; the number of movers if all
 * boxes have a place. */
static size_t choose_mover (const struct move_search *hunt)
{
    size_t best = hunt->movers;
    for (size_t i = 1; i < hunt->movers; i++) {
        const struct mover *mover = &hunt->mover[i];
        const tori_room_job *jobs = hunt->ground.job;
        uint32_t size = jobs[mover->job].place->count, largest;
        if (mover->placed || !jobs[mover->job].place->nboxes)
            continue;
        largest =
            best < hunt->movers ? jobs[hunt->mover[best].job].place->count : 0;
        if (size > largest
            || (size == largest && mover->job < hunt->mover[best].job))
            best = i;
    }
    return best;
}

/* The mover that was placed just before, and how many movers there were
 * then. */
struct predecessor {
    size_t mover;
    size_t known;
};

static bool same_sides (tori_shape a, tori_shape b, bool fixed)
{
    if (!fixed) {
        tori_shape_sort (&a);
        tori_shape_sort (&b);
    }
    return tori_shape_equal (&a, &b);
}

static bool same_request (const tori_request *a, const tori_request *b)
{
    return a->wiring == b->wiring && a->fixed == b->fixed && a->wrap == b->wrap
           && same_sides (a->shape, b->shape, a->fixed);
}

/* The place that the places of a job must come after, or NULL. */
static const tori_box *must_follow (const struct move_search *hunt, size_t i,
                                    const struct predecessor *before,
                                    const tori_request *request)
{
    tori_request other;
    if (before->mover == 0 || i >= before->known
        || hunt->config.flags & TORI_ROOM_LIVE)
        return NULL;
    other = occupancy_request (&hunt->ground, hunt->mover[before->mover].job);
    return same_request (request, &other)
                   && hunt->ground.job[hunt->mover[i].job].barred
                          == hunt->ground.job[hunt->mover[before->mover].job]
                                 .barred
               ? &hunt->mover[before->mover].to.box
               : NULL;
}

/* By origin, then by shape. */
static bool comes_after (const tori_box *box, const tori_box *other)
{
    for (int d = 0; d < box->shape.ndims; d++)
        if (box->origin[d] != other->origin[d])
            return box->origin[d] > other->origin[d];
    for (int d = 0; d < box->shape.ndims; d++)
        if (box->shape.size[d] != other->shape.size[d])
            return box->shape.size[d] > other->shape.size[d];
    return false;
}

struct looking {
    struct move_search *hunt;
    struct spots *spots;
    const tori_box *follows;
    tori_wiring wiring;
    uint64_t slack; /* nodes */
    bool crowded;   /* a place may push a job away */
    unsigned clear; /* places that cannot push one away */
    unsigned free;  /* places that do not push one away */
    int status;
    tori_error *err;
};

/* Visit the possible places of a mover. */
static int each_place (struct move_search *hunt, size_t i,
                       const tori_request *request, occupancy_fn *visit,
                       void *arg, tori_error *err)
{
    struct occupancy *ground = &hunt->ground;
    const uint64_t *barred = ground->job[hunt->mover[i].job].barred;
    int status;
    if (!barred)
        return occupancy_each (ground, request, visit, arg, err);
    status = occupancy_bar (ground, barred, err);
    if (status == 0)
        status = occupancy_each (ground, request, visit, arg, err);
    (void)occupancy_bar (ground, NULL, NULL);
    return status;
}

static void note_exceeded (struct move_search *hunt, uint64_t cost)
{
    if (cost < hunt->next)
        hunt->next = cost;
}

static bool consider_box (void *arg, const tori_box *box)
{
    struct looking *look = arg;
    struct move_search *hunt = look->hunt;
    struct toll toll = {0};
    uint64_t cost;
    if (look->follows && !comes_after (box, look->follows))
        return move_search_spent (hunt);
    if (look->crowded)
        occupancy_toll (&hunt->ground, box, look->wiring, look->slack, &toll);
    hunt->steps.spent += look->crowded || ++look->clear % PLACES_A_STEP == 0;
    if (hunt->movers - 1 + toll.jobs > hunt->config.moves)
        return move_search_spent (hunt);
    cost = hunt->cost + toll_cost (&toll);
    if (cost > hunt->bound)
        note_exceeded (hunt, cost);
    else
        look->status = spots_add (look->spots, hunt->ground.machine, box,
                                  toll_cost (&toll), look->err);
    look->free += toll.jobs == 0;
    return look->status < 0 || move_search_spent (hunt)
           || (!hunt->proving && look->free >= ENOUGH);
}

/* The least cost of a place that exceeds the bound. */
struct raising {
    struct move_search *hunt;
    tori_wiring wiring;
    uint64_t slack; /* nodes */
    uint64_t most;
    unsigned seen;
};

static bool raise_bound (void *arg, const tori_box *box)
{
    struct raising *r = arg;
    struct move_search *hunt = r->hunt;
    struct toll toll;
    hunt->steps.spent += ++r->seen % PLACES_A_STEP == 0;
    if (occupancy_toll (&hunt->ground, box, r->wiring, r->most, &toll)
        && toll.weight > r->slack
        && hunt->movers - 1 + toll.jobs <= hunt->config.moves) {
        note_exceeded (hunt, hunt->cost + toll_cost (&toll));
        r->most = cost_nodes (hunt->next) - cost_nodes (hunt->cost);
    }
    return move_search_spent (hunt);
}

/* Places that push away jobs too heavy for the bound were not looked at. They
 * cost at least as much as the lightest of these. */
static void exceed_by_lightest (struct move_search *hunt)
{
    const struct occupancy *ground = &hunt->ground;
    uint64_t slack = cost_nodes (hunt->bound) - cost_nodes (hunt->cost);
    struct toll least = {UINT64_MAX, 1};
    for (uint32_t j = 0; j < ground->n; j++)
        if (!ground->off[j] && !ground->stays[j] && ground->weight[j] > slack
            && ground->weight[j] < least.weight)
            least.weight = ground->weight[j];
    if (least.weight < UINT64_MAX && hunt->movers - 1 < hunt->config.moves)
        note_exceeded (hunt, hunt->cost + toll_cost (&least));
}

/* If the first mover has no other place, and therefore none has, the exact
 * cost is worth knowing. */
static int exceed_by_heavy (struct move_search *hunt, size_t i,
                            tori_error *err)
{
    tori_request request =
        occupancy_request (&hunt->ground, hunt->mover[i].job);
    struct raising r = {
        .hunt = hunt,
        .wiring = request.wiring,
        .slack = cost_nodes (hunt->bound) - cost_nodes (hunt->cost),
        .most = cost_nodes (hunt->next) - cost_nodes (hunt->cost)};
    int status;
    (void)occupancy_lift (&hunt->ground, UINT64_MAX);
    status = each_place (hunt, i, &request, raise_bound, &r, err);
    return occupancy_lower (&hunt->ground, UINT64_MAX, err) < 0 ? -1 : status;
}

/* Find the places of a mover within the bound. */
static int find_places (struct move_search *hunt, size_t i,
                        const struct predecessor *before, struct spots *spots,
                        tori_error *err)
{
    tori_request request =
        occupancy_request (&hunt->ground, hunt->mover[i].job);
    uint64_t slack = cost_nodes (hunt->bound) - cost_nodes (hunt->cost);
    struct looking looking = {.hunt = hunt,
                              .spots = spots,
                              .follows =
                                  must_follow (hunt, i, before, &request),
                              .wiring = request.wiring,
                              .slack = slack,
                              .err = err};
    int status;
    spots_empty (spots);
    hunt->steps.spent += 1 + hunt->ground.machine->nodes / NODES_A_STEP;
    looking.crowded = occupancy_lift (&hunt->ground, slack) > 0;
    status = each_place (hunt, i, &request, consider_box, &looking, err);
    if (occupancy_lower (&hunt->ground, slack, err) < 0 || status < 0
        || looking.status < 0)
        return -1;
    spots_sort (spots);
    return 0;
}

/* ---- one after another ---- */

/* The jobs at the new place of a mover have to leave before it; and before
 * they leave, the jobs at their new places. If that comes round to the mover
 * itself, there is no order, wherever the others go. */
static bool leads_to (const struct move_search *hunt, const tori_placement *to,
                      size_t end, bool *seen)
{
    for (size_t i = 1; i < hunt->movers; i++) {
        const struct mover *other = &hunt->mover[i];
        if (seen[i]
            || !placement_overlap (to, hunt->ground.job[other->job].place,
                                   hunt->ground.machine))
            continue;
        seen[i] = true;
        if (i == end
            || (other->placed && leads_to (hunt, &other->to, end, seen)))
            return true;
    }
    return false;
}

/* Its own old place is not in its way: it is found only by others. */
static bool goes_round (struct move_search *hunt, size_t i)
{
    if (i == 0 || !(hunt->config.flags & TORI_ROOM_LIVE))
        return false;
    memset (hunt->seen, 0, hunt->movers * sizeof *hunt->seen);
    for (size_t j = 1; j < hunt->movers; j++) {
        const struct mover *other = &hunt->mover[j];
        if (j != i && other->placed && !hunt->seen[j]
            && placement_overlap (&hunt->mover[i].to,
                                  hunt->ground.job[other->job].place,
                                  hunt->ground.machine)) {
            hunt->seen[j] = true;
            if (leads_to (hunt, &other->to, i, hunt->seen))
                return true;
        }
    }
    return false;
}

/* ---- in depth ---- */

static int search_deeper (struct move_search *hunt,
                          const struct predecessor *before, tori_error *err);

/* Push away the jobs in the way. */
static uint64_t push_away (struct move_search *hunt, const tori_placement *to)
{
    struct occupancy *ground = &hunt->ground;
    struct toll toll;
    (void)occupancy_toll (ground, &to->box, to->wiring, UINT64_MAX, &toll);
    for (uint32_t i = 0; i < toll.jobs; i++) {
        hunt->mover[hunt->movers++] = (struct mover){.job = ground->found[i]};
        occupancy_take_off (ground, ground->found[i]);
    }
    return toll_cost (&toll);
}

static int come_back (struct move_search *hunt, size_t known, tori_error *err)
{
    int status = 0;
    while (hunt->movers > known)
        if (occupancy_put_back (&hunt->ground, hunt->mover[--hunt->movers].job,
                                err)
            < 0)
            status = -1;
    return status;
}

/* Put mover i in a place, and go on with the others. */
static int settle_in (struct move_search *hunt, size_t i, const tori_box *box,
                      tori_wiring wiring, tori_error *err)
{
    struct mover *mover = &hunt->mover[i];
    struct predecessor self = {i, hunt->movers};
    uint64_t cost = hunt->cost;
    int found;
    hunt->tries--;
    mover->to = placement_of_box (box, wiring);
    mover->placed = true;
    hunt->cost += push_away (hunt, &mover->to);
    found = placement_block (&mover->to, hunt->ground.state, err);
    if (found == 0) {
        found = goes_round (hunt, i) ? 0 : search_deeper (hunt, &self, err);
        placement_unblock (&mover->to, hunt->ground.state);
    }
    hunt->cost = cost;
    mover->placed = false;
    return come_back (hunt, self.known, err) < 0 ? -1 : found;
}

static int search_deeper (struct move_search *hunt,
                          const struct predecessor *before, tori_error *err)
{
    size_t i = choose_mover (hunt);
    struct spots *spots = &hunt->level[hunt->depth];
    tori_wiring wiring;
    int found = 0;
    if (i == hunt->movers)
        return accept_answer (hunt, err);
    wiring = hunt->ground.job[hunt->mover[i].job].place->wiring;
    if (find_places (hunt, i, before, spots, err) < 0)
        return -1;
    hunt->depth++;
    for (size_t s = 0; s < spots->n && found == 0 && !move_search_spent (hunt)
                       && hunt->tries > 0;
         s++) {
        tori_box box = spots_box (spots, hunt->ground.machine, s);
        found = settle_in (hunt, i, &box, wiring, err);
    }
    hunt->depth--;
    if (found != 0 || !hunt->proving || move_search_spent (hunt))
        return found;
    if (spots->n == 0 && hunt->depth == 0)
        return exceed_by_heavy (hunt, i, err);
    exceed_by_lightest (hunt);
    return 0;
}

int move_search_from (struct move_search *hunt, const struct spots *spots,
                      size_t i, tori_wiring wiring, tori_error *err)
{
    tori_box box = spots_box (spots, hunt->ground.machine, i);
    hunt->movers = 1;
    hunt->mover[0] = (struct mover){.job = NO_OWNER};
    hunt->next = NO_COST;
    hunt->cost = 0;
    return settle_in (hunt, 0, &box, wiring, err);
}

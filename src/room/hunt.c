#include "hunt.h"

#include <stdlib.h>

#include "convoy.h"
#include "marks.h"
#include "placement.h"

enum { NODES_A_STEP = 64 };

int hunt_open (struct hunt *hunt, const tori_state *state,
               const tori_room_job jobs[], size_t n,
               const tori_room_config *config, tori_error *err)
{
    *hunt = (struct hunt){.before = state};
    if (room_configure (config, &hunt->config, err) < 0
        || ground_open (&hunt->ground, state, jobs, n, err) < 0)
        return -1;
    hunt->limit = hunt->config.steps;
    for (size_t j = 0; j < n; j++)
        if (jobs[j].place->nboxes > 1)
            hunt->ground.stays[j] = true;
    hunt->mover = calloc (n + 1, sizeof *hunt->mover);
    hunt->level = calloc (n + 1, sizeof *hunt->level);
    if (!hunt->mover || !hunt->level)
        return tori_error_nomem (err);
    return tori_alloc_create (hunt->ground.machine, TORI_ALLOC ("mm"),
                              &hunt->loose, err);
}

void hunt_close (struct hunt *hunt)
{
    for (size_t i = 0; hunt->level && i <= hunt->ground.n; i++)
        spots_clear (&hunt->level[i]);
    free (hunt->level);
    free (hunt->mover);
    tori_alloc_destroy (hunt->loose);
    tori_room_clear (&hunt->room);
    ground_close (&hunt->ground);
}

tori_room hunt_take (struct hunt *hunt)
{
    tori_room room = hunt->room;
    hunt->room = (tori_room){0};
    return room;
}

/* ---- everybody has a place ---- */

static int by_job (const void *a, const void *b)
{
    const tori_room_move *x = a, *y = b;
    return (x->job > y->job) - (x->job < y->job);
}

/* The moves by job; places of lists are still empty. */
static int list_moves (struct hunt *hunt, tori_room *room, tori_error *err)
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

static int arrange (struct hunt *hunt, tori_room *room, tori_error *err)
{
    struct convoy convoy = {.job = hunt->ground.job,
                            .loose = hunt->loose,
                            .target = &room->place,
                            .move = room->moves,
                            .n = room->n,
                            .steps = &hunt->spent,
                            .limit = hunt->limit};
    return hunt->config.flags & TORI_ROOM_LIVE
               ? convoy_order (&convoy, hunt->before, err)
               : convoy_scatter (&convoy, hunt->ground.state, err);
}

static int arrive (struct hunt *hunt, tori_error *err)
{
    tori_room room = {.found = true,
                      .place = hunt->mover[0].to,
                      .nodes = cost_nodes (hunt->cost)};
    int done = list_moves (hunt, &room, err);
    if (done == 0)
        done = arrange (hunt, &room, err);
    if (done <= 0) {
        tori_room_clear (&room);
        return done;
    }
    tori_room_clear (&hunt->room);
    hunt->room = room;
    return 1;
}

/* ---- one who has none ---- */

/* The largest box, then the first of the list; the number of movers if all
 * boxes have a place. */
static size_t choose (const struct hunt *hunt)
{
    size_t best = hunt->movers;
    for (size_t i = 1; i < hunt->movers; i++) {
        const struct mover *mover = &hunt->mover[i];
        const tori_room_job *jobs = hunt->ground.job;
        uint32_t size = jobs[mover->job].place->count, largest;
        if (mover->placed || !jobs[mover->job].place->nboxes)
            continue;
        largest = best < hunt->movers
                      ? jobs[hunt->mover[best].job].place->count
                      : 0;
        if (size > largest
            || (size == largest && mover->job < hunt->mover[best].job))
            best = i;
    }
    return best;
}

/* Who was placed just before, and how many movers there were then. */
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
static const tori_box *must_follow (const struct hunt *hunt, size_t i,
                                    const struct predecessor *before,
                                    const tori_request *request)
{
    tori_request other;
    if (before->mover == 0 || i >= before->known
        || hunt->config.flags & TORI_ROOM_LIVE)
        return NULL;
    other = ground_request (&hunt->ground, hunt->mover[before->mover].job);
    return same_request (request, &other) ? &hunt->mover[before->mover].to.box
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
    struct hunt *hunt;
    struct spots *spots;
    const tori_box *follows;
    tori_wiring wiring;
    uint64_t slack; /* nodes */
    int status;
    tori_error *err;
};

static void exceed (struct hunt *hunt, uint64_t cost)
{
    if (cost < hunt->next)
        hunt->next = cost;
}

static bool consider (void *arg, const tori_box *box)
{
    struct looking *look = arg;
    struct hunt *hunt = look->hunt;
    struct toll toll;
    uint64_t cost;
    hunt->spent++;
    if (look->follows && !comes_after (box, look->follows))
        return hunt_spent (hunt);
    ground_toll (&hunt->ground, box, look->wiring, look->slack, &toll);
    if (hunt->movers - 1 + toll.jobs > hunt->config.moves)
        return hunt_spent (hunt);
    cost = hunt->cost + toll_cost (&toll);
    if (cost > hunt->bound)
        exceed (hunt, cost);
    else
        look->status = spots_add (look->spots, hunt->ground.machine, box,
                                  toll_cost (&toll), look->err);
    return look->status < 0 || hunt_spent (hunt);
}

/* Jobs that are too heavy to be pushed away are not seen by the search for
 * places. To push one away costs as much as the lightest of them, at least. */
static void exceed_by_heavy (struct hunt *hunt, uint64_t slack)
{
    struct toll least = {UINT64_MAX, 1};
    for (uint32_t j = 0; j < hunt->ground.n; j++)
        if (!hunt->ground.off[j] && !hunt->ground.stays[j]
            && hunt->ground.weight[j] > slack
            && hunt->ground.weight[j] < least.weight)
            least.weight = hunt->ground.weight[j];
    if (least.weight < UINT64_MAX && hunt->movers - 1 < hunt->config.moves)
        exceed (hunt, hunt->cost + toll_cost (&least));
}

/* Find the places of a mover within the bound. */
static int look (struct hunt *hunt, size_t i, const struct predecessor *before,
                 struct spots *spots, tori_error *err)
{
    tori_request request = ground_request (&hunt->ground, hunt->mover[i].job);
    uint64_t slack = cost_nodes (hunt->bound) - cost_nodes (hunt->cost);
    struct looking looking
        = {hunt,    spots, must_follow (hunt, i, before, &request),
           request.wiring, slack, 0, err};
    int status;
    spots_empty (spots);
    hunt->spent += 1 + hunt->ground.machine->nodes / NODES_A_STEP;
    ground_lift (&hunt->ground, slack);
    status = ground_each (&hunt->ground, &request, consider, &looking, err);
    if (ground_lower (&hunt->ground, slack, err) < 0 || status < 0
        || looking.status < 0)
        return -1;
    exceed_by_heavy (hunt, slack);
    spots_sort (spots);
    return 0;
}

/* ---- in depth ---- */

static int dive (struct hunt *hunt, const struct predecessor *before,
                 tori_error *err);

/* Push away whoever is in the way. */
static uint64_t push_away (struct hunt *hunt, const tori_placement *to)
{
    struct ground *ground = &hunt->ground;
    struct toll toll;
    (void)ground_toll (ground, &to->box, to->wiring, UINT64_MAX, &toll);
    for (uint32_t i = 0; i < toll.jobs; i++) {
        hunt->mover[hunt->movers++] = (struct mover){.job = ground->found[i]};
        ground_take_off (ground, ground->found[i]);
    }
    return toll_cost (&toll);
}

static int come_back (struct hunt *hunt, size_t known, tori_error *err)
{
    int status = 0;
    while (hunt->movers > known)
        if (ground_put_back (&hunt->ground, hunt->mover[--hunt->movers].job,
                             err)
            < 0)
            status = -1;
    return status;
}

/* Have mover i in a place, and go on with the others. */
static int settle_in (struct hunt *hunt, size_t i, const tori_box *box,
                      tori_wiring wiring, tori_error *err)
{
    struct mover *mover = &hunt->mover[i];
    struct predecessor self = {i, hunt->movers};
    uint64_t cost = hunt->cost;
    int found;
    mover->to = placement_of_box (box, wiring);
    mover->placed = true;
    hunt->cost += push_away (hunt, &mover->to);
    found = placement_block (&mover->to, hunt->ground.state, err);
    if (found == 0) {
        found = dive (hunt, &self, err);
        placement_unblock (&mover->to, hunt->ground.state);
    }
    hunt->cost = cost;
    mover->placed = false;
    return come_back (hunt, self.known, err) < 0 ? -1 : found;
}

static int dive (struct hunt *hunt, const struct predecessor *before,
                 tori_error *err)
{
    size_t i = choose (hunt);
    struct spots *spots = &hunt->level[hunt->depth];
    tori_wiring wiring;
    int found = 0;
    if (i == hunt->movers)
        return arrive (hunt, err);
    wiring = hunt->ground.job[hunt->mover[i].job].place->wiring;
    if (look (hunt, i, before, spots, err) < 0)
        return -1;
    hunt->depth++;
    for (size_t s = 0; s < spots->n && found == 0 && !hunt_spent (hunt); s++) {
        tori_box box = spots_box (spots, hunt->ground.machine, s);
        found = settle_in (hunt, i, &box, wiring, err);
    }
    hunt->depth--;
    return found;
}

int hunt_from (struct hunt *hunt, const struct spots *spots, size_t i,
               tori_wiring wiring, tori_error *err)
{
    tori_box box = spots_box (spots, hunt->ground.machine, i);
    hunt->movers = 1;
    hunt->mover[0] = (struct mover){.job = NO_OWNER};
    hunt->next = NO_COST;
    hunt->cost = 0;
    return settle_in (hunt, 0, &box, wiring, err);
}

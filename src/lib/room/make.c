/* make.c - the fewest moves after which a request fits, folded or not.
 *
 * A request that may be folded stands for several that may not (folding.h). A
 * request that fits without moves goes where the allocator places it.
 * Otherwise each fold gets an equal share of the steps that are left, and the
 * cheapest answer counts; ties go to the first. It is proved if no other could
 * be cheaper. */
#include <stdlib.h>

#include "ask.h"
#include "folding.h"
#include "marks.h"
#include "occupancy.h"
#include "podroom.h"

void tori_room_clear (tori_room *room)
{
    if (!room)
        return;
    for (size_t i = 0; i < room->n; i++)
        tori_placement_clear (&room->moves[i].to);
    free (room->moves);
    tori_placement_clear (&room->place);
    *room = (tori_room){0};
}

/* The question, with its arguments. */
struct room_question {
    const tori_state *state;
    const tori_room_job *job;
    size_t n;
    const tori_request *request;
    tori_room_config config;
};

static int make_straight (const struct room_question *q, tori_room *ret_room,
                          tori_error *err)
{
    return (q->state->machine->apart ? podroom_make : boxroom_make) (
        q->state, q->job, q->n, q->request, &q->config, ret_room, err);
}

/* ---- without moves ---- */

static int place_now (const struct room_question *q, struct occupancy *ground,
                      tori_placement *ret_place, tori_error *err)
{
    tori_alloc *alloc;
    int found;
    if (occupancy_bar (ground, q->config.barred, err) < 0
        || room_alloc (ground->machine, "first-fit", &q->config, &alloc, err)
               < 0)
        return -1;
    found = alloc_try_once (alloc, ground->state, q->request, ret_place, err);
    tori_alloc_destroy (alloc);
    return found;
}

/* 1 if it fits already, 0 or -1. */
static int fits_now (const struct room_question *q, tori_room *ret_room,
                     tori_error *err)
{
    struct occupancy ground = {0};
    tori_placement place = {0};
    int found = occupancy_open (&ground, q->state, q->job, q->n, err);
    if (found == 0)
        found = place_now (q, &ground, &place, err);
    occupancy_close (&ground);
    if (found > 0)
        *ret_room = (tori_room){.found = true, .least = true, .place = place};
    return found;
}

/* ---- one fold after the other ---- */

static bool is_cheaper (const tori_room *a, const tori_room *b)
{
    if (!a->found || !b->found)
        return a->found;
    return a->nodes != b->nodes ? a->nodes < b->nodes : a->n < b->n;
}

/* The findings about all folds so far. UINT64_MAX: there are none. */
struct sifting {
    tori_room best;
    uint64_t bound; /* the lowest, of folds that may have an answer */
    uint64_t open;  /* the lowest, of folds with nothing proved */
    uint64_t spent;
};

static void sift_answer (struct sifting *all, tori_room *room)
{
    if ((room->found || !room->least) && room->bound < all->bound)
        all->bound = room->bound;
    if (!room->least && room->bound < all->open)
        all->open = room->bound;
    all->spent += room->steps;
    if (is_cheaper (room, &all->best)) {
        tori_room_clear (&all->best);
        all->best = *room;
        *room = (tori_room){0};
    }
    tori_room_clear (room);
}

static void conclude_answer (struct sifting *all, tori_room *ret_room)
{
    tori_room room = all->best;
    room.least = room.found ? all->open > room.nodes : all->open == UINT64_MAX;
    room.bound = all->bound == UINT64_MAX ? 0 : all->bound;
    room.steps = all->spent;
    *ret_room = room;
}

/* Try all offered folds, with equal shares of the steps that are left. */
static int try_folds (struct room_question q, const tori_alloc *alloc,
                      const struct folded boxes[], size_t n,
                      tori_room *ret_room, tori_error *err)
{
    struct sifting all = {.bound = UINT64_MAX, .open = UINT64_MAX};
    uint64_t steps = q.config.steps;
    for (size_t i = 0; i < n; i++) {
        uint64_t left = steps > all.spent ? steps - all.spent : 0;
        tori_room room = {0};
        q.request = &boxes[i].request;
        q.config.steps = left / (n - i) + 1;
        if (!alloc_offers (alloc, q.request))
            continue;
        if (make_straight (&q, &room, err) < 0) {
            tori_room_clear (&all.best);
            return -1;
        }
        sift_answer (&all, &room);
    }
    conclude_answer (&all, ret_room);
    return 0;
}

static int make_folded (const struct room_question *q, tori_room *ret_room,
                        tori_error *err)
{
    const tori_machine *machine = q->state->machine;
    struct foldings foldings = {0};
    const struct folded *boxes;
    tori_alloc *alloc = NULL;
    size_t n;
    int status = room_alloc (machine, "first-fit", &q->config, &alloc, err);
    if (status == 0)
        status = foldings_get (&foldings, machine, q->request, &boxes, &n,
                               err);
    if (status == 0)
        status = try_folds (*q, alloc, boxes, n, ret_room, err);
    foldings_clear (&foldings);
    tori_alloc_destroy (alloc);
    return status;
}

/* In a pod, a search that has an answer with moves, or has proved that some
 * nodes have to move, has shown that it does not fit now. */
static bool may_fit_now (const tori_room *room)
{
    return room->found ? room->n == 0 : !room->least && room->bound == 0;
}

static int make_in_pod (const struct room_question *q, tori_room *ret_room,
                        tori_error *err)
{
    tori_room room = {0};
    int found;
    if (make_straight (q, &room, err) < 0)
        return -1;
    found = may_fit_now (&room) ? fits_now (q, ret_room, err) : 0;
    if (found == 0)
        *ret_room = room;
    else
        tori_room_clear (&room);
    return found < 0 ? -1 : 0;
}

static int make_with_folds (const struct room_question *q,
                            tori_room *ret_room, tori_error *err)
{
    int found = fits_now (q, ret_room, err);
    if (found != 0)
        return found < 0 ? -1 : 0;
    return make_folded (q, ret_room, err);
}

int tori_room_make (const tori_state *state, const tori_room_job jobs[],
                    size_t n, const tori_request *request,
                    const tori_room_config *config, tori_room *ret_room,
                    tori_error *err)
{
    struct room_question q = {state, jobs, n, request, .config = {0}};
    tori_request own;
    if (room_configure (config, &q.config, err) < 0
        || room_check (state->machine, request, &q.config, &own, err) < 0)
        return -1;
    if (request->flags)
        return make_with_folds (&q, ret_room, err);
    return (state->machine->apart ? make_in_pod : make_straight) (
        &q, ret_room, err);
}

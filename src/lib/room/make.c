/* make.c - the fewest moves after which a request fits, folded or not.
 *
 * A request that may be folded stands for several that may not (folding.h). A
 * request that fits without moves goes where the allocator places it.
 * Otherwise each fold gets an equal share of the steps that are left, in rounds
 * that grow, and the cheapest answer counts; ties go to the first. It is proved if no other could
 * be cheaper. */
#include <stdlib.h>

#include "ask.h"
#include "folding.h"
#include "marks.h"
#include "occupancy.h"
#include "podroom.h"
#include "rounds.h"

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

struct fold_search {
    const tori_request *request;
    tori_room room; /* the answer so far */
};

/* All folds, and the caller's watch. */
struct fold_searches {
    struct fold_search *fold;
    size_t n;
    bool (*watch) (void *arg, const tori_room *so_far);
    void *arg;
    bool stopped;
};

static const tori_room *cheapest_of (const struct fold_searches *all,
                                     const tori_room *best)
{
    for (size_t i = 0; i < all->n; i++)
        if (is_cheaper (&all->fold[i].room, best))
            best = &all->fold[i].room;
    return best;
}

/* What is proved about one fold is not proved about all. */
static bool watch_fold (void *arg, const tori_room *so_far)
{
    struct fold_searches *all = arg;
    tori_room best = *cheapest_of (all, so_far);
    best.least = false;
    best.bound = 0;
    all->stopped = all->watch (all->arg, &best);
    return all->stopped;
}

/* Of two searches for the same fold, keep what both have found. */
static void keep_found (tori_room *answer, tori_room *room)
{
    uint64_t bound
        = room->bound > answer->bound ? room->bound : answer->bound;
    bool least = room->least;
    if (least || is_cheaper (room, answer)) {
        tori_room found = *answer;
        *answer = *room;
        *room = found;
    }
    tori_room_clear (room);
    if (!least)
        answer->bound = bound;
}

/* One round for all folds without a proved answer, with equal shares of the
 * steps that are left, but no more than `most`: 1 if it is the last. */
static int fold_round (struct room_question q, struct fold_searches *all,
                       uint64_t *left, uint64_t most, tori_error *err)
{
    bool last = true;
    for (size_t i = 0; i < all->n && !all->stopped; i++) {
        struct fold_search *fold = &all->fold[i];
        uint64_t share = *left / (all->n - i) + 1;
        tori_room room = {0};
        if (fold->room.least)
            continue;
        q.request = fold->request;
        q.config.steps = share < most ? share : most;
        if (make_straight (&q, &room, err) < 0)
            return -1;
        *left -= room.steps < *left ? room.steps : *left;
        last = last && (room.least || share <= most);
        keep_found (&fold->room, &room);
    }
    return last || all->stopped || *left == 0;
}

/* All folds for a while, then all for longer. */
static int search_folds (struct room_question q, struct fold_searches *all,
                         uint64_t *ret_spent, tori_error *err)
{
    uint64_t most = q.config.round ? q.config.round : ROUND_STEPS;
    uint64_t steps = q.config.steps, left = steps;
    int done = 0;
    all->watch = q.config.watch;
    all->arg = q.config.watch_arg;
    if (q.config.watch) {
        q.config.watch = watch_fold;
        q.config.watch_arg = all;
    }
    for (; done == 0; most *= 2)
        done = fold_round (q, all, &left, most, err);
    *ret_spent = steps - left;
    return done < 0 ? -1 : 0;
}

/* Try all folds that are offered. */
static int try_folds (struct room_question q, const tori_alloc *alloc,
                      const struct folded boxes[], size_t n,
                      tori_room *ret_room, tori_error *err)
{
    struct sifting sifting = {.bound = UINT64_MAX, .open = UINT64_MAX};
    struct fold_searches all
        = {.fold = calloc (n + 1, sizeof (struct fold_search))};
    int status = all.fold ? 0 : tori_error_nomem (err);
    for (size_t i = 0; i < n && status == 0; i++)
        if (alloc_offers (alloc, &boxes[i].request))
            all.fold[all.n++].request = &boxes[i].request;
    if (status == 0)
        status = search_folds (q, &all, &sifting.spent, err);
    for (size_t i = 0; i < all.n; i++)
        sift_answer (&sifting, &all.fold[i].room);
    free (all.fold);
    if (status == 0)
        conclude_answer (&sifting, ret_room);
    else
        tori_room_clear (&sifting.best);
    return status;
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
    if (tori_request_nodes (request) > tori_state_free_count (state)) {
        /* Jobs that move have as many nodes as before. */
        *ret_room = (tori_room){.least = true};
        return 0;
    }
    if (request->flags)
        return make_with_folds (&q, ret_room, err);
    return (state->machine->apart ? make_in_pod : make_straight) (
        &q, ret_room, err);
}

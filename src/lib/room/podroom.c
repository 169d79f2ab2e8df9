#include "podroom.h"

#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "joined.h"
#include "marks.h"
#include "placement.h"

enum {
    FIT_STEPS = 1024
}; /* the limit of a search for a slice: some
    * microseconds */

struct podclaim {
    struct occupancy ground;
    tori_room_config config;
    tori_alloc *alloc;
    struct prepared asks;
    uint32_t *order; /* jobs that may go, the least work first */
    uint32_t n;
    bool *best; /* by job: whether it goes, of the best set so far */
    struct toll least;
    bool found;
    uint64_t spent;
    tori_error *err;
};

/* ---- fits or not ---- */

static int fits_now (struct podclaim *c, tori_placement *ret_place)
{
    tori_placement place = {0};
    int found =
        alloc_try (c->alloc, c->ground.state, &c->asks, &place, c->err);
    c->spent += FIT_STEPS;
    if (found > 0 && ret_place)
        *ret_place = place;
    else
        tori_placement_clear (&place);
    return found;
}

static struct toll add_work (struct toll toll, uint64_t work)
{
    toll.jobs++;
    if (__builtin_add_overflow (toll.weight, work, &toll.weight))
        toll.weight = UINT64_MAX;
    return toll;
}

static bool is_cheaper (struct toll a, struct toll b)
{
    return a.weight != b.weight ? a.weight < b.weight : a.jobs < b.jobs;
}

static void keep_set (struct podclaim *c, struct toll toll)
{
    memcpy (c->best, c->ground.off, c->ground.n * sizeof *c->best);
    c->least = toll;
    c->found = true;
}

/* ---- a set that is enough ---- */

static uint64_t work_of (const struct podclaim *c, uint32_t i)
{
    return c->ground.job[c->order[i]].work;
}

static int by_work (const void *a, const void *b)
{
    const tori_room_job *const *x = a, *const *y = b;
    if ((*x)->work != (*y)->work)
        return (*x)->work < (*y)->work ? -1 : 1;
    return (*x > *y) - (*x < *y);
}

static int put_in_order (struct podclaim *c)
{
    const tori_room_job **sorted =
        calloc (c->ground.n + (size_t)1, sizeof *sorted);
    c->order = calloc (c->ground.n + (size_t)1, sizeof *c->order);
    c->best = calloc (c->ground.n + (size_t)1, sizeof *c->best);
    if (!sorted || !c->order || !c->best) {
        free (sorted);
        return tori_error_nomem (c->err);
    }
    for (uint32_t j = 0; j < c->ground.n; j++)
        if (!c->ground.stays[j])
            sorted[c->n++] = &c->ground.job[j];
    if (c->n > 1)
        qsort (sorted, c->n, sizeof *sorted, by_work);
    for (uint32_t i = 0; i < c->n; i++)
        c->order[i] = (uint32_t)(sorted[i] - c->ground.job);
    free (sorted);
    return 0;
}

static int put_back (struct podclaim *c, uint32_t i)
{
    return occupancy_put_back (&c->ground, c->order[i], c->err);
}

/* Put back the jobs that are not needed, but not the last, without which there
 * was no room. */
static int drop_needless (struct podclaim *c, uint32_t gone)
{
    struct toll toll = {0};
    for (uint32_t i = gone; i-- > 0;) {
        int found = 0;
        if (i + 1 < gone) {
            if (put_back (c, i) < 0 || (found = fits_now (c, NULL)) < 0)
                return -1;
            if (found == 0)
                occupancy_take_off (&c->ground, c->order[i]);
        }
        if (found == 0)
            toll = add_work (toll, work_of (c, i));
    }
    keep_set (c, toll);
    return 0;
}

static int find_enough (struct podclaim *c)
{
    uint32_t gone = 0;
    int found;
    while ((found = fits_now (c, NULL)) == 0 && gone < c->n)
        occupancy_take_off (&c->ground, c->order[gone++]);
    if (found > 0)
        found = drop_needless (c, gone);
    for (uint32_t i = 0; i < gone && found >= 0; i++)
        if (c->ground.off[c->order[i]])
            found = put_back (c, i);
    return found < 0 ? -1 : 0;
}

/* ---- the cheapest ---- */

/* Whether there is room if all from the i-th on go. */
static int helps_from (struct podclaim *c, uint32_t i)
{
    int found;
    for (uint32_t k = i; k < c->n; k++)
        occupancy_take_off (&c->ground, c->order[k]);
    found = fits_now (c, NULL);
    for (uint32_t k = i; k < c->n; k++)
        if (put_back (c, k) < 0)
            return -1;
    return found;
}

/* Complete the choice: of the jobs before the i-th it is made, costs `toll`,
 * and is not enough. */
static int improve_set (struct podclaim *c, uint32_t i, struct toll toll)
{
    int found = 0;
    for (; i < c->n && found == 0 && c->spent < c->config.steps; i++) {
        struct toll more = add_work (toll, work_of (c, i));
        if (!is_cheaper (more, c->least))
            return 0; /* others cost no less */
        found = helps_from (c, i);
        if (found <= 0)
            return found;
        occupancy_take_off (&c->ground, c->order[i]);
        found = fits_now (c, NULL);
        if (found > 0)
            keep_set (c, more);
        else if (found == 0)
            found = improve_set (c, i + 1, more);
        if (found < 0 || put_back (c, i) < 0)
            return -1;
        found = 0;
    }
    return found;
}

/* ---- the answer ---- */

static int conclude_answer (struct podclaim *c, tori_room *ret_room)
{
    bool proved = c->spent < c->config.steps;
    tori_room room = {.found = c->found,
                      .least = proved || !c->found,
                      .nodes = c->least.weight,
                      .bound = proved ? c->least.weight : 0,
                      .steps = c->spent};
    if (!c->found) {
        *ret_room = room;
        return 0;
    }
    room.moves = calloc (c->least.jobs + (size_t)1, sizeof *room.moves);
    if (!room.moves)
        return tori_error_nomem (c->err);
    for (uint32_t j = 0; j < c->ground.n; j++)
        if (c->best[j]) {
            occupancy_take_off (&c->ground, j);
            room.moves[room.n++].job = j;
        }
    if (fits_now (c, &room.place) < 0) {
        tori_room_clear (&room);
        return -1;
    }
    *ret_room = room;
    return 0;
}

static int choose_victims (struct podclaim *c, const tori_request *request,
                           tori_room *ret_room)
{
    if (room_alloc (c->ground.machine, NULL, &c->config, &c->alloc, c->err) < 0
        || alloc_prepare (c->alloc, request, &c->asks, c->err) < 0)
        return -1;
    if (c->asks.never)
        return tori_error_set (c->err, TORI_NEVER, "%s", c->asks.never);
    if (put_in_order (c) < 0
        || occupancy_bar (&c->ground, c->config.barred, c->err) < 0
        || find_enough (c) < 0)
        return -1;
    if (c->found && c->least.jobs > 0
        && improve_set (c, 0, (struct toll){0}) < 0)
        return -1;
    return conclude_answer (c, ret_room);
}

int podroom_victims (const tori_state *state, const tori_room_job jobs[],
                     size_t n, const tori_request *request,
                     const tori_room_config *config, tori_room *ret_room,
                     tori_error *err)
{
    struct podclaim c = {.err = err};
    int status;
    if (room_configure (config, &c.config, err) < 0)
        return -1;
    status = occupancy_open (&c.ground, state, jobs, n, err);
    if (status == 0)
        status = choose_victims (&c, request, ret_room);
    tori_alloc_destroy (c.alloc);
    free (c.order);
    free (c.best);
    occupancy_close (&c.ground);
    return status;
}

/* ---- repair ---- */

static bool is_free (const struct occupancy *ground, const tori_box *box,
                     struct wires wires)
{
    return grid_count (ground->machine, box, ground->state->free)
               == tori_shape_volume (&box->shape)
           && wiring_links_up (ground->state, box, wires);
}

static uint32_t cube_of (const tori_machine *machine, const tori_box *box)
{
    return tori_machine_id (machine, box->origin) / grid_cube (machine);
}

/* The same positions of another cube. */
static void shift_to (const tori_machine *machine, uint32_t cube,
                      tori_box *box)
{
    uint32_t coords[TORI_MAX_DIMS];
    tori_machine_coords (machine, cube * grid_cube (machine), coords);
    memcpy (box->origin, coords, (size_t)machine->apart * sizeof *coords);
}

static bool is_taken (const tori_machine *machine, const tori_box boxes[],
                      uint32_t n, uint32_t cube)
{
    for (uint32_t i = 0; i < n; i++)
        if (cube_of (machine, &boxes[i]) == cube)
            return true;
    return false;
}

/* Shift one piece to a free cube of its pod. */
static bool shift_piece (const struct occupancy *ground, tori_box boxes[],
                         uint32_t n, uint32_t i, struct wires wires)
{
    const tori_machine *machine = ground->machine;
    uint32_t pods = machine->pods ? machine->shape.size[0] : 1;
    uint32_t cubes = machine->nodes / grid_cube (machine) / pods;
    uint32_t first = cube_of (machine, &boxes[i]) / cubes * cubes;
    tori_box box = boxes[i];
    for (uint32_t cube = first; cube < first + cubes; cube++) {
        shift_to (machine, cube, &box);
        if (!is_taken (machine, boxes, n, cube)
            && is_free (ground, &box, wires)) {
            boxes[i] = box;
            return true;
        }
    }
    return false;
}

/* Pieces that are not whole go elsewhere: 1, 0 if one cannot, or -1. */
static int shift_pieces (const struct occupancy *ground, tori_room *room,
                         tori_error *err)
{
    const tori_placement *place = ground->job[0].place;
    const tori_machine *machine = ground->machine;
    tori_box *boxes = malloc (place->nboxes * sizeof *boxes);
    tori_shape across;
    int status = boxes ? tori_placement_across (place, machine, &across)
                       : tori_error_nomem (err);
    for (uint32_t i = 0; i < place->nboxes && boxes; i++)
        boxes[i] = *tori_placement_box (place, i);
    for (uint32_t i = 0; i < place->nboxes && status > 0; i++) {
        struct wires wires = joined_wires (place, machine, i);
        if (is_free (ground, &boxes[i], wires))
            continue;
        room->nodes += tori_shape_volume (&boxes[i].shape);
        status = shift_piece (ground, boxes, place->nboxes, i, wires);
    }
    if (status > 0)
        status = tori_placement_of_pieces (boxes, &across, place->wiring,
                                           &room->place, err)
                         < 0
                     ? -1
                     : 1;
    free (boxes);
    return status;
}

static uint64_t count_new (const struct occupancy *ground,
                           const tori_placement *place)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < ground->machine->nodes; i++)
        n += ground->owner[i] != 0
             && tori_placement_contains (place, ground->machine, i);
    return n;
}

/* Find any place: 1, 0 or -1. */
static int place_again (struct occupancy *ground,
                        const tori_room_config *config, tori_room *room,
                        tori_error *err)
{
    const tori_room_job *job = &ground->job[0];
    tori_request request = {.wiring = job->place->wiring,
                            .fixed = job->fixed};
    tori_alloc *alloc;
    int found;
    if (!tori_wiring_name (request.wiring)
        || !tori_placement_shape (job->place, ground->machine, &request.shape))
        return 0;
    if (room_alloc (ground->machine, NULL, config, &alloc, err) < 0)
        return -1;
    found = alloc_try_once (alloc, ground->state, &request, &room->place, err);
    tori_alloc_destroy (alloc);
    if (found > 0)
        room->nodes = count_new (ground, &room->place);
    return found;
}

int podroom_mend (struct occupancy *ground, const tori_room_config *config,
                  tori_room *room, tori_error *err)
{
    int found;
    occupancy_take_off (ground, 0);
    if (occupancy_bar (ground, ground->job[0].barred, err) < 0)
        return -1;
    found = shift_pieces (ground, room, err);
    if (found == 0) {
        room->nodes = 0;
        found = place_again (ground, config, room, err);
    }
    room->found = found > 0;
    return found < 0 ? -1 : 0;
}

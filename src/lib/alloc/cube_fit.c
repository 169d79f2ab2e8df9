/* cube_fit.c - slices of a pod: cube-first and cube-best.
 *
 * A slice may begin at any offset in its first cubes, in any rotation, and its
 * pieces lie in cubes of their own; all of that is tried, so a slice is
 * refused only if there is no place for it. cube-first takes the fewest
 * pieces, then the first cubes. cube-best takes as few empty cubes as it can
 * that are not filled, then cubes of which the fewest nodes are left over,
 * then the fewest pieces. If a site lists its slices, those smaller than a
 * cube begin at multiples of their sides: sites cut cubes into them, side by
 * side. Ties go to the first pod, offset and rotation. */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "compare.h"
#include "heap.h"
#include "marks.h"
#include "offers.h"
#include "placement.h"
#include "podmatch.h"
#include "policy.h"

/* The cost of a choice; the less, the better. */
struct cube_cost {
    uint32_t broken; /* cubes that were empty, and are not filled */
    uint64_t left;   /* free nodes that remain in its cubes */
};

struct cube_fit {
    struct podspace space;
    struct podplans plans;
    struct podrooms rooms;
    struct podmatch match;

    /* The allowed slices smaller than a cube, with sorted sides; none: all. */
    struct offers offers;

    /* The request: each rotation of each shape. */
    struct podforms forms;
    const struct podplan *plan;
    bool best; /* cube-best */
    struct heap promising; /* cuts of the plan, by the least cost */

    /* The best so far: its cut and pod, its cubes by type, and in order. */
    bool found;
    struct cube_cost cost;
    struct podcut cut;
    size_t number; /* of the cut */
    uint32_t pod;
    uint32_t *cubes, *sorted, *other;
};

/* ---- the offers of a site ---- */

static int read_offers (struct cube_fit *fit, const char *text,
                        tori_error *err)
{
    if (offers_read (&fit->offers, text, err) < 0)
        return -1;
    for (size_t i = 0; i < fit->offers.n; i++) {
        tori_shape *shape = &fit->offers.shape[i];
        char name[TORI_TEXT_MAX];
        tori_shape_format (shape, name);
        if (shape->ndims != fit->space.ndims
            || tori_shape_volume (shape) >= fit->space.volume)
            return tori_error_set (err, TORI_INVALID,
                                   "slices: %.60s is not smaller than a cube",
                                   name);
        tori_shape_sort (shape);
    }
    fit->space.aligned = fit->offers.n > 0;
    return 0;
}

static bool is_offered (const struct cube_fit *fit, tori_shape shape)
{
    if (fit->offers.n == 0 || tori_shape_volume (&shape) >= fit->space.volume)
        return true;
    tori_shape_sort (&shape);
    for (size_t i = 0; i < fit->offers.n; i++)
        if (tori_shape_equal (&shape, &fit->offers.shape[i]))
            return true;
    return false;
}

/* ---- the request ---- */

static const char *cube_fit_impossible (const void *data,
                                        const tori_request *request)
{
    const struct cube_fit *fit = data;
    tori_shape shape = request->shape;
    bool wirable = false;
    if (!is_offered (fit, shape))
        return "a slice smaller than a cube has one of the shapes that are "
               "offered";
    if (!request->fixed)
        tori_shape_sort (&shape);
    do {
        uint64_t n = podcut_pieces (&fit->space, &shape, 0, request->wiring);
        if (n > 0 && n <= fit->space.cubes)
            return NULL;
        wirable |= n > 0;
    } while (!request->fixed && tori_shape_next_rotation (&shape));
    if (!wirable && request->wiring == TORI_WIRE_TWISTED)
        return "a twisted torus has sides of K and 2K, K whole cubes";
    return wirable ? "the slice needs more cubes than a pod has"
                   : "a ring goes through whole cubes: a side of a torus is 1 "
                     "or a multiple of the cube's";
}

/* Joints matter only if links are down and some are wanted. */
static int make_plan (struct cube_fit *fit, const tori_state *state,
                      tori_error *err)
{
    bool linked = state->links_down > 0 && fit->forms.n > 0
                  && fit->forms.form[0].wiring != TORI_WIRE_NONE;
    fit->plan = podplans_get (&fit->plans, &fit->space, &fit->forms,
                              linked);
    return fit->plan ? 0 : tori_error_nomem (err);
}

/* ---- the cost of a choice ---- */

static bool is_cheaper (struct cube_cost a, struct cube_cost b)
{
    return a.broken != b.broken ? a.broken < b.broken : a.left < b.left;
}

static void charge_cubes (const struct cube_fit *fit, uint32_t size,
                          uint32_t free, uint32_t pieces,
                          struct cube_cost *cost)
{
    cost->left += (uint64_t)(free - size) * pieces;
    if (free == fit->space.volume && free > size)
        cost->broken += pieces;
}

static uint32_t size_of (const struct cube_fit *fit,
                         const struct podtype *type)
{
    return fit->plan->piece[type->piece].size;
}

/* The cost with the cubes of the fewest nodes that are large enough; false if
 * there are none. */
static bool at_least (const struct cube_fit *fit, const struct podcut *cut,
                      struct cube_cost *ret_cost)
{
    const struct podtype *type = fit->plan->type + cut->first;
    *ret_cost = (struct cube_cost){0};
    for (uint32_t t = 0; t < cut->ntypes; t++, type++) {
        uint32_t size = size_of (fit, type);
        if (fit->rooms.many[size] < type->need)
            return false;
        charge_cubes (fit, size, fit->rooms.least[size], type->need, ret_cost);
    }
    return true;
}

/* The same for the cubes that have room for the pieces of each type. */
static struct cube_cost at_least_with_room (const struct cube_fit *fit)
{
    const struct podrooms *rooms = &fit->rooms;
    struct cube_cost cost = {0};
    for (uint32_t t = 0; t < fit->match.ntypes; t++) {
        const struct podtype *type = &fit->match.type[t];
        uint32_t need = type->need;
        for (size_t w = 0; need > 0; w++)
            for (uint64_t left = fit->match.set[t][w]; left && need > 0;
                 left &= left - 1) {
                size_t kind = 64 * w + (size_t)__builtin_ctzll (left);
                uint32_t n = rooms->alike[kind];
                n = n < need ? n : need;
                need -= n;
                charge_cubes (fit, size_of (fit, type), rooms->count[kind], n,
                              &cost);
            }
    }
    return cost;
}

/* The cost of the kinds that were found. */
static struct cube_cost cost_of (const struct cube_fit *fit)
{
    const struct podmatch *match = &fit->match;
    struct cube_cost cost = {0};
    for (uint32_t t = 0; t < match->ntypes; t++)
        for (uint32_t i = 0; i < match->used[t]; i++) {
            uint32_t at = match->start[t] + i;
            charge_cubes (fit, size_of (fit, &match->type[t]),
                          fit->rooms.count[match->slot[at]], match->amount[at],
                          &cost);
        }
    return cost;
}

/* ---- the choice ---- */

/* Whether a choice of this cost is better than the best, for cube-best. Of two
 * in a pod that are as good, the first cut counts. */
static bool improves_cost (const struct cube_fit *fit, size_t number,
                           struct cube_cost cost)
{
    uint32_t pieces = fit->plan->cut[number].pieces;
    if (!fit->found || is_cheaper (cost, fit->cost))
        return true;
    if (is_cheaper (fit->cost, cost))
        return false;
    return pieces != fit->cut.pieces
               ? pieces < fit->cut.pieces
               : fit->space.pod == fit->pod && number < fit->number;
}

/* Whether a choice has fewer pieces than the best, or, with as many in the same
 * pod, the earlier cubes. */
static bool is_earlier (struct cube_fit *fit, uint32_t pieces)
{
    bool better = !fit->found || pieces < fit->cut.pieces;
    for (uint32_t i = 0; i < pieces; i++)
        fit->other[i] = fit->rooms.order[fit->match.slot[i]];
    qsort (fit->other, pieces, sizeof *fit->other, compare_ids);
    for (uint32_t i = 0; !better && i < pieces; i++)
        if (fit->other[i] != fit->sorted[i])
            return fit->other[i] < fit->sorted[i];
    return better;
}

static void keep_choice (struct cube_fit *fit, size_t number,
                         struct cube_cost cost)
{
    fit->found = true;
    fit->cost = cost;
    fit->cut = fit->plan->cut[number];
    fit->number = number;
    fit->pod = fit->space.pod;
}

/* Keep the cubes of a choice, those of each type in ascending order. */
static void keep_cubes (struct cube_fit *fit)
{
    const struct podmatch *match = &fit->match;
    for (uint32_t t = 0; t < match->ntypes; t++) {
        uint32_t *cube = fit->cubes + match->start[t];
        for (uint32_t i = 0; i < match->used[t]; i++)
            cube[i] = fit->rooms.order[match->slot[match->start[t] + i]];
        qsort (cube, match->used[t], sizeof *cube, compare_ids);
    }
}

/* Find kinds of cubes for a cut of which each type has room by itself: the
 * least cost is known then. */
static int try_cost (struct cube_fit *fit, size_t number, tori_error *err)
{
    struct cube_cost cost;
    int found = podmatch_find (&fit->match, err);
    if (found <= 0)
        return found;
    cost = cost_of (fit);
    if (improves_cost (fit, number, cost))
        keep_choice (fit, number, cost);
    return 0;
}

/* The same for cube-first, with the cubes. */
static int try_cubes (struct cube_fit *fit, size_t number, tori_error *err)
{
    uint32_t *sorted = fit->sorted;
    int found = podmatch_find (&fit->match, err);
    if (found > 0) {
        podmatch_take_cubes (&fit->match, &fit->rooms);
        found = podmatch_find (&fit->match, err);
    }
    if (found <= 0 || !is_earlier (fit, fit->plan->cut[number].pieces))
        return found < 0 ? -1 : 0;
    fit->sorted = fit->other;
    fit->other = sorted;
    keep_choice (fit, number, (struct cube_cost){0});
    keep_cubes (fit);
    return 0;
}

/* For cube-first: whether there is a better choice than any cut into so many
 * pieces or more. */
static bool is_enough (const struct cube_fit *fit, uint32_t pieces)
{
    return fit->found
           && (fit->pod == fit->space.pod ? pieces > fit->cut.pieces
                                          : pieces >= fit->cut.pieces);
}

static int try_in_turn (struct cube_fit *fit, tori_error *err)
{
    const struct podplan *plan = fit->plan;
    struct cube_cost cost;
    for (size_t i = 0; i < plan->ncuts; i++) {
        if (is_enough (fit, plan->cut[i].pieces))
            break;
        if (at_least (fit, &plan->cut[i], &cost)
            && podmatch_begin (&fit->match, &fit->rooms, &plan->cut[i])
            && try_cubes (fit, i, err) < 0)
            return -1;
    }
    return 0;
}

/* The least cost as a number: nodes are counted in 32 bits. */
static int64_t key_of (struct cube_cost cost)
{
    return (int64_t)((uint64_t)cost.broken << 32 | cost.left);
}

static struct cube_cost cost_of_key (int64_t key)
{
    return (struct cube_cost){(uint32_t)(key >> 32), (uint32_t)key};
}

/* Try the cuts that could be better than all before them, by the cubes with
 * room for each type, and list the others that could be better. */
static int list_promising (struct cube_fit *fit, tori_error *err)
{
    const struct podcut *cut = fit->plan->cut;
    struct cube_cost cost;
    int64_t least = INT64_MAX;
    int status = 0;
    fit->promising.n = 0;
    for (size_t i = 0; i < fit->plan->ncuts && status == 0; i++) {
        if (!at_least (fit, &cut[i], &cost) || !improves_cost (fit, i, cost)
            || !podmatch_begin (&fit->match, &fit->rooms, &cut[i]))
            continue;
        cost = at_least_with_room (fit);
        if (!improves_cost (fit, i, cost))
            continue;
        if (key_of (cost) < least) {
            least = key_of (cost);
            status = try_cost (fit, i, err);
        } else {
            status = heap_push (&fit->promising, key_of (cost), i, err);
        }
    }
    return status;
}

/* The cubes of the choice of this pod. */
static int find_cubes (struct cube_fit *fit, tori_error *err)
{
    (void)podmatch_begin (&fit->match, &fit->rooms, &fit->cut);
    podmatch_take_cubes (&fit->match, &fit->rooms);
    if (podmatch_find (&fit->match, err) < 0)
        return -1;
    keep_cubes (fit);
    return 0;
}

/* For cube-best: of the others, the cut that could cost the least goes
 * first. */
static int try_promising (struct cube_fit *fit, tori_error *err)
{
    bool found = fit->found;
    uint32_t pod = fit->pod;
    int status = list_promising (fit, err);
    while (status == 0 && fit->promising.n > 0) {
        struct event next = heap_pop (&fit->promising);
        if (!improves_cost (fit, next.what, cost_of_key (next.time)))
            break; /* nor do those after it */
        (void)podmatch_begin (&fit->match, &fit->rooms,
                              &fit->plan->cut[next.what]);
        status = try_cost (fit, next.what, err);
    }
    if (status == 0 && fit->found && (!found || fit->pod != pod))
        status = find_cubes (fit, err);
    return status;
}

/* Whether no pod has a better choice. */
static bool is_perfect (const struct cube_fit *fit)
{
    return fit->found
           && fit->cut.pieces == fit->plan->cut[0].pieces
           && (!fit->best || (fit->cost.broken == 0 && fit->cost.left == 0));
}

static int choose_cubes (struct cube_fit *fit, const tori_state *state,
                         tori_error *err)
{
    fit->found = false;
    for (uint32_t pod = 0; fit->plan->ncuts > 0 && pod < fit->space.pods
                           && !is_perfect (fit);
         pod++)
        if (podrooms_look (&fit->rooms, fit->plan, state, pod, fit->best, err)
                < 0
            || (fit->best ? try_promising : try_in_turn) (fit, err) < 0)
            return -1;
    return 0;
}

/* ---- the placement ---- */

static int make_place (struct cube_fit *fit, tori_placement *ret_place,
                       tori_error *err)
{
    fit->space.pod = fit->pod;
    return podplan_lay (fit->plan, &fit->space, &fit->cut, fit->cubes,
                        ret_place, err)
                   < 0
               ? -1
               : 1;
}

/* The largest number of cubes of a pod that are not full. */
static uint32_t most_open (struct cube_fit *fit, const tori_state *state)
{
    uint32_t most = 0;
    for (uint32_t pod = 0; pod < fit->space.pods; pod++) {
        uint32_t open = 0;
        podspace_look (&fit->space, state, pod);
        for (uint32_t i = 0; i < fit->space.cubes; i++)
            open += fit->space.count[i] > 0;
        most = open > most ? open : most;
    }
    return most;
}

/* Whether some form, cut from the corner of a cube, has no more pieces than
 * there are cubes that are not full: it never has fewer. This spares a plan if
 * there is no place. */
static bool may_fit (struct cube_fit *fit, const tori_state *state)
{
    uint32_t open = most_open (fit, state);
    for (size_t i = 0; i < fit->forms.n; i++) {
        const struct podform *form = &fit->forms.form[i];
        uint64_t n
            = podcut_pieces (&fit->space, &form->shape, 0, form->wiring);
        if (n > 0 && n <= open)
            return true;
    }
    return false;
}

static int place_forms (struct cube_fit *fit, const tori_state *state,
                        bool best, tori_placement *ret_place, tori_error *err)
{
    fit->best = best;
    if (!may_fit (fit, state))
        return 0;
    if (make_plan (fit, state, err) < 0 || choose_cubes (fit, state, err) < 0)
        return -1;
    return fit->found ? make_place (fit, ret_place, err) : 0;
}

static int place_cube_fit (struct cube_fit *fit, const tori_state *state,
                           const tori_request *request, bool best,
                           tori_placement *ret_place, tori_error *err)
{
    fit->forms.n = 0;
    if (podforms_add (&fit->forms, request, err) < 0)
        return -1;
    return place_forms (fit, state, best, ret_place, err);
}

/* Place any of the folds: the rule of the allocator chooses among them. */
static int place_any (struct cube_fit *fit, const tori_state *state,
                      const struct folded boxes[], size_t n, bool best,
                      tori_placement *ret_place, tori_error *err)
{
    fit->forms.n = 0;
    for (size_t i = 0; i < n; i++)
        if (is_offered (fit, boxes[i].request.shape)
            && podforms_add (&fit->forms, &boxes[i].request, err) < 0)
            return -1;
    if (fit->forms.n == 0)
        return 0;
    return place_forms (fit, state, best, ret_place, err);
}

static int place_first (void *data, const tori_state *state,
                        const tori_request *request, tori_placement *ret_place,
                        tori_error *err)
{
    return place_cube_fit (data, state, request, false, ret_place, err);
}

static int place_best (void *data, const tori_state *state,
                       const tori_request *request, tori_placement *ret_place,
                       tori_error *err)
{
    return place_cube_fit (data, state, request, true, ret_place, err);
}

static int first_of_any (void *data, const tori_state *state,
                         const struct folded boxes[], size_t n,
                         tori_placement *ret_place, tori_error *err)
{
    return place_any (data, state, boxes, n, false, ret_place, err);
}

static int best_of_any (void *data, const tori_state *state,
                        const struct folded boxes[], size_t n,
                        tori_placement *ret_place, tori_error *err)
{
    return place_any (data, state, boxes, n, true, ret_place, err);
}

/* ---- the allocators ---- */

static void destroy_cube_fit (void *data)
{
    struct cube_fit *fit = data;
    podmatch_clear (&fit->match);
    podrooms_clear (&fit->rooms);
    podplans_clear (&fit->plans);
    podspace_clear (&fit->space);
    offers_clear (&fit->offers);
    heap_clear (&fit->promising);
    free (fit->forms.form);
    free (fit->cubes);
    free (fit->sorted);
    free (fit->other);
    free (fit);
}

static int make_lists (struct cube_fit *fit, tori_error *err)
{
    size_t n = fit->space.cubes;
    fit->cubes = calloc (n, sizeof *fit->cubes);
    fit->sorted = calloc (n, sizeof *fit->sorted);
    fit->other = calloc (n, sizeof *fit->other);
    return fit->cubes && fit->sorted && fit->other ? 0
                                                   : tori_error_nomem (err);
}

static int create_cube_fit (const tori_machine *machine,
                            const tori_alloc_config *config, void **ret_data,
                            tori_error *err)
{
    struct cube_fit *fit = calloc (1, sizeof *fit);
    if (!fit)
        return tori_error_nomem (err);
    if (podspace_create (machine, &fit->space, err) < 0
        || podrooms_create (&fit->rooms, &fit->space, err) < 0
        || podmatch_create (&fit->match, fit->space.cubes, err) < 0
        || make_lists (fit, err) < 0
        || read_offers (fit, config->slices, err) < 0) {
        destroy_cube_fit (fit);
        return -1;
    }
    *ret_data = fit;
    return 0;
}

const struct alloc_ops cube_first_ops = {
    .info =
        {
            .name = "cube-first",
            .summary = "on a pod: the fewest pieces, in the first cubes",
            .takes = TORI_BY_SHAPE,
            .flags = TORI_ALLOC_PODS | TORI_ALLOC_RINGS,
        },
    .thorough = true,
    .create_with = create_cube_fit,
    .destroy = destroy_cube_fit,
    .impossible = cube_fit_impossible,
    .missing = "slice of this shape",
    .place = place_first,
    .place_any = first_of_any,
};

const struct alloc_ops cube_best_ops = {
    .info =
        {
            .name = "cube-best",
            .summary =
                "on a pod: the fewest empty cubes broken, then the least "
                "left over",
            .takes = TORI_BY_SHAPE,
            .flags = TORI_ALLOC_PODS | TORI_ALLOC_RINGS,
        },
    .thorough = true,
    .create_with = create_cube_fit,
    .destroy = destroy_cube_fit,
    .impossible = cube_fit_impossible,
    .missing = "slice of this shape",
    .place = place_best,
    .place_any = best_of_any,
};

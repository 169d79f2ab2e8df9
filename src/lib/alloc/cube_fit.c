/* cube_fit.c - slices of a pod: cube-first and cube-best.
 *
 * A slice may begin at any offset in its first cubes, in any rotation, and its
 * pieces lie in cubes of their own; all of that is tried, so a slice is
 * refused only if there is none. cube-first takes the fewest pieces, then the
 * first cubes. cube-best takes as few empty cubes as it can that are not
 * filled, then cubes of which the fewest nodes are left over, then the fewest
 * pieces. Where a site lists its slices, those smaller than a cube begin at
 * multiples of their sides: sites cut cubes into them, side by side. What is alike comes from the first pod, offset and rotation.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "compare.h"
#include "marks.h"
#include "offers.h"
#include "placement.h"
#include "podmatch.h"
#include "policy.h"

/* What a choice costs; the less, the better. */
struct cube_cost {
    uint32_t broken; /* cubes that were empty, and are not filled */
    uint64_t left;   /* free nodes that remain in its cubes */
};

struct cube_fit {
    struct podspace space;
    struct podplans plans;
    struct podrooms rooms;
    struct podmatch match;

    /* What slices smaller than a cube may be, sides in order; none: all. */
    struct offers offers;

    /* What is asked for: each rotation of each shape. */
    struct podforms forms;
    const struct podplan *plan;
    bool best; /* cube-best */

    /* The best so far: its cut and pod, its cubes by type, and in order. */
    bool found;
    struct cube_cost cost;
    struct podcut cut;
    uint32_t pod;
    uint32_t *cubes, *sorted, *other;
};

/* ---- what a site offers ---- */

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

static const char *impossible (const void *data, const tori_request *request)
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

/* Joints matter where links are down, and some are wanted. */
static int make_plan (struct cube_fit *fit, const tori_state *state,
                      tori_error *err)
{
    bool linked = state->links_down > 0 && fit->forms.n > 0
                  && fit->forms.form[0].wiring != TORI_WIRE_NONE;
    fit->plan = podplans_get (&fit->plans, &fit->space, &fit->forms,
                              linked);
    return fit->plan ? 0 : tori_error_nomem (err);
}

/* ---- what a choice costs ---- */

static bool cheaper (struct cube_cost a, struct cube_cost b)
{
    return a.broken != b.broken ? a.broken < b.broken : a.left < b.left;
}

static void charge (const struct cube_fit *fit, uint32_t size, uint32_t free,
                    uint32_t pieces, struct cube_cost *cost)
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

/* What the cubes with the fewest nodes that might do would cost; false if
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
        charge (fit, size, fit->rooms.least[size], type->need, ret_cost);
    }
    return true;
}

/* The same of the cubes that have room for the pieces of each type. */
static struct cube_cost at_least_with_room (const struct cube_fit *fit)
{
    struct cube_cost cost = {0};
    for (uint32_t t = 0; t < fit->match.ntypes; t++) {
        const struct podtype *type = &fit->match.type[t];
        const uint64_t *set = fit->match.set[t];
        uint32_t need = type->need;
        for (size_t w = 0; need > 0; w++)
            for (uint64_t left = set[w]; left && need > 0;
                 left &= left - 1, need--)
                charge (fit, size_of (fit, type),
                        fit->rooms.count[64 * w
                                         + (size_t)__builtin_ctzll (left)],
                        1, &cost);
    }
    return cost;
}

static struct cube_cost cost_of (const struct cube_fit *fit)
{
    struct cube_cost cost = {0};
    for (uint32_t t = 0; t < fit->match.ntypes; t++)
        for (uint32_t i = 0; i < fit->match.used[t]; i++) {
            uint32_t at = fit->match.slot[fit->match.start[t] + i];
            charge (fit, size_of (fit, &fit->match.type[t]),
                    fit->rooms.count[at], 1, &cost);
        }
    return cost;
}

/* ---- the choice ---- */

/* Whether a choice of this cost is better than the best, for cube-best. */
static bool improves (const struct cube_fit *fit, const struct podcut *cut,
                      struct cube_cost cost)
{
    return !fit->found || cheaper (cost, fit->cost)
           || (!cheaper (fit->cost, cost) && cut->pieces < fit->cut.pieces);
}

/* Whether a choice has fewer pieces than the best, or, with as many in the same
 * pod, the earlier cubes. */
static bool earlier (struct cube_fit *fit, uint32_t pieces)
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

/* Those of each type in ascending order. */
static void keep (struct cube_fit *fit, const struct podcut *cut,
                  struct cube_cost cost)
{
    const struct podmatch *match = &fit->match;
    uint32_t *sorted = fit->sorted;
    for (uint32_t i = 0; i < cut->pieces; i++)
        fit->cubes[i] = fit->rooms.order[match->slot[i]];
    for (uint32_t t = 0; t < match->ntypes; t++)
        qsort (fit->cubes + match->start[t], match->used[t],
               sizeof *fit->cubes, compare_ids);
    fit->sorted = fit->other;
    fit->other = sorted;
    fit->found = true;
    fit->cost = cost;
    fit->cut = *cut;
    fit->pod = fit->space.pod;
}

/* Try one cut in the pod that is looked at. */
static void try_cut (struct cube_fit *fit, const struct podcut *cut)
{
    struct cube_cost cost;
    if (!at_least (fit, cut, &cost)
        || (fit->best && !improves (fit, cut, cost))
        || !podmatch_begin (&fit->match, &fit->rooms, cut)
        || (fit->best && !improves (fit, cut, at_least_with_room (fit)))
        || !podmatch_find (&fit->match))
        return;
    cost = cost_of (fit);
    if (fit->best ? improves (fit, cut, cost) : earlier (fit, cut->pieces))
        keep (fit, cut, cost);
}

/* Whether cuts into so many pieces, or more, are too many: there is a better
 * choice, whatever the others are. */
static bool enough (const struct cube_fit *fit, uint32_t pieces, uint32_t pod)
{
    if (!fit->found)
        return false;
    if (fit->best)
        return fit->cost.broken == 0 && fit->cost.left == 0
               && pieces >= fit->cut.pieces;
    return fit->pod == pod ? pieces > fit->cut.pieces
                           : pieces >= fit->cut.pieces;
}

static int choose (struct cube_fit *fit, const tori_state *state,
                   tori_error *err)
{
    const struct podplan *plan = fit->plan;
    fit->found = false;
    for (uint32_t pod = 0; plan->ncuts > 0 && pod < fit->space.pods; pod++) {
        if (enough (fit, plan->cut[0].pieces, pod))
            break;
        if (podrooms_look (&fit->rooms, plan, state, pod, fit->best, err) < 0)
            return -1;
        for (size_t i = 0; i < plan->ncuts; i++) {
            if (enough (fit, plan->cut[i].pieces, pod))
                break;
            try_cut (fit, &plan->cut[i]);
        }
    }
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

/* How many cubes of a pod are not full, where they are the most. */
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

/* Whether some form has no more pieces, cut from the corner of a cube, than
 * there are cubes that are not full: fewer it never has. It spares a plan to
 * those that have no place. */
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
    if (make_plan (fit, state, err) < 0 || choose (fit, state, err) < 0)
        return -1;
    return fit->found ? make_place (fit, ret_place, err) : 0;
}

static int place (struct cube_fit *fit, const tori_state *state,
                  const tori_request *request, bool best,
                  tori_placement *ret_place, tori_error *err)
{
    fit->forms.n = 0;
    if (podforms_add (&fit->forms, request, err) < 0)
        return -1;
    return place_forms (fit, state, best, ret_place, err);
}

/* All folds at once: the rule of the allocator chooses among them. */
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
    return place (data, state, request, false, ret_place, err);
}

static int place_best (void *data, const tori_state *state,
                       const tori_request *request, tori_placement *ret_place,
                       tori_error *err)
{
    return place (data, state, request, true, ret_place, err);
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

static void destroy (void *data)
{
    struct cube_fit *fit = data;
    podmatch_clear (&fit->match);
    podrooms_clear (&fit->rooms);
    podplans_clear (&fit->plans);
    podspace_clear (&fit->space);
    offers_clear (&fit->offers);
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

static int create (const tori_machine *machine,
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
        destroy (fit);
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
    .create_with = create,
    .destroy = destroy,
    .impossible = impossible,
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
    .create_with = create,
    .destroy = destroy,
    .impossible = impossible,
    .missing = "slice of this shape",
    .place = place_best,
    .place_any = best_of_any,
};

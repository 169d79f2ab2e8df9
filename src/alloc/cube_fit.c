/* cube_fit.c - slices of a pod: cube-first and cube-best.
 *
 * A slice may begin at any offset in its first cubes, in any rotation, and its
 * pieces lie in cubes of their own; all of that is tried, so a slice is
 * refused only if there is none. cube-first takes the fewest pieces, then the
 * first cubes. cube-best takes as few empty cubes as it can that are not
 * filled, then cubes of which the fewest nodes are left over, then the fewest
 * pieces. What is alike comes from the first pod, offset and rotation.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "compare.h"
#include "marks.h"
#include "podmatch.h"
#include "placement.h"
#include "policy.h"

/* What a choice costs; the less, the better. */
struct cube_cost {
    uint32_t broken; /* cubes that were empty, and are not filled */
    uint64_t left;   /* free nodes that remain in its cubes */
};

struct cube_fit {
    struct podspace space;
    struct podcuts cuts;
    struct podpattern pattern;
    struct podmatch match;

    /* Of the pod that is looked at: the cubes that are not full, in the order
     * in which they are liked, and for any number of nodes the fewest free
     * nodes of a cube that has as many (UINT32_MAX: none has). */
    uint32_t *order;
    uint32_t norder;
    uint32_t *least;
    uint32_t *many; /* for any number of nodes, the cubes that have as many */

    /* The best so far: its cut and pod, its cubes by type, and in order. */
    bool found;
    struct cube_cost cost;
    struct podcut cut;
    uint32_t pod;
    uint32_t *cubes, *sorted, *other;
};

/* ---- the request ---- */

static const char *impossible (const void *data, const tori_request *request)
{
    const struct cube_fit *fit = data;
    tori_shape shape = request->shape;
    bool wirable = false;
    if (!request->fixed)
        tori_shape_sort (&shape);
    do {
        uint64_t n = podcut_fewest (&fit->space, &shape, request->wiring);
        if (n > 0 && n <= fit->space.cubes)
            return NULL;
        wirable |= n > 0;
    } while (!request->fixed && tori_shape_next_rotation (&shape));
    return wirable ? "the slice needs more cubes than a pod has"
                   : "a ring goes through whole cubes: a side of a torus is 1 "
                     "or a multiple of the cube's";
}

/* ---- the cubes of a pod ---- */

static void order_by_number (struct cube_fit *fit)
{
    fit->norder = 0;
    for (uint32_t i = 0; i < fit->space.cubes; i++)
        if (fit->space.count[i] > 0)
            fit->order[fit->norder++] = i;
}

/* By free nodes: `least` first counts the cubes, then says where the next one
 * with so many free nodes goes. */
static void order_by_count (struct cube_fit *fit)
{
    uint32_t *next = fit->least, n = 0;
    memset (next, 0, (fit->space.volume + (size_t)1) * sizeof *next);
    for (uint32_t i = 0; i < fit->space.cubes; i++)
        next[fit->space.count[i]]++;
    for (uint32_t v = 1; v <= fit->space.volume; v++) {
        uint32_t cubes = next[v];
        next[v] = n;
        n += cubes;
    }
    for (uint32_t i = 0; i < fit->space.cubes; i++)
        if (fit->space.count[i] > 0)
            fit->order[next[fit->space.count[i]]++] = i;
    fit->norder = n;
}

static void find_least (struct cube_fit *fit)
{
    memset (fit->least, 0xff,
            (fit->space.volume + (size_t)1) * sizeof *fit->least);
    memset (fit->many, 0, (fit->space.volume + (size_t)1) * sizeof *fit->many);
    for (uint32_t i = 0; i < fit->space.cubes; i++) {
        fit->least[fit->space.count[i]] = fit->space.count[i];
        fit->many[fit->space.count[i]]++;
    }
    for (uint32_t v = fit->space.volume; v-- > 0;) {
        if (fit->least[v] == UINT32_MAX)
            fit->least[v] = fit->least[v + 1];
        fit->many[v] += fit->many[v + 1];
    }
}

static void look (struct cube_fit *fit, const tori_state *state, uint32_t pod,
                  bool best)
{
    podspace_look (&fit->space, state, pod);
    if (best)
        order_by_count (fit);
    else
        order_by_number (fit);
    find_least (fit);
}

/* ---- what a choice costs ---- */

static bool cheaper (struct cube_cost a, struct cube_cost b)
{
    return a.broken != b.broken ? a.broken < b.broken : a.left < b.left;
}

static void charge (const struct cube_fit *fit, const struct piece_type *type,
                    uint32_t free, uint32_t pieces, struct cube_cost *cost)
{
    cost->left += (uint64_t)(free - type->size) * pieces;
    if (free == fit->space.volume && free > type->size)
        cost->broken += pieces;
}

/* What the cubes with the fewest nodes that might do would cost; false if
 * there are none. */
static bool at_least (const struct cube_fit *fit, struct cube_cost *ret_cost)
{
    *ret_cost = (struct cube_cost){0};
    for (size_t t = 0; t < fit->pattern.ntypes; t++) {
        const struct piece_type *type = &fit->pattern.type[t];
        uint32_t free = fit->least[type->size];
        if (fit->many[type->size] < type->need)
            return false;
        charge (fit, type, free, type->need, ret_cost);
    }
    return true;
}

static struct cube_cost cost_of (const struct cube_fit *fit)
{
    struct cube_cost cost = {0};
    for (size_t t = 0; t < fit->pattern.ntypes; t++)
        for (uint32_t i = 0; i < fit->match.used[t]; i++) {
            uint32_t cube = fit->match.slot[fit->match.start[t] + i];
            charge (fit, &fit->pattern.type[t], fit->space.count[cube], 1,
                    &cost);
        }
    return cost;
}

/* ---- the choice ---- */

/* Of two choices with as many pieces in one pod: whether this one has the
 * earlier cubes. */
static bool earlier (struct cube_fit *fit, uint32_t pieces)
{
    memcpy (fit->other, fit->match.slot, pieces * sizeof *fit->other);
    qsort (fit->other, pieces, sizeof *fit->other, compare_ids);
    for (uint32_t i = 0; fit->found && i < pieces; i++)
        if (fit->other[i] != fit->sorted[i])
            return fit->other[i] < fit->sorted[i];
    return !fit->found;
}

static void keep (struct cube_fit *fit, const struct podcut *cut,
                  struct cube_cost cost)
{
    uint32_t *sorted = fit->sorted;
    memcpy (fit->cubes, fit->match.slot, cut->pieces * sizeof *fit->cubes);
    fit->sorted = fit->other;
    fit->other = sorted;
    fit->found = true;
    fit->cost = cost;
    fit->cut = *cut;
    fit->pod = fit->space.pod;
}

/* Try one cut in the pod that is looked at. */
static int try_cut (struct cube_fit *fit, const tori_state *state,
                    const tori_request *request, const struct podcut *cut,
                    bool best, tori_error *err)
{
    bool linked = request->wiring != TORI_WIRE_NONE && state->links_down > 0;
    struct cube_cost cost;
    podpattern_begin (&fit->pattern, &fit->space,
                      &fit->cuts.rotation[cut->rotation], cut->offset,
                      request->wiring, linked);
    if (fit->pattern.nlargest > fit->many[fit->pattern.largest])
        return 0;
    if (podpattern_open (&fit->pattern, &fit->space, request->wiring, err) < 0)
        return -1;
    if (!at_least (fit, &cost)
        || (best && fit->found && !cheaper (cost, fit->cost))
        || !podmatch_find (&fit->match, linked ? state : NULL, fit->order,
                           fit->norder))
        return 0;
    cost = cost_of (fit);
    if (best ? !fit->found || cheaper (cost, fit->cost)
             : earlier (fit, cut->pieces))
        keep (fit, cut, cost);
    return 0;
}

/* The least number of pieces above this one; 0 if there is none. */
static uint32_t next_number (const struct podcuts *cuts, uint32_t pieces)
{
    uint32_t next = 0;
    for (size_t i = 0; i < cuts->n; i++)
        if (cuts->list[i].pieces > pieces
            && (next == 0 || cuts->list[i].pieces < next))
            next = cuts->list[i].pieces;
    return next;
}

/* All cuts into so many pieces, pod by pod. */
static int try_number (struct cube_fit *fit, const tori_state *state,
                       const tori_request *request, uint32_t pieces, bool best,
                       tori_error *err)
{
    for (uint32_t pod = 0; pod < fit->space.pods; pod++) {
        if (!best && fit->found)
            break;
        look (fit, state, pod, best);
        for (size_t i = 0; i < fit->cuts.n; i++)
            if (fit->cuts.list[i].pieces == pieces
                && try_cut (fit, state, request, &fit->cuts.list[i], best, err)
                       < 0)
                return -1;
    }
    return 0;
}

/* ---- the placement ---- */

/* The pieces in order, each in the next cube of its type. */
static void lay_pieces (struct cube_fit *fit, tori_box boxes[])
{
    uint32_t *next = fit->match.used;
    memset (next, 0, fit->pattern.ntypes * sizeof *next);
    fit->match.start[0] = 0;
    for (size_t t = 1; t < fit->pattern.ntypes; t++)
        fit->match.start[t] =
            fit->match.start[t - 1] + fit->pattern.type[t - 1].need;
    fit->space.pod = fit->pod;
    for (uint32_t i = 0; i < fit->cut.pieces; i++) {
        size_t t = podpattern_type (&fit->pattern, i);
        const struct piece_type *type = &fit->pattern.type[t];
        uint32_t cube = fit->cubes[fit->match.start[t] + next[t]++];
        boxes[i] = podspace_box (&fit->space, cube, type->first, type->end);
    }
}

static int make_place (struct cube_fit *fit, const tori_state *state,
                       const tori_request *request, tori_placement *ret_place,
                       tori_error *err)
{
    bool linked = request->wiring != TORI_WIRE_NONE && state->links_down > 0;
    tori_box *boxes;
    int status;
    podpattern_begin (&fit->pattern, &fit->space,
                      &fit->cuts.rotation[fit->cut.rotation], fit->cut.offset,
                      request->wiring, linked);
    if (podpattern_open (&fit->pattern, &fit->space, request->wiring, err) < 0)
        return -1;
    boxes = malloc (fit->cut.pieces * sizeof *boxes);
    if (!boxes)
        return tori_error_nomem (err);
    lay_pieces (fit, boxes);
    status = tori_placement_of_pieces (boxes, &fit->pattern.across,
                                       request->wiring, ret_place, err);
    free (boxes);
    return status < 0 ? -1 : 1;
}

static int place (struct cube_fit *fit, const tori_state *state,
                  const tori_request *request, bool best,
                  tori_placement *ret_place, tori_error *err)
{
    if (podcuts_make (&fit->cuts, &fit->space, request, err) < 0)
        return -1;
    fit->found = false;
    for (uint32_t n = next_number (&fit->cuts, 0); n > 0;
         n = next_number (&fit->cuts, n)) {
        if (!best && fit->found)
            break;
        if (try_number (fit, state, request, n, best, err) < 0)
            return -1;
    }
    return fit->found ? make_place (fit, state, request, ret_place, err) : 0;
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

/* ---- the allocators ---- */

static void destroy (void *data)
{
    struct cube_fit *fit = data;
    podspace_clear (&fit->space);
    podcuts_clear (&fit->cuts);
    podpattern_clear (&fit->pattern);
    podmatch_clear (&fit->match);
    free (fit->order);
    free (fit->least);
    free (fit->many);
    free (fit->cubes);
    free (fit->sorted);
    free (fit->other);
    free (fit);
}

static int make_lists (struct cube_fit *fit, tori_error *err)
{
    size_t n = fit->space.cubes;
    fit->order = calloc (n, sizeof *fit->order);
    fit->least = calloc (fit->space.volume + (size_t)1, sizeof *fit->least);
    fit->many = calloc (fit->space.volume + (size_t)1, sizeof *fit->many);
    fit->cubes = calloc (n, sizeof *fit->cubes);
    fit->sorted = calloc (n, sizeof *fit->sorted);
    fit->other = calloc (n, sizeof *fit->other);
    return fit->order && fit->least && fit->many && fit->cubes && fit->sorted
                   && fit->other
               ? 0
               : tori_error_nomem (err);
}

static int create (const tori_machine *machine, void **ret_data,
                   tori_error *err)
{
    struct cube_fit *fit = calloc (1, sizeof *fit);
    if (!fit)
        return tori_error_nomem (err);
    if (podspace_create (machine, &fit->space, err) < 0
        || podmatch_create (&fit->match, &fit->space, &fit->pattern, err) < 0
        || make_lists (fit, err) < 0) {
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
            .flags = TORI_ALLOC_PODS,
        },
    .thorough = true,
    .create = create,
    .destroy = destroy,
    .impossible = impossible,
    .missing = "slice of this shape",
    .place = place_first,
};

const struct alloc_ops cube_best_ops = {
    .info =
        {
            .name = "cube-best",
            .summary =
                "on a pod: the fewest empty cubes broken, then the least "
                "left over",
            .takes = TORI_BY_SHAPE,
            .flags = TORI_ALLOC_PODS,
        },
    .thorough = true,
    .create = create,
    .destroy = destroy,
    .impossible = impossible,
    .missing = "slice of this shape",
    .place = place_best,
};

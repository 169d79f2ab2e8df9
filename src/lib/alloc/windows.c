/* windows.c - job-based partitioning: windows of just the shape asked for.
 *
 * As Kang, Yu, Youn, Lee and Kim describe them in "Isomorphic Strategy for
 * Processor Allocation in k-Ary n-Cube Systems", 2003, section 2: a window of
 * the size of the request slides over the machine. A request with m sides
 * longer than 1 may lie in planes of
 *
 *   sniffing  (Gautam and Chaudhary, 1993) the last m dimensions alone: the
 *             first free window in the order of ids.
 *   etc       (Extended Tree Collapsing; Chuang and Wu, 2000) any m
 *             dimensions: the first free window in the order of ids, at each
 *             node the rotations in lexicographic order. A window is found
 *             whenever there is one. So it answers what first-fit does.
 *   efl       (Extended Free List; Chen and King, 1997) any m dimensions, from
 *             a list of the free subcubes: of all maximal free boxes that hold
 *             the shape in some rotation, the one with the fewest nodes, and
 *             in there the low corner. A window is found whenever there is
 *             one, for any lies in a maximal free box.
 *
 * The paper says nothing of the following. Sides that differ: sniffing slides
 * the shape as it is given, with its sides of 1 first so that the others are
 * in the last m dimensions, and if that is nowhere free the other orders of
 * these sides, in lexicographic order. If the machine is too short for all of
 * them or cannot wire them, other dimensions have to do; a shape that is
 * fixed is slid as it is. The list of efl: a free box is maximal if no
 * larger free box contains it, none of them wraps; of boxes with as few nodes
 * the one with the lowest corner, then of the lexicographically first shape;
 * in it the first rotation in lexicographic order whose links are to be had,
 * and if there is none the next box. If the list has no answer, but the
 * request may wrap or is wired, efl answers as etc does.
 *
 * None of them tests every node of every window: sniffing and etc are the
 * bit-parallel search of boxscan.h, and efl.c has the list.
 */
#include "boxscan.h"
#include "placement.h"
#include "policy.h"

static int place_first (struct boxscan *scan, const tori_state *state,
                        const tori_request *request, tori_placement *ret_place,
                        tori_error *err)
{
    tori_box box;
    int found = boxscan_first (scan, state, request, true, &box, err);
    if (found > 0)
        *ret_place = placement_of_box (&box, request->wiring);
    return found;
}

static int etc_place (void *data, const tori_state *state,
                      const tori_request *request, tori_placement *ret_place,
                      tori_error *err)
{
    return place_first (data, state, request, ret_place, err);
}

/* Whether all sides longer than 1 are after those of 1. */
static bool in_last (const tori_shape *shape)
{
    for (int d = 1; d < shape->ndims; d++)
        if (shape->size[d] == 1 && shape->size[d - 1] > 1)
            return false;
    return true;
}

/* The sides longer than 1 last, otherwise in the given order. */
static tori_shape sides_last (const tori_shape *shape)
{
    tori_shape last = {.ndims = shape->ndims};
    int n = 0;
    for (int d = 0; d < shape->ndims; d++)
        if (shape->size[d] == 1)
            last.size[n++] = 1;
    for (int d = 0; d < shape->ndims; d++)
        if (shape->size[d] > 1)
            last.size[n++] = shape->size[d];
    return last;
}

static bool can_be (const tori_machine *machine, const tori_request *one)
{
    return tori_shape_fits (&one->shape, machine)
           && tori_wiring_possible (machine, &one->shape, one->wiring);
}

/* Place rotations in lexicographic order, those of the last dimensions or the
 * others. Sets whether one was possible. */
static int place_rotated (struct boxscan *scan, const tori_state *state,
                          tori_request one, bool last, bool *ret_any,
                          tori_placement *ret_place, tori_error *err)
{
    int found = 0;
    tori_shape_sort (&one.shape);
    *ret_any = false;
    do {
        if (in_last (&one.shape) != last
            || !can_be (tori_state_machine (state), &one))
            continue;
        *ret_any = true;
        found = place_first (scan, state, &one, ret_place, err);
    } while (!found && tori_shape_next_rotation (&one.shape));
    return found;
}

static int sniffing_place (void *data, const tori_state *state,
                           const tori_request *request,
                           tori_placement *ret_place, tori_error *err)
{
    struct boxscan *scan = data;
    tori_request one = *request;
    bool any;
    int found;
    one.fixed = true;
    if (request->fixed)
        return place_first (scan, state, &one, ret_place, err);
    one.shape = sides_last (&request->shape);
    if (can_be (tori_state_machine (state), &one)) {
        found = place_first (scan, state, &one, ret_place, err);
        if (found)
            return found;
    }
    found = place_rotated (scan, state, one, true, &any, ret_place, err);
    if (any || found)
        return found;
    return place_rotated (scan, state, one, false, &any, ret_place, err);
}

const struct alloc_ops sniffing_ops = {
    .info = {
        .name = "sniffing",
        .summary = "the first free window in planes of the last dimensions",
        .takes = TORI_BY_SHAPE,
        .flags = TORI_ALLOC_PLANES,
    },
    .create = boxscan_create,
    .destroy = boxscan_destroy,
    .place = sniffing_place,
};

const struct alloc_ops etc_ops = {
    .info = {
        .name = "etc",
        .summary = "extended tree collapsing: the first free window in any "
                   "plane",
        .takes = TORI_BY_SHAPE,
        .flags = TORI_ALLOC_PLANES,
    },
    .create = boxscan_create,
    .destroy = boxscan_destroy,
    .place = etc_place,
};

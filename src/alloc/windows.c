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
 * the shape with its sides in ascending order (which are in the last m
 * dimensions, then) or, where the machine is too short for that or cannot wire
 * it, in the first rotation in lexicographic order that will do; a shape that
 * is fixed is slid as it is. The list of efl: a free box is maximal if no
 * larger free box contains it, none of them wraps; of boxes with as few nodes
 * the one with the lowest corner, then of the lexicographically first shape;
 * in it the first rotation in lexicographic order whose links are to be had,
 * and if there is none the next box. Where the list has no answer, though the
 * request may wrap or is wired, efl gives what etc does.
 *
 * None of them tests every node of every window: sniffing and etc are the
 * bit-parallel search of boxscan.h, and the list is made when it is asked for,
 * by intersecting planes of free nodes, a word at a time.
 */
#include <stdlib.h>
#include <string.h>

#include "bits.h"
#include "boxscan.h"
#include "marks.h"
#include "policy.h"

struct windows {
    const tori_machine *machine;
    void *scan;

    /* The list: for every dimension but the last, what the planes of a range
     * have in common, a bit a node of one plane. */
    uint64_t *common[TORI_MAX_DIMS];

    /* What is asked, the box that the list is at, and the best so far. */
    const tori_state *state;
    const tori_request *request;
    tori_box box;
    uint64_t volume; /* of the best; UINT64_MAX: none yet */
    uint32_t corner;
    tori_box window;
};

static void destroy (void *data)
{
    struct windows *windows = data;
    if (!windows)
        return;
    boxscan_destroy (windows->scan);
    free (windows->common[0]);
    free (windows);
}

static int create (const tori_machine *machine, void **ret_data,
                   tori_error *err)
{
    struct windows *windows = calloc (1, sizeof *windows);
    if (!windows)
        return tori_error_nomem (err);
    windows->machine = machine;
    if (boxscan_create (machine, &windows->scan, err) < 0) {
        free (windows);
        return -1;
    }
    *ret_data = windows;
    return 0;
}

static int place_first (struct windows *windows, const tori_state *state,
                        const tori_request *request, tori_placement *ret_place,
                        tori_error *err)
{
    tori_box box;
    int found = boxscan_first (windows->scan, state, request, true, &box, err);
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

static int sniffing_place (void *data, const tori_state *state,
                           const tori_request *request,
                           tori_placement *ret_place, tori_error *err)
{
    struct windows *windows = data;
    tori_request one = *request;
    one.fixed = true;
    if (!request->fixed)
        tori_shape_sort (&one.shape);
    while (!tori_shape_fits (&one.shape, windows->machine)
           || !tori_wiring_possible (windows->machine, &one.shape,
                                     one.wiring))
        if (!tori_shape_next_rotation (&one.shape))
            return 0;
    return place_first (windows, state, &one, ret_place, err);
}

/* ---- the list of free subcubes ---- */

/* Room for the common planes of all dimensions, kept from then on. */
static int need_common (struct windows *windows, tori_error *err)
{
    const tori_machine *machine = windows->machine;
    size_t words = 1;
    uint64_t *all;
    if (windows->common[0])
        return 0;
    for (int d = 0; d < machine->shape.ndims - 1; d++)
        words += bits_words (machine->stride[d]);
    all = malloc (words * sizeof *all);
    if (!all)
        return tori_error_nomem (err);
    for (int d = 0; d < machine->shape.ndims - 1; d++) {
        windows->common[d] = all;
        all += bits_words (machine->stride[d]);
    }
    if (machine->shape.ndims == 1)
        windows->common[0] = all;
    return 0;
}

static uint64_t plane_word (const uint64_t *set, uint64_t first, uint64_t n,
                            size_t i)
{
    uint64_t left = n - 64 * (uint64_t)i;
    return bits_get (set, first + 64 * (uint64_t)i,
                     left < 64 ? (unsigned)left : 64);
}

/* Keep what is also in the plane of n bits from `first` on; false if that is
 * nothing. */
static bool intersect (uint64_t *common, const uint64_t *set, uint64_t first,
                       uint64_t n)
{
    uint64_t any = 0;
    for (size_t i = 0; i < bits_words (n); i++)
        any |= common[i] &= plane_word (set, first, n, i);
    return any != 0;
}

static bool contained (const uint64_t *common, const uint64_t *set,
                       uint64_t first, uint64_t n)
{
    for (size_t i = 0; i < bits_words (n); i++)
        if (common[i] & ~plane_word (set, first, n, i))
            return false;
    return true;
}

static bool plane_free (const struct windows *windows, int dim, uint32_t at)
{
    tori_box plane = box_with (&windows->box, dim, at, 1);
    return grid_count (windows->machine, &plane, windows->state->free)
           == tori_shape_volume (&plane.shape);
}

/* Whether the box cannot be extended in any direction. */
static bool maximal (const struct windows *windows)
{
    const tori_box *box = &windows->box;
    for (int d = 0; d < box->shape.ndims; d++) {
        uint32_t end = box->origin[d] + box->shape.size[d];
        if ((box->origin[d] > 0
             && plane_free (windows, d, box->origin[d] - 1))
            || (end < windows->machine->shape.size[d]
                && plane_free (windows, d, end)))
            return false;
    }
    return true;
}

static bool shorter (const tori_shape *a, const tori_shape *b)
{
    for (int d = 0; d < a->ndims; d++)
        if (a->size[d] > b->size[d])
            return false;
    return true;
}

/* The window at the low corner of the box; false if none can be wired. */
static bool corner_window (const struct windows *windows, tori_box *ret_window)
{
    const tori_request *request = windows->request;
    *ret_window = windows->box;
    ret_window->shape = request->shape;
    if (!request->fixed)
        tori_shape_sort (&ret_window->shape);
    do {
        if (shorter (&ret_window->shape, &windows->box.shape)
            && tori_wiring_possible (windows->machine, &ret_window->shape,
                                     request->wiring)
            && tori_wiring_free (windows->state, ret_window, request->wiring))
            return true;
    } while (!request->fixed
             && tori_shape_next_rotation (&ret_window->shape));
    return false;
}

/* A free box that is not to be extended in its last dimension. Boxes with the
 * same corner come in lexicographic order of their shapes. */
static void weigh (struct windows *windows)
{
    const tori_request *request = windows->request;
    uint64_t volume = tori_shape_volume (&windows->box.shape);
    uint32_t corner = tori_machine_id (windows->machine, windows->box.origin);
    tori_box window;
    if (volume > windows->volume
        || (volume == windows->volume && corner >= windows->corner)
        || !shape_within (request->shape, windows->box.shape, request->fixed)
        || !maximal (windows) || !corner_window (windows, &window))
        return;
    windows->volume = volume;
    windows->corner = corner;
    windows->window = window;
}

/* The runs of the last dimension. */
static void list_runs (struct windows *windows, int dim, const uint64_t *set)
{
    uint32_t size = windows->machine->shape.size[dim], at = 0;
    while (at < size) {
        uint32_t end = at;
        while (end < size && bits_test (set, end))
            end++;
        windows->box.origin[dim] = at;
        windows->box.shape.size[dim] = end - at;
        if (end > at)
            weigh (windows);
        at = end + 1;
    }
}

static void list_boxes (struct windows *windows, int dim, const uint64_t *set);

/* The boxes that begin with plane `first` of a dimension. Ranges of planes
 * that have no more in common than a longer range has are passed over: none of
 * their boxes is maximal. */
static void list_from (struct windows *windows, int dim, const uint64_t *set,
                       uint32_t first)
{
    uint64_t n = windows->machine->stride[dim];
    uint32_t size = windows->machine->shape.size[dim];
    uint64_t *common = windows->common[dim];
    memset (common, 0xff, bits_words (n) * sizeof *common);
    for (uint32_t at = first; at < size; at++) {
        if (!intersect (common, set, at * n, n)
            || (first > 0 && contained (common, set, (first - 1) * n, n)))
            return;
        if (at + 1 < size && contained (common, set, (at + 1) * n, n))
            continue;
        windows->box.origin[dim] = first;
        windows->box.shape.size[dim] = at - first + 1;
        list_boxes (windows, dim + 1, common);
    }
}

/* The free boxes of the dimensions from `dim` on, where `set` is what is free
 * in all of the ranges chosen before. */
static void list_boxes (struct windows *windows, int dim, const uint64_t *set)
{
    uint32_t size = windows->machine->shape.size[dim];
    if (dim == windows->machine->shape.ndims - 1) {
        list_runs (windows, dim, set);
        return;
    }
    for (uint32_t first = 0; first < size; first++)
        list_from (windows, dim, set, first);
}

static int efl_place (void *data, const tori_state *state,
                      const tori_request *request, tori_placement *ret_place,
                      tori_error *err)
{
    struct windows *windows = data;
    if (need_common (windows, err) < 0)
        return -1;
    windows->state = state;
    windows->request = request;
    windows->volume = UINT64_MAX;
    windows->box.shape.ndims = windows->machine->shape.ndims;
    list_boxes (windows, 0, state->free);
    if (windows->volume < UINT64_MAX) {
        *ret_place = placement_of_box (&windows->window, request->wiring);
        return 1;
    }
    if (request->wrap || request->wiring != TORI_WIRE_NONE)
        return place_first (windows, state, request, ret_place, err);
    return 0;
}

const struct alloc_ops sniffing_ops = {
    .info = {
        .name = "sniffing",
        .summary = "the first free window in planes of the last dimensions",
        .takes = TORI_BY_SHAPE,
    },
    .create = create,
    .destroy = destroy,
    .place = sniffing_place,
};

const struct alloc_ops efl_ops = {
    .info = {
        .name = "efl",
        .summary = "extended free list: the smallest maximal free box that "
                   "holds the shape",
        .takes = TORI_BY_SHAPE,
    },
    .create = create,
    .destroy = destroy,
    .place = efl_place,
};

const struct alloc_ops etc_ops = {
    .info = {
        .name = "etc",
        .summary = "extended tree collapsing: the first free window in any "
                   "plane",
        .takes = TORI_BY_SHAPE,
    },
    .create = create,
    .destroy = destroy,
    .place = etc_place,
};

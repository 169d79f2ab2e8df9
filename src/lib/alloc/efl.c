/* efl.c - extended free list (Chen and King, 1997): the smallest maximal free
 * box that holds the shape. windows.c has the definition.
 *
 * The list of maximal free boxes is made when it is asked for, by intersecting
 * planes of free nodes, a word at a time: for every range of planes of the
 * first dimension what they have in common, in there for every range of the
 * next, and runs in the last. A half-full 32x32x32 has thousands of such
 * boxes, but an answer is one of few: a range is given up when what is in
 * common is too little for the shape, or when the box would have more nodes
 * than one already found, which soon is nearly as small as the shape. The
 * first is found around the first free window; if there is no such window, no
 * box holds the shape.
 */
#include <stdlib.h>
#include <string.h>

#include "bits.h"
#include "boxscan.h"
#include "marks.h"
#include "placement.h"
#include "policy.h"

struct efl {
    const tori_machine *machine;
    void *scan;

    /* For every dimension but the last, the common nodes of a range of planes,
     * a bit a node of one plane. */
    uint64_t *common[TORI_MAX_DIMS];

    /* The request; the sides in ascending order, or as they are if the shape
     * is fixed. */
    const tori_state *state;
    const tori_request *request;
    tori_shape sides;

    /* The box that the list is at, and the best so far. */
    tori_box box;
    uint64_t volume; /* of the best; UINT64_MAX: none yet */
    uint64_t corner;
    tori_box window;
};

/* How far a box has come: the dimensions before `dim` have their ranges. */
struct ranges {
    int dim;
    uint64_t volume, corner; /* of these */
    uint32_t left;           /* sides of the shape that go to the others */
    uint64_t rest;           /* their product: the fewest nodes that those
                                dimensions may come to */
};

static void destroy_efl (void *data)
{
    struct efl *efl = data;
    if (!efl)
        return;
    boxscan_destroy (efl->scan);
    free (efl->common[0]);
    free (efl);
}

static int create_efl (const tori_machine *machine, void **ret_data,
                       tori_error *err)
{
    struct efl *efl = calloc (1, sizeof *efl);
    if (!efl)
        return tori_error_nomem (err);
    efl->machine = machine;
    if (boxscan_create (machine, &efl->scan, err) < 0) {
        free (efl);
        return -1;
    }
    *ret_data = efl;
    return 0;
}

/* Room for the common planes of all dimensions, kept from then on. */
static int need_common (struct efl *efl, tori_error *err)
{
    const tori_machine *machine = efl->machine;
    size_t words = 1;
    uint64_t *all;
    if (efl->common[0])
        return 0;
    for (int d = 0; d < machine->shape.ndims - 1; d++)
        words += bits_words (machine->stride[d]);
    all = malloc (words * sizeof *all);
    if (!all)
        return tori_error_nomem (err);
    for (int d = 0; d < machine->shape.ndims - 1; d++) {
        efl->common[d] = all;
        all += bits_words (machine->stride[d]);
    }
    if (machine->shape.ndims == 1)
        efl->common[0] = all;
    return 0;
}

/* ---- planes ---- */

static uint64_t plane_word (const uint64_t *set, uint64_t first, uint64_t n,
                            size_t i)
{
    uint64_t left = n - 64 * (uint64_t)i;
    return bits_get (set, first + 64 * (uint64_t)i,
                     left < 64 ? (unsigned)left : 64);
}

/* Keep only the nodes in the plane of n bits from `first` on, and count
 * them. */
static uint64_t intersect_plane (uint64_t *common, const uint64_t *set,
                                 uint64_t first, uint64_t n)
{
    uint64_t count = 0;
    for (size_t i = 0; i < bits_words (n); i++) {
        common[i] &= plane_word (set, first, n, i);
        count += (uint64_t)__builtin_popcountll (common[i]);
    }
    return count;
}

static bool is_contained (const uint64_t *common, const uint64_t *set,
                          uint64_t first, uint64_t n)
{
    for (size_t i = 0; i < bits_words (n); i++)
        if (common[i] & ~plane_word (set, first, n, i))
            return false;
    return true;
}

static bool plane_free (const struct efl *efl, int dim, uint32_t at)
{
    tori_box plane = box_with (&efl->box, dim, at, 1);
    return grid_count (efl->machine, &plane, efl->state->free)
           == tori_shape_volume (&plane.shape);
}

/* Whether the box cannot be extended in any direction. */
static bool is_maximal (const struct efl *efl)
{
    const tori_box *box = &efl->box;
    for (int d = 0; d < box->shape.ndims; d++) {
        uint32_t end = box->origin[d] + box->shape.size[d];
        if ((box->origin[d] > 0 && plane_free (efl, d, box->origin[d] - 1))
            || (end < efl->machine->shape.size[d]
                && plane_free (efl, d, end)))
            return false;
    }
    return true;
}

/* ---- boxes ---- */

static bool is_shorter (const tori_shape *a, const tori_shape *b)
{
    for (int d = 0; d < a->ndims; d++)
        if (a->size[d] > b->size[d])
            return false;
    return true;
}

/* The window at the low corner of the box; false if none can be wired. */
static bool corner_window (const struct efl *efl, tori_box *ret_window)
{
    const tori_request *request = efl->request;
    *ret_window = efl->box;
    ret_window->shape = request->shape;
    if (!request->fixed)
        tori_shape_sort (&ret_window->shape);
    do {
        if (is_shorter (&ret_window->shape, &efl->box.shape)
            && tori_wiring_possible (efl->machine, &ret_window->shape,
                                     request->wiring)
            && tori_wiring_free (efl->state, ret_window, request->wiring))
            return true;
    } while (!request->fixed
             && tori_shape_next_rotation (&ret_window->shape));
    return false;
}

/* Whether a box with at least so many nodes, and no lower corner, is no better
 * than the best. */
static bool is_beaten (const struct efl *efl, uint64_t volume, uint64_t corner)
{
    return volume > efl->volume
           || (volume == efl->volume && corner >= efl->corner);
}

/* Compare a free box that cannot be extended in its last dimension. Boxes with
 * the same corner come in lexicographic order of their shapes. */
static void weigh_box (struct efl *efl, const struct ranges *box)
{
    tori_box window;
    if (is_beaten (efl, box->volume, box->corner) || !is_maximal (efl)
        || !corner_window (efl, &window))
        return;
    efl->volume = box->volume;
    efl->corner = box->corner;
    efl->window = window;
}

/* ---- ranges ---- */

/* The longest side that is left, and the longest of them that is no longer
 * than a range; -1 if there is none. For a fixed shape the side of the
 * dimension is the only one. */
static int longest_side (const struct efl *efl, const struct ranges *before)
{
    if (efl->request->fixed)
        return before->dim;
    return 31 - __builtin_clz (before->left);
}

static int side_within (const struct efl *efl, const struct ranges *before,
                        uint32_t length)
{
    int i = longest_side (efl, before), last = efl->request->fixed ? i : 0;
    for (; i >= last; i--)
        if (before->left >> i & 1 && efl->sides.size[i] <= length)
            return i;
    return -1;
}

/* Add a range, which takes the longest side that it can: this leaves the least
 * to the other dimensions, because a longer range could have taken any side
 * that a shorter one can. False if the box can no longer hold the shape or
 * beat the best. */
static bool add_range (struct efl *efl, const struct ranges *before,
                       uint32_t first, uint32_t length,
                       struct ranges *ret_with)
{
    int side = side_within (efl, before, length);
    if (side < 0)
        return false;
    ret_with->dim = before->dim + 1;
    ret_with->volume = before->volume * length;
    ret_with->corner = before->corner
                       + (uint64_t)first * efl->machine->stride[before->dim];
    ret_with->left = before->left & ~(UINT32_C (1) << side);
    ret_with->rest = before->rest / efl->sides.size[side];
    efl->box.origin[before->dim] = first;
    efl->box.shape.size[before->dim] = length;
    return !is_beaten (efl, ret_with->volume * ret_with->rest,
                       ret_with->corner);
}

/* The first bit from `at` on that is `value`; n if there is none. */
static uint32_t next_bit (const uint64_t *set, uint32_t n, uint32_t at,
                          bool value)
{
    while (at < n) {
        uint64_t word = (value ? set[at / 64] : ~set[at / 64]) >> at % 64;
        if (word) {
            at += (uint32_t)__builtin_ctzll (word);
            return at < n ? at : n;
        }
        at += 64 - at % 64;
    }
    return n;
}

/* The runs of the last dimension. */
static void list_runs (struct efl *efl, const uint64_t *set,
                       const struct ranges *before)
{
    uint32_t size = efl->machine->shape.size[before->dim], end = 0, at;
    struct ranges box;
    while ((at = next_bit (set, size, end, true)) < size) {
        end = next_bit (set, size, at, false);
        if (add_range (efl, before, at, end - at, &box))
            weigh_box (efl, &box);
    }
}

static void list_boxes (struct efl *efl, const uint64_t *set,
                        const struct ranges *before);

/* List the boxes that begin with plane `first` of a dimension. Ranges of
 * planes that have no more in common than a longer range are passed over: none
 * of their boxes is maximal. */
static void list_from (struct efl *efl, const uint64_t *set,
                       const struct ranges *before, uint32_t first)
{
    uint64_t n = efl->machine->stride[before->dim];
    uint32_t size = efl->machine->shape.size[before->dim];
    uint64_t *common = efl->common[before->dim];
    uint64_t fewest = before->rest
                      / efl->sides.size[longest_side (efl, before)];
    memset (common, 0xff, bits_words (n) * sizeof *common);
    for (uint32_t at = first; at < size; at++) {
        struct ranges with;
        uint32_t length = at - first + 1;
        uint64_t count;
        if (before->volume * length * fewest > efl->volume
            || (count = intersect_plane (common, set, at * n, n)) < fewest
            || (first > 0 && is_contained (common, set, (first - 1) * n, n)))
            return;
        if (add_range (efl, before, first, length, &with) && count >= with.rest
            && (at + 1 == size
                || !is_contained (common, set, (at + 1) * n, n)))
            list_boxes (efl, common, &with);
    }
}

/* List the free boxes with these ranges; `set` is what is free in all of
 * them. */
static void list_boxes (struct efl *efl, const uint64_t *set,
                        const struct ranges *before)
{
    uint32_t size = efl->machine->shape.size[before->dim];
    if (before->dim == efl->machine->shape.ndims - 1) {
        list_runs (efl, set, before);
        return;
    }
    for (uint32_t first = 0; first < size; first++)
        list_from (efl, set, before, first);
}

/* ---- requests ---- */

static void list_all (struct efl *efl)
{
    struct ranges none = {
        .volume = 1,
        .left = (uint32_t)bits_low ((unsigned)efl->sides.ndims),
        .rest = tori_shape_volume (&efl->sides),
    };
    list_boxes (efl, efl->state->free, &none);
}

static void set_request (struct efl *efl, const tori_state *state,
                         const tori_request *request)
{
    efl->state = state;
    efl->request = request;
    efl->sides = request->shape;
    if (!request->fixed)
        tori_shape_sort (&efl->sides);
    efl->volume = UINT64_MAX;
    efl->box.shape.ndims = efl->machine->shape.ndims;
}

/* Make the box as large as it can be. */
static void grow_box (struct efl *efl)
{
    tori_box *box = &efl->box;
    for (int d = 0; d < box->shape.ndims; d++) {
        while (box->origin[d] > 0
               && plane_free (efl, d, box->origin[d] - 1)) {
            box->origin[d]--;
            box->shape.size[d]++;
        }
        while (box->origin[d] + box->shape.size[d]
                   < efl->machine->shape.size[d]
               && plane_free (efl, d, box->origin[d] + box->shape.size[d]))
            box->shape.size[d]++;
    }
}

/* Find a box around the first free window, which the list has to beat, or to
 * find again. 1, 0 if there is no window, or -1. */
static int find_one (struct efl *efl, tori_error *err)
{
    tori_request plain
        = {.shape = efl->request->shape, .fixed = efl->request->fixed};
    int found = boxscan_first (efl->scan, efl->state, &plain, false,
                               &efl->box, err);
    if (found <= 0)
        return found;
    grow_box (efl);
    if (corner_window (efl, &efl->window)) {
        efl->volume = tori_shape_volume (&efl->box.shape);
        efl->corner
            = (uint64_t)tori_machine_id (efl->machine, efl->box.origin) + 1;
    }
    return 1;
}

static int place_efl (void *data, const tori_state *state,
                      const tori_request *request, tori_placement *ret_place,
                      tori_error *err)
{
    struct efl *efl = data;
    int found;
    if (need_common (efl, err) < 0)
        return -1;
    set_request (efl, state, request);
    found = find_one (efl, err);
    if (found < 0)
        return -1;
    if (found > 0)
        list_all (efl);
    found = efl->volume < UINT64_MAX;
    if (!found && (request->wrap || request->wiring != TORI_WIRE_NONE))
        found = boxscan_first (efl->scan, state, request, true, &efl->window,
                               err);
    if (found > 0)
        *ret_place = placement_of_box (&efl->window, request->wiring);
    return found;
}

const struct alloc_ops efl_ops = {
    .info =
        {
            .name = "efl",
            .summary =
                "extended free list: the smallest maximal free box that "
                "holds the shape",
            .takes = TORI_BY_SHAPE,
            .flags = TORI_ALLOC_PLANES,
        },
    .create = create_efl,
    .destroy = destroy_efl,
    .place = place_efl,
};

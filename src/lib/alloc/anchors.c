/* anchors.c - boxes at few places, and the one that spoils the least.
 *
 * The rule of Slurm's topology/torus3d (26.05): a site lists boxes and the
 * origins that they may have, their anchors. A job gets the first listed box
 * of its size that has a free anchor, and there the anchor that destroys the
 * fewest of the next larger box: of its anchors that are free altogether,
 * those that have a node in common with the job.
 *
 * Boxes are listed by `slices`. A job gets a box that has its sides, in any
 * order; boxes themselves are not turned. The next larger box is the first
 * listed that has more nodes. Anchors lie at multiples of a spacing, which is
 * the box itself if none is given. If the spacing does not divide a side of
 * the machine, anchors go on after the wrap: they are at the multiples of the
 * common divisor of both.
 *
 * Without a list any shape is listed, all rotations in lexicographic order.
 * For the next larger box the sides are rounded up to divisors of the
 * machine's sides, and the last of the shortest is raised to the next divisor:
 * 4x4x4, 4x4x8, 4x8x8, 8x8x8. The default spacing is that of the rounded
 * sides, too. Then anchors of one box never overlap: they are the label sets
 * that describe slices to Kubernetes. */
#include <stdlib.h>
#include <string.h>

#include <tori/exact.h>

#include "bits.h"
#include "boxscan.h"
#include "grid.h"
#include "marks.h"
#include "offers.h"
#include "placement.h"
#include "policy.h"

struct anchors {
    const tori_machine *machine;
    void *scan;
    uint64_t spacing;   /* 0: the boxes' own sides */
    struct offers listed; /* the fewest nodes first; none: any */
    size_t words;
    uint64_t *ours;     /* possible anchors */
    uint64_t *larger;   /* free anchors of the next larger box */
};

/* The places of one box: their limits, and the set that collects them. */
struct anchor_set {
    const tori_machine *machine;
    tori_shape step;
    uint64_t *set;
    bool any;
};

static uint32_t divisor_from (uint32_t whole, uint32_t least)
{
    while (whole % least)
        least++;
    return least;
}

static tori_shape round_sides (const tori_machine *machine,
                               const tori_shape *shape)
{
    tori_shape up = *shape;
    for (int d = 0; d < up.ndims; d++)
        up.size[d] = divisor_from (machine->shape.size[d], up.size[d]);
    return up;
}

/* How far apart the anchors of a box are. */
static tori_shape step_of (const struct anchors *a, const tori_shape *shape)
{
    tori_shape step = round_sides (a->machine, shape);
    for (int d = 0; (a->spacing || a->listed.n) && d < step.ndims; d++)
        step.size[d] =
            (uint32_t)tori_wide_gcd (a->spacing ? a->spacing : shape->size[d],
                                     a->machine->shape.size[d]);
    return step;
}

static bool next_listed (const struct offers *listed, tori_shape *shape)
{
    uint64_t volume = tori_shape_volume (shape);
    for (size_t i = 0; i < listed->n; i++)
        if (tori_shape_volume (&listed->shape[i]) > volume) {
            *shape = listed->shape[i];
            return true;
        }
    return false;
}

/* The next larger box. False if there is none. */
static bool next_larger (const struct anchors *a, tori_shape *shape)
{
    const tori_machine *machine = a->machine;
    int shortest = -1;
    if (a->listed.n)
        return next_listed (&a->listed, shape);
    *shape = round_sides (machine, shape);
    for (int d = 0; d < shape->ndims; d++)
        if (shape->size[d] < machine->shape.size[d]
            && (shortest < 0 || shape->size[d] <= shape->size[shortest]))
            shortest = d;
    if (shortest < 0)
        return false;
    shape->size[shortest] = divisor_from (machine->shape.size[shortest],
                                          shape->size[shortest] + 1);
    return true;
}

static bool is_anchor (const struct anchor_set *places, const tori_box *box)
{
    bool is = true;
    for (int d = 0; is && d < box->shape.ndims; d++)
        is = box->origin[d] % places->step.size[d] == 0;
    return is;
}

/* Origins in a row, along the last dimension longer than 1: consecutive ids. */
static bool keep_anchors (void *arg, const tori_box *box, uint64_t origins)
{
    struct anchor_set *places = arg;
    int inner = box->shape.ndims - 1;
    while (inner > 0 && places->machine->shape.size[inner] == 1)
        inner--;
    for (; origins; origins &= origins - 1) {
        tori_box moved = *box;
        moved.origin[inner] += (unsigned)__builtin_ctzll (origins);
        if (!is_anchor (places, &moved))
            continue;
        bits_set (places->set,
                  tori_machine_id (places->machine, moved.origin));
        places->any = true;
    }
    return false;
}

/* The anchors at which such a box is free, and can be wired. */
static int find_anchors (struct anchors *a, const tori_state *state,
                         const tori_request *request, uint64_t *set,
                         tori_error *err)
{
    struct anchor_set places = {.machine = a->machine,
                            .step = step_of (a, &request->shape),
                            .set = set};
    memset (set, 0, a->words * sizeof *set);
    if (boxscan_each (a->scan, state, request, keep_anchors, &places, err) < 0)
        return -1;
    return places.any;
}

/* The origins of boxes of one shape that have a node in common with the other
 * box. */
static tori_box touching_origins (const struct anchors *a,
                                  const tori_shape *shape, const tori_box *box,
                                  bool wrap)
{
    tori_box around = {.shape = {.ndims = box->shape.ndims}};
    for (int d = 0; d < box->shape.ndims; d++) {
        uint32_t side = a->machine->shape.size[d], from = box->origin[d];
        uint32_t before = shape->size[d] - 1;
        uint32_t length = before + box->shape.size[d];
        if (!(wrap && tori_machine_wraps (a->machine, d)) && from < before) {
            length -= before - from;
            before = from;
        }
        around.origin[d] = length < side ? (from + side - before) % side : 0;
        around.shape.size[d] = length < side ? length : side;
    }
    return around;
}

/* How many free anchors of the larger box an anchor of ours destroys. */
static uint64_t count_spoiled (const struct anchors *a,
                               const tori_request *request,
                               const tori_shape *larger, const tori_box *box)
{
    tori_box around;
    if (!larger)
        return 0;
    around = touching_origins (a, larger, box, request->wrap);
    return grid_count (a->machine, &around, a->larger);
}

/* The first of our anchors that destroys the fewest. */
static tori_box choose_anchor (const struct anchors *a,
                               const tori_request *request,
                               const tori_shape *larger)
{
    tori_box best = {.shape = request->shape}, box = best;
    uint64_t least = UINT64_MAX;
    for (size_t word = 0; word < a->words && least > 0; word++)
        for (uint64_t bits = a->ours[word]; bits && least > 0;
             bits &= bits - 1) {
            uint32_t id
                = (uint32_t)(64 * word) + (uint32_t)__builtin_ctzll (bits);
            uint64_t lost;
            tori_machine_coords (a->machine, id, box.origin);
            lost = count_spoiled (a, request, larger, &box);
            if (lost < least) {
                least = lost;
                best = box;
            }
        }
    return best;
}

/* Place one rotation. */
static int place_as (struct anchors *a, const tori_state *state,
                     const tori_request *request, tori_placement *ret_place,
                     tori_error *err)
{
    tori_request next = {.shape = request->shape, .fixed = true,
                         .wrap = request->wrap};
    bool larger = next_larger (a, &next.shape);
    tori_box box;
    int found = find_anchors (a, state, request, a->ours, err);
    if (found <= 0)
        return found;
    if (larger && find_anchors (a, state, &next, a->larger, err) < 0)
        return -1;
    box = choose_anchor (a, request, larger ? &next.shape : NULL);
    *ret_place = placement_of_box (&box, request->wiring);
    return 1;
}

/* ---- the list ---- */

/* Whether a listed box serves a request. */
static bool serves_request (const tori_shape *box, const tori_request *request)
{
    tori_shape ours = *box, asked = request->shape;
    if (!request->fixed) {
        tori_shape_sort (&ours);
        tori_shape_sort (&asked);
    }
    return tori_shape_equal (&ours, &asked);
}

static const char *anchors_impossible (const void *data,
                                       const tori_request *request)
{
    const struct anchors *a = data;
    bool any = a->listed.n == 0;
    for (size_t i = 0; !any && i < a->listed.n; i++)
        any = serves_request (&a->listed.shape[i], request);
    return any ? NULL : "the shape is not one of those that are listed";
}

static int place_listed (struct anchors *a, const tori_state *state,
                         const tori_request *request,
                         tori_placement *ret_place, tori_error *err)
{
    int found = 0;
    for (size_t i = 0; found == 0 && i < a->listed.n; i++) {
        tori_request as_listed = *request;
        as_listed.shape = a->listed.shape[i];
        as_listed.fixed = true;
        if (serves_request (&as_listed.shape, request))
            found = place_as (a, state, &as_listed, ret_place, err);
    }
    return found;
}

/* Boxes with the same number of nodes stay in their order. */
static int read_list (struct anchors *a, const char *text, tori_error *err)
{
    tori_shape *shape;
    if (offers_read (&a->listed, text, err) < 0)
        return -1;
    shape = a->listed.shape;
    for (size_t i = 0; i < a->listed.n; i++) {
        tori_shape is = shape[i];
        char name[TORI_TEXT_MAX];
        size_t at = i;
        tori_shape_format (&is, name);
        if (is.ndims != a->machine->shape.ndims
            || !shape_within (is, a->machine->shape, true))
            return tori_error_set (err, TORI_INVALID,
                                   "slices: the machine has no room for %.60s",
                                   name);
        for (; at > 0
               && tori_shape_volume (&shape[at - 1]) > tori_shape_volume (&is);
             at--)
            shape[at] = shape[at - 1];
        shape[at] = is;
    }
    return 0;
}

static int place_anchors (void *data, const tori_state *state,
                          const tori_request *request,
                          tori_placement *ret_place, tori_error *err)
{
    struct anchors *a = data;
    tori_request turned = *request;
    int found;
    if (a->listed.n)
        return place_listed (a, state, request, ret_place, err);
    turned.fixed = true;
    if (request->fixed)
        return place_as (data, state, &turned, ret_place, err);
    tori_shape_sort (&turned.shape);
    do {
        found = shape_within (turned.shape, state->machine->shape, true)
                    ? place_as (data, state, &turned, ret_place, err)
                    : 0;
    } while (found == 0 && tori_shape_next_rotation (&turned.shape));
    return found;
}

static void destroy_anchors (void *data)
{
    struct anchors *a = data;
    if (!a)
        return;
    boxscan_destroy (a->scan);
    offers_clear (&a->listed);
    free (a->ours);
    free (a->larger);
    free (a);
}

static int create_anchors (const tori_machine *machine,
                           const tori_alloc_config *config, void **ret_data,
                           tori_error *err)
{
    struct anchors *a = calloc (1, sizeof *a);
    if (!a)
        return tori_error_nomem (err);
    a->machine = machine;
    a->spacing = config->spacing;
    a->words = bits_words (machine->nodes);
    a->ours = calloc (a->words, sizeof *a->ours);
    a->larger = calloc (a->words, sizeof *a->larger);
    if (!a->ours || !a->larger) {
        destroy_anchors (a);
        return tori_error_nomem (err);
    }
    if (read_list (a, config->slices, err) < 0
        || boxscan_create (machine, &a->scan, err) < 0) {
        destroy_anchors (a);
        return -1;
    }
    *ret_data = a;
    return 0;
}

const struct alloc_ops anchors_ops = {
    .info =
        {
            .name = "anchors",
            .summary =
                "boxes at aligned places, the one that spoils the fewest "
                "larger ones",
            .takes = TORI_BY_SHAPE,
            .flags = TORI_ALLOC_ANCHORS,
        },
    .missing = "place for this shape",
    .create_with = create_anchors,
    .destroy = destroy_anchors,
    .impossible = anchors_impossible,
    .place = place_anchors,
};

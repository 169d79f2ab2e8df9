/* missing.c - the sums over all boxes of a shape are made dimension by
 * dimension: a sum along a line slides, so they cost a few steps a node
 * however large the box is. */
#include "missing.h"

#include <stdlib.h>
#include <string.h>

int missing_create (const tori_state *state, struct missing *ret_missing,
                    tori_error *err)
{
    const tori_machine *machine = tori_state_machine (state);
    uint32_t n = tori_machine_nodes (machine);
    struct missing it = {.machine = machine};
    it.held = malloc (n * sizeof *it.held);
    it.sums = malloc (n * sizeof *it.sums);
    it.line = malloc (n * sizeof *it.line);
    if (!it.held || !it.sums || !it.line) {
        missing_clear (&it);
        return tori_error_nomem (err);
    }
    for (uint32_t i = 0; i < n; i++)
        it.held[i] = !tori_state_is_free (state, i);
    *ret_missing = it;
    return 0;
}

void missing_clear (struct missing *missing)
{
    free (missing->held);
    free (missing->sums);
    free (missing->line);
    *missing = (struct missing){0};
}

/* Replace a line by its sums over `side` numbers, round the end. */
static void slide_sums (const struct missing *it, uint32_t *first,
                        uint32_t stride, uint32_t length, uint32_t side)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < length; i++)
        it->line[i] = first[i * stride];
    for (uint32_t i = 0; i < side; i++)
        sum += it->line[i];
    for (uint32_t i = 0; i < length; i++) {
        uint32_t next = i + side < length ? i + side : i + side - length;
        first[i * stride] = sum;
        sum += it->line[next] - it->line[i];
    }
}

/* The nodes that are not free in the box of this shape at every origin. */
static void sum_boxes (const struct missing *it, const tori_shape *shape)
{
    uint32_t n = tori_machine_nodes (it->machine), stride = 1;
    memcpy (it->sums, it->held, n * sizeof *it->sums);
    for (int d = shape->ndims - 1; d >= 0; d--) {
        uint32_t length = tori_machine_size (it->machine, d);
        uint32_t block = stride * length, side = shape->size[d];
        for (uint32_t at = 0; side > 1 && at < n; at += block)
            for (uint32_t i = 0; i < stride; i++)
                slide_sums (it, it->sums + at + i, stride, length, side);
        stride = block;
    }
}

/* Whether a box of this shape may begin at an origin. */
static bool may_begin (const tori_machine *machine, const tori_shape *shape,
                       const uint32_t origin[], bool wrap)
{
    for (int d = 0; d < shape->ndims; d++)
        if (origin[d] + shape->size[d] > tori_machine_size (machine, d)
            && !(wrap && tori_machine_wraps (machine, d)))
            return false;
    return true;
}

struct candidate_place {
    uint32_t origin; /* its id */
    uint32_t n;
    tori_shape shape;
};

/* Keep a better place: fewer nodes, then an earlier origin. Rotations come in
 * their order. */
static void weigh_places (const struct missing *it, const tori_shape *shape,
                          bool wrap, struct candidate_place *best)
{
    uint32_t n = tori_machine_nodes (it->machine);
    uint32_t origin[TORI_MAX_DIMS];
    sum_boxes (it, shape);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t sum = it->sums[i];
        if (sum > best->n || (sum == best->n && i >= best->origin))
            continue;
        tori_machine_coords (it->machine, i, origin);
        if (may_begin (it->machine, shape, origin, wrap))
            *best = (struct candidate_place){i, sum, *shape};
    }
}

bool missing_least (const struct missing *it, const tori_request *request,
                    tori_box *ret_box, uint32_t *ret_n)
{
    struct candidate_place best = {.origin = UINT32_MAX, .n = UINT32_MAX};
    tori_shape shape = request->shape;
    if (shape.ndims != tori_machine_ndims (it->machine))
        return false;
    if (!request->fixed)
        tori_shape_sort (&shape);
    do
        if (tori_shape_fits (&shape, it->machine)
            && tori_wiring_possible (it->machine, &shape, request->wiring))
            weigh_places (it, &shape, request->wrap, &best);
    while (!request->fixed && tori_shape_next_rotation (&shape));
    if (best.origin == UINT32_MAX)
        return false;
    tori_machine_coords (it->machine, best.origin, ret_box->origin);
    ret_box->shape = best.shape;
    *ret_n = best.n;
    return true;
}

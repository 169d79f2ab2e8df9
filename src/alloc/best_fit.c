/* best_fit.c - the free box that leaves the fewest fragments.
 *
 * The rule: a line of the machine falls into runs of free nodes. A box cut out
 * of a run leaves up to two of them, one at either side, so in every line it
 * crosses, in every dimension, it makes (sides with a free neighbour) - 1 new
 * fragments. The number of lines is the same wherever the box goes, so the
 * fewest fragments means the fewest free nodes that touch its faces. Among
 * equals the lowest origin wins, then the first rotation in lexicographic
 * order.
 */
#include "boxscan.h"
#include "marks.h"
#include "placement.h"
#include "policy.h"

struct best {
    const tori_state *state;
    uint64_t touching; /* free nodes at its faces; UINT64_MAX: none yet */
    uint32_t origin;
    tori_box box;
};

/* Free nodes in the plane one step beyond a face of the box. */
static uint64_t beyond_face (const tori_state *state, const tori_box *box,
                             int dim, bool high)
{
    const tori_machine *machine = state->machine;
    uint32_t size = machine->shape.size[dim], at = box->origin[dim];
    tori_box plane;
    if (box->shape.size[dim] == size)
        return 0;
    at = high ? at + box->shape.size[dim] : at + size - 1;
    if (!tori_machine_wraps (machine, dim)
        && (high ? at >= size : box->origin[dim] == 0))
        return 0;
    plane = box_with (box, dim, at % size, 1);
    return grid_count (machine, &plane, state->free);
}

/* The sum over all faces, given up once it exceeds `enough`. */
static uint64_t touching (const tori_state *state, const tori_box *box,
                          uint64_t enough)
{
    uint64_t sum = 0;
    for (int d = 0; d < box->shape.ndims && sum <= enough; d++)
        sum += beyond_face (state, box, d, false)
               + beyond_face (state, box, d, true);
    return sum;
}

static bool compare (void *arg, const tori_box *box)
{
    struct best *best = arg;
    uint32_t origin = tori_machine_id (best->state->machine, box->origin);
    uint64_t sum = touching (best->state, box, best->touching);
    if (sum < best->touching
        || (sum == best->touching && origin < best->origin)) {
        best->touching = sum;
        best->origin = origin;
        best->box = *box;
    }
    return false;
}

static int place (void *data, const tori_state *state,
                  const tori_request *request, tori_placement *ret_place,
                  tori_error *err)
{
    struct best best = {.state = state, .touching = UINT64_MAX};
    if (boxscan_each (data, state, request, compare, &best, err) < 0)
        return -1;
    if (best.touching == UINT64_MAX)
        return 0;
    *ret_place = placement_of_box (&best.box, request->wiring);
    return 1;
}

const struct alloc_ops best_fit_ops = {
    .info = {
        .name = "best-fit",
        .summary = "the free box that the fewest free nodes touch",
        .takes = TORI_BY_SHAPE,
    },
    .thorough = true,
    .create = boxscan_create,
    .destroy = boxscan_destroy,
    .place = place,
};

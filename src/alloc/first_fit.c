/* first_fit.c - the first box that is free, from node 0 on.
 *
 * The allocator of Aridor et al., "Multi-Toroidal Interconnects" (2004):
 * exactly the shape asked for, rotated if need be, always searching from the
 * same corner. Origins in order of ids; at each, the distinct rotations in
 * lexicographic order of the shape. */
#include "boxscan.h"
#include "placement.h"
#include "policy.h"

static int place (void *data, const tori_state *state,
                  const tori_request *request, tori_placement *ret_place,
                  tori_error *err)
{
    tori_box box;
    int found = boxscan_first (data, state, request, true, &box, err);
    if (found > 0)
        *ret_place = placement_of_box (&box, request->wiring);
    return found;
}

const struct alloc_ops first_fit_ops = {
    .info = {
        .name = "first-fit",
        .summary = "the first free box from node 0 on, in any rotation",
        .takes = TORI_BY_SHAPE,
    },
    .thorough = true,
    .create = boxscan_create,
    .destroy = boxscan_destroy,
    .place = place,
};

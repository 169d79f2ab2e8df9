/* first_fit.c - the first box that is free, from node 0 on.
 *
 * The allocator of Aridor et al., "Multi-Toroidal Interconnects" (2004):
 * exactly the requested shape, rotated if need be, always searching from the
 * same corner. Origins in order of ids; at each, the distinct rotations in
 * lexicographic order of the shape. */
#include "bits.h"
#include "boxscan.h"
#include "marks.h"
#include "placement.h"
#include "policy.h"

/* On one line of a mesh, without links, a box is a run of free nodes. */
static bool is_run (const tori_machine *machine, const tori_request *request)
{
    return machine->shape.ndims == 1 && !tori_machine_wraps (machine, 0)
           && request->wiring == TORI_WIRE_NONE;
}

static int find_run (const tori_state *state, const tori_request *request,
                     tori_box *ret_box)
{
    uint32_t nodes = state->machine->nodes;
    uint64_t from = bits_find_run (state->free, nodes,
                                   request->shape.size[0]);
    if (from == nodes)
        return 0;
    *ret_box = (tori_box){.origin = {(uint32_t)from}, .shape = request->shape};
    return 1;
}

static int place_first_fit (void *data, const tori_state *state,
                            const tori_request *request,
                            tori_placement *ret_place, tori_error *err)
{
    tori_box box;
    int found = is_run (state->machine, request)
                    ? find_run (state, request, &box)
                    : boxscan_first (data, state, request, true, &box, err);
    if (found > 0)
        *ret_place = placement_of_box (&box, request->wiring);
    return found;
}

const struct alloc_ops first_fit_ops = {
    .info =
        {
            .name = "first-fit",
            .summary = "the first free box from node 0 on, in any rotation",
            .takes = TORI_BY_SHAPE,
            .flags = TORI_ALLOC_RINGS,
        },
    .thorough = true,
    .create = boxscan_create,
    .destroy = boxscan_destroy,
    .place = place_first_fit,
};

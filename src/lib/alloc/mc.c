/* mc.c - shells around a node.
 *
 * MC1x1 of Bender et al., "Communication-Aware Processor Allocation for
 * Supercomputers: Finding Point Sets of Small Average Distance" (2005), after
 * MC of Mache, Lo and Windisch, "Minimizing message-passing contention in
 * fragmentation-free processor allocation" (1997). Shell s around a node holds
 * what is at distance s in the dimension where it is farthest. Every free node
 * is tried as the centre, in order; with it go the k free nodes of the lowest
 * shells, of the last one those of the lowest ids; the first least sum of
 * shells wins. Its sum of pairwise distances is at most (2 - 2/k) d times the
 * least there is.
 *
 * MC itself takes a shape and how many nodes are wanted of it: shell 0 is the
 * box of that shape around the node, from (side - 1) / 2 before it on, rounded
 * down, and shell s what the box has only once it is grown by s on every
 * side. At every node the distinct rotations that the machine has room for are
 * tried in lexicographic order, or the shape alone if it is fixed. Boxes are
 * cut off at the edges of mesh dimensions and always go round torus
 * dimensions, whether or not the request may wrap: the answer is a set of
 * nodes, to which no links belong. With a count alone MC is MC1x1. The bound
 * is for MC1x1 only: around a long box MC may be as bad as the box is.
 *
 * Among points (mc_points.c) the same holds, but for rotations: they all have
 * room.
 */
#include <stdlib.h>

#include "cloud.h"
#include "policy.h"
#include "shells.h"

/* ---- among points ---- */

static int choose_points (const struct cloud *cloud, size_t k,
                          const tori_alloc_config *options, size_t *ret_chosen,
                          tori_error *err)
{
    tori_shape point = {.ndims = cloud->ndims};
    for (int d = 0; d < point.ndims; d++)
        point.size[d] = 1;
    return mc_choose_box (cloud, k, &point, true, ret_chosen, err);
}

/* ---- on machines ---- */

/* The number of nodes to give: what is wanted of the shape, or all of it. */
static uint32_t count_wanted (const tori_request *request)
{
    uint64_t all = tori_request_nodes (request);
    return request->count && request->count < all ? request->count
                                                  : (uint32_t)all;
}

/* Every rotation that the machine has room for, or the shape as it is. */
static int try_shape (struct shells *shells, const tori_machine *machine,
                      const tori_request *request, tori_error *err)
{
    tori_shape core = request->shape;
    if (request->fixed)
        return shells_try (shells, &core, err);
    tori_shape_sort (&core);
    do {
        if (tori_shape_fits (&core, machine)
            && shells_try (shells, &core, err) < 0)
            return -1;
    } while (tori_shape_next_rotation (&core));
    return 0;
}

static int try_node (struct shells *shells, const tori_machine *machine,
                     tori_error *err)
{
    tori_shape core = {.ndims = tori_machine_ndims (machine)};
    for (int d = 0; d < core.ndims; d++)
        core.size[d] = 1;
    return shells_try (shells, &core, err);
}

static int place_mc (void *data, const tori_state *state,
                     const tori_request *request, tori_placement *ret_place,
                     tori_error *err)
{
    const tori_machine *machine = tori_state_machine (state);
    uint32_t k = count_wanted (request), *nodes = malloc (k * sizeof *nodes);
    if (!nodes) {
        tori_error_nomem (err);
        return -1;
    }
    shells_start (data, state, k);
    if ((request->shape.ndims ? try_shape (data, machine, request, err)
                              : try_node (data, machine, err))
        < 0) {
        free (nodes);
        return -1;
    }
    shells_take (data, nodes);
    *ret_place = (tori_placement){.count = k, .nodes = nodes};
    return 1;
}

const struct alloc_ops mc1x1_ops = {
    .info =
        {
            .name = "mc1x1",
            .summary = "the lowest shells around a free node",
            .takes = TORI_BY_COUNT,
            .flags = TORI_ALLOC_POINTS,
        },
    .create = shells_create,
    .destroy = shells_destroy,
    .choose = choose_points,
    .place = place_mc,
};

const struct alloc_ops mc_ops = {
    .info =
        {
            .name = "mc",
            .summary = "the lowest shells around a box of the shape, or as "
                       "mc1x1 for a count alone",
            .takes = TORI_BY_SHAPE | TORI_BY_COUNT,
            .flags = TORI_ALLOC_POINTS,
        },
    .loose = true,
    .create = shells_create,
    .destroy = shells_destroy,
    .choose = choose_points,
    .place = place_mc,
};

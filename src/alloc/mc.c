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
 * Among points the same holds, but for rotations: they all have room.
 */
#include <stdlib.h>

#include "mc.h"
#include "policy.h"
#include "shells.h"

/* ---- on any points ---- */

/* How far a coordinate is from the nearest of the core's, which are `side`
 * many from centre - (side - 1) / 2 on. */
static uint64_t from_core (const struct cloud *cloud, int dim, int64_t centre,
                           uint32_t side, int64_t at)
{
    uint64_t before = (side - 1) / 2, behind = side - 1 - before;
    uint64_t ring = cloud->ring[dim];
    uint64_t apart = at < centre ? (uint64_t)centre - (uint64_t)at
                                 : (uint64_t)at - (uint64_t)centre;
    uint64_t reach = at < centre ? before : behind;
    uint64_t away = apart > reach ? apart - reach : 0, other;
    if (!ring)
        return away;
    reach = at < centre ? behind : before;
    other = ring - apart > reach ? ring - apart - reach : 0;
    return other < away ? other : away;
}

static uint64_t shell_of (const struct cloud *cloud, const tori_shape *core,
                          const int64_t *centre, const int64_t *point)
{
    uint64_t shell = 0;
    for (int d = 0; d < cloud->ndims; d++) {
        uint64_t apart = from_core (cloud, d, centre[d], core->size[d],
                                    point[d]);
        shell = apart > shell ? apart : shell;
    }
    return shell;
}

/* The shells of all points around point `centre`; the greatest of them. */
static uint64_t find_shells (const struct cloud *cloud, const tori_shape *core,
                             size_t centre, uint64_t *ret_shells)
{
    const int64_t *from = cloud_point (cloud, centre);
    uint64_t last = 0;
    for (size_t i = 0; i < cloud->n; i++) {
        ret_shells[i] = shell_of (cloud, core, from, cloud_point (cloud, i));
        last = ret_shells[i] > last ? ret_shells[i] : last;
    }
    return last;
}

static size_t count_upto (const uint64_t *shells, size_t n, uint64_t shell)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += shells[i] <= shell;
    return count;
}

/* The lowest shell that, with those below it, holds k points. Halving needs
 * no memory and no luck with pivots. */
static uint64_t find_last (const uint64_t *shells, size_t n, size_t k,
                           uint64_t high)
{
    uint64_t low = 0;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (count_upto (shells, n, middle) >= k)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* The sum of the k lowest shells, `last` being the greatest of them. */
static wide cost_of (const uint64_t *shells, size_t n, size_t k, uint64_t last)
{
    wide sum = 0;
    size_t below = 0;
    for (size_t i = 0; i < n; i++)
        if (shells[i] < last) {
            sum += shells[i];
            below++;
        }
    return sum + (wide)last * (k - below);
}

static void collect (const uint64_t *shells, size_t n, size_t k, uint64_t last,
                     size_t *ret_chosen)
{
    size_t rest = k, at = 0;
    for (size_t i = 0; i < n; i++)
        rest -= shells[i] < last;
    for (size_t i = 0; i < n; i++) {
        if (shells[i] > last || (shells[i] == last && rest == 0))
            continue;
        rest -= shells[i] == last;
        ret_chosen[at++] = i;
    }
}

/* The best so far: centres go in order, at each the cores in order. */
struct best {
    wide cost;
    size_t centre; /* SIZE_MAX: none */
    tori_shape core;
};

static void try_core (const struct cloud *cloud, size_t k,
                      const tori_shape *core, uint64_t *shells,
                      struct best *best)
{
    for (size_t i = 0; i < cloud->n; i++) {
        uint64_t last = find_last (shells, cloud->n, k,
                                   find_shells (cloud, core, i, shells));
        wide cost = cost_of (shells, cloud->n, k, last);
        if (best->centre == SIZE_MAX || cost < best->cost
            || (cost == best->cost && i < best->centre))
            *best = (struct best){cost, i, *core};
    }
}

int mc_choose_box (const struct cloud *cloud, size_t k,
                   const tori_shape *shape, bool fixed, size_t *ret_chosen,
                   tori_error *err)
{
    uint64_t *shells = malloc (cloud->n * sizeof *shells), last;
    struct best best = {.centre = SIZE_MAX};
    tori_shape core = *shape;
    if (!shells)
        return tori_error_nomem (err);
    if (!fixed)
        tori_shape_sort (&core);
    do
        try_core (cloud, k, &core, shells, &best);
    while (!fixed && tori_shape_next_rotation (&core));
    last = find_last (shells, cloud->n, k,
                      find_shells (cloud, &best.core, best.centre, shells));
    collect (shells, cloud->n, k, last, ret_chosen);
    free (shells);
    return 0;
}

static int choose (const struct cloud *cloud, size_t k,
                   const tori_alloc_options *options, size_t *ret_chosen,
                   tori_error *err)
{
    tori_shape point = {.ndims = cloud->ndims};
    for (int d = 0; d < point.ndims; d++)
        point.size[d] = 1;
    return mc_choose_box (cloud, k, &point, true, ret_chosen, err);
}

/* ---- on machines ---- */

/* How many nodes to give: what is wanted of the shape, or all of it. */
static uint32_t wanted (const tori_request *request)
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

static int place (void *data, const tori_state *state,
                  const tori_request *request, tori_placement *ret_place,
                  tori_error *err)
{
    const tori_machine *machine = tori_state_machine (state);
    uint32_t k = wanted (request), *nodes = malloc (k * sizeof *nodes);
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
    .info = {
        .name = "mc1x1",
        .summary = "the lowest shells around a free node",
        .takes = TORI_BY_COUNT,
        .points = true,
    },
    .create = shells_create,
    .destroy = shells_destroy,
    .choose = choose,
    .place = place,
};

const struct alloc_ops mc_ops = {
    .info = {
        .name = "mc",
        .summary = "the lowest shells around a box of the shape",
        .takes = TORI_BY_SHAPE | TORI_BY_COUNT,
        .points = true,
    },
    .loose = true,
    .create = shells_create,
    .destroy = shells_destroy,
    .choose = choose,
    .place = place,
};

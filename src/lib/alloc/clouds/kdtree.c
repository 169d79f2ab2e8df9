#include "kdtree.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

/* At most so many points are searched one by one instead of halved again. */
enum { FEW = 12 };

/* Room for one more node; its index is tree->nnodes - 1 then. */
static int add_node (struct kdtree *tree)
{
    struct kd_node *nodes = array_room (tree->nodes, &tree->room,
                                        tree->nnodes + 1, sizeof *nodes);
    int64_t *bounds;
    if (!nodes)
        return -1;
    tree->nodes = nodes;
    bounds = array_room (tree->bounds, &tree->bounds_room, tree->nnodes + 1,
                         2 * (size_t)tree->ndims * sizeof *bounds);
    if (!bounds)
        return -1;
    tree->bounds = bounds;
    tree->nnodes++;
    return 0;
}

/* The bounds of a node from its points; its longest side. */
static int find_bounds (struct kdtree *tree, const struct cloud *cloud,
                        size_t node)
{
    const struct kd_node *of = &tree->nodes[node];
    int64_t *low = tree->bounds + 2 * node * (size_t)tree->ndims;
    int64_t *high = low + tree->ndims;
    int longest = 0;
    size_t size = (size_t)tree->ndims * sizeof *low;
    memcpy (low, cloud_point (cloud, tree->index[of->first]), size);
    memcpy (high, low, size);
    for (size_t i = 1; i < of->count; i++) {
        const int64_t *at = cloud_point (cloud, tree->index[of->first + i]);
        for (int d = 0; d < tree->ndims; d++) {
            low[d] = at[d] < low[d] ? at[d] : low[d];
            high[d] = at[d] > high[d] ? at[d] : high[d];
        }
    }
    for (int d = 1; d < tree->ndims; d++)
        if ((uint64_t)high[d] - (uint64_t)low[d]
            > (uint64_t)high[longest] - (uint64_t)low[longest])
            longest = d;
    return longest;
}

/* Put the points of up to `middle` first; how many they are. */
static size_t part_points (size_t *index, size_t count,
                           const struct cloud *cloud, int dim, int64_t middle)
{
    size_t upto = 0;
    for (size_t i = 0; i < count; i++)
        if (cloud_point (cloud, index[i])[dim] <= middle) {
            size_t other = index[upto];
            index[upto++] = index[i];
            index[i] = other;
        }
    return upto;
}

static int build_node (struct kdtree *tree, const struct cloud *cloud,
                       size_t first, size_t count)
{
    size_t node = tree->nnodes, lower;
    uint64_t side;
    int64_t low;
    int dim;
    if (add_node (tree) < 0)
        return -1;
    tree->nodes[node] = (struct kd_node){first, count, node + 1, true};
    dim = find_bounds (tree, cloud, node);
    low = kdtree_low (tree, node)[dim];
    side = (uint64_t)kdtree_high (tree, node)[dim] - (uint64_t)low;
    if (count <= FEW || side == 0)
        return 0;
    lower = part_points (tree->index + first, count, cloud, dim,
                         (int64_t)((uint64_t)low + side / 2));
    if (build_node (tree, cloud, first, lower) < 0
        || build_node (tree, cloud, first + lower, count - lower) < 0)
        return -1;
    tree->nodes[node].leaf = false;
    tree->nodes[node].next = tree->nnodes;
    return 0;
}

int kdtree_init (struct kdtree *tree, const struct cloud *cloud,
                 tori_error *err)
{
    size_t ndims = (size_t)cloud->ndims;
    *tree = (struct kdtree){.ndims = cloud->ndims, .n = cloud->n};
    tree->index = malloc (cloud->n * sizeof *tree->index);
    tree->coords = malloc (cloud->n * ndims * sizeof *tree->coords);
    if (tree->index && tree->coords) {
        for (size_t i = 0; i < cloud->n; i++)
            tree->index[i] = i;
        if (build_node (tree, cloud, 0, cloud->n) == 0) {
            for (size_t i = 0; i < cloud->n; i++)
                memcpy (tree->coords + i * ndims,
                        cloud_point (cloud, tree->index[i]),
                        ndims * sizeof *tree->coords);
            return 0;
        }
    }
    kdtree_clear (tree);
    return tori_error_nomem (err);
}

void kdtree_clear (struct kdtree *tree)
{
    free (tree->index);
    free (tree->coords);
    free (tree->nodes);
    free (tree->bounds);
    *tree = (struct kdtree){0};
}

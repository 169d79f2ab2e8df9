/* kdtree.h - points of a cloud by where they are.
 *
 * A box that holds points is halved across its longest side until few are left
 * or all are at one place. The box of each half is shrunk to what it holds.
 * Every halving separates points, and no side can be halved more than 64
 * times. So the tree is at most 64 levels per dimension deep whatever the
 * points are, and about log2 n deep for points that are not contrived. Halves
 * follow each other: points that are close in the order of the tree are mostly
 * close in space. Nodes are in the order of a walk that visits a box before
 * its halves, so a search needs no stack: it goes on to the next node, or past
 * all that is in this one.
 */
#ifndef TORI_ALLOC_KDTREE_H
#define TORI_ALLOC_KDTREE_H

#include "cloud.h"

struct kd_node {
    size_t first, count; /* its points, in the order of the tree */
    size_t next;         /* the node past all that is in this one */
    bool leaf;
};

struct kdtree {
    int ndims;
    size_t n;
    size_t *index;   /* of points in the cloud, in the order of the tree */
    int64_t *coords; /* of these */
    struct kd_node *nodes;
    int64_t *bounds; /* a node: the least coordinates, then the greatest */
    size_t nnodes, room, bounds_room;
};

/* O(n log n) for points that are not contrived. -1 without memory. */
int kdtree_init (struct kdtree *tree, const struct cloud *cloud,
                 tori_error *err);
void kdtree_clear (struct kdtree *tree);

static inline const int64_t *kdtree_low (const struct kdtree *tree,
                                         size_t node)
{
    return tree->bounds + 2 * node * (size_t)tree->ndims;
}

static inline const int64_t *kdtree_high (const struct kdtree *tree,
                                          size_t node)
{
    return kdtree_low (tree, node) + tree->ndims;
}

/* Point i in the order of the tree. */
static inline const int64_t *kdtree_point (const struct kdtree *tree, size_t i)
{
    return tree->coords + i * (size_t)tree->ndims;
}

#endif

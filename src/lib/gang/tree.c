/* tree.c - the tree of partitions.
 *
 * It is built once and only read, so it is two flat arrays: one row per node,
 * and one of its origin and sides. A machine of 2^20 processors in three
 * dimensions takes 90 MB. */
#include "tree.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "grid.h"

/* ---- cutting a partition ---- */

struct tree_parts {
    tori_box *box;
    size_t n;
};

static int longest_side (const tori_shape *shape)
{
    int longest = 0;
    for (int d = 1; d < shape->ndims; d++)
        if (shape->size[d] > shape->size[longest])
            longest = d;
    return longest;
}

/* Cut each of the parts into `pieces`, the order kept. The list has room. */
static void cut_parts (struct tree_parts *parts, uint32_t pieces)
{
    size_t n = 0, total = 0;
    for (size_t i = 0; i < parts->n; i++) {
        const tori_shape *shape = &parts->box[i].shape;
        uint32_t side = shape->size[longest_side (shape)];
        total += side < pieces ? side : pieces;
    }
    n = total;
    for (size_t i = parts->n; i-- > 0;) {
        tori_box whole = parts->box[i];
        int dim = longest_side (&whole.shape);
        uint32_t side = whole.shape.size[dim];
        uint32_t count = side < pieces ? side : pieces;
        uint32_t end = whole.origin[dim] + side;
        for (uint32_t j = count; j-- > 0;) {
            uint32_t size = side / count + (j < side % count);
            end -= size;
            parts->box[--n] = box_with (&whole, dim, end, size);
        }
    }
    parts->n = total;
}

/* The subpartitions of a box: one, itself, if it cannot be cut. */
static void split_box (const tori_box *box, uint32_t degree,
                       struct tree_parts *parts)
{
    parts->box[0] = *box;
    parts->n = 1;
    for (uint32_t p = 2; degree > 1; p++)
        for (; degree % p == 0; degree /= p)
            cut_parts (parts, p);
}

/* ---- the rows ---- */

static void store_box (tori_gang_tree *tree, uint32_t node,
                       const tori_box *box)
{
    int ndims = tree->ndims;
    uint32_t *row = &tree->corners[(size_t)node * 2 * (size_t)ndims];
    memcpy (row, box->origin, (size_t)ndims * sizeof *row);
    memcpy (row + ndims, box->shape.size, (size_t)ndims * sizeof *row);
}

static void load_box (const tori_gang_tree *tree, uint32_t node,
                      tori_box *ret_box)
{
    int ndims = tree->ndims;
    const uint32_t *row = &tree->corners[(size_t)node * 2 * (size_t)ndims];
    ret_box->shape.ndims = ndims;
    memcpy (ret_box->origin, row, (size_t)ndims * sizeof *row);
    memcpy (ret_box->shape.size, row + ndims, (size_t)ndims * sizeof *row);
}

static int make_room (tori_gang_tree *tree, size_t more, tori_error *err)
{
    size_t need = (size_t)tree->n + more;
    struct tree_row *rows = array_room (tree->rows, &tree->room, need,
                                   sizeof *rows);
    uint32_t *corners;
    if (!rows)
        return tori_error_nomem (err);
    tree->rows = rows;
    corners = array_room (tree->corners, &tree->corner_room,
                          need * 2 * (size_t)tree->ndims, sizeof *corners);
    if (!corners)
        return tori_error_nomem (err);
    tree->corners = corners;
    return 0;
}

static int append_nodes (tori_gang_tree *tree, const struct tree_parts *parts,
                         uint32_t parent, tori_error *err)
{
    uint32_t level
        = parent == TORI_GANG_NONE ? 0 : tree->rows[parent].level + 1;
    if (make_room (tree, parts->n, err) < 0)
        return -1;
    for (size_t i = 0; i < parts->n; i++) {
        uint32_t size = (uint32_t)tori_shape_volume (&parts->box[i].shape);
        tree->rows[tree->n] = (struct tree_row){parent, 0, 0, level, size};
        store_box (tree, tree->n, &parts->box[i]);
        tree->n++;
    }
    tree->levels = level + 1;
    return 0;
}

/* Nodes are split in the order of their numbers, so subnodes are numbered
 * level by level. */
static int grow_tree (tori_gang_tree *tree, uint32_t degree, uint32_t leaf,
                      struct tree_parts *parts, tori_error *err)
{
    for (uint32_t i = 0; i < tree->n; i++) {
        tori_box box;
        if (tree->rows[i].size <= leaf)
            continue;
        load_box (tree, i, &box);
        split_box (&box, degree, parts);
        tree->rows[i].first = tree->n;
        tree->rows[i].children = (uint32_t)parts->n;
        if (append_nodes (tree, parts, i, err) < 0)
            return -1;
    }
    return 0;
}

int tori_gang_tree_create (const tori_machine *machine, uint32_t degree,
                           uint32_t leaf, tori_gang_tree **ret_tree,
                           tori_error *err)
{
    tori_gang_tree *tree = NULL;
    struct tree_parts parts = {NULL, 1};
    int answer = -1;
    if (degree < 2 || degree > TORI_GANG_MAX_DEGREE || leaf < 1)
        return tori_error_set (err, TORI_INVALID,
                               "a partition is split into 2 to %d parts down "
                               "to 1 or more processors",
                               TORI_GANG_MAX_DEGREE);
    if (grid_check (machine, "the queue tree", err) < 0)
        return -1;
    tree = calloc (1, sizeof *tree);
    parts.box = calloc (degree, sizeof *parts.box);
    if (!tree || !parts.box) {
        tori_error_nomem (err);
        goto done;
    }
    tree->machine = machine;
    tree->ndims = tori_machine_ndims (machine);
    parts.box[0].shape = *tori_machine_shape (machine);
    if (append_nodes (tree, &parts, TORI_GANG_NONE, err) < 0
        || grow_tree (tree, degree, leaf, &parts, err) < 0)
        goto done;
    *ret_tree = tree;
    tree = NULL;
    answer = 0;
done:
    free (parts.box);
    tori_gang_tree_destroy (tree);
    return answer;
}

void tori_gang_tree_destroy (tori_gang_tree *tree)
{
    if (!tree)
        return;
    free (tree->rows);
    free (tree->corners);
    free (tree);
}

/* ---- queries ---- */

const tori_machine *tori_gang_tree_machine (const tori_gang_tree *tree)
{
    return tree->machine;
}

uint32_t tori_gang_tree_nodes (const tori_gang_tree *tree)
{
    return tree->n;
}

uint32_t tori_gang_tree_levels (const tori_gang_tree *tree)
{
    return tree->levels;
}

void tori_gang_tree_place (const tori_gang_tree *tree, uint32_t node,
                           tori_gang_place *ret_place)
{
    const struct tree_row *row;
    if (node >= tree->n) {
        *ret_place = (tori_gang_place){.parent = TORI_GANG_NONE};
        return;
    }
    row = &tree->rows[node];
    ret_place->parent = row->parent;
    ret_place->first = row->first;
    ret_place->children = row->children;
    ret_place->level = row->level;
    ret_place->size = row->size;
    load_box (tree, node, &ret_place->box);
}

uint32_t tori_gang_tree_host (const tori_gang_tree *tree, uint32_t node)
{
    tori_box box;
    if (node >= tree->n)
        return TORI_GANG_NONE;
    load_box (tree, node, &box);
    return tori_machine_id (tree->machine, box.origin);
}

int need_check (const tori_gang_need *need, tori_error *err)
{
    if (need->count == 0)
        return tori_error_set (err, TORI_INVALID, "no processors asked for");
    return 0;
}

/* Sides fit into sides in some rotation if they fit in order of length. */
bool need_fits (const tori_gang_need *need, uint32_t size,
                const tori_shape *shape)
{
    tori_shape asked = need->shape, given = *shape;
    if (need->count > size)
        return false;
    if (asked.ndims == 0)
        return true;
    if (asked.ndims != given.ndims)
        return false;
    if (!need->fixed) {
        tori_shape_sort (&asked);
        tori_shape_sort (&given);
    }
    for (int d = 0; d < asked.ndims; d++)
        if (asked.size[d] > given.size[d])
            return false;
    return true;
}

bool tori_gang_tree_holds (const tori_gang_tree *tree,
                           const tori_gang_need *need)
{
    return need_fits (need, tree->rows[0].size,
                      tori_machine_shape (tree->machine));
}

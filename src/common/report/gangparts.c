/* Partitions of the same shape have equal subtrees, and a tree of millions has
 * some dozens of shapes. One partition of each is examined. */
#include "gangparts.h"

#include <stdlib.h>

#include "array.h"

/* Partitions of a shape: one of them, and the kinds of its parts. */
struct kind {
    uint32_t size;
    uint32_t node;
    tori_shape shape;
    size_t *parts; /* kinds, one for each part */
    uint32_t nparts;
    double held; /* for the count that is being asked for */
};

struct gang_parts {
    struct kind *kind; /* the machine first */
    size_t n, room;
    size_t *order; /* kinds, smaller before larger */
};

void gang_parts_destroy (struct gang_parts *parts)
{
    if (!parts)
        return;
    for (size_t i = 0; i < parts->n; i++)
        free (parts->kind[i].parts);
    free (parts->kind);
    free (parts->order);
    free (parts);
}

/* The kind of a node of the tree, which may be a new one. */
static int find_kind (struct gang_parts *parts, const tori_gang_tree *tree,
                      uint32_t node, size_t *ret_kind, tori_error *err)
{
    tori_gang_place place;
    struct kind *more;
    tori_gang_tree_place (tree, node, &place);
    for (size_t i = 0; i < parts->n; i++)
        if (tori_shape_equal (&parts->kind[i].shape, &place.box.shape)) {
            *ret_kind = i;
            return 0;
        }
    more = array_room (parts->kind, &parts->room, parts->n + 1, sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    parts->kind = more;
    more[parts->n] = (struct kind){.size = place.size,
                                   .node = node,
                                   .shape = place.box.shape};
    *ret_kind = parts->n++;
    return 0;
}

static int split_kind (struct gang_parts *parts, const tori_gang_tree *tree,
                       size_t kind, tori_error *err)
{
    tori_gang_place place;
    size_t *list;
    tori_gang_tree_place (tree, parts->kind[kind].node, &place);
    if (place.children == 0)
        return 0;
    list = calloc (place.children, sizeof *list);
    if (!list)
        return tori_error_nomem (err);
    parts->kind[kind].parts = list;
    parts->kind[kind].nparts = place.children;
    for (uint32_t i = 0; i < place.children; i++)
        if (find_kind (parts, tree, place.first + i, &list[i], err) < 0)
            return -1;
    return 0;
}

static int find_kinds (struct gang_parts *parts, const tori_gang_tree *tree,
                       tori_error *err)
{
    size_t kind;
    if (find_kind (parts, tree, 0, &kind, err) < 0)
        return -1;
    for (kind = 0; kind < parts->n; kind++)
        if (split_kind (parts, tree, kind, err) < 0)
            return -1;
    return 0;
}

/* Insertion: there are few. */
static int sort_kinds (struct gang_parts *parts, tori_error *err)
{
    parts->order = calloc (parts->n, sizeof *parts->order);
    if (!parts->order)
        return tori_error_nomem (err);
    for (size_t i = 0; i < parts->n; i++) {
        size_t at = i;
        for (; at > 0
               && parts->kind[parts->order[at - 1]].size > parts->kind[i].size;
             at--)
            parts->order[at] = parts->order[at - 1];
        parts->order[at] = i;
    }
    return 0;
}

int gang_parts_create (const tori_machine *machine, uint32_t degree,
                       struct gang_parts **ret_parts, tori_error *err)
{
    struct gang_parts *parts;
    tori_gang_tree *tree;
    int status;
    if (tori_gang_tree_create (machine, degree, 1, &tree, err) < 0)
        return -1;
    parts = calloc (1, sizeof *parts);
    status = parts ? find_kinds (parts, tree, err) : tori_error_nomem (err);
    if (status == 0)
        status = sort_kinds (parts, err);
    tori_gang_tree_destroy (tree);
    if (status < 0)
        gang_parts_destroy (parts);
    else
        *ret_parts = parts;
    return status;
}

/* A partition none of whose parts is large enough is held itself. */
static double held_in (const struct gang_parts *parts, const struct kind *kind,
                       uint32_t count)
{
    double sum = 0, processors = 0;
    for (uint32_t i = 0; i < kind->nparts; i++) {
        const struct kind *part = &parts->kind[kind->parts[i]];
        if (part->size < count)
            continue;
        sum += part->held * part->size;
        processors += part->size;
    }
    return processors > 0 ? sum / processors : kind->size;
}

double gang_parts_held (const struct gang_parts *parts, uint32_t count)
{
    for (size_t i = 0; i < parts->n; i++) {
        struct kind *kind = &parts->kind[parts->order[i]];
        kind->held = kind->size < count ? 0 : held_in (parts, kind, count);
    }
    return parts->kind[0].held;
}

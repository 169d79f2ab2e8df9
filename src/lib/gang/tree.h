/* tree.h - the inside of a tree of partitions. */
#ifndef TORI_GANG_TREE_H
#define TORI_GANG_TREE_H

#include <tori/gang.h>

struct tree_row {
    uint32_t parent;
    uint32_t first;
    uint32_t children;
    uint32_t level;
    uint32_t size;
};

struct tori_gang_tree {
    const tori_machine *machine;
    int ndims;
    uint32_t n;
    uint32_t levels;
    struct tree_row *rows;
    size_t room;
    uint32_t *corners; /* a node: origin, then sides */
    size_t corner_room;
};

/* TORI_INVALID for a process that needs no processors. */
int need_check (const tori_gang_need *need, tori_error *err);

/* Whether a partition of this size and shape is enough. */
bool need_fits (const tori_gang_need *need, uint32_t size,
                const tori_shape *shape);

#endif

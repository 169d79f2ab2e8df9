/* layout.h - where the processes of a job are in its partition.
 *
 * Piped programs are in disjoint subpartitions, which are also partitions of
 * the tree. The largest program comes first. Each gets the smallest one that
 * is free and holds it, the first of equal ones. Its processes are on the
 * first processors of that partition. A job of one program has its partition
 * to itself.
 *
 * A machine may have processors for all programs, but no such partitions: for
 * 3 and 1 processes there are none among 4 processors. Then the processes of
 * all programs are on the first processors of the job's partition, one program
 * after another, and all of them have the job's partition.
 */
#ifndef TORI_GANGRUN_LAYOUT_H
#define TORI_GANGRUN_LAYOUT_H

#include <tori/gang.h>

#include "spec.h"

/* How many processors to ask the tree for: every partition of as many, or
 * more, has such subpartitions. If that is more than `most`, just as many as
 * there are processes. 0 without memory. */
uint32_t layout_need (const tori_gang_tree *tree, const struct spec *spec,
                      uint32_t most, tori_error *err);

struct layout {
    uint32_t *processor; /* of each process of the job */
    uint32_t *node;      /* of each program: its partition */
    bool disjoint;       /* whether each has one of its own */
};

/* The layout of a job in a node's partition, which has enough processors. */
int layout_make (const tori_gang_tree *tree, const struct spec *spec,
                 uint32_t node, struct layout *ret_layout, tori_error *err);
void layout_clear (struct layout *layout);

#endif

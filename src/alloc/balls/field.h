/* field.h - centres and the free nodes around them, as centres.h reads them.
 *
 * What a search for the best centre needs to know: for a block of eight
 * centres that are neighbours in the last dimension, how many free nodes there
 * are across a dimension, at some offset from the centre, within a radius
 * there. Levels (levels.h) know it for all nodes of a machine and look it up:
 * one number. Diamonds (diamonds.h) know it around some centres, and have to
 * add up four, but take far less memory. Both are fields.
 *
 * Rows of what is kept by centre are dense: `width` apart.
 */
#ifndef TORI_ALLOC_FIELD_H
#define TORI_ALLOC_FIELD_H

#include <tori/alloc.h>

#include "lanes.h"

enum { AXES = 3 };

/* The dimensions longer than 1, the last one last; sides of 1 before. */
struct axis {
    uint32_t size;
    bool wraps;
    uint32_t half[2]; /* no farther to the left, to the right round a ring */
    uint32_t first, own;  /* the coordinates that centres have */
    int64_t from, span;   /* those that are there */
    size_t step;          /* between neighbours in a table */
    size_t free_step;     /* and in `free` */
    int64_t *at;   /* where any coordinate is in a table, also beyond the ends
                    */
    int64_t *room;
};

/* Counts across a dimension within a radius r: of four numbers, the one at
 * slots[i] + r step[i], the first and the last added and the others
 * subtracted; or of two, or of one. */
struct across {
    const uint16_t *slots[4];
    int64_t step[4];
    int terms;
};

struct field {
    struct axis axes[AXES];
    struct across across[AXES];
    bool levelled;  /* one term, and what is below radius 0 is 0 */
    size_t nrows;   /* of centres */
    uint32_t width; /* of a row, a multiple of 8 */
    const uint16_t *free; /* 1 where a node is, from the first coordinates */
    uint16_t *allowed;    /* all ones where a centre may be */
    uint16_t *radius;     /* the least with k free nodes */
    uint16_t *nearer;     /* how many free nodes are nearer than that */
    uint32_t k;
};

/* The dimensions of a machine: all nodes are centres and there. False if it
 * has more than three that are longer than 1. */
bool field_axes (struct field *field, const tori_machine *machine);

/* The flags of the coordinates of an axis, in flags of all dimensions one
 * behind the other; NULL if its side is 1. */
const bool *field_flags (const tori_machine *machine, const bool *flags,
                         int axis);

/* The count for eight neighbours; `at` is where the first is in a table. */
static inline lanes across_at (const struct across *across, int64_t at,
                               int64_t radius, bool levelled)
{
    lanes sum;
    if (!levelled && radius < 0)
        return (lanes){0};
    sum = load (across->slots[0] + at + radius * across->step[0]);
    if (levelled || across->terms == 1)
        return sum;
    sum -= load (across->slots[1] + at + radius * across->step[1]);
    if (across->terms == 2)
        return sum;
    return sum - load (across->slots[2] + at + radius * across->step[2])
           + load (across->slots[3] + at + radius * across->step[3]);
}

/* Where a node is in `free` along an axis, an offset from a coordinate. */
static inline size_t free_at (const struct axis *axis, uint32_t coord,
                              int64_t offset)
{
    int64_t at = coord + offset - axis->from;
    at += at < 0 ? axis->size : at >= axis->span ? -(int64_t)axis->size : 0;
    return (size_t)at * axis->free_step;
}

#endif

/* ballspace.h - the dimensions of a machine as seen from a node.
 *
 * Only dimensions longer than 1 count. From a node, each goes a certain way to
 * the left and to the right: to the edges, or half way round.
 */
#ifndef TORI_ALLOC_BALLSPACE_H
#define TORI_ALLOC_BALLSPACE_H

#include <tori/alloc.h>

struct ball_axis {
    uint32_t size, stride;
    bool wraps;
    uint32_t left, right; /* no farther round a ring */
    uint32_t later;       /* hops that those after it make at the most */
};

struct ball_space {
    const tori_machine *machine;
    int n;
    struct ball_axis axes[TORI_MAX_DIMS];
};

struct ball_space ball_space_of (const tori_machine *machine);

static inline uint32_t ball_least (uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* How far a ball of this radius goes from a coordinate. */
static inline uint32_t ball_left (const struct ball_axis *axis, uint32_t at,
                                  uint32_t radius)
{
    return ball_least (radius, axis->wraps ? axis->left : at);
}

static inline uint32_t ball_right (const struct ball_axis *axis, uint32_t at,
                                   uint32_t radius)
{
    return ball_least (radius,
                       axis->wraps ? axis->right : axis->size - 1 - at);
}

static inline uint32_t ball_coord (const struct ball_axis *axis, uint32_t node)
{
    return node / axis->stride % axis->size;
}

/* The share of a dimension of the sum over pairs of k nodes, by how many have
 * each of n neighbouring coordinates. */
uint64_t ball_sum (const struct ball_axis *axis, const uint32_t *histogram,
                   uint32_t n, uint64_t k);

/* Offsets in the order of the coordinates they lead to: those of the first
 * range, then those of the second, which may be empty. */
struct ball_order {
    int64_t first[2], last[2];
};

static inline struct ball_order ball_order_of (const struct ball_axis *axis,
                                               uint32_t at, uint32_t radius)
{
    int64_t from = -(int64_t)ball_left (axis, at, radius);
    int64_t to = ball_right (axis, at, radius);
    int64_t zero = -(int64_t)at; /* the offset of coordinate 0 */
    if (zero <= from)
        zero += axis->size;
    if (zero > to)
        return (struct ball_order){{from, 0}, {to, -1}};
    return (struct ball_order){{zero, from}, {to, zero - 1}};
}

/* The coordinate that an offset leads to. */
static inline uint32_t ball_at (const struct ball_axis *axis, uint32_t at,
                                int64_t offset)
{
    int64_t to = at + offset;
    return (uint32_t)(to < 0              ? to + axis->size
                      : to >= axis->size ? to - axis->size
                                         : to);
}

/* The distance that an offset is. */
static inline uint32_t ball_hops (int64_t offset)
{
    return (uint32_t)(offset < 0 ? -offset : offset);
}

#endif

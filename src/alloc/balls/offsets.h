/* offsets.h - the coordinates near another one, in order, round a ring or not.
 */
#ifndef TORI_ALLOC_OFFSETS_H
#define TORI_ALLOC_OFFSETS_H

#include <stdint.h>

/* Offsets in the order of the coordinates they lead to: those of the first
 * range, then those of the second, which may be empty. */
struct offsets {
    int64_t first[2], last[2];
};

/* From `left` to the left of a coordinate to `right` to the right of it, on a
 * ring of this size if that leads beyond the ends. */
static inline struct offsets offsets_in_order (uint32_t size, uint32_t centre,
                                               uint32_t left, uint32_t right)
{
    int64_t from = -(int64_t)left, to = right;
    int64_t zero = -(int64_t)centre; /* the offset of coordinate 0 */
    if (zero <= from)
        zero += size;
    if (zero > to)
        return (struct offsets){{from, 0}, {to, -1}};
    return (struct offsets){{zero, from}, {to, zero - 1}};
}

/* The coordinate that an offset leads to. */
static inline uint32_t offset_at (uint32_t size, uint32_t centre,
                                  int64_t offset)
{
    int64_t at = centre + offset;
    return (uint32_t)(at < 0 ? at + size : at >= size ? at - size : at);
}

#endif

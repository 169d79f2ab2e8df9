#include "podcut.h"

#include "grid.h"
#include "joined.h"

/* ---- in one dimension ---- */

static bool is_ring (const struct podspace *space, uint32_t size,
                     tori_wiring wiring, int d)
{
    return size > 1 && tori_wiring_closes (wiring, space->machine->apart + d);
}

/* The number of pieces if the first begins at `from`; 0 if a ring cannot be
 * closed like that. */
static uint32_t pieces_along (uint32_t side, uint32_t size, uint32_t from,
                              bool ring)
{
    if (ring && (from > 0 || size % side != 0))
        return 0;
    return (uint32_t)(((uint64_t)from + size + side - 1) / side);
}

static struct podpart *put_part (struct podpart *parts, struct podpart *at,
                                 struct podpart part, bool linked)
{
    if (!linked)
        part.below = part.above = false;
    if (part.count == 0)
        return at;
    if (at > parts && at[-1].first == part.first && at[-1].end == part.end
        && at[-1].below == part.below && at[-1].above == part.above) {
        at[-1].count += part.count;
        return at;
    }
    *at = part;
    return at + 1;
}

static int make_parts (struct podpart parts[3], uint32_t side, uint32_t size,
                       uint32_t from, uint32_t pieces, bool ring, bool linked)
{
    struct podpart *at = parts;
    uint32_t last = from + size - (pieces - 1) * side;
    if (ring) {
        at = put_part (parts, at,
                       (struct podpart){0, side, pieces, true, true}, linked);
    } else if (pieces == 1) {
        at = put_part (parts, at,
                       (struct podpart){from, from + size, 1, false, false},
                       linked);
    } else {
        at = put_part (parts, at, (struct podpart){from, side, 1, false, true},
                       linked);
        at = put_part (parts, at,
                       (struct podpart){0, side, pieces - 2, true, true},
                       linked);
        at = put_part (parts, at, (struct podpart){0, last, 1, true, false},
                       linked);
    }
    return (int)(at - parts);
}

/* ---- in all of them ---- */

static uint32_t offset_along (const struct podspace *space, uint32_t offset,
                              int d)
{
    return grid_coord (space->machine, offset, space->machine->apart + d);
}

static bool is_aligned (const struct podspace *space, const tori_shape *shape,
                        uint32_t offset)
{
    bool is = true;
    if (!space->aligned || tori_shape_volume (shape) >= space->volume)
        return true;
    for (int d = 0; d < space->ndims && is; d++) {
        uint32_t from = offset_along (space, offset, d);
        is = from == 0
             || (from % shape->size[d] == 0
                 && from + shape->size[d] <= space->side[d]);
    }
    return is;
}

uint64_t podcut_pieces (const struct podspace *space, const tori_shape *shape,
                        uint32_t offset, tori_wiring wiring)
{
    uint64_t pieces = 1;
    if (!is_aligned (space, shape, offset)
        || (wiring == TORI_WIRE_TWISTED
            && joined_twist (space->machine, shape) == 0))
        return 0;
    for (int d = 0; d < space->ndims; d++) {
        uint32_t size = shape->size[d];
        uint64_t along = pieces_along (space->side[d], size,
                                       offset_along (space, offset, d),
                                       is_ring (space, size, wiring, d));
        if (__builtin_mul_overflow (pieces, along, &pieces))
            return UINT64_MAX;
    }
    return pieces;
}

void podpattern_make (struct podpattern *pattern, const struct podspace *space,
                      const tori_shape *shape, uint32_t offset,
                      tori_wiring wiring, bool linked)
{
    pattern->across.ndims = space->ndims;
    for (int d = 0; d < space->ndims; d++) {
        uint32_t from = offset_along (space, offset, d);
        uint32_t side = space->side[d], size = shape->size[d];
        bool ring = is_ring (space, size, wiring, d);
        uint32_t n = pieces_along (side, size, from, ring);
        pattern->across.size[d] = n;
        pattern->parts[d] = make_parts (pattern->part[d], side, size, from, n,
                                        ring, linked);
    }
}

/* ---- types ---- */

uint32_t podpattern_types (const struct podpattern *pattern)
{
    uint32_t n = 1;
    for (int d = 0; d < pattern->across.ndims; d++)
        n *= (uint32_t)pattern->parts[d];
    return n;
}

void podpattern_parts (const struct podpattern *pattern, uint32_t type,
                       const struct podpart *ret_parts[])
{
    for (int d = pattern->across.ndims - 1; d >= 0; d--) {
        uint32_t n = (uint32_t)pattern->parts[d];
        ret_parts[d] = &pattern->part[d][type % n];
        type /= n;
    }
}

/* The part of a piece, the `at`-th along its dimension. */
static uint32_t part_of (const struct podpattern *pattern, int d, uint32_t at)
{
    uint32_t part = 0;
    while (at >= pattern->part[d][part].count)
        at -= pattern->part[d][part++].count;
    return part;
}

uint32_t podpattern_type (const struct podpattern *pattern, uint32_t i)
{
    uint32_t type = 0, step = 1;
    for (int d = pattern->across.ndims - 1; d >= 0; d--) {
        uint32_t n = pattern->across.size[d];
        type += step * part_of (pattern, d, i % n);
        step *= (uint32_t)pattern->parts[d];
        i /= n;
    }
    return type;
}

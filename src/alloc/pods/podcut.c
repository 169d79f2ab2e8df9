#include "podcut.h"

#include <stdlib.h>

#include "array.h"
#include "grid.h"

/* ---- in one dimension ---- */

static bool is_ring (uint32_t size, tori_wiring wiring)
{
    return wiring == TORI_WIRE_TORUS && size > 1;
}

/* How many pieces there are if the first begins at `from`; 0 if a ring cannot
 * be closed so. */
static uint32_t pieces_along (uint32_t side, uint32_t size, uint32_t from,
                              tori_wiring wiring)
{
    if (is_ring (size, wiring) && (from > 0 || size % side != 0))
        return 0;
    return (uint32_t)(((uint64_t)from + size + side - 1) / side);
}

static struct podpart *put (struct podpart *parts, struct podpart *at,
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
        at = put (parts, at, (struct podpart){0, side, pieces, true, true},
                  linked);
    } else if (pieces == 1) {
        at =
            put (parts, at,
                 (struct podpart){from, from + size, 1, false, false}, linked);
    } else {
        at = put (parts, at, (struct podpart){from, side, 1, false, true},
                  linked);
        at = put (parts, at, (struct podpart){0, side, pieces - 2, true, true},
                  linked);
        at =
            put (parts, at, (struct podpart){0, last, 1, true, false}, linked);
    }
    return (int)(at - parts);
}

/* ---- all cuts ---- */

uint64_t podcut_fewest (const struct podspace *space, const tori_shape *shape,
                        tori_wiring wiring)
{
    uint64_t pieces = 1;
    for (int d = 0; d < space->ndims; d++) {
        uint64_t along =
            pieces_along (space->side[d], shape->size[d], 0, wiring);
        if (__builtin_mul_overflow (pieces, along, &pieces))
            return UINT64_MAX;
    }
    return pieces;
}

static uint32_t offset_along (const struct podspace *space, uint32_t offset,
                              int d)
{
    return grid_coord (space->machine, offset, space->machine->apart + d);
}

/* As podcut_fewest, from an offset; 0 for more than a pod has cubes. */
static uint32_t pieces_at (const struct podspace *space,
                           const tori_shape *shape, uint32_t offset,
                           tori_wiring wiring)
{
    uint64_t pieces = 1;
    for (int d = 0; d < space->ndims && pieces <= space->cubes; d++)
        pieces *= pieces_along (space->side[d], shape->size[d],
                                offset_along (space, offset, d), wiring);
    return pieces <= space->cubes ? (uint32_t)pieces : 0;
}

static int add_rotations (struct podcuts *cuts, const tori_request *request,
                          tori_error *err)
{
    tori_shape shape = request->shape;
    if (!request->fixed)
        tori_shape_sort (&shape);
    cuts->nrotations = 0;
    do {
        tori_shape *grown = array_room (cuts->rotation, &cuts->rotation_room,
                                        cuts->nrotations + 1, sizeof *grown);
        if (!grown)
            return tori_error_nomem (err);
        cuts->rotation = grown;
        cuts->rotation[cuts->nrotations++] = shape;
    } while (!request->fixed && tori_shape_next_rotation (&shape));
    return 0;
}

int podcuts_make (struct podcuts *cuts, const struct podspace *space,
                  const tori_request *request, tori_error *err)
{
    struct podcut *grown;
    if (add_rotations (cuts, request, err) < 0)
        return -1;
    grown = array_room (cuts->list, &cuts->room,
                        space->volume * cuts->nrotations, sizeof *grown);
    if (!grown)
        return tori_error_nomem (err);
    cuts->list = grown;
    cuts->n = 0;
    for (uint32_t o = 0; o < space->volume; o++)
        for (uint32_t r = 0; r < cuts->nrotations; r++) {
            uint32_t n =
                pieces_at (space, &cuts->rotation[r], o, request->wiring);
            if (n > 0)
                cuts->list[cuts->n++] = (struct podcut){o, r, n};
        }
    return 0;
}

void podcuts_clear (struct podcuts *cuts)
{
    free (cuts->rotation);
    free (cuts->list);
}

/* ---- one of them ---- */

/* Which part of each dimension the pieces of a type are. Only as much is
 * written as there are dimensions: there are many types. */
static void set_type (struct piece_type *type,
                      const struct podpattern *pattern,
                      const struct podspace *space, uint32_t number,
                      tori_wiring wiring)
{
    type->wires = (struct wires){.wiring = wiring};
    type->need = type->size = 1;
    for (int d = space->ndims - 1; d >= 0; d--) {
        uint32_t n = (uint32_t)pattern->parts[d];
        const struct podpart *part = &pattern->part[d][number % n];
        uint32_t bit = UINT32_C (1) << (space->machine->apart + d);
        type->first[d] = part->first;
        type->end[d] = part->end;
        type->need *= part->count;
        type->size *= part->end - part->first;
        type->wires.below |= part->below ? bit : 0;
        type->wires.above |= part->above ? bit : 0;
        number /= n;
    }
}

static int make_room (struct podpattern *pattern, const struct podspace *space,
                      tori_error *err)
{
    size_t n = pattern->ntypes;
    struct piece_type *types =
        array_room (pattern->type, &pattern->type_room, n, sizeof *types);
    uint64_t *masks;
    if (!types)
        return tori_error_nomem (err);
    pattern->type = types;
    masks = array_room (pattern->mask, &pattern->mask_room, n * space->words,
                        sizeof *masks);
    if (!masks)
        return tori_error_nomem (err);
    pattern->mask = masks;
    return 0;
}

/* The longest parts of a dimension, and how many pieces are of these. */
static void note_largest (struct podpattern *pattern, int d)
{
    uint32_t longest = 0, count = 0;
    for (int i = 0; i < pattern->parts[d]; i++) {
        const struct podpart *part = &pattern->part[d][i];
        uint32_t length = part->end - part->first;
        if (length > longest)
            count = 0;
        if (length >= longest) {
            longest = length;
            count += part->count;
        }
    }
    pattern->largest *= longest;
    pattern->nlargest *= count;
}

void podpattern_begin (struct podpattern *pattern,
                       const struct podspace *space, const tori_shape *shape,
                       uint32_t offset, tori_wiring wiring, bool linked)
{
    pattern->ntypes = pattern->largest = pattern->nlargest = 1;
    pattern->across.ndims = space->ndims;
    for (int d = 0; d < space->ndims; d++) {
        uint32_t from = offset_along (space, offset, d);
        uint32_t side = space->side[d], size = shape->size[d];
        uint32_t n = pieces_along (side, size, from, wiring);
        pattern->across.size[d] = n;
        pattern->parts[d] = make_parts (pattern->part[d], side, size, from, n,
                                        is_ring (size, wiring), linked);
        pattern->ntypes *= (size_t)pattern->parts[d];
        note_largest (pattern, d);
    }
}

int podpattern_open (struct podpattern *pattern, const struct podspace *space,
                     tori_wiring wiring, tori_error *err)
{
    if (make_room (pattern, space, err) < 0)
        return -1;
    for (size_t t = 0; t < pattern->ntypes; t++) {
        set_type (&pattern->type[t], pattern, space, (uint32_t)t, wiring);
        podspace_mask (space, pattern->type[t].first, pattern->type[t].end,
                       pattern->mask + t * space->words);
    }
    return 0;
}

void podpattern_clear (struct podpattern *pattern)
{
    free (pattern->type);
    free (pattern->mask);
}

/* Which part a piece is, the `at`-th along its dimension. */
static size_t part_of (const struct podpattern *pattern, int d, uint32_t at)
{
    size_t part = 0;
    while (at >= pattern->part[d][part].count)
        at -= pattern->part[d][part++].count;
    return part;
}

size_t podpattern_type (const struct podpattern *pattern, uint32_t i)
{
    size_t type = 0, step = 1;
    for (int d = pattern->across.ndims - 1; d >= 0; d--) {
        uint32_t n = pattern->across.size[d];
        type += step * part_of (pattern, d, i % n);
        step *= (size_t)pattern->parts[d];
        i /= n;
    }
    return type;
}

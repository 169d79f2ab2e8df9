#include "fold.h"

#include <stdlib.h>
#include <string.h>

#include "assign.h"
#include "compare.h"
#include "grid.h"

static int log2_up (uint32_t n)
{
    return n > 1 ? 32 - __builtin_clz (n - 1) : 0;
}

static bool is_cubic (const tori_shape *shape)
{
    for (int d = 0; d < shape->ndims; d++)
        if (shape->size[d] & (shape->size[d] - 1))
            return false;
    return true;
}

tori_shape fold_rounded_up (const tori_shape *shape)
{
    tori_shape up = {.ndims = shape->ndims};
    for (int d = 0; d < shape->ndims; d++)
        up.size[d] = UINT32_C (1) << log2_up (shape->size[d]);
    return up;
}

tori_box fold_subcube (const tori_machine *machine, const tori_box *box)
{
    tori_box subcube = *box;
    subcube.shape = fold_rounded_up (&box->shape);
    for (int d = 0; d < box->shape.ndims; d++) {
        uint32_t most = machine->shape.size[d] - box->origin[d];
        uint32_t side = box->shape.size[d]; /* more if the box wraps */
        if (subcube.shape.size[d] > most)
            subcube.shape.size[d] = side > most ? side : most;
    }
    return subcube;
}

static int log2_volume (const tori_shape *shape)
{
    int sum = 0;
    for (int d = 0; d < shape->ndims; d++)
        sum += log2_up (shape->size[d]);
    return sum;
}

struct fold_measure fold_measure (const tori_shape *shape,
                                  tori_noncubic noncubic)
{
    struct fold_measure measure = {.cubic = false};
    uint64_t volume;
    uint32_t other = 0; /* bits of sides that are not powers of two */
    for (int d = 0; d < shape->ndims; d++) {
        uint32_t side = shape->size[d];
        other |= side & (side - 1);
        measure.size += (unsigned)__builtin_ctz (side | UINT32_C (1) << 31);
    }
    if (!other && measure.size <= 30) {
        measure.cubic = true;
        measure.count = UINT32_C (1) << measure.size;
        return measure;
    }
    volume = tori_shape_volume (shape);
    if (volume <= TORI_MAX_NODES)
        measure.count = (uint32_t)volume;
    measure.size = noncubic == TORI_NONCUBIC_DECOMPOSE
                       ? (unsigned)log2_up (measure.count)
                       : (unsigned)log2_volume (shape);
    return measure;
}

/* ---- the fold ---- */

/* Dimensions by falling length, equal ones in order. */
static void by_length (const tori_shape *shape, int order[])
{
    for (int d = 0; d < shape->ndims; d++) {
        int i = d;
        for (; i > 0 && shape->size[order[i - 1]] < shape->size[d]; i--)
            order[i] = order[i - 1];
        order[i] = d;
    }
}

static void add_digit (struct fold *fold, int from, int at, int to, int bits)
{
    if (bits > 0)
        fold->digit[fold->n++] = (struct fold_digit){
            (uint8_t)bits, (uint8_t)from, (uint8_t)at, (uint8_t)to, 0};
}

/* Lay every side along its counterpart, as far as possible. Sets the number of
 * bits of each that are left over. */
static void lay_along (struct fold *fold, const tori_shape *logical,
                       const tori_shape *physical, int left[], int room[])
{
    int from[TORI_MAX_DIMS], to[TORI_MAX_DIMS];
    by_length (logical, from);
    by_length (physical, to);
    for (int d = 0; d < logical->ndims; d++)
        left[d] = log2_up (logical->size[d]);
    for (int d = 0; d < physical->ndims; d++)
        room[d] = log2_up (physical->size[d]);
    for (int i = 0; i < logical->ndims && i < physical->ndims; i++) {
        int bits = left[from[i]] < room[to[i]] ? left[from[i]] : room[to[i]];
        add_digit (fold, from[i], 0, to[i], bits);
        left[from[i]] -= bits;
        room[to[i]] -= bits;
    }
}

/* Put the bits that are left over where there is most room. */
static void fold_over (struct fold *fold, const tori_shape *logical,
                       const tori_shape *physical, int left[], int room[])
{
    for (int d = 0; d < logical->ndims; d++)
        while (left[d] > 0) {
            int to = 0, bits;
            for (int e = 1; e < physical->ndims; e++)
                if (room[e] > room[to])
                    to = e;
            bits = left[d] < room[to] ? left[d] : room[to];
            add_digit (fold, d, log2_up (logical->size[d]) - left[d], to,
                       bits);
            left[d] -= bits;
            room[to] -= bits;
        }
}

/* The shorter of two digits in a dimension has the lower place. */
static bool goes_lower (const struct fold *fold, int i, int j)
{
    const struct fold_digit *a = &fold->digit[i], *b = &fold->digit[j];
    return a->to == b->to
           && (a->bits < b->bits || (a->bits == b->bits && i < j));
}

/* The fold of one shape into another; their volumes are equal. */
static struct fold fold_of (const tori_shape *logical,
                            const tori_shape *physical)
{
    struct fold fold = {.n = 0};
    int left[TORI_MAX_DIMS], room[TORI_MAX_DIMS];
    lay_along (&fold, logical, physical, left, room);
    fold_over (&fold, logical, physical, left, room);
    for (int i = 0; i < fold.n; i++)
        for (int j = 0; j < fold.n; j++)
            if (goes_lower (&fold, j, i))
                fold.digit[i].shift = (uint8_t)(fold.digit[i].shift
                                                + fold.digit[j].bits);
    return fold;
}

/* To and fro: a digit counts down if the number above it is odd. */
static void fold_coords (const struct fold *fold, const uint32_t coords[],
                         uint32_t ret_coords[])
{
    for (int i = 0; i < fold->n; i++) {
        const struct fold_digit *digit = &fold->digit[i];
        uint32_t most = (UINT32_C (1) << digit->bits) - 1;
        uint32_t value = coords[digit->from] >> digit->at;
        bool back = value >> digit->bits & 1;
        value &= most;
        ret_coords[digit->to] += (back ? most - value : value) << digit->shift;
    }
}

uint32_t tori_fold_dilation (const tori_shape *shape, const tori_shape *box)
{
    tori_shape logical = fold_rounded_up (shape);
    tori_shape physical = fold_rounded_up (box);
    struct fold fold;
    uint32_t longest = 1;
    if (log2_volume (&logical) != log2_volume (&physical))
        return 0;
    fold = fold_of (&logical, &physical);
    for (int i = 0; i < fold.n; i++)
        if (UINT32_C (1) << fold.digit[i].shift > longest)
            longest = UINT32_C (1) << fold.digit[i].shift;
    return longest;
}

/* ---- maps ---- */

/* A part of the shape with sides of powers of two that goes into a box. */
struct fold_piece {
    uint32_t first[TORI_MAX_DIMS];
    tori_shape shape;
    tori_box box;
};

/* Count up in a shape, the last dimension fastest; false after the end. */
static bool step_coords (const tori_shape *shape, uint32_t coords[])
{
    for (int d = shape->ndims - 1; d >= 0; d--) {
        if (++coords[d] < shape->size[d])
            return true;
        coords[d] = 0;
    }
    return false;
}

/* Write the nodes of a piece that are in the shape. */
static void map_piece (const tori_machine *machine, const tori_shape *shape,
                       const struct fold_piece *piece, uint32_t nodes[])
{
    struct fold fold = fold_of (&piece->shape, &piece->box.shape);
    tori_shape inside = piece->shape;
    uint32_t coords[TORI_MAX_DIMS] = {0};
    for (int d = 0; d < shape->ndims; d++)
        if (inside.size[d] > shape->size[d] - piece->first[d])
            inside.size[d] = shape->size[d] - piece->first[d];
    do {
        uint32_t at[TORI_MAX_DIMS];
        size_t i = 0;
        for (int d = 0; d < machine->shape.ndims; d++)
            at[d] = piece->box.origin[d];
        fold_coords (&fold, coords, at);
        for (int d = 0; d < shape->ndims; d++)
            i = i * shape->size[d] + piece->first[d] + coords[d];
        nodes[i] = tori_machine_id (machine, at);
    } while (step_coords (&inside, coords));
}

/* The part of a box that has the addresses from `offset` on, 2^size of them:
 * bit by bit from the lowest, that is, halving by halving and in each the last
 * dimension first. */
static tori_box part_of_box (const tori_box *box, uint64_t offset, int size)
{
    tori_box part = *box;
    int i = 0;
    for (int d = 0; d < box->shape.ndims; d++)
        part.shape.size[d] = 1;
    for (int a = 0; a < 31; a++)
        for (int d = box->shape.ndims - 1; d >= 0; d--) {
            if (box->shape.size[d] >> a < 2)
                continue;
            if (i < size)
                part.shape.size[d] *= 2;
            else if (offset >> i & 1)
                part.origin[d] += UINT32_C (1) << a;
            i++;
        }
    return part;
}

/* The first piece of a shape, or the next: a digit of every side's binary
 * number, the highest first. */
static void start_piece (const tori_shape *shape, struct fold_piece *piece)
{
    piece->shape.ndims = shape->ndims;
    for (int d = 0; d < shape->ndims; d++) {
        piece->first[d] = 0;
        piece->shape.size[d]
            = UINT32_C (1) << (31 - __builtin_clz (shape->size[d]));
    }
}

static bool next_piece (const tori_shape *shape, struct fold_piece *piece)
{
    for (int d = shape->ndims - 1; d >= 0; d--) {
        uint32_t rest;
        piece->first[d] += piece->shape.size[d];
        rest = shape->size[d] - piece->first[d];
        if (rest == 0)
            piece->first[d] = 0;
        rest = shape->size[d] - piece->first[d];
        piece->shape.size[d] = UINT32_C (1) << (31 - __builtin_clz (rest));
        if (piece->first[d] > 0)
            return true;
    }
    return false;
}

/* The pieces by falling size, one after another. */
static void map_pieces (const tori_machine *machine, const tori_shape *shape,
                        const tori_box *box, uint32_t nodes[])
{
    uint64_t offset = 0;
    for (int size = log2_volume (shape); size >= 0; size--) {
        struct fold_piece piece;
        start_piece (shape, &piece);
        do {
            if (log2_volume (&piece.shape) != size)
                continue;
            piece.box = part_of_box (box, offset, size);
            map_piece (machine, shape, &piece, nodes);
            offset += UINT64_C (1) << size;
        } while (next_piece (shape, &piece));
    }
}

/* Into a box of as many nodes as the shape has rounded up. */
static void map_whole (const tori_machine *machine, const tori_shape *shape,
                       const tori_box *box, uint32_t nodes[])
{
    struct fold_piece whole = {.shape = fold_rounded_up (shape), .box = *box};
    map_piece (machine, shape, &whole, nodes);
}

/* ---- the length of steps ---- */

void tori_fold_steps (const tori_machine *machine, const tori_shape *shape,
                      const uint32_t map[], uint32_t *ret_longest,
                      double *ret_average)
{
    uint32_t n = (uint32_t)tori_shape_volume (shape), longest = 0, stride = 1;
    uint64_t sum = 0, steps = 0;
    for (int d = shape->ndims - 1; d >= 0; d--) {
        for (uint32_t i = 0; i + stride < n; i++) {
            uint32_t hops;
            if (i / stride % shape->size[d] + 1 == shape->size[d])
                continue;
            hops = tori_machine_distance (machine, map[i], map[i + stride]);
            longest = hops > longest ? hops : longest;
            sum += hops;
            steps++;
        }
        stride *= shape->size[d];
    }
    *ret_longest = longest;
    *ret_average = steps ? (double)sum / (double)steps : 0;
}

/* ---- maps onto sets of nodes ---- */

/* Whether a map is onto the nodes of a placement. */
static int same_nodes (const tori_placement *place, const uint32_t map[],
                       tori_error *err)
{
    size_t bytes = place->count * sizeof *map;
    uint32_t *ids = malloc (bytes);
    int same;
    if (!ids)
        return tori_error_nomem (err);
    memcpy (ids, map, bytes);
    qsort (ids, place->count, sizeof *ids, compare_ids);
    same = memcmp (ids, place->nodes, bytes) == 0;
    free (ids);
    return same;
}

static bool has_shorter_steps (const tori_machine *machine,
                               const tori_shape *shape, const uint32_t a[],
                               const uint32_t b[])
{
    uint32_t most[2];
    double average[2];
    tori_fold_steps (machine, shape, a, &most[0], &average[0]);
    tori_fold_steps (machine, shape, b, &most[1], &average[1]);
    return most[0] < most[1]
           || (most[0] == most[1] && average[0] < average[1]);
}

/* The best known map for a set of nodes: `map` as it is if it is onto them,
 * the halves of the halves, and either of them improved. */
static int map_any (const tori_machine *machine, const tori_shape *shape,
                    const tori_placement *place, bool given, uint32_t map[],
                    tori_error *err)
{
    size_t bytes = place->count * sizeof *map;
    uint32_t *other = malloc (bytes);
    int status = -1;
    if (!other)
        return tori_error_nomem (err);
    for (int i = 0; i < 2; i++) {
        if (i == 0 && given)
            memcpy (other, map, bytes);
        else if (assign_halving (machine, shape, place->nodes, other, err) < 0)
            goto done;
        if (i == 0 && !given)
            memcpy (map, other, bytes);
        if (assign_mend (machine, shape, place->nodes, other, err) < 0)
            goto done;
        if (has_shorter_steps (machine, shape, other, map))
            memcpy (map, other, bytes);
    }
    status = 0;
done:
    free (other);
    return status;
}

/* Map a placement that is a list. */
static int map_list (const tori_machine *machine, const tori_shape *shape,
                     const tori_placement *place, uint32_t map[],
                     tori_error *err)
{
    const tori_shape *box = &place->box.shape;
    bool pieces = log2_volume (box) == log2_up (place->count);
    int same = 0;
    if (is_cubic (box) && log2_volume (box) == log2_volume (shape)) {
        map_whole (machine, shape, &place->box, map);
        same = same_nodes (place, map, err);
        if (same)
            return same < 0 ? -1 : 0;
    }
    if (is_cubic (box) && pieces) {
        map_pieces (machine, shape, &place->box, map);
        same = same_nodes (place, map, err);
    }
    return same < 0 ? -1 : map_any (machine, shape, place, same, map, err);
}

/* ---- straight ---- */

/* The sides of the shape in this order along those of the box. */
static bool lay_straight (const tori_shape *shape, const int from[],
                          const tori_shape *box, tori_shape *ret_shape)
{
    int to[TORI_MAX_DIMS];
    by_length (box, to);
    *ret_shape = (tori_shape){.ndims = box->ndims};
    for (int i = 0; i < shape->ndims || i < box->ndims; i++) {
        uint32_t side = i < shape->ndims ? shape->size[from[i]] : 1;
        if (i < box->ndims ? side > box->size[to[i]] : side > 1)
            return false;
        if (i < box->ndims)
            ret_shape->size[to[i]] = side;
    }
    return true;
}

bool fold_straight (const tori_shape *shape, const tori_shape *box,
                    tori_shape *ret_shape)
{
    tori_shape up = fold_rounded_up (shape);
    int from[TORI_MAX_DIMS];
    by_length (&up, from);
    if (lay_straight (shape, from, box, ret_shape))
        return true;
    by_length (shape, from);
    return lay_straight (shape, from, box, ret_shape);
}

/* Along the sides of a box at its low corner. */
static void map_straight (const tori_machine *machine, const tori_shape *shape,
                          const tori_box *box, uint32_t nodes[])
{
    uint32_t coords[TORI_MAX_DIMS] = {0};
    int from[TORI_MAX_DIMS], to[TORI_MAX_DIMS];
    size_t i = 0;
    by_length (shape, from);
    by_length (&box->shape, to);
    do {
        uint32_t at[TORI_MAX_DIMS];
        for (int d = 0; d < box->shape.ndims; d++)
            at[d] = box->origin[d];
        for (int k = 0; k < shape->ndims && k < box->shape.ndims; k++)
            at[to[k]] += coords[from[k]];
        nodes[i++] = tori_machine_id (machine, at);
    } while (step_coords (shape, coords));
}

int tori_fold_map (const tori_machine *machine, const tori_shape *shape,
                   tori_noncubic noncubic, const tori_placement *place,
                   uint32_t nodes[], tori_error *err)
{
    const tori_shape *box = &place->box.shape;
    struct fold_measure measure = fold_measure (shape, noncubic);
    tori_shape straight;
    if (measure.count == 0 || place->count != measure.count
        || place->nboxes > 1 || box->ndims != machine->shape.ndims
        || (place->nboxes && tori_shape_volume (box) != measure.count))
        goto other;
    if (!place->nboxes)
        return map_list (machine, shape, place, nodes, err);
    if (fold_straight (shape, box, &straight))
        map_straight (machine, shape, &place->box, nodes);
    else if (measure.cubic && is_cubic (box))
        map_whole (machine, shape, &place->box, nodes);
    else
        goto other;
    return 0;
other:
    return tori_error_set (err, TORI_INVALID,
                           "the placement is not a fold of the shape");
}

/* ---- placements ---- */

/* The first nodes of a box by address. */
static void first_nodes (const tori_machine *machine, const tori_box *box,
                         uint32_t n, uint32_t nodes[])
{
    for (uint32_t offset = 0; offset < n;) {
        int size = 31 - __builtin_clz (n - offset);
        tori_box part = part_of_box (box, offset, size);
        struct runs runs = runs_of_box (machine, &part);
        uint64_t first, count;
        while (runs_next (&runs, &first, &count))
            for (uint64_t i = 0; i < count; i++)
                nodes[offset++] = (uint32_t)(first + i);
    }
}

/* Whether the nodes of a shape are those of its rounded shape that are in it.
 * If they are cut out of a fold with steps of more than one hop, they need not
 * be connected, as those of a decomposed shape must. */
static bool as_rounded (const tori_shape *shape, tori_noncubic noncubic,
                        const tori_shape *box)
{
    uint32_t hops = tori_fold_dilation (shape, box);
    return noncubic == TORI_NONCUBIC_DECOMPOSE ? hops == 1 : hops > 0;
}

static int list_nodes (const tori_machine *machine, const tori_shape *shape,
                       tori_noncubic noncubic, tori_placement *place,
                       tori_error *err)
{
    uint32_t *nodes = malloc (place->count * sizeof *nodes);
    if (!nodes)
        return tori_error_nomem (err);
    if (as_rounded (shape, noncubic, &place->box.shape))
        map_whole (machine, shape, &place->box, nodes);
    else
        first_nodes (machine, &place->box, place->count, nodes);
    qsort (nodes, place->count, sizeof *nodes, compare_ids);
    place->nodes = nodes;
    return 0;
}

int fold_place (const tori_machine *machine, const tori_shape *shape,
                tori_noncubic noncubic, tori_placement *place,
                tori_error *err)
{
    struct fold_measure measure = fold_measure (shape, noncubic);
    tori_shape straight;
    *place = (tori_placement){
        .nboxes = measure.cubic, .box = place->box, .count = measure.count};
    if (!measure.cubic
        && fold_straight (shape, &place->box.shape, &straight)) {
        place->nboxes = 1;
        place->box.shape = straight;
    }
    return place->nboxes ? 0
                         : list_nodes (machine, shape, noncubic, place, err);
}

/* other_shapes.c - boxes that a job could have instead of its own.
 *
 * Sides go upwards, from the shortest dimension of the machine to the longest:
 * a shape fits in some rotation if and only if its sides do so in ascending
 * order. */
#include <tori/workload.h>

#include "build.h"

struct other_search {
    int ndims;
    tori_shape longest;   /* of the machine, in ascending order */
    uint64_t least, most; /* volumes */
    tori_shape own; /* left out; its sides are in ascending order */
    tori_shape at;  /* the sides so far */
    tori_shape *best;
    size_t n, room;
};

static uint64_t sum_sides (const tori_shape *shape)
{
    uint64_t sum = 0;
    for (int d = 0; d < shape->ndims; d++)
        sum += shape->size[d];
    return sum;
}

/* Whether a shape is to be tried before another: the smaller one, then the
 * more compact one, then the first in lexicographic order. */
static bool goes_first (const tori_shape *a, const tori_shape *b)
{
    uint64_t volumes[2] = {tori_shape_volume (a), tori_shape_volume (b)};
    uint64_t sums[2] = {sum_sides (a), sum_sides (b)};
    int d = 0;
    if (volumes[0] != volumes[1])
        return volumes[0] < volumes[1];
    if (sums[0] != sums[1])
        return sums[0] < sums[1];
    while (d < a->ndims - 1 && a->size[d] == b->size[d])
        d++;
    return a->size[d] < b->size[d];
}

static void keep_shape (struct other_search *s)
{
    size_t i = s->n;
    if (tori_shape_equal (&s->at, &s->own)
        || (s->n == s->room
            && (s->room == 0 || !goes_first (&s->at, &s->best[s->n - 1]))))
        return;
    if (s->n == s->room)
        i--;
    else
        s->n++;
    for (; i > 0 && goes_first (&s->at, &s->best[i - 1]); i--)
        s->best[i] = s->best[i - 1];
    s->best[i] = s->at;
}

/* The shortest side of a dimension that can lead to the least volume. */
static uint64_t shortest_side (const struct other_search *s, int dim,
                               uint64_t volume)
{
    uint64_t before = dim > 0 ? s->at.size[dim - 1] : 1, side;
    for (int d = dim + 1; d < s->ndims && volume < s->least; d++)
        volume *= s->longest.size[d];
    side = (s->least + volume - 1) / volume;
    return side > before ? side : before;
}

/* Whether the later sides, which are no shorter, keep within the volume. */
static bool is_within (const struct other_search *s, int dim, uint64_t volume,
                       uint64_t side)
{
    for (int d = dim; d < s->ndims && volume <= s->most; d++)
        volume *= side;
    return volume <= s->most;
}

/* Try all sides of a dimension, given the volume of those before. Of shapes
 * that differ only in the last side, the shorter go first. */
static void try_sides (struct other_search *s, int dim, uint64_t volume)
{
    uint64_t side = shortest_side (s, dim, volume);
    size_t last = s->room + 1; /* one may be the shape itself */
    for (; side <= s->longest.size[dim] && is_within (s, dim, volume, side)
           && last > 0;
         side++) {
        s->at.size[dim] = (uint32_t)side;
        if (dim < s->ndims - 1) {
            try_sides (s, dim + 1, volume * side);
            continue;
        }
        keep_shape (s);
        last--;
    }
}

size_t tori_shape_others (const tori_machine *machine, const tori_shape *shape,
                          uint64_t most, tori_shape *ret_shapes, size_t room)
{
    tori_shape sides = longest_sides (machine);
    struct other_search s = {.ndims = sides.ndims,
                             .longest = sides,
                             .least = tori_shape_volume (shape),
                             .most = most,
                             .own = *shape,
                             .at.ndims = sides.ndims,
                             .best = ret_shapes,
                             .room = room};
    if (shape->ndims != sides.ndims || s.least == 0)
        return 0;
    if (s.most < s.least)
        s.most = s.least;
    tori_shape_sort (&s.longest);
    tori_shape_sort (&s.own);
    try_sides (&s, 0, 1);
    return s.n;
}

/* missing.c - the box of a shape with the fewest nodes that are not free.
 *
 * A table of sums gives the number of such nodes in any box of three
 * dimensions with eight looks. A block of origins is examined as a whole
 * first: the part that all its boxes have in common misses no more nodes than
 * any of them. If that is too many already, none of the block is examined, or
 * else both of its halves are. A box that is large, as those that wait are,
 * thus takes some hundred looks, however many origins there are.
 *
 * Dimensions before the last three are summed up beforehand, line by line: a
 * sum along a line slides. */
#include "missing.h"

#include <stdlib.h>
#include <string.h>

/* ---- sums ---- */

static void lay_out (struct missing *it)
{
    int ndims = tori_machine_ndims (it->machine);
    uint32_t stride = 1, row = 1;
    it->outer = ndims > 3 ? ndims - 3 : 0;
    for (int i = 2; i >= 0; i--) {
        int d = ndims - 3 + i;
        it->size[i] = d >= 0 ? tori_machine_size (it->machine, d) : 1;
        it->step[i] = stride;
        it->row[i] = row;
        stride *= it->size[i];
        row *= it->size[i] + 1;
    }
    it->nodes = stride;
    it->slab = row;
}

int missing_create (const tori_state *state, struct missing *ret_missing,
                    tori_error *err)
{
    const tori_machine *machine = tori_state_machine (state);
    uint32_t n = tori_machine_nodes (machine);
    struct missing it = {.machine = machine};
    lay_out (&it);
    it.held = malloc (n * sizeof *it.held);
    it.sums = malloc (n * sizeof *it.sums);
    it.line = malloc (n * sizeof *it.line);
    it.table = calloc ((size_t)(n / it.nodes) * it.slab, sizeof *it.table);
    if (!it.held || !it.sums || !it.line || !it.table) {
        missing_clear (&it);
        return tori_error_nomem (err);
    }
    for (uint32_t i = 0; i < n; i++)
        it.held[i] = !tori_state_is_free (state, i);
    *ret_missing = it;
    return 0;
}

void missing_clear (struct missing *missing)
{
    free (missing->held);
    free (missing->sums);
    free (missing->line);
    free (missing->table);
    *missing = (struct missing){0};
}

/* Replace a line by its sums over `side` numbers, round the end. */
static void slide_sums (const struct missing *it, uint32_t *first,
                        uint32_t stride, uint32_t length, uint32_t side)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < length; i++)
        it->line[i] = first[i * stride];
    for (uint32_t i = 0; i < side; i++)
        sum += it->line[i];
    for (uint32_t i = 0; i < length; i++) {
        uint32_t next = i + side < length ? i + side : i + side - length;
        first[i * stride] = sum;
        sum += it->line[next] - it->line[i];
    }
}

/* Sum up the outer dimensions of a shape. Returns the sums. */
static const uint32_t *sum_outer (const struct missing *it,
                                  const tori_shape *shape)
{
    uint32_t n = tori_machine_nodes (it->machine), stride = it->nodes;
    if (it->outer == 0)
        return it->held;
    memcpy (it->sums, it->held, n * sizeof *it->sums);
    for (int d = it->outer - 1; d >= 0; d--) {
        uint32_t length = tori_machine_size (it->machine, d);
        uint32_t block = stride * length, side = shape->size[d];
        for (uint32_t at = 0; side > 1 && at < n; at += block)
            for (uint32_t i = 0; i < stride; i++)
                slide_sums (it, it->sums + at + i, stride, length, side);
        stride = block;
    }
    return it->sums;
}

/* Fill one slab of the table. Its numbers with a coordinate of 0 stay 0. */
static void fill_slab (const struct missing *it, const uint32_t *from,
                       uint32_t *to)
{
    for (uint32_t x = 1; x <= it->size[0]; x++)
        for (uint32_t y = 1; y <= it->size[1]; y++) {
            uint32_t *at = to + x * it->row[0] + y * it->row[1];
            const uint32_t *before = at - it->row[0];
            const uint32_t *above = at - it->row[1];
            const uint32_t *both = before - it->row[1];
            uint32_t sum = 0;
            for (uint32_t z = 1; z <= it->size[2]; z++) {
                sum += *from++;
                at[z] = sum + before[z] + above[z] - both[z];
            }
        }
}

/* Without outer dimensions the table is the same for all shapes. */
static void fill_table (struct missing *it, const tori_shape *shape)
{
    uint32_t n = tori_machine_nodes (it->machine) / it->nodes;
    const uint32_t *sums;
    if (it->tabled)
        return;
    sums = sum_outer (it, shape);
    for (uint32_t i = 0; i < n; i++)
        fill_slab (it, sums + (size_t)i * it->nodes,
                   it->table + (size_t)i * it->slab);
    it->tabled = it->outer == 0;
}

/* ---- boxes ---- */

/* A range of the last three dimensions in each of them, from `from` up to
 * `to`. */
struct span3 {
    uint32_t from[3], to[3];
};

/* The sum of a box inside the machine. */
static uint32_t sum_inside (const struct missing *it, const uint32_t *slab,
                            const struct span3 *box)
{
    const uint32_t *low = slab + box->from[0] * it->row[0];
    const uint32_t *high = slab + box->to[0] * it->row[0];
    uint32_t a = box->from[1] * it->row[1], b = box->to[1] * it->row[1];
    uint32_t from = box->from[2], to = box->to[2];
    return high[b + to] - high[b + from] - high[a + to] + high[a + from]
           - low[b + to] + low[b + from] + low[a + to] - low[a + from];
}

/* The sum of a box that may go round, in the dimensions from d on. */
static uint32_t sum_round (const struct missing *it, const uint32_t *slab,
                           struct span3 box, int d)
{
    struct span3 rest;
    while (d < 3 && box.to[d] <= it->size[d])
        d++;
    if (d == 3)
        return sum_inside (it, slab, &box);
    rest = box;
    box.to[d] = it->size[d];
    rest.from[d] = 0;
    rest.to[d] -= it->size[d];
    return sum_round (it, slab, box, d + 1)
           + sum_round (it, slab, rest, d + 1);
}

/* ---- the search ---- */

struct candidate_place {
    uint32_t origin; /* its id */
    uint32_t n;
    tori_shape shape;
};

struct place_search {
    const struct missing *it;
    const tori_shape *shape;
    uint32_t side[3];
    const uint32_t *slab; /* of the table */
    uint32_t base;        /* id of its first node */
    struct candidate_place *best;
};

/* A block of origins, and how many nodes each of its boxes misses at least. */
struct block {
    struct span3 origins;
    uint32_t least;
    uint32_t first; /* id of the first */
};

/* The nodes that all boxes of a block have in common are missing in each. */
static void bound_block (const struct place_search *search,
                         struct block *block)
{
    struct span3 common;
    const uint32_t *from = block->origins.from, *to = block->origins.to;
    block->least = 0;
    block->first = search->base;
    for (int i = 0; i < 3; i++)
        block->first += from[i] * search->it->step[i];
    for (int i = 0; i < 3; i++) {
        common.from[i] = to[i] - 1;
        common.to[i] = from[i] + search->side[i];
        if (common.from[i] >= common.to[i])
            return;
    }
    block->least = sum_round (search->it, search->slab, common, 0);
}

/* Whether a block may have a better place: fewer nodes, or an earlier origin.
 * Rotations come in their order. */
static bool is_promising (const struct place_search *search,
                          const struct block *block)
{
    const struct candidate_place *best = search->best;
    return block->least < best->n
           || (block->least == best->n && block->first < best->origin);
}

/* The dimension in which a block is longest, compared with the box; -1 if it
 * is a single origin. */
static int longest_side (const struct place_search *search,
                         const struct block *block)
{
    uint64_t length = 0, side = 1;
    int longest = -1;
    for (int i = 0; i < 3; i++) {
        uint64_t n = block->origins.to[i] - block->origins.from[i];
        if (n > 1 && (longest < 0 || n * side > length * search->side[i])) {
            longest = i;
            length = n;
            side = search->side[i];
        }
    }
    return longest;
}

/* Examine the half that promises more first. */
static void search_block (const struct place_search *search,
                          const struct block *block)
{
    struct block half[2] = {*block, *block};
    int i = longest_side (search, block), first;
    uint32_t middle;
    if (i < 0) {
        *search->best = (struct candidate_place){block->first, block->least,
                                                 *search->shape};
        return;
    }
    middle = block->origins.from[i]
             + (block->origins.to[i] - block->origins.from[i]) / 2;
    half[0].origins.to[i] = half[1].origins.from[i] = middle;
    bound_block (search, &half[0]);
    bound_block (search, &half[1]);
    first = half[1].least < half[0].least;
    if (is_promising (search, &half[first]))
        search_block (search, &half[first]);
    if (is_promising (search, &half[!first]))
        search_block (search, &half[!first]);
}

/* Whether a box may go round in a dimension. */
static bool goes_round (const tori_machine *machine, int dim, bool wrap)
{
    return wrap && tori_machine_wraps (machine, dim);
}

/* Whether a box of this shape may begin at this node, by its outer
 * coordinates. */
static bool may_begin (const struct missing *it, const tori_shape *shape,
                       uint32_t node, bool wrap)
{
    uint32_t origin[TORI_MAX_DIMS];
    tori_machine_coords (it->machine, node, origin);
    for (int d = 0; d < it->outer; d++)
        if (origin[d] + shape->size[d] > tori_machine_size (it->machine, d)
            && !goes_round (it->machine, d, wrap))
            return false;
    return true;
}

/* Search one shape, slab by slab. */
static void weigh_places (struct missing *it, const tori_shape *shape,
                          bool wrap, struct candidate_place *best)
{
    uint32_t n = tori_machine_nodes (it->machine) / it->nodes;
    int inner = shape->ndims - 3;
    struct place_search search = {.it = it, .shape = shape, .best = best};
    struct block block = {0};
    fill_table (it, shape);
    for (int i = 0; i < 3; i++) {
        int d = inner + i;
        search.side[i] = d >= 0 ? shape->size[d] : 1;
        block.origins.to[i] = d >= 0 && goes_round (it->machine, d, wrap)
                                  ? it->size[i]
                                  : it->size[i] - search.side[i] + 1;
    }
    for (uint32_t i = 0; i < n; i++) {
        search.base = i * it->nodes;
        search.slab = it->table + (size_t)i * it->slab;
        bound_block (&search, &block);
        if (may_begin (it, shape, search.base, wrap)
            && is_promising (&search, &block))
            search_block (&search, &block);
    }
}

bool missing_least (struct missing *it, const tori_request *request,
                    tori_box *ret_box, uint32_t *ret_n)
{
    struct candidate_place best = {.origin = UINT32_MAX, .n = UINT32_MAX};
    tori_shape shape = request->shape;
    if (shape.ndims != tori_machine_ndims (it->machine))
        return false;
    if (!request->fixed)
        tori_shape_sort (&shape);
    do
        if (tori_shape_fits (&shape, it->machine)
            && tori_wiring_possible (it->machine, &shape, request->wiring))
            weigh_places (it, &shape, request->wrap, &best);
    while (!request->fixed && tori_shape_next_rotation (&shape));
    if (best.origin == UINT32_MAX)
        return false;
    tori_machine_coords (it->machine, best.origin, ret_box->origin);
    ret_box->shape = best.shape;
    *ret_n = best.n;
    return true;
}

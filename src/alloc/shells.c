#include "shells.h"

#include <stdlib.h>
#include <string.h>

#include "bits.h"
#include "marks.h"

/* Centres go in blocks of so many along a row of the last dimension. */
enum { LANES = 8 };

/* A dimension, and how far the core goes from the centre in it. */
struct axis {
    int dim;
    uint32_t size;
    bool wraps;
    size_t step; /* between neighbours in the table; of the last one 1 */
    uint32_t before, behind;
};

/* Rows of the table to add and to subtract. */
struct terms {
    const uint32_t **rows[2];
    size_t n[2];
    size_t room; /* of each */
};

typedef uint32_t quad __attribute__ ((vector_size (16)));
typedef uint64_t pair __attribute__ ((vector_size (16)));

#define NOT_FREE (UINT64_C (1) << 63)

/* Eight centres: what they cost so far; beyond all bounds if not free. */
struct block {
    pair cost[LANES / 2];
    quad mask[LANES / 4]; /* all ones where free */
    uint32_t first;       /* coordinate in the row */
};

struct best {
    uint64_t cost;
    uint32_t node;
    tori_shape core;
};

/* The table holds, for every node, how many free nodes have no coordinate
 * greater than its own: but for the edges, the count in a box is the sum over
 * its corners with alternating signs. The rows are padded by a block in front
 * and behind, so that blocks may stick out: on a mesh by zeros and by the
 * row's sum, on a torus by how it goes on, and then by a block of the row's
 * sum. Sums and differences of rows keep the padding right. */
struct shells {
    const tori_machine *machine;
    struct axis axes[TORI_MAX_DIMS]; /* dimensions longer than 1, or one */
    int naxes;
    uint32_t length; /* of a row */
    size_t nrows, pitch;
    uint32_t *table;
    struct terms terms[2];
    struct block *blocks;
    struct block **live;
    uint64_t *inner; /* a set of nodes, empty between calls */

    const uint64_t *free;
    uint32_t k;
    const tori_shape *core; /* the one in use */
    struct best best;
};

/* ---- create and destroy ---- */

void shells_destroy (void *data)
{
    struct shells *shells = data;
    if (!shells)
        return;
    for (int i = 0; i < 4; i++)
        free (shells->terms[i / 2].rows[i % 2]);
    free (shells->table);
    free (shells->blocks);
    free (shells->live);
    free (shells->inner);
    free (shells);
}

/* Dimensions of one node are left out, but the last if there is no other. */
static void find_axes (struct shells *shells)
{
    const tori_shape *sides = &shells->machine->shape;
    size_t step;
    for (int d = 0; d < sides->ndims; d++)
        if (sides->size[d] > 1
            || (d == sides->ndims - 1 && shells->naxes == 0))
            shells->axes[shells->naxes++] = (struct axis){
                .dim = d, .size = sides->size[d],
                .wraps = tori_machine_wraps (shells->machine, d)};
    shells->length = shells->axes[shells->naxes - 1].size;
    shells->nrows = shells->machine->nodes / shells->length;
    shells->pitch = (shells->length + LANES - 1) / LANES * LANES + 3 * LANES;
    step = shells->pitch;
    for (int i = shells->naxes - 2; i >= 0; i--) {
        shells->axes[i].step = step;
        step *= shells->axes[i].size;
    }
}

int shells_create (const tori_machine *machine, void **ret_shells,
                   tori_error *err)
{
    struct shells *shells = calloc (1, sizeof *shells);
    size_t nblocks;
    if (!shells)
        return tori_error_nomem (err);
    shells->machine = machine;
    find_axes (shells);
    nblocks = (shells->length + LANES - 1) / LANES;
    shells->table = malloc (shells->nrows * shells->pitch
                            * sizeof *shells->table);
    shells->blocks = malloc (nblocks * sizeof *shells->blocks);
    shells->live = malloc (nblocks * sizeof *shells->live);
    shells->inner = calloc (bits_words (machine->nodes),
                            sizeof *shells->inner);
    if (!shells->table || !shells->blocks || !shells->live
        || !shells->inner) {
        shells_destroy (shells);
        return tori_error_nomem (err);
    }
    *ret_shells = shells;
    return 0;
}

/* ---- the table ---- */

/* Where a row begins behind its padding. */
static uint32_t *row_at (const struct shells *shells, size_t row)
{
    return shells->table + row * shells->pitch + LANES;
}

/* Where a row has its sum, a whole block of it. */
static size_t sum_at (const struct shells *shells)
{
    return shells->pitch - 2 * LANES;
}

/* The sums of one row by itself. */
static void sum_row (const struct shells *shells, uint64_t first,
                     uint32_t *row)
{
    uint32_t sum = 0;
    for (uint32_t z = 0; z < shells->length; z += 64) {
        unsigned n = shells->length - z < 64 ? shells->length - z : 64;
        uint64_t word = bits_get (shells->free, first + z, n);
        for (unsigned i = 0; i < n; i++) {
            sum += word >> i & 1;
            row[z + i] = sum;
        }
    }
}

static void pad_row (const struct shells *shells, uint32_t *row)
{
    ptrdiff_t n = shells->length, end = (ptrdiff_t)sum_at (shells);
    uint32_t sum = row[n - 1];
    bool wraps = shells->axes[shells->naxes - 1].wraps;
    for (ptrdiff_t z = n; z < end; z++)
        row[z] = wraps ? row[z - n] + sum : sum;
    for (ptrdiff_t z = -1; z >= -LANES; z--)
        row[z] = wraps ? row[z + n] - sum : 0;
    for (ptrdiff_t z = end; z < end + LANES; z++)
        row[z] = sum;
}

static void add_slice (uint32_t *restrict to, const uint32_t *restrict from,
                       size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] += from[i];
}

/* Sum up along one of the other dimensions, whole slices at a time. */
static void sum_axis (const struct shells *shells, const struct axis *axis)
{
    size_t slices = shells->nrows * shells->pitch / axis->step;
    for (size_t i = 0; i < slices; i++)
        if (i % axis->size)
            add_slice (shells->table + i * axis->step,
                       shells->table + (i - 1) * axis->step, axis->step);
}

static void make_table (struct shells *shells)
{
    for (size_t r = 0; r < shells->nrows; r++) {
        uint32_t *row = row_at (shells, r);
        sum_row (shells, (uint64_t)r * shells->length, row);
        pad_row (shells, row);
    }
    for (int i = 0; i < shells->naxes - 1; i++)
        sum_axis (shells, &shells->axes[i]);
}

void shells_start (struct shells *shells, const tori_state *state, uint32_t k)
{
    shells->free = state->free;
    shells->k = k;
    shells->best = (struct best){.cost = NOT_FREE};
    make_table (shells);
}

/* ---- boxes ---- */

/* The nodes of an interval of a dimension as sums up to these coordinates: to
 * add and to subtract. */
struct span {
    uint32_t plus[2], minus;
    int nplus, nminus;
};

/* The core at coordinate `at` of an axis, grown by s. */
static struct span span_of (const struct axis *axis, uint32_t at, uint32_t s)
{
    int64_t size = axis->size, low = (int64_t)at - axis->before - s - 1,
            high = (int64_t)at + axis->behind + s;
    struct span span = {.plus = {axis->size - 1, axis->size - 1}, .nplus = 1};
    if (axis->wraps ? high - low >= size : high >= size && low < 0)
        return span;
    if (axis->wraps && (high >= size || low < -1)) {
        span.nplus = 2;
        low = low < -1 ? low + size : low;
        high = high >= size ? high - size : high;
    }
    span.plus[0] = high < size ? (uint32_t)high : axis->size - 1;
    span.minus = (uint32_t)low;
    span.nminus = low >= 0;
    return span;
}

static int terms_room (struct terms *terms, size_t room, tori_error *err)
{
    if (room <= terms->room)
        return 0;
    for (int i = 0; i < 2; i++) {
        const uint32_t **rows = realloc (terms->rows[i], room * sizeof *rows);
        if (!rows)
            return tori_error_nomem (err);
        terms->rows[i] = rows;
    }
    terms->room = room;
    return 0;
}

/* Append the rows of one list, moved by an offset, to another. */
static void terms_append (struct terms *to, int to_list,
                          const struct terms *from, int from_list,
                          size_t offset)
{
    const uint32_t **rows = to->rows[to_list] + to->n[to_list];
    for (size_t i = 0; i < from->n[from_list]; i++)
        rows[i] = from->rows[from_list][i] + offset;
    to->n[to_list] += from->n[from_list];
}

/* Terms of boxes that end anywhere in a dimension from those of boxes that
 * begin at 0 in it. */
static int terms_multiply (struct terms *to, const struct terms *from,
                           const struct span *span, size_t step,
                           tori_error *err)
{
    if (terms_room (to, 3 * (from->n[0] + from->n[1]), err) < 0)
        return -1;
    to->n[0] = to->n[1] = 0;
    for (int list = 0; list < 2; list++) {
        for (int i = 0; i < span->nplus; i++)
            terms_append (to, list, from, list, span->plus[i] * step);
        if (span->nminus)
            terms_append (to, !list, from, list, span->minus * step);
    }
    return 0;
}

/* The rows that make up the core at these coordinates, grown by s, but for
 * the extent along the row. Where a box has its dimension to itself nothing
 * is to be subtracted, so that even in many dimensions there are few rows. */
static struct terms *find_terms (struct shells *shells,
                                 const uint32_t coords[], uint32_t s,
                                 tori_error *err)
{
    struct terms *terms = &shells->terms[0], *other = &shells->terms[1];
    if (terms_room (terms, 1, err) < 0)
        return NULL;
    terms->rows[0][0] = row_at (shells, 0);
    terms->n[0] = 1;
    terms->n[1] = 0;
    for (int i = 0; i < shells->naxes - 1; i++) {
        const struct axis *axis = &shells->axes[i];
        struct span span = span_of (axis, coords[i], s);
        struct terms *done = terms;
        if (terms_multiply (other, terms, &span, axis->step, err) < 0)
            return NULL;
        terms = other;
        other = done;
    }
    return terms;
}

/* Where in a row to read for a block of centres: + high - low, and + the sum
 * of the row if the boxes wrap. */
struct reach {
    ptrdiff_t high, low;
    bool wrapped;
};

static struct reach reach_of (const struct shells *shells, uint32_t first,
                              uint32_t s)
{
    const struct axis *axis = &shells->axes[shells->naxes - 1];
    ptrdiff_t n = axis->size, sum = (ptrdiff_t)sum_at (shells);
    struct reach reach = {.high = (ptrdiff_t)first + axis->behind + s,
                          .low = (ptrdiff_t)first - axis->before - s - 1};
    if (!axis->wraps) {
        reach.high = reach.high < n ? reach.high : n - 1;
        reach.low = reach.low > -LANES ? reach.low : -LANES;
    } else if (reach.high - reach.low >= n) {
        reach = (struct reach){sum, sum, true};
    } else if (reach.high >= n) {
        reach.high -= n;
        reach.wrapped = true;
    } else if (reach.low < -LANES) {
        reach.low += n;
        reach.wrapped = true;
    }
    return reach;
}

/* Numbers of eight neighbouring centres. */
struct counts {
    quad part[2];
};

static inline void add_counts (struct counts *counts, const uint32_t *from)
{
    quad first, second;
    memcpy (&first, from, sizeof first);
    memcpy (&second, from + LANES / 2, sizeof second);
    counts->part[0] += first;
    counts->part[1] += second;
}

/* What one list of rows adds up to. */
static inline struct counts count_list (const uint32_t **rows, size_t n,
                                        struct reach reach, size_t sum)
{
    struct counts high = {0}, low = {0};
    for (size_t i = 0; i < n; i++) {
        add_counts (&high, rows[i] + reach.high);
        add_counts (&low, rows[i] + reach.low);
    }
    for (size_t i = 0; reach.wrapped && i < n; i++)
        add_counts (&high, rows[i] + sum);
    high.part[0] -= low.part[0];
    high.part[1] -= low.part[1];
    return high;
}

/* Free nodes in the boxes of eight neighbouring centres. */
static inline struct counts count_boxes (const struct terms *terms,
                                         struct reach reach, size_t sum)
{
    struct counts plus = count_list (terms->rows[0], terms->n[0], reach, sum);
    struct counts minus = count_list (terms->rows[1], terms->n[1], reach, sum);
    plus.part[0] -= minus.part[0];
    plus.part[1] -= minus.part[1];
    return plus;
}

/* ---- the search ---- */

/* Below this, the cost of a centre in this block may yet be the best: of
 * equals the first node wins. */
static uint64_t bound_of (const struct shells *shells, uint32_t row_id,
                          const struct block *block)
{
    return shells->best.cost + (row_id + block->first < shells->best.node);
}

static inline bool any (pair flags)
{
    return flags[0] | flags[1];
}

/* Add a term to the costs. Whether a cost is still below the bound, and
 * whether the costs are final. */
static inline bool add_term (struct block *block, uint32_t k,
                             struct counts counts, uint64_t bound,
                             bool *ret_final)
{
    pair more = {0, 0}, below = {0, 0};
    for (int i = 0; i < 2; i++) {
        quad term = (quad)(counts.part[i] < k) & (k - counts.part[i])
                    & block->mask[i];
        pair low = {term[0], term[1]}, high = {term[2], term[3]};
        block->cost[2 * i] += low;
        block->cost[2 * i + 1] += high;
        more |= (pair)term;
        below |= (pair)(block->cost[2 * i] < bound)
                 | (pair)(block->cost[2 * i + 1] < bound);
    }
    *ret_final = !any (more);
    return any (below);
}

static void keep_best (struct shells *shells, uint32_t row_id,
                       const struct block *block)
{
    for (uint32_t j = 0; j < LANES; j++) {
        uint32_t node = row_id + block->first + j;
        uint64_t cost = block->cost[j / 2][j % 2];
        if (cost < shells->best.cost
            || (cost == shells->best.cost && node < shells->best.node))
            shells->best = (struct best){cost, node, *shells->core};
    }
}

/* Make blocks of those centres of a row that are free. */
static size_t start_blocks (struct shells *shells, uint32_t row_id)
{
    size_t n = 0;
    for (uint32_t z = 0; z < shells->length; z += LANES) {
        struct block *block = &shells->blocks[z / LANES];
        uint32_t left = shells->length - z;
        uint64_t bits = bits_get (shells->free, (uint64_t)row_id + z,
                                  left < LANES ? left : LANES);
        if (!bits)
            continue;
        block->first = z;
        for (int j = 0; j < LANES; j++) {
            bool is_free = bits >> j & 1;
            block->mask[j / 4][j % 4] = is_free ? UINT32_MAX : 0;
            block->cost[j / 2][j % 2] = is_free ? 0 : NOT_FREE;
        }
        shells->live[n++] = block;
    }
    return n;
}

/* Grow the boxes of a row's centres until none of them is in the race. */
static int search_row (struct shells *shells, uint32_t row_id,
                       const uint32_t coords[], tori_error *err)
{
    size_t n = start_blocks (shells, row_id);
    for (uint32_t s = 0; n > 0; s++) {
        const struct terms *terms = find_terms (shells, coords, s, err);
        size_t left = 0;
        if (!terms)
            return -1;
        for (size_t i = 0; i < n; i++) {
            struct block *block = shells->live[i];
            struct reach reach = reach_of (shells, block->first, s);
            struct counts counts = count_boxes (terms, reach,
                                                sum_at (shells));
            bool final, below = add_term (block, shells->k, counts,
                                          bound_of (shells, row_id, block),
                                          &final);
            if (below && final)
                keep_best (shells, row_id, block);
            /* no branch: which blocks go on is anybody's guess */
            shells->live[left] = block;
            left += below & !final;
        }
        n = left;
    }
    return 0;
}

/* Coordinates of the next row. */
static void next_row (const struct shells *shells, uint32_t coords[])
{
    for (int i = shells->naxes - 2; i >= 0; i--) {
        if (++coords[i] < shells->axes[i].size)
            return;
        coords[i] = 0;
    }
}

int shells_try (struct shells *shells, const tori_shape *core,
                tori_error *err)
{
    uint32_t coords[TORI_MAX_DIMS] = {0}, row_id = 0;
    shells->core = core;
    for (int i = 0; i < shells->naxes; i++) {
        struct axis *axis = &shells->axes[i];
        axis->before = (core->size[axis->dim] - 1) / 2;
        axis->behind = core->size[axis->dim] / 2;
    }
    for (size_t r = 0; r < shells->nrows; r++) {
        if (search_row (shells, row_id, coords, err) < 0)
            return -1;
        next_row (shells, coords);
        row_id += shells->length;
    }
    return 0;
}

/* ---- the nodes ---- */

/* The core around the best centre, grown by s. */
static tori_box grown_box (const struct shells *shells, uint32_t s)
{
    const tori_machine *machine = shells->machine;
    const tori_shape *core = &shells->best.core;
    tori_box box = {.shape.ndims = machine->shape.ndims};
    for (int d = 0; d < machine->shape.ndims; d++) {
        int64_t size = machine->shape.size[d], at, low, high;
        at = grid_coord (machine, shells->best.node, d);
        low = at - (core->size[d] - 1) / 2 - s;
        high = at + core->size[d] / 2 + s + 1;
        if (!tori_machine_wraps (machine, d)) {
            low = low > 0 ? low : 0;
            high = high < size ? high : size;
        } else if (high - low >= size) {
            low = 0;
            high = size;
        }
        box.origin[d] = (uint32_t)(low < 0 ? low + size : low);
        box.shape.size[d] = (uint32_t)(high - low);
    }
    return box;
}

/* Put the free nodes of a run into the list: those of the inner box, and as
 * long as there are places for others, those. */
static uint32_t *take_run (const struct shells *shells, uint64_t first,
                           uint64_t count, uint32_t *others,
                           uint32_t *ret_nodes)
{
    while (count > 0) {
        unsigned n = count < 64 ? (unsigned)count : 64;
        uint64_t word = bits_get (shells->free, first, n);
        uint64_t inner = bits_get (shells->inner, first, n);
        for (; word; word &= word - 1) {
            unsigned i = (unsigned)__builtin_ctzll (word);
            if (!(inner >> i & 1) && *others == 0)
                continue;
            *others -= !(inner >> i & 1);
            *ret_nodes++ = (uint32_t)first + i;
        }
        first += n;
        count -= n;
    }
    return ret_nodes;
}

void shells_take (struct shells *shells, uint32_t ret_nodes[])
{
    const tori_machine *machine = shells->machine;
    tori_box inner = {.shape.ndims = 0}, outer = grown_box (shells, 0);
    uint64_t count = grid_count (machine, &outer, shells->free), below = 0;
    uint64_t first, n;
    struct runs runs;
    uint32_t others;
    for (uint32_t s = 1; count < shells->k; s++) {
        inner = outer;
        below = count;
        outer = grown_box (shells, s);
        count = grid_count (machine, &outer, shells->free);
    }
    others = shells->k - (uint32_t)below;
    if (below > 0)
        grid_set (machine, &inner, shells->inner);
    runs = runs_of_box (machine, &outer);
    while (runs_next (&runs, &first, &n))
        ret_nodes = take_run (shells, first, n, &others, ret_nodes);
    if (below > 0)
        grid_clear (machine, &inner, shells->inner);
}

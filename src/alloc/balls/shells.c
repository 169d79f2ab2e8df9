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

/* Rows of the table to add or to subtract: x ^ sign - sign is x or -x. */
struct shell_term {
    const uint32_t *row;
    uint32_t sign; /* 0, or all ones to subtract */
};

struct terms {
    struct shell_term *list;
    size_t n, room;
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
    uint32_t last; /* the k nodes are in the shells up to this one */
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

    /* the request */
    const uint64_t *free;
    uint32_t k;
    struct best best;

    /* the core in use */
    const tori_shape *core;
    bool single;    /* it is one node */
    uint64_t floor; /* no centre costs less */

    /* the row in use */
    uint32_t row_id, coords[TORI_MAX_DIMS];
};

/* ---- create and destroy ---- */

void shells_destroy (void *data)
{
    struct shells *shells = data;
    if (!shells)
        return;
    free (shells->terms[0].list);
    free (shells->terms[1].list);
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
struct shell_cut {
    uint32_t plus[2], minus;
    int nplus, nminus;
};

/* The core at coordinate `at` of an axis, grown by s. */
static struct shell_cut span_of (const struct axis *axis, uint32_t at,
                                 uint32_t s)
{
    int64_t size = axis->size, low = (int64_t)at - axis->before - s - 1,
            high = (int64_t)at + axis->behind + s;
    struct shell_cut span = {.plus = {axis->size - 1, axis->size - 1},
                             .nplus = 1};
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
    struct shell_term *list;
    if (room <= terms->room)
        return 0;
    list = realloc (terms->list, room * sizeof *list);
    if (!list)
        return tori_error_nomem (err);
    terms->list = list;
    terms->room = room;
    return 0;
}

/* Terms of boxes that lie anywhere in a dimension from those of boxes that
 * begin at 0 in it. */
static int terms_multiply (struct terms *to, const struct terms *from,
                           const struct shell_cut *span, size_t step,
                           tori_error *err)
{
    struct shell_term *next;
    if (terms_room (to, 3 * from->n, err) < 0)
        return -1;
    next = to->list;
    for (size_t i = 0; i < from->n; i++) {
        const struct shell_term *term = &from->list[i];
        for (int j = 0; j < span->nplus; j++)
            *next++ = (struct shell_term){term->row + span->plus[j] * step,
                                          term->sign};
        if (span->nminus)
            *next++ = (struct shell_term){term->row + span->minus * step,
                                          ~term->sign};
    }
    to->n = (size_t)(next - to->list);
    return 0;
}

/* The rows that make up the core at the coordinates of the row, grown by s,
 * but for the extent along the row. Where a box has its dimension to itself
 * nothing is to be subtracted, so that even in many dimensions there are few
 * terms. */
static struct terms *find_terms (struct shells *shells, uint32_t s,
                                 tori_error *err)
{
    struct terms *terms = &shells->terms[0], *other = &shells->terms[1];
    if (terms_room (terms, 1, err) < 0)
        return NULL;
    terms->list[0] = (struct shell_term){row_at (shells, 0), 0};
    terms->n = 1;
    for (int i = 0; i < shells->naxes - 1; i++) {
        const struct axis *axis = &shells->axes[i];
        struct shell_cut span = span_of (axis, shells->coords[i], s);
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

static inline struct counts read_counts (const uint32_t *from)
{
    struct counts counts;
    memcpy (&counts.part[0], from, sizeof counts.part[0]);
    memcpy (&counts.part[1], from + LANES / 2, sizeof counts.part[1]);
    return counts;
}

/* Free nodes in the boxes of eight neighbouring centres. */
static inline struct counts count_boxes (const struct terms *terms,
                                         struct reach reach, size_t sum)
{
    struct counts all = {0};
    for (size_t i = 0; i < terms->n; i++) {
        const struct shell_term *term = &terms->list[i];
        struct counts high = read_counts (term->row + reach.high);
        struct counts low = read_counts (term->row + reach.low);
        uint32_t more = reach.wrapped ? term->row[sum] : 0;
        for (int j = 0; j < 2; j++)
            all.part[j] += ((high.part[j] - low.part[j] + more) ^ term->sign)
                           - term->sign;
    }
    return all;
}

/* ---- the search ---- */

/* Below this, the cost of a centre in this block may yet be the best: of
 * equals the first node wins. */
static inline uint64_t bound_of (const struct shells *shells,
                                 const struct block *block)
{
    return shells->best.cost
           + (shells->row_id + block->first < shells->best.node);
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

/* All centres of the block have their k nodes up to shell s. */
static void keep_best (struct shells *shells, const struct block *block,
                       uint32_t s)
{
    for (uint32_t j = 0; j < LANES; j++) {
        uint32_t node = shells->row_id + block->first + j;
        uint64_t cost = block->cost[j / 2][j % 2];
        if (cost < shells->best.cost
            || (cost == shells->best.cost && node < shells->best.node))
            shells->best = (struct best){cost, node, s, *shells->core};
    }
}

/* Make blocks of those centres of the row that are free. Of a core of one
 * node, the centre, all but one of the nodes lie beyond. */
static size_t start_blocks (struct shells *shells)
{
    uint64_t start = shells->single ? shells->k - 1 : 0;
    size_t n = 0;
    for (uint32_t z = 0; z < shells->length; z += LANES) {
        struct block *block = &shells->blocks[z / LANES];
        uint32_t left = shells->length - z;
        uint64_t bits = bits_get (shells->free, (uint64_t)shells->row_id + z,
                                  left < LANES ? left : LANES);
        if (!bits)
            continue;
        block->first = z;
        for (int j = 0; j < LANES; j++) {
            block->mask[j / 4][j % 4] = bits >> j & 1 ? UINT32_MAX : 0;
            block->cost[j / 2][j % 2] = bits >> j & 1 ? start : NOT_FREE;
        }
        shells->live[n++] = block;
    }
    return n;
}

/* Grow the boxes of the blocks of the row, and give up those that cannot be
 * the best. */
static int search_row (struct shells *shells, tori_error *err)
{
    struct block **live = shells->live;
    size_t now = start_blocks (shells);
    for (uint32_t s = shells->single; now > 0; s++) {
        const struct terms *terms = find_terms (shells, s, err);
        size_t left = 0;
        if (!terms)
            return -1;
        for (size_t i = 0; i < now; i++) {
            struct block *block = live[i];
            struct reach reach = reach_of (shells, block->first, s);
            struct counts counts = count_boxes (terms, reach,
                                                sum_at (shells));
            bool final, below = add_term (block, shells->k, counts,
                                          bound_of (shells, block), &final);
            if (below && final)
                keep_best (shells, block, s);
            /* no branch: which blocks go on is anybody's guess */
            live[left] = block;
            left += below & !final;
        }
        now = left;
    }
    return 0;
}

static void next_row (struct shells *shells)
{
    shells->row_id += shells->length;
    for (int i = shells->naxes - 2; i >= 0; i--) {
        if (++shells->coords[i] < shells->axes[i].size)
            return;
        shells->coords[i] = 0;
    }
}

/* The size of the core grown by s, edges apart. */
static uint64_t grown_volume (const struct shells *shells, uint32_t s)
{
    uint64_t volume = 1;
    for (int i = 0; i < shells->naxes; i++) {
        const struct axis *axis = &shells->axes[i];
        uint64_t side = (uint64_t)axis->before + axis->behind + 1
                        + 2 * (uint64_t)s;
        volume *= side < axis->size ? side : axis->size;
    }
    return volume;
}

/* No centre costs less than one with all nodes around it free. */
static void find_floor (struct shells *shells)
{
    uint64_t volume;
    shells->floor = 0;
    for (uint32_t s = 0; (volume = grown_volume (shells, s)) < shells->k; s++)
        shells->floor += shells->k - volume;
}

static void set_core (struct shells *shells, const tori_shape *core)
{
    shells->core = core;
    shells->single = true;
    for (int i = 0; i < shells->naxes; i++) {
        struct axis *axis = &shells->axes[i];
        axis->before = (core->size[axis->dim] - 1) / 2;
        axis->behind = core->size[axis->dim] / 2;
        shells->single &= core->size[axis->dim] == 1;
        shells->coords[i] = 0;
    }
    shells->row_id = 0;
}

int shells_try (struct shells *shells, const tori_shape *core,
                tori_error *err)
{
    set_core (shells, core);
    find_floor (shells);
    for (size_t r = 0; r < shells->nrows; r++) {
        if (shells->best.cost <= shells->floor
            && shells->row_id > shells->best.node)
            break;
        if (search_row (shells, err) < 0)
            return -1;
        next_row (shells);
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

/* Free nodes up to shell s around the best centre. */
static uint32_t count_upto (const struct shells *shells, uint32_t s)
{
    tori_box box = grown_box (shells, s);
    return (uint32_t)grid_count (shells->machine, &box, shells->free);
}

/* The first shell with which there are k nodes. */
static uint32_t find_last (const struct shells *shells)
{
    uint32_t low = 0, high = shells->best.last;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (count_upto (shells, middle) >= shells->k)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

void shells_take (struct shells *shells, uint32_t ret_nodes[])
{
    const tori_machine *machine = shells->machine;
    uint32_t last = find_last (shells), others = shells->k;
    tori_box inner, outer = grown_box (shells, last);
    struct runs runs = runs_of_box (machine, &outer);
    uint64_t first, n;
    if (last > 0) {
        inner = grown_box (shells, last - 1);
        grid_set (machine, &inner, shells->inner);
        others -= count_upto (shells, last - 1);
    }
    while (runs_next (&runs, &first, &n))
        ret_nodes = take_run (shells, first, n, &others, ret_nodes);
    if (last > 0)
        grid_clear (machine, &inner, shells->inner);
}

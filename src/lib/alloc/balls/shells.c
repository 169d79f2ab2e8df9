#include "shells.h"

#include <stdlib.h>
#include <string.h>

#include "bits.h"
#include "marks.h"

/* A dimension, and how far the core goes from the centre in it. */
struct axis {
    int dim;
    uint32_t size;
    bool wraps;
    size_t step; /* between neighbours in the table */
    uint32_t before, behind;
};

/* A row of the table to add, or to subtract. */
struct shell_term {
    const uint32_t *row;
    bool less;
};

struct terms {
    struct shell_term *list;
    size_t n, room;
};

/* A free node of the row in use, and what it costs so far. */
struct shell_centre {
    uint32_t at;
    uint64_t cost;
};

struct best {
    uint64_t cost;
    uint32_t node;
    uint32_t last; /* the k nodes are in the shells up to this one */
    tori_shape core;
};

/* The table holds, for every node, how many free nodes have no coordinate
 * greater than its own: edges apart, the count in a box is the sum over its
 * corners with alternating signs. */
struct shells {
    const tori_machine *machine;
    struct axis axes[TORI_MAX_DIMS]; /* dimensions longer than 1, or one */
    int naxes;
    uint32_t length; /* of a row */
    size_t nrows;
    uint32_t *table;
    struct terms terms[2];
    uint32_t *sums; /* of rows of the table; room for two turns more */
    struct shell_centre *live;
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
    free (shells->sums);
    free (shells->live);
    free (shells->inner);
    free (shells);
}

/* Dimensions of one node are left out, except the last if there is no
 * other. */
static void find_axes (struct shells *shells)
{
    const tori_shape *sides = &shells->machine->shape;
    for (int d = 0; d < sides->ndims; d++)
        if (sides->size[d] > 1
            || (d == sides->ndims - 1 && shells->naxes == 0))
            shells->axes[shells->naxes++] = (struct axis){
                .dim = d, .size = sides->size[d],
                .wraps = tori_machine_wraps (shells->machine, d),
                .step = shells->machine->stride[d]};
    shells->length = shells->axes[shells->naxes - 1].size;
    shells->nrows = shells->machine->nodes / shells->length;
}

int shells_create (const tori_machine *machine, void **ret_shells,
                   tori_error *err)
{
    struct shells *shells = calloc (1, sizeof *shells);
    if (!shells)
        return tori_error_nomem (err);
    shells->machine = machine;
    find_axes (shells);
    shells->table = malloc (machine->nodes * sizeof *shells->table);
    shells->sums = malloc (3 * (size_t)shells->length * sizeof *shells->sums);
    shells->live = malloc (shells->length * sizeof *shells->live);
    shells->inner = calloc (bits_words (machine->nodes),
                            sizeof *shells->inner);
    if (!shells->table || !shells->sums || !shells->live || !shells->inner) {
        shells_destroy (shells);
        return tori_error_nomem (err);
    }
    *ret_shells = shells;
    return 0;
}

/* ---- the table ---- */

static void add_slice (uint32_t *restrict to, const uint32_t *restrict from,
                       size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] += from[i];
}

/* The sums of every row by itself, then along the other dimensions, whole
 * slices at a time. */
static void make_table (struct shells *shells)
{
    uint32_t nodes = shells->machine->nodes, sum = 0;
    for (uint32_t i = 0; i < nodes; i++) {
        sum = (i % shells->length ? sum : 0) + bits_test (shells->free, i);
        shells->table[i] = sum;
    }
    for (int a = 0; a < shells->naxes - 1; a++) {
        const struct axis *axis = &shells->axes[a];
        for (size_t i = 0; i < nodes / axis->step; i++)
            if (i % axis->size)
                add_slice (shells->table + i * axis->step,
                           shells->table + (i - 1) * axis->step, axis->step);
    }
}

void shells_start (struct shells *shells, const tori_state *state, uint32_t k)
{
    shells->free = state->free;
    shells->k = k;
    shells->best = (struct best){.cost = UINT64_MAX - 1};
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
                                          term->less};
        if (span->nminus)
            *next++ = (struct shell_term){term->row + span->minus * step,
                                          !term->less};
    }
    to->n = (size_t)(next - to->list);
    return 0;
}

/* The rows that make up the core at the coordinates of the row, grown by s,
 * without the extent along the row. If a box fills its dimension nothing is
 * subtracted, so that even in many dimensions there are few terms. */
static struct terms *find_terms (struct shells *shells, uint32_t s,
                                 tori_error *err)
{
    struct terms *terms = &shells->terms[0], *other = &shells->terms[1];
    if (terms_room (terms, 1, err) < 0)
        return NULL;
    terms->list[0] = (struct shell_term){shells->table, false};
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

/* Round a ring the sums go on: a turn before, and a turn after. */
static void unroll_sums (uint32_t *sums, uint32_t n)
{
    uint32_t total = sums[n - 1];
    for (uint32_t i = 0; i < n; i++) {
        sums[(ptrdiff_t)i - n] = sums[i] - total;
        sums[i + n] = sums[i] + total;
    }
}

/* Sum the rows that make up the core, grown by s, up to each place of the
 * row. */
static int sum_rows (struct shells *shells, uint32_t s, tori_error *err)
{
    const struct terms *terms = find_terms (shells, s, err);
    uint32_t n = shells->length, *restrict sums = shells->sums + n;
    if (!terms)
        return -1;
    memset (shells->sums, 0, 2 * n * sizeof *sums);
    for (size_t t = 0; t < terms->n; t++) {
        const uint32_t *restrict row = terms->list[t].row;
        if (terms->list[t].less)
            for (uint32_t i = 0; i < n; i++)
                sums[i] -= row[i];
        else
            for (uint32_t i = 0; i < n; i++)
                sums[i] += row[i];
    }
    if (shells->axes[shells->naxes - 1].wraps)
        unroll_sums (sums, n);
    return 0;
}

/* Free nodes in the core around a place of the row, grown by s. */
static inline uint32_t count_box (const struct shells *shells, uint32_t at,
                                  uint32_t s)
{
    const struct axis *axis = &shells->axes[shells->naxes - 1];
    int64_t n = shells->length, high = (int64_t)at + axis->behind + s;
    int64_t low = (int64_t)at - axis->before - s - 1;
    const uint32_t *sums = shells->sums + n;
    if (!axis->wraps) {
        high = high < n ? high : n - 1;
        low = low > -1 ? low : -1;
    } else if (high - low >= n) {
        return sums[n - 1];
    }
    return sums[high] - sums[low];
}

/* ---- the search ---- */

/* Find the free nodes of the row. If the core is one node, the centre, all
 * other nodes lie beyond. */
static size_t find_live (struct shells *shells)
{
    uint64_t start = shells->single ? shells->k - 1 : 0;
    size_t n = 0;
    for (uint32_t at = 0; at < shells->length; at++)
        if (bits_test (shells->free, shells->row_id + at))
            shells->live[n++] = (struct shell_centre){at, start};
    return n;
}

/* Grow the boxes of the free nodes of the row, and give up those that cannot
 * be the best: of equals the first node wins. */
static int search_row (struct shells *shells, tori_error *err)
{
    size_t now = find_live (shells);
    for (uint32_t s = shells->single; now > 0; s++) {
        size_t left = 0;
        if (sum_rows (shells, s, err) < 0)
            return -1;
        for (size_t i = 0; i < now; i++) {
            struct shell_centre centre = shells->live[i];
            uint32_t count = count_box (shells, centre.at, s);
            uint32_t node = shells->row_id + centre.at;
            bool below, final = count >= shells->k;
            centre.cost += final ? 0 : shells->k - count;
            below = centre.cost
                    < shells->best.cost + (node < shells->best.node);
            if (below && final)
                shells->best
                    = (struct best){centre.cost, node, s, *shells->core};
            /* no branch: which centres go on cannot be predicted */
            shells->live[left] = centre;
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

/* Put the free nodes of a run into the list: those of the inner box, and
 * others as long as there is room for them. */
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
    uint32_t last = shells->best.last, others = shells->k;
    tori_box inner, outer = grown_box (shells, last);
    struct runs runs = runs_of_box (machine, &outer);
    uint64_t first, n;
    if (last > 0) {
        inner = grown_box (shells, last - 1);
        grid_set (machine, &inner, shells->inner);
        others -= (uint32_t)grid_count (machine, &inner, shells->free);
    }
    while (runs_next (&runs, &first, &n))
        ret_nodes = take_run (shells, first, n, &others, ret_nodes);
    if (last > 0)
        grid_clear (machine, &inner, shells->inner);
}

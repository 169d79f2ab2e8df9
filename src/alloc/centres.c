#include "centres.h"

#include <stdlib.h>
#include <string.h>

#include "bits.h"
#include "marks.h"
#include "offsets.h"

enum { AXES = 3, LANES = 8 };

typedef uint16_t lanes __attribute__ ((vector_size (2 * LANES)));
typedef uint32_t quad __attribute__ ((vector_size (2 * LANES)));
typedef int32_t squad __attribute__ ((vector_size (2 * LANES)));

/* Eight numbers of 32 bits, in vectors that every processor has: those of
 * every other lane, from the low and the high halves of pairs of lanes. */
struct wides {
    quad low, high;
};

struct signeds {
    squad low, high;
};

/* Slots of all tables together. */
static const size_t MAX_SLOTS = (size_t)1 << 28;

/* The dimensions longer than 1, the last one last; sides of 1 before. */
struct axis {
    uint32_t size;
    bool wraps;
    uint32_t half[2]; /* no farther to the left, to the right round a ring */
    size_t step;      /* between neighbours in a table */
    int64_t *at; /* where any coordinate is, also beyond the ends */
    int64_t *room;
};

/* Counts by radius. A level is a radius and has a row for every line of the
 * last dimension, padded by 8 at least on both sides. The first level is
 * radius -1, all zeros. */
struct table {
    uint16_t *slots;
    size_t room;
};

/* The balls across each dimension, and what they are made of: counts along the
 * last and the second dimension. */
enum { ACROSS, ALONG_LAST = AXES, ALONG_SECOND, TABLES, BALLS = TABLES };

struct centres {
    const tori_machine *machine;
    bool suits, ready;
    struct axis axes[AXES];
    size_t nrows, level;
    uint32_t width;      /* of a row without padding, a multiple of 8 */
    uint32_t pad, pitch; /* of a row in a table */
    uint32_t free_pad, free_pitch;

    struct table tables[TABLES];
    uint16_t *sides[TABLES + 1][2]; /* sums on the way to a table, to balls */
    uint16_t *free;    /* 1 where a node is free, rows with their own pitch */
    uint16_t *allowed; /* all ones where a centre may be; dense, as below */
    uint16_t *radius;  /* the least with k free nodes */
    uint16_t *nearer;  /* how many free nodes are nearer than that */
    uint64_t *bound;

    lanes *room[AXES + 1]; /* of the following */
    lanes *taken[AXES]; /* of the surface, by offset from the centre */
    lanes *caps[2];     /* nodes behind a step to the left, to the right */
    lanes *ahead;       /* the most nodes ahead of a step in any direction */
    struct signeds *farther; /* what so many steps away cost at least */
    size_t reach;       /* room of these */

    uint32_t k;
    uint32_t flush;     /* squares of k whose sum fits 32 bits */
    uint32_t spacing;   /* of the nodes of a surface */
    uint64_t best;
    uint32_t best_node;
};

static lanes load (const uint16_t *from)
{
    lanes v;
    memcpy (&v, from, sizeof v);
    return v;
}

static void store (uint16_t *to, lanes v)
{
    memcpy (to, &v, sizeof v);
}

static inline quad widen_low (lanes v)
{
    return (quad)v & UINT16_MAX;
}

static inline quad widen_high (lanes v)
{
    return (quad)v >> 16;
}

/* Where a lane is when the low ones come first. */
static int place_of (int lane)
{
    bool high = (lane % 2 == 1) == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
    return lane / 2 + (high ? LANES / 2 : 0);
}

/* a + b, or all ones if that is too large. */
static lanes add_capped (lanes a, lanes b)
{
    lanes sum = a + b;
    return sum | (lanes)(sum < a);
}

/* a where the mask is all ones, b where it is 0. */
static lanes pick (lanes mask, lanes a, lanes b)
{
    return (a & mask) | (b & ~mask);
}

static lanes lower (lanes a, lanes b)
{
    return pick ((lanes)(a < b), a, b);
}

static lanes higher (lanes a, lanes b)
{
    return pick ((lanes)(a > b), a, b);
}

static uint32_t least (uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t round_up (uint32_t n)
{
    return (n + LANES - 1) / LANES * LANES;
}

/* ---- create and destroy ---- */

static void let_go (uint16_t **slots)
{
    free (*slots);
    *slots = NULL;
}

/* Give back what prepare got. */
static void release (struct centres *centres)
{
    for (int t = 0; t <= TABLES; t++) {
        let_go (&centres->sides[t][0]);
        let_go (&centres->sides[t][1]);
    }
    for (int a = 0; a < AXES; a++) {
        free (centres->axes[a].room);
        centres->axes[a].room = NULL;
    }
    let_go (&centres->free);
    let_go (&centres->allowed);
    let_go (&centres->radius);
    let_go (&centres->nearer);
    free (centres->bound);
    centres->bound = NULL;
    centres->ready = false;
}

void centres_destroy (struct centres *centres)
{
    if (!centres)
        return;
    release (centres);
    for (int t = 0; t < TABLES; t++)
        free (centres->tables[t].slots);
    for (int i = 0; i <= AXES; i++)
        free (centres->room[i]);
    free (centres->farther);
    free (centres);
}

static void set_axes (struct centres *centres, const tori_machine *machine)
{
    int a = AXES;
    for (int i = 0; i < AXES; i++)
        centres->axes[i] = (struct axis){.size = 1};
    for (int d = machine->shape.ndims; d-- > 0;) {
        uint32_t size = machine->shape.size[d];
        bool wraps = tori_machine_wraps (machine, d);
        if (size == 1)
            continue;
        if (a == 0)
            return;
        centres->axes[--a] = (struct axis){
            .size = size,
            .wraps = wraps,
            .half = {wraps ? (size - 1) / 2 : size - 1,
                     wraps ? size / 2 : size - 1},
        };
    }
    centres->suits = true;
}

static void set_rows (struct centres *centres)
{
    const struct axis *last = &centres->axes[AXES - 1];
    uint32_t reach = last->wraps ? last->half[1] : 0;
    centres->nrows = (size_t)centres->axes[0].size * centres->axes[1].size;
    centres->width = round_up (last->size);
    centres->pad = round_up (reach) + LANES;
    centres->pitch = centres->width + 2 * centres->pad;
    centres->free_pad = round_up (last->half[1]) + LANES;
    centres->free_pitch = centres->width + 2 * centres->free_pad;
    /* not a multiple of what caches are organised by */
    centres->level = (centres->nrows * centres->pitch + 8191) / 8192 * 8192
                     + 160;
    centres->axes[2].step = 1;
    centres->axes[1].step = centres->pitch;
    centres->axes[0].step = centres->pitch * centres->axes[1].size;
}

/* The rows of the last axis go on beyond their ends by themselves. */
static bool set_offsets (struct axis *axis, bool last)
{
    int64_t size = axis->size, margin = size + LANES;
    axis->room = malloc ((size_t)(3 * margin) * sizeof *axis->room);
    if (!axis->room)
        return false;
    axis->at = axis->room + margin;
    for (int64_t i = -margin; i < 2 * margin; i++)
        axis->at[i] = last ? i : (i + 2 * margin * size) % size
                                     * (int64_t)axis->step;
    return true;
}

static bool get_memory (struct centres *centres)
{
    size_t dense = centres->nrows * centres->width;
    centres->free = calloc (centres->nrows * centres->free_pitch,
                            sizeof *centres->free);
    centres->allowed = calloc (dense, sizeof *centres->allowed);
    centres->radius = calloc (dense, sizeof *centres->radius);
    centres->nearer = calloc (dense, sizeof *centres->nearer);
    centres->bound = calloc (dense, sizeof *centres->bound);
    for (int a = 0; a < AXES; a++)
        if (!set_offsets (&centres->axes[a], a == AXES - 1))
            return false;
    for (int t = 0; t <= TABLES; t++) {
        uint16_t **sides = centres->sides[t];
        if (t == ALONG_LAST || t == ALONG_SECOND)
            continue;
        sides[0] = calloc (centres->level, sizeof *sides[0]);
        sides[1] = calloc (centres->level, sizeof *sides[1]);
        if (!sides[0] || !sides[1])
            return false;
    }
    return centres->free && centres->allowed && centres->radius
           && centres->nearer && centres->bound;
}

int centres_create (const tori_machine *machine, struct centres **ret_centres,
                    tori_error *err)
{
    struct centres *centres = calloc (1, sizeof *centres);
    if (!centres)
        return tori_error_nomem (err);
    centres->machine = machine;
    set_axes (centres, machine);
    *ret_centres = centres;
    return 0;
}

/* ---- what is free, and where a centre may be ---- */

/* How a row goes on beyond its ends: round the ring, or with nothing. */
static void pad_row (const struct axis *axis, uint16_t *row, uint32_t pad,
                     uint32_t end)
{
    uint32_t size = axis->size;
    if (!axis->wraps) {
        memset (row + size, 0, (end - size) * sizeof *row);
        return;
    }
    for (uint32_t i = size; i < end; i++)
        row[i] = row[i - size];
    for (uint32_t i = 1; i <= pad; i++)
        row[-(int64_t)i] = row[(int64_t)size - i];
}

static void load_free (struct centres *centres, const uint64_t *free_nodes)
{
    const struct axis *last = &centres->axes[AXES - 1];
    uint32_t node = 0;
    for (size_t i = 0; i < centres->nrows; i++) {
        uint16_t *row = centres->free + i * centres->free_pitch
                        + centres->free_pad;
        for (uint32_t z = 0; z < last->size; z++)
            row[z] = bits_test (free_nodes, node++);
        pad_row (last, row, centres->free_pad,
                 centres->width + centres->free_pad);
    }
}

/* The flags of the coordinates of an axis, which is the n-th dimension longer
 * than 1 counted from the last. */
static const bool *occurs_of (const struct centres *centres,
                              const bool *occurs, int axis)
{
    const tori_shape *shape = &centres->machine->shape;
    int a = AXES, d = shape->ndims;
    for (int i = 0; i < shape->ndims; i++)
        occurs += shape->size[i];
    while (d-- > 0) {
        occurs -= shape->size[d];
        if (shape->size[d] > 1 && --a == axis)
            return occurs;
    }
    return NULL;
}

static void allow_grid (struct centres *centres, const bool *occurs)
{
    const struct axis *axes = centres->axes;
    const bool *flags[AXES];
    uint16_t *to = centres->allowed;
    for (int a = 0; a < AXES; a++)
        flags[a] = occurs_of (centres, occurs, a);
    for (uint32_t x = 0; x < axes[0].size; x++)
        for (uint32_t y = 0; y < axes[1].size; y++, to += centres->width)
            for (uint32_t z = 0; z < axes[2].size; z++)
                to[z] = (!flags[0] || flags[0][x])
                                && (!flags[1] || flags[1][y])
                                && (!flags[2] || flags[2][z])
                            ? UINT16_MAX
                            : 0;
}

static void allow_free (struct centres *centres)
{
    for (size_t i = 0; i < centres->nrows; i++) {
        const uint16_t *row = centres->free + i * centres->free_pitch
                              + centres->free_pad;
        for (uint32_t z = 0; z < centres->axes[AXES - 1].size; z++)
            centres->allowed[i * centres->width + z] = row[z] ? UINT16_MAX : 0;
    }
}

/* ---- levels ---- */

static uint16_t *level_of (const struct centres *centres, int table,
                           int64_t radius)
{
    return centres->tables[table].slots
           + (size_t)(radius + 1) * centres->level;
}

/* Make room for one more level of a table and zero its padding. */
static int need_level (struct centres *centres, int table, uint32_t radius,
                       tori_error *err)
{
    struct table *to = &centres->tables[table];
    size_t need = (radius + 2) * centres->level, room = to->room;
    uint16_t *slots;
    if (need <= room)
        return 0;
    need = room ? 2 * need : 8 * centres->level + need;
    slots = realloc (to->slots, need * sizeof *slots);
    if (!slots)
        return tori_error_nomem (err);
    memset (slots + room, 0, (need - room) * sizeof *slots);
    to->slots = slots;
    to->room = need;
    return 0;
}

/* Counts along the last dimension: two more nodes a radius. */
static void count_last (struct centres *centres, uint32_t radius)
{
    const struct axis *axis = &centres->axes[2];
    const uint16_t *from = level_of (centres, ALONG_LAST,
                                     (int64_t)radius - 1);
    uint16_t *to = level_of (centres, ALONG_LAST, radius);
    lanes left = {0}, right = {0};
    for (size_t i = 0; i < centres->nrows; i++) {
        const uint16_t *nodes = centres->free + i * centres->free_pitch
                                + centres->free_pad;
        size_t at = i * centres->pitch + centres->pad;
        for (uint32_t z = 0; z < centres->width; z += LANES) {
            if (radius <= axis->half[0])
                left = load (nodes + (int64_t)z - radius);
            if (radius > 0 && radius <= axis->half[1])
                right = load (nodes + z + radius);
            store (to + at + z,
                   add_capped (load (from + at + z), left + right));
        }
    }
}

/* Counts along the second dimension: two more rows a radius. */
static void count_second (struct centres *centres, uint32_t radius)
{
    const struct axis *axis = &centres->axes[1];
    const uint16_t *from = level_of (centres, ALONG_SECOND,
                                     (int64_t)radius - 1);
    uint16_t *to = level_of (centres, ALONG_SECOND, radius);
    for (size_t i = 0; i < centres->nrows; i++) {
        uint32_t y = (uint32_t)(i % axis->size);
        bool left = radius <= axis->half[0] && (axis->wraps || radius <= y);
        bool right = radius > 0 && radius <= axis->half[1]
                     && (axis->wraps || radius < axis->size - y);
        const uint16_t *plane = centres->free + centres->free_pad
                                + (i - y) * centres->free_pitch;
        const uint16_t *low = plane + (y + axis->size - radius % axis->size)
                                          % axis->size * centres->free_pitch;
        const uint16_t *high = plane + (y + radius) % axis->size
                                           * centres->free_pitch;
        size_t at = i * centres->pitch + centres->pad;
        for (uint32_t z = 0; z < centres->width; z += LANES) {
            lanes sum = load (from + at + z);
            if (left)
                sum = add_capped (sum, load (low + z));
            if (right)
                sum = add_capped (sum, load (high + z));
            store (to + at + z, sum);
        }
    }
}

/* With c(x, r) counted in some dimensions, one more makes
 *
 *     before(x, r) = c(x, r) + before(x-1, r-1)
 *     beyond(x, r) = c(x, r) + beyond(x+1, r-1)
 *     all(x, r) = c(x, r) + before(x-1, r-1) + beyond(x+1, r-1)
 *
 * Rows that take part in this; and what has got too far away round a ring. */
struct spread {
    const uint16_t *in, *from[2], *leaving[2];
    uint16_t *to[2];
};

/* Where they are, from coordinate 0 on. As before(x, r) is only needed for
 * before(x+1, r+1), it takes the place of before(x-1, r-1): at coordinate
 * x - r, round the ring or, as the place of one that has left the mesh is
 * free, round the mesh. */
static struct spread spread_at (const struct centres *centres, int table,
                                const struct axis *axis, uint32_t x,
                                int from, uint32_t radius)
{
    const uint16_t *zeros = level_of (centres, from, -1);
    uint32_t size = axis->size, shift = radius % size;
    struct spread s = {.in = level_of (centres, from, radius)
                             + x * axis->step};
    for (int side = 0; side < 2; side++) {
        uint32_t back = side ? 1 : size - 1; /* a step away from the centre */
        uint32_t place = (x + (side ? shift : size - shift)) % size;
        int64_t gone = (int64_t)radius - axis->half[side] - 1;
        bool edge = !axis->wraps && x == (side ? size - 1 : 0);
        s.to[side] = centres->sides[table][side] + place * axis->step;
        s.from[side] = radius == 0 || edge ? zeros : s.to[side];
        s.leaving[side] = zeros;
        if (axis->wraps && gone >= 0)
            s.leaving[side] = level_of (centres, from, gone)
                              + (x + (uint64_t)back * (axis->half[side] + 1))
                                    % size * axis->step;
    }
    return s;
}

static inline lanes spread_step (const struct spread *s, size_t at)
{
    lanes in = load (s->in + at);
    lanes left = load (s->from[0] + at) - load (s->leaving[0] + at);
    lanes right = load (s->from[1] + at) - load (s->leaving[1] + at);
    store (s->to[0] + at, add_capped (left, in));
    store (s->to[1] + at, add_capped (right, in));
    return add_capped (add_capped (left, right), in);
}

/* One level of a table across a dimension, from counts along one axis. */
static void spread_level (struct centres *centres, int table, int dim,
                          int from, uint32_t radius)
{
    const struct axis *axis = &centres->axes[dim];
    size_t plane = axis->size * axis->step;
    uint16_t *to = level_of (centres, table, radius);
    for (uint32_t x = 0; x < axis->size; x++) {
        struct spread s = spread_at (centres, table, axis, x, from, radius);
        for (size_t at = 0; at < centres->nrows * centres->pitch; at += plane)
            for (size_t row = at; row < at + axis->step; row += centres->pitch)
                for (uint32_t z = 0; z < centres->width; z += LANES)
                    store (to + x * axis->step + row + centres->pad + z,
                           spread_step (&s, row + centres->pad + z));
    }
}

/* The last dimension is read beyond the ends of its rows. */
static void pad_level (struct centres *centres, int table, uint32_t radius)
{
    uint16_t *rows = level_of (centres, table, radius) + centres->pad;
    if (centres->axes[2].wraps)
        for (size_t i = 0; i < centres->nrows; i++)
            pad_row (&centres->axes[2], rows + i * centres->pitch,
                     centres->pad, centres->width + centres->pad);
}

/* Whole balls: who has not k free nodes yet goes on to the next radius.
 * Returns the lanes of centres that have to. */
static inline lanes count_row (struct centres *centres, const struct spread *s,
                               size_t row, size_t dense)
{
    lanes k = (lanes){0} + (uint16_t)centres->k, any = {0};
    for (uint32_t z = 0; z < centres->width; z += LANES) {
        lanes count = spread_step (s, row + centres->pad + z);
        lanes few = (lanes)(count < k);
        lanes nearer = load (centres->nearer + dense + z);
        lanes far = load (centres->radius + dense + z);
        store (centres->nearer + dense + z, pick (few, count, nearer));
        store (centres->radius + dense + z, far - few);
        any |= few & load (centres->allowed + dense + z);
    }
    return any;
}

static bool all_zero (lanes v)
{
    uint64_t words[2];
    memcpy (words, &v, sizeof words);
    return (words[0] | words[1]) == 0;
}

static bool count_balls (struct centres *centres, uint32_t radius)
{
    const struct axis *axis = &centres->axes[0];
    lanes any = {0};
    for (uint32_t x = 0; x < axis->size; x++) {
        struct spread s = spread_at (centres, BALLS, axis, x, ACROSS, radius);
        size_t dense = x * (axis->step / centres->pitch) * centres->width;
        for (size_t row = 0; row < axis->step; row += centres->pitch) {
            any |= count_row (centres, &s, row, dense);
            dense += centres->width;
        }
    }
    return !all_zero (any);
}

/* All tables at a radius; whether some centre needs a greater one. */
static bool count_level (struct centres *centres, uint32_t radius)
{
    count_last (centres, radius);
    spread_level (centres, ACROSS, 1, ALONG_LAST, radius);
    if (!count_balls (centres, radius))
        return false;
    if (centres->axes[1].size > 1)
        spread_level (centres, ACROSS + 1, 0, ALONG_LAST, radius);
    count_second (centres, radius);
    spread_level (centres, ACROSS + 2, 0, ALONG_SECOND, radius);
    pad_level (centres, ACROSS + 2, radius);
    return true;
}

/* Sums that are capped cannot be subtracted again. */
static bool serves (const struct centres *centres, uint32_t radius)
{
    if ((radius + 2) * centres->level > MAX_SLOTS / TABLES)
        return false;
    for (int a = 0; a < AXES; a++)
        if (centres->machine->nodes > UINT16_MAX && centres->axes[a].wraps
            && radius > centres->axes[a].half[0])
            return false;
    return true;
}

/* The tables by radius, until every centre has k nodes. 1 and the greatest
 * radius, 0 if that takes too much, -1 without memory. */
static int count_levels (struct centres *centres, uint32_t *ret_radius,
                         tori_error *err)
{
    size_t dense = centres->nrows * centres->width;
    memset (centres->radius, 0, dense * sizeof *centres->radius);
    memset (centres->nearer, 0, dense * sizeof *centres->nearer);
    for (uint32_t radius = 0; serves (centres, radius); radius++) {
        for (int t = 0; t < TABLES; t++)
            if (need_level (centres, t, radius, err) < 0)
                return -1;
        if (count_level (centres, radius))
            continue;
        *ret_radius = radius;
        return 1;
    }
    return 0;
}

/* ---- eight centres ---- */

struct block {
    size_t row;
    uint32_t coords[AXES]; /* of the first; the last one goes up by lanes */
    size_t dense;          /* where the first is in dense rows */
};

static struct block block_at (const struct centres *centres, size_t row,
                              uint32_t z)
{
    uint32_t y_size = centres->axes[1].size;
    return (struct block){
        .row = row,
        .coords = {(uint32_t)(row / y_size), (uint32_t)(row % y_size), z},
        .dense = row * centres->width + z,
    };
}

/* How far to go to one side within a radius: for the last axis, until the
 * lanes are all beyond the edge. */
static uint32_t limit (const struct centres *centres,
                       const struct block *block, int axis, int side,
                       uint32_t radius)
{
    const struct axis *a = &centres->axes[axis];
    uint32_t c = block->coords[axis];
    uint32_t edge = side ? a->size - 1 - c
                         : c + (axis == AXES - 1 ? LANES - 1 : 0);
    return least (radius, a->wraps ? a->half[side] : edge);
}

struct sums {
    uint64_t pairs[LANES]; /* pairwise distances; see place_of */
    struct wides away;     /* distances from the centre */
};

static void subtract (struct sums *sums, const struct wides *wides,
                      uint32_t times)
{
    for (int i = 0; i < LANES / 2; i++) {
        sums->pairs[i] -= (uint64_t)times * wides->low[i];
        sums->pairs[LANES / 2 + i] -= (uint64_t)times * wides->high[i];
    }
}

/* Where to read how many nodes have an offset to one side of a block, and
 * what to add to them. */
struct side {
    const uint16_t *slots; /* for offset 0 */
    const int64_t *at;     /* and where the others are from there */
    int64_t level, sign;
    const lanes *taken; /* or NULL */
    lanes *caps;
};

static struct side side_of (const struct centres *centres,
                            const struct block *block, int axis, int side,
                            uint32_t radius, bool surface)
{
    const struct axis *a = &centres->axes[axis];
    uint32_t c = block->coords[axis];
    return (struct side){
        .slots = level_of (centres, ACROSS + axis, (int64_t)radius - 1)
                 + block->row * centres->pitch + centres->pad
                 + block->coords[AXES - 1] - c * a->step,
        .at = a->at + c,
        .level = (int64_t)centres->level,
        .sign = side ? 1 : -1,
        .taken = surface ? centres->taken[axis] : NULL,
        .caps = centres->caps[side],
    };
}

/* The offsets from `from` inwards down to `to`. */
static inline void sum_steps (const struct side *side, int64_t from,
                              int64_t to, bool surface, lanes *cap,
                              struct wides *away, struct wides *squares)
{
    lanes c = *cap;
    struct wides sum = *away, square = *squares;
    for (int64_t i = from; i >= to; i--) {
        int64_t offset = side->sign * i;
        quad low, high;
        c += load (side->slots + side->at[offset] - i * side->level);
        if (surface)
            c += side->taken[offset];
        side->caps[i - 1] = c;
        low = widen_low (c);
        high = widen_high (c);
        sum.low += low;
        sum.high += high;
        square.low += low * low;
        square.high += high * high;
    }
    *cap = c;
    *away = sum;
    *squares = square;
}

/* Count inwards how many nodes are behind each step from the centre to one
 * side: each is a hop away from the centre, and c x (n - c) pairs of n nodes
 * take the step. Of the latter only the squares are subtracted here. */
static void sum_side (const struct side *side, uint32_t steps, uint32_t flush,
                      struct sums *sums)
{
    lanes cap = {0};
    while (steps > 0) {
        uint32_t some = least (steps, flush);
        struct wides squares = {{0}, {0}};
        if (side->taken)
            sum_steps (side, steps, steps - some + 1, true, &cap, &sums->away,
                       &squares);
        else
            sum_steps (side, steps, steps - some + 1, false, &cap,
                       &sums->away, &squares);
        subtract (sums, &squares, 1);
        steps -= some;
    }
}

/* Once all sides are done: as many hops away from the centre, n of each. */
static void close_sums (struct sums *sums, lanes n)
{
    quad low = widen_low (n), high = widen_high (n);
    for (int i = 0; i < LANES / 2; i++) {
        sums->pairs[i] += (uint64_t)sums->away.low[i] * low[i];
        sums->pairs[LANES / 2 + i] += (uint64_t)sums->away.high[i] * high[i];
    }
}

/* Round a ring, two nodes on either side are nearer the other way if they
 * are more than half the ring apart. For every step to the left there is the
 * opposite one to the right, half the ring away (if that is odd, two of
 * them, each taken half): a pair that takes both saves two hops. */
static void subtract_opposite (const struct centres *centres,
                               const struct axis *a, const uint32_t steps[2],
                               struct sums *sums)
{
    uint32_t times = 2 - a->size % 2;
    for (uint32_t odd = 0; odd <= a->size % 2; odd++) {
        uint32_t half = a->size / 2 - 1 + odd;
        uint32_t s = half < steps[1] ? 0 : half - steps[1] + 1;
        uint32_t end = least (steps[0], half + 1);
        while (s < end) {
            uint32_t stop = least (end, s + centres->flush);
            struct wides saved = {{0}, {0}};
            for (; s < stop; s++) {
                lanes left = centres->caps[0][s];
                lanes right = centres->caps[1][half - s];
                saved.low += widen_low (left) * widen_low (right);
                saved.high += widen_high (left) * widen_high (right);
            }
            subtract (sums, &saved, times);
        }
    }
}

/* Sum up n nodes a lane: what is nearer than the radius and, if `surface`,
 * what was taken of it. */
static void sum_axis (const struct centres *centres, const struct block *block,
                      int axis, uint32_t radius, bool surface,
                      uint32_t ret_steps[2], struct sums *sums)
{
    const struct axis *a = &centres->axes[axis];
    struct side from;
    for (int side = 0; side < 2; side++) {
        ret_steps[side] = limit (centres, block, axis, side,
                                 surface ? radius : radius - 1);
        from = side_of (centres, block, axis, side, radius, surface);
        sum_side (&from, ret_steps[side], centres->flush, sums);
    }
    if (a->wraps)
        subtract_opposite (centres, a, ret_steps, sums);
}

/* ---- bounds ---- */

/* A step away from the centre leaves behind what is not ahead of it: nodes to
 * this side, and round a ring those of the far end of the other side. */
static void note_ahead (const struct centres *centres, const struct axis *a,
                        const uint32_t steps[2], uint32_t radius)
{
    lanes *ahead = centres->ahead;
    for (int side = 0; side < 2; side++) {
        const lanes *caps = centres->caps[side];
        const lanes *others = centres->caps[1 - side];
        uint32_t half = a->size / 2 - 1, s = 0;
        uint32_t apart = a->wraps && half >= steps[1 - side]
                             ? half - steps[1 - side] + 1
                             : 0;
        if (!a->wraps)
            apart = radius;
        for (; s < steps[side] && s < apart; s++)
            ahead[s] = higher (ahead[s], caps[s]);
        for (s = apart; s < radius && s <= half; s++)
            ahead[s] = higher (ahead[s],
                               others[half - s]
                                   + (s < steps[side] ? caps[s]
                                                      : (lanes){0}));
    }
}

/* What it costs at least to go this far from the centre of n nodes in one
 * dimension, above what it costs to stay. */
static void sum_farther (const struct centres *centres, uint32_t radius,
                         lanes n)
{
    struct signeds sum = {{0}, {0}};
    squad low = (squad)widen_low (n), high = (squad)widen_high (n);
    for (uint32_t s = 0; s < radius; s++) {
        lanes ahead = centres->ahead[s];
        centres->farther[s] = sum;
        sum.low += low - 2 * (squad)widen_low (ahead);
        sum.high += high - 2 * (squad)widen_high (ahead);
    }
    centres->farther[radius] = sum;
}

static void keep_less (struct signeds *kept, struct signeds other)
{
    squad low = other.low < kept->low, high = other.high < kept->high;
    kept->low = (other.low & low) | (kept->low & ~low);
    kept->high = (other.high & high) | (kept->high & ~high);
}

/* The least cost of going so far in up to three dimensions together. */
static struct signeds cheapest (const struct centres *centres, uint32_t far,
                                uint32_t parts)
{
    const struct signeds *cost = centres->farther;
    struct signeds found = cost[far];
    for (uint32_t a = (far + parts - 1) / parts; a < far; a++) {
        uint32_t rest = far - a;
        for (uint32_t b = parts > 2 ? (rest + 1) / 2 : rest;
             b <= rest && b <= a; b++)
            keep_less (&found, (struct signeds){
                cost[a].low + cost[b].low + cost[rest - b].low,
                cost[a].high + cost[b].high + cost[rest - b].high});
    }
    return found;
}

/* The same where costs grow faster and faster: in equal parts. */
static struct signeds cheapest_even (const struct centres *centres,
                                     uint32_t far, uint32_t parts)
{
    struct signeds sum = {{0}, {0}};
    for (; parts > 0; parts--) {
        uint32_t part = far / parts;
        sum.low += centres->farther[part].low;
        sum.high += centres->farther[part].high;
        far -= part;
    }
    return sum;
}

/* Round a ring costs fall again where the far end comes nearer. */
static bool all_convex (const struct centres *centres, uint32_t radius)
{
    for (int a = 0; a < AXES; a++)
        if (centres->axes[a].wraps && 2 * radius > centres->axes[a].size / 2)
            return false;
    return true;
}

/* No two nodes of a surface are nearer to each other than this: an even
 * number of hops, unless an odd ring lies between. */
static uint32_t spacing (const struct centres *centres)
{
    for (int a = 0; a < AXES; a++)
        if (centres->axes[a].wraps && centres->axes[a].size % 2)
            return 1;
    return 2;
}

/* Sum up what is nearer than the radius, and what each node at the radius
 * adds at least. */
static struct signeds sum_nearer (struct centres *centres,
                                  const struct block *block, uint32_t radius,
                                  struct sums *sums)
{
    lanes n = load (centres->nearer + block->dense);
    uint32_t steps[2], parts = 0;
    struct signeds each;
    memset (centres->ahead, 0, (radius + 1) * sizeof *centres->ahead);
    for (int a = 0; a < AXES && radius > 0; a++) {
        if (centres->axes[a].size == 1)
            continue;
        sum_axis (centres, block, a, radius, false, steps, sums);
        note_ahead (centres, &centres->axes[a], steps, radius);
        parts++;
    }
    close_sums (sums, n);
    sum_farther (centres, radius, n);
    parts = parts ? parts : 1;
    each = all_convex (centres, radius)
               ? cheapest_even (centres, radius, parts)
               : cheapest (centres, radius, parts);
    each.low += (squad)sums->away.low;
    each.high += (squad)sums->away.high;
    return each;
}

/* The bounds of the centres of a block that have this radius. */
static void bound_radius (struct centres *centres, const struct block *block,
                          uint32_t radius)
{
    struct sums sums = {.pairs = {0}};
    struct signeds each = sum_nearer (centres, block, radius, &sums);
    for (int l = 0; l < LANES; l++) {
        size_t at = block->dense + (size_t)l;
        uint64_t more = centres->k - centres->nearer[at];
        int place = place_of (l);
        int32_t one = place < LANES / 2 ? each.low[place]
                                        : each.high[place - LANES / 2];
        if (centres->radius[at] == radius)
            centres->bound[at] = sums.pairs[place]
                                 + (one > 0 ? more * (uint32_t)one : 0)
                                 + more * (more - 1) / 2 * centres->spacing;
    }
}

/* The bounds of all centres that may be; others have none. Returns where the
 * least of them is. */
static size_t bound_all (struct centres *centres)
{
    size_t best = 0;
    uint64_t lowest = UINT64_MAX;
    for (size_t row = 0; row < centres->nrows; row++)
        for (uint32_t z = 0; z < centres->width; z += LANES) {
            struct block block = block_at (centres, row, z);
            for (size_t i = block.dense; i < block.dense + LANES; i++)
                centres->bound[i] = UINT64_MAX;
            for (size_t i = block.dense; i < block.dense + LANES; i++)
                if (!centres->allowed[i])
                    centres->bound[i] = UINT64_MAX;
                else if (centres->bound[i] == UINT64_MAX)
                    bound_radius (centres, &block, centres->radius[i]);
            for (size_t i = block.dense; i < block.dense + LANES; i++) {
                if (!centres->allowed[i])
                    centres->bound[i] = UINT64_MAX;
                if (centres->bound[i] < lowest) {
                    lowest = centres->bound[i];
                    best = i;
                }
            }
        }
    return best;
}

/* ---- surfaces ---- */

struct surface {
    const struct block *block;
    uint32_t radius;
    lanes left; /* nodes to take yet */
    lanes zs;   /* the coordinates of the lanes */
};

/* A row of a slice, and how far its nodes are to be from the centre. */
struct row {
    const uint16_t *nodes;
    int64_t y;
    uint32_t distance;
};

/* The one or two nodes of the row at this distance. */
static inline void look (const struct centres *centres, const struct row *row,
                         lanes *ret_low, lanes *ret_high)
{
    const struct axis *a = &centres->axes[AXES - 1];
    lanes none = {0};
    *ret_low = row->distance <= a->half[0] ? load (row->nodes - row->distance)
                                           : none;
    *ret_high = row->distance > 0 ? load (row->nodes + row->distance) : none;
}

static inline void note_taken (const struct centres *centres,
                               const struct row *row, lanes low, lanes high)
{
    lanes *taken = centres->taken[AXES - 1];
    taken[-(int64_t)row->distance] += low;
    taken[row->distance] += high;
    centres->taken[1][row->y] += low + high;
}

/* Take what is still to be taken, first the node of the lower coordinate.
 * Round a ring that is the right one where either is beyond the end of the
 * row. */
static void take_some (const struct centres *centres, struct surface *surface,
                       const struct row *row)
{
    const struct axis *a = &centres->axes[AXES - 1];
    lanes low, high, swap = {0}, first, second;
    look (centres, row, &low, &high);
    if (a->wraps)
        swap = (lanes)(surface->zs < (uint16_t)row->distance)
               | (lanes)(surface->zs >= (uint16_t)(a->size - row->distance));
    first = lower (pick (swap, high, low), surface->left);
    second = lower (pick (swap, low, high), surface->left - first);
    surface->left -= first + second;
    note_taken (centres, row, pick (swap, second, first),
                pick (swap, first, second));
}

/* The rows of a slice, in order of their coordinates, and where the nodes are
 * from coordinate 0 on. */
struct slice {
    struct offsets order;
    const uint16_t *plane;
    uint32_t rest; /* of the radius */
};

static struct slice slice_at (const struct centres *centres,
                              const struct surface *surface, int64_t x)
{
    const struct axis *axes = centres->axes;
    const struct block *block = surface->block;
    uint32_t rest = surface->radius - (uint32_t)(x < 0 ? -x : x);
    return (struct slice){
        .order = offsets_in_order (axes[1].size, block->coords[1],
                                   limit (centres, block, 1, 0, rest),
                                   limit (centres, block, 1, 1, rest)),
        .plane = centres->free + centres->free_pad + block->coords[2]
                 + (size_t)offset_at (axes[0].size, block->coords[0], x)
                       * axes[1].size * centres->free_pitch,
        .rest = rest,
    };
}

/* Take row by row, for the lanes of `all` every node at the radius, or if
 * that is none, as many as are left. */
static void take_rows (const struct centres *centres, struct surface *surface,
                       const struct slice *slice, lanes all)
{
    const struct axis *a = &centres->axes[1];
    bool whole = !all_zero (all);
    for (int part = 0; part < 2; part++)
        for (int64_t y = slice->order.first[part];
             y <= slice->order.last[part]; y++) {
            struct row row = {.y = y};
            lanes low, high;
            row.distance = slice->rest - (uint32_t)(y < 0 ? -y : y);
            if (row.distance > centres->axes[2].half[1])
                continue;
            row.nodes = slice->plane
                        + offset_at (a->size, surface->block->coords[1], y)
                              * centres->free_pitch;
            if (!whole) {
                take_some (centres, surface, &row);
                continue;
            }
            look (centres, &row, &low, &high);
            note_taken (centres, &row, low & all, high & all);
        }
}

/* Take all of n rows from y on whose distance goes up by one a row, or down,
 * and is never 0. */
static void take_run (const struct centres *centres, const struct row *first,
                      int64_t n, int64_t up, lanes all)
{
    int64_t pitch = centres->free_pitch, distance = first->distance;
    const uint16_t *left = first->nodes - distance;
    const uint16_t *right = first->nodes + distance;
    lanes *lows = centres->taken[AXES - 1] - distance;
    lanes *highs = centres->taken[AXES - 1] + distance;
    lanes *rows = centres->taken[1] + first->y;
    for (int64_t i = 0; i < n; i++) {
        lanes low = load (left) & all, high = load (right) & all;
        *lows += low;
        *highs += high;
        rows[i] += low + high;
        left += pitch - up;
        right += pitch + up;
        lows -= up;
        highs += up;
    }
}

/* The same for rows on both sides of the centre, for the lanes of `all`. */
static void take_whole (const struct centres *centres,
                        const struct surface *surface,
                        const struct slice *slice, lanes all)
{
    uint32_t size = centres->axes[1].size, c = surface->block->coords[1];
    int64_t rest = slice->rest;
    for (int part = 0; part < 2; part++) {
        int64_t from = slice->order.first[part];
        int64_t to = slice->order.last[part];
        for (int64_t y = from; y <= to;) {
            int64_t last = y < 0 && to >= 0 ? -1 : to;
            struct row row = {.y = y,
                              .distance = (uint32_t)(rest - (y < 0 ? -y : y))};
            row.nodes = slice->plane
                        + (size_t)offset_at (size, c, y) * centres->free_pitch;
            if (row.distance == 0) {
                note_taken (centres, &row, load (row.nodes) & all,
                            (lanes){0});
                y++;
                continue;
            }
            last -= last == rest; /* distance 0 */
            take_run (centres, &row, last - y + 1, y < 0 ? 1 : -1, all);
            y = last + 1;
        }
    }
}

/* A slice across the first dimension: most are taken whole by most lanes,
 * which needs no care. */
static void take_slice (struct centres *centres, struct surface *surface,
                        int64_t x)
{
    const struct block *block = surface->block;
    uint32_t rest = surface->radius - (uint32_t)(x < 0 ? -x : x);
    const uint16_t *inner = level_of (centres, ACROSS, (int64_t)rest - 1)
                            + centres->pad + block->coords[2]
                            + block->row * centres->pitch
                            - block->coords[0] * centres->axes[0].step
                            + centres->axes[0].at[block->coords[0] + x];
    lanes count = load (inner + centres->level) - load (inner);
    lanes all = (lanes)(count <= surface->left), left = surface->left;
    struct slice slice = slice_at (centres, surface, x);
    if (!all_zero (all & left)) {
        if (rest <= centres->axes[AXES - 1].half[0])
            take_whole (centres, surface, &slice, all & (lanes)(left > 0));
        else
            take_rows (centres, surface, &slice, all & (lanes)(left > 0));
        surface->left -= count & all;
    }
    if (!all_zero (left & ~all)) {
        lanes later = surface->left & all;
        surface->left &= ~all;
        take_rows (centres, surface, &slice, (lanes){0});
        surface->left |= later;
    }
    centres->taken[0][x] = left - surface->left;
}

/* Take the rest of the k nodes from the surface, in the order of ids, for the
 * lanes that are marked. */
static void take_surface (struct centres *centres, const struct block *block,
                          uint32_t radius, lanes marked)
{
    lanes k = (lanes){0} + (uint16_t)centres->k;
    struct surface surface = {.block = block, .radius = radius};
    struct offsets order = offsets_in_order (
        centres->axes[0].size, block->coords[0],
        limit (centres, block, 0, 0, radius),
        limit (centres, block, 0, 1, radius));
    surface.left = (k - load (centres->nearer + block->dense)) & marked;
    surface.zs = (lanes){0, 1, 2, 3, 4, 5, 6, 7}
                 + (uint16_t)block->coords[2];
    for (int a = 0; a < AXES; a++)
        memset (centres->taken[a] - radius, 0,
                (2 * (size_t)radius + 1) * sizeof *centres->taken[a]);
    for (int part = 0; part < 2; part++)
        for (int64_t x = order.first[part];
             x <= order.last[part] && !all_zero (surface.left); x++)
            take_slice (centres, &surface, x);
}

static uint32_t node_of (const struct centres *centres,
                         const struct block *block, int lane)
{
    return (uint32_t)(block->row * centres->axes[AXES - 1].size
                      + block->coords[2] + (uint32_t)lane);
}

/* Whether a centre may be the best. */
static bool hopeful (const struct centres *centres, const struct block *block,
                     int lane)
{
    uint64_t bound = centres->bound[block->dense + (size_t)lane];
    return bound < centres->best
           || (bound == centres->best && bound < UINT64_MAX
               && node_of (centres, block, lane) < centres->best_node);
}

static void try_radius (struct centres *centres, const struct block *block,
                        uint32_t radius)
{
    lanes marked = {0}, k = (lanes){0} + (uint16_t)centres->k;
    struct sums sums = {.pairs = {0}};
    uint32_t steps[2];
    for (int i = 0; i < LANES; i++)
        if (centres->radius[block->dense + (size_t)i] == radius
            && hopeful (centres, block, i))
            marked[i] = UINT16_MAX;
    take_surface (centres, block, radius, marked);
    for (int a = 0; a < AXES; a++)
        if (centres->axes[a].size > 1)
            sum_axis (centres, block, a, radius, true, steps, &sums);
    close_sums (&sums, k);
    for (int i = 0; i < LANES; i++) {
        uint32_t node = node_of (centres, block, i);
        uint64_t sum = sums.pairs[place_of (i)];
        if (!marked[i])
            continue;
        centres->bound[block->dense + (size_t)i] = UINT64_MAX;
        if (sum < centres->best
            || (sum == centres->best && node < centres->best_node)) {
            centres->best = sum;
            centres->best_node = node;
        }
    }
}

/* Try those centres of a block that may be the best. */
static void try_block (struct centres *centres, const struct block *block)
{
    for (int i = 0; i < LANES; i++)
        if (hopeful (centres, block, i))
            try_radius (centres, block,
                        centres->radius[block->dense + (size_t)i]);
}

static void try_all (struct centres *centres, size_t start)
{
    struct block block = block_at (
        centres, start / centres->width,
        (uint32_t)(start % centres->width) / LANES * LANES);
    centres->best = UINT64_MAX;
    centres->best_node = UINT32_MAX;
    try_block (centres, &block);
    for (size_t row = 0; row < centres->nrows; row++)
        for (uint32_t z = 0; z < centres->width; z += LANES) {
            block = block_at (centres, row, z);
            try_block (centres, &block);
        }
}

/* ---- a request ---- */

/* Room for what is kept by offset, up to this radius. */
static int need_reach (struct centres *centres, uint32_t radius,
                       tori_error *err)
{
    size_t reach = (size_t)radius + 1;
    bool failed = false;
    if (reach <= centres->reach)
        return 0;
    centres->reach = 0;
    for (int a = 0; a < AXES; a++) {
        free (centres->room[a]);
        centres->room[a] = malloc (2 * reach * sizeof *centres->room[a]);
        failed = failed || !centres->room[a];
        if (!failed)
            centres->taken[a] = centres->room[a] + radius;
    }
    free (centres->room[AXES]);
    free (centres->farther);
    centres->room[AXES] = malloc (3 * reach * sizeof (lanes));
    centres->farther = malloc (reach * sizeof *centres->farther);
    if (failed || !centres->room[AXES] || !centres->farther)
        return tori_error_nomem (err);
    centres->caps[0] = centres->room[AXES];
    centres->caps[1] = centres->caps[0] + reach;
    centres->ahead = centres->caps[1] + reach;
    centres->reach = reach;
    return 0;
}

/* Sums of distances from a centre must fit 31 bits, counts 16. */
static bool too_large (const struct centres *centres, uint32_t k)
{
    uint64_t sides = 0;
    for (int a = 0; a < AXES; a++)
        sides += centres->axes[a].size;
    return k >= UINT16_MAX || 4 * sides * k > INT32_MAX;
}

static int prepare (struct centres *centres, tori_error *err)
{
    if (centres->ready)
        return 0;
    set_rows (centres);
    centres->ready = get_memory (centres);
    if (centres->ready)
        return 0;
    release (centres);
    return tori_error_nomem (err);
}

int centres_find (struct centres *centres, const tori_state *state, uint32_t k,
                  const bool *occurs, uint32_t *ret_centre, tori_error *err)
{
    uint32_t radius;
    int done;
    if (!centres->suits || too_large (centres, k))
        return 0;
    if (prepare (centres, err) < 0)
        return -1;
    centres->k = k;
    centres->flush = (uint32_t)(UINT32_MAX / ((uint64_t)k * k + 1));
    centres->spacing = spacing (centres);
    load_free (centres, state->free);
    if (occurs)
        allow_grid (centres, occurs);
    else
        allow_free (centres);
    done = count_levels (centres, &radius, err);
    if (done <= 0)
        return done;
    if (need_reach (centres, radius, err) < 0)
        return -1;
    try_all (centres, bound_all (centres));
    *ret_centre = centres->best_node;
    return 1;
}

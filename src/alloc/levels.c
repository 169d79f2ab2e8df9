#include "levels.h"

#include <stdlib.h>
#include <string.h>

#include "bits.h"
#include "grid.h"

/* Slots of all tables together. */
static const size_t MAX_SLOTS = (size_t)1 << 28;

static uint32_t round_up (uint32_t n)
{
    return (n + LANES - 1) / LANES * LANES;
}

/* ---- memory ---- */

static void let_go (uint16_t **slots)
{
    free (*slots);
    *slots = NULL;
}

/* Give back what prepare got. */
static void release (struct levels *levels)
{
    for (int t = 0; t <= TABLES; t++) {
        let_go (&levels->sides[t][0]);
        let_go (&levels->sides[t][1]);
    }
    for (int a = 0; a < AXES; a++) {
        free (levels->axes[a].room);
        levels->axes[a].room = NULL;
    }
    let_go (&levels->free);
    let_go (&levels->allowed);
    let_go (&levels->radius);
    let_go (&levels->nearer);
    levels->ready = false;
}

static void set_axes (struct levels *levels, const tori_machine *machine)
{
    int a = AXES;
    for (int i = 0; i < AXES; i++)
        levels->axes[i] = (struct axis){.size = 1};
    for (int d = machine->shape.ndims; d-- > 0;) {
        uint32_t size = machine->shape.size[d];
        bool wraps = tori_machine_wraps (machine, d);
        if (size == 1)
            continue;
        if (a == 0)
            return;
        levels->axes[--a] = (struct axis){
            .size = size,
            .wraps = wraps,
            .half = {wraps ? (size - 1) / 2 : size - 1,
                     wraps ? size / 2 : size - 1},
        };
    }
    levels->suits = true;
}

static void set_rows (struct levels *levels)
{
    const struct axis *last = &levels->axes[AXES - 1];
    uint32_t reach = last->wraps ? last->half[1] : 0;
    levels->nrows = (size_t)levels->axes[0].size * levels->axes[1].size;
    levels->width = round_up (last->size);
    levels->pad = round_up (reach) + LANES;
    levels->pitch = levels->width + 2 * levels->pad;
    levels->free_pad = round_up (last->half[1]) + LANES;
    levels->free_pitch = levels->width + 2 * levels->free_pad;
    /* not a multiple of what caches are organised by */
    levels->level = (levels->nrows * levels->pitch + 8191) / 8192 * 8192
                    + 160;
    levels->axes[2].step = 1;
    levels->axes[1].step = levels->pitch;
    levels->axes[0].step = levels->pitch * levels->axes[1].size;
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

static bool get_memory (struct levels *levels)
{
    size_t dense = levels->nrows * levels->width;
    levels->free = calloc (levels->nrows * levels->free_pitch,
                           sizeof *levels->free);
    levels->allowed = calloc (dense, sizeof *levels->allowed);
    levels->radius = calloc (dense, sizeof *levels->radius);
    levels->nearer = calloc (dense, sizeof *levels->nearer);
    for (int a = 0; a < AXES; a++)
        if (!set_offsets (&levels->axes[a], a == AXES - 1))
            return false;
    for (int t = 0; t <= TABLES; t++) {
        uint16_t **sides = levels->sides[t];
        if (t == ALONG_LAST || t == ALONG_SECOND)
            continue;
        sides[0] = calloc (levels->level, sizeof *sides[0]);
        sides[1] = calloc (levels->level, sizeof *sides[1]);
        if (!sides[0] || !sides[1])
            return false;
    }
    return levels->free && levels->allowed && levels->radius
           && levels->nearer;
}

void levels_init (struct levels *levels, const tori_machine *machine)
{
    *levels = (struct levels){.machine = machine};
    set_axes (levels, machine);
    set_rows (levels);
}

void levels_clear (struct levels *levels)
{
    release (levels);
    for (int t = 0; t < TABLES; t++)
        free (levels->tables[t].slots);
}

static int prepare (struct levels *levels, tori_error *err)
{
    if (levels->ready)
        return 0;
    levels->ready = get_memory (levels);
    if (levels->ready)
        return 0;
    release (levels);
    return tori_error_nomem (err);
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

static void load_free (struct levels *levels, const uint64_t *free_nodes)
{
    const struct axis *last = &levels->axes[AXES - 1];
    uint32_t node = 0;
    for (size_t i = 0; i < levels->nrows; i++) {
        uint16_t *row = levels->free + i * levels->free_pitch
                        + levels->free_pad;
        for (uint32_t z = 0; z < last->size; z++)
            row[z] = bits_test (free_nodes, node++);
        pad_row (last, row, levels->free_pad,
                 levels->width + levels->free_pad);
    }
}

/* The flags of the coordinates of an axis, which is the n-th dimension longer
 * than 1 counted from the last. */
static const bool *occurs_of (const struct levels *levels,
                              const bool *occurs, int axis)
{
    const tori_shape *shape = &levels->machine->shape;
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

static void allow_grid (struct levels *levels, const bool *occurs)
{
    const struct axis *axes = levels->axes;
    const bool *flags[AXES];
    uint16_t *to = levels->allowed;
    for (int a = 0; a < AXES; a++)
        flags[a] = occurs_of (levels, occurs, a);
    for (uint32_t x = 0; x < axes[0].size; x++)
        for (uint32_t y = 0; y < axes[1].size; y++, to += levels->width)
            for (uint32_t z = 0; z < axes[2].size; z++)
                to[z] = (!flags[0] || flags[0][x])
                                && (!flags[1] || flags[1][y])
                                && (!flags[2] || flags[2][z])
                            ? UINT16_MAX
                            : 0;
}

static void allow_free (struct levels *levels)
{
    for (size_t i = 0; i < levels->nrows; i++) {
        const uint16_t *row = levels->free + i * levels->free_pitch
                              + levels->free_pad;
        for (uint32_t z = 0; z < levels->axes[AXES - 1].size; z++)
            levels->allowed[i * levels->width + z] = row[z] ? UINT16_MAX : 0;
    }
}

/* ---- levels ---- */

/* Make room for one more level of a table and zero its padding. */
static int need_level (struct levels *levels, int table, uint32_t radius,
                       tori_error *err)
{
    struct table *to = &levels->tables[table];
    size_t need = (radius + 2) * levels->level, room = to->room;
    uint16_t *slots;
    if (need <= room)
        return 0;
    need = room ? 2 * need : 8 * levels->level + need;
    slots = realloc (to->slots, need * sizeof *slots);
    if (!slots)
        return tori_error_nomem (err);
    memset (slots + room, 0, (need - room) * sizeof *slots);
    to->slots = slots;
    to->room = need;
    return 0;
}

/* Counts along the last dimension: two more nodes a radius. */
static void count_last (struct levels *levels, uint32_t radius)
{
    const struct axis *axis = &levels->axes[2];
    const uint16_t *from = level_of (levels, ALONG_LAST,
                                     (int64_t)radius - 1);
    uint16_t *to = level_of (levels, ALONG_LAST, radius);
    lanes left = {0}, right = {0};
    for (size_t i = 0; i < levels->nrows; i++) {
        const uint16_t *nodes = levels->free + i * levels->free_pitch
                                + levels->free_pad;
        size_t at = i * levels->pitch + levels->pad;
        for (uint32_t z = 0; z < levels->width; z += LANES) {
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
static void count_second (struct levels *levels, uint32_t radius)
{
    const struct axis *axis = &levels->axes[1];
    const uint16_t *from = level_of (levels, ALONG_SECOND,
                                     (int64_t)radius - 1);
    uint16_t *to = level_of (levels, ALONG_SECOND, radius);
    for (size_t i = 0; i < levels->nrows; i++) {
        uint32_t y = (uint32_t)(i % axis->size);
        bool left = radius <= axis->half[0] && (axis->wraps || radius <= y);
        bool right = radius > 0 && radius <= axis->half[1]
                     && (axis->wraps || radius < axis->size - y);
        const uint16_t *plane = levels->free + levels->free_pad
                                + (i - y) * levels->free_pitch;
        const uint16_t *low = plane + (y + axis->size - radius % axis->size)
                                          % axis->size * levels->free_pitch;
        const uint16_t *high = plane + (y + radius) % axis->size
                                           * levels->free_pitch;
        size_t at = i * levels->pitch + levels->pad;
        for (uint32_t z = 0; z < levels->width; z += LANES) {
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
static struct spread spread_at (const struct levels *levels, int table,
                                const struct axis *axis, uint32_t x,
                                int from, uint32_t radius)
{
    const uint16_t *zeros = level_of (levels, from, -1);
    uint32_t size = axis->size, shift = radius % size;
    struct spread s = {.in = level_of (levels, from, radius)
                             + x * axis->step};
    for (int side = 0; side < 2; side++) {
        uint32_t back = side ? 1 : size - 1; /* a step away from the centre */
        uint32_t place = (x + (side ? shift : size - shift)) % size;
        int64_t gone = (int64_t)radius - axis->half[side] - 1;
        bool edge = !axis->wraps && x == (side ? size - 1 : 0);
        s.to[side] = levels->sides[table][side] + place * axis->step;
        s.from[side] = radius == 0 || edge ? zeros : s.to[side];
        s.leaving[side] = zeros;
        if (axis->wraps && gone >= 0)
            s.leaving[side] = level_of (levels, from, gone)
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
static void spread_level (struct levels *levels, int table, int dim,
                          int from, uint32_t radius)
{
    const struct axis *axis = &levels->axes[dim];
    size_t plane = axis->size * axis->step;
    uint16_t *to = level_of (levels, table, radius);
    for (uint32_t x = 0; x < axis->size; x++) {
        struct spread s = spread_at (levels, table, axis, x, from, radius);
        for (size_t at = 0; at < levels->nrows * levels->pitch; at += plane)
            for (size_t row = at; row < at + axis->step; row += levels->pitch)
                for (uint32_t z = 0; z < levels->width; z += LANES)
                    store (to + x * axis->step + row + levels->pad + z,
                           spread_step (&s, row + levels->pad + z));
    }
}

/* The last dimension is read beyond the ends of its rows. */
static void pad_level (struct levels *levels, int table, uint32_t radius)
{
    uint16_t *rows = level_of (levels, table, radius) + levels->pad;
    if (levels->axes[2].wraps)
        for (size_t i = 0; i < levels->nrows; i++)
            pad_row (&levels->axes[2], rows + i * levels->pitch,
                     levels->pad, levels->width + levels->pad);
}

/* Whole balls: who has not k free nodes yet goes on to the next radius.
 * Returns the lanes of centres that have to. */
static inline lanes count_row (struct levels *levels, const struct spread *s,
                               size_t row, size_t dense)
{
    lanes k = (lanes){0} + (uint16_t)levels->k, any = {0};
    for (uint32_t z = 0; z < levels->width; z += LANES) {
        lanes count = spread_step (s, row + levels->pad + z);
        lanes few = (lanes)(count < k);
        lanes nearer = load (levels->nearer + dense + z);
        lanes far = load (levels->radius + dense + z);
        store (levels->nearer + dense + z, pick (few, count, nearer));
        store (levels->radius + dense + z, far - few);
        any |= few & load (levels->allowed + dense + z);
    }
    return any;
}

static bool count_balls (struct levels *levels, uint32_t radius)
{
    const struct axis *axis = &levels->axes[0];
    lanes any = {0};
    for (uint32_t x = 0; x < axis->size; x++) {
        struct spread s = spread_at (levels, BALLS, axis, x, ACROSS, radius);
        size_t dense = x * (axis->step / levels->pitch) * levels->width;
        for (size_t row = 0; row < axis->step; row += levels->pitch) {
            any |= count_row (levels, &s, row, dense);
            dense += levels->width;
        }
    }
    return !all_zero (any);
}

/* All tables at a radius; whether some centre needs a greater one. */
static bool count_level (struct levels *levels, uint32_t radius)
{
    count_last (levels, radius);
    spread_level (levels, ACROSS, 1, ALONG_LAST, radius);
    if (!count_balls (levels, radius))
        return false;
    if (levels->axes[1].size > 1)
        spread_level (levels, ACROSS + 1, 0, ALONG_LAST, radius);
    count_second (levels, radius);
    spread_level (levels, ACROSS + 2, 0, ALONG_SECOND, radius);
    pad_level (levels, ACROSS + 2, radius);
    return true;
}

/* Sums that are capped cannot be subtracted again. */
static bool serves (const struct levels *levels, uint32_t radius)
{
    if ((radius + 2) * levels->level > MAX_SLOTS / TABLES)
        return false;
    for (int a = 0; a < AXES; a++)
        if (levels->machine->nodes > UINT16_MAX && levels->axes[a].wraps
            && radius > levels->axes[a].half[0])
            return false;
    return true;
}

/* The tables by radius, until every centre has k nodes. 1 and the greatest
 * radius, 0 if that takes too much, -1 without memory. */
static int count_levels (struct levels *levels, uint32_t *ret_radius,
                         tori_error *err)
{
    size_t dense = levels->nrows * levels->width;
    memset (levels->radius, 0, dense * sizeof *levels->radius);
    memset (levels->nearer, 0, dense * sizeof *levels->nearer);
    for (uint32_t radius = 0; serves (levels, radius); radius++) {
        for (int t = 0; t < TABLES; t++)
            if (need_level (levels, t, radius, err) < 0)
                return -1;
        if (count_level (levels, radius))
            continue;
        *ret_radius = radius;
        return 1;
    }
    return 0;
}

int levels_count (struct levels *levels, const uint64_t *free_nodes,
                  uint32_t k, const bool *occurs, uint32_t *ret_radius,
                  tori_error *err)
{
    if (!serves (levels, 0))
        return 0;
    if (prepare (levels, err) < 0)
        return -1;
    levels->k = k;
    load_free (levels, free_nodes);
    if (occurs)
        allow_grid (levels, occurs);
    else
        allow_free (levels);
    return count_levels (levels, ret_radius, err);
}

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
        free (levels->field.axes[a].room);
        levels->field.axes[a].room = NULL;
    }
    let_go (&levels->free);
    let_go (&levels->field.allowed);
    let_go (&levels->field.radius);
    let_go (&levels->field.nearer);
    let_go (&levels->few);
    free (levels->runs);
    levels->runs = NULL;
    for (int i = 0; i < 2; i++) {
        free (levels->hops[i]);
        levels->hops[i] = NULL;
    }
    levels->ready = false;
}

static void set_rows (struct levels *levels)
{
    struct axis *axes = levels->field.axes;
    const struct axis *last = &axes[AXES - 1];
    uint32_t reach = last->wraps ? last->half[1] : 0;
    levels->field.nrows = (size_t)axes[0].size * axes[1].size;
    levels->field.width = round_up (last->size);
    levels->pad = round_up (reach) + LANES;
    levels->pitch = levels->field.width + 2 * levels->pad;
    levels->free_pad = round_up (last->half[1]) + LANES;
    levels->free_pitch = levels->field.width + 2 * levels->free_pad;
    /* not a multiple of what caches are organised by */
    levels->level = (levels->field.nrows * levels->pitch + 8191) / 8192 * 8192
                    + 160;
    axes[2].step = axes[2].free_step = 1;
    axes[1].step = levels->pitch;
    axes[1].free_step = levels->free_pitch;
    axes[0].step = levels->pitch * axes[1].size;
    axes[0].free_step = levels->free_pitch * axes[1].size;
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
    size_t dense = levels->field.nrows * levels->field.width;
    levels->free = calloc (levels->field.nrows * levels->free_pitch,
                           sizeof *levels->free);
    levels->field.allowed = calloc (dense, sizeof *levels->field.allowed);
    levels->field.radius = calloc (dense, sizeof *levels->field.radius);
    levels->field.nearer = calloc (dense, sizeof *levels->field.nearer);
    levels->few = calloc (dense, sizeof *levels->few);
    levels->runs = malloc (levels->field.nrows * sizeof *levels->runs);
    for (int i = 0; i < 2; i++)
        levels->hops[i] = calloc (levels->field.axes[i].size,
                                  sizeof *levels->hops[i]);
    for (int a = 0; a < AXES; a++)
        if (!set_offsets (&levels->field.axes[a], a == AXES - 1))
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
    return levels->free && levels->field.allowed && levels->field.radius
           && levels->field.nearer && levels->few && levels->runs
           && levels->hops[0] && levels->hops[1];
}

void levels_init (struct levels *levels, const tori_machine *machine)
{
    *levels = (struct levels){.machine = machine,
                              .field = {.levelled = true}};
    levels->suits = field_axes (&levels->field, machine);
    set_rows (levels);
    for (int t = 0; t < TABLES; t++)
        levels->alias[t] = t;
    if (levels->field.axes[0].size == 1) {
        levels->alias[ACROSS + 1] = ALONG_LAST;
        levels->alias[ACROSS + 2] = ALONG_SECOND;
    }
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
    const struct axis *last = &levels->field.axes[AXES - 1];
    uint32_t node = 0;
    for (size_t i = 0; i < levels->field.nrows; i++) {
        uint16_t *row = levels->free + i * levels->free_pitch
                        + levels->free_pad;
        for (uint32_t z = 0; z < last->size; z++)
            row[z] = bits_test (free_nodes, node++);
        pad_row (last, row, levels->free_pad,
                 levels->field.width + levels->free_pad);
    }
}

static void allow_grid (struct levels *levels, const bool *occurs)
{
    const struct axis *axes = levels->field.axes;
    const bool *flags[AXES];
    uint16_t *to = levels->field.allowed;
    for (int a = 0; a < AXES; a++)
        flags[a] = field_flags (levels->machine, occurs, a);
    for (uint32_t x = 0; x < axes[0].size; x++)
        for (uint32_t y = 0; y < axes[1].size; y++, to += levels->field.width)
            for (uint32_t z = 0; z < axes[2].size; z++)
                to[z] = (!flags[0] || flags[0][x])
                                && (!flags[1] || flags[1][y])
                                && (!flags[2] || flags[2][z])
                            ? UINT16_MAX
                            : 0;
}

static void allow_free (struct levels *levels)
{
    for (size_t i = 0; i < levels->field.nrows; i++) {
        const uint16_t *row = levels->free + i * levels->free_pitch
                              + levels->free_pad;
        for (uint32_t z = 0; z < levels->field.axes[AXES - 1].size; z++)
            levels->field.allowed[i * levels->field.width + z]
                = row[z] ? UINT16_MAX : 0;
    }
}

/* ---- levels ---- */

/* The first slot of a level, radius -8 at the least. */
static inline uint16_t *level_of (const struct levels *levels, int table,
                                  int64_t radius)
{
    return levels->tables[levels->alias[table]].slots
           + (size_t)(radius + LANES) * levels->level;
}

/* Make room for one more level of a table and zero its padding. */
static int need_level (struct levels *levels, int table, uint32_t radius,
                       tori_error *err)
{
    struct table *to = &levels->tables[table];
    size_t need = (radius + 1 + LANES) * levels->level, room = to->room;
    uint16_t *slots;
    if (need <= room || levels->alias[table] != table)
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

/* Tables at a radius and at the one before. `capped`: counts may not fit;
 * `rings`: some dimension wraps. */
struct pass {
    uint32_t radius;
    uint16_t *to[TABLES];
    const uint16_t *from[TABLES], *zeros;
};

static struct pass pass_at (const struct levels *levels, uint32_t radius)
{
    struct pass pass = {.radius = radius,
                        .zeros = level_of (levels, ALONG_LAST, -1)};
    for (int t = 0; t < TABLES; t++) {
        pass.to[t] = level_of (levels, t, radius);
        pass.from[t] = level_of (levels, t, (int64_t)radius - 1);
    }
    return pass;
}

static inline lanes add (lanes a, lanes b, bool capped)
{
    return capped ? add_capped (a, b) : a + b;
}

/* Counts along the last dimension: two more nodes a radius. */
struct last {
    const uint16_t *nodes[2], *from;
    uint16_t *to;
};

static inline struct last last_at (const struct levels *levels,
                                   const struct run *run,
                                   const struct pass *pass)
{
    const struct axis *axis = &levels->field.axes[2];
    const uint16_t *nodes = levels->free + run->row * levels->free_pitch
                            + levels->free_pad;
    uint32_t radius = pass->radius;
    size_t at = run->row * levels->pitch + levels->pad;
    return (struct last){
        .nodes = {radius <= axis->half[0] ? nodes - radius : pass->zeros,
                  radius > 0 && radius <= axis->half[1] ? nodes + radius
                                                        : pass->zeros},
        .from = pass->from[ALONG_LAST] + at,
        .to = pass->to[ALONG_LAST] + at,
    };
}

static inline lanes last_step (const struct last *last, uint32_t z,
                               bool capped)
{
    lanes both = load (last->nodes[0] + z) + load (last->nodes[1] + z);
    lanes sum = add (load (last->from + z), both, capped);
    store (last->to + z, sum);
    return sum;
}

/* Counts along the second dimension: two more rows a radius. */
static inline struct last second_at (const struct levels *levels,
                                     const struct run *run,
                                     const struct pass *pass)
{
    const struct axis *axis = &levels->field.axes[1];
    const uint16_t *row = levels->free + levels->free_pad
                          + run->row * levels->free_pitch;
    size_t pitch = levels->free_pitch, ring = axis->size * pitch;
    uint32_t radius = pass->radius;
    size_t far = radius * pitch;
    bool inside[2] = {radius <= run->y, radius < axis->size - run->y};
    bool left = radius <= axis->half[0] && (axis->wraps || inside[0]);
    bool right = radius > 0 && radius <= axis->half[1]
                 && (axis->wraps || inside[1]);
    size_t at = run->row * levels->pitch + levels->pad;
    return (struct last){
        .nodes = {left ? row - far + (inside[0] ? 0 : ring) : pass->zeros,
                  right ? row + far - (inside[1] ? 0 : ring) : pass->zeros},
        .from = pass->from[ALONG_SECOND] + at,
        .to = pass->to[ALONG_SECOND] + at,
    };
}

/* With c(x, r) counted in some dimensions, one more makes
 *
 *     before(x, r) = c(x, r) + before(x-1, r-1)
 *     beyond(x, r) = c(x, r) + beyond(x+1, r-1)
 *     all(x, r) = c(x, r) + before(x-1, r-1) + beyond(x+1, r-1)
 *
 * Rows that take part in this; and what has got too far away round a ring. */
struct spread {
    const uint16_t *from[2], *leaving[2];
    uint16_t *to[2];
};

/* Where they are from a row on, by its coordinate. As before(x, r) is only
 * needed for before(x+1, r+1), it takes the place of before(x-1, r-1): at
 * coordinate x - r, round the ring or, as the place of one that has left the
 * mesh is free, round the mesh. So a hop goes one place farther with every
 * radius; the rest of it stays. */
static void start_hops (struct levels *levels, int dim)
{
    const struct axis *axis = &levels->field.axes[dim];
    int64_t size = axis->size, step = (int64_t)axis->step;
    for (int64_t x = 0; x < size; x++) {
        struct hop *hop = &levels->hops[dim][x];
        for (int side = 0; side < 2; side++) {
            int64_t sign = side ? 1 : -1, half = axis->half[side] + 1;
            int64_t left = (x + sign * half + 2 * size) % size;
            hop->to[side] = 0;
            hop->end[side] = (side ? size - 1 - x : -x) * step;
            hop->left[side] = (left - x) * step;
            hop->edge[side] = !axis->wraps && hop->end[side] == 0;
        }
    }
}

static void set_hops (struct levels *levels, int dim)
{
    const struct axis *axis = &levels->field.axes[dim];
    int64_t step = (int64_t)axis->step, round = (int64_t)axis->size * step;
    for (uint32_t x = 0; x < axis->size; x++) {
        struct hop *hop = &levels->hops[dim][x];
        hop->to[0] -= hop->to[0] == hop->end[0] ? step - round : step;
        hop->to[1] += hop->to[1] == hop->end[1] ? step - round : step;
    }
}

static inline struct spread spread_at (const struct levels *levels,
                                       const struct pass *pass, int table,
                                       int dim, uint32_t x, size_t at,
                                       int from, bool rings)
{
    const struct axis *axis = &levels->field.axes[dim];
    const struct hop *hop = &levels->hops[dim][x];
    struct spread s;
    for (int side = 0; side < 2; side++) {
        bool begins = pass->radius == 0 || hop->edge[side];
        s.to[side] = levels->sides[table][side] + at + hop->to[side];
        s.from[side] = begins ? pass->zeros : s.to[side];
        s.leaving[side] = pass->zeros;
        if (rings && axis->wraps && pass->radius > axis->half[side])
            s.leaving[side] = level_of (levels, from,
                                        pass->radius - axis->half[side] - 1)
                              + at + hop->left[side];
    }
    return s;
}

static inline lanes spread_step (const struct spread *s, uint32_t z, lanes in,
                                 bool capped, bool rings)
{
    lanes left = load (s->from[0] + z), right = load (s->from[1] + z);
    if (rings) {
        left -= load (s->leaving[0] + z);
        right -= load (s->leaving[1] + z);
    }
    store (s->to[0] + z, add (left, in, capped));
    store (s->to[1] + z, add (right, in, capped));
    return add (add (left, right, capped), in, capped);
}

/* The last dimension is read beyond the ends of its rows. */
static void pad_level (const struct levels *levels, int table, size_t row,
                       uint32_t radius)
{
    if (levels->field.axes[2].wraps)
        pad_row (&levels->field.axes[2],
                 level_of (levels, table, radius) + row * levels->pitch
                     + levels->pad,
                 levels->pad, levels->field.width + levels->pad);
}

/* Who has not k free nodes yet goes on to the next radius. */
static inline lanes who_has_few (const struct levels *levels, size_t dense,
                                 lanes count)
{
    lanes k = (lanes){0} + (uint16_t)levels->field.k;
    lanes few = (lanes)(count < k) & load (levels->few + dense);
    lanes nearer = load (levels->field.nearer + dense);
    lanes far = load (levels->field.radius + dense);
    store (levels->few + dense, few);
    store (levels->field.nearer + dense, pick (few, count, nearer));
    store (levels->field.radius + dense, far - few);
    return few;
}

/* The balls across the first dimension, then whole ones; the run is cut to
 * the nodes that go on. Returns the lanes of centres that have to. */
static inline lanes count_run (const struct levels *levels, struct run *run,
                               const struct pass *pass, bool capped,
                               bool rings)
{
    struct last last = last_at (levels, run, pass);
    size_t at = run->row * levels->pitch + levels->pad;
    struct spread y = spread_at (levels, pass, ACROSS, 1, run->y, at,
                                 ALONG_LAST, rings);
    struct spread x = spread_at (levels, pass, BALLS, 0, run->x, at, ACROSS,
                                 rings);
    uint16_t *across = pass->to[ACROSS] + at;
    size_t dense = (size_t)run->row * levels->field.width;
    uint32_t end = run->to, from = end, to = 0;
    lanes any = {0};
    for (uint32_t z = run->from; z < end; z += LANES) {
        lanes c = spread_step (&y, z, last_step (&last, z, capped), capped,
                               rings);
        lanes count = spread_step (&x, z, c, capped, rings);
        lanes few = who_has_few (levels, dense + z, count);
        store (across + z, c);
        any |= few & load (levels->field.allowed + dense + z);
        if (all_zero (few))
            continue;
        from = z < from ? z : from;
        to = z + LANES;
    }
    run->from = from;
    run->to = to;
    return any;
}

/* The balls across the second and the last dimension. */
static inline void spread_run (const struct levels *levels,
                               const struct run *run,
                               const struct pass *pass, bool capped,
                               bool rings)
{
    struct last second = second_at (levels, run, pass);
    struct spread y, z;
    size_t at = run->row * levels->pitch + levels->pad;
    const uint16_t *last = pass->to[ALONG_LAST] + at;
    uint16_t *to_y = pass->to[ACROSS + 1] + at;
    uint16_t *to_z = pass->to[ACROSS + 2] + at;
    if (levels->field.axes[0].size == 1) {
        for (uint32_t i = run->from; i < run->to; i += LANES)
            last_step (&second, i, capped);
        return;
    }
    y = spread_at (levels, pass, ACROSS + 1, 0, run->x, at, ALONG_LAST,
                   rings);
    z = spread_at (levels, pass, ACROSS + 2, 0, run->x, at, ALONG_SECOND,
                   rings);
    for (uint32_t i = run->from; i < run->to; i += LANES) {
        lanes in = last_step (&second, i, capped);
        store (to_y + i,
               spread_step (&y, i, load (last + i), capped, rings));
        store (to_z + i, spread_step (&z, i, in, capped, rings));
    }
}

/* All tables at a radius, where it is needed; whether some centre needs a
 * greater one. */
static inline bool count_runs (struct levels *levels, uint32_t radius,
                               bool capped, bool rings)
{
    struct pass pass = pass_at (levels, radius);
    lanes any = {0};
    size_t kept = 0;
    for (size_t i = 0; i < levels->nruns; i++) {
        struct run run = levels->runs[i], next = run;
        any |= count_run (levels, &next, &pass, capped, rings);
        spread_run (levels, &run, &pass, capped, rings);
        if (rings)
            pad_level (levels, ACROSS + 2, run.row, radius);
        levels->runs[kept] = next;
        kept += next.from < next.to;
    }
    levels->nruns = kept;
    return !all_zero (any);
}

/* The same for a compiler to make much of what a machine has not. */
static bool count_level (struct levels *levels, uint32_t radius)
{
    bool capped = levels->machine->nodes > UINT16_MAX, rings = false;
    for (int a = 0; a < AXES; a++)
        rings = rings || levels->field.axes[a].wraps;
    if (capped)
        return count_runs (levels, radius, true, true);
    if (rings)
        return count_runs (levels, radius, false, true);
    return count_runs (levels, radius, false, false);
}

/* Sums that are capped cannot be subtracted again. */
static bool serves (const struct levels *levels, uint32_t radius)
{
    if ((radius + 1 + LANES) * levels->level > MAX_SLOTS / TABLES)
        return false;
    for (int a = 0; a < AXES; a++)
        if (levels->machine->nodes > UINT16_MAX && levels->field.axes[a].wraps
            && radius > levels->field.axes[a].half[0])
            return false;
    return true;
}

/* All nodes need the first radius. */
static void start_runs (struct levels *levels)
{
    size_t dense = levels->field.nrows * levels->field.width;
    uint32_t size = levels->field.axes[AXES - 1].size;
    uint32_t y_size = levels->field.axes[1].size;
    memset (levels->field.radius, 0, dense * sizeof *levels->field.radius);
    memset (levels->field.nearer, 0, dense * sizeof *levels->field.nearer);
    memset (levels->few, 0, dense * sizeof *levels->few);
    levels->nruns = levels->field.nrows;
    for (uint32_t i = 0; i < levels->field.nrows; i++) {
        memset (levels->few + i * levels->field.width, 0xFF,
                size * sizeof *levels->few);
        levels->runs[i] = (struct run){i, i / y_size, i % y_size, 0,
                                       levels->field.width};
    }
}

/* The tables by radius, until every centre has k nodes. 1 and the greatest
 * radius, 0 if that takes too much, -1 without memory. */
static int count_levels (struct levels *levels, uint32_t *ret_radius,
                         tori_error *err)
{
    start_runs (levels);
    start_hops (levels, 0);
    start_hops (levels, 1);
    for (uint32_t radius = 0; serves (levels, radius); radius++) {
        for (int t = 0; t < TABLES; t++)
            if (need_level (levels, t, radius, err) < 0)
                return -1;
        if (count_level (levels, radius)) {
            set_hops (levels, 0);
            set_hops (levels, 1);
            continue;
        }
        *ret_radius = radius;
        return 1;
    }
    return 0;
}

/* What was counted, for all to read. */
static void set_field (struct levels *levels)
{
    levels->field.free = levels->free + levels->free_pad;
    for (int a = 0; a < AXES; a++)
        levels->field.across[a] = (struct across){
            .slots = {level_of (levels, ACROSS + a, 0) + levels->pad},
            .step = {(int64_t)levels->level},
            .terms = 1,
        };
}

int levels_count (struct levels *levels, const uint64_t *free_nodes,
                  uint32_t k, const bool *occurs, uint32_t *ret_radius,
                  tori_error *err)
{
    int done;
    if (!serves (levels, 0))
        return 0;
    if (prepare (levels, err) < 0)
        return -1;
    levels->field.k = k;
    load_free (levels, free_nodes);
    if (occurs)
        allow_grid (levels, occurs);
    else
        allow_free (levels);
    done = count_levels (levels, ret_radius, err);
    if (done > 0)
        set_field (levels);
    return done;
}

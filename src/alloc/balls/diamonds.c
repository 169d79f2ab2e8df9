#include "diamonds.h"

#include <stdlib.h>
#include <string.h>

#include "bits.h"
#include "marks.h"

/* The free nodes and two tables a dimension. */
enum { PARTS = 1 + 2 * AXES };

static uint32_t round_up (uint32_t n)
{
    return (n + LANES - 1) / LANES * LANES;
}

/* ---- how large ---- */

/* Round rings no farther than half way; on a mesh as far as there are nodes,
 * and as 16 bits can tell. */
static uint32_t most_reach (const struct field *field)
{
    uint64_t sides = 0, most = UINT16_MAX - 1;
    for (int a = 0; a < AXES; a++) {
        const struct axis *axis = &field->axes[a];
        sides += axis->size;
        if (axis->wraps && axis->half[0] < most)
            most = axis->half[0];
    }
    return (uint32_t)(sides < most ? sides : most);
}

void diamonds_init (struct diamonds *diamonds, const tori_machine *machine)
{
    *diamonds = (struct diamonds){.machine = machine};
    diamonds->suits = field_axes (&diamonds->field, machine);
    diamonds->most = most_reach (&diamonds->field);
}

void diamonds_clear (struct diamonds *diamonds)
{
    free (diamonds->tables);
    free (diamonds->dense);
    free (diamonds->places);
}

/* A ball reaches from the lowest coordinate, and one less is read, to the
 * highest. The rows of the last axis have whole lanes. */
static int64_t span_of (const struct axis *axis, bool last, uint32_t own,
                        uint32_t reach)
{
    if (axis->size == 1)
        return last ? LANES : 1;
    return (int64_t)(last ? round_up (own) : own) + 2 * (int64_t)reach + 1;
}

static uint32_t pitch_of (const struct axis *last, uint32_t own,
                          uint32_t reach)
{
    return round_up ((uint32_t)span_of (last, true, own, reach)) + LANES;
}

uint64_t diamonds_slots (const struct diamonds *diamonds,
                         const uint32_t own[AXES], uint32_t reach)
{
    const struct axis *axes = diamonds->field.axes;
    return (uint64_t)span_of (&axes[0], false, own[0], reach)
           * (uint64_t)span_of (&axes[1], false, own[1], reach)
           * pitch_of (&axes[2], own[2], reach);
}

/* Slices of a dimension have no more than 2^16 nodes, or not more beyond k
 * than the surfaces of some radii. See find_block. */
bool diamonds_serve (uint32_t k, uint32_t reach)
{
    enum { WHOLE = 180, BEYOND = 18 };
    return k > 1
           && (reach <= WHOLE ? k < UINT16_MAX
                              : k + 4 * BEYOND * (uint64_t)reach
                                    < UINT16_MAX);
}

/* ---- memory ---- */

static void set_axes (struct diamonds *diamonds, const uint32_t first[AXES],
                      const uint32_t own[AXES], uint32_t reach)
{
    struct axis *axes = diamonds->field.axes;
    for (int a = 0; a < AXES; a++) {
        bool alone = axes[a].size == 1;
        axes[a].first = first[a];
        axes[a].own = own[a];
        axes[a].from = alone ? 0 : (int64_t)first[a] - reach - 1;
        axes[a].span = span_of (&axes[a], a == AXES - 1, own[a], reach);
    }
    axes[2].step = 1;
    axes[1].step = pitch_of (&axes[2], own[2], reach);
    axes[0].step = axes[1].step * (size_t)axes[1].span;
    for (int a = 0; a < AXES; a++)
        axes[a].free_step = axes[a].step;
    diamonds->slots = axes[0].step * (size_t)axes[0].span;
    diamonds->reach = reach;
}

/* Where the coordinates are. */
static bool set_places (struct diamonds *diamonds)
{
    struct axis *axes = diamonds->field.axes;
    size_t total = 0;
    for (int a = 0; a < AXES; a++)
        total += (size_t)axes[a].span;
    free (diamonds->places);
    diamonds->places = malloc (total * sizeof *diamonds->places);
    if (!diamonds->places)
        return false;
    total = 0;
    for (int a = 0; a < AXES; a++) {
        int64_t *places = diamonds->places + total;
        for (int64_t i = 0; i < axes[a].span; i++)
            places[i] = i * (int64_t)axes[a].step;
        axes[a].at = places - axes[a].from;
        total += (size_t)axes[a].span;
    }
    return true;
}

/* Zeroed where it grows: what tables begin with may be anything, but is to be
 * something. */
static bool grow (uint16_t **slots, size_t *room, size_t need)
{
    if (need <= *room)
        return true;
    free (*slots);
    *slots = calloc (need, sizeof **slots);
    *room = *slots ? need : 0;
    return *slots != NULL;
}

static bool get_memory (struct diamonds *diamonds)
{
    struct field *field = &diamonds->field;
    size_t dense;
    field->width = round_up (field->axes[2].own);
    field->nrows = (size_t)field->axes[0].own * field->axes[1].own;
    dense = field->nrows * field->width;
    if (!set_places (diamonds)
        || !grow (&diamonds->tables, &diamonds->room,
                  PARTS * diamonds->slots + LANES)
        || !grow (&diamonds->dense, &diamonds->dense_room, 4 * dense))
        return false;
    field->allowed = diamonds->dense;
    field->radius = field->allowed + dense;
    field->nearer = field->radius + dense;
    diamonds->clear = field->nearer + dense;
    return true;
}

/* ---- what is free, and where a centre may be ---- */

/* A coordinate as the machine has it; -1 if it has not. */
static int64_t coord_at (const struct axis *axis, int64_t i)
{
    if (axis->wraps)
        return (i % axis->size + axis->size) % axis->size;
    return i >= 0 && i < axis->size ? i : -1;
}

static void load_row (const struct axis *last, const uint64_t *free_nodes,
                      uint32_t node, uint16_t *row)
{
    for (int64_t i = 0; i < last->span;) {
        int64_t z = coord_at (last, last->from + i);
        if (z < 0) {
            row[i++] = 0;
            continue;
        }
        for (; z < last->size && i < last->span; z++)
            row[i++] = bits_test (free_nodes, node + (uint32_t)z);
    }
}

static void load_free (struct diamonds *diamonds, const uint64_t *free_nodes)
{
    const struct axis *axes = diamonds->field.axes;
    uint16_t *row = diamonds->tables;
    for (int64_t i = 0; i < axes[0].span; i++)
        for (int64_t j = 0; j < axes[1].span; j++, row += axes[1].step) {
            int64_t x = coord_at (&axes[0], axes[0].from + i);
            int64_t y = coord_at (&axes[1], axes[1].from + j);
            memset (row, 0, axes[1].step * sizeof *row);
            if (x >= 0 && y >= 0)
                load_row (&axes[2], free_nodes,
                          (uint32_t)((x * axes[1].size + y) * axes[2].size),
                          row);
        }
    diamonds->field.free = diamonds->tables;
}

/* The centres of one row. */
static void allow_row (struct diamonds *diamonds, const bool *flags,
                       const uint16_t *nodes, uint16_t *to)
{
    const struct axis *last = &diamonds->field.axes[2];
    memset (to, 0, diamonds->field.width * sizeof *to);
    for (uint32_t z = 0; z < last->own; z++)
        if (nodes ? nodes[z] : !flags || flags[last->first + z])
            to[z] = UINT16_MAX;
}

static void allow (struct diamonds *diamonds, const bool *occurs)
{
    struct field *field = &diamonds->field;
    const struct axis *axes = field->axes;
    const bool *flags[AXES] = {NULL};
    uint16_t *to = field->allowed;
    for (int a = 0; occurs && a < AXES; a++)
        flags[a] = field_flags (diamonds->machine, occurs, a);
    for (uint32_t x = axes[0].first; x < axes[0].first + axes[0].own; x++)
        for (uint32_t y = axes[1].first; y < axes[1].first + axes[1].own;
             y++, to += field->width) {
            const uint16_t *nodes = field->free + free_at (&axes[0], x, 0)
                                    + free_at (&axes[1], y, 0)
                                    + free_at (&axes[2], axes[2].first, 0);
            if ((flags[0] && !flags[0][x]) || (flags[1] && !flags[1][y]))
                memset (to, 0, field->width * sizeof *to);
            else
                allow_row (diamonds, flags[2], occurs ? NULL : nodes, to);
        }
}

/* ---- tables ---- */

/* T and W of diamonds in two dimensions, whose neighbours are `y` and `z`
 * slots apart, y the more. */
static void sum_diamonds (const uint16_t *nodes, size_t slots, size_t y,
                          size_t z, size_t pitch, uint16_t *t, uint16_t *w)
{
    for (size_t row = y; row < slots; row += pitch) {
        for (size_t i = row; i < row + pitch; i += LANES)
            store (w + i, load (t + i - y) + load (t + i - y + z)
                              - load (w + i - y));
        for (size_t i = row; i < row + pitch; i += LANES)
            store (t + i, load (nodes + i) + load (w + i) + load (w + i - z)
                              - load (t + i - y));
    }
}

static void sum_stretches (const uint16_t *nodes, size_t slots, size_t step,
                           uint16_t *sums)
{
    for (size_t i = step; i < slots; i++)
        sums[i] = (uint16_t)(nodes[i] + sums[i - step]);
}

static void make_across (struct diamonds *diamonds, int axis)
{
    const struct axis *axes = diamonds->field.axes;
    struct across *across = &diamonds->field.across[axis];
    size_t slots = diamonds->slots, steps[AXES];
    uint16_t *t = diamonds->tables + (1 + 2 * (size_t)axis) * slots;
    uint16_t *w = t + slots;
    int n = 0;
    for (int a = 0; a < AXES; a++)
        if (a != axis && axes[a].size > 1)
            steps[n++] = axes[a].step;
    if (n == 2) {
        int64_t y = (int64_t)steps[0], z = (int64_t)steps[1];
        sum_diamonds (diamonds->tables, slots, steps[0], steps[1],
                      axes[1].step, t, w);
        *across = (struct across){{t, w, w - z, t - y}, {y, z, -z, -y}, 4};
    } else if (n == 1) {
        int64_t step = (int64_t)steps[0];
        sum_stretches (diamonds->tables, slots, steps[0], t);
        *across = (struct across){{t, t - step}, {step, -step}, 2};
    } else {
        *across = (struct across){{diamonds->tables}, {0}, 1};
    }
}

int diamonds_make (struct diamonds *diamonds, const uint64_t *free_nodes,
                   const bool *occurs, const uint32_t first[AXES],
                   const uint32_t own[AXES], uint32_t reach, tori_error *err)
{
    set_axes (diamonds, first, own, reach);
    if (!get_memory (diamonds))
        return tori_error_nomem (err);
    load_free (diamonds, free_nodes);
    allow (diamonds, occurs);
    for (int a = 0; a < AXES; a++)
        if (a == 0 || diamonds->field.axes[a].size > 1)
            make_across (diamonds, a);
    return 0;
}

/* ---- radii ---- */

/* Eight centres. */
struct eight {
    uint32_t coords[AXES];
    int64_t at;
    size_t dense;
};

/* The free nodes within a radius. */
static lanes count_ball (const struct field *field, const struct eight *eight,
                         uint32_t radius)
{
    const struct axis *axis = &field->axes[0];
    const struct across across = field->across[0];
    uint32_t c = eight->coords[0];
    int64_t left = least (radius, axis->wraps ? axis->half[0] : c);
    int64_t right = least (radius,
                           axis->wraps ? axis->half[1] : axis->size - 1 - c);
    const int64_t *at = axis->at + c;
    int64_t base = eight->at - at[0];
    lanes sum = {0};
    for (int64_t i = -left; i <= right; i++)
        sum = add_capped (sum, across_at (&across, base + at[i],
                                          radius - (i < 0 ? -i : i), false));
    return sum;
}

/* Nodes within a radius where nothing ends; 0 if they are too many. */
static uint16_t ball_size (const struct field *field, uint64_t r)
{
    uint64_t size = 2 * r + 1;
    if (field->axes[0].size > 1)
        size = (2 * r + 1) * (2 * r * (r + 1) + 3) / 3;
    else if (field->axes[1].size > 1)
        size = 2 * r * (r + 1) + 1;
    return size < UINT16_MAX ? (uint16_t)size : 0;
}

/* The radii of the allowed lanes, from one on at which all have too few. False
 * if one is out of reach. Returns the least. */
static bool climb (struct diamonds *diamonds, const struct eight *eight,
                   uint32_t radius, lanes count, uint32_t *ret_least)
{
    struct field *field = &diamonds->field;
    lanes few = load (field->allowed + eight->dense), found = {0};
    lanes nearer = {0}, clear = {0}, k = (lanes){0} + (uint16_t)field->k;
    *ret_least = UINT32_MAX;
    while (!all_zero (few) && radius < diamonds->reach) {
        lanes more = count_ball (field, eight, ++radius);
        lanes done = (lanes)(more >= k) & few;
        uint16_t whole = ball_size (field, radius);
        found = put (found, done, (lanes){0} + (uint16_t)radius);
        nearer = put (nearer, done, count);
        if (whole)
            clear |= done & (lanes)(more == whole);
        if (!all_zero (done))
            *ret_least = least (*ret_least, radius);
        few &= ~done;
        count = more;
    }
    store (field->radius + eight->dense, found | few);
    store (field->nearer + eight->dense, nearer);
    store (diamonds->clear + eight->dense, clear);
    return all_zero (few);
}

/* From a guess at the radius. Neighbours' differ by one at the most, so that
 * from the least of eight to that of the next eight, it is no more than 15
 * too great, and counts are not beyond k by more than that many surfaces. */
static bool find_block (struct diamonds *diamonds, const struct eight *eight,
                        uint32_t guess, uint32_t *ret_least)
{
    const struct field *field = &diamonds->field;
    lanes k = (lanes){0} + (uint16_t)field->k;
    lanes allowed = load (field->allowed + eight->dense), count;
    for (;; guess--) {
        count = count_ball (field, eight, guess);
        if (guess == 0 || all_zero ((lanes)(count >= k) & allowed))
            break;
    }
    return climb (diamonds, eight, guess, count, ret_least);
}

/* Where a radius was found, and the least there. */
struct known {
    uint32_t coords[AXES];
    uint32_t radius;
};

static uint32_t guess_at (const struct known *known, const uint32_t *coords)
{
    uint32_t away = 0;
    for (int a = 0; a < AXES; a++)
        away += coords[a] < known->coords[a] ? known->coords[a] - coords[a]
                                             : coords[a] - known->coords[a];
    away -= away < LANES ? away : LANES;
    return known->radius > away ? known->radius - away : 0;
}

/* A row of centres, from what is known of one before; whose first block is
 * known then. */
static bool find_row (struct diamonds *diamonds, size_t row,
                      struct known *known, bool leave)
{
    struct field *field = &diamonds->field;
    const struct axis *axes = field->axes;
    struct known last = *known;
    bool first = true, all = true;
    for (uint32_t z = 0; z < field->width; z += LANES) {
        struct eight e = {{axes[0].first + (uint32_t)(row / axes[1].own),
                           axes[1].first + (uint32_t)(row % axes[1].own),
                           axes[2].first + z}, 0, row * field->width + z};
        uint32_t radius;
        store (diamonds->clear + e.dense, (lanes){0});
        store (field->radius + e.dense, (lanes){0});
        if (all_zero (load (field->allowed + e.dense)))
            continue;
        for (int a = 0; a < AXES; a++)
            e.at += axes[a].at[e.coords[a]];
        if (!find_block (diamonds, &e, guess_at (&last, e.coords), &radius)) {
            if (!leave)
                return false;
            all = false;
        }
        if (radius == UINT32_MAX)
            continue;
        memcpy (last.coords, e.coords, sizeof last.coords);
        last.radius = radius;
        *known = first ? last : *known;
        first = false;
    }
    return all;
}

/* Take away those without a radius; returns the greatest of the others. */
static uint32_t greatest_radius (struct field *field)
{
    lanes most = {0};
    uint32_t greatest = 0;
    for (size_t i = 0; i < field->nrows * field->width; i += LANES) {
        lanes allowed = load (field->allowed + i);
        lanes radius = load (field->radius + i);
        allowed &= (lanes)(radius != UINT16_MAX);
        store (field->allowed + i, allowed);
        most = higher (most, radius & allowed);
    }
    for (int l = 0; l < LANES; l++)
        greatest = most[l] > greatest ? most[l] : greatest;
    return greatest;
}

bool diamonds_count (struct diamonds *diamonds, uint32_t k, bool leave,
                     uint32_t *ret_radius)
{
    struct field *field = &diamonds->field;
    struct known known = {.radius = 0};
    bool all = true;
    field->k = k;
    for (size_t row = 0; row < field->nrows; row++)
        if (!find_row (diamonds, row, &known, leave)) {
            if (!leave)
                return false;
            all = false;
        }
    *ret_radius = greatest_radius (field);
    return all;
}

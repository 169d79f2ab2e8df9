#include "balltable.h"

#include <stdlib.h>
#include <string.h>

#include "bits.h"

enum { LANES = 8 };

static const size_t MAX_BYTES = (size_t)1 << 29;

void ball_tables_init (struct ball_tables *tables, const tori_machine *machine)
{
    *tables = (struct ball_tables){.machine = machine,
                                   .ndims = machine->shape.ndims};
    for (int d = 0; d < tables->ndims; d++) {
        uint32_t size = machine->shape.size[d];
        bool wraps = size > 1 && tori_machine_wraps (machine, d);
        tables->axes[d] = (struct ball_axis){
            .size = size,
            .stride = machine->stride[d],
            .wraps = wraps,
            .left = wraps ? (size - 1) / 2 : UINT32_MAX,
            .right = wraps ? size / 2 : UINT32_MAX,
        };
    }
}

void ball_tables_clear (struct ball_tables *tables)
{
    free (tables->slots);
    free (tables->lines);
    free (tables->radius);
    free (tables->nearer);
}

static size_t row_for (uint32_t radius)
{
    return ((size_t)radius + 2 + LANES - 1) / LANES * LANES;
}

static size_t count_tables (const struct ball_tables *tables)
{
    return 1 + 3 * (size_t)(tables->ndims - 1);
}

bool ball_tables_fit (const struct ball_tables *tables, uint32_t radius)
{
    const tori_machine *machine = tables->machine;
    size_t bytes = row_for (radius) * sizeof *tables->slots;
    for (int d = 0; d < tables->ndims; d++)
        if (machine->nodes / machine->shape.size[d] > INT16_MAX)
            return false;
    return bytes <= MAX_BYTES / machine->nodes / count_tables (tables);
}

/* ---- memory ---- */

static int grow (uint16_t **slots, size_t *room, size_t need, tori_error *err)
{
    uint16_t *more;
    if (need <= *room)
        return 0;
    more = malloc (need * sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    free (*slots);
    *slots = more;
    *room = need;
    return 0;
}

static uint32_t longest_side (const struct ball_tables *tables)
{
    uint32_t longest = 1;
    for (int d = 0; d < tables->ndims; d++)
        if (tables->axes[d].size > longest)
            longest = tables->axes[d].size;
    return longest;
}

static size_t line_room (const struct ball_tables *tables, size_t row)
{
    return (longest_side (tables) + 2) * (row + LANES);
}

/* Cut the slots into tables with rows for this radius. */
static int lay_out (struct ball_tables *tables, uint32_t radius,
                    tori_error *err)
{
    size_t row = row_for (radius), nodes = tables->machine->nodes;
    uint16_t *at;
    if (!tables->radius)
        tables->radius = malloc (nodes * sizeof *tables->radius);
    if (!tables->nearer)
        tables->nearer = malloc (nodes * sizeof *tables->nearer);
    if (!tables->radius || !tables->nearer)
        return tori_error_nomem (err);
    if (grow (&tables->slots, &tables->slots_room,
              nodes * row * count_tables (tables), err) < 0
        || grow (&tables->lines, &tables->lines_room,
                 LANES + 4 * line_room (tables, row), err)
               < 0)
        return -1;
    tables->row = row;
    at = tables->slots;
    for (int d = 0; d < tables->ndims; d++) {
        tables->across[d] = at;
        at += nodes * row;
        if (d == 0)
            continue;
        tables->before[d] = at;
        tables->beyond[d] = at + nodes * row;
        at += 2 * nodes * row;
    }
    return 0;
}

/* ---- a line ---- */

/* The rows of one line: what was counted without its dimension, and what its
 * dimension makes of that. Each has a row of zeros in front and behind, and
 * zeros between the rows, `pitch` apart, and in front of the first. */
struct line {
    const struct ball_axis *axis;
    size_t row, pitch;
    uint16_t *in, *before, *beyond, *all;
};

static struct line line_of (struct ball_tables *tables, int dim)
{
    size_t room = line_room (tables, tables->row);
    struct line line = {.axis = &tables->axes[dim], .row = tables->row,
                        .pitch = tables->row + LANES};
    memset (tables->lines, 0, (LANES + 4 * room) * sizeof *tables->lines);
    line.in = tables->lines + LANES + line.pitch;
    line.before = line.in + room;
    line.beyond = line.before + room;
    line.all = line.beyond + room;
    return line;
}

/* to(r) = a(r) + b(r-1), eight slots at a time. */
static void add_shifted (uint16_t *restrict to, const uint16_t *restrict a,
                         const uint16_t *restrict b, size_t row)
{
    for (size_t at = 0; at < row; at += LANES)
        for (int i = 0; i < LANES; i++)
            to[at + (size_t)i] = (uint16_t)(a[at + (size_t)i]
                                            + b[at + (size_t)i - 1]);
}

/* to(r) -= a(r-n). */
static void subtract_shifted (uint16_t *restrict to,
                              const uint16_t *restrict a, size_t n,
                              size_t row)
{
    for (size_t at = n; at < row; at++)
        to[at] = (uint16_t)(to[at] - a[at - n]);
}

/* Sums over `reach` + 1 rows to one side, `step` 1 for lower, size - 1 for
 * higher ones, all round the ring: first the rows before the first, then all;
 * what is farther than `reach` drops out. */
static void sum_ring (const struct line *line, uint16_t *out, uint32_t step,
                      uint32_t reach)
{
    uint32_t size = line->axis->size, warm = reach, x = 0;
    const uint16_t *last = line->in - line->pitch; /* zeros */
    if (warm > line->row)
        warm = (uint32_t)line->row;
    for (uint32_t t = 0; t < warm; t++)
        x = x < step ? x + size - step : x - step;
    for (uint32_t t = 0; t < warm + size; t++) {
        uint16_t *to = out + x * line->pitch;
        add_shifted (to, line->in + x * line->pitch, last, line->row);
        if (t > reach && reach + 1 < line->row) {
            uint64_t gone = x + (uint64_t)(size - step) * (reach + 1);
            subtract_shifted (to, line->in + gone % size * line->pitch,
                              reach + 1, line->row);
        }
        last = to;
        x = x + step < size ? x + step : x + step - size;
    }
}

/* Sums to both sides: for each row all before it and with it, all beyond it
 * and with it. */
static void sum_sides (const struct line *line)
{
    const struct ball_axis *axis = line->axis;
    size_t row = line->row, pitch = line->pitch;
    if (axis->wraps) {
        sum_ring (line, line->before, 1, axis->left);
        sum_ring (line, line->beyond, axis->size - 1, axis->right - 1);
        return;
    }
    for (size_t x = 0; x < axis->size; x++) {
        size_t y = axis->size - 1 - x;
        add_shifted (line->before + x * pitch, line->in + x * pitch,
                     line->before + x * pitch - pitch, row);
        add_shifted (line->beyond + y * pitch, line->in + y * pitch,
                     line->beyond + y * pitch + pitch, row);
    }
}

static void sum_line (const struct line *line)
{
    size_t row = line->row, pitch = line->pitch;
    size_t size = line->axis->size;
    sum_sides (line);
    if (line->axis->wraps) /* the next one of the last is the first */
        memcpy (line->beyond + size * pitch, line->beyond,
                row * sizeof *line->beyond);
    else
        memset (line->beyond + size * pitch, 0, row * sizeof *line->beyond);
    for (size_t x = 0; x < size; x++)
        add_shifted (line->all + x * pitch, line->before + x * pitch,
                     line->beyond + x * pitch + pitch, row);
}

/* ---- lines and tables ---- */

static void load_bits (const struct line *line, const uint64_t *free_nodes,
                       uint32_t first)
{
    for (uint32_t x = 0; x < line->axis->size; x++) {
        uint16_t *to = line->in + x * line->pitch;
        uint16_t value = bits_test (free_nodes,
                                    first + x * line->axis->stride);
        for (size_t i = 0; i < line->row; i++)
            to[i] = value;
        to[0] = 0;
    }
}

static void load (const struct line *line, const uint16_t *table,
                  uint32_t first)
{
    for (uint32_t x = 0; x < line->axis->size; x++)
        memcpy (line->in + x * line->pitch,
                table + (first + (size_t)x * line->axis->stride) * line->row,
                line->row * sizeof *table);
}

static void store (const struct line *line, const uint16_t *rows,
                   uint16_t *table, uint32_t first)
{
    for (uint32_t x = 0; x < line->axis->size; x++)
        memcpy (table + (first + (size_t)x * line->axis->stride) * line->row,
                rows + x * line->pitch, line->row * sizeof *table);
}

/* The id of the first node of the next line along an axis; `nodes` or more
 * behind the last. */
static uint32_t next_line (const struct ball_axis *axis, uint32_t first)
{
    first++;
    return first % axis->stride
               ? first
               : first + axis->stride * (axis->size - 1);
}

/* Put one more dimension into the table across `across`, from the free nodes
 * if it is the first to be put there. */
static void add_dimension (struct ball_tables *tables, int across, int dim,
                           const uint64_t *free_nodes, bool from_bits)
{
    struct line line = line_of (tables, dim);
    uint16_t *table = tables->across[across];
    uint32_t nodes = tables->machine->nodes;
    for (uint32_t first = 0; first < nodes;
         first = next_line (line.axis, first)) {
        if (from_bits)
            load_bits (&line, free_nodes, first);
        else
            load (&line, table, first);
        sum_line (&line);
        store (&line, line.all, table, first);
        if (dim > 0)
            continue;
        store (&line, line.before, tables->before[across], first);
        store (&line, line.beyond, tables->beyond[across], first);
    }
}

/* A machine of one dimension has nothing across it but the node itself. */
static void fill_points (struct ball_tables *tables,
                         const uint64_t *free_nodes)
{
    struct line line = line_of (tables, 0);
    load_bits (&line, free_nodes, 0);
    store (&line, line.in, tables->across[0], 0);
}

static void count_across (struct ball_tables *tables, int across,
                          const uint64_t *free_nodes)
{
    bool from_bits = true;
    for (int d = tables->ndims - 1; d >= 0; d--)
        if (d != across) {
            add_dimension (tables, across, d, free_nodes, from_bits);
            from_bits = false;
        }
    if (tables->ndims == 1)
        fill_points (tables, free_nodes);
}

/* ---- radii ---- */

/* Counts in whole balls are only known modulo 2^16, but a surface meets a
 * line in two nodes at most, so that what a radius adds is less than that.
 * Returns the sum of distances to the k nearest, or UINT64_MAX if there are
 * not so many. */
static uint64_t find_radius (struct ball_tables *tables, uint32_t node,
                             const uint16_t *counts, uint32_t k)
{
    uint32_t nearer = 0, radius;
    uint64_t sum = 0;
    for (radius = 0; radius + 1 < tables->row; radius++) {
        uint32_t count = nearer + (uint16_t)(counts[radius + 1]
                                             - counts[radius]);
        if (count >= k) {
            tables->radius[node] = radius;
            tables->nearer[node] = nearer;
            return sum;
        }
        sum += k - count;
        nearer = count;
    }
    return UINT64_MAX;
}

static bool find_radii (struct ball_tables *tables, uint32_t k)
{
    struct line line = line_of (tables, 0);
    uint64_t least = UINT64_MAX;
    for (uint32_t first = 0; first < line.axis->stride; first++) {
        load (&line, tables->across[0], first);
        sum_line (&line);
        for (uint32_t x = 0; x < line.axis->size; x++) {
            uint32_t node = first + x * line.axis->stride;
            uint64_t sum = find_radius (tables, node,
                                        line.all + x * line.pitch, k);
            if (sum == UINT64_MAX)
                return false;
            if (sum < least) {
                least = sum;
                tables->promising = node;
            }
        }
    }
    return true;
}

int ball_tables_count (struct ball_tables *tables, const uint64_t *free_nodes,
                       uint32_t k, uint32_t radius, tori_error *err)
{
    if (lay_out (tables, radius, err) < 0)
        return -1;
    count_across (tables, 0, free_nodes);
    if (!find_radii (tables, k))
        return 0;
    for (int d = 1; d < tables->ndims; d++)
        count_across (tables, d, free_nodes);
    return 1;
}

/* surface.c - the nodes at the radius that belong to the k nearest.
 *
 * In the order of ids: slices across the first dimension in the order of
 * their coordinates, in a slice the rows, in a row one or two nodes. How many
 * a slice has is known from the tables, so most are taken whole.
 */
#include <stdlib.h>

#include "blocks.h"
#include "offsets.h"

struct surface {
    const struct block *block;
    uint32_t radius;
    lanes left; /* nodes to take yet */
    lanes before, behind; /* the nodes of a row on either side of a lane */
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
    const struct axis *a = &centres->field->axes[AXES - 1];
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
    const struct axis *a = &centres->field->axes[AXES - 1];
    lanes low, high, swap = {0}, first, second;
    look (centres, row, &low, &high);
    if (a->wraps)
        swap = (lanes)(surface->before < (uint16_t)row->distance)
               | (lanes)(surface->behind < (uint16_t)row->distance);
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
    const struct axis *axes = centres->field->axes;
    const struct block *block = surface->block;
    uint32_t rest = surface->radius - (uint32_t)(x < 0 ? -x : x);
    return (struct slice){
        .order = offsets_in_order (axes[1].size, block->coords[1],
                                   limit (centres, block, 1, 0, rest),
                                   limit (centres, block, 1, 1, rest)),
        .plane = centres->field->free
                 + free_at (&axes[2], block->coords[2], 0)
                 + free_at (&axes[0], block->coords[0], x),
        .rest = rest,
    };
}

/* Take row by row, for the lanes of `all` every node at the radius, or if
 * that is none, as many as are left. */
static void take_rows (const struct centres *centres, struct surface *surface,
                       const struct slice *slice, lanes all)
{
    const struct axis *a = &centres->field->axes[1];
    bool whole = !all_zero (all);
    for (int part = 0; part < 2; part++)
        for (int64_t y = slice->order.first[part];
             y <= slice->order.last[part]; y++) {
            struct row row = {.y = y};
            lanes low, high;
            row.distance = slice->rest - (uint32_t)(y < 0 ? -y : y);
            if (row.distance > centres->field->axes[2].half[1])
                continue;
            row.nodes = slice->plane
                        + free_at (a, surface->block->coords[1], y);
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
    int64_t pitch = (int64_t)centres->field->axes[1].free_step;
    int64_t distance = first->distance;
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
    const struct axis *a = &centres->field->axes[1];
    uint32_t c = surface->block->coords[1];
    int64_t rest = slice->rest;
    for (int part = 0; part < 2; part++) {
        int64_t from = slice->order.first[part];
        int64_t to = slice->order.last[part];
        for (int64_t y = from; y <= to;) {
            int64_t last = y < 0 && to >= 0 ? -1 : to;
            struct row row = {.y = y,
                              .distance = (uint32_t)(rest - (y < 0 ? -y : y))};
            row.nodes = slice->plane + free_at (a, c, y);
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
    const struct field *field = centres->field;
    int64_t at = block->at - field->axes[0].at[block->coords[0]]
                 + field->axes[0].at[block->coords[0] + x];
    lanes count = across_at (&field->across[0], at, rest, field->levelled)
                  - across_at (&field->across[0], at, (int64_t)rest - 1,
                               field->levelled);
    lanes all = (lanes)(count <= surface->left), left = surface->left;
    struct slice slice = slice_at (centres, surface, x);
    if (!all_zero (all & left)) {
        if (rest <= centres->field->axes[AXES - 1].half[0])
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

/* As far as 16 bits go. */
static void count_sides (const struct axis *last, const struct block *block,
                         struct surface *surface)
{
    const lanes lane = {0, 1, 2, 3, 4, 5, 6, 7};
    uint32_t before = block->coords[2], behind = last->size - 1 - before;
    surface->before = lane + (uint16_t)least (before, UINT16_MAX - LANES);
    surface->behind = (uint16_t)least (behind, UINT16_MAX) - lane;
}

void take_surface (struct centres *centres, const struct block *block,
                   uint32_t radius, lanes marked)
{
    lanes k = (lanes){0} + (uint16_t)centres->field->k;
    struct surface surface = {.block = block, .radius = radius};
    struct offsets order = offsets_in_order (
        centres->field->axes[0].size, block->coords[0],
        limit (centres, block, 0, 0, radius),
        limit (centres, block, 0, 1, radius));
    surface.left = (k - load (centres->field->nearer + block->dense)) & marked;
    count_sides (&centres->field->axes[2], block, &surface);
    for (int a = 0; a < AXES; a++)
        memset (centres->taken[a] - radius, 0,
                (2 * (size_t)radius + 1) * sizeof *centres->taken[a]);
    for (int part = 0; part < 2; part++)
        for (int64_t x = order.first[part];
             x <= order.last[part] && !all_zero (surface.left); x++)
            take_slice (centres, &surface, x);
}

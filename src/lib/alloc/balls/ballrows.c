#include "ballrows.h"

#include <stdlib.h>
#include <string.h>

#include "grid.h"

enum { LANES = 8 };

static const uint32_t FAR = UINT32_MAX - 1;
static const size_t MOST_SLOTS = (size_t)1 << 27;

/* ---- memory ---- */

static uint32_t longest_side (const struct ball_space *space)
{
    uint32_t longest = 1;
    for (int a = 0; a < space->n; a++)
        if (space->axes[a].size > longest)
            longest = space->axes[a].size;
    return longest;
}

int ball_rows_init (struct ball_rows *rows, const struct ball_space *space,
                    tori_error *err)
{
    rows->space = space;
    if (!rows->open)
        rows->open = malloc (space->machine->nodes);
    if (!rows->at)
        rows->at = malloc (3 * (size_t)longest_side (space)
                           * sizeof *rows->at);
    return rows->open && rows->at ? 0 : tori_error_nomem (err);
}

void ball_rows_clear (struct ball_rows *rows)
{
    free (rows->open);
    free (rows->at);
    free (rows->slots);
    free (rows->sums);
    free (rows->lines);
}

/* Sides are those of the first dimension. */
static bool has_sides (const struct ball_space *space, int along)
{
    return along > 0 && space->n > 2;
}

/* Slabs are the smallest across the longest dimension. */
static int slabs_across (const struct ball_space *space, int along)
{
    int first = has_sides (space, along), across = -1;
    for (int a = first; a < space->n; a++)
        if (a != along
            && (across < 0
                || space->axes[a].size > space->axes[across].size))
            across = a;
    return across;
}

static size_t row_for (uint32_t radius)
{
    return ((size_t)radius + 3 + LANES - 1) / LANES * LANES;
}

/* Grow, with one slot in front. */
static bool grow_slots (uint32_t **slots, size_t *room, size_t need)
{
    if (need <= *room)
        return true;
    free (*slots);
    *slots = malloc ((need + 1) * sizeof **slots);
    *room = *slots ? need : 0;
    if (*slots)
        **slots = 0;
    return *slots;
}

/* The stride between neighbours in a slab. */
static uint32_t stride_in (const struct ball_rows *rows, int a)
{
    const struct ball_axis *across = &rows->space->axes[rows->across];
    uint32_t stride = rows->space->axes[a].stride;
    return stride < across->stride ? stride : stride / across->size;
}

uint32_t ball_rows_nodes (const struct ball_rows *rows)
{
    return rows->space->machine->nodes / rows->space->axes[rows->across].size;
}

uint32_t ball_rows_node (const struct ball_rows *rows, uint32_t slab,
                         uint32_t index)
{
    const struct ball_axis *across = &rows->space->axes[rows->across];
    return index / across->stride * across->stride * across->size
           + slab * across->stride + index % across->stride;
}

/* Sums of a line have one more than coordinates, three times round a ring. */
static size_t sums_of_line (const struct ball_axis *axis)
{
    return (axis->wraps ? 3 : 1) * (size_t)axis->size + 1;
}

static void sum_nodes (struct ball_rows *rows)
{
    const struct ball_axis *axis = &rows->space->axes[rows->across];
    size_t n = rows->line;
    uint32_t *sums = rows->sums + 1, nodes = ball_rows_nodes (rows);
    for (uint32_t i = 0; i < nodes; i++, sums += n) {
        const uint8_t *line = rows->open + ball_rows_node (rows, 0, i);
        uint32_t at = 0;
        sums[0] = 0;
        for (size_t j = 1; j < n; j++) {
            sums[j] = sums[j - 1] + line[at * axis->stride];
            at = at + 1 < axis->size ? at + 1 : 0;
        }
    }
}

int ball_rows_start (struct ball_rows *rows, int along, tori_error *err)
{
    const struct ball_space *space = rows->space;
    rows->along = along;
    rows->across = slabs_across (space, along);
    rows->sides = has_sides (space, along);
    rows->line = sums_of_line (&space->axes[rows->across]);
    if (!grow_slots (&rows->sums, &rows->sums_room,
                     ball_rows_nodes (rows) * rows->line))
        return tori_error_nomem (err);
    sum_nodes (rows);
    return 0;
}

/* The lines across the other dimension, and a centre. */
struct ball_lines {
    const uint32_t *sums; /* of a line, from the centre's coordinate on */
    uint32_t before, beyond;
};

static struct ball_lines lines_at (const struct ball_rows *rows,
                                   const uint32_t centre[], int64_t offset)
{
    const struct ball_axis *across = &rows->space->axes[rows->across];
    uint32_t at = centre[rows->across];
    uint32_t line = ball_at (&rows->space->axes[rows->along],
                             centre[rows->along], offset);
    return (struct ball_lines){
        .sums = ball_rows_sums (rows, line) + at,
        .before = ball_left (across, at, FAR) + 1,
        .beyond = ball_right (across, at, FAR) + 1,
    };
}

/* The piece of a line that is fewer than so many hops from the centre. */
static uint32_t count_piece (const struct ball_lines *lines, uint32_t hops)
{
    int64_t left = ball_least (lines->before, hops);
    return hops ? lines->sums[ball_least (lines->beyond, hops)]
                      - lines->sums[1 - left]
                : 0;
}

/* The last offset of the round in which this one is. */
static int64_t round_end (const struct ball_axis *axis, uint32_t at,
                          int64_t offset)
{
    int64_t zero = -(int64_t)at;
    return offset < zero ? zero - 1
           : offset < zero + axis->size ? zero + axis->size - 1
                                        : zero + 2 * (int64_t)axis->size - 1;
}

uint32_t ball_rows_within (const struct ball_rows *rows,
                           const uint32_t centre[], uint32_t radius,
                           int64_t from, int64_t to)
{
    const struct ball_axis *along = &rows->space->axes[rows->along];
    uint32_t at = centre[rows->along], sum = 0;
    int64_t first = -(int64_t)ball_left (along, at, radius);
    int64_t last = ball_right (along, at, radius);
    first = from > first ? from : first;
    last = to < last ? to : last;
    for (int64_t i = first; i <= last;) {
        struct ball_lines lines = lines_at (rows, centre, i);
        int64_t end = round_end (along, at, i);
        for (end = end < last ? end : last; i <= end; i++) {
            sum += count_piece (&lines, radius - ball_hops (i));
            lines.sums += rows->line;
        }
    }
    return sum;
}

void ball_rows_pieces (const struct ball_rows *rows, const uint32_t centre[],
                       uint32_t radius, uint32_t *histogram)
{
    const struct ball_axis *along = &rows->space->axes[rows->along];
    uint32_t at = centre[rows->along];
    int64_t i = -(int64_t)ball_left (along, at, radius);
    int64_t last = ball_right (along, at, radius);
    while (i <= last) {
        struct ball_lines lines = lines_at (rows, centre, i);
        int64_t end = round_end (along, at, i);
        for (end = end < last ? end : last; i <= end; i++) {
            histogram[i] = count_piece (&lines, radius - ball_hops (i));
            lines.sums += rows->line;
        }
    }
}

/* Make room for a radius. */
static int need_radius (struct ball_rows *rows, uint32_t radius,
                        tori_error *err)
{
    size_t row = row_for (radius), slots = ball_rows_nodes (rows) * row;
    size_t lines = 3 * row * longest_side (rows->space);
    if (slots > MOST_SLOTS / 3 || lines > MOST_SLOTS)
        return 0;
    rows->row = row;
    rows->radius = (uint32_t)row - 3;
    rows->before = slots;
    rows->beyond = 2 * slots;
    rows->step = row * stride_in (rows, 0);
    if (!grow_slots (&rows->slots, &rows->slots_room,
                     rows->sides ? 3 * slots : slots)
        || !grow_slots (&rows->lines, &rows->lines_room, lines))
        return tori_error_nomem (err);
    return 1;
}

void ball_rows_load (struct ball_rows *rows, const uint64_t *free_nodes)
{
    uint32_t nodes = rows->space->machine->nodes;
    for (uint32_t i = 0; i < nodes; i++)
        rows->open[i] = free_nodes[i / 64] >> (i % 64) & 1;
}

/* ---- sums along a line ---- */

/* Rows of the nodes of a line, so many slots apart. */
struct ball_list {
    uint32_t *first;
    size_t step;
};

/* The counts without a dimension, and those with it. */
struct ball_sums {
    const struct ball_axis *axis;
    size_t row;
    struct ball_list in, before, beyond, all;
};

static uint32_t *row_of (const struct ball_list *list, uint32_t x)
{
    return list->first + x * list->step;
}

/* to(r) = a(r) + b(r-1), eight slots at a time. The value before the first
 * slot of b goes to the slot of radius -1, which does not count. */
static void add_shifted (uint32_t *restrict to, const uint32_t *restrict a,
                         const uint32_t *restrict b, size_t row)
{
    const uint32_t *before = b - 1;
    for (size_t at = 0; at < row; at += LANES)
        for (size_t i = 0; i < LANES; i++)
            to[at + i] = a[at + i] + before[at + i];
    to[0] = 0;
}

/* to(r) -= a(r-n). */
static void subtract_shifted (uint32_t *restrict to,
                              const uint32_t *restrict a, size_t n, size_t row)
{
    for (size_t at = n; at < row; at++)
        to[at] -= a[at - n];
}

/* Sums to one side: `list` from coordinate x on, in steps round the ring, 1
 * for lower, size - 1 for higher ones. A line ends where it begins. Round a
 * ring the first round ends with the sums of one round, to which those of the
 * rounds before are added; so the second has all. */
static void sum_side (const struct ball_sums *sums,
                      const struct ball_list *list, uint32_t x, uint32_t step)
{
    uint32_t size = sums->axis->size;
    uint32_t *last = row_of (list, x);
    memcpy (last, row_of (&sums->in, x), sums->row * sizeof *last);
    for (uint32_t t = 1; t < (sums->axis->wraps ? 2 : 1) * size; t++) {
        uint32_t *to;
        x = x + step < size ? x + step : x + step - size;
        if (t == size)
            for (size_t r = size; r < sums->row; r++)
                last[r] += last[r - size];
        to = row_of (list, x);
        add_shifted (to, row_of (&sums->in, x), last, sums->row);
        last = to;
    }
}

/* Nodes farther than half way round have been counted from the other side. */
static void cut_ring (const struct ball_sums *sums, uint32_t x)
{
    const struct ball_axis *axis = sums->axis;
    uint32_t low = ball_at (axis, x, -(int64_t)axis->left - 1);
    uint32_t high = ball_at (axis, x, axis->right + (int64_t)1);
    uint32_t *all = row_of (&sums->all, x);
    subtract_shifted (all, row_of (&sums->before, low),
                      axis->left + (size_t)1, sums->row);
    subtract_shifted (all, row_of (&sums->beyond, high),
                      axis->right + (size_t)1, sums->row);
}

/* The sums of all may overwrite their summands. */
static void sum_line (const struct ball_sums *sums)
{
    const struct ball_axis *axis = sums->axis;
    uint32_t size = axis->size;
    sum_side (sums, &sums->before, 0, 1);
    sum_side (sums, &sums->beyond, size - 1, size - 1);
    for (uint32_t x = 0; x < size; x++) {
        uint32_t *all = row_of (&sums->all, x);
        if (x + 1 < size || axis->wraps)
            add_shifted (all, row_of (&sums->before, x),
                         row_of (&sums->beyond, x + 1 < size ? x + 1 : 0),
                         sums->row);
        else
            memcpy (all, row_of (&sums->before, x), sums->row * sizeof *all);
        if (axis->wraps)
            cut_ring (sums, x);
    }
}

/* The n-th of the lists of a line. */
static struct ball_list room_of (const struct ball_rows *rows, int n)
{
    size_t size = longest_side (rows->space);
    return (struct ball_list){
        rows->lines + 1 + (size_t)n * size * rows->row, rows->row};
}

/* ---- a slab ---- */

/* Count from the nodes themselves, along the dimension of slabs; `sums` are
 * those from this coordinate on, and before. */
static void count_line (const struct ball_axis *axis, uint32_t at,
                        const uint32_t *sums, uint32_t *row, uint32_t end)
{
    uint32_t left = ball_left (axis, at, end);
    uint32_t right = ball_right (axis, at, end);
    uint32_t both = ball_least (left, right);
    uint32_t either = left > right ? left : right;
    row[0] = 0;
    for (int64_t r = 0; r <= both; r++)
        row[r + 1] = sums[r + 1] - sums[-r];
    for (int64_t r = both + (int64_t)1; r <= either; r++)
        row[r + 1] = right > left ? sums[r + 1] - sums[-(int64_t)left]
                                  : sums[right + 1] - sums[-r];
    for (uint32_t r = either + 1; r <= end; r++)
        row[r + 1] = row[either + 1];
}

static void count_lines (struct ball_rows *rows, uint32_t slab)
{
    const struct ball_axis *axis = &rows->space->axes[rows->across];
    uint32_t nodes = ball_rows_nodes (rows), end = (uint32_t)rows->row - 2;
    for (uint32_t i = 0; i < nodes; i++)
        count_line (axis, slab, ball_rows_sums (rows, i) + slab,
                    rows->slots + 1 + i * rows->row, end);
}

/* The index of the first node of the next line in a slab. */
static uint32_t next_line (uint32_t index, uint32_t stride, uint32_t size)
{
    index++;
    return index % stride ? index : index + stride * (size - 1);
}

/* Put one more dimension into the rows of the slab. */
static void add_dimension (struct ball_rows *rows, int a)
{
    struct ball_sums sums = {.axis = &rows->space->axes[a], .row = rows->row};
    uint32_t stride = stride_in (rows, a), nodes = ball_rows_nodes (rows);
    bool keep = a == 0 && rows->sides;
    for (uint32_t i = 0; i < nodes;
         i = next_line (i, stride, sums.axis->size)) {
        sums.in = sums.all = sums.before = sums.beyond = (struct ball_list){
            rows->slots + 1 + i * rows->row, stride * rows->row};
        sums.before.first += rows->before;
        sums.beyond.first += rows->beyond;
        if (!keep) {
            sums.before = room_of (rows, 0);
            sums.beyond = room_of (rows, 1);
        }
        sum_line (&sums);
    }
}

int ball_rows_count (struct ball_rows *rows, uint32_t slab, uint32_t radius,
                     tori_error *err)
{
    int done = need_radius (rows, radius, err);
    if (done <= 0)
        return done;
    count_lines (rows, slab);
    for (int a = rows->space->n - 1; a >= 0; a--)
        if (a != rows->along && a != rows->across)
            add_dimension (rows, a);
    return 1;
}

/* ---- lines of a slab ---- */

bool ball_rows_line (struct ball_rows *rows, uint32_t slab, bool first,
                     struct ball_line *line)
{
    const struct ball_axis *axis = &rows->space->axes[rows->along];
    uint32_t stride = stride_in (rows, rows->along);
    line->index = first ? 0 : next_line (line->index, stride, axis->size);
    if (line->index >= ball_rows_nodes (rows))
        return false;
    line->first = ball_rows_node (rows, slab, line->index);
    line->step = axis->stride;
    for (int a = 0; a < rows->space->n; a++)
        line->coords[a] = ball_coord (&rows->space->axes[a], line->first);
    for (uint32_t x = 0; x < axis->size; x++)
        rows->at[x] = rows->at[x + axis->size]
            = rows->at[x + 2 * (size_t)axis->size]
            = rows->slots + 1 + (line->index + (size_t)x * stride) * rows->row;
    line->at = rows->at + axis->size;
    return true;
}

const uint32_t *ball_rows_whole (struct ball_rows *rows,
                                 const struct ball_line *line)
{
    struct ball_sums sums = {
        .axis = &rows->space->axes[rows->along],
        .row = rows->row,
        .in = {rows->slots + 1 + line->index * rows->row,
               stride_in (rows, rows->along) * rows->row},
        .before = room_of (rows, 0),
        .beyond = room_of (rows, 1),
        .all = room_of (rows, 2),
    };
    sum_line (&sums);
    return sums.all.first;
}

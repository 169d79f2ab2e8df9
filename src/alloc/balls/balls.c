#include "balls.h"

#include <stdlib.h>
#include <string.h>

#include "balltable.h"
#include "bits.h"
#include "marks.h"
#include "offsets.h"

/* What the nearest of one centre have in one dimension. */
struct profile {
    uint32_t centre;      /* its coordinate */
    uint32_t left, right; /* as far as the histogram goes */
    uint32_t *histogram;  /* by offset from the centre, negative ones too */
    uint32_t *room;
    uint32_t *step; /* slots from coordinate 0 to any; three times round */
};

struct balls {
    struct ball_tables tables;
    bool tabled; /* or all is walked */
    const uint64_t *free;
    uint32_t k;
    struct profile profiles[TORI_MAX_DIMS];
    uint32_t reach[TORI_MAX_DIMS + 1]; /* hops in this dimension and beyond */
    uint64_t *taken;                   /* a set of nodes, or NULL */
    uint32_t *ring;                    /* a histogram twice round */
};

/* ---- create and destroy ---- */

void balls_destroy (struct balls *balls)
{
    if (!balls)
        return;
    for (int d = 0; d < balls->tables.ndims; d++) {
        free (balls->profiles[d].room);
        free (balls->profiles[d].step);
    }
    free (balls->ring);
    ball_tables_clear (&balls->tables);
    free (balls);
}

int balls_create (const tori_machine *machine, struct balls **ret_balls,
                  tori_error *err)
{
    struct balls *balls = calloc (1, sizeof *balls);
    size_t longest = 0;
    bool failed = false;
    if (!balls)
        return tori_error_nomem (err);
    ball_tables_init (&balls->tables, machine);
    for (int d = 0; d < machine->shape.ndims; d++) {
        struct profile *profile = &balls->profiles[d];
        size_t size = machine->shape.size[d];
        longest = size > longest ? size : longest;
        profile->room = malloc ((2 * size + 1) * sizeof *profile->room);
        profile->step = malloc (3 * size * sizeof *profile->step);
        failed = failed || !profile->room || !profile->step;
        if (!failed)
            profile->histogram = profile->room + size;
    }
    balls->ring = malloc (2 * longest * sizeof *balls->ring);
    if (failed || !balls->ring) {
        balls_destroy (balls);
        return tori_error_nomem (err);
    }
    *ret_balls = balls;
    return 0;
}

/* ---- one centre ---- */

static uint32_t least (uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* How far a ball of this radius goes to the left and to the right. */
static uint32_t to_left (const struct ball_axis *axis, uint32_t centre,
                         uint32_t radius)
{
    return least (radius, axis->wraps ? axis->left : centre);
}

static uint32_t to_right (const struct ball_axis *axis, uint32_t centre,
                          uint32_t radius)
{
    return least (radius,
                  axis->wraps ? axis->right : axis->size - 1 - centre);
}

static void set_centre (struct balls *balls, uint32_t node)
{
    const struct ball_tables *tables = &balls->tables;
    balls->reach[tables->ndims] = 0;
    for (int d = tables->ndims; d-- > 0;) {
        const struct ball_axis *axis = &tables->axes[d];
        struct profile *profile = &balls->profiles[d];
        uint32_t centre = node / axis->stride % axis->size;
        uint32_t left = to_left (axis, centre, UINT32_MAX);
        uint32_t right = to_right (axis, centre, UINT32_MAX);
        profile->centre = centre;
        balls->reach[d] = balls->reach[d + 1] + (left > right ? left : right);
    }
}

/* Make the histograms as long as the radius needs; all zero. */
static void open_histograms (struct balls *balls, uint32_t radius)
{
    const struct ball_tables *tables = &balls->tables;
    for (int d = 0; d < tables->ndims; d++) {
        struct profile *profile = &balls->profiles[d];
        profile->left = to_left (&tables->axes[d], profile->centre, radius);
        profile->right = to_right (&tables->axes[d], profile->centre, radius);
        memset (profile->histogram - profile->left, 0,
                (profile->left + profile->right + 1)
                    * sizeof *profile->histogram);
    }
}

/* ---- walking a surface ---- */

static struct offsets order_of (const struct ball_axis *axis, uint32_t centre,
                                uint32_t radius)
{
    return offsets_in_order (axis->size, centre,
                             to_left (axis, centre, radius),
                             to_right (axis, centre, radius));
}

static uint32_t wrapped (const struct ball_axis *axis, uint32_t centre,
                         int64_t offset)
{
    return offset_at (axis->size, centre, offset);
}

static uint32_t take_node (struct balls *balls, int dim, uint32_t base,
                           int64_t offset)
{
    const struct ball_axis *axis = &balls->tables.axes[dim];
    struct profile *profile = &balls->profiles[dim];
    uint32_t node = base + wrapped (axis, profile->centre, offset);
    if (!bits_test (balls->free, node))
        return 0;
    profile->histogram[offset]++;
    if (balls->taken)
        bits_set (balls->taken, node);
    return 1;
}

/* The one or two nodes of a row at this distance, in order. */
static uint32_t walk_row (struct balls *balls, int dim, uint32_t base,
                          uint32_t distance, uint32_t most)
{
    const struct ball_axis *axis = &balls->tables.axes[dim];
    uint32_t centre = balls->profiles[dim].centre, taken = 0;
    bool left = to_left (axis, centre, distance) == distance;
    bool right = distance > 0
                 && to_right (axis, centre, distance) == distance;
    int64_t low = -(int64_t)distance, high = distance;
    if (left && right
        && wrapped (axis, centre, low) > wrapped (axis, centre, high)) {
        low = distance;
        high = -(int64_t)distance;
    } else if (!left) {
        low = distance;
    }
    if (left || right)
        taken = take_node (balls, dim, base, low);
    if (left && right && taken < most)
        taken += take_node (balls, dim, base, high);
    return taken;
}

/* Take free nodes at this distance in the dimensions from `dim` on, up to so
 * many, in the order of ids; `base` is the id of the coordinates before. They
 * are added to the histograms. Returns how many there were. */
static uint32_t walk (struct balls *balls, int dim, uint32_t base,
                      uint32_t distance, uint32_t most)
{
    const struct ball_axis *axis = &balls->tables.axes[dim];
    struct profile *profile = &balls->profiles[dim];
    struct offsets order;
    uint32_t taken = 0;
    if (dim == balls->tables.ndims - 1)
        return walk_row (balls, dim, base, distance, most);
    order = order_of (axis, profile->centre, distance);
    for (int part = 0; part < 2; part++)
        for (int64_t i = order.first[part];
             i <= order.last[part] && taken < most; i++) {
            uint32_t rest = distance - (uint32_t)(i < 0 ? -i : i), more;
            if (rest > balls->reach[dim + 1])
                continue;
            more = walk (balls, dim + 1,
                         base + wrapped (axis, profile->centre, i)
                                    * axis->stride,
                         rest, most - taken);
            profile->histogram[i] += more;
            taken += more;
        }
    return taken;
}

/* The k nearest, surface after surface; returns the radius. */
static uint32_t walk_ball (struct balls *balls)
{
    uint32_t left = balls->k, radius = 0;
    open_histograms (balls, UINT32_MAX);
    for (;; radius++) {
        left -= walk (balls, 0, 0, radius, left);
        if (left == 0)
            return radius;
    }
}

/* ---- histograms from the tables ---- */

/* The row in a table of the node with this centre but for coordinate 0 of
 * dimension `dim`. */
static const uint16_t *first_row (const struct balls *balls,
                                  const uint16_t *table, uint32_t node,
                                  int dim)
{
    const struct ball_axis *axis = &balls->tables.axes[dim];
    uint32_t centre = balls->profiles[dim].centre;
    return table + (node - centre * axis->stride) * balls->tables.row;
}

/* Add to the histogram the counts within this radius of the node. */
static void add_within (struct balls *balls, int dim, const uint16_t *table,
                        uint32_t node, uint32_t radius)
{
    struct profile *profile = &balls->profiles[dim];
    const struct ball_axis *axis = &balls->tables.axes[dim];
    const uint16_t *rows = first_row (balls, table, node, dim) + radius + 1;
    const uint32_t *step = profile->step + axis->size + profile->centre;
    int64_t left = to_left (axis, profile->centre, radius);
    int64_t right = to_right (axis, profile->centre, radius);
    for (int64_t i = -left; i < 0; i++)
        profile->histogram[i] += rows[(int64_t)step[i] + i];
    for (int64_t i = 0; i <= right; i++)
        profile->histogram[i] += rows[(int64_t)step[i] - i];
}

/* Add to it the counts at exactly this distance, or subtract them. */
static void add_at (struct balls *balls, int dim, const uint16_t *table,
                    uint32_t node, uint32_t distance, uint32_t sign)
{
    struct profile *profile = &balls->profiles[dim];
    const struct ball_axis *axis = &balls->tables.axes[dim];
    const uint16_t *rows = first_row (balls, table, node, dim) + distance;
    const uint32_t *step = profile->step + axis->size + profile->centre;
    int64_t left = to_left (axis, profile->centre, distance);
    int64_t right = to_right (axis, profile->centre, distance);
    for (int64_t i = -left; i < 0; i++) {
        const uint16_t *row = rows + step[i] + i;
        profile->histogram[i] += sign * (uint32_t)(row[1] - row[0]);
    }
    for (int64_t i = 0; i <= right; i++) {
        const uint16_t *row = rows + step[i] - i;
        profile->histogram[i] += sign * (uint32_t)(row[1] - row[0]);
    }
}

/* How the surface is taken: slices across the first dimension in the order of
 * their coordinates, up to `last` of this part of the order; of that one only
 * so many nodes as `some` says, or all if that is 0. */
struct cut {
    struct offsets order;
    int part;
    int64_t last;
    uint32_t some;
};

/* The histogram of the first dimension is exact: what a slice has inside and,
 * as long as there are nodes left to take, on the surface. */
static struct cut cut_surface (struct balls *balls, uint32_t node,
                               uint32_t radius, uint32_t take)
{
    struct profile *profile = &balls->profiles[0];
    const struct ball_axis *axis = &balls->tables.axes[0];
    const uint16_t *rows = first_row (balls, balls->tables.across[0], node, 0)
                           + radius;
    const uint32_t *step = profile->step + axis->size + profile->centre;
    struct cut cut = {.order = order_of (axis, profile->centre, radius)};
    for (cut.part = 0;; cut.part++)
        for (int64_t i = cut.order.first[cut.part];
             i <= cut.order.last[cut.part]; i++) {
            const uint16_t *row = rows + step[i] - (i < 0 ? -i : i);
            uint32_t surface = (uint32_t)(row[1] - row[0]);
            if (surface >= take) {
                profile->histogram[i] += take;
                cut.last = i;
                cut.some = surface > take ? take : 0;
                return cut;
            }
            profile->histogram[i] += surface;
            take -= surface;
        }
}

/* Add, or subtract, the part of the surface whose offset in the first
 * dimension is no more than `upto`. In a ball that does not meet itself, that
 * part lies before the slice at `upto` if this is left of the centre; if not,
 * all lies there but what is beyond the next slice. Returns the sign if all
 * of the surface is to be added, which is left to the caller. */
static uint32_t add_upto (struct balls *balls, int dim, uint32_t node,
                          uint32_t radius, int64_t upto, uint32_t sign)
{
    const struct ball_axis *axis = &balls->tables.axes[0];
    uint32_t centre = balls->profiles[0].centre;
    int64_t left = to_left (axis, centre, radius);
    int64_t right = to_right (axis, centre, radius);
    uint32_t base = node - centre * axis->stride;
    if (upto < -left)
        return 0;
    if (upto >= right)
        return sign;
    if (upto < 0) {
        add_at (balls, dim, balls->tables.before[dim],
                base + wrapped (axis, centre, upto) * axis->stride,
                (uint32_t)(radius + upto), sign);
        return 0;
    }
    add_at (balls, dim, balls->tables.beyond[dim],
            base + wrapped (axis, centre, upto + 1) * axis->stride,
            (uint32_t)(radius - upto - 1), -sign);
    return sign;
}

/* The histogram of another dimension, but for the slice taken in part. */
static void fill_dimension (struct balls *balls, int dim, uint32_t node,
                            uint32_t radius, const struct cut *cut)
{
    const uint16_t *table = balls->tables.across[dim];
    int64_t last = cut->last - (cut->some > 0), from;
    uint32_t whole = 0;
    from = cut->order.first[0];
    if (cut->part == 0) {
        if (last >= from) {
            whole += add_upto (balls, dim, node, radius, last, 1);
            whole += add_upto (balls, dim, node, radius, from - 1,
                               UINT32_MAX);
        }
    } else {
        whole = 1 + add_upto (balls, dim, node, radius, from - 1, UINT32_MAX)
                + add_upto (balls, dim, node, radius, last, 1);
    }
    add_within (balls, dim, table, node, whole ? radius : radius - 1);
}

/* All histograms of the k nearest. */
static void fill_histograms (struct balls *balls, uint32_t node)
{
    const struct ball_axis *axis = &balls->tables.axes[0];
    uint32_t radius = balls->tables.radius[node];
    uint32_t take = balls->k - balls->tables.nearer[node];
    uint32_t centre = balls->profiles[0].centre;
    struct cut cut;
    open_histograms (balls, radius);
    if (radius == 0) { /* k is 1, and the centre is free */
        for (int d = 0; d < balls->tables.ndims; d++)
            balls->profiles[d].histogram[0] = 1;
        return;
    }
    add_within (balls, 0, balls->tables.across[0], node, radius - 1);
    if (axis->wraps && radius > axis->left) {
        for (int d = 1; d < balls->tables.ndims; d++)
            add_within (balls, d, balls->tables.across[d], node, radius - 1);
        walk (balls, 0, 0, radius, take);
        return;
    }
    cut = cut_surface (balls, node, radius, take);
    for (int d = 1; d < balls->tables.ndims; d++)
        fill_dimension (balls, d, node, radius, &cut);
    if (cut.some)
        walk (balls, 1,
              wrapped (axis, centre, cut.last) * axis->stride,
              radius - (uint32_t)(cut.last < 0 ? -cut.last : cut.last),
              cut.some);
}

/* ---- sums ---- */

/* Every step between neighbours is taken by (nodes on one side) x (nodes on
 * the other) pairs. */
static uint64_t line_sum (const uint32_t *histogram, uint32_t count,
                          uint32_t k)
{
    uint64_t sum = 0;
    uint32_t below = 0;
    for (uint32_t i = 0; i + 1 < count; i++) {
        below += histogram[i];
        sum += (uint64_t)below * (k - below);
    }
    return sum;
}

/* Of the arcs of half the ring, rounded down, two nodes h hops apart have 2 h
 * that hold one of them only. If the size is even, arcs come in pairs of
 * opposite ones, and one of each will do. */
static uint64_t ring_sum (const uint32_t *histogram, uint32_t count,
                          uint32_t k, uint32_t size, uint32_t *ring)
{
    uint32_t half = size / 2, arc = 0;
    uint32_t arcs = size % 2 ? size : half;
    uint64_t sum = 0;
    memset (ring, 0, 2 * size * sizeof *ring);
    memcpy (ring, histogram, count * sizeof *ring);
    memcpy (ring + size, histogram, count * sizeof *ring);
    for (uint32_t i = 0; i < half; i++)
        arc += ring[i];
    for (uint32_t i = 0; i < arcs; i++) {
        sum += (uint64_t)arc * (k - arc);
        arc += ring[i + half] - ring[i];
    }
    return size % 2 ? sum / 2 : sum;
}

static uint64_t sum_up (const struct balls *balls)
{
    uint64_t sum = 0;
    for (int d = 0; d < balls->tables.ndims; d++) {
        const struct profile *profile = &balls->profiles[d];
        const struct ball_axis *axis = &balls->tables.axes[d];
        const uint32_t *histogram = profile->histogram - profile->left;
        uint32_t count = profile->left + profile->right + 1;
        sum += axis->wraps && count - 1 > axis->size / 2
                   ? ring_sum (histogram, count, balls->k, axis->size,
                               balls->ring)
                   : line_sum (histogram, count, balls->k);
    }
    return sum;
}

uint64_t balls_pairwise (struct balls *balls, uint32_t centre)
{
    set_centre (balls, centre);
    if (balls->tabled)
        fill_histograms (balls, centre);
    else
        walk_ball (balls);
    return sum_up (balls);
}

/* ---- a request ---- */

static void set_steps (struct balls *balls)
{
    for (int d = 0; d < balls->tables.ndims; d++) {
        const struct ball_axis *axis = &balls->tables.axes[d];
        uint32_t *step = balls->profiles[d].step;
        for (uint32_t i = 0; i < axis->size; i++)
            step[i] = step[i + axis->size] = step[i + 2 * axis->size] =
                (uint32_t)(i * axis->stride * balls->tables.row);
    }
}

/* A guess at the greatest radius: that of some nodes. */
static uint32_t guess_radius (struct balls *balls)
{
    enum { SAMPLES = 4 };
    uint32_t last = balls->tables.machine->nodes - 1, guess = 0;
    for (uint32_t i = 0; i <= SAMPLES; i++) {
        uint32_t radius;
        set_centre (balls, (uint32_t)((uint64_t)last * i / SAMPLES));
        radius = walk_ball (balls);
        guess = radius > guess ? radius : guess;
    }
    return guess;
}

void balls_set (struct balls *balls, const tori_state *state, uint32_t k)
{
    balls->free = state->free;
    balls->k = k;
    balls->tabled = false;
}

int balls_start (struct balls *balls, const tori_state *state, uint32_t k,
                 tori_error *err)
{
    uint32_t radius;
    int done = 0;
    balls_set (balls, state, k);
    radius = guess_radius (balls);
    while (!done && ball_tables_fit (&balls->tables, radius)) {
        done = ball_tables_count (&balls->tables, state->free, k, radius,
                                  err);
        radius += radius / 2 + 8;
    }
    if (done < 0)
        return -1;
    balls->tabled = done > 0;
    if (balls->tabled)
        set_steps (balls);
    return balls->tabled;
}

uint32_t balls_promising (const struct balls *balls)
{
    return balls->tabled ? balls->tables.promising : 0;
}

int balls_take (struct balls *balls, uint32_t centre, uint32_t ret_nodes[],
                tori_error *err)
{
    size_t words = bits_words (balls->tables.machine->nodes), at = 0;
    balls->taken = calloc (words, sizeof *balls->taken);
    if (!balls->taken)
        return tori_error_nomem (err);
    set_centre (balls, centre);
    walk_ball (balls);
    for (size_t i = 0; i < words; i++)
        for (uint64_t word = balls->taken[i]; word; word &= word - 1)
            ret_nodes[at++] = (uint32_t)(64 * i)
                              + (uint32_t)__builtin_ctzll (word);
    free (balls->taken);
    balls->taken = NULL;
    return 0;
}

/* bounds.c - what the k nearest of a centre sum up to at the least.
 *
 * Let the centre be c, n the free nodes nearer than its radius r, and m = k -
 * n the number taken from those at r. In each dimension, a step away from c
 * that has a cap of x nodes behind it is taken by x (k - x) pairs. So the
 * pairwise sum of the k is
 *
 *     k (sum of caps) - (sum of squares of caps)
 *
 * where the sum of caps over a dimension is that of the distances from c in
 * it. Of this are known exactly:
 *
 *  - The caps in the first dimension: nodes are taken in the order of ids,
 *    slice by slice across the first dimension, and each slice has as many as
 *    the tables say.
 *  - With them how far the m nodes are in the other dimensions together, B:
 *    each one r less its offset in the first.
 *
 * In the other dimensions a cap is between l, that of the n nodes, and h = l +
 * min (m, all nodes at r behind the step). The caps of the m nodes add up to
 * B. What is the greatest sum of squares? For any number g,
 *
 *     sum x^2 = sum x (x - g) + g sum x
 *            <= sum max (l (l - g), h (h - g)) + g (sum l + B)
 *             = sum l^2 + sum (h - l) max (0, h + l - g) + g B
 *
 * as x (x - g) is convex and so greatest at l or at h. Here g is 3/8 k, which
 * on average lets a few in a hundred more centres pass than the best of nine
 * numbers does; where nearly all free nodes are asked for, 1/8 k does. Where
 * few nodes at r are taken, as many may be said to be on both sides at once,
 * and the bound is less than what any nodes sum up to: then that is taken. For
 * a few nodes it is the sum.
 *
 * Round a ring, opposite caps are multiplied and subtracted, too; there h is
 * taken for the cap, which is never too little. On a machine of one dimension
 * lanes are centres along it, whose nodes come in different orders round a
 * ring; so there no dimension is the first, and B is m r.
 */
#include <stdlib.h>
#include <string.h>

#include "blocks.h"
#include "offsets.h"

/* ---- sums ---- */

void sums_start (const struct centres *centres, struct sums *sums)
{
    *sums = (struct sums){.room = centres->flush};
}

void sums_need (const struct centres *centres, struct sums *sums,
                uint32_t products)
{
    if (sums->room >= products || sums->room == centres->flush)
        return;
    for (int p = 0; p < PRODUCTS; p++) {
        for (int i = 0; i < LANES / 2; i++) {
            sums->more[p][i] += sums->of[p].low[i];
            sums->more[p][LANES / 2 + i] += sums->of[p].high[i];
        }
        sums->of[p] = (struct wides){{0}, {0}};
    }
    sums->room = centres->flush;
    sums->moved = true;
}

void sums_total (const struct sums *sums, int kind, uint64_t ret_total[LANES])
{
    for (int l = 0; l < LANES; l++) {
        int place = place_of (l);
        ret_total[l] = place < LANES / 2
                           ? sums->of[kind].low[place]
                           : sums->of[kind].high[place - LANES / 2];
        if (sums->moved)
            ret_total[l] += sums->more[kind][place];
    }
}

/* For every step to the left there is the opposite one to the right, half the
 * ring away (if that is odd, two of them, each taken half): a pair that takes
 * both saves two hops. */
void sums_opposite (const struct centres *centres, const struct axis *a,
                    const uint32_t steps[2], struct sums *sums)
{
    uint32_t times = 2 - a->size % 2;
    for (uint32_t odd = 0; odd <= a->size % 2; odd++) {
        uint32_t half = a->size / 2 - 1 + odd;
        uint32_t s = half < steps[1] ? 0 : half - steps[1] + 1;
        uint32_t end = least (steps[0], half + 1);
        for (; s < end; s++) {
            lanes left = centres->caps[0][s];
            lanes right = centres->caps[1][half - s];
            for (uint32_t i = 0; i < times; i++) {
                sums_need (centres, sums, 1);
                sums->room--;
                sums->of[SQUARES].low += widen_low (left) * widen_low (right);
                sums->of[SQUARES].high += widen_high (left)
                                          * widen_high (right);
            }
        }
    }
}

/* ---- reading the tables ---- */

/* The radii of the lanes of a block, from the greatest to the least, and which
 * lanes have which; as those of neighbours differ by one at the most, there
 * are no more than lanes. */
struct radii {
    uint32_t n, greatest;
    lanes mask[LANES];
};

static void set_radii (struct radii *radii, lanes radius, lanes allowed)
{
    uint32_t low = UINT16_MAX, high = 0;
    for (int l = 0; l < LANES; l++) {
        if (!allowed[l])
            continue;
        low = radius[l] < low ? radius[l] : low;
        high = radius[l] > high ? radius[l] : high;
    }
    radii->n = high - low + 1;
    radii->greatest = high;
    for (uint32_t i = 0; i < radii->n; i++)
        radii->mask[i] = (lanes)(radius == (uint16_t)(high - i)) & allowed;
}

/* A block, along one dimension. */
struct view {
    struct centres *centres;
    const struct block *block;
    const struct radii *radii;
    int axis;
    struct across across; /* from where the block is but for this axis */
    const int64_t *at;    /* and where offsets are from there */
    lanes radius, m;
    uint32_t g;
};

static void set_axis (struct view *view, int axis)
{
    const struct field *field = view->centres->field;
    view->axis = axis;
    view->across = field->across[axis];
    view->at = field->axes[axis].at + view->block->coords[axis];
    for (int i = 0; i < view->across.terms; i++)
        view->across.slots[i] += view->block->at - view->at[0];
}

/* How many nodes at this offset are nearer than the radius, and how many are
 * at it. Where an offset is greater than a radius, by 7 at the most, these are
 * none. */
static inline void read_at (const struct view *view, int64_t offset,
                            uint32_t n, bool levelled, lanes *ret_nearer,
                            lanes *ret_at)
{
    const struct radii *radii = view->radii;
    int64_t at = view->at[offset];
    int64_t radius = (int64_t)radii->greatest - (offset < 0 ? -offset
                                                            : offset);
    lanes inner = {0}, outer = {0};
    lanes upto = across_at (&view->across, at, radius, levelled);
    for (uint32_t i = 0; i < n; i++) {
        lanes below = across_at (&view->across, at, --radius, levelled);
        outer = put (outer, radii->mask[i], upto);
        inner = put (inner, radii->mask[i], below);
        upto = below;
    }
    *ret_nearer = inner;
    *ret_at = outer - inner;
}

static uint32_t steps_to (const struct view *view, int side)
{
    return limit (view->centres, view->block, view->axis, side,
                  view->radii->greatest);
}

/* ---- the first dimension ---- */

/* The histogram of the k nodes, and how far those at the radius are in the
 * other dimensions. */
static inline struct wides take_slices (const struct view *view, uint32_t n,
                                        bool levelled, lanes *histogram)
{
    const struct axis *a = &view->centres->field->axes[view->axis];
    struct offsets order = offsets_in_order (
        a->size, view->block->coords[view->axis], steps_to (view, 0),
        steps_to (view, 1));
    struct wides others = {{0}, {0}};
    lanes left = view->m;
    for (int part = 0; part < 2; part++)
        for (int64_t i = order.first[part]; i <= order.last[part]; i++) {
            lanes nearer, some, rest;
            read_at (view, i, n, levelled, &nearer, &some);
            some = lower (some, left);
            left -= some;
            rest = view->radius - (uint16_t)(i < 0 ? -i : i);
            others.low += widen_low (some) * widen_low (rest);
            others.high += widen_high (some) * widen_high (rest);
            histogram[i] = nearer + some;
        }
    return others;
}

static void sum_slices (const struct view *view, const lanes *histogram,
                        struct sums *sums)
{
    const struct centres *centres = view->centres;
    const struct axis *a = &centres->field->axes[view->axis];
    uint32_t steps[2];
    for (int side = 0; side < 2; side++) {
        lanes cap = {0};
        steps[side] = steps_to (view, side);
        for (int64_t i = steps[side]; i > 0; i--) {
            cap += histogram[side ? i : -i];
            centres->caps[side][i - 1] = cap;
            sums_need (centres, sums, 1);
            sums->room--;
            sums_step (sums, cap);
        }
    }
    if (a->wraps)
        sums_opposite (centres, a, steps, sums);
}

/* ---- the others ---- */

/* (h - l) max (0, h + l - g), of h = l + more. */
static inline void add_gain (struct wides *gain, lanes low_cap, lanes more,
                             uint32_t g)
{
    lanes high_cap = low_cap + more;
    squad low = (squad)(widen_low (low_cap) + widen_low (high_cap) - g);
    squad high = (squad)(widen_high (low_cap) + widen_high (high_cap) - g);
    low &= low > 0;
    high &= high > 0;
    gain->low += (quad)low * widen_low (more);
    gain->high += (quad)high * widen_high (more);
}

/* The same where two caps together fit 16 bits. */
static inline void add_small_gain (struct wides *gain, lanes low_cap,
                                   lanes more, uint16_t g)
{
    lanes both = low_cap + low_cap + more;
    lanes over = (both - g) & (lanes)(both > g);
    gain->low += widen_low (over) * widen_low (more);
    gain->high += widen_high (over) * widen_high (more);
}

/* Steps inwards, from one to another, to one side. */
static inline void walk_steps (const struct view *view, int side,
                               uint32_t from, uint32_t to, uint32_t n,
                               bool levelled, lanes *cap, lanes *behind,
                               struct sums *sums)
{
    uint32_t g = view->g;
    bool small = view->centres->field->k <= INT16_MAX;
    lanes *caps = view->centres->caps[side];
    lanes low_cap = *cap, all = *behind;
    struct sums now = *sums;
    for (int64_t i = from; i > (int64_t)to; i--) {
        lanes nearer, some, more;
        read_at (view, side ? i : -i, n, levelled, &nearer, &some);
        low_cap += nearer;
        all = levelled ? all + some : add_capped (all, some);
        more = lower (all, view->m);
        caps[i - 1] = low_cap + more;
        sums_step (&now, low_cap);
        if (small)
            add_small_gain (&now.of[GAINS], low_cap, more, (uint16_t)g);
        else
            add_gain (&now.of[GAINS], low_cap, more, g);
    }
    *cap = low_cap;
    *behind = all;
    sums->away = now.away;
    memcpy (sums->of, now.of, sizeof sums->of);
}

static inline void walk_axis (const struct view *view, uint32_t n,
                              bool levelled, struct sums *sums)
{
    const struct centres *centres = view->centres;
    const struct axis *a = &centres->field->axes[view->axis];
    uint32_t steps[2];
    for (int side = 0; side < 2; side++) {
        lanes cap = {0}, behind = {0};
        steps[side] = steps_to (view, side);
        for (uint32_t from = steps[side], some; from > 0; from -= some) {
            sums_need (centres, sums, from);
            some = least (from, sums->room);
            walk_steps (view, side, from, from - some, n, levelled, &cap,
                        &behind, sums);
            sums->room -= some;
        }
    }
    if (a->wraps)
        sums_opposite (centres, a, steps, sums);
}

/* ---- all dimensions ---- */

/* Returns how far the nodes at the radius are in all dimensions but the
 * first. */
static inline struct wides sum_axes (struct view *view, uint32_t n,
                                     bool levelled, struct sums *sums)
{
    const struct centres *centres = view->centres;
    struct wides others = {widen_low (view->m) * widen_low (view->radius),
                           widen_high (view->m) * widen_high (view->radius)};
    bool first = true;
    for (int a = 0; a < AXES; a++) {
        if (centres->field->axes[a].size == 1)
            continue;
        set_axis (view, a);
        if (first && a < AXES - 1) {
            others = take_slices (view, n, levelled, centres->taken[a]);
            sum_slices (view, centres->taken[a], sums);
        } else {
            walk_axis (view, n, levelled, sums);
        }
        first = false;
    }
    return others;
}

static struct wides sum_diamonds (struct view *view, struct sums *sums)
{
    switch (view->radii->n) {
    case 1: return sum_axes (view, 1, false, sums);
    case 2: return sum_axes (view, 2, false, sums);
    default: return sum_axes (view, view->radii->n, false, sums);
    }
}

/* The same for a compiler to make a straight line of every number. */
static struct wides sum_some (struct view *view, struct sums *sums)
{
    _Static_assert (LANES == 8, "a case for every number of radii");
    if (!view->centres->field->levelled)
        return sum_diamonds (view, sums);
    switch (view->radii->n) {
    case 1: return sum_axes (view, 1, true, sums);
    case 2: return sum_axes (view, 2, true, sums);
    case 3: return sum_axes (view, 3, true, sums);
    case 4: return sum_axes (view, 4, true, sums);
    case 5: return sum_axes (view, 5, true, sums);
    case 6: return sum_axes (view, 6, true, sums);
    case 7: return sum_axes (view, 7, true, sums);
    default: return sum_axes (view, LANES, true, sums);
    }
}

/* What any nodes have: two are a hop apart, and two at the same distance from
 * c two, unless the ways between go round an odd ring. */
static uint64_t least_sum (const struct field *field, uint64_t n, uint64_t m)
{
    uint64_t apart = 2;
    for (int a = 0; a < AXES; a++)
        if (field->axes[a].wraps && field->axes[a].size % 2)
            apart = 1;
    return n * (n - 1) / 2 + n * m + m * (m - 1) / 2 * apart;
}

static uint64_t bound_lanes (struct view *view, uint64_t *bounds)
{
    const struct field *field = view->centres->field;
    uint64_t total[PRODUCTS][LANES], k = field->k, found = UINT64_MAX;
    struct wides others;
    struct sums sums;
    sums_start (view->centres, &sums);
    others = sum_some (view, &sums);
    for (int p = 0; p < PRODUCTS; p++)
        sums_total (&sums, p, total[p]);
    for (int l = 0; l < LANES; l++) {
        int place = place_of (l), half = place % (LANES / 2);
        bool low = place < LANES / 2;
        uint64_t away = low ? sums.away.low[half] : sums.away.high[half];
        uint64_t b = low ? others.low[half] : others.high[half];
        uint64_t less = total[SQUARES][l] + total[GAINS][l] + view->g * b;
        uint64_t m = view->m[l], all = least_sum (field, k - m, m);
        if (!field->allowed[view->block->dense + (size_t)l])
            continue;
        bounds[l] = k * (away + b) > all + less ? k * (away + b) - less : all;
        found = bounds[l] < found ? bounds[l] : found;
    }
    return found;
}

uint64_t bound_block (struct centres *centres, const struct block *block)
{
    const struct field *field = centres->field;
    const uint16_t *allowed = field->allowed + block->dense;
    lanes k = (lanes){0} + (uint16_t)field->k;
    uint64_t *bounds = centres->bound + block->dense;
    struct radii radii;
    struct view view = {.centres = centres, .block = block, .radii = &radii,
                        .g = centres->chord};
    for (int l = 0; l < LANES; l++)
        bounds[l] = UINT64_MAX;
    if (all_zero (load (allowed)))
        return UINT64_MAX;
    view.radius = load (field->radius + block->dense);
    view.m = k - load (field->nearer + block->dense);
    set_radii (&radii, view.radius, load (allowed));
    return bound_lanes (&view, bounds);
}

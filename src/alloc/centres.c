#include "centres.h"

#include <stdlib.h>
#include <string.h>

#include "blocks.h"
#include "marks.h"

int centres_create (const tori_machine *machine, struct centres **ret_centres,
                    tori_error *err)
{
    struct centres *centres = calloc (1, sizeof *centres);
    if (!centres)
        return tori_error_nomem (err);
    levels_init (&centres->levels, machine);
    *ret_centres = centres;
    return 0;
}

void centres_destroy (struct centres *centres)
{
    if (!centres)
        return;
    levels_clear (&centres->levels);
    for (int i = 0; i <= AXES; i++)
        free (centres->room[i]);
    free (centres->farther);
    free (centres->bound);
    free (centres);
}

/* ---- sums ---- */

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

/* The radii of the lanes of a block, the greatest first, and which lanes have
 * which. */
struct radii {
    uint32_t n, radius[LANES];
    lanes mask[LANES];
    int64_t drop[LANES]; /* slots from the greatest one's level down */
};

static void add_radius (struct radii *radii, uint32_t radius, int lane)
{
    uint32_t i = 0;
    while (i < radii->n && radii->radius[i] > radius)
        i++;
    if (i == radii->n || radii->radius[i] != radius) {
        for (uint32_t j = radii->n++; j > i; j--) {
            radii->radius[j] = radii->radius[j - 1];
            radii->mask[j] = radii->mask[j - 1];
        }
        radii->radius[i] = radius;
        radii->mask[i] = (lanes){0};
    }
    radii->mask[i][lane] = UINT16_MAX;
}

/* Where to read how many nodes have an offset to one side of a block, and
 * what to add to them. */
struct side {
    const struct radii *radii;
    const uint16_t *slots; /* for offset 0 and the greatest radius */
    const int64_t *at;     /* and where other offsets are from there */
    int64_t level, sign;
    const lanes *taken; /* or NULL */
    lanes *caps;
    uint32_t steps[LANES]; /* how far each radius goes */
};

static void set_side (struct side *side, const struct centres *centres,
                      const struct block *block, int axis, int towards,
                      bool surface)
{
    const struct levels *levels = &centres->levels;
    const struct radii *radii = side->radii;
    const struct axis *a = &levels->axes[axis];
    uint32_t c = block->coords[axis], inside = !surface;
    side->slots = level_of (levels, ACROSS + axis,
                            (int64_t)radii->radius[0] - 1)
                  + block->row * levels->pitch + levels->pad
                  + block->coords[AXES - 1] - c * a->step;
    side->at = a->at + c;
    side->level = (int64_t)levels->level;
    side->sign = towards ? 1 : -1;
    side->taken = surface ? centres->taken[axis] : NULL;
    side->caps = centres->caps[towards];
    for (uint32_t i = 0; i < radii->n; i++)
        side->steps[i] = radii->radius[i] < inside
                             ? 0
                             : limit (centres, block, axis, towards,
                                      radii->radius[i] - inside);
}

/* The offsets from `from` inwards down to `to`, which the first `n` radii
 * reach. */
static inline void sum_steps (const struct side *side, int64_t from,
                              int64_t to, uint32_t n, bool surface, lanes *cap,
                              struct wides *away, struct wides *squares)
{
    const struct radii *radii = side->radii;
    lanes c = *cap;
    struct wides sum = *away, square = *squares;
    for (int64_t i = from; i >= to; i--) {
        int64_t offset = side->sign * i;
        const uint16_t *slots = side->slots + side->at[offset]
                                - i * side->level;
        quad low, high;
        c += n == 1 && surface ? load (slots) : load (slots) & radii->mask[0];
        for (uint32_t j = 1; j < n; j++)
            c += load (slots - radii->drop[j]) & radii->mask[j];
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

/* The same for a compiler to make much of small numbers. */
static void sum_some (const struct side *side, int64_t from, int64_t to,
                      uint32_t n, lanes *cap, struct wides *away,
                      struct wides *squares)
{
    if (side->taken)
        sum_steps (side, from, to, 1, true, cap, away, squares);
    else if (n == 1)
        sum_steps (side, from, to, 1, false, cap, away, squares);
    else if (n == 2)
        sum_steps (side, from, to, 2, false, cap, away, squares);
    else if (n == 3)
        sum_steps (side, from, to, 3, false, cap, away, squares);
    else if (n == 4)
        sum_steps (side, from, to, 4, false, cap, away, squares);
    else
        sum_steps (side, from, to, n, false, cap, away, squares);
}

/* Count inwards how many nodes are behind each step from the centre to one
 * side: each is a hop away from the centre, and c x (n - c) pairs of n nodes
 * take the step. Of the latter only the squares are subtracted here. */
static void sum_side (const struct side *side, uint32_t flush,
                      struct sums *sums)
{
    uint32_t n = side->radii->n;
    lanes cap = {0};
    for (uint32_t i = 0; i < n; i++) {
        uint32_t end = i + 1 < n ? side->steps[i + 1] : 0;
        for (uint32_t from = side->steps[i]; from > end;) {
            uint32_t some = least (from - end, flush);
            struct wides squares = {{0}, {0}};
            sum_some (side, from, from - some + 1, i + 1, &cap, &sums->away,
                      &squares);
            subtract (sums, &squares, 1);
            from -= some;
        }
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
                      int axis, const struct radii *radii, bool surface,
                      uint32_t ret_steps[2], struct sums *sums)
{
    const struct axis *a = &centres->levels.axes[axis];
    struct side side;
    side.radii = radii;
    for (int towards = 0; towards < 2; towards++) {
        set_side (&side, centres, block, axis, towards, surface);
        ret_steps[towards] = side.steps[0];
        sum_side (&side, centres->flush, sums);
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
    const struct axis *axes = centres->levels.axes;
    for (int a = 0; a < AXES; a++)
        if (axes[a].wraps && 2 * radius > axes[a].size / 2)
            return false;
    return true;
}

/* No two nodes of a surface are nearer to each other than this: an even
 * number of hops, unless an odd ring lies between. */
static uint32_t spacing (const struct centres *centres)
{
    for (int a = 0; a < AXES; a++)
        if (centres->levels.axes[a].wraps && centres->levels.axes[a].size % 2)
            return 1;
    return 2;
}

/* Sum up what is nearer than the radius of each lane. Returns in how many
 * dimensions. */
static uint32_t sum_nearer (struct centres *centres, const struct block *block,
                            const struct radii *radii, struct sums *sums)
{
    lanes n = load (centres->levels.nearer + block->dense);
    uint32_t steps[2], parts = 0, most = radii->radius[0];
    memset (centres->ahead, 0, (most + 1) * sizeof *centres->ahead);
    for (int a = 0; a < AXES && most > 0; a++) {
        if (centres->levels.axes[a].size == 1)
            continue;
        sum_axis (centres, block, a, radii, false, steps, sums);
        note_ahead (centres, &centres->levels.axes[a], steps, most);
        parts++;
    }
    close_sums (sums, n);
    sum_farther (centres, most, n);
    return parts ? parts : 1;
}

/* The bounds of the centres of a block that have this radius. */
static void bound_radius (struct centres *centres, const struct block *block,
                          uint32_t radius, uint32_t parts,
                          const struct sums *sums)
{
    struct signeds each = all_convex (centres, radius)
                              ? cheapest_even (centres, radius, parts)
                              : cheapest (centres, radius, parts);
    each.low += (squad)sums->away.low;
    each.high += (squad)sums->away.high;
    for (int l = 0; l < LANES; l++) {
        size_t at = block->dense + (size_t)l;
        uint64_t more = centres->levels.k - centres->levels.nearer[at];
        int place = place_of (l);
        int32_t one = place < LANES / 2 ? each.low[place]
                                        : each.high[place - LANES / 2];
        if (centres->levels.radius[at] == radius
            && centres->levels.allowed[at])
            centres->bound[at] = sums->pairs[place]
                                 + (one > 0 ? more * (uint32_t)one : 0)
                                 + more * (more - 1) / 2 * centres->spacing;
    }
}

/* The bounds of the centres of a block that may be; others have none. */
static void bound_block (struct centres *centres, const struct block *block)
{
    struct radii radii;
    struct sums sums = {.pairs = {0}};
    uint32_t parts;
    radii.n = 0;
    for (int l = 0; l < LANES; l++) {
        size_t at = block->dense + (size_t)l;
        centres->bound[at] = UINT64_MAX;
        if (centres->levels.allowed[at])
            add_radius (&radii, centres->levels.radius[at], l);
    }
    if (radii.n == 0)
        return;
    for (uint32_t i = 0; i < radii.n; i++)
        radii.drop[i] = (int64_t)(radii.radius[0] - radii.radius[i])
                        * (int64_t)centres->levels.level;
    parts = sum_nearer (centres, block, &radii, &sums);
    for (uint32_t i = 0; i < radii.n; i++)
        bound_radius (centres, block, radii.radius[i], parts, &sums);
}

/* All bounds. Returns where the least of them is. */
static size_t bound_all (struct centres *centres)
{
    size_t best = 0;
    for (size_t row = 0; row < centres->levels.nrows; row++)
        for (uint32_t z = 0; z < centres->levels.width; z += LANES) {
            struct block block = block_at (centres, row, z);
            bound_block (centres, &block);
            for (size_t i = block.dense; i < block.dense + LANES; i++)
                if (centres->bound[i] < centres->bound[best])
                    best = i;
        }
    return best;
}

/* ---- all centres ---- */

static uint32_t node_of (const struct centres *centres,
                         const struct block *block, int lane)
{
    return (uint32_t)(block->row * centres->levels.axes[AXES - 1].size
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
    lanes marked = {0}, k = (lanes){0} + (uint16_t)centres->levels.k;
    struct sums sums = {.pairs = {0}};
    struct radii radii;
    uint32_t steps[2];
    radii.n = 1;
    radii.radius[0] = radius;
    for (int i = 0; i < LANES; i++)
        if (centres->levels.radius[block->dense + (size_t)i] == radius
            && hopeful (centres, block, i))
            marked[i] = UINT16_MAX;
    take_surface (centres, block, radius, marked);
    for (int a = 0; a < AXES; a++)
        if (centres->levels.axes[a].size > 1)
            sum_axis (centres, block, a, &radii, true, steps, &sums);
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
                        centres->levels.radius[block->dense + (size_t)i]);
}

static void try_all (struct centres *centres, size_t start)
{
    struct block block = block_at (
        centres, start / centres->levels.width,
        (uint32_t)(start % centres->levels.width) / LANES * LANES);
    centres->best = UINT64_MAX;
    centres->best_node = UINT32_MAX;
    try_block (centres, &block);
    for (size_t row = 0; row < centres->levels.nrows; row++)
        for (uint32_t z = 0; z < centres->levels.width; z += LANES) {
            block = block_at (centres, row, z);
            try_block (centres, &block);
        }
}

/* ---- a request ---- */

/* Room for what is kept by centre, and by offset up to this radius. */
static int need_reach (struct centres *centres, uint32_t radius,
                       tori_error *err)
{
    size_t reach = (size_t)radius + 1;
    bool failed = false;
    if (!centres->bound)
        centres->bound = calloc (centres->levels.nrows * centres->levels.width,
                                 sizeof *centres->bound);
    if (!centres->bound)
        return tori_error_nomem (err);
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
        sides += centres->levels.axes[a].size;
    return k >= UINT16_MAX || 4 * sides * k > INT32_MAX;
}

int centres_find (struct centres *centres, const tori_state *state, uint32_t k,
                  const bool *occurs, uint32_t *ret_centre, tori_error *err)
{
    struct levels *levels = &centres->levels;
    uint32_t radius;
    int done;
    if (!levels->suits || too_large (centres, k))
        return 0;
    done = levels_count (levels, state->free, k, occurs, &radius, err);
    if (done <= 0)
        return done;
    if (need_reach (centres, radius, err) < 0)
        return -1;
    centres->flush = (uint32_t)(UINT32_MAX / ((uint64_t)k * k + 1));
    centres->spacing = spacing (centres);
    try_all (centres, bound_all (centres));
    *ret_centre = centres->best_node;
    return 1;
}

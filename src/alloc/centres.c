#include "centres.h"

#include <stdlib.h>
#include <string.h>

#include "blocks.h"
#include "grid.h"
#include "marks.h"

bool centres_has (const tori_machine *machine, const bool *occurs,
                  uint32_t node)
{
    for (int d = 0; d < machine->shape.ndims; d++) {
        if (!occurs[grid_coord (machine, node, d)])
            return false;
        occurs += machine->shape.size[d];
    }
    return true;
}

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
    twins_clear (&centres->twins);
    for (int i = 0; i <= AXES; i++)
        free (centres->room[i]);
    free (centres->bound);
    free (centres->least);
    free (centres);
}

/* ---- sums ---- */

/* Count inwards how many nodes are behind each step from the centre to one
 * side, of those nearer than the radius and of those taken at it. */
static uint32_t sum_side (const struct centres *centres,
                          const struct block *block, int axis, int side,
                          uint32_t radius, struct sums *sums)
{
    const struct levels *levels = &centres->levels;
    const struct axis *a = &levels->axes[axis];
    uint32_t c = block->coords[axis];
    uint32_t steps = limit (centres, block, axis, side, radius);
    const uint16_t *slots = level_of (levels, ACROSS + axis,
                                      (int64_t)radius - 1)
                            + block->row * levels->pitch + levels->pad
                            + block->coords[AXES - 1] - c * a->step;
    lanes cap = {0};
    for (uint32_t from = steps; from > 0;) {
        sums_need (centres, sums, from);
        for (; from > 0 && sums->room > 0; from--, sums->room--) {
            int64_t offset = side ? (int64_t)from : -(int64_t)from;
            cap += load (slots + a->at[c + offset]
                         - (int64_t)(from * levels->level))
                   + centres->taken[axis][offset];
            centres->caps[side][from - 1] = cap;
            sums_step (sums, cap);
        }
    }
    return steps;
}

/* The pairwise sums of the k nodes of all lanes of this radius, once what
 * they take of the surface is known. */
static void sum_pairs (const struct centres *centres,
                       const struct block *block, uint32_t radius,
                       uint64_t ret_pairs[LANES])
{
    struct sums sums;
    sums_start (centres, &sums);
    for (int a = 0; a < AXES; a++) {
        const struct axis *axis = &centres->levels.axes[a];
        uint32_t steps[2];
        if (axis->size == 1)
            continue;
        for (int side = 0; side < 2; side++)
            steps[side] = sum_side (centres, block, a, side, radius, &sums);
        if (axis->wraps)
            sums_opposite (centres, axis, steps, &sums);
    }
    sums_total (&sums, SQUARES, ret_pairs);
    for (int l = 0; l < LANES; l++) {
        int place = place_of (l), half = place % (LANES / 2);
        uint64_t away = place < LANES / 2 ? sums.away.low[half]
                                          : sums.away.high[half];
        ret_pairs[l] = away * centres->levels.k - ret_pairs[l];
    }
}

/* ---- all centres ---- */

/* All bounds. Returns in which block the least of them is. */
static size_t bound_all (struct centres *centres)
{
    size_t best = 0, n = 0;
    for (size_t row = 0; row < centres->levels.nrows; row++)
        for (uint32_t z = 0; z < centres->levels.width; z += LANES, n++) {
            struct block block = block_at (centres, row, z);
            centres->least[n] = bound_block (centres, &block);
            if (centres->least[n] < centres->least[best])
                best = n;
        }
    return best;
}

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
    uint64_t pairs[LANES];
    lanes marked = {0};
    for (int i = 0; i < LANES; i++)
        if (centres->levels.radius[block->dense + (size_t)i] == radius
            && hopeful (centres, block, i))
            marked[i] = UINT16_MAX;
    take_surface (centres, block, radius, marked);
    sum_pairs (centres, block, radius, pairs);
    for (int i = 0; i < LANES; i++) {
        uint32_t node = node_of (centres, block, i);
        if (!marked[i])
            continue;
        centres->bound[block->dense + (size_t)i] = UINT64_MAX;
        if (pairs[i] < centres->best
            || (pairs[i] == centres->best && node < centres->best_node)) {
            centres->best = pairs[i];
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

static void try_all (struct centres *centres, size_t first)
{
    uint32_t blocks = centres->levels.width / LANES;
    struct block block = block_at (centres, first / blocks,
                                   (uint32_t)(first % blocks) * LANES);
    size_t n = 0;
    centres->best = UINT64_MAX;
    centres->best_node = UINT32_MAX;
    try_block (centres, &block);
    for (size_t row = 0; row < centres->levels.nrows; row++)
        for (uint32_t z = 0; z < centres->levels.width; z += LANES, n++) {
            if (centres->least[n] > centres->best || n == first)
                continue;
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
    if (!centres->least)
        centres->least = calloc (centres->levels.nrows * centres->levels.width
                                     / LANES,
                                 sizeof *centres->least);
    if (!centres->bound || !centres->least)
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
    centres->room[AXES] = malloc (2 * reach * sizeof (lanes));
    if (failed || !centres->room[AXES])
        return tori_error_nomem (err);
    centres->caps[0] = centres->room[AXES];
    centres->caps[1] = centres->caps[0] + reach;
    centres->reach = reach;
    return 0;
}

/* See bounds.c. Any number is right; these let fewest centres pass. */
static uint32_t chord_of (uint32_t k, uint32_t free_nodes)
{
    bool nearly_all = k > free_nodes - free_nodes / 8;
    return (uint32_t)((uint64_t)k * (nearly_all ? 1 : 3) / 8);
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
    if (need_reach (centres, radius, err) < 0
        || twins_drop (&centres->twins, levels, err) < 0)
        return -1;
    centres->flush = (uint32_t)(UINT32_MAX / ((uint64_t)k * k + 1));
    centres->chord = chord_of (k, tori_state_free_count (state));
    try_all (centres, bound_all (centres));
    *ret_centre = centres->best_node;
    return 1;
}

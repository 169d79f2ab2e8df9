#include "centres.h"

#include <stdlib.h>
#include <string.h>

#include "grid.h"
#include "marks.h"
#include "tiles.h"

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
    diamonds_init (&centres->diamonds, machine);
    *ret_centres = centres;
    return 0;
}

void centres_destroy (struct centres *centres)
{
    if (!centres)
        return;
    levels_clear (&centres->levels);
    diamonds_clear (&centres->diamonds);
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
static inline uint32_t sum_side (const struct centres *centres,
                                 const struct block *block, int axis,
                                 int side, uint32_t radius, bool levelled,
                                 struct sums *sums)
{
    const struct field *field = centres->field;
    const struct across across = field->across[axis];
    const int64_t *at = field->axes[axis].at + block->coords[axis];
    int64_t base = block->at - at[0], inner = (int64_t)radius - 1;
    uint32_t steps = limit (centres, block, axis, side, radius);
    lanes cap = {0};
    for (uint32_t from = steps; from > 0;) {
        sums_need (centres, sums, from);
        for (; from > 0 && sums->room > 0; from--, sums->room--) {
            int64_t offset = side ? (int64_t)from : -(int64_t)from;
            cap += across_at (&across, base + at[offset], inner - from,
                              levelled)
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
        const struct axis *axis = &centres->field->axes[a];
        uint32_t steps[2];
        if (axis->size == 1)
            continue;
        for (int side = 0; side < 2; side++)
            steps[side] = centres->field->levelled
                              ? sum_side (centres, block, a, side, radius,
                                          true, &sums)
                              : sum_side (centres, block, a, side, radius,
                                          false, &sums);
        if (axis->wraps)
            sums_opposite (centres, axis, steps, &sums);
    }
    sums_total (&sums, SQUARES, ret_pairs);
    for (int l = 0; l < LANES; l++) {
        int place = place_of (l), half = place % (LANES / 2);
        uint64_t away = place < LANES / 2 ? sums.away.low[half]
                                          : sums.away.high[half];
        ret_pairs[l] = away * centres->field->k - ret_pairs[l];
    }
}

/* ---- all centres ---- */

/* All bounds. Returns in which block the least of them is. */
static size_t bound_all (struct centres *centres)
{
    size_t best = 0, n = 0;
    for (size_t row = 0; row < centres->field->nrows; row++)
        for (uint32_t z = 0; z < centres->field->width; z += LANES, n++) {
            struct block block = block_at (centres, row, z);
            centres->least[n] = bound_block (centres, &block);
            if (centres->least[n] < centres->least[best])
                best = n;
        }
    return best;
}

/* Whether a centre may be the best. */
static bool hopeful (const struct centres *centres, const struct block *block,
                     int lane)
{
    uint64_t bound = centres->bound[block->dense + (size_t)lane];
    return bound < centres->best
           || (bound == centres->best && bound < UINT64_MAX
               && block_node (centres, block, lane) < centres->best_node);
}

void centres_consider (struct centres *centres, uint32_t node, uint64_t sum)
{
    if (sum > centres->best
        || (sum == centres->best && node >= centres->best_node))
        return;
    centres->best = sum;
    centres->best_node = node;
}

static void try_radius (struct centres *centres, const struct block *block,
                        uint32_t radius)
{
    uint64_t pairs[LANES];
    lanes marked = {0};
    for (int i = 0; i < LANES; i++)
        if (centres->field->radius[block->dense + (size_t)i] == radius
            && hopeful (centres, block, i))
            marked[i] = UINT16_MAX;
    take_surface (centres, block, radius, marked);
    sum_pairs (centres, block, radius, pairs);
    for (int i = 0; i < LANES; i++) {
        if (!marked[i])
            continue;
        centres->bound[block->dense + (size_t)i] = UINT64_MAX;
        centres_consider (centres, block_node (centres, block, i), pairs[i]);
    }
}

/* Try those centres of a block that may be the best. */
static void try_block (struct centres *centres, const struct block *block)
{
    for (int i = 0; i < LANES; i++)
        if (hopeful (centres, block, i))
            try_radius (centres, block,
                        centres->field->radius[block->dense + (size_t)i]);
}

void centres_search (struct centres *centres)
{
    size_t first = bound_all (centres);
    uint32_t blocks = centres->field->width / LANES;
    struct block block = block_at (centres, first / blocks,
                                   (uint32_t)(first % blocks) * LANES);
    size_t n = 0;
    try_block (centres, &block);
    for (size_t row = 0; row < centres->field->nrows; row++)
        for (uint32_t z = 0; z < centres->field->width; z += LANES, n++) {
            if (centres->least[n] > centres->best || n == first)
                continue;
            block = block_at (centres, row, z);
            try_block (centres, &block);
        }
}

/* ---- a request ---- */

static int need_dense (struct centres *centres, tori_error *err)
{
    size_t dense = centres->field->nrows * centres->field->width;
    if (dense <= centres->dense)
        return 0;
    free (centres->bound);
    free (centres->least);
    centres->bound = calloc (dense, sizeof *centres->bound);
    centres->least = calloc (dense / LANES, sizeof *centres->least);
    centres->dense = centres->bound && centres->least ? dense : 0;
    return centres->dense ? 0 : tori_error_nomem (err);
}

int centres_room (struct centres *centres, uint32_t radius, tori_error *err)
{
    size_t reach = (size_t)radius + 1;
    bool failed = false;
    if (need_dense (centres, err) < 0)
        return -1;
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
        sides += centres->levels.field.axes[a].size;
    return k >= UINT16_MAX || 4 * sides * k > INT32_MAX;
}

bool centres_start (struct centres *centres, const tori_state *state,
                    uint32_t k)
{
    if (!centres->levels.suits || too_large (centres, k))
        return false;
    centres->flush = (uint32_t)(UINT32_MAX / ((uint64_t)k * k + 1));
    centres->chord = chord_of (k, tori_state_free_count (state));
    centres->best = UINT64_MAX;
    centres->best_node = UINT32_MAX;
    return true;
}

static int find_by_levels (struct centres *centres, const tori_state *state,
                           uint32_t k, const bool *occurs, tori_error *err)
{
    struct levels *levels = &centres->levels;
    uint32_t radius;
    int done = levels_count (levels, state->free, k, occurs, &radius, err);
    if (done <= 0)
        return done;
    centres->field = &levels->field;
    if (centres_room (centres, radius, err) < 0
        || twins_drop (&centres->twins, centres->field, err) < 0)
        return -1;
    centres_search (centres);
    return 1;
}

int centres_find (struct centres *centres, const tori_state *state, uint32_t k,
                  const bool *occurs, struct balls *balls,
                  uint32_t *ret_centre, tori_error *err)
{
    int done = 0;
    if (!centres_start (centres, state, k))
        return 0;
    if (!tiles_needed (state, k))
        done = find_by_levels (centres, state, k, occurs, err);
    if (done == 0)
        done = tiles_find (centres, state, k, occurs, TILE_SLOTS, balls, err);
    if (done == 1)
        *ret_centre = centres->best_node;
    return done;
}

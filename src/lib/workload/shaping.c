/* shaping.c - counts to shapes.
 *
 * The nested loops of the definition run through every shape of the machine:
 * 512 of 8x8x8, 2^20 of a hypercube of as many nodes. Here the least volume
 * comes first, a dimension at a time; then the loops run only over sides that
 * divide it and leave a volume that the other dimensions can hold. The volumes
 * that the dimensions from `dim` on can make do not depend on how the task
 * came about, so they are remembered: there are few tasks and, through twenty
 * dimensions, many ways to each. */
#include <string.h>

#include <tori/workload.h>

#include "build.h"
#include "choice.h"

#define NO_SHAPE UINT64_MAX

enum {
    MEMORY = 2048
}; /* a power of two; tasks that do not fit are computed
    * again */

struct known_count {
    uint32_t task; /* 0: nothing known */
    int dim;
    uint64_t answer;
};

struct shape_search {
    int ndims;
    bool compact;
    uint32_t low[TORI_MAX_DIMS]; /* shortest and longest sides */
    uint32_t high[TORI_MAX_DIMS];
    uint64_t least[TORI_MAX_DIMS + 1]; /* volumes of the dimensions from */
    uint64_t most[TORI_MAX_DIMS + 1];  /* here on */
    struct known_count volumes[MEMORY];
    struct known_count costs[MEMORY];
};

/* The slot for the answer to a task. */
static struct known_count *recall_count (struct known_count memory[], int dim,
                                         uint32_t task)
{
    uint32_t hash = (task * 31 + (uint32_t)dim) * UINT32_C (2654435769);
    return &memory[hash / (UINT32_MAX / MEMORY + 1)];
}

static bool is_known (const struct known_count *known, int dim, uint32_t task)
{
    return known->task == task && known->dim == dim;
}

static uint64_t round_up (uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

/* The least volume from `target` up that the dimensions from `dim` on can
 * have. Among sides that leave the others the same task, only the shortest is
 * worth trying. */
static uint64_t least_volume (struct shape_search *s, int dim, uint64_t target)
{
    uint64_t best = NO_SHAPE, side, need;
    if (target > s->most[dim])
        return NO_SHAPE;
    if (target <= s->least[dim])
        return s->least[dim];
    struct known_count *known =
        recall_count (s->volumes, dim, (uint32_t)target);
    if (is_known (known, dim, (uint32_t)target))
        return known->answer;
    side = round_up (target, s->most[dim + 1]);
    if (side < s->low[dim])
        side = s->low[dim];
    for (; side <= s->high[dim] && best > target;
         side = round_up (target, need - 1)) {
        need = round_up (target, side);
        if (side * need < best) {
            uint64_t volume = side * least_volume (s, dim + 1, need);
            if (volume < best)
                best = volume;
        }
        if (need == 1)
            break;
    }
    *known = (struct known_count){(uint32_t)target, dim, best};
    return best;
}

/* The least divisor of n from `low` to `high`, 0 if there is none: upwards up
 * to the root, from there by the cofactor. */
static uint32_t next_divisor (uint32_t n, uint64_t low, uint64_t high)
{
    uint64_t side;
    for (side = low; side <= high && side * side <= n; side++)
        if (n % side == 0)
            return (uint32_t)side;
    if (side > high)
        return 0;
    for (uint64_t rest = n / side; rest > 0 && n / rest <= high; rest--)
        if (n % rest == 0)
            return (uint32_t)(n / rest);
    return 0;
}

/* The sides worth trying for `dim`, given the volume left to it and the later
 * ones. */
static uint32_t next_side (const struct shape_search *s, int dim,
                           uint32_t rest, uint64_t from)
{
    uint64_t low = round_up (rest, s->most[dim + 1]);
    uint64_t high = rest / s->least[dim + 1];
    if (low < from)
        low = from;
    if (low < s->low[dim])
        low = s->low[dim];
    if (high > s->high[dim])
        high = s->high[dim];
    return next_divisor (rest, low, high);
}

/* The least cost of making exactly `rest` of the dimensions from `dim` on, or
 * NO_SHAPE. A compact shape costs the sum of its sides; otherwise any will
 * do. */
static uint64_t least_cost (struct shape_search *s, int dim, uint32_t rest)
{
    uint64_t best = NO_SHAPE;
    if (dim == s->ndims)
        return rest == 1 ? 0 : NO_SHAPE;
    struct known_count *known = recall_count (s->costs, dim, rest);
    if (is_known (known, dim, rest))
        return known->answer;
    for (uint32_t side = next_side (s, dim, rest, 1); side && best > 0;
         side = next_side (s, dim, rest, (uint64_t)side + 1)) {
        uint64_t cost = least_cost (s, dim + 1, rest / side);
        if (cost != NO_SHAPE && s->compact)
            cost += side;
        if (cost < best)
            best = cost;
    }
    *known = (struct known_count){rest, dim, best};
    return best;
}

/* Find the first sides, of the first dimension first, that keep to the
 * cost. */
static void trace_shape (struct shape_search *s, uint32_t rest, uint64_t cost,
                         tori_shape *ret_shape)
{
    ret_shape->ndims = s->ndims;
    for (int dim = 0; dim < s->ndims; dim++) {
        uint32_t side = 0;
        uint64_t left;
        do {
            side = next_side (s, dim, rest, (uint64_t)side + 1);
            left = s->compact ? cost - side : 0;
        } while (least_cost (s, dim + 1, rest / side) != left);
        ret_shape->size[dim] = side;
        rest /= side;
        cost = left;
    }
}

static void search_init (struct shape_search *s, const tori_shape *sides,
                         tori_shaping shaping)
{
    memset (s, 0, sizeof *s);
    s->ndims = sides->ndims;
    s->compact = shaping == TORI_SHAPE_COMPACT;
    s->least[s->ndims] = s->most[s->ndims] = 1;
    for (int dim = s->ndims - 1; dim >= 0; dim--) {
        uint32_t size = sides->size[dim];
        s->low[dim] = shaping == TORI_SHAPE_FAT && size > 1 ? 2 : 1;
        s->high[dim] = size;
        s->least[dim] = s->least[dim + 1] * s->low[dim];
        s->most[dim] = s->most[dim + 1] * size;
        if (s->most[dim] > UINT32_MAX) /* more than any count */
            s->most[dim] = UINT32_MAX;
    }
}

/* The shape of a count within sides that can hold it. */
static tori_shape shape_within (const tori_shape *sides, tori_shaping shaping,
                                uint32_t count)
{
    struct shape_search s;
    tori_shape shape = {0};
    uint32_t volume;
    search_init (&s, sides, shaping);
    volume = (uint32_t)least_volume (&s, 0, count);
    trace_shape (&s, volume, least_cost (&s, 0, volume), &shape);
    return shape;
}

/* The arrangement of the cubes of a pod: their number along each dimension. */
static tori_shape cubes_along (const tori_machine *machine)
{
    int n = tori_machine_shape_dims (machine);
    int apart = tori_machine_apart (machine);
    int first = apart - tori_machine_cube_dims (machine);
    tori_shape along = {.ndims = n};
    uint32_t cubes = 1;
    for (int d = first; d < apart; d++)
        cubes *= tori_machine_size (machine, d);
    for (int d = 0; d < n; d++)
        along.size[d] = apart - first == n
                            ? tori_machine_size (machine, first + d)
                            : cubes;
    return apart - first == n
               ? along
               : shape_within (&along, TORI_SHAPE_COMPACT, cubes);
}

tori_shape longest_sides (const tori_machine *machine)
{
    int apart = tori_machine_apart (machine);
    tori_shape sides;
    if (!apart)
        return *tori_machine_shape (machine);
    sides = cubes_along (machine);
    for (int d = 0; d < sides.ndims; d++)
        sides.size[d] *= tori_machine_size (machine, apart + d);
    return sides;
}

bool tori_shape_count (const tori_machine *machine, tori_shaping shaping,
                       uint32_t count, tori_shape *ret_shape)
{
    tori_shape sides;
    if (count > tori_machine_nodes (machine)
        || !tori_shaping_name (shaping))
        return false;
    if (shaping == TORI_SHAPE_NONE) {
        ret_shape->ndims = 0;
        return true;
    }
    sides = longest_sides (machine);
    if (count > tori_shape_volume (&sides))
        return false;
    *ret_shape = shape_within (&sides, shaping, count);
    return true;
}

static const char *const NAMES[] = {
    [TORI_SHAPE_NONE] = "count",
    [TORI_SHAPE_FIRST_MATCH] = "first-match",
    [TORI_SHAPE_FAT] = "fat",
    [TORI_SHAPE_COMPACT] = "compact",
    [TORI_SHAPE_AS_GIVEN] = "as-given",
};

enum { NSHAPINGS = sizeof NAMES / sizeof NAMES[0] };

const char *tori_shaping_name (tori_shaping shaping)
{
    return (unsigned)shaping < NSHAPINGS ? NAMES[shaping] : NULL;
}

/* After the names the first one has an alias. */
static const char *name_or_none (size_t i)
{
    return i == NSHAPINGS ? "none" : tori_shaping_name ((tori_shaping)i);
}

int tori_shaping_parse (const char *text, tori_shaping *ret_shaping,
                        tori_error *err)
{
    size_t which;
    if (choice_find ("shaping", name_or_none, text, &which, err) < 0)
        return -1;
    *ret_shaping
        = which < NSHAPINGS ? (tori_shaping)which : TORI_SHAPE_NONE;
    return 0;
}

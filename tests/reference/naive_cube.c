#include "naive_cube.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const tori_hypercube rules[4] = {TORI_HYPERCUBE_BUDDY, TORI_HYPERCUBE_GRAY,
                                 TORI_HYPERCUBE_FREE_LIST,
                                 TORI_HYPERCUBE_ADAPTIVE};

/* ---- random cases ---- */

static tori_machine *machine_of (const uint32_t sides[], int n)
{
    char text[32 * 12] = "mesh:";
    for (int d = 0; d < n; d++) {
        size_t at = strlen (text);
        snprintf (text + at, sizeof text - at, "%s%u", d ? "x" : "", sides[d]);
    }
    return make_machine (text);
}

/* Up to six dimensions, powers of two or any sides, up to so many nodes. */
tori_machine *some_machine (struct rng *rng, uint32_t most, bool cubic)
{
    uint32_t sides[6], volume;
    int n = (int)between (rng, 1, 6);
    do {
        volume = 1;
        for (int d = 0; d < n; d++) {
            sides[d] = cubic ? 1u << between (rng, 0, n > 2 ? 3 : 7)
                             : between (rng, 1, n > 2 ? 7 : 40);
            volume *= sides[d];
        }
    } while (volume > most);
    return machine_of (sides, n);
}

/* A shape of up to `most` nodes in some number of dimensions. */
tori_shape some_shape (struct rng *rng, uint32_t most, bool cubic)
{
    tori_shape shape;
    do {
        shape.ndims = (int)between (rng, 1, 5);
        for (int d = 0; d < shape.ndims; d++)
            shape.size[d] = cubic ? 1u << between (rng, 0, 5)
                                  : between (rng, 1, 1 + most / 2);
    } while (tori_shape_volume (&shape) > most);
    return shape;
}

/* ---- levels ---- */

int log2_up (uint32_t n)
{
    int k = 0;
    while (UINT32_C (1) << k < n)
        k++;
    return k;
}

struct naive_cube naive_cube_create (const tori_machine *machine,
                                     tori_hypercube rule)
{
    struct naive_cube naive = {.machine = machine, .rule = rule};
    uint32_t nodes = tori_machine_nodes (machine);
    naive.n = tori_machine_ndims (machine);
    for (int d = 0; d < naive.n; d++)
        naive.k[d] = log2_up (tori_machine_size (machine, d));
    naive.is_free = make_array (nodes, sizeof *naive.is_free);
    for (uint32_t i = 0; i < nodes; i++)
        naive.is_free[i] = true;
    return naive;
}

int naive_cube_top (const struct naive_cube *naive)
{
    int top = 0;
    for (int d = 0; d < naive->n; d++)
        if (naive->k[d] > top)
            top = naive->k[d];
    return top;
}

static int side_bits (const struct naive_cube *naive, int level, int dim)
{
    return naive->k[dim] < level ? naive->k[dim] : level;
}

/* The size of a subcube of a level, as a logarithm. */
static int level_size (const struct naive_cube *naive, int level)
{
    int sum = 0;
    for (int d = 0; d < naive->n; d++)
        sum += side_bits (naive, level, d);
    return sum;
}

tori_box naive_cube_box (const struct naive_cube *naive, int level,
                         const uint32_t origin[])
{
    tori_box box = {.shape.ndims = naive->n};
    for (int d = 0; d < naive->n; d++) {
        box.origin[d] = origin[d];
        box.shape.size[d] = 1u << side_bits (naive, level, d);
    }
    return box;
}

static bool all_free (const struct naive_cube *naive, const tori_box *box)
{
    uint32_t at[TORI_MAX_DIMS] = {0}, coords[TORI_MAX_DIMS];
    do {
        for (int d = 0; d < naive->n; d++) {
            coords[d] = box->origin[d] + at[d];
            if (coords[d] >= tori_machine_size (naive->machine, d))
                return false;
        }
        if (!naive->is_free[tori_machine_id (naive->machine, coords)])
            return false;
    } while (count_up (at, box->shape.size, naive->n));
    return true;
}

void naive_cube_mark (struct naive_cube *naive, const tori_box *box,
                      bool is_free)
{
    uint32_t n = (uint32_t)tori_shape_volume (&box->shape);
    uint32_t *ids = make_array (n, sizeof *ids);
    naive_box_nodes (naive->machine, box, ids);
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal (naive->is_free[ids[i]], !is_free);
        naive->is_free[ids[i]] = is_free;
    }
    free (ids);
}

/* ---- groups of siblings ---- */

/* The dimensions in which a subcube of a level is halved, the last first. */
static int halved (const struct naive_cube *naive, int level, int dims[])
{
    int m = 0;
    for (int d = naive->n - 1; d >= 0; d--)
        if (naive->k[d] >= level)
            dims[m++] = d;
    return m;
}

/* Corner i of a subcube of this level. */
static void corner (const struct naive_cube *naive, int level,
                    const uint32_t origin[], uint32_t i, uint32_t ret[])
{
    int dims[TORI_MAX_DIMS], m = halved (naive, level, dims);
    memcpy (ret, origin, (size_t)naive->n * sizeof *ret);
    for (int j = 0; j < m; j++)
        if (i >> j & 1)
            ret[dims[j]] += 1u << (level - 1);
}

static uint32_t nth (const struct naive_cube *naive, uint32_t i)
{
    return naive->rule == TORI_HYPERCUBE_GRAY ? i ^ i >> 1 : i;
}

static bool corner_free (const struct naive_cube *naive, int level,
                         const uint32_t origin[], uint32_t i)
{
    uint32_t at[TORI_MAX_DIMS];
    tori_box box;
    corner (naive, level, origin, i, at);
    box = naive_cube_box (naive, level - 1, at);
    return all_free (naive, &box);
}

/* The box of the corners that differ from corner `i` in the dimensions of
 * `set`. */
static tori_box corners_box (const struct naive_cube *naive, int level,
                             const uint32_t origin[], uint32_t i, uint32_t set)
{
    int dims[TORI_MAX_DIMS], m = halved (naive, level, dims);
    uint32_t at[TORI_MAX_DIMS] = {0};
    tori_box box;
    corner (naive, level, origin, i & ~set, at);
    box = naive_cube_box (naive, level - 1, at);
    for (int j = 0; j < m; j++)
        if (set >> j & 1)
            box.shape.size[dims[j]] *= 2;
    return box;
}

/* 2^l children from the i-th on, in the order of the rule: free? */
static bool run_free (const struct naive_cube *naive, int level,
                      const uint32_t origin[], uint32_t first, int l, int m)
{
    for (uint32_t j = 0; j < 1u << l; j++)
        if (!corner_free (naive, level, origin,
                          nth (naive, (first + j) & ((1u << m) - 1))))
            return false;
    return true;
}

static bool first_run (const struct naive_cube *naive, int level,
                       const uint32_t origin[], int l, tori_box *ret)
{
    int dims[TORI_MAX_DIMS], m = halved (naive, level, dims);
    bool gray = naive->rule == TORI_HYPERCUBE_GRAY;
    uint32_t every = 1u << (gray && l > 0 ? l - 1 : l);
    for (uint32_t i = 0; i < 1u << m; i += every) {
        uint32_t some = ~0u, any = 0;
        if (!run_free (naive, level, origin, i, l, m))
            continue;
        for (uint32_t j = 0; j < 1u << l; j++) {
            uint32_t c = nth (naive, (i + j) & ((1u << m) - 1));
            some &= c;
            any |= c;
        }
        assert_int_equal (__builtin_popcount (some ^ any), l);
        *ret = corners_box (naive, level, origin, some, some ^ any);
        return true;
    }
    return false;
}

/* The first 2^l children of the first aligned run that is free and not half of
 * a longer one, the shortest such run that has as many. */
static bool of_smallest_run (const struct naive_cube *naive, int level,
                             const uint32_t origin[], int l, tori_box *ret)
{
    int dims[TORI_MAX_DIMS], m = halved (naive, level, dims);
    for (int g = l; g < m; g++)
        for (uint32_t i = 0; i < 1u << m; i += 1u << g)
            if (run_free (naive, level, origin, i, g, m)
                && !run_free (naive, level, origin, i & ~(1u << g), g + 1,
                              m)) {
                *ret = corners_box (naive, level, origin, i, (1u << l) - 1);
                return true;
            }
    return false;
}

static bool first_of_all (const struct naive_cube *naive, int level,
                          const uint32_t origin[], int l, tori_box *ret)
{
    int dims[TORI_MAX_DIMS], m = halved (naive, level, dims);
    for (uint32_t i = 0; i < 1u << m; i++)
        for (uint32_t set = 0; set < 1u << m; set++) {
            tori_box box;
            if (__builtin_popcount (set) != l || i & set)
                continue;
            box = corners_box (naive, level, origin, i, set);
            if (all_free (naive, &box)) {
                *ret = box;
                return true;
            }
        }
    return false;
}

/* Whether all groups of the children count, not just runs. */
static bool sees_all (const struct naive_cube *naive, int level,
                      const uint32_t origin[])
{
    int dims[TORI_MAX_DIMS], m = halved (naive, level, dims);
    uint32_t is_free = 0;
    for (uint32_t i = 0; i < 1u << m; i++) {
        uint32_t at[TORI_MAX_DIMS];
        tori_box child;
        corner (naive, level, origin, i, at);
        child = naive_cube_box (naive, level - 1, at);
        is_free += all_free (naive, &child);
    }
    return naive->rule == TORI_HYPERCUBE_FREE_LIST
           || (naive->rule == TORI_HYPERCUBE_ADAPTIVE
               && 2 * is_free <= 1u << m);
}

/* The first group of 2^l children of a subcube of level `want` that is not
 * free itself, in the subcube of `level` at the origin. */
static bool first_group (const struct naive_cube *naive, int level,
                         const uint32_t origin[], int want, int l,
                         tori_box *ret)
{
    tori_box whole = naive_cube_box (naive, level, origin);
    int dims[TORI_MAX_DIMS], m = halved (naive, level, dims);
    uint32_t at[TORI_MAX_DIMS];
    if (all_free (naive, &whole))
        return false;
    if (level == want)
        return sees_all (naive, level, origin)
                   ? of_smallest_run (naive, level, origin, l, ret)
                         || first_of_all (naive, level, origin, l, ret)
                   : first_run (naive, level, origin, l, ret);
    for (uint32_t i = 0; i < 1u << m; i++) {
        corner (naive, level, origin, nth (naive, i), at);
        if (first_group (naive, level - 1, at, want, l, ret))
            return true;
    }
    return false;
}

/* ---- the first subcube ---- */

/* The first subcube of a level that is free, larger ones not counted. */
static bool first_whole (const struct naive_cube *naive, int level,
                         tori_box *ret)
{
    uint32_t origin[TORI_MAX_DIMS] = {0};
    int top = naive_cube_top (naive);
    if (level < top)
        return first_group (naive, top, origin, level + 1, 0, ret);
    *ret = naive_cube_box (naive, top, origin);
    return all_free (naive, ret);
}

/* Algorithm 2: among the siblings of the level, else in the smallest larger
 * subcube, of which the first part. */
bool naive_cube_find (const struct naive_cube *naive, int size, tori_box *ret)
{
    uint32_t origin[TORI_MAX_DIMS] = {0};
    int top = naive_cube_top (naive), a = 0, l;
    tori_box larger;
    if (size > level_size (naive, top))
        return false;
    while (a < top && level_size (naive, a + 1) <= size)
        a++;
    l = size - level_size (naive, a);
    if (a == top)
        return first_whole (naive, top, ret);
    if (first_group (naive, top, origin, a + 1, l, ret))
        return true;
    for (int b = a + 1; b <= top; b++)
        if (first_whole (naive, b, &larger)) {
            *ret = corners_box (naive, a + 1, larger.origin, 0, (1u << l) - 1);
            return true;
        }
    return false;
}

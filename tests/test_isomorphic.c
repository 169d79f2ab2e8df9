/* Isomorphic partitioning against its definition: which subcubes there are,
 * which of them are free, which is the first, all worked out box by box. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tori/cubes.h>

#include "fold.h"
#include "isocube.h"

static const tori_hypercube rules[] = {
    TORI_HYPERCUBE_BUDDY, TORI_HYPERCUBE_GRAY, TORI_HYPERCUBE_FREE_LIST};

static int log2_up (uint32_t n)
{
    int k = 0;
    while (UINT32_C (1) << k < n)
        k++;
    return k;
}

/* ---- machines ---- */

static tori_machine *machine_of (const uint32_t sides[], int n)
{
    char text[32 * 12] = "mesh:";
    for (int d = 0; d < n; d++) {
        size_t at = strlen (text);
        snprintf (text + at, sizeof text - at, "%s%u", d ? "x" : "",
                  sides[d]);
    }
    return make_machine (text);
}

/* Up to six dimensions, powers of two or any sides, up to so many nodes. */
static tori_machine *some_machine (struct rng *rng, uint32_t most, bool cubic)
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

/* ---- by definition ---- */

struct naive_cube {
    const tori_machine *machine;
    int n, k[TORI_MAX_DIMS];
    tori_hypercube rule;
    bool *is_free; /* by node */
};

static struct naive_cube naive_cube_of (const tori_machine *machine,
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

static int top_level (const struct naive_cube *naive)
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

static tori_box level_box (const struct naive_cube *naive, int level,
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
    box = level_box (naive, level - 1, at);
    return all_free (naive, &box);
}

/* The box of the corners that differ from corner `i` in the dimensions of
 * `set`. */
static tori_box corners_box (const struct naive_cube *naive, int level,
                             const uint32_t origin[], uint32_t i, uint32_t set)
{
    int dims[TORI_MAX_DIMS], m = halved (naive, level, dims);
    uint32_t at[TORI_MAX_DIMS];
    tori_box box;
    corner (naive, level, origin, i & ~set, at);
    box = level_box (naive, level - 1, at);
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

/* The first group of 2^l children of a subcube of level `want` that is not
 * free itself, in the subcube of `level` at the origin. */
static bool first_group (const struct naive_cube *naive, int level,
                         const uint32_t origin[], int want, int l,
                         tori_box *ret)
{
    tori_box whole = level_box (naive, level, origin);
    int dims[TORI_MAX_DIMS], m = halved (naive, level, dims);
    uint32_t at[TORI_MAX_DIMS];
    if (all_free (naive, &whole))
        return false;
    if (level == want)
        return naive->rule == TORI_HYPERCUBE_FREE_LIST
                   ? first_of_all (naive, level, origin, l, ret)
                   : first_run (naive, level, origin, l, ret);
    for (uint32_t i = 0; i < 1u << m; i++) {
        corner (naive, level, origin, nth (naive, i), at);
        if (first_group (naive, level - 1, at, want, l, ret))
            return true;
    }
    return false;
}

/* The first subcube of a level that is free, larger ones not counted. */
static bool first_whole (const struct naive_cube *naive, int level,
                         tori_box *ret)
{
    uint32_t origin[TORI_MAX_DIMS] = {0};
    int top = top_level (naive);
    if (level < top)
        return first_group (naive, top, origin, level + 1, 0, ret);
    *ret = level_box (naive, top, origin);
    return all_free (naive, ret);
}

/* Algorithm 2: among the siblings of the level, else in the smallest larger
 * subcube, of which the first part. */
static bool find_by_definition (const struct naive_cube *naive, int size,
                                tori_box *ret)
{
    uint32_t origin[TORI_MAX_DIMS] = {0};
    int top = top_level (naive), a = 0, l;
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
            *ret = corners_box (naive, a + 1, larger.origin, 0,
                                (1u << l) - 1);
            return true;
        }
    return false;
}

/* ---- the tree ---- */

static void expect_same_box (const tori_box *is, const tori_box *should)
{
    char a[TORI_TEXT_MAX], b[TORI_TEXT_MAX];
    tori_box_format (is, a);
    tori_box_format (should, b);
    assert_string_equal (a, b);
}

static void mark (struct naive_cube *naive, const tori_box *box, bool is_free)
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

static void expect_find (struct isocube *iso, const struct naive_cube *naive,
                         int size)
{
    struct isocube_spot spot;
    tori_box box, should;
    bool found = isocube_find (iso, (unsigned)size, &spot);
    assert_int_equal (found, find_by_definition (naive, size,
                                                  &should));
    if (!found)
        return;
    isocube_box (iso, isocube_cube (iso, &spot), &box);
    expect_same_box (&box, &should);
}

static struct cube node_cube (const struct isocube *iso, uint32_t node)
{
    uint32_t coords[TORI_MAX_DIMS];
    tori_machine_coords (iso->space.machine, node, coords);
    return isocube_at (iso, isocube_address (iso, coords), 0);
}

/* The same free nodes, taken one by one from an idle machine, give a tree
 * that answers the same. */
static void expect_rebuilt (struct isocube *iso,
                            const struct naive_cube *naive)
{
    struct isocube *other;
    assert_int_equal (
        isocube_create (naive->machine, naive->rule, &other, NULL), 0);
    for (uint32_t i = tori_machine_nodes (naive->machine); i-- > 0;)
        if (!naive->is_free[i])
            assert_int_equal (isocube_take (other, node_cube (other, i), NULL),
                              0);
    assert_int_equal (isocube_sizes (iso), isocube_sizes (other));
    assert_int_equal (iso->free_count, other->free_count);
    for (unsigned size = 0; size <= iso->space.bits; size++) {
        struct isocube_spot a, b;
        bool found = isocube_find (iso, size, &a);
        assert_int_equal (found, isocube_find (other, size, &b));
        if (found) {
            struct cube x = isocube_cube (iso, &a);
            struct cube y = isocube_cube (other, &b);
            assert_int_equal (x.base, y.base);
            assert_int_equal (x.wild, y.wild);
        }
    }
    isocube_destroy (other);
}

static void expect_tree (struct isocube *iso, const struct naive_cube *naive)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < tori_machine_nodes (naive->machine); i++) {
        count += naive->is_free[i];
        assert_int_equal (isocube_is_free (iso, node_cube (iso, i).base),
                          naive->is_free[i]);
    }
    assert_int_equal (iso->free_count, count);
    for (int size = 0; size <= (int)iso->space.bits + 1; size++)
        expect_find (iso, naive, size);
    expect_rebuilt (iso, naive);
}

static size_t cells_in_use (const struct isocube *iso)
{
    size_t pages = 0;
    for (unsigned t = 0; t < iso->nsteps; t++)
        pages += iso->step[t].cells.pages;
    return pages;
}

enum { HELD = 64 };

struct play {
    struct isocube *iso;
    struct naive_cube naive;
    struct cube held[HELD];
    int n;
};

static void take_some (struct play *play, struct rng *rng)
{
    struct isocube_spot spot;
    tori_box box;
    unsigned size = between (rng, 0, play->iso->space.bits);
    if (chance (rng, 60))
        size /= 2;
    if (play->n == HELD || !isocube_find (play->iso, size, &spot))
        return;
    play->held[play->n] = isocube_cube (play->iso, &spot);
    isocube_box (play->iso, play->held[play->n], &box);
    mark (&play->naive, &box, false);
    if (chance (rng, 50))
        assert_int_equal (isocube_take_spot (play->iso, &spot, NULL), 0);
    else
        assert_int_equal (
            isocube_take (play->iso, play->held[play->n], NULL), 0);
    play->n++;
}

static void take_node (struct play *play, struct rng *rng)
{
    uint32_t node
        = between (rng, 0, tori_machine_nodes (play->naive.machine) - 1);
    if (play->n == HELD || !play->naive.is_free[node])
        return;
    play->naive.is_free[node] = false;
    play->held[play->n] = node_cube (play->iso, node);
    assert_int_equal (isocube_take (play->iso, play->held[play->n++], NULL),
                      0);
}

/* Whole or node by node. */
static void give_some (struct play *play, struct rng *rng)
{
    int i = (int)rng_below (rng, (uint64_t)play->n);
    struct cube cube = play->held[i];
    tori_box box;
    isocube_box (play->iso, cube, &box);
    mark (&play->naive, &box, true);
    if (chance (rng, 70)) {
        assert_int_equal (isocube_give (play->iso, cube, NULL), 0);
    } else {
        uint32_t n = (uint32_t)tori_shape_volume (&box.shape);
        uint32_t *ids = make_array (n, sizeof *ids);
        naive_box_nodes (play->naive.machine, &box, ids);
        for (uint32_t j = n; j-- > 0;)
            assert_int_equal (isocube_give (play->iso,
                                            node_cube (play->iso, ids[j]),
                                            NULL),
                              0);
        free (ids);
    }
    play->held[i] = play->held[--play->n];
}

static void play_tree (tori_machine *machine, struct rng *rng,
                       tori_hypercube rule, int steps)
{
    struct play play = {.naive = naive_cube_of (machine, rule)};
    size_t idle;
    assert_int_equal (isocube_create (machine, rule, &play.iso, NULL), 0);
    idle = cells_in_use (play.iso);
    expect_tree (play.iso, &play.naive);
    for (int i = 0; i < steps; i++) {
        unsigned what = between (rng, 0, 99);
        if (what < 45)
            take_some (&play, rng);
        else if (what < 60)
            take_node (&play, rng);
        else if (play.n)
            give_some (&play, rng);
        if (i % 5 == 0)
            expect_tree (play.iso, &play.naive);
        else
            expect_find (play.iso, &play.naive,
                         (int)between (rng, 0, play.iso->space.bits));
    }
    while (play.n)
        give_some (&play, rng);
    expect_tree (play.iso, &play.naive);
    assert_int_equal (isocube_sizes (play.iso), play.iso->idle);
    assert_true (cells_in_use (play.iso) <= idle + play.iso->nsteps);
    isocube_destroy (play.iso);
    free (play.naive.is_free);
    tori_machine_destroy (machine);
}

static void test_tree (void **state)
{
    struct rng rng;
    rng_seed (&rng, 1, 0);
    for (int round = 0; round < 60; round++)
        for (size_t r = 0; r < LENGTH (rules); r++)
            play_tree (some_machine (&rng, 256, round % 2), &rng, rules[r],
                       40);
}

/* More dimensions than a word has room for: several steps to a halving. */
static void test_tree_many_dimensions (void **state)
{
    static const char *const machines[] = {
        "mesh:2^7",       "mesh:2^8", "mesh:2^3x4x2^3", "mesh:3x2^6",
        "mesh:4x1x2^6x3", "mesh:2x3x2x1x2x2x2x2",
    };
    struct rng rng;
    rng_seed (&rng, 2, 0);
    for (size_t i = 0; i < LENGTH (machines); i++)
        play_tree (make_machine (machines[i]), &rng, TORI_HYPERCUBE_BUDDY,
                   60);
}

/* Some nodes taken, the same for every rule. */
static void take_nodes (struct isocube *iso[], const tori_machine *machine,
                        struct rng *rng)
{
    uint32_t percent = between (rng, 5, 80);
    for (uint32_t i = 0; i < tori_machine_nodes (machine); i++) {
        bool taken = chance (rng, percent);
        for (size_t r = 0; taken && r < LENGTH (rules); r++)
            assert_int_equal (
                isocube_take (iso[r], node_cube (iso[r], i), NULL), 0);
    }
}

/* In any number of dimensions: where buddy has an answer gray has one, and
 * where gray has one free-list has. */
static void test_rules_many_dimensions (void **state)
{
    static const char *const machines[] = {
        "mesh:2^6", "mesh:2^7", "mesh:2^9", "mesh:4^7", "mesh:3x2^8"};
    struct rng rng;
    rng_seed (&rng, 12, 0);
    for (int round = 0; round < 200; round++) {
        tori_machine *machine = make_machine (machines[round % 5]);
        struct isocube *iso[LENGTH (rules)];
        struct isocube_spot spot;
        for (size_t r = 0; r < LENGTH (rules); r++)
            assert_int_equal (
                isocube_create (machine, rules[r], &iso[r], NULL), 0);
        take_nodes (iso, machine, &rng);
        for (unsigned size = 0; size <= iso[0]->space.bits; size++)
            for (size_t r = 1; r < LENGTH (rules); r++)
                assert_true (isocube_find (iso[r], size, &spot)
                             || !isocube_find (iso[r - 1], size, &spot));
        for (size_t r = 0; r < LENGTH (rules); r++)
            isocube_destroy (iso[r]);
        tori_machine_destroy (machine);
    }
}

/* The limit that tori/cubes.h states: of seven dimensions the last four are a
 * part and the others are one. Two nodes that differ in the fourth from last
 * are seen by free-list; two that differ in the one before are not. */
static void test_parts (void **state)
{
    tori_machine *machine = make_machine ("mesh:2^7");
    for (uint32_t bit = 3; bit <= 4; bit++) {
        struct isocube *iso;
        struct isocube_spot spot;
        assert_int_equal (isocube_create (machine, TORI_HYPERCUBE_FREE_LIST,
                                          &iso, NULL),
                          0);
        for (uint32_t i = 0; i < 128; i++)
            if (i != 5 && i != (5 | 1u << bit))
                assert_int_equal (
                    isocube_take (iso, node_cube (iso, i), NULL), 0);
        assert_int_equal (isocube_find (iso, 1, &spot), bit == 3);
        assert_true (isocube_find (iso, 0, &spot));
        isocube_destroy (iso);
    }
    tori_machine_destroy (machine);
}

/* ---- groups of siblings ---- */

static bool span_free (uint64_t word, unsigned first, unsigned dims)
{
    unsigned sub = dims;
    for (;; sub = (sub - 1) & dims) {
        if (!(word >> (first | sub) & 1))
            return false;
        if (sub == 0)
            return true;
    }
}

/* Every subcube of siblings is recognised, and the first is taken. */
static void check_free_list (uint64_t word, unsigned b)
{
    const struct siblings *list = siblings_find (TORI_HYPERCUBE_FREE_LIST);
    uint64_t sizes = list->sizes (word, b);
    for (unsigned l = 0; l < b; l++) {
        bool found = false;
        for (unsigned first = 0; first < 1u << b && !found; first++)
            for (unsigned dims = 0; dims < 1u << b && !found; dims++)
                if ((unsigned)__builtin_popcount (dims) == l
                    && !(first & dims) && span_free (word, first, dims)) {
                    found = true;
                    assert_int_equal (list->choose (word, b, l),
                                      siblings_span (first, dims));
                }
        assert_int_equal (sizes >> l & 1, found);
    }
}

/* What buddy sees, gray sees; what gray sees, free-list sees. */
static void check_rules (uint64_t word, unsigned b)
{
    uint64_t corners = 0;
    uint64_t buddy = siblings_find (TORI_HYPERCUBE_BUDDY)->sizes (word, b);
    uint64_t gray = siblings_find (TORI_HYPERCUBE_GRAY)->sizes (word, b);
    uint64_t list;
    for (unsigned i = 0; i < 1u << b; i++)
        if (word >> i & 1)
            corners |= UINT64_C (1) << (i ^ i >> 1);
    list = siblings_find (TORI_HYPERCUBE_FREE_LIST)->sizes (corners, b);
    assert_int_equal (buddy & ~gray, 0);
    assert_int_equal (gray & ~list, 0);
}

static void test_siblings (void **state)
{
    struct rng rng;
    rng_seed (&rng, 3, 0);
    for (unsigned b = 1; b <= 3; b++)
        for (uint64_t word = 0; word < UINT64_C (1) << (1u << b); word++) {
            check_free_list (word, b);
            check_rules (word, b);
        }
    for (int round = 0; round < 3000; round++) {
        unsigned b = between (&rng, 4, 6);
        uint64_t all = ~UINT64_C (0) >> (64 - (1u << b));
        uint64_t word = rng_next (&rng) | (chance (&rng, 60) ? rng_next (&rng)
                                                             : 0);
        check_free_list (word & all, b);
        check_rules (word & all, b);
    }
}

/* Gray code sees twice as many subcubes of a size as buddy: those of 1 and 3,
 * say, which differ in one dimension. */
static void test_siblings_by_hand (void **state)
{
    const struct siblings *gray = siblings_find (TORI_HYPERCUBE_GRAY);
    const struct siblings *buddy = siblings_find (TORI_HYPERCUBE_BUDDY);
    assert_int_equal (buddy->sizes (0x06, 3), 1);
    assert_int_equal (gray->sizes (0x06, 3), 3);
    assert_int_equal (gray->choose (0x06, 3, 1), 0x06);
    assert_int_equal (gray->sizes (0x81, 3), 3); /* round the end */
    assert_int_equal (gray->choose (0x81, 3, 1), 0x81);
    assert_int_equal (buddy->choose (0xf6, 3, 1), 0x30);
    assert_int_equal (buddy->choose (0xf6, 3, 2), 0xf0);
}

/* ---- static optimality ---- */

/* Requests of whole levels in any order, as long as their sum fits. */
static void test_static_optimality (void **state)
{
    struct rng rng;
    rng_seed (&rng, 4, 0);
    for (int round = 0; round < 400; round++) {
        tori_machine *machine = some_machine (&rng, 4096, true);
        tori_alloc_options options = {.hypercube = rules[round % 3]};
        struct naive_cube naive = naive_cube_of (machine, options.hypercube);
        uint32_t left = tori_machine_nodes (machine);
        tori_cubes *cubes;
        assert_int_equal (tori_cubes_create (machine, &options, &cubes, NULL),
                          0);
        while (left) {
            int level = (int)between (&rng, 0, (uint32_t)top_level (&naive));
            uint32_t origin[TORI_MAX_DIMS] = {0};
            tori_box box = level_box (&naive, level, origin);
            tori_placement place = {0};
            if (tori_shape_volume (&box.shape) > left)
                continue;
            assert_int_equal (
                tori_cubes_request (cubes, &box.shape, &place, NULL),
                TORI_PLACED);
            assert_true (tori_shape_equal (&place.box.shape, &box.shape));
            mark (&naive, &place.box, false);
            left -= place.count;
        }
        assert_int_equal (tori_cubes_free_count (cubes), 0);
        assert_int_equal (tori_cubes_largest (cubes), 0);
        tori_cubes_destroy (cubes);
        free (naive.is_free);
        tori_machine_destroy (machine);
    }
}

/* ---- requests ---- */

/* A shape of up to `most` nodes in some number of dimensions. */
static tori_shape some_shape (struct rng *rng, uint32_t most, bool cubic)
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

static uint32_t *nodes_of (const tori_machine *machine,
                           const tori_placement *place)
{
    uint32_t *ids = make_array (place->count, sizeof *ids);
    tori_placement_nodes (place, machine, ids);
    return ids;
}

static void move_nodes (bool *is_free, const tori_machine *machine,
                        const tori_placement *place, bool to)
{
    uint32_t *ids = nodes_of (machine, place);
    for (uint32_t i = 0; i < place->count; i++) {
        assert_int_equal (is_free[ids[i]], !to);
        is_free[ids[i]] = to;
    }
    free (ids);
}

/* Whether the nodes hang together, by links between neighbours. */
static bool connected (const tori_machine *machine,
                       const tori_placement *place)
{
    uint32_t *ids = nodes_of (machine, place), *todo;
    bool *reached = make_array (place->count, sizeof *reached);
    uint32_t n = 0, seen = 1;
    todo = make_array (place->count, sizeof *todo);
    reached[todo[n++] = 0] = true;
    while (n) {
        uint32_t i = todo[--n];
        for (uint32_t j = 0; j < place->count; j++)
            if (!reached[j]
                && tori_machine_distance (machine, ids[i], ids[j]) == 1) {
                reached[j] = true;
                todo[n++] = j;
                seen++;
            }
    }
    free (ids);
    free (todo);
    free (reached);
    return seen == place->count;
}

/* How many nodes hang together at most of those that are free in a box, by
 * filling from each. */
static void fill (const tori_machine *machine, const tori_box *box, bool *open,
                  uint32_t node, uint32_t *count)
{
    uint32_t coords[TORI_MAX_DIMS];
    if (!open[node] || !naive_contains (machine, box, node))
        return;
    open[node] = false;
    ++*count;
    tori_machine_coords (machine, node, coords);
    for (int d = 0; d < tori_machine_ndims (machine); d++)
        for (int by = -1; by <= 1; by += 2) {
            uint32_t was = coords[d];
            coords[d] += (uint32_t)by;
            if (coords[d] < tori_machine_size (machine, d))
                fill (machine, box, open, tori_machine_id (machine, coords),
                      count);
            coords[d] = was;
        }
}

static uint32_t most_connected (const tori_machine *machine,
                                const tori_box *box, const bool *is_free)
{
    uint32_t nodes = tori_machine_nodes (machine), most = 0;
    bool *open = make_array (nodes, sizeof *open);
    memcpy (open, is_free, nodes * sizeof *open);
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t count = 0;
        fill (machine, box, open, i, &count);
        most = count > most ? count : most;
    }
    free (open);
    return most;
}

/* No aligned subcube of the size has so many free nodes that hang
 * together. */
static void expect_scattered (const tori_machine *machine,
                              const bool *is_free, uint32_t count)
{
    struct isocube *iso;
    unsigned size = (unsigned)log2_up (count), bits;
    tori_box box;
    assert_int_equal (
        isocube_create (machine, TORI_HYPERCUBE_BUDDY, &iso, NULL), 0);
    bits = iso->space.bits;
    for (uint64_t at = 0; size <= bits && at >> bits == 0;
         at += UINT64_C (1) << size) {
        struct cube cube = isocube_first (size);
        bool there = true;
        cube.base = at;
        isocube_box (iso, cube, &box);
        for (int d = 0; d < box.shape.ndims; d++)
            there &= box.origin[d] < tori_machine_size (machine, d);
        if (there)
            assert_true (most_connected (machine, &box, is_free) < count);
    }
    isocube_destroy (iso);
}

/* A box at a border that is no power of two may be the rest of one. */
static bool at_border (const tori_machine *machine, const tori_box *box)
{
    for (int d = 0; d < box->shape.ndims; d++) {
        uint32_t side = tori_machine_size (machine, d);
        if (side & (side - 1) && box->origin[d] + box->shape.size[d] == side)
            return true;
    }
    return false;
}

static void expect_semi_isomorphic (const tori_machine *machine,
                                    const tori_shape *box)
{
    for (int d = 1; d < box->ndims; d++)
        for (int e = 0; e < d; e++) {
            bool short_d = 2 * box->size[d] >= tori_machine_size (machine, d);
            bool short_e = 2 * box->size[e] >= tori_machine_size (machine, e);
            assert_true (box->size[d] <= 2 * box->size[e] || short_e);
            assert_true (box->size[e] <= 2 * box->size[d] || short_d);
        }
}

/* The same sides but for those of 1. */
static bool rotated (tori_shape a, tori_shape b)
{
    while (a.ndims < b.ndims)
        a.size[a.ndims++] = 1;
    while (b.ndims < a.ndims)
        b.size[b.ndims++] = 1;
    tori_shape_sort (&a);
    tori_shape_sort (&b);
    return tori_shape_equal (&a, &b);
}

static void check_placement (const tori_machine *machine,
                             const tori_shape *shape, tori_noncubic noncubic,
                             const tori_placement *place)
{
    uint32_t *ids = nodes_of (machine, place);
    bool cubic = fold_measure (shape, noncubic).cubic;
    assert_int_equal (place->count, tori_shape_volume (shape));
    assert_int_equal (place->wiring, TORI_WIRE_NONE);
    for (uint32_t i = 0; i < place->count; i++)
        assert_true (naive_contains (machine, &place->box, ids[i]));
    if (place->is_box ? !rotated (*shape, place->box.shape)
                      : !at_border (machine, &place->box))
        expect_semi_isomorphic (machine, &place->box.shape);
    if (!cubic && place->is_box)
        assert_true (rotated (*shape, place->box.shape));
    if (!place->is_box && noncubic == TORI_NONCUBIC_DECOMPOSE)
        assert_true (connected (machine, place));
    free (ids);
}

/* The allocator answers what the cubes do, also to shapes that are longer than
 * the machine or have not as many dimensions. */
static void expect_allocator (tori_alloc *alloc, const tori_state *state,
                              const tori_shape *shape, tori_outcome outcome,
                              const tori_placement *place)
{
    tori_request request = {.shape = *shape};
    tori_placement other = {0};
    request.count = (uint32_t)tori_shape_volume (shape);
    assert_int_equal (tori_alloc_place (alloc, state, &request, &other, NULL),
                      outcome);
    if (outcome == TORI_PLACED) {
        assert_int_equal (other.is_box, place->is_box);
        assert_int_equal (other.count, place->count);
        expect_same_box (&other.box, &place->box);
        if (!other.is_box)
            assert_memory_equal (other.nodes, place->nodes,
                                 place->count * sizeof *place->nodes);
        tori_placement_clear (&other);
    }
}

struct bench {
    tori_machine *machine;
    tori_alloc_options options;
    tori_cubes *cubes;
    tori_alloc *alloc;
    tori_state *state;
    bool *is_free;
    tori_placement held[HELD];
    int n;
};

static void bench_create (struct bench *bench, struct rng *rng)
{
    uint32_t nodes;
    memset (bench, 0, sizeof *bench);
    bench->machine = some_machine (rng, 400, chance (rng, 50));
    nodes = tori_machine_nodes (bench->machine);
    bench->options.hypercube = rules[rng_below (rng, LENGTH (rules))];
    bench->options.noncubic = chance (rng, 50) ? TORI_NONCUBIC_ROUND_UP
                                               : TORI_NONCUBIC_DECOMPOSE;
    bench->is_free = make_array (nodes, sizeof (bool));
    for (uint32_t i = 0; i < nodes; i++)
        bench->is_free[i] = true;
    bench->state = make_state (bench->machine);
    assert_int_equal (tori_cubes_create (bench->machine, &bench->options,
                                         &bench->cubes, NULL),
                      0);
    assert_int_equal (
        tori_alloc_create_with ("isomorphic", bench->machine, &bench->options,
                                &bench->alloc, NULL),
        0);
}

static void bench_release (struct bench *bench, int i)
{
    move_nodes (bench->is_free, bench->machine, &bench->held[i], true);
    tori_placement_release (&bench->held[i], bench->state);
    tori_cubes_release (bench->cubes, &bench->held[i]);
    tori_placement_clear (&bench->held[i]);
    bench->held[i] = bench->held[--bench->n];
}

static void bench_destroy (struct bench *bench)
{
    while (bench->n)
        bench_release (bench, bench->n - 1);
    assert_int_equal (tori_cubes_free_count (bench->cubes),
                      tori_machine_nodes (bench->machine));
    tori_cubes_destroy (bench->cubes);
    tori_alloc_destroy (bench->alloc);
    tori_state_destroy (bench->state);
    free (bench->is_free);
    tori_machine_destroy (bench->machine);
}

static void bench_request (struct bench *bench, struct rng *rng)
{
    uint32_t nodes = tori_machine_nodes (bench->machine);
    uint32_t free_count = tori_cubes_free_count (bench->cubes);
    tori_shape shape
        = some_shape (rng, chance (rng, 20) ? nodes : 1 + nodes / 8,
                      chance (rng, 50));
    tori_placement place = {0};
    tori_error err = {.status = TORI_OK};
    tori_outcome outcome;
    if (bench->n == HELD)
        return;
    if (chance (rng, 50) && shape.ndims <= tori_machine_ndims (bench->machine))
        while (shape.ndims < tori_machine_ndims (bench->machine))
            shape.size[shape.ndims++] = 1;
    outcome = tori_cubes_request (bench->cubes, &shape, &place, &err);
    expect_allocator (bench->alloc, bench->state, &shape, outcome, &place);
    if (outcome != TORI_PLACED) {
        bool never = outcome == TORI_UNPLACEABLE;
        assert_int_equal (err.status, never ? TORI_NEVER : TORI_NOT_NOW);
        if (!never)
            assert_int_equal (tori_shape_volume (&shape) > free_count,
                              outcome == TORI_NUMERICAL);
        if (outcome == TORI_TOPOLOGICAL
            && bench->options.noncubic == TORI_NONCUBIC_DECOMPOSE
            && !fold_measure (&shape, TORI_NONCUBIC_DECOMPOSE).cubic)
            expect_scattered (bench->machine, bench->is_free,
                              (uint32_t)tori_shape_volume (&shape));
        return;
    }
    check_placement (bench->machine, &shape, bench->options.noncubic, &place);
    move_nodes (bench->is_free, bench->machine, &place, false);
    assert_int_equal (tori_placement_hold (&place, bench->state, NULL), 0);
    bench->held[bench->n++] = place;
}

static void test_requests (void **state)
{
    struct rng rng;
    rng_seed (&rng, 5, 0);
    for (int round = 0; round < 250; round++) {
        struct bench bench;
        bench_create (&bench, &rng);
        for (int i = 0; i < 60; i++) {
            if (chance (&rng, 60))
                bench_request (&bench, &rng);
            else if (bench.n)
                bench_release (&bench,
                               (int)rng_below (&rng, (uint64_t)bench.n));
            for (uint32_t id = 0; id < tori_machine_nodes (bench.machine);
                 id++)
                assert_int_equal (tori_cubes_is_free (bench.cubes, id),
                                  bench.is_free[id]);
        }
        bench_destroy (&bench);
    }
}

/* The examples of the paper. */
static void test_examples (void **state)
{
    tori_machine *machine = make_machine ("mesh:8x8x8");
    tori_shape shape = make_shape ("2x2x8"), folded = make_shape ("2x4x4");
    tori_placement place = {0};
    tori_cubes *cubes;
    assert_int_equal (tori_cubes_create (machine, NULL, &cubes, NULL), 0);
    assert_int_equal (tori_cubes_request (cubes, &shape, &place, NULL),
                      TORI_PLACED);
    assert_true (tori_shape_equal (&place.box.shape, &folded));
    tori_cubes_release (cubes, &place);
    assert_int_equal (tori_cubes_largest (cubes), 512);
    tori_cubes_destroy (cubes);
    tori_machine_destroy (machine);
}

/* 3x5 needs a 4x8, of which 17 nodes stay free, or decomposed a 4x4. */
static void test_noncubic_example (void **state)
{
    tori_machine *machine = make_machine ("mesh:8x8");
    tori_shape shape = make_shape ("3x5");
    for (int how = 0; tori_noncubic_name (how); how++) {
        tori_alloc_options options = {.noncubic = (tori_noncubic)how};
        tori_placement place = {0};
        tori_cubes *cubes;
        assert_int_equal (tori_cubes_create (machine, &options, &cubes, NULL),
                          0);
        assert_int_equal (tori_cubes_request (cubes, &shape, &place, NULL),
                          TORI_PLACED);
        assert_int_equal (tori_shape_volume (&place.box.shape),
                          how == TORI_NONCUBIC_DECOMPOSE ? 16 : 15);
        assert_int_equal (tori_cubes_free_count (cubes), 64 - 15);
        tori_cubes_release (cubes, &place);
        tori_placement_clear (&place);
        assert_int_equal (tori_cubes_largest (cubes), 64);
        tori_cubes_destroy (cubes);
    }
    tori_machine_destroy (machine);
}

/* What is down outside of the nodes that are needed does not matter to a
 * decomposed shape; what is down anywhere in the 4x8 does to the other. */
static void test_holes (void **state)
{
    tori_machine *machine = make_machine ("mesh:4x4");
    tori_shape shape = make_shape ("3x5");
    for (uint32_t down = 0; down < 16; down++) {
        tori_alloc_options options = {.noncubic = TORI_NONCUBIC_DECOMPOSE};
        tori_placement place = {0};
        tori_cubes *cubes;
        uint32_t map[15];
        assert_int_equal (tori_cubes_create (machine, &options, &cubes, NULL),
                          0);
        assert_int_equal (tori_cubes_take_node (cubes, down, NULL), 0);
        assert_int_equal (tori_cubes_request (cubes, &shape, &place, NULL),
                          TORI_PLACED);
        assert_false (tori_placement_contains (&place, machine, down));
        assert_int_equal (tori_fold_map (machine, &shape,
                                         TORI_NONCUBIC_DECOMPOSE, &place, map,
                                         NULL),
                          0);
        tori_cubes_release (cubes, &place);
        tori_placement_clear (&place);
        tori_cubes_give_node (cubes, down);
        assert_int_equal (tori_cubes_largest (cubes), 16);
        tori_cubes_destroy (cubes);
    }
    tori_machine_destroy (machine);
}

/* Whatever fits the sides of a machine is placed while it is idle, also where
 * rounded up it would be larger than the machine. */
static void test_sides (void **state)
{
    static const char *const machines[]
        = {"torus:6x5", "mesh:3x3x3", "mesh:7x12", "mesh:5x20", "mesh:11"};
    for (size_t i = 0; i < LENGTH (machines); i++)
        for (int how = 0; tori_noncubic_name (how); how++) {
            tori_alloc_options options = {.noncubic = (tori_noncubic)how};
            tori_machine *machine = make_machine (machines[i]);
            tori_shape shape = *tori_machine_shape (machine);
            tori_cubes *cubes;
            assert_int_equal (
                tori_cubes_create (machine, &options, &cubes, NULL), 0);
            for (uint32_t left = tori_shape_volume (&shape); left--;) {
                tori_placement place = {0};
                for (int d = 0, rest = (int)left; d < shape.ndims; d++) {
                    int side = (int)tori_machine_size (machine, d);
                    shape.size[d] = 1 + (uint32_t)(rest % side);
                    rest /= side;
                }
                assert_int_equal (
                    tori_cubes_request (cubes, &shape, &place, NULL),
                    TORI_PLACED);
                check_placement (machine, &shape, options.noncubic, &place);
                tori_cubes_release (cubes, &place);
                tori_placement_clear (&place);
                assert_int_equal (tori_cubes_free_count (cubes),
                                  tori_machine_nodes (machine));
            }
            tori_cubes_destroy (cubes);
            tori_machine_destroy (machine);
        }
}

static void test_down_nodes (void **state)
{
    tori_machine *machine = make_machine ("torus:4x4");
    tori_error err = {.status = TORI_OK};
    tori_cubes *cubes;
    assert_int_equal (tori_cubes_create (machine, NULL, &cubes, NULL), 0);
    assert_int_equal (tori_cubes_take_node (cubes, 5, NULL), 0);
    assert_int_equal (tori_cubes_take_node (cubes, 5, &err), -1);
    assert_int_equal (err.status, TORI_NOT_NOW);
    assert_int_equal (tori_cubes_largest (cubes), 8);
    tori_cubes_give_node (cubes, 5);
    assert_int_equal (tori_cubes_largest (cubes), 16);
    tori_cubes_destroy (cubes);
    tori_machine_destroy (machine);
}

/* An idle machine is small, however large it is, and so it is again. */
static void test_memory (void **state)
{
    static const char *const machines[] = {"mesh:256^3", "mesh:2^24",
                                           "mesh:16777216", "mesh:4^12"};
    for (size_t i = 0; i < LENGTH (machines); i++) {
        tori_machine *machine = make_machine (machines[i]);
        tori_shape one = {1, {1}};
        tori_placement place[1000];
        tori_cubes *cubes;
        size_t idle;
        assert_int_equal (tori_cubes_create (machine, NULL, &cubes, NULL), 0);
        idle = tori_cubes_bytes (cubes);
        assert_true (idle < 64 << 10);
        for (size_t j = 0; j < LENGTH (place); j++)
            assert_int_equal (
                tori_cubes_request (cubes, &one, &place[j], NULL),
                TORI_PLACED);
        assert_true (tori_cubes_bytes (cubes) > idle);
        for (size_t j = 0; j < LENGTH (place); j++)
            tori_cubes_release (cubes, &place[j]);
        assert_true (tori_cubes_bytes (cubes)
                     <= idle + 24 * (size_t)SLAB_PAGE);
        assert_int_equal (tori_cubes_largest (cubes), 1 << 24);
        tori_cubes_destroy (cubes);
        tori_machine_destroy (machine);
    }
}

/* ---- folds ---- */

/* A placement of the shape on a machine with room for it. */
static bool place_shape (const tori_machine *machine, const tori_shape *shape,
                         tori_noncubic noncubic, tori_hypercube rule,
                         tori_placement *ret_place)
{
    tori_alloc_options options = {.noncubic = noncubic, .hypercube = rule};
    tori_cubes *cubes;
    tori_outcome outcome;
    assert_int_equal (tori_cubes_create (machine, &options, &cubes, NULL), 0);
    outcome = tori_cubes_request (cubes, shape, ret_place, NULL);
    tori_cubes_destroy (cubes);
    return outcome == TORI_PLACED;
}

/* One logical node to each of the nodes. */
static void expect_bijection (const tori_machine *machine,
                              const tori_placement *place,
                              const uint32_t map[])
{
    uint32_t nodes = tori_machine_nodes (machine);
    bool *hit = make_array (nodes, sizeof *hit);
    for (uint32_t i = 0; i < place->count; i++) {
        assert_true (map[i] < nodes);
        assert_false (hit[map[i]]);
        assert_true (tori_placement_contains (place, machine, map[i]));
        hit[map[i]] = true;
    }
    free (hit);
}

/* Logical neighbours are no further apart than the dilation, and differ in
 * one coordinate. */
static uint32_t longest_step (const tori_machine *machine,
                              const tori_shape *shape, const uint32_t map[])
{
    uint32_t n = (uint32_t)tori_shape_volume (shape), longest = 1;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t stride = 1;
        for (int d = shape->ndims - 1; d >= 0; d--) {
            if (i / stride % shape->size[d] + 1 < shape->size[d]) {
                uint32_t a[TORI_MAX_DIMS], b[TORI_MAX_DIMS];
                uint32_t hops = tori_machine_distance (machine, map[i],
                                                       map[i + stride]);
                int differ = 0;
                tori_machine_coords (machine, map[i], a);
                tori_machine_coords (machine, map[i + stride], b);
                for (int e = 0; e < tori_machine_ndims (machine); e++)
                    differ += a[e] != b[e];
                assert_int_equal (differ, 1);
                longest = hops > longest ? hops : longest;
            }
            stride *= shape->size[d];
        }
    }
    return longest;
}

static void test_folds (void **state)
{
    struct rng rng;
    unsigned folded = 0, straight = 0;
    rng_seed (&rng, 6, 0);
    for (int round = 0; round < 1500; round++) {
        tori_machine *machine = some_machine (&rng, 1024, true);
        bool cubic = chance (&rng, 70);
        tori_shape shape
            = some_shape (&rng, tori_machine_nodes (machine), cubic);
        tori_placement place = {0};
        uint32_t *map = make_array (
            (size_t)tori_shape_volume (&shape), sizeof *map);
        tori_noncubic how = round % 2 ? TORI_NONCUBIC_ROUND_UP
                                      : TORI_NONCUBIC_DECOMPOSE;
        if (place_shape (machine, &shape, how, rules[round % 3], &place)) {
            assert_int_equal (
                tori_fold_map (machine, &shape, how, &place, map, NULL), 0);
            expect_bijection (machine, &place, map);
            if (place.is_box || how == TORI_NONCUBIC_ROUND_UP) {
                uint32_t longest = longest_step (machine, &shape, map);
                uint32_t bound
                    = tori_fold_dilation (&shape, &place.box.shape);
                assert_true (longest <= bound);
                if (cubic)
                    assert_int_equal (longest, bound);
                folded += bound > 1;
                straight += bound == 1;
            }
        }
        tori_placement_clear (&place);
        free (map);
        tori_machine_destroy (machine);
    }
    assert_true (folded > 50 && straight > 50);
}

/* Where the subcube has the sides of the shape, rounded up, the shape is there
 * as it is, decomposed or not; elsewhere steps are as long as is told. */
static void test_decomposed_steps (void **state)
{
    static const struct {
        const char *machine, *shape;
        uint32_t most; /* 1: exactly that */
    } cases[] = {
        {"mesh:8x8", "7x7", 1},    {"mesh:4x4", "3x3", 1},
        {"mesh:8x8", "1x7", 1},    {"mesh:16x16", "11x13", 1},
        {"mesh:8x8", "3x5", 2},    {"mesh:8^3", "5x5x5", 4},
    };
    for (size_t i = 0; i < LENGTH (cases); i++) {
        tori_machine *machine = make_machine (cases[i].machine);
        tori_shape shape = make_shape (cases[i].shape);
        tori_placement place = {0};
        uint32_t map[256], longest;
        double average;
        assert_true (place_shape (machine, &shape, TORI_NONCUBIC_DECOMPOSE,
                                  TORI_HYPERCUBE_BUDDY, &place));
        assert_int_equal (tori_fold_map (machine, &shape,
                                         TORI_NONCUBIC_DECOMPOSE, &place, map,
                                         NULL),
                          0);
        expect_bijection (machine, &place, map);
        tori_fold_steps (machine, &shape, map, &longest, &average);
        assert_true (longest <= cases[i].most);
        assert_true (average >= 1 && average <= longest);
        tori_placement_clear (&place);
        tori_machine_destroy (machine);
    }
}

/* A line goes anywhere without a step longer than 1, and what is not folded
 * is only rotated. */
static void test_folds_by_hand (void **state)
{
    static const struct {
        const char *shape, *box;
        uint32_t dilation;
    } folds[] = {
        {"64", "4x4x4", 1},        {"1x1x64", "4x4x4", 1},
        {"2x2x8", "2x4x4", 2},     {"8x1x8", "4x4x4", 2},
        {"16x16", "16x16", 1},     {"2x4x8", "8x2x4", 1},
        {"2x16", "4x8", 2},        {"4x64", "16x16", 4},
        {"1x4x64", "4x8x8", 2},    {"3x5", "4x8", 1},
    };
    for (size_t i = 0; i < LENGTH (folds); i++) {
        tori_shape shape = make_shape (folds[i].shape);
        tori_shape box = make_shape (folds[i].box);
        assert_int_equal (tori_fold_dilation (&shape, &box),
                          folds[i].dilation);
    }
}

static void test_fold_refusals (void **state)
{
    tori_machine *machine = make_machine ("mesh:8x8");
    tori_shape shape = make_shape ("2x8"), other = make_shape ("4x8");
    tori_placement place = {0};
    tori_error err = {.status = TORI_OK};
    uint32_t map[64];
    assert_true (place_shape (machine, &shape, TORI_NONCUBIC_ROUND_UP,
                              TORI_HYPERCUBE_BUDDY, &place));
    assert_int_equal (tori_fold_map (machine, &other, TORI_NONCUBIC_ROUND_UP,
                                     &place, map, &err),
                      -1);
    assert_int_equal (err.status, TORI_INVALID);
    assert_int_equal (tori_fold_dilation (&other, &place.box.shape), 0);
    tori_machine_destroy (machine);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_siblings),
        cmocka_unit_test (test_siblings_by_hand),
        cmocka_unit_test (test_tree),
        cmocka_unit_test (test_tree_many_dimensions),
        cmocka_unit_test (test_rules_many_dimensions),
        cmocka_unit_test (test_parts),
        cmocka_unit_test (test_static_optimality),
        cmocka_unit_test (test_requests),
        cmocka_unit_test (test_examples),
        cmocka_unit_test (test_noncubic_example),
        cmocka_unit_test (test_holes),
        cmocka_unit_test (test_sides),
        cmocka_unit_test (test_down_nodes),
        cmocka_unit_test (test_memory),
        cmocka_unit_test (test_folds),
        cmocka_unit_test (test_decomposed_steps),
        cmocka_unit_test (test_folds_by_hand),
        cmocka_unit_test (test_fold_refusals),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}

/* The tree of subcubes against its definition: which subcubes there are, which
 * of them are free, which is the first, all worked out box by box. */
#include "naive_cube.h"

#include <stdlib.h>

#include <tori/cubes.h>

#include "isocube.h"

/* ---- the tree ---- */

static void expect_find (struct isocube *iso, const struct naive_cube *naive,
                         int size)
{
    struct isocube_spot spot;
    tori_box box, should;
    bool found = isocube_find (iso, (unsigned)size, &spot);
    assert_int_equal (found, naive_cube_find (naive, size, &should));
    if (!found)
        return;
    isospace_box (&iso->space, isocube_cube (iso, &spot), &box);
    expect_same_box (&box, &should);
}

static struct cube node_cube (const struct isocube *iso, uint32_t node)
{
    uint32_t coords[TORI_MAX_DIMS];
    tori_machine_coords (iso->space.machine, node, coords);
    return isocube_at (iso, isospace_address (&iso->space, coords), 0);
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
    isospace_box (&play->iso->space, play->held[play->n], &box);
    naive_cube_mark (&play->naive, &box, false);
    if (chance (rng, 50))
        assert_int_equal (isocube_take_spot (play->iso, &spot, NULL), 0);
    else
        assert_int_equal (isocube_take (play->iso, play->held[play->n], NULL),
                          0);
    play->n++;
}

static void take_node (struct play *play, struct rng *rng)
{
    uint32_t node =
        between (rng, 0, tori_machine_nodes (play->naive.machine) - 1);
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
    isospace_box (&play->iso->space, cube, &box);
    naive_cube_mark (&play->naive, &box, true);
    if (chance (rng, 70)) {
        assert_int_equal (isocube_give (play->iso, cube, NULL), 0);
    } else {
        uint32_t n = (uint32_t)tori_shape_volume (&box.shape);
        uint32_t *ids = make_array (n, sizeof *ids);
        naive_box_nodes (play->naive.machine, &box, ids);
        for (uint32_t j = n; j-- > 0;)
            assert_int_equal (
                isocube_give (play->iso, node_cube (play->iso, ids[j]), NULL),
                0);
        free (ids);
    }
    play->held[i] = play->held[--play->n];
}

static void play_tree (tori_machine *machine, struct rng *rng,
                       tori_hypercube rule, int steps)
{
    struct play play = {.naive = naive_cube_create (machine, rule)};
    size_t idle;
    assert_int_equal (isocube_create (machine, rule, &play.iso, NULL), 0);
    idle = play.iso->bytes;
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
    assert_int_equal (play.iso->bytes, idle);
    isocube_destroy (play.iso);
    free (play.naive.is_free);
    tori_machine_destroy (machine);
}

TEST (tree)
{
    struct rng rng = seeded (1);
    for (int round = 0; round < 60; round++)
        for (size_t r = 0; r < LENGTH (rules); r++)
            play_tree (some_machine (&rng, 256, round % 2), &rng, rules[r],
                       40);
}

/* More dimensions than a word has room for: several steps to a halving. */
TEST (tree_many_dimensions)
{
    static const char *const machines[] = {
        "mesh:2^7",   "mesh:2^8",       "mesh:2^3x4x2^3",
        "mesh:3x2^6", "mesh:4x1x2^6x3", "mesh:2x3x2x1x2x2x2x2",
    };
    struct rng rng = seeded (2);
    for (size_t i = 0; i < LENGTH (machines); i++)
        play_tree (make_machine (machines[i]), &rng, TORI_HYPERCUBE_BUDDY, 60);
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

/* In any number of dimensions: where buddy has an answer gray and adaptive have
 * one, and where these have one free-list has. */
TEST (rules_many_dimensions)
{
    static const char *const machines[] = {"mesh:2^6", "mesh:2^7", "mesh:2^9",
                                           "mesh:4^7", "mesh:3x2^8"};
    static const tori_hypercube less[]
        = {TORI_HYPERCUBE_BUDDY, TORI_HYPERCUBE_GRAY, TORI_HYPERCUBE_BUDDY,
           TORI_HYPERCUBE_ADAPTIVE},
        more[] = {TORI_HYPERCUBE_GRAY, TORI_HYPERCUBE_FREE_LIST,
                  TORI_HYPERCUBE_ADAPTIVE, TORI_HYPERCUBE_FREE_LIST};
    struct rng rng = seeded (12);
    for (int round = 0; round < 200; round++) {
        AUTO_MACHINE *machine = make_machine (machines[round % 5]);
        struct isocube *iso[LENGTH (rules)];
        struct isocube_spot spot;
        for (size_t r = 0; r < LENGTH (rules); r++)
            assert_int_equal (
                isocube_create (machine, rules[r], &iso[r], NULL), 0);
        take_nodes (iso, machine, &rng);
        for (unsigned size = 0; size <= iso[0]->space.bits; size++)
            for (size_t r = 0; r < LENGTH (less); r++)
                assert_true (isocube_find (iso[more[r]], size, &spot)
                             || !isocube_find (iso[less[r]], size, &spot));
        for (size_t r = 0; r < LENGTH (rules); r++)
            isocube_destroy (iso[r]);
    }
}

/* The limit that tori/cubes.h states: of seven dimensions the last four are a
 * part and the others are one. Two nodes that differ in the fourth from last
 * are seen by free-list; two that differ in the one before are not. */
TEST (parts)
{
    AUTO_MACHINE *machine = make_machine ("mesh:2^7");
    for (uint32_t bit = 3; bit <= 4; bit++) {
        struct isocube *iso;
        struct isocube_spot spot;
        assert_int_equal (
            isocube_create (machine, TORI_HYPERCUBE_FREE_LIST, &iso, NULL), 0);
        for (uint32_t i = 0; i < 128; i++)
            if (i != 5 && i != (5 | 1u << bit))
                assert_int_equal (isocube_take (iso, node_cube (iso, i), NULL),
                                  0);
        assert_int_equal (isocube_find (iso, 1, &spot), bit == 3);
        assert_true (isocube_find (iso, 0, &spot));
        isocube_destroy (iso);
    }
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

/* The first 2^l children in the order of their first child, then of the
 * dimensions that they span; 0 if there are none. */
static uint64_t first_span (uint64_t word, unsigned b, unsigned l)
{
    for (unsigned first = 0; first < 1u << b; first++)
        for (unsigned dims = 0; dims < 1u << b; dims++)
            if ((unsigned)__builtin_popcount (dims) == l && !(first & dims)
                && span_free (word, first, dims))
                return siblings_span (first, dims);
    return 0;
}

/* The first 2^l of the smallest aligned run that has as many and is not half
 * of another that is free. */
static uint64_t smallest_run (uint64_t word, unsigned b, unsigned l)
{
    for (unsigned g = l; g < b; g++)
        for (unsigned first = 0; first < 1u << b; first += 1u << g)
            if (span_free (word, first, (1u << g) - 1)
                && !span_free (word, first & ~(1u << g), (2u << g) - 1))
                return siblings_span (first, (1u << l) - 1);
    return 0;
}

/* Every subcube of siblings is recognised, and the right one is taken. */
static void check_free_list (uint64_t word, unsigned b)
{
    const struct siblings *list = siblings_find (TORI_HYPERCUBE_FREE_LIST);
    uint64_t sizes = list->sizes (word, b);
    for (unsigned l = 0; l < b; l++) {
        uint64_t any = first_span (word, b, l);
        uint64_t run = smallest_run (word, b, l);
        assert_int_equal (sizes >> l & 1, any != 0);
        if (any)
            assert_int_equal (list->choose (word, b, l), run ? run : any);
    }
}

/* Gray recognises all subcubes that buddy does, and free-list all that gray
 * does. */
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

TEST (siblings)
{
    struct rng rng = seeded (3);
    for (unsigned b = 1; b <= 3; b++)
        for (uint64_t word = 0; word < UINT64_C (1) << (1u << b); word++) {
            check_free_list (word, b);
            check_rules (word, b);
        }
    for (int round = 0; round < 3000; round++) {
        unsigned b = between (&rng, 4, 6);
        uint64_t all = ~UINT64_C (0) >> (64 - (1u << b));
        uint64_t word =
            rng_next (&rng) | (chance (&rng, 60) ? rng_next (&rng) : 0);
        check_free_list (word & all, b);
        check_rules (word & all, b);
    }
}

/* Gray code sees twice as many subcubes of a size as buddy: those of 1 and 3,
 * say, which differ in one dimension. */
TEST (siblings_by_hand)
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

/* The states that a machine of up to 32 nodes can reach if requests for 2^l
 * nodes are made in every order and nothing is given back. The answers depend
 * on the free nodes alone, so each set of them is continued once. */
enum { MANY = 4096 };

struct sequences {
    tori_machine *machine;
    tori_cubes *cubes;
    uint64_t seen[MANY]; /* sets of free nodes */
    size_t n;
};

static bool first_time (struct sequences *all, uint64_t set)
{
    for (size_t i = 0; i < all->n; i++)
        if (all->seen[i] == set)
            return false;
    assert_true (all->n < MANY);
    all->seen[all->n++] = set;
    return true;
}

static uint64_t free_set (const struct sequences *all)
{
    uint64_t set = 0;
    for (uint32_t i = 0; i < tori_machine_nodes (all->machine); i++)
        if (tori_cubes_is_free (all->cubes, i))
            set |= UINT64_C (1) << i;
    return set;
}

/* Whatever size there are enough free nodes for is placed, and so on. */
static void go_on (struct sequences *all)
{
    tori_shape shape = {.ndims = 1};
    uint32_t left = tori_cubes_free_count (all->cubes);
    if (!first_time (all, free_set (all)))
        return;
    for (shape.size[0] = 1; shape.size[0] <= left; shape.size[0] *= 2) {
        tori_placement place = {0};
        assert_int_equal (
            tori_cubes_request (all->cubes, &shape, &place, NULL),
            TORI_PLACED);
        assert_int_equal (place.count, shape.size[0]);
        go_on (all);
        tori_cubes_release (all->cubes, &place);
        tori_placement_clear (&place);
    }
}

TEST (static_optimality)
{
    static const char *const machines[] = {
        "mesh:2",   "mesh:2^2", "mesh:2^3", "mesh:2^4",   "mesh:2^5",
        "mesh:8",   "mesh:4x2", "mesh:4^2", "mesh:2x4^2", "mesh:8x4",
    };
    for (size_t i = 0; i < LENGTH (machines); i++)
        for (size_t r = 0; r < LENGTH (rules); r++) {
            tori_alloc_config options = {.size = sizeof options,
                                         .hypercube = rules[r]};
            struct sequences all = {.machine = make_machine (machines[i])};
            assert_int_equal (tori_cubes_create (all.machine, &options,
                                                 &all.cubes, NULL),
                              0);
            go_on (&all);
            tori_cubes_destroy (all.cubes);
            tori_machine_destroy (all.machine);
        }
}

/* The same at random on machines of several parts and many levels. */
TEST (static_optimality_large)
{
    struct rng rng = seeded (4);
    for (int round = 0; round < 400; round++) {
        tori_machine *machine = round % 4 ? some_machine (&rng, 4096, true)
                                          : make_machine ("mesh:2^9");
        tori_alloc_config options = {.size = sizeof options,
                                     .hypercube
                                     = rules[round % LENGTH (rules)]};
        uint32_t left = tori_machine_nodes (machine);
        tori_cubes *cubes;
        assert_int_equal (tori_cubes_create (machine, &options, &cubes, NULL),
                          0);
        while (left) {
            tori_shape shape = {.ndims = 1};
            tori_placement place = {0};
            shape.size[0] = 1u << between (&rng, 0, 12);
            if (shape.size[0] > left)
                continue;
            assert_int_equal (
                tori_cubes_request (cubes, &shape, &place, NULL),
                TORI_PLACED);
            left -= place.count;
        }
        assert_int_equal (tori_cubes_free_count (cubes), 0);
        assert_int_equal (tori_cubes_largest (cubes), 0);
        tori_cubes_destroy (cubes);
        tori_machine_destroy (machine);
    }
}

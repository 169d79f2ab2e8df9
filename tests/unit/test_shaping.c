/* Counts to shapes, against the nested loops of the definition. */
#include "support.h"

#include <stdio.h>
#include <string.h>

#include <tori/workload.h>

/* ---- published examples ---- */

TEST (examples)
{
    static const struct {
        const char *machine;
        tori_shaping shaping;
        uint32_t count;
        const char *shape;
    } cases[] = {
        /* Aridor et al., 2004, sections 3 and 4 */
        {"torus:8x8x8", TORI_SHAPE_FIRST_MATCH, 6, "1x1x6"},
        {"torus:8x8x8", TORI_SHAPE_FIRST_MATCH, 27, "3x3x3"},
        {"torus:8x8x8", TORI_SHAPE_FIRST_MATCH, 8, "1x1x8"},
        {"torus:8x8x8", TORI_SHAPE_FIRST_MATCH, 64, "1x8x8"},
        {"torus:8x8x8", TORI_SHAPE_FAT, 1, "2x2x2"},
        /* 11 is no product of sides up to 8; of those of 12 1x2x6 is first. */
        {"torus:8x8x8", TORI_SHAPE_FIRST_MATCH, 11, "1x2x6"},
        {"torus:8x8x8", TORI_SHAPE_COMPACT, 11, "2x2x3"},
        {"torus:8x8x8", TORI_SHAPE_FAT, 11, "2x2x3"},
        {"torus:8x8x8", TORI_SHAPE_COMPACT, 64, "4x4x4"},
        {"torus:8x8x8", TORI_SHAPE_FIRST_MATCH, 512, "8x8x8"},
        {"torus:8x8x8", TORI_SHAPE_FIRST_MATCH, 449, "8x8x8"},
        {"torus:8x8x8", TORI_SHAPE_FIRST_MATCH, 0, "1x1x1"},
        {"mesh:4x1x3", TORI_SHAPE_FAT, 1, "2x1x2"},
        {"mesh:1", TORI_SHAPE_FAT, 1, "1"},
        {"mesh:1073741824", TORI_SHAPE_FIRST_MATCH, 999999937, "999999937"},
        {"mesh:500000000x2", TORI_SHAPE_COMPACT, 499999993, "499999993x1"},
        {"mesh:500000000x2", TORI_SHAPE_COMPACT, 999999937, "499999969x2"},
    };
    for (size_t i = 0; i < LENGTH (cases); i++) {
        AUTO_MACHINE *machine = make_machine (cases[i].machine);
        char text[TORI_TEXT_MAX];
        tori_shape shape;
        assert_true (tori_shape_count (machine, cases[i].shaping,
                                       cases[i].count, &shape));
        tori_shape_format (&shape, text);
        assert_string_equal (text, cases[i].shape);
    }
}

/* ---- by definition ---- */

/* The next shape in the order of the nested loops, the last one innermost. */
static bool next_shape (const tori_machine *machine, const tori_shape *start,
                        tori_shape *shape)
{
    for (int d = shape->ndims - 1; d >= 0; d--) {
        if (shape->size[d]++ < tori_machine_size (machine, d))
            return true;
        shape->size[d] = start->size[d];
    }
    return false;
}

static uint64_t side_sum (const tori_shape *shape)
{
    uint64_t sum = 0;
    for (int d = 0; d < shape->ndims; d++)
        sum += shape->size[d];
    return sum;
}

/* Whether `a` is wanted rather than `b`, which came first. */
static bool better (tori_shaping shaping, const tori_shape *a,
                    const tori_shape *b)
{
    uint64_t va = tori_shape_volume (a), vb = tori_shape_volume (b);
    if (va != vb)
        return va < vb;
    return shaping == TORI_SHAPE_COMPACT && side_sum (a) < side_sum (b);
}

static tori_shape naive_shape (const tori_machine *machine,
                               tori_shaping shaping, uint32_t count)
{
    tori_shape start = {.ndims = tori_machine_ndims (machine)}, shape, best;
    bool found = false;
    for (int d = 0; d < start.ndims; d++)
        start.size[d] = shaping == TORI_SHAPE_FAT
                                && tori_machine_size (machine, d) > 1
                            ? 2
                            : 1;
    shape = best = start;
    do {
        if (tori_shape_volume (&shape) >= count
            && (!found || better (shaping, &shape, &best))) {
            best = shape;
            found = true;
        }
    } while (next_shape (machine, &start, &shape));
    assert_true (found);
    return best;
}

static void compare (const tori_machine *machine, uint32_t count)
{
    static const tori_shaping shapings[]
        = {TORI_SHAPE_FIRST_MATCH, TORI_SHAPE_FAT, TORI_SHAPE_COMPACT};
    for (size_t i = 0; i < LENGTH (shapings); i++) {
        tori_shape shape, expected
            = naive_shape (machine, shapings[i], count);
        assert_true (
            tori_shape_count (machine, shapings[i], count, &shape));
        assert_true (tori_shape_equal (&shape, &expected));
    }
}

/* ---- other shapes, by definition ---- */

/* Whether `a` goes before `b`, which is another shape. */
static bool goes_first (const tori_shape *a, const tori_shape *b)
{
    uint64_t va = tori_shape_volume (a), vb = tori_shape_volume (b);
    int d = 0;
    if (va != vb)
        return va < vb;
    if (side_sum (a) != side_sum (b))
        return side_sum (a) < side_sum (b);
    while (a->size[d] == b->size[d])
        d++;
    return a->size[d] < b->size[d];
}

/* Of all sorted shapes that some rotation of a box of the machine has, how many
 * go before this one, and whether it is one of them. */
static size_t naive_rank (const tori_machine *machine, const tori_shape *own,
                          uint64_t most, const tori_shape *wanted,
                          bool *ret_found)
{
    tori_shape start = {.ndims = tori_machine_ndims (machine)}, box;
    tori_shape seen[4096];
    size_t n = 0, rank = 0;
    for (int d = 0; d < start.ndims; d++)
        start.size[d] = 1;
    box = start;
    *ret_found = false;
    do {
        tori_shape sorted = box;
        size_t i = 0;
        tori_shape_sort (&sorted);
        if (tori_shape_volume (&box) < tori_shape_volume (own)
            || tori_shape_volume (&box) > most
            || tori_shape_equal (&sorted, own))
            continue;
        while (i < n && !tori_shape_equal (&seen[i], &sorted))
            i++;
        if (i < n)
            continue;
        assert_true (n < LENGTH (seen));
        seen[n++] = sorted;
        if (wanted && tori_shape_equal (&sorted, wanted))
            *ret_found = true;
        else if (!wanted || goes_first (&sorted, wanted))
            rank++;
    } while (next_shape (machine, &start, &box));
    return rank;
}

static void compare_others (const char *text, uint32_t count, uint32_t more,
                            size_t room)
{
    AUTO_MACHINE *machine = make_machine (text);
    tori_shape shape, own, others[400];
    uint64_t most;
    bool found;
    size_t n, all;
    assert_true (
        tori_shape_count (machine, TORI_SHAPE_COMPACT, count, &shape));
    own = shape;
    tori_shape_sort (&own);
    most = tori_shape_volume (&shape) + more;
    n = tori_shape_others (machine, &shape, most, others, room);
    all = naive_rank (machine, &own, most, NULL, &found);
    assert_int_equal (n, all < room ? all : room);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal (
            naive_rank (machine, &own, most, &others[i], &found), i);
        assert_true (found);
    }
}

TEST (others)
{
    static const char *const machines[]
        = {"torus:8x8x8", "mesh:5x3x7", "mesh:12x7", "mesh:30",
           "mesh:4x1x3", "mesh:3x3x3x2"};
    for (size_t i = 0; i < LENGTH (machines); i++) {
        tori_machine *machine = make_machine (machines[i]);
        uint32_t nodes = tori_machine_nodes (machine);
        tori_machine_destroy (machine);
        for (uint32_t count = 1; count <= nodes; count += 1 + nodes / 40) {
            compare_others (machines[i], count, 0, 400);
            compare_others (machines[i], count, count / 4, 400);
            compare_others (machines[i], count, count / 4, 3);
        }
    }
}

/* A request that the machine has no shapes for, and machines on which a walk
 * over all sides would not end. */
TEST (others_limits)
{
    tori_machine *machine = make_machine ("mesh:500000000x2");
    tori_shape flat = {2, {1, 400000000}}, line = {1, {3}}, others[4];
    assert_int_equal (
        tori_shape_others (machine, &line, 9, others, LENGTH (others)), 0);
    assert_int_equal (
        tori_shape_others (machine, &flat, 450000000, others, 4), 4);
    assert_int_equal (others[0].size[0], 2);
    assert_int_equal (others[0].size[1], 200000000);
    assert_int_equal (others[1].size[1], 400000001);
    assert_int_equal (
        tori_shape_others (machine, &flat, 450000000, others, 0), 0);
    tori_machine_destroy (machine);
    machine = make_machine ("mesh:2^20");
    tori_shape cube = {.ndims = 20};
    for (int d = 0; d < 20; d++)
        cube.size[d] = 1 + (d < 9);
    assert_int_equal (
        tori_shape_others (machine, &cube, 512 + 64, others, 4), 0);
    tori_machine_destroy (machine);
    machine = make_machine ("pod:64/4x4x4");
    tori_shape slice = {3, {4, 4, 4}};
    assert_int_equal (tori_shape_others (machine, &slice, 64, others, 4), 4);
    assert_int_equal (others[0].size[2], 8);
    assert_int_equal (others[0].size[0], 2);
    tori_machine_destroy (machine);
}

/* Every count of every machine of one to three dimensions up to 5. */
TEST (all_small)
{
    for (int a = 1; a <= 5; a++)
        for (int b = 0; b <= 5; b++)
            for (int c = 0; c <= (b ? 5 : 0); c++) {
                char text[40];
                snprintf (text, sizeof text,
                          c   ? "mesh:%dx%dx%d"
                          : b ? "mesh:%dx%d"
                              : "mesh:%d",
                          a, b, c);
                AUTO_MACHINE *machine = make_machine (text);
                uint32_t nodes = tori_machine_nodes (machine);
                for (uint32_t count = 1; count <= nodes; count++)
                    compare (machine, count);
            }
}

TEST (random_machines)
{
    struct rng rng = seeded (1);
    for (int i = 0; i < 300; i++) {
        static const uint64_t longest[] = {0, 3000, 60, 16, 8};
        char text[80] = "mesh:";
        int ndims = 1 + (int)rng_below (&rng, 4);
        for (int d = 0; d < ndims; d++)
            snprintf (text + strlen (text), sizeof text - strlen (text),
                      "%s%d", d ? "x" : "",
                      1 + (int)rng_below (&rng, longest[ndims]));
        AUTO_MACHINE *machine = make_machine (text);
        for (int k = 0; k < 10; k++)
            compare (machine,
                     1 + (uint32_t)rng_below (
                             &rng, tori_machine_nodes (machine)));
    }
}

/* ---- large machines ---- */

/* Twenty dimensions: the least power of two, in the last dimensions. */
TEST (hypercube)
{
    AUTO_MACHINE *machine = make_machine ("mesh:2^20");
    struct rng rng = seeded (2);
    for (int i = 0; i < 200; i++) {
        uint32_t count = 1 + (uint32_t)rng_below (&rng, 1 << 20);
        int twos = count == 1 ? 0 : 32 - __builtin_clz (count - 1);
        tori_shape shape, compact;
        assert_true (tori_shape_count (machine, TORI_SHAPE_FIRST_MATCH,
                                       count, &shape));
        for (int d = 0; d < 20; d++)
            assert_int_equal (shape.size[d], d < 20 - twos ? 1 : 2);
        assert_true (tori_shape_count (machine, TORI_SHAPE_COMPACT, count,
                                       &compact));
        assert_true (tori_shape_equal (&shape, &compact));
        assert_true (
            tori_shape_count (machine, TORI_SHAPE_FAT, count, &shape));
        assert_int_equal (tori_shape_volume (&shape), 1 << 20);
    }
}

/* On machines of any form: within the machine, large enough, and no shape of
 * a volume in between (which first-match, being least, rules out for both). */
TEST (many_dimensions)
{
    static const char *const machines[] = {
        "mesh:3^18",    "mesh:2^30",         "mesh:8^10",
        "mesh:32^6",    "mesh:1024x1024x64", "mesh:32768x32768",
        "mesh:13^8",    "mesh:6x6x6x2x2x2",  "mesh:7x6x5x4x3x2x7x6x5x4x3",
        "mesh:1x9x1x9x1x9x1x9x1x9x1x9",
    };
    struct rng rng = seeded (3);
    for (size_t i = 0; i < LENGTH (machines); i++) {
        AUTO_MACHINE *machine = make_machine (machines[i]);
        uint32_t nodes = tori_machine_nodes (machine);
        for (int k = 0; k < 30; k++) {
            uint32_t count = 1 + (uint32_t)rng_below (&rng, nodes);
            tori_shape first, compact;
            count >>= rng_below (&rng, 20);
            assert_true (tori_shape_count (machine, TORI_SHAPE_FIRST_MATCH,
                                           count, &first));
            assert_true (tori_shape_count (machine, TORI_SHAPE_COMPACT,
                                           count, &compact));
            assert_true (tori_shape_fits (&first, machine));
            assert_true (tori_shape_fits (&compact, machine));
            assert_true (tori_shape_volume (&first) >= count);
            assert_true (tori_shape_volume (&first)
                         == tori_shape_volume (&compact));
            assert_true (side_sum (&compact) <= side_sum (&first));
        }
    }
}

TEST (larger_than_the_machine)
{
    AUTO_MACHINE *machine = make_machine ("torus:4x4");
    tori_shape shape = {.ndims = 7};
    assert_false (
        tori_shape_count (machine, TORI_SHAPE_COMPACT, 17, &shape));
    assert_int_equal (shape.ndims, 7);
    assert_true (tori_shape_count (machine, TORI_SHAPE_NONE, 16, &shape));
    assert_int_equal (shape.ndims, 0);
}

TEST (names)
{
    tori_shaping shaping = TORI_SHAPE_NONE;
    tori_error err;
    for (int i = 0; i <= TORI_SHAPE_AS_GIVEN; i++) {
        const char *name = tori_shaping_name ((tori_shaping)i);
        assert_int_equal (tori_shaping_parse (name, &shaping, &err), 0);
        assert_int_equal (shaping, i);
    }
    assert_null (tori_shaping_name ((tori_shaping)(TORI_SHAPE_AS_GIVEN + 1)));
    assert_int_equal (tori_shaping_parse ("thin", &shaping, &err), -1);
    assert_int_equal (shaping, TORI_SHAPE_AS_GIVEN);
    assert_int_equal (err.status, TORI_INVALID);
    assert_string_equal (err.text, "unknown shaping 'thin': expected count, "
                                   "first-match, fat, compact, as-given or "
                                   "none");
    assert_int_equal (tori_shaping_parse ("none", &shaping, &err), 0);
    assert_int_equal (shaping, TORI_SHAPE_NONE);
}

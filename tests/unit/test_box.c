/* Boxes, and their runs in sets of bits, against their definitions: by loops
 * over all nodes of small random machines. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "bits.h"
#include "grid.h"

/* ---- boxes ---- */

TEST (box_text)
{
    static const struct {
        const char *machine, *text, *canonical; /* NULL: refused */
    } cases[] = {
        {"mesh:8x8", "1,2/3x4", "1,2/3x4"},
        {"mesh:8x8", "1,2", "1,2/1x1"},
        {"mesh:8x8", "0,0/8x8", "0,0/8x8"},
        {"mesh:8x8", "1,0/8x8", NULL},
        {"torus:8x8", "1,0/8x8", "1,0/8x8"},
        {"torus:8x8", "7,7/2x8", "7,7/2x8"},
        {"torus:8x8", "0,0/9x1", NULL},
        {"torus:8x8m", "0,7/1x2", NULL},
        {"torus:8x8m", "7,0/2x1", "7,0/2x1"},
        {"multitorus:8", "7/2", NULL},
        {"multitorus:8", "6/2", "6/2"},
        {"mesh:8x8", "8,0/1x1", NULL},
        {"mesh:8x8", "0,0/1x1x1", NULL},
        {"mesh:8x8", "0,0/1", NULL},
        {"mesh:8x8", "0,0/0x1", NULL},
        {"mesh:8x8", "0,0/", NULL},
        {"mesh:8x8", "0,0/4294967295x1", NULL},
        {"torus:8x8", "7,0/4294967295x1", NULL},
        {"mesh:8x8", "/1x1", NULL},
        {"mesh:8x8", "", NULL},
        {"mesh:8x8", "0,0 1x1", NULL},
        {"mesh:8x8", "0,0/1x1/1x1", NULL},
        {"mesh:8x8", "0/1", NULL},
    };
    for (size_t i = 0; i < LENGTH (cases); i++) {
        AUTO_MACHINE *machine = make_machine (cases[i].machine);
        tori_box box = {.shape.ndims = 42};
        tori_error err = {.status = TORI_OK};
        char text[TORI_TEXT_MAX];
        int answer = tori_box_parse (machine, cases[i].text, &box, &err);
        if (answer != (cases[i].canonical ? 0 : -1))
            fail_msg ("box '%s' on %s", cases[i].text, cases[i].machine);
        if (cases[i].canonical) {
            tori_box_format (&box, text);
            assert_string_equal (text, cases[i].canonical);
        } else {
            assert_int_equal (err.status, TORI_INVALID);
            assert_int_equal (box.shape.ndims, 42);
        }
    }
}

static int compare_ids (const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Some coordinate of the box, counted on from its origin, is beyond the
 * side. */
static bool naive_wraps (const tori_machine *machine, const tori_box *box)
{
    for (int d = 0; d < box->shape.ndims; d++)
        for (uint32_t i = 0; i < box->shape.size[d]; i++)
            if (box->origin[d] + i >= tori_machine_size (machine, d))
                return true;
    return false;
}

static void expect_round_trip (const tori_machine *machine, const tori_box *box)
{
    char text[TORI_TEXT_MAX], again[TORI_TEXT_MAX];
    tori_box parsed;
    tori_box_format (box, text);
    parsed = make_box (machine, text);
    tori_box_format (&parsed, again);
    assert_string_equal (text, again);
}

static void check_box (const tori_machine *machine, const tori_box *box)
{
    size_t n = (size_t)tori_shape_volume (&box->shape);
    uint32_t *ids = make_array (n, sizeof *ids);
    uint32_t *expected = make_array (n, sizeof *expected);
    size_t inside = 0;
    naive_box_nodes (machine, box, expected);
    qsort (expected, n, sizeof *expected, compare_ids);
    tori_box_nodes (machine, box, ids);
    assert_memory_equal (ids, expected, n * sizeof *ids);
    for (uint32_t i = 0; i < tori_machine_nodes (machine); i++) {
        bool is = naive_contains (machine, box, i);
        assert_int_equal (tori_box_contains (machine, box, i), is);
        inside += is;
    }
    assert_int_equal (inside, n);
    assert_int_equal (tori_box_wraps (machine, box),
                      naive_wraps (machine, box));
    expect_round_trip (machine, box);
    free (expected);
    free (ids);
}

TEST (boxes)
{
    struct rng rng = seeded (6);
    for (int round = 0; round < 600; round++) {
        AUTO_MACHINE *machine = random_machine (&rng, 5, 300);
        tori_box box = random_box (&rng, machine, round % 2 ? 4 : 200, true);
        check_box (machine, &box);
    }
}

TEST (box_overlap)
{
    struct rng rng = seeded (7);
    int overlapping = 0;
    for (int round = 0; round < 4000; round++) {
        AUTO_MACHINE *machine = random_machine (&rng, 5, 150);
        tori_box a = random_box (&rng, machine, 4, true);
        tori_box b = random_box (&rng, machine, 4, true);
        bool both = false;
        for (uint32_t i = 0; i < tori_machine_nodes (machine); i++)
            both |= naive_contains (machine, &a, i)
                    && naive_contains (machine, &b, i);
        assert_int_equal (tori_box_overlap (machine, &a, &b), both);
        assert_int_equal (tori_box_overlap (machine, &b, &a), both);
        overlapping += both;
    }
    assert_uint_in_range (overlapping, 400, 3600); /* both answers are met */
}

/* ---- runs of a box in sets of bits ---- */

static uint64_t *random_set (struct rng *rng, uint32_t nodes)
{
    uint64_t *set = make_array (bits_words (nodes), sizeof *set);
    for (uint32_t i = 0; i < nodes; i++)
        if (chance (rng, 3))
            bits_set (set, i);
    return set;
}

static void check_grid (const tori_machine *machine, const tori_box *box,
                        const uint64_t *set)
{
    uint32_t nodes = tori_machine_nodes (machine), count = 0;
    size_t bytes = bits_words (nodes) * sizeof *set;
    uint64_t *with = make_array (1, bytes), *without = make_array (1, bytes);
    uint64_t *from = make_array (1, bytes), *to = make_array (1, bytes), moved;
    memcpy (with, set, bytes);
    memcpy (without, set, bytes);
    memcpy (from, set, bytes);
    grid_set (machine, box, with);
    grid_clear (machine, box, without);
    moved = grid_move (machine, box, from, to);
    for (uint32_t i = 0; i < nodes; i++) {
        bool in = naive_contains (machine, box, i), is = bits_test (set, i);
        assert_int_equal (bits_test (with, i), is || in);
        assert_int_equal (bits_test (without, i), is && !in);
        assert_int_equal (bits_test (from, i), is && !in);
        assert_int_equal (bits_test (to, i), in);
        count += is && in;
    }
    assert_int_equal (grid_count (machine, box, set), count);
    assert_int_equal (grid_any (machine, box, set), count > 0);
    assert_int_equal (moved, count);
    free (with);
    free (without);
    free (from);
    free (to);
}

static void check_runs (const tori_machine *machine, const tori_box *box)
{
    struct runs runs = runs_of_box (machine, box);
    uint64_t first, count, end = 0, sum = 0;
    while (runs_next (&runs, &first, &count)) {
        assert_true (count > 0);
        assert_true (sum == 0 || first >= end);
        end = first + count;
        sum += count;
    }
    assert_int_equal (sum, tori_shape_volume (&box->shape));
}

/* Sides that fill words evenly, alone or together. */
static tori_machine *random_powers (struct rng *rng)
{
    static const char *const machines[] = {
        "mesh:8x8x8", "torus:16x16",  "torus:4^4",     "mesh:2^9",
        "mesh:3x64",  "mesh:5x3x32",  "torus:7x2x32",  "mesh:3x128",
        "mesh:8x1x8", "torus:3x4x16", "mesh:2x3x4x16", "torus:1x8x8x1",
        "mesh:64x5",  "mesh:4x24",    "mesh:16x3x2",   "mesh:2x2",
    };
    return make_machine (machines[rng_below (rng, LENGTH (machines))]);
}

TEST (grid)
{
    struct rng rng = seeded (9);
    for (int round = 0; round < 800; round++) {
        tori_machine *machine = round % 2 ? random_machine (&rng, 5, 500)
                                          : random_powers (&rng);
        uint64_t *set = random_set (&rng, tori_machine_nodes (machine));
        tori_box box = random_box (&rng, machine, round % 3 ? 5 : 200, true);
        check_grid (machine, &box, set);
        check_runs (machine, &box);
        free (set);
        tori_machine_destroy (machine);
    }
}

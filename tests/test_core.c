/* Machines, shapes, boxes, links and states against their definitions, by
 * loops over all nodes of small random machines. */
#include "support.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bits.h"
#include "marks.h"

/* ---- machines ---- */

static void test_machine_text (void **state)
{
    static const struct {
        const char *text, *canonical;
        int ndims;
        uint32_t nodes;
    } cases[] = {
        {"mesh:1", "mesh:1", 1, 1},
        {"mesh:4x5", "mesh:4x5", 2, 20},
        {"torus:8^3", "torus:8x8x8", 3, 512},
        {"torus:8x8x8", "torus:8x8x8", 3, 512},
        {"multitorus:8x8x8", "multitorus:8x8x8", 3, 512},
        {"torus:16x16x8m", "torus:16x16x8m", 3, 2048},
        {"mesh:8tx4", "torus:8x4m", 2, 32},
        {"mesh:8tx4t", "torus:8x4", 2, 32},
        {"torus:2ux3^2mx4", "multitorus:2x3mx3mx4t", 4, 72},
        {"multitorus:5^2x6t", "multitorus:5x5x6t", 3, 150},
        {"mesh:007", "mesh:7", 1, 7},
        {"mesh:1^32", NULL, 32, 1},
        {"mesh:2^10", NULL, 10, 1024},
        {"mesh:2^20", NULL, 20, 1 << 20},
        {"torus:2^24", NULL, 24, 1 << 24},
        {"torus:256^3", "torus:256x256x256", 3, 1 << 24},
        {"multitorus:16777216", "multitorus:16777216", 1, 1 << 24},
        {"mesh:1073741824", "mesh:1073741824", 1, TORI_MAX_NODES},
    };
    for (size_t i = 0; i < LENGTH (cases); i++) {
        tori_machine *machine = make_machine (cases[i].text), *again;
        char text[TORI_TEXT_MAX], second[TORI_TEXT_MAX];
        tori_machine_format (machine, text);
        if (cases[i].canonical)
            assert_string_equal (text, cases[i].canonical);
        assert_int_equal (tori_machine_ndims (machine), cases[i].ndims);
        assert_int_equal (tori_machine_nodes (machine), cases[i].nodes);
        again = make_machine (text);
        tori_machine_format (again, second);
        assert_string_equal (text, second);
        tori_machine_destroy (again);
        tori_machine_destroy (machine);
    }
    tori_machine_destroy (NULL);
}

static void test_machine_refused (void **state)
{
    static const char *const cases[] = {
        "", ":", "mesh", "mesh:", ":8", "8x8", "grid:8", "MESH:8", "mesh;8",
        "mes:8", "meshes:8", " mesh:8", "mesh:0", "mesh:8x0", "mesh:0x8",
        "mesh:0^3", "mesh:8x", "mesh:x8", "mesh:8xx8", "mesh:8^0", "mesh:8^",
        "mesh:8^x", "mesh:8^-1", "mesh:1^33", "mesh:8^2^2", "mesh:8q",
        "mesh:8mm", "mesh:8m^2", "mesh: 8", "mesh:8 ", "mesh:-8", "mesh:+8",
        "mesh:8,8", "mesh:8X8", "mesh:8\n", "mesh:8.0", "mesh:8x8:8",
        "mesh:2^31", "mesh:1073741825", "mesh:65536x65536",
        "mesh:4294967296", "mesh:4294967297", "mesh:65536^4",
        "mesh:18446744073709551616", "mesh:18446744073709551617",
        "mesh:99999999999999999999999999", "mesh:8^4294967297",
        "mesh:1^16x1^17", "torus:1024x1024x1025",
    };
    for (size_t i = 0; i < LENGTH (cases); i++) {
        tori_error err = {.status = TORI_OK};
        tori_machine *machine = NULL;
        if (tori_machine_parse (cases[i], &machine, &err) == 0)
            fail_msg ("'%s' is taken for a machine", cases[i]);
        assert_null (machine);
        assert_int_equal (err.status, TORI_INVALID);
        assert_true (strlen (err.text) > 10);
        assert_int_equal (tori_machine_parse (cases[i], &machine, NULL), -1);
    }
}

static void test_machine_round_trip (void **state)
{
    struct rng rng;
    rng_seed (&rng, 1, 0);
    for (int round = 0; round < 500; round++) {
        tori_machine *a = random_machine (&rng, TORI_MAX_DIMS, 1 << 20), *b;
        char text[TORI_TEXT_MAX];
        uint64_t product = 1;
        tori_machine_format (a, text);
        b = make_machine (text);
        assert_true (tori_shape_equal (tori_machine_shape (a),
                                       tori_machine_shape (b)));
        for (int d = 0; d < tori_machine_ndims (a); d++) {
            tori_kind kind = tori_machine_kind (a, d);
            assert_int_equal (kind, tori_machine_kind (b, d));
            assert_int_equal (tori_machine_wraps (a, d), kind == TORI_TORUS);
            assert_int_equal (tori_machine_size (a, d),
                              tori_machine_shape (a)->size[d]);
            product *= tori_machine_size (a, d);
        }
        assert_int_equal (tori_machine_nodes (a), product);
        tori_machine_destroy (a);
        tori_machine_destroy (b);
    }
}

/* ---- nodes ---- */

static void test_node_example (void **state)
{
    tori_machine *machine = make_machine ("mesh:4x5");
    uint32_t id, coords[2] = {1, 2};
    assert_int_equal (tori_node_parse (machine, "1,2", &id, NULL), 0);
    assert_int_equal (id, 7);
    assert_int_equal (tori_machine_id (machine, coords), 7);
    tori_machine_destroy (machine);
}

/* Ids count up as the coordinates do, the last one fastest. */
static void test_node_order (void **state)
{
    struct rng rng;
    rng_seed (&rng, 2, 0);
    for (int round = 0; round < 100; round++) {
        tori_machine *machine = random_machine (&rng, 7, 2000);
        const tori_shape *shape = tori_machine_shape (machine);
        uint32_t at[TORI_MAX_DIMS] = {0}, id = 0;
        do {
            uint32_t coords[TORI_MAX_DIMS], parsed;
            char text[TORI_TEXT_MAX];
            tori_machine_coords (machine, id, coords);
            assert_memory_equal (coords, at,
                                 (size_t)shape->ndims * sizeof at[0]);
            assert_int_equal (tori_machine_id (machine, at), id);
            tori_node_format (machine, id, text);
            assert_int_equal (tori_node_parse (machine, text, &parsed, NULL),
                              0);
            assert_int_equal (parsed, id);
            id++;
        } while (count_up (at, shape->size, shape->ndims));
        assert_int_equal (id, tori_machine_nodes (machine));
        tori_machine_destroy (machine);
    }
}

static void test_node_refused (void **state)
{
    static const char *const cases[] = {
        "", ",", "1", "1,", ",1", "1,2,3", "1,2,", "1,,2", "4,0", "0,5",
        "-1,0", "+1,0", "1, 2", " 1,2", "1,2 ", "1;2", "1x2", "a,b", "1.0,2",
        "4294967296,0", "18446744073709551616,0", "1,2\n", "1,2/1x1",
    };
    tori_machine *machine = make_machine ("mesh:4x5");
    for (size_t i = 0; i < LENGTH (cases); i++) {
        tori_error err = {.status = TORI_OK};
        uint32_t id = 42;
        if (tori_node_parse (machine, cases[i], &id, &err) == 0)
            fail_msg ("'%s' is taken for a node", cases[i]);
        assert_int_equal (id, 42);
        assert_int_equal (err.status, TORI_INVALID);
    }
    tori_machine_destroy (machine);
}

/* Hops from one node to all others, by breadth-first search over the links
 * between neighbours: those of kinds n and w. (The folded ring of a
 * multi-torus joins switches.) */
static void walk (const struct naive *naive, uint32_t from, uint32_t hops[])
{
    uint32_t *queue = make_array (naive->n, sizeof *queue), head = 0, tail = 0;
    for (uint32_t i = 0; i < naive->n; i++)
        hops[i] = UINT32_MAX;
    hops[from] = 0;
    queue[tail++] = from;
    while (head < tail) {
        uint32_t at = queue[head++];
        for (size_t i = 0; i < naive->nlinks; i++) {
            const struct naive_link *link = &naive->links[i];
            uint32_t to = link->a == at ? link->b : link->a;
            if ((link->a != at && link->b != at) || link->kind == 's'
                || hops[to] != UINT32_MAX)
                continue;
            hops[to] = hops[at] + 1;
            queue[tail++] = to;
        }
    }
    free (queue);
}

static void test_distance (void **state)
{
    struct rng rng;
    rng_seed (&rng, 3, 0);
    for (int round = 0; round < 60; round++) {
        tori_machine *machine = random_machine (&rng, 5, 200);
        struct naive *naive = naive_create (machine);
        uint32_t *hops = make_array (naive->n, sizeof *hops);
        uint32_t from = between (&rng, 0, naive->n - 1);
        walk (naive, from, hops);
        for (uint32_t i = 0; i < naive->n; i++) {
            assert_int_equal (tori_machine_distance (machine, from, i),
                              hops[i]);
            assert_int_equal (tori_machine_distance (machine, i, from),
                              hops[i]);
        }
        free (hops);
        naive_destroy (naive);
        tori_machine_destroy (machine);
    }
}

/* ---- shapes ---- */

static void test_shape_text (void **state)
{
    static const char *const good[] = {
        "1", "4x4x2", "4294967295", "1x2x3x4x5x6x7x8x9x10x11x12x13x14x15x16",
        "1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1",
    };
    static const char *const bad[] = {
        "", "x", "4x", "x4", "4xx4", "0", "4x0x2", "4294967296", "-1", "+1",
        "4,4", "4 x4", " 4", "4 ", "4X4", "4^2", "4m", "4x4\n",
        "99999999999999999999",
        "1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1",
    };
    for (size_t i = 0; i < LENGTH (good); i++) {
        tori_shape shape = make_shape (good[i]);
        char text[TORI_TEXT_MAX];
        tori_shape_format (&shape, text);
        assert_string_equal (text, good[i]);
    }
    for (size_t i = 0; i < LENGTH (bad); i++) {
        tori_shape shape = {.ndims = 42};
        tori_error err = {.status = TORI_OK};
        if (tori_shape_parse (bad[i], &shape, &err) == 0)
            fail_msg ("'%s' is taken for a shape", bad[i]);
        assert_int_equal (err.status, TORI_INVALID);
        assert_int_equal (shape.ndims, 42);
    }
}

static void test_shape_volume (void **state)
{
    static const struct {
        const char *text;
        uint64_t volume;
    } cases[] = {
        {"1", 1},
        {"4x4x2", 32},
        {"4294967295x4294967295", UINT64_C (18446744065119617025)},
        {"4294967295x4294967295x2", UINT64_MAX},
        {"4294967295x4294967295x1x1", UINT64_C (18446744065119617025)},
        {"65536x65536x65536x65535", UINT64_C (18446462598732840960)},
        {"65536x65536x65536x65536", UINT64_MAX},
    };
    for (size_t i = 0; i < LENGTH (cases); i++) {
        tori_shape shape = make_shape (cases[i].text);
        assert_int_equal (tori_shape_volume (&shape), cases[i].volume);
    }
}

static void test_shape_equal (void **state)
{
    tori_shape a = make_shape ("4x4"), b = make_shape ("4x4x1"),
               c = make_shape ("4x2"), d = make_shape ("4x4");
    d.size[2] = 7; /* not a side of it */
    assert_false (tori_shape_equal (&a, &b));
    assert_false (tori_shape_equal (&a, &c));
    assert_true (tori_shape_equal (&a, &d));
}

static void test_shape_fits (void **state)
{
    struct rng rng;
    rng_seed (&rng, 4, 0);
    for (int round = 0; round < 500; round++) {
        tori_machine *machine = random_machine (&rng, 4, 1000);
        tori_shape shape = {.ndims = (int)between (&rng, 1, 4)};
        bool fits = shape.ndims == tori_machine_ndims (machine);
        for (int d = 0; d < shape.ndims; d++)
            shape.size[d] = between (&rng, 1, 6);
        for (int d = 0; fits && d < shape.ndims; d++)
            fits = shape.size[d] <= tori_machine_size (machine, d);
        assert_int_equal (tori_shape_fits (&shape, machine), fits);
        tori_machine_destroy (machine);
    }
}

/* Distinct, complete, in order: the list that a recursion over the different
 * sides makes. */
static void expect_rotations (const tori_shape *shape)
{
    tori_shape *list, turned = *shape;
    size_t n = naive_rotations (shape, false, &list), i = 0;
    tori_shape_sort (&turned);
    do {
        assert_true (i < n);
        assert_true (tori_shape_equal (&turned, &list[i++]));
    } while (tori_shape_next_rotation (&turned));
    assert_int_equal (i, n);
    free (list);
}

static void test_rotations (void **state)
{
    struct rng rng;
    rng_seed (&rng, 5, 0);
    for (int round = 0; round < 500; round++) {
        tori_shape shape = {.ndims = (int)between (&rng, 1, 6)};
        for (int d = 0; d < shape.ndims; d++)
            shape.size[d] = between (&rng, 1, 4);
        expect_rotations (&shape);
    }
}

static void test_rotation_counts (void **state)
{
    static const struct {
        const char *text;
        size_t count;
    } cases[] = {
        {"7", 1},   {"4x4x4", 1},       {"4x4x2", 3},
        {"1x2x3", 6}, {"4x3x2x1x5", 120}, {"2x2x1x1x1x1x1x1x1x1x1x1", 66},
    };
    for (size_t i = 0; i < LENGTH (cases); i++) {
        tori_shape shape = make_shape (cases[i].text);
        size_t n = 1;
        expect_rotations (&shape);
        tori_shape_sort (&shape);
        while (tori_shape_next_rotation (&shape))
            n++;
        assert_int_equal (n, cases[i].count);
    }
}

/* ---- boxes ---- */

static void test_box_text (void **state)
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
        tori_machine *machine = make_machine (cases[i].machine);
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
        tori_machine_destroy (machine);
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

static uint64_t naive_pairwise (const tori_machine *machine,
                                const uint32_t ids[], size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            sum += tori_machine_distance (machine, ids[i], ids[j]);
    return sum;
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
    uint64_t sum;
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
    assert_int_equal (tori_box_pairwise (machine, box),
                      naive_pairwise (machine, ids, n));
    assert_int_equal (tori_nodes_pairwise (machine, ids, n, &sum, NULL), 0);
    assert_int_equal (tori_box_pairwise (machine, box), sum);
    expect_round_trip (machine, box);
    free (expected);
    free (ids);
}

static void test_boxes (void **state)
{
    struct rng rng;
    rng_seed (&rng, 6, 0);
    for (int round = 0; round < 600; round++) {
        tori_machine *machine = random_machine (&rng, 5, 300);
        tori_box box = random_box (&rng, machine, round % 2 ? 4 : 200, true);
        check_box (machine, &box);
        tori_machine_destroy (machine);
    }
}

static void test_box_overlap (void **state)
{
    struct rng rng;
    int overlapping = 0;
    rng_seed (&rng, 7, 0);
    for (int round = 0; round < 4000; round++) {
        tori_machine *machine = random_machine (&rng, 5, 150);
        tori_box a = random_box (&rng, machine, 4, true);
        tori_box b = random_box (&rng, machine, 4, true);
        bool both = false;
        for (uint32_t i = 0; i < tori_machine_nodes (machine); i++)
            both |= naive_contains (machine, &a, i)
                    && naive_contains (machine, &b, i);
        assert_int_equal (tori_box_overlap (machine, &a, &b), both);
        assert_int_equal (tori_box_overlap (machine, &b, &a), both);
        overlapping += both;
        tori_machine_destroy (machine);
    }
    assert_in_range (overlapping, 400, 3600); /* both answers are met */
}

/* The sum of i (n - i) for i from 1 to n - 1 is n (n - 1) (n + 1) / 6. */
static void test_pairwise_large (void **state)
{
    static const struct {
        const char *machine;
        uint64_t sum;
    } cases[] = {
        {"mesh:1048576", UINT64_C (192153584100966400)},
        {"mesh:1073741824", UINT64_MAX},
        {"torus:1048576", UINT64_C (144115188075855872)}, /* n^3 / 8 */
        {"mesh:2^10", UINT64_C (512) * 512 * 10},
    };
    for (size_t i = 0; i < LENGTH (cases); i++) {
        tori_machine *machine = make_machine (cases[i].machine);
        tori_box box = {.shape = *tori_machine_shape (machine)};
        assert_int_equal (tori_box_pairwise (machine, &box), cases[i].sum);
        tori_machine_destroy (machine);
    }
}

/* Repeats count as nodes at distance 0. */
static void test_nodes_pairwise (void **state)
{
    struct rng rng;
    rng_seed (&rng, 8, 0);
    for (int round = 0; round < 600; round++) {
        tori_machine *machine = random_machine (&rng, 5, 5000);
        uint32_t ids[40];
        size_t n = rng_below (&rng, LENGTH (ids) + 1);
        uint64_t sum;
        for (size_t i = 0; i < n; i++)
            ids[i] = i && chance (&rng, 20)
                         ? ids[rng_below (&rng, i)]
                         : between (&rng, 0,
                                    tori_machine_nodes (machine) - 1);
        assert_int_equal (tori_nodes_pairwise (machine, ids, n, &sum, NULL),
                          0);
        assert_int_equal (sum, naive_pairwise (machine, ids, n));
        tori_machine_destroy (machine);
    }
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

static void test_grid (void **state)
{
    struct rng rng;
    rng_seed (&rng, 9, 0);
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

/* ---- links ---- */

/* A line of S switches: S-1 links on a mesh, S on a torus, 2S-1 on a
 * multi-torus; two for two nodes that close a ring, none for one. */
static void test_link_counts (void **state)
{
    for (uint32_t S = 1; S <= 40; S++) {
        static const char *const kinds[] = {"mesh", "torus", "multitorus"};
        const uint64_t per_line[] = {S - 1, S == 1 ? 0 : S,
                                     S == 1 ? 0 : S == 2 ? 2 : 2 * S - 1};
        for (size_t k = 0; k < LENGTH (kinds); k++) {
            char text[40];
            snprintf (text, sizeof text, "%s:%ux3mx1t", kinds[k], S);
            tori_machine *machine = make_machine (text);
            assert_int_equal (tori_machine_links (machine),
                              3 * per_line[k] + 2 * S);
            tori_machine_destroy (machine);
        }
    }
}

/* The links of the machine are those of the model, each in one slot. */
static void check_link_slots (const struct naive *naive)
{
    const tori_machine *machine = naive->machine;
    bool *seen = make_array (naive->nlinks, sizeof *seen);
    size_t n = 0;
    for (int d = 0; d < tori_machine_ndims (machine); d++)
        for (int layer = TORI_NEAR; layer <= TORI_FAR; layer++)
            for (uint32_t slot = 0; slot < naive->n; slot++) {
                tori_link link = {d, (tori_layer)layer, slot};
                size_t number;
                if (!tori_link_exists (machine, &link))
                    continue;
                number = naive_number (naive, &link);
                assert_false (seen[number]);
                seen[number] = true;
                n++;
            }
    assert_int_equal (n, naive->nlinks);
    assert_int_equal (tori_machine_links (machine), n);
    free (seen);
}

/* Every link is found by the text of its ends, either way round; without a
 * kind the neighbour link, or what else joins the two. */
static void check_link_text (const struct naive *naive, size_t number)
{
    const tori_machine *machine = naive->machine;
    const struct naive_link *is = &naive->links[number];
    char a[TORI_TEXT_MAX], b[TORI_TEXT_MAX], text[3 * TORI_TEXT_MAX];
    bool near = false;
    tori_link link;
    size_t found;
    tori_node_format (machine, is->a, a);
    tori_node_format (machine, is->b, b);
    snprintf (text, sizeof text, "%s-%s %c", a, b, is->kind);
    assert_int_equal (tori_link_parse (machine, text, &link, NULL), 0);
    assert_int_equal (naive_number (naive, &link), number);
    snprintf (text, sizeof text, "%s-%s %c", b, a, is->kind);
    assert_int_equal (tori_link_parse (machine, text, &link, NULL), 0);
    assert_int_equal (naive_number (naive, &link), number);
    snprintf (text, sizeof text, "%s-%s", a, b);
    assert_int_equal (tori_link_parse (machine, text, &link, NULL), 0);
    found = naive_number (naive, &link);
    for (size_t i = 0; i < naive->nlinks; i++)
        near |= naive->links[i].a == is->a && naive->links[i].b == is->b
                && naive->links[i].kind == 'n';
    assert_int_equal (naive->links[found].a, is->a);
    assert_int_equal (naive->links[found].b, is->b);
    assert_int_equal (naive->links[found].kind, near ? 'n' : is->kind);
}

static void test_links (void **state)
{
    struct rng rng;
    rng_seed (&rng, 10, 0);
    for (int round = 0; round < 150; round++) {
        tori_machine *machine = random_machine (&rng, 5, 200);
        struct naive *naive = naive_create (machine);
        check_link_slots (naive);
        for (int i = 0; i < 50 && naive->nlinks; i++)
            check_link_text (naive, rng_below (&rng, naive->nlinks));
        naive_destroy (naive);
        tori_machine_destroy (machine);
    }
}

static void test_link_two_nodes (void **state)
{
    tori_machine *torus = make_machine ("torus:2"),
                 *multi = make_machine ("multitorus:2");
    tori_link n, w, s;
    assert_int_equal (tori_link_parse (torus, "0-1 n", &n, NULL), 0);
    assert_int_equal (tori_link_parse (torus, "0-1 w", &w, NULL), 0);
    assert_int_equal (tori_link_parse (torus, "0-1 s", &s, NULL), -1);
    assert_int_not_equal (n.slot, w.slot);
    assert_int_equal (tori_link_parse (multi, "0-1 n", &n, NULL), 0);
    assert_int_equal (tori_link_parse (multi, "0-1 s", &s, NULL), 0);
    assert_int_equal (tori_link_parse (multi, "0-1 w", &w, NULL), -1);
    assert_int_not_equal (n.layer, s.layer);
    tori_machine_destroy (torus);
    tori_machine_destroy (multi);
}

static void test_link_refused (void **state)
{
    static const char *const cases[][2] = {
        {"mesh:4x4", "0,0-0,0"},      {"mesh:4x4", "0,0-1,1"},
        {"mesh:4x4", "0,0-0,2"},      {"mesh:4x4", "0,0-0,3"},
        {"mesh:4x4", "0,0-0,1 s"},    {"mesh:4x4", "0,0-0,1 w"},
        {"mesh:4x4", "0,0-0,1 x"},    {"mesh:4x4", "0,0-0,1 nn"},
        {"mesh:4x4", "0,0-0,1 "},     {"mesh:4x4", "0,0-0,1  n"},
        {"mesh:4x4", "0,0-0,1 n "},   {"mesh:4x4", "0,0 n-0,1"},
        {"mesh:4x4", "0,0"},          {"mesh:4x4", "0,0-"},
        {"mesh:4x4", "-0,1"},         {"mesh:4x4", "-"},
        {"mesh:4x4", ""},             {"mesh:4x4", "0,0-0,1-0,2"},
        {"mesh:4x4", "0,0-0,4"},      {"mesh:4x4", "0-1"},
        {"torus:5", "0-2"},           {"torus:5", "0-4 n"},
        {"torus:5", "0-4 s"},         {"multitorus:5", "0-3"},
        {"multitorus:5", "0-4"},      {"multitorus:5", "1-2 s"},
        {"multitorus:5", "0-2 n"},    {"multitorus:5", "0-2 w"},
        {"mesh:1x4", "0,0-1,0"},
    };
    for (size_t i = 0; i < LENGTH (cases); i++) {
        tori_machine *machine = make_machine (cases[i][0]);
        tori_error err = {.status = TORI_OK};
        tori_link link = {.dim = 42};
        if (tori_link_parse (machine, cases[i][1], &link, &err) == 0)
            fail_msg ("'%s' is taken for a link of %s", cases[i][1],
                      cases[i][0]);
        assert_int_equal (err.status, TORI_INVALID);
        assert_int_equal (link.dim, 42);
        tori_machine_destroy (machine);
    }
}

/* However long the text is, what is behind a number is not dropped. */
static void test_link_long_text (void **state)
{
    tori_machine *machine = make_machine ("mesh:4");
    char text[2 * TORI_TEXT_MAX];
    tori_link link;
    memset (text, '0', sizeof text);
    snprintf (text + TORI_TEXT_MAX + 50, 20, "x-1");
    assert_int_equal (tori_link_parse (machine, text, &link, NULL), -1);
    memset (text, '0', sizeof text);
    snprintf (text + TORI_TEXT_MAX + 50, 20, "3-1");
    assert_int_equal (tori_link_parse (machine, text, &link, NULL), -1);
    tori_machine_destroy (machine);
}

/* What is no link of the machine exists in no sense and cannot go down. */
static void test_link_none (void **state)
{
    static const tori_link cases[] = {
        {-1, TORI_NEAR, 0}, {-1000, TORI_NEAR, 0}, {2, TORI_NEAR, 0},
        {1000, TORI_FAR, 0}, {0, TORI_NEAR, 20}, {0, TORI_NEAR, UINT32_MAX},
        {0, TORI_NEAR, 15}, {0, TORI_FAR, 0}, {1, TORI_NEAR, 4},
    };
    tori_machine *machine = make_machine ("mesh:4x5");
    tori_state *s = make_state (machine), *fresh = make_state (machine);
    for (size_t i = 0; i < LENGTH (cases); i++) {
        tori_error err = {.status = TORI_OK};
        assert_false (tori_link_exists (machine, &cases[i]));
        assert_int_equal (tori_state_set_link_down (s, &cases[i], true, &err),
                          -1);
        assert_int_equal (err.status, TORI_INVALID);
    }
    assert_true (tori_state_equal (s, fresh));
    tori_state_destroy (s);
    tori_state_destroy (fresh);
    tori_machine_destroy (machine);
}

/* ---- states ---- */

/* Busy, down and drained are independent of one another, and a node is free
 * when it is none of them: all eight combinations, reached in any order. */
static void test_node_flags (void **state)
{
    tori_machine *machine = make_machine ("mesh:3");
    for (int order = 0; order < 6; order++)
        for (int flags = 0; flags < 8; flags++) {
            static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                             {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
            tori_state *s = make_state (machine);
            bool busy = flags & 1, down = flags & 2, drained = flags & 4;
            for (int i = 0; i < 3; i++) {
                int what = orders[order][i];
                if (what == 0 && busy)
                    state_hold_node (s, 1);
                if (what == 1)
                    tori_state_set_down (s, 1, down, NULL);
                if (what == 2)
                    tori_state_set_drained (s, 1, drained, NULL);
            }
            assert_int_equal (tori_state_node (s, 1),
                              down      ? TORI_NODE_DOWN
                              : drained ? TORI_NODE_DRAINED
                              : busy    ? TORI_NODE_BUSY
                                        : TORI_NODE_FREE);
            assert_int_equal (tori_state_is_free (s, 1), flags == 0);
            assert_int_equal (tori_state_is_busy (s, 1), busy);
            assert_int_equal (tori_state_free_count (s), flags ? 2 : 3);
            tori_state_destroy (s);
        }
    tori_machine_destroy (machine);
}

/* A held box, for the random walks below. */
struct held {
    bool is;
    tori_box box;
};

/* Hold a free box or release a held one. */
static void step_held (struct held *held, int owner, struct naive *naive,
                       tori_state *s, struct rng *rng)
{
    if (held->is) {
        state_release_box (s, &held->box);
        naive_release (naive, owner);
        held->is = false;
        return;
    }
    held->box = random_box (rng, naive->machine, 4, true);
    if (!naive_box_free (naive, &held->box))
        return;
    state_hold_box (s, &held->box);
    naive_hold (naive, &held->box, TORI_WIRE_NONE, owner);
    held->is = true;
}

static void walk_state (struct naive *naive, tori_state *s, struct rng *rng,
                        struct held held[], size_t nheld, int steps)
{
    while (steps-- > 0) {
        size_t i = rng_below (rng, nheld);
        if (chance (rng, 30))
            naive_disturb_node (naive, s, rng);
        else if (chance (rng, 20))
            naive_disturb_link (naive, s, rng);
        else
            step_held (&held[i], (int)i, naive, s, rng);
        naive_expect (naive, s);
    }
}

static void test_states (void **state)
{
    struct rng rng;
    rng_seed (&rng, 11, 0);
    for (int round = 0; round < 60; round++) {
        tori_machine *machine = random_machine (&rng, 4, 120);
        struct naive *naive = naive_create (machine);
        tori_state *s = make_state (machine), *fresh = make_state (machine);
        struct held held[6] = {0};
        naive_expect (naive, s);
        walk_state (naive, s, &rng, held, LENGTH (held), 60);
        for (size_t i = 0; i < LENGTH (held); i++)
            if (held[i].is)
                step_held (&held[i], (int)i, naive, s, &rng);
        naive_expect (naive, s);
        naive_repair (naive, s);
        assert_true (tori_state_equal (s, fresh));
        tori_state_destroy (s);
        tori_state_destroy (fresh);
        naive_destroy (naive);
        tori_machine_destroy (machine);
    }
}

/* Nodes one by one, too. */
static void test_state_nodes (void **state)
{
    tori_machine *machine = make_machine ("mesh:9x9");
    struct naive *naive = naive_create (machine);
    tori_state *s = make_state (machine);
    struct rng rng;
    rng_seed (&rng, 12, 0);
    for (int step = 0; step < 500; step++) {
        uint32_t node = between (&rng, 0, naive->n - 1);
        if (chance (&rng, 40)) {
            naive_disturb_node (naive, s, &rng);
        } else if (naive->nodes[node].owner == NOBODY) {
            naive->nodes[node].owner = 1;
            state_hold_node (s, node);
        } else {
            naive->nodes[node].owner = NOBODY;
            state_release_node (s, node);
        }
        naive_expect (naive, s);
    }
    tori_state_destroy (s);
    naive_destroy (naive);
    tori_machine_destroy (machine);
}

/* A copy is equal, is what the original was, and goes its own way; into a
 * state that holds other things it leaves nothing of them. */
static void test_state_copy (void **state)
{
    struct rng rng;
    rng_seed (&rng, 13, 0);
    for (int round = 0; round < 100; round++) {
        tori_machine *machine = random_machine (&rng, 4, 120);
        struct naive *naive = naive_create (machine),
                     *other = naive_create (machine);
        tori_state *a = make_state (machine), *b = make_state (machine);
        struct held held[4] = {0}, more[4] = {0};
        walk_state (naive, a, &rng, held, LENGTH (held),
                    (int)between (&rng, 0, 12));
        walk_state (other, b, &rng, more, LENGTH (more),
                    (int)between (&rng, 0, 12));
        assert_int_equal (tori_state_copy (b, a, NULL), 0);
        assert_true (tori_state_equal (a, b) && tori_state_equal (b, a));
        naive_expect (naive, b);
        tori_state_set_down (b, 0, !naive->nodes[0].down, NULL);
        assert_false (tori_state_equal (a, b) || tori_state_equal (b, a));
        naive_expect (naive, a);
        tori_state_destroy (a);
        tori_state_destroy (b);
        naive_destroy (naive);
        naive_destroy (other);
        tori_machine_destroy (machine);
    }
    tori_state_destroy (NULL);
}

/* A set that was needed once and is empty again is as good as none, whichever
 * of the two states has it. */
static void test_state_equal_empty (void **state)
{
    tori_machine *machine = make_machine ("torus:4x4");
    tori_state *a = make_state (machine), *b = make_state (machine);
    tori_link link = {0, TORI_NEAR, 5};
    tori_state_set_drained (a, 3, true, NULL);
    tori_state_set_link_down (a, &link, true, NULL);
    assert_false (tori_state_equal (a, b) || tori_state_equal (b, a));
    tori_state_set_drained (a, 3, false, NULL);
    assert_false (tori_state_equal (a, b) || tori_state_equal (b, a));
    tori_state_set_link_down (a, &link, false, NULL);
    assert_true (tori_state_equal (a, b) && tori_state_equal (b, a));
    assert_ptr_equal (tori_state_machine (a), machine);
    tori_state_destroy (a);
    tori_state_destroy (b);
    tori_machine_destroy (machine);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_machine_text),
        cmocka_unit_test (test_machine_refused),
        cmocka_unit_test (test_machine_round_trip),
        cmocka_unit_test (test_node_example),
        cmocka_unit_test (test_node_order),
        cmocka_unit_test (test_node_refused),
        cmocka_unit_test (test_distance),
        cmocka_unit_test (test_shape_text),
        cmocka_unit_test (test_shape_volume),
        cmocka_unit_test (test_shape_equal),
        cmocka_unit_test (test_shape_fits),
        cmocka_unit_test (test_rotations),
        cmocka_unit_test (test_rotation_counts),
        cmocka_unit_test (test_box_text),
        cmocka_unit_test (test_boxes),
        cmocka_unit_test (test_box_overlap),
        cmocka_unit_test (test_pairwise_large),
        cmocka_unit_test (test_nodes_pairwise),
        cmocka_unit_test (test_grid),
        cmocka_unit_test (test_link_counts),
        cmocka_unit_test (test_links),
        cmocka_unit_test (test_link_two_nodes),
        cmocka_unit_test (test_link_refused),
        cmocka_unit_test (test_link_long_text),
        cmocka_unit_test (test_link_none),
        cmocka_unit_test (test_node_flags),
        cmocka_unit_test (test_states),
        cmocka_unit_test (test_state_nodes),
        cmocka_unit_test (test_state_copy),
        cmocka_unit_test (test_state_equal_empty),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}

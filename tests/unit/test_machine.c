/* Machines, their nodes, and shapes, against their definitions. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

/* ---- machines ---- */

TEST (machine_text)
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

TEST (machine_refused)
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

TEST (machine_round_trip)
{
    struct rng rng = seeded (1);
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

/* From numbers it is the machine that its text says. */
TEST (machine_numbers)
{
    struct rng rng = seeded (5);
    for (int i = 0; i < 200; i++) {
        tori_machine *wanted = random_machine (&rng, 5, 400), *got;
        char text[TORI_TEXT_MAX], other[TORI_TEXT_MAX];
        tori_kind kinds[TORI_MAX_DIMS];
        int ndims = tori_machine_ndims (wanted);
        for (int d = 0; d < ndims; d++)
            kinds[d] = tori_machine_kind (wanted, d);
        assert_int_equal (
            tori_machine_create_mixed (ndims, kinds,
                                       tori_machine_shape (wanted)->size, &got,
                                       NULL),
            0);
        tori_machine_format (wanted, text);
        tori_machine_format (got, other);
        assert_string_equal (text, other);
        assert_int_equal (tori_machine_nodes (wanted),
                          tori_machine_nodes (got));
        assert_int_equal (tori_machine_distance (wanted, 0,
                                                 tori_machine_nodes (got) - 1),
                          tori_machine_distance (got, 0,
                                                 tori_machine_nodes (got)
                                                     - 1));
        tori_machine_destroy (wanted);
        tori_machine_destroy (got);
    }
}

TEST (machine_numbers_refused)
{
    static const uint32_t sizes[TORI_MAX_DIMS + 1] = {1 << 15, 1 << 15, 2, 0};
    static const struct {
        int kind, ndims;
    } cases[] = {
        {TORI_TORUS, 0}, {TORI_TORUS, -1}, {TORI_TORUS, 3}, {3, 2}, {-1, 2},
    };
    tori_machine *machine = NULL;
    tori_error err;
    char text[TORI_TEXT_MAX];
    for (size_t i = 0; i < LENGTH (cases); i++) {
        assert_int_equal (tori_machine_create ((tori_kind)cases[i].kind,
                                               cases[i].ndims, sizes, &machine,
                                               &err),
                          -1);
        assert_int_equal (err.status, TORI_INVALID);
    }
    assert_int_equal (tori_machine_create (TORI_MESH, 1, sizes + 3, &machine,
                                           &err),
                      -1);
    assert_string_equal (err.text, "machine size 0: sizes are at least 1");
    assert_null (machine);
    assert_int_equal (tori_machine_create (TORI_MULTITORUS, 2, sizes, &machine,
                                           &err),
                      0);
    tori_machine_format (machine, text);
    assert_string_equal (text, "multitorus:32768x32768");
    tori_machine_destroy (machine);
}

/* ---- nodes ---- */

TEST (node_example)
{
    AUTO_MACHINE *machine = make_machine ("mesh:4x5");
    uint32_t id, coords[2] = {1, 2};
    assert_int_equal (tori_node_parse (machine, "1,2", &id, NULL), 0);
    assert_int_equal (id, 7);
    assert_int_equal (tori_machine_id (machine, coords), 7);
}

/* Ids count up as the coordinates do, the last one fastest. */
TEST (node_order)
{
    struct rng rng = seeded (2);
    for (int round = 0; round < 100; round++) {
        AUTO_MACHINE *machine = random_machine (&rng, 7, 2000);
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
    }
}

TEST (node_refused)
{
    static const char *const cases[] = {
        "", ",", "1", "1,", ",1", "1,2,3", "1,2,", "1,,2", "4,0", "0,5",
        "-1,0", "+1,0", "1, 2", " 1,2", "1,2 ", "1;2", "1x2", "a,b", "1.0,2",
        "4294967296,0", "18446744073709551616,0", "1,2\n", "1,2/1x1",
    };
    AUTO_MACHINE *machine = make_machine ("mesh:4x5");
    for (size_t i = 0; i < LENGTH (cases); i++) {
        tori_error err = {.status = TORI_OK};
        uint32_t id = 42;
        if (tori_node_parse (machine, cases[i], &id, &err) == 0)
            fail_msg ("'%s' is taken for a node", cases[i]);
        assert_int_equal (id, 42);
        assert_int_equal (err.status, TORI_INVALID);
    }
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

TEST (distance)
{
    struct rng rng = seeded (3);
    for (int round = 0; round < 60; round++) {
        AUTO_MACHINE *machine = random_machine (&rng, 5, 200);
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
    }
}

/* ---- shapes ---- */

TEST (shape_text)
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

TEST (shape_volume)
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

TEST (shape_equal)
{
    tori_shape a = make_shape ("4x4"), b = make_shape ("4x4x1"),
               c = make_shape ("4x2"), d = make_shape ("4x4");
    d.size[2] = 7; /* not a side of it */
    assert_false (tori_shape_equal (&a, &b));
    assert_false (tori_shape_equal (&a, &c));
    assert_true (tori_shape_equal (&a, &d));
}

TEST (shape_fits)
{
    struct rng rng = seeded (4);
    for (int round = 0; round < 500; round++) {
        AUTO_MACHINE *machine = random_machine (&rng, 4, 1000);
        tori_shape shape = {.ndims = (int)between (&rng, 1, 4)};
        bool fits = shape.ndims == tori_machine_ndims (machine);
        for (int d = 0; d < shape.ndims; d++)
            shape.size[d] = between (&rng, 1, 6);
        for (int d = 0; fits && d < shape.ndims; d++)
            fits = shape.size[d] <= tori_machine_size (machine, d);
        assert_int_equal (tori_shape_fits (&shape, machine), fits);
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

TEST (rotations)
{
    struct rng rng = seeded (5);
    for (int round = 0; round < 500; round++) {
        tori_shape shape = {.ndims = (int)between (&rng, 1, 6)};
        for (int d = 0; d < shape.ndims; d++)
            shape.size[d] = between (&rng, 1, 4);
        expect_rotations (&shape);
    }
}

TEST (rotation_counts)
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

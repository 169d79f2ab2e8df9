/* Interleaved subtori against their definition in Gupta and Srimani, "Job
 * Scheduling for Torus Connected Networks", 1997, section 2.1: sets of nodes
 * and of edges, and for every edge the links that it spans, one by one. */
#include <stdlib.h>
#include <string.h>

#include <tori/subtorus.h>

#include "support.h"

enum { ROUNDS = 400, MAX_NODES = 256 };

/* ---- by definition ---- */

/* Which nodes and which links a subtorus has. A link is the one from a node to
 * the next of a dimension: dim * nodes + node. */
struct parts {
    bool node[MAX_NODES];
    bool link[TORI_MAX_DIMS * MAX_NODES];
};

static void step (const tori_machine *machine, uint32_t coords[], int dim)
{
    coords[dim] = (coords[dim] + 1) % tori_machine_size (machine, dim);
}

/* From a node of the subtorus along a dimension, link by link, until the next
 * node of it, which may be itself. */
static void span_edge (const tori_machine *machine, uint32_t from, int dim,
                       struct parts *parts)
{
    uint32_t coords[TORI_MAX_DIMS], n = tori_machine_nodes (machine);
    tori_machine_coords (machine, from, coords);
    do {
        uint32_t id = tori_machine_id (machine, coords);
        parts->link[(uint32_t)dim * n + id] =
            tori_machine_size (machine, dim) > 1;
        step (machine, coords, dim);
    } while (!parts->node[tori_machine_id (machine, coords)]);
}

static void parts_of (const tori_machine *machine,
                      const tori_subtorus *subtorus, struct parts *parts)
{
    uint32_t n = tori_machine_nodes (machine);
    memset (parts, 0, sizeof *parts);
    for (uint32_t id = 0; id < n; id++) {
        uint32_t coords[TORI_MAX_DIMS];
        tori_machine_coords (machine, id, coords);
        parts->node[id] = true;
        for (int d = 0; d < subtorus->shape.ndims; d++) {
            uint32_t K =
                tori_machine_size (machine, d) / subtorus->shape.size[d];
            parts->node[id] &= coords[d] % K == subtorus->offset[d];
        }
    }
    for (uint32_t id = 0; id < n; id++)
        for (int d = 0; parts->node[id] && d < subtorus->shape.ndims; d++)
            span_edge (machine, id, d, parts);
}

static bool share (const bool a[], const bool b[], size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (a[i] && b[i])
            return true;
    return false;
}

static bool naive_link_disjoint (const tori_machine *machine,
                                 const struct parts *a, const struct parts *b)
{
    size_t links = (size_t)tori_machine_ndims (machine)
                   * tori_machine_nodes (machine);
    return !share (a->link, b->link, links);
}

/* ---- random ones ---- */

static tori_machine *random_torus (struct rng *rng)
{
    static const char *const texts[] = {
        "torus:8x8",   "torus:4x4",   "torus:8x4",     "torus:2x2",
        "torus:16",    "torus:4x4x4", "torus:2x4x8",   "torus:12x6",
        "torus:9x3x3", "torus:2^6",   "torus:1x8",     "torus:1x1",
        "torus:6x10",  "torus:16x16", "torus:4x1x4x2", "torus:5x5"};
    return make_machine (texts[between (rng, 0, LENGTH (texts) - 1)]);
}

static tori_shape random_shape (struct rng *rng, const tori_machine *machine)
{
    tori_shape shape = {.ndims = tori_machine_ndims (machine)};
    for (int d = 0; d < shape.ndims; d++) {
        uint32_t side = tori_machine_size (machine, d);
        do
            shape.size[d] = between (rng, 1, side);
        while (side % shape.size[d]);
    }
    return shape;
}

static tori_subtorus random_subtorus (struct rng *rng,
                                      const tori_machine *machine)
{
    tori_shape shape = random_shape (rng, machine);
    tori_subtorus subtorus;
    tori_subtorus_at (machine, &shape,
                      between (rng, 0,
                               tori_subtorus_count (machine, &shape) - 1),
                      &subtorus);
    return subtorus;
}

/* ---- nodes and links ---- */

TEST (numbers)
{
    struct rng rng;
    rng_seed (&rng, 1, 1);
    for (int round = 0; round < ROUNDS; round++) {
        tori_machine *machine = random_torus (&rng);
        tori_shape shape = random_shape (&rng, machine);
        tori_subtorus subtorus, before = {.shape = shape};
        uint32_t count = tori_subtorus_count (machine, &shape);
        for (uint32_t i = 0; i < count; i++) {
            tori_subtorus_at (machine, &shape, i, &subtorus);
            assert_int_equal (tori_subtorus_index (machine, &subtorus), i);
            for (int d = 0; i > 0 && d < shape.ndims; d++)
                if (subtorus.offset[d] != before.offset[d]) {
                    assert_true (subtorus.offset[d] > before.offset[d]);
                    break;
                }
            before = subtorus;
        }
        tori_machine_destroy (machine);
    }
}

TEST (nodes)
{
    struct rng rng;
    struct parts parts;
    rng_seed (&rng, 2, 1);
    for (int round = 0; round < ROUNDS; round++) {
        tori_machine *machine = random_torus (&rng);
        tori_subtorus subtorus = random_subtorus (&rng, machine);
        uint32_t ids[MAX_NODES], n = 0;
        parts_of (machine, &subtorus, &parts);
        tori_subtorus_nodes (machine, &subtorus, ids);
        for (uint32_t id = 0; id < tori_machine_nodes (machine); id++) {
            assert_int_equal (
                tori_subtorus_contains (machine, &subtorus, id),
                parts.node[id]);
            if (parts.node[id])
                assert_int_equal (ids[n++], id);
        }
        assert_int_equal (n, tori_shape_volume (&subtorus.shape));
        tori_machine_destroy (machine);
    }
}

/* Every edge's span, together, are the links used. */
TEST (spans)
{
    struct rng rng;
    struct parts parts, spans;
    rng_seed (&rng, 3, 1);
    for (int round = 0; round < ROUNDS; round++) {
        tori_machine *machine = random_torus (&rng);
        tori_subtorus subtorus = random_subtorus (&rng, machine);
        uint32_t n = tori_machine_nodes (machine);
        tori_link links[MAX_NODES];
        parts_of (machine, &subtorus, &parts);
        memset (&spans, 0, sizeof spans);
        for (uint32_t id = 0; id < n; id++)
            for (int d = 0; parts.node[id] && d < subtorus.shape.ndims; d++) {
                uint32_t K =
                    tori_subtorus_span (machine, &subtorus, id, d, links);
                for (uint32_t i = 0; i < K; i++) {
                    assert_int_equal (links[i].dim, d);
                    assert_true (tori_link_exists (machine, &links[i]));
                    spans.link[(uint32_t)d * n + links[i].slot] = true;
                }
            }
        for (uint32_t i = 0; i < n * (uint32_t)subtorus.shape.ndims; i++) {
            tori_link link = {(int)(i / n), TORI_NEAR, i % n};
            assert_int_equal (spans.link[i], parts.link[i]);
            assert_int_equal (tori_subtorus_uses (machine, &subtorus, &link),
                              parts.link[i]);
        }
        tori_machine_destroy (machine);
    }
}

/* ---- what two share ---- */

TEST (disjoint)
{
    struct rng rng;
    struct parts x, y;
    rng_seed (&rng, 4, 1);
    for (int round = 0; round < 4 * ROUNDS; round++) {
        tori_machine *machine = random_torus (&rng);
        tori_subtorus a = random_subtorus (&rng, machine);
        tori_subtorus b = random_subtorus (&rng, machine);
        uint32_t n = tori_machine_nodes (machine);
        int dim = tori_subtorus_shared_dim (machine, &a, &b);
        bool apart;
        parts_of (machine, &a, &x);
        parts_of (machine, &b, &y);
        apart = !share (x.node, y.node, n);
        assert_int_equal (tori_subtorus_node_disjoint (machine, &a, &b),
                          apart);
        assert_int_equal (tori_subtorus_link_disjoint (machine, &a, &b),
                          naive_link_disjoint (machine, &x, &y));
        for (int d = 0; apart && d < a.shape.ndims; d++)
            assert_int_equal (d == dim, share (&x.link[(uint32_t)d * n],
                                               &y.link[(uint32_t)d * n], n));
        tori_machine_destroy (machine);
    }
}

/* Remark 1: on two dimensions, subtori of one shape are link-disjoint if and
 * only if both offsets differ. */
TEST (remark)
{
    AUTO_MACHINE *machine = make_machine ("torus:8x8");
    tori_shape shape = make_shape ("4x2");
    for (uint32_t i = 0; i < 8; i++)
        for (uint32_t j = 0; j < 8; j++) {
            tori_subtorus a, b;
            tori_subtorus_at (machine, &shape, i, &a);
            tori_subtorus_at (machine, &shape, j, &b);
            assert_int_equal (tori_subtorus_link_disjoint (machine, &a, &b),
                              a.offset[0] != b.offset[0]
                                  && a.offset[1] != b.offset[1]);
        }
}

/* ---- sets ---- */

/* The sets are link-disjoint within and hold every subtorus once. */
TEST (sets)
{
    struct rng rng;
    rng_seed (&rng, 5, 1);
    for (int round = 0; round < ROUNDS; round++) {
        tori_machine *machine = random_torus (&rng);
        tori_shape shape = random_shape (&rng, machine);
        uint32_t sets = tori_subtorus_sets (machine, &shape);
        uint32_t size = tori_subtorus_set_size (machine, &shape);
        bool seen[MAX_NODES] = {false};
        assert_int_equal (sets * size, tori_subtorus_count (machine, &shape));
        for (uint32_t s = 0; s < sets; s++)
            for (uint32_t i = 0; i < size; i++) {
                tori_subtorus a, b;
                tori_subtorus_of_set (machine, &shape, s, i, &a);
                assert_false (seen[tori_subtorus_index (machine, &a)]);
                seen[tori_subtorus_index (machine, &a)] = true;
                for (uint32_t j = 0; j < i; j++) {
                    tori_subtorus_of_set (machine, &shape, s, j, &b);
                    assert_true (
                        tori_subtorus_link_disjoint (machine, &a, &b));
                }
            }
        tori_machine_destroy (machine);
    }
}

/* The most subtori from number i on that are link-disjoint with each other and
 * with those chosen. */
static uint32_t most (const tori_machine *machine, const tori_shape *shape,
                      uint32_t i, tori_subtorus chosen[], uint32_t n)
{
    tori_subtorus subtorus;
    uint32_t without, with = 0;
    bool fits = true;
    if (i == tori_subtorus_count (machine, shape))
        return n;
    tori_subtorus_at (machine, shape, i, &subtorus);
    without = most (machine, shape, i + 1, chosen, n);
    for (uint32_t j = 0; j < n; j++)
        fits &= tori_subtorus_link_disjoint (machine, &subtorus, &chosen[j]);
    if (fits) {
        chosen[n] = subtorus;
        with = most (machine, shape, i + 1, chosen, n + 1);
    }
    return with > without ? with : without;
}

/* No set is larger: all of them are tried. */
TEST (sets_are_largest)
{
    static const struct {
        const char *machine, *shape;
        uint32_t size;
    } rows[] = {{"torus:8x8", "2x2", 4},     {"torus:8x8", "4x4", 2},
                {"torus:8x8", "4x2", 2},     {"torus:8x4", "1x2", 2},
                {"torus:16", "1", 1},        {"torus:4x4x4", "2x2x2", 4},
                {"torus:4x4x4", "4x1x2", 2}, {"torus:2x2x2x2", "1x1x1x1", 8},
                {"torus:8x8", "8x8", 1}};
    for (size_t i = 0; i < LENGTH (rows); i++) {
        AUTO_MACHINE *machine = make_machine (rows[i].machine);
        tori_shape shape = make_shape (rows[i].shape);
        tori_subtorus chosen[MAX_NODES];
        assert_int_equal (tori_subtorus_set_size (machine, &shape),
                          rows[i].size);
        assert_int_equal (most (machine, &shape, 0, chosen, 0),
                          rows[i].size);
    }
}

/* ---- what is no subtorus ---- */

TEST (check)
{
    static const struct {
        const char *machine, *shape;
        int status;
        const char *text;
    } rows[] = {
        {"torus:8x8", "4x2", 0, NULL},
        {"torus:9x4", "3x4", 0, NULL},
        {"torus:8x8", "4", 2, "a shape of 1 dimensions on a machine of 2"},
        {"torus:8x8", "8x16", 4,
         "16 nodes in dimension 1 of the machine, which has 8"},
        {"torus:8x8", "3x8", 4,
         "3 nodes do not divide dimension 0 of the machine, which has 8"},
        {"torus:8x8m", "4x4", 4,
         "dimension 1 of the machine is not a torus, so it has no subtori"}};
    for (size_t i = 0; i < LENGTH (rows); i++) {
        AUTO_MACHINE *machine = make_machine (rows[i].machine);
        tori_shape shape = make_shape (rows[i].shape);
        tori_error err = {0};
        assert_int_equal (tori_subtorus_check (machine, &shape, &err),
                          rows[i].status ? -1 : 0);
        assert_int_equal (err.status, rows[i].status);
        if (rows[i].text)
            assert_string_equal (err.text, rows[i].text);
    }
}

/* Requests for subcubes and for shapes that are folded into them: what comes
 * back is what isomorphic partitioning promises, whatever came before. */
#include "naive_cube.h"

#include <stdlib.h>
#include <string.h>

#include <tori/cubes.h>

#include "fold.h"
#include "isocube.h"

enum { HELD = 64 };

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
static void expect_scattered (const tori_machine *machine, const bool *is_free,
                              uint32_t count)
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
        isospace_box (&iso->space, cube, &box);
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
    if (place->nboxes ? !rotated (*shape, place->box.shape)
                      : !at_border (machine, &place->box))
        expect_semi_isomorphic (machine, &place->box.shape);
    if (!cubic && place->nboxes)
        assert_true (rotated (*shape, place->box.shape));
    if (place->nboxes == 0 && noncubic == TORI_NONCUBIC_DECOMPOSE)
        assert_true (connected (machine, place));
    free (ids);
}

/* The allocator answers what the cubes do, also to shapes that are longer than
 * the machine or have another number of dimensions. */
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
        assert_int_equal (other.nboxes, place->nboxes);
        assert_int_equal (other.count, place->count);
        expect_same_box (&other.box, &place->box);
        if (other.nboxes == 0)
            assert_memory_equal (other.nodes, place->nodes,
                                 place->count * sizeof *place->nodes);
        tori_placement_clear (&other);
    }
}

struct bench {
    tori_machine *machine;
    tori_alloc_config options;
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
    bench->options = *TORI_ALLOC ("isomorphic");
    bench->options.hypercube = rules[rng_below (rng, LENGTH (rules))];
    bench->options.noncubic =
        chance (rng, 50) ? TORI_NONCUBIC_ROUND_UP : TORI_NONCUBIC_DECOMPOSE;
    bench->is_free = make_array (nodes, sizeof (bool));
    for (uint32_t i = 0; i < nodes; i++)
        bench->is_free[i] = true;
    bench->state = make_state (bench->machine);
    assert_int_equal (tori_cubes_create (bench->machine, &bench->options,
                                         &bench->cubes, NULL),
                      0);
    assert_int_equal (tori_alloc_create (bench->machine, &bench->options,
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
    uint32_t most = chance (rng, 20) ? nodes : 1 + nodes / 8;
    tori_shape shape = some_shape (rng, most, chance (rng, 50));
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

TEST (requests)
{
    struct rng rng = seeded (5);
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
TEST (examples)
{
    AUTO_MACHINE *machine = make_machine ("mesh:8x8x8");
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
}

/* 3x5 needs a 4x8, of which 17 nodes stay free, or decomposed a 4x4. */
TEST (noncubic_example)
{
    AUTO_MACHINE *machine = make_machine ("mesh:8x8");
    tori_shape shape = make_shape ("3x5");
    for (int how = 0; tori_noncubic_name (how); how++) {
        tori_alloc_config options = {.size = sizeof options,
                                     .noncubic = (tori_noncubic)how};
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
}

/* 3x4 folded into a line of 16 has a gap after every three nodes. A decomposed
 * shape hangs together, so it takes the first nodes instead. */
TEST (folded_onto_a_line)
{
    AUTO_MACHINE *machine = make_machine ("mesh:128");
    tori_shape shape = make_shape ("3x4");
    for (int how = 0; tori_noncubic_name (how); how++) {
        tori_alloc_config options = {.size = sizeof options,
                                     .noncubic = (tori_noncubic)how};
        bool decompose = how == TORI_NONCUBIC_DECOMPOSE;
        tori_placement place = {0};
        tori_cubes *cubes;
        assert_int_equal (tori_cubes_create (machine, &options, &cubes, NULL),
                          0);
        assert_int_equal (tori_cubes_request (cubes, &shape, &place, NULL),
                          TORI_PLACED);
        assert_int_equal (connected (machine, &place), decompose);
        assert_int_equal (place.nodes[11], decompose ? 11 : 14);
        tori_placement_clear (&place);
        tori_cubes_destroy (cubes);
    }
}

/* Nodes that are down outside of those that are needed do not matter to a
 * decomposed shape; to the other one, any in the 4x8 does. */
TEST (holes)
{
    AUTO_MACHINE *machine = make_machine ("mesh:4x4");
    tori_shape shape = make_shape ("3x5");
    for (uint32_t down = 0; down < 16; down++) {
        tori_alloc_config options = {.size = sizeof options,
                                     .noncubic = TORI_NONCUBIC_DECOMPOSE};
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
}

/* Whatever fits the sides of a machine is placed while it is idle, also where
 * rounded up it would be larger than the machine. */
TEST (sides)
{
    static const char *const machines[] = {
        "torus:6x5", "mesh:3x3x3", "mesh:7x12", "mesh:5x20", "mesh:11"};
    for (size_t i = 0; i < LENGTH (machines); i++)
        for (int how = 0; tori_noncubic_name (how); how++) {
            tori_alloc_config options = {.size = sizeof options,
                                         .noncubic = (tori_noncubic)how};
            AUTO_MACHINE *machine = make_machine (machines[i]);
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
        }
}

TEST (down_nodes)
{
    AUTO_MACHINE *machine = make_machine ("torus:4x4");
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
}

/* An idle machine is small, however large it is, and so it is again. */
TEST (memory)
{
    static const char *const machines[] = {"mesh:256^3", "mesh:2^24",
                                           "mesh:16777216", "mesh:4^12"};
    for (size_t i = 0; i < LENGTH (machines); i++) {
        AUTO_MACHINE *machine = make_machine (machines[i]);
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
        assert_int_equal (tori_cubes_bytes (cubes), idle);
        assert_int_equal (tori_cubes_largest (cubes), 1 << 24);
        tori_cubes_destroy (cubes);
    }
}

/* Folds: where each node of a shape goes in its subcube. Every node has a
 * place of its own, and neighbours stay as near as is said. */
#include "naive_cube.h"

#include <stdlib.h>

#include <tori/cubes.h>

#include "fold.h"

/* A placement of the shape on a machine with room for it. */
static bool place_shape (const tori_machine *machine, const tori_shape *shape,
                         tori_noncubic noncubic, tori_hypercube rule,
                         tori_placement *ret_place)
{
    tori_alloc_config options = {
        .size = sizeof options, .noncubic = noncubic, .hypercube = rule};
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
                uint32_t hops =
                    tori_machine_distance (machine, map[i], map[i + stride]);
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

TEST (folds)
{
    struct rng rng = seeded (6);
    unsigned folded = 0, straight = 0;
    for (int round = 0; round < 1500; round++) {
        tori_machine *machine = some_machine (&rng, 1024, true);
        bool cubic = chance (&rng, 70);
        tori_shape shape =
            some_shape (&rng, tori_machine_nodes (machine), cubic);
        tori_placement place = {0};
        uint32_t *map =
            make_array ((size_t)tori_shape_volume (&shape), sizeof *map);
        tori_noncubic how =
            round % 2 ? TORI_NONCUBIC_ROUND_UP : TORI_NONCUBIC_DECOMPOSE;
        if (place_shape (machine, &shape, how, rules[round % LENGTH (rules)], &place)) {
            assert_int_equal (
                tori_fold_map (machine, &shape, how, &place, map, NULL), 0);
            expect_bijection (machine, &place, map);
            if (place.nboxes || how == TORI_NONCUBIC_ROUND_UP) {
                uint32_t longest = longest_step (machine, &shape, map);
                uint32_t bound = tori_fold_dilation (&shape, &place.box.shape);
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

/* If the subcube has the sides of the shape, rounded up, the shape is there as
 * it is, decomposed or not; otherwise steps are as long as stated. */
TEST (decomposed_steps)
{
    static const struct {
        const char *machine, *shape;
        uint32_t most; /* 1: exactly that */
    } cases[] = {
        {"mesh:8x8", "7x7", 1}, {"mesh:4x4", "3x3", 1},
        {"mesh:8x8", "1x7", 1}, {"mesh:16x16", "11x13", 1},
        {"mesh:8x8", "3x5", 2}, {"mesh:8^3", "5x5x5", 4},
    };
    for (size_t i = 0; i < LENGTH (cases); i++) {
        AUTO_MACHINE *machine = make_machine (cases[i].machine);
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
    }
}

/* A line goes anywhere without a step longer than 1, and what is not folded
 * is only rotated. */
TEST (folds_by_hand)
{
    static const struct {
        const char *shape, *box;
        uint32_t dilation;
    } folds[] = {
        {"64", "4x4x4", 1},    {"1x1x64", "4x4x4", 1}, {"2x2x8", "2x4x4", 2},
        {"8x1x8", "4x4x4", 2}, {"16x16", "16x16", 1},  {"2x4x8", "8x2x4", 1},
        {"2x16", "4x8", 2},    {"4x64", "16x16", 4},   {"1x4x64", "4x8x8", 2},
        {"3x5", "4x8", 1},
    };
    for (size_t i = 0; i < LENGTH (folds); i++) {
        tori_shape shape = make_shape (folds[i].shape);
        tori_shape box = make_shape (folds[i].box);
        assert_int_equal (tori_fold_dilation (&shape, &box),
                          folds[i].dilation);
    }
}

TEST (fold_refusals)
{
    AUTO_MACHINE *machine = make_machine ("mesh:8x8");
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
}

/* The subcube of any box begins where it does, has it in it, has sides that
 * are the next powers of two or end with the machine, and is a box of it. */
TEST (subcube)
{
    struct rng rng = seeded (31);
    unsigned cut = 0;
    for (int round = 0; round < 2000; round++) {
        AUTO_MACHINE *machine = random_machine (&rng, 4, 300);
        bool wraps = chance (&rng, 30);
        tori_box box = random_box (&rng, machine, 7, wraps);
        tori_box subcube = fold_subcube (machine, &box);
        tori_shape up = fold_rounded_up (&box.shape);
        assert_int_equal (subcube.shape.ndims, box.shape.ndims);
        for (int d = 0; d < box.shape.ndims; d++) {
            uint32_t side = box.shape.size[d], most = subcube.shape.size[d];
            uint32_t end = tori_machine_size (machine, d) - box.origin[d];
            assert_int_equal (subcube.origin[d], box.origin[d]);
            assert_true (up.size[d] >= side && up.size[d] < 2 * side);
            assert_int_equal (up.size[d] & (up.size[d] - 1), 0);
            assert_true (most >= side);
            assert_true (most == up.size[d] || most == end || side > end);
            assert_true (most <= end || most == side);
            cut += most < up.size[d];
        }
    }
    assert_true (cut > 100);
}

/* Allocators on machines of many words: where the search goes in pieces, in
 * long steps, and through twenty dimensions. */
#include "alloc_suite.h"

#include <stdlib.h>

#include "allocs.h"
#include "placement.h"

/* ---- large machines ---- */

/* The search goes in pieces of 64 words and more. Low ids are nearly full, so
 * that it has to go on for some of them; scattered nodes are down, so that
 * it has little to choose from. */
static void fill_large (struct world *world, struct rng *rng)
{
    uint32_t n = world->naive->n;
    for (int i = 0; i < PARTS - 4; i++) {
        tori_box box = random_box (rng, world->machine, 30, true);
        world_add_box (world, &box, random_wiring (rng));
    }
    world_add_nodes (world, rng, n / 100 * between (rng, 30, 95), 60);
    world_add_nodes (world, rng, n, 25);
    if (chance (rng, 50))
        for (int i = 0; i < 20; i++)
            naive_disturb_link (world->naive, world->state, rng);
}

static tori_request large_request (struct rng *rng,
                                   const tori_machine *machine)
{
    tori_request request = {.shape = *tori_machine_shape (machine)};
    if (chance (rng, 15)) {
        request.shape.ndims = 0;
        request.count = between (rng, 1, 60);
        return request;
    }
    for (int d = 0; d < request.shape.ndims; d++)
        request.shape.size[d] = between (rng, 1, chance (rng, 20) ? 6 : 3);
    request.count = (uint32_t)tori_shape_volume (&request.shape);
    request.wiring = random_wiring (rng);
    request.fixed = chance (rng, 30);
    request.wrap = chance (rng, 40);
    return request;
}

TEST (large)
{
    static const char *const machines[] = {
        "mesh:40x30x20",   "torus:40x30x20",      "multitorus:20x30x40",
        "torus:70x70",     "mesh:5000",           "torus:66x130tx1",
        "torus:9x3ux8x7m", "multitorus:17x16x16", "torus:200x200",
        "torus:6^5",       "torus:2x65x65",       "mesh:12289",
    };
    struct outcomes outcomes = {0};
    struct rng rng = seeded (4);
    for (size_t m = 0; m < LENGTH (machines); m++) {
        struct world world;
        struct allocs allocs;
        world_create (&world, make_machine (machines[m]));
        allocs_create (&allocs, world.machine);
        fill_large (&world, &rng);
        for (size_t i = 0; i < random_cases (3); i++) {
            tori_request request = large_request (&rng, world.machine);
            check_all (&world, &allocs, &request, false, &outcomes);
        }
        naive_expect (world.naive, world.state);
        allocs_destroy (&allocs);
        world_destroy (&world);
    }
    assert_true (outcomes.met[TORI_PLACED] > random_cases (15));
    assert_true (outcomes.met[TORI_TOPOLOGICAL] > random_cases (3));
}

/* Long steps of the search: boxes of many nodes, and just so many single busy
 * nodes that few or none of the boxes are free. */
TEST (large_shapes)
{
    static const struct {
        const char *machine, *shape;
    } cases[] = {
        {"mesh:25x20x20", "7x6x5"},      {"torus:20x20x20", "9x4x3"},
        {"mesh:16x16x16", "8x8x4"},      {"torus:90x70", "21x11"},
        {"multitorus:9000", "300"},      {"mesh:9x9x9x9", "3x4x2x5"},
        {"torus:70x1x70", "1x70x2"},     {"mesh:64x64", "17x16"},
        {"torus:6^5", "3x3x2x2x2"},      {"torus:128x3x20m", "2x65x1"},
        {"multitorus:8x64x8", "33x3x2"},
    };
    struct rng rng = seeded (9);
    for (size_t c = 0; c < LENGTH (cases); c++)
        for (size_t round = 0; round < random_cases (1); round++) {
            struct world world;
            tori_alloc *alloc;
            tori_request request = {.shape = make_shape (cases[c].shape),
                                    .wiring = random_wiring (&rng),
                                    .fixed = chance (&rng, 20),
                                    .wrap = chance (&rng, 50)};
            uint64_t volume = tori_shape_volume (&request.shape);
            struct survey survey;
            world_create (&world, make_machine (cases[c].machine));
            alloc = make_alloc (world.machine, "first-fit");
            world_sprinkle (
                &world, &rng,
                (uint32_t)(world.naive->n * between (&rng, 5, 11) / volume));
            survey = naive_survey (world.naive, &request);
            check_request (&world, alloc, &request, &survey, false);
            tori_alloc_destroy (alloc);
            world_destroy (&world);
        }
}

/* A machine that is busy but for one box: that is found, and nothing once it
 * is taken. */
static void check_needle (const tori_machine *machine, tori_alloc *alloc,
                          const tori_box *box, tori_wiring wiring)
{
    tori_box all = {.shape = *tori_machine_shape (machine)};
    tori_placement whole = placement_of_box (&all, TORI_WIRE_NONE);
    tori_placement hole = placement_of_box (box, TORI_WIRE_NONE);
    tori_placement place = {0};
    tori_request request = {
        .shape = box->shape, .wiring = wiring, .wrap = true, .fixed = true};
    AUTO_STATE *s = make_state (machine);
    tori_placement_hold (&whole, s, NULL);
    tori_placement_release (&hole, s);
    assert_int_equal (tori_alloc_place (alloc, s, &request, &place, NULL),
                      TORI_PLACED);
    expect_box (&place, box);
    assert_int_equal (tori_placement_hold (&place, s, NULL), 0);
    assert_int_equal (tori_alloc_place (alloc, s, &request, &place, NULL),
                      TORI_NUMERICAL);
}

/* The box that begins at a node, as large as there is room for, up to 3 a
 * side. */
static tori_box box_from (const tori_machine *machine, uint32_t node)
{
    tori_box box = {.shape.ndims = tori_machine_ndims (machine)};
    tori_machine_coords (machine, node, box.origin);
    for (int d = 0; d < box.shape.ndims; d++) {
        uint32_t room = tori_machine_size (machine, d) - box.origin[d];
        box.shape.size[d] = room < 3 ? room : 3;
    }
    return box;
}

/* In every word of the set (every fourth under the address sanitizer), so also
 * at the edges of the pieces in which it is searched, and at random. */
TEST (needle)
{
    static const char *const machines[] = {"mesh:40x30x20", "torus:66x200",
                                           "multitorus:30000"};
    struct rng rng = seeded (5);
    for (size_t m = 0; m < LENGTH (machines); m++) {
        AUTO_MACHINE *machine = make_machine (machines[m]);
        uint32_t nodes = tori_machine_nodes (machine);
        uint32_t step = 256 / (uint32_t)random_cases (2);
        AUTO_ALLOC *alloc = make_alloc (machine, "first-fit");
        for (uint32_t word = 0; word < nodes; word += step) {
            uint32_t node = word + between (&rng, 0, 63);
            tori_box box = box_from (machine, node < nodes ? node : word);
            check_needle (machine, alloc, &box, TORI_WIRE_MESH);
            box = random_box (&rng, machine, 5, true);
            check_needle (machine, alloc, &box, TORI_WIRE_NONE);
        }
    }
}

/* ---- many requests in a set ---- */

/* An allocator that refused something knows more of the set of free nodes: it
 * gives the same answers as one that is asked for the first time. The machine
 * has few busy nodes or many, changes now and then, and is asked for boxes
 * that nearly fit. */
static void ask_again (struct world *world, tori_alloc *alloc,
                       struct rng *rng, struct outcomes *outcomes)
{
    const tori_machine *machine = world->machine;
    AUTO_ALLOC *fresh = make_alloc (machine, "first-fit");
    tori_request request = {.shape.ndims = tori_machine_ndims (machine),
                            .fixed = chance (rng, 30),
                            .wrap = chance (rng, 10),
                            .wiring = random_wiring (rng)};
    tori_placement place = {0}, again = {0};
    tori_outcome outcome;
    for (int d = 0; d < request.shape.ndims; d++)
        request.shape.size[d]
            = between (rng, chance (rng, 10) ? 1 : 3,
                       3 + tori_machine_size (machine, 0) / 4);
    request.count = (uint32_t)tori_shape_volume (&request.shape);
    outcome = tori_alloc_place (fresh, world->state, &request, &place, NULL);
    assert_int_equal (
        tori_alloc_place (alloc, world->state, &request, &again, NULL),
        outcome);
    if (outcome == TORI_PLACED)
        expect_box (&again, &place.box);
    outcomes->met[outcome]++;
    tori_placement_clear (&place);
    tori_placement_clear (&again);
}

TEST (again)
{
    static const char *const machines[] = {
        "mesh:24x24x24", "torus:25x23x21", "multitorus:32x32x17",
        "torus:97x101",  "mesh:10x11x12x13", "torus:64x32x32",
    };
    struct outcomes outcomes = {0};
    struct rng rng = seeded (6);
    for (size_t m = 0; m < LENGTH (machines); m++) {
        struct world world;
        tori_alloc *alloc;
        world_create (&world, make_machine (machines[m]));
        alloc = make_alloc (world.machine, "first-fit");
        for (int round = 0; round < 12; round++) {
            world_sprinkle (&world, &rng, between (&rng, 20, 150));
            for (size_t i = 0; i < random_cases (20); i++)
                ask_again (&world, alloc, &rng, &outcomes);
        }
        tori_alloc_destroy (alloc);
        world_destroy (&world);
    }
    assert_true (outcomes.met[TORI_PLACED] > random_cases (167));
    assert_true (outcomes.met[TORI_TOPOLOGICAL] > random_cases (167));
}

/* ---- a hypercube of 20 dimensions ---- */

/* The first fit among nodes given as bools; the model's record a link would
 * not fit. */
static tori_box first_in_cube (const tori_machine *machine, const bool *busy,
                               const tori_shape *shape)
{
    tori_shape *rotations;
    size_t n = naive_rotations (shape, false, &rotations);
    tori_box box = {.shape.ndims = 0};
    for (uint32_t id = 0; !box.shape.ndims; id++)
        for (size_t i = 0; i < n && !box.shape.ndims; i++) {
            tori_box at = {.shape = rotations[i]};
            uint32_t ids[8];
            bool fits = !busy[id];
            tori_machine_coords (machine, id, at.origin);
            for (int d = 0; d < at.shape.ndims && fits; d++)
                fits = at.origin[d] + at.shape.size[d] <= 2;
            if (fits)
                naive_box_nodes (machine, &at, ids);
            for (uint64_t k = 0; fits && k < tori_shape_volume (shape); k++)
                fits = !busy[ids[k]];
            if (fits)
                box = at;
        }
    free (rotations);
    return box;
}

static void fill_cube (tori_state *s, bool *busy, struct rng *rng,
                       uint32_t low, tori_placement *ret_place)
{
    uint32_t n = tori_machine_nodes (tori_state_machine (s));
    ret_place->nodes = make_array (n, sizeof *ret_place->nodes);
    for (uint32_t i = 0; i < n; i++) {
        busy[i] = i < low || chance (rng, 60);
        if (busy[i])
            ret_place->nodes[ret_place->count++] = i;
    }
    assert_int_equal (tori_placement_hold (ret_place, s, NULL), 0);
}

TEST (hypercube)
{
    static const char *const shapes[] = {"2x1", "2x2", "2x2x2"};
    AUTO_MACHINE *machine = make_machine ("mesh:2^20");
    bool *busy = make_array (1 << 20, sizeof *busy);
    AUTO_STATE *s = make_state (machine), *before = make_state (machine);
    tori_placement filling = {0};
    tori_alloc *alloc;
    struct rng rng = seeded (6);
    fill_cube (s, busy, &rng, 5000, &filling);
    tori_state_copy (before, s, NULL);
    alloc = make_alloc (machine, "first-fit");
    for (size_t i = 0; i < LENGTH (shapes); i++) {
        tori_request request = {.shape = make_shape (shapes[i]),
                                .wiring = TORI_WIRE_MESH};
        tori_placement place = {0};
        tori_box expected;
        while (request.shape.ndims < 20)
            request.shape.size[request.shape.ndims++] = 1;
        expected = first_in_cube (machine, busy, &request.shape);
        assert_int_equal (tori_alloc_place (alloc, s, &request, &place, NULL),
                          TORI_PLACED);
        expect_box (&place, &expected);
        assert_int_equal (tori_placement_hold (&place, s, NULL), 0);
        /* a cube of 2^k nodes has k 2^(k-1) links */
        assert_int_equal (tori_state_links_taken (s),
                          (i + 1) * (place.count / 2));
        tori_placement_release (&place, s);
        assert_true (tori_state_equal (s, before));
    }
    tori_placement_clear (&filling);
    tori_alloc_destroy (alloc);
    free (busy);
}

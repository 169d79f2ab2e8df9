/* The best centre by diamonds, box by box, is the best of all. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "balls.h"
#include "centres.h"
#include "tiles.h"
#include "marks.h"

/* Single nodes and boxes, so that some coordinates do not occur. */
static tori_state *random_state (const tori_machine *machine, struct rng *rng)
{
    tori_state *state = make_state (machine);
    uint32_t nodes = tori_machine_nodes (machine);
    unsigned percent = chance (rng, 30) ? 0 : between (rng, 0, 80);
    tori_box box = random_box (rng, machine, 7, true);
    bool boxed = chance (rng, 50);
    for (uint32_t i = 0; i < nodes; i++)
        if (chance (rng, percent)
            || (boxed && naive_contains (machine, &box, i)))
            state_hold_node (state, i);
    return state;
}

static void find_occurring (const tori_state *state, bool *occurs)
{
    const tori_machine *machine = tori_state_machine (state);
    for (int d = 0; d < tori_machine_ndims (machine); d++) {
        uint32_t size = tori_machine_size (machine, d);
        memset (occurs, 0, size * sizeof *occurs);
        for (uint32_t i = 0; i < tori_machine_nodes (machine); i++)
            if (tori_state_is_free (state, i))
                occurs[grid_coord (machine, i, d)] = true;
        occurs += size;
    }
}

static bool is_centre (const tori_machine *machine, const bool *occurs,
                       uint32_t node)
{
    for (int d = 0; d < tori_machine_ndims (machine); d++) {
        if (!occurs[grid_coord (machine, node, d)])
            return false;
        occurs += tori_machine_size (machine, d);
    }
    return true;
}

/* Of the grid, or free nodes if `occurs` is NULL. */
static uint32_t best_of_all (const tori_state *state, const bool *occurs,
                             struct balls *balls)
{
    const tori_machine *machine = tori_state_machine (state);
    uint64_t least_sum = UINT64_MAX;
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < tori_machine_nodes (machine); i++) {
        uint64_t sum;
        if (occurs ? !is_centre (machine, occurs, i)
                   : !tori_state_is_free (state, i))
            continue;
        sum = balls_pairwise (balls, i);
        if (sum < least_sum) {
            least_sum = sum;
            best = i;
        }
    }
    return best;
}

/* A search in boxes of a few sizes; whether it suited. */
static bool check_tiles (const tori_state *state, uint32_t k, bool *occurs,
                         uint64_t slots)
{
    const tori_machine *machine = tori_state_machine (state);
    struct centres *centres;
    struct balls *balls;
    int found = 0;
    assert_int_equal (balls_create (machine, &balls, NULL), 0);
    assert_int_equal (centres_create (machine, &centres, NULL), 0);
    balls_set (balls, state, k);
    assert_true (centres_start (centres, state, k));
    found = tiles_find (centres, state, k, occurs, slots, balls, NULL);
    assert_true (found >= 0);
    if (found)
        assert_int_equal (centres->best_node,
                          best_of_all (state, occurs, balls));
    centres_destroy (centres);
    balls_destroy (balls);
    return found;
}

static bool check_random (const tori_machine *machine, struct rng *rng)
{
    enum { MOST_SIDES = 1000 };
    tori_state *state = random_state (machine, rng);
    uint32_t free_nodes = tori_state_free_count (state);
    bool occurs[MOST_SIDES], grid = chance (rng, 60), found = false;
    if (free_nodes >= 4) {
        uint32_t half = free_nodes / 2;
        uint32_t k = between (rng, 2, half < 40 ? half : 40);
        find_occurring (state, occurs);
        found = check_tiles (state, k, grid ? occurs : NULL,
                             chance (rng, 30) ? 1 << 20
                                              : between (rng, 100, 9000));
    }
    tori_state_destroy (state);
    return found;
}

/* Lines and rings of all dimensions, and more boxes than one. */
static void test_random (void **state)
{
    static const char *const machines[] = {
        "mesh:60x9",    "mesh:9x60",    "mesh:200",       "mesh:40x5x5",
        "mesh:5x40x5",  "mesh:4x6x40",  "torus:40mx6x6",  "torus:6x70mx5",
        "torus:8x90m",  "mesh:1x80x7",  "multitorus:64x8", "torus:200",
        "torus:201",    "torus:33x34",  "torus:20x21x9",  "torus:9x20x21",
        "torus:33x7x9", "torus:10^3",   "torus:12x11mx13", "mesh:35x36",
        "mesh:2x2",     "torus:1x40x1x9x9"};
    struct rng rng;
    int suited = 0;
    rng_seed (&rng, 1, 0);
    for (size_t i = 0; i < LENGTH (machines); i++) {
        tori_machine *machine = make_machine (machines[i]);
        for (int n = 0; n < 40; n++)
            suited += check_random (machine, &rng);
        tori_machine_destroy (machine);
    }
    assert_true (suited > 600);
}

/* All nodes busy within half a ring of some centres: their balls meet
 * themselves. */
static void test_meeting (void **state)
{
    tori_machine *machine = make_machine ("torus:24x24");
    tori_state *nodes = make_state (machine);
    tori_box box = {{3, 5}, {2, {20, 19}}};
    bool occurs[48];
    for (uint32_t i = 0; i < tori_machine_nodes (machine); i++)
        if (naive_contains (machine, &box, i))
            state_hold_node (nodes, i);
    find_occurring (nodes, occurs);
    for (uint32_t k = 2; k < 30; k++)
        assert_true (check_tiles (nodes, k, occurs, 1000));
    tori_state_destroy (nodes);
    tori_machine_destroy (machine);
}

/* All busy but some boxes. */
static tori_state *make_sparse (const tori_machine *machine, struct rng *rng)
{
    tori_state *state = make_state (machine);
    uint32_t nodes = tori_machine_nodes (machine);
    tori_box boxes[4] = {0};
    uint32_t n = between (rng, 2, LENGTH (boxes));
    for (uint32_t i = 0; i < n; i++) {
        boxes[i].shape.ndims = machine->shape.ndims;
        for (int d = 0; d < machine->shape.ndims; d++) {
            uint32_t size = machine->shape.size[d];
            boxes[i].shape.size[d] = between (rng, 2, 5);
            boxes[i].origin[d] = between (rng, 0, size - 5);
        }
    }
    for (uint32_t node = 0; node < nodes; node++) {
        bool busy = true;
        for (uint32_t i = 0; i < n; i++)
            busy = busy && !naive_contains (machine, &boxes[i], node);
        if (busy)
            state_hold_node (state, node);
    }
    return state;
}

/* Boxes in which there is no centre, the first ones and others. */
static void test_sparse (void **state)
{
    static const char *const machines[] = {"mesh:90x80", "mesh:200x40",
                                           "mesh:24x20x30", "torus:90x91"};
    struct rng rng;
    int suited = 0;
    rng_seed (&rng, 5, 0);
    for (size_t i = 0; i < LENGTH (machines); i++) {
        tori_machine *machine = make_machine (machines[i]);
        for (int n = 0; n < 12; n++) {
            tori_state *nodes = make_sparse (machine, &rng);
            uint32_t half = tori_state_free_count (nodes) / 2;
            bool occurs[300], grid = chance (&rng, 60);
            find_occurring (nodes, occurs);
            suited += check_tiles (nodes, between (&rng, 2, half),
                                   grid ? occurs : NULL,
                                   between (&rng, 1000, 20000));
            tori_state_destroy (nodes);
        }
        tori_machine_destroy (machine);
    }
    assert_true (suited > 24);
}

/* Radii of ten and more, held against levels, which hold all nodes at once. */
static void check_large (const char *text, struct rng *rng)
{
    tori_machine *machine = make_machine (text);
    tori_state *state = random_state (machine, rng);
    uint32_t k = between (rng, 200, 2500), best;
    struct centres *centres;
    struct balls *balls;
    assert_int_equal (balls_create (machine, &balls, NULL), 0);
    assert_int_equal (centres_create (machine, &centres, NULL), 0);
    balls_set (balls, state, k);
    assert_false (tiles_needed (state, k));
    assert_int_equal (
        centres_find (centres, state, k, NULL, balls, &best, NULL), 1);
    assert_true (centres_start (centres, state, k));
    assert_int_equal (tiles_find (centres, state, k, NULL,
                                  between (rng, 1, 9) << 17, balls, NULL),
                      1);
    assert_int_equal (centres->best_node, best);
    centres_destroy (centres);
    balls_destroy (balls);
    tori_state_destroy (state);
    tori_machine_destroy (machine);
}

static void test_large (void **state)
{
    struct rng rng;
    rng_seed (&rng, 2, 0);
    for (int i = 0; i < 4; i++) {
        check_large ("torus:40x41x39", &rng);
        check_large ("mesh:30x42x35", &rng);
        check_large ("torus:250x260", &rng);
    }
}

/* Balls that are longer than rings are left to others. */
static void test_short_rings (void **state)
{
    tori_machine *machine = make_machine ("torus:4x60");
    tori_state *nodes = make_state (machine);
    assert_false (check_tiles (nodes, 50, NULL, 1000));
    tori_state_destroy (nodes);
    tori_machine_destroy (machine);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_random),
        cmocka_unit_test (test_meeting),
        cmocka_unit_test (test_sparse),
        cmocka_unit_test (test_large),
        cmocka_unit_test (test_short_rings),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}

/* The best centre in bands is the best of all. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "balls.h"
#include "bands.h"
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

static uint32_t best_of_all (const tori_machine *machine, const bool *occurs,
                             struct balls *balls)
{
    uint64_t least = UINT64_MAX;
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < tori_machine_nodes (machine); i++) {
        uint64_t sum;
        if (!is_centre (machine, occurs, i))
            continue;
        sum = balls_pairwise (balls, i);
        if (sum < least) {
            least = sum;
            best = i;
        }
    }
    return best;
}

/* Room for so many nodes that there are a few bands; whether they suited. */
static bool check_bands (const tori_machine *machine, struct rng *rng)
{
    enum { MOST_SIDES = 1000 };
    tori_state *state = random_state (machine, rng);
    uint32_t free_nodes = tori_state_free_count (state), k, centre = 77;
    uint64_t room;
    bool occurs[MOST_SIDES];
    struct balls *balls;
    int found = 0;
    if (free_nodes >= 4) {
        k = between (rng, 2, free_nodes / 2 < 20 ? free_nodes / 2 : 20);
        room = (uint64_t)tori_machine_nodes (machine) * between (rng, 6, 16);
        find_occurring (state, occurs);
        assert_int_equal (balls_create (machine, &balls, NULL), 0);
        balls_set (balls, state, k);
        found = bands_find (state, k, occurs, room, balls, &centre, NULL);
        assert_true (found >= 0);
        if (found)
            assert_int_equal (centre, best_of_all (machine, occurs, balls));
        else
            assert_int_equal (centre, 77);
        found = found && bands_needed (state, k, room);
        balls_destroy (balls);
    }
    tori_state_destroy (state);
    return found;
}

static void test_bands (void **state)
{
    static const char *const machines[] = {
        "mesh:60x9",    "mesh:9x60",   "mesh:200",      "mesh:40x5x5",
        "mesh:5x40x5",  "mesh:4x6x40", "torus:40mx6x6", "torus:6x70mx5",
        "torus:8x90m",  "mesh:1x80x7", "multitorus:64x8"};
    struct rng rng;
    int suited = 0;
    rng_seed (&rng, 1, 0);
    for (size_t i = 0; i < LENGTH (machines); i++) {
        tori_machine *machine = make_machine (machines[i]);
        for (int n = 0; n < 60; n++)
            suited += check_bands (machine, &rng);
        tori_machine_destroy (machine);
    }
    assert_true (suited > 100); /* of more than one band */
}

/* Nothing to cut. */
static void test_rings (void **state)
{
    tori_machine *machine = make_machine ("torus:20x20");
    tori_state *nodes = make_state (machine);
    bool occurs[40];
    struct balls *balls;
    uint32_t centre;
    find_occurring (nodes, occurs);
    assert_int_equal (balls_create (machine, &balls, NULL), 0);
    balls_set (balls, nodes, 5);
    assert_int_equal (bands_find (nodes, 5, occurs, 100, balls, &centre, NULL),
                      0);
    balls_destroy (balls);
    tori_state_destroy (nodes);
    tori_machine_destroy (machine);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_bands),
        cmocka_unit_test (test_rings),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}

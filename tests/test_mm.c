/* MM, Gen-Alg and MM+Inc: fast against plain against brute force, and the
 * bounds that are proved for them. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tori/alloc.h>
#include <tori/points.h>

#include "cloud.h"
#include "marks.h"
#include "mm.h"
#include "policy.h"

/* ---- random machines ---- */

static void hold_node (tori_state *state, uint32_t node)
{
    if (tori_state_is_free (state, node))
        state_hold_node (state, node);
}

/* Single nodes and boxes; one node at least stays free. */
static void fill (tori_state *state, struct rng *rng)
{
    const tori_machine *machine = tori_state_machine (state);
    uint32_t nodes = tori_machine_nodes (machine);
    unsigned percent = chance (rng, 30) ? 0 : between (rng, 0, 97);
    uint32_t kept = between (rng, 0, nodes - 1);
    for (uint32_t i = 0; i < nodes; i++)
        if (chance (rng, percent))
            hold_node (state, i);
    for (unsigned n = chance (rng, 60) ? between (rng, 1, 8) : 0; n > 0; n--) {
        tori_box box = random_box (rng, machine, 7, true);
        for (uint32_t i = 0; i < nodes; i++)
            if (naive_contains (machine, &box, i))
                hold_node (state, i);
    }
    if (!tori_state_is_free (state, kept))
        state_release_node (state, kept);
}

static uint32_t random_count (struct rng *rng, uint32_t free_nodes)
{
    return chance (rng, 10)   ? free_nodes
           : chance (rng, 10) ? 1
           : chance (rng, 40)
               ? between (rng, 1, free_nodes < 12 ? free_nodes : 12)
               : between (rng, 1, free_nodes);
}

/* ---- fast and plain ---- */

static const char *const names[] = {"mm", "gen-alg", "mm+inc"};

static void expect_plain (const tori_state *state, tori_alloc *alloc,
                          uint32_t k)
{
    tori_request request = {.count = k};
    tori_placement fast = {0}, plain = {0};
    const struct alloc_ops *ops = alloc_find (tori_alloc_get_info (alloc)->name);
    tori_alloc_options options = {0};
    assert_int_equal (tori_alloc_place (alloc, state, &request, &fast, NULL),
                      TORI_PLACED);
    assert_int_equal (
        cloud_place (ops->choose, &options, state, &request, &plain, NULL), 1);
    assert_int_equal (fast.count, k);
    if (memcmp (fast.nodes, plain.nodes, k * sizeof *fast.nodes) != 0) {
        char text[TORI_TEXT_MAX];
        tori_machine_format (tori_state_machine (state), text);
        print_message ("%s on %s, k=%u free %u\n", ops->info.name, text, k, tori_state_free_count(state));
    }
    assert_memory_equal (fast.nodes, plain.nodes, k * sizeof *fast.nodes);
    tori_placement_clear (&fast);
    tori_placement_clear (&plain);
}

static void check_machine (tori_machine *machine, struct rng *rng, int states)
{
    tori_alloc *allocs[LENGTH (names)];
    for (size_t i = 0; i < LENGTH (names); i++)
        assert_int_equal (
            tori_alloc_create (names[i], machine, &allocs[i], NULL), 0);
    for (int s = 0; s < states; s++) {
        tori_state *state = make_state (machine);
        uint32_t k;
        fill (state, rng);
        k = random_count (rng, tori_state_free_count (state));
        for (size_t i = 0; i < LENGTH (names); i++)
            expect_plain (state, allocs[i], k);
        tori_state_destroy (state);
    }
    for (size_t i = 0; i < LENGTH (names); i++)
        tori_alloc_destroy (allocs[i]);
    tori_machine_destroy (machine);
}

static void test_fast_is_plain (void **state)
{
    struct rng rng;
    rng_seed (&rng, 1, 0);
    for (int i = 0; i < 700; i++)
        check_machine (random_machine (&rng, 4, 120), &rng, 3);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_fast_is_plain),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}

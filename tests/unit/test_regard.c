/* regard against its definition (naive_regard.h), on machines of all sorts,
 * states that fill and empty, and requests of all sizes. */
#include "alloc_suite.h"

#include <stdio.h>
#include <stdlib.h>

#include "allocs.h"

static void check_count (struct world *world, tori_alloc *alloc, uint32_t k)
{
    tori_request request = {.count = k};
    tori_placement is = {0}, should;
    assert_true (naive_place (world->naive, "regard", &request, &should));
    assert_int_equal (
        tori_alloc_place (alloc, world->state, &request, &is, NULL),
        TORI_PLACED);
    for (uint32_t i = 0; i < k; i++)
        if (is.nodes[i] != should.nodes[i])
            fail_msg ("%s: node %u instead of %u",
                      world_describe (world, &request, "regard"), is.nodes[i],
                      should.nodes[i]);
    tori_placement_clear (&is);
    tori_placement_clear (&should);
}

static void check_machine (struct rng *rng, tori_machine *machine)
{
    struct world world;
    AUTO_ALLOC *alloc = make_alloc (machine, "regard");
    world_create (&world, machine);
    if (chance (rng, 80))
        world_fill (&world, rng);
    for (int i = 0; i < 3; i++) {
        uint32_t free_nodes = naive_free_count (world.naive);
        if (free_nodes > 0)
            check_count (&world, alloc,
                         between (rng, 1, chance (rng, 70)
                                              ? (free_nodes + 2) / 3
                                              : free_nodes));
    }
    world_destroy (&world);
}

TEST (definition)
{
    struct rng rng = seeded (1);
    for (size_t i = 0; i < random_cases (200); i++)
        check_machine (&rng, random_machine (&rng, 4, 36));
}

/* Rings whose far side is one node, or two. */
TEST (rings)
{
    static const char *const machines[] = {
        "torus:5x7", "torus:3x3x5", "torus:6x7", "torus:2x3x5",
        "torus:4x4x3", "multitorus:5x6", "mesh:6x7", "torus:17",
    };
    struct rng rng = seeded (2);
    for (size_t i = 0; i < random_cases (24); i++)
        check_machine (&rng,
                       make_machine (machines[i % LENGTH (machines)]));
}

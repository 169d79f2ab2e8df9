/* Allocators. Every one of the table goes through the same properties on
 * random machines, states and requests; those that have a definition are
 * compared with it, worked out node by node. */
#include "alloc_suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocs.h"
#include "ask.h"
#include "marks.h"
#include "placement.h"

/* ---- states that fill and empty ---- */

/* The suite: one machine, a state that fills and empties, requests. */
static void check_machine (tori_machine *machine, struct rng *rng,
                           int requests, struct outcomes *outcomes)
{
    struct world world;
    struct allocs allocs;
    world_create (&world, machine);
    allocs_create (&allocs, machine);
    world_fill (&world, rng);
    naive_expect (world.naive, world.state);
    for (int i = 0; i < requests; i++) {
        tori_request request = random_request (rng, machine);
        check_all (&world, &allocs, &request, i % 8 == 0, outcomes);
    }
    allocs_destroy (&allocs);
    world_destroy (&world);
}

/* Machines on which links are scarcest. */
static tori_machine *random_torus (struct rng *rng)
{
    char text[60];
    snprintf (text, sizeof text, "torus:%ux%ux%u", between (rng, 1, 4),
              between (rng, 2, 7), between (rng, 2, 7));
    return make_machine (text);
}

TEST (properties)
{
    struct outcomes outcomes = {0};
    struct rng rng = seeded (1);
    for (int round = 0; round < (int)random_cases (100); round++) {
        check_machine (random_machine (&rng, 4, 250), &rng, 10, &outcomes);
        check_machine (random_torus (&rng), &rng, 10, &outcomes);
    }
    /* Every answer is met, and often; everybody places, and searches give
     * up, if seldom. */
    for (int i = TORI_PLACED; i <= TORI_UNPLACEABLE; i++)
        assert_true (outcomes.met[i] > random_cases (67));
    for (size_t i = 0; every_alloc (i); i++) {
        assert_true (outcomes.placed[i] > random_cases (67));
        if (every_alloc (i)->flags & TORI_ALLOC_SEARCHES)
            assert_true (outcomes.gave_up[i] > 0);
    }
}

/* First fit alone, for more cases. */
TEST (first_fit)
{
    struct rng rng = seeded (2);
    for (int round = 0; round < (int)random_cases (167); round++) {
        struct world world;
        tori_alloc *alloc;
        world_create (&world, random_machine (&rng, 5, 400));
        alloc = make_alloc (world.machine, "first-fit");
        world_fill (&world, &rng);
        for (int i = 0; i < 15; i++) {
            tori_request request = random_request (&rng, world.machine);
            struct survey survey = {0};
            if (request.shape.ndims)
                survey = naive_survey (world.naive, &request);
            check_request (&world, alloc, &request, &survey, false);
        }
        tori_alloc_destroy (alloc);
        world_destroy (&world);
    }
}

/* On an idle machine a fixed shape is at node 0, whatever was asked for before:
 * one of 141 with as many nodes. */
TEST (shapes_of_one_size)
{
    enum { NDIMS = 6 };
    static const uint32_t limits[NDIMS] = {3, 3, 3, 3, 3, 3};
    AUTO_MACHINE *machine = make_machine ("mesh:4^6");
    AUTO_STATE *s = make_state (machine);
    AUTO_ALLOC *alloc = make_alloc (machine, "first-fit");
    uint32_t power[NDIMS] = {0};
    do {
        tori_box box = {.shape.ndims = NDIMS};
        tori_request request = {.fixed = true};
        tori_placement place = {0};
        for (int d = 0; d < NDIMS; d++)
            box.shape.size[d] = 1u << power[d];
        request.shape = box.shape;
        if (tori_shape_volume (&box.shape) != 64)
            continue;
        assert_int_equal (tori_alloc_place (alloc, s, &request, &place, NULL),
                          TORI_PLACED);
        expect_box (&place, &box);
        tori_placement_clear (&place);
    } while (count_up (power, limits, NDIMS));
}

/* A request for a shape as the scheduler keeps it, that could be served. */
static tori_request shape_request (struct rng *rng, const tori_alloc *alloc,
                                   const tori_machine *machine)
{
    tori_request request;
    do {
        request = random_request (rng, machine);
        if (!request.fixed)
            tori_shape_sort (&request.shape);
    } while (!request.shape.ndims || tori_alloc_impossible (alloc, &request));
    return request;
}

/* An allocator that is said to refuse a request because of another does refuse
 * it. Returns whether it was said. */
static bool check_refuses_too (const struct world *world, tori_alloc *alloc,
                               struct rng *rng)
{
    tori_request small = shape_request (rng, alloc, world->machine);
    tori_request large = shape_request (rng, alloc, world->machine);
    tori_placement place = {0};
    if (!alloc_refuses_too (alloc, world->state, &small, &large)
        || alloc_try_once (alloc, world->state, &small, &place, NULL)) {
        tori_placement_clear (&place);
        return false;
    }
    assert_int_equal (
        alloc_try_once (alloc, world->state, &large, &place, NULL), 0);
    return true;
}

TEST (refuses_too)
{
    unsigned refused[2] = {0};
    struct rng rng = seeded (21);
    for (int round = 0; round < (int)random_cases (200); round++) {
        const char *name = round % 2 ? "first-fit" : "best-fit";
        struct world world;
        tori_alloc *alloc;
        world_create (&world, round % 3 ? random_torus (&rng)
                                        : random_machine (&rng, 4, 100));
        alloc = make_alloc (world.machine, name);
        world_fill (&world, &rng);
        for (int i = 0; i < 100; i++)
            refused[round % 2] += check_refuses_too (&world, alloc, &rng);
        tori_alloc_destroy (alloc);
        world_destroy (&world);
    }
    assert_true (refused[0] > random_cases (100)
                 && refused[1] > random_cases (100));
}

/* Those for small instances may think about a larger one for a minute. */
static bool tractable (const tori_alloc *alloc, const tori_request *request)
{
    return !(tori_alloc_get_info (alloc)->flags & TORI_ALLOC_SEARCHES)
           || request->count <= 3;
}

/* Partitions that come where the allocators say and go in any order: nothing
 * is ever left over. */
TEST (churn)
{
    struct rng rng = seeded (3);
    for (int round = 0; round < 60; round++) {
        AUTO_MACHINE *machine = random_machine (&rng, 3, 300);
        AUTO_STATE *s = make_state (machine), *fresh = make_state (machine);
        tori_placement parts[10] = {0};
        struct allocs allocs;
        allocs_create (&allocs, machine);
        for (int i = 0; i < 150; i++) {
            tori_placement *part = &parts[rng_below (&rng, LENGTH (parts))];
            tori_alloc *alloc = allocs.list[rng_below (&rng, allocs.n)];
            tori_request request = random_request (&rng, machine);
            if (part->count) {
                tori_placement_release (part, s);
                tori_placement_clear (part);
            } else if (tractable (alloc, &request)
                       && tori_alloc_place (alloc, s, &request, part, NULL)
                              == TORI_PLACED) {
                assert_int_equal (tori_placement_hold (part, s, NULL), 0);
            }
        }
        for (size_t i = 0; i < LENGTH (parts); i++)
            if (parts[i].count) {
                tori_placement_release (&parts[i], s);
                tori_placement_clear (&parts[i]);
            }
        assert_true (tori_state_equal (s, fresh));
        allocs_destroy (&allocs);
    }
}

/* ---- what the scheduler asks ---- */

/* Nodes and links that go down or are drained, both at times, under what
 * runs. */
TEST (running)
{
    struct rng rng = seeded (7);
    for (int round = 0; round < 150; round++) {
        struct world world;
        world_create (&world, random_machine (&rng, 4, 80));
        world_fill (&world, &rng);
        for (uint32_t i = 0; i < world.naive->n; i++) {
            naive_disturb_node (world.naive, world.state, &rng);
            if (i % 8 == 0)
                naive_disturb_link (world.naive, world.state, &rng);
        }
        for (int i = 0; i < world.nparts; i++)
            if (world.parts[i].count)
                check_running (&world, &world.parts[i], false);
        world_destroy (&world);
    }
}

/* Mark a box and its links as somebody's, whoever had them. */
static void block_box (struct world *world, const tori_box *box,
                       tori_wiring wiring)
{
    enum { OWNER = 2000 };
    tori_placement place = placement_of_box (box, wiring);
    if (naive_links (world->naive, box, wiring, world->naive->scratch) < 0)
        return;
    assert_int_equal (placement_block (&place, world->state, NULL), 0);
    naive_hold_place (world->naive, &place, OWNER, true);
}

static void expect_taken (const struct world *world)
{
    size_t taken = 0;
    for (size_t i = 0; i < world->naive->nlinks; i++)
        taken += world->naive->links[i].owner != NOBODY;
    assert_int_equal (tori_state_links_taken (world->state), taken);
    assert_int_equal (tori_state_free_count (world->state),
                      naive_free_count (world->naive));
}

/* Plans lay partitions over one another. The rest is searched as exactly as
 * ever. */
TEST (blocked)
{
    struct outcomes outcomes = {0};
    struct rng rng = seeded (8);
    for (int round = 0; round < 120; round++) {
        struct world world;
        struct allocs allocs;
        world_create (&world, random_machine (&rng, 4, 200));
        allocs_create (&allocs, world.machine);
        world_fill (&world, &rng);
        for (unsigned i = between (&rng, 1, 5); i > 0; i--) {
            tori_box box = random_box (&rng, world.machine, 4, true);
            block_box (&world, &box, random_wiring (&rng));
            expect_taken (&world);
        }
        for (int i = 0; i < 8; i++) {
            tori_request request = random_request (&rng, world.machine);
            check_all (&world, &allocs, &request, false, &outcomes);
        }
        allocs_destroy (&allocs);
        world_destroy (&world);
    }
    assert_true (outcomes.met[TORI_PLACED] > 200);
}

/* Two placements are in each other's way when a node or a link is of both. */
static void check_overlap (const struct naive *naive, const tori_placement *a,
                           const tori_placement *b)
{
    bool both = naive_share (naive, a, b);
    assert_int_equal (placement_overlap (a, b, naive->machine), both);
    assert_int_equal (placement_overlap (b, a, naive->machine), both);
}

/* A list of nodes in a few runs, often of one node. */
static tori_placement random_runs (struct rng *rng, uint32_t nodes)
{
    tori_placement list = {.nodes = make_array (nodes, sizeof (uint32_t))};
    uint32_t node = between (rng, 0, nodes - 1);
    for (unsigned runs = between (rng, 1, 4); runs > 0 && node < nodes; runs--) {
        uint32_t end = node + (chance (rng, 50) ? 1 : between (rng, 1, 20));
        for (; node < nodes && node < end; node++)
            list.nodes[list.count++] = node;
        node += between (rng, 1, 20);
    }
    return list;
}

TEST (overlap)
{
    struct rng rng = seeded (10);
    for (int round = 0; round < (int)random_cases (334); round++) {
        AUTO_MACHINE *machine = random_machine (&rng, 4, 150);
        struct naive *naive = naive_create (machine);
        tori_placement places[4] = {0};
        for (int i = 0; i < 4; i++) {
            tori_box box = random_box (&rng, machine, 4, true);
            uint32_t nodes = tori_machine_nodes (machine);
            places[i] = placement_of_box (&box, random_wiring (&rng));
            if (i < 2)
                continue;
            places[i] = random_runs (&rng, nodes);
        }
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < i; j++)
                check_overlap (naive, &places[i], &places[j]);
        for (int i = 0; i < 4; i++)
            tori_placement_clear (&places[i]);
        naive_destroy (naive);
    }
}

/* In a view some of what runs is gone and some of what is planned is there;
 * a search in it finds what it would find if all that were so. */
static void check_view (struct world *world, tori_state *view,
                        tori_alloc *alloc, struct rng *rng)
{
    enum { OWNER = 2000 };
    for (int i = 0; i < world->nparts; i++)
        if (world->parts[i].count && chance (rng, 50)) {
            view_release (&world->parts[i], view);
            naive_release (world->naive, i);
        }
    for (int i = 0; i < 2; i++) {
        tori_box box = random_box (rng, world->machine, 3, true);
        tori_placement place = placement_of_box (&box, random_wiring (rng));
        if (naive_box_free (world->naive, &box)
            && naive_wirable (world->naive, &box, place.wiring)) {
            assert_int_equal (view_block (&place, view, NULL), 0);
            naive_hold (world->naive, &box, place.wiring, OWNER);
        }
    }
    for (int i = 0; i < 6; i++) {
        tori_request request = random_request (rng, world->machine);
        tori_placement place = {0};
        struct survey survey;
        if (tori_alloc_impossible (alloc, &request))
            continue;
        survey = naive_survey (world->naive, &request);
        assert_int_equal (alloc_try_once (alloc, view, &request, &place, NULL),
                          survey.found);
        if (survey.found)
            expect_box (&place, &survey.first);
        tori_placement_clear (&place);
    }
}

/* The same view is used again and again, while links and nodes go down and
 * come up. */
TEST (views)
{
    struct rng rng = seeded (11);
    for (int round = 0; round < 100; round++) {
        struct world world;
        tori_alloc *alloc;
        world_create (&world, random_machine (&rng, 4, 150));
        size_t nodes = world.naive->n * sizeof *world.naive->nodes;
        size_t links = world.naive->nlinks * sizeof *world.naive->links;
        void *saved[] = {make_array (1, nodes), make_array (1, links + 1)};
        AUTO_STATE *view = make_state (world.machine);
        alloc = make_alloc (world.machine, "first-fit");
        world_fill (&world, &rng);
        for (int i = 0; i < 8; i++) {
            if (i % 3 == 2) {
                naive_repair (world.naive, world.state);
            } else {
                naive_disturb_node (world.naive, world.state, &rng);
                naive_disturb_link (world.naive, world.state, &rng);
            }
            assert_int_equal (state_copy_view (view, world.state, NULL), 0);
            memcpy (saved[0], world.naive->nodes, nodes);
            memcpy (saved[1], world.naive->links, links);
            check_view (&world, view, alloc, &rng);
            memcpy (world.naive->nodes, saved[0], nodes);
            memcpy (world.naive->links, saved[1], links);
        }
        free (saved[0]);
        free (saved[1]);
        tori_alloc_destroy (alloc);
        world_destroy (&world);
    }
}

/* Block a box in one view, and by its shadow in another. */
static void block_both (tori_state *views[2], tori_state *blank,
                        struct rng *rng)
{
    const tori_machine *machine = blank->machine;
    tori_box box = random_box (rng, machine, 4, true);
    tori_placement place = placement_of_box (&box, random_wiring (rng));
    size_t words = shadow_words (machine);
    uint64_t *shadow;
    if (!tori_wiring_possible (machine, &box.shape, place.wiring))
        return;
    assert_true (words > 0);
    shadow = make_array (words, sizeof *shadow);
    assert_int_equal (view_block (&place, views[0], NULL), 0);
    assert_int_equal (shadow_cast (&place, blank, shadow, NULL), 0);
    assert_int_equal (view_shade (views[1], shadow, NULL), 0);
    free (shadow);
}

/* Whether a search finds the same in both. Returns what it finds. */
static int expect_both (tori_alloc *alloc, tori_state *views[2],
                        const tori_request *request)
{
    tori_placement places[2] = {0};
    int found = alloc_try_once (alloc, views[0], request, &places[0], NULL);
    assert_int_equal (
        alloc_try_once (alloc, views[1], request, &places[1], NULL), found);
    if (found)
        expect_box (&places[1], &places[0].box);
    tori_placement_clear (&places[0]);
    tori_placement_clear (&places[1]);
    return found;
}

TEST (shadows)
{
    unsigned found = 0;
    struct rng rng = seeded (22);
    for (int round = 0; round < 400; round++) {
        struct world world;
        tori_alloc *alloc;
        tori_state *views[2], *blank, *idle;
        world_create (&world, round % 2 ? random_torus (&rng)
                                        : random_machine (&rng, 4, 100));
        world_fill (&world, &rng);
        alloc = make_alloc (world.machine, "first-fit");
        blank = make_state (world.machine);
        idle = make_state (world.machine);
        for (int i = 0; i < 2; i++) {
            views[i] = make_state (world.machine);
            assert_int_equal (state_copy_view (views[i], world.state, NULL),
                              0);
        }
        for (int i = 0; i < 4 && world.state->links_down == 0; i++)
            block_both (views, blank, &rng);
        for (int i = 0; i < 20; i++) {
            tori_request request = shape_request (&rng, alloc, world.machine);
            found += expect_both (alloc, views, &request);
        }
        assert_true (tori_state_equal (blank, idle));
        for (int i = 0; i < 2; i++)
            tori_state_destroy (views[i]);
        tori_state_destroy (blank);
        tori_state_destroy (idle);
        tori_alloc_destroy (alloc);
        world_destroy (&world);
    }
    assert_true (found > 500);
}

/* Mistakes of callers: every function here is asked for what is not there, and
 * says so or does nothing. States, links, placements, subcubes, points; run
 * under a sanitizer this also shows that nothing beyond the machine is
 * touched. */
#include "misuse.h"

#include <tori/alloc.h>
#include <tori/cubes.h>
#include <tori/points.h>

#include "allocs.h"

/* ---- nodes, dimensions and links ---- */

TEST (nodes)
{
    AUTO_MACHINE *machine = make_machine ("torus:5x10");
    AUTO_STATE *state = make_state (machine), *before = make_state (machine);
    for (uint32_t node = 50; node != 0; node *= 2) { /* until it overflows */
        INVALID (tori_state_set_down (state, node, true, &err));
        INVALID (tori_state_set_down (state, node, false, &err));
        INVALID (tori_state_set_drained (state, node, true, &err));
        assert_false (tori_state_is_free (state, node));
        assert_false (tori_state_is_busy (state, node));
        assert_int_equal (tori_state_node (state, node), TORI_NODE_DOWN);
    }
    assert_int_equal (tori_state_set_down (state, 49, true, NULL), 0);
    assert_int_equal (tori_state_set_down (state, 60, true, NULL), -1);
    assert_int_equal (tori_state_set_down (state, 49, false, NULL), 0);
    assert_int_equal (tori_state_free_count (state), 50);
    assert_true (tori_state_equal (state, before));
}

TEST (dimensions)
{
    AUTO_MACHINE *machine = make_machine ("torus:5x10");
    for (int i = 0; i < 4; i++) {
        int dim = (int[]){-1, 2, TORI_MAX_DIMS, INT32_MAX}[i];
        assert_int_equal (tori_machine_size (machine, dim), 0);
        assert_int_equal (tori_machine_kind (machine, dim), TORI_MESH);
        assert_false (tori_machine_wraps (machine, dim));
    }
}

TEST (links)
{
    static const tori_link absent[] = {
        {0, TORI_NEAR, 21}, /* of a mesh's last node */
        {0, TORI_FAR, 0},  {-1, TORI_NEAR, 0}, {2, TORI_NEAR, 0},
        {99, TORI_FAR, 0}, {0, TORI_NEAR, 24}, {1, TORI_NEAR, UINT32_MAX},
        {1, (tori_layer)2, 0},
    };
    AUTO_MACHINE *machine = make_machine ("multitorus:4mx6");
    AUTO_STATE *state = make_state (machine);
    for (size_t i = 0; i < LENGTH (absent); i++) {
        uint32_t a = 77, b = 77;
        assert_false (tori_link_exists (machine, &absent[i]));
        assert_int_equal (tori_link_ends (machine, &absent[i], &a, &b), 0);
        assert_int_equal (a, 77);
        assert_int_equal (b, 77);
        assert_false (tori_state_link_taken (state, &absent[i]));
        assert_false (tori_state_link_down (state, &absent[i]));
        INVALID (tori_state_set_link_down (state, &absent[i], true, &err));
    }
}

TEST (names)
{
    assert_string_equal (tori_outcome_name (TORI_UNPLACEABLE), "never");
    assert_string_equal (tori_outcome_name (TORI_ERROR), "error");
    assert_null (tori_outcome_name ((tori_outcome)99));
    assert_null (tori_outcome_name ((tori_outcome)-2));
    assert_null (tori_wiring_name (TORI_WIRE_MIXED));
    assert_null (tori_wiring_name ((tori_wiring)7));
    for (int i = 4; i < 8; i++)
        assert_null (tori_hypercube_name (i));
    for (int i = 2; i < 8; i++)
        assert_null (tori_noncubic_name (i));
    assert_null (tori_hypercube_name (-1));
    assert_null (tori_noncubic_name (-1));
}

/* ---- boxes ---- */

TEST (boxes)
{
    AUTO_MACHINE *machine = make_machine ("torus:4x6m");
    AUTO_STATE *state = make_state (machine), *before = make_state (machine);
    tori_box wrapped = make_box (machine, "3,0/2x2");
    for (size_t i = 0; i < LENGTH (strangers); i++) {
        tori_placement place = {.nboxes = 1, .box = strangers[i],
                                .count = 1};
        for (int w = TORI_WIRE_NONE; w <= TORI_WIRE_TORUS; w++) {
            place.wiring = (tori_wiring)w;
            INVALID (tori_wiring_take (state, &place.box, place.wiring, &err));
            INVALID (tori_placement_hold (&place, state, &err));
            tori_wiring_give (state, &place.box, place.wiring);
            tori_placement_release (&place, state);
        }
    }
    assert_true (tori_state_equal (state, before));
    INVALID (tori_wiring_take (state, &wrapped, (tori_wiring)9, &err));
    tori_wiring_give (state, &wrapped, (tori_wiring)9);
    assert_int_equal (
        tori_wiring_take (state, &wrapped, TORI_WIRE_MESH, NULL), 0);
    tori_wiring_give (state, &wrapped, TORI_WIRE_MESH);
    assert_true (tori_state_equal (state, before));
}

/* ---- placements ---- */

static tori_placement box_place (const tori_machine *machine,
                                 const char *text, tori_wiring wiring)
{
    tori_placement place = {.nboxes = 1, .wiring = wiring,
                            .box = make_box (machine, text)};
    place.count = (uint32_t)tori_shape_volume (&place.box.shape);
    return place;
}

TEST (bad_lists)
{
    static const uint32_t lists[][2] = {{3, 3}, {4, 3}, {3, 24}, {24, 25}};
    AUTO_MACHINE *machine = make_machine ("mesh:4x6");
    AUTO_STATE *state = make_state (machine);
    tori_placement off = box_place (machine, "0,0/2x2", TORI_WIRE_NONE);
    for (size_t i = 0; i < LENGTH (lists); i++) {
        uint32_t nodes[2] = {lists[i][0], lists[i][1]};
        tori_placement place = {.count = 2, .nodes = nodes};
        INVALID (tori_placement_hold (&place, state, &err));
        tori_placement_release (&place, state);
        assert_int_equal (tori_state_free_count (state), 24);
    }
    off.count = 3;
    INVALID (tori_placement_hold (&off, state, &err));
    assert_int_equal (tori_state_free_count (state), 24);
    tori_placement_clear (NULL);
}

/* A second release gives back nothing of what somebody else has by then, if
 * that is not just the same. */
TEST (release_twice)
{
    AUTO_MACHINE *machine = make_machine ("torus:4x6");
    AUTO_STATE *state = make_state (machine), *before = make_state (machine);
    uint32_t nodes[] = {1, 8};
    tori_placement a = box_place (machine, "0,0/2x2", TORI_WIRE_TORUS);
    tori_placement b = box_place (machine, "1,0/2x2", TORI_WIRE_MESH);
    tori_placement list = {.count = 2, .nodes = nodes};
    assert_int_equal (tori_placement_hold (&a, state, NULL), 0);
    tori_placement_release (&a, state);
    tori_placement_release (&a, state);
    assert_true (tori_state_equal (state, before));
    assert_int_equal (tori_placement_hold (&b, state, NULL), 0);
    assert_int_equal (tori_state_copy (before, state, NULL), 0);
    tori_placement_release (&a, state);
    tori_placement_release (&list, state);
    assert_true (tori_state_equal (state, before));
    a.box = b.box; /* all nodes are held, but not all links */
    tori_placement_release (&a, state);
    assert_true (tori_state_equal (state, before));
    tori_placement_release (&b, state);
    assert_int_equal (tori_state_free_count (state), 24);
    assert_int_equal (tori_state_links_taken (state), 0);
}

/* ---- requests ---- */

/* Ask every allocator. */
static void expect_refused (const tori_machine *machine,
                            const tori_request *request)
{
    AUTO_STATE *state = make_state (machine);
    for (size_t i = 0; plain_alloc (i); i++) {
        tori_placement place = {0};
        tori_alloc *alloc;
        tori_error err = {0};
        alloc = make_alloc (machine, plain_alloc (i)->name);
        assert_int_equal (
            tori_alloc_place (alloc, state, request, &place, &err),
            TORI_ERROR);
        assert_int_equal (err.status, TORI_INVALID);
        assert_non_null (tori_alloc_impossible (alloc, request));
        tori_alloc_destroy (alloc);
    }
}

TEST (requests)
{
    AUTO_MACHINE *machine = make_machine ("torus:4x4");
    tori_request request = {.count = 4};
    request.wiring = (tori_wiring)9;
    expect_refused (machine, &request);
    request.shape = make_shape ("2x2");
    expect_refused (machine, &request);
    request.wiring = TORI_WIRE_NONE;
    request.shape.ndims = TORI_MAX_DIMS + 1;
    expect_refused (machine, &request);
    request.shape.ndims = 1 << 20;
    expect_refused (machine, &request);
    request.shape.ndims = -1;
    expect_refused (machine, &request);
}

TEST (alloc_configs)
{
    const tori_alloc_config *const bad[] = {
        TORI_ALLOC ("isomorphic", .hypercube = (tori_hypercube)4),
        TORI_ALLOC ("isomorphic", .noncubic = (tori_noncubic)2)};
    AUTO_MACHINE *machine = make_machine ("torus:4x4");
    tori_cubes *cubes = NULL;
    tori_alloc *alloc = NULL;
    for (size_t i = 0; i < LENGTH (bad); i++) {
        INVALID (tori_alloc_create (machine, bad[i], &alloc, &err));
        INVALID (tori_cubes_create (machine, bad[i], &cubes, &err));
    }
    assert_null (alloc);
    assert_null (cubes);
}

/* ---- subcubes ---- */

TEST (cube_shapes)
{
    static const int ndims[] = {0, -1, TORI_MAX_DIMS + 1, INT32_MAX};
    AUTO_MACHINE *machine = make_machine ("torus:4x4x4");
    tori_cubes *cubes;
    assert_int_equal (tori_cubes_create (machine, NULL, &cubes, NULL), 0);
    for (size_t i = 0; i < LENGTH (ndims); i++) {
        tori_shape shape = {ndims[i], {1, 1, 1}};
        tori_placement place = {0};
        tori_error err = {0};
        assert_int_equal (tori_cubes_request (cubes, &shape, &place, &err),
                          TORI_ERROR);
        assert_int_equal (err.status, TORI_INVALID);
    }
    assert_int_equal (tori_cubes_free_count (cubes), 64);
    tori_cubes_destroy (cubes);
}

TEST (cube_nodes)
{
    AUTO_MACHINE *machine = make_machine ("torus:4x4x4");
    tori_cubes *cubes;
    assert_int_equal (tori_cubes_create (machine, NULL, &cubes, NULL), 0);
    INVALID (tori_cubes_take_node (cubes, 64, &err));
    INVALID (tori_cubes_take_node (cubes, UINT32_MAX, &err));
    tori_cubes_give_node (cubes, 64);
    tori_cubes_give_node (cubes, 5);
    assert_false (tori_cubes_is_free (cubes, 64));
    assert_int_equal (tori_cubes_free_count (cubes), 64);
    assert_int_equal (tori_cubes_take_node (cubes, 5, NULL), 0);
    tori_cubes_give_node (cubes, 5);
    tori_cubes_give_node (cubes, 5);
    assert_int_equal (tori_cubes_free_count (cubes), 64);
    assert_int_equal (tori_cubes_largest (cubes), 64);
    tori_cubes_destroy (cubes);
}

static void expect_free_nodes (const tori_cubes *cubes, uint32_t nodes)
{
    uint32_t free_nodes = 0;
    for (uint32_t i = 0; i < nodes; i++)
        free_nodes += tori_cubes_is_free (cubes, i);
    assert_int_equal (free_nodes, tori_cubes_free_count (cubes));
}

/* Requests come and go; each release is followed by another of the same,
 * after somebody else may have come. */
static void play_cubes (struct rng *rng, const tori_machine *machine,
                        tori_noncubic noncubic)
{
    tori_alloc_config options = {.size = sizeof options, .noncubic = noncubic};
    tori_placement held[8] = {{0}}, gone = {0};
    uint32_t nodes = tori_machine_nodes (machine);
    tori_cubes *cubes;
    if (tori_cubes_create (machine, &options, &cubes, NULL) < 0)
        return;
    for (int step = 0; step < 200; step++) {
        tori_placement *place = &held[between (rng, 0, LENGTH (held) - 1)];
        uint32_t before = tori_cubes_free_count (cubes);
        tori_shape shape
            = {2, {between (rng, 1, 5), between (rng, 1, 5)}};
        if (place->count > 0) {
            uint32_t count = place->count;
            tori_cubes_release (cubes, place);
            assert_int_equal (tori_cubes_free_count (cubes), before + count);
            tori_cubes_release (cubes, place);
            assert_int_equal (tori_cubes_free_count (cubes), before + count);
            tori_placement_clear (&gone);
            gone = *place;
            *place = (tori_placement){0};
        } else if (tori_cubes_request (cubes, &shape, place, NULL)
                   == TORI_PLACED) {
            assert_int_equal (tori_cubes_free_count (cubes),
                              before - place->count);
        }
        expect_free_nodes (cubes, nodes);
    }
    for (size_t i = 0; i < LENGTH (held); i++) {
        if (held[i].count > 0)
            tori_cubes_release (cubes, &held[i]);
        tori_placement_clear (&held[i]);
    }
    if (gone.count > 0)
        tori_cubes_release (cubes, &gone);
    tori_placement_clear (&gone);
    assert_int_equal (tori_cubes_free_count (cubes), nodes);
    tori_cubes_destroy (cubes);
}

TEST (cube_release_twice)
{
    static const char *const machines[]
        = {"torus:8x8", "torus:6x7", "mesh:4x4x4", "torus:5x5x3"};
    struct rng rng = seeded (11);
    for (size_t i = 0; i < LENGTH (machines); i++) {
        AUTO_MACHINE *machine = make_machine (machines[i]);
        play_cubes (&rng, machine, TORI_NONCUBIC_ROUND_UP);
        play_cubes (&rng, machine, TORI_NONCUBIC_DECOMPOSE);
    }
}

TEST (cube_strangers)
{
    AUTO_MACHINE *machine = make_machine ("torus:4x6m");
    uint32_t nodes[] = {1, 2, 3}, beyond[] = {22, 23, 24};
    tori_placement list = {.count = 3, .nodes = nodes};
    tori_cubes *cubes;
    assert_int_equal (tori_cubes_create (machine, NULL, &cubes, NULL), 0);
    tori_cubes_release (cubes, &list);
    for (uint32_t i = 0; i < 24; i++)
        assert_int_equal (tori_cubes_take_node (cubes, i, NULL), 0);
    tori_cubes_release (cubes, &list); /* no list was ever taken */
    list.nodes = beyond;
    tori_cubes_release (cubes, &list);
    for (size_t i = 0; i < LENGTH (strangers); i++) {
        tori_placement place = {.nboxes = 1, .box = strangers[i],
                                .count = 1};
        tori_cubes_release (cubes, &place);
    }
    assert_int_equal (tori_cubes_free_count (cubes), 0);
    tori_cubes_destroy (cubes);
}

/* ---- distances ---- */

TEST (pairwise)
{
    static const int64_t coords[] = {0, 5, 9};
    tori_points points = {.ndims = 1, .n = 3, .coords = coords};
    AUTO_MACHINE *machine = make_machine ("torus:4x4");
    uint64_t sum = 77;
    INVALID (tori_points_pairwise (&points, (size_t[]){0, 3}, 2, &sum, &err));
    INVALID (tori_points_pairwise (&points, (size_t[]){SIZE_MAX}, 1, &sum,
                                   &err));
    INVALID (tori_nodes_pairwise (machine, (uint32_t[]){0, 16}, 2, &sum,
                                  &err));
    INVALID (tori_points_cluster (0, NULL, &sum, &err));
    INVALID (tori_points_cluster (TORI_CLUSTER_MAX + 1, NULL, &sum, &err));
    assert_int_equal (sum, 77);
}

/* Distances that do not fit: every allocator of points, nothing written. */
TEST (choose_writes_nothing)
{
    static const int64_t far = INT64_C (1) << 62;
    const int64_t coords[] = {-far, -far, -far, far, far, far, 0, 0, 0};
    tori_points points = {.ndims = 3, .n = 3, .coords = coords};
    tori_shape shape = make_shape ("1x1x1");
    for (size_t i = 0; tori_alloc_list (i); i++) {
        size_t chosen[3] = {77, 77, 77};
        uint64_t sum = 77;
        tori_error why = {0};
        if (!(tori_alloc_list (i)->flags & TORI_ALLOC_POINTS))
            continue;
        assert_int_equal (
            tori_points_choose (TORI_ALLOC (tori_alloc_list (i)->name),
                                &points, 3, chosen, &sum, &why),
            -1);
        assert_int_not_equal (why.status, TORI_OK);
        assert_int_equal (sum, 77);
        for (int k = 0; k < 3; k++)
            assert_int_equal (chosen[k], 77);
        INVALID (tori_points_choose_box (&points, 3, &shape, false, chosen,
                                         &sum, &err));
        assert_int_equal (chosen[0], 77);
    }
}

/* The table of allocators, and requests that are refused whoever is asked. */
#include "alloc_suite.h"
#include "allocs.h"

#include <string.h>

#include <tori/cubes.h>
#include <tori/points.h>

TEST (table)
{
    AUTO_MACHINE *machine = make_machine ("mesh:4x4");
    AUTO_MACHINE *pod = make_machine ("pod:2/2x2");
    const tori_alloc_info *info;
    tori_alloc *alloc = NULL;
    tori_error err = {.status = TORI_OK};
    for (size_t i = 0; (info = tori_alloc_list (i)); i++) {
        assert_ptr_equal (tori_alloc_find (info->name), info);
        assert_true (info->takes & (TORI_BY_SHAPE | TORI_BY_COUNT));
        assert_true (strlen (info->summary) > 0);
        assert_null (strchr (info->summary, '\n'));
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal (info->name, tori_alloc_list (j)->name);
        alloc = make_alloc (info->flags & TORI_ALLOC_PODS ? pod : machine,
                            info->name);
        assert_ptr_equal (tori_alloc_get_info (alloc), info);
        tori_alloc_destroy (alloc);
    }
    alloc = NULL;
    assert_null (tori_alloc_find ("nearly-fit"));
    assert_int_equal (
        tori_alloc_create (machine, TORI_ALLOC ("nearly-fit"), &alloc, &err),
        -1);
    assert_int_equal (err.status, TORI_INVALID);
    assert_null (alloc);
    tori_alloc_destroy (NULL);
    for (size_t i = 0; reference_list (i); i++)
        assert_non_null (tori_alloc_find (reference_list (i)->name));
}

TEST (outcome_names)
{
    assert_string_equal (tori_outcome_name (TORI_PLACED), "placed");
    assert_string_equal (tori_outcome_name (TORI_NUMERICAL), "numerical");
    assert_string_equal (tori_outcome_name (TORI_TOPOLOGICAL), "topological");
    assert_string_equal (tori_outcome_name (TORI_WIRING), "wiring");
    assert_string_equal (tori_outcome_name (TORI_UNPLACEABLE), "never");
}

TEST (request_nodes)
{
    tori_request request = {.count = 5};
    assert_int_equal (tori_request_nodes (&request), 5);
    request.shape = make_shape ("2x3");
    assert_int_equal (tori_request_nodes (&request), 6);
    request.shape = make_shape ("4294967295x4294967295x4294967295");
    assert_int_equal (tori_request_nodes (&request), UINT64_MAX);
}

/* ---- odd requests ---- */

/* Shapes that no parser lets through but a program may ask for. */
TEST (odd_shapes)
{
    static const tori_shape shapes[] = {
        {3, {UINT32_MAX, UINT32_MAX, UINT32_MAX}},
        {3, {1U << 31, 1, 2}},
    };
    AUTO_MACHINE *machine = make_machine ("torus:8x8x8");
    AUTO_STATE *s = make_state (machine);
    struct allocs allocs;
    allocs_create (&allocs, machine);
    for (size_t i = 0; i < allocs.n * LENGTH (shapes); i++) {
        tori_request request = {.shape = shapes[i / allocs.n], .wrap = true};
        tori_placement place = {0};
        assert_int_equal (tori_alloc_place (allocs.list[i % allocs.n], s,
                                            &request, &place, NULL),
                          TORI_UNPLACEABLE);
    }
    allocs_destroy (&allocs);
}

static void expect_nothing (const tori_error *err)
{
    assert_int_equal (err->status, TORI_INVALID);
    assert_non_null (strstr (err->text, "asked for"));
}

/* To ask for nothing is a mistake, whoever is asked, and however much is free:
 * bad input, not a refusal. */
TEST (nothing)
{
    static const tori_request nothing[] = {
        {.count = 0},
        {.shape = {3, {0, 1, 1}}},
        {.shape = {3, {2, 0, 2}}, .wrap = true},
        {.shape = {3, {0, 0, 0}}, .wiring = TORI_WIRE_TORUS},
        {.shape = {3, {UINT32_MAX, 0, UINT32_MAX}}, .count = 3},
    };
    AUTO_MACHINE *machine = make_machine ("torus:4x4x4");
    AUTO_STATE *s = make_state (machine);
    struct allocs allocs;
    allocs_create (&allocs, machine);
    for (size_t i = 0; i < allocs.n * LENGTH (nothing); i++) {
        tori_alloc *alloc = allocs.list[i % allocs.n];
        const tori_request *request = &nothing[i / allocs.n];
        tori_placement place = {.count = 12345};
        tori_error err = {.status = TORI_OK};
        assert_int_equal (tori_alloc_place (alloc, s, request, &place, &err),
                          TORI_ERROR);
        expect_nothing (&err);
        assert_int_equal (place.count, 12345); /* untouched */
        assert_non_null (tori_alloc_impossible (alloc, request));
    }
    allocs_destroy (&allocs);
}

/* So it is where subcubes are asked for. */
TEST (no_cube)
{
    static const tori_shape shapes[] = {{3, {0, 1, 1}}, {3, {3, 0, 2}}};
    AUTO_MACHINE *machine = make_machine ("torus:4x4x4");
    tori_cubes *cubes;
    assert_int_equal (tori_cubes_create (machine, NULL, &cubes, NULL), 0);
    for (size_t i = 0; i < LENGTH (shapes); i++) {
        tori_placement place = {.count = 12345};
        tori_error err = {.status = TORI_OK};
        assert_int_equal (tori_cubes_request (cubes, &shapes[i], &place, &err),
                          TORI_ERROR);
        expect_nothing (&err);
        assert_int_equal (place.count, 12345); /* untouched */
    }
    tori_cubes_destroy (cubes);
}

/* And among points. */
TEST (no_points)
{
    static const int64_t coords[] = {1, 2, 3};
    tori_points points = {.ndims = 1, .n = 3, .coords = coords};
    tori_shape shape = make_shape ("2");
    const tori_alloc_info *info;
    size_t chosen[3];
    tori_error err;
    for (size_t i = 0; (info = tori_alloc_list (i)); i++) {
        if (!(info->flags & TORI_ALLOC_POINTS))
            continue;
        assert_int_equal (tori_points_choose (TORI_ALLOC (info->name), &points,
                                              0, chosen, NULL, &err),
                          -1);
        expect_nothing (&err);
    }
    assert_int_equal (
        tori_points_choose_box (&points, 0, &shape, false, chosen, NULL, &err),
        -1);
    expect_nothing (&err);
}

/* Holding is refused, with nothing changed, for one node or one link that is
 * not to be had. */
TEST (hold_refused)
{
    AUTO_MACHINE *machine = make_machine ("torus:4x4");
    tori_placement box = {.nboxes = 1,
                          .wiring = TORI_WIRE_TORUS,
                          .box = make_box (machine, "0,0/2x2"),
                          .count = 4};
    uint32_t ids[] = {3, 9};
    tori_placement nodes = {.count = 2, .nodes = ids};
    AUTO_STATE *s = make_state (machine), *before = make_state (machine);
    tori_link far = {0, TORI_NEAR, 12}; /* beyond the box, in its ring */
    tori_error err;
    tori_state_set_drained (s, 9, true, NULL);
    tori_state_set_link_down (s, &far, true, NULL);
    tori_state_copy (before, s, NULL);
    assert_int_equal (tori_placement_hold (&nodes, s, &err), -1);
    assert_int_equal (err.status, TORI_NOT_NOW);
    assert_true (tori_state_equal (s, before));
    assert_int_equal (tori_placement_hold (&box, s, &err), -1);
    assert_int_equal (err.status, TORI_NOT_NOW);
    assert_true (tori_state_equal (s, before));
    box.wiring = TORI_WIRE_MESH;
    assert_int_equal (tori_placement_hold (&box, s, &err), 0);
    tori_placement_release (&box, s);
    assert_true (tori_state_equal (s, before));
}

/* Memory runs out in machines, states and allocators. */
#include "chaos_scenario.h"

#include <stdio.h>

#include <tori/room.h>

#include "allocs.h"

/* ---- machines, states, links ---- */

static int parse_machine (const struct scenario *self, tori_error *err)
{
    tori_machine *machine = UNTOUCHED;
    if (tori_machine_parse (self->machine, &machine, err) < 0) {
        assert_ptr_equal (machine, UNTOUCHED);
        return -1;
    }
    tori_machine_destroy (machine);
    return 0;
}

static int set_node_down (tori_state *state, tori_error *err)
{
    return tori_state_set_down (state, 3, true, err);
}

static int set_node_drained (tori_state *state, tori_error *err)
{
    return tori_state_set_drained (state, 4, true, err);
}

static int set_link_down (tori_state *state, tori_error *err)
{
    tori_link link = {1, TORI_NEAR, 1};
    return tori_state_set_link_down (state, &link, true, err);
}

static int take_mesh (tori_state *state, tori_error *err)
{
    tori_box box = box_of (tori_state_machine (state), "0,1,3/2x2x1");
    return tori_wiring_take (state, &box, TORI_WIRE_MESH, err);
}

static int hold_torus (tori_state *state, tori_error *err)
{
    tori_box box = box_of (tori_state_machine (state), "2,0,2/2x2x1");
    tori_placement place = {
        .nboxes = 1, .wiring = TORI_WIRE_TORUS, .box = box, .count = 4};
    return tori_placement_hold (&place, state, err);
}

static int hold_nodes (tori_state *state, tori_error *err)
{
    uint32_t nodes[] = {0, 7, 9};
    tori_placement place = {.count = 3, .nodes = nodes};
    return tori_placement_hold (&place, state, err);
}

static int sum_pairs (tori_state *state, tori_error *err)
{
    uint32_t nodes[] = {0, 7, 9};
    tori_placement place = {.count = 3, .nodes = nodes};
    uint64_t sum = 12345;
    int status = tori_placement_pairwise (
        &place, tori_state_machine (state), &sum, err);
    if (status < 0)
        assert_int_equal (sum, 12345);
    return status;
}

static int copy_placement (tori_state *state, tori_error *err)
{
    static const uint32_t nodes[] = {0, 7, 9};
    tori_placement place = {0}, copy = {0};
    int status = tori_placement_of_nodes (tori_state_machine (state), nodes, 3,
                                          &place, err);
    assert_int_equal (place.count, status < 0 ? 0 : 3);
    if (status == 0)
        status = tori_placement_copy (&copy, &place, err);
    assert_int_equal (copy.count, status < 0 ? 0 : 3);
    tori_placement_clear (&place);
    tori_placement_clear (&copy);
    return status;
}

/* Two boxes: put together, copied, held, and their distances. */
static int hold_pieces (tori_state *state, tori_error *err)
{
    const tori_machine *machine = tori_state_machine (state);
    const tori_box boxes[]
        = {box_of (machine, "3,2,0/1x2x1"), box_of (machine, "1,3,0/1x1x2")};
    tori_placement place = {0}, copy = {0};
    uint64_t sum = 12345;
    int status
        = tori_placement_of_boxes (boxes, 2, TORI_WIRE_MESH, &place, err);
    if (status == 0)
        status = tori_placement_copy (&copy, &place, err);
    assert_int_equal (copy.count, status < 0 ? 0 : 4);
    if (status == 0)
        status = tori_placement_pairwise (&copy, machine, &sum, err);
    assert_int_equal (sum == 12345, status < 0);
    if (status == 0)
        status = tori_placement_hold (&copy, state, err);
    tori_placement_clear (&place);
    tori_placement_clear (&copy);
    return status;
}

/* Two boxes of which one goes around a link that is down. */
static int wire_around (tori_state *state, tori_error *err)
{
    const tori_machine *machine = tori_state_machine (state);
    const tori_box boxes[]
        = {box_of (machine, "0,2,2/4x1x1"), box_of (machine, "0,3,2/4x1x1")};
    const tori_link link = {0, TORI_FAR, 10};
    tori_placement place = {0}, copy = {0};
    int status;
    if (!tori_link_exists (machine, &link))
        return 0;
    status = tori_state_set_link_down (state, &link, true, err);
    if (status == 0)
        status
            = tori_placement_of_boxes (boxes, 2, TORI_WIRE_TORUS, &place, err);
    if (status == 0)
        status = tori_placement_wire (&place, state, err);
    if (status == 0)
        status = tori_placement_copy (&copy, &place, err);
    if (status == 0)
        status = tori_placement_hold (&copy, state, err);
    if (status < 0)
        tori_state_set_link_down (state, &link, false, NULL);
    tori_placement_clear (&place);
    tori_placement_clear (&copy);
    return status;
}

/* Each in a state that nothing has happened to yet, in which whatever is made
 * when first needed has to be made. */
static int (*const changes[]) (tori_state *state, tori_error *err) = {
    set_node_down, set_node_drained, set_link_down,  take_mesh,
    hold_torus,    hold_nodes,       sum_pairs,      copy_placement,
    hold_pieces,   wire_around,
};

static int change_states (const struct scenario *self, tori_error *err)
{
    tori_machine *machine = own_machine (self->machine);
    tori_state *before = own_state (machine), *state = UNTOUCHED;
    size_t n = sizeof changes / sizeof changes[0];
    int status = 0;
    for (size_t i = 0; i < n && status == 0; i++) {
        status = tori_state_create (machine, &state, err);
        if (status < 0) {
            assert_ptr_equal (state, UNTOUCHED);
            break;
        }
        status = changes[i](state, err);
        if (status < 0)
            assert_true (tori_state_equal (state, before));
        tori_state_destroy (state);
        state = UNTOUCHED;
    }
    tori_state_destroy (before);
    tori_machine_destroy (machine);
    return status;
}

static int copy_state (const struct scenario *self, tori_error *err)
{
    tori_machine *machine = own_machine (self->machine);
    tori_state *from = own_state (machine), *to = own_state (machine);
    tori_state *before = own_state (machine);
    int status;
    chaos_pause ();
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++)
        assert_int_equal (changes[i](from, NULL), 0);
    chaos_resume ();
    status = tori_state_copy (to, from, err);
    assert_true (tori_state_equal (to, status < 0 ? before : from));
    tori_state_destroy (before);
    tori_state_destroy (to);
    tori_state_destroy (from);
    tori_machine_destroy (machine);
    return status;
}

/* ---- allocators ---- */

/* The i-th of some requests of growing size, in a way the allocator takes:
 * those that answer shapes with boxes alone can wire them. */
static tori_request request_for (const char *alloc, int i)
{
    const tori_alloc_info *info = tori_alloc_find (alloc);
    tori_request request = {.count = (uint32_t)i + 1};
    if (info->takes & TORI_BY_SHAPE) {
        request.shape = (tori_shape){3, {1, 1u + (i >= 2), 1u + (i & 1)}};
        request.count = (uint32_t)tori_shape_volume (&request.shape);
        request.wiring = i & 1 ? TORI_WIRE_TORUS : TORI_WIRE_MESH;
        if ((info->flags & TORI_ALLOC_FOLDS) || info->takes & TORI_BY_COUNT)
            request.wiring = TORI_WIRE_NONE;
        if (info->flags & TORI_ALLOC_RINGS && i % 2)
            request.flags = TORI_REQUEST_FOLD;
    }
    return request;
}

static void assert_same_place (const tori_placement *a,
                               const tori_placement *b,
                               const tori_machine *machine)
{
    uint32_t x[64], y[64];
    assert_int_equal (a->nboxes, b->nboxes);
    assert_int_equal (a->count, b->count);
    tori_placement_nodes (a, machine, x);
    tori_placement_nodes (b, machine, y);
    assert_memory_equal (x, y, a->count * sizeof x[0]);
}

/* Place one request; when that fails, once more, as if nothing had been. */
static void place_again (tori_alloc *alloc, const tori_state *state,
                         const tori_request *request, tori_placement *place)
{
    tori_error err = {0};
    tori_outcome outcome
        = tori_alloc_place (alloc, state, request, place, &err);
    if (outcome == TORI_ERROR) {
        assert_true (chaos_fired ());
        assert_nomem (&err);
        assert_null (place->nodes);
        chaos_disarm ();
        outcome = tori_alloc_place (alloc, state, request, place, &err);
    }
    assert_int_equal (outcome, TORI_PLACED);
}

/* A second allocator, of the test's own, says what the first should. */
static void place_some (tori_alloc *alloc, tori_alloc *undisturbed,
                        tori_state *state, const char *name)
{
    const tori_machine *machine = tori_state_machine (state);
    tori_state *before = own_state (machine);
    for (int i = 0; i < 4; i++) {
        tori_request request = request_for (name, i);
        tori_placement place = {0}, expected = {0};
        chaos_pause ();
        assert_int_equal (tori_alloc_place (undisturbed, state, &request,
                                            &expected, NULL),
                          TORI_PLACED);
        chaos_resume ();
        own_copy (before, state);
        place_again (alloc, state, &request, &place);
        assert_true (tori_state_equal (state, before));
        assert_same_place (&place, &expected, machine);
        chaos_pause ();
        assert_int_equal (tori_placement_hold (&place, state, NULL), 0);
        chaos_resume ();
        tori_placement_clear (&place);
        tori_placement_clear (&expected);
    }
    tori_state_destroy (before);
}

static int allocate (const struct scenario *self, tori_error *err)
{
    tori_machine *machine = own_machine (self->machine);
    tori_state *state = own_state (machine);
    tori_alloc *alloc = UNTOUCHED, *undisturbed;
    int status;
    chaos_pause ();
    undisturbed = make_alloc (machine, self->alloc);
    chaos_resume ();
    status =
        tori_alloc_create (machine, TORI_ALLOC (self->alloc), &alloc, err);
    if (status < 0) {
        assert_ptr_equal (alloc, UNTOUCHED);
    } else {
        place_some (alloc, undisturbed, state, self->alloc);
        tori_alloc_destroy (alloc);
    }
    tori_alloc_destroy (undisturbed);
    tori_state_destroy (state);
    tori_machine_destroy (machine);
    return status;
}

/* ---- subcubes ---- */

static const tori_shape parts[] = {
    {3, {1, 2, 2}}, {3, {3, 1, 3}}, {3, {1, 1, 1}}, {3, {3, 3, 1}}};
enum { NPARTS = sizeof parts / sizeof parts[0] };

/* A request that fails takes nothing, and can be made again. */
static void request_again (tori_cubes *cubes, const tori_shape *shape,
                           tori_placement *place)
{
    tori_error err = {0};
    uint32_t before = tori_cubes_free_count (cubes);
    tori_outcome outcome = tori_cubes_request (cubes, shape, place, &err);
    if (outcome == TORI_ERROR) {
        assert_true (chaos_fired ());
        assert_nomem (&err);
        assert_null (place->nodes);
        assert_int_equal (tori_cubes_free_count (cubes), before);
        chaos_disarm ();
        outcome = tori_cubes_request (cubes, shape, place, &err);
    }
    assert_int_equal (outcome, TORI_PLACED);
    assert_int_equal (tori_cubes_free_count (cubes), before - place->count);
}

static int use_cubes (const struct scenario *self, tori_error *err)
{
    tori_machine *machine = own_machine (self->machine);
    tori_placement places[NPARTS] = {{0}};
    tori_cubes *cubes = UNTOUCHED;
    tori_alloc_config options = {.size = sizeof options,
                                 .noncubic = self->noncubic};
    int status = tori_cubes_create (machine, &options, &cubes, err);
    if (status < 0) {
        assert_ptr_equal (cubes, UNTOUCHED);
        tori_machine_destroy (machine);
        return -1;
    }
    for (int i = 0; i < NPARTS; i++)
        request_again (cubes, &parts[i], &places[i]);
    for (int i = 0; i < NPARTS; i++) {
        tori_cubes_release (cubes, &places[i]);
        tori_placement_clear (&places[i]);
    }
    assert_int_equal (tori_cubes_free_count (cubes),
                      tori_machine_nodes (machine));
    tori_cubes_destroy (cubes);
    tori_machine_destroy (machine);
    return 0;
}

/* ---- points ---- */

static int choose_four (const struct scenario *self, const tori_points *points,
                        uint64_t steps, tori_error *err)
{
    const tori_alloc_config *fine =
        TORI_ALLOC (self->alloc, .epsilon = 0.01, .steps = steps);
    size_t chosen[4], expected[4];
    uint64_t sum = 77, expected_sum = 0;
    int status;
    chaos_pause ();
    assert_int_equal (
        tori_points_choose (fine, points, 4, expected, &expected_sum, NULL),
        0);
    chaos_resume ();
    status = tori_points_choose (fine, points, 4, chosen, &sum, err);
    if (status == 0)
        assert_memory_equal (chosen, expected, sizeof chosen);
    assert_int_equal (sum, status < 0 ? 77 : expected_sum);
    return status;
}

/* All round a ring, with little epsilon and once with so few steps that ptas
 * barely begins; then on a line and a ring alone, which some know more about. */
static int choose_points (const struct scenario *self, tori_error *err)
{
    static const int64_t coords[] = {0, 0, 2, 1, 4, 0, 6, 1, -4, 0, 10, 1};
    static const uint64_t around[] = {12, 0};
    tori_points plane = {
        .ndims = 2, .n = 6, .coords = coords, .around = around};
    tori_points ring = {
        .ndims = 1, .n = 12, .coords = coords, .around = around};
    tori_points line = {.ndims = 1, .n = 12, .coords = coords};
    if (strcmp (self->alloc, "ptas") == 0
        && choose_four (self, &plane, 400, err) < 0)
        return -1;
    if (choose_four (self, &plane, 0, err) < 0
        || choose_four (self, &ring, 0, err) < 0)
        return -1;
    return choose_four (self, &line, 0, err);
}

/* So many centres that mm goes by boxes; but four points are so much closer
 * that it soon ends. */
static int choose_boxes (const struct scenario *self, tori_error *err)
{
    enum { N = 70, NDIMS = 3 };
    int64_t coords[N * NDIMS];
    tori_points points = {.ndims = NDIMS, .n = N, .coords = coords};
    for (int i = 0; i < N; i++) {
        int64_t apart = i < 4 ? 1 : 1000;
        coords[NDIMS * i] = apart * i;
        coords[NDIMS * i + 1] = apart * (i * 29 % N);
        coords[NDIMS * i + 2] = apart * (i * 51 % N);
    }
    return choose_four (self, &points, 0, err);
}

/* So far apart that mm goes centre by centre. */
static int choose_far (const struct scenario *self, tori_error *err)
{
    enum { N = 9, NDIMS = 2 };
    int64_t coords[N * NDIMS];
    tori_points points = {.ndims = NDIMS, .n = N, .coords = coords};
    for (int i = 0; i < N * NDIMS; i++)
        coords[i] = (i < 14 ? INT64_MAX : INT64_MIN + 99) - i * i * 31 % 23;
    return choose_four (self, &points, 0, err);
}

/* ---- making room ---- */

static int ask_room (const tori_state *state, const tori_room_job jobs[],
                     size_t n, const tori_request *request, uint64_t flags,
                     tori_error *err)
{
    tori_room room = {.steps = 12345};
    int status = flags == 2
                     ? tori_room_victims (state, jobs, n, request, NULL, &room,
                                          err)
                     : tori_room_make (state, jobs, n, request,
                                       TORI_ROOM (.flags = flags), &room, err);
    if (status < 0)
        assert_int_equal (room.steps, 12345);
    else
        assert_true (room.found && room.least);
    if (status == 0)
        tori_room_clear (&room);
    return status;
}

static int ask_repair (tori_state *state, const tori_room_job *job,
                       uint32_t node, tori_error *err)
{
    tori_room room = {.steps = 12345};
    int status = tori_state_set_down (state, node, true, err);
    if (status == 0)
        status = tori_room_repair (state, job, NULL, &room, err);
    if (status < 0)
        assert_int_equal (room.steps, 12345);
    else
        tori_room_clear (&room);
    return status;
}

static int ask_all (tori_state *state, const tori_room_job jobs[],
                    tori_error *err)
{
    tori_request box = {.shape = {2, {4, 2}}, .wiring = TORI_WIRE_MESH};
    tori_request count = {.count = 10};
    if (ask_room (state, jobs, 3, &box, 0, err) < 0
        || ask_room (state, jobs, 3, &box, TORI_ROOM_LIVE, err) < 0
        || ask_room (state, jobs, 3, &box, 2, err) < 0
        || ask_room (state, jobs, 3, &count, 2, err) < 0
        || ask_repair (state, &jobs[0], 5, err) < 0)
        return -1;
    return ask_repair (state, &jobs[2], 15, err);
}

static int make_room (const struct scenario *self, tori_error *err)
{
    uint32_t nodes[] = {12, 15};
    tori_placement place[3] = {{.nboxes = 1, .count = 4,
                                .wiring = TORI_WIRE_MESH},
                               {.nboxes = 1, .count = 1},
                               {.count = 2, .nodes = nodes}};
    static const uint64_t barred = 1 << 3 | 1 << 12;
    tori_room_job jobs[] = {{.place = &place[0], .barred = &barred},
                            {.place = &place[1]},
                            {.place = &place[2]}};
    tori_machine *machine = NULL;
    tori_state *state = NULL;
    int status = -1;
    if (tori_machine_parse (self->machine, &machine, err) < 0
        || tori_state_create (machine, &state, err) < 0)
        goto done;
    place[0].box = box_of (machine, "1,1/2x2");
    place[1].box = box_of (machine, "0,3");
    for (int i = 0; i < 3; i++)
        if (tori_placement_hold (&place[i], state, err) < 0)
            goto done;
    status = ask_all (state, jobs, err);
done:
    tori_state_destroy (state);
    tori_machine_destroy (machine);
    return status;
}

/* ---- pods ---- */

/* Two slices, one of them folded, and room for a third. */
static int fill_pod (tori_state *state, tori_alloc *alloc,
                     tori_placement place[2], tori_error *err)
{
    const tori_request requests[]
        = {{.shape = {3, {2, 2, 4}}, .wiring = TORI_WIRE_TORUS},
           {.shape = {1, {16}},
            .wiring = TORI_WIRE_TORUS,
            .flags = TORI_REQUEST_FOLD}};
    for (int i = 0; i < 2; i++) {
        tori_outcome outcome = tori_alloc_place (alloc, state, &requests[i],
                                                 &place[i], err);
        if (outcome == TORI_ERROR
            || tori_placement_hold (&place[i], state, err) < 0)
            return -1;
        assert_int_equal (outcome, TORI_PLACED);
    }
    return 0;
}

static int use_pod (const struct scenario *self, tori_error *err)
{
    tori_request large = {.shape = {3, {4, 4, 2}}, .wiring = TORI_WIRE_TORUS};
    tori_placement place[2] = {{0}};
    tori_room_job jobs[] = {{.place = &place[0], .work = 2},
                            {.place = &place[1], .work = 1}};
    tori_machine *machine = own_machine (self->machine);
    tori_state *state = own_state (machine);
    tori_alloc *alloc = NULL;
    int status = tori_alloc_create (machine, TORI_ALLOC (NULL), &alloc, err);
    if (status == 0)
        status = fill_pod (state, alloc, place, err);
    if (status == 0)
        status = ask_room (state, jobs, 2, &large, 2, err);
    if (status == 0)
        status = ask_repair (state, &jobs[0], 5, err);
    for (int i = 0; i < 2; i++)
        tori_placement_clear (&place[i]);
    tori_alloc_destroy (alloc);
    tori_state_destroy (state);
    tori_machine_destroy (machine);
    return status;
}

/* A whole cube, though there is a job in each. */
static int move_slices (const struct scenario *self, tori_error *err)
{
    static const char *const boxes[] = {"0,0,0/1x1x2", "1,1,0/1x1x2",
                                        "2,0,0/1x2x1"};
    tori_request cube = {.shape = {2, {2, 2}}, .wiring = TORI_WIRE_MESH};
    tori_request ring = {.shape = {1, {4}},
                         .wiring = TORI_WIRE_TORUS,
                         .flags = TORI_REQUEST_FOLD};
    tori_placement place[3] = {{0}};
    tori_room_job jobs[3] = {{0}};
    tori_machine *machine = own_machine (self->machine);
    tori_state *state = own_state (machine);
    int status = 0;
    for (int i = 0; i < 3 && status == 0; i++) {
        tori_box box = box_of (machine, boxes[i]);
        tori_shape across = {2, {1, 1}};
        jobs[i].place = &place[i];
        status = tori_placement_of_pieces (&box, &across, TORI_WIRE_MESH,
                                           &place[i], err);
        if (status == 0)
            status = tori_placement_hold (&place[i], state, err);
    }
    for (uint64_t flags = 0; flags <= TORI_ROOM_LIVE && status == 0; flags++)
        status = ask_room (state, jobs, 3, &cube, flags, err);
    if (status == 0)
        status = ask_room (state, jobs, 3, &ring, 0, err);
    for (int i = 0; i < 3; i++)
        tori_placement_clear (&place[i]);
    tori_state_destroy (state);
    tori_machine_destroy (machine);
    return status;
}

/* ---- the table ---- */

static const struct scenario fixed[] = {
    {"parse a machine", parse_machine, .machine = "torus:16x16x8m"},
    {"change states of a multi-torus", change_states,
     .machine = "multitorus:4x4x4"},
    {"change states of a torus", change_states, .machine = "torus:4x4x4"},
    {"copy a state of a torus", copy_state, .machine = "torus:4x4x4"},
    {"copy a state of a multi-torus", copy_state,
     .machine = "multitorus:4x4x4"},
    {"subcubes rounded up", use_cubes, .machine = "mesh:16x8x7"},
    {"subcubes decomposed", use_cubes, .machine = "mesh:16x8x7",
     .noncubic = TORI_NONCUBIC_DECOMPOSE},
    {"make room", make_room, .machine = "torus:4x4"},
    {"slices of a pod", use_pod, .machine = "pod:5/2x2x2"},
    {"move slices of a pod", move_slices, .machine = "pod:3/2x2"},
    {"choose points of a large grid by mm", choose_boxes, .alloc = "mm"},
    {"choose points far apart by mm", choose_far, .alloc = "mm"},
};

static void add_allocators (const char *machine)
{
    const tori_alloc_info *info;
    for (size_t i = 0; (info = plain_alloc (i)); i++) {
        struct scenario s = {
            .run = allocate, .machine = machine, .alloc = info->name};
        snprintf (s.name, sizeof s.name, "allocate by %s", info->name);
        scenario_add (&s);
        s.run = choose_points;
        snprintf (s.name, sizeof s.name, "choose points by %s", info->name);
        if (info->flags & TORI_ALLOC_POINTS)
            scenario_add (&s);
    }
}

int main (void)
{
    scenario_add_all (fixed, sizeof fixed / sizeof fixed[0]);
    add_allocators ("multitorus:4x4x4");
    return scenario_run_all ("chaos");
}

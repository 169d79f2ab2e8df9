/* The allocator of anchors against its definition: every rotation, every
 * anchor, every anchor of the next larger box, node by node. */
#include <stdlib.h>

#include "support.h"

#include <tori/alloc.h>

#include "naive_alloc.h"

static uint32_t divisor_from (uint32_t whole, uint32_t least)
{
    for (;; least++)
        if (whole % least == 0)
            return least;
}

/* A line of torus3d: from 0 on in steps of the spacing, round and round, until
 * it comes back. */
static bool on_line (uint32_t side, uint32_t spacing, uint32_t at)
{
    uint32_t is = 0;
    do {
        if (is == at)
            return true;
        is = (is + spacing) % side;
    } while (is != 0);
    return false;
}

static bool is_anchor (const tori_machine *machine, uint32_t spacing,
                       const tori_box *box)
{
    for (int d = 0; d < box->shape.ndims; d++) {
        uint32_t side = tori_machine_size (machine, d);
        uint32_t own = divisor_from (side, box->shape.size[d]);
        if (!on_line (side, spacing ? spacing : own, box->origin[d]))
            return false;
    }
    return true;
}

static bool larger_shape (const tori_machine *machine, tori_shape *shape)
{
    int at = -1;
    for (int d = shape->ndims - 1; d >= 0; d--) {
        uint32_t side = tori_machine_size (machine, d);
        shape->size[d] = divisor_from (side, shape->size[d]);
        if (shape->size[d] < side
            && (at < 0 || shape->size[d] < shape->size[at]))
            at = d;
    }
    if (at >= 0)
        shape->size[at] = divisor_from (tori_machine_size (machine, at),
                                        shape->size[at] + 1);
    return at >= 0;
}

static bool share_a_node (const tori_machine *machine, const tori_box *a,
                          const tori_box *b)
{
    for (uint32_t node = 0; node < tori_machine_nodes (machine); node++)
        if (naive_contains (machine, a, node)
            && naive_contains (machine, b, node))
            return true;
    return false;
}

/* Free anchors of the next larger box that have a node in common with it. */
static uint32_t destroyed (const struct naive *naive, uint32_t spacing,
                           bool wrap, const tori_box *box)
{
    tori_request next = {.shape = box->shape, .fixed = true, .wrap = wrap};
    struct naive_boxes boxes;
    tori_box other;
    uint32_t n = 0;
    if (!larger_shape (naive->machine, &next.shape))
        return 0;
    boxes = naive_boxes_of (naive, &next);
    while (naive_boxes_next (&boxes, &other))
        n += is_anchor (naive->machine, spacing, &other)
             && naive_box_free (naive, &other)
             && share_a_node (naive->machine, box, &other);
    free (boxes.rotations);
    return n;
}

/* In one rotation. */
static bool place_turned (const struct naive *naive, uint32_t spacing,
                          const tori_request *request, tori_box *ret_box)
{
    struct naive_boxes boxes = naive_boxes_of (naive, request);
    uint32_t least = UINT32_MAX;
    tori_box box;
    while (naive_boxes_next (&boxes, &box)) {
        uint32_t n;
        if (!is_anchor (naive->machine, spacing, &box)
            || !naive_box_free (naive, &box)
            || !naive_can_wire (naive, &box, request->wiring))
            continue;
        n = destroyed (naive, spacing, request->wrap, &box);
        if (n < least) {
            least = n;
            *ret_box = box;
        }
    }
    free (boxes.rotations);
    return least < UINT32_MAX;
}

static bool naive_anchor (const struct naive *naive, uint32_t spacing,
                          const tori_request *request, tori_box *ret_box)
{
    tori_shape *turns;
    size_t n = naive_rotations (&request->shape, request->fixed, &turns);
    bool found = false;
    for (size_t i = 0; i < n && !found; i++) {
        tori_request turned = *request;
        turned.shape = turns[i];
        turned.fixed = true;
        found = place_turned (naive, spacing, &turned, ret_box);
    }
    free (turns);
    return found;
}

static tori_request random_request (struct rng *rng,
                                    const tori_machine *machine)
{
    static const tori_wiring wirings[]
        = {TORI_WIRE_NONE, TORI_WIRE_NONE, TORI_WIRE_MESH, TORI_WIRE_TORUS};
    tori_request request = {.wiring = wirings[between (rng, 0, 3)],
                            .fixed = chance (rng, 20),
                            .wrap = chance (rng, 50)};
    request.shape.ndims = tori_machine_ndims (machine);
    for (int d = 0; d < request.shape.ndims; d++)
        request.shape.size[d] = between (
            rng, 1, (tori_machine_size (machine, d) + 1) / 2 + chance (rng, 9));
    return request;
}

/* Fill a machine with what the allocator places, and compare every answer. */
static void check_stream (struct rng *rng, const char *text, uint32_t spacing,
                          size_t counts[2])
{
    tori_machine *machine = make_machine (text);
    tori_state *state = make_state (machine);
    struct naive *naive = naive_create (machine);
    tori_alloc *alloc;
    assert_int_equal (tori_alloc_create (machine,
                                         TORI_ALLOC ("anchors",
                                                     .spacing = spacing),
                                         &alloc, NULL),
                      0);
    for (int owner = 1; owner < 12; owner++) {
        tori_request request = random_request (rng, machine);
        tori_placement place = {0};
        tori_box box = {0};
        tori_outcome is
            = tori_alloc_place (alloc, state, &request, &place, NULL);
        bool found = naive_anchor (naive, spacing, &request, &box);
        assert_int_equal (is == TORI_PLACED, found);
        counts[found]++;
        if (!found)
            continue;
        assert_int_equal (place.nboxes, 1);
        expect_same_box (&place.box, &box);
        assert_int_equal (tori_placement_hold (&place, state, NULL), 0);
        naive_hold (naive, &box, request.wiring, owner);
        tori_placement_clear (&place);
    }
    tori_alloc_destroy (alloc);
    naive_destroy (naive);
    tori_state_destroy (state);
    tori_machine_destroy (machine);
}

static void test_definition (void **state)
{
    static const char *const machines[]
        = {"torus:4x4x4", "torus:6x4", "mesh:8x6", "torus:7x4",
           "mesh:2x1x6",  "torus:12",  "multitorus:4x4"};
    static const uint32_t spacings[] = {0, 0, 1, 2, 4};
    struct rng rng;
    size_t counts[2] = {0}, cases = random_cases (400);
    rng_seed (&rng, 26, 0);
    for (size_t i = 0; i < cases; i++)
        check_stream (&rng, machines[i % LENGTH (machines)],
                      spacings[between (&rng, 0, LENGTH (spacings) - 1)],
                      counts);
    assert_true (counts[0] > cases / 2 && counts[1] > 2 * cases);
}

/* A 4x4x4 goes where an 8x8x8 is broken already. */
static void test_chain (void **state)
{
    tori_machine *machine = make_machine ("torus:16^3");
    tori_state *now = make_state (machine);
    tori_request one = {.shape = {3, {4, 4, 4}}};
    tori_alloc *alloc;
    assert_int_equal (
        tori_alloc_create (machine, TORI_ALLOC ("anchors"), &alloc, NULL), 0);
    for (uint32_t i = 0; i < 64; i++) {
        static const uint32_t step[] = {4, 4, 4};
        tori_placement place = {0};
        assert_int_equal (tori_alloc_place (alloc, now, &one, &place, NULL),
                          TORI_PLACED);
        for (int d = 0; d < 3; d++)
            assert_int_equal (place.box.origin[d] % step[d], 0);
        if (i % 2)
            assert_int_equal (place.box.origin[2] % 8, 4);
        assert_int_equal (tori_placement_hold (&place, now, NULL), 0);
        tori_placement_clear (&place);
    }
    tori_alloc_destroy (alloc);
    tori_state_destroy (now);
    tori_machine_destroy (machine);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_definition),
        cmocka_unit_test (test_chain),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}

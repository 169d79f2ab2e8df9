/* The allocator of anchors against its definition: every rotation, every
 * anchor, every anchor of the next larger box, node by node. */
#include <stdlib.h>

#include "support.h"

#include <tori/alloc.h>

#include "naive_alloc.h"

/* The configuration: how far anchors are apart, and the boxes that are
 * allowed, if not all. */
struct rule {
    uint32_t spacing;
    tori_shape listed[4];
    size_t n;
};

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

static bool is_anchor (const tori_machine *machine, const struct rule *rule,
                       const tori_box *box)
{
    for (int d = 0; d < box->shape.ndims; d++) {
        uint32_t side = tori_machine_size (machine, d);
        uint32_t own = rule->n ? box->shape.size[d]
                               : divisor_from (side, box->shape.size[d]);
        if (!on_line (side, rule->spacing ? rule->spacing : own,
                      box->origin[d]))
            return false;
    }
    return true;
}

/* torus3d sorts by size, and takes the first behind that is larger: of the
 * smallest that are larger, the one that is listed first. */
static bool larger_listed (const struct rule *rule, tori_shape *shape)
{
    uint64_t size = tori_shape_volume (shape);
    const tori_shape *best = NULL;
    for (size_t i = 0; i < rule->n; i++)
        if (tori_shape_volume (&rule->listed[i]) > size
            && (!best
                || tori_shape_volume (&rule->listed[i])
                       < tori_shape_volume (best)))
            best = &rule->listed[i];
    if (best)
        *shape = *best;
    return best;
}

static bool larger_shape (const tori_machine *machine,
                          const struct rule *rule, tori_shape *shape)
{
    int at = -1;
    if (rule->n)
        return larger_listed (rule, shape);
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
static uint32_t destroyed (const struct naive *naive, const struct rule *rule,
                           bool wrap, const tori_box *box)
{
    tori_request next = {.shape = box->shape, .fixed = true, .wrap = wrap};
    struct naive_boxes boxes;
    tori_box other;
    uint32_t n = 0;
    if (!larger_shape (naive->machine, rule, &next.shape))
        return 0;
    boxes = naive_boxes_of (naive, &next);
    while (naive_boxes_next (&boxes, &other))
        n += is_anchor (naive->machine, rule, &other)
             && naive_box_free (naive, &other)
             && share_a_node (naive->machine, box, &other);
    free (boxes.rotations);
    return n;
}

/* In one rotation. */
static bool place_turned (const struct naive *naive, const struct rule *rule,
                          const tori_request *request, tori_box *ret_box)
{
    struct naive_boxes boxes = naive_boxes_of (naive, request);
    uint32_t least = UINT32_MAX;
    tori_box box;
    while (naive_boxes_next (&boxes, &box)) {
        uint32_t n;
        if (!is_anchor (naive->machine, rule, &box)
            || !naive_box_free (naive, &box)
            || !naive_can_wire (naive, &box, request->wiring))
            continue;
        n = destroyed (naive, rule, request->wrap, &box);
        if (n < least) {
            least = n;
            *ret_box = box;
        }
    }
    free (boxes.rotations);
    return least < UINT32_MAX;
}

/* The boxes that a job may have, in the order in which they are tried. */
static size_t boxes_for (const struct rule *rule, const tori_request *request,
                         tori_shape **ret_boxes)
{
    tori_shape *turns;
    size_t n = naive_rotations (&request->shape, request->fixed, &turns);
    size_t kept = 0;
    *ret_boxes = turns;
    if (rule->n == 0)
        return n;
    *ret_boxes = make_array (rule->n, sizeof **ret_boxes);
    for (size_t i = 0; i < rule->n; i++)
        for (size_t k = 0; k < n; k++)
            if (tori_shape_equal (&rule->listed[i], &turns[k]))
                (*ret_boxes)[kept++] = turns[k];
    free (turns);
    return kept;
}

static bool naive_anchor (const struct naive *naive, const struct rule *rule,
                          const tori_request *request, tori_box *ret_box)
{
    tori_shape *boxes;
    size_t n = boxes_for (rule, request, &boxes);
    bool found = false;
    for (size_t i = 0; i < n && !found; i++) {
        tori_request turned = *request;
        turned.shape = boxes[i];
        turned.fixed = true;
        found = place_turned (naive, rule, &turned, ret_box);
    }
    free (boxes);
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

/* Some boxes, and as an option has them. */
static void draw_list (struct rng *rng, const tori_machine *machine,
                       struct rule *rule, char *text, size_t size)
{
    size_t at = 0;
    rule->n = between (rng, 1, LENGTH (rule->listed));
    for (size_t i = 0; i < rule->n; i++) {
        tori_shape *shape = &rule->listed[i];
        char name[TORI_TEXT_MAX];
        shape->ndims = tori_machine_ndims (machine);
        for (int d = 0; d < shape->ndims; d++)
            shape->size[d] = between (rng, 1, tori_machine_size (machine, d));
        tori_shape_format (shape, name);
        at += (size_t)snprintf (text + at, size - at, "%s%s", i ? "," : "",
                                name);
    }
}

/* Half of the jobs ask for what is listed. */
static void ask_listed (struct rng *rng, const struct rule *rule,
                        tori_request *request)
{
    if (rule->n && chance (rng, 70))
        request->shape = rule->listed[between (rng, 0, rule->n - 1)];
    if (rule->n && chance (rng, 30))
        tori_shape_sort (&request->shape);
}

/* Fill a machine with what the allocator places, and compare every answer. */
static void check_stream (struct rng *rng, const char *text, uint32_t spacing,
                          bool listed, size_t counts[3])
{
    AUTO_MACHINE *machine = make_machine (text);
    struct rule rule = {.spacing = spacing};
    char list[4 * TORI_TEXT_MAX];
    AUTO_STATE *state = make_state (machine);
    struct naive *naive = naive_create (machine);
    tori_alloc *alloc;
    if (listed)
        draw_list (rng, machine, &rule, list, sizeof list);
    assert_int_equal (
        tori_alloc_create (machine,
                           TORI_ALLOC ("anchors", .spacing = spacing,
                                       .slices = listed ? list : NULL),
                           &alloc, NULL),
        0);
    for (int owner = 1; owner < 12; owner++) {
        tori_request request = random_request (rng, machine);
        tori_placement place = {0};
        tori_box box = {0};
        tori_outcome is;
        bool found;
        ask_listed (rng, &rule, &request);
        is = tori_alloc_place (alloc, state, &request, &place, NULL);
        found = naive_anchor (naive, &rule, &request, &box);
        assert_int_equal (is == TORI_PLACED, found);
        counts[found]++;
        if (listed) {
            tori_shape *boxes;
            bool known = boxes_for (&rule, &request, &boxes) > 0;
            free (boxes);
            assert_true (known || is == TORI_UNPLACEABLE);
            counts[2] += !known;
        }
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
}

TEST (definition)
{
    static const char *const machines[]
        = {"torus:4x4x4", "torus:6x4", "mesh:8x6", "torus:7x4",
           "mesh:2x1x6",  "torus:12",  "multitorus:4x4"};
    static const uint32_t spacings[] = {0, 0, 1, 2, 4};
    struct rng rng = seeded (26);
    size_t counts[3] = {0}, cases = random_cases (400);
    for (size_t i = 0; i < cases; i++)
        check_stream (&rng, machines[i % LENGTH (machines)],
                      spacings[between (&rng, 0, LENGTH (spacings) - 1)],
                      false, counts);
    assert_true (counts[0] > cases / 2 && counts[1] > 2 * cases);
}

/* The same where a site lists boxes, by the rule of torus3d. */
TEST (listed)
{
    static const char *const machines[]
        = {"torus:4x4x2", "torus:4x4x4", "torus:6x4x2", "mesh:8x6", "torus:5x3"};
    static const uint32_t spacings[] = {0, 0, 1, 2};
    struct rng rng = seeded (27);
    size_t counts[3] = {0}, cases = random_cases (400);
    for (size_t i = 0; i < cases; i++)
        check_stream (&rng, machines[i % LENGTH (machines)],
                      spacings[between (&rng, 0, LENGTH (spacings) - 1)],
                      true, counts);
    assert_true (counts[0] > cases && counts[1] > cases);
    assert_true (counts[2] > cases / 2);
}

TEST (bad_lists)
{
    AUTO_MACHINE *machine = make_machine ("torus:4x4x2");
    static const char *const lists[] = {"2x2x4", "2x2", "2x2x1,", "2x2x1,x"};
    for (size_t i = 0; i < LENGTH (lists); i++) {
        tori_alloc *alloc;
        tori_error err;
        assert_int_equal (
            tori_alloc_create (machine,
                               TORI_ALLOC ("anchors", .slices = lists[i]),
                               &alloc, &err),
            -1);
        assert_int_equal (err.status, TORI_INVALID);
    }
}

/* A 4x4x4 goes where an 8x8x8 is broken already. */
TEST (chain)
{
    AUTO_MACHINE *machine = make_machine ("torus:16^3");
    AUTO_STATE *now = make_state (machine);
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
}

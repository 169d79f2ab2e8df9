/* Requests whose rings may be folded: which box they get, against a loop over
 * all boxes, and whether all neighbours of the job are joined there by links
 * that the job has. */
#include <stdlib.h>
#include <string.h>

#include "support.h"

#include <tori/alloc.h>

#include "placement.h"
#include "ringfold.h"

/* ---- the order, by its definition ---- */

struct choice {
    tori_box box; /* of no use where it is not found */
    tori_wiring wiring;
    bool folded;
    uint64_t beyond;
    int rings;
    tori_shape sides;
};

static uint64_t volume_of (const tori_shape *shape)
{
    return tori_shape_volume (shape);
}

static tori_shape sorted (tori_shape shape)
{
    tori_shape_sort (&shape);
    return shape;
}

static uint64_t links_beyond (const tori_machine *machine,
                              const tori_shape *shape, tori_wiring wiring)
{
    uint64_t sum = 0;
    for (int d = 0; d < shape->ndims; d++)
        if (tori_machine_kind (machine, d) == TORI_TORUS && shape->size[d] > 1
            && tori_wiring_closes (wiring, d))
            sum += volume_of (shape) / shape->size[d]
                   * (tori_machine_size (machine, d) - shape->size[d]);
    return sum;
}

/* In the worst rotation that could be wired. */
static uint64_t most_beyond (const tori_machine *machine,
                             const tori_shape *shape, tori_wiring wiring)
{
    tori_shape *turns;
    size_t n = naive_rotations (shape, false, &turns);
    uint64_t most = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t links = links_beyond (machine, &turns[i], wiring);
        if (tori_shape_fits (&turns[i], machine) && links > most
            && tori_wiring_possible (machine, &turns[i], wiring))
            most = links;
    }
    free (turns);
    return most;
}

/* The job without its sides of 1, with others at the end. */
static bool own_shape (const tori_machine *machine, const tori_shape *job,
                       tori_shape *ret)
{
    int n = 0, ndims = tori_machine_ndims (machine);
    tori_shape shape = {.ndims = ndims};
    for (int i = 0; i < job->ndims; i++)
        if (job->size[i] > 1) {
            if (n == ndims)
                return false;
            shape.size[n++] = job->size[i];
        }
    while (n < ndims)
        shape.size[n++] = 1;
    *ret = shape;
    return true;
}

/* How a box of this shape carries the job, if it does. */
static bool carries (const tori_machine *machine, const tori_request *request,
                     const tori_shape *shape, struct choice *ret)
{
    uint32_t closable = 0, all = 0;
    struct ringfold fold;
    if (request->wiring == TORI_WIRE_MESH)
        return false;
    for (int d = 0; d < shape->ndims; d++) {
        tori_kind kind = tori_machine_kind (machine, d);
        bool can = request->wiring == TORI_WIRE_TORUS
                       ? kind != TORI_MESH
                       : kind == TORI_TORUS
                             && shape->size[d] == tori_machine_size (machine,
                                                                     d);
        closable |= (uint32_t)can << d;
        all |= (uint32_t)(shape->size[d] > 1) << d;
    }
    if (!ringfold_find (&request->shape, shape, closable, &fold))
        return false;
    *ret = (struct choice){.folded = true,
                           .rings = __builtin_popcount (fold.closed),
                           .sides = sorted (*shape),
                           .wiring = request->wiring};
    ret->box.shape = *shape;
    if (request->wiring == TORI_WIRE_TORUS && (all & ~fold.closed))
        ret->wiring = tori_wiring_of_rings (fold.closed);
    ret->beyond = links_beyond (machine, shape, ret->wiring);
    return true;
}

/* Whether a goes before b. */
static bool precedes (const struct choice *a, const struct choice *b)
{
    if (a->beyond != b->beyond)
        return a->beyond < b->beyond;
    if (a->folded != b->folded)
        return !a->folded;
    if (a->rings != b->rings)
        return a->rings < b->rings;
    for (int d = a->sides.ndims - 1; d >= 0; d--)
        if (a->sides.size[d] != b->sides.size[d])
            return a->sides.size[d] < b->sides.size[d];
    return memcmp (a->box.shape.size, b->box.shape.size,
                   sizeof a->box.shape.size)
           < 0;
}

/* ---- places, by trying all ---- */

static bool is_free (const tori_state *state, const tori_box *box,
                     tori_wiring wiring)
{
    const tori_machine *machine = tori_state_machine (state);
    uint32_t ids[256];
    if (!tori_shape_fits (&box->shape, machine)
        || !tori_wiring_possible (machine, &box->shape, wiring))
        return false;
    for (int d = 0; d < box->shape.ndims; d++)
        if (box->origin[d] + box->shape.size[d]
            > tori_machine_size (machine, d))
            return false;
    naive_box_nodes (machine, box, ids);
    for (uint64_t i = 0; i < volume_of (&box->shape); i++)
        if (!tori_state_is_free (state, ids[i]))
            return false;
    return tori_wiring_free (state, box, wiring);
}

static bool first_place (const tori_state *state, struct choice *choice)
{
    const tori_machine *machine = tori_state_machine (state);
    tori_shape *turns;
    size_t n = naive_rotations (&choice->box.shape, choice->folded, &turns);
    bool found = false;
    for (uint32_t at = 0; at < tori_machine_nodes (machine) && !found; at++)
        for (size_t i = 0; i < n && !found; i++) {
            tori_machine_coords (machine, at, choice->box.origin);
            choice->box.shape = turns[i];
            found = is_free (state, &choice->box, choice->wiring);
        }
    free (turns);
    return found;
}

static void keep (const tori_state *state, struct choice *choice, bool *found,
                  struct choice *best)
{
    if (*found && !precedes (choice, best))
        return;
    if (!first_place (state, choice))
        return;
    *best = *choice;
    *found = true;
}

/* Of all boxes, the first with a place. */
static bool naive_place (const tori_state *state, const tori_request *request,
                         struct choice *best)
{
    const tori_machine *machine = tori_state_machine (state);
    int ndims = tori_machine_ndims (machine);
    uint32_t digits[TORI_MAX_DIMS] = {0};
    struct choice own = {.wiring = request->wiring}, folded;
    bool found = false;
    if (own_shape (machine, &request->shape, &own.box.shape)) {
        own.beyond = most_beyond (machine, &own.box.shape, own.wiring);
        keep (state, &own, &found, best);
    }
    do {
        tori_shape shape = {.ndims = ndims};
        for (int d = 0; d < ndims; d++)
            shape.size[d] = digits[d] + 1;
        if (volume_of (&shape) == volume_of (&request->shape)
            && carries (machine, request, &shape, &folded))
            keep (state, &folded, &found, best);
    } while (count_up (digits, tori_machine_shape (machine)->size, ndims));
    return found;
}

/* ---- what a job has is what it needs ---- */

/* Whether the job has a link between two nodes that are neighbours in its box,
 * or the ring that joins the ends of one of its lines. */
static bool has_edge (const tori_machine *machine, const tori_placement *place,
                      uint32_t a, uint32_t b)
{
    uint32_t x[TORI_MAX_DIMS], y[TORI_MAX_DIMS];
    int apart = -1;
    tori_machine_coords (machine, a, x);
    tori_machine_coords (machine, b, y);
    for (int d = 0; d < tori_machine_ndims (machine); d++)
        if (x[d] != y[d]) {
            if (apart >= 0)
                return false;
            apart = d;
        }
    if (apart < 0)
        return false;
    if (x[apart] + 1 != y[apart] && y[apart] + 1 != x[apart]) {
        uint32_t side = place->box.shape.size[apart];
        uint32_t gap = x[apart] > y[apart] ? x[apart] - y[apart]
                                           : y[apart] - x[apart];
        return gap + 1 == side
               && (place->wiring == TORI_WIRE_NONE
                       ? tori_machine_distance (machine, a, b) == 1
                       : tori_wiring_closes (place->wiring, apart));
    }
    if (place->wiring == TORI_WIRE_NONE
        || tori_wiring_closes (place->wiring, apart))
        return true;
    return tori_placement_uses_link (
        place, machine,
        &(tori_link){apart, TORI_NEAR, x[apart] < y[apart] ? a : b});
}

static void expect_joined (const tori_machine *machine,
                           const tori_placement *place,
                           const tori_request *request, bool rings)
{
    const tori_shape *job = &request->shape;
    uint32_t map[256], coords[TORI_MAX_DIMS] = {0}, i = 0;
    uint64_t stride[TORI_MAX_DIMS], n = 1;
    for (int d = job->ndims - 1; d >= 0; d--) {
        stride[d] = n;
        n *= job->size[d];
    }
    assert_int_equal (tori_placement_map (place, machine, request, map, NULL),
                      0);
    do {
        assert_true (tori_placement_contains (place, machine, map[i]));
        for (uint32_t j = 0; j < i; j++)
            assert_int_not_equal (map[i], map[j]);
        i++;
    } while (count_up (coords, job->size, job->ndims));
    i = 0;
    do {
        for (int d = 0; d < job->ndims; d++) {
            bool last = coords[d] + 1 == job->size[d];
            uint64_t next = last ? i - coords[d] * stride[d] : i + stride[d];
            if (next != i && (rings || !last))
                assert_true (has_edge (machine, place, map[i], map[next]));
        }
        i++;
    } while (count_up (coords, job->size, job->ndims));
}

/* ---- streams of requests ---- */

static tori_request any_request (struct rng *rng, uint32_t nodes)
{
    tori_request request = {.flags = TORI_REQUEST_FOLD};
    const tori_wiring wirings[] = {TORI_WIRE_NONE, TORI_WIRE_TORUS,
                                   TORI_WIRE_TORUS, TORI_WIRE_MESH};
    uint32_t left = between (rng, 2, nodes);
    request.wiring = wirings[rng_below (rng, LENGTH (wirings))];
    request.shape.ndims = (int)between (rng, 1, 4);
    for (int d = 0; d < request.shape.ndims; d++) {
        uint32_t side = d == request.shape.ndims - 1
                            ? left
                            : between (rng, 1, left < 9 ? left : 9);
        request.shape.size[d] = side;
        left /= side;
    }
    return request;
}

static size_t folded_jobs;

static void check_request (tori_alloc *first, tori_alloc *best,
                           tori_state *state, const tori_request *request,
                           tori_placement *ret_place)
{
    const tori_machine *machine = tori_state_machine (state);
    tori_placement place = {0}, other = {0};
    struct choice choice;
    bool expected = naive_place (state, request, &choice);
    tori_outcome outcome = tori_alloc_place (first, state, request, &place,
                                             NULL);
    assert_int_equal (outcome == TORI_PLACED, expected);
    assert_int_equal (tori_alloc_place (best, state, request, &other, NULL),
                      outcome);
    if (!expected)
        return;
    expect_same_box (&place.box, &choice.box);
    assert_int_equal (place.wiring, choice.wiring);
    assert_int_equal (other.wiring, choice.wiring);
    if (choice.folded)
        assert_true (tori_shape_equal (&other.box.shape, &place.box.shape));
    expect_joined (machine, &place, request,
                   choice.folded || request->wiring == TORI_WIRE_TORUS);
    folded_jobs += choice.folded;
    *ret_place = place;
    tori_placement_clear (&other);
}

/* Jobs come until eight of them did, and go at times. */
static void run_stream (struct rng *rng)
{
    tori_machine *machine = random_machine (rng, 3, 96);
    tori_state *state = make_state (machine), *idle = make_state (machine);
    tori_placement held[8] = {0};
    tori_alloc *first, *best;
    tori_alloc_create (machine, TORI_ALLOC ("first-fit"), &first, NULL);
    tori_alloc_create (machine, TORI_ALLOC ("best-fit"), &best, NULL);
    for (size_t i = 0; i < LENGTH (held); i++) {
        tori_request request
            = any_request (rng, tori_machine_nodes (machine) / 2 + 2);
        check_request (first, best, state, &request, &held[i]);
        if (held[i].count)
            assert_int_equal (tori_placement_hold (&held[i], state, NULL), 0);
        if (i > 2 && held[i - 2].count && chance (rng, 30)) {
            tori_placement_release (&held[i - 2], state);
            tori_placement_clear (&held[i - 2]);
        }
    }
    for (size_t i = 0; i < LENGTH (held); i++) {
        if (held[i].count)
            tori_placement_release (&held[i], state);
        tori_placement_clear (&held[i]);
    }
    assert_true (tori_state_equal (state, idle));
    tori_alloc_destroy (first);
    tori_alloc_destroy (best);
    tori_state_destroy (idle);
    tori_state_destroy (state);
    tori_machine_destroy (machine);
}

static void test_streams (void **arg)
{
    struct rng rng;
    rng_seed (&rng, 1, 0);
    folded_jobs = 0;
    for (size_t i = 0; i < random_cases (3000); i++)
        run_stream (&rng);
    print_message ("# %zu jobs were folded\n", folded_jobs);
    assert_true (folded_jobs > 100);
}

/* ---- what is refused ---- */

static void expect_outcome (const char *text, const char *shape,
                            tori_wiring wiring, tori_outcome expected)
{
    tori_machine *machine = make_machine (text);
    tori_state *state = make_state (machine);
    tori_request request = {.shape = make_shape (shape), .wiring = wiring,
                            .flags = TORI_REQUEST_FOLD};
    tori_placement place = {0};
    tori_alloc *alloc;
    tori_alloc_create (machine, TORI_ALLOC ("first-fit"), &alloc, NULL);
    assert_int_equal (tori_alloc_place (alloc, state, &request, &place, NULL),
                      expected);
    tori_placement_clear (&place);
    tori_alloc_destroy (alloc);
    tori_state_destroy (state);
    tori_machine_destroy (machine);
}

static void test_possible (void **arg)
{
    expect_outcome ("mesh:4x4x4", "64", TORI_WIRE_TORUS, TORI_PLACED);
    expect_outcome ("mesh:4x4x4", "16x2", TORI_WIRE_TORUS, TORI_PLACED);
    expect_outcome ("mesh:4x4x4", "16x4", TORI_WIRE_TORUS, TORI_UNPLACEABLE);
    expect_outcome ("torus:4x4x4", "16x4", TORI_WIRE_TORUS, TORI_PLACED);
    expect_outcome ("torus:4x4x4", "16x4", TORI_WIRE_NONE, TORI_PLACED);
    expect_outcome ("mesh:4x4x4", "27", TORI_WIRE_TORUS, TORI_UNPLACEABLE);
    expect_outcome ("torus:4x4x4", "27", TORI_WIRE_TORUS, TORI_PLACED);
    expect_outcome ("torus:4x4x4", "27", TORI_WIRE_NONE, TORI_UNPLACEABLE);
    expect_outcome ("torus:4x4x4", "64", TORI_WIRE_MESH, TORI_UNPLACEABLE);
    expect_outcome ("torus:4x4x4", "65", TORI_WIRE_NONE, TORI_UNPLACEABLE);
}

static void test_misuse (void **arg)
{
    tori_machine *machine = make_machine ("torus:4x4");
    tori_state *state = make_state (machine);
    tori_alloc *alloc;
    tori_placement place = {0};
    uint32_t map[16];
    const tori_request bad[] = {
        {.shape = make_shape ("4x2"), .flags = 2},
        {.shape = make_shape ("4x2"), .flags = TORI_REQUEST_FOLD,
         .fixed = true},
        {.count = 4, .flags = TORI_REQUEST_FOLD},
    };
    tori_request good = {.shape = make_shape ("8"),
                         .flags = TORI_REQUEST_FOLD};
    tori_alloc_create (machine, TORI_ALLOC ("best-fit"), &alloc, NULL);
    for (size_t i = 0; i < LENGTH (bad); i++) {
        tori_error err = {.status = TORI_OK};
        assert_int_equal (
            tori_alloc_place (alloc, state, &bad[i], &place, &err),
            TORI_ERROR);
        assert_int_equal (err.status, TORI_INVALID);
    }
    assert_int_equal (tori_alloc_place (alloc, state, &good, &place, NULL),
                      TORI_PLACED);
    good.flags = 0;
    assert_int_equal (tori_placement_map (&place, machine, &good, map, NULL),
                      -1);
    tori_alloc_destroy (alloc);
    tori_alloc_create (machine, TORI_ALLOC ("efl"), &alloc, NULL);
    good.flags = TORI_REQUEST_FOLD;
    assert_non_null (tori_alloc_impossible (alloc, &good));
    tori_alloc_destroy (alloc);
    tori_state_destroy (state);
    tori_machine_destroy (machine);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_streams),
        cmocka_unit_test (test_possible),
        cmocka_unit_test (test_misuse),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}

/* Allocators. Every one of the table goes through the same properties on
 * random machines, states and requests; those that have a definition are
 * compared with it, worked out node by node. */
#include "naive_alloc.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tori/alloc.h>
#include <tori/cubes.h>
#include <tori/points.h>

#include "marks.h"
#include "policy.h"

/* ---- random states ---- */

enum { PARTS = 24 };

/* A machine, a state of it and what is in there. */
struct world {
    tori_machine *machine;
    struct naive *naive;
    tori_state *state;
    tori_placement parts[PARTS];
    int nparts;
};

static void world_create (struct world *world, tori_machine *machine)
{
    memset (world, 0, sizeof *world);
    world->machine = machine;
    world->naive = naive_create (machine);
    world->state = make_state (machine);
}

static void world_destroy (struct world *world)
{
    for (int i = 0; i < world->nparts; i++)
        tori_placement_clear (&world->parts[i]);
    tori_state_destroy (world->state);
    naive_destroy (world->naive);
    tori_machine_destroy (world->machine);
}

/* Hold a box, if that can be. */
static void add_box (struct world *world, const tori_box *box,
                     tori_wiring wiring)
{
    tori_placement part = {.is_box = true, .wiring = wiring, .box = *box};
    part.count = (uint32_t)tori_shape_volume (&box->shape);
    if (world->nparts == PARTS || !naive_box_free (world->naive, box)
        || !naive_wirable (world->naive, box, wiring))
        return;
    assert_int_equal (tori_placement_hold (&part, world->state, NULL), 0);
    naive_hold (world->naive, box, wiring, world->nparts);
    world->parts[world->nparts++] = part;
}

/* Hold some of the free nodes below `end`, `percent` of them. */
static void add_nodes (struct world *world, struct rng *rng, uint32_t end,
                       unsigned percent)
{
    tori_placement part = {
        .nodes = make_array (world->naive->n, sizeof *part.nodes)};
    for (uint32_t i = 0; i < end; i++)
        if (naive_is_free (world->naive, i) && chance (rng, percent)) {
            part.nodes[part.count++] = i;
            world->naive->nodes[i].owner = world->nparts;
        }
    assert_int_equal (tori_placement_hold (&part, world->state, NULL), 0);
    world->parts[world->nparts++] = part;
}

/* Tori above all: they are what makes links scarce. */
static tori_wiring random_wiring (struct rng *rng)
{
    static const tori_wiring wirings[] = {TORI_WIRE_NONE, TORI_WIRE_MESH,
                                          TORI_WIRE_TORUS, TORI_WIRE_TORUS};
    return wirings[rng_below (rng, LENGTH (wirings))];
}

/* Hold so many nodes, one by one. */
static void sprinkle (struct world *world, struct rng *rng, uint32_t count)
{
    tori_placement part = {.nodes = make_array (1, sizeof *part.nodes)};
    while (count-- > 0) {
        uint32_t node = between (rng, 0, world->naive->n - 1);
        if (!naive_is_free (world->naive, node))
            continue;
        part.nodes[0] = node;
        part.count = 1;
        assert_int_equal (tori_placement_hold (&part, world->state, NULL), 0);
        world->naive->nodes[node].owner = PARTS;
    }
    tori_placement_clear (&part);
}

static void fill_world (struct world *world, struct rng *rng)
{
    uint32_t longest = between (rng, 1, 9);
    for (unsigned i = between (rng, 0, PARTS - 2); i > 0; i--) {
        tori_box box = random_box (rng, world->machine, longest, true);
        add_box (world, &box, random_wiring (rng));
    }
    if (chance (rng, 30))
        add_nodes (world, rng, world->naive->n, between (rng, 1, 30));
    if (chance (rng, 40))
        for (unsigned i = between (rng, 1, 6); i > 0; i--)
            naive_disturb_node (world->naive, world->state, rng);
    if (chance (rng, 50))
        for (unsigned i = between (rng, 1, 8); i > 0; i--)
            naive_disturb_link (world->naive, world->state, rng);
}

/* ---- random requests ---- */

/* A shape with the machine's sides in another order for limits: now and then
 * too long, or of another number of dimensions. */
static tori_shape random_shape (struct rng *rng, const tori_machine *machine)
{
    tori_shape shape = *tori_machine_shape (machine);
    for (int d = shape.ndims - 1; d > 0; d--) {
        int e = (int)rng_below (rng, (uint64_t)d + 1);
        uint32_t side = shape.size[d];
        shape.size[d] = shape.size[e];
        shape.size[e] = side;
    }
    for (int d = 0; d < shape.ndims; d++) {
        uint32_t side = shape.size[d];
        if (chance (rng, 75) && side > 4)
            side = 4;
        shape.size[d] = between (rng, 1, side + chance (rng, 3));
    }
    if (chance (rng, 2) && shape.ndims > 1)
        shape.ndims--;
    else if (chance (rng, 2))
        shape.size[shape.ndims++] = 1;
    return shape;
}

static tori_request random_request (struct rng *rng,
                                    const tori_machine *machine)
{
    uint32_t nodes = tori_machine_nodes (machine);
    tori_request request = {0};
    if (chance (rng, 25)) {
        request.count = between (rng, 0, chance (rng, 70) ? nodes / 3 : nodes)
                        + chance (rng, 5);
        request.count += request.count == 0;
        return request;
    }
    request.shape = random_shape (rng, machine);
    request.count = (uint32_t)tori_shape_volume (&request.shape);
    if (chance (rng, 20))
        request.count = between (rng, 1, request.count);
    request.wiring = random_wiring (rng);
    request.fixed = chance (rng, 25);
    request.wrap = chance (rng, 40);
    return request;
}

/* What to print about a case that fails. */
static const char *describe (const struct world *world,
                             const tori_request *request, const char *name)
{
    static char text[4 * TORI_TEXT_MAX];
    char machine[TORI_TEXT_MAX], shape[TORI_TEXT_MAX];
    tori_machine_format (world->machine, machine);
    tori_shape_format (&request->shape, shape);
    snprintf (text, sizeof text, "%s on %s, %u free: %s or %u, %s%s%s", name,
              machine, tori_state_free_count (world->state), shape,
              request->count, tori_wiring_name (request->wiring),
              request->fixed ? ", fixed" : "",
              request->wrap ? ", wrapping" : "");
    return text;
}

/* ---- by definition ---- */

/* What looking at every box there is tells about a request. */
struct survey {
    bool possible; /* on the idle machine */
    bool free;     /* such a box is free, wired or not */
    bool found;    /* one is free and its links are to be had */
    tori_box first;
};

static void look_at (struct survey *survey, const struct naive *naive,
                     const tori_request *request, const tori_box *box)
{
    if (!survey->possible)
        survey->possible
            = naive_links (naive, box, request->wiring, naive->scratch) >= 0;
    if (survey->found || !naive_box_free (naive, box))
        return;
    survey->free = true;
    if (!naive_wirable (naive, box, request->wiring))
        return;
    survey->first = *box;
    survey->found = true;
}

/* Origins in order of ids, at each the rotations in lexicographic order. */
static struct survey survey_boxes (const struct naive *naive,
                                   const tori_request *request)
{
    struct survey survey = {0};
    tori_shape *rotations;
    size_t n = naive_rotations (&request->shape, request->fixed, &rotations);
    for (uint32_t id = 0; id < naive->n && !survey.found; id++)
        for (size_t i = 0; i < n; i++) {
            tori_box box = {.shape = rotations[i]};
            tori_machine_coords (naive->machine, id, box.origin);
            if (naive_inside (naive->machine, request, &box))
                look_at (&survey, naive, request, &box);
        }
    free (rotations);
    return survey;
}

static tori_outcome outcome_of (const struct naive *naive,
                                const tori_request *request, uint64_t nodes,
                                const struct survey *survey)
{
    if (!survey->possible)
        return TORI_UNPLACEABLE;
    if (nodes > naive_free_count (naive))
        return TORI_NUMERICAL;
    if (survey->found)
        return TORI_PLACED;
    return survey->free && request->wiring != TORI_WIRE_NONE
               ? TORI_WIRING
               : TORI_TOPOLOGICAL;
}

static tori_outcome outcome_of_count (const struct naive *naive,
                                      uint64_t count)
{
    if (count > naive->n)
        return TORI_UNPLACEABLE;
    return count > naive_free_count (naive) ? TORI_NUMERICAL : TORI_PLACED;
}

/* ---- references ---- */

static void expect_box (const tori_placement *place, const tori_box *box)
{
    char is[TORI_TEXT_MAX], should[TORI_TEXT_MAX];
    assert_true (place->is_box);
    tori_box_format (&place->box, is);
    tori_box_format (box, should);
    assert_string_equal (is, should);
}

static void expect_same_placement (const tori_machine *machine,
                                   const tori_placement *a,
                                   const tori_placement *b)
{
    uint32_t *x = make_array (a->count, sizeof *x);
    uint32_t *y = make_array (b->count, sizeof *y);
    assert_int_equal (a->is_box, b->is_box);
    assert_int_equal (a->wiring, b->wiring);
    assert_int_equal (a->count, b->count);
    tori_placement_nodes (a, machine, x);
    tori_placement_nodes (b, machine, y);
    assert_memory_equal (x, y, a->count * sizeof *x);
    if (a->is_box)
        expect_box (a, &b->box);
    free (x);
    free (y);
}

/* The allocators whose answer is fixed by a definition (naive_alloc.h) that
 * finds whatever there is. Others may refuse more, but not for a wrong reason.
 */
static const struct {
    const char *name;
    const char *as; /* the definition; "": another test knows where */
} references[] = {
    {"first-fit", "first-fit"},
    {"best-fit", "best-fit"},
    {"efl", ""},
    {"etc", "first-fit"},
    {"row-ff", "row-ff"},
    {"row-bf", "row-bf"},
};

static const char *reference_of (const char *name)
{
    for (size_t i = 0; i < LENGTH (references); i++)
        if (strcmp (references[i].name, name) == 0)
            return references[i].as;
    return NULL;
}

static void expect_reference (const struct naive *naive, const char *as,
                              const tori_request *request,
                              const tori_placement *place)
{
    tori_placement expected;
    if (!*as)
        return;
    assert_true (naive_place (naive, as, request, &expected));
    expect_same_placement (naive->machine, place, &expected);
    tori_placement_clear (&expected);
}

/* ---- properties of a placement ---- */

static void check_box (const struct naive *naive, const tori_request *request,
                       const tori_placement *place)
{
    const tori_box *box = &place->box;
    assert_true (naive_allows (naive->machine, request, box));
    assert_int_equal (place->wiring, request->wiring);
    assert_true (naive_wirable (naive, box, place->wiring));
}

/* Free, ascending (hence disjoint), inside, as many as asked for. */
static void check_nodes (const struct naive *naive, uint64_t nodes,
                         const tori_placement *place)
{
    uint32_t *ids = make_array (place->count, sizeof *ids);
    uint64_t sum, expected = 0;
    assert_int_equal (place->count, nodes);
    tori_placement_nodes (place, naive->machine, ids);
    for (uint32_t i = 0; i < place->count; i++) {
        assert_true (ids[i] < naive->n);
        assert_true (i == 0 || ids[i] > ids[i - 1]);
        assert_true (naive_is_free (naive, ids[i]));
        assert_true (tori_placement_contains (place, naive->machine, ids[i]));
        for (uint32_t j = 0; j < i; j++)
            expected += tori_machine_distance (naive->machine, ids[i],
                                               ids[j]);
    }
    assert_int_equal (
        tori_placement_pairwise (place, naive->machine, &sum, NULL), 0);
    assert_int_equal (sum, expected);
    free (ids);
}

/* A placement has the nodes and the links that it has, and no others. */
static void check_membership (const struct naive *naive,
                              const tori_placement *place)
{
    bool *uses = make_array (naive->nlinks, sizeof *uses);
    uint32_t members = 0;
    int n = place->is_box ? naive_links (naive, &place->box, place->wiring,
                                         naive->scratch)
                          : 0;
    for (int i = 0; i < n; i++)
        uses[naive->scratch[i]] = true;
    for (uint32_t i = 0; i < naive->n; i++)
        members += tori_placement_contains (place, naive->machine, i);
    assert_int_equal (members, place->count);
    for (int d = 0; d < tori_machine_ndims (naive->machine); d++)
        for (uint32_t i = 0; i < 2 * naive->n; i++) {
            tori_link link = {d, i % 2 ? TORI_FAR : TORI_NEAR, i / 2};
            if (tori_link_exists (naive->machine, &link))
                assert_int_equal (
                    tori_placement_uses_link (place, naive->machine, &link),
                    uses[naive_number (naive, &link)]);
        }
    free (uses);
}

static void hold_in_model (struct naive *naive, const tori_placement *place,
                           int owner)
{
    if (place->is_box) {
        naive_hold (naive, &place->box, place->wiring, owner);
        return;
    }
    for (uint32_t i = 0; i < place->count; i++)
        naive->nodes[place->nodes[i]].owner = owner;
}

/* What the scheduler asks about a placement that is or was running. */
static void check_running (const struct world *world,
                           const tori_placement *place, bool is_free)
{
    const struct naive *naive = world->naive;
    bool up = true;
    uint32_t returning = 0;
    int n = place->is_box ? naive_links (naive, &place->box, place->wiring,
                                         naive->scratch)
                          : 0;
    for (int i = 0; i < n; i++)
        up &= !naive->links[naive->scratch[i]].down;
    for (uint32_t i = 0; i < naive->n; i++)
        returning += tori_placement_contains (place, naive->machine, i)
                     && !naive->nodes[i].down && !naive->nodes[i].drained;
    assert_int_equal (placement_links_up (place, world->state), up);
    assert_int_equal (placement_returning (place, world->state), returning);
    assert_int_equal (placement_free (place, world->state), is_free);
}

/* Holding does what the model does, not twice, and releasing undoes it bit
 * for bit. */
static void check_hold (struct world *world, const tori_placement *place,
                        bool thorough)
{
    enum { OWNER = 1000 };
    tori_state *before = make_state (world->machine),
               *held = make_state (world->machine);
    tori_error err = {.status = TORI_OK};
    tori_placement copy;
    tori_state_copy (before, world->state, NULL);
    assert_int_equal (tori_placement_hold (place, world->state, NULL), 0);
    hold_in_model (world->naive, place, OWNER);
    if (thorough)
        naive_expect (world->naive, world->state);
    check_running (world, place, false);
    tori_state_copy (held, world->state, NULL);
    assert_int_equal (tori_placement_hold (place, world->state, &err), -1);
    assert_int_equal (err.status, TORI_NOT_NOW);
    assert_true (tori_state_equal (world->state, held));
    assert_int_equal (tori_placement_copy (&copy, place, NULL), 0);
    tori_placement_release (&copy, world->state);
    tori_placement_clear (&copy);
    naive_release (world->naive, OWNER);
    assert_true (tori_state_equal (world->state, before));
    check_running (world, place, true);
    tori_state_destroy (before);
    tori_state_destroy (held);
}

/* ---- one request ---- */

/* The answer does not depend on who was asked what before. */
static void check_again (const struct world *world, tori_alloc *alloc,
                         const tori_request *request, tori_outcome outcome,
                         const tori_placement *place)
{
    const char *name = tori_alloc_get_info (alloc)->name;
    tori_alloc *fresh;
    assert_int_equal (
        tori_alloc_create (name, world->machine, &fresh, NULL), 0);
    for (int i = 0; i < 2; i++) {
        tori_placement again = {0};
        assert_int_equal (tori_alloc_place (i ? fresh : alloc, world->state,
                                            request, &again, NULL),
                          outcome);
        if (outcome == TORI_PLACED)
            expect_same_placement (world->machine, place, &again);
        tori_placement_clear (&again);
    }
    tori_alloc_destroy (fresh);
}

static void check_refusal (const tori_alloc *alloc,
                           const tori_request *request, tori_outcome outcome,
                           const tori_placement *place, const tori_error *err)
{
    const char *why = tori_alloc_impossible (alloc, request);
    assert_int_equal (place->count, 12345); /* untouched */
    assert_int_equal (err->status, outcome == TORI_UNPLACEABLE
                                       ? TORI_NEVER
                                       : TORI_NOT_NOW);
    assert_true (strlen (err->text) > 10);
    assert_int_equal (why != NULL, outcome == TORI_UNPLACEABLE);
    if (why)
        assert_string_equal (err->text, why);
}

/* The one error that is an answer. */
static void check_too_large (const tori_alloc_info *info,
                             const tori_placement *place,
                             const tori_error *err)
{
    assert_true (info->small);
    assert_int_equal (place->count, 12345); /* untouched */
    assert_int_equal (err->status, TORI_INVALID);
    assert_true (strlen (err->text) > 10);
}

/* Reasons that hold for whatever allocator: it may refuse more than the
 * definition, but what can never be is never to be, too few nodes are too
 * few, and links are to blame only where a box is free. */
static bool plausible (tori_outcome outcome, tori_outcome expected,
                       const struct survey *survey)
{
    if (expected == TORI_UNPLACEABLE || expected == TORI_NUMERICAL)
        return outcome == expected || outcome == TORI_UNPLACEABLE;
    if (outcome == TORI_WIRING)
        return survey->free;
    return outcome != TORI_NUMERICAL;
}

static tori_outcome expected_outcome (const struct naive *naive,
                                      const tori_alloc *alloc,
                                      const tori_request *request,
                                      const struct survey *survey)
{
    unsigned takes = tori_alloc_get_info (alloc)->takes;
    bool shape = request->shape.ndims > 0;
    if (!(takes & (shape ? TORI_BY_SHAPE : TORI_BY_COUNT)))
        return TORI_UNPLACEABLE;
    if (tori_alloc_get_info (alloc)->folds) /* sides do not matter */
        return outcome_of_count (naive, alloc_asked (request));
    return shape ? outcome_of (naive, request, alloc_asked (request), survey)
                 : outcome_of_count (naive, request->count);
}

/* What the scheduler asks, too, and needs no reason of. */
static void check_try (const struct world *world, tori_alloc *alloc,
                       const tori_request *request, tori_outcome outcome,
                       const tori_placement *place)
{
    tori_placement again = {0};
    if (outcome == TORI_UNPLACEABLE)
        return;
    assert_int_equal (
        alloc_try (alloc, world->state, request, &again, NULL),
        outcome == TORI_PLACED);
    if (outcome == TORI_PLACED)
        expect_same_placement (world->machine, place, &again);
    tori_placement_clear (&again);
}

/* Of a shape that may be folded only the volume is kept. */
static void check_folded (const struct naive *naive,
                          const tori_request *request,
                          const tori_placement *place)
{
    tori_request unwrapped = {.shape = place->box.shape};
    assert_int_equal (place->wiring, TORI_WIRE_NONE);
    assert_int_equal (request->wiring, TORI_WIRE_NONE);
    assert_true (naive_inside (naive->machine, &unwrapped, &place->box));
    assert_true (tori_shape_volume (&place->box.shape) >= place->count);
}

/* A slice is whole in some dimensions, single in the others, and holds the
 * shape. */
static void check_slice (const struct naive *naive,
                         const tori_request *request,
                         const tori_placement *place)
{
    tori_shape sides = request->shape, slice = place->box.shape;
    assert_true (place->is_box);
    for (int d = 0; d < slice.ndims; d++) {
        uint32_t S = tori_machine_size (naive->machine, d);
        assert_true (slice.size[d] == 1 || slice.size[d] == S);
        assert_true (place->box.origin[d] + slice.size[d] <= S);
    }
    if (!request->fixed) {
        tori_shape_sort (&sides);
        tori_shape_sort (&slice);
    }
    for (int d = 0; d < slice.ndims; d++)
        assert_true (sides.size[d] <= slice.size[d]);
    assert_int_equal (place->wiring, request->wiring);
    assert_true (naive_wirable (naive, &place->box, place->wiring));
}

static void check_placed (struct world *world, const tori_alloc *alloc,
                          const tori_request *request,
                          const tori_placement *place, bool thorough)
{
    check_nodes (world->naive, alloc_nodes (alloc, request), place);
    if (tori_alloc_get_info (alloc)->folds)
        check_folded (world->naive, request, place);
    else if (tori_alloc_get_info (alloc)->slices)
        check_slice (world->naive, request, place);
    else if (place->is_box)
        check_box (world->naive, request, place);
    if (thorough)
        check_membership (world->naive, place);
    check_hold (world, place, thorough);
}

/* Ask one allocator and check everything about the answer. */
static tori_outcome check_request (struct world *world, tori_alloc *alloc,
                                   const tori_request *request,
                                   const struct survey *survey, bool thorough)
{
    const tori_alloc_info *info = tori_alloc_get_info (alloc);
    const char *reference = reference_of (info->name);
    tori_state *before = make_state (world->machine);
    tori_placement place = {.count = 12345};
    tori_error err = {.status = TORI_OK};
    tori_outcome expected = expected_outcome (world->naive, alloc, request,
                                              survey);
    tori_outcome outcome;
    tori_state_copy (before, world->state, NULL);
    outcome = tori_alloc_place (alloc, world->state, request, &place, &err);
    if (reference ? outcome != expected
                  : !plausible (outcome, expected, survey))
        fail_msg ("%s: %s instead of %s",
                  describe (world, request, info->name),
                  tori_outcome_name (outcome), tori_outcome_name (expected));
    assert_true (tori_state_equal (world->state, before));
    tori_state_destroy (before);
    check_again (world, alloc, request, outcome, &place);
    if (outcome == TORI_ERROR) {
        check_too_large (info, &place, &err);
        return outcome;
    }
    check_try (world, alloc, request, outcome, &place);
    if (outcome != TORI_PLACED) {
        check_refusal (alloc, request, outcome, &place, &err);
        return outcome;
    }
    check_placed (world, alloc, request, &place, thorough);
    if (reference)
        expect_reference (world->naive, reference, request, &place);
    tori_placement_clear (&place);
    return outcome;
}

/* ---- all allocators, all over ---- */

enum { MAX_ALLOCS = 64 };

struct allocs {
    tori_alloc *list[MAX_ALLOCS];
    size_t n;
};

static void create_allocs (struct allocs *allocs, const tori_machine *machine)
{
    const tori_alloc_info *info;
    allocs->n = 0;
    while ((info = tori_alloc_list (allocs->n))) {
        assert_true (allocs->n < MAX_ALLOCS);
        assert_int_equal (tori_alloc_create (info->name, machine,
                                             &allocs->list[allocs->n], NULL),
                          0);
        allocs->n++;
    }
    assert_true (allocs->n >= LENGTH (references));
}

static void destroy_allocs (struct allocs *allocs)
{
    for (size_t i = 0; i < allocs->n; i++)
        tori_alloc_destroy (allocs->list[i]);
}

/* Those that weigh sets of points against each other take their time where
 * nothing faster serves; tests of their own go to larger machines. */
static bool affordable (const struct world *world, const tori_alloc *alloc)
{
    const tori_alloc_info *info = tori_alloc_get_info (alloc);
    if (info->small)
        return tori_state_free_count (world->state) <= 16;
    return !info->points || tori_machine_nodes (world->machine) <= 1024;
}

/* Ask all of them. */
static void check_all (struct world *world, struct allocs *allocs,
                       const tori_request *request, bool thorough,
                       unsigned tally[])
{
    struct survey survey = {0};
    if (request->shape.ndims)
        survey = survey_boxes (world->naive, request);
    for (size_t i = 0; i < allocs->n; i++) {
        tori_outcome outcome;
        if (!affordable (world, allocs->list[i]))
            continue;
        outcome = check_request (world, allocs->list[i], request, &survey,
                                 thorough);
        if (outcome != TORI_ERROR)
            tally[outcome]++;
    }
}

/* The suite: one machine, a state that fills and empties, requests. */
static void check_machine (tori_machine *machine, struct rng *rng,
                           int requests, unsigned tally[])
{
    struct world world;
    struct allocs allocs;
    world_create (&world, machine);
    create_allocs (&allocs, machine);
    fill_world (&world, rng);
    naive_expect (world.naive, world.state);
    for (int i = 0; i < requests; i++) {
        tori_request request = random_request (rng, machine);
        check_all (&world, &allocs, &request, i % 8 == 0, tally);
    }
    destroy_allocs (&allocs);
    world_destroy (&world);
}

/* Where links are scarcest. */
static tori_machine *random_torus (struct rng *rng)
{
    char text[60];
    snprintf (text, sizeof text, "torus:%ux%ux%u", between (rng, 1, 4),
              between (rng, 2, 7), between (rng, 2, 7));
    return make_machine (text);
}

static void test_properties (void **state)
{
    unsigned tally[TORI_UNPLACEABLE + 1] = {0};
    struct rng rng;
    rng_seed (&rng, 1, 0);
    for (int round = 0; round < 300; round++) {
        check_machine (random_machine (&rng, 4, 250), &rng, 10, tally);
        check_machine (random_torus (&rng), &rng, 10, tally);
    }
    for (int i = TORI_PLACED; i <= TORI_UNPLACEABLE; i++)
        assert_true (tally[i] > 200); /* every answer is met, and often */
}

/* First fit alone, for more cases. */
static void test_first_fit (void **state)
{
    struct rng rng;
    rng_seed (&rng, 2, 0);
    for (int round = 0; round < 500; round++) {
        struct world world;
        tori_alloc *alloc;
        world_create (&world, random_machine (&rng, 5, 400));
        assert_int_equal (
            tori_alloc_create ("first-fit", world.machine, &alloc, NULL), 0);
        fill_world (&world, &rng);
        for (int i = 0; i < 15; i++) {
            tori_request request = random_request (&rng, world.machine);
            struct survey survey = {0};
            if (request.shape.ndims)
                survey = survey_boxes (world.naive, &request);
            check_request (&world, alloc, &request, &survey, false);
        }
        tori_alloc_destroy (alloc);
        world_destroy (&world);
    }
}

/* Nodes and links that go down or are drained, both at times, under what
 * runs. */
static void test_running (void **state)
{
    struct rng rng;
    rng_seed (&rng, 7, 0);
    for (int round = 0; round < 150; round++) {
        struct world world;
        world_create (&world, random_machine (&rng, 4, 80));
        fill_world (&world, &rng);
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
    struct naive *naive = world->naive;
    tori_placement place = placement_of_box (box, wiring);
    int n = naive_links (naive, box, wiring, naive->scratch);
    if (n < 0)
        return;
    assert_int_equal (placement_block (&place, world->state, NULL), 0);
    for (int i = 0; i < n; i++)
        naive->links[naive->scratch[i]].owner = OWNER;
    for (uint32_t i = 0; i < naive->n; i++)
        if (naive_contains (naive->machine, box, i))
            naive->nodes[i].owner = OWNER;
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

/* Plans lay partitions over one another. What is left over is searched as
 * truly as ever. */
static void test_blocked (void **state)
{
    unsigned tally[TORI_UNPLACEABLE + 1] = {0};
    struct rng rng;
    rng_seed (&rng, 8, 0);
    for (int round = 0; round < 120; round++) {
        struct world world;
        struct allocs allocs;
        world_create (&world, random_machine (&rng, 4, 200));
        create_allocs (&allocs, world.machine);
        fill_world (&world, &rng);
        for (unsigned i = between (&rng, 1, 5); i > 0; i--) {
            tori_box box = random_box (&rng, world.machine, 4, true);
            block_box (&world, &box, random_wiring (&rng));
            expect_taken (&world);
        }
        for (int i = 0; i < 8; i++) {
            tori_request request = random_request (&rng, world.machine);
            check_all (&world, &allocs, &request, false, tally);
        }
        destroy_allocs (&allocs);
        world_destroy (&world);
    }
    assert_true (tally[TORI_PLACED] > 200);
}

/* Two placements are in each other's way when a node or a link is of both. */
static void check_overlap (const struct naive *naive, const tori_placement *a,
                           const tori_placement *b)
{
    bool *of_a = make_array (naive->nlinks, sizeof *of_a), both = false;
    int n = naive_links (naive, &a->box, a->wiring, naive->scratch);
    for (int i = 0; i < n; i++)
        of_a[naive->scratch[i]] = true;
    n = naive_links (naive, &b->box, b->wiring, naive->scratch);
    for (int i = 0; i < n; i++)
        both |= of_a[naive->scratch[i]];
    for (uint32_t i = 0; i < naive->n; i++)
        both |= tori_placement_contains (a, naive->machine, i)
                && tori_placement_contains (b, naive->machine, i);
    assert_int_equal (placement_overlap (a, b, naive->machine), both);
    assert_int_equal (placement_overlap (b, a, naive->machine), both);
    free (of_a);
}

static void test_overlap (void **state)
{
    struct rng rng;
    rng_seed (&rng, 10, 0);
    for (int round = 0; round < 1000; round++) {
        tori_machine *machine = random_machine (&rng, 4, 150);
        struct naive *naive = naive_create (machine);
        tori_placement places[4] = {0};
        for (int i = 0; i < 4; i++) {
            tori_box box = random_box (&rng, machine, 4, true);
            uint32_t nodes = tori_machine_nodes (machine);
            places[i] = placement_of_box (&box, random_wiring (&rng));
            if (i < 2)
                continue;
            places[i] = (tori_placement){
                .count = 1, .nodes = make_array (1, sizeof (uint32_t))};
            places[i].nodes[0] = between (&rng, 0, nodes - 1);
        }
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < i; j++)
                check_overlap (naive, &places[i], &places[j]);
        for (int i = 0; i < 4; i++)
            tori_placement_clear (&places[i]);
        naive_destroy (naive);
        tori_machine_destroy (machine);
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
        survey = survey_boxes (world->naive, &request);
        assert_int_equal (alloc_try (alloc, view, &request, &place, NULL),
                          survey.found);
        if (survey.found)
            expect_box (&place, &survey.first);
    }
}

/* The same view is used again and again, while links and nodes go down and
 * come up. */
static void test_views (void **state)
{
    struct rng rng;
    rng_seed (&rng, 11, 0);
    for (int round = 0; round < 100; round++) {
        struct world world;
        tori_alloc *alloc;
        world_create (&world, random_machine (&rng, 4, 150));
        size_t nodes = world.naive->n * sizeof *world.naive->nodes;
        size_t links = world.naive->nlinks * sizeof *world.naive->links;
        void *saved[] = {make_array (1, nodes), make_array (1, links + 1)};
        tori_state *view = make_state (world.machine);
        assert_int_equal (
            tori_alloc_create ("first-fit", world.machine, &alloc, NULL), 0);
        fill_world (&world, &rng);
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
        tori_state_destroy (view);
        world_destroy (&world);
    }
}

/* Those for small instances may think about a larger one for a minute. */
static bool tractable (const tori_alloc *alloc, const tori_request *request)
{
    return !tori_alloc_get_info (alloc)->small || request->count <= 3;
}

/* Partitions that come where the allocators say and go in any order: nothing
 * is ever left over. */
static void test_churn (void **state)
{
    struct rng rng;
    rng_seed (&rng, 3, 0);
    for (int round = 0; round < 60; round++) {
        tori_machine *machine = random_machine (&rng, 3, 300);
        tori_state *s = make_state (machine), *fresh = make_state (machine);
        tori_placement parts[10] = {0};
        struct allocs allocs;
        create_allocs (&allocs, machine);
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
        destroy_allocs (&allocs);
        tori_state_destroy (s);
        tori_state_destroy (fresh);
        tori_machine_destroy (machine);
    }
}

/* ---- large machines ---- */

/* The search goes in pieces of 64 words and more. Low ids are nearly full, so
 * that it has to go on for some of them; scattered nodes are down, so that
 * it has little to choose from. */
static void fill_large (struct world *world, struct rng *rng)
{
    uint32_t n = world->naive->n;
    for (int i = 0; i < PARTS - 4; i++) {
        tori_box box = random_box (rng, world->machine, 30, true);
        add_box (world, &box, random_wiring (rng));
    }
    add_nodes (world, rng, n / 100 * between (rng, 30, 95), 60);
    add_nodes (world, rng, n, 25);
    if (chance (rng, 50))
        for (int i = 0; i < 20; i++)
            naive_disturb_link (world->naive, world->state, rng);
}

static tori_request large_request (struct rng *rng,
                                   const tori_machine *machine)
{
    tori_request request = {.shape = *tori_machine_shape (machine)};
    if (chance (rng, 15)) {
        request.shape.ndims = 0;
        request.count = between (rng, 1, 60);
        return request;
    }
    for (int d = 0; d < request.shape.ndims; d++)
        request.shape.size[d] = between (rng, 1, chance (rng, 20) ? 6 : 3);
    request.count = (uint32_t)tori_shape_volume (&request.shape);
    request.wiring = random_wiring (rng);
    request.fixed = chance (rng, 30);
    request.wrap = chance (rng, 40);
    return request;
}

static void test_large (void **state)
{
    static const char *const machines[] = {
        "mesh:40x30x20",   "torus:40x30x20",      "multitorus:20x30x40",
        "torus:70x70",     "mesh:5000",           "torus:66x130tx1",
        "torus:9x3ux8x7m", "multitorus:17x16x16", "torus:200x200",
        "torus:6^5",       "torus:2x65x65",       "mesh:12289",
    };
    unsigned tally[TORI_UNPLACEABLE + 1] = {0};
    struct rng rng;
    rng_seed (&rng, 4, 0);
    for (size_t m = 0; m < LENGTH (machines); m++) {
        struct world world;
        struct allocs allocs;
        world_create (&world, make_machine (machines[m]));
        create_allocs (&allocs, world.machine);
        fill_large (&world, &rng);
        for (int i = 0; i < 10; i++) {
            tori_request request = large_request (&rng, world.machine);
            check_all (&world, &allocs, &request, false, tally);
        }
        naive_expect (world.naive, world.state);
        destroy_allocs (&allocs);
        world_destroy (&world);
    }
    assert_true (tally[TORI_PLACED] > 50);
    assert_true (tally[TORI_TOPOLOGICAL] > 10);
}

/* Long steps of the search: boxes of many nodes, and just so many single busy
 * nodes that few or none of the boxes are free. */
static void test_large_shapes (void **state)
{
    static const struct {
        const char *machine, *shape;
    } cases[] = {
        {"mesh:25x20x20", "7x6x5"},    {"torus:20x20x20", "9x4x3"},
        {"mesh:16x16x16", "8x8x4"},    {"torus:90x70", "21x11"},
        {"multitorus:9000", "300"},    {"mesh:9x9x9x9", "3x4x2x5"},
        {"torus:70x1x70", "1x70x2"},   {"mesh:64x64", "17x16"},
        {"torus:6^5", "3x3x2x2x2"},    {"torus:128x3x20m", "2x65x1"},
        {"multitorus:8x64x8", "33x3x2"},
    };
    struct rng rng;
    rng_seed (&rng, 9, 0);
    for (size_t c = 0; c < LENGTH (cases); c++)
        for (int round = 0; round < 6; round++) {
            struct world world;
            tori_alloc *alloc;
            tori_request request = {.shape = make_shape (cases[c].shape),
                                    .wiring = random_wiring (&rng),
                                    .fixed = chance (&rng, 20),
                                    .wrap = chance (&rng, 50)};
            uint64_t volume = tori_shape_volume (&request.shape);
            struct survey survey;
            world_create (&world, make_machine (cases[c].machine));
            assert_int_equal (tori_alloc_create ("first-fit", world.machine,
                                                 &alloc, NULL),
                              0);
            sprinkle (&world, &rng,
                      (uint32_t)(world.naive->n * between (&rng, 5, 11)
                                 / volume));
            survey = survey_boxes (world.naive, &request);
            check_request (&world, alloc, &request, &survey, false);
            tori_alloc_destroy (alloc);
            world_destroy (&world);
        }
}

/* A machine that is busy but for one box: that is found, and nothing once it
 * is taken. */
static void check_needle (const tori_machine *machine, tori_alloc *alloc,
                          const tori_box *box, tori_wiring wiring)
{
    tori_box all = {.shape = *tori_machine_shape (machine)};
    tori_placement whole = placement_of_box (&all, TORI_WIRE_NONE);
    tori_placement hole = placement_of_box (box, TORI_WIRE_NONE);
    tori_placement place = {0};
    tori_request request = {.shape = box->shape, .wiring = wiring,
                            .wrap = true, .fixed = true};
    tori_state *s = make_state (machine);
    tori_placement_hold (&whole, s, NULL);
    tori_placement_release (&hole, s);
    assert_int_equal (tori_alloc_place (alloc, s, &request, &place, NULL),
                      TORI_PLACED);
    expect_box (&place, box);
    assert_int_equal (tori_placement_hold (&place, s, NULL), 0);
    assert_int_equal (tori_alloc_place (alloc, s, &request, &place, NULL),
                      TORI_NUMERICAL);
    tori_state_destroy (s);
}

/* The box that begins at a node, as large as there is room for, up to 3 a
 * side. */
static tori_box box_from (const tori_machine *machine, uint32_t node)
{
    tori_box box = {.shape.ndims = tori_machine_ndims (machine)};
    tori_machine_coords (machine, node, box.origin);
    for (int d = 0; d < box.shape.ndims; d++) {
        uint32_t room = tori_machine_size (machine, d) - box.origin[d];
        box.shape.size[d] = room < 3 ? room : 3;
    }
    return box;
}

/* In every word of the set, so also at the edges of the pieces in which it is
 * searched, and at random. */
static void test_needle (void **state)
{
    static const char *const machines[] = {"mesh:40x30x20", "torus:66x200",
                                           "multitorus:30000"};
    struct rng rng;
    rng_seed (&rng, 5, 0);
    for (size_t m = 0; m < LENGTH (machines); m++) {
        tori_machine *machine = make_machine (machines[m]);
        uint32_t nodes = tori_machine_nodes (machine);
        tori_alloc *alloc;
        assert_int_equal (
            tori_alloc_create ("first-fit", machine, &alloc, NULL), 0);
        for (uint32_t word = 0; word < nodes; word += 64) {
            uint32_t node = word + between (&rng, 0, 63);
            tori_box box = box_from (machine, node < nodes ? node : word);
            check_needle (machine, alloc, &box, TORI_WIRE_MESH);
            box = random_box (&rng, machine, 5, true);
            check_needle (machine, alloc, &box, TORI_WIRE_NONE);
        }
        tori_alloc_destroy (alloc);
        tori_machine_destroy (machine);
    }
}

/* ---- a hypercube of 20 dimensions ---- */

/* The first fit among nodes given as bools; the model's record a link would
 * not fit. */
static tori_box first_in_cube (const tori_machine *machine, const bool *busy,
                               const tori_shape *shape)
{
    tori_shape *rotations;
    size_t n = naive_rotations (shape, false, &rotations);
    tori_box box = {.shape.ndims = 0};
    for (uint32_t id = 0; !box.shape.ndims; id++)
        for (size_t i = 0; i < n && !box.shape.ndims; i++) {
            tori_box at = {.shape = rotations[i]};
            uint32_t ids[8];
            bool fits = !busy[id];
            tori_machine_coords (machine, id, at.origin);
            for (int d = 0; d < at.shape.ndims && fits; d++)
                fits = at.origin[d] + at.shape.size[d] <= 2;
            if (fits)
                naive_box_nodes (machine, &at, ids);
            for (uint64_t k = 0; fits && k < tori_shape_volume (shape); k++)
                fits = !busy[ids[k]];
            if (fits)
                box = at;
        }
    free (rotations);
    return box;
}

static void fill_cube (tori_state *s, bool *busy, struct rng *rng,
                       uint32_t low, tori_placement *ret_place)
{
    uint32_t n = tori_machine_nodes (tori_state_machine (s));
    ret_place->nodes = make_array (n, sizeof *ret_place->nodes);
    for (uint32_t i = 0; i < n; i++) {
        busy[i] = i < low || chance (rng, 60);
        if (busy[i])
            ret_place->nodes[ret_place->count++] = i;
    }
    assert_int_equal (tori_placement_hold (ret_place, s, NULL), 0);
}

static void test_hypercube (void **state)
{
    static const char *const shapes[] = {"2x1", "2x2", "2x2x2"};
    tori_machine *machine = make_machine ("mesh:2^20");
    bool *busy = make_array (1 << 20, sizeof *busy);
    tori_state *s = make_state (machine), *before = make_state (machine);
    tori_placement filling = {0};
    tori_alloc *alloc;
    struct rng rng;
    rng_seed (&rng, 6, 0);
    fill_cube (s, busy, &rng, 5000, &filling);
    tori_state_copy (before, s, NULL);
    assert_int_equal (tori_alloc_create ("first-fit", machine, &alloc, NULL),
                      0);
    for (size_t i = 0; i < LENGTH (shapes); i++) {
        tori_request request = {.shape = make_shape (shapes[i]),
                                .wiring = TORI_WIRE_MESH};
        tori_placement place = {0};
        tori_box expected;
        while (request.shape.ndims < 20)
            request.shape.size[request.shape.ndims++] = 1;
        expected = first_in_cube (machine, busy, &request.shape);
        assert_int_equal (
            tori_alloc_place (alloc, s, &request, &place, NULL), TORI_PLACED);
        expect_box (&place, &expected);
        assert_int_equal (tori_placement_hold (&place, s, NULL), 0);
        /* a cube of 2^k nodes has k 2^(k-1) links */
        assert_int_equal (tori_state_links_taken (s),
                          (i + 1) * (place.count / 2));
        tori_placement_release (&place, s);
        assert_true (tori_state_equal (s, before));
    }
    tori_placement_clear (&filling);
    tori_alloc_destroy (alloc);
    tori_state_destroy (s);
    tori_state_destroy (before);
    free (busy);
    tori_machine_destroy (machine);
}

/* ---- the table, and small print ---- */

static void test_table (void **state)
{
    tori_machine *machine = make_machine ("mesh:4x4");
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
        assert_int_equal (tori_alloc_create (info->name, machine, &alloc,
                                             NULL),
                          0);
        assert_ptr_equal (tori_alloc_get_info (alloc), info);
        tori_alloc_destroy (alloc);
    }
    alloc = NULL;
    assert_null (tori_alloc_find ("nearly-fit"));
    assert_int_equal (tori_alloc_create ("nearly-fit", machine, &alloc, &err),
                      -1);
    assert_int_equal (err.status, TORI_INVALID);
    assert_null (alloc);
    tori_alloc_destroy (NULL);
    for (size_t i = 0; i < LENGTH (references); i++)
        assert_non_null (tori_alloc_find (references[i].name));
    tori_machine_destroy (machine);
}

static void test_outcome_names (void **state)
{
    assert_string_equal (tori_outcome_name (TORI_PLACED), "placed");
    assert_string_equal (tori_outcome_name (TORI_NUMERICAL), "numerical");
    assert_string_equal (tori_outcome_name (TORI_TOPOLOGICAL), "topological");
    assert_string_equal (tori_outcome_name (TORI_WIRING), "wiring");
    assert_string_equal (tori_outcome_name (TORI_UNPLACEABLE), "never");
}

static void test_request_nodes (void **state)
{
    tori_request request = {.count = 5};
    assert_int_equal (tori_request_nodes (&request), 5);
    request.shape = make_shape ("2x3");
    assert_int_equal (tori_request_nodes (&request), 6);
    request.shape = make_shape ("4294967295x4294967295x4294967295");
    assert_int_equal (tori_request_nodes (&request), UINT64_MAX);
}

/* Shapes that no parser lets through but a program may ask for. */
static void test_odd_shapes (void **state)
{
    static const tori_shape shapes[] = {
        {3, {UINT32_MAX, UINT32_MAX, UINT32_MAX}},
        {3, {1U << 31, 1, 2}},
    };
    tori_machine *machine = make_machine ("torus:8x8x8");
    tori_state *s = make_state (machine);
    struct allocs allocs;
    create_allocs (&allocs, machine);
    for (size_t i = 0; i < allocs.n * LENGTH (shapes); i++) {
        tori_request request = {.shape = shapes[i / allocs.n], .wrap = true};
        tori_placement place = {0};
        assert_int_equal (tori_alloc_place (allocs.list[i % allocs.n], s,
                                            &request, &place, NULL),
                          TORI_UNPLACEABLE);
    }
    destroy_allocs (&allocs);
    tori_state_destroy (s);
    tori_machine_destroy (machine);
}

static void expect_nothing (const tori_error *err)
{
    assert_int_equal (err->status, TORI_INVALID);
    assert_non_null (strstr (err->text, "asked for"));
}

/* To ask for nothing is a mistake, whoever is asked, and however much is free:
 * bad input, not a refusal. */
static void test_nothing (void **state)
{
    static const tori_request nothing[] = {
        {.count = 0},
        {.shape = {3, {0, 1, 1}}},
        {.shape = {3, {2, 0, 2}}, .wrap = true},
        {.shape = {3, {0, 0, 0}}, .wiring = TORI_WIRE_TORUS},
        {.shape = {3, {UINT32_MAX, 0, UINT32_MAX}}, .count = 3},
    };
    tori_machine *machine = make_machine ("torus:4x4x4");
    tori_state *s = make_state (machine);
    struct allocs allocs;
    create_allocs (&allocs, machine);
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
    destroy_allocs (&allocs);
    tori_state_destroy (s);
    tori_machine_destroy (machine);
}

/* So it is where subcubes are asked for. */
static void test_no_cube (void **state)
{
    static const tori_shape shapes[] = {{3, {0, 1, 1}}, {3, {3, 0, 2}}};
    tori_machine *machine = make_machine ("torus:4x4x4");
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
    tori_machine_destroy (machine);
}

/* And among points. */
static void test_no_points (void **state)
{
    static const int64_t coords[] = {1, 2, 3};
    tori_points points = {.ndims = 1, .n = 3, .coords = coords};
    tori_shape shape = make_shape ("2");
    const tori_alloc_info *info;
    size_t chosen[3];
    tori_error err;
    for (size_t i = 0; (info = tori_alloc_list (i)); i++) {
        if (!info->points)
            continue;
        assert_int_equal (tori_points_choose (info->name, &points, 0, NULL,
                                              chosen, NULL, &err),
                          -1);
        expect_nothing (&err);
    }
    assert_int_equal (tori_points_choose_box (&points, 0, &shape, false,
                                              chosen, NULL, &err),
                      -1);
    expect_nothing (&err);
}

/* Holding is refused, with nothing changed, for one node or one link that is
 * not to be had. */
static void test_hold_refused (void **state)
{
    tori_machine *machine = make_machine ("torus:4x4");
    tori_placement box = {.is_box = true, .wiring = TORI_WIRE_TORUS,
                          .box = make_box (machine, "0,0/2x2"), .count = 4};
    uint32_t ids[] = {3, 9};
    tori_placement nodes = {.count = 2, .nodes = ids};
    tori_state *s = make_state (machine), *before = make_state (machine);
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
    tori_state_destroy (s);
    tori_state_destroy (before);
    tori_machine_destroy (machine);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_table),
        cmocka_unit_test (test_outcome_names),
        cmocka_unit_test (test_request_nodes),
        cmocka_unit_test (test_odd_shapes),
        cmocka_unit_test (test_nothing),
        cmocka_unit_test (test_no_cube),
        cmocka_unit_test (test_no_points),
        cmocka_unit_test (test_hold_refused),
        cmocka_unit_test (test_properties),
        cmocka_unit_test (test_first_fit),
        cmocka_unit_test (test_running),
        cmocka_unit_test (test_blocked),
        cmocka_unit_test (test_overlap),
        cmocka_unit_test (test_views),
        cmocka_unit_test (test_churn),
        cmocka_unit_test (test_large),
        cmocka_unit_test (test_large_shapes),
        cmocka_unit_test (test_needle),
        cmocka_unit_test (test_hypercube),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}

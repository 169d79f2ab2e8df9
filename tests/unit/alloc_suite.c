#include "alloc_suite.h"

#include <stdlib.h>
#include <string.h>

#include "allocs.h"
#include "ask.h"
#include "placement.h"

/* ---- references ---- */

void expect_box (const tori_placement *place, const tori_box *box)
{
    assert_true (place->nboxes);
    expect_same_box (&place->box, box);
}

static void expect_same_placement (const tori_machine *machine,
                                   const tori_placement *a,
                                   const tori_placement *b)
{
    uint32_t *x = make_array (a->count, sizeof *x);
    uint32_t *y = make_array (b->count, sizeof *y);
    assert_int_equal (a->nboxes, b->nboxes);
    assert_int_equal (a->wiring, b->wiring);
    assert_int_equal (a->count, b->count);
    tori_placement_nodes (a, machine, x);
    tori_placement_nodes (b, machine, y);
    assert_memory_equal (x, y, a->count * sizeof *x);
    if (a->nboxes)
        expect_box (a, &b->box);
    free (x);
    free (y);
}

/* The allocators whose answer is fixed by a definition (naive_alloc.h) that
 * finds whatever there is. Others may refuse more, but not for a wrong reason.
 */
static const struct reference references[] = {
    {"first-fit", "first-fit"}, {"best-fit", "best-fit"}, {"efl", ""},
    {"etc", "first-fit"},       {"row-ff", "row-ff"},     {"row-bf", "row-bf"},
};

const struct reference *reference_list (size_t i)
{
    return i < LENGTH (references) ? &references[i] : NULL;
}

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

/* ---- outcomes ---- */

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

static tori_outcome expected_outcome (const struct naive *naive,
                                      const tori_alloc *alloc,
                                      const tori_request *request,
                                      const struct survey *survey)
{
    unsigned takes = tori_alloc_get_info (alloc)->takes;
    bool shape = request->shape.ndims > 0;
    if (!(takes & (shape ? TORI_BY_SHAPE : TORI_BY_COUNT)))
        return TORI_UNPLACEABLE;
    if (tori_alloc_get_info (alloc)->flags
        & TORI_ALLOC_FOLDS) /* sides do not matter */
        return outcome_of_count (naive, alloc_asked (request));
    if (shape && alloc_is_loose (alloc))
        return survey->possible && request->wiring == TORI_WIRE_NONE
                   ? outcome_of_count (naive, alloc_asked (request))
                   : TORI_UNPLACEABLE;
    return shape ? outcome_of (naive, request, alloc_asked (request), survey)
                 : outcome_of_count (naive, request->count);
}

/* Whether the outcome can be no other: of one with a definition, and of those
 * that take any nodes, for whom enough are enough. */
static bool is_settled (const tori_alloc *alloc, const tori_request *request)
{
    return reference_of (tori_alloc_get_info (alloc)->name)
           || !request->shape.ndims || alloc_is_loose (alloc);
}

/* Reasons that hold for whatever allocator: for a box it may refuse more than
 * the definition, but what can never be is never to be, too few nodes are too
 * few, and links are to blame only where a box is free. A search for so many
 * nodes may give up. */
static bool plausible (const tori_alloc *alloc, const tori_request *request,
                       tori_outcome outcome, tori_outcome expected,
                       const struct survey *survey)
{
    if (outcome == TORI_ERROR)
        return (tori_alloc_get_info (alloc)->flags & TORI_ALLOC_SEARCHES)
               && expected == TORI_PLACED;
    if (is_settled (alloc, request))
        return outcome == expected;
    if (expected == TORI_UNPLACEABLE || expected == TORI_NUMERICAL)
        return outcome == expected || outcome == TORI_UNPLACEABLE;
    if (outcome == TORI_WIRING)
        return survey->free;
    return outcome != TORI_NUMERICAL;
}

/* ---- properties of a placement ---- */

static void check_box (const struct naive *naive, const tori_request *request,
                       const tori_placement *place)
{
    const tori_box *box = &place->box;
    assert_true (naive_allows (naive->machine, request, box));
    assert_int_equal (place->wiring, request->wiring);
    assert_true (naive_place_free (naive, place));
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
            expected += tori_machine_distance (naive->machine, ids[i], ids[j]);
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
    int n = naive_place_links (naive, place, naive->scratch);
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

/* The questions of the scheduler about a placement that is or was running. */
void check_running (const struct world *world, const tori_placement *place,
                    bool is_free)
{
    const struct naive *naive = world->naive;
    bool up = true;
    uint32_t returning = 0;
    int n = naive_place_links (naive, place, naive->scratch);
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
    AUTO_STATE *before = make_state (world->machine),
               *held = make_state (world->machine);
    tori_error err = {.status = TORI_OK};
    tori_placement copy;
    tori_state_copy (before, world->state, NULL);
    assert_int_equal (tori_placement_hold (place, world->state, NULL), 0);
    naive_hold_place (world->naive, place, OWNER, false);
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
}

/* A shape that may be folded keeps only its volume. */
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
    assert_true (place->nboxes);
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
    assert_true (naive_place_free (naive, place));
}

static void check_placed (struct world *world, const tori_alloc *alloc,
                          const tori_request *request,
                          const tori_placement *place, bool thorough)
{
    check_nodes (world->naive, nodes_given (alloc, request), place);
    if (tori_alloc_get_info (alloc)->flags & TORI_ALLOC_FOLDS)
        check_folded (world->naive, request, place);
    else if (tori_alloc_get_info (alloc)->flags & TORI_ALLOC_SLICES)
        check_slice (world->naive, request, place);
    else if (place->nboxes)
        check_box (world->naive, request, place);
    if (thorough)
        check_membership (world->naive, place);
    check_hold (world, place, thorough);
}

/* ---- one request ---- */

/* So few steps that searches among 100 nodes give up now and then. Those of
 * ptas are ways to cut, of which there are more for a small epsilon. */
static int create_alloc (const char *name, const tori_machine *machine,
                         tori_alloc **ret_alloc)
{
    bool ptas = strcmp (name, "ptas") == 0;
    return tori_alloc_create (machine,
                              TORI_ALLOC (name, .steps = ptas ? 2 : 20000,
                                          .epsilon = ptas ? 0.01 : 0,
                                          .ops = ops_named (name)),
                              ret_alloc, NULL);
}

/* The answer does not depend on who was asked what before. */
static void check_again (const struct world *world, tori_alloc *alloc,
                         const tori_request *request, tori_outcome outcome,
                         const tori_placement *place)
{
    const char *name = tori_alloc_get_info (alloc)->name;
    tori_alloc *fresh;
    assert_int_equal (create_alloc (name, world->machine, &fresh), 0);
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
    assert_int_equal (err->status,
                      outcome == TORI_UNPLACEABLE ? TORI_NEVER : TORI_NOT_NOW);
    assert_true (strlen (err->text) > 10);
    assert_int_equal (why != NULL, outcome == TORI_UNPLACEABLE);
    if (why)
        assert_string_equal (err->text, why);
}

/* The one error that is an answer. */
static void check_gave_up (const tori_alloc_info *info,
                             const tori_placement *place,
                             const tori_error *err)
{
    assert_true (info->flags & TORI_ALLOC_SEARCHES);
    assert_int_equal (place->count, 12345); /* untouched */
    assert_int_equal (err->status, TORI_GAVE_UP);
    assert_true (strlen (err->text) > 10);
}

/* The scheduler asks this, too, and needs no reason. */
static void check_try (const struct world *world, tori_alloc *alloc,
                       const tori_request *request, tori_outcome outcome,
                       const tori_placement *place)
{
    tori_placement again = {0};
    if (outcome == TORI_UNPLACEABLE)
        return;
    assert_int_equal (
        alloc_try_once (alloc, world->state, request, &again, NULL),
        outcome == TORI_PLACED);
    if (outcome == TORI_PLACED)
        expect_same_placement (world->machine, place, &again);
    tori_placement_clear (&again);
}

/* Ask one allocator and check everything about the answer. */
tori_outcome check_request (struct world *world, tori_alloc *alloc,
                            const tori_request *request,
                            const struct survey *survey, bool thorough)
{
    const tori_alloc_info *info = tori_alloc_get_info (alloc);
    const char *reference = reference_of (info->name);
    tori_state *before = make_state (world->machine);
    tori_placement place = {.count = 12345};
    tori_error err = {.status = TORI_OK};
    tori_outcome expected =
        expected_outcome (world->naive, alloc, request, survey);
    tori_outcome outcome;
    tori_state_copy (before, world->state, NULL);
    outcome = tori_alloc_place (alloc, world->state, request, &place, &err);
    if (!plausible (alloc, request, outcome, expected, survey))
        fail_msg ("%s: %s instead of %s",
                  world_describe (world, request, info->name),
                  tori_outcome_name (outcome), tori_outcome_name (expected));
    assert_true (tori_state_equal (world->state, before));
    tori_state_destroy (before);
    check_again (world, alloc, request, outcome, &place);
    if (outcome == TORI_ERROR) {
        check_gave_up (info, &place, &err);
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

/* ---- all allocators ---- */

void allocs_create (struct allocs *allocs, const tori_machine *machine)
{
    const tori_alloc_info *info;
    allocs->n = 0;
    while ((info = every_alloc (allocs->n))) {
        assert_true (allocs->n < MAX_ALLOCS);
        assert_int_equal (
            create_alloc (info->name, machine, &allocs->list[allocs->n]), 0);
        allocs->n++;
    }
    assert_true (allocs->n >= LENGTH (references));
}

void allocs_destroy (struct allocs *allocs)
{
    for (size_t i = 0; i < allocs->n; i++)
        tori_alloc_destroy (allocs->list[i]);
}

/* Those that weigh sets of points against each other take their time where
 * nothing faster serves; tests of their own go to larger machines. */
static bool affordable (const struct world *world, const tori_alloc *alloc)
{
    const tori_alloc_info *info = tori_alloc_get_info (alloc);
    if (info->flags & TORI_ALLOC_SEARCHES)
        return tori_state_free_count (world->state) <= 100;
    return (info->takes != TORI_BY_COUNT
            && !(info->flags & TORI_ALLOC_POINTS))
           || tori_machine_nodes (world->machine) <= 1024;
}

/* Ask all of them. */
void check_all (struct world *world, struct allocs *allocs,
                const tori_request *request, bool thorough,
                struct outcomes *outcomes)
{
    struct survey survey = {0};
    if (request->shape.ndims)
        survey = naive_survey (world->naive, request);
    for (size_t i = 0; i < allocs->n; i++) {
        tori_outcome outcome;
        if (!affordable (world, allocs->list[i]))
            continue;
        outcome =
            check_request (world, allocs->list[i], request, &survey, thorough);
        outcomes->placed[i] += outcome == TORI_PLACED;
        if (outcome == TORI_ERROR)
            outcomes->gave_up[i]++;
        else
            outcomes->met[outcome]++;
    }
}

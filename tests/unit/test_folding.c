/* Requests whose rings may be folded: which box they get, against a loop over
 * all boxes, and whether all neighbours of the job are joined there by links
 * that the job has. */
#include <stdlib.h>
#include <string.h>

#include "support.h"

#include <tori/alloc.h>

#include "grid.h"
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

/* Whether a box is the shape asked for, in some rotation. */
static bool is_straight (const tori_machine *machine, const tori_shape *job,
                         const tori_shape *box)
{
    tori_shape own, sides = sorted (*box);
    if (!own_shape (machine, job, &own))
        return false;
    own = sorted (own);
    return tori_shape_equal (&own, &sides);
}

/* How a box of this shape carries the job, if it does. */
static bool carries (const tori_machine *machine, const tori_request *request,
                     const tori_shape *shape, struct choice *ret)
{
    uint32_t closable = 0, all = 0;
    struct ringfold fold;
    bool straight;
    if (request->wiring == TORI_WIRE_MESH)
        return false;
    straight = is_straight (machine, &request->shape, shape);
    for (int d = 0; d < shape->ndims; d++) {
        tori_kind kind = tori_machine_kind (machine, d);
        bool torus = request->wiring == TORI_WIRE_TORUS;
        bool whole = straight && torus; /* closed through all of the line */
        bool can = kind == TORI_TORUS
                       ? whole
                             || shape->size[d]
                                    == tori_machine_size (machine, d)
                       : torus && kind_is_multitorus (kind);
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

/* The first of all boxes that has a place. */
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

/* The links that the answer lists, and the neighbours of the job. Each pair has
 * a path of links along one line, and no link serves two pairs. */
enum { MOST_WIRES = 1024, MOST_AT = 16 };

struct wires {
    const tori_machine *machine;
    size_t n, npairs;
    uint32_t longest; /* links of a path */
    struct wire {
        int dim;
        uint32_t end[2];
        bool used;
    } wire[MOST_WIRES];
    uint32_t at[256][MOST_AT]; /* the wires of each node */
    uint32_t nat[256];
    struct pair {
        int dim;
        uint32_t line, a, b;
    } pair[MOST_WIRES];
};

static int add_wire (void *arg, const tori_link *link)
{
    struct wires *wires = arg;
    uint32_t end[2], coords[TORI_MAX_DIMS];
    struct wire *wire = &wires->wire[wires->n];
    assert_true (tori_link_ends (wires->machine, link, &end[0], &end[1]));
    tori_machine_coords (wires->machine, link->slot, coords);
    wire->dim = link->dim;
    for (int i = 0; i < 2; i++) {
        coords[link->dim] = end[i];
        wire->end[i] = tori_machine_id (wires->machine, coords);
        assert_true (wires->nat[wire->end[i]] < MOST_AT);
        wires->at[wire->end[i]][wires->nat[wire->end[i]]++]
            = (uint32_t)wires->n;
    }
    assert_true (++wires->n < MOST_WIRES);
    return 0;
}

static void add_pair (struct wires *wires, uint32_t a, uint32_t b)
{
    uint32_t x[TORI_MAX_DIMS], y[TORI_MAX_DIMS];
    struct pair pair = {-1, .a = a, .b = b};
    tori_machine_coords (wires->machine, a, x);
    tori_machine_coords (wires->machine, b, y);
    for (int d = 0; d < tori_machine_ndims (wires->machine); d++)
        if (x[d] != y[d]) {
            assert_int_equal (pair.dim, -1);
            pair.dim = d;
        }
    assert_true (pair.dim >= 0);
    x[pair.dim] = 0;
    pair.line = tori_machine_id (wires->machine, x);
    wires->pair[wires->npairs++] = pair;
    assert_true (wires->npairs < MOST_WIRES);
}

static int by_line (const void *x, const void *y)
{
    const struct pair *a = x, *b = y;
    if (a->dim != b->dim)
        return a->dim - b->dim;
    return a->line < b->line ? -1 : a->line > b->line;
}

static bool join_from (struct wires *wires, size_t pair, uint32_t node,
                       uint32_t length);

static bool step (struct wires *wires, size_t pair, uint32_t node,
                  uint32_t which, uint32_t length, bool home)
{
    struct wire *wire = &wires->wire[which];
    uint32_t next = wire->end[wire->end[0] == node];
    bool joined;
    if (wire->used || wire->dim != wires->pair[pair].dim
        || (next == wires->pair[pair].b) != home)
        return false;
    wire->used = true;
    joined = join_from (wires, pair, next, length + 1);
    wire->used = false;
    return joined;
}

/* The pairs from this one on; the path of this one has come to a node. */
static bool join_from (struct wires *wires, size_t pair, uint32_t node,
                       uint32_t length)
{
    if (length > 0 && node == wires->pair[pair].b)
        return ++pair == wires->npairs
               || join_from (wires, pair, wires->pair[pair].a, 0);
    if (length == wires->longest)
        return false;
    for (int home = 1; home >= 0; home--)
        for (uint32_t i = 0; i < wires->nat[node]; i++)
            if (step (wires, pair, node, wires->at[node][i], length, home))
                return true;
    return false;
}

/* Without links of its own a job has what the machine has. */
static void expect_wired (struct wires *wires, const tori_placement *place)
{
    if (place->wiring == TORI_WIRE_NONE) {
        for (size_t i = 0; i < wires->npairs; i++)
            assert_int_equal (tori_machine_distance (wires->machine,
                                                     wires->pair[i].a,
                                                     wires->pair[i].b),
                              1);
        return;
    }
    tori_placement_each_link (place, wires->machine, add_wire, wires);
    qsort (wires->pair, wires->npairs, sizeof *wires->pair, by_line);
    if (wires->npairs > 0)
        assert_true (join_from (wires, 0, wires->pair[0].a, 0));
}

/* All neighbours of the job, once. */
static void pair_up (struct wires *wires, const tori_shape *job,
                     const uint32_t map[], bool rings)
{
    uint32_t coords[TORI_MAX_DIMS] = {0}, i = 0;
    do {
        uint32_t stride = 1;
        for (int d = job->ndims - 1; d >= 0; stride *= job->size[d--]) {
            bool last = coords[d] + 1 == job->size[d];
            if (!last)
                add_pair (wires, map[i], map[i + stride]);
            else if (rings && job->size[d] > 2)
                add_pair (wires, map[i], map[i - coords[d] * stride]);
        }
        i++;
    } while (count_up (coords, job->size, job->ndims));
}

static void expect_joined (const tori_machine *machine,
                           const tori_placement *place,
                           const tori_request *request, bool rings,
                           uint32_t longest)
{
    static struct wires wires;
    uint32_t map[256];
    wires.machine = machine;
    wires.n = wires.npairs = 0;
    wires.longest = longest;
    memset (wires.nat, 0, sizeof wires.nat);
    assert_int_equal (tori_placement_map (place, machine, request, map, NULL),
                      0);
    for (uint32_t i = 0; i < place->count; i++) {
        assert_true (tori_placement_contains (place, machine, map[i]));
        for (uint32_t j = 0; j < i; j++)
            assert_int_not_equal (map[i], map[j]);
    }
    pair_up (&wires, &request->shape, map, rings);
    expect_wired (&wires, place);
}

/* A ring of a torus as it was asked for is closed by the rest of its line;
 * all other paths are a link. */
static uint32_t longest_path (const tori_machine *machine,
                              const tori_placement *place, bool folded)
{
    for (int d = 0; d < place->box.shape.ndims; d++)
        if (!folded && tori_machine_kind (machine, d) == TORI_TORUS
            && place->box.shape.size[d] < tori_machine_size (machine, d))
            return UINT32_MAX;
    return 1;
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
                   choice.folded || request->wiring == TORI_WIRE_TORUS,
                   longest_path (machine, &place,
                                 !is_straight (machine, &request->shape,
                                               &place.box.shape)));
    folded_jobs += choice.folded;
    *ret_place = place;
    tori_placement_clear (&other);
}

/* Jobs come until eight of them did, and go at times. */
static void run_stream (struct rng *rng)
{
    AUTO_MACHINE *machine = random_machine (rng, 3, 96);
    AUTO_STATE *state = make_state (machine), *idle = make_state (machine);
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
}

TEST (streams)
{
    struct rng rng = seeded (1);
    folded_jobs = 0;
    for (size_t i = 0; i < random_cases (3000); i++)
        run_stream (&rng);
    print_message ("# %zu jobs were folded\n", folded_jobs);
    assert_true (folded_jobs > 100);
}

/* ---- multi-tori with a link down ---- */

static size_t detours;

/* Place a job on an idle machine without one link, and follow its links. */
static void check_down (const char *text, const char *shape,
                        const tori_link *link)
{
    AUTO_MACHINE *machine = make_machine (text);
    AUTO_STATE *state = make_state (machine);
    tori_request request = {.shape = make_shape (shape),
                            .wiring = TORI_WIRE_TORUS,
                            .flags = TORI_REQUEST_FOLD};
    tori_placement place = {0};
    tori_alloc *alloc;
    tori_alloc_create (machine, TORI_ALLOC ("first-fit"), &alloc, NULL);
    if (tori_link_exists (machine, link)) {
        tori_state_set_link_down (state, link, true, NULL);
        assert_int_equal (
            tori_alloc_place (alloc, state, &request, &place, NULL),
            TORI_PLACED);
        assert_false (tori_placement_uses_link (&place, machine, link));
        expect_joined (machine, &place, &request, true, UINT32_MAX);
        detours += place.pieces != NULL; /* links that were chosen */
    }
    tori_placement_clear (&place);
    tori_alloc_destroy (alloc);
}

TEST (down)
{
    static const char *const jobs[][2] = {{"multitorus:8", "6"},
                                          {"multitorus:8", "7"},
                                          {"multitorus:8", "5"},
                                          {"multitorus:2x2x8", "4x6"},
                                          {"multitorus:4x4", "4x2x2"}};
    detours = 0;
    for (size_t i = 0; i < LENGTH (jobs); i++) {
        AUTO_MACHINE *machine = make_machine (jobs[i][0]);
        for (int d = 0; d < tori_machine_ndims (machine); d++)
            for (uint32_t slot = 0; slot < tori_machine_nodes (machine);
                 slot++)
                for (int layer = TORI_NEAR; layer <= TORI_FAR; layer++)
                    check_down (jobs[i][0], jobs[i][1],
                                &(tori_link){d, (tori_layer)layer, slot});
    }
    print_message ("# %zu jobs were wired around a link\n", detours);
    assert_true (detours > 10);
}

/* ---- what is refused ---- */

static void expect_outcome (const char *text, const char *shape,
                            tori_wiring wiring, tori_outcome expected)
{
    AUTO_MACHINE *machine = make_machine (text);
    AUTO_STATE *state = make_state (machine);
    tori_request request = {.shape = make_shape (shape), .wiring = wiring,
                            .flags = TORI_REQUEST_FOLD};
    tori_placement place = {0};
    tori_alloc *alloc;
    tori_alloc_create (machine, TORI_ALLOC ("first-fit"), &alloc, NULL);
    assert_int_equal (tori_alloc_place (alloc, state, &request, &place, NULL),
                      expected);
    tori_placement_clear (&place);
    tori_alloc_destroy (alloc);
}

TEST (possible)
{
    expect_outcome ("mesh:4x4x4", "64", TORI_WIRE_TORUS, TORI_PLACED);
    expect_outcome ("mesh:4x4x4", "16x2", TORI_WIRE_TORUS, TORI_PLACED);
    expect_outcome ("mesh:4x4x4", "16x4", TORI_WIRE_TORUS, TORI_UNPLACEABLE);
    expect_outcome ("torus:4x4x4", "16x4", TORI_WIRE_TORUS, TORI_PLACED);
    expect_outcome ("torus:4x4x4", "16x4", TORI_WIRE_NONE, TORI_PLACED);
    expect_outcome ("mesh:4x4x4", "27", TORI_WIRE_TORUS, TORI_UNPLACEABLE);
    expect_outcome ("torus:4x4x4", "27", TORI_WIRE_TORUS, TORI_UNPLACEABLE);
    expect_outcome ("torus:3x4x4", "27", TORI_WIRE_TORUS, TORI_PLACED);
    expect_outcome ("torus:8x8x8", "9", TORI_WIRE_TORUS, TORI_UNPLACEABLE);
    expect_outcome ("torus:9x8x8", "9", TORI_WIRE_TORUS, TORI_PLACED);
    expect_outcome ("torus:12x4x4", "9", TORI_WIRE_TORUS, TORI_PLACED);
    expect_outcome ("multitorus:8x8x8", "9", TORI_WIRE_TORUS, TORI_PLACED);
    expect_outcome ("torus:4x4x4", "27", TORI_WIRE_NONE, TORI_UNPLACEABLE);
    expect_outcome ("torus:4x4x4", "64", TORI_WIRE_MESH, TORI_UNPLACEABLE);
    expect_outcome ("torus:4x4x4", "65", TORI_WIRE_NONE, TORI_UNPLACEABLE);
}

TEST (misuse)
{
    AUTO_MACHINE *machine = make_machine ("torus:4x4");
    AUTO_STATE *state = make_state (machine);
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
}

/* Pods of cubes: their texts, nodes and links, and every slice of cube-first
 * and cube-best against every choice of cubes that there is. */
#include "pod_town.h"

#include <stdlib.h>
#include <string.h>

#include "allocs.h"
#include "placement.h"
#include "ringfold.h"

#include <tori/room.h>

/* ---- machines ---- */

TEST (texts)
{
    static const char *const good[][2] = {
        {"pod:64/4x4x4", "pod:64/4x4x4"},   {"pod:64/4^3", "pod:64/4x4x4"},
        {"pod:4^3/4^3", "pod:4x4x4/4x4x4"}, {"1*pod:3/2", "pod:3/2"},
        {"2*pod:3x2/2x1", "2*pod:3x2/2x1"},
    };
    static const char *const bad[] = {
        "pod:64",    "pod:64/",   "pod:/4",    "pod:0/4",           "pod:4/0",
        "0*pod:4/4", "*pod:4/4",  "2*torus:8", "pod:4/4m",          "pod:4t/4",
        "pod:4/4/4", "x*pod:4/4", "2pod:4/4",  "pod:99999999/9999",
    };
    for (size_t i = 0; i < LENGTH (good); i++) {
        char text[TORI_TEXT_MAX];
        AUTO_MACHINE *machine = make_machine (good[i][0]);
        tori_machine_format (machine, text);
        assert_string_equal (text, good[i][1]);
        assert_true (tori_machine_is_pod (machine));
    }
    for (size_t i = 0; i < LENGTH (bad); i++) {
        tori_machine *machine = NULL;
        tori_error err = {.status = TORI_OK};
        assert_int_equal (tori_machine_parse (bad[i], &machine, &err), -1);
        assert_int_equal (err.status, TORI_INVALID);
        assert_null (machine);
    }
}

TEST (nodes)
{
    AUTO_MACHINE *machine = make_machine ("2*pod:3/4x2");
    tori_box box;
    uint32_t node;
    char text[TORI_TEXT_MAX];
    assert_int_equal (tori_machine_nodes (machine), 48);
    assert_int_equal (tori_machine_apart (machine), 2);
    assert_int_equal (tori_machine_shape_dims (machine), 2);
    assert_int_equal (tori_node_parse (machine, "1,2,3,1", &node, NULL), 0);
    assert_int_equal (node, 47);
    box = make_box (machine, "1,2/4x2");
    tori_box_format (&box, text);
    assert_string_equal (text, "1,2,0,0/1x1x4x2");
    box = make_box (machine, "0,1,2,1/2x1");
    tori_box_format (&box, text);
    assert_string_equal (text, "0,1,2,1/1x1x2x1");
    box = make_box (machine, "0,1,0,0/1x2x4x2");
    assert_int_equal (tori_shape_volume (&box.shape), 16);
    assert_int_equal (tori_box_parse (machine, "1,2", &box, NULL), -1);
    assert_int_equal (tori_box_parse (machine, "1/4x2", &box, NULL), -1);
    assert_int_equal (tori_box_parse (machine, "1,2/5x2", &box, NULL), -1);
}

/* All links have a text of their own, which is read again. */
TEST (links)
{
    AUTO_MACHINE *machine = make_machine ("pod:2x1/3x1");
    uint64_t n = 0, ports = 0;
    for (uint32_t node = 0; node < tori_machine_nodes (machine); node++)
        for (int i = 0; i < 2 * tori_machine_ndims (machine); i++) {
            tori_link link = {i / 2, i % 2 ? TORI_FAR : TORI_NEAR, node};
            char text[TORI_LINK_TEXT];
            uint32_t a, b;
            char kind = tori_link_ends (machine, &link, &a, &b);
            tori_link again;
            assert_int_equal (kind != 0, tori_link_exists (machine, &link));
            if (!kind)
                continue;
            n++;
            ports += kind == '+' || kind == '-';
            tori_link_format (machine, &link, text);
            assert_int_equal (tori_link_parse (machine, text, &again, NULL),
                              0);
            assert_int_equal (again.dim, link.dim);
            assert_int_equal (again.layer, link.layer);
            assert_int_equal (again.slot, link.slot);
        }
    /* two links inside a cube, and two ports for each of four lines */
    assert_int_equal (ports, 2 * (2 + 6));
    assert_int_equal (n, 2 * 2 + ports);
    assert_int_equal (tori_machine_links (machine), n);
}

TEST (bad_links)
{
    static const char *const bad[] = {
        "0,0,0,0 +2", "0,0,2,0 -2", "0,0,2,0 +0",      "0,0,2,0 +4",
        "0,0,2,0 +",  "0,0,2,0 *2", "0,0,2,0-0,1,0,0", "9,0,2,0 +2"};
    AUTO_MACHINE *machine = make_machine ("pod:2x2/3x3");
    for (size_t i = 0; i < LENGTH (bad); i++) {
        tori_link link;
        tori_error err = {.status = TORI_OK};
        assert_int_equal (tori_link_parse (machine, bad[i], &link, &err), -1);
        assert_int_equal (err.status, TORI_INVALID);
    }
}

/* The shortest way, with one switch on it between two cubes. */
TEST (distance)
{
    AUTO_MACHINE *machine = make_machine ("pod:3/4x3");
    for (uint32_t a = 0; a < 36; a++)
        for (uint32_t b = 0; b < 36; b++) {
            int ax = (int)(a / 3 % 4), ay = (int)(a % 3);
            int bx = (int)(b / 3 % 4), by = (int)(b % 3);
            int x = abs (ax - bx), y = abs (ay - by);
            int across_x = 4 - x + y, across_y = 3 - y + x;
            int hops = a / 12 == b / 12      ? x + y
                       : across_x < across_y ? across_x
                                             : across_y;
            assert_int_equal (tori_machine_distance (machine, a, b), hops);
        }
}

/* ---- slices ---- */

static tori_outcome expected (const struct town *town,
                              const tori_request *request,
                              const struct slices *best)
{
    tori_state *idle = make_state (town->machine);
    bool ever = naive_slices (idle, request, false).found;
    tori_state_destroy (idle);
    if (!ever)
        return TORI_UNPLACEABLE;
    if (tori_shape_volume (&request->shape)
        > tori_state_free_count (town->state))
        return TORI_NUMERICAL;
    if (best->found)
        return TORI_PLACED;
    return request->wiring != TORI_WIRE_NONE
                   && naive_slices (town->state, request, false).found
               ? TORI_WIRING
               : TORI_TOPOLOGICAL;
}

/* Holding takes what the slice needs, and releasing gives all of it back. */
static void check_hold (struct town *town, const tori_placement *place,
                        bool keep)
{
    AUTO_STATE *before = make_state (town->machine);
    uint64_t taken = tori_state_links_taken (town->state), links = 0;
    tori_placement copy;
    tori_state_copy (before, town->state, NULL);
    for (uint32_t i = 0; i < tori_machine_nodes (town->machine); i++)
        for (int d = 0; d < 2 * tori_machine_ndims (town->machine); d++) {
            tori_link link = {d / 2, d % 2 ? TORI_FAR : TORI_NEAR, i};
            links += tori_placement_uses_link (place, town->machine, &link);
        }
    assert_true (placement_free (place, town->state));
    assert_int_equal (tori_placement_hold (place, town->state, NULL), 0);
    assert_int_equal (tori_state_links_taken (town->state), taken + links);
    assert_int_equal (tori_state_free_count (town->state) + place->count,
                      tori_state_free_count (before));
    assert_int_equal (tori_placement_hold (place, town->state, NULL), -1);
    assert_int_equal (tori_placement_copy (&copy, place, NULL), 0);
    assert_true (placement_equal (&copy, place));
    assert_true (placement_overlap (&copy, place, town->machine));
    if (!keep) {
        tori_placement_release (&copy, town->state);
        assert_true (tori_state_equal (town->state, before));
    }
    tori_placement_clear (&copy);
}

/* Pieces that do not lie alike, or do not reach the faces, are no slice. */
static void check_bad (const struct town *town, const tori_placement *place)
{
    tori_box boxes[MOST_PIECES];
    tori_shape across;
    int apart = tori_machine_apart (town->machine);
    assert_true (tori_placement_across (place, town->machine, &across));
    for (size_t i = 0; i < place->nboxes; i++)
        boxes[i] = *tori_placement_box (place, i);
    for (int d = 0; place->nboxes > 1 && d < across.ndims; d++) {
        tori_placement other;
        tori_error err = {.status = TORI_OK};
        uint32_t *size = &boxes[1].shape.size[apart + d];
        if (*size < 2 || across.size[d] > 1)
            continue;
        --*size;
        assert_int_equal (tori_placement_of_pieces (
                              boxes, &across, place->wiring, &other, NULL),
                          0);
        assert_int_equal (placement_check (&other, town->machine, &err), -1);
        assert_int_equal (err.status, TORI_INVALID);
        ++*size;
        tori_placement_clear (&other);
    }
}

/* By the rule of cube-first, or of cube-best. */
static void assert_as_good (const struct slices *is, const struct slices *best,
                            bool first)
{
    if (first) {
        assert_int_equal (is->fewest, best->fewest);
        assert_memory_equal (is->cubes, best->cubes,
                             is->fewest * sizeof *is->cubes);
    } else {
        assert_int_equal (is->broken, best->broken);
        assert_int_equal (is->left, best->left);
        assert_int_equal (is->pieces, best->pieces);
    }
}

/* A place that was found is the best. */
static void check_place (struct town *town, bool first,
                         const tori_request *request,
                         const tori_placement *place,
                         const struct slices *best, bool keep)
{
    struct slices is = naive_slice (town->state, place);
    naive_check_slice (town->machine, request, place);
    assert_as_good (&is, best, first);
    check_aligned (town, place);
    check_bad (town, place);
    check_hold (town, place, keep);
}

/* One allocator's answer. */
static void check_answer (struct town *town, tori_alloc *alloc,
                          const tori_request *request,
                          const struct slices *best, bool keep)
{
    tori_placement place = {0};
    tori_error err = {.status = TORI_OK};
    tori_outcome outcome =
        tori_alloc_place (alloc, town->state, request, &place, &err);
    assert_int_equal (outcome, expected (town, request, best));
    town->met[outcome]++;
    assert_int_equal (tori_alloc_impossible (alloc, request) != NULL,
                      outcome == TORI_UNPLACEABLE);
    if (outcome == TORI_PLACED)
        check_place (town, alloc == town->first, request, &place, best, keep);
    tori_placement_clear (&place);
}

/* The same without the reason of a refusal. */
static void expect_best (struct town *town, tori_alloc *alloc,
                         const tori_request *request,
                         const struct slices *best, bool keep)
{
    tori_placement place = {0};
    bool found
        = tori_alloc_place (alloc, town->state, request, &place, NULL)
          == TORI_PLACED;
    assert_int_equal (found, best->found);
    if (found)
        check_place (town, alloc == town->first, request, &place, best, keep);
    tori_placement_clear (&place);
}

TEST (slices)
{
    unsigned met[TORI_UNPLACEABLE + 1] = {0};
    for (uint64_t seed = 1; seed <= random_cases (1500); seed++) {
        struct town town = {.met = met};
        struct rng rng = seeded (seed);
        make_town (&town, &rng);
        for (int i = 0; i < 6; i++) {
            tori_request request = random_slice (&rng, town.machine);
            struct slices best = naive_slices (town.state, &request, true);
            check_answer (&town, town.first, &request, &best, false);
            check_answer (&town, town.best, &request, &best,
                          chance (&rng, 80));
        }
        clear_town (&town);
    }
    for (size_t i = 0; i < LENGTH (met); i++)
        assert_true (met[i] > 20);
}

/* With a list of slices: those of the list, at multiples of their sides, and
 * the best of these. */
TEST (aligned)
{
    unsigned placed = 0, apart = 0;
    for (uint64_t seed = 1; seed <= random_cases (500); seed++) {
        struct town town = {0};
        struct rng rng;
        rng_seed (&rng, seed, 3);
        make_town (&town, &rng);
        list_slices (&town, &rng, 60);
        for (int i = 0; i < 6; i++) {
            tori_request request = random_slice (&rng, town.machine);
            struct slices any = naive_slices (town.state, &request, true);
            struct slices best = naive_aligned (town.state, &request, true);
            if (!is_offered (&town, request.shape))
                best.found = false;
            placed += best.found;
            apart += any.found && (!best.found || any.left < best.left);
            expect_best (&town, town.first, &request, &best, false);
            expect_best (&town, town.best, &request, &best, true);
        }
        clear_town (&town);
    }
    assert_true (placed > random_cases (500) / 2);
    /* In a few cases it is chance. */
    assert_true (random_cases (500) < 200 || apart > random_cases (500) / 10);
}

/* All shapes up to a cube's: the listed ones are accepted, and no others. */
TEST (offered)
{
    static const char *const offered[] = {"1x1x1", "2x2x1", "2x4x2"};
    static const char *const bad[] = {"", "2x2", "2x2x2,", "4x4x4", "2xx2"};
    AUTO_MACHINE *machine = make_machine ("pod:2/4x4x4");
    tori_alloc *alloc = NULL;
    tori_request request = {.shape.ndims = 3};
    uint32_t *side = request.shape.size;
    unsigned never = 0;
    assert_int_equal (
        tori_alloc_create (machine,
                           TORI_ALLOC ("cube-best",
                                       .slices = "1x1x1,2x2x1,2x4x2"),
                           &alloc, NULL),
        0);
    for (side[0] = 1; side[0] <= 4; side[0]++)
        for (side[1] = 1; side[1] <= 4; side[1]++)
            for (side[2] = 1; side[2] <= 4; side[2]++) {
                bool is = side[0] * side[1] * side[2] == 64;
                for (size_t i = 0; i < LENGTH (offered); i++) {
                    tori_shape shape = make_shape (offered[i]);
                    tori_shape_sort (&shape);
                    do
                        is |= tori_shape_equal (&shape, &request.shape);
                    while (tori_shape_next_rotation (&shape));
                }
                assert_int_equal (tori_alloc_impossible (alloc, &request)
                                      == NULL,
                                  is);
                never += !is;
            }
    assert_int_equal (never, 64 - 1 - 1 - 3 - 3);
    /* A ring of 4 is 2x2, that of 6 would be 2x3, and that of 8 is 2x4 or
     * 2x2x2. */
    request.flags = TORI_REQUEST_FOLD;
    request.wiring = TORI_WIRE_TORUS;
    request.shape = make_shape ("4");
    assert_null (tori_alloc_impossible (alloc, &request));
    for (size_t i = 6; i <= 8; i += 2) {
        request.shape.size[0] = (uint32_t)i;
        assert_non_null (tori_alloc_impossible (alloc, &request));
    }
    tori_alloc_destroy (alloc);
    for (size_t i = 0; i < LENGTH (bad); i++)
        assert_int_equal (
            tori_alloc_create (machine,
                               TORI_ALLOC ("cube-first", .slices = bad[i]),
                               &alloc, NULL),
            -1);
}

static void expect_twisted (const char *text, const char *shape,
                            tori_outcome expected)
{
    AUTO_MACHINE *machine = make_machine (text);
    AUTO_STATE *state = make_state (machine);
    tori_alloc *alloc = NULL;
    tori_request request = {.shape = make_shape (shape),
                            .wiring = TORI_WIRE_TWISTED};
    tori_placement place = {0};
    assert_int_equal (tori_alloc_create (machine, TORI_ALLOC (NULL), &alloc,
                                         NULL),
                      0);
    assert_int_equal (tori_alloc_place (alloc, state, &request, &place, NULL),
                      expected);
    if (expected == TORI_PLACED)
        naive_check_slice (machine, &request, &place);
    tori_placement_clear (&place);
    tori_alloc_destroy (alloc);
}

TEST (twisted)
{
    expect_twisted ("pod:8/4x4x4", "4x4x8", TORI_PLACED);
    expect_twisted ("pod:8/4x4x4", "8x4x8", TORI_PLACED);
    expect_twisted ("pod:64/2x2x2", "4x4x8", TORI_PLACED);
    expect_twisted ("pod:64/2x2x2", "8x8x4", TORI_PLACED);
    expect_twisted ("pod:8/4x4x4", "8x8x8", TORI_UNPLACEABLE);
    expect_twisted ("pod:8/4x4x4", "4x4x16", TORI_UNPLACEABLE);
    expect_twisted ("pod:8/4x4x4", "4x8x1", TORI_UNPLACEABLE);
    expect_twisted ("pod:8/4x4x4", "2x2x4", TORI_UNPLACEABLE);
    expect_twisted ("pod:8/2x4", "2x4", TORI_UNPLACEABLE);
    expect_twisted ("torus:8x8x8", "4x4x8", TORI_UNPLACEABLE);
}

/* ---- folds ---- */

/* Every box with the job's volume that carries it, with the wiring that it
 * then has, beside the shape itself; ringfold.h is tested by itself. */
struct folds_seen {
    const tori_state *state;
    bool links;
    struct slices best;
};

static bool see_fold (void *arg, const tori_request *box)
{
    struct folds_seen *seen = arg;
    struct slices it = naive_slices (seen->state, box, seen->links);
    naive_better (&seen->best, &it);
    return false;
}

static struct slices naive_folds (const tori_state *state,
                                  const tori_request *request, bool links)
{
    struct folds_seen seen = {state, links, {0}};
    naive_each_fold (tori_state_machine (state), request, see_fold, &seen);
    return seen.best;
}

/* Neighbours of the job are joined, all around if it is a torus: by a link of
 * the slice in a cube, or by a cross-connect. */
struct edge_search {
    const tori_machine *machine;
    uint32_t a, b;
    bool found;
};

static int find_cross (void *arg, const tori_cross *cross)
{
    struct edge_search *search = arg;
    search->found |= (cross->from == search->a && cross->to == search->b)
                     || (cross->from == search->b && cross->to == search->a);
    return 0;
}

static int find_link (void *arg, const tori_link *link)
{
    struct edge_search *search = arg;
    uint32_t coords[TORI_MAX_DIMS], p, q, low, high;
    char kind = tori_link_ends (search->machine, link, &p, &q);
    if (kind != 'n')
        return 0;
    tori_machine_coords (search->machine, link->slot, coords);
    coords[link->dim] = p;
    low = tori_machine_id (search->machine, coords);
    coords[link->dim] = q;
    high = tori_machine_id (search->machine, coords);
    search->found |= (low == search->a && high == search->b)
                     || (low == search->b && high == search->a);
    return 0;
}

static bool is_joined (const tori_machine *machine,
                       const tori_placement *place, uint32_t a, uint32_t b)
{
    struct edge_search search = {machine, a, b, false};
    tori_placement_crosses (place, machine, find_cross, &search);
    tori_placement_each_link (place, machine, find_link, &search);
    return search.found;
}

static void expect_joined (const tori_machine *machine,
                           const tori_placement *place,
                           const tori_request *request)
{
    const tori_shape *job = &request->shape;
    bool rings = request->wiring == TORI_WIRE_TORUS;
    uint32_t map[64], x[TORI_MAX_DIMS] = {0}, i = 0, stride = 1;
    assert_int_equal (tori_placement_map (place, machine, request, map, NULL),
                      0);
    for (i = 0; i < place->count; i++) {
        assert_true (tori_placement_contains (place, machine, map[i]));
        for (uint32_t j = 0; j < i; j++)
            assert_int_not_equal (map[i], map[j]);
    }
    i = 0;
    do {
        stride = 1;
        for (int d = job->ndims - 1; d >= 0; stride *= job->size[d--]) {
            bool last = x[d] + 1 == job->size[d];
            uint32_t next = last ? i - x[d] * stride : i + stride;
            if (next != i && (rings || !last)
                && place->wiring != TORI_WIRE_NONE)
                assert_true (is_joined (machine, place, map[i], map[next]));
        }
        i++;
    } while (count_up (x, job->size, job->ndims));
}

static void check_fold (struct town *town, tori_alloc *alloc,
                        const tori_request *request,
                        const struct slices *best, unsigned *folded)
{
    tori_placement place = {0};
    tori_outcome outcome =
        tori_alloc_place (alloc, town->state, request, &place, NULL);
    struct slices is;
    tori_shape shape;
    assert_int_equal (outcome == TORI_PLACED, best->found);
    if (!best->found)
        return;
    is = naive_slice (town->state, &place);
    assert_as_good (&is, best, alloc == town->first);
    naive_check_joints (town->machine, &place);
    expect_joined (town->machine, &place, request);
    assert_true (tori_placement_shape (&place, town->machine, &shape));
    *folded += !naive_rotated (&request->shape, &shape);
    check_hold (town, &place, alloc == town->best);
    tori_placement_clear (&place);
}

TEST (folds)
{
    unsigned folded = 0, met[TORI_UNPLACEABLE + 1] = {0};
    for (uint64_t seed = 1; seed <= random_cases (400); seed++) {
        struct town town = {.met = met};
        struct rng rng;
        rng_seed (&rng, seed, 3);
        make_town (&town, &rng);
        for (int i = 0; i < 3; i++) {
            tori_request request = random_fold (&rng, town.machine);
            struct slices best = naive_folds (town.state, &request, true);
            check_fold (&town, town.first, &request, &best, &folded);
            check_fold (&town, town.best, &request, &best, &folded);
        }
        clear_town (&town);
    }
    assert_true (folded > random_cases (400) / 10);
}

static void expect_fold (const char *text, const char *shape,
                         tori_wiring wiring, const char *box)
{
    AUTO_MACHINE *machine = make_machine (text);
    AUTO_STATE *state = make_state (machine);
    AUTO_ALLOC *alloc = make_alloc (machine, "cube-best");
    tori_request request = {.shape = make_shape (shape),
                            .wiring = wiring,
                            .flags = TORI_REQUEST_FOLD};
    tori_shape expected = make_shape (box), is;
    tori_placement place = {0};
    assert_int_equal (tori_alloc_place (alloc, state, &request, &place, NULL),
                      TORI_PLACED);
    assert_true (tori_placement_shape (&place, machine, &is));
    tori_shape_sort (&is);
    tori_shape_sort (&expected);
    assert_true (tori_shape_equal (&is, &expected));
    tori_placement_clear (&place);
}

/* Whole cubes where there is a fold that fills them. */
TEST (known_folds)
{
    expect_fold ("pod:8/4x4x4", "16x16", TORI_WIRE_TORUS, "4x8x8");
    expect_fold ("pod:8/4x4x4", "16x8", TORI_WIRE_TORUS, "4x4x8");
    expect_fold ("pod:8/4x4x4", "2x8x8", TORI_WIRE_TORUS, "4x4x8");
    expect_fold ("pod:8/4x4x4", "64", TORI_WIRE_TORUS, "4x4x4");
    expect_fold ("pod:8/4x4x4", "8x4x2", TORI_WIRE_TORUS, "4x4x4");
    expect_fold ("pod:8/4x4x4", "2x6x10", TORI_WIRE_MESH, "3x4x10");
    expect_fold ("pod:8/4x4x4", "6x10x3", TORI_WIRE_MESH, "3x6x10");
}

/* ---- making room ---- */

/* Whether the request fits if some have gone. */
static bool fits_without (const struct town *town, const struct crowd *crowd,
                          unsigned gone, const tori_request *request)
{
    AUTO_STATE *state = make_state (town->machine);
    bool found;
    tori_state_copy (state, town->state, NULL);
    for (size_t i = 0; i < crowd->n; i++)
        if (gone >> i & 1)
            tori_placement_release (&crowd->place[i], state);
    found = naive_slices (state, request, true).found;
    return found;
}

/* The least work of any set, then the fewest jobs. */
static bool naive_cheapest (const struct town *town,
                            const struct crowd *crowd,
                            const tori_request *request, uint64_t *ret_work,
                            size_t *ret_jobs)
{
    bool found = false;
    for (unsigned set = 0; set < 1U << crowd->n; set++) {
        uint64_t work = 0;
        size_t jobs = 0;
        bool may = true;
        for (size_t i = 0; i < crowd->n; i++)
            if (set >> i & 1) {
                may &= !crowd->job[i].stays;
                work += crowd->job[i].work;
                jobs++;
            }
        if (!may
            || (found
                && (work > *ret_work
                    || (work == *ret_work && jobs >= *ret_jobs)))
            || !fits_without (town, crowd, set, request))
            continue;
        *ret_work = work;
        *ret_jobs = jobs;
        found = true;
    }
    return found;
}

static void check_victims (struct town *town, const struct crowd *crowd,
                           const tori_request *request, unsigned met[3])
{
    tori_room room = {0};
    tori_error err = {.status = TORI_OK};
    uint64_t work = 0;
    size_t jobs = 0;
    bool expected = naive_cheapest (town, crowd, request, &work, &jobs);
    int status = tori_room_victims (town->state, crowd->job, crowd->n,
                                    request, NULL, &room, &err);
    if (status < 0) {
        assert_int_equal (err.status, TORI_NEVER);
        assert_non_null (tori_alloc_impossible (town->best, request));
        return;
    }
    assert_int_equal (room.found, expected);
    assert_true (room.least);
    met[expected ? (jobs > 0) + 1 : 0]++;
    if (!expected)
        return;
    assert_int_equal (room.nodes, work);
    assert_int_equal (room.n, jobs);
    for (size_t i = 0; i < room.n; i++)
        tori_placement_release (crowd->job[room.moves[i].job].place,
                                town->state);
    naive_check_slice (town->machine, request, &room.place);
    assert_true (placement_free (&room.place, town->state));
    for (size_t i = 0; i < room.n; i++)
        assert_int_equal (
            tori_placement_hold (crowd->job[room.moves[i].job].place,
                                 town->state, NULL),
            0);
    tori_room_clear (&room);
}

TEST (victims)
{
    unsigned met[3] = {0}, outcomes[TORI_UNPLACEABLE + 1] = {0};
    size_t cases = random_cases (300);
    for (uint64_t seed = 1; seed <= cases; seed++) {
        struct town town = {.met = outcomes};
        struct crowd crowd;
        struct rng rng;
        rng_seed (&rng, seed, 5);
        make_town (&town, &rng);
        fill_town (&town, &rng, &crowd);
        for (int i = 0; i < 2; i++) {
            tori_request request = random_slice (&rng, town.machine);
            check_victims (&town, &crowd, &request, met);
        }
        clear_crowd (&crowd);
        clear_town (&town);
    }
    for (int i = 0; i < 3; i++)
        assert_true (met[i] > cases / 30);
}

/* A node of a job fails. It goes elsewhere if there is any place for it. */
static void check_repair (struct town *town, const struct crowd *crowd,
                          struct rng *rng, unsigned met[2])
{
    uint32_t which = between (rng, 0, (uint32_t)crowd->n - 1), new = 0;
    const tori_placement *old = &crowd->place[which];
    tori_request request = {.wiring = old->wiring};
    uint32_t nodes[64];
    tori_room room = {0};
    bool expected;
    assert_true (tori_placement_shape (old, town->machine, &request.shape));
    tori_placement_nodes (old, town->machine, nodes);
    tori_state_set_down (town->state, nodes[between (rng, 0, old->count - 1)],
                         true, NULL);
    expected = fits_without (town, crowd, 1U << which, &request);
    assert_int_equal (tori_room_repair (town->state, &crowd->job[which], NULL,
                                        &room, NULL),
                      0);
    assert_int_equal (room.found, expected);
    met[expected]++;
    if (!expected)
        return;
    for (uint32_t i = 0; i < tori_machine_nodes (town->machine); i++)
        new += tori_placement_contains (&room.place, town->machine, i)
               && !tori_placement_contains (old, town->machine, i);
    naive_check_slice (town->machine, &request, &room.place);
    tori_placement_release (old, town->state);
    assert_true (placement_free (&room.place, town->state));
    assert_int_equal (room.nodes, new);
    tori_room_clear (&room);
}

TEST (repair)
{
    unsigned met[2] = {0}, outcomes[TORI_UNPLACEABLE + 1] = {0};
    size_t cases = random_cases (1000);
    for (uint64_t seed = 1; seed <= cases; seed++) {
        struct town town = {.met = outcomes};
        struct crowd crowd;
        struct rng rng;
        rng_seed (&rng, seed, 6);
        make_town (&town, &rng);
        fill_town (&town, &rng, &crowd);
        if (crowd.n > 0)
            check_repair (&town, &crowd, &rng, met);
        clear_crowd (&crowd);
        clear_town (&town);
    }
    assert_true (met[0] > cases / 30 && met[1] > cases / 30);
}

/* ---- refusals ---- */

TEST (serves)
{
    static const char *const machines[] = {"torus:4x4", "pod:4/2x2"};
    const tori_alloc_info *info;
    for (int pod = 0; pod < 2; pod++) {
        AUTO_MACHINE *machine = make_machine (machines[pod]);
        for (size_t i = 0; (info = tori_alloc_list (i)); i++) {
            bool serves = info->flags & TORI_ALLOC_ANYWHERE
                          || !!(info->flags & TORI_ALLOC_PODS) == pod;
            tori_alloc *alloc = NULL;
            tori_error err = {.status = TORI_OK};
            int status = tori_alloc_create (machine, TORI_ALLOC (info->name),
                                            &alloc, &err);
            assert_int_equal (tori_alloc_serves (info, machine), serves);
            assert_int_equal (status, serves ? 0 : -1);
            assert_int_equal (err.status, serves ? TORI_OK : TORI_INVALID);
            tori_alloc_destroy (alloc);
        }
    }
}

/* Counts on a pod get the nodes that they get on a line of as many nodes. */
TEST (counts_by_ids)
{
    static const char *const names[] = {"row-ff", "row-bf", "row-ss"};
    AUTO_MACHINE *pod = make_machine ("pod:6/2x3"), *line
        = make_machine ("mesh:36");
    for (unsigned seed = 0; seed < 300; seed++) {
        AUTO_STATE *here = make_state (pod), *there = make_state (line);
        AUTO_ALLOC *a = make_alloc (pod, names[seed % 3]);
        AUTO_ALLOC *b = make_alloc (line, names[seed % 3]);
        tori_request request = {.count = 1 + seed % 17};
        tori_placement one = {0}, two = {0};
        tori_outcome outcome;
        struct rng rng = seeded (seed);
        for (uint32_t i = 0; i < 36; i++)
            if (chance (&rng, 33)) {
                assert_int_equal (tori_state_set_down (here, i, true, NULL),
                                  0);
                assert_int_equal (tori_state_set_down (there, i, true, NULL),
                                  0);
            }
        outcome = tori_alloc_place (a, here, &request, &one, NULL);
        assert_int_equal (outcome,
                          tori_alloc_place (b, there, &request, &two, NULL));
        assert_int_equal (one.count, two.count);
        if (outcome == TORI_PLACED)
            assert_memory_equal (one.nodes, two.nodes,
                                 one.count * sizeof *one.nodes);
        tori_placement_clear (&one);
        tori_placement_clear (&two);
    }
}

/* A ring of cubes, as a box of one cube would be on a torus. */
TEST (whole_pod)
{
    AUTO_MACHINE *machine = make_machine ("pod:8/2x2x2");
    AUTO_STATE *empty = make_state (machine);
    AUTO_ALLOC *alloc = make_alloc (machine, "cube-best");
    tori_request request = {.shape = make_shape ("4x4x4"),
                            .wiring = TORI_WIRE_TORUS};
    tori_placement place = {0};
    assert_int_equal (tori_alloc_place (alloc, empty, &request, &place, NULL),
                      TORI_PLACED);
    naive_check_slice (machine, &request, &place);
    assert_int_equal (tori_placement_hold (&place, empty, NULL), 0);
    assert_int_equal (tori_state_links_taken (empty),
                      tori_machine_links (machine));
    tori_placement_clear (&place);
}

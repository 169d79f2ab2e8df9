/* Shells around a node (mc, mc1x1) against their definition, worked out node
 * by node, and against the least sum of distances there is. */
#include "allocs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tori/alloc.h>
#include <tori/points.h>

#include "cloud.h"
#include "marks.h"
#include "policy.h"

/* ---- by definition ---- */

/* How far a coordinate is from the nearest of a core's coordinates, which
 * are `side` many from centre - (side - 1) / 2 on. */
static uint32_t apart (const tori_machine *machine, int dim, uint32_t centre,
                       uint32_t side, uint32_t at)
{
    int64_t S = tori_machine_size (machine, dim), least = INT64_MAX;
    for (uint32_t i = 0; i < side; i++) {
        int64_t from = (int64_t)centre - (side - 1) / 2 + i;
        int64_t away = from < at ? at - from : from - at;
        if (tori_machine_wraps (machine, dim)) {
            away %= S;
            away = away < S - away ? away : S - away;
        }
        least = away < least ? away : least;
    }
    return (uint32_t)least;
}

static uint32_t shell_of (const tori_machine *machine, const uint32_t centre[],
                          const tori_shape *core, const uint32_t node[])
{
    uint32_t shell = 0;
    for (int d = 0; d < core->ndims; d++) {
        uint32_t away
            = apart (machine, d, centre[d], core->size[d], node[d]);
        shell = away > shell ? away : shell;
    }
    return shell;
}

/* The first least sum of shells: nodes in order of ids, at each the cores in
 * order. Of the last shell that is needed, the first nodes are taken. */
static void reference (const tori_state *state, const tori_shape cores[],
                       size_t ncores, uint32_t k, uint32_t ret_nodes[])
{
    const tori_machine *machine = tori_state_machine (state);
    uint32_t nodes = tori_machine_nodes (machine);
    uint32_t (*coords)[TORI_MAX_DIMS] = make_array (nodes, sizeof *coords);
    uint32_t *shell = make_array (nodes, sizeof *shell);
    uint32_t *count = make_array (nodes + 1, sizeof *count);
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < nodes; i++)
        tori_machine_coords (machine, i, coords[i]);
    for (size_t c = 0; c < nodes * ncores; c++) {
        uint32_t centre = (uint32_t)(c / ncores), last = 0, rest = k;
        uint64_t sum = 0;
        if (!tori_state_is_free (state, centre))
            continue;
        memset (count, 0, (nodes + 1) * sizeof *count);
        for (uint32_t i = 0; i < nodes; i++) {
            shell[i] = shell_of (machine, coords[centre], &cores[c % ncores],
                                 coords[i]);
            count[shell[i]] += tori_state_is_free (state, i);
        }
        for (; rest > count[last]; last++) {
            sum += (uint64_t)last * count[last];
            rest -= count[last];
        }
        sum += (uint64_t)last * rest;
        if (sum >= least)
            continue;
        least = sum;
        for (uint32_t i = 0, at = 0; at < k; i++)
            if (tori_state_is_free (state, i)
                && (shell[i] < last || (shell[i] == last && rest > 0))) {
                rest -= shell[i] == last;
                ret_nodes[at++] = i;
            }
    }
    free (coords);
    free (shell);
    free (count);
}

/* ---- random cases ---- */

static void hold_node (tori_state *state, uint32_t node)
{
    if (tori_state_is_free (state, node))
        state_hold_node (state, node);
}

/* Single nodes and boxes; one node at least stays free. */
static void fill (tori_state *state, struct rng *rng)
{
    const tori_machine *machine = tori_state_machine (state);
    uint32_t nodes = tori_machine_nodes (machine);
    unsigned percent = chance (rng, 20) ? 0 : between (rng, 0, 95);
    for (uint32_t i = 0; i < nodes; i++)
        if (chance (rng, percent))
            hold_node (state, i);
    for (unsigned n = chance (rng, 50) ? between (rng, 1, 8) : 0; n > 0; n--) {
        tori_box box = random_box (rng, machine, 6, true);
        for (uint32_t i = 0; i < nodes; i++)
            if (naive_contains (machine, &box, i))
                hold_node (state, i);
    }
    if (tori_state_free_count (state) == 0)
        state_release_node (state, between (rng, 0, nodes - 1));
}

/* Few, all, and anything between. */
static uint32_t random_count (struct rng *rng, uint32_t most)
{
    switch (rng_below (rng, 4)) {
    case 0:
        return between (rng, 1, most < 6 ? most : 6);
    case 1:
        return most - between (rng, 0, most < 4 ? most - 1 : 3);
    default:
        return between (rng, 1, most);
    }
}

static void expect_nodes (const tori_placement *place, const uint32_t *nodes,
                          uint32_t k, const char *what)
{
    assert_false (place->nboxes);
    assert_int_equal (place->wiring, TORI_WIRE_NONE);
    assert_int_equal (place->count, k);
    for (uint32_t i = 0; i < k; i++)
        if (place->nodes[i] != nodes[i])
            fail_msg ("%s: the %u. of %u nodes is %u instead of %u", what, i,
                      k, place->nodes[i], nodes[i]);
}

/* Ask by count, and the plain algorithm on the same nodes, too. */
static void check_count (tori_alloc *alloc, const tori_state *state,
                         struct rng *rng)
{
    const tori_machine *machine = tori_state_machine (state);
    const char *name = tori_alloc_get_info (alloc)->name;
    tori_request request
        = {.count = random_count (rng, tori_state_free_count (state))};
    tori_shape core = {.ndims = tori_machine_ndims (machine)};
    uint32_t *nodes = make_array (request.count, sizeof *nodes);
    tori_placement place = {0}, plain = {0};
    for (int d = 0; d < core.ndims; d++)
        core.size[d] = 1;
    reference (state, &core, 1, request.count, nodes);
    assert_int_equal (tori_alloc_place (alloc, state, &request, &place, NULL),
                      TORI_PLACED);
    expect_nodes (&place, nodes, request.count, name);
    assert_int_equal (cloud_place (alloc_find (name)->choose, NULL, state,
                                   &request, &plain, NULL),
                      1);
    expect_nodes (&plain, nodes, request.count, "plain");
    tori_placement_clear (&place);
    tori_placement_clear (&plain);
    free (nodes);
}

static void check_machine (tori_machine *machine, struct rng *rng)
{
    AUTO_STATE *state = make_state (machine);
    AUTO_ALLOC *alloc = make_alloc (machine, "mc1x1");
    fill (state, rng);
    for (int i = 0; i < 3; i++)
        check_count (alloc, state, rng);
    tori_machine_destroy (machine);
}

TEST (random)
{
    struct rng rng = seeded (1);
    for (int round = 0; round < (int)random_cases (500); round++)
        check_machine (random_machine (&rng, 5, 200), &rng);
}

/* Sides of 1 and 2, odd ones, rows beyond a word, rows of less than a block
 * and just beyond one, on every kind of machine. */
TEST (sides)
{
    static const char *const sizes[]
        = {"1",       "2",    "7",       "8",       "9",     "64",
           "65",      "130",  "1x1",     "1x9",     "9x1",   "2x2",
           "2x70",    "70x2", "3x65",    "16x16",   "15x17", "1x1x1",
           "2x2x2",   "3^4",  "2^8",     "4x5x6",   "1x5x1", "6x1x7",
           "2x1x2x9", "3^5",  "1x1x1x8", "2x8x8x2", "17x16", "5^3"};
    static const char *const kinds[] = {"mesh", "torus", "multitorus"};
    struct rng rng = seeded (2);
    for (size_t i = 0; i < 3 * LENGTH (sizes); i++)
        for (int round = 0; round < 3; round++) {
            char text[80];
            snprintf (text, sizeof text, "%s:%s", kinds[i % 3], sizes[i / 3]);
            check_machine (make_machine (text), &rng);
        }
}

/* Many shells: boxes grow in steps first. */
TEST (many_shells)
{
    static const char *const machines[]
        = {"mesh:600", "torus:601",   "mesh:250x3",  "torus:3x250",
           "mesh:999", "torus:45x20", "mesh:2x2x200"};
    struct rng rng = seeded (5);
    for (size_t i = 0; i < 2 * LENGTH (machines); i++)
        check_machine (make_machine (machines[i / 2]), &rng);
}

/* ---- shapes ---- */

/* No longer than the machine in some rotation, and no more nodes than are
 * free. */
static tori_request shaped_request (struct rng *rng, const tori_state *state)
{
    const tori_machine *machine = tori_state_machine (state);
    uint32_t volume, nfree = tori_state_free_count (state);
    tori_request request = {.wrap = chance (rng, 50)};
    request.shape = *tori_machine_shape (machine);
    for (int d = 0; d < request.shape.ndims; d++) {
        uint32_t side = request.shape.size[d];
        request.shape.size[d] = between (rng, 1, side < 5 ? side : 5);
    }
    request.fixed = chance (rng, 40);
    if (!request.fixed && chance (rng, 50))
        while (chance (rng, 80) && tori_shape_next_rotation (&request.shape))
            ;
    volume = (uint32_t)tori_shape_volume (&request.shape);
    if (volume > nfree || chance (rng, 50))
        request.count = random_count (rng, volume < nfree ? volume : nfree);
    else
        request.count = chance (rng, 50) ? volume : 0;
    return request;
}

/* The same among points, where every rotation has room. */
static void check_points (const tori_state *state, const tori_request *request,
                          const tori_shape cores[], size_t ncores, uint32_t k)
{
    const tori_machine *machine = tori_state_machine (state);
    size_t ndims = (size_t)tori_machine_ndims (machine), n = 0;
    uint32_t nodes = tori_machine_nodes (machine), at[TORI_MAX_DIMS];
    uint32_t *expected = make_array (k, sizeof *expected);
    uint32_t *ids = make_array (nodes, sizeof *ids);
    int64_t *coords = make_array (nodes * ndims, sizeof *coords);
    size_t *chosen = make_array (k, sizeof *chosen);
    uint64_t around[TORI_MAX_DIMS] = {0};
    tori_points points = {.ndims = (int)ndims, .coords = coords,
                          .around = around};
    for (size_t d = 0; d < ndims; d++)
        if (tori_machine_wraps (machine, (int)d))
            around[d] = tori_machine_size (machine, (int)d);
    for (uint32_t i = 0; i < nodes; i++) {
        if (!tori_state_is_free (state, i))
            continue;
        tori_machine_coords (machine, i, at);
        for (size_t d = 0; d < ndims; d++)
            coords[n * ndims + d]
                = (int64_t)at[d] - (i % 2 ? 0 : 2 * (int64_t)around[d]);
        ids[n++] = i;
    }
    points.n = n;
    reference (state, cores, ncores, k, expected);
    assert_int_equal (tori_points_choose_box (&points, k, &request->shape,
                                              request->fixed, chosen, NULL,
                                              NULL),
                      0);
    for (uint32_t i = 0; i < k; i++)
        assert_int_equal (ids[chosen[i]], expected[i]);
    free (expected);
    free (ids);
    free (coords);
    free (chosen);
}

static void check_shape (tori_alloc *alloc, const tori_state *state,
                         struct rng *rng)
{
    const tori_machine *machine = tori_state_machine (state);
    tori_request request = shaped_request (rng, state);
    uint32_t k = request.count
                     ? request.count
                     : (uint32_t)tori_shape_volume (&request.shape);
    uint32_t *nodes = make_array (k, sizeof *nodes);
    tori_placement place = {0};
    tori_shape *cores;
    size_t n = naive_rotations (&request.shape, request.fixed, &cores);
    size_t fit = 0;
    check_points (state, &request, cores, n, k);
    for (size_t i = 0; i < n; i++)
        if (tori_shape_fits (&cores[i], machine))
            cores[fit++] = cores[i];
    reference (state, cores, fit, k, nodes);
    assert_int_equal (tori_alloc_place (alloc, state, &request, &place, NULL),
                      TORI_PLACED);
    expect_nodes (&place, nodes, k, "mc");
    tori_placement_clear (&place);
    free (cores);
    free (nodes);
}

TEST (shapes)
{
    struct rng rng = seeded (4);
    for (int round = 0; round < (int)random_cases (267); round++) {
        AUTO_MACHINE *machine = random_machine (&rng, 4, 120);
        AUTO_STATE *s = make_state (machine);
        AUTO_ALLOC *alloc = make_alloc (machine, "mc");
        fill (s, &rng);
        for (int i = 0; i < 3; i++)
            check_shape (alloc, s, &rng);
        check_count (alloc, s, &rng);
    }
}

/* An idle machine: the box itself, so that a side of 4 begins one before its
 * centre and the first centre with the whole box in the mesh is 1,1. */
TEST (idle)
{
    AUTO_MACHINE *machine = make_machine ("mesh:6x6");
    AUTO_STATE *s = make_state (machine);
    tori_request request = {.shape = make_shape ("3x4"), .fixed = true};
    tori_box box = make_box (machine, "0,0/3x4");
    tori_placement place = {0};
    uint32_t nodes[12];
    tori_alloc *alloc;
    naive_box_nodes (machine, &box, nodes);
    alloc = make_alloc (machine, "mc");
    assert_int_equal (tori_alloc_place (alloc, s, &request, &place, NULL),
                      TORI_PLACED);
    expect_nodes (&place, nodes, 12, "idle");
    tori_placement_clear (&place);
    tori_alloc_destroy (alloc);
}

/* Nodes that are not a box have no links. */
TEST (wired)
{
    AUTO_MACHINE *machine = make_machine ("torus:6x6");
    AUTO_STATE *s = make_state (machine);
    tori_request request = {.shape = make_shape ("2x2"), .count = 4,
                            .wiring = TORI_WIRE_MESH};
    tori_placement place = {0};
    tori_error err;
    AUTO_ALLOC *alloc = make_alloc (machine, "mc");
    assert_int_equal (tori_alloc_place (alloc, s, &request, &place, &err),
                      TORI_UNPLACEABLE);
    assert_non_null (strstr (err.text, "cannot be wired"));
    request.wiring = TORI_WIRE_NONE;
    request.shape = make_shape ("7x1");
    assert_int_equal (tori_alloc_place (alloc, s, &request, &place, &err),
                      TORI_UNPLACEABLE);
}

/* ---- close to the best there is ---- */

struct least {
    const tori_machine *machine;
    const uint32_t *ids;
    uint32_t n;
    uint32_t chosen[16];
    uint64_t sum;
};

/* All ways to choose k of the nodes from the i-th on. */
static void try_all (struct least *least, uint32_t i, uint32_t got, uint32_t k,
                     uint64_t sum)
{
    if (got == k && sum < least->sum)
        least->sum = sum;
    if (got == k || i == least->n)
        return;
    try_all (least, i + 1, got, k, sum);
    for (uint32_t j = 0; j < got; j++)
        sum += tori_machine_distance (least->machine, least->ids[i],
                                      least->chosen[j]);
    least->chosen[got] = least->ids[i];
    try_all (least, i + 1, got + 1, k, sum);
}

/* At most (2 - 2/k) d times the least sum, theorem 3 of Bender et al. Round
 * rings, too: the proof needs no more than that the sum of shells around a
 * point of the best set is at most that of distances, and that distances are
 * at most d times shells and keep the triangle inequality. */
TEST (bound)
{
    static const char *const machines[]
        = {"mesh:40",   "mesh:9x9",   "mesh:20x3",   "mesh:5x5x5",
           "mesh:3^4",  "torus:40",   "torus:9x9",   "torus:20x3",
           "torus:5^3", "torus:3^4",  "torus:8x8",   "multitorus:6x7",
           "torus:2^6", "torus:1x31", "multitorus:4^3"};
    struct rng rng = seeded (3);
    for (int round = 0; round < (int)random_cases (300); round++) {
        AUTO_MACHINE *machine
            = make_machine (machines[(size_t)round % LENGTH (machines)]);
        AUTO_STATE *s = make_state (machine);
        uint32_t nodes = tori_machine_nodes (machine), ids[11];
        uint32_t n = 0, k = between (&rng, 2, 8);
        uint64_t sum, d = (uint64_t)tori_machine_ndims (machine);
        tori_request request = {.count = k};
        tori_placement place = {0};
        tori_alloc *alloc;
        while (tori_state_free_count (s) > LENGTH (ids))
            hold_node (s, between (&rng, 0, nodes - 1));
        for (uint32_t i = 0; i < nodes; i++)
            if (tori_state_is_free (s, i))
                ids[n++] = i;
        struct least least = {machine, ids, n, {0}, UINT64_MAX};
        try_all (&least, 0, 0, k, 0);
        alloc = make_alloc (machine, "mc1x1");
        assert_int_equal (tori_alloc_place (alloc, s, &request, &place, NULL),
                          TORI_PLACED);
        assert_int_equal (tori_placement_pairwise (&place, machine, &sum,
                                                   NULL),
                          0);
        assert_true (sum >= least.sum);
        assert_true (sum * k <= (2 * k - 2) * d * least.sum);
        tori_placement_clear (&place);
        tori_alloc_destroy (alloc);
    }
}

/* ---- points ---- */

/* Ends of the range of coordinates: no distance overflows. */
TEST (far_points)
{
    static const int64_t coords[] = {INT64_MIN, INT64_MAX, INT64_MAX,
                                     INT64_MAX, INT64_MIN, INT64_MIN,
                                     INT64_MAX, INT64_MAX - 1};
    tori_points points = {2, 4, coords};
    size_t chosen[2];
    uint64_t sum;
    assert_int_equal (tori_points_choose (TORI_ALLOC ("mc1x1"), &points, 2,
                                          chosen, &sum, NULL),
                      0);
    assert_int_equal (chosen[0], 1);
    assert_int_equal (chosen[1], 3);
    assert_int_equal (sum, 1);
}

/* Repeated points are as many points at distance 0. */
TEST (repeated_points)
{
    static const int64_t coords[] = {5, 9, 1, 9, 5, 9};
    tori_points points = {1, 6, coords};
    size_t chosen[3];
    uint64_t sum;
    assert_int_equal (tori_points_choose (TORI_ALLOC ("mc1x1"), &points, 3,
                                          chosen, &sum, NULL),
                      0);
    assert_int_equal (chosen[0], 1);
    assert_int_equal (chosen[1], 3);
    assert_int_equal (chosen[2], 5);
    assert_int_equal (sum, 0);
}

enum { MOST_POINTS = 150 };

struct instance {
    int64_t coords[3 * MOST_POINTS];
    uint64_t around[3];
    tori_points points;
    tori_shape shape;
    bool fixed;
    size_t k;
};

__extension__ typedef __int128 signed_wide;

/* From the nearest coordinate of a core, one after the other. */
static uint64_t point_apart (uint64_t ring, int64_t centre, uint32_t side,
                             int64_t at)
{
    signed_wide least = -1;
    for (uint32_t i = 0; i < side; i++) {
        signed_wide from = (signed_wide)centre - (side - 1) / 2 + i;
        signed_wide away = from < at ? at - from : from - at;
        if (ring) {
            away %= ring;
            away = away < ring - away ? away : (signed_wide)ring - away;
        }
        least = least < 0 || away < least ? away : least;
    }
    return (uint64_t)least;
}

struct ranked_point {
    uint64_t shell;
    size_t index;
};

static int compare_points (const void *a, const void *b)
{
    const struct ranked_point *x = a, *y = b;
    if (x->shell != y->shell)
        return x->shell < y->shell ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* All points by their shells around one of them; the sum of the k lowest. */
static wide rank_points (const struct instance *instance, size_t centre,
                         const tori_shape *core, struct ranked_point *ranked)
{
    const tori_points *points = &instance->points;
    size_t ndims = (size_t)points->ndims;
    wide sum = 0;
    for (size_t i = 0; i < points->n; i++) {
        ranked[i] = (struct ranked_point){0, i};
        for (size_t d = 0; d < ndims; d++) {
            uint64_t away = point_apart (
                instance->around[d], points->coords[centre * ndims + d],
                core->size[d], points->coords[i * ndims + d]);
            if (away > ranked[i].shell)
                ranked[i].shell = away;
        }
    }
    qsort (ranked, points->n, sizeof *ranked, compare_points);
    for (size_t i = 0; i < instance->k; i++)
        sum += ranked[i].shell;
    return sum;
}

/* By definition: point after point, core after core. */
static void reference_points (const struct instance *instance,
                              bool ret_chosen[])
{
    struct ranked_point ranked[MOST_POINTS];
    tori_shape *cores;
    size_t n = naive_rotations (&instance->shape, instance->fixed, &cores);
    wide least = 0;
    for (size_t c = 0; c < instance->points.n * n; c++) {
        wide sum = rank_points (instance, c / n, &cores[c % n], ranked);
        if (c > 0 && sum >= least)
            continue;
        least = sum;
        memset (ret_chosen, 0, MOST_POINTS);
        for (size_t i = 0; i < instance->k; i++)
            ret_chosen[ranked[i].index] = true;
    }
    free (cores);
}

/* Anywhere in a span, which is narrow, so that there are repeats and ties, or
 * wide; on clusters far from each other, or at the ends of the range. */
static int64_t random_coord (struct rng *rng, uint32_t span, unsigned spread)
{
    int64_t at = between (rng, 0, span);
    if (spread == 1)
        return at + (int64_t)(UINT64_C (1) << between (rng, 0, 61));
    if (spread == 2)
        return chance (rng, 50) ? INT64_MAX - at : INT64_MIN + at;
    return at - (int64_t)span / 2;
}

static void random_instance (struct instance *instance, struct rng *rng,
                             bool shaped)
{
    static const uint32_t spans[] = {1, 5, 12, 60, 1000, 1000000};
    uint32_t span = spans[rng_below (rng, LENGTH (spans))];
    unsigned spread = between (rng, 0, 3);
    size_t ndims = between (rng, 1, 3);
    size_t n = between (rng, 1, chance (rng, 60) ? 20 : MOST_POINTS);
    int flat = chance (rng, 30) ? (int)between (rng, 0, 2) : -1;
    *instance = (struct instance){.k = between (rng, 1, (uint32_t)n)};
    instance->shape.ndims = (int)ndims;
    instance->fixed = chance (rng, 50);
    for (size_t d = 0; d < ndims; d++) {
        instance->shape.size[d] = shaped ? between (rng, 1, 9) : 1;
        if (chance (rng, 40))
            instance->around[d] = chance (rng, 20)
                                      ? UINT64_C (1) << between (rng, 0, 62)
                                      : between (rng, 1, 2 * span);
    }
    for (size_t i = 0; i < n * ndims; i++) {
        uint64_t ring = instance->around[i % ndims];
        int64_t at = (int)(i % ndims) == flat
                         ? 7
                         : random_coord (rng, span, spread);
        instance->coords[i] = ring ? (int64_t)((uint64_t)at % ring) : at;
    }
    instance->points = (tori_points){(int)ndims, n, instance->coords,
                                     instance->around};
}

static void check_instance (const struct instance *instance)
{
    bool expected[MOST_POINTS] = {false};
    size_t chosen[MOST_POINTS], at = 0;
    struct cloud cloud = {.ndims = instance->points.ndims,
                          .n = instance->points.n,
                          .coords = instance->coords};
    memcpy (cloud.ring, instance->around, sizeof instance->around);
    assert_int_equal (mc_choose_box (&cloud, instance->k, &instance->shape,
                                     instance->fixed, chosen, NULL),
                      0);
    reference_points (instance, expected);
    for (size_t i = 0; i < instance->points.n; i++)
        if (expected[i])
            assert_int_equal (chosen[at++], i);
    assert_int_equal (at, instance->k);
}

/* On lines and rings, repeats and ties, any coordinates, any shapes. */
TEST (random_points)
{
    struct rng rng = seeded (6);
    for (int round = 0; round < (int)random_cases (1000); round++) {
        struct instance instance;
        random_instance (&instance, &rng, round % 3 == 0);
        check_instance (&instance);
    }
}

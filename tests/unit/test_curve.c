/* Orders of nodes and allocators along them. The orders by what is promised of
 * them; the allocators by their definition, worked out run by run, on states
 * of all sorts, and by asking the same allocator about states that have
 * nothing to do with each other. */
#include "allocs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tori/alloc.h>
#include <tori/points.h>

#include "cloud.h"
#include "hilbert.h"
#include "marks.h"
#include "orders.h"

/* ---- orders ---- */

static uint32_t *make_order (const tori_shape *shape, order_fn *order)
{
    uint32_t n = (uint32_t)tori_shape_volume (shape);
    uint32_t *ids = make_array (n, sizeof *ids);
    if (order)
        assert_int_equal (order (shape, ids, NULL), 0);
    for (uint32_t i = 0; i < n && !order; i++)
        ids[i] = i;
    return ids;
}

static void coords_of (const tori_shape *shape, uint32_t id,
                       uint32_t coords[])
{
    for (int d = shape->ndims; d-- > 0; id /= shape->size[d])
        coords[d] = id % shape->size[d];
}

static uint32_t steps_between (const tori_shape *shape, uint32_t a,
                               uint32_t b)
{
    uint32_t x[TORI_MAX_DIMS], y[TORI_MAX_DIMS], sum = 0;
    coords_of (shape, a, x);
    coords_of (shape, b, y);
    for (int d = 0; d < shape->ndims; d++)
        sum += x[d] > y[d] ? x[d] - y[d] : y[d] - x[d];
    return sum;
}

/* Every node once, from node 0 on, and every step to a neighbour. */
static void check_walk (const tori_shape *shape, order_fn *order)
{
    uint32_t n = (uint32_t)tori_shape_volume (shape), breaks = 0;
    uint32_t *ids = make_order (shape, order);
    bool *seen = make_array (n, sizeof *seen);
    assert_int_equal (ids[0], 0);
    for (uint32_t i = 0; i < n; i++) {
        assert_true (ids[i] < n);
        assert_false (seen[ids[i]]);
        seen[ids[i]] = true;
        breaks += i > 0 && steps_between (shape, ids[i - 1], ids[i]) != 1;
    }
    if (breaks) {
        char text[TORI_TEXT_MAX];
        tori_shape_format (shape, text);
        fail_msg ("%u breaks in %s", breaks, text);
    }
    free (seen);
    free (ids);
}

/* All shapes of so many dimensions with sides up to `longest`. */
static void check_walks (int ndims, uint32_t longest, order_fn *order)
{
    tori_shape shape = {.ndims = ndims};
    uint32_t sides[TORI_MAX_DIMS] = {0}, limits[TORI_MAX_DIMS];
    for (int d = 0; d < ndims; d++)
        limits[d] = longest;
    do {
        for (int d = 0; d < ndims; d++)
            shape.size[d] = sides[d] + 1;
        check_walk (&shape, order);
    } while (count_up (sides, limits, ndims));
}

static const char *const odd_shapes[] = {
    "1000", "1x1x1x1", "2x500", "3x333", "101x97", "256x3", "127x128",
    "33x2x31", "25x26x27", "64x64", "5x40x5", "1x50x1x30", "100x10x2",
    "4x4x4x16x2", "12x9x8x2x3x2", "6x5x4x3x2x1x2", "7x6x5x6x7", "3^9", "2^14",
    "5^6", "4^7", "6^5", "2x3x2x3x2x3x2x3x2", "9x2x2x2x2x2x2x2x2",
};

/* "3^9" is a machine, not a shape. */
static tori_shape shape_of_machine (const char *sizes)
{
    char text[TORI_TEXT_MAX];
    tori_machine *machine;
    tori_shape shape;
    snprintf (text, sizeof text, "mesh:%s", sizes);
    machine = make_machine (text);
    shape = *tori_machine_shape (machine);
    tori_machine_destroy (machine);
    return shape;
}

static order_fn *const walks[] = {order_snake, order_hilbert};

TEST (walks)
{
    for (size_t i = 0; i < LENGTH (walks); i++) {
        check_walks (1, 70, walks[i]);
        check_walks (2, 20, walks[i]);
        check_walks (3, 7, walks[i]);
        check_walks (4, 4, walks[i]);
        check_walks (5, 3, walks[i]);
        for (size_t j = 0; j < LENGTH (odd_shapes); j++) {
            tori_shape shape = shape_of_machine (odd_shapes[j]);
            check_walk (&shape, walks[i]);
        }
    }
}

TEST (random_walks)
{
    struct rng rng = seeded (31);
    for (int i = 0; i < 300; i++) {
        AUTO_MACHINE *machine = random_machine (&rng, 9, 6000);
        for (size_t j = 0; j < LENGTH (walks); j++)
            check_walk (tori_machine_shape (machine), walks[j]);
    }
}

/* The coordinate runs up or down by whether those before it add up to an even
 * or an odd number of turns. */
TEST (snake)
{
    tori_shape shape = make_shape ("3x2x5x4");
    uint32_t *ids = make_order (&shape, order_snake);
    for (uint32_t i = 0; i < 3 * 2 * 5 * 4; i++) {
        uint32_t is[4], plain[4], turns = i;
        coords_of (&shape, ids[i], is);
        coords_of (&shape, i, plain);
        for (int d = 3; d >= 0; d--) {
            uint32_t size = shape.size[d];
            turns /= size;
            assert_int_equal (is[d],
                              turns % 2 ? size - 1 - plain[d] : plain[d]);
        }
    }
    free (ids);
}

/* Every aligned cube of side 2^j is an interval of the curve. */
static void check_cubes (int ndims, int m)
{
    tori_shape shape = {.ndims = ndims};
    uint32_t *ids, n = UINT32_C (1) << (ndims * m);
    for (int d = 0; d < ndims; d++)
        shape.size[d] = UINT32_C (1) << m;
    ids = make_order (&shape, order_hilbert);
    for (int j = 1; j <= m; j++)
        for (uint32_t i = 0; i < n; i++) {
            uint32_t x[TORI_MAX_DIMS], y[TORI_MAX_DIMS];
            coords_of (&shape, ids[i], x);
            coords_of (&shape, ids[i >> ndims * j << ndims * j], y);
            for (int d = 0; d < ndims; d++)
                assert_int_equal (x[d] >> j, y[d] >> j);
        }
    free (ids);
}

TEST (cubes)
{
    for (int ndims = 1; ndims <= 5; ndims++)
        for (int m = 1; ndims * m <= 15; m++)
            check_cubes (ndims, m);
}

/* The curve of the plane in Hilbert's drawing, as it is printed. */
TEST (plane)
{
    static const uint32_t drawn[4][4] = {
        {0, 1, 14, 15}, {3, 2, 13, 12}, {4, 7, 8, 11}, {5, 6, 9, 10}};
    tori_shape shape = make_shape ("4x4");
    uint32_t *ids = make_order (&shape, order_hilbert);
    bool same = true, turned = true;
    for (uint32_t i = 0; i < 16; i++) {
        same &= drawn[ids[i] / 4][ids[i] % 4] == i;
        turned &= drawn[ids[i] % 4][ids[i] / 4] == i;
    }
    assert_true (same || turned);
    free (ids);
}

/* ---- allocators by definition ---- */

struct run_of {
    uint32_t first, count;
};

/* The free nodes along an order. */
struct picture {
    uint32_t n;
    const uint32_t *ids;
    bool *free; /* by position */
    struct run_of *runs;
    size_t nruns;
};

static void see (struct picture *picture, const tori_state *state)
{
    picture->nruns = 0;
    for (uint32_t i = 0; i < picture->n; i++) {
        picture->free[i] = tori_state_is_free (state, picture->ids[i]);
        if (!picture->free[i])
            continue;
        if (i == 0 || !picture->free[i - 1])
            picture->runs[picture->nruns++] = (struct run_of){i, 0};
        picture->runs[picture->nruns - 1].count++;
    }
}

/* A lower mark is better; UINT64_MAX is no choice at all. */
typedef uint64_t mark_fn (const struct picture *picture, size_t run,
                          uint32_t count, uint32_t room[]);

static uint64_t mark_first (const struct picture *picture, size_t run,
                            uint32_t count, uint32_t room[])
{
    return run;
}

static uint64_t mark_best (const struct picture *picture, size_t run,
                           uint32_t count, uint32_t room[])
{
    return picture->runs[run].count;
}

/* The sum itself, and behind it the length for ties. */
static uint64_t mark_squares (const struct picture *picture, size_t run,
                              uint32_t count, uint32_t room[])
{
    uint64_t sum = 0;
    memset (room, 0, (picture->n + 1) * sizeof *room);
    for (size_t i = 0; i < picture->nruns; i++)
        room[picture->runs[i].count - (i == run ? count : 0)]++;
    for (uint32_t length = 1; length <= picture->n; length++)
        sum += (uint64_t)room[length] * room[length];
    return sum * (picture->n + 1) + picture->runs[run].count;
}

static uint32_t position_of_run (const struct picture *picture, mark_fn *mark,
                                 uint32_t count)
{
    uint32_t *room = make_array (picture->n + 1, sizeof *room);
    uint32_t first = UINT32_MAX;
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < picture->nruns; i++)
        if (picture->runs[i].count >= count) {
            uint64_t value = mark (picture, i, count, room);
            if (value < least) {
                least = value;
                first = picture->runs[i].first;
            }
        }
    free (room);
    return first;
}

static uint32_t position_of_span (const struct picture *picture,
                                  uint32_t count)
{
    uint32_t first = UINT32_MAX, least = UINT32_MAX, have = 0, head = 0;
    for (uint32_t tail = 0; tail < picture->n; tail++) {
        if (!picture->free[tail])
            continue;
        while (have < count && head < picture->n)
            have += picture->free[head++];
        if (have == count && head - tail < least) {
            least = head - tail;
            first = tail;
        }
        have--;
    }
    return first;
}

static int compare_ids (const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The answer, in ids. */
static void by_definition (const struct picture *picture, mark_fn *mark,
                           uint32_t count, uint32_t ids[])
{
    uint32_t at = position_of_run (picture, mark, count);
    uint32_t n = 0;
    if (at == UINT32_MAX)
        at = position_of_span (picture, count);
    for (; n < count; at++)
        if (picture->free[at])
            ids[n++] = picture->ids[at];
    qsort (ids, count, sizeof *ids, compare_ids);
}

/* ---- all nine ---- */

static const struct {
    const char *name;
    order_fn *order;
} orders[] = {
    {"row", NULL}, {"snake", order_snake}, {"hilbert", order_hilbert}};

static const struct {
    const char *name;
    mark_fn *mark;
} packings[] = {
    {"ff", mark_first}, {"bf", mark_best}, {"ss", mark_squares}};

/* Some states of one machine and everybody who is asked about them. */
enum { STATES = 3 };

struct world {
    tori_machine *machine;
    tori_state *states[STATES];
    uint32_t *ids[LENGTH (orders)];
    tori_alloc *allocs[LENGTH (orders)][LENGTH (packings)];
    struct picture picture;
};

static tori_alloc *make_curve (const struct world *world, size_t order,
                               size_t packing)
{
    char name[32];
    snprintf (name, sizeof name, "%s-%s", orders[order].name,
              packings[packing].name);
    return make_alloc (world->machine, name);
}

static void world_create (struct world *world, tori_machine *machine)
{
    struct picture *picture = &world->picture;
    world->machine = machine;
    for (int i = 0; i < STATES; i++)
        world->states[i] = make_state (machine);
    for (size_t o = 0; o < LENGTH (orders); o++) {
        world->ids[o] = make_order (tori_machine_shape (machine),
                                    orders[o].order);
        for (size_t p = 0; p < LENGTH (packings); p++)
            world->allocs[o][p] = make_curve (world, o, p);
    }
    picture->n = tori_machine_nodes (machine);
    picture->free = make_array (picture->n, sizeof *picture->free);
    picture->runs = make_array (picture->n, sizeof *picture->runs);
}

static void world_destroy (struct world *world)
{
    for (int i = 0; i < STATES; i++)
        tori_state_destroy (world->states[i]);
    for (size_t o = 0; o < LENGTH (orders); o++) {
        free (world->ids[o]);
        for (size_t p = 0; p < LENGTH (packings); p++)
            tori_alloc_destroy (world->allocs[o][p]);
    }
    free (world->picture.free);
    free (world->picture.runs);
    tori_machine_destroy (world->machine);
}

static void set_node (tori_state *state, uint32_t id, bool busy)
{
    if (busy)
        state_hold_node (state, id);
    else
        state_release_node (state, id);
}

/* Turn a part of a state over: nodes busy with some probability, singly or in
 * runs along one of the orders. */
static void disturb (struct world *world, tori_state *state, struct rng *rng)
{
    const uint32_t *ids = world->ids[rng_below (rng, LENGTH (orders))];
    uint32_t n = world->picture.n, at = 0;
    uint32_t from = chance (rng, 50) ? 0 : between (rng, 0, n - 1);
    uint32_t longest = chance (rng, 40) ? 1 : between (rng, 1, n / 3 + 1);
    unsigned percent = between (rng, 0, 100);
    for (at = from; at < n;) {
        uint32_t run = between (rng, 1, longest);
        bool busy = chance (rng, percent);
        for (; run > 0 && at < n; run--, at++)
            set_node (state, ids[at], busy);
        if (chance (rng, 1))
            break;
    }
}

static void check_answer (const struct world *world, tori_alloc *alloc,
                          const tori_state *state, uint32_t count,
                          const uint32_t expected[])
{
    tori_request request = {.count = count};
    tori_placement place = {0};
    tori_error err = {.status = TORI_OK};
    if (tori_alloc_place (alloc, state, &request, &place, &err)
        != TORI_PLACED)
        fail_msg ("%s", err.text);
    assert_false (place.nboxes);
    assert_int_equal (place.count, count);
    if (memcmp (place.nodes, expected, count * sizeof *expected) != 0) {
        char text[TORI_TEXT_MAX];
        tori_machine_format (world->machine, text);
        fail_msg ("%s on %s: not these %u",
                  tori_alloc_get_info (alloc)->name, text, count);
    }
    tori_placement_clear (&place);
}

/* One count in one state, by those that have seen others and by a new one. */
static void check_count (struct world *world, const tori_state *state,
                         uint32_t count, bool fresh)
{
    uint32_t *expected = make_array (count, sizeof *expected);
    for (size_t o = 0; o < LENGTH (orders); o++) {
        world->picture.ids = world->ids[o];
        see (&world->picture, state);
        for (size_t p = 0; p < LENGTH (packings); p++) {
            by_definition (&world->picture, packings[p].mark, count,
                           expected);
            check_answer (world, world->allocs[o][p], state, count, expected);
            if (fresh) {
                tori_alloc *alloc = make_curve (world, o, p);
                check_answer (world, alloc, state, count, expected);
                tori_alloc_destroy (alloc);
            }
        }
    }
    free (expected);
}

/* Take what one of them answers, all or some of it, and with others. */
static void take_answer (struct world *world, tori_state *state,
                         uint32_t count, struct rng *rng)
{
    tori_alloc *alloc = world->allocs[rng_below (rng, LENGTH (orders))]
                                     [rng_below (rng, LENGTH (packings))];
    tori_request request = {.count = count};
    tori_placement place = {0};
    unsigned percent = chance (rng, 50) ? 100 : between (rng, 0, 100);
    assert_int_equal (tori_alloc_place (alloc, state, &request, &place, NULL),
                      TORI_PLACED);
    for (uint32_t i = 0; i < count; i++)
        if (chance (rng, percent))
            set_node (state, place.nodes[i], true);
    tori_placement_clear (&place);
}

/* Any count that can be served; often the length of some run, or one more. */
static uint32_t random_count (struct world *world, const tori_state *state,
                              struct rng *rng)
{
    uint32_t most = tori_state_free_count (state), count;
    struct picture *picture = &world->picture;
    if (chance (rng, 40))
        return between (rng, 1, most);
    if (chance (rng, 30))
        return between (rng, 1, 1 + (most - 1) / between (rng, 2, 20));
    picture->ids = world->ids[rng_below (rng, LENGTH (orders))];
    see (picture, state);
    count = picture->runs[rng_below (rng, picture->nruns)].count
            + chance (rng, 30);
    return count < most ? count : most;
}

static void check_world (tori_machine *machine, struct rng *rng, int rounds)
{
    struct world world;
    world_create (&world, machine);
    for (int i = 0; i < rounds; i++) {
        tori_state *state = world.states[rng_below (rng, STATES)];
        uint32_t count;
        if (chance (rng, 60))
            disturb (&world, state, rng);
        if (tori_state_free_count (state) == 0)
            continue;
        count = random_count (&world, state, rng);
        check_count (&world, state, count, chance (rng, 10));
        if (chance (rng, 50))
            take_answer (&world, state, count, rng);
    }
    world_destroy (&world);
}

TEST (small)
{
    struct rng rng = seeded (32);
    for (int i = 0; i < 250; i++)
        check_world (random_machine (&rng, 6, 400), &rng, 20);
}

/* Several blocks of 4096 positions, the last one not whole. */
TEST (large)
{
    static const char *const machines[] = {"mesh:110x113", "mesh:32x16x16",
                                           "torus:4097", "mesh:2^14",
                                           "mesh:16^3", "mesh:29x19x31"};
    struct rng rng = seeded (33);
    for (size_t i = 0; i < LENGTH (machines); i++)
        check_world (make_machine (machines[i]), &rng, 60);
}

/* ---- sum of squares, by hand ---- */

/* Busy where the text has a '#'. */
static tori_state *draw (const tori_machine *machine, const char *text)
{
    tori_state *state = make_state (machine);
    for (uint32_t i = 0; text[i]; i++)
        if (text[i] == '#')
            state_hold_node (state, i);
    return state;
}

/* Runs of 2, 2, 3 and 5 for a request of 2. The runs that can serve it leave
 * as sums: 2 gone: 1 + 1 + 1 = 3; 3 to 1: 4 + 1 + 1 = 6; 5 to 3: 4 + 4 = 8.
 * Runs of 3, 3 and 4 for 1: 3 to 2: 1 + 1 + 1 = 3; 4 to 3: 9. Runs of 2, 3,
 * 3, 3 for 2: 2 gone: 9; 3 to 1: 1 + 1 + 4 = 6, so not the fitting one. */
TEST (squares)
{
    static const struct {
        const char *text;
        uint32_t count, first;
    } cases[] = {
        {"#.....#...#..#..", 2, 11},
        {"....#...#...####", 1, 5},
        {"..#...#...#...##", 2, 3},
    };
    AUTO_MACHINE *machine = make_machine ("mesh:16");
    for (size_t i = 0; i < LENGTH (cases); i++) {
        tori_state *drawn = draw (machine, cases[i].text);
        tori_request request = {.count = cases[i].count};
        tori_placement place = {0};
        tori_alloc *alloc;
        tori_alloc_create (machine, TORI_ALLOC ("row-ss"), &alloc, NULL);
        assert_int_equal (
            tori_alloc_place (alloc, drawn, &request, &place, NULL),
            TORI_PLACED);
        assert_int_equal (place.nodes[0], cases[i].first);
        tori_placement_clear (&place);
        tori_alloc_destroy (alloc);
        tori_state_destroy (drawn);
    }
}

/* ---- points ---- */

/* The free nodes as points, the first and the last node among them, so that
 * the smallest box that holds them is the machine. */
static void check_points (const char *name, const tori_machine *machine,
                          const tori_state *state, uint32_t k)
{
    size_t ndims = (size_t)tori_machine_ndims (machine), n = 0;
    uint32_t nodes = tori_machine_nodes (machine), at[TORI_MAX_DIMS];
    int64_t *coords = make_array (nodes * ndims, sizeof *coords);
    uint32_t *ids = make_array (nodes, sizeof *ids);
    size_t *chosen = make_array (k, sizeof *chosen);
    tori_points points = {.ndims = (int)ndims, .coords = coords};
    tori_request request = {.count = k};
    tori_placement place = {0};
    tori_alloc *alloc;
    for (uint32_t i = 0; i < nodes; i++) {
        if (!tori_state_is_free (state, i))
            continue;
        tori_machine_coords (machine, i, at);
        for (size_t d = 0; d < ndims; d++)
            coords[n * ndims + d] = (int64_t)at[d] - 5;
        ids[n++] = i;
    }
    points.n = n;
    alloc = make_alloc (machine, name);
    assert_int_equal (tori_alloc_place (alloc, state, &request, &place, NULL),
                      TORI_PLACED);
    assert_int_equal (
        tori_points_choose (TORI_ALLOC (name), &points, k, chosen, NULL, NULL),
        0);
    for (uint32_t i = 0; i < k; i++)
        assert_int_equal (ids[chosen[i]], place.nodes[i]);
    tori_placement_clear (&place);
    tori_alloc_destroy (alloc);
    free (coords);
    free (ids);
    free (chosen);
}

TEST (points)
{
    static const char *const names[]
        = {"row-ff",   "row-bf",   "row-ss",     "snake-ff",  "snake-bf",
           "snake-ss", "hilbert-ff", "hilbert-bf", "hilbert-ss"};
    struct rng rng = seeded (11);
    for (int i = 0; i < 300; i++) {
        AUTO_MACHINE *machine = random_machine (&rng, 3, 150);
        AUTO_STATE *s = make_state (machine);
        uint32_t nodes = tori_machine_nodes (machine);
        unsigned percent = between (&rng, 0, 90);
        for (uint32_t j = 1; j + 1 < nodes; j++)
            if (chance (&rng, percent))
                state_hold_node (s, j);
        for (size_t j = 0; j < LENGTH (names); j++)
            check_points (names[j], machine, s,
                          between (&rng, 1, tori_state_free_count (s)));
    }
}

/* Repeats follow each other; a run goes on through them. */
TEST (repeats)
{
    static const int64_t coords[] = {9, 3, 0, 4, 3, 0, 5};
    tori_points points = {.ndims = 1, .n = 7, .coords = coords};
    size_t chosen[5];
    assert_int_equal (tori_points_choose (TORI_ALLOC ("row-bf"), &points, 2,
                                          chosen, NULL, NULL),
                      0);
    assert_int_equal (chosen[0], 2); /* 0 and 0: the shortest run */
    assert_int_equal (chosen[1], 5);
    assert_int_equal (tori_points_choose (TORI_ALLOC ("row-bf"), &points, 3,
                                          chosen, NULL, NULL),
                      0);
    assert_int_equal (chosen[0], 1); /* 3, 3 and 4 */
    assert_int_equal (chosen[1], 3);
    assert_int_equal (chosen[2], 4);
    assert_int_equal (tori_points_choose (TORI_ALLOC ("row-ff"), &points, 5,
                                          chosen, NULL, NULL),
                      0);
    assert_int_equal (chosen[0], 1); /* 0, 0, 3, 3, 4: the least span */
    assert_int_equal (chosen[4], 5);
}

/* ---- single places of a Hilbert curve ---- */

/* A box: its sides less 1. */
struct box {
    int ndims;
    uint64_t last[TORI_MAX_DIMS];
};

static struct hilbert *make_hilbert (const struct box *box)
{
    struct hilbert *hilbert = hilbert_create (box->last, box->ndims, NULL);
    assert_non_null (hilbert);
    return hilbert;
}

static wide find_position (struct hilbert *hilbert, const uint64_t at[])
{
    wide position;
    assert_int_equal (hilbert_position (hilbert, at, &position, NULL), 0);
    return position;
}

/* Their positions on the curve that is written down. */
TEST (places)
{
    struct rng rng = seeded (13);
    for (int round = 0; round < 300; round++) {
        AUTO_MACHINE *machine = random_machine (&rng, 6, 600);
        const tori_shape *shape = tori_machine_shape (machine);
        uint32_t *ids = make_order (shape, order_hilbert);
        struct box box = {.ndims = shape->ndims};
        struct hilbert *hilbert;
        for (int d = 0; d < box.ndims; d++)
            box.last[d] = shape->size[d] - 1;
        hilbert = make_hilbert (&box);
        for (uint32_t i = 0; i < tori_machine_nodes (machine); i++) {
            uint32_t coords[TORI_MAX_DIMS];
            uint64_t at[TORI_MAX_DIMS];
            tori_machine_coords (machine, ids[i], coords);
            for (int d = 0; d < box.ndims; d++)
                at[d] = coords[d];
            assert_true (find_position (hilbert, at) == i);
        }
        hilbert_destroy (hilbert);
        free (ids);
    }
}

/* Sides of up to 2^64, and less than 2^128 places in all. */
static struct box huge_box (struct rng *rng)
{
    static const unsigned longest[] = {8, 20, 32, 63, 64};
    unsigned most = longest[between (rng, 0, LENGTH (longest) - 1)];
    unsigned left = 127;
    struct box box = {.ndims = (int)between (rng, 1, 6)};
    for (int d = 0; d < box.ndims; d++) {
        unsigned bits = between (rng, 0, most < left ? most : left);
        uint64_t ones = bits ? UINT64_MAX >> (64 - bits) : 0;
        box.last[d] = chance (rng, 40) ? ones : rng_next (rng) & ones;
        left -= bits;
    }
    return box;
}

/* One of the neighbours of a place is the next on the curve, and one was
 * before; the curve begins in corner 0. */
static void check_place (struct hilbert *hilbert, const struct box *box,
                         uint64_t at[])
{
    wide position = find_position (hilbert, at), places = 1;
    unsigned next = 0, before = 0;
    for (int d = 0; d < box->ndims; d++)
        places *= (wide)box->last[d] + 1;
    assert_true (position < places);
    for (int d = 0; d < box->ndims; d++)
        for (int step = -1; step <= 1; step += 2) {
            wide other;
            if (step < 0 ? at[d] == 0 : at[d] == box->last[d])
                continue;
            at[d] += (uint64_t)step;
            other = find_position (hilbert, at);
            at[d] -= (uint64_t)step;
            next += other == position + 1;
            before += other + 1 == position;
        }
    assert_int_equal (next, position + 1 < places);
    assert_int_equal (before, position > 0);
}

TEST (huge_boxes)
{
    struct rng rng = seeded (14);
    for (int round = 0; round < 60; round++) {
        struct box box = huge_box (&rng);
        struct hilbert *hilbert = make_hilbert (&box);
        uint64_t at[TORI_MAX_DIMS] = {0};
        assert_true (find_position (hilbert, at) == 0);
        check_place (hilbert, &box, at);
        for (int i = 0; i < 8; i++) {
            for (int d = 0; d < box.ndims; d++)
                at[d] = chance (&rng, 20)          ? box.last[d]
                        : box.last[d] < UINT64_MAX ? rng_below (
                              &rng, box.last[d] + 1)
                                                   : rng_next (&rng);
            check_place (hilbert, &box, at);
        }
        hilbert_destroy (hilbert);
    }
}

/* ---- sparse points ---- */

enum { MOST_SPARSE = 40 };

struct sparse {
    size_t n, ndims, k;
    int64_t coords[3 * MOST_SPARSE];
    wide position[MOST_SPARSE];
    size_t order[MOST_SPARSE]; /* of points along the curve */
};

/* Rows before that of the point, and so on; `d` dimensions count. */
static wide naive_position (const struct sparse *sparse, size_t point,
                            size_t d, bool snake)
{
    const int64_t *coords = sparse->coords;
    int64_t at = coords[point * sparse->ndims + d - 1], low = at, high = at;
    wide before = d > 1 ? naive_position (sparse, point, d - 1, snake) : 0;
    for (size_t i = 0; i < sparse->n; i++) {
        int64_t other = coords[i * sparse->ndims + d - 1];
        low = other < low ? other : low;
        high = other > high ? other : high;
    }
    return before * ((wide)((uint64_t)high - (uint64_t)low) + 1)
           + (snake && before % 2 ? (uint64_t)high - (uint64_t)at
                                  : (uint64_t)at - (uint64_t)low);
}

static void sort_sparse (struct sparse *sparse, bool snake)
{
    for (size_t i = 0; i < sparse->n; i++) {
        size_t at = i;
        sparse->position[i] = naive_position (sparse, i, sparse->ndims,
                                              snake);
        for (; at > 0
               && sparse->position[sparse->order[at - 1]]
                      > sparse->position[i];
             at--)
            sparse->order[at] = sparse->order[at - 1];
        sparse->order[at] = i;
    }
}

static wide gap_before (const struct sparse *sparse, size_t i)
{
    return sparse->position[sparse->order[i]]
           - sparse->position[sparse->order[i - 1]];
}

/* The first of the k points: in the first run that is long enough, or the
 * shortest, or else at the place at which they span the least. */
static size_t naive_first (const struct sparse *sparse, bool shortest)
{
    size_t n = sparse->n, k = sparse->k, best = n, length = 0, first = 0;
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && gap_before (sparse, end) <= 1; end++)
            ;
        if (end - i >= k && (best == n || (shortest && end - i < length))) {
            best = i;
            length = end - i;
        }
    }
    if (best < n)
        return best;
    for (size_t i = 1; i + k <= n; i++)
        if (sparse->position[sparse->order[i + k - 1]]
                - sparse->position[sparse->order[i]]
            < sparse->position[sparse->order[first + k - 1]]
                  - sparse->position[sparse->order[first]])
            first = i;
    return first;
}

static void check_sparse (const char *name, struct sparse *sparse)
{
    tori_points points = {.ndims = (int)sparse->ndims, .n = sparse->n,
                          .coords = sparse->coords};
    size_t chosen[MOST_SPARSE], first;
    bool is_in[MOST_SPARSE] = {false};
    tori_error err = {0};
    if (tori_points_choose (TORI_ALLOC (name), &points, sparse->k, chosen,
                            NULL, &err)
        < 0) {
        assert_non_null (strstr (err.text, "does not fit 64 bits"));
        return;
    }
    sort_sparse (sparse, name[0] == 's');
    first = naive_first (sparse, strstr (name, "-bf") != NULL);
    for (size_t i = 0; i < sparse->k; i++)
        is_in[sparse->order[first + i]] = true;
    for (size_t i = 0; i < sparse->k; i++)
        assert_true (is_in[chosen[i]]);
}

/* Clusters far from each other, in boxes of up to 2^128 places. */
TEST (sparse)
{
    static const char *const names[]
        = {"row-ff", "row-bf", "snake-ff", "snake-bf"};
    struct rng rng = seeded (12);
    for (int round = 0; round < 2000; round++) {
        struct sparse sparse = {.n = between (&rng, 1, MOST_SPARSE),
                                .ndims = between (&rng, 1, 3)};
        unsigned bits = between (&rng, 1, sparse.ndims < 3 ? 63 : 40);
        unsigned far = chance (&rng, 50) ? 50 : 5;
        sparse.k = between (&rng, 1, chance (&rng, 70) && sparse.n > 6
                                         ? 6
                                         : (uint32_t)sparse.n);
        for (size_t i = 0; i < sparse.n * sparse.ndims; i++)
            sparse.coords[i]
                = (int64_t)between (&rng, 0, 3)
                  - (chance (&rng, far) ? INT64_C (1) << (bits - 1) : 0);
        for (size_t j = 0; j < LENGTH (names); j++)
            check_sparse (names[j], &sparse);
    }
}

/* Coordinates anywhere in 64 bits: in two dimensions these are 2^128 places,
 * and more are refused. */
TEST (widest)
{
    static const char *const names[] = {"row-ff", "row-bf", "snake-ff",
                                        "snake-bf", "hilbert-ff",
                                        "hilbert-bf", "hilbert-ss"};
    enum { N = 4 };
    int64_t coords[N * 3];
    for (int ndims = 1; ndims <= 3; ndims++)
        for (size_t j = 0; j < LENGTH (names); j++) {
            tori_points points = {.ndims = ndims, .n = N, .coords = coords};
            size_t chosen[2];
            uint64_t sum;
            /* Two corners, a neighbour of the first, and the first again. */
            for (int d = 0; d < N * ndims; d++)
                coords[d] = d / ndims == 1 ? INT64_MAX : INT64_MIN;
            coords[3 * ndims - 1]++;
            assert_int_equal (tori_points_choose (TORI_ALLOC (names[j]),
                                                  &points, 2, chosen, &sum,
                                                  NULL),
                              ndims < 3 ? 0 : -1);
            if (ndims == 3)
                continue;
            assert_int_equal (chosen[0], 0);
            assert_int_equal (chosen[1], 3);
            assert_int_equal (sum, 0);
        }
}

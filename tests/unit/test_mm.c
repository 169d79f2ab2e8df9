/* MM, Gen-Alg and MM+Inc: plain against brute force, fast against plain, and
 * the bounds that are proved for them. */
#include "naive_alloc.h"

#include <stdlib.h>
#include <string.h>

#include <tori/alloc.h>
#include <tori/points.h>

#include "allocs.h"
#include "ballplane.h"
#include "balls.h"
#include "bits.h"
#include "cloud.h"
#include "marks.h"
#include "mm.h"
#include "policy.h"

static const char *const names[] = {"mm", "gen-alg", "mm+inc"};

/* ---- random machines ---- */

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
    unsigned percent = chance (rng, 30) ? 0 : between (rng, 0, 97);
    uint32_t kept = between (rng, 0, nodes - 1);
    for (uint32_t i = 0; i < nodes; i++)
        if (chance (rng, percent))
            hold_node (state, i);
    for (unsigned n = chance (rng, 60) ? between (rng, 1, 8) : 0; n > 0; n--) {
        tori_box box = random_box (rng, machine, 7, true);
        for (uint32_t i = 0; i < nodes; i++)
            if (naive_contains (machine, &box, i))
                hold_node (state, i);
    }
    if (!tori_state_is_free (state, kept))
        state_release_node (state, kept);
}

static uint32_t random_count (struct rng *rng, uint32_t free_nodes)
{
    uint32_t few = free_nodes < 12 ? free_nodes : 12;
    if (chance (rng, 10))
        return free_nodes;
    return between (rng, 1, chance (rng, 50) ? few : free_nodes);
}

/* ---- fast and plain ---- */

static void expect_plain (const tori_state *state, tori_alloc *alloc,
                          uint32_t k)
{
    tori_request request = {.count = k};
    tori_placement fast = {0}, plain = {0};
    const char *name = tori_alloc_get_info (alloc)->name;
    tori_alloc_config options = {0};
    assert_int_equal (tori_alloc_place (alloc, state, &request, &fast, NULL),
                      TORI_PLACED);
    assert_int_equal (cloud_place (alloc_find (name)->choose, &options, state,
                                   &request, &plain, NULL),
                      1);
    assert_int_equal (fast.count, k);
    if (memcmp (fast.nodes, plain.nodes, k * sizeof *fast.nodes) != 0) {
        char text[TORI_TEXT_MAX];
        tori_machine_format (tori_state_machine (state), text);
        fail_msg ("%s of %u on %s: not as it is defined", name, k, text);
    }
    tori_placement_clear (&fast);
    tori_placement_clear (&plain);
}

static void check_machine (tori_machine *machine, struct rng *rng, int states)
{
    tori_alloc *allocs[LENGTH (names)];
    for (size_t i = 0; i < LENGTH (names); i++)
        allocs[i] = make_alloc (machine, names[i]);
    for (int s = 0; s < states; s++) {
        AUTO_STATE *state = make_state (machine);
        uint32_t k;
        fill (state, rng);
        k = random_count (rng, tori_state_free_count (state));
        for (size_t i = 0; i < LENGTH (names); i++)
            expect_plain (state, allocs[i], k);
    }
    for (size_t i = 0; i < LENGTH (names); i++)
        tori_alloc_destroy (allocs[i]);
    tori_machine_destroy (machine);
}

TEST (random_machines)
{
    struct rng rng = seeded (1);
    for (int i = 0; i < (int)random_cases (234); i++)
        check_machine (random_machine (&rng, 4, 120), &rng, 3);
    for (int i = 0; i < (int)random_cases (10); i++)
        check_machine (random_machine (&rng, 4, 400), &rng, 2);
}

/* Sides of 1 and 2, odd and even rings that balls go round and meet again,
 * rows that fill eight lanes and that do not. */
TEST (odd_machines)
{
    static const char *const machines[] = {
        "mesh:1",        "torus:1x1",   "torus:2",      "torus:3",
        "torus:2x2x2",   "mesh:2^6",    "torus:2^5",    "torus:16",
        "torus:17",      "mesh:100",    "torus:100",    "mesh:1x9x1x7",
        "torus:9x8",     "torus:8x9",   "torus:5x7mx8", "multitorus:8x8",
        "torus:4x4x4",   "torus:5x5x5", "torus:3x16x3", "torus:16x2x2",
        "mesh:2x16x3",   "mesh:24x5",   "torus:2x33",   "torus:3^4",
        "torus:3mx4x6x2"};
    struct rng rng = seeded (2);
    for (size_t i = 0; i < LENGTH (machines); i++)
        check_machine (make_machine (machines[i]), &rng,
                       (int)random_cases (14));
}

/* ---- points in one dimension ---- */

enum { MOST_POINTS = 40 };

static void expect_as_defined (const struct cloud *cloud, size_t k)
{
    tori_alloc_config options = {0};
    size_t fast[MOST_POINTS], plain[MOST_POINTS];
    assert_int_equal (mm_choose (cloud, k, &options, fast, NULL), 0);
    assert_int_equal (mm_choose_plain (cloud, k, true, plain, NULL), 0);
    assert_memory_equal (fast, plain, k * sizeof *fast);
    assert_int_equal (gen_alg_choose (cloud, k, &options, fast, NULL), 0);
    assert_int_equal (mm_choose_plain (cloud, k, false, plain, NULL), 0);
    assert_memory_equal (fast, plain, k * sizeof *fast);
}

/* Points that differ in one dimension of up to three: on lines, and on rings
 * of which they fill a part, half or all; one place, two places that tie, and
 * points half round from a centre. */
TEST (one_dimension)
{
    struct rng rng = seeded (11);
    for (int i = 0; i < (int)random_cases (2000); i++) {
        int64_t coords[MOST_POINTS * 3] = {0};
        int ndims = (int)between (&rng, 1, 3);
        int dim = (int)between (&rng, 0, (uint32_t)ndims - 1);
        uint32_t side = between (&rng, 1, chance (&rng, 70) ? 12 : 1000);
        struct cloud cloud = {.ndims = ndims, .coords = coords,
                              .n = between (&rng, 1, MOST_POINTS)};
        for (size_t p = 0; p < cloud.n; p++)
            coords[p * (size_t)ndims + (size_t)dim]
                = (int64_t)between (&rng, 0, side - 1);
        for (int d = 0; d < ndims; d++)
            cloud.ring[d] = chance (&rng, 60) ? between (&rng, side, 2 * side)
                                              : 0;
        expect_as_defined (&cloud, between (&rng, 1, (uint32_t)cloud.n));
    }
}

/* ---- single centres ---- */

/* The k nearest by definition, by distance and then id, in ascending order;
 * and their sum. */
static uint64_t nearest_sum (const tori_state *state, uint32_t centre,
                             uint32_t k, uint32_t ret_nodes[])
{
    const tori_machine *machine = tori_state_machine (state);
    uint32_t nodes = tori_machine_nodes (machine), radius = 0, at = 0;
    uint32_t *distance = make_array (nodes, sizeof *distance), rest = k;
    uint32_t *count = make_array (nodes + 1, sizeof *count);
    uint64_t sum;
    for (uint32_t i = 0; i < nodes; i++) {
        distance[i] = tori_machine_distance (machine, centre, i);
        count[distance[i]] += tori_state_is_free (state, i);
    }
    for (; rest > count[radius]; radius++)
        rest -= count[radius];
    for (uint32_t i = 0; i < nodes; i++) {
        if (!tori_state_is_free (state, i) || distance[i] > radius
            || (distance[i] == radius && rest == 0))
            continue;
        rest -= distance[i] == radius;
        ret_nodes[at++] = i;
    }
    assert_int_equal (at, k);
    assert_int_equal (tori_nodes_pairwise (machine, ret_nodes, k, &sum, NULL),
                      0);
    free (distance);
    free (count);
    return sum;
}

static int compare_ids (const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The search that leaves out most centres of a plane. */
static void expect_plane (const tori_state *state, uint32_t k,
                          const uint64_t *centres, uint32_t best)
{
    struct ball_space space = ball_space_of (tori_state_machine (state));
    uint32_t centre;
    assert_int_equal (ball_plane_find (&space, state->free, k, centres,
                                       UINT32_MAX, &centre, NULL),
                      1);
    assert_int_equal (centre, best);
}

/* The nodes around the first of some centres that has the least sum. */
static void check_some (struct balls *balls, const tori_state *state,
                        uint32_t k, const uint64_t *sums, struct rng *rng)
{
    uint32_t n = tori_machine_nodes (tori_state_machine (state));
    uint64_t *centres = make_array (n / 64 + 1, sizeof *centres);
    unsigned few = between (rng, 1, 5), some = chance (rng, 50) ? few : n;
    uint32_t *should = make_array (k, sizeof *should), best = UINT32_MAX;
    uint32_t *is = make_array (k, sizeof *is);
    for (uint32_t i = some; i > 0; i--)
        bits_set (centres, between (rng, 0, n - 1));
    for (uint32_t i = n; i-- > 0;)
        if (bits_test (centres, i)
            && (best == UINT32_MAX || sums[i] <= sums[best]))
            best = i;
    nearest_sum (state, best, k, should);
    assert_int_equal (balls_find (balls, state, k, centres, is, NULL), 1);
    assert_memory_equal (is, should, k * sizeof *is);
    if (ball_space_of (tori_state_machine (state)).n == 2)
        expect_plane (state, k, centres, best);
    free (centres);
    free (should);
    free (is);
}

/* The nearest of every node, and which of some have the least sum. */
static void check_balls (tori_machine *machine, struct rng *rng)
{
    uint32_t nodes = tori_machine_nodes (machine), k;
    uint32_t *should = make_array (nodes, sizeof *should);
    uint32_t *is = make_array (nodes, sizeof *is);
    uint64_t *sums = make_array (nodes, sizeof *sums);
    AUTO_STATE *state = make_state (machine);
    struct balls *balls;
    fill (state, rng);
    k = random_count (rng, tori_state_free_count (state));
    assert_int_equal (balls_create (machine, &balls, NULL), 0);
    for (uint32_t i = 0; i < nodes; i++) {
        sums[i] = nearest_sum (state, i, k, should);
        balls_take (balls, state, k, i, is);
        assert_memory_equal (is, should, k * sizeof *is);
    }
    for (int i = 0; k > 1 && i < 20; i++)
        check_some (balls, state, k, sums, rng);
    balls_destroy (balls);
    free (should);
    free (is);
    free (sums);
    tori_machine_destroy (machine);
}

/* Balls so wide that one tells about those around it, beside the search that
 * weighs all centres. */
static void check_wide (const char *text, struct rng *rng)
{
    AUTO_MACHINE *machine = make_machine (text);
    AUTO_STATE *state = make_state (machine);
    uint32_t nodes = tori_machine_nodes (machine), k;
    uint64_t *all = make_array (nodes / 64 + 1, sizeof *all);
    struct balls *balls;
    fill (state, rng);
    k = between (rng, 2, 2 + tori_state_free_count (state) / 3);
    if (k < tori_state_free_count (state)) {
        bits_set_range (all, 0, nodes);
        assert_int_equal (balls_create (machine, &balls, NULL), 0);
        assert_int_equal (balls_weigh (balls, state, k, all, NULL, NULL), 1);
        expect_plane (state, k, all, balls_best (balls, all));
        expect_plane (state, k, state->free, balls_best (balls, state->free));
        balls_destroy (balls);
    }
    free (all);
}

TEST (wide_balls)
{
    static const char *const machines[] = {
        "mesh:70x60",  "torus:90x80",   "torus:81x97", "torus:99x50m",
        "mesh:20x200", "torus:30x150m", "mesh:90x1x70"};
    struct rng rng = seeded (8);
    for (int i = 0; i < (int)random_cases (24); i++)
        check_wide (machines[(size_t)i % LENGTH (machines)], &rng);
}

static bool is_flat (const tori_machine *machine)
{
    int longer = 0;
    for (int d = 0; d < tori_machine_ndims (machine); d++)
        longer += tori_machine_size (machine, d) > 1;
    return longer < 2;
}

TEST (balls)
{
    struct rng rng = seeded (3);
    for (int i = 0; i < (int)random_cases (134); i++) {
        tori_machine *machine = random_machine (&rng, 5, i % 4 ? 70 : 400);
        if (is_flat (machine))
            tori_machine_destroy (machine);
        else
            check_balls (machine, &rng);
    }
}

/* ---- machines too large for what is plain ---- */

static bool coordinate_occurs (const tori_state *state, uint32_t node, int dim)
{
    const tori_machine *machine = tori_state_machine (state);
    for (uint32_t i = 0; i < tori_machine_nodes (machine); i++)
        if (tori_state_is_free (state, i)
            && grid_coord (machine, i, dim) == grid_coord (machine, node, dim))
            return true;
    return false;
}

static bool is_centre (const tori_state *state, uint32_t node, bool grid)
{
    const tori_machine *machine = tori_state_machine (state);
    if (tori_state_is_free (state, node))
        return true;
    for (int d = 0; grid && d < tori_machine_ndims (machine); d++)
        if (!coordinate_occurs (state, node, d))
            return false;
    return grid;
}

/* The nodes of the first centre of the least sum, centre by centre. */
static void expect_best (const tori_state *state, tori_alloc *alloc,
                         uint32_t k, bool grid)
{
    uint32_t nodes = tori_machine_nodes (tori_state_machine (state));
    uint32_t *should = make_array (k, sizeof *should), best = 0;
    uint64_t least = UINT64_MAX;
    tori_request request = {.count = k};
    tori_placement place = {0};
    for (uint32_t i = 0; i < nodes; i++) {
        uint64_t sum;
        if (!grid && !tori_state_is_free (state, i))
            continue;
        sum = nearest_sum (state, i, k, should);
        if (sum < least && is_centre (state, i, grid)) {
            least = sum;
            best = i;
        }
    }
    nearest_sum (state, best, k, should);
    assert_int_equal (tori_alloc_place (alloc, state, &request, &place, NULL),
                      TORI_PLACED);
    assert_int_equal (place.count, k);
    assert_memory_equal (place.nodes, should, k * sizeof *should);
    tori_placement_clear (&place);
    free (should);
}

static void check_large (const char *text, struct rng *rng)
{
    AUTO_MACHINE *machine = make_machine (text);
    tori_alloc *allocs[2];
    for (int i = 0; i < 2; i++)
        allocs[i] = make_alloc (machine, names[i]);
    for (int i = 0; i < 2; i++) {
        AUTO_STATE *state = make_state (machine);
        uint32_t k, free_nodes;
        fill (state, rng);
        free_nodes = tori_state_free_count (state);
        k = chance (rng, 50) ? random_count (rng, free_nodes)
                             : random_count (rng, free_nodes / 8 + 1);
        expect_best (state, allocs[i], k, i == 0);
    }
    tori_alloc_destroy (allocs[0]);
    tori_alloc_destroy (allocs[1]);
}

/* Many radii, large free parts, surfaces of many nodes; requests one after
 * the other leave their counts behind. */
TEST (large_machines)
{
    static const char *const machines[] = {
        "mesh:12x11x10",  "torus:12x11x10", "torus:9x9x9", "mesh:8x16x8",
        "torus:13mx7x12", "mesh:25x31",     "torus:24x31", "torus:31x24",
        "mesh:40x9",      "mesh:700",       "torus:301",   "torus:2x20x20",
        "mesh:6x5x6x5",   "torus:5x4x6mx4", "torus:2x300"};
    struct rng rng = seeded (8);
    for (size_t i = 0; i < LENGTH (machines); i++)
        check_large (machines[i], &rng);
}

/* On machines whose centres would take hours one by one: none of a sample has
 * a lesser sum, nor has gen-alg, which is not asked for more than 16 bits tell. */
static void check_sample (const char *text, uint32_t k, struct rng *rng)
{
    AUTO_MACHINE *machine = make_machine (text);
    AUTO_STATE *nodes = make_state (machine);
    uint32_t n = tori_machine_nodes (machine);
    uint32_t *nearest = make_array (k, sizeof *nearest);
    tori_request request = {.count = k};
    uint64_t sums[2] = {0, UINT64_MAX};
    for (uint32_t i = 0; i < n / 20; i++)
        hold_node (nodes, between (rng, 0, n - 1));
    for (int i = 0; i < (k > UINT16_MAX ? 1 : 2); i++) {
        tori_placement place = {0};
        AUTO_ALLOC *alloc = make_alloc (machine, names[i]);
        assert_int_equal (
            tori_alloc_place (alloc, nodes, &request, &place, NULL),
            TORI_PLACED);
        assert_int_equal (
            tori_placement_pairwise (&place, machine, &sums[i], NULL), 0);
        tori_placement_clear (&place);
    }
    assert_true (sums[0] <= sums[1]);
    for (int i = 0; i < (int)random_cases (14); i++) {
        uint32_t node = between (rng, 0, n - 1);
        uint64_t sum = nearest_sum (nodes, node, k, nearest);
        assert_true (sum >= sums[0]);
        assert_true (sum >= sums[1] || sums[1] == UINT64_MAX
                     || !tori_state_is_free (nodes, node));
    }
    free (nearest);
}

/* More nodes than numbers of 15 or 16 bits tell; on a machine of three long
 * lines rows would be too long. Under the address sanitizer, the first two. */
TEST (many_nodes)
{
    static const struct {
        const char *machine;
        uint32_t k;
    } cases[] = {
        {"mesh:31x33x34", 33000},  {"torus:300x301", 70000},
        {"mesh:3x30000", 70000},   {"mesh:31x33x34", 32767},
        {"torus:24x24x24", 5000},
    };
    struct rng rng = seeded (11);
    for (size_t i = 0; i < LENGTH (cases) && i < random_cases (3); i++)
        check_sample (cases[i].machine, cases[i].k, &rng);
}

/* ---- one long line ---- */

/* The free nodes of a line as they come, thrice round a ring. */
struct stretch {
    int64_t *at;
    size_t n;
    int64_t ring; /* 0: a line */
    size_t k;
};

/* The first of k neighbours that are no farther from a place than others; on
 * from those of the place before. */
static size_t nearest_window (const struct stretch *s, int64_t at,
                              size_t first)
{
    while (first + s->k < s->n
           && llabs (s->at[first + s->k] - at) < llabs (at - s->at[first]))
        first++;
    return first;
}

/* The same, but of two that are as far the one of the lower id. */
static size_t first_window (const struct stretch *s, int64_t at, size_t first)
{
    if (s->ring && first + s->k < s->n
        && s->at[first + s->k] - at == at - s->at[first]
        && s->at[first + s->k] % s->ring < s->at[first] % s->ring)
        first++;
    return first;
}

/* The sums of all windows, of which none is longer than half a ring. */
static int64_t *window_sums (const struct stretch *s)
{
    int64_t *sums = make_array (s->n, sizeof *sums), sum = 0, inner = 0;
    for (size_t i = 0; i < s->n; i++) {
        int64_t k = (int64_t)s->k;
        if (i >= s->k) {
            inner -= s->at[i - s->k];
            sum -= inner - (k - 1) * s->at[i - s->k];
            sum += (k - 1) * s->at[i] - inner;
        } else {
            sum += (int64_t)i * s->at[i] - inner;
        }
        inner += s->at[i];
        if (i + 1 >= s->k)
            sums[i + 1 - s->k] = sum;
    }
    return sums;
}

/* The start of the window of the first centre of the least sum. */
static size_t best_window (const struct stretch *s)
{
    size_t centre = s->ring ? s->n / 3 : 0, window = 0, best = 0;
    size_t end = s->ring ? 2 * centre : s->n;
    int64_t *sums = window_sums (s), least = INT64_MAX;
    for (; centre < end; centre++) {
        size_t first;
        window = nearest_window (s, s->at[centre], window);
        first = first_window (s, s->at[centre], window);
        if (sums[first] >= least)
            continue;
        least = sums[first];
        best = first;
    }
    free (sums);
    return best;
}

static void check_line (const char *text, const char *name, uint32_t k,
                        struct rng *rng)
{
    AUTO_MACHINE *machine = make_machine (text);
    AUTO_STATE *nodes = make_state (machine);
    uint32_t size = tori_machine_nodes (machine), *should;
    struct stretch s = {.k = k};
    tori_request request = {.count = k};
    tori_placement place = {0};
    tori_alloc *alloc;
    size_t first;
    if (tori_machine_wraps (machine, 0))
        s.ring = size;
    s.at = make_array (3 * (size_t)size, sizeof *s.at);
    for (uint32_t i = 0; i < size; i++)
        if (chance (rng, 50))
            hold_node (nodes, i);
    for (int round = 0; round < (s.ring ? 3 : 1); round++)
        for (uint32_t i = 0; i < size; i++)
            if (tori_state_is_free (nodes, i))
                s.at[s.n++] = round * (int64_t)size + i;
    should = make_array (k, sizeof *should);
    first = best_window (&s);
    for (uint32_t i = 0; i < k; i++)
        should[i] = (uint32_t)(s.at[first + i] % size);
    qsort (should, k, sizeof *should, compare_ids);
    alloc = make_alloc (machine, name);
    assert_int_equal (tori_alloc_place (alloc, nodes, &request, &place, NULL),
                      TORI_PLACED);
    assert_memory_equal (place.nodes, should, k * sizeof *should);
    tori_placement_clear (&place);
    tori_alloc_destroy (alloc);
    free (should);
    free (s.at);
}

/* A million nodes: the sum of every window is all that there is to know. */
TEST (long_lines)
{
    struct rng rng = seeded (14);
    for (int i = 0; i < 2; i++) {
        check_line ("mesh:1000000", names[i], 1000, &rng);
        check_line ("torus:1000000", names[i], 1000, &rng);
        check_line ("mesh:30", names[i], 5, &rng);
        check_line ("torus:60", names[i], 5, &rng);
    }
}

/* ---- a few nodes ---- */

static uint64_t exact_sum (const tori_machine *machine, uint32_t k)
{
    AUTO_STATE *state = make_state (machine);
    tori_request request = {.count = k};
    tori_placement place = {0};
    tori_alloc *alloc;
    uint64_t sum;
    alloc = make_alloc (machine, "exact");
    assert_int_equal (tori_alloc_place (alloc, state, &request, &place, NULL),
                      TORI_PLACED);
    assert_int_equal (tori_placement_pairwise (&place, machine, &sum, NULL),
                      0);
    tori_placement_clear (&place);
    tori_alloc_destroy (alloc);
    return sum;
}

/* The sum that is said to be the least is, on machines with room. */
TEST (least_sums)
{
    static const char *const machines[] = {
        "mesh:9",     "mesh:7x7",     "mesh:6x6x6",  "mesh:1x7x1x7",
        "torus:20",   "torus:12x12",  "torus:9x5mx4m", "torus:5x5",
        "torus:3x3",  "torus:4x4x4",  "torus:3x30",  "multitorus:6x6"};
    for (size_t i = 0; i < LENGTH (machines); i++) {
        AUTO_MACHINE *machine = make_machine (machines[i]);
        assert_int_equal (mm_least_sum (machine, 8), 0);
        for (uint32_t k = 2; k < 8; k++) {
            uint64_t least = mm_least_sum (machine, k);
            if (least > 0)
                assert_int_equal (exact_sum (machine, k), least);
            else
                assert_true (machines[i][0] != 'm' || machines[i][1] == 'u');
        }
    }
}

/* The first centre of the least sum, among the first or not. */
TEST (few_nodes)
{
    static const char *const machines[] = {
        "mesh:300",    "torus:300",   "mesh:24x20",  "torus:24x24",
        "torus:32x40", "mesh:12x9x8", "torus:16x16x4m", "mesh:64x4x4"};
    struct rng rng = seeded (9);
    for (size_t i = 0; i < LENGTH (machines); i++) {
        AUTO_MACHINE *machine = make_machine (machines[i]);
        AUTO_ALLOC *alloc = make_alloc (machine, "mm");
        for (uint32_t k = 2; k < 8 * random_cases (1); k++) {
            AUTO_STATE *nodes = make_state (machine);
            fill (nodes, &rng);
            if (tori_state_free_count (nodes) >= k % 8 && k % 8 > 1)
                expect_best (nodes, alloc, k % 8, true);
        }
    }
}

/* ---- points, by definition ---- */

enum { MAX_POINTS = 40 };

struct instance {
    tori_points points;
    int64_t coords[3 * MAX_POINTS];
    size_t k;
};

/* Few different coordinates, so that points recur and distances tie; or
 * anywhere in 64 bits. */
static void random_instance (struct instance *instance, struct rng *rng,
                             size_t most, bool extreme)
{
    int ndims = (int)between (rng, 1, 3);
    uint32_t span = between (rng, 1, chance (rng, 50) ? 4 : 20);
    size_t n = between (rng, 1, (uint32_t)most);
    for (size_t i = 0; i < n * (size_t)ndims; i++) {
        instance->coords[i] = between (rng, 0, span);
        if (extreme)
            instance->coords[i] += chance (rng, 50) ? INT64_MAX - span
                                                    : INT64_MIN;
    }
    instance->points = (tori_points){.ndims = ndims, .n = n,
                                       .coords = instance->coords};
    instance->k = between (rng, 1, (uint32_t)n);
}

static struct cloud as_cloud (const tori_points *points)
{
    return (struct cloud){.ndims = points->ndims, .n = points->n,
                          .coords = points->coords};
}

static wide sum_pairs (const tori_points *points, const size_t *chosen,
                       size_t k)
{
    struct cloud cloud = as_cloud (points);
    return naive_cloud_pairs (&cloud, chosen, k);
}

/* The k points nearest to a centre: the least by distance, then index, k
 * times. */
static void take_nearest (const struct instance *instance,
                          const int64_t *centre, size_t *ret_chosen)
{
    const tori_points *points = &instance->points;
    struct cloud cloud = as_cloud (points);
    bool used[MAX_POINTS] = {false};
    size_t at = 0;
    for (size_t i = 0; i < instance->k; i++) {
        size_t best = SIZE_MAX;
        for (size_t j = 0; j < points->n; j++)
            if (!used[j]
                && (best == SIZE_MAX
                    || cloud_distance (&cloud, centre, cloud_point (&cloud, j))
                           < cloud_distance (&cloud, centre,
                                             cloud_point (&cloud, best))))
                best = j;
        used[best] = true;
    }
    for (size_t j = 0; j < points->n; j++)
        if (used[j])
            ret_chosen[at++] = j;
}

/* Every combination of coordinates that occur, not only once and not in
 * order: so of equal sums the centre that is lexicographically first. */
struct best {
    bool any;
    wide sum;
    int64_t centre[3];
    size_t chosen[MAX_POINTS];
};

static bool before (const int64_t *a, const int64_t *b, int ndims)
{
    for (int d = 0; d < ndims; d++)
        if (a[d] != b[d])
            return a[d] < b[d];
    return false;
}

static void try_centre (const struct instance *instance, const int64_t *centre,
                        struct best *best)
{
    size_t chosen[MAX_POINTS];
    wide sum;
    take_nearest (instance, centre, chosen);
    sum = sum_pairs (&instance->points, chosen, instance->k);
    if (best->any
        && (sum > best->sum
            || (sum == best->sum
                && !before (centre, best->centre, instance->points.ndims))))
        return;
    best->any = true;
    best->sum = sum;
    memcpy (best->chosen, chosen, sizeof chosen);
    memcpy (best->centre, centre,
            (size_t)instance->points.ndims * sizeof *centre);
}

static void naive_mm (const struct instance *instance, struct best *best)
{
    const tori_points *points = &instance->points;
    size_t n = points->n, d = (size_t)points->ndims;
    *best = (struct best){.any = false};
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < (d > 1 ? n : 1); j++)
            for (size_t l = 0; l < (d > 2 ? n : 1); l++) {
                int64_t centre[3] = {points->coords[i * d], 0, 0};
                if (d > 1)
                    centre[1] = points->coords[j * d + 1];
                if (d > 2)
                    centre[2] = points->coords[l * d + 2];
                try_centre (instance, centre, best);
            }
}

/* Free nodes in their own order, the first of the least. */
static void naive_gen_alg (const struct instance *instance, struct best *best)
{
    const tori_points *points = &instance->points;
    *best = (struct best){.any = false};
    for (size_t i = 0; i < points->n; i++) {
        struct best one = {.any = false};
        try_centre (instance, points->coords + i * (size_t)points->ndims,
                    &one);
        if (!best->any || one.sum < best->sum)
            *best = one;
    }
}

/* The best swap first, ties by who is given up, then by who is taken. */
static void naive_improve (const struct instance *instance, struct best *best)
{
    const tori_points *points = &instance->points;
    size_t k = instance->k, from[MAX_POINTS], copy[MAX_POINTS];
    for (wide least = best->sum;;) {
        struct best next = {.any = false};
        memcpy (from, best->chosen, sizeof from);
        for (size_t i = 0; i < k; i++)
            for (size_t in = 0; in < points->n; in++) {
                bool is_in = false;
                wide sum;
                for (size_t j = 0; j < k; j++)
                    is_in = is_in || from[j] == in;
                if (is_in)
                    continue;
                memcpy (copy, from, sizeof copy);
                copy[i] = in;
                sum = sum_pairs (points, copy, k);
                if (sum >= least)
                    continue;
                least = sum;
                next.any = true;
                memcpy (next.chosen, copy, sizeof copy);
            }
        if (!next.any)
            return;
        memset (best->chosen, 0, sizeof best->chosen);
        for (size_t j = 0, at = 0; j < points->n; j++)
            for (size_t i = 0; i < k; i++)
                if (next.chosen[i] == j)
                    best->chosen[at++] = j;
        best->sum = least;
    }
}

static void expect_chosen (const char *name, const struct instance *instance,
                           const struct best *best)
{
    size_t chosen[MAX_POINTS];
    uint64_t sum = 0;
    tori_error err;
    int status = tori_points_choose (TORI_ALLOC (name), &instance->points,
                                     instance->k, chosen, &sum, &err);
    if (best->sum > UINT64_MAX) { /* no answer, rather than a wrong one */
        assert_int_equal (status, -1);
        assert_int_equal (err.status, TORI_INVALID);
        return;
    }
    assert_int_equal (status, 0);
    assert_int_equal (sum, (uint64_t)best->sum);
    assert_memory_equal (chosen, best->chosen,
                         instance->k * sizeof *chosen);
}

static void check_points (struct rng *rng, size_t most, bool extreme)
{
    struct instance instance;
    struct best best;
    random_instance (&instance, rng, most, extreme);
    naive_gen_alg (&instance, &best);
    expect_chosen ("gen-alg", &instance, &best);
    naive_mm (&instance, &best);
    expect_chosen ("mm", &instance, &best);
    naive_improve (&instance, &best);
    expect_chosen ("mm+inc", &instance, &best);
}

TEST (points)
{
    struct rng rng = seeded (4);
    for (int i = 0; i < (int)random_cases (200); i++)
        check_points (&rng, 9, false);
    for (int i = 0; i < (int)random_cases (14); i++)
        check_points (&rng, 18, false);
}

TEST (far_points)
{
    struct rng rng = seeded (5);
    for (int i = 0; i < (int)random_cases (200); i++)
        check_points (&rng, 8, true);
}

/* More points in more dimensions than MM can do: what Gen-Alg finds is told. */
TEST (too_many)
{
    enum { NDIMS = 14, N = 300, K = 3 };
    int64_t *coords = malloc (N * NDIMS * sizeof *coords);
    size_t chosen[K], known[K];
    tori_search search = {.chosen = known};
    tori_alloc_config options = {.size = sizeof options, .search = &search};
    tori_points points = {NDIMS, N, coords};
    uint64_t sum;
    tori_error err;
    struct rng rng = seeded (77);
    for (size_t i = 0; i < N * NDIMS; i++)
        coords[i] = (int64_t)rng_below (&rng, 1000000);
    for (int inc = 0; inc < 2; inc++) {
        search.found = false;
        options.name = inc ? "mm+inc" : "mm";
        assert_int_equal (
            tori_points_choose (&options, &points, K, chosen, &sum, &err), -1);
        assert_int_equal (err.status, TORI_GAVE_UP);
        assert_true (search.found);
        assert_int_equal (tori_points_choose (TORI_ALLOC ("gen-alg"), &points,
                                              K, chosen, &sum, &err),
                          0);
        assert_true (search.best == (double)sum);
        assert_memory_equal (known, chosen, sizeof chosen);
    }
    free (coords);
}

/* ---- bounds ---- */

/* The least sum of any k points: every subset. */
static wide optimum (const struct instance *instance)
{
    wide least = 0;
    bool any = false;
    for (uint32_t set = 0; set < UINT32_C (1) << instance->points.n; set++) {
        size_t chosen[MAX_POINTS], n = 0;
        wide sum;
        if ((size_t)__builtin_popcount (set) != instance->k)
            continue;
        for (size_t i = 0; i < instance->points.n; i++)
            if (set >> i & 1)
                chosen[n++] = i;
        sum = sum_pairs (&instance->points, chosen, n);
        if (!any || sum < least)
            least = sum;
        any = true;
    }
    return least;
}

static uint64_t sum_by (const char *name, const struct instance *instance)
{
    size_t chosen[MAX_POINTS];
    uint64_t sum;
    assert_int_equal (tori_points_choose (TORI_ALLOC (name), &instance->points,
                                          instance->k, chosen, &sum, NULL),
                      0);
    return sum;
}

/* Bender et al., Theorem 2: MM <= (2 - 1/(2d)) OPT; Krumke et al.: Gen-Alg
 * <= 2 OPT. MM+Inc is no worse than MM. */
TEST (bounds)
{
    struct rng rng = seeded (6);
    for (int i = 0; i < (int)random_cases (100); i++) {
        struct instance instance;
        uint64_t best, mm, twice_d;
        random_instance (&instance, &rng, 11, false);
        best = (uint64_t)optimum (&instance);
        mm = sum_by ("mm", &instance);
        twice_d = 2 * (uint64_t)instance.points.ndims;
        assert_true (mm >= best);
        assert_true (twice_d * mm <= (2 * twice_d - 1) * best);
        assert_true (sum_by ("gen-alg", &instance) <= 2 * best);
        assert_true (sum_by ("mm+inc", &instance) <= mm);
        assert_true (sum_by ("mm+inc", &instance) >= best);
    }
}

/* The example that shows the bound of MM tight in the plane (Theorem 1): k/2
 * points at 0,0 and 1,0, k/8 at six places around them. */
TEST (worst_case)
{
    enum { K = 80, UNIT = 1000, NEAR = UNIT - 1 };
    static const int64_t places[][3] = {
        {0, 0, K / 2},           {UNIT, 0, K / 2},    {0, NEAR, K / 8},
        {0, -NEAR, K / 8},       {UNIT, NEAR, K / 8}, {UNIT, -NEAR, K / 8},
        {UNIT + NEAR, 0, K / 8}, {-NEAR, 0, K / 8}};
    int64_t coords[2 * (K + 6 * K / 8)];
    tori_points points = {2, 0, coords};
    size_t chosen[K];
    uint64_t sum, best = (uint64_t)K * K / 4 * UNIT;
    for (size_t p = 0; p < LENGTH (places); p++)
        for (int64_t i = 0; i < places[p][2]; i++, points.n++)
            memcpy (coords + 2 * points.n, places[p], 2 * sizeof *coords);
    assert_int_equal (
        tori_points_choose (TORI_ALLOC ("mm"), &points, K, chosen, &sum, NULL),
        0);
    assert_true (sum <= best / 4 * 7);
    assert_true (sum >= best / 4 * 7 / 100 * 99);
}

/* ---- a local optimum ---- */

static void check_swaps (const tori_state *state, const tori_placement *place)
{
    const tori_machine *machine = tori_state_machine (state);
    uint32_t nodes = tori_machine_nodes (machine);
    uint32_t *copy = make_array (place->count, sizeof *copy);
    uint64_t sum, other;
    assert_int_equal (tori_placement_pairwise (place, machine, &sum, NULL), 0);
    memcpy (copy, place->nodes, place->count * sizeof *copy);
    for (uint32_t i = 0; i < place->count; i++)
        for (uint32_t in = 0; in < nodes; in++) {
            if (!tori_state_is_free (state, in)
                || tori_placement_contains (place, machine, in))
                continue;
            copy[i] = in;
            assert_int_equal (tori_nodes_pairwise (machine, copy, place->count,
                                                   &other, NULL),
                              0);
            assert_true (other >= sum);
            copy[i] = place->nodes[i];
        }
    free (copy);
}

static uint64_t place_sum (const char *name, const tori_state *state,
                           uint32_t k, bool local)
{
    const tori_machine *machine = tori_state_machine (state);
    tori_request request = {.count = k};
    tori_placement place = {0};
    tori_alloc *alloc;
    uint64_t sum;
    alloc = make_alloc (machine, name);
    assert_int_equal (tori_alloc_place (alloc, state, &request, &place, NULL),
                      TORI_PLACED);
    assert_int_equal (tori_placement_pairwise (&place, machine, &sum, NULL),
                      0);
    if (local)
        check_swaps (state, &place);
    tori_placement_clear (&place);
    tori_alloc_destroy (alloc);
    return sum;
}

/* No single swap improves what MM+Inc chose. */
TEST (local_optimum)
{
    struct rng rng = seeded (7);
    for (int i = 0; i < (int)random_cases (50); i++) {
        AUTO_MACHINE *machine = random_machine (&rng, 4, 100);
        AUTO_STATE *s = make_state (machine);
        uint32_t k;
        fill (s, &rng);
        k = random_count (&rng, tori_state_free_count (s));
        assert_true (place_sum ("mm+inc", s, k, true)
                     <= place_sum ("mm", s, k, false));
    }
}

/* The same among points. Among a dozen of them, swaps that gain 1 and no more
 * are seldom the only ones left: there are hundreds here, on small grids and
 * rings, and swaps are judged by sums of distances, S(q) - d(p,q) - S(p). */
static void check_point_swaps (const struct cloud *cloud, size_t k,
                               const size_t *chosen)
{
    bool *is_in = make_array (cloud->n, sizeof *is_in);
    wide *sums = make_array (cloud->n, sizeof *sums);
    memset (is_in, 0, cloud->n * sizeof *is_in);
    for (size_t j = 0; j < k; j++)
        is_in[chosen[j]] = true;
    for (size_t i = 0; i < cloud->n; i++) {
        sums[i] = 0;
        for (size_t j = 0; j < k; j++)
            sums[i] += cloud_distance (cloud, cloud_point (cloud, i),
                                       cloud_point (cloud, chosen[j]));
    }
    for (size_t j = 0; j < k; j++)
        for (size_t i = 0; i < cloud->n; i++)
            if (!is_in[i])
                assert_true (sums[i]
                             >= sums[chosen[j]]
                                    + cloud_distance (
                                        cloud, cloud_point (cloud, i),
                                        cloud_point (cloud, chosen[j])));
    free (is_in);
    free (sums);
}

TEST (local_optimum_points)
{
    enum { MOST = 220, NDIMS = 3 };
    struct rng rng = seeded (8);
    for (int round = 0; round < (int)random_cases (40); round++) {
        int64_t coords[NDIMS * MOST];
        size_t chosen[MOST], k;
        uint32_t span = between (&rng, 3, 30);
        uint64_t sum, mm;
        struct cloud cloud = {.ndims = (int)between (&rng, 1, NDIMS),
                              .n = between (&rng, 2, MOST),
                              .coords = coords};
        tori_points points = {cloud.ndims, cloud.n, coords, cloud.ring};
        for (int d = 0; d < cloud.ndims; d++)
            cloud.ring[d] = chance (&rng, 40) ? span + 1 : 0;
        for (size_t i = 0; i < cloud.n * (size_t)cloud.ndims; i++)
            coords[i] = between (&rng, 0, span);
        k = between (&rng, 1, (uint32_t)cloud.n - 1);
        assert_int_equal (tori_points_choose (TORI_ALLOC ("mm"), &points, k,
                                              chosen, &mm, NULL),
                          0);
        assert_int_equal (tori_points_choose (TORI_ALLOC ("mm+inc"), &points,
                                              k, chosen, &sum, NULL),
                          0);
        assert_true (sum <= mm);
        check_point_swaps (&cloud, k, chosen);
    }
}

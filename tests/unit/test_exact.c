/* The exact allocator against exhaustive search. */
#include "allocs.h"

#include <stdlib.h>
#include <string.h>

#include <tori/points.h>

#include "policy.h"

enum { MOST = 16 };

/* A small cloud with its own coordinates. */
struct instance {
    struct cloud cloud;
    int64_t coords[MOST * 4];
    size_t k;
};

/* Sides short enough for repeats; on rings within the ring. */
static struct instance *make_instance (struct rng *rng, int ndims, size_t n,
                                       unsigned ring_percent)
{
    struct instance *it = make_array (1, sizeof *it);
    it->cloud = (struct cloud){.ndims = ndims, .n = n, .coords = it->coords};
    for (int d = 0; d < ndims; d++) {
        uint32_t side = between (rng, 1, chance (rng, 20) ? 40 : 7);
        if (chance (rng, ring_percent))
            it->cloud.ring[d] = side;
        for (size_t i = 0; i < n; i++)
            it->coords[i * (size_t)ndims + (size_t)d]
                = (int64_t)rng_below (rng, side)
                  - (it->cloud.ring[d] ? 0 : side / 2);
    }
    it->k = between (rng, 1, (uint32_t)n);
    return it;
}

/* All nodes of a machine of two dimensions. */
static void make_idle (struct instance *it, uint32_t rows, uint32_t columns,
                       bool wraps)
{
    it->cloud.ndims = 2;
    it->cloud.n = (size_t)rows * columns;
    for (size_t i = 0; i < it->cloud.n; i++) {
        it->coords[2 * i] = (int64_t)(i / columns);
        it->coords[2 * i + 1] = (int64_t)(i % columns);
    }
    it->cloud.ring[0] = wraps ? rows : 0;
    it->cloud.ring[1] = wraps ? columns : 0;
}

static wide naive_sum (const struct cloud *cloud, uint32_t set)
{
    wide sum = 0;
    for (size_t i = 0; i < cloud->n; i++)
        for (size_t j = 0; set >> i & 1 && j < i; j++)
            if (set >> j & 1)
                sum += cloud_distance (cloud, cloud_point (cloud, i),
                                       cloud_point (cloud, j));
    return sum;
}

/* Whether the indexes of a come before those of b: the least index that is
 * not in both is in a. */
static bool comes_before (uint32_t a, uint32_t b)
{
    uint32_t differ = a ^ b;
    return a & differ & -differ;
}

/* Every set of k points: the best, of several the one that comes first. */
static uint32_t search_all (const struct instance *it, wide *ret_sum)
{
    uint32_t best = 0;
    wide least = 0;
    for (uint32_t set = 0; set < 1U << it->cloud.n; set++) {
        wide sum;
        if ((size_t)__builtin_popcount (set) != it->k)
            continue;
        sum = naive_sum (&it->cloud, set);
        if (!best || sum < least
            || (sum == least && comes_before (set, best))) {
            best = set;
            least = sum;
        }
    }
    *ret_sum = least;
    return best;
}

static uint32_t as_bits (const size_t *chosen, size_t k)
{
    uint32_t set = 0;
    for (size_t i = 0; i < k; i++) {
        assert_true (i == 0 || chosen[i - 1] < chosen[i]);
        set |= UINT32_C (1) << chosen[i];
    }
    return set;
}

/* The set itself. Returns the least sum. */
static wide check (const struct instance *it)
{
    size_t chosen[MOST];
    tori_alloc_config options = {0};
    wide least;
    uint32_t best = search_all (it, &least), set;
    assert_int_equal (exact_ops.choose (&it->cloud, it->k, &options, chosen,
                                        NULL),
                      0);
    set = as_bits (chosen, it->k);
    assert_true (naive_sum (&it->cloud, set) == least);
    assert_int_equal (set, best);
    return least;
}

TEST (exhaustive)
{
    struct rng rng = seeded (1);
    for (size_t i = 0; i < random_cases (1334); i++) {
        int ndims = (int)between (&rng, 1, 4);
        size_t n = between (&rng, 1, chance (&rng, 10) ? 13 : 9);
        struct instance *it = make_instance (&rng, ndims, n, 30);
        check (it);
        free (it);
    }
}

TEST (line)
{
    struct rng rng = seeded (2);
    for (size_t i = 0; i < random_cases (1000); i++) {
        struct instance *it
            = make_instance (&rng, 1, between (&rng, 1, 11), 0);
        check (it);
        free (it);
    }
}

/* So many points from this one on, up or down the ring. */
static uint32_t neighbours (const struct instance *it, size_t first, bool up)
{
    int64_t ring = (int64_t)it->cloud.ring[0], at = it->coords[first];
    uint32_t set = 1U << first;
    for (int64_t step = 0; step < ring; step++)
        for (size_t i = 0; i < it->cloud.n; i++)
            if ((at + (up ? step : -step) - it->coords[i]) % ring == 0
                && (size_t)__builtin_popcount (set) < it->k)
                set |= 1U << i;
    return set;
}

static wide best_neighbours (const struct instance *it)
{
    wide best = 0;
    for (size_t i = 0; i < 2 * it->cloud.n; i++) {
        wide sum = naive_sum (&it->cloud, neighbours (it, i / 2, i % 2));
        if (i == 0 || sum < best)
            best = sum;
    }
    return best;
}

/* Clusters at the corners of a triangle, of about one size, single points
 * opposite of corners, and some anywhere: neighbours are not always best. */
static struct instance *make_triangle (struct rng *rng)
{
    uint32_t scale = between (rng, 1, 3), size = between (rng, 2, 4);
    uint32_t n = 3 * size + between (rng, 0, 1);
    struct instance *it = make_instance (rng, 1, n, 0);
    it->cloud.ring[0] = 6 * scale;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t corner = i % 3, opposite = i < 3 ? 3 : 0;
        it->coords[i] = (2 * corner + opposite) % 6 * scale;
        if (chance (rng, 5))
            it->coords[i] = between (rng, 0, 6 * scale - 1);
    }
    if (chance (rng, 70))
        it->k = n - 2;
    return it;
}

TEST (ring)
{
    struct rng rng = seeded (3);
    unsigned others = 0;
    for (size_t i = 0; i < random_cases (1000); i++) {
        struct instance *it = make_triangle (&rng);
        wide least = check (it);
        others += best_neighbours (it) > least;
        free (it);
    }
    assert_true (others > random_cases (34));
}

/* Three clusters and single points opposite each: neighbours would not do. */
TEST (ring_example)
{
    static const int64_t coords[] = {0, 1, 1, 1, 2, 3, 3, 3, 4, 5, 5, 5};
    struct instance it = {.cloud = {.ndims = 1, .n = 12, .ring = {6}},
                          .k = 10};
    it.cloud.coords = it.coords;
    memcpy (it.coords, coords, sizeof coords);
    assert_true (check (&it) == 69);
    assert_true (best_neighbours (&it) == 70);
}

/* Clusters at the corners of a polygon, and one point in ten anywhere. */
static void make_clusters (struct rng *rng, uint32_t corners, int64_t ring,
                           size_t n, int64_t *ret_coords)
{
    for (size_t i = 0; i < n; i++) {
        int64_t at = (int64_t)(i % corners) * ring / corners;
        at += (int64_t)between (rng, 0, (uint32_t)(ring / 30));
        ret_coords[i] = i % 10 ? at % ring
                               : (int64_t)rng_below (rng, (uint64_t)ring);
    }
}

/* The best three to leave out: what is left has the least sum, and comes first;
 * so of those left out the last comes last, and so on. */
static void best_three (const struct cloud *cloud, size_t *ret_out)
{
    wide far[64] = {0}, greatest = 0;
    for (size_t i = 0; i < cloud->n; i++)
        for (size_t j = 0; j < cloud->n; j++)
            far[i] += cloud_distance (cloud, cloud_point (cloud, i),
                                      cloud_point (cloud, j));
    for (size_t a = 0; a < cloud->n; a++)
        for (size_t b = a + 1; b < cloud->n; b++)
            for (size_t c = b + 1; c < cloud->n; c++) {
                size_t out[] = {a, b, c};
                wide sum, gain = far[a] + far[b] + far[c];
                cloud_pairwise (cloud, out, 3, &sum, NULL);
                if (gain - sum < greatest)
                    continue;
                greatest = gain - sum;
                memcpy (ret_out, out, sizeof out);
            }
}

/* Short rings have many sets as good. */
TEST (three_left_out)
{
    enum { N = 40 };
    struct rng rng = seeded (12);
    for (size_t round = 0; round < random_cases (50); round++) {
        uint32_t n = between (&rng, 20, N), length = between (&rng, 24, 60);
        int64_t coords[N];
        size_t chosen[N], out[3], at = 0;
        struct cloud cloud = {.ndims = 1, .n = n, .coords = coords,
                              .ring = {length}};
        tori_alloc_config options = {0};
        make_clusters (&rng, chance (&rng, 70) ? 3 : 5, length, n, coords);
        best_three (&cloud, out);
        assert_int_equal (exact_ops.choose (&cloud, n - 3, &options, chosen,
                                            NULL),
                          0);
        for (size_t i = 0; i < n; i++) {
            bool left = at < 3 && out[at] == i;
            at += left;
            if (!left)
                assert_int_equal (chosen[i - at], i);
        }
    }
}

/* Cases for both methods: branch and bound on a second axis with one point far
 * away, which is never chosen. */
TEST (long_line)
{
    enum { N = 60, K = 20 };
    struct rng rng = seeded (4);
    for (size_t round = 0; round < random_cases (7); round++) {
        int64_t flat[N], coords[2 * (N + 1)];
        size_t a[K], b[K];
        struct cloud line = {.ndims = 1, .n = N, .coords = flat};
        struct cloud plane = {.ndims = 2, .n = N + 1, .coords = coords};
        tori_alloc_config options = {0};
        uint64_t ring = chance (&rng, 50) ? 200 : 0;
        wide sum_a, sum_b;
        for (size_t i = 0; i < N; i++) {
            flat[i] = coords[2 * i] = between (&rng, 0, 199);
            coords[2 * i + 1] = 0;
        }
        coords[2 * N] = 0;
        coords[2 * N + 1] = 1000;
        line.ring[0] = plane.ring[0] = ring;
        assert_int_equal (exact_ops.choose (&line, K, &options, a, NULL), 0);
        assert_int_equal (exact_ops.choose (&plane, K, &options, b, NULL), 0);
        cloud_pairwise (&line, a, K, &sum_a, NULL);
        cloud_pairwise (&plane, b, K, &sum_b, NULL);
        assert_true (sum_a == sum_b);
        assert_memory_equal (a, b, sizeof a);
    }
}

/* ---- what is proved of others ---- */

/* The sum of an allocator's choice. */
static wide sum_of (const char *name, const struct cloud *cloud, size_t k)
{
    tori_alloc_config options = {0};
    size_t chosen[64];
    wide sum = 0;
    assert_int_equal (alloc_find (name)->choose (cloud, k, &options, chosen,
                                                 NULL),
                      0);
    cloud_pairwise (cloud, chosen, k, &sum, NULL);
    return sum;
}

/* Theorems 2 and 3 of Bender et al., and of Krumke et al. for gen-alg, as
 * numerator and denominator. */
static void check_bounds (const struct cloud *cloud, size_t k)
{
    wide best = sum_of ("exact", cloud, k), d = (wide)cloud->ndims;
    wide mm = sum_of ("mm", cloud, k), inc = sum_of ("mm+inc", cloud, k);
    assert_true (mm * 2 * d <= best * (4 * d - 1));
    assert_true (inc <= mm && inc >= best);
    assert_true (sum_of ("gen-alg", cloud, k) * k <= best * (2 * k - 2));
    assert_true (sum_of ("mc1x1", cloud, k) * k <= best * (2 * k - 2) * d);
}

/* This holds around rings, too. */
static void check_round (const struct cloud *cloud, size_t k)
{
    wide best = sum_of ("exact", cloud, k), d = (wide)cloud->ndims;
    assert_true (sum_of ("mm", cloud, k) * k <= best * (2 * k - 2));
    assert_true (sum_of ("gen-alg", cloud, k) * k <= best * (2 * k - 2));
    assert_true (sum_of ("mc1x1", cloud, k) * k <= best * (2 * k - 2) * d);
}

/* Points anywhere, and grids with holes, where ties abound. */
TEST (bounds)
{
    struct rng rng = seeded (5);
    for (size_t i = 0; i < random_cases (200); i++) {
        int ndims = (int)between (&rng, 1, 3);
        size_t n = between (&rng, 2, 40);
        int64_t coords[40 * 3];
        struct cloud cloud = {.ndims = ndims, .n = n, .coords = coords};
        uint32_t side = between (&rng, 2, chance (&rng, 50) ? 5 : 100);
        for (size_t j = 0; j < n * (size_t)ndims; j++)
            coords[j] = between (&rng, 0, side);
        check_bounds (&cloud, between (&rng, 2, (uint32_t)n));
        for (int d = 0; d < ndims; d++)
            cloud.ring[d] = chance (&rng, 70) ? side + 1 : 0;
        check_round (&cloud, between (&rng, 2, n < 12 ? (uint32_t)n : 12));
    }
}

/* As many points as a large machine has. */
TEST (large_line)
{
    enum { N = 200000, K = 5000 };
    int64_t *coords = make_array (N, sizeof *coords);
    size_t *chosen = make_array (K, sizeof *chosen);
    struct cloud cloud = {.ndims = 1, .n = N, .coords = coords};
    tori_alloc_config options = {0};
    for (size_t i = 0; i < N; i++)
        coords[i] = (int64_t)(i * i);
    assert_int_equal (exact_ops.choose (&cloud, K, &options, chosen, NULL),
                      0);
    for (size_t i = 0; i < K; i++)
        assert_int_equal (chosen[i], i);
    free (coords);
    free (chosen);
}

/* Idle rings, odd and even: neighbours of any number are proved best, and the
 * first of them taken. */
TEST (idle_ring)
{
    enum { MOST_NODES = 5000 };
    static int64_t coords[MOST_NODES];
    static size_t chosen[MOST_NODES];
    static const size_t sides[] = {120, 121, 1000, 4999, MOST_NODES};
    tori_alloc_config options = {0};
    for (size_t i = 0; i < MOST_NODES; i++)
        coords[i] = (int64_t)i;
    for (size_t s = 0; s < sizeof sides / sizeof sides[0]; s++) {
        size_t n = sides[s];
        struct cloud cloud = {.ndims = 1, .n = n, .coords = coords,
                              .ring = {n}};
        for (size_t tenth = 1; tenth < 10; tenth++) {
            size_t k = n * tenth / 10;
            assert_int_equal (exact_ops.choose (&cloud, k, &options, chosen,
                                                NULL),
                              0);
            for (size_t i = 0; i < k; i++)
                assert_int_equal (chosen[i], i);
        }
    }
}

/* The same against all sets, places next to each other or farther apart. */
TEST (regular_ring)
{
    for (size_t n = 2; n <= 12; n++)
        for (size_t k = 1; k <= n; k++) {
            struct instance it = {.cloud = {.ndims = 1, .n = n}, .k = k};
            uint64_t step = 1 + (n + k) % 3;
            it.cloud.coords = it.coords;
            it.cloud.ring[0] = n * step;
            for (size_t i = 0; i < n; i++)
                it.coords[(i * 5 + 2) % n] = (int64_t)(i * step);
            if (n % 5 != 0)
                check (&it);
        }
}

/* Many points at few places: all that are left out are at one of them, and of
 * these the last. */
TEST (few_places)
{
    enum { EACH = 200, N = 3 * EACH, OUT = 70 };
    static int64_t coords[N];
    static size_t chosen[N];
    struct cloud cloud = {.ndims = 1, .n = N, .coords = coords, .ring = {300}};
    tori_alloc_config options = {0};
    for (size_t i = 0; i < N; i++)
        coords[i] = (int64_t)(i % 3 * 100);
    assert_int_equal (exact_ops.choose (&cloud, N - OUT, &options, chosen,
                                        NULL),
                      0);
    for (size_t i = 0; i < N - OUT; i++)
        if (i < N - 3 * OUT)
            assert_int_equal (chosen[i], i);
        else
            assert_int_equal (coords[chosen[i]],
                              i % 2 == 0 ? 0 : 100);
}

/* Coordinates at both ends of their range. */
TEST (extremes)
{
    static const int64_t coords[] = {INT64_MIN, INT64_MAX, INT64_MAX,
                                     INT64_MIN, INT64_MAX, INT64_MIN + 5,
                                     0, 0, INT64_MIN, INT64_MIN + 1};
    struct cloud cloud = {.ndims = 2, .n = 5, .coords = coords};
    tori_alloc_config options = {0};
    size_t chosen[2];
    assert_int_equal (exact_ops.choose (&cloud, 2, &options, chosen, NULL),
                      0);
    assert_int_equal (chosen[0], 1);
    assert_int_equal (chosen[1], 2);
}

/* Refused with an estimate, whether at once or after some time. */
TEST (too_large)
{
    enum { N = 10000 };
    int64_t *coords = make_array (2 * N, sizeof *coords);
    size_t chosen[100];
    uint64_t sum = 77;
    tori_points points = {.ndims = 2, .n = N, .coords = coords};
    tori_error err = {.status = TORI_OK};
    for (int64_t i = 0; i < N; i++) {
        coords[2 * i] = i / 100;
        coords[2 * i + 1] = i % 100;
    }
    assert_int_equal (tori_points_choose (TORI_ALLOC ("exact"), &points, 100,
                                          chosen, &sum, &err),
                      -1);
    assert_int_equal (err.status, TORI_GAVE_UP);
    assert_non_null (strstr (err.text, "100 of 10000"));
    assert_int_equal (sum, 77);
    free (coords);
}

/* A search that gave up still bounds the best set: by any limit it lies
 * between the two sums, and the set has the one. Otherwise the answer is as
 * good as with all the time. */
static bool check_limit (const struct alloc_ops *ops,
                         const struct instance *it, uint64_t steps)
{
    size_t chosen[MOST], best[MOST];
    tori_search search = {.chosen = best};
    tori_alloc_config options = {.size = sizeof options,
                                 .epsilon = 0.001,
                                 .steps = steps,
                                 .search = &search};
    tori_error err = {.status = TORI_OK};
    wide least;
    search_all (it, &least);
    if (ops->choose (&it->cloud, it->k, &options, chosen, &err) == 0) {
        wide sum = naive_sum (&it->cloud, as_bits (chosen, it->k));
        assert_true ((double)sum <= 1.001 * (double)least);
        return false;
    }
    assert_int_equal (err.status, TORI_GAVE_UP);
    assert_int_equal (search.limit, steps);
    assert_true (search.steps == 0 || search.steps > steps);
    assert_true (search.at_least <= (double)least);
    if (search.found) {
        wide sum = naive_sum (&it->cloud, as_bits (best, it->k));
        assert_true ((double)sum == search.best && sum >= least);
    }
    return search.found;
}

TEST (limits)
{
    const struct alloc_ops *both[] = {&exact_ops, &ptas_ops};
    size_t found[2] = {0};
    struct rng rng = seeded (9);
    for (int i = 0; i < 160; i++) {
        struct instance *it = make_instance (&rng, 2, 16, 30);
        uint32_t most = i % 2 ? 6 : 17; /* ways are fewer than additions */
        uint64_t steps = between (&rng, 1, 1U << between (&rng, most / 2, most));
        if (chance (&rng, 70)) /* these are the hardest for their size */
            make_idle (it, 4, 4, chance (&rng, 50));
        found[i % 2] += check_limit (both[i % 2], it, steps);
        free (it);
    }
    if (found[0] < 2 || found[1] < 10)
        fail_msg ("%zu and %zu found", found[0], found[1]);
}

/* On a machine the set has ids, of free nodes only. */
TEST (limit_on_machine)
{
    AUTO_MACHINE *machine = make_machine ("torus:6x6");
    AUTO_STATE *now = make_state (machine);
    size_t chosen[12];
    tori_search search = {.chosen = chosen};
    tori_alloc_config options = {.size = sizeof options,
                                 .name = "exact",
                                 .steps = 100000,
                                 .search = &search};
    tori_request request = {.count = 12};
    tori_placement place = {.count = 12}, none = {0};
    uint32_t ids[12];
    uint64_t sum = 0;
    tori_alloc *alloc;
    tori_error err = {.status = TORI_OK};
    for (uint32_t i = 0; i < 7; i++)
        assert_int_equal (tori_state_set_down (now, i, true, &err), 0);
    assert_int_equal (tori_alloc_create (machine, &options, &alloc, &err), 0);
    assert_int_equal (tori_alloc_place (alloc, now, &request, &none, &err),
                      TORI_ERROR);
    assert_int_equal (err.status, TORI_GAVE_UP);
    assert_true (search.found && search.steps > search.limit);
    for (size_t i = 0; i < 12; i++) {
        assert_true (chosen[i] >= 7 && chosen[i] < 36);
        assert_true (i == 0 || chosen[i - 1] < chosen[i]);
        ids[i] = (uint32_t)chosen[i];
    }
    place.nodes = ids;
    assert_int_equal (tori_placement_pairwise (&place, machine, &sum, &err),
                      0);
    assert_true ((double)sum == search.best);
    tori_alloc_destroy (alloc);
}

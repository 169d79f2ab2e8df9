/* The best clusters of a grid, and the entry of tori paper that goes with
 * them. */
#include "allocs.h"

#include <jansson.h>
#include <stdlib.h>

#include <tori/points.h>

#include "paper.h"
#include "optimal_cluster.h"

/* Bender et al., "Communication-Aware Processor Allocation for
 * Supercomputers", 2005, Figure 2, for k = 2 to 21. */
static const unsigned figure2[] = {1,   4,   8,   16,  25,  38,  54,
                                   72,  96,  124, 152, 188, 227, 272,
                                   318, 374, 433, 496, 563, 632};

/* ---- optimal clusters ---- */

/* The points of a cluster; returns how many. */
static size_t list_points (const struct optimal_cluster *best,
                           int64_t coords[])
{
    size_t n = 0;
    for (uint32_t c = 0; c < best->columns; c++)
        for (int32_t row = -CLUSTER_MOST; row <= CLUSTER_MOST; row++)
            if (optimal_cluster_has (best, c, row)) {
                coords[2 * n] = c;
                coords[2 * n + 1] = row;
                n++;
            }
    return n;
}

static uint64_t sum_points (const int64_t coords[], size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            sum += (uint64_t)llabs (coords[2 * i] - coords[2 * j])
                   + (uint64_t)llabs (coords[2 * i + 1] - coords[2 * j + 1]);
    return sum;
}

/* A cluster has the points and the sum that it says. */
TEST (optimal_sums)
{
    for (uint32_t k = 1; k <= 40; k++) {
        struct optimal_cluster best = optimal_cluster_find (k);
        int64_t coords[2 * CLUSTER_MOST];
        assert_int_equal (list_points (&best, coords), k);
        assert_int_equal (sum_points (coords, k), best.sum);
    }
}

TEST (figure2)
{
    for (uint32_t k = 2; k <= 21; k++)
        assert_int_equal (optimal_cluster_find (k).sum, figure2[k - 2]);
}

static uint64_t least_in_square (uint32_t side, uint32_t k)
{
    size_t n = (size_t)side * side, chosen[CLUSTER_MOST];
    int64_t *coords = make_array (2 * n, sizeof *coords);
    tori_points points = {.ndims = 2, .n = n, .coords = coords};
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        coords[2 * i] = (int64_t)(i / side);
        coords[2 * i + 1] = (int64_t)(i % side);
    }
    assert_int_equal (tori_points_choose (TORI_ALLOC ("exact"), &points, k,
                                          chosen, &sum, NULL),
                      0);
    free (coords);
    return sum;
}

/* Branch and bound agrees, in the square said to be enough and in a larger
 * one. */
TEST (squares)
{
    for (uint32_t k = 2; k <= 25; k++) {
        struct optimal_cluster best = optimal_cluster_find (k);
        uint32_t side = optimal_cluster_side (k, best.sum);
        assert_true (side < k || k == 2 || k == 3);
        assert_int_equal (least_in_square (side, k), best.sum);
        if (k <= 14)
            assert_int_equal (least_in_square (side + 2, k), best.sum);
    }
}

/* Every set of points of a square is at least so bad. */
TEST (every_set)
{
    enum { SIDE = 4 };
    uint64_t clusters[SIDE * SIDE + 1];
    for (uint32_t k = 1; k <= SIDE * SIDE; k++)
        clusters[k] = optimal_cluster_find (k).sum;
    for (uint32_t set = 1; set < 1U << (SIDE * SIDE); set++) {
        int64_t coords[2 * SIDE * SIDE];
        size_t n = 0;
        for (int i = 0; i < SIDE * SIDE; i++)
            if (set >> i & 1) {
                coords[2 * n] = i / SIDE;
                coords[2 * n++ + 1] = i % SIDE;
            }
        assert_true (sum_points (coords, n) >= clusters[n]);
    }
}

/* ---- tori paper ---- */

static const struct paper *find_paper (const char *name)
{
    const struct paper *paper = NULL;
    for (size_t i = 0; (paper = paper_list (i)); i++)
        if (strcmp (paper->name, name) == 0)
            return paper;
    fail_msg ("no paper %s", name);
    return NULL;
}

static void no_config (struct emit *e, const void *arg)
{
}

static json_t *run_paper (const char *name)
{
    static const struct answer answer = {"paper", no_config, NULL};
    struct paper_setup setup = {.json = true, .answer = &answer};
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream (&text, &length);
    json_t *root;
    assert_non_null (out);
    assert_int_equal (paper_do (find_paper (name), &setup, out, NULL), 0);
    fclose (out);
    root = json_loads (text, 0, NULL);
    assert_non_null (root);
    free (text);
    return root;
}

static json_int_t whole (const json_t *object, const char *key)
{
    return json_integer_value (json_object_get (object, key));
}

TEST (clusters)
{
    json_t *root = run_paper ("clusters");
    json_t *list = json_object_get (root, "clusters"), *cluster;
    size_t i;
    assert_int_equal (json_array_size (list), LENGTH (figure2));
    json_array_foreach (list, i, cluster)
    {
        assert_int_equal (whole (cluster, "k"), i + 2);
        assert_int_equal (whole (cluster, "sum"), figure2[i]);
        assert_int_equal (whole (cluster, "printed"), figure2[i]);
        assert_true (json_is_true (json_object_get (cluster, "proved")));
    }
    json_decref (root);
}

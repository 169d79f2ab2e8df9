/* Boxes of centres: what is known of all centres is true of each, and the
 * search by boxes finds what the plain one finds. */
#include "naive_alloc.h"

#include <stdlib.h>
#include <string.h>

#include "mm.h"
#include "mm_boxes.h"
#include "nearest.h"
#include "sorted.h"

enum { MOST_POINTS = 60, MOST_DIMS = 6 };

/* Points with repeats and ties, or anywhere, some dimensions round rings. The
 * more dimensions the fewer points, for the sake of the plain search. */
static void random_cloud (struct rng *rng, int most_dims, int64_t *coords,
                          struct cloud *ret_cloud)
{
    static const uint32_t most[] = {0, MOST_POINTS, 40, 14, 8, 5, 4};
    int ndims = (int)between (rng, 1, (uint32_t)most_dims);
    uint32_t side = between (rng, 1, chance (rng, 50) ? 8 : 1000);
    *ret_cloud = (struct cloud){.ndims = ndims, .coords = coords,
                                .n = between (rng, 1, most[ndims])};
    for (size_t i = 0; i < ret_cloud->n * (size_t)ndims; i++)
        coords[i] = (int64_t)between (rng, 0, side - 1);
    for (int d = 0; d < ndims; d++)
        if (chance (rng, 30))
            ret_cloud->ring[d] = between (rng, side, side + 2);
}

/* ---- the search ---- */

static void expect_as_defined (const struct cloud *cloud, size_t k)
{
    size_t boxes[MOST_POINTS], plain[MOST_POINTS];
    assert_int_equal (mm_choose_boxes (cloud, k, true, UINT64_MAX,
                                       boxes, NULL), 1);
    assert_int_equal (mm_choose_plain (cloud, k, true, plain, NULL), 0);
    assert_memory_equal (boxes, plain, k * sizeof *boxes);
    assert_int_equal (mm_choose_boxes (cloud, k, false, UINT64_MAX,
                                       boxes, NULL), 1);
    assert_int_equal (mm_choose_plain (cloud, k, false, plain, NULL), 0);
    assert_memory_equal (boxes, plain, k * sizeof *boxes);
}

TEST (boxes)
{
    struct rng rng = seeded (1);
    for (int i = 0; i < 3000; i++) {
        int64_t coords[MOST_POINTS * MOST_DIMS];
        struct cloud cloud;
        random_cloud (&rng, MOST_DIMS, coords, &cloud);
        expect_as_defined (&cloud, between (&rng, 1, (uint32_t)cloud.n));
    }
}

/* Every place of a grid: all centres inside are as good, the first wins. */
TEST (full_grids)
{
    for (uint32_t side = 1; side <= 7; side++)
        for (int round = 0; round < 2; round++) {
            int64_t coords[2 * 49];
            struct cloud cloud = {.ndims = 2, .n = (size_t)side * side,
                                  .coords = coords};
            cloud.ring[0] = cloud.ring[1] = round ? side : 0;
            for (uint32_t i = 0; i < side * side; i++) {
                coords[2 * i] = i / side;
                coords[2 * i + 1] = i % side;
            }
            for (size_t k = 1; k <= cloud.n; k++)
                expect_as_defined (&cloud, k);
        }
}

/* Coordinates so large that n of the distances just fit. */
TEST (wide)
{
    struct rng rng = seeded (2);
    for (int i = 0; i < 300; i++) {
        int64_t coords[2 * 40];
        struct cloud cloud = {.ndims = 2, .coords = coords,
                              .n = between (&rng, 1, 40)};
        size_t k = between (&rng, 1, (uint32_t)cloud.n);
        uint64_t most = (UINT64_C (1) << 59) / 2 / (cloud.n + 1);
        for (size_t j = 0; j < 2 * cloud.n; j++)
            coords[j] = (int64_t)rng_below (&rng, most) - (int64_t)(most / 2);
        cloud.ring[1] = 0;
        assert_true (nearest_serves (&cloud));
        expect_as_defined (&cloud, k);
        coords[0] = INT64_MAX / 2;
        if (cloud.n > 1)
            assert_false (nearest_serves (&cloud));
    }
}

/* ---- one box ---- */

struct ranked {
    uint64_t distance;
    uint32_t point;
};

static int compare_ranked (const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    return (x->point > y->point) - (x->point < y->point);
}

struct picked {
    const struct nearest *near;
    const uint32_t *points;
};

static wide picked_gap (const void *things, size_t i, size_t j)
{
    const struct picked *picked = things;
    const struct nearest *near = picked->near;
    return nearest_distance (near, nearest_coords (near, picked->points[i]),
                             nearest_coords (near, picked->points[j]));
}

static wide sum_pairs (const struct nearest *near, const uint32_t *points,
                       size_t n)
{
    return naive_pairs (&(struct picked){near, points}, n, picked_gap);
}

/* The k nearest of one centre: the sure ones, which are not open, come to the
 * same for all centres. */
static void check_centre (const struct nearest *near,
                          const struct nearest_box *box, wide bound,
                          const uint64_t *centre)
{
    struct ranked ranked[MOST_POINTS];
    uint32_t taken[MOST_POINTS], sure[MOST_POINTS];
    size_t nsure = 0, nopen = box->nopen;
    for (uint32_t i = 0; i < near->n; i++)
        ranked[i] = (struct ranked){
            nearest_distance (near, centre, nearest_coords (near, i)), i};
    qsort (ranked, near->n, sizeof *ranked, compare_ranked);
    for (size_t i = 0; i < near->k; i++) {
        bool open = false;
        for (size_t j = 0; j < nopen; j++)
            open = open || box->open[j].point == ranked[i].point;
        taken[i] = ranked[i].point;
        if (!open)
            sure[nsure++] = ranked[i].point;
    }
    assert_int_equal (near->k - nsure, box->rest);
    assert_true (sum_pairs (near, sure, nsure) == box->sum);
    assert_true (sum_pairs (near, taken, near->k) >= bound);
    for (size_t j = 0; j < nopen; j++) {
        const uint64_t *at = nearest_coords (near, box->open[j].point);
        uint64_t star = 0;
        for (size_t i = 0; i < nsure; i++)
            star += nearest_distance (near, at,
                                      nearest_coords (near, sure[i]));
        assert_int_equal (box->open[j].star, star);
    }
}

static void check_box (struct nearest *near, const struct nearest_box *box,
                       struct rng *rng)
{
    wide bound = nearest_bound (near, box, (wide)1 << 126);
    assert_true (nearest_bound (near, box, 0) <= bound);
    for (int i = 0; i < 20; i++) {
        uint64_t centre[TORI_MAX_DIMS];
        for (size_t d = 0; d < near->ndims; d++)
            centre[d] = box->low[d]
                        + rng_below (rng, box->high[d] - box->low[d] + 1);
        check_centre (near, box, bound, centre);
    }
}

/* A box in a box in a box, down to one place, where nothing is open. */
static void check_boxes (const struct cloud *cloud, size_t k, struct rng *rng)
{
    struct nearest near;
    struct nearest_box boxes[2] = {0};
    bool wide_open = true;
    int at = 0;
    assert_int_equal (nearest_init (&near, cloud, k, NULL), 0);
    assert_int_equal (nearest_start (&near, &boxes[0], NULL), 0);
    for (size_t d = 0; d < near.ndims; d++)
        for (size_t i = 0; i < near.n; i++)
            if (nearest_coords (&near, i)[d] > boxes[0].high[d])
                boxes[0].high[d] = nearest_coords (&near, i)[d];
    for (; wide_open; at = !at) {
        struct nearest_box *part = &boxes[!at];
        wide_open = false;
        for (size_t d = 0; d < near.ndims; d++) {
            uint64_t width = boxes[at].high[d] - boxes[at].low[d];
            uint64_t less = rng_below (rng, width + 1);
            part->low[d] = boxes[at].low[d] + rng_below (rng, less + 1);
            part->high[d] = part->low[d] + width - less;
            wide_open = wide_open || part->high[d] > part->low[d];
        }
        assert_int_equal (nearest_enter (&near, &boxes[at], part, NULL), 0);
        check_box (&near, part, rng);
    }
    assert_int_equal (boxes[at].nopen, 0);
    nearest_box_clear (&boxes[0]);
    nearest_box_clear (&boxes[1]);
    nearest_clear (&near);
}

TEST (open_points)
{
    struct rng rng = seeded (3);
    for (int i = 0; i < 1500; i++) {
        int64_t coords[MOST_POINTS * 3];
        struct cloud cloud;
        random_cloud (&rng, 3, coords, &cloud);
        check_boxes (&cloud, between (&rng, 1, (uint32_t)cloud.n), &rng);
    }
}

/* ---- numbers ---- */

TEST (numbers)
{
    enum { MOST = 400 };
    struct rng rng = seeded (5);
    for (int round = 0; round < 500; round++) {
        uint64_t numbers[MOST], room[MOST], sum = 0;
        size_t n = between (&rng, 0, MOST);
        unsigned bits = between (&rng, 1, 63);
        for (size_t i = 0; i < n; i++) {
            numbers[i] = rng_below (&rng, UINT64_C (1) << bits)
                         << (63 - bits);
            sum += numbers[i];
        }
        sort_numbers (numbers, n, room);
        for (size_t i = 0; i < n; i++) {
            size_t before = count_below (numbers, n, numbers[i]);
            assert_true (i == 0 || numbers[i - 1] <= numbers[i]);
            assert_true (before <= i && numbers[before] == numbers[i]);
            assert_true (before == 0 || numbers[before - 1] < numbers[i]);
            sum -= numbers[i];
        }
        assert_int_equal (sum, 0);
        assert_int_equal (count_below (numbers, n, UINT64_MAX), n);
    }
}

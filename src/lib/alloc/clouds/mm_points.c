/* mm_points.c - MM and Gen-Alg on any points: by definition, and the choice
 * between ways.
 *
 * In one dimension mm_line.c is exact and linear after sorting. Otherwise
 * mm_boxes.c leaves out most centres. The definition itself is used for the
 * rest: coordinates too far apart, and Gen-Alg in four dimensions and more. */
#include <stdlib.h>
#include <string.h>

#include "mm.h"
#include "mm_boxes.h"
#include "nearest.h"
#include "row.h"
#include "ticks.h"

/* ---- the k nearest of one centre ---- */

static size_t count_upto (const wide *distances, size_t n, wide limit)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += distances[i] <= limit;
    return count;
}

/* Keep those of n distances that are from `low` to `high`. */
static size_t keep_between (wide *distances, size_t n, wide low, wide high)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (distances[i] >= low && distances[i] <= high)
            distances[kept++] = distances[i];
    return kept;
}

/* The least distance within which there are k points. Halving the range needs
 * no luck with pivots, and because distances out of the range are dropped each
 * time, it mostly costs a pass or two. The distances are overwritten. */
static wide find_radius (wide *distances, size_t n, size_t k, wide high)
{
    wide low = 0;
    while (low < high) {
        wide middle = low + (high - low) / 2;
        size_t within = count_upto (distances, n, middle);
        if (within >= k) {
            high = middle;
        } else {
            low = middle + 1;
            k -= within;
        }
        n = keep_between (distances, n, low, high);
    }
    return low;
}

void mm_take_nearest (const struct cloud *cloud, const int64_t *centre,
                      size_t k, wide *room, size_t *ret_chosen)
{
    size_t n = cloud->n, rest = k, at = 0;
    wide *away = room, *copy = room + n, high = 0, radius;
    for (size_t i = 0; i < n; i++) {
        away[i] = copy[i] =
            cloud_distance (cloud, centre, cloud_point (cloud, i));
        high = away[i] > high ? away[i] : high;
    }
    radius = find_radius (copy, n, k, high);
    if (radius > 0)
        rest -= count_upto (away, n, radius - 1);
    for (size_t i = 0; i < n; i++) {
        if (away[i] > radius || (away[i] == radius && rest == 0))
            continue;
        rest -= away[i] == radius;
        ret_chosen[at++] = i;
    }
}

/* ---- by definition ---- */

struct trial {
    const struct cloud *cloud;
    size_t k;
    wide *room;      /* for the distances of all points, twice */
    size_t *nearest; /* the k of a centre */
    size_t *best;    /* those of the best so far */
    wide least;
};

static int try_centre (struct trial *trial, const int64_t *centre,
                       tori_error *err)
{
    wide sum;
    mm_take_nearest (trial->cloud, centre, trial->k, trial->room,
                     trial->nearest);
    if (cloud_pairwise (trial->cloud, trial->nearest, trial->k, &sum, err) < 0)
        return -1;
    if (sum >= trial->least)
        return 0;
    trial->least = sum;
    memcpy (trial->best, trial->nearest, trial->k * sizeof *trial->best);
    return 0;
}

/* On to the next centre of the grid; false past the last. */
static bool next_centre (const struct ticks *ticks, int ndims, size_t ranks[])
{
    for (int d = ndims; d-- > 0;) {
        if (++ranks[d] < ticks->count[d])
            return true;
        ranks[d] = 0;
    }
    return false;
}

static int try_grid (struct trial *trial, tori_error *err)
{
    int ndims = trial->cloud->ndims, status;
    size_t ranks[TORI_MAX_DIMS] = {0};
    int64_t centre[TORI_MAX_DIMS];
    struct ticks ticks;
    if (ticks_init (&ticks, trial->cloud, err) < 0)
        return -1;
    do {
        for (int d = 0; d < ndims; d++)
            centre[d] =
                (int64_t)((uint64_t)ticks.least[d] + ticks.at[d][ranks[d]]);
        status = try_centre (trial, centre, err);
    } while (status == 0 && next_centre (&ticks, ndims, ranks));
    ticks_clear (&ticks);
    return status;
}

static int try_points (struct trial *trial, tori_error *err)
{
    int status = 0;
    for (size_t i = 0; status == 0 && i < trial->cloud->n; i++)
        status = try_centre (trial, cloud_point (trial->cloud, i), err);
    return status;
}

int mm_choose_plain (const struct cloud *cloud, size_t k, bool grid,
                     size_t *ret_chosen, tori_error *err)
{
    struct trial trial = {
        .cloud = cloud, .k = k, .best = ret_chosen, .least = ~(wide)0};
    int status = -1;
    trial.room = malloc (2 * cloud->n * sizeof *trial.room);
    trial.nearest = malloc (k * sizeof *trial.nearest);
    if (!trial.room || !trial.nearest)
        tori_error_nomem (err);
    else
        status = grid ? try_grid (&trial, err) : try_points (&trial, err);
    free (trial.room);
    free (trial.nearest);
    return status;
}

/* ---- which way ---- */

/* Steps before the search by boxes gives up: at 45 to 115 ns each, depending on
 * the machine and the points, 12 to 31 seconds. The other limit is for trying
 * every centre, in centres times points. */
static const uint64_t BOX_STEPS = UINT64_C (1) << 28;
static const wide MOST_TRIALS = (wide)1 << 26;

/* In more dimensions all points are about as far from one box as from another,
 * and leaving out centres costs more than trying them. */
enum { FEW_DIMS = 3 };

/* 1, or 0 if it takes too long. */
static int choose_grid (const struct cloud *cloud, size_t k, wide centres,
                        size_t *ret_chosen, tori_error *err)
{
    int status = 0;
    if (centres >> 62 == 0 && nearest_serves (cloud))
        status = mm_choose_boxes (cloud, k, true, BOX_STEPS, ret_chosen, err);
    if (status == 0 && centres <= MOST_TRIALS / cloud->n)
        return mm_choose_plain (cloud, k, true, ret_chosen, err) < 0 ? -1 : 1;
    return status;
}

/* Report the set of Gen-Alg, which is known at least. `room` is for k. */
static int keep_known (const struct cloud *cloud, size_t k,
                       const tori_alloc_config *options, size_t *room,
                       tori_error *err)
{
    wide sum;
    if (!options || !options->search)
        return 0;
    if (gen_alg_choose (cloud, k, options, room, err) < 0
        || cloud_pairwise (cloud, room, k, &sum, err) < 0)
        return -1;
    cloud_keep (options, room, k, (double)sum, 0);
    return 0;
}

static int give_up (const struct cloud *cloud, size_t k,
                    const struct ticks *ticks,
                    const tori_alloc_config *options, size_t *room,
                    tori_error *err)
{
    double centres = 1;
    for (int d = 0; d < cloud->ndims; d++)
        centres *= (double)ticks->count[d];
    if (keep_known (cloud, k, options, room, err) < 0)
        return -1;
    return tori_error_set (
        err, TORI_GAVE_UP,
        "mm would take too long: the coordinates of these %zu points in %d "
        "dimensions span a grid of %.2g centres; gen-alg and mc1x1 always "
        "answer",
        cloud->n, cloud->ndims, centres);
}

int mm_choose (const struct cloud *cloud, size_t k,
               const tori_alloc_config *options, size_t *ret_chosen,
               tori_error *err)
{
    int dim = row_find (cloud), status;
    struct ticks ticks;
    if (dim >= 0)
        return mm_choose_line (cloud, dim, k, false, ret_chosen, err);
    if (ticks_init (&ticks, cloud, err) < 0)
        return -1;
    status = choose_grid (cloud, k, ticks_centres (&ticks, cloud->ndims),
                          ret_chosen, err);
    if (status == 0)
        status = give_up (cloud, k, &ticks, options, ret_chosen, err);
    ticks_clear (&ticks);
    return status < 0 ? -1 : 0;
}

int gen_alg_choose (const struct cloud *cloud, size_t k,
                    const tori_alloc_config *options, size_t *ret_chosen,
                    tori_error *err)
{
    int dim = row_find (cloud), status;
    if (dim >= 0)
        return mm_choose_line (cloud, dim, k, true, ret_chosen, err);
    status =
        cloud->ndims <= FEW_DIMS && nearest_serves (cloud)
            ? mm_choose_boxes (cloud, k, false, UINT64_MAX, ret_chosen, err)
            : mm_choose_plain (cloud, k, false, ret_chosen, err);
    return status < 0 ? -1 : 0;
}

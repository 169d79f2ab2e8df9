/* ptas.c - within 1 + epsilon of the best: what is tried, in which order.
 *
 * First comes a set by Gen-Alg, improved by swaps. It is the answer if it is
 * known to be good enough:
 *
 *   - by stars.h, which holds in any metric;
 *   - Gen-Alg is within 2 - 2/k of the best, in any metric (Krumke et al.),
 *     and MM within 7/4 in the plane (Bender et al., theorem 2), which is then
 *     asked, too.
 *
 * Otherwise it begins the approximation scheme of section 4 of Bender et al.,
 * "Communication-Aware Processor Allocation for Supercomputers", 2005: all
 * ways to cut the points into strips (strips.h), at once and around one point
 * after the other (ptas_centres.c). Without a limit it goes on until there is
 * an answer. With a limit, what is not settled soon is refused if there are
 * more ways to cut than that; their number is known before they are tried.
 */
#include "ptas.h"

#include <stdlib.h>
#include <string.h>

#include "exact.h"
#include "mm.h"
#include "policy.h"
#include "row.h"
#include "stars.h"

/* The largest number of points within a limit: all pairs of them are looked at,
 * which takes some seconds. */
enum { MOST_POINTS = 1 << 14 };

/* ---- sets that are good enough at once ---- */

static bool on_lines (const struct cloud *cloud)
{
    for (int d = 0; d < cloud->ndims; d++)
        if (cloud->ring[d])
            return false;
    return true;
}

/* Gen-Alg is within 1 + this. */
static double gen_alg_epsilon (size_t k)
{
    return 1 - 2 / (double)k;
}

/* Whether mm, or else gen-alg, is within 1 + epsilon by a theorem. The proof
 * for mm has a gap from three dimensions on (doc/experiments/clusters.md). */
static bool mm_serves (const struct cloud *cloud, double epsilon)
{
    return on_lines (cloud) && cloud->ndims <= 2 && epsilon >= 0.75;
}

static bool gen_alg_serves (const struct cloud *cloud, size_t k,
                            double epsilon)
{
    return k == cloud->n || epsilon >= gen_alg_epsilon (k);
}

/* Ask MM: 1, or 0 if it gives up. */
static int ask_mm (const struct cloud *cloud, size_t k, size_t *ret_chosen,
                   tori_error *err)
{
    tori_error why;
    if (mm_choose (cloud, k, NULL, ret_chosen, &why) < 0) {
        if (why.status == TORI_GAVE_UP)
            return 0;
        return tori_error_set (err, why.status, "%s", why.text);
    }
    return mm_improve (cloud, k, ret_chosen, err) < 0 ? -1 : 1;
}

/* A set that is within 1 + epsilon for one of the reasons above: 1 if it is,
 * 0 if that is not known; it is the best known then. */
static int good_enough (const struct cloud *cloud, size_t k,
                        const tori_alloc_config *options,
                        size_t *ret_chosen, tori_error *err)
{
    double epsilon = options->epsilon;
    bool serves = gen_alg_serves (cloud, k, epsilon);
    wide sum = 0, bound = 0;
    int status = 0;
    if (mm_serves (cloud, epsilon) && !serves)
        status = ask_mm (cloud, k, ret_chosen, err);
    if (status != 0)
        return status;
    if (gen_alg_choose (cloud, k, NULL, ret_chosen, err) < 0
        || mm_improve (cloud, k, ret_chosen, err) < 0)
        return -1;
    if (serves)
        return 1;
    if (cloud_pairwise (cloud, ret_chosen, k, &sum, err) < 0
        || stars_bound (cloud, k, &bound, err) < 0)
        return -1;
    cloud_keep (options, ret_chosen, k, (double)sum,
                (double)((bound + 1) / 2));
    return (double)(2 * sum) * (1 + 1e-12) <= (1 + epsilon) * (double)bound;
}

/* ---- the allocator ---- */

static int refuse_ways (const struct cloud *cloud, size_t k, double epsilon,
                        double ways, uint64_t most, tori_error *err)
{
    return tori_error_set (err, TORI_GAVE_UP,
                           "ptas would have to try up to %.2g ways to cut %zu "
                           "points into strips for the best %zu within 1 + "
                           "%g, and may try %.2g; a larger epsilon or fewer "
                           "points may do, and gen-alg always answers",
                           ways, cloud->n, k, epsilon, (double)most);
}

static int choose_near (const struct cloud *cloud, size_t k,
                        const tori_alloc_config *options,
                        size_t *ret_chosen, tori_error *err)
{
    bool endless = options->steps == UINT64_MAX;
    uint64_t most = options->steps == 0 || endless ? PTAS_WAYS
                    : options->steps > INT64_MAX   ? INT64_MAX
                                                   : options->steps;
    double ways = 0;
    int status = good_enough (cloud, k, options, ret_chosen, err);
    if (status == 0)
        status = ptas_centres (cloud, k, options, most, endless, ret_chosen,
                               &ways, err);
    if (status != 0)
        return status < 0 ? -1 : 0;
    cloud_spend (options, 0, most);
    return refuse_ways (cloud, k, options->epsilon, ways, most, err);
}

/* Whether there are too many points for a search within a limit. */
static bool too_many (const struct cloud *cloud, size_t k,
                      const tori_alloc_config *options)
{
    return cloud->n > MOST_POINTS && options->steps != UINT64_MAX
           && !mm_serves (cloud, options->epsilon)
           && !gen_alg_serves (cloud, k, options->epsilon);
}

static int refuse_many (const struct cloud *cloud, size_t k,
                        const tori_alloc_config *options, size_t *room,
                        tori_error *err)
{
    double n = (double)cloud->n, epsilon = options->epsilon;
    wide sum;
    if (options->search) {
        if (gen_alg_choose (cloud, k, NULL, room, err) < 0
            || cloud_pairwise (cloud, room, k, &sum, err) < 0)
            return -1;
        cloud_keep (options, room, k, (double)sum,
                    (double)sum / (2 - 2 / (double)k));
    }
    return tori_error_set (err, TORI_GAVE_UP,
                           "with a limit, ptas is for up to %d points: of "
                           "%zu, %.2g pairs "
                           "would have to be looked at for an epsilon of %g; "
                           "one of %.4g takes any, and gen-alg always answers",
                           MOST_POINTS, cloud->n, n * (n - 1) / 2, epsilon,
                           gen_alg_epsilon (k));
}

/* On a line, and often on a ring, the best set is soon known: 1, or 0. */
static int choose_one (const struct cloud *cloud, size_t k,
                       size_t *ret_chosen, tori_error *err)
{
    tori_alloc_config quiet = {.steps = UINT64_C (1) << 31};
    tori_error why;
    if (row_find (cloud) < 0)
        return 0;
    if (exact_choose (cloud, k, &quiet, ret_chosen, &why) == 0)
        return 1;
    return why.status == TORI_GAVE_UP
               ? 0
               : tori_error_set (err, why.status, "%s", why.text);
}

static int choose_ptas (const struct cloud *cloud, size_t k,
                        const tori_alloc_config *options, size_t *ret_chosen,
                        tori_error *err)
{
    tori_alloc_config used = *options;
    int status;
    if (used.epsilon == 0)
        used.epsilon = 0.5;
    if (!(used.epsilon > 0))
        return tori_error_set (err, TORI_INVALID,
                               "epsilon must be above 0");
    status = choose_one (cloud, k, ret_chosen, err);
    if (status != 0)
        return status < 0 ? -1 : 0;
    if (too_many (cloud, k, &used))
        return refuse_many (cloud, k, &used, ret_chosen, err);
    return choose_near (cloud, k, &used, ret_chosen, err);
}

const struct alloc_ops ptas_ops = {
    .info =
        {
            .name = "ptas",
            .summary = "within 1 + epsilon of the least sum, by strips",
            .takes = TORI_BY_COUNT,
            .flags =
                TORI_ALLOC_POINTS | TORI_ALLOC_SEARCHES | TORI_ALLOC_EPSILON,
        },
    .choose = choose_ptas,
};

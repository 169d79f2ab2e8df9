/* ptas.c - within 1 + epsilon of the best: what is tried, in which order.
 *
 * First comes a set by Gen-Alg, improved by swaps. It is the answer if it is
 * known to be good enough:
 *
 *   - by stars.h, which holds in any metric;
 *   - Gen-Alg is within 2 - 2/k of the best, in any metric (Krumke et al.),
 *     and MM within 2 - 1/(2d) on lines (Bender et al., theorem 2), which is
 *     then asked, too.
 *
 * Otherwise it is what the scheme of section 4 of Bender et al.,
 * "Communication-Aware Processor Allocation for Supercomputers", 2005, and of
 * its counterpart for rings has to beat (ptas_scheme.h).
 */
#include "ptas.h"

#include <stdlib.h>
#include <string.h>

#include "mm.h"
#include "policy.h"
#include "stars.h"

/* Points that we are ready for. */
enum { MOST_POINTS = 4096 };

/* ---- what is good enough at once ---- */

static bool on_lines (const struct cloud *cloud)
{
    for (int d = 0; d < cloud->ndims; d++)
        if (cloud->ring[d])
            return false;
    return true;
}

/* A set that is within 1 + epsilon for one of the reasons above: 1 if it is,
 * 0 if that is not known; it is the best known then. */
static int good_enough (const struct cloud *cloud, size_t k,
                        const tori_alloc_options *options,
                        size_t *ret_chosen, tori_error *err)
{
    double epsilon = options->epsilon;
    tori_alloc_options none = {0};
    double d = cloud->ndims;
    wide sum = 0, bound = 0;
    if (on_lines (cloud) && epsilon >= 1 - 1 / (2 * d)
        && epsilon < 1 - 2 / (double)k)
        return mm_choose (cloud, k, &none, ret_chosen, err) < 0
                       || mm_improve (cloud, k, ret_chosen, err) < 0
                   ? -1
                   : 1;
    if (gen_alg_choose (cloud, k, &none, ret_chosen, err) < 0
        || mm_improve (cloud, k, ret_chosen, err) < 0
        || cloud_pairwise (cloud, ret_chosen, k, &sum, err) < 0
        || stars_bound (cloud, k, &bound, err) < 0)
        return -1;
    cloud_keep (options, ret_chosen, k, (double)sum,
                (double)((bound + 1) / 2));
    return k == cloud->n || epsilon >= 1 - 2 / (double)k
           || (double)(2 * sum) * (1 + 1e-12)
                  <= (1 + epsilon) * (double)bound;
}

/* ---- the allocator ---- */

static int choose (const struct cloud *cloud, size_t k,
                   const tori_alloc_options *options, size_t *ret_chosen,
                   tori_error *err)
{
    tori_alloc_options used = *options;
    size_t *start;
    int status;
    if (used.epsilon == 0)
        used.epsilon = 0.5;
    if (!(used.epsilon > 0))
        return tori_error_set (err, TORI_INVALID,
                               "epsilon must be above 0");
    if (cloud->n > MOST_POINTS)
        return tori_error_set (err, TORI_GAVE_UP,
                               "ptas is for up to %d points, not for %zu; "
                               "mm+inc always answers",
                               MOST_POINTS, cloud->n);
    start = malloc (k * sizeof *start);
    if (!start)
        return tori_error_nomem (err);
    status = good_enough (cloud, k, &used, start, err);
    if (status > 0)
        memcpy (ret_chosen, start, k * sizeof *start);
    else if (status == 0)
        status = ptas_cut (cloud, k, &used, start, ret_chosen, err);
    free (start);
    return status < 0 ? -1 : 0;
}

const struct alloc_ops ptas_ops = {
    .info = {
        .name = "ptas",
        .summary = "within 1 + epsilon of the least sum; for tiny requests",
        .takes = TORI_BY_COUNT,
        .points = true,
        .small = true,
        .epsilon = true,
    },
    .choose = choose,
};

#include <tori/points.h>

#include "cloud.h"
#include "policy.h"

static int narrow (wide sum, uint64_t *ret_sum, tori_error *err)
{
    if (sum > UINT64_MAX)
        return tori_error_set (err, TORI_INVALID,
                               "the sum of distances does not fit 64 bits");
    *ret_sum = (uint64_t)sum;
    return 0;
}

static struct cloud cloud_of (const tori_points *points)
{
    return (struct cloud){.ndims = points->ndims, .n = points->n,
                          .coords = points->coords};
}

int tori_points_pairwise (const tori_points *points, const size_t chosen[],
                          size_t count, uint64_t *ret_sum, tori_error *err)
{
    struct cloud cloud = cloud_of (points);
    wide sum;
    if (cloud_pairwise (&cloud, chosen, count, &sum, err) < 0)
        return -1;
    return narrow (sum, ret_sum, err);
}

/* Whether the question makes sense. */
static int check (const struct alloc_ops *ops, const char *alloc,
                  const tori_points *points, size_t count, tori_error *err)
{
    if (!ops)
        return tori_error_set (err, TORI_INVALID,
                               "unknown allocator '%.60s'; see tori list "
                               "allocators",
                               alloc);
    if (!ops->choose)
        return tori_error_set (err, TORI_INVALID,
                               "the allocator %s does not take points", alloc);
    if (points->ndims < 1 || points->ndims > TORI_MAX_DIMS)
        return tori_error_set (err, TORI_INVALID,
                               "points have 1 to %d dimensions",
                               TORI_MAX_DIMS);
    if (count == 0)
        return tori_error_set (err, TORI_INVALID, "no points asked for");
    if (count > points->n)
        return tori_error_set (err, TORI_NOT_NOW,
                               "%zu points asked for, %zu there", count,
                               points->n);
    return 0;
}

int tori_points_choose (const char *alloc, const tori_points *points,
                        size_t count, const tori_alloc_options *options,
                        size_t ret_chosen[], uint64_t *ret_pairwise,
                        tori_error *err)
{
    const struct alloc_ops *ops = alloc_find (alloc);
    struct cloud cloud = cloud_of (points);
    tori_alloc_options used = options ? *options : (tori_alloc_options){0};
    if (check (ops, alloc, points, count, err) < 0
        || ops->choose (&cloud, count, &used, ret_chosen, err) < 0)
        return -1;
    return tori_points_pairwise (points, ret_chosen, count, ret_pairwise, err);
}

#include <tori/points.h>

#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "cloud.h"
#include "policy.h"

static int narrow_sum (wide sum, uint64_t *ret_sum, tori_error *err)
{
    if (sum > UINT64_MAX)
        return tori_error_set (err, TORI_INVALID,
                               "the sum of distances does not fit 64 bits: "
                               "ask for fewer points, or take a larger unit");
    *ret_sum = (uint64_t)sum;
    return 0;
}

/* Whether the points are as the header says. */
static int check_points (const tori_points *points, tori_error *err)
{
    if (points->ndims < 1 || points->ndims > TORI_MAX_DIMS)
        return tori_error_set (err, TORI_INVALID,
                               "points have 1 to %d dimensions",
                               TORI_MAX_DIMS);
    for (int d = 0; points->around && d < points->ndims; d++)
        if (points->around[d] > UINT64_C (1) << 62)
            return tori_error_set (err, TORI_INVALID,
                                   "a ring of points is at most 2^62 long");
    return 0;
}

/* A coordinate reduced to a ring. */
static int64_t on_ring (int64_t at, int64_t ring)
{
    int64_t rest = at % ring;
    return rest < 0 ? rest + ring : rest;
}

/* The points as a cloud; `ret_own` is to be freed. */
static int cloud_of (const tori_points *points, struct cloud *ret_cloud,
                     int64_t **ret_own, tori_error *err)
{
    size_t ndims = (size_t)points->ndims, n = points->n * ndims;
    int64_t *own;
    *ret_own = NULL;
    *ret_cloud = (struct cloud){.ndims = points->ndims, .n = points->n,
                                .coords = points->coords};
    if (!points->around)
        return 0;
    own = malloc ((n + 1) * sizeof *own);
    if (!own)
        return tori_error_nomem (err);
    for (size_t i = 0; i < n; i++) {
        int64_t ring = (int64_t)points->around[i % ndims];
        own[i] = ring ? on_ring (points->coords[i], ring) : points->coords[i];
    }
    memcpy (ret_cloud->ring, points->around, ndims * sizeof (uint64_t));
    ret_cloud->coords = *ret_own = own;
    return 0;
}

int tori_points_pairwise (const tori_points *points, const size_t chosen[],
                          size_t count, uint64_t *ret_sum, tori_error *err)
{
    struct cloud cloud;
    int64_t *own;
    wide sum;
    int status;
    if (check_points (points, err) < 0)
        return -1;
    for (size_t i = 0; i < count; i++)
        if (chosen[i] >= points->n)
            return tori_error_set (err, TORI_INVALID,
                                   "point %zu of %zu: no such point",
                                   chosen[i], points->n);
    if (cloud_of (points, &cloud, &own, err) < 0)
        return -1;
    status = cloud_pairwise (&cloud, chosen, count, &sum, err);
    free (own);
    return status < 0 ? -1 : narrow_sum (sum, ret_sum, err);
}

/* Whether the question makes sense. */
static int check_question (const tori_points *points, size_t count,
                           tori_error *err)
{
    if (check_points (points, err) < 0)
        return -1;
    if (count == 0)
        return tori_error_set (err, TORI_INVALID, "no points asked for");
    if (count > points->n)
        return tori_error_set (err, TORI_NOT_NOW,
                               "%zu points asked for, but there are "
                               "%zu", count,
                               points->n);
    return 0;
}

/* The function by which the allocator of a configuration chooses points, and a
 * copy of the configuration. NULL, and TORI_INVALID, if it has none. */
static cloud_fn *find_choose (const tori_alloc_config *config,
                              tori_alloc_config *ret_own, tori_error *err)
{
    const tori_alloc_info *info;
    if (alloc_config_read (config, ret_own, err) < 0
        || !(info = alloc_config_info (ret_own, err)))
        return NULL;
    if (info->flags & TORI_ALLOC_POINTS)
        return alloc_find (info->name)->choose;
    tori_error_set (err, TORI_INVALID,
                    "the allocator %.60s does not take points", info->name);
    return NULL;
}

/* A question to one allocator, or about a box. */
struct question {
    const tori_points *points;
    size_t count;
    cloud_fn *choose;
    const tori_alloc_config *config;
    const tori_shape *shape; /* NULL: by `choose` */
    bool fixed;
};

static int choose_points (const struct question *q, const struct cloud *cloud,
                          size_t *ret_chosen, tori_error *err)
{
    return q->shape ? mc_choose_box (cloud, q->count, q->shape, q->fixed,
                                     ret_chosen, err)
                    : q->choose (cloud, q->count, q->config, ret_chosen, err);
}

/* The chosen points; an error if the sum of distances does not fit. */
static int answer_question (const struct question *q, size_t ret_chosen[],
                            uint64_t *ret_pairwise, tori_error *err)
{
    struct cloud cloud;
    int64_t *own;
    size_t *chosen;
    uint64_t sum;
    int status;
    if (cloud_of (q->points, &cloud, &own, err) < 0)
        return -1;
    chosen = malloc (q->count * sizeof *chosen);
    status = chosen ? choose_points (q, &cloud, chosen, err)
                    : tori_error_nomem (err);
    if (status >= 0)
        status = tori_points_pairwise (q->points, chosen, q->count, &sum, err);
    if (status >= 0) {
        memcpy (ret_chosen, chosen, q->count * sizeof *chosen);
        if (ret_pairwise)
            *ret_pairwise = sum;
    }
    free (chosen);
    free (own);
    return status < 0 ? -1 : 0;
}

int tori_points_choose (const tori_alloc_config *config,
                        const tori_points *points, size_t count,
                        size_t ret_chosen[], uint64_t *ret_pairwise,
                        tori_error *err)
{
    tori_alloc_config own;
    struct question q = {.points = points, .count = count, .config = &own};
    q.choose = find_choose (config, &own, err);
    if (!q.choose || check_question (points, count, err) < 0)
        return -1;
    return answer_question (&q, ret_chosen, ret_pairwise, err);
}

int tori_points_choose_box (const tori_points *points, size_t count,
                            const tori_shape *shape, bool fixed,
                            size_t ret_chosen[], uint64_t *ret_pairwise,
                            tori_error *err)
{
    struct question q = {
        .points = points, .count = count, .shape = shape, .fixed = fixed};
    if (check_question (points, count, err) < 0)
        return -1;
    if (shape->ndims != points->ndims)
        return tori_error_set (err, TORI_INVALID,
                               "a shape of %d dimensions for points of %d",
                               shape->ndims, points->ndims);
    return answer_question (&q, ret_chosen, ret_pairwise, err);
}

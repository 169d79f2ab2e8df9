#include "exact_pairs.h"

#include <stdlib.h>
#include <string.h>

#include "pairs.h"
#include "stars.h"

struct finder {
    const struct cloud *cloud;
    size_t k;
    const size_t *points; /* of the part that is looked at; NULL: of all */
    size_t *set;          /* the best so far */
    size_t *room;         /* for another */
    wide sum;             /* of the best */
    bool found;           /* some set within the limit */
    struct exact_share *share;
};

static void on_node (void *arg, uint64_t steps)
{
    const struct finder *f = arg;
    cloud_progress (f->share->options, steps, f->share->limit);
}

/* ---- what is found ---- */

static void gather (const struct finder *f, const struct pairs *pairs,
                    const uint8_t *marks, size_t *ret_set)
{
    for (uint32_t i = 0; i < pairs->n; i++)
        if (marks[i] == CHOSEN)
            *ret_set++ = f->points ? f->points[i] : i;
}

static int on_better (void *arg, struct pairs *pairs, const uint8_t marks[],
                      wide sum, tori_error *err)
{
    struct finder *f = arg;
    gather (f, pairs, marks, f->set);
    f->sum = sum;
    if (sum > 0)
        pairs->limit = sum - 1;
    return sum == 0;
}

static bool precedes (const size_t *a, const size_t *b, size_t k)
{
    for (size_t i = 0; i < k; i++)
        if (a[i] != b[i])
            return a[i] < b[i];
    return false;
}

/* Of equally good sets, the first. */
static int on_equal (void *arg, struct pairs *pairs, const uint8_t marks[],
                     wide sum, tori_error *err)
{
    struct finder *f = arg;
    gather (f, pairs, marks, f->room);
    if (!f->found || precedes (f->room, f->set, f->k))
        memcpy (f->set, f->room, f->k * sizeof *f->set);
    f->found = true;
    return 0;
}

/* ---- all points ---- */

/* Look for better sets, or for the first of the best. 1, or 0 if the budget is
 * spent. */
static int look (struct finder *f, struct pairs *pairs, bool better,
                 tori_error *err)
{
    int status;
    if (better && f->sum == 0)
        return 1;
    pairs->limit = better ? f->sum - 1 : f->sum;
    pairs->on_set = better ? on_better : on_equal;
    pairs->on_node = on_node;
    pairs->arg = f;
    pairs->steps = f->share->spent;
    pairs->budget = f->share->steps;
    status = pairs_search (pairs, err);
    f->share->spent = pairs->steps;
    if (status < 0)
        return -1;
    return status == 0 || (better && f->sum == 0);
}

static int finder_init (struct finder *f, const struct cloud *cloud, size_t k,
                        struct exact_share *share, size_t *set,
                        tori_error *err)
{
    *f = (struct finder){.cloud = cloud, .k = k, .set = set, .share = share};
    if (cloud_pairwise (cloud, set, k, &f->sum, err) < 0)
        return -1;
    f->room = malloc (k * sizeof *f->room);
    return f->room ? 0 : tori_error_nomem (err);
}

int exact_by_pairs (const struct cloud *cloud, size_t k, bool with_first,
                    struct exact_share *share, size_t *set, tori_error *err)
{
    struct finder f;
    struct pairs pairs;
    int status = -1;
    if (cloud->n > PAIRS_MOST)
        return 0;
    if (finder_init (&f, cloud, k, share, set, err) < 0)
        return -1;
    if (pairs_create (cloud, k, &pairs, err) == 0) {
        pairs.with_first = with_first;
        status = look (&f, &pairs, true, err);
        if (status > 0)
            status = look (&f, &pairs, false, err);
        pairs_clear (&pairs);
    }
    free (f.room);
    return status;
}

/* ---- place by place ---- */

struct places {
    struct finder finder;
    wide *stars; /* of every point */
    wide least;  /* of them */
    size_t *near;
    size_t nnear;
    int64_t *coords; /* theirs */
};

static wide distance (const struct cloud *cloud, size_t a, size_t b)
{
    return cloud_distance (cloud, cloud_point (cloud, a),
                           cloud_point (cloud, b));
}

/* `away` and `heap` are room for n. */
static void find_stars (struct places *p, wide *away, wide *heap)
{
    const struct cloud *cloud = p->finder.cloud;
    p->least = ~(wide)0;
    for (size_t i = 0; i < cloud->n; i++) {
        for (size_t j = 0; j < cloud->n; j++)
            away[j] = distance (cloud, i, j);
        p->stars[i] = stars_least (away, cloud->n, p->finder.k, heap);
        p->least = p->stars[i] < p->least ? p->stars[i] : p->least;
    }
    p->finder.share->spent += cloud->n * cloud->n * (size_t)cloud->ndims;
}

/* The points that sets up to the limit may have beside this one, which is the
 * first of them. False if there are too few of them. */
static bool find_near (struct places *p, size_t point, wide limit)
{
    const struct cloud *cloud = p->finder.cloud;
    wide k = p->finder.k, others = (k - 2) * p->least, reach;
    size_t size = (size_t)cloud->ndims;
    p->nnear = 0;
    if (p->stars[point] + (k - 1) * p->least > 2 * limit)
        return false;
    reach = (2 * limit - others) / k;
    for (size_t i = point; i < cloud->n; i++)
        if (distance (cloud, point, i) <= reach) {
            memcpy (p->coords + p->nnear * size, cloud_point (cloud, i),
                    size * sizeof *p->coords);
            p->near[p->nnear++] = i;
        }
    p->finder.share->spent += (cloud->n - point) * size;
    return p->nnear >= p->finder.k;
}

/* Sets whose first point is this. */
static int look_from (struct places *p, size_t point, bool better,
                      tori_error *err)
{
    struct finder *f = &p->finder;
    struct cloud part = *f->cloud;
    struct pairs pairs;
    int status;
    if (better && f->sum == 0)
        return 1;
    if (!find_near (p, point, better ? f->sum - 1 : f->sum))
        return 1;
    f->share->spent += p->nnear * p->nnear * 16;
    if (p->nnear > PAIRS_MOST || 2 * p->nnear > f->cloud->n
        || f->share->spent > f->share->steps)
        return 0;
    part.n = p->nnear;
    part.coords = p->coords;
    if (pairs_create (&part, f->k, &pairs, err) < 0)
        return -1;
    pairs.with_first = true;
    f->points = p->near;
    status = look (f, &pairs, better, err);
    pairs_clear (&pairs);
    return status;
}

static int look_all (struct places *p, tori_error *err)
{
    struct finder *f = &p->finder;
    size_t n = f->cloud->n;
    int status = 1;
    for (size_t i = 0; status > 0 && i < n; i++)
        status = look_from (p, i, true, err);
    for (size_t i = 0; status > 0 && i < n && !f->found; i++)
        status = look_from (p, i, false, err);
    return status;
}

int exact_by_places (const struct cloud *cloud, size_t k,
                     struct exact_share *share, size_t *set, tori_error *err)
{
    struct places p = {0};
    size_t n = cloud->n;
    wide *away = NULL, *heap = NULL;
    int status = -1;
    if ((wide)n * n * (wide)cloud->ndims > share->steps / 2 || k < 2)
        return 0;
    if (finder_init (&p.finder, cloud, k, share, set, err) < 0)
        return -1;
    p.stars = malloc (n * sizeof *p.stars);
    p.near = malloc (n * sizeof *p.near);
    p.coords = malloc (n * (size_t)cloud->ndims * sizeof *p.coords);
    away = malloc (n * sizeof *away);
    heap = malloc (k * sizeof *heap);
    if (!p.stars || !p.near || !p.coords || !away || !heap) {
        tori_error_nomem (err);
        goto done;
    }
    find_stars (&p, away, heap);
    status = look_all (&p, err);
done:
    free (p.finder.room);
    free (p.stars);
    free (p.near);
    free (p.coords);
    free (away);
    free (heap);
    return status;
}

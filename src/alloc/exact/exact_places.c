#include "exact_places.h"

#include <stdlib.h>
#include <string.h>

#include "exact.h"
#include "stars.h"

struct places {
    const struct cloud *cloud;
    size_t k;
    struct exact_share *share;
    size_t *set;  /* the best so far */
    amount sum;   /* twice its sum */
    wide *stars;  /* of every point */
    wide least;   /* of them */
    size_t *near; /* a point, and those after it that are near it */
    size_t nnear;
    int64_t *coords; /* theirs */
    uint8_t *marks;
};

static void on_node (void *arg, uint64_t steps)
{
    const struct places *p = arg;
    cloud_progress (p->share->options, p->share->spent + steps,
                    p->share->limit);
}

static wide distance (const struct cloud *cloud, size_t a, size_t b)
{
    return cloud_distance (cloud, cloud_point (cloud, a),
                           cloud_point (cloud, b));
}

/* ---- what is near ---- */

/* `away` and `heap` are room for n and for k. */
static void find_stars (struct places *p, wide *away, wide *heap)
{
    const struct cloud *cloud = p->cloud;
    p->least = ~(wide)0;
    for (size_t i = 0; i < cloud->n; i++) {
        for (size_t j = 0; j < cloud->n; j++)
            away[j] = distance (cloud, i, j);
        p->stars[i] = stars_least (away, cloud->n, p->k, heap);
        p->least = p->stars[i] < p->least ? p->stars[i] : p->least;
    }
    p->share->spent += cloud->n * cloud->n * (size_t)cloud->ndims;
}

/* The points that sets up to the limit, which is twice a sum, may have beside
 * this one. False if there are too few of them. */
static bool find_near (struct places *p, size_t point, wide limit)
{
    const struct cloud *cloud = p->cloud;
    wide k = p->k, reach;
    size_t size = (size_t)cloud->ndims;
    p->nnear = 0;
    if (p->stars[point] + (k - 1) * p->least > limit)
        return false;
    reach = (limit - (k - 2) * p->least) / k;
    for (size_t i = point; i < cloud->n; i++)
        if (distance (cloud, point, i) <= reach) {
            memcpy (p->coords + p->nnear * size, cloud_point (cloud, i),
                    size * sizeof *p->coords);
            p->near[p->nnear++] = i;
        }
    p->share->spent += (cloud->n - point) * size;
    return p->nnear >= p->k;
}

/* ---- sets with a first point ---- */

static void take_found (struct places *p, const struct search *search)
{
    for (size_t i = 0, at = 0; i < p->nnear; i++)
        if (search->found[i] == CHOSEN)
            p->set[at++] = p->near[i];
    p->sum = search->found_sum;
}

/* Look for a set up to the limit: the best if it is to be better, else the
 * first. 1, or 0 if the steps are not enough. */
static int look_near (struct places *p, struct search *search, amount limit,
                      bool *ret_found, tori_error *err)
{
    bool better = limit < p->sum, enough;
    search->with_first = true;
    search->improving = better;
    search->found_sum = limit + 1;
    search->limit = limit;
    search->on_node = on_node;
    search->arg = p;
    search_open (search, p->marks);
    if (search_explore (search, p->marks, err) < 0)
        return -1;
    enough = search->steps <= search->budget;
    *ret_found = search->found_sum <= limit;
    if (!*ret_found)
        return enough;
    search->budget = p->share->limit;
    if (!better && search_first (search, p->marks, err) < 0)
        return -1;
    take_found (p, search);
    return enough || !better;
}

/* Sets whose first point is this: 1, or 0 if there are too many. */
static int look_from (struct places *p, size_t point, amount limit,
                      bool *ret_found, tori_error *err)
{
    enum { FEW_ROUNDS = 16 };
    struct cloud part = *p->cloud;
    struct search search;
    int status = 0;
    *ret_found = false;
    if (limit < 0 || !find_near (p, point, (wide)limit))
        return 1;
    if (2 * p->nnear > p->cloud->n || p->share->spent > p->share->steps)
        return 0;
    part.n = p->nnear;
    part.coords = p->coords;
    if (search_create (&part, (uint32_t)p->k, &search, err) < 0)
        return -1;
    search.budget = p->share->steps - p->share->spent;
    if (search_round (&search) <= search.budget / FEW_ROUNDS)
        status = look_near (p, &search, limit, ret_found, err);
    p->share->spent += search.steps;
    search_clear (&search);
    return status;
}

/* All better sets, then the first that is as good. On an idle torus all sets
 * can be moved until they have the first point. */
static int look_all (struct places *p, bool with_first, tori_error *err)
{
    size_t n = with_first ? 1 : p->cloud->n;
    bool found = false;
    int status = 1;
    for (size_t i = 0; status > 0 && i < n; i++)
        status = look_from (p, i, p->sum - 2, &found, err);
    found = false;
    for (size_t i = 0; status > 0 && i < n && !found; i++)
        status = look_from (p, i, p->sum, &found, err);
    return status;
}

int exact_by_places (const struct cloud *cloud, size_t k, bool with_first,
                     struct exact_share *share, size_t *set, tori_error *err)
{
    struct places p = {.cloud = cloud, .k = k, .share = share, .set = set};
    size_t n = cloud->n;
    wide *away = NULL, *heap = NULL, sum;
    int status = -1;
    if ((wide)n * n * (wide)cloud->ndims > share->steps / 2)
        return 0;
    if (cloud_pairwise (cloud, set, k, &sum, err) < 0)
        return -1;
    p.sum = 2 * (amount)sum;
    p.stars = malloc (n * sizeof *p.stars);
    p.near = malloc (n * sizeof *p.near);
    p.coords = malloc (n * (size_t)cloud->ndims * sizeof *p.coords);
    p.marks = malloc (n);
    away = malloc (n * sizeof *away);
    heap = malloc (k * sizeof *heap);
    if (!p.stars || !p.near || !p.coords || !p.marks || !away || !heap) {
        tori_error_nomem (err);
    } else {
        find_stars (&p, away, heap);
        status = look_all (&p, with_first, err);
    }
    free (p.stars);
    free (p.near);
    free (p.coords);
    free (p.marks);
    free (away);
    free (heap);
    return status;
}

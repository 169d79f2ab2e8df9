/* mm_inc.c - MM, then swaps.
 *
 * A swap costs O(n) to find and to make once every point's sum of distances
 * to the chosen is known: giving up p for q changes the pairwise sum by
 * S(q) - d(p,q) - S(p).
 */
#include <stdlib.h>

#include "mm.h"
#include "policy.h"

struct search {
    const struct cloud *cloud;
    bool *chosen; /* a flag a point */
    wide *sums;   /* of distances to the chosen, a point */
};

struct swap {
    size_t out, in;
    wide gain; /* 0: none */
};

static wide apart (const struct search *search, size_t a, size_t b)
{
    return cloud_distance (search->cloud, cloud_point (search->cloud, a),
                           cloud_point (search->cloud, b));
}

/* The best swap of `out`, if it is better than *best. */
static void best_for (const struct search *search, size_t out,
                      struct swap *best)
{
    for (size_t in = 0; in < search->cloud->n; in++) {
        wide before, after = search->sums[in];
        if (search->chosen[in])
            continue;
        before = search->sums[out] + apart (search, out, in);
        if (before > after && before - after > best->gain)
            *best = (struct swap){out, in, before - after};
    }
}

static struct swap best_swap (const struct search *search)
{
    struct swap best = {0, 0, 0};
    for (size_t out = 0; out < search->cloud->n; out++)
        if (search->chosen[out])
            best_for (search, out, &best);
    return best;
}

static void make_swap (struct search *search, const struct swap *swap)
{
    search->chosen[swap->out] = false;
    search->chosen[swap->in] = true;
    for (size_t i = 0; i < search->cloud->n; i++)
        search->sums[i] += apart (search, i, swap->in)
                           - apart (search, i, swap->out);
}

static void start (struct search *search, const size_t *chosen, size_t k)
{
    for (size_t j = 0; j < k; j++) {
        search->chosen[chosen[j]] = true;
        for (size_t i = 0; i < search->cloud->n; i++)
            search->sums[i] += apart (search, i, chosen[j]);
    }
}

int mm_improve (const struct cloud *cloud, size_t k, size_t *chosen,
                tori_error *err)
{
    struct search search = {.cloud = cloud};
    struct swap swap;
    int status = -1;
    search.chosen = calloc (cloud->n, sizeof *search.chosen);
    search.sums = calloc (cloud->n, sizeof *search.sums);
    if (!search.chosen || !search.sums) {
        tori_error_nomem (err);
        goto done;
    }
    start (&search, chosen, k);
    while ((swap = best_swap (&search)).gain > 0)
        make_swap (&search, &swap);
    for (size_t i = 0, at = 0; i < cloud->n; i++)
        if (search.chosen[i])
            chosen[at++] = i;
    status = 0;
done:
    free (search.chosen);
    free (search.sums);
    return status;
}

static int mm_inc_choose (const struct cloud *cloud, size_t k,
                          const tori_alloc_options *options,
                          size_t *ret_chosen, tori_error *err)
{
    if (mm_choose (cloud, k, options, ret_chosen, err) < 0)
        return -1;
    return mm_improve (cloud, k, ret_chosen, err);
}

const struct alloc_ops mm_inc_ops = {
    .info = {.name = "mm+inc",
             .summary = "mm, then swaps of one node while they help",
             .takes = TORI_BY_COUNT,
             .points = true},
    .choose = mm_inc_choose,
};

/* mm_inc.c - MM, then swaps.
 *
 * With S(x) the sum of distances from x to the chosen, giving up p for q
 * changes the pairwise sum by S(q) - d(p,q) - S(p). The distance of p and q is
 * at most the sum of their distances from some centre, e(p) and e(q). So a
 * swap gains at most S(p) + e(p), less S(q) - e(q); only pairs that may gain
 * as much as the pair of the best ends are examined. */
#include <stdlib.h>
#include <string.h>

#include "barter.h"
#include "compare.h"
#include "mm.h"
#include "policy.h"

/* ---- on any points ---- */

struct swap_search {
    const struct cloud *cloud;
    bool *chosen; /* a flag a point */
    wide *sums;   /* of distances to the chosen, a point */
    wide *away;   /* from the centre, a point */
    wide farthest; /* of these */
    size_t *out, *in; /* points to give up and to take, in order */
    size_t nout, nin;
};

struct swap {
    size_t out, in;
    wide gain; /* 0: none */
};

static wide distance_of (const struct swap_search *search, size_t a, size_t b)
{
    return cloud_distance (search->cloud, cloud_point (search->cloud, a),
                           cloud_point (search->cloud, b));
}

/* The worth of giving a point up, and of taking it; the second has the
 * farthest added, to be positive. */
static wide worth_of (const struct swap_search *search, size_t i)
{
    return search->sums[i] + search->away[i];
}

static wide price_of (const struct swap_search *search, size_t i)
{
    return search->sums[i] + search->farthest - search->away[i];
}

static wide gain_of (const struct swap_search *search, size_t out, size_t in)
{
    wide before = search->sums[out] + distance_of (search, out, in);
    return before > search->sums[in] ? before - search->sums[in] : 0;
}

/* The best points to give up and to take by themselves; SIZE_MAX if there is
 * none. */
static void best_ends (const struct swap_search *search, size_t *ret_out,
                       size_t *ret_in)
{
    size_t best[2] = {SIZE_MAX, SIZE_MAX};
    for (size_t i = 0; i < search->cloud->n; i++) {
        size_t *of = &best[search->chosen[i]];
        if (*of == SIZE_MAX
            || (search->chosen[i]
                    ? worth_of (search, i) > worth_of (search, *of)
                    : price_of (search, i) < price_of (search, *of)))
            *of = i;
    }
    *ret_out = best[1];
    *ret_in = best[0];
}

/* The points that may be of use, without those of no gain. */
static void find_ends (struct swap_search *search)
{
    size_t out, in;
    wide most, least, gain;
    best_ends (search, &out, &in);
    search->nout = search->nin = 0;
    if (in == SIZE_MAX)
        return;
    most = worth_of (search, out) + search->farthest;
    least = price_of (search, in);
    gain = gain_of (search, out, in);
    gain = gain > 0 ? gain : 1;
    for (size_t i = 0; i < search->cloud->n; i++)
        if (search->chosen[i]) {
            if (worth_of (search, i) + search->farthest >= least + gain)
                search->out[search->nout++] = i;
        } else if (price_of (search, i) + gain <= most) {
            search->in[search->nin++] = i;
        }
}

/* The best swap of `out`, if it is better than *best. */
static void best_for (const struct swap_search *search, size_t out,
                      struct swap *best)
{
    wide most = worth_of (search, out) + search->farthest;
    for (size_t i = 0; i < search->nin; i++) {
        wide gain;
        if (price_of (search, search->in[i]) + best->gain >= most)
            continue;
        gain = gain_of (search, out, search->in[i]);
        if (gain > best->gain)
            *best = (struct swap){out, search->in[i], gain};
    }
}

static struct swap best_swap (const struct swap_search *search)
{
    struct swap best = {0, 0, 0};
    for (size_t i = 0; i < search->nout; i++)
        best_for (search, search->out[i], &best);
    return best;
}

static void make_swap (struct swap_search *search, const struct swap *swap)
{
    search->chosen[swap->out] = false;
    search->chosen[swap->in] = true;
    for (size_t i = 0; i < search->cloud->n; i++)
        search->sums[i] += distance_of (search, i, swap->in)
                           - distance_of (search, i, swap->out);
}

/* How many of k sorted coordinates are at most `at`, or below it. */
static size_t count_upto (const int64_t *sorted, size_t k, int64_t at,
                          bool below)
{
    size_t low = 0, high = k;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sorted[middle] < at || (!below && sorted[middle] == at))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The sum of distances from `at` to sorted coordinates, whose differences from
 * the first are summed up to each. Round a ring, coordinates up to half a ring
 * before and after it are as far as on a line; the others, the rest of the
 * ring. */
static wide sum_from (const int64_t *sorted, const wide *upto, size_t k,
                      int64_t at, uint64_t ring)
{
    int64_t half = (int64_t)(ring / 2);
    size_t here = count_upto (sorted, k, at, false), low = 0, high = k;
    wide x = (wide)at - (wide)sorted[0];
    if (ring) {
        low = count_upto (sorted, k, at - half, true);
        high = count_upto (sorted, k, at + half, false);
    }
    return (ring - x) * low + upto[low]
           + x * (here - low) - (upto[here] - upto[low])
           + (upto[high] - upto[here]) - x * (high - here)
           + (ring + x) * (k - high) - (upto[k] - upto[high]);
}

/* Add the share of one dimension to all sums; room for k coordinates and k + 1
 * sums. */
static void add_dimension (struct swap_search *search, int dim,
                           const size_t *chosen, size_t k, int64_t *sorted,
                           wide *upto)
{
    const struct cloud *cloud = search->cloud;
    for (size_t j = 0; j < k; j++)
        sorted[j] = cloud_point (cloud, chosen[j])[dim];
    qsort (sorted, k, sizeof *sorted, compare_coords);
    upto[0] = 0;
    for (size_t j = 0; j < k; j++)
        upto[j + 1] = upto[j] + ((wide)sorted[j] - (wide)sorted[0]);
    for (size_t i = 0; i < cloud->n; i++)
        search->sums[i] += sum_from (sorted, upto, k,
                                     cloud_point (cloud, i)[dim],
                                     cloud->ring[dim]);
}

/* The distances of all points from the chosen point of the least sum. */
static void find_away (struct swap_search *search, const size_t *chosen,
                       size_t k)
{
    size_t centre = chosen[0];
    for (size_t j = 1; j < k; j++)
        if (search->sums[chosen[j]] < search->sums[centre])
            centre = chosen[j];
    search->farthest = 0;
    for (size_t i = 0; i < search->cloud->n; i++) {
        search->away[i] = distance_of (search, i, centre);
        if (search->away[i] > search->farthest)
            search->farthest = search->away[i];
    }
}

/* Compute all sums. */
static int start_search (struct swap_search *search, const size_t *chosen,
                         size_t k, tori_error *err)
{
    int64_t *sorted = malloc (k * sizeof *sorted);
    wide *upto = malloc ((k + 1) * sizeof *upto);
    if (sorted && upto) {
        memset (search->sums, 0, search->cloud->n * sizeof *search->sums);
        for (int d = 0; d < search->cloud->ndims; d++)
            add_dimension (search, d, chosen, k, sorted, upto);
        find_away (search, chosen, k);
    }
    free (sorted);
    free (upto);
    return sorted && upto ? 0 : tori_error_nomem (err);
}

static int run_search (struct swap_search *search, size_t k, size_t *chosen,
                       tori_error *err)
{
    struct swap swap;
    for (size_t j = 0; j < k; j++)
        search->chosen[chosen[j]] = true;
    if (start_search (search, chosen, k, err) < 0)
        return -1;
    for (;;) {
        find_ends (search);
        swap = best_swap (search);
        if (swap.gain == 0)
            break;
        make_swap (search, &swap);
    }
    for (size_t i = 0, at = 0; i < search->cloud->n; i++)
        if (search->chosen[i])
            chosen[at++] = i;
    return 0;
}

int mm_improve (const struct cloud *cloud, size_t k, size_t *chosen,
                tori_error *err)
{
    size_t n = cloud->n;
    struct swap_search search = {
        .cloud = cloud,
        .chosen = calloc (n, sizeof *search.chosen),
        .sums = malloc (n * sizeof *search.sums),
        .away = malloc (n * sizeof *search.away),
        .out = malloc (n * sizeof *search.out),
        .in = malloc (n * sizeof *search.in),
    };
    int status = search.chosen && search.sums && search.away && search.out
                         && search.in
                     ? run_search (&search, k, chosen, err)
                     : tori_error_nomem (err);
    free (search.chosen);
    free (search.sums);
    free (search.away);
    free (search.out);
    free (search.in);
    return status;
}

static int mm_inc_choose (const struct cloud *cloud, size_t k,
                          const tori_alloc_config *options,
                          size_t *ret_chosen, tori_error *err)
{
    if (mm_choose (cloud, k, options, ret_chosen, err) < 0)
        return -1;
    return mm_improve (cloud, k, ret_chosen, err);
}

/* ---- on machines ---- */

struct mm_inc {
    void *mm;
    struct barter *barter;
};

static void destroy_mm_inc (void *data)
{
    struct mm_inc *inc = data;
    mm_destroy (inc->mm);
    barter_destroy (inc->barter);
    free (inc);
}

static int create_mm_inc (const tori_machine *machine, void **ret_data,
                          tori_error *err)
{
    struct mm_inc *inc = calloc (1, sizeof *inc);
    if (!inc)
        return tori_error_nomem (err);
    if (mm_create (machine, &inc->mm, err) < 0
        || barter_create (machine, &inc->barter, err) < 0) {
        destroy_mm_inc (inc);
        return -1;
    }
    *ret_data = inc;
    return 0;
}

static int place_mm_inc (void *data, const tori_state *state,
                         const tori_request *request,
                         tori_placement *ret_place, tori_error *err)
{
    static const struct barter_terms only_close = {.close = 1};
    struct mm_inc *inc = data;
    uint32_t k = request->count, *nodes = malloc (k * sizeof *nodes);
    if (!nodes)
        return tori_error_nomem (err);
    if (mm_nodes (inc->mm, state, k, true, nodes, err) < 0
        || barter_start (inc->barter, state, err) < 0) {
        free (nodes);
        return -1;
    }
    barter_improve (inc->barter, &only_close, k, BARTER_ANY, nodes);
    *ret_place = (tori_placement){.count = k, .nodes = nodes};
    return 1;
}

const struct alloc_ops mm_inc_ops = {
    .info = {.name = "mm+inc",
             .summary = "mm, then swaps of one node while they help",
             .takes = TORI_BY_COUNT,
             .flags = TORI_ALLOC_POINTS},
    .create = create_mm_inc,
    .destroy = destroy_mm_inc,
    .choose = mm_inc_choose,
    .place = place_mm_inc,
};

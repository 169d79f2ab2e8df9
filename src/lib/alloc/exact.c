/* exact.c - a set of least sum, and the proof that there is none better.
 *
 * Branch and bound on how many chosen points lie beyond each coordinate; see
 * exact.h for the bound. It starts from a good set, that of Gen-Alg made
 * better by swaps. Then it proves that no set is better, or finds one. Among
 * equally good sets the answer is the one whose indexes come first in
 * lexicographic order: point by point it is asked whether some best set has
 * the points settled so far and this one. Points on a line are left to
 * neighbours.h. */
#include "exact.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "mm.h"
#include "neighbours.h"
#include "policy.h"
#include "row.h"
#include "stars.h"

/* Steps are additions, and these take about a minute; the default limit. A
 * limit must allow so many rounds by default, and a few in any case: the work
 * before the first round is not counted. */
static const uint64_t BUDGET = UINT64_C (1) << 34;
static const uint64_t LEAST_ROUNDS = 1024;
static const uint64_t FEW_ROUNDS = 16;

static uint64_t limit_of (const tori_alloc_config *options)
{
    return options->steps ? options->steps : BUDGET;
}

/* ---- good sets to begin with ---- */

/* The k cheapest points, by search->price. */
static void choose_cheapest (struct search *search, uint8_t *marks)
{
    uint32_t n = search->cuts.n;
    memset (marks, LEFT, n);
    for (uint32_t i = 0; i < n; i++)
        search->offers[i] = (struct offer){search->price[i], i};
    offers_sort (search->offers, n);
    for (uint32_t i = 0; i < search->k; i++)
        marks[search->offers[i].point] = CHOSEN;
}

/* Set search->price to twice the distance of every point from the set whose
 * counts are in search->counts, less a constant. */
static void price_by_set (struct search *search)
{
    for (uint32_t c = 0; c < search->cuts.ncuts; c++)
        search->cut_price[c] = search->cuts.length[c]
                               * ((amount)search->k
                                  - 2 * (amount)search->counts[c]);
    cuts_price (&search->cuts, search->cut_price, search->running,
                search->price);
}

/* The points nearest to a set are never a worse set, as its sum is concave:
 * go on while they are better. */
static amount descend_from (struct search *search, uint8_t *marks)
{
    amount sum = search_sum (search, marks), next;
    for (;;) {
        price_by_set (search);
        choose_cheapest (search, search->relaxed);
        next = search_sum (search, search->relaxed);
        if (next >= sum)
            return sum;
        memcpy (marks, search->relaxed, search->cuts.n);
        sum = next;
    }
}

static void price_by_point (struct search *search, const struct cloud *cloud,
                            uint32_t point)
{
    for (uint32_t i = 0; i < search->cuts.n; i++)
        search->price[i]
            = (amount)cloud_distance (cloud, cloud_point (cloud, point),
                                      cloud_point (cloud, i));
}

amount search_descend (struct search *search, const struct cloud *cloud,
                       uint32_t point, uint8_t marks[])
{
    amount star = 0, sum;
    price_by_point (search, cloud, point);
    choose_cheapest (search, marks);
    for (uint32_t j = 0; j < search->k; j++)
        star += search->offers[j].price;
    sum = descend_from (search, marks);
    if (sum < search->found_sum) {
        memcpy (search->found, marks, search->cuts.n);
        search->found_sum = sum;
    }
    return star;
}

/* ---- idle tori ---- */

/* Whether the points are all nodes of a torus, in the order of ids: every set
 * can be moved until it has the first node, so the first of the best sets has
 * it. Lines of one or two nodes, as in a hypercube, are as good as rings. */
static bool is_idle_torus (const struct cloud *cloud)
{
    uint64_t side[TORI_MAX_DIMS];
    wide nodes = 1;
    for (int d = 0; d < cloud->ndims && nodes <= cloud->n; d++) {
        int64_t last = cloud_point (cloud, cloud->n - 1)[d];
        side[d] = cloud->ring[d] ? cloud->ring[d] : last == 0 ? 1 : 2;
        nodes *= side[d];
    }
    if (nodes != cloud->n)
        return false;
    for (size_t i = 0; i < cloud->n; i++) {
        uint64_t rest = i;
        for (int d = cloud->ndims; d-- > 0; rest /= side[d])
            if ((uint64_t)cloud_point (cloud, i)[d] != rest % side[d])
                return false;
    }
    return true;
}

/* ---- the allocator ---- */

static int too_large (size_t n, size_t k, tori_error *err)
{
    return tori_error_set (err, TORI_GAVE_UP,
                           "exact is for small instances: a search for the "
                           "best %zu of %zu points needs more steps than "
                           "allowed; gen-alg always answers",
                           k, n);
}

/* The chosen points of the marks, in the order of their indexes. */
static void gather_chosen (const uint8_t *marks, size_t n, size_t *ret_chosen)
{
    for (size_t i = 0, at = 0; i < n; i++)
        if (marks[i] == CHOSEN)
            ret_chosen[at++] = i;
}

/* Report the best set found, and the bound by stars. `room` is for the set. */
static int keep_known (struct search *search, const struct cloud *cloud,
                       const tori_alloc_config *options, size_t *room,
                       tori_error *err)
{
    wide bound;
    if (stars_bound (cloud, search->k, &bound, err) < 0)
        return -1;
    if (search->proved < (amount)bound)
        search->proved = (amount)bound;
    if (search->proved > search->found_sum)
        search->proved = search->found_sum;
    gather_chosen (search->found, cloud->n, room);
    cloud_spend (options, search->steps, search->budget);
    cloud_keep (options, room, search->k, (double)(search->found_sum / 2),
                (double)((search->proved + 1) / 2));
    return 0;
}

static int give_up (const struct search *search, tori_error *err)
{
    return tori_error_set (
        err, TORI_GAVE_UP,
        "exact gave up after %.2g steps, its limit: the best %" PRIu32
        " of %" PRIu32 " points found have a sum of %.15g, and proved is at "
        "least %.15g; gen-alg always answers",
        (double)search->budget, search->k, search->cuts.n,
        (double)(search->found_sum / 2), (double)((search->proved + 1) / 2));
}

/* 1 if it gives up. */
static int prove_best (struct search *search, uint8_t *marks, tori_error *err)
{
    search->improving = true;
    search->limit = search_goal (search, search->found_sum);
    search_open (search, marks);
    if (search_explore (search, marks, err) < 0)
        return -1;
    if (search->steps > search->budget)
        return 1;
    return search_first (search, marks, err);
}

/* With more points even k = 3 takes longer than anyone would wait. */
static bool is_feasible (const struct search *search)
{
    enum { MOST_POINTS = 1 << 12 };
    uint64_t round = search_round (search);
    return search->cuts.n <= MOST_POINTS && round <= BUDGET / LEAST_ROUNDS
           && round <= search->budget / FEW_ROUNDS;
}

/* The callback for the progress of a search. */
struct listener {
    const tori_alloc_config *options;
    uint64_t limit;
};

static void on_node (void *arg, uint64_t steps)
{
    const struct listener *listener = arg;
    cloud_progress (listener->options, steps, listener->limit);
}

/* From a good set in `chosen` to the best one. `marks` are room. */
static int search_from (struct search *search, const struct cloud *cloud,
                        const tori_alloc_config *options, uint8_t *marks,
                        size_t *chosen, tori_error *err)
{
    int status = 1;
    bool feasible = is_feasible (search);
    for (uint32_t i = 0; i < search->k; i++)
        search->found[chosen[i]] = CHOSEN;
    search->found_sum = search_sum (search, search->found);
    if (feasible)
        status = prove_best (search, marks, err);
    if (status == 0)
        gather_chosen (search->found, cloud->n, chosen);
    if (status <= 0)
        return status;
    if ((feasible || options->search)
        && keep_known (search, cloud, options, chosen, err) < 0)
        return -1;
    return feasible ? give_up (search, err)
                    : too_large (cloud->n, search->k, err);
}

/* Points for which a good set is soon known. */
enum { MANY_POINTS = 1 << 14 };

static int choose_any (const struct cloud *cloud, size_t k,
                       const tori_alloc_config *options, size_t *ret_chosen,
                       tori_error *err)
{
    struct listener listener = {options, limit_of (options)};
    struct search search;
    uint8_t *marks;
    int status;
    if (cloud->n > MANY_POINTS)
        return too_large (cloud->n, k, err);
    if (gen_alg_choose (cloud, k, NULL, ret_chosen, err) < 0
        || mm_improve (cloud, k, ret_chosen, err) < 0
        || search_create (cloud, (uint32_t)k, &search, err) < 0)
        return -1;
    search.budget = listener.limit;
    search.with_first = is_idle_torus (cloud);
    search.on_node = on_node;
    search.arg = &listener;
    marks = malloc (cloud->n);
    status = marks ? search_from (&search, cloud, options, marks, ret_chosen,
                                  err)
                   : tori_error_nomem (err);
    free (marks);
    search_clear (&search);
    return status;
}

/* Round an idle ring neighbours are best. Let x be the number of chosen nodes
 * among half of the n nodes in a row: each of the n values of x stands for a
 * diameter, all of the same length, so the best set has the greatest sum of
 * x^2. The sum of all x is fixed, and from one to the next is a step of 1 at
 * most; so a turn passes every number between the least x and the greatest at
 * least twice. For neighbours that is just twice, between the least and the
 * greatest that x can be, so no set is spread out further. */
static bool first_are_best (const struct cloud *cloud, int dim, size_t k)
{
    return k == 1 || k == cloud->n || (dim >= 0 && is_idle_torus (cloud));
}

int exact_choose (const struct cloud *cloud, size_t k,
                  const tori_alloc_config *options, size_t *ret_chosen,
                  tori_error *err)
{
    int dim = row_find (cloud);
    if (first_are_best (cloud, dim, k)) {
        for (size_t i = 0; i < k; i++)
            ret_chosen[i] = i;
        return 0;
    }
    if (dim >= 0 && !cloud->ring[dim])
        return neighbours_choose (cloud, dim, k, ret_chosen, err);
    return choose_any (cloud, k, options, ret_chosen, err);
}

const struct alloc_ops exact_ops = {
    .info = {
        .name = "exact",
        .summary = "the least sum of distances, proved; for small requests, "
                   "but for any on a line",
        .takes = TORI_BY_COUNT,
        .flags = TORI_ALLOC_POINTS | TORI_ALLOC_SEARCHES,
    },
    .choose = exact_choose,
};

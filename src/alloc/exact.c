/* exact.c - a set of least sum, and the proof that there is none better.
 *
 * Branch and bound on how many chosen points lie behind each coordinate; see
 * exact.h for the bound. It starts from good sets: around every point the k
 * nearest, made better while the k points nearest to the set, or a swap, are
 * better. Then it proves that nothing is better, or finds it. Of equally good
 * sets the answer is the one whose indexes come first in lexicographic order:
 * point by point it is asked whether some best set has the points settled so
 * far and this one.
 *
 * For a few of many points the same is done point by point first
 * (exact_places.h), for a share of the budget. Points on a line are left to
 * neighbours.h.
 */
#include "exact.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "exact_places.h"
#include "mm.h"
#include "neighbours.h"
#include "policy.h"
#include "row.h"
#include "stars.h"

/* Steps are additions, and these about a minute's worth, if no other limit is
 * given. So many rounds must be possible in them, and a few in any limit: what
 * comes before the first is not counted. */
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

/* Into search->price, twice the distance of every point from the set whose
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
static amount descend (struct search *search, uint8_t *marks)
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
    sum = descend (search, marks);
    if (sum < search->found_sum) {
        memcpy (search->found, marks, search->cuts.n);
        search->found_sum = sum;
    }
    return star;
}

/* Descend from each point. Returns a bound: in a set, the point that is
 * nearest to all others has a k-th or less of the sum of distances over
 * ordered pairs, so that is at least k times the least sum of the distances of
 * a point to its k nearest. */
static amount find_start (struct search *search, const struct cloud *cloud,
                          uint8_t *marks)
{
    amount least = -1;
    search->found_sum = AMOUNT_MAX;
    for (uint32_t i = 0; i < search->cuts.n; i++) {
        amount star = search_descend (search, cloud, i, marks);
        if (least < 0 || star < least)
            least = star;
    }
    return least * search->k;
}

/* ---- idle tori ---- */

/* Whether the points are all nodes of a torus, in the order of ids: every set
 * can be moved until it has the first node, so the first of the best has it.
 * Lines of one node or of two, as those of a hypercube, are as good as rings.
 */
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
                           "exact is for small instances: one round of the "
                           "search for the best %zu of %zu points "
                           "is too long for its limit of steps; gen-alg "
                           "always answers",
                           k, n);
}

/* The chosen of the marks, in the order of their indexes. */
static void gather_chosen (const uint8_t *marks, size_t n, size_t *ret_chosen)
{
    for (size_t i = 0, at = 0; i < n; i++)
        if (marks[i] == CHOSEN)
            ret_chosen[at++] = i;
}

/* `room` is for the set found. */
static int give_up (const struct search *search,
                    const tori_alloc_config *options, size_t *room,
                    tori_error *err)
{
    amount best = search->found_sum, proved = search->proved;
    double sum, least;
    if (proved > best)
        proved = best;
    sum = (double)(best / 2);
    least = (double)((proved + 1) / 2);
    gather_chosen (search->found, search->cuts.n, room);
    cloud_keep (options, room, search->k, sum, least);
    return tori_error_set (
        err, TORI_GAVE_UP,
        "exact gave up after %.2g steps, its limit: the best %" PRIu32
        " of %" PRIu32 " points found have a sum of %.15g, and proved is at "
        "least %.15g; gen-alg always answers",
        (double)search->budget, search->k, search->cuts.n, sum, least);
}

/* 1 if it gives up. */
static int prove (struct search *search, const struct cloud *cloud,
                  uint8_t *marks, tori_error *err)
{
    search->proved = find_start (search, cloud, marks);
    search->improving = true;
    search->limit = search_goal (search, search->found_sum);
    search_open (search, marks);
    if (search_explore (search, marks, err) < 0)
        return -1;
    if (search->steps > search->budget)
        return 1;
    return search_first (search, marks, err);
}

/* To descend from every point takes all pairs of points. */
static bool is_feasible (const struct search *search)
{
    uint64_t round = search_round (search), n = search->cuts.n;
    return round <= BUDGET / LEAST_ROUNDS && n * n <= BUDGET / LEAST_ROUNDS
           && round <= search->budget / FEW_ROUNDS;
}

/* Who is told how far the search is. */
struct listener {
    const tori_alloc_config *options;
    uint64_t limit;
    uint64_t spent; /* before it */
};

static void on_node (void *arg, uint64_t steps)
{
    const struct listener *listener = arg;
    cloud_progress (listener->options, listener->spent + steps,
                    listener->limit);
}

/* All points at once. So many steps are `spent`, but do not count. */
static int choose_whole (const struct cloud *cloud, uint32_t k,
                         const tori_alloc_config *options, uint64_t spent,
                         size_t *ret_chosen, tori_error *err)
{
    struct listener listener = {options, limit_of (options), spent};
    struct search search;
    size_t *room = malloc (k * sizeof *room);
    uint8_t *marks = malloc (cloud->n);
    int status = -1;
    if (!marks || !room) {
        tori_error_nomem (err);
        goto done;
    }
    if (search_create (cloud, k, &search, err) < 0)
        goto done;
    search.budget = listener.limit;
    search.with_first = is_idle_torus (cloud);
    search.on_node = on_node;
    search.arg = &listener;
    cloud_spend (options, 0, search.budget);
    if (!is_feasible (&search))
        too_large (cloud->n, k, err);
    else
        status = prove (&search, cloud, marks, err);
    if (status == 0)
        gather_chosen (search.found, cloud->n, ret_chosen);
    if (status > 0) {
        cloud_spend (options, search.steps, search.budget);
        status = give_up (&search, options, room, err);
    }
    search_clear (&search);
done:
    free (marks);
    free (room);
    return status;
}

/* Points to be looked at in pairs; fewer than these are looked at at once. */
enum { MANY_POINTS = 1 << 14, FEW_POINTS = 64 };

/* Point by point, in a share of the steps: 1, or 0 if that is not enough. The
 * best set known is left in `ret_chosen`. */
static int choose_places (const struct cloud *cloud, size_t k,
                          struct exact_share *share, size_t *ret_chosen,
                          tori_error *err)
{
    if (cloud->n > MANY_POINTS)
        return 0;
    if (gen_alg_choose (cloud, k, NULL, ret_chosen, err) < 0
        || mm_improve (cloud, k, ret_chosen, err) < 0)
        return -1;
    if (cloud->n <= FEW_POINTS)
        return 0;
    return exact_by_places (cloud, k, is_idle_torus (cloud), share,
                            ret_chosen, err);
}

/* If a search was not begun, that set is known, and what stars prove. */
static int keep_start (const struct cloud *cloud, size_t k,
                       const tori_alloc_config *options, const size_t *set,
                       tori_error *err)
{
    wide sum, bound;
    if (!options->search || options->search->found || cloud->n > MANY_POINTS)
        return 0;
    if (cloud_pairwise (cloud, set, k, &sum, err) < 0
        || stars_bound (cloud, k, &bound, err) < 0)
        return -1;
    cloud_keep (options, set, k, (double)sum, (double)((bound + 1) / 2));
    return 0;
}

static int choose_any (const struct cloud *cloud, size_t k,
                       const tori_alloc_config *options, size_t *ret_chosen,
                       tori_error *err)
{
    enum { SHARE = 16 };
    uint64_t limit = limit_of (options);
    struct exact_share share = {options, limit, limit / SHARE, 0};
    tori_error why;
    int status = choose_places (cloud, k, &share, ret_chosen, err);
    if (status != 0)
        return status < 0 ? -1 : 0;
    if (cloud->n > UINT32_MAX / 4)
        return too_large (cloud->n, k, err);
    if (choose_whole (cloud, (uint32_t)k, options, share.spent, ret_chosen,
                      &why)
        == 0)
        return 0;
    if (why.status == TORI_GAVE_UP
        && keep_start (cloud, k, options, ret_chosen, err) < 0)
        return -1;
    return tori_error_set (err, why.status, "%s", why.text);
}

/* Round an idle ring neighbours are best. Let x be how many chosen nodes are
 * among half of the n nodes in a row: of the n different x every one stands for
 * a diameter, and all for as long, so best is the greatest sum of x^2. The sum
 * of all x is fixed, and from one to the next is a step of 1 at most; so a turn
 * passes every number between the least x and the greatest twice or more. For
 * neighbours that is just twice, between the least and the greatest that x can
 * be, so nothing is spread out further. */
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

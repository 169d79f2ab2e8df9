/* mm_inc.c - MM, then swaps.
 *
 * With S(x) the sum of distances from x to the chosen, giving up p for q
 * changes the pairwise sum by S(q) - d(p,q) - S(p). On a machine, S(x) is the
 * sum over the dimensions of what the coordinate of x there is away from all
 * the chosen, a table as long as the side. As no distance is longer than the
 * machine's diameter D, the best swap gives up a node whose S is within D of
 * the greatest and takes one whose S is within D of the least. S grows by up
 * to k a hop, so these are few unless k is small.
 */
#include <stdlib.h>
#include <string.h>

#include "bits.h"
#include "marks.h"
#include "mm.h"
#include "policy.h"

/* ---- on any points ---- */

/* Among points there is no diameter to speak of: one may be far out. But what
 * p and q are apart is no more than what both are away from some centre, e(p)
 * and e(q). So a swap gains at most S(p) + e(p), less S(q) - e(q); those pairs
 * that may gain as much as the pair of the best ends are looked at. */
struct search {
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

static wide apart (const struct search *search, size_t a, size_t b)
{
    return cloud_distance (search->cloud, cloud_point (search->cloud, a),
                           cloud_point (search->cloud, b));
}

/* What there is to give up, and to take; the second has the farthest added, to
 * be positive. */
static wide worth (const struct search *search, size_t i)
{
    return search->sums[i] + search->away[i];
}

static wide price (const struct search *search, size_t i)
{
    return search->sums[i] + search->farthest - search->away[i];
}

static wide gain_of (const struct search *search, size_t out, size_t in)
{
    wide before = search->sums[out] + apart (search, out, in);
    return before > search->sums[in] ? before - search->sums[in] : 0;
}

/* The points that may be of use, those of no gain left out. */
static void find_ends (struct search *search)
{
    size_t n = search->cloud->n, best[2] = {SIZE_MAX, SIZE_MAX};
    wide most, least, gain;
    for (size_t i = 0; i < n; i++) {
        size_t *of = &best[search->chosen[i]];
        if (*of == SIZE_MAX
            || (search->chosen[i] ? worth (search, i) > worth (search, *of)
                                  : price (search, i) < price (search, *of)))
            *of = i;
    }
    search->nout = search->nin = 0;
    if (best[0] == SIZE_MAX)
        return;
    most = worth (search, best[1]) + search->farthest;
    least = price (search, best[0]);
    gain = gain_of (search, best[1], best[0]);
    gain = gain > 0 ? gain : 1;
    for (size_t i = 0; i < n; i++)
        if (search->chosen[i]) {
            if (worth (search, i) + search->farthest >= least + gain)
                search->out[search->nout++] = i;
        } else if (price (search, i) + gain <= most) {
            search->in[search->nin++] = i;
        }
}

/* The best swap of `out`, if it is better than *best. */
static void best_for (const struct search *search, size_t out,
                      struct swap *best)
{
    wide most = worth (search, out) + search->farthest;
    for (size_t i = 0; i < search->nin; i++) {
        wide gain;
        if (price (search, search->in[i]) + best->gain >= most)
            continue;
        gain = gain_of (search, out, search->in[i]);
        if (gain > best->gain)
            *best = (struct swap){out, search->in[i], gain};
    }
}

static struct swap best_swap (struct search *search)
{
    struct swap best = {0, 0, 0};
    find_ends (search);
    for (size_t i = 0; i < search->nout; i++)
        best_for (search, search->out[i], &best);
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

static int compare_coords (const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
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

/* The distances from `at` to sorted coordinates, whose differences from the
 * first are summed up to each. Round a ring, those of up to half a ring before
 * and behind it are as far as on a line; of the others, the rest of the
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

/* What one dimension adds to all sums; room for k coordinates and k + 1
 * sums. */
static void add_dimension (struct search *search, int dim,
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

/* The sums of the first choice. The centre is the chosen point of the least
 * sum. */
static int start (struct search *search, const size_t *chosen, size_t k,
                  tori_error *err)
{
    int64_t *sorted = malloc (k * sizeof *sorted);
    wide *upto = malloc ((k + 1) * sizeof *upto);
    size_t centre = chosen[0];
    if (sorted && upto)
        for (int d = 0; d < search->cloud->ndims; d++)
            add_dimension (search, d, chosen, k, sorted, upto);
    free (sorted);
    free (upto);
    if (!sorted || !upto)
        return tori_error_nomem (err);
    for (size_t j = 0; j < k; j++) {
        search->chosen[chosen[j]] = true;
        if (search->sums[chosen[j]] < search->sums[centre])
            centre = chosen[j];
    }
    for (size_t i = 0; i < search->cloud->n; i++) {
        search->away[i] = apart (search, i, centre);
        if (search->away[i] > search->farthest)
            search->farthest = search->away[i];
    }
    return 0;
}

int mm_improve (const struct cloud *cloud, size_t k, size_t *chosen,
                tori_error *err)
{
    struct search search = {.cloud = cloud};
    struct swap swap;
    int status = -1;
    search.chosen = calloc (cloud->n, sizeof *search.chosen);
    search.sums = calloc (cloud->n, sizeof *search.sums);
    search.away = malloc (cloud->n * sizeof *search.away);
    search.out = malloc (cloud->n * sizeof *search.out);
    search.in = malloc (cloud->n * sizeof *search.in);
    if (!search.chosen || !search.sums || !search.away || !search.out
        || !search.in) {
        tori_error_nomem (err);
        goto done;
    }
    status = start (&search, chosen, k, err);
    if (status < 0)
        goto done;
    while ((swap = best_swap (&search)).gain > 0)
        make_swap (&search, &swap);
    for (size_t i = 0, at = 0; i < cloud->n; i++)
        if (search.chosen[i])
            chosen[at++] = i;
done:
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

struct node {
    uint32_t id;
    uint64_t sum;
};

struct swaps {
    const tori_machine *machine;
    size_t ndims;
    uint64_t diameter;
    uint64_t *away[TORI_MAX_DIMS]; /* from the chosen, a coordinate */
    uint64_t *open;                /* the free nodes that are not chosen */
    struct node *chosen;           /* in ascending order */
    uint32_t *held;                /* their coordinates */
    size_t k;
    struct node *near; /* nodes that may be taken, in ascending order */
    size_t n;
    uint32_t *coords; /* of these */
};

static uint64_t hops (const tori_machine *machine, int dim, uint32_t a,
                      uint32_t b)
{
    uint32_t apart = a < b ? b - a : a - b;
    uint32_t other = machine->shape.size[dim] - apart;
    return tori_machine_wraps (machine, dim) && other < apart ? other : apart;
}

static void swaps_clear (struct swaps *swaps)
{
    free (swaps->away[0]);
    free (swaps->open);
    free (swaps->chosen);
    free (swaps->held);
    free (swaps->near);
    free (swaps->coords);
}

static int swaps_init (struct swaps *swaps, const tori_state *state, size_t k,
                       tori_error *err)
{
    const tori_machine *machine = state->machine;
    size_t sides = 0, others = state->free_count - k;
    *swaps = (struct swaps){.machine = machine, .k = k,
                            .ndims = (size_t)machine->shape.ndims};
    for (size_t d = 0; d < swaps->ndims; d++) {
        uint32_t size = machine->shape.size[d];
        sides += size;
        swaps->diameter += tori_machine_wraps (machine, (int)d) ? size / 2
                                                                : size - 1;
    }
    swaps->away[0] = calloc (sides, sizeof *swaps->away[0]);
    swaps->open = malloc (state->words * sizeof *swaps->open);
    swaps->chosen = malloc (k * sizeof *swaps->chosen);
    swaps->held = malloc (k * swaps->ndims * sizeof *swaps->held);
    swaps->near = malloc ((others + 1) * sizeof *swaps->near);
    swaps->coords = malloc ((others + 1) * swaps->ndims
                            * sizeof *swaps->coords);
    if (swaps->away[0] && swaps->open && swaps->chosen && swaps->held
        && swaps->near && swaps->coords) {
        for (size_t d = 1; d < swaps->ndims; d++)
            swaps->away[d] = swaps->away[d - 1] + machine->shape.size[d - 1];
        memcpy (swaps->open, state->free, state->words * sizeof *swaps->open);
        return 0;
    }
    swaps_clear (swaps);
    return tori_error_nomem (err);
}

/* `times` more of the chosen are at this coordinate. */
static void add_away (struct swaps *swaps, size_t dim, uint32_t at,
                      uint64_t times)
{
    for (uint32_t c = 0; c < swaps->machine->shape.size[dim]; c++)
        swaps->away[dim][c] += times
                               * hops (swaps->machine, (int)dim, c, at);
}

static void add_chosen (struct swaps *swaps, uint32_t node, uint64_t times)
{
    for (size_t d = 0; d < swaps->ndims; d++)
        add_away (swaps, d, grid_coord (swaps->machine, node, (int)d), times);
}

/* The tables of the first choice: whole lines at once where coordinates
 * recur. -1 without memory. */
static int first_choice (struct swaps *swaps, const uint32_t *nodes,
                         tori_error *err)
{
    for (size_t i = 0; i < swaps->k; i++) {
        swaps->chosen[i].id = nodes[i];
        tori_machine_coords (swaps->machine, nodes[i],
                             swaps->held + i * swaps->ndims);
        bits_clear (swaps->open, nodes[i]);
    }
    for (size_t d = 0; d < swaps->ndims; d++) {
        uint32_t size = swaps->machine->shape.size[d];
        uint64_t *histogram = calloc (size, sizeof *histogram);
        if (!histogram)
            return tori_error_nomem (err);
        for (size_t i = 0; i < swaps->k; i++)
            histogram[grid_coord (swaps->machine, nodes[i], (int)d)]++;
        for (uint32_t c = 0; c < size; c++)
            if (histogram[c])
                add_away (swaps, d, c, histogram[c]);
        free (histogram);
    }
    return 0;
}

static uint64_t sum_at (const struct swaps *swaps, const uint32_t *coords)
{
    uint64_t sum = 0;
    for (size_t d = 0; d < swaps->ndims; d++)
        sum += swaps->away[d][coords[d]];
    return sum;
}

static uint64_t greatest_sum (struct swaps *swaps)
{
    uint64_t greatest = 0;
    for (size_t i = 0; i < swaps->k; i++) {
        struct node *node = &swaps->chosen[i];
        node->sum = sum_at (swaps, swaps->held + i * swaps->ndims);
        greatest = node->sum > greatest ? node->sum : greatest;
    }
    return greatest;
}

/* Sums that may be of use once this one is known to be there. */
static uint64_t within (const struct swaps *swaps, uint64_t least)
{
    return least > UINT64_MAX - swaps->diameter ? UINT64_MAX
                                                : least + swaps->diameter;
}

/* Gather the open nodes of one row that may be of use, `sum` being what its
 * other coordinates add. Returns the least sum so far. */
static uint64_t scan_row (struct swaps *swaps, uint32_t first, uint64_t sum,
                          uint64_t least)
{
    size_t last = swaps->ndims - 1;
    uint32_t size = swaps->machine->shape.size[last];
    for (uint32_t from = 0; from < size; from += 64) {
        unsigned n = size - from < 64 ? size - from : 64;
        uint64_t word = bits_get (swaps->open, first + from, n);
        for (; word; word &= word - 1) {
            uint32_t c = from + (uint32_t)__builtin_ctzll (word);
            uint64_t all = sum + swaps->away[last][c];
            least = all < least ? all : least;
            if (all <= within (swaps, least))
                swaps->near[swaps->n++] = (struct node){first + c, all};
        }
    }
    return least;
}

/* The least that the dimensions from any on add to a sum. */
static void find_lowest (const struct swaps *swaps,
                         uint64_t ret_lowest[TORI_MAX_DIMS + 1])
{
    ret_lowest[swaps->ndims] = 0;
    for (size_t d = swaps->ndims; d-- > 0;) {
        uint64_t lowest = UINT64_MAX;
        for (uint32_t c = 0; c < swaps->machine->shape.size[d]; c++)
            if (swaps->away[d][c] < lowest)
                lowest = swaps->away[d][c];
        ret_lowest[d] = lowest + ret_lowest[d + 1];
    }
}

/* The same for the nodes from `first` on that differ in the dimensions from
 * `dim` on. Parts that have none of them are passed over. */
static uint64_t scan_part (struct swaps *swaps, size_t dim, uint32_t first,
                           uint64_t sum, const uint64_t *lowest,
                           uint64_t least)
{
    const tori_machine *machine = swaps->machine;
    if (dim == swaps->ndims - 1)
        return scan_row (swaps, first, sum, least);
    for (uint32_t c = 0; c < machine->shape.size[dim];
         c++, first += machine->stride[dim]) {
        uint64_t more = sum + swaps->away[dim][c];
        if (more + lowest[dim + 1] <= within (swaps, least))
            least = scan_part (swaps, dim + 1, first, more, lowest, least);
    }
    return least;
}

/* Gather the open nodes whose sum is within a diameter of the least; returns
 * that, or UINT64_MAX if no node is open. The nearer to the least is `hint`,
 * the sum of some open node, the faster. */
static uint64_t scan (struct swaps *swaps, uint64_t hint)
{
    uint64_t lowest[TORI_MAX_DIMS + 1], least;
    size_t kept = 0;
    find_lowest (swaps, lowest);
    swaps->n = 0;
    least = scan_part (swaps, 0, 0, 0, lowest, hint);
    for (size_t i = 0; i < swaps->n; i++)
        if (swaps->near[i].sum <= within (swaps, least))
            swaps->near[kept++] = swaps->near[i];
    swaps->n = kept;
    return least;
}

/* The coordinates of what was gathered. */
static void find_coords (struct swaps *swaps)
{
    for (size_t i = 0; i < swaps->n; i++)
        tori_machine_coords (swaps->machine, swaps->near[i].id,
                             swaps->coords + i * swaps->ndims);
}

/* The best swap of the i-th of the chosen, if it is better than *best. */
static void best_of (const struct swaps *swaps, size_t i, struct swap *best)
{
    const struct node *out = &swaps->chosen[i];
    const uint32_t *coords = swaps->held + i * swaps->ndims;
    for (size_t j = 0; j < swaps->n; j++) {
        const uint32_t *at = swaps->coords + j * swaps->ndims;
        uint64_t before = out->sum, after = swaps->near[j].sum;
        if (before + swaps->diameter <= after + (uint64_t)best->gain)
            continue;
        for (size_t d = 0; d < swaps->ndims; d++)
            before += hops (swaps->machine, (int)d, coords[d], at[d]);
        if (before > after && before - after > best->gain)
            *best = (struct swap){i, j, before - after};
    }
}

/* The best swap as indexes of chosen and near ones; its gain is 0 if there is
 * none. */
static struct swap find_swap (struct swaps *swaps, uint64_t hint)
{
    struct swap best = {0, 0, 0};
    uint64_t greatest = greatest_sum (swaps);
    if (scan (swaps, hint) >= greatest + swaps->diameter)
        return best;
    find_coords (swaps);
    for (size_t i = 0; i < swaps->k; i++)
        if (swaps->chosen[i].sum + swaps->diameter >= greatest)
            best_of (swaps, i, &best);
    return best;
}

/* Put a node among the chosen in place of another, in order. */
static void put_chosen (struct swaps *swaps, size_t at, uint32_t in)
{
    struct node *chosen = swaps->chosen;
    size_t to = at, size = swaps->ndims * sizeof *swaps->held;
    while (to > 0 && chosen[to - 1].id > in)
        to--;
    while (to + 1 < swaps->k && chosen[to + 1].id < in)
        to++;
    for (; at != to; at += at < to ? 1 : (size_t)-1) {
        size_t next = at < to ? at + 1 : at - 1;
        chosen[at] = chosen[next];
        memcpy (swaps->held + at * swaps->ndims,
                swaps->held + next * swaps->ndims, size);
    }
    chosen[to].id = in;
    tori_machine_coords (swaps->machine, in, swaps->held + to * swaps->ndims);
}

/* Returns the sum of the node that was given up, which is open now. */
static uint64_t do_swap (struct swaps *swaps, const struct swap *swap)
{
    uint32_t in = swaps->near[swap->in].id, out = swaps->chosen[swap->out].id;
    uint32_t coords[TORI_MAX_DIMS];
    tori_machine_coords (swaps->machine, out, coords);
    bits_set (swaps->open, out);
    bits_clear (swaps->open, in);
    add_chosen (swaps, in, 1);
    add_chosen (swaps, out, (uint64_t)-1);
    put_chosen (swaps, swap->out, in);
    return sum_at (swaps, coords);
}

static int improve (const tori_state *state, uint32_t k, uint32_t *nodes,
                    tori_error *err)
{
    struct swaps swaps;
    struct swap swap;
    uint64_t hint = UINT64_MAX;
    int status;
    if (swaps_init (&swaps, state, k, err) < 0)
        return -1;
    status = first_choice (&swaps, nodes, err);
    while (status == 0 && (swap = find_swap (&swaps, hint)).gain > 0)
        hint = do_swap (&swaps, &swap);
    for (size_t i = 0; status == 0 && i < k; i++)
        nodes[i] = swaps.chosen[i].id;
    swaps_clear (&swaps);
    return status;
}

static int place (void *data, const tori_state *state,
                  const tori_request *request, tori_placement *ret_place,
                  tori_error *err)
{
    uint32_t k = request->count, *nodes = malloc (k * sizeof *nodes);
    if (!nodes)
        return tori_error_nomem (err);
    if (mm_nodes (data, state, k, true, nodes, err) < 0
        || improve (state, k, nodes, err) < 0) {
        free (nodes);
        return -1;
    }
    *ret_place = (tori_placement){.count = k, .nodes = nodes};
    return 1;
}

const struct alloc_ops mm_inc_ops = {
    .info = {.name = "mm+inc",
             .summary = "mm, then swaps of one node while they help",
             .takes = TORI_BY_COUNT,
             .flags = TORI_ALLOC_POINTS},
    .create = mm_create,
    .destroy = mm_destroy,
    .choose = mm_inc_choose,
    .place = place,
};

/* curve.c - nodes along a curve: orders times packings.
 *
 * After Leung et al., "Processor allocation on Cplant: achieving general
 * processor locality using one-dimensional allocation strategies" (2002). The
 * free nodes in some order fall into runs of consecutive positions. A request
 * takes the front of a run that is long enough, which one is a matter of bin
 * packing:
 *
 *   -ff  the first
 *   -bf  the shortest, of these the first
 *   -ss  the one whose use leaves the least sum of squares: of the numbers of
 *        runs of each length (N(l) runs of length l > 0), squared and summed
 *        over l, worked out as they are after the request has been served;
 *        among equals the shortest, then the first. Many runs of one length
 *        are avoided, so that all lengths are to be had.
 *
 * If no run is long enough, the request takes the free nodes of the least
 * span along the order, the first such.
 *
 * Points are taken for the nodes of a mesh, the smallest box that holds them
 * all. Those at one place follow each other, in the order of their indexes.
 * The places between them are counted, not listed.
 */
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "hilbert.h"
#include "line.h"
#include "marks.h"
#include "policy.h"

/* Runs of one length. */
struct lot {
    uint32_t length; /* 0 in an empty slot */
    uint32_t count;
    uint32_t first;  /* where the first of them begins */
};

/* Different lengths add up to at most the number of nodes, so there are at
 * most sqrt (2 nodes) of them: a table of fixed size, open addressing. */
struct census {
    struct lot *slots;
    unsigned bits;  /* 2^bits slots, at least twice what can be used */
    uint32_t *used; /* slots in use */
    uint32_t nused;
};

struct packing;

struct curve {
    const struct packing *packing;
    struct line *line; /* for a machine; NULL for points: */
    struct run *runs;  /* in the order of the curve */
    size_t nruns;
    struct census census; /* empty except for -ss */
};

static void each_run (const struct curve *curve, uint32_t least,
                      line_visit_fn *visit, void *arg)
{
    if (curve->line)
        line_each (curve->line, least, visit, arg);
    for (size_t i = 0; i < curve->nruns; i++)
        if (curve->runs[i].count >= least && visit (arg, &curve->runs[i]))
            return;
}

/* Find the run for `count` nodes; false if none is long enough. */
struct packing {
    bool (*choose) (struct curve *curve, uint32_t count, uint32_t *ret_first);
    bool census;
};

/* ---- first fit, best fit ---- */

static bool take_first (void *arg, const struct run *run)
{
    *(struct run *)arg = *run;
    return true;
}

static bool choose_first (struct curve *curve, uint32_t count,
                          uint32_t *ret_first)
{
    struct run found = {0, 0};
    each_run (curve, count, take_first, &found);
    *ret_first = found.first;
    return found.count > 0;
}

struct shortest {
    uint32_t enough;
    struct run run;
};

static bool take_shorter (void *arg, const struct run *run)
{
    struct shortest *shortest = arg;
    if (shortest->run.count == 0 || run->count < shortest->run.count)
        shortest->run = *run;
    return shortest->run.count == shortest->enough;
}

static bool choose_shortest (struct curve *curve, uint32_t count,
                             uint32_t *ret_first)
{
    struct shortest shortest = {.enough = count};
    each_run (curve, count, take_shorter, &shortest);
    *ret_first = shortest.run.first;
    return shortest.run.count > 0;
}

/* ---- sum of squares ---- */

static int census_create (struct census *census, uint32_t nodes,
                          tori_error *err)
{
    uint32_t most = 1;
    while ((uint64_t)most * (most + 1) / 2 <= nodes)
        most++;
    census->bits = 2;
    while ((UINT32_C (1) << census->bits) < 2 * most)
        census->bits++;
    census->slots = calloc (UINT32_C (1) << census->bits,
                            sizeof *census->slots);
    census->used = malloc (most * sizeof *census->used);
    return census->slots && census->used ? 0 : tori_error_nomem (err);
}

/* The slot of a length, or the empty one where it would go. */
static uint32_t slot_of (const struct census *census, uint32_t length)
{
    uint32_t mask = (UINT32_C (1) << census->bits) - 1;
    uint32_t at = length * UINT32_C (2654435769) >> (32 - census->bits);
    while (census->slots[at].length && census->slots[at].length != length)
        at = (at + 1) & mask;
    return at;
}

static bool count_run (void *arg, const struct run *run)
{
    struct census *census = arg;
    uint32_t at = slot_of (census, run->count);
    if (!census->slots[at].length) {
        census->slots[at] = (struct lot){run->count, 0, run->first};
        census->used[census->nused++] = at;
    }
    census->slots[at].count++;
    return false;
}

/* The change of the sum of squares when `count` is cut off a run: (N-1)^2 -
 * N^2 for its own length and (N+1)^2 - N^2 for the rest of it. */
static int64_t count_added (const struct census *census, const struct lot *lot,
                            uint32_t count)
{
    int64_t sum = 1 - 2 * (int64_t)lot->count;
    if (lot->length > count)
        sum += 1 + 2 * (int64_t)census->slots[slot_of (
                           census, lot->length - count)].count;
    return sum;
}

static bool choose_squares (struct curve *curve, uint32_t count,
                            uint32_t *ret_first)
{
    struct census *census = &curve->census;
    const struct lot *best = NULL;
    int64_t least = 0;
    census->nused = 0;
    each_run (curve, 1, count_run, census);
    for (uint32_t i = 0; i < census->nused; i++) {
        const struct lot *lot = &census->slots[census->used[i]];
        int64_t sum;
        if (lot->length < count)
            continue;
        sum = count_added (census, lot, count);
        if (!best || sum < least
            || (sum == least && lot->length < best->length)) {
            best = lot;
            least = sum;
        }
    }
    if (best)
        *ret_first = best->first;
    for (uint32_t i = 0; i < census->nused; i++)
        census->slots[census->used[i]] = (struct lot){0};
    return best != NULL;
}

/* ---- on any points ---- */

/* The points along the curve. */
struct stops {
    wide *positions; /* of every point */
    size_t *points;  /* in order */
};

static wide stop_at (const struct stops *stops, size_t i)
{
    return stops->positions[stops->points[i]];
}

static int compare_stops (const void *a, const void *b, void *arg)
{
    const wide *positions = arg;
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    if (positions[x] != positions[y])
        return positions[x] < positions[y] ? -1 : 1;
    return (x > y) - (x < y);
}

/* The box that holds the points. */
struct hull {
    int ndims;
    int64_t low[TORI_MAX_DIMS];
    uint64_t length[TORI_MAX_DIMS]; /* of its sides, less 1 */
};

/* Its places are counted in 128 bits, from 0 on. */
static int find_hull (const struct cloud *cloud, struct hull *ret_hull,
                      tori_error *err)
{
    wide last = 0;
    *ret_hull = (struct hull){.ndims = cloud->ndims};
    for (int d = 0; d < cloud->ndims; d++) {
        uint64_t length = cloud_span (cloud, d, &ret_hull->low[d]);
        ret_hull->length[d] = length;
        if (__builtin_mul_overflow (last, (wide)length + 1, &last)
            || __builtin_add_overflow (last, length, &last))
            return tori_error_set (
                err, TORI_INVALID,
                "the box that holds these points has more than 2^128 places, "
                "too many for a curve; mc1x1 and gen-alg take any");
    }
    return 0;
}

/* The coordinates of a point from the low corner. */
static void find_steps (const struct hull *hull, const int64_t *point,
                        uint64_t ret_steps[])
{
    for (int d = 0; d < hull->ndims; d++)
        ret_steps[d] = (uint64_t)point[d] - (uint64_t)hull->low[d];
}

/* The position of a point in the order of ids or, with every other row
 * backwards, along a snake. */
static wide find_position (const struct hull *hull, const uint64_t steps[],
                           bool snake)
{
    wide position = 0;
    for (int d = 0; d < hull->ndims; d++) {
        bool back = snake && position % 2;
        position = position * ((wide)hull->length[d] + 1)
                   + (back ? hull->length[d] - steps[d] : steps[d]);
    }
    return position;
}

static int find_positions (const struct cloud *cloud, const struct hull *hull,
                           order_fn *order, wide *ret_positions,
                           tori_error *err)
{
    struct hilbert *hilbert = NULL;
    int status = 0;
    if (order == order_hilbert) {
        hilbert = hilbert_create (hull->length, hull->ndims, err);
        if (!hilbert)
            return -1;
    }
    for (size_t i = 0; status == 0 && i < cloud->n; i++) {
        uint64_t steps[TORI_MAX_DIMS];
        find_steps (hull, cloud_point (cloud, i), steps);
        if (hilbert)
            status = hilbert_position (hilbert, steps, &ret_positions[i], err);
        else
            ret_positions[i] = find_position (hull, steps,
                                              order == order_snake);
    }
    hilbert_destroy (hilbert);
    return status;
}

static void stops_clear (struct stops *stops)
{
    free (stops->positions);
    free (stops->points);
}

/* Points in the order of the curve. */
static int stops_create (const struct cloud *cloud, order_fn *order,
                         struct stops *ret_stops, tori_error *err)
{
    struct hull hull;
    struct stops stops;
    if (find_hull (cloud, &hull, err) < 0)
        return -1;
    stops.positions = malloc (cloud->n * sizeof *stops.positions);
    stops.points = malloc (cloud->n * sizeof *stops.points);
    if (!stops.positions || !stops.points) {
        stops_clear (&stops);
        return tori_error_nomem (err);
    }
    if (find_positions (cloud, &hull, order, stops.positions, err) < 0) {
        stops_clear (&stops);
        return -1;
    }
    for (size_t i = 0; i < cloud->n; i++)
        stops.points[i] = i;
    qsort_r (stops.points, cloud->n, sizeof *stops.points, compare_stops,
             stops.positions);
    *ret_stops = stops;
    return 0;
}

static size_t find_runs (const struct stops *stops, size_t n,
                         struct run *ret_runs)
{
    size_t nruns = 0;
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || stop_at (stops, i) - stop_at (stops, i - 1) > 1)
            ret_runs[nruns++] = (struct run){(uint32_t)i, 0};
        ret_runs[nruns - 1].count++;
    }
    return nruns;
}

static uint32_t least_span (const struct stops *stops, size_t n, size_t k)
{
    wide least = stop_at (stops, k - 1) - stop_at (stops, 0);
    size_t first = 0;
    for (size_t i = 1; i + k <= n; i++) {
        wide span = stop_at (stops, i + k - 1) - stop_at (stops, i);
        if (span < least) {
            first = i;
            least = span;
        }
    }
    return (uint32_t)first;
}

/* From runs to the answer. */
static int choose_stops (struct curve *curve, const struct stops *stops,
                         size_t n, size_t k, size_t *ret_chosen,
                         tori_error *err)
{
    uint32_t first;
    if (curve->packing->census
        && census_create (&curve->census, (uint32_t)n, err) < 0)
        return -1;
    curve->nruns = find_runs (stops, n, curve->runs);
    if (!curve->packing->choose (curve, (uint32_t)k, &first))
        first = least_span (stops, n, k);
    memcpy (ret_chosen, stops->points + first, k * sizeof *ret_chosen);
    qsort (ret_chosen, k, sizeof *ret_chosen, compare_sizes);
    return 0;
}

static int choose_points (const struct cloud *cloud, size_t k,
                          order_fn *order, const struct packing *packing,
                          size_t *ret_chosen, tori_error *err)
{
    struct curve curve = {.packing = packing};
    struct stops stops = {0};
    int status;
    if (cloud->n > UINT32_MAX)
        return tori_error_set (err, TORI_INVALID,
                               "%zu points are too many for a curve",
                               cloud->n);
    if (stops_create (cloud, order, &stops, err) < 0)
        return -1;
    curve.runs = malloc (cloud->n * sizeof *curve.runs);
    status = curve.runs ? choose_stops (&curve, &stops, cloud->n, k,
                                        ret_chosen, err)
                        : tori_error_nomem (err);
    free (curve.census.slots);
    free (curve.census.used);
    free (curve.runs);
    stops_clear (&stops);
    return status;
}

/* ---- the allocators ---- */

static void destroy_curve (void *data)
{
    struct curve *curve = data;
    line_destroy (curve->line);
    free (curve->census.slots);
    free (curve->census.used);
    free (curve);
}

static int create_curve (const tori_machine *machine, order_fn *order,
                         const struct packing *packing, void **ret_data,
                         tori_error *err)
{
    struct curve *curve = calloc (1, sizeof *curve);
    if (!curve)
        return tori_error_nomem (err);
    curve->packing = packing;
    curve->line = line_create (machine, order, err);
    if (!curve->line
        || (packing->census
            && census_create (&curve->census, tori_machine_nodes (machine),
                              err) < 0)) {
        destroy_curve (curve);
        return -1;
    }
    *ret_data = curve;
    return 0;
}

static int place_on_curve (void *data, const tori_state *state,
                           const tori_request *request,
                           tori_placement *ret_place, tori_error *err)
{
    struct curve *curve = data;
    uint32_t count = request->count, first, *nodes;
    if (line_update (curve->line, state, err) < 0)
        return -1;
    nodes = malloc (count * sizeof *nodes);
    if (!nodes)
        return tori_error_nomem (err);
    if (!curve->packing->choose (curve, count, &first))
        first = line_least_span (curve->line, count);
    line_collect (curve->line, first, count, nodes);
    *ret_place = (tori_placement){.count = count, .nodes = nodes};
    return 1;
}

static const struct packing packing_ff = {choose_first, false};
static const struct packing packing_bf = {choose_shortest, false};
static const struct packing packing_ss = {choose_squares, true};

/* Every order: its name, the function, further flags, its words in the
 * summary. Every machine has an order of ids. */
#define ORDERS(X)                                                             \
    X (row, NULL, TORI_ALLOC_ANYWHERE, "in the order of ids")                 \
    X (snake, order_snake, 0, "along a snake")                                \
    X (hilbert, order_hilbert, 0, "along a Hilbert curve")

/* Every packing for one order: its name and its words. */
#define PACKINGS(order, walk, more, where)                                    \
    ALLOCATOR (order, ff, walk, more, "the first run of free nodes " where)   \
    ALLOCATOR (order, bf, walk, more,                                         \
               "the shortest run of free nodes " where)                       \
    ALLOCATOR (order, ss, walk, more,                                         \
               "the run of least sum of squares " where)

#define ALLOCATOR(order, packing, walk, more, text)                           \
    static int create_##order##_##packing (const tori_machine *machine,       \
                                           void **ret_data, tori_error *err)  \
    {                                                                         \
        return create_curve (machine, walk, &packing_##packing, ret_data,     \
                             err);                                            \
    }                                                                         \
    static int choose_##order##_##packing (                                   \
        const struct cloud *cloud, size_t k,                                  \
        const tori_alloc_config *options, size_t *ret_chosen,                 \
        tori_error *err)                                                      \
    {                                                                         \
        return choose_points (cloud, k, walk, &packing_##packing, ret_chosen, \
                              err);                                           \
    }                                                                         \
    const struct alloc_ops order##_##packing##_ops = {                        \
        .info = {.name = #order "-" #packing,                                 \
                 .summary = text,                                             \
                 .takes = TORI_BY_COUNT,                                      \
                 .flags = TORI_ALLOC_POINTS | (more)},                        \
        .create = create_##order##_##packing,                                 \
        .destroy = destroy_curve,                                             \
        .choose = choose_##order##_##packing,                                 \
        .place = place_on_curve,                                              \
    };

ORDERS (PACKINGS)

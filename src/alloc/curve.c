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
 *        over l, worked out as they are after the request has been served. Of
 *        equals the shortest, then the first. Many runs of one length are
 *        avoided, so that all lengths are to be had.
 *
 * If no run is long enough, the request takes the free nodes of the least
 * span along the order, the first such.
 */
#include <stdlib.h>

#include "line.h"
#include "marks.h"
#include "policy.h"

/* Runs of one length. */
struct tally {
    uint32_t length; /* 0 in an empty slot */
    uint32_t count;
    uint32_t first;  /* where the first of them begins */
};

/* Lengths that differ add up to no more than the nodes, so there are at most
 * sqrt (2 nodes) of them: a table of fixed size, open addressing. */
struct census {
    struct tally *slots;
    unsigned bits;  /* 2^bits slots, at least twice what can be used */
    uint32_t *used; /* slots in use */
    uint32_t nused;
};

struct packing;

struct curve {
    const struct packing *packing;
    struct line *line;
    struct census census; /* empty but for -ss */
};

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
    line_each (curve->line, count, take_first, &found);
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
    line_each (curve->line, count, take_shorter, &shortest);
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
        census->slots[at] = (struct tally){run->count, 0, run->first};
        census->used[census->nused++] = at;
    }
    census->slots[at].count++;
    return false;
}

/* What cutting `count` off a run adds to the sum of squares: (N-1)^2 - N^2
 * for its own length and (N+1)^2 - N^2 for what is left of it. */
static int64_t added (const struct census *census, const struct tally *tally,
                      uint32_t count)
{
    int64_t sum = 1 - 2 * (int64_t)tally->count;
    if (tally->length > count)
        sum += 1 + 2 * (int64_t)census->slots[slot_of (
                           census, tally->length - count)].count;
    return sum;
}

static bool choose_squares (struct curve *curve, uint32_t count,
                            uint32_t *ret_first)
{
    struct census *census = &curve->census;
    const struct tally *best = NULL;
    int64_t least = 0;
    census->nused = 0;
    line_each (curve->line, 1, count_run, census);
    for (uint32_t i = 0; i < census->nused; i++) {
        const struct tally *tally = &census->slots[census->used[i]];
        int64_t sum;
        if (tally->length < count)
            continue;
        sum = added (census, tally, count);
        if (!best || sum < least
            || (sum == least && tally->length < best->length)) {
            best = tally;
            least = sum;
        }
    }
    if (best)
        *ret_first = best->first;
    for (uint32_t i = 0; i < census->nused; i++)
        census->slots[census->used[i]] = (struct tally){0};
    return best != NULL;
}

/* ---- the allocators ---- */

static void destroy (void *data)
{
    struct curve *curve = data;
    line_destroy (curve->line);
    free (curve->census.slots);
    free (curve->census.used);
    free (curve);
}

static int create (const tori_machine *machine, order_fn *order,
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
        destroy (curve);
        return -1;
    }
    *ret_data = curve;
    return 0;
}

static int place (void *data, const tori_state *state,
                  const tori_request *request, tori_placement *ret_place,
                  tori_error *err)
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

/* Every order: its name, the function, its words in the summary. */
#define ORDERS(X)                                                             \
    X (row, NULL, "in the order of ids")                                      \
    X (snake, order_snake, "along a snake")                                   \
    X (hilbert, order_hilbert, "along a Hilbert curve")

/* Every packing for one order: its name and its words. */
#define PACKINGS(order, walk, where)                                          \
    ALLOCATOR (order, ff, walk, "the first run of free nodes " where)         \
    ALLOCATOR (order, bf, walk, "the shortest run of free nodes " where)      \
    ALLOCATOR (order, ss, walk, "the run of least sum of squares " where)

#define ALLOCATOR(order, packing, walk, text)                                 \
    static int create_##order##_##packing (const tori_machine *machine,       \
                                           void **ret_data, tori_error *err)  \
    {                                                                         \
        return create (machine, walk, &packing_##packing, ret_data, err);     \
    }                                                                         \
    const struct alloc_ops order##_##packing##_ops = {                        \
        .info = {.name = #order "-" #packing,                                 \
                 .summary = text,                                             \
                 .takes = TORI_BY_COUNT},                                     \
        .create = create_##order##_##packing,                                 \
        .destroy = destroy,                                                   \
        .place = place,                                                       \
    };

ORDERS (PACKINGS)

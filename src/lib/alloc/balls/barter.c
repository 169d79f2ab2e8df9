#include "barter.h"

#include <stdlib.h>
#include <string.h>

#include "ballface.h"
#include "marks.h"

/* Nodes are listed that miss this part of the largest possible gain of a swap:
 * with more of them lists are long, with fewer they are made anew too
 * often. */
enum { SOON = 16 };

struct barter_end {
    int64_t low;
    uint32_t node;
};

struct barter {
    struct ball_space space;
    uint32_t first[TORI_MAX_DIMS]; /* of a dimension, among all places */
    uint32_t places;               /* coordinates of all dimensions */
    struct barter_terms terms;
    int64_t close; /* close + rest: the weight of w(S) */

    /* By place. */
    uint32_t *counts;
    uint64_t *prices, *sums; /* P and D */
    uint32_t *away;          /* from the centre */
    int64_t *dear, *slack;   /* the shares of D, P and `away` in a swap */

    /* By node of the machine. */
    uint32_t *index;  /* of a free node */
    uint64_t *beside; /* ballface.h */

    /* By free node, in the order of ids. */
    uint32_t n, *ids;
    uint32_t *at;   /* its places, one a dimension */
    bool *chosen;
    uint8_t *degrees, *near; /* neighbours that are free, and chosen */
    int64_t *value; /* the change of J when it is given up, or taken */
    int64_t *low;   /* no pair with it adds less than both their lows */
    bool *listed;

    /* The listed nodes, and those among them that may be worth taking [0], and
     * giving up [1]. */
    uint32_t *list, nlist;
    struct barter_end *ends[2];
    uint32_t nends[2];
    int64_t floor[2]; /* the least low of each kind, when all were seen */
    int64_t margin;   /* the nodes that are not listed were above 0 by this */
    int64_t drift;    /* by how much they may have come nearer since */

    wide all; /* w(F) */
    wide sum; /* w(S) */
    wide limit;
};

/* ---- create and destroy ---- */

static void release_arrays (struct barter *barter)
{
    free (barter->counts);
    free (barter->prices);
    free (barter->sums);
    free (barter->away);
    free (barter->dear);
    free (barter->slack);
    free (barter->index);
    free (barter->ids);
    free (barter->at);
    free (barter->beside);
    free (barter->chosen);
    free (barter->degrees);
    free (barter->near);
    free (barter->value);
    free (barter->low);
    free (barter->listed);
    free (barter->list);
    free (barter->ends[0]);
    free (barter->ends[1]);
}

void barter_destroy (struct barter *barter)
{
    if (!barter)
        return;
    release_arrays (barter);
    free (barter);
}

int barter_create (const tori_machine *machine, struct barter **ret_barter,
                   tori_error *err)
{
    struct barter *barter = calloc (1, sizeof *barter);
    if (!barter)
        return tori_error_nomem (err);
    barter->space = ball_space_of (machine);
    for (int a = 0; a < barter->space.n; a++) {
        barter->first[a] = barter->places;
        barter->places += barter->space.axes[a].size;
    }
    *ret_barter = barter;
    return 0;
}

/* Allocate an array when it is needed; never one of no bytes. */
#define NEED(member, n)                                                       \
    (barter->member                                                           \
     || (barter->member = malloc (((n) + 1) * sizeof *barter->member)))

/* Allocate the arrays in proportion to the machine, when they are needed. */
static int prepare_arrays (struct barter *barter, tori_error *err)
{
    size_t nodes = barter->space.machine->nodes;
    size_t axes = (size_t)barter->space.n, places = barter->places;
    return NEED (counts, places) && NEED (prices, places)
                   && NEED (sums, places) && NEED (away, places)
                   && NEED (dear, places) && NEED (slack, places)
                   && NEED (index, nodes) && NEED (ids, nodes)
                   && NEED (at, nodes * axes) && NEED (beside, nodes)
                   && NEED (chosen, nodes) && NEED (degrees, nodes)
                   && NEED (near, nodes)
                   && NEED (value, nodes) && NEED (low, nodes)
                   && NEED (listed, nodes) && NEED (list, nodes)
                   && NEED (ends[0], nodes) && NEED (ends[1], nodes)
               ? 0
               : tori_error_nomem (err);
}

/* ---- distances by coordinate ---- */

static uint32_t gap_between (const struct ball_axis *axis, uint32_t a,
                             uint32_t b)
{
    uint32_t apart = a < b ? b - a : a - b;
    return axis->wraps && axis->size - apart < apart ? axis->size - apart
                                                     : apart;
}

static uint32_t count_at (const struct ball_axis *axis,
                          const uint32_t *counts, int64_t at)
{
    if (at < 0 || at >= axis->size)
        return axis->wraps ? counts[(at + axis->size) % axis->size] : 0;
    return counts[at];
}

/* The distances from every coordinate to all that are counted. A step brings
 * it nearer to the half of a ring ahead, and farther from the other half; on a
 * line, all of it counts. */
static void sum_gaps (const struct ball_axis *axis, const uint32_t *counts,
                      uint64_t *ret_sums)
{
    int64_t half = axis->wraps ? axis->size / 2 : axis->size;
    uint64_t ahead = 0, behind = 0, sum = 0;
    for (uint32_t c = 0; c < axis->size; c++)
        sum += (uint64_t)counts[c] * gap_between (axis, 0, c);
    for (int64_t i = 0; i < half; i++) {
        ahead += count_at (axis, counts, i + 1);
        behind += count_at (axis, counts, -i);
    }
    for (int64_t c = 0; c < axis->size; c++) {
        ret_sums[c] = sum;
        sum += behind - ahead;
        ahead += count_at (axis, counts, c + 1 + half)
                 - (uint64_t)count_at (axis, counts, c + 1);
        behind += count_at (axis, counts, c + 1)
                  - (uint64_t)count_at (axis, counts, c + 1 - half);
    }
}

static void sum_all_gaps (struct barter *barter, uint64_t *ret_sums)
{
    for (int a = 0; a < barter->space.n; a++)
        sum_gaps (&barter->space.axes[a], barter->counts + barter->first[a],
                  ret_sums + barter->first[a]);
}

static const uint32_t *places_of (const struct barter *barter, uint32_t i)
{
    return barter->at + (size_t)i * (size_t)barter->space.n;
}

static uint32_t distance_of (const struct barter *barter, uint32_t i,
                             uint32_t j)
{
    const uint32_t *x = places_of (barter, i), *y = places_of (barter, j);
    uint32_t sum = 0;
    for (int a = 0; a < barter->space.n; a++)
        sum += gap_between (&barter->space.axes[a], x[a], y[a]);
    return sum;
}

static uint64_t sum_of (const struct barter *barter, const uint64_t *table,
                        uint32_t i)
{
    const uint32_t *x = places_of (barter, i);
    uint64_t sum = 0;
    for (int a = 0; a < barter->space.n; a++)
        sum += table[x[a]];
    return sum;
}

/* ---- the free nodes ---- */

static void gather_free (struct barter *barter, const tori_state *state)
{
    const struct ball_space *space = &barter->space;
    uint32_t n = 0, *at = barter->at;
    memset (barter->counts, 0, barter->places * sizeof *barter->counts);
    for (size_t word = 0; word < state->words; word++)
        for (uint64_t bits = state->free[word]; bits; bits &= bits - 1) {
            uint32_t id = (uint32_t)(64 * word)
                          + (uint32_t)__builtin_ctzll (bits);
            for (int a = 0; a < space->n; a++) {
                *at = barter->first[a] + ball_coord (&space->axes[a], id);
                barter->counts[*at++]++;
            }
            barter->index[id] = n;
            barter->ids[n++] = id;
        }
    barter->n = n;
}

/* The node that a step along a dimension leads to, round a ring if need be. */
static uint32_t step_from (const struct barter *barter, uint32_t i, int a,
                           bool up)
{
    const struct ball_axis *axis = &barter->space.axes[a];
    uint32_t id = barter->ids[i];
    uint32_t at = places_of (barter, i)[a] - barter->first[a];
    uint32_t round = (axis->size - 1) * axis->stride;
    if (up)
        return at + 1 == axis->size ? id - round : id + axis->stride;
    return at == 0 ? id + round : id - axis->stride;
}

/* Note the upward edge at both ends. A ring of two has one. */
static void find_above (struct barter *barter, uint32_t i, int a)
{
    const struct ball_axis *axis = &barter->space.axes[a];
    uint32_t at = places_of (barter, i)[a] - barter->first[a];
    uint32_t above = step_from (barter, i, a, true);
    if ((at + 1 == axis->size && (!axis->wraps || axis->size == 2))
        || !barter->beside[above])
        return;
    barter->beside[barter->ids[i]] |= ball_above (a);
    barter->beside[above] |= ball_below (a);
    barter->degrees[i]++;
    barter->degrees[barter->index[above]]++;
}

static void find_beside (struct barter *barter)
{
    memset (barter->degrees, 0, barter->n);
    memset (barter->beside, 0,
            barter->space.machine->nodes * sizeof *barter->beside);
    for (uint32_t i = 0; i < barter->n; i++)
        barter->beside[barter->ids[i]] = BALL_FREE;
    for (uint32_t i = 0; i < barter->n; i++)
        for (int a = 0; a < barter->space.n; a++)
            find_above (barter, i, a);
}

int barter_start (struct barter *barter, const tori_state *state,
                  tori_error *err)
{
    if (prepare_arrays (barter, err) < 0)
        return -1;
    gather_free (barter, state);
    find_beside (barter);
    sum_all_gaps (barter, barter->prices);
    memset (barter->chosen, 0, barter->n * sizeof *barter->chosen);
    barter->all = 0;
    for (uint32_t c = 0; c < barter->places; c++)
        barter->all += (wide)barter->counts[c] * barter->prices[c];
    barter->all /= 2;
    return 0;
}

const uint64_t *barter_prices (const struct barter *barter, int axis)
{
    return barter->prices + barter->first[axis];
}

const uint64_t *barter_beside (const struct barter *barter)
{
    return barter->beside;
}

/* ---- J ---- */

wide barter_cost (const struct barter *barter,
                  const struct barter_terms *terms, wide sum, wide price,
                  uint64_t edges)
{
    return terms->close * sum + terms->rest * (barter->all - price + sum)
           + (wide)terms->edge * edges;
}

/* ---- swaps ---- */

struct bartered {
    uint32_t out, in;
    int64_t adds; /* to J; 0: none */
};

static void list_node (struct barter *barter, uint32_t i)
{
    if (barter->listed[i])
        return;
    barter->listed[i] = true;
    barter->list[barter->nlist++] = i;
}

/* Tell a node's neighbours whether it is chosen; they may be worth a swap
 * now. */
static void mark_node (struct barter *barter, uint32_t i, bool chosen)
{
    uint64_t beside = barter->beside[barter->ids[i]] & ~BALL_FREE;
    barter->chosen[i] = chosen;
    for (; beside; beside &= beside - 1) {
        int bit = __builtin_ctzll (beside);
        uint32_t to
            = barter->index[step_from (barter, i, bit / 2, bit % 2)];
        barter->near[to] = (uint8_t)(barter->near[to] + (chosen ? 1 : -1));
        list_node (barter, to);
    }
}

/* The chosen one of the least sum is the centre. */
static void find_away (struct barter *barter, uint32_t k,
                       const uint32_t nodes[])
{
    uint32_t centre = barter->index[nodes[0]];
    uint64_t least = sum_of (barter, barter->sums, centre);
    for (uint32_t j = 1; j < k; j++) {
        uint32_t i = barter->index[nodes[j]];
        uint64_t sum = sum_of (barter, barter->sums, i);
        if (sum < least) {
            least = sum;
            centre = i;
        }
    }
    for (int a = 0; a < barter->space.n; a++)
        for (uint32_t c = 0; c < barter->space.axes[a].size; c++)
            barter->away[barter->first[a] + c] =
                gap_between (&barter->space.axes[a], c,
                             places_of (barter, centre)[a] - barter->first[a]);
}

static void choose_nodes (struct barter *barter, uint32_t k,
                          const uint32_t nodes[])
{
    memset (barter->counts, 0, barter->places * sizeof *barter->counts);
    memset (barter->near, 0, barter->n);
    memset (barter->listed, 0, barter->n * sizeof *barter->listed);
    barter->nlist = 0;
    for (uint32_t j = 0; j < k; j++) {
        uint32_t i = barter->index[nodes[j]];
        mark_node (barter, i, true);
        for (int a = 0; a < barter->space.n; a++)
            barter->counts[places_of (barter, i)[a]]++;
    }
    sum_all_gaps (barter, barter->sums);
    barter->sum = 0;
    for (uint32_t c = 0; c < barter->places; c++)
        barter->sum += (wide)barter->counts[c] * barter->sums[c];
    barter->sum /= 2;
}

static void value_places (struct barter *barter)
{
    for (uint32_t c = 0; c < barter->places; c++) {
        barter->dear[c] = barter->close * (int64_t)barter->sums[c]
                          - (int64_t)(barter->terms.rest * barter->prices[c]);
        barter->slack[c] = barter->close * barter->away[c];
    }
}

static void value_node (struct barter *barter, uint32_t i)
{
    const uint32_t *at = places_of (barter, i);
    int64_t dear = (int64_t)barter->terms.edge
                   * (int64_t)(barter->degrees[i] - 2 * barter->near[i]);
    int64_t slack = 0;
    for (int a = 0; a < barter->space.n; a++) {
        dear += barter->dear[at[a]];
        slack += barter->slack[at[a]];
    }
    barter->value[i] = barter->chosen[i] ? -dear : dear;
    barter->low[i] = barter->value[i] - slack;
}

/* The best by themselves of those that are listed: to take, and to give up;
 * n: none. */
static void best_ends (const struct barter *barter, uint32_t ret_best[2])
{
    ret_best[0] = ret_best[1] = barter->n;
    for (uint32_t j = 0; j < barter->nlist; j++) {
        uint32_t i = barter->list[j], *best = &ret_best[barter->chosen[i]];
        if (*best == barter->n || barter->low[i] < barter->low[*best])
            *best = i;
    }
}

/* Look at all nodes, and list those that are worth a swap or are so nearly
 * worth it that they may be soon. */
static void list_nodes (struct barter *barter)
{
    uint32_t best[2];
    barter->nlist = barter->n;
    for (uint32_t i = 0; i < barter->n; i++) {
        value_node (barter, i);
        barter->list[i] = i;
    }
    best_ends (barter, best);
    for (int kind = 0; kind < 2; kind++)
        barter->floor[kind] = barter->low[best[kind]];
    barter->margin = -(barter->floor[0] + barter->floor[1]) / SOON;
    barter->drift = 0;
    barter->nlist = 0;
    for (uint32_t i = 0; i < barter->n; i++) {
        int64_t other = barter->floor[!barter->chosen[i]];
        barter->listed[i] = barter->low[i] + other <= barter->margin;
        if (barter->listed[i])
            barter->list[barter->nlist++] = i;
    }
}

/* Whether the nodes that are not listed are still worth nothing: they were
 * above 0 by the margin, with the best there was, and have come nearer by the
 * drift. */
static bool is_current (const struct barter *barter, const uint32_t best[2])
{
    int64_t left = barter->margin - barter->drift;
    for (int kind = 0; kind < 2; kind++)
        if (best[kind] < barter->n
            && barter->low[best[kind]] < barter->floor[kind] - left)
            return false;
    return left >= 0;
}

/* Value those that are listed, or list anew. */
static void survey_nodes (struct barter *barter, uint32_t ret_best[2])
{
    value_places (barter);
    for (uint32_t j = 0; j < barter->nlist; j++)
        value_node (barter, barter->list[j]);
    best_ends (barter, ret_best);
    if (is_current (barter, ret_best))
        return;
    list_nodes (barter);
    best_ends (barter, ret_best);
}

/* Whether this swap is better than the best so far, which it then is. */
static void try_swap (const struct barter *barter, uint32_t out, uint32_t in,
                      struct bartered *best)
{
    uint32_t hops = distance_of (barter, out, in);
    int64_t adds = barter->value[out] + barter->value[in]
                   - barter->close * hops
                   + (hops == 1 ? 2 * (int64_t)barter->terms.edge : 0);
    if (adds > best->adds
        || (adds == best->adds
            && (adds == 0 || out > best->out
                || (out == best->out && in >= best->in))))
        return;
    if (barter->sum + sum_of (barter, barter->sums, in)
        <= barter->limit + hops + sum_of (barter, barter->sums, out))
        *best = (struct bartered){out, in, adds};
}

/* Swap the best of each kind, to know what the others have to beat. */
static struct bartered try_best (const struct barter *barter,
                                 const uint32_t best[2])
{
    struct bartered swap = {.adds = 0};
    for (uint32_t j = 0; j < barter->nlist; j++) {
        uint32_t i = barter->list[j];
        bool chosen = barter->chosen[i];
        if (barter->low[i] + barter->low[best[!chosen]] <= swap.adds)
            try_swap (barter, chosen ? i : best[1], chosen ? best[0] : i,
                      &swap);
    }
    return swap;
}

static void find_ends (struct barter *barter, const uint32_t best[2],
                       int64_t most)
{
    barter->nends[0] = barter->nends[1] = 0;
    for (uint32_t j = 0; j < barter->nlist; j++) {
        uint32_t i = barter->list[j];
        bool chosen = barter->chosen[i];
        if (barter->low[i] + barter->low[best[!chosen]] <= most)
            barter->ends[chosen][barter->nends[chosen]++]
                = (struct barter_end){barter->low[i], i};
    }
}

static int compare_lows (const void *a, const void *b)
{
    const struct barter_end *x = a, *y = b;
    return (x->low > y->low) - (x->low < y->low);
}

/* In the order of lows it is seen early that later pairs cannot be better. */
static void try_ends (const struct barter *barter, struct bartered *swap)
{
    const struct barter_end *outs = barter->ends[1], *ins = barter->ends[0];
    qsort (barter->ends[0], barter->nends[0], sizeof *ins, compare_lows);
    for (uint32_t o = 0; o < barter->nends[1]; o++)
        for (uint32_t i = 0; i < barter->nends[0]; i++) {
            if (outs[o].low + ins[i].low > swap->adds)
                break;
            try_swap (barter, outs[o].node, ins[i].node, swap);
        }
}

static struct bartered find_swap (struct barter *barter)
{
    struct bartered swap = {.adds = 0};
    uint32_t best[2];
    survey_nodes (barter, best);
    if (best[0] == barter->n || best[1] == barter->n)
        return swap;
    swap = try_best (barter, best);
    find_ends (barter, best, swap.adds);
    try_ends (barter, &swap);
    return swap;
}

static void make_swap (struct barter *barter, const struct bartered *swap)
{
    uint32_t hops = distance_of (barter, swap->out, swap->in);
    barter->sum += sum_of (barter, barter->sums, swap->in);
    barter->sum -= sum_of (barter, barter->sums, swap->out) + hops;
    barter->drift += barter->close * hops;
    mark_node (barter, swap->out, false);
    mark_node (barter, swap->in, true);
    for (int a = 0; a < barter->space.n; a++) {
        const struct ball_axis *axis = &barter->space.axes[a];
        uint64_t *sums = barter->sums + barter->first[a];
        uint32_t in = places_of (barter, swap->in)[a] - barter->first[a];
        uint32_t out = places_of (barter, swap->out)[a] - barter->first[a];
        for (uint32_t c = 0; c < axis->size && in != out; c++)
            sums[c] += (uint64_t)gap_between (axis, c, in)
                       - gap_between (axis, c, out);
    }
}

static void make_swaps (struct barter *barter)
{
    struct bartered swap;
    value_places (barter);
    list_nodes (barter);
    for (;;) {
        swap = find_swap (barter);
        if (swap.adds == 0)
            return;
        make_swap (barter, &swap);
    }
}

/* The cost of the chosen nodes; none is chosen any more. */
static struct barter_result finish_swaps (struct barter *barter, uint32_t k,
                                          const uint32_t nodes[])
{
    struct barter_result result = {.sum = barter->sum};
    uint64_t edges = 0;
    wide price = 0;
    for (uint32_t j = 0; j < k; j++) {
        uint32_t i = barter->index[nodes[j]];
        price += sum_of (barter, barter->prices, i);
        edges += (uint64_t)(barter->degrees[i] - barter->near[i]);
        barter->chosen[i] = false;
    }
    result.cost = barter_cost (barter, &barter->terms, barter->sum, price,
                               edges);
    return result;
}

struct barter_result barter_weigh (struct barter *barter,
                                   const struct barter_terms *terms,
                                   uint32_t k, const uint32_t nodes[])
{
    barter->terms = *terms;
    choose_nodes (barter, k, nodes);
    return finish_swaps (barter, k, nodes);
}

struct barter_result barter_improve (struct barter *barter,
                                     const struct barter_terms *terms,
                                     uint32_t k, wide limit, uint32_t nodes[])
{
    barter->terms = *terms;
    barter->close = (int64_t)terms->close + terms->rest;
    barter->limit = limit;
    choose_nodes (barter, k, nodes);
    find_away (barter, k, nodes);
    if (k < barter->n)
        make_swaps (barter);
    for (uint32_t i = 0, at = 0; at < k; i++)
        if (barter->chosen[i])
            nodes[at++] = barter->ids[i];
    return finish_swaps (barter, k, nodes);
}
